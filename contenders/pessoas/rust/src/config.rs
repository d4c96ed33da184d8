//! What the environment says.

use std::env;
use std::path::PathBuf;

/// The configuration of one API instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// `HTTP_PORT`: the port on 127.0.0.1; 0 takes any free one.
    pub http_port: u16,
    /// `DATABASE`: path of the database file; every instance of one deployment names the same file.
    pub database: PathBuf,
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
        Ok(Self {
            http_port: port.parse().map_err(|_| ConfigError::Port(port))?,
            database: PathBuf::from(database),
        })
    }
}
