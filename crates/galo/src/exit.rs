//! Exit codes, all of them.

use std::process::ExitCode;

use galo_drive::DriveError;
use galo_host::{HostError, RevisionError};
use galo_plan::PlanError;
use galo_record::RecordError;
use galo_report::GatlingError;

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
    if let Some(HostError { interrupted: true, .. }) = of_host(error) {
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
        )
    );
    let wrong_revision = matches!(error.downcast_ref(), Some(RevisionError::Asked(_)));
    let wrong_plan = error.is::<PlanError>() || matches!(error.downcast_ref(), Some(DriveError::Plan(_)));
    if wrong_folder || wrong_plan || wrong_revision || error.is::<GatlingError>() || error.is::<WrongUse>() {
        Exit::WrongUse
    } else if of_host(error).is_some() || error.is::<NotStarted>() {
        Exit::NotStarted
    } else {
        Exit::Failed
    }
}

/// The host's error, also where it ended a run.
fn of_host(error: &anyhow::Error) -> Option<&HostError> {
    match error.downcast_ref() {
        Some(DriveError::Host(error)) => Some(error),
        _ => error.downcast_ref(),
    }
}

/// The error and its causes, without those that it has told itself.
fn in_words(error: &anyhow::Error) -> String {
    error.chain().skip(1).fold(error.to_string(), |told, cause| {
        let cause = cause.to_string();
        if told.contains(&cause) { told } else { format!("{told}: {cause}") }
    })
}
