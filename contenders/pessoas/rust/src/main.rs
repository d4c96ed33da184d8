//! Runs the API on the store that `DATABASE` names until SIGTERM or SIGINT.

use std::process::ExitCode;

use pessoas_rust::config::{Config, Database};
use pessoas_rust::server::{self, Error};
use pessoas_rust::store::postgres::{Options, PostgresStore};
use pessoas_rust::store::sqlite::SqliteStore;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("pessoas-rust: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Error> {
    let config = Config::from_environment()?;
    match config.database {
        Database::Sqlite(path) => server::run(config.http_port, SqliteStore::open(&path)?),
        Database::Postgres(url) => {
            server::run(config.http_port, PostgresStore::new(&url, Options::default())?)
        }
    }
}
