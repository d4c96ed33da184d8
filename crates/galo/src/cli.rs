//! The command line as clap reads it.

mod duel;
mod init;
mod instead;
mod league;
mod limit;
mod load;
#[cfg(test)]
mod pages;
mod reach;
mod request;
mod resumable;
mod runner;
mod soak;
mod tune;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use galo_plan::Seed;
use galo_plan::units::parse_scale_milli as parse_scale;
use galo_report::Language;
use galo_words::Lang;

pub(crate) use duel::DuelArgs;
pub(crate) use init::InitArgs;
pub(crate) use instead::{no_contender, parse};
pub(crate) use league::{Few, LeagueArgs, LeaguePart, LeagueTerms, SweepArgs};
pub(crate) use limit::LimitArgs;
pub(crate) use load::{AmountArgs, BackendArg, ConnectionArg, LoadArgs, PickArg, TellArgs, WayArgs};
pub(crate) use reach::{ReachArgs, TlsArgs};
pub(crate) use request::RequestArgs;
pub(crate) use resumable::{definition, is_free};
pub(crate) use runner::RunnerArgs;
pub(crate) use soak::SoakArgs;
pub(crate) use tune::TuneArgs;

/// Stages a fair fight between HTTP backends and gives a verdict that can be trusted.
#[derive(Debug, Parser)]
#[command(name = "galo", version, max_term_width = 80, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "\
Exit codes: 0 done (a disqualified contender is a result, not an error),
1 a check failed, or an --assert or --at-least was not met, 2 wrong use,
3 the run is void, 4 a contender did not start, or a server never answered,
5 galo itself failed, 6 an --assert of a duel was not measured
(--assert-strict), 130 interrupted.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Let contenders of a challenge fight: rounds in turn, then judge and report
    Fight(Box<FightArgs>),
    /// Which of two commands, servers or revisions is better? Both stay up and are driven in turns
    Duel(Box<DuelArgs>),
    /// From a folder of entries to one ranking: each checked, then driven in blocks until its place is decided
    League(Box<LeagueArgs>),
    /// Is it right? Drive a contender, or a server that already runs, lightly and judge its answers
    Check(CheckArgs),
    /// Write the files of a fight to keep: a challenge, and a Compose file for each command
    Init(Box<InitArgs>),
    /// The load engine by itself, at any URL: closed loop, fixed rate, ramps, steps, the highest rate
    Load(Box<LoadArgs>),
    /// The highest scale that a contender holds under a service level, confirmed by a longer hold
    Limit(LimitArgs),
    /// How latency and memory drift under constant traffic for hours
    Soak(SoakArgs),
    /// The best setting of a contender: shares of the CPU and knobs, found by trying
    Tune(TuneArgs),
    /// Start a contender under its limits and keep it up until Ctrl-C, for any outside tool to drive
    Up(UpArgs),
    /// Rebuild the reports of a run from its folder, put runs side by side, or read Gatling's log
    Report(ReportArgs),
    /// What this machine can enforce and measure, and the command that mends each lack
    Doctor(DoctorArgs),
    /// Remove what a killed galo left: processes, control groups, volumes
    Clean,
    /// Print a completion script for a shell
    #[command(after_help = "Example:\n  galo completions bash > /etc/bash_completion.d/galo")]
    Completions {
        /// Which shell
        shell: Shell,
    },
    /// Print the JSON schema of a report
    Schema {
        /// Which JSON: that of a run of any kind (`report.json`, `--json`), of runs side by side, of runs of the past, or of
        /// `galo check --policy`
        #[arg(value_enum, default_value_t = SchemaArg::Run)]
        of: SchemaArg,
    },
    /// Write manual pages, one for each command: what `ci/package` packs
    #[command(name = "__man", hide = true)]
    Man {
        /// Where they go
        folder: PathBuf,
    },
    /// The null server: what `doctor --calibrate` drives, and what stands in for instances in `fight --ceiling`
    #[command(name = galo_plan::null::COMMAND, hide = true)]
    Null {
        /// Where it listens [default: a free port, which it tells; and it ends with its standard input]
        address: Option<std::net::SocketAddr>,
    },
    /// The supervisor process: kills a dead galo's contenders
    #[command(name = "__supervise", hide = true)]
    Supervise {
        /// State folder of the galo that it watches
        state: PathBuf,
    },
}

