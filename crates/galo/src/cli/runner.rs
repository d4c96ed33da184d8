//! How contenders are read and started, as clap reads it. What the words mean is told by [`crate::registry`].

use clap::{Args, ValueEnum};
use galo_plan::Runner;

const CONTENDERS: &str = "Contenders";

/// How contenders are read and started.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct RunnerArgs {
    /// How services are started: as processes, in containers (docker), or auto: as processes where the file says how, under
    /// x-galo, else in containers. One for all, or one for each contender: docker,process [default: auto]
    #[arg(long, value_name = "RUNNER", value_enum, value_delimiter = ',', hide_possible_values = true, help_heading = CONTENDERS)]
    pub(crate) runner: Vec<RunnerArg>,
    /// The challenge of files that name none: `pessoas`, `crebitos`, or the path of a file [default: pessoas, for containers that
    /// publish its port or have the machine's network]
    #[arg(long, value_name = "NAME|FILE", help_heading = CONTENDERS)]
    pub(crate) challenge: Option<String>,
    /// Give a file all that it asks of the engine, such as privileges and mounts from outside of its repository: it may do
    /// with this machine as it likes
    #[arg(long, help_heading = CONTENDERS)]
    pub(crate) trust: bool,
    /// Go on though a contender takes more than the budget; the report says so first
    #[arg(long, help_heading = CONTENDERS)]
    pub(crate) over_budget: bool,
}

/// One of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RunnerArg {
    Auto,
    Process,
    Docker,
}

impl RunnerArg {
    /// `None`: as the file says.
    pub(crate) const fn runner(self) -> Option<Runner> {
        match self {
            Self::Auto => None,
            Self::Process => Some(Runner::Process),
            Self::Docker => Some(Runner::Docker),
        }
    }
}

impl RunnerArgs {
    /// An option that says how something is started, if one is given: where nothing is, it would have no effect.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let all = [
            ("--runner", !self.runner.is_empty()),
            ("--trust", self.trust),
            ("--over-budget", self.over_budget),
        ];
        all.into_iter().find(|(_, is_given)| *is_given).map(|(option, _)| option)
    }
}
