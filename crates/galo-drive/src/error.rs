//! What ends a run.

use galo_host::HostError;
use galo_load::LoadError;
use galo_record::RecordError;
use galo_watch::WatchError;

/// What ends a run: never a contender's doing, which is recorded instead.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DriveError {
    /// The host failed.
    #[error(transparent)]
    Host(#[from] HostError),
    /// The load engine could not begin.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// What is to be seen cannot be.
    #[error(transparent)]
    Watch(#[from] WatchError),
    /// The run folder cannot be written.
    #[error("the round is lost: {0}")]
    Record(#[from] RecordError),
    /// galo itself could not ask a contender for its count.
    #[error("{0}, so the count could not be asked for\nhint: see `galo doctor`")]
    Count(String),
    /// The plan cannot be driven so.
    #[error(transparent)]
    Plan(#[from] galo_plan::PlanError),
    /// What was started could not be removed.
    #[error("what was started could not be removed: {0}")]
    Remains(#[source] HostError),
    /// What was to be run after the end of a side.
    #[error("--after `{command}` failed ({why})\nhint: try it by itself")]
    After {
        /// The command.
        command: String,
        /// Its status, or why it could not be run.
        why: String,
    },
    /// Something that galo never does.
    #[error("{0} (a bug in galo)")]
    Bug(String),
}
