//! The `crebitos` API for PostgreSQL, with group commit: what arrives while a batch is under way is the next batch,
//! one call and one commit for all of it. Nothing about a balance is kept in memory.

mod api;
mod batch;
mod session;
mod transaction;

use std::iter;
use std::net::Ipv4Addr;
use std::process::ExitCode;
use std::str::FromStr;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::{sleep, timeout};
use tokio_postgres::Config;

use crate::batch::{Queues, WRITERS};
use crate::session::Session;

/// Longest wait for the database to take connections at the start.
const START_WAIT: Duration = Duration::from_secs(30);

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
    let port: u16 = variable("HTTP_PORT", "8081")?;
    let database: Config = variable("DATABASE_URL", "postgres://postgres@127.0.0.1:15432/postgres")?;
    let reading = Session::new(database.clone(), api::STATEMENTS);
    let writing = || Session::new(database.clone(), batch::STATEMENTS);
    let writing: Vec<Session> = iter::repeat_with(writing).take(WRITERS).collect();
    for session in writing.iter().chain([&reading]) {
        wait_for(session).await?;
    }
    let told = |error: std::io::Error| {
        format!("127.0.0.1:{port}: {error}\nhint: end what listens there, or set HTTP_PORT to another")
    };
    let mut terminate = signal(SignalKind::terminate()).map_err(told)?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(told)?;
    let stop = async move {
        terminate.recv().await;
    };
    let router = api::router(Queues::start(writing), reading);
    axum::serve(listener, router).with_graceful_shutdown(stop).await.map_err(told)
}

/// Waits until the database takes connections.
async fn wait_for(session: &Session) -> Result<(), String> {
    let mut last = "no answer".to_owned();
    let reached = timeout(START_WAIT, async {
        while let Err(error) = session.open().await {
            last = error.to_string();
            sleep(Duration::from_millis(200)).await;
        }
    });
    reached.await.map_err(|_| {
        format!(
            "database: no connection within {START_WAIT:?}: {last}\nhint: start PostgreSQL with batch.sql, or set DATABASE_URL to where it is"
        )
    })
}

/// Reads a variable of the environment; the example is its value where it is not set.
fn variable<T: FromStr>(name: &str, example: &str) -> Result<T, String> {
    let value = std::env::var(name).unwrap_or_else(|_| example.to_owned());
    value.parse().map_err(|_| format!("environment: `{name}` is `{value}`\nhint: {name}={example}"))
}
