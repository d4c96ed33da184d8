//! What the environment says.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

/// The configuration of one API instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// `HTTP_PORT`: the port on 127.0.0.1; 0 takes any free one.
    pub http_port: u16,
    /// `DATABASE`: where people are kept, the same for every instance of one deployment.
    pub database: Database,
}

/// Which store, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Database {
    /// A SQLite file.
    Sqlite(PathBuf),
    /// A PostgreSQL server: what begins with `postgres://` or `postgresql://`.
    Postgres(String),
}

impl From<OsString> for Database {
    fn from(text: OsString) -> Self {
        match text.into_string() {
            Ok(url) if url.starts_with("postgres://") || url.starts_with("postgresql://") => {
                Self::Postgres(url)
            }
            Ok(path) => Self::Sqlite(path.into()),
            Err(path) => Self::Sqlite(path.into()),
        }
    }
}

/// A variable that is missing or wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// A variable is not set.
    #[error("environment: `{0}` is not set\nhint: run with HTTP_PORT=8081 DATABASE=/tmp/pessoas.db")]
    Missing(&'static str),
    /// `HTTP_PORT` is no port.
    #[error("environment: HTTP_PORT is `{0}`, which is no port\nhint: give a number from 0 to 65535")]
    Port(String),
}

impl Config {
    /// Reads the process's environment.
    ///
    /// # Errors
    /// A variable is missing or wrong.
    pub fn from_environment() -> Result<Self, ConfigError> {
        let port = env::var("HTTP_PORT").map_err(|_| ConfigError::Missing("HTTP_PORT"))?;
        let database = env::var_os("DATABASE").ok_or(ConfigError::Missing("DATABASE"))?;
        Ok(Self { http_port: port.parse().map_err(|_| ConfigError::Port(port))?, database: database.into() })
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::Database;

    #[test]
    fn a_database_is_a_server_by_its_scheme_and_else_a_file() {
        for url in ["postgres://a@127.0.0.1/b", "postgresql:///b?host=/run/x"] {
            assert_eq!(Database::from(OsString::from(url)), Database::Postgres(url.to_owned()));
        }
        for path in ["/tmp/pessoas.db", "postgres", "mysql://a@b/c"] {
            assert_eq!(Database::from(OsString::from(path)), Database::Sqlite(path.into()));
        }
    }
}
