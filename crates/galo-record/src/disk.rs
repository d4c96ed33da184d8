//! Files and folders as galo reads and writes them, whatever they hold: whole or not at all, bounded, never through a link.

pub(crate) mod files;
pub(crate) mod folder;

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

pub use files::write_whole;
pub use folder::Folder;

/// galo's version, which a run's header tells.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Why a run folder cannot be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The file system refused (a full disk among others).
    #[error("cannot {action} `{path}`: {source}\nhint: {}", hint(source))]
    Io {
        /// `write`, `read`, `create`, `open`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The folder is there already and not empty.
    #[error("run folder `{0}` is not empty\nhint: choose another with --out")]
    NotEmpty(PathBuf),
    /// The file is not what galo wrote.
    #[error(
        "`{path}` is damaged: {reason}\nhint: copy the run folder again from where it was made, or fight again"
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A name that would lead out of the folder.
    #[error(
        "`{name}` is no name of anything in `{}`\nhint: copy the run folder again from where it was made",
        folder.display()
    )]
    NoName {
        /// The folder.
        folder: PathBuf,
        /// The name.
        name: String,
    },
    /// No run there.
    #[error(
        "`{0}` is no run folder: it holds no run.json\nhint: give the folder that `galo fight` named at its end"
    )]
    NoRun(PathBuf),
    /// Written by a newer galo.
    #[error("`{path}` has format {found}, this galo reads up to {known}\nhint: use a newer galo")]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// The newest that is known here.
        known: u32,
    },
    /// Written by an older galo, in a form that is not read any more.
    #[error(
        "`{path}` has format {found}, this galo reads {known}\nhint: it was made by galo {galo}; use that one"
    )]
    Older {
        /// The run.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// The one that is read.
        known: u32,
        /// The version that made it.
        galo: String,
    },
    /// It is not over, and who asks cannot know its seed.
    #[error(
        "`{path}` is unfinished, and its seed is not told yet: it was kept in `{kept}`, which is not there\nhint: open it on the \
         machine and as the user that began it, or begin it anew"
    )]
    SeedGone {
        /// The run.
        path: PathBuf,
        /// Where its seed would be.
        kept: PathBuf,
    },
    /// The seed is not the one that its plan committed to.
    #[error(
        "`{0}` tells another seed than its plan committed to: the seed was changed after the run\n\
         hint: copy the run folder again from where it was made; as it is, it proves nothing"
    )]
    SeedChanged(PathBuf),
    /// The seed cannot be kept.
    #[error(
        "cannot keep the seed in `{path}` until the run is over: {source}\nhint: set GALO_STATE to a folder that can be written"
    )]
    SeedNotKept {
        /// The folder or the file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// There is no place for the seed of a run that is not over.
    #[error(
        "no state folder is known, where the seed is kept until the run is over\nhint: set GALO_STATE to a folder, or HOME"
    )]
    NoState,
    /// Another galo writes it.
    #[error("`{0}` is in use by another galo\nhint: wait for its end, or end it")]
    InUse(PathBuf),
    /// Another version of galo began it.
    #[error(
        "`{path}` was begun by galo {found}, this is galo {VERSION}\nhint: resume it by that galo, or begin anew"
    )]
    OtherGalo {
        /// The run.
        path: PathBuf,
        /// That version.
        found: String,
    },
    /// It holds a run of another kind.
    #[error("`{path}` is {found}, not {wanted}\nhint: galo report tells a run of any kind")]
    OtherKind {
        /// The run.
        path: PathBuf,
        /// What it holds.
        found: &'static str,
        /// What was looked for.
        wanted: &'static str,
    },
    /// It is of a challenge with a model that is not known here.
    #[error(
        "the run is of a challenge whose model `{0}` this galo does not have\nhint: use the galo that made it"
    )]
    UnknownModel(String),
    /// Larger than any record.
    #[error(
        "`{path}` is no record: it has {bytes} bytes, and galo reads {most} at most\nhint: give the folder that galo \
         named at its end, or copy it again from where it was made"
    )]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
        /// The largest that is read.
        most: u64,
    },
}

impl RecordError {
    pub(crate) fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Io { action, path: path.to_owned(), source }
    }
}

/// What to do about the file system's refusal.
fn hint(error: &io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "make room on that disk, or choose a folder on another one with --out"
        }
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            "change the folder's permissions, or choose another with --out"
        }
        ErrorKind::FileTooLarge => {
            "send fewer rows or shorter bodies, if no limit of files is in the way (ulimit -f)"
        }
        ErrorKind::NotFound => "the file was moved or removed; copy the run folder again",
        _ => "see whether the disk and the folder are as they should be, or choose another with --out",
    }
}
