//! Exit codes, all of them.

mod judged;

use std::process::ExitCode;

use galo_drive::DriveError;
use galo_host::{CacheError, HostError, RevisionError};
use galo_plan::PlanError;
use galo_record::RecordError;
use galo_record::gatling::GatlingError;

use crate::output::say;

pub(crate) use crate::wrong::{NotStarted, WrongUse};

/// How galo ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All was done. A disqualified contender in a fight is a result, not an error.
    Done = 0,
    /// A `check` failed, or an `--assert` was not met.
    CheckFailed = 1,
    /// Wrong use: options, files, names. (clap also exits with 2.)
    WrongUse = 2,
    /// The run is void.
    Void = 3,
    /// A contender did not start, or nobody answered a load.
    NotStarted = 4,
    /// galo itself failed.
    Failed = 5,
    /// What an `--assert` of a duel asks for was not measured, where that is to count (`--assert-strict`).
    NotMeasured = 6,
    /// Broken off by Ctrl-C or SIGTERM, after cleaning up (128 + SIGINT, as shells expect).
    Interrupted = 130,
}

impl Exit {
    /// How grave it is: of several runs the gravest one's stands for all.
    pub(crate) const fn gravity(self) -> u8 {
        match self {
            Self::Done => 0,
            // Nothing went wrong.
            Self::NotMeasured => 1,
            other => other as u8 + 1,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Prints an error with its hint and says which exit code it has.
pub(crate) fn report(error: &anyhow::Error) -> Exit {
    if let Some(HostError { interrupted: true, .. }) = cause_of_host(error) {
        say("interrupted; nothing is left running");
        return Exit::Interrupted;
    }
    say(&format!("error: {}", in_words(error)));
    let wrong_folder = matches!(
        error.downcast_ref(),
        Some(
            RecordError::NoRun(_)
                | RecordError::NotEmpty(_)
                | RecordError::Newer { .. }
                | RecordError::TooLarge { .. }
                | RecordError::InUse(_)
                | RecordError::OtherGalo { .. }
                | RecordError::OtherKind { .. }
                | RecordError::UnknownModel(_)
        )
    );
    let wrong_cache = matches!(error.downcast_ref(), Some(CacheError::Asked(_)));
    let wrong_revision = matches!(
        error.downcast_ref(),
        Some(RevisionError::Asked(_) | RevisionError::Cache(CacheError::Asked(_)))
    );
    let wrong_plan = error.is::<PlanError>() || matches!(error.downcast_ref(), Some(DriveError::Plan(_)));
    if wrong_folder
        || wrong_plan
        || wrong_cache
        || wrong_revision
        || error.is::<GatlingError>()
        || error.is::<WrongUse>()
    {
        Exit::WrongUse
    } else if cause_of_host(error).is_some() || error.is::<NotStarted>() {
        Exit::NotStarted
    } else {
        Exit::Failed
    }
}

/// The host's error, also where it ended a run.
pub(crate) fn cause_of_host(error: &anyhow::Error) -> Option<&HostError> {
    match error.downcast_ref() {
        Some(DriveError::Host(error)) => Some(error),
        _ => error.downcast_ref(),
    }
}

/// The cause first, then what it kept galo from, from the inside out, then what to do. A cause that names no subject makes one
/// sentence with what it befell: ``cannot write `x`: no space left``.
pub(crate) fn in_words(error: &anyhow::Error) -> String {
    let mut links: Vec<String> = error.chain().map(ToString::to_string).collect();
    let mut told: Vec<String> = links.pop().into_iter().collect();
    let mut inner = told.concat();
    let mut has_subject = inner.contains(": ") || inner.contains('\n');
    while let Some(outer) = links.pop() {
        let own = outer.replace(&format!(": {inner}"), "").replace(&inner, "");
        let joins = !has_subject && (own != outer || !outer.contains('\n'));
        match joins {
            true if own == outer => told = vec![format!("{outer}: {inner}")],
            true => told = vec![outer.clone()],
            false => told.push(own),
        }
        has_subject = true;
        inner = outer;
    }
    let (texts, hints): (Vec<&str>, Vec<&str>) =
        told.iter().map(|text| text.split_once("\nhint: ").unwrap_or((text, ""))).unzip();
    let texts = texts.into_iter().filter(|text| !text.is_empty()).map(str::to_owned);
    let hints = hints.into_iter().filter(|hint| !hint.is_empty()).map(|hint| format!("hint: {hint}"));
    texts.chain(hints).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use std::io::Error;
    use std::path::PathBuf;

    use anyhow::Context;
    use insta::assert_snapshot;

    use super::*;

    fn full() -> RecordError {
        let source = Error::from_raw_os_error(28);
        RecordError::Io { action: "write", path: PathBuf::from("acts.jsonl"), source }
    }

    #[test]
    fn a_cause_and_what_it_befell_make_one_sentence() {
        let written = Err::<(), _>(Error::from_raw_os_error(28)).context("cannot write `x.csv`");
        assert_snapshot!(in_words(&written.unwrap_err()), @"cannot write `x.csv`: No space left on device (os error 28)");
        assert_snapshot!(in_words(&full().into()), @r"
        cannot write `acts.jsonl`: No space left on device (os error 28)
        hint: make room on that disk, or choose a folder on another one with --out
        ");
        assert_snapshot!(in_words(&WrongUse("`x` is nothing\nhint: y".to_owned()).into()), @r"
        `x` is nothing
        hint: y
        ");
    }

    #[test]
    fn of_three_clauses_the_cause_comes_first_and_what_to_do_last() {
        let kept = "what was over is kept\nhint: go on with it: galo fight --resume x";
        let lost = Err::<(), _>(DriveError::Record(full())).context(kept).unwrap_err();
        assert_snapshot!(in_words(&lost), @r"
        cannot write `acts.jsonl`: No space left on device (os error 28)
        the round is lost
        what was over is kept
        hint: make room on that disk, or choose a folder on another one with --out
        hint: go on with it: galo fight --resume x
        ");
        let host = galo_host::HostError::host("cannot remove `x`: it is busy");
        assert_snapshot!(in_words(&DriveError::Remains(host).into()), @r"
        cannot remove `x`: it is busy
        what was started could not be removed
        ");
        let bug = Err::<(), _>(DriveError::Bug("nothing is up".to_owned())).context(kept).unwrap_err();
        assert_snapshot!(in_words(&bug), @r"
        nothing is up (a bug in galo)
        what was over is kept
        hint: go on with it: galo fight --resume x
        ");
    }
}
