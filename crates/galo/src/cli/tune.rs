//! `galo tune` as clap reads it.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use galo_plan::Knob;
use galo_plan::tune::Objective;

use super::{RunArgs, RunnerArgs, SeedArgs, parse_scale};

const EXAMPLES: &str = "\
Examples:
  galo tune mine                                 30 minutes: CPU shares and x-galo.knobs
  galo tune mine --knob 'api*.env.POOL=2..100' --knob nginx.cpus=0.1..0.4
  galo tune mine --objective p99 --scale 0.5 --for 2h
  galo tune mine --json - | jq '.tries[.best].turns'
  galo tune --resume galo-runs/2026-11-29T10-00-00

It begins at the setting of the file. What a request costs each service there
gives the first split of the CPU; then settings are tried where most is
expected, never over the budget. At the end the best fights the start, and what
to paste into the Compose file is printed.";

/// The best setting of a contender: shares of the CPU and knobs, found by trying.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct TuneArgs {
    /// A Compose file, or a folder with one
    #[arg(value_name = "CONTENDER", required_unless_present = "resume")]
    pub(crate) contender: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) runners: RunnerArgs,
    /// Turn this too, or within these bounds: LOW..HIGH, or A,B,C. KNOB is one that the file declares under x-galo.knobs, or a place of it
    /// (db.memory, 'api*.env.POOL', db.arg.max_connections); SERVICE.cpus bounds that service's share
    #[arg(long, value_name = "KNOB=RANGE", value_parser = Knob::parse)]
    pub(crate) knob: Vec<Knob>,
    /// Leave the shares of CPU as the file says
    #[arg(long)]
    pub(crate) no_shares: bool,
    /// What is best: the highest scale, or the least CPU or p99 at --scale
    #[arg(long, value_name = "OBJECTIVE", value_enum, default_value = "scale")]
    pub(crate) objective: ObjectiveArg,
    /// Begin no further try after so long; the fight at the end comes on top
    #[arg(long = "for", value_name = "TIME", default_value = "30m")]
    pub(crate) for_so_long: String,
    /// At most so many tries, the start included
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u32).range(2..=500))]
    pub(crate) tries: u32,
    /// Shape of the traffic, by the challenge; for the highest scale its final rates are held
    #[arg(long, value_name = "NAME", default_value = "quick")]
    pub(crate) profile: String,
    /// Factor on every arrival rate, for the objectives cpu and p99
    #[arg(long, value_name = "FACTOR", default_value = "1", value_parser = parse_scale)]
    pub(crate) scale: u32,
    /// What a hold must meet, for the highest scale: figures as for `galo load --assert`
    #[arg(long, value_name = "CRITERION", default_value = "p99<100ms,errors==0")]
    pub(crate) slo: String,
    /// Length of a hold, for the highest scale
    #[arg(long, value_name = "TIME", default_value = "10s")]
    pub(crate) hold: String,
    #[command(flatten)]
    pub(crate) drawn: SeedArgs,
    /// Go on with a search that was cut off, on its own terms: the try that was under way is driven anew
    #[arg(long, value_name = "RUN")]
    pub(crate) resume: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// What is best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ObjectiveArg {
    // The highest scale that is held
    Scale,
    // The least CPU for each right answer
    Cpu,
    // The least p99
    P99,
}

impl From<ObjectiveArg> for Objective {
    fn from(objective: ObjectiveArg) -> Self {
        match objective {
            ObjectiveArg::Scale => Self::Scale,
            ObjectiveArg::Cpu => Self::Cpu,
            ObjectiveArg::P99 => Self::P99,
        }
    }
}
