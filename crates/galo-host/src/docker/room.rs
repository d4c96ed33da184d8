//! Makes room on the engine's disk: a league of hundreds of entries builds more than a disk holds.
//!
//! Only what galo itself built goes, and what builds left to be quicker the next time. Both are made again where they are needed.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use rustix::fs::statvfs;

use crate::engine::{Engine, SOON};
use crate::error::HostError;

/// With less free than this an image of some size may not fit any more.
const SHORT_BYTES: u64 = 4 << 30;
/// Removing many layers takes its time.
const REMOVED_WITHIN: Duration = Duration::from_secs(600);

/// Removes images that galo built, but for those of these repositories, and caches of builds, if the engine's disk is short; whether it was.
///
/// # Errors
/// The engine does not answer.
pub(super) fn make(engine: &Engine, keep: &BTreeSet<String>) -> Result<bool, HostError> {
    let is_short = free_bytes(engine)?.is_some_and(|free| free < SHORT_BYTES);
    if is_short {
        remove(engine, keep)?;
    }
    Ok(is_short)
}

/// The same, however much is free.
fn remove(engine: &Engine, keep: &BTreeSet<String>) -> Result<(), HostError> {
    let list = ["image", "ls", "--filter", "reference=galo-built/*", "--format", "{{.Repository}} {{.Tag}}"];
    let told = engine.attempt(&list, SOON)?.unwrap_or_default();
    let images = told.lines().filter_map(|line| line.split_once(' '));
    let gone = images.filter(|(repository, _)| !keep.contains(*repository));
    for (repository, tag) in gone {
        // One that a container uses stays.
        let _ = engine.attempt(&["image", "rm", &format!("{repository}:{tag}")], REMOVED_WITHIN)?;
    }
    // An engine without such a builder has no such cache.
    let _ = engine.attempt(&["builder", "prune", "--force"], REMOVED_WITHIN)?;
    Ok(())
}

/// What is free where the engine keeps images; `None`: that is no folder of this machine.
fn free_bytes(engine: &Engine) -> Result<Option<u64>, HostError> {
    let root = engine.attempt(&["info", "--format", "{{.DockerRootDir}}"], SOON)?;
    let root = root.ok().map(|root| PathBuf::from(root.trim()));
    let disk = root.and_then(|root| statvfs(&root).ok());
    Ok(disk.map(|disk| disk.f_bavail.saturating_mul(disk.f_frsize)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    /// A client whose engine keeps its images in this folder; what it was asked is in `asked`.
    fn engine(folder: &std::path::Path, root: &str) -> Engine {
        let script = format!(
            "case \"$1 $2\" in\n'info --format') echo {root};;\n\
             'image ls') printf 'galo-built/a api\\ngalo-built/b api\\n';;\n\
             *) echo \"$*\" >> {}/asked;;\nesac",
            folder.display()
        );
        testing::engine(folder, &script)
    }

    #[test]
    fn where_the_disk_is_short_only_what_galo_built_goes_and_what_is_needed_now_stays() {
        let folder = tempfile::tempdir().unwrap();
        let asked = || std::fs::read_to_string(folder.path().join("asked")).unwrap_or_default();
        let keep = BTreeSet::from(["galo-built/b".to_owned()]);
        // A disk of another machine, of which nothing is known.
        assert!(!make(&engine(folder.path(), "/nowhere/docker"), &keep).unwrap());
        assert_eq!(asked(), "");
        // On this file system nothing is ever free.
        assert!(make(&engine(folder.path(), "/proc"), &keep).unwrap());
        assert_eq!(asked(), "image rm galo-built/a:api\nbuilder prune --force\n");
    }
}
