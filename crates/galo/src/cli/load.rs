//! `galo load` as clap reads it. What the words mean is told by [`crate::load`].

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use galo_plan::Knob;

use super::{FormArgs, MetricsArgs, OutputArgs, ProgressArgs, ReachArgs, StyleArgs, TlsArgs};

const EXAMPLES: &str = "\
Examples:
  galo load http://localhost:8080/                          64 at once for 10 s
  galo load http://localhost:8080/ -c 200 -n 100000         so many requests
  galo load http://localhost:8080/ --rate 50k -d 30s        a fixed arrival rate
  galo load http://localhost:8080/ --poisson \\
    --inject 'ramp 1/s to 2000/s over 30s' --inject '2000/s for 30s'
  galo load http://localhost:8080/ --rate 1000 --rate-step 1000 \\
    --rate-max 25000 --step 1m                              steps of the rate
  galo load http://localhost:8080/ --max-under 'p99<10ms,errors<0.1%'
  galo load http://localhost:8080/ --sweep connections=1,8,64 -d 5s
  galo load http://localhost:8080/users --data '{{\"name\":\"{name}\"}}' \\
    -H 'Content-Type: application/json' --feed users.csv --status 201
  galo load http://localhost:8080/ --scenario shop.toml --rate 50 -d 1m
  galo load http://localhost:8080/a http://localhost:8080/b \\
    --rate 500 --assert 'p99<50ms' --assert errors==0 --json - | jq .latency

Closed loop: each of -c connections sends its next request when the last one is
answered. Open model, with any of --rate, --inject, --rate-step, --max-under:
requests fall due whatever the server does; one that finds all connections busy
waits, and its latency counts that.

Exit codes: 0 done, 1 an --assert was not met, 2 wrong use, 3 the run is void
(galo itself or its machine spoiled it; --force only marks it), 4 nobody
answered, 5 galo failed, 130 interrupted (the report is of what was done).";

/// The load engine by itself, at any URL: closed loop, fixed rate, ramps, steps, the highest rate.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct LoadArgs {
    /// Addresses; several are asked in turn
    #[arg(value_name = "URL", required = true)]
    pub(crate) urls: Vec<String>,
    #[command(flatten)]
    pub(crate) amount: AmountArgs,
    #[command(flatten)]
    pub(crate) request: RequestArgs,
    #[command(flatten)]
    pub(crate) right: RightArgs,
    #[command(flatten)]
    pub(crate) way: WayArgs,
    #[command(flatten)]
    pub(crate) sweep: LoadSweepArgs,
    #[command(flatten)]
    pub(crate) engine: EngineArgs,
    #[command(flatten)]
    pub(crate) tell: TellArgs,
}

/// How many requests, and when.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "How much")]
pub(crate) struct AmountArgs {
    /// Connections at most [default: 64; 512 in the open model]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) connections: Option<u32>,
    /// How long, e.g. 30s or 2m [default: 10s]; with --max-under the length of a hold
    #[arg(short = 'd', long = "for", alias = "duration", value_name = "TIME", conflicts_with = "inject")]
    pub(crate) duration: Option<String>,
    /// This many requests instead, in a closed loop or at a --rate
    #[arg(short = 'n', long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..),
          conflicts_with_all = ["inject", "rate_step", "max_under", "poisson"])]
    pub(crate) requests: Option<u64>,
    /// Open model: arrivals per second, e.g. 50000, 50k or 600/m
    #[arg(long, value_name = "R", conflicts_with = "inject")]
    pub(crate) rate: Option<String>,
    /// A phase, e.g. '5/s for 10s' or 'ramp 6/s to 600/s over 3m'; may be given several times
    #[arg(long, value_name = "PHASE", conflicts_with_all = ["rate_step", "max_under"])]
    pub(crate) inject: Vec<String>,
    /// Raise the rate by this, from --rate (or from this) up to --rate-max; each step is a load of its own
    #[arg(long, value_name = "R", requires = "rate_max", conflicts_with_all = ["max_under", "duration"])]
    pub(crate) rate_step: Option<String>,
    /// The highest rate of the steps, or that --max-under tries
    #[arg(long, value_name = "R")]
    pub(crate) rate_max: Option<String>,
    /// Length of each step [default: 10s]
    #[arg(long, value_name = "TIME", requires = "rate_step")]
    pub(crate) step: Option<String>,
    /// How often the last step is driven [default: 1]
    #[arg(long, value_name = "N", requires = "rate_step", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) max_steps: Option<u32>,
    /// Look for the highest rate that meets this, e.g. 'p99<10ms,errors<0.1%', and hold it; begins at --rate
    #[arg(long, value_name = "CRITERION", conflicts_with_all = ["prometheus", "push_gateway"])]
    pub(crate) max_under: Option<String>,
    /// Open model: arrivals of a Poisson process instead of evenly spaced ones
    #[arg(long)]
    pub(crate) poisson: bool,
    /// Which of several addresses a request goes to
    #[arg(long, value_name = "HOW", value_enum, default_value_t = PickArg::Turn)]
    pub(crate) pick: PickArg,
    /// Seed of all that is drawn: same seed, same requests at the same offsets
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
}

