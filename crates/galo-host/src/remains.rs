//! Kills and removes what a dead galo's list names.

use std::fs;
use std::path::{Path, PathBuf};

use crate::enclosure::Enclosure;
use crate::error::HostError;
use crate::state::{self, State};
use crate::sweep;
use crate::system::System;

/// Removes what dead galos left. Returns a line for each thing removed.
///
/// What belongs to a galo that lives (its lock is held) is not touched.
///
/// # Errors
/// What could not be removed; the rest is removed all the same. Nothing is, and that is told, where the state root is
/// not this user's own.
pub fn clean() -> Result<Vec<String>, HostError> {
    clean_below(&state::state_root())
}

/// The same for a state root of the caller's.
///
/// # Errors
/// As [`clean`].
pub fn clean_below(root: &Path) -> Result<Vec<String>, HostError> {
    let mut lines = Vec::new();
    let mut failed = None;
    for folder in state::folders(root)? {
        // Held until the folder is gone: two galos that clean at once do not get in each other's way.
        let Some(_lock) = state::try_lock(&folder) else { continue };
        if let Err(error) = remove_folder(&folder, &mut lines) {
            failed = Some(error);
        }
    }
    failed.map_or(Ok(lines), Err)
}

/// The state folders below a root whose galo is dead, and the number of those whose galo lives.
///
/// # Errors
/// The root is not this user's own.
pub(crate) fn count(root: &Path) -> Result<(Vec<PathBuf>, usize), HostError> {
    let all = state::folders(root)?;
    let number = all.len();
    let dead: Vec<PathBuf> = all.into_iter().filter(|folder| state::try_lock(folder).is_some()).collect();
    let living = number - dead.len();
    Ok((dead, living))
}

/// Removes all that a state folder lists, then the folder. The caller holds its lock. If something cannot be removed,
/// the folder stays, for the next try.
pub(crate) fn remove_folder(folder: &Path, lines: &mut Vec<String>) -> Result<(), HostError> {
    let State { boot_id, enclosures, volumes, projects } = state::read(folder)?;
    let mut result = Ok(());
    if boot_id == System::real().boot_id() {
        for enclosure in &enclosures {
            result = result.and(remove_enclosure(enclosure, lines));
        }
    }
    // After the processes of its client, which ask for more.
    for project in &projects {
        result = result.and(project.remove_unfinished().map(|gone| {
            let told = gone.into_iter().map(|(kind, n)| format!("removed {kind}s of {}: {n}", project.name));
            lines.extend(told);
        }));
    }
    for volume in &volumes {
        result = result.and(sweep::remove(volume).map(|gone| {
            if gone {
                lines.push(format!("removed volumes {}", volume.display()));
            }
        }));
    }
    result?;
    fs::remove_dir_all(folder).map_err(|e| HostError::io("remove", folder, &e))?;
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    lines.push(format!("removed the state of galo {name}, which is dead"));
    Ok(())
}

fn remove_enclosure(enclosure: &Enclosure, lines: &mut Vec<String>) -> Result<(), HostError> {
    let existed = enclosure.exists();
    let killed = enclosure.kill()?;
    enclosure.remove()?;
    if existed {
        let name = enclosure.name();
        lines.push(match killed.processes {
            0 => format!("removed control group {name}"),
            1 => format!("removed control group {name}, with 1 process that still ran"),
            n => format!("removed control group {name}, with {n} processes that still ran"),
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// A root of this mode with what a dead galo left, and a folder that its list names.
    fn left(mode: u32, list: &str) -> (tempfile::TempDir, PathBuf, PathBuf) {
        let place = tempfile::tempdir().unwrap();
        let (root, precious) = (place.path().join("galo"), place.path().join("precious"));
        let folder = root.join("1-ab");
        fs::create_dir_all(&folder).unwrap();
        fs::create_dir(&precious).unwrap();
        fs::write(folder.join("lock"), "").unwrap();
        fs::write(folder.join("state.json"), list.replace("PRECIOUS", &precious.to_string_lossy())).unwrap();
        fs::set_permissions(&root, fs::Permissions::from_mode(mode)).unwrap();
        (place, root, precious)
    }

    const LIST: &str = r#"{"boot_id": "", "enclosures": [], "volumes": ["PRECIOUS"]}"#;

    #[test]
    fn a_list_in_a_root_that_strangers_may_write_to_is_not_believed() {
        let (_place, root, precious) = left(0o777, LIST);
        let error = clean_below(&root).unwrap_err();
        assert!(error.message.contains("is not galo's own\nhint: "), "{error}");
        assert!(precious.exists(), "a stranger had a folder removed");
        assert!(count(&root).is_err());
        // The same list is acted on where only galo's user may have written it.
        let (_place, root, precious) = left(0o700, LIST);
        assert_eq!(count(&root).unwrap(), (vec![root.join("1-ab")], 0));
        assert_eq!(clean_below(&root).unwrap().len(), 2);
        assert!(!precious.exists());
    }

    #[test]
    fn where_there_is_no_root_there_is_nothing_to_do() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("galo");
        assert_eq!(clean_below(&root).unwrap(), Vec::<String>::new());
        assert_eq!(count(&root).unwrap(), (Vec::new(), 0));
        assert!(!root.exists());
    }

    #[test]
    fn a_folder_whose_list_cannot_be_understood_is_kept_and_named() {
        let (_place, root, precious) = left(0o700, r#"{"boot_id": "", "volumes": ["PRECIOUS""#);
        let error = clean_below(&root).unwrap_err();
        assert!(error.message.contains(&format!("rm -r {}", root.join("1-ab").display())), "{error}");
        assert!(root.join("1-ab/state.json").exists() && precious.exists());
    }

    #[test]
    fn a_ports_lock_is_no_galo() {
        let (_place, root, _precious) = left(0o700, LIST);
        clean_below(&root).unwrap();
        fs::write(root.join("port-9999.lock"), "").unwrap();
        assert_eq!(count(&root).unwrap(), (Vec::new(), 0));
        assert_eq!(clean_below(&root).unwrap(), Vec::<String>::new());
        assert!(root.join("port-9999.lock").exists());
    }
}
