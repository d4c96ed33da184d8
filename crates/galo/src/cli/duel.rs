//! `galo duel` as clap reads it. What the words mean is told by [`crate::duel`].

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use galo_plan::{Knob, Seed};

use super::{FormArgs, MetricsArgs, OutputArgs, ProgressArg, ReachArgs, RequestArgs, TlsArgs, parse_percent};

const EXAMPLES: &str = "\
Examples:
  galo duel --url http://127.0.0.1:{port}/ 'node a.js {port}' 'bun b.ts {port}'
  galo duel http://127.0.0.1:3000/ http://127.0.0.1:4000/ --quick
  galo duel --url http://127.0.0.1:3000/ --cpus 0.5 --memory 256MB \\
    'target/release/old' 'target/release/new' --thorough
  galo duel --git main --git HEAD --build 'cargo build --release' \\
    --url http://127.0.0.1:{port}/ 'target/release/app {port}' \\
    --assert 'p99 ratio < 1.05'
  galo duel --quick --url http://127.0.0.1:{port}/ --param workers=1,2,4 \\
    'WORKERS={workers} node a.js {port}'
  galo duel http://127.0.0.1:3000/ http://127.0.0.1:4000/ --requests access.log

Both sides stay up. They are driven in turns of a tenth of a second, and one
stands still while the other one is driven. A few times both are started afresh,
and the duel ends as soon as it is decided.

Exit codes: 0 done, 1 an --assert failed, 2 wrong use, 3 the duel is void, 4 a
command did not start, 5 galo failed, 6 an --assert was not measured (only with
--assert-strict), 130 interrupted.";

const SIDES: &str = "The two sides";
const TRAFFIC: &str = "What to send, and when";
const LENGTH: &str = "How long";
const TELL: &str = "What to tell";

