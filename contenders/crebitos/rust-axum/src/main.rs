//! The `crebitos` API in the plain way: axum, a pool of sqlx, and one statement for each request. It is the comparison
//! for contenders that do more themselves.

mod api;
mod store;
mod transaction;

use std::net::Ipv4Addr;
use std::process::ExitCode;
use std::str::FromStr;
use std::time::Duration;

use sqlx::ConnectOptions;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::{sleep, timeout};

/// Longest wait for the database to take connections at the start.
const START_WAIT: Duration = Duration::from_secs(30);
/// Longest wait of a request for a connection.
const POOL_WAIT: Duration = Duration::from_secs(8);

#[tokio::main]
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
    let port: u16 = variable("HTTP_PORT", "8081")?;
    let database: PgConnectOptions =
        variable("DATABASE_URL", "postgres://postgres@127.0.0.1:15432/postgres")?;
    let size: u32 = variable("POOL", "4")?;
    wait_for(&database).await?;
    let pool = PgPoolOptions::new().max_connections(size).acquire_timeout(POOL_WAIT);
    let pool = pool.connect_with(database).await.map_err(|error| format!("database: {error}"))?;
    let told = |error: std::io::Error| {
        format!("127.0.0.1:{port}: {error}\nhint: end what listens there, or set HTTP_PORT to another")
    };
    let mut terminate = signal(SignalKind::terminate()).map_err(told)?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(told)?;
    let stop = async move {
        terminate.recv().await;
    };
    axum::serve(listener, api::router(pool)).with_graceful_shutdown(stop).await.map_err(told)
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

/// Reads a variable of the environment; the example is its value where it is not set.
fn variable<T: FromStr>(name: &str, example: &str) -> Result<T, String> {
    let value = std::env::var(name).unwrap_or_else(|_| example.to_owned());
    value.parse().map_err(|_| format!("environment: `{name}` is `{value}`\nhint: {name}={example}"))
}
