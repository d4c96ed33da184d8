//! What was written on the command line.

use std::path::PathBuf;

use galo_plan::RequestOptions;

/// What was written. [`Default`] has the values of options that are left out; it lacks only somebody to fight.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Commands that serve, or addresses, which are only checked.
    pub operands: Vec<String>,
    /// Where each command listens, and what is asked; `{port}` in it and in the commands is [`Options::port`].
    pub url: Option<String>,
    /// What `{port}` stands for. `None`: 8080.
    pub port: Option<u16>,
    /// Where the files go.
    pub out: PathBuf,
    /// A description of the API: OpenAPI 3.0 or 3.1, JSON or YAML.
    pub from_openapi: Option<PathBuf>,
    /// A recording of requests.
    pub requests: Option<PathBuf>,
    /// The host whose requests of the recording count. `None`: the one with most of them.
    pub host: Option<String>,
    /// Arrivals per second that the traffic climbs to, e.g. `500` or `2k`.
    pub rate: String,
    /// The one request, or what goes with every request of a recording or a description. Its addresses do not count.
    pub request: RequestOptions,
    /// CPU that a contender may use, e.g. `0.5`.
    pub cpus: String,
    /// Memory that a contender may use, e.g. `512MB`.
    pub memory: String,
    /// Names of contenders, in the order of the commands. Empty: what tells them apart.
    pub names: Vec<String>,
    /// Where commands run.
    pub cwd: PathBuf,
    /// Variables for the commands, `NAME=VALUE`.
    pub env: Vec<String>,
    /// Run to its end where the commands run, once before the first round.
    pub build: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            operands: Vec::new(),
            url: None,
            port: None,
            out: PathBuf::from("galo-fight"),
            from_openapi: None,
            requests: None,
            host: None,
            rate: "100".to_owned(),
            request: RequestOptions::default(),
            cpus: "1".to_owned(),
            memory: "512MB".to_owned(),
            names: Vec::new(),
            cwd: PathBuf::from("."),
            env: Vec::new(),
            build: None,
        }
    }
}
