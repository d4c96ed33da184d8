//! A run that was cut off is gone on with by the command line that began it, which clap reads again.
//!
//! Options about telling the run are taken from the line that resumes it; all others from the line that began it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::parser::ValueSource;
use clap::{ArgMatches, Command as Clap, FromArgMatches};
use galo_plan::operands::{is_address, shell_line};
use galo_plan::secret::MASK;
use galo_record::act::ChildId;
use galo_record::run::{Planned, begun_in, open_header};
use galo_record::{Machine, Run, RunHeader, RunWriter, Seeds};

use crate::cli::{self, Cli, Command, is_free};
use crate::output::say;
use crate::wrong::WrongUse;

/// The command that is meant: where it resumes a run, the one that began that run, told as it is asked for now. The paths of both
/// are meant from where each was written.
///
/// # Errors
/// The run cannot be gone on with, or was begun by another command.
pub(crate) fn as_begun(now: Command) -> Result<Command> {
    let Some(path) = now.resumes().map(Path::to_owned) else { return Ok(now) };
    let told = path.display();
    let header = open_header(&path)?;
    if let Some(parent) = ChildId::parent_of(&path).filter(|parent| open_header(parent).is_ok()) {
        let parent = parent.display();
        let hint = format!("go on with that one: galo {} --resume {parent}", now.name());
        return Err(WrongUse(format!("`{told}` is a part of `{parent}`\nhint: {hint}")).into());
    }
    let (begun, directory) = begun_there(&path, &header)?;
    if begun.name() != now.name() {
        let name = begun.name();
        let text = format!("`{told}` was begun by `galo {name}`\nhint: galo {name} --resume {told}");
        return Err(WrongUse(text).into());
    }
    let here = std::env::current_dir()?;
    let begun = match directory.is_some() {
        false => begun.told_as(now),
        true => begun.told_as(now.with_absolute_paths(&here)),
    };
    go_there(&path, directory.as_deref())?;
    Ok(begun)
}

/// The command that began a run, by its header, and where that was written, unless it was here.
///
/// # Errors
/// The run cannot be gone on with by it.
pub(crate) fn begun_there(path: &Path, header: &RunHeader) -> Result<(Command, Option<PathBuf>)> {
    let told = path.display();
    let refused =
        |[why, hint]: [&str; 2]| WrongUse(format!("`{told}` cannot be resumed: {why}\nhint: {hint}"));
    let begun = begun_by(&header.command).map_err(refused)?;
    let here = std::env::current_dir()?;
    Ok((begun, begun_in(path)?.filter(|directory| *directory != here)))
}

/// Goes to where the command that began a run was written.
///
/// # Errors
/// It is not there.
pub(crate) fn go_there(run: &Path, directory: Option<&Path>) -> Result<()> {
    let Some(directory) = directory else { return Ok(()) };
    let gone = || format!("`{}` was begun in `{}`, which is not there", run.display(), directory.display());
    std::env::set_current_dir(directory).with_context(gone)
}

/// The command that a recorded line is, or why no run can be gone on with by it, and what to do instead.
fn begun_by(words: &[String]) -> Result<Command, [&'static str; 2]> {
    let unread = ["this galo does not understand its command line", "begin it anew"];
    let matches = cli::definition().try_get_matches_from(words).map_err(|_| unread)?;
    if is_masked(&matches) {
        return Err([
            "its command line held what galo does not write down (a password, a header)",
            "begin it anew; what a command reads by itself, e.g. `--token \"$(cat FILE)\"`, can be gone on with",
        ]);
    }
    let Cli { command } = Cli::from_arg_matches(&matches).map_err(|_| unread)?;
    match &command {
        Command::Check(args) if args.subject.as_deref().is_some_and(is_address) => {
            Err(["what it created in a server that galo did not start is still there", "begin it anew"])
        }
        _ => Ok(command),
    }
}

/// Whether anything of a command line but how a run is told was not written down.
fn is_masked(matches: &ArgMatches) -> bool {
    let Some((_, given)) = matches.subcommand() else { return false };
    let ids = given.ids().filter(|id| !is_free(id.as_str()));
    let mut values = ids.filter_map(|id| given.try_get_raw(id.as_str()).ok().flatten()).flatten();
    values.any(|value| value.to_string_lossy().contains(MASK))
}

/// Opens a run that was cut off, which nobody else drives meanwhile.
///
/// # Errors
/// It is no such run; another galo drives it, or another version began it; or it began on another machine.
pub(crate) fn open<P: Planned>(path: &Path, machine: &Machine) -> Result<(RunWriter, Run<P>)> {
    let (writer, run) = RunWriter::resume::<P>(path, &Seeds::of_run(path))?;
    // A run that machines share is measured on none.
    let is_other = !Seeds::are_within(path) && !run.header.machine.is_same(machine);
    require_same(path, is_other.then(|| "the machine".to_owned()))?;
    Ok((writer, run))
}

