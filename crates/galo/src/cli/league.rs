//! `galo league` as clap reads it.

use std::path::PathBuf;

use clap::Args;

use super::{RunArgs, RunnerArgs, TELL, TrafficArgs, parse_percent};

const PASSES: &str = "Passes";

/// From a folder of entries to one ranking.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  galo league entries                  every folder with a Compose file
  galo league entries --only ana,bruno --passes 4
  galo league entries --profile official --crash --out edition-3
  galo league --resume edition-3       after a power cut
  galo league entries --json - | jq -r '.ranking[].name'

First each entry is started and checked once. Then come passes over all that
are in, in blocks of at most 12, each cut anew. After the third pass only those
are driven whose place is not decided yet.")]
pub(crate) struct LeagueArgs {
    /// Folders of entries, each a folder with a Compose file, at most four deep
    #[arg(value_name = "DIR", required_unless_present = "resume")]
    pub(crate) folders: Vec<PathBuf>,
    /// Only these entries, by name
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) only: Vec<String>,
    /// All but these entries, by name
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) skip: Vec<String>,
    #[command(flatten)]
    pub(crate) runners: RunnerArgs,
    #[command(flatten)]
    pub(crate) traffic: TrafficArgs,
    /// At most so many passes over the entries
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=100), help_heading = PASSES)]
    pub(crate) passes: u32,
    /// A difference that is as good as none, in percent: entries that are surely within it are not driven again for each other's sake
    #[arg(long, value_name = "PERCENT", default_value = "5", value_parser = parse_percent, help_heading = PASSES)]
    pub(crate) detect: f64,
    /// At the end, kill each entry that is still in under load, and see what it kept
    #[arg(long, help_heading = PASSES)]
    pub(crate) crash: bool,
    /// Go on with a league that was cut off, on its own terms: the check or block that was under way is driven anew
    #[arg(long, value_name = "RUN", help_heading = PASSES)]
    pub(crate) resume: Option<PathBuf>,
    #[command(flatten, next_help_heading = TELL)]
    pub(crate) run: RunArgs,
}
