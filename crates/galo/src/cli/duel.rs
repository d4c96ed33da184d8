//! The part of `galo fight` that is about commands and addresses. What the words mean is told by [`crate::duel`].

use std::path::PathBuf;

use clap::Args;

use super::RequestArgs;

/// Commands and addresses.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Commands and addresses")]
pub(crate) struct DuelArgs {
    /// Where each command listens; what fights are commands then. {port} in it and in the commands is a free port
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// A revision of the repository around; given twice, both fight by the same command, each in a work tree of its own
    #[arg(long, value_name = "REVISION")]
    pub(crate) git: Vec<String>,
    /// Run to its end where the commands run, before all else; of a revision once for all
    #[arg(long, value_name = "COMMAND")]
    pub(crate) build: Option<String>,
    /// Exit with 1 unless this may hold of the second side divided by the first, e.g. 'p99 ratio < 1.05'; also p50, rate,
    /// cpu, memory, and >; may be given several times
    #[arg(long = "assert", value_name = "EXPR")]
    pub(crate) assertions: Vec<String>,
    /// Name of a side, in their order [default: what tells them apart]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Vec<String>,
    /// CPU limit of each command, e.g. 0.5 [default: all cores but the one that galo needs]
    #[arg(long, value_name = "CPUS")]
    pub(crate) cpus: Option<String>,
    /// Memory limit of each command, e.g. 256MB [default: none]
    #[arg(long, value_name = "SIZE")]
    pub(crate) memory: Option<String>,
    /// Where commands run [default: here]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// A variable for the commands; they get PATH, HOME, LANG, PORT and these alone
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) env: Vec<String>,
    /// A command that is run to its end before each start of a side
    #[arg(long, value_name = "COMMAND")]
    pub(crate) before: Option<String>,
    /// ... and one after each end
    #[arg(long, value_name = "COMMAND")]
    pub(crate) after: Option<String>,
    /// Arrivals per second, e.g. 500 or 2k [default: half and 90 % of what the slower side reaches]
    #[arg(long, value_name = "R")]
    pub(crate) rate: Option<String>,
    /// Replay --requests (an access log or a HAR file) in its own order and at its own pace, this many times as fast
    #[arg(long, value_name = "FACTOR", value_parser = parse_factor)]
    pub(crate) pace: Option<f64>,
    /// Connections at most; where a side gives as much as it can, so many requests at once
    #[arg(long, short, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) connections: u32,
    /// Requests from a file in place of one: .jsonl, .har, .http, .curl, or .log (an access log), each as often as it stands
    /// there; of their addresses path and query count
    #[arg(long, value_name = "FILE", conflicts_with_all = ["method", "data", "data_a", "data_b"])]
    pub(crate) requests: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) request: RequestArgs,
    /// A header for the first side alone; with --header-b two variants of a request fight
    #[arg(long, value_name = "LINE")]
    pub(crate) header_a: Vec<String>,
    /// A header for the second side alone
    #[arg(long, value_name = "LINE")]
    pub(crate) header_b: Vec<String>,
    /// The body for the first side alone
    #[arg(long, value_name = "BODY", conflicts_with = "data")]
    pub(crate) data_a: Option<String>,
    /// The body for the second side alone
    #[arg(long, value_name = "BODY", conflicts_with = "data")]
    pub(crate) data_b: Option<String>,
    /// Values of {NAME} in the commands, e.g. workers=1,2,4: one command fights itself at the first value, two fight each
    /// other at each
    #[arg(long, value_name = "NAME=A,B,...", requires = "url", conflicts_with = "git")]
    pub(crate) param: Option<String>,
    /// A JSON pointer of what may differ between the two sides' answers, e.g. /time or /items/*/id
    #[arg(long, value_name = "POINTER")]
    pub(crate) ignore: Vec<String>,
    /// About how long all of it takes, e.g. 5m: turns are as long as that leaves room for [default: some 2 min]
    #[arg(long = "for", value_name = "TIME", conflicts_with_all = ["quick", "thorough"])]
    pub(crate) length: Option<String>,
    /// Under a minute in all
    #[arg(long, conflicts_with = "thorough")]
    pub(crate) quick: bool,
    /// Some nine minutes, with sixteen starts of each command, so that the luck of a start averages out
    #[arg(long)]
    pub(crate) thorough: bool,
    /// Drive a server on another machine by more than 100 requests per second
    #[arg(long)]
    pub(crate) yes: bool,
}

/// How many times as fast, e.g. `10` or `0.5`.
fn parse_factor(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|factor| (0.001..=1_000_000.0).contains(factor))
        .ok_or_else(|| "write a number from 0.001 to 1000000".to_owned())
}