/// What the file says of each step, and searches for rates, which are of requests.
const NOT_WITH_SCENARIOS: [&str; 12] = [
    "method",
    "header_any",
    "data",
    "template",
    "feed",
    "status",
    "expect_body",
    "expect_json",
    "expect_header",
    "connection",
    "rate_step",
    "max_under",
];

/// What is sent.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "What to send")]
pub(crate) struct RequestArgs {
    /// Users who do several things one after another, as a file of scenarios or a challenge.toml says: -c are users at once,
    /// --rate, --inject and -n count users
    #[arg(long, value_name = "FILE", conflicts_with_all = NOT_WITH_SCENARIOS)]
    pub(crate) scenario: Option<PathBuf>,
    /// Only the scenario of this name; may be given several times
    #[arg(long, value_name = "NAME", requires = "scenario")]
    pub(crate) only: Vec<String>,
    /// Method [default: GET, or POST with --data]
    #[arg(short = 'X', long, alias = "request", value_name = "METHOD")]
    pub(crate) method: Option<String>,
    /// A header line `Name: value`; may be given several times. `Connection: close` is --connection per-request, `Host`
    /// also names the certificate
    #[arg(short = 'H', long, value_name = "LINE")]
    pub(crate) header: Vec<String>,
    /// A header `Name: one|two` of which each request sends one value, drawn by seed
    #[arg(long, value_name = "LINE")]
    pub(crate) header_any: Vec<String>,
    /// Body: a text, @FILE, random:64k, base64:AAEC, or text:... for a text that begins like one of these
    #[arg(long, alias = "body", value_name = "BODY")]
    pub(crate) data: Option<String>,
    /// Fill in {seq}, {uuid} and {random:1:100} in the address, headers and body; {{ and }} are braces. Values are
    /// percent-encoded in an address and in a form, and escaped between the quotes of a JSON body
    #[arg(long)]
    pub(crate) template: bool,
    /// Rows (.csv, .tsv, .jsonl) whose columns are filled in by name, as with --template
    #[arg(long, value_name = "FILE")]
    pub(crate) feed: Option<PathBuf>,
    /// Which row a request takes
    #[arg(long, value_name = "HOW", value_enum, default_value_t = PickArg::Turn, requires = "feed")]
    pub(crate) feed_pick: PickArg,
}

/// What a right answer is.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "What is right")]
pub(crate) struct RightArgs {
    /// Statuses that are right, e.g. 200,404,3xx [default: every 2xx and 3xx]
    #[arg(long, value_name = "STATUSES")]
    pub(crate) status: Option<String>,
    /// Statuses that end the load, e.g. 429,5xx
    #[arg(long, value_name = "STATUSES")]
    pub(crate) stop_on: Option<String>,
    /// A text that every body holds; may be given several times, as all of these
    #[arg(long, value_name = "TEXT")]
    pub(crate) expect_body: Vec<String>,
    /// A value that every body has at a JSON pointer, e.g. '/items/0/id = 3'
    #[arg(long, value_name = "CHECK")]
    pub(crate) expect_json: Vec<String>,
    /// A header that every answer has, e.g. 'Content-Type ~ json' (~ for a part of the value)
    #[arg(long, value_name = "CHECK")]
    pub(crate) expect_header: Vec<String>,
    /// Bound for an answer [default: 10s, or what the file of --scenario says]
    #[arg(long, value_name = "TIME")]
    pub(crate) timeout: Option<String>,
    /// Bound for connecting [default: that of --timeout]
    #[arg(long, value_name = "TIME")]
    pub(crate) connect_timeout: Option<String>,
}

