//! What the environment says.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;
use std::{env, fmt};

use crate::listen::Address;
use crate::log::Level;
use crate::store::postgres;

/// The configuration of one API instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// `LISTEN` and `HTTP_PORT`: one address or more.
    pub listen: Vec<Address>,
    /// `DATABASE`: where people are kept, the same for every instance of one deployment.
    pub database: Database,
    /// `LOG`: what is told on standard error.
    pub log: Level,
    /// Bounds on what clients may take.
    pub limits: Limits,
    /// Bounds and pauses of the store on PostgreSQL.
    pub postgres: postgres::Options,
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

/// Bounds on what clients may take of time and room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// From the beginning of a connection or request to the end of the head.
    pub head_timeout: Duration,
    /// From the end of the head to the end of the body.
    pub body_timeout: Duration,
    /// Until the client has taken an answer.
    pub send_timeout: Duration,
    /// Between two requests.
    pub idle_timeout: Duration,
    /// From the signal to stop until requests under way are cut.
    pub stop_timeout: Duration,
    /// Connections at the same time, on all addresses.
    pub connections_max: usize,
    /// Requests whose handlers are under way at the same time.
    pub in_flight_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            head_timeout: Duration::from_secs(5),
            body_timeout: Duration::from_secs(5),
            send_timeout: Duration::from_secs(5),
            // Longer than the 60 s of nginx, so that it is not the instance that closes while a request is on its way.
            idle_timeout: Duration::from_secs(75),
            stop_timeout: Duration::from_secs(5),
            connections_max: 4096,
            in_flight_max: 1024,
        }
    }
}

/// Every variable that is read: name, default (empty where there is none), meaning. `--help` shows it.
const VARIABLES: [(&str, &str, &str); 14] = [
    (
        "LISTEN",
        "",
        "addresses, separated by commas: 127.0.0.1:8081, [::1]:8081, unix:/run/api.sock; port 0 is any free one",
    ),
    ("HTTP_PORT", "", "short for one more address, 127.0.0.1:HTTP_PORT"),
    ("DATABASE", "", "path of a SQLite file, or postgres://...; the same for all instances"),
    ("LOG", "warn", "error, warn or info: what is told on standard error"),
    ("HEAD_TIMEOUT_MS", "5000", "for the head of a request"),
    ("BODY_TIMEOUT_MS", "5000", "for the body of a request"),
    ("SEND_TIMEOUT_MS", "5000", "until a client has taken its answer"),
    ("IDLE_TIMEOUT_MS", "75000", "between two requests of a connection; longer than the balancer's"),
    ("STOP_TIMEOUT_MS", "5000", "for requests under way when it is told to stop"),
    ("CONNECTIONS_MAX", "4096", "connections at the same time; beyond it 503"),
    ("IN_FLIGHT_MAX", "1024", "requests at the same time; beyond it 503"),
    ("DATABASE_WAIT_MS", "2000", "that a request waits for PostgreSQL; then 503, or 504 if it was sent"),
    (
        "BATCH_PAUSE_US",
        "0",
        "from one commit to the next while several will share it: longer is cheaper, and later (PostgreSQL)",
    ),
    ("CATCH_UP_PAUSE_US", "0", "from one question for others' people to the next, likewise (PostgreSQL)"),
];

/// A variable that is missing or wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// A variable is not set.
    #[error(
        "environment: `{0}` is not set\nhint: run with HTTP_PORT=8081 DATABASE=/tmp/pessoas.db, or see --help"
    )]
    Missing(&'static str),
    /// A variable says what it cannot say.
    #[error("environment: {name} is `{value}`, which is no {wanted}\nhint: {meaning}", meaning = meaning(name))]
    Wrong {
        /// The variable.
        name: &'static str,
        /// What it says.
        value: String,
        /// What it should say.
        wanted: &'static str,
    },
}

