//! A run that was cut off: the command line that goes on with it, or why there is none.

use std::path::Path;

use clap::parser::ValueSource;
use clap::{ArgMatches, Command, CommandFactory};
use galo_plan::Plan;
use galo_plan::operands::shell_line;
use galo_plan::secret::MASK;
use galo_record::run::open_header;

use crate::cli::Cli;
use crate::output::say;
use crate::resumed::not_resumable;

/// What was cut off.
#[derive(Clone, Copy)]
pub(crate) enum CutOff<'a> {
    /// A run of contenders.
    Contenders(&'a Plan),
    /// A duel, or a scan of duels.
    Duel,
}

impl CutOff<'_> {
    /// Tells on standard error what became of a run that the caller broke off.
    pub(crate) fn say_interrupted(self, run: &Path) {
        let report = shell_line(&["galo", "report", &run.to_string_lossy()].map(str::to_owned));
        let told = format!("interrupted; nothing is left running\nwhat was over is kept: {report}");
        say(&format!("{told}\n{}", self.hint(run)));
    }

    /// The line that begins with `hint:`.
    pub(crate) fn hint(self, run: &Path) -> String {
        match self.resume(run) {
            Ok(line) => format!("hint: go on with it: {line}"),
            Err(why) => format!("hint: begin it anew; it cannot be resumed: {why}"),
        }
    }

    /// The command line that goes on with it.
    ///
    /// # Errors
    /// Why there is none.
    fn resume(self, run: &Path) -> Result<String, String> {
        let words = open_header(run).map(|header| header.command).unwrap_or_default();
        let command = match self {
            Self::Contenders(plan) => match not_resumable(plan) {
                Ok(Some([why, _])) => return Err(why),
                // What cannot be read now is told by the command itself.
                Ok(None) | Err(_) => plan.kind.command(),
            },
            Self::Duel if words.iter().any(|word| word.contains(MASK)) => {
                return Err(
                    "its command line held a password or a header, which galo does not write down".to_owned()
                );
            }
            Self::Duel => "duel",
        };
        let begun = ["galo", command, "--resume", &run.to_string_lossy()].map(str::to_owned);
        Ok(shell_line(&[&begun[..], &free_options(&words)].concat()))
    }
}

/// The options of a command line that a run has not in its plan, and so must be given again: how it is driven on this machine, and how
/// it is told.
fn free_options(words: &[String]) -> Vec<String> {
    let mut all = Cli::command();
    all.build();
    let Ok(matches) = all.clone().try_get_matches_from(words) else { return Vec::new() };
    let Some((name, given)) = matches.subcommand() else { return Vec::new() };
    all.find_subcommand(name).map(|command| free_of(command, given)).unwrap_or_default()
}

fn free_of(command: &Command, given: &ArgMatches) -> Vec<String> {
    let Some(resume) = command.get_arguments().find(|arg| arg.get_id() == "resume") else {
        return Vec::new();
    };
    let excluded = command.get_arg_conflicts_with(resume);
    let mut words = Vec::new();
    for arg in command.get_arguments() {
        let id = arg.get_id();
        let is_given = given.value_source(id.as_str()) == Some(ValueSource::CommandLine);
        let is_free = id != "resume" && !excluded.iter().any(|excluded| excluded.get_id() == id);
        let Some(long) = arg.get_long().filter(|_| is_given && is_free) else { continue };
        let option = format!("--{long}");
        if !arg.get_action().takes_values() {
            words.push(option);
            continue;
        }
        for value in given.get_raw(id.as_str()).into_iter().flatten() {
            let value = value.to_string_lossy().into_owned();
            // What galo does not write down cannot be given again.
            if !value.contains(MASK) {
                words.extend([option.clone(), value]);
            }
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn free(line: &str) -> String {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        free_options(&words).join(" ")
    }

    #[test]
    fn only_options_that_a_resumed_run_takes_are_given_again() {
        let fight =
            "galo fight a b --rounds 4 --threads 2 --out x --json - --quiet --progress lines --lang pt";
        assert_eq!(free(fight), "--threads 2 --json - --quiet --lang pt --progress lines");
        assert_eq!(free("galo duel http://a/ http://b/ --threads 2 --markdown x.md"), "--markdown x.md");
        assert_eq!(free("galo limit a --hold 2s --threads 3"), "--threads 3");
        assert_eq!(free("galo check a --crash"), "");
        assert_eq!(free("galo soak a --push-gateway http://***@gateway/"), "");
        // An older galo may have taken what this one does not.
        assert_eq!(free("galo fight a b --gone 4"), "");
    }
}
