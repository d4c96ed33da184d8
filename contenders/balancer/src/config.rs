//! What the environment says.

use std::env;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

/// The configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Config {
    /// `LISTEN`, by default 127.0.0.1:9999.
    pub(crate) listen: SocketAddr,
    /// `UPSTREAMS`: one or more addresses, separated by commas.
    pub(crate) upstreams: Vec<SocketAddr>,
    /// `UPSTREAM_TIMEOUT_MS`: until the head of an answer, by default 30,000.
    pub(crate) timeout: Duration,
}

/// Why the balancer cannot run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// Nowhere to send requests.
    #[error(
        "environment: UPSTREAMS names no address\nhint: run with UPSTREAMS=127.0.0.1:8081,127.0.0.1:8082"
    )]
    NoUpstreams,
    /// A value that cannot be read.
    #[error("environment: {name} has `{value}`, which is no {wanted}\nhint: for example {name}={example}")]
    Value { name: &'static str, value: String, wanted: &'static str, example: &'static str },
    /// The address cannot be listened on.
    #[error("address `{address}`: {error}\nhint: choose a free one with LISTEN")]
    Listen { address: SocketAddr, error: io::Error },
    /// Anything else that the system refuses.
    #[error("runtime: {0}")]
    Io(#[from] io::Error),
}

impl Config {
    /// Reads the process's environment.
    pub(crate) fn from_environment() -> Result<Self, Error> {
        Self::parse(|name| env::var(name).ok())
    }

    fn parse(variable: impl Fn(&str) -> Option<String>) -> Result<Self, Error> {
        let address = |name, value: &str, example| {
            let wrong =
                |_| Error::Value { name, value: value.to_owned(), wanted: "address with a port", example };
            value.trim().parse::<SocketAddr>().map_err(wrong)
        };
        let listen = variable("LISTEN").unwrap_or_else(|| "127.0.0.1:9999".to_owned());
        let upstreams = variable("UPSTREAMS").unwrap_or_default();
        let timeout_ms = variable("UPSTREAM_TIMEOUT_MS").unwrap_or_else(|| "30000".to_owned());
        let upstreams = upstreams
            .split(',')
            .filter(|part| !part.trim().is_empty())
            .map(|part| address("UPSTREAMS", part, "127.0.0.1:8081,127.0.0.1:8082"))
            .collect::<Result<Vec<_>, _>>()?;
        if upstreams.is_empty() {
            return Err(Error::NoUpstreams);
        }
        let timeout_ms: u64 = timeout_ms.parse().map_err(|_| Error::Value {
            name: "UPSTREAM_TIMEOUT_MS",
            value: timeout_ms,
            wanted: "number of milliseconds",
            example: "30000",
        })?;
        Ok(Self {
            listen: address("LISTEN", &listen, "127.0.0.1:9999")?,
            upstreams,
            timeout: Duration::from_millis(timeout_ms),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Config;

    fn parse(pairs: &[(&str, &str)]) -> Result<Config, String> {
        Config::parse(|name| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn upstreams_are_separated_by_commas_and_the_rest_has_defaults() {
        let config = parse(&[("UPSTREAMS", "127.0.0.1:1, 127.0.0.1:2,")]).unwrap();
        assert_eq!(config.upstreams, ["127.0.0.1:1".parse().unwrap(), "127.0.0.1:2".parse().unwrap()]);
        assert_eq!(config.listen, "127.0.0.1:9999".parse().unwrap());
        assert_eq!(config.timeout.as_secs(), 30);
    }

    #[test]
    fn a_wrong_value_is_named_with_an_example() {
        assert!(parse(&[]).unwrap_err().contains("UPSTREAMS names no address"));
        let error = parse(&[("UPSTREAMS", "api1")]).unwrap_err();
        assert!(error.contains("UPSTREAMS has `api1`") && error.contains("hint: "), "{error}");
        let error = parse(&[("UPSTREAMS", "127.0.0.1:1"), ("UPSTREAM_TIMEOUT_MS", "soon")]).unwrap_err();
        assert!(error.contains("UPSTREAM_TIMEOUT_MS has `soon`"), "{error}");
    }
}
