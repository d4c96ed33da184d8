//! The `pessoas` API with a queue in Redis before the database. What an acknowledged creation is worth is a switch:
//! `ACKNOWLEDGE=queued` answers 201 when Redis has somebody, `committed` when PostgreSQL has.

mod api;
mod store;
mod writer;

use std::net::Ipv4Addr;
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::store::{Settings, Store};

/// To write what is still queued, after the last answer.
const STOP_WAIT: Duration = Duration::from_secs(5);

// One thread: an instance has a quarter of a core, which a second thread would only share out.
#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match serve().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn serve() -> Result<(), String> {
    let port: u16 = setting("HTTP_PORT", "8081")?;
    let settings = Settings {
        acknowledge: setting("ACKNOWLEDGE", "committed")?,
        database_url: setting("DATABASE_URL", "postgres://postgres@127.0.0.1:15432/postgres")?,
        redis_url: setting("REDIS_URL", "redis://127.0.0.1:16379")?,
        pool: setting("POOL", "4")?,
        queue: format!("fila:{port}"),
    };
    let store = Arc::new(Store::open(settings).await?);
    let told = |error: std::io::Error| format!("port {port}: {error}");
    let mut terminate = signal(SignalKind::terminate()).map_err(told)?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(told)?;

    let (stop, stopped) = oneshot::channel();
    let writer = tokio::spawn(writer::run(Arc::clone(&store), stopped));
    let terminated = async move {
        terminate.recv().await;
    };
    axum::serve(listener, api::router(store)).with_graceful_shutdown(terminated).await.map_err(told)?;
    drop(stop);
    match timeout(STOP_WAIT, writer).await {
        Ok(Ok(())) => Ok(()),
        _ => Err("the queue could not be written before the end".to_owned()),
    }
}

/// What the environment says, or else the default.
fn setting<T: FromStr>(name: &str, default: &str) -> Result<T, String> {
    let written = std::env::var(name).unwrap_or_else(|_| default.to_owned());
    written.parse().map_err(|_| format!("environment: `{name}` is {written:?}\nhint: {name}={default}"))
}