/// Which of two commands, servers or revisions is better? Both stay up and are driven in turns.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DuelArgs {
    /// Two commands with --url, or two addresses; with --git one command, with --param one or two
    #[arg(value_name = "COMMAND|URL")]
    pub(crate) sides: Vec<String>,

    /// Where each command listens; {port} in it and in the commands is a free port
    #[arg(long, value_name = "URL", help_heading = SIDES)]
    pub(crate) url: Option<String>,
    /// A revision of the repository around; given twice, both fight by the same command, each in a work tree of its own. `.` is
    /// the work tree here as it is, with what is not committed
    #[arg(long, value_name = "REVISION", requires = "url", help_heading = SIDES)]
    pub(crate) git: Vec<String>,
    /// Values of {NAME} in the commands, e.g. workers=1,2,4 or workers=1..8/1: one command fights itself at the first setting, two fight
    /// each other at each. Several make all combinations
    #[arg(long, visible_alias = "sweep", value_name = "NAME=A,B,...", value_parser = Knob::parse, requires = "url", conflicts_with = "git", help_heading = SIDES)]
    pub(crate) param: Vec<Knob>,
    /// Name of a side, in their order [default: what tells them apart]
    #[arg(long, value_name = "NAME", help_heading = SIDES)]
    pub(crate) name: Vec<String>,
    /// A command that is run to its end before all else, where the commands run; in a revision only once
    #[arg(long, value_name = "COMMAND", help_heading = SIDES)]
    pub(crate) build: Option<String>,
    /// Where commands run [default: here]
    #[arg(long, value_name = "DIR", help_heading = SIDES)]
    pub(crate) cwd: Option<PathBuf>,
    /// A variable for the commands; they get PATH, HOME, LANG, PORT and these alone
    #[arg(long, value_name = "NAME=VALUE", help_heading = SIDES)]
    pub(crate) env: Vec<String>,
    /// A command that is run to its end before each start of a side
    #[arg(long, value_name = "COMMAND", help_heading = SIDES)]
    pub(crate) before: Option<String>,
    /// A command that is run to its end after each end of a side
    #[arg(long, value_name = "COMMAND", help_heading = SIDES)]
    pub(crate) after: Option<String>,
    /// CPU limit of each command, e.g. 0.5 [default: all cores but the one that galo needs]
    #[arg(long, value_name = "CPUS", help_heading = SIDES)]
    pub(crate) cpus: Option<String>,
    /// Memory limit of each command, e.g. 256MB [default: none]
    #[arg(long, value_name = "SIZE", help_heading = SIDES)]
    pub(crate) memory: Option<String>,
    /// Start commands without limits, as a control
    #[arg(long, conflicts_with_all = ["cpus", "memory"], help_heading = SIDES)]
    pub(crate) unlimited: bool,

    #[command(flatten, next_help_heading = TRAFFIC)]
    pub(crate) request: RequestArgs,
    /// A header for the first side alone; with --header-b two variants of a request fight
    #[arg(long, value_name = "LINE", help_heading = TRAFFIC)]
    pub(crate) header_a: Vec<String>,
    /// A header for the second side alone
    #[arg(long, value_name = "LINE", help_heading = TRAFFIC)]
    pub(crate) header_b: Vec<String>,
    /// The body for the first side alone
    #[arg(long, value_name = "BODY", conflicts_with = "data", help_heading = TRAFFIC)]
    pub(crate) data_a: Option<String>,
    /// The body for the second side alone
    #[arg(long, value_name = "BODY", conflicts_with = "data", help_heading = TRAFFIC)]
    pub(crate) data_b: Option<String>,
    /// Requests from a file in place of one: .har, .http, .curl, .jsonl, or an access log (also JSON, rotated), packed by gzip
    /// or not. Each is sent as it was, as often as it stands there, or left out, which is told; of a log GET, HEAD and OPTIONS
    #[arg(long, value_name = "FILE", conflicts_with_all = ["method", "data", "data_a", "data_b"], help_heading = TRAFFIC)]
    pub(crate) requests: Option<PathBuf>,
    /// Only requests of --requests to this host, with its port or without [default: the host with most of them]
    #[arg(long, value_name = "HOST", requires = "requests", help_heading = TRAFFIC)]
    pub(crate) host: Option<String>,
    /// Users who do several things one after another, as a file of scenarios or a challenge.toml says; --rate counts users
    #[arg(long, value_name = "FILE", conflicts_with_all = ["method", "data", "status", "data_a", "data_b", "requests"],
          help_heading = TRAFFIC)]
    pub(crate) scenario: Option<PathBuf>,
    /// Only the scenario of this name; may be given several times
    #[arg(long, value_name = "NAME", requires = "scenario", help_heading = TRAFFIC)]
    pub(crate) only: Vec<String>,
    /// Arrivals per second, e.g. 500 or 2k [default: half of what the slower side reaches, with --thorough also 90 %, then as much as it gives]
    #[arg(long, value_name = "R", conflicts_with_all = ["profile", "pace"], help_heading = TRAFFIC)]
    pub(crate) rate: Option<String>,
    /// Each turn is all phases of this file, one on each line, e.g. `ramp 10/s to 500/s over 20s`
    #[arg(long, value_name = "FILE", conflicts_with = "pace", help_heading = TRAFFIC)]
    pub(crate) profile: Option<PathBuf>,
    /// Replay --requests (an access log or a HAR file) in its own order and at its own pace, this many times as fast
    #[arg(long, value_name = "FACTOR", value_parser = parse_factor, requires = "requests", help_heading = TRAFFIC)]
    pub(crate) pace: Option<f64>,
    /// Connections at most; where a side gives as much as it can, so many requests at once
    #[arg(long, short, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=100_000),
          help_heading = TRAFFIC)]
    pub(crate) connections: u32,
    /// Seed of a run to be repeated, as its report tells it: same seed, same requests at the same offsets [default: drawn anew]
    #[arg(long, value_name = "SEED", help_heading = TRAFFIC)]
    pub(crate) seed: Option<Seed>,
    /// Threads of the load engine [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64), help_heading = TRAFFIC)]
    pub(crate) threads: Option<u16>,
    #[command(flatten, next_help_heading = TRAFFIC)]
    pub(crate) reach: ReachArgs,
    #[command(flatten, next_help_heading = TRAFFIC)]
    pub(crate) tls: TlsArgs,
    /// Drive a server on another machine by more than 100 requests per second
    #[arg(long, help_heading = TRAFFIC)]
    pub(crate) yes: bool,

    /// Half a minute at most, with up to four starts of each command
    #[arg(long, conflicts_with = "thorough", help_heading = LENGTH)]
    pub(crate) quick: bool,
    /// Up to eight minutes, so that small differences are found
    #[arg(long, help_heading = LENGTH)]
    pub(crate) thorough: bool,
    /// How long all of it may take, e.g. 5m; it ends as soon as it is decided [default: some 2 min 30 s]
    #[arg(long = "for", value_name = "TIME", conflicts_with_all = ["quick", "thorough", "profile", "pace"],
          help_heading = LENGTH)]
    pub(crate) length: Option<String>,
    /// One turn of each side after the other, each so long, in place of slices of a tenth of a second: for servers with timers of
    /// their own, which run on while they are frozen
    #[arg(long, value_name = "TIME", conflicts_with = "profile", help_heading = LENGTH)]
    pub(crate) turns: Option<String>,
    /// So many pairs of turns, whether or not it is decided before [default: up to 24; 8 with --quick, 96 with --thorough]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000), help_heading = LENGTH)]
    pub(crate) rounds: Option<u32>,

    /// A JSON pointer of what may differ between the two sides' answers, e.g. /time or /items/*/id
    #[arg(long, value_name = "POINTER", help_heading = TELL)]
    pub(crate) ignore: Vec<String>,
    /// The difference that should be found, in percent: the report says how many pairs that takes [default: 5]
    #[arg(long, value_name = "PERCENT", value_parser = parse_percent, help_heading = TELL)]
    pub(crate) detect: Option<f64>,
    /// Exit with 1 unless this may hold of the second side divided by the first, e.g. 'p99 ratio < 1.05'; also p50, rate,
    /// cpu, memory, and >; may be given several times
    #[arg(long = "assert", value_name = "EXPR", help_heading = TELL)]
    pub(crate) assertions: Vec<String>,
    /// Exit with 6 where what an --assert asks for was not measured, e.g. the CPU of a server that ran before
    #[arg(long, requires = "assertions", help_heading = TELL)]
    pub(crate) assert_strict: bool,
    /// Go on with a duel, or a scan, that was cut off, on its own terms: the pair that was under way is driven anew
    #[arg(long, value_name = "RUN", help_heading = LENGTH)]
    pub(crate) resume: Option<PathBuf>,

    /// Where the run goes [default: galo-runs/ and the time]
    #[arg(long, value_name = "DIR", help_heading = TELL)]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten, next_help_heading = TELL)]
    pub(crate) output: OutputArgs,
    #[command(flatten, next_help_heading = TELL)]
    pub(crate) form: FormArgs,
    #[command(flatten, next_help_heading = TELL)]
    pub(crate) metrics: MetricsArgs,
    /// What a terminal shows while it runs: one line that is redrawn, or lines that stay [default: line]
    #[arg(long, value_name = "HOW", value_parser = progress_parser(), help_heading = TELL)]
    pub(crate) progress: Option<ProgressArg>,
}

/// Of a duel there are no charts on the whole screen.
fn progress_parser() -> impl TypedValueParser<Value = ProgressArg> {
    let parse = |name: String| ProgressArg::from_str(&name, false);
    PossibleValuesParser::new(["line", "lines"]).try_map(parse)
}

/// How many times as fast, e.g. `10` or `0.5`.
fn parse_factor(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|factor| (0.001..=1_000_000.0).contains(factor))
        .ok_or_else(|| "write a number from 0.001 to 1000000".to_owned())
}