#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  galo fight                     the built-in contenders, on the embedded store
  galo fight mine yours --rounds 8          two folders with a Compose file
  galo fight mine mine --rounds 10          the noise floor of this machine
  galo fight mine yours --ceiling           and what a null server would give
  galo fight mine yours --markdown fight.md     for a pull request
  galo fight mine yours --sweep pool=1,5,25 --sweep profile=ten,thirty
  galo fight mine --profile official --rounds 1 --json - | jq .rounds[0].ledger

Commands, servers that run already, and revisions of a repository fight without
a challenge and without a Compose file: galo duel --help")]
pub(crate) struct FightArgs {
    /// Compose files, or folders with one [default: the built-in contenders]
    #[arg(value_name = "CONTENDER")]
    pub(crate) contenders: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) runners: RunnerArgs,
    #[command(flatten)]
    pub(crate) traffic: TrafficArgs,
    #[command(flatten)]
    pub(crate) sweep: SweepArgs,
    /// Rounds for each contender, all of which are driven [default: of two up to 20, fewer once one is surely better; of more 9; fewer of
    /// any once the outcome can no longer change or the load is too light for one]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000), help_heading = ROUNDS)]
    pub(crate) rounds: Option<u32>,
    /// Beside them, the first contender with null servers in the place of its instances: one more row, which says what network, balancer
    /// and machine leave at most. Of processes only
    #[arg(long, conflicts_with = "sweep", help_heading = ROUNDS)]
    pub(crate) ceiling: bool,
    /// Start services without their limits, as a control
    #[arg(long, conflicts_with = "sweep", help_heading = ROUNDS)]
    pub(crate) unlimited: bool,
    /// Take the noise floor from this earlier run, a fight of a contender against itself [default: the larger one that is
    /// known of the contenders on these terms]
    #[arg(long, value_name = "RUN", conflicts_with = "sweep", help_heading = ROUNDS)]
    pub(crate) noise_floor: Option<PathBuf>,
    /// Take no noise floor, even if one is known
    #[arg(long, conflicts_with_all = ["noise_floor", "sweep"], help_heading = ROUNDS)]
    pub(crate) no_noise_floor: bool,
    /// The difference that should be found, in percent: the report says how many rounds that takes [default: 5]
    #[arg(long, value_name = "PERCENT", value_parser = parse_percent, help_heading = ROUNDS)]
    pub(crate) detect: Option<f64>,
    /// Leave out the cases of conformance, and ending contenders at rest and starting them again on what they left: some 30 s in three
    /// rounds of each. A contender that keeps nothing may win then, and the report says so first
    #[arg(long, conflicts_with = "sweep", help_heading = ROUNDS)]
    pub(crate) no_restart: bool,
    /// Go on with a fight that was cut off, on its own terms: what was under way is driven anew
    #[arg(long, value_name = "RUN", help_heading = ROUNDS)]
    pub(crate) resume: Option<PathBuf>,
    #[command(flatten, next_help_heading = TELL)]
    pub(crate) run: RunArgs,
    #[command(flatten, next_help_heading = TELL)]
    pub(crate) style: StyleArgs,
}

const ROUNDS: &str = "Rounds";
const TELL: &str = "What to tell";

/// Where a run of contenders goes, and how it is told and watched.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct RunArgs {
    /// Where the run goes [default: galo-runs/ and the time]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) form: FormArgs,
    #[command(flatten)]
    pub(crate) progress: ProgressArgs,
    #[command(flatten)]
    pub(crate) metrics: MetricsArgs,
}

/// Metrics for others while it runs.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct MetricsArgs {
    /// While it runs, answer Prometheus at http://ADDRESS/metrics, e.g. 127.0.0.1:9100; 9100 and :9100 stand for the same
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) prometheus: Option<String>,
    /// Push the same every 10 s and at the end; http only
    #[arg(long, value_name = "URL")]
    pub(crate) push_gateway: Option<String>,
}

