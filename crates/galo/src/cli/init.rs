//! The options of `galo init`.

use std::path::PathBuf;

use clap::Args;

use super::RequestArgs;

const EXAMPLES: &str = "\
Examples:
  galo init --url 'http://127.0.0.1:{port}/' 'node a.js {port}' 'app {port}'
  galo init --url 'http://127.0.0.1:{port}/' 'app {port}' --requests a.log
  galo init --from-openapi openapi.yaml 'node a.js {port}' --out shop
  galo init --from-openapi openapi.yaml http://127.0.0.1:3000/
  galo init --contender go mine

The line that begins with `next:` is the command to go on with, e.g.
  galo fight galo-fight/a galo-fight/b";

/// Files of a fight: a challenge, and a Compose file for each command.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct InitArgs {
    /// Commands that serve, with --url or --from-openapi; or addresses, which are only checked; or a folder, with --contender
    #[arg(value_name = "COMMAND|URL|DIR")]
    pub(crate) operands: Vec<String>,
    /// Where each command listens, and what is asked; {port} in it and in the commands is the port that all share
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// What {port} stands for [default: 8080]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) port: Option<u16>,
    /// Where the files go
    #[arg(long, value_name = "DIR", default_value = "galo-fight")]
    pub(crate) out: PathBuf,
    /// Scenarios and cases of conformance from a description of the API: OpenAPI 3.0 or 3.1, JSON or YAML
    #[arg(long, value_name = "FILE", conflicts_with_all = ["requests", "method", "data", "status"])]
    pub(crate) from_openapi: Option<PathBuf>,
    /// One of galo's own contenders to begin with, by its name or language, with all that it needs
    #[arg(long, value_name = "NAME", conflicts_with_all = ["url", "port", "from_openapi", "requests", "host", "name", "env", "build"])]
    pub(crate) contender: Option<String>,
    /// Requests from a file: .har, .http, .curl, .jsonl, or an access log (also JSON, rotated), packed by gzip or not; each a
    /// scenario with its share of the rate, sent as it was, or left out, which is told
    #[arg(long, value_name = "FILE", conflicts_with_all = ["method", "data"])]
    pub(crate) requests: Option<PathBuf>,
    /// Only requests of --requests to this host, with its port or without [default: the host with most of them]
    #[arg(long, value_name = "HOST", requires = "requests")]
    pub(crate) host: Option<String>,
    /// Arrivals per second that the traffic climbs to, e.g. 500 or 2k
    #[arg(long, value_name = "R", default_value = "100")]
    pub(crate) rate: String,
    #[command(flatten)]
    pub(crate) request: RequestArgs,
    /// CPU that a contender may use
    #[arg(long, value_name = "CPUS", default_value = "1")]
    pub(crate) cpus: String,
    /// Memory that a contender may use
    #[arg(long, value_name = "SIZE", default_value = "512MB")]
    pub(crate) memory: String,
    /// Name of a contender, in the order of the commands [default: what tells them apart]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Vec<String>,
    /// Where commands run [default: here]
    #[arg(long, value_name = "DIR", default_value = ".", hide_default_value = true)]
    pub(crate) cwd: PathBuf,
    /// A variable for the commands; they get PATH, HOME, LANG, PORT and these alone
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) env: Vec<String>,
    /// Run to its end where the commands run, once before the first round
    #[arg(long, value_name = "COMMAND")]
    pub(crate) build: Option<String>,
}
