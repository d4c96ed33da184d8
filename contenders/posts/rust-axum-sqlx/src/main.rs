//! `posts` with axum and sqlx: one statement, written by hand, and sqlx's pool.

use std::net::Ipv4Addr;
use std::process::ExitCode;
use std::str::FromStr;
use std::time::Duration;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde::Serialize;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{ConnectOptions, FromRow, PgPool};
use time::OffsetDateTime;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::{sleep, timeout};

/// At most, for the database to take connections when this starts.
const START_WAIT: Duration = Duration::from_secs(30);
/// At most, for a request to get a connection.
const POOL_WAIT: Duration = Duration::from_secs(5);
/// At most, for requests under way when it is told to stop.
const STOP_WAIT: Duration = Duration::from_secs(5);

#[derive(Serialize, FromRow)]
struct Post {
    id: i64,
    name: String,
    title: String,
    text: String,
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
}

/// The database's error: told in the log, answered by 500, or by 503 where no connection became free in time.
struct Failed(sqlx::Error);

impl IntoResponse for Failed {
    fn into_response(self) -> Response {
        eprintln!("database: {}", self.0);
        match self.0 {
            sqlx::Error::PoolTimedOut => StatusCode::SERVICE_UNAVAILABLE.into_response(),
            _ => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        }
    }
}

/// Where posts come from.
#[derive(Clone)]
struct Database {
    pool: PgPool,
    /// Whether a connection keeps what it has prepared.
    keeps_statements: bool,
}

async fn find(State(database): State<Database>, Path(id): Path<i64>) -> Result<Response, Failed> {
    let post: Option<Post> =
        sqlx::query_as("SELECT id, name, title, text, created_at FROM posts WHERE id = $1")
            .persistent(database.keeps_statements)
            .bind(id)
            .fetch_optional(&database.pool)
            .await
            .map_err(Failed)?;
    Ok(match post {
        Some(post) => Json(post).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), String> {
    let port: u16 = variable("HTTP_PORT", "9999")?;
    let database: PgConnectOptions =
        variable("DATABASE_URL", "postgres://postgres@127.0.0.1:15432/postgres")?;
    let pool = PgPoolOptions::new()
        .max_connections(variable("MAX_OPEN", "20")?)
        .min_connections(variable("MIN_IDLE", "0")?)
        .acquire_timeout(POOL_WAIT);
    wait_for(&database).await?;
    let pool = pool.connect_with(database).await.map_err(|error| format!("database: {error}"))?;
    let database = Database { pool, keeps_statements: keeps_statements()? };
    let app = Router::new().route("/api/posts/{id}", get(find)).with_state(database);
    serve(port, app).await.map_err(|error| format!("127.0.0.1:{port}: {error}"))
}

/// Waits until the database takes connections.
async fn wait_for(database: &PgConnectOptions) -> Result<(), String> {
    let mut last = "no answer".to_owned();
    let reached = timeout(START_WAIT, async {
        while let Err(error) = database.connect().await {
            last = error.to_string();
            sleep(Duration::from_millis(200)).await;
        }
    });
    reached.await.map_err(|_| {
        let (host, port) = (database.get_host(), database.get_port());
        format!(
            "database: no connection to {host}:{port} within {START_WAIT:?}: {last}\nhint: start PostgreSQL there, or set DATABASE_URL to where it is"
        )
    })
}

/// Serves until SIGTERM.
async fn serve(port: u16, app: Router) -> std::io::Result<()> {
    let mut stop = signal(SignalKind::terminate())?;
    let mut overdue = signal(SignalKind::terminate())?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    let server = axum::serve(listener, app).with_graceful_shutdown(async move {
        stop.recv().await;
    });
    tokio::select! {
        done = async { server.await } => done,
        () = async { overdue.recv().await; sleep(STOP_WAIT).await } => Ok(()),
    }
}

/// Whether statements are prepared once for each connection, or for each request.
fn keeps_statements() -> Result<bool, String> {
    match variable::<String>("STATEMENTS", "kept")?.as_str() {
        "kept" => Ok(true),
        "each" => Ok(false),
        other => {
            Err(format!("environment: `STATEMENTS` is `{other}`\nhint: STATEMENTS=kept, or STATEMENTS=each"))
        }
    }
}

fn variable<T: FromStr>(name: &str, example: &str) -> Result<T, String> {
    let value = std::env::var(name).ok().and_then(|value| value.parse().ok());
    value.ok_or_else(|| {
        format!("environment: `{name}` is not set, or to something else\nhint: {name}={example}")
    })
}
