//! Runs the API on the SQLite store until SIGTERM or SIGINT.

use std::process::ExitCode;

use pessoas_rust::config::Config;
use pessoas_rust::server::{self, Error};
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
    let store = SqliteStore::open(&config.database)?;
    server::run(config.http_port, store)
}