impl Config {
    /// Reads the process's environment.
    ///
    /// # Errors
    /// A variable is missing or wrong.
    pub fn from_environment() -> Result<Self, ConfigError> {
        Self::read(&|name| env::var_os(name))
    }

    fn read(variable: &dyn Fn(&str) -> Option<OsString>) -> Result<Self, ConfigError> {
        let text = |name: &'static str| variable(name).map(|value| value.to_string_lossy().into_owned());
        let (defaults, store) = (Limits::default(), postgres::Options::default());
        let time = |name, default: Duration| match text(name) {
            None => Ok(default),
            // A day is more than anybody waits for, and less than overflows.
            Some(value) => match value.parse() {
                Ok(ms @ 1..=86_400_000) => Ok(Duration::from_millis(ms)),
                Ok(_) | Err(_) => Err(wrong(name, value, "number of milliseconds from 1 to 86400000")),
            },
        };
        let pause = |name, default: Duration| match text(name) {
            None => Ok(default),
            Some(value) => match value.parse() {
                Ok(us @ 0..=1_000_000) => Ok(Duration::from_micros(us)),
                Ok(_) | Err(_) => Err(wrong(name, value, "number of microseconds up to 1000000")),
            },
        };
        let number = |name, default: usize| match text(name) {
            None => Ok(default),
            Some(value) => match value.parse() {
                Ok(number @ 1..) => Ok(number),
                Ok(_) | Err(_) => Err(wrong(name, value, "number from 1")),
            },
        };
        Ok(Self {
            listen: addresses(text("LISTEN").as_deref(), text("HTTP_PORT"))?,
            database: variable("DATABASE").ok_or(ConfigError::Missing("DATABASE"))?.into(),
            log: match text("LOG") {
                None => Level::Warn,
                Some(value) => value.parse().map_err(|()| wrong("LOG", value, "level"))?,
            },
            limits: Limits {
                head_timeout: time("HEAD_TIMEOUT_MS", defaults.head_timeout)?,
                body_timeout: time("BODY_TIMEOUT_MS", defaults.body_timeout)?,
                send_timeout: time("SEND_TIMEOUT_MS", defaults.send_timeout)?,
                idle_timeout: time("IDLE_TIMEOUT_MS", defaults.idle_timeout)?,
                stop_timeout: time("STOP_TIMEOUT_MS", defaults.stop_timeout)?,
                connections_max: number("CONNECTIONS_MAX", defaults.connections_max)?,
                in_flight_max: number("IN_FLIGHT_MAX", defaults.in_flight_max)?,
            },
            postgres: postgres::Options {
                wait: time("DATABASE_WAIT_MS", store.wait)?,
                batch_pause: pause("BATCH_PAUSE_US", store.batch_pause)?,
                catch_up_pause: pause("CATCH_UP_PAUSE_US", store.catch_up_pause)?,
            },
        })
    }
}

fn addresses(listen: Option<&str>, http_port: Option<String>) -> Result<Vec<Address>, ConfigError> {
    let mut addresses = Vec::new();
    for part in listen.unwrap_or_default().split(',').map(str::trim).filter(|part| !part.is_empty()) {
        addresses.push(part.parse().map_err(|()| wrong("LISTEN", part.to_owned(), "address"))?);
    }
    if let Some(port) = http_port {
        addresses.push(Address::loopback(port.parse().map_err(|_| wrong("HTTP_PORT", port, "port"))?));
    }
    if addresses.is_empty() { Err(ConfigError::Missing("LISTEN")) } else { Ok(addresses) }
}

fn wrong(name: &'static str, value: String, wanted: &'static str) -> ConfigError {
    ConfigError::Wrong { name, value, wanted }
}

fn meaning(name: &str) -> &'static str {
    VARIABLES.iter().find(|(other, ..)| *other == name).map_or("see --help", |(_, _, meaning)| meaning)
}

/// The text of `--help`.
#[derive(Debug, Clone, Copy)]
pub struct Help;

