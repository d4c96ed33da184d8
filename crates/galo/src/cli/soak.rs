//! `galo soak` as clap reads it.

use std::path::PathBuf;

use clap::Args;

use super::{RunArgs, RunnerArgs, SeedArgs, parse_scale};

/// How latency and memory drift under constant traffic for hours.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  galo soak contenders/pessoas/rust-sqlite --for 2h --scale 0.5
  galo soak mine --for 30m --json - | jq .latency_us_p99")]
pub(crate) struct SoakArgs {
    /// A Compose file, or a folder with one
    #[arg(value_name = "CONTENDER", required_unless_present = "resume")]
    pub(crate) contender: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) runners: RunnerArgs,
    /// How long
    #[arg(long = "for", value_name = "TIME", default_value = "2h")]
    pub(crate) length: String,
    /// Factor on the rate with which each scenario of the profile ends
    #[arg(long, value_name = "SCALE", default_value = "1", value_parser = parse_scale)]
    pub(crate) scale: u32,
    /// Shape of the traffic, by the challenge; its final rates are held
    #[arg(long, value_name = "NAME", default_value = "official")]
    pub(crate) profile: String,
    #[command(flatten)]
    pub(crate) drawn: SeedArgs,
    /// Drive a soak that was cut off anew, on its own terms, in its folder
    #[arg(long, value_name = "RUN")]
    pub(crate) resume: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}
