//! `posts` with axum and tokio-postgres: one prepared statement, and deadpool's pool.

use std::net::Ipv4Addr;
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use deadpool_postgres::{Manager, Object, Pool, PoolError, Runtime};
use serde::Serialize;
use time::OffsetDateTime;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::{sleep, timeout};
use tokio_postgres::{Config, NoTls};

/// At most, for the database to take connections when this starts.
const START_WAIT: Duration = Duration::from_secs(30);
/// At most, for a request to get a connection.
const POOL_WAIT: Duration = Duration::from_secs(5);
/// At most, for requests under way when it is told to stop.
const STOP_WAIT: Duration = Duration::from_secs(5);

#[derive(Serialize)]
struct Post {
    id: i64,
    name: String,
    title: String,
    text: String,
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
}

/// The database's error: told in the log, answered by 500, or by 503 where no connection became free in time.
struct Failed(PoolError);

impl<E: Into<PoolError>> From<E> for Failed {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl IntoResponse for Failed {
    fn into_response(self) -> Response {
        eprintln!("database: {}", self.0);
        match self.0 {
            PoolError::Timeout(_) => StatusCode::SERVICE_UNAVAILABLE.into_response(),
            _ => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        }
    }
}

/// Where posts come from.
struct Database {
    pool: Pool,
    /// Connections that all requests share in turn, their questions one after another without waiting for answers; none: a request has a
    /// connection of the pool to itself.
    shared: Vec<Object>,
    next: AtomicUsize,
    /// Whether a connection keeps what it has prepared.
    keeps_statements: bool,
}

async fn find(State(database): State<Arc<Database>>, Path(id): Path<i64>) -> Result<Response, Failed> {
    let taken;
    let client = if database.shared.is_empty() {
        taken = database.pool.get().await?;
        &taken
    } else {
        &database.shared[database.next.fetch_add(1, Relaxed) % database.shared.len()]
    };
    let select = "SELECT id, name, title, text, created_at FROM posts WHERE id = $1";
    let select = if database.keeps_statements {
        client.prepare_cached(select).await?
    } else {
        client.prepare(select).await?
    };
    let Some(row) = client.query_opt(&select, &[&id]).await? else {
        return Ok(StatusCode::NOT_FOUND.into_response());
    };
    let post = Post {
        id: row.try_get("id")?,
        name: row.try_get("name")?,
        title: row.try_get("title")?,
        text: row.try_get("text")?,
        created_at: row.try_get("created_at")?,
    };
    Ok(Json(post).into_response())
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
    let database: Config = url.parse().map_err(|error| format!("environment: DATABASE_URL: {error}"))?;
    let min_idle: usize = variable("MIN_IDLE", "0")?;
    let pool = Pool::builder(Manager::new(database, NoTls))
        .max_size(variable("MAX_OPEN", "20")?)
        .runtime(Runtime::Tokio1)
        .wait_timeout(Some(POOL_WAIT))
        .create_timeout(Some(POOL_WAIT))
        .build()
        .map_err(|error| error.to_string())?;
    wait_for(&pool, address(&url)).await?;
    let told = |error: PoolError| format!("database: {error}");
    open(&pool, min_idle).await.map_err(told)?;
    let shared = match variable::<String>("CONNECTIONS", "taken")?.as_str() {
        "taken" => Vec::new(),
        "shared" => open(&pool, pool.status().max_size).await.map_err(told)?,
        other => {
            return Err(format!(
                "environment: `CONNECTIONS` is `{other}`\nhint: CONNECTIONS=taken, or CONNECTIONS=shared"
            ));
        }
    };
    let keeps_statements = keeps_statements()?;
    let database = Database { pool, shared, next: AtomicUsize::new(0), keeps_statements };
    let app = Router::new().route("/api/posts/{id}", get(find)).with_state(Arc::new(database));
    serve(port, app).await.map_err(|error| format!("127.0.0.1:{port}: {error}"))
}

/// Waits until the database takes connections.
async fn wait_for(pool: &Pool, address: &str) -> Result<(), String> {
    let mut last = "no answer".to_owned();
    let reached = timeout(START_WAIT, async {
        while let Err(error) = pool.get().await {
            last = error.to_string();
            sleep(Duration::from_millis(200)).await;
        }
    });
    reached.await.map_err(|_| {
        format!(
            "database: no connection to {address} within {START_WAIT:?}: {last}\nhint: start PostgreSQL there, or set DATABASE_URL to where it is"
        )
    })
}

/// Host and port of a database's URL.
fn address(url: &str) -> &str {
    url.split('/').nth(2).and_then(|part| part.rsplit('@').next()).unwrap_or("DATABASE_URL")
}

/// Opens so many connections. The pool closes none for being idle, so they are there from the first request on.
async fn open(pool: &Pool, connections: usize) -> Result<Vec<Object>, PoolError> {
    let mut open = Vec::new();
    for _ in 0..connections {
        open.push(pool.get().await?);
    }
    Ok(open)
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