/// Which traffic.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Traffic")]
pub(crate) struct TrafficArgs {
    /// Shape of the traffic, by the challenge: for `pessoas` quick (20 s) or official (205 s) [default: quick]
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// Factor on every arrival rate, to three decimals [default: 1]
    #[arg(long, value_name = "FACTOR", value_parser = parse_scale)]
    pub(crate) scale: Option<u32>,
    /// Seed of a run to be repeated, as its report tells it: same seed, same requests at the same offsets [default: drawn anew]
    #[arg(long, value_name = "SEED")]
    pub(crate) seed: Option<Seed>,
    /// Threads of the load engine [default: the cores that the budget leaves, 1 to 4]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) threads: Option<u16>,
}

/// What a run is drawn by, and the threads that drive it.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct SeedArgs {
    /// Seed of a run to be repeated, as its report tells it: same seed, same requests at the same offsets [default: drawn anew]
    #[arg(long, value_name = "SEED")]
    pub(crate) seed: Option<Seed>,
    /// Threads of the load engine [default: the cores that the budget leaves, 1 to 4]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) threads: Option<u16>,
}

/// A language in which runs are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LangArg {
    En,
    Pt,
}

impl FormArgs {
    /// Nothing but the page, in the same language.
    pub(crate) const fn page_alone(&self) -> Self {
        Self { markdown: None, lang: self.lang }
    }

    /// The language of what is told in a terminal and as Markdown: the one that was asked for, or else that of the environment.
    pub(crate) fn words(&self) -> Lang {
        match self.lang {
            Some(LangArg::En) => Lang::En,
            Some(LangArg::Pt) => Lang::Pt,
            None => of_environment(|name| std::env::var(name).ok()),
        }
    }

    pub(crate) const fn language(&self) -> Language {
        match self.lang {
            None => Language::OfBrowser,
            Some(LangArg::En) => Language::English,
            Some(LangArg::Pt) => Language::Portuguese,
        }
    }
}

/// The language of a locale's environment (POSIX: the first of these that is set to something).
fn of_environment(variable: impl Fn(&str) -> Option<String>) -> Lang {
    let set = ["LC_ALL", "LC_MESSAGES", "LANG"]
        .iter()
        .filter_map(|name| variable(name))
        .find(|value| !value.is_empty());
    if set.is_some_and(|value| value.starts_with("pt")) { Lang::Pt } else { Lang::En }
}

/// Where results go.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct OutputArgs {
    /// Write the report as JSON to a file, or to standard output (-) instead of the summary
    #[arg(long, value_name = "FILE|-")]
    pub(crate) json: Option<PathBuf>,
    /// No progress and no summary
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// What is shown while it runs.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ProgressArgs {
    /// What a terminal shows while it runs: charts on the whole screen, one line that is redrawn, or lines that stay
    /// [default: screen, where the terminal can show it]
    #[arg(long, value_name = "HOW", value_enum)]
    pub(crate) progress: Option<ProgressArg>,
}

/// How much of the terminal progress takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgressArg {
    // All of it, with charts; gone at the end
    Screen,
    // One line that is redrawn
    Line,
    // Lines that stay, as in a pipe
    Lines,
}

/// In which other forms a run is told.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct FormArgs {
    /// Write the report as Markdown, for a pull request, to a file, or to standard output (-) instead of the summary
    #[arg(long, value_name = "FILE|-")]
    pub(crate) markdown: Option<PathBuf>,
    /// Language of the summary and of Markdown [default: the locale's], and in which a page starts, whose reader can switch
    /// [default: the browser's]
    #[arg(long, value_name = "en|pt", value_enum, hide_possible_values = true)]
    lang: Option<LangArg>,
}

/// How the end of the summary looks.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct StyleArgs {
    /// After the summary, tell the requests as another tool would
    #[arg(long, value_name = "TOOL", value_enum)]
    pub(crate) style: Option<StyleArg>,
}

