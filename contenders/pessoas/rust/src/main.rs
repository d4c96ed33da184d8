//! Runs the API on the store that `DATABASE` names until SIGTERM or SIGINT.

use std::process::ExitCode;

use pessoas_rust::config::{Config, Database, Help};
use pessoas_rust::log;
use pessoas_rust::server::{self, Error};
use pessoas_rust::store::postgres::PostgresStore;
use pessoas_rust::store::sqlite::SqliteStore;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    match arguments.iter().map(|argument| argument.to_str()).collect::<Vec<_>>()[..] {
        [] => {}
        [Some("--help" | "-h")] => {
            println!("{Help}");
            return ExitCode::SUCCESS;
        }
        [Some("--version" | "-V")] => {
            println!("pessoas-rust {}", env!("CARGO_PKG_VERSION"));
            return ExitCode::SUCCESS;
        }
        _ => {
            let first = arguments[0].to_string_lossy();
            eprintln!(
                "pessoas-rust: argument `{first}` is not known\nhint: it is configured by its environment, see --help"
            );
            return ExitCode::from(2);
        }
    }
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
    log::set_level(config.log);
    match config.database {
        Database::Sqlite(path) => server::run(&config.listen, &config.limits, SqliteStore::open(&path)?),
        Database::Postgres(url) => {
            let store = PostgresStore::new(&url, config.postgres)?;
            server::run(&config.listen, &config.limits, store)
        }
    }
}