/// How requests travel.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "How it travels")]
pub(crate) struct WayArgs {
    /// Which connection a request takes: any that is free, or a new one for each
    #[arg(long, value_name = "WHICH", value_enum, default_value_t = ConnectionArg::Shared)]
    pub(crate) connection: ConnectionArg,
    /// HTTP/1.1: the default
    #[arg(long = "http1.1", group = "protocol")]
    pub(crate) http1: bool,
    /// HTTP/2: by ALPN over TLS, by prior knowledge without
    #[arg(long, group = "protocol")]
    pub(crate) http2: bool,
    /// Requests at once on each connection (HTTP/2) [default: 1 in a closed loop, else 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) streams: Option<u32>,
    #[command(flatten)]
    pub(crate) tls: TlsArgs,
    /// Connect to this Unix socket, whatever the address says
    #[arg(long, value_name = "PATH", conflicts_with = "proxy")]
    pub(crate) unix_socket: Option<PathBuf>,
    /// Tunnel every connection through this HTTP proxy, e.g. http://user:password@proxy:3128
    #[arg(long, value_name = "URL")]
    pub(crate) proxy: Option<String>,
    #[command(flatten)]
    pub(crate) reach: ReachArgs,
}

/// Loads at several settings.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Settings")]
pub(crate) struct LoadSweepArgs {
    /// Drive a load at each of these values, A,B,C or LOW..HIGH/STEP, in drawn order; several knobs are turned through all combinations.
    /// KNOB is an option of this command: connections, rate, streams, connection, data or threads
    #[arg(long, value_name = "KNOB=VALUES", value_parser = Knob::parse,
          conflicts_with_all = ["inject", "rate_step", "max_under", "assertions", "csv", "hdr", "prometheus", "push_gateway"])]
    pub(crate) sweep: Vec<Knob>,
    /// How often each setting is driven
    #[arg(long, value_name = "N", requires = "sweep", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) rounds: u32,
    /// Drive as many loads as there are, however long that takes
    #[arg(long, requires = "sweep")]
    pub(crate) yes: bool,
}

/// How galo itself works.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "galo itself")]
pub(crate) struct EngineArgs {
    /// Threads of the load engine: one does as much as most servers on the same machine, and every further one takes a
    /// core from them
    #[arg(short, long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) threads: u16,
    /// Stay awake for the last microseconds before a request falls due: more punctual, takes a core
    #[arg(long)]
    pub(crate) spin: bool,
    /// Which of the kernel's interfaces to use
    #[arg(long, value_name = "WHICH", value_enum, default_value_t = BackendArg::Auto)]
    pub(crate) backend: BackendArg,
    /// Mark a void run, but exit as if it were not void
    #[arg(long)]
    pub(crate) force: bool,
}

/// Where results go.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "What to tell")]
pub(crate) struct TellArgs {
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) progress: ProgressArgs,
    #[command(flatten)]
    pub(crate) form: FormArgs,
    #[command(flatten)]
    pub(crate) style: StyleArgs,
    /// Exit with 1 unless this holds, e.g. 'p99<50ms', 'errors<0.1%', 'rate>=49900', 'service.p50<1ms', 'lag.p99<1ms';
    /// may be given several times
    #[arg(long = "assert", value_name = "EXPR")]
    pub(crate) assertions: Vec<String>,
    /// Write a row for every second as CSV
    #[arg(long, value_name = "FILE", conflicts_with = "max_under")]
    pub(crate) csv: Option<PathBuf>,
    /// Write the latencies of every second as an HdrHistogram log (V2), with the tags intended and service
    #[arg(long, value_name = "FILE", conflicts_with = "max_under")]
    pub(crate) hdr: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) metrics: MetricsArgs,
}

/// How one of several is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PickArg {
    // One after another
    Turn,
    // Drawn by seed
    Random,
}

/// Which connection a request takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ConnectionArg {
    // Any that is free
    Shared,
    // A new one for every request
    PerRequest,
}

/// Which of the kernel's interfaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum BackendArg {
    // io_uring, or epoll where the kernel has or allows none
    Auto,
    // io_uring or nothing
    #[value(name = "io_uring")]
    IoUring,
    // epoll
    Epoll,
}
