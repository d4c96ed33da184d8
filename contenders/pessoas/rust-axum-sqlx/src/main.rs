//! The `pessoas` API in the plain way: axum, a pool of sqlx, and a database that does the work. It is the comparison
//! for contenders that do more themselves.

mod api;
mod store;

use std::error::Error;
use std::net::Ipv4Addr;

use sqlx::postgres::PgPoolOptions;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

/// Connections to the database, for each instance, where `POOL` says nothing else.
const POOL: u32 = 4;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let port: u16 = variable("HTTP_PORT", "8081")?.parse()?;
    let url = variable("DATABASE_URL", "postgres://postgres@127.0.0.1:15432/postgres")?;
    let size = std::env::var("POOL").map_or(Ok(POOL), |size| size.parse())?;
    let pool = PgPoolOptions::new().max_connections(size).connect(&url).await?;
    let mut terminate = signal(SignalKind::terminate())?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    let stop = async move {
        terminate.recv().await;
    };
    axum::serve(listener, api::router(pool)).with_graceful_shutdown(stop).await?;
    Ok(())
}

fn variable(name: &str, example: &str) -> Result<String, String> {
    std::env::var(name).map_err(|_| format!("environment: `{name}` is not set\nhint: {name}={example}"))
}
