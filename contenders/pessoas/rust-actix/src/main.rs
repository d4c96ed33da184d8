//! The `pessoas` API on actix-web, with a pool of deadpool-postgres.

mod api;
mod store;

use std::error::Error;
use std::net::Ipv4Addr;
use std::process::ExitCode;
use std::time::Duration;

use actix_web::web::{Data, PayloadConfig};
use actix_web::{App, HttpServer};

/// An instance has less than half a core, which a second thread would only share out.
const WORKERS: usize = 1;
/// Longer than the balancer's of 60 s, which would send requests to a connection that is closed.
const KEEP_ALIVE: Duration = Duration::from_secs(75);
/// For requests under way. The balancer's connections, idle or not, are kept as long.
const STOP_TIMEOUT_SECONDS: u64 = 3;
/// As the balancer has it.
const BODY_BYTES_MAX: usize = 64 << 10;

#[actix_web::main]
async fn main() -> ExitCode {
    match serve().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn serve() -> Result<(), Box<dyn Error>> {
    let port: u16 = setting("HTTP_PORT", "8081")?;
    let size: usize = setting("POOL", "4")?;
    let url: String = setting("DATABASE_URL", "postgres://postgres@127.0.0.1:15432/postgres")?;
    let pool = store::open(&url, size).await?;
    let app = move || {
        App::new()
            .app_data(Data::new(pool.clone()))
            .app_data(PayloadConfig::new(BODY_BYTES_MAX))
            .configure(api::routes)
    };
    HttpServer::new(app)
        .workers(WORKERS)
        .keep_alive(KEEP_ALIVE)
        .shutdown_timeout(STOP_TIMEOUT_SECONDS)
        .bind((Ipv4Addr::LOCALHOST, port))?
        .run()
        .await?;
    Ok(())
}

/// What the environment says, or else the default.
fn setting<T: std::str::FromStr>(name: &str, default: &str) -> Result<T, String> {
    let written = std::env::var(name).unwrap_or_else(|_| default.to_owned());
    written.parse().map_err(|_| format!("environment: `{name}` is {written:?}\nhint: {name}={default}"))
}
