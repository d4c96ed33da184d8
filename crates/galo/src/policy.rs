//! `galo check --policy`: Compose files held against the budget and the rules of a challenge. Starts nothing.

mod form;
mod words;

use std::path::{Path, PathBuf};

use anyhow::Result;
use galo_plan::policy::{self, Files, Held};

use crate::cli::CheckArgs;
use crate::exit::{Exit, WrongUse, in_words};
use crate::output::{has_colour, is_unicode, print, say, write_result};
use crate::registry;

#[cfg(feature = "schema")]
pub(crate) use form::PolicyReport;

/// Runs the command.
pub(crate) fn run(args: &CheckArgs) -> Result<Exit> {
    let given = args.runners.challenge.as_deref();
    // What is wrong with it is wrong with all of them.
    given.map(registry::challenge).transpose()?;
    let Files { files, left_out } = files(&args.policy);
    left_out.iter().for_each(|(path, why)| say(&format!("`{}`: {why}", path.display())));
    let held: Vec<_> = files.iter().map(|file| hold(file, given)).collect();
    if held.is_empty() {
        let hint = "name Compose files, or folders with some in them, at most four deep";
        return Err(WrongUse(format!("there is nothing to hold against the policy\nhint: {hint}")).into());
    }
    let told = write_result(args.run.output.json.as_deref(), &form::json(&held))?;
    if !told && !args.run.output.quiet {
        print(&words::table(
            &held,
            words::Look { colour: has_colour(&std::io::stdout()), unicode: is_unicode() },
        ))?;
    }
    let is_within = held.iter().all(|(held, _)| held.breaches.is_empty());
    Ok(if is_within { Exit::Done } else { Exit::CheckFailed })
}

/// The Compose files in folders, and in the folders in them. A folder without any is told.
pub(crate) fn files(paths: &[PathBuf]) -> Files {
    let mut all = Files::default();
    for path in paths {
        let Files { files, left_out } = Files::of(path);
        if files.is_empty() && left_out.is_empty() {
            say(&format!("`{}` holds no Compose file", path.display()));
        }
        all.files.extend(files);
        all.left_out.extend(left_out);
    }
    all
}

/// A file, held, with the budget that it was held against; none where its challenge cannot be read.
type AgainstBudget = (Held, Option<galo_plan::challenge::Policy>);

fn hold(file: &Path, given: Option<&str>) -> AgainstBudget {
    match registry::challenge_to_hold(file, given) {
        Ok(challenge) => (policy::hold(file, &challenge.policy), Some(challenge.policy)),
        Err(error) => (policy::unreadable(file, in_words(&error)), None),
    }
}
