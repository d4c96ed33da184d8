//! `galo limit` as clap reads it. What the words mean is told by [`crate::limit`].

use std::path::PathBuf;

use clap::Args;

use super::{RunArgs, RunnerArgs, SeedArgs, SweepArgs, parse_scale};

const EXAMPLES: &str = "\
Examples:
  galo limit contenders/pessoas/rust-sqlite       some ten holds of 30 s
  galo limit mine --slo 'p99<800ms,errors<0.1%'
  galo limit mine --start 8 --at-least 10         exit code 1 below scale 10
  galo limit mine --hold 10s --confirm 30s --ratio 1.25   rougher and sooner
  galo limit mine --sweep db.cpus=0.2..0.8/0.2
  galo limit mine --json - | jq '.scale_milli, .held_up'

A hold at scale S: every scenario of the profile at the rate with which it ends,
times S, constant. Before it the contender is given as many people as it would
have at the end of the whole profile at that scale. It is met if the service
level holds over the compared scenarios, every service is alive, and the count
grew by what was acknowledged.

Exit codes: 0 done, 1 less than --at-least, 2 wrong use, 3 galo or its machine
was the limit, 4 the contender did not start, 5 galo failed, 130 interrupted
(the report is of what was known then; --resume goes on).";

/// The highest scale that a contender holds under a service level, confirmed by a longer hold.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct LimitArgs {
    /// A Compose file, or a folder with one
    #[arg(value_name = "CONTENDER", required_unless_present = "resume")]
    pub(crate) contender: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) runners: RunnerArgs,
    #[command(flatten)]
    pub(crate) sweep: SweepArgs,
    /// What a hold must meet: figures as for `galo load --assert`
    #[arg(long, value_name = "CRITERION", default_value = "p99<100ms,errors==0")]
    pub(crate) slo: String,
    /// Shape of the traffic, by the challenge; its final rates are held
    #[arg(long, value_name = "NAME", default_value = "official")]
    pub(crate) profile: String,
    /// The first scale to be tried
    #[arg(long, value_name = "SCALE", default_value = "1", value_parser = parse_scale)]
    pub(crate) start: u32,
    /// Nothing above this is tried
    #[arg(long, value_name = "SCALE", default_value = "100", value_parser = parse_scale)]
    pub(crate) max: u32,
    /// Length of a hold
    #[arg(long, value_name = "TIME", default_value = "30s")]
    pub(crate) hold: String,
    /// Length of a hold that confirms
    #[arg(long, value_name = "TIME", default_value = "90s")]
    pub(crate) confirm: String,
    /// Search until a scale that is not held is at most this many times one that is held
    #[arg(long, value_name = "RATIO", default_value = "1.1", value_parser = parse_ratio)]
    pub(crate) ratio: f64,
    /// Create nobody before a hold
    #[arg(long)]
    pub(crate) no_preload: bool,
    /// Exit with 1 unless a hold confirms this scale
    #[arg(long, value_name = "SCALE", value_parser = parse_scale, conflicts_with = "sweep")]
    pub(crate) at_least: Option<u32>,
    #[command(flatten)]
    pub(crate) drawn: SeedArgs,
    /// Go on with a search that was cut off, on its own terms: the hold that was under way is driven anew
    #[arg(long, value_name = "RUN")]
    pub(crate) resume: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// A ratio such as `1.1`.
fn parse_ratio(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|ratio| (1.01..=2.0).contains(ratio))
        .ok_or_else(|| "write a number from 1.01 to 2".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_leaves_room_between_what_is_held_and_what_is_not() {
        assert_eq!(parse_ratio("1.1"), Ok(1.1));
        for wrong in ["1", "0.9", "2.1", "NaN", "1,1"] {
            assert!(parse_ratio(wrong).is_err(), "{wrong}");
        }
    }
}