/// Refuses to go on with a run since whose beginning this has changed.
///
/// # Errors
/// Something has.
pub(crate) fn require_same(path: &Path, changed: Option<String>) -> Result<(), WrongUse> {
    let Some(what) = changed else { return Ok(()) };
    let hint = "what is measured on other terms does not belong to one run: begin it anew";
    let path = path.display();
    Err(WrongUse(format!("`{path}` cannot be resumed: since it began, {what} has changed\nhint: {hint}")))
}

/// Tells on standard error what became of a run that was left before its end, and why.
pub(crate) fn say_left(run: &Path, why: &str) {
    let report = shell_line(&["galo", "report", &run.to_string_lossy()].map(str::to_owned));
    let told = format!("{why}; nothing is left running\nwhat was over is kept: {report}");
    say(&format!("{told}\n{}", hint(run)));
}

/// The line that begins with `hint:` and goes on with a run, or says why that cannot be.
pub(crate) fn hint(run: &Path) -> String {
    let words = open_header(run).map(|header| header.command).unwrap_or_default();
    let run = ChildId::parent_of(run).unwrap_or(run);
    match begun_by(&words) {
        Err([why, _]) => format!("hint: begin it anew; it cannot be resumed: {why}"),
        Ok(command) => {
            let begun = ["galo", command.name(), "--resume", &run.to_string_lossy()].map(str::to_owned);
            format!("hint: go on with it: {}", shell_line(&[&begun[..], &free_options(&words)].concat()))
        }
    }
}

/// The options of a command line that must be given again: how a run is driven on this machine, and how it is told.
fn free_options(words: &[String]) -> Vec<String> {
    let all = cli::definition();
    let Ok(matches) = all.clone().try_get_matches_from(words) else { return Vec::new() };
    let Some((name, given)) = matches.subcommand() else { return Vec::new() };
    all.find_subcommand(name).map(|command| free_of(command, given)).unwrap_or_default()
}

fn free_of(command: &Clap, given: &ArgMatches) -> Vec<String> {
    let mut words = Vec::new();
    for arg in command.get_arguments().filter(|arg| is_free(arg.get_id().as_str())) {
        let id = arg.get_id().as_str();
        let is_given = given.value_source(id) == Some(ValueSource::CommandLine);
        let Some(long) = arg.get_long().filter(|_| is_given) else { continue };
        let option = format!("--{long}");
        if !arg.get_action().takes_values() {
            words.push(option);
            continue;
        }
        let values = given.get_raw(id).into_iter().flatten().map(|value| value.to_string_lossy());
        // What galo does not write down cannot be given again.
        let known = values.filter(|value| !value.contains(MASK));
        words.extend(known.flat_map(|value| [option.clone(), value.into_owned()]));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    fn free(line: &str) -> String {
        free_options(&words(line)).join(" ")
    }

    #[test]
    fn only_options_that_a_resumed_run_takes_are_given_again() {
        let fight =
            "galo fight a b --rounds 4 --threads 2 --out x --json - --quiet --progress lines --lang pt";
        assert_eq!(free(fight), "--threads 2 --json - --quiet --lang pt --progress lines");
        assert_eq!(free("galo duel http://a/ http://b/ --rate 2 --markdown x.md"), "--markdown x.md");
        assert_eq!(free("galo limit a --hold 2s --threads 3"), "--threads 3");
        assert_eq!(free("galo check a --crash"), "");
        assert_eq!(free("galo soak a --push-gateway http://***@gateway/"), "");
        // An older galo may have taken what this one does not.
        assert_eq!(free("galo fight a b --gone 4"), "");
    }

    #[test]
    fn a_run_is_resumed_by_what_its_line_says_unless_something_of_it_was_not_written_down() {
        let why = |line: &str| begun_by(&words(line)).err().map(|[why, _]| why);
        assert_eq!(why("galo fight a b --push-gateway http://***@gateway/"), None);
        assert!(why("galo duel http://***@a/ http://b/").unwrap().contains("a password"));
        assert!(
            why(r#"galo duel http://a/ http://b/ --data {"token":"***"}"#).unwrap().contains("a password")
        );
        assert_eq!(why(r#"galo duel http://a/ http://b/ --data {"q":"a"}"#), None);
        assert!(why("galo check http://a:1/").unwrap().contains("is still there"));
        assert!(why("galo fight a --gone").unwrap().contains("does not understand"));
    }
}
