//! Seeds of runs that are not over: each in a file that only its owner reads.
//!
//! A run folder tells its seed at its end ([`crate::act::Act::TellSeed`]). Until then `--resume` and `galo report` need it from here:
//! from the user's state folder, or for a run that machines share, from the run folder itself.

use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use rustix::process::geteuid;

use crate::disk::{Folder, RecordError, files};
use crate::sealed::Sealed;
use crate::state::state_folder;

/// Where seeds of root's runs are, unless `GALO_STATE` names another state folder.
const OF_ROOT: &str = "/var/lib/galo";

/// The folder of such files, each called as its run's commitment. No contender may see it.
#[derive(Debug, Clone)]
pub struct Seeds(Option<PathBuf>);

impl Seeds {
    /// What such a folder is called.
    pub(crate) const FOLDER: &str = "seeds";

    /// In `seeds` below `$GALO_STATE`; else of root below `/var/lib/galo`, of others below `$XDG_STATE_HOME/galo`, else
    /// `$HOME/.local/state/galo`.
    pub fn of_user() -> Self {
        Self::by(geteuid().is_root(), ["GALO_STATE", "XDG_STATE_HOME", "HOME"].map(std::env::var_os))
    }

    fn by(is_root: bool, [own, xdg, home]: [Option<OsString>; 3]) -> Self {
        let state = match own.filter(|own| !own.is_empty()) {
            None if is_root => Some(PathBuf::from(OF_ROOT)),
            own => state_folder(own, xdg, home),
        };
        Self(state.map(|state| state.join(Seeds::FOLDER)))
    }

    /// Where the seed of a run is: in its folder if machines share it, else in the user's state folder.
    pub fn of_run(run: &Path) -> Self {
        if Self::are_within(run) { Self::within(run) } else { Self::of_user() }
    }

    /// Whether a run was made to be shared by machines.
    pub fn are_within(run: &Path) -> bool {
        run.join(Seeds::FOLDER).is_dir()
    }

    /// In the folder of a run that is to be shared by machines.
    pub fn within(run: &Path) -> Self {
        Self::at(&run.join(Seeds::FOLDER))
    }

    /// In this folder, which need not be there yet.
    pub fn at(folder: &Path) -> Self {
        Self(Some(folder.to_owned()))
    }

    /// The folder, which need not be there; `None`: no state folder is known.
    pub fn path(&self) -> Option<&Path> {
        self.0.as_deref()
    }

    /// Keeps what a plan holds a commitment to.
    pub(crate) fn keep(&self, sealed: &Sealed) -> Result<(), RecordError> {
        let folder = self.path().ok_or(RecordError::NoState)?;
        write(folder, sealed).map_err(|error| match error {
            RecordError::Io { path, source, .. } => RecordError::SeedNotKept { path, source },
            other => other,
        })
    }

    /// What is kept for a commitment; `None`: nothing is.
    pub(crate) fn kept(&self, commitment: &str) -> Result<Option<Sealed>, RecordError> {
        let Some(path) = self.file(commitment) else { return Ok(None) };
        match files::read_json(&path) {
            Err(RecordError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => Ok(None),
            read => read.map(Some),
        }
    }

    /// Removes what is kept for a commitment, once the run folder tells it.
    pub(crate) fn forget(&self, commitment: &str) -> Result<(), RecordError> {
        let Some(path) = self.file(commitment) else { return Ok(()) };
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(RecordError::io("remove", &path, error)),
            _ => Ok(()),
        }
    }

    /// A commitment is read from a run folder, which anybody may have written.
    fn file(&self, commitment: &str) -> Option<PathBuf> {
        let is_hex = !commitment.is_empty() && commitment.bytes().all(|byte| byte.is_ascii_hexdigit());
        self.0.as_ref().filter(|_| is_hex).map(|folder| folder.join(commitment))
    }
}

fn write(folder: &Path, sealed: &Sealed) -> Result<(), RecordError> {
    let (folder, commitment) = (Folder::create(folder)?, sealed.commitment());
    folder.protect()?;
    let failed = |e: serde_json::Error| RecordError::io("write", &folder.path().join(&commitment), e.into());
    let json = serde_json::to_vec(sealed).map_err(failed)?;
    folder.write_private(&commitment, &json)?;
    folder.sync()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_seeds_are_where_only_root_has_its_state_and_others_are_in_their_own() {
        let at = |is_root, own: &str, xdg: &str, home: &str| {
            let seeds = Seeds::by(is_root, [own, xdg, home].map(|value| Some(OsString::from(value))));
            seeds.path().map(|path| path.display().to_string()).unwrap_or_default()
        };
        assert_eq!(at(true, "", "/x", "/h"), "/var/lib/galo/seeds");
        assert_eq!(at(true, "/mine", "/x", "/h"), "/mine/seeds");
        assert_eq!(at(false, "", "/x", "/h"), "/x/galo/seeds");
        assert_eq!(at(false, "", "", "/h"), "/h/.local/state/galo/seeds");
        assert_eq!(at(false, "", "", ""), "");
    }

    #[test]
    fn a_place_where_nothing_can_be_kept_is_told_with_what_to_set() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("file"), "").unwrap();
        let sealed: Sealed = serde_json::from_str(r#"{"salt":"00","seed":"7"}"#).unwrap();
        for seeds in [Seeds::at(&root.path().join("file/seeds")), Seeds(None)] {
            let error = seeds.keep(&sealed).unwrap_err().to_string();
            assert!(error.contains("hint: set GALO_STATE to a folder"), "{error}");
        }
    }

    #[test]
    fn a_commitment_that_is_a_path_leads_nowhere() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("other"), "precious").unwrap();
        let seeds = Seeds::at(&root.path().join(Seeds::FOLDER));
        for commitment in ["../other", "/etc/passwd", ""] {
            assert!(seeds.kept(commitment).unwrap().is_none(), "{commitment}");
            seeds.forget(commitment).unwrap();
        }
        assert!(root.path().join("other").exists());
    }
}
