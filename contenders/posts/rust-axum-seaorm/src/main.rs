//! `posts` with axum and SeaORM: an entity, and sqlx's pool below.

mod post;

use std::net::Ipv4Addr;
use std::process::ExitCode;
use std::str::FromStr;
use std::time::Duration;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use sea_orm::{ConnectOptions, Database, DatabaseConnection, DbErr, EntityTrait};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::{Instant, sleep};

/// At most, for the database to take connections when this starts.
const START_WAIT: Duration = Duration::from_secs(30);
/// At most, for a request to get a connection.
const POOL_WAIT: Duration = Duration::from_secs(5);
/// At most, for requests under way when it is told to stop.
const STOP_WAIT: Duration = Duration::from_secs(5);

/// The database's error: told in the log, answered by 500, or by 503 where no connection became free in time.
struct Failed(DbErr);

impl IntoResponse for Failed {
    fn into_response(self) -> Response {
        eprintln!("database: {}", self.0);
        match self.0 {
            DbErr::ConnectionAcquire(_) => StatusCode::SERVICE_UNAVAILABLE.into_response(),
            _ => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        }
    }
}

async fn find(State(database): State<DatabaseConnection>, Path(id): Path<i64>) -> Result<Response, Failed> {
    Ok(match post::Entity::find_by_id(id).one(&database).await.map_err(Failed)? {
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
    let url: String = variable("DATABASE_URL", "postgres://postgres@127.0.0.1:15432/postgres")?;
    let mut options = ConnectOptions::new(url);
    options
        .max_connections(variable("MAX_OPEN", "20")?)
        .min_connections(variable("MIN_IDLE", "0")?)
        .acquire_timeout(POOL_WAIT)
        .sqlx_logging(false);
    let app = Router::new().route("/api/posts/{id}", get(find)).with_state(connect(&options).await?);
    serve(port, app).await.map_err(|error| format!("127.0.0.1:{port}: {error}"))
}

/// The pool, once the database takes connections.
async fn connect(options: &ConnectOptions) -> Result<DatabaseConnection, String> {
    let end = Instant::now() + START_WAIT;
    loop {
        match Database::connect(options.clone()).await {
            Ok(database) => return Ok(database),
            // It tries for `POOL_WAIT` itself before it gives up.
            Err(error) if Instant::now() + POOL_WAIT > end => {
                let address = address(options.get_url());
                return Err(format!(
                    "database: no connection to {address} within {START_WAIT:?}: {error}\nhint: start PostgreSQL there, or set DATABASE_URL to where it is"
                ));
            }
            Err(_) => sleep(Duration::from_millis(200)).await,
        }
    }
}

/// Host and port of a database's URL.
fn address(url: &str) -> &str {
    url.split('/').nth(2).and_then(|part| part.rsplit('@').next()).unwrap_or("DATABASE_URL")
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

fn variable<T: FromStr>(name: &str, example: &str) -> Result<T, String> {
    let value = std::env::var(name).ok().and_then(|value| value.parse().ok());
    value.ok_or_else(|| format!("environment: `{name}` is not set, or to something else\nhint: {name}={example}"))
}