impl fmt::Display for Help {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "One instance of the `pessoas` API; it stops in order on SIGTERM or SIGINT.\n")?;
        writeln!(f, "usage: pessoas-rust [--help | --version]\n\nenvironment:")?;
        for (name, default, meaning) in VARIABLES {
            let default = if default.is_empty() { String::new() } else { format!(" [default: {default}]") };
            writeln!(f, "  {name:<17} {meaning}{default}")?;
        }
        write!(f, "\nfor whoever runs it: GET /health/live, GET /health/ready, GET /metrics (Prometheus)")
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::time::Duration;

    use super::{Config, ConfigError, Database, Help, Level, Limits, VARIABLES, postgres};

    fn read(variables: &[(&str, &str)]) -> Result<Config, ConfigError> {
        Config::read(&|name| {
            let found = variables.iter().find(|(other, _)| *other == name);
            found.map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    fn a_database_is_a_server_by_its_scheme_and_else_a_file() {
        for url in ["postgres://a@127.0.0.1/b", "postgresql:///b?host=/run/x"] {
            assert_eq!(Database::from(OsString::from(url)), Database::Postgres(url.to_owned()));
        }
        for path in ["/tmp/pessoas.db", "postgres", "mysql://a@b/c"] {
            assert_eq!(Database::from(OsString::from(path)), Database::Sqlite(path.into()));
        }
    }

    #[test]
    fn what_is_not_said_is_as_the_help_says() {
        let said: Vec<_> = VARIABLES.iter().filter(|(_, default, _)| !default.is_empty()).collect();
        let required = [("HTTP_PORT", "8081"), ("DATABASE", "/tmp/a")];
        let defaults: Vec<_> =
            said.iter().map(|(name, default, _)| (*name, *default)).chain(required).collect();
        let config = read(&required).unwrap();
        assert_eq!(read(&defaults).unwrap(), config);
        assert_eq!((config.limits, config.log), (Limits::default(), Level::Warn));
        assert_eq!(config.postgres, postgres::Options::default());
        let help = Help.to_string();
        assert!(VARIABLES.iter().all(|(name, ..)| help.contains(name)));
    }

    #[test]
    fn addresses_are_a_list_and_a_port() {
        let listen = " 127.0.0.1:8081, [::1]:0,unix:/run/a.sock,";
        let config = read(&[("LISTEN", listen), ("HTTP_PORT", "1"), ("DATABASE", "a")]).unwrap();
        let texts: Vec<String> = config.listen.iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["127.0.0.1:8081", "[::1]:0", "unix:/run/a.sock", "127.0.0.1:1"]);
    }

    #[test]
    fn values_are_taken_and_wrong_ones_refused_by_name() {
        let good = [("HTTP_PORT", "1"), ("DATABASE", "a")];
        let limits = read(&[&good[..], &[("BODY_TIMEOUT_MS", "70"), ("IN_FLIGHT_MAX", "3")]].concat());
        let limits = limits.unwrap().limits;
        assert_eq!((limits.body_timeout, limits.in_flight_max), (Duration::from_millis(70), 3));
        for (name, value) in [
            ("HTTP_PORT", "x"),
            ("HTTP_PORT", "70000"),
            ("LISTEN", "localhost"),
            ("LISTEN", "unix:"),
            ("LOG", "loud"),
            ("HEAD_TIMEOUT_MS", "0"),
            ("IDLE_TIMEOUT_MS", "5s"),
            ("CONNECTIONS_MAX", "0"),
            ("BATCH_PAUSE_US", "2ms"),
        ] {
            let error = read(&[&[(name, value)], &good[..]].concat()).unwrap_err().to_string();
            assert!(error.contains(&format!("{name} is `{value}`")) && error.contains("\nhint: "), "{error}");
        }
        assert_eq!(read(&good[..1]), Err(ConfigError::Missing("DATABASE")));
        assert_eq!(read(&good[1..]), Err(ConfigError::Missing("LISTEN")));
    }
}