/// Whose way of telling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StyleArg {
    // Gatling's summary at the end of a simulation
    Gatling,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  galo check contenders/pessoas/rust-sqlite
  galo check mine --crash            is everybody there after a kill -9?
  galo check --policy entries        a contest's folder, without an engine
  galo check http://127.0.0.1:9999   a server that runs, in use or not
  galo check http://127.0.0.1:8080 --challenge ./challenge.toml    another API's
  galo init --from-openapi api.yaml http://127.0.0.1:8080/   writes such a file

Exit codes: 0 done, 1 a rule was broken, 2 wrong use or a server of another API,
3 the round is void, 4 it did not start or never answered, 5 galo failed,
130 interrupted (--resume goes on).")]
pub(crate) struct CheckArgs {
    /// A Compose file, a folder with one, or the address of a server, which is held against `pessoas` unless --challenge names other
    /// rules
    #[arg(value_name = "CONTENDER|URL", required_unless_present_any = ["resume", "policy"])]
    pub(crate) subject: Option<String>,
    /// Start nothing, but hold Compose files, or all in these folders, against the budget and the rules of the challenge: no
    /// engine is needed. What no rule forbids (an image without a tag) is advice, and breaks nothing
    #[arg(long, value_name = "FILE|DIR", num_args = 1..)]
    pub(crate) policy: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) runners: RunnerArgs,
    /// Also kill it under load, once all of it and once one instance, and see what is left
    #[arg(long)]
    pub(crate) crash: bool,
    /// Seed of a run to be repeated, as its report tells it [default: drawn anew]
    #[arg(long, value_name = "SEED")]
    pub(crate) seed: Option<Seed>,
    /// Go on with a check that was cut off, on its own terms: the round that was under way is driven anew
    #[arg(long, value_name = "RUN")]
    pub(crate) resume: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) style: StyleArgs,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  galo up contenders/pessoas/rust-sqlite   then drive http://127.0.0.1:9999"
)]
pub(crate) struct UpArgs {
    /// A Compose file, or a folder with one
    #[arg(value_name = "CONTENDER")]
    pub(crate) contender: PathBuf,
    #[command(flatten)]
    pub(crate) runners: RunnerArgs,
    /// Start services without their limits
    #[arg(long)]
    pub(crate) unlimited: bool,
    /// Where logs and volumes go [default: galo-runs/ and the time]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  galo report galo-runs/2026-11-21T14-37-08.586Z
  galo report theirs --out told                     and its page, in told/
  galo report before after                          two runs side by side
  galo report galo-runs/* --json - | jq .figures[0]
  galo report speed --markdown - >> $GITHUB_STEP_SUMMARY
  galo report --history galo-runs                   ratios from run to run
  galo report speed --export bencher > ratios.json
  galo report edition-3 --export csv > ranking.csv  each entry of a league
  galo report --gatling results/mysim-20261122/simulation.log")]
pub(crate) struct ReportArgs {
    /// The run folder; several are put side by side
    #[arg(value_name = "RUN", required_unless_present_any = ["gatling", "history"])]
    pub(crate) runs: Vec<PathBuf>,
    /// Tell how the ratio of each pair went over the runs in this folder and below, by machine and terms
    #[arg(long, value_name = "DIR", conflicts_with_all = ["runs", "gatling"])]
    pub(crate) history: Option<PathBuf>,
    /// Print the newest ratio of each pair, instead of the summary, for a tool that keeps a history: Bencher, or
    /// github-action-benchmark (what is better smaller, and what is better bigger); or a league as CSV, a line for each entry
    #[arg(long, value_name = "FORM", value_enum, conflicts_with_all = ["gatling", "out", "json", "markdown", "lang", "style"])]
    pub(crate) export: Option<ExportArg>,
    /// Tell what Gatling wrote instead: the simulation.log of a version from 3.5 to 3.12
    #[arg(long, value_name = "FILE", conflicts_with = "runs")]
    pub(crate) gatling: Option<PathBuf>,
    /// Also write report.json and the page report.html into this folder; nothing is ever written into RUN
    #[arg(long, value_name = "DIR", conflicts_with = "gatling")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) form: FormArgs,
    #[command(flatten)]
    pub(crate) style: StyleArgs,
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Port that the challenge's balancer would take
    #[arg(long, default_value_t = 9999)]
    pub(crate) port: u16,
    /// Measure what the load engine can reach here, against a server that does nothing (about 15 s)
    #[arg(long)]
    pub(crate) calibrate: bool,
}

/// Whose form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportArg {
    // Bencher Metric Format
    Bencher,
    // customSmallerIsBetter
    BenchmarkAction,
    // customBiggerIsBetter
    BenchmarkActionBigger,
    // A league as a table for a spreadsheet
    Csv,
}

/// Which schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaArg {
    /// A run of any kind, by its `kind`
    Run,
    /// Runs side by side: `report` with several
    Compare,
    /// Runs of the past: `report --history`
    Trend,
    /// Files held against a policy: `check --policy`
    Policy,
}

/// A difference such as `5` or `0.5`, in percent.
fn parse_percent(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|percent| (0.1..=100.0).contains(percent))
        .ok_or_else(|| "write a number from 0.1 to 100".to_owned())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;
    use clap::error::ErrorKind::{InvalidValue, ValueValidation};

    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_run_that_is_resumed_takes_no_option_that_its_plan_has() {
        // How it is driven on this machine, and how it is told.
        const FREE: [&str; 13] = [
            "resume",
            "for_so_long",
            "threads",
            "json",
            "quiet",
            "markdown",
            "lang",
            "slurm",
            "style",
            "progress",
            "help",
            "prometheus",
            "push_gateway",
        ];
        let all = definition();
        let mut resumable = 0;
        let mut without_effect = Vec::new();
        for command in all.get_subcommands() {
            let Some(resume) = command.get_arguments().find(|arg| arg.get_id() == "resume") else { continue };
            resumable += 1;
            let excluded = command.get_arg_conflicts_with(resume);
            let taken =
                command.get_arguments().filter(|arg| !excluded.iter().any(|e| e.get_id() == arg.get_id()));
            let taken = taken.map(|arg| arg.get_id().as_str()).filter(|id| !FREE.contains(id));
            without_effect.extend(taken.map(|id| format!("galo {} --{id}", command.get_name())));
        }
        assert_eq!(without_effect, [""; 0]);
        assert_eq!(resumable, 7);
    }

    #[test]
    fn every_value_that_help_offers_is_taken_and_no_other_one() {
        let mut all = Cli::command();
        all.build();
        let mut tried = 0;
        for command in all.get_subcommands().filter(|command| !command.is_hide_set()) {
            let help = command.clone().render_long_help().to_string();
            for arg in command.get_arguments().filter(|arg| arg.get_action().takes_values()) {
                let offered: Vec<String> =
                    arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
                if offered.is_empty() {
                    continue;
                }
                let is_taken = |value: &str| {
                    let option = arg.get_long().map_or(value.to_owned(), |long| format!("--{long}={value}"));
                    let error = Cli::try_parse_from(["galo", command.get_name(), &option]).err();
                    error.is_none_or(|error| !matches!(error.kind(), InvalidValue | ValueValidation))
                };
                let place = format!("galo {} {}", command.get_name(), arg.get_id());
                for value in &offered {
                    assert!(is_taken(value), "{place} {value}");
                    assert!(help.contains(value.as_str()), "{place} {value} is not in the help");
                    tried += 1;
                }
                // What another command takes, or nobody.
                for value in ["screen", "line", "lines", "gatling", "en", "pt", "nothing"] {
                    let is_offered = offered.iter().any(|offered| offered == value);
                    assert_eq!(is_taken(value), is_offered, "{place} {value}");
                }
            }
        }
        assert!(tried > 30, "{tried} values");
    }

    #[test]
    fn a_difference_to_be_found_is_neither_nothing_nor_more_than_all() {
        assert_eq!(parse_percent("0.5"), Ok(0.5));
        for wrong in ["0", "-1", "101", "NaN", "inf", "5 %"] {
            assert!(parse_percent(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_scale_is_exact_to_three_decimals() {
        assert_eq!(parse_scale("1.25"), Ok(1250));
        assert!(parse_scale("0").is_err());
        assert!(parse_scale("1.0001").is_err());
    }
}
