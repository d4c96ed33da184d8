//! Commands that make runs, and what they take where they go on with one.

use std::path::Path;

use clap::{Command as Clap, CommandFactory, Error, FromArgMatches, Id};

use super::{
    CheckArgs, Cli, Command, DuelArgs, FightArgs, LeagueArgs, LeagueTerms, LimitArgs, SeedArgs, SoakArgs,
    TrafficArgs, TuneArgs,
};

/// What a command that goes on with a run takes beside it: how it is driven on this machine, and how it is told. All else is said
/// by the line that began the run.
const FREE: [&str; 12] = [
    "resume",
    "for_so_long",
    "threads",
    "slurm",
    "json",
    "quiet",
    "markdown",
    "lang",
    "style",
    "progress",
    "prometheus",
    "push_gateway",
];
/// What `--policy` takes beside it: it starts and drives nothing.
const BESIDE_POLICY: [&str; 4] = ["policy", "challenge", "json", "quiet"];

/// Whether a run that is gone on with takes this option anew.
pub(crate) fn is_free(id: &str) -> bool {
    FREE.contains(&id)
}

/// The command line as clap reads it.
pub(crate) fn definition() -> Clap {
    let all = Cli::command();
    let resumes = |command: &&Clap| command.get_arguments().any(|arg| arg.get_id() == "resume");
    let names: Vec<String> =
        all.get_subcommands().filter(resumes).map(|command| command.get_name().to_owned()).collect();
    let all = names
        .into_iter()
        .fold(all, |all, name| all.mut_subcommand(name, |command| alone(command, "resume", &FREE)));
    let mut all = all.mut_subcommand("check", |command| alone(command, "policy", &BESIDE_POLICY));
    all.build();
    all
}

/// Has an option refuse all others but these.
fn alone(command: Clap, id: &'static str, beside: &[&str]) -> Clap {
    let others = command.get_arguments().map(|arg| arg.get_id().clone());
    let others: Vec<Id> = others.filter(|other| !beside.contains(&other.as_str())).collect();
    command.mut_arg(id, |arg| arg.conflicts_with_all(others))
}

/// Reads a command line, of which the first word is the program.
pub(super) fn read<W>(words: &[W]) -> Result<Cli, Error>
where
    W: Into<std::ffi::OsString> + Clone,
{
    Cli::from_arg_matches(&definition().try_get_matches_from(words.iter().cloned())?)
}

impl SeedArgs {
    /// The same with the threads that a later line asks for.
    fn told_as(self, now: &Self) -> Self {
        Self { threads: now.threads.or(self.threads), ..self }
    }
}

impl Command {
    /// Its name and the run that it goes on with, where it makes runs.
    fn of_runs(&self) -> Option<(&'static str, Option<&Path>)> {
        Some(match self {
            Self::Fight(args) => ("fight", args.resume.as_deref()),
            Self::Duel(args) => ("duel", args.resume.as_deref()),
            Self::Check(args) => ("check", args.resume.as_deref()),
            Self::Limit(args) => ("limit", args.resume.as_deref()),
            Self::Soak(args) => ("soak", args.resume.as_deref()),
            Self::League(args) => ("league", args.resume.as_deref()),
            Self::Tune(args) => ("tune", args.resume.as_deref()),
            _ => return None,
        })
    }

    /// The name of a command that makes runs.
    pub(crate) fn name(&self) -> &'static str {
        self.of_runs().map_or("", |(name, _)| name)
    }

    /// The run that it goes on with.
    pub(crate) fn resumes(&self) -> Option<&Path> {
        self.of_runs()?.1
    }

    /// The same, with what it is told by and resumes meant from this directory.
    pub(crate) fn with_absolute_paths(mut self, here: &Path) -> Self {
        let (resume, output, form) = match &mut self {
            Self::Fight(args) => (&mut args.resume, &mut args.run.output, &mut args.run.form),
            Self::Check(args) => (&mut args.resume, &mut args.run.output, &mut args.run.form),
            Self::Limit(args) => (&mut args.resume, &mut args.run.output, &mut args.run.form),
            Self::Soak(args) => (&mut args.resume, &mut args.run.output, &mut args.run.form),
            Self::Tune(args) => (&mut args.resume, &mut args.run.output, &mut args.run.form),
            Self::League(args) => (&mut args.resume, &mut args.run.output, &mut args.run.form),
            Self::Duel(args) => (&mut args.resume, &mut args.output, &mut args.form),
            _ => return self,
        };
        let paths = [resume, &mut output.json, &mut form.markdown].into_iter().flatten();
        for path in paths.filter(|path| path.as_path() != Path::new("-")) {
            *path = here.join(&*path);
        }
        self
    }

    /// This command, which began a run, told as a later one asks for that goes on with it.
    pub(crate) fn told_as(self, now: Self) -> Self {
        match (self, now) {
            (Self::Fight(begun), Self::Fight(now)) => {
                let FightArgs { run, style, resume, traffic, .. } = *now;
                let threads = traffic.threads.or(begun.traffic.threads);
                let traffic = TrafficArgs { threads, ..begun.traffic.clone() };
                Self::Fight(Box::new(FightArgs { run, style, resume, traffic, ..*begun }))
            }
            (Self::Duel(begun), Self::Duel(now)) => {
                let DuelArgs { output, form, metrics, progress, resume, .. } = *now;
                let threads = now.threads.or(begun.threads);
                let told = DuelArgs { output, form, metrics, progress, resume, threads, ..*begun };
                Self::Duel(Box::new(told))
            }
            (Self::Check(begun), Self::Check(CheckArgs { run, style, resume, .. })) => {
                Self::Check(CheckArgs { run, style, resume, ..begun })
            }
            (Self::Limit(begun), Self::Limit(LimitArgs { run, resume, drawn, .. })) => {
                let drawn = begun.drawn.clone().told_as(&drawn);
                Self::Limit(LimitArgs { run, resume, drawn, ..begun })
            }
            (Self::Soak(begun), Self::Soak(SoakArgs { run, resume, drawn, .. })) => {
                let drawn = begun.drawn.clone().told_as(&drawn);
                Self::Soak(SoakArgs { run, resume, drawn, ..begun })
            }
            (Self::Tune(begun), Self::Tune(TuneArgs { run, resume, drawn, for_so_long, .. })) => {
                let drawn = begun.drawn.clone().told_as(&drawn);
                Self::Tune(TuneArgs { run, resume, drawn, for_so_long, ..begun })
            }
            (Self::League(begun), Self::League(now)) => {
                let LeagueArgs { run, resume, slurm, for_so_long, terms, .. } = *now;
                let (slurm, begun) = (slurm.or_else(|| begun.slurm.clone()), begun.into_terms());
                let threads = terms.traffic.threads.or(begun.traffic.threads);
                let traffic = TrafficArgs { threads, ..begun.traffic.clone() };
                let terms = LeagueTerms { traffic, ..begun };
                let told = LeagueArgs { part: None, terms, slurm, for_so_long, resume, run };
                Self::League(Box::new(told))
            }
            (_, now) => now,
        }
    }
}
