//! `galo league` as clap reads it.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use galo_plan::{Knob, LimitTerms};

use super::{FormArgs, OutputArgs, ProgressArgs, RunArgs, RunnerArgs, TELL, TrafficArgs, parse_percent};

const PASSES: &str = "Passes";

/// From a folder of entries to one ranking.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true,
    after_help = "\
Examples:
  galo league entries                  every folder with a Compose file
  galo league entries --only ana,bruno --passes 4
  galo league entries --profile official --limit --crash --out edition-3
  galo league entries --for 8h         then --resume: the next night
  galo league --resume edition-3       after a power cut
  galo league entries --slurm '--partition bench --time 2:00:00'
  galo league entries --json - | jq -r '.ranking[].name'

First each entry is started and checked once. Then come passes over all that
are in, in blocks of at most 12, each cut anew. After the third pass only those
are driven whose place is not decided yet.

Several machines share a league by Slurm, or by whatever starts `galo league
run` on each: see galo league run --help"
)]
pub(crate) struct LeagueArgs {
    #[command(subcommand)]
    pub(crate) part: Option<LeaguePart>,
    #[command(flatten)]
    pub(crate) terms: LeagueTerms,
    /// Drive checks and blocks on the machines of Slurm, as array jobs that are submitted with these options of sbatch (or with none:
    /// ''). All machines see the entries, the run and this galo by the same paths
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true, help_heading = PASSES)]
    pub(crate) slurm: Option<String>,
    /// Begin no check or block after so long, and tell the ranking so far; --resume goes on
    #[arg(long = "for", value_name = "TIME", help_heading = PASSES)]
    pub(crate) for_so_long: Option<String>,
    /// Go on with a league that was cut off, on its own terms: the check or block that was under way is driven anew
    #[arg(long, value_name = "RUN", help_heading = PASSES)]
    pub(crate) resume: Option<PathBuf>,
    #[command(flatten, next_help_heading = TELL)]
    pub(crate) run: RunArgs,
}

/// Who takes part in a league, and how its passes are driven.
#[derive(Debug, Clone, Args)]
pub(crate) struct LeagueTerms {
    /// Folders of entries, each a folder with a Compose file, at most four deep
    #[arg(value_name = "DIR")]
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
    #[command(flatten)]
    pub(crate) sweep: SweepArgs,
    /// At most so many passes over the entries
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=100), help_heading = PASSES)]
    pub(crate) passes: u32,
    /// A difference that is as good as none, in percent: entries that are surely within it are not driven again for each other's sake
    #[arg(long, value_name = "PERCENT", default_value = "5", value_parser = parse_percent, help_heading = PASSES)]
    pub(crate) detect: f64,
    /// After the passes, search for the highest scale of each entry that is still in, as `galo limit` does by holds of this length
    #[arg(long, value_name = "HOLD", num_args = 0..=1, require_equals = true, default_missing_value = "30s", help_heading = PASSES)]
    pub(crate) limit: Option<String>,
    /// At the end, kill each entry that is still in under load, and see what it kept
    #[arg(long, help_heading = PASSES)]
    pub(crate) crash: bool,
    /// Set by `galo fight --sweep` and `galo limit --sweep`: the folders are contenders, and one that cannot be read ends it.
    #[arg(skip)]
    pub(crate) few: Option<Few>,
}

/// A sweep that `galo fight` or `galo limit` asks for.
#[derive(Debug, Clone)]
pub(crate) struct Few {
    /// How the highest scale of each setting is searched for, instead of rounds.
    pub(crate) limits: Option<LimitTerms>,
}

/// Contenders at several settings.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Settings")]
pub(crate) struct SweepArgs {
    /// Turn a knob through these values, A,B,C or LOW..HIGH/STEP; several are turned through all combinations. KNOB is a name that the Compose file
    /// declares under x-galo.knobs, a place of it (db.cpus, db.memory, 'api*.env.POOL', db.arg.max_connections), or profile or scale
    #[arg(long, value_name = "KNOB=VALUES", value_parser = Knob::parse)]
    pub(crate) sweep: Vec<Knob>,
    /// Sweep through as many settings as there are, however long that takes
    #[arg(long, requires = "sweep")]
    pub(crate) yes: bool,
}

/// A part of a league that several machines share.
#[derive(Debug, Subcommand)]
pub(crate) enum LeaguePart {
    /// Plan a league, and drive nothing: machines that see its folder share it by `run` and `gather`
    #[command(after_help = "\
Example, on three machines that share /srv and are reached by ssh:
  galo league plan /srv/entries --out /srv/edition-3
  while due=$(galo league gather /srv/edition-3 --due) && [ -n \"$due\" ]; do
    parallel --sshlogin a,b,c --jobs 1 --retries 3 \\
      galo league run /srv/edition-3 --index ::: $due || break
  done
  galo league gather /srv/edition-3")]
    Plan {
        #[command(flatten)]
        terms: Box<LeagueTerms>,
        /// Where the league goes: a folder that all machines see by this path
        #[arg(long, value_name = "LEAGUE")]
        out: PathBuf,
        /// Say nothing of what will be driven
        #[arg(long, short)]
        quiet: bool,
    },
    /// Drive one check or block of a planned league on this machine, alone
    #[command(after_help = "\
Examples:
  galo league run /srv/edition-3 --index 7
  galo league run /srv/edition-3 --index $((FIRST + SLURM_ARRAY_TASK_ID))

It counts once, however often it is driven: the first that is over does.")]
    Run {
        /// The league's folder
        #[arg(value_name = "LEAGUE")]
        league: PathBuf,
        /// Which, by its number, of those that `gather --due` prints
        #[arg(long, value_name = "I", value_parser = clap::value_parser!(u32).range(1..))]
        index: u32,
        #[command(flatten)]
        progress: ProgressArgs,
        /// No progress
        #[arg(long, short)]
        quiet: bool,
    },
    /// Judge what of a planned league is there, at any time, and say what is due next
    #[command(after_help = "\
Examples:
  galo league gather /srv/edition-3          the ranking so far
  galo league gather /srv/edition-3 --due    numbers for `run --index`; none: it is over")]
    Gather {
        /// The league's folder
        #[arg(value_name = "LEAGUE")]
        league: PathBuf,
        /// Print the numbers of what may be driven now, a line each, instead of the ranking
        #[arg(long, conflicts_with_all = ["json", "markdown"])]
        due: bool,
        #[command(flatten)]
        output: OutputArgs,
        #[command(flatten)]
        form: FormArgs,
    },
}

impl LeagueArgs {
    /// What is driven, also where it was planned alone.
    pub(crate) fn into_terms(self) -> LeagueTerms {
        match self.part {
            Some(LeaguePart::Plan { terms, .. }) => *terms,
            _ => self.terms,
        }
    }
}
