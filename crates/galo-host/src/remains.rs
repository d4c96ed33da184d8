//! Kills and removes what a dead galo's list names.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::enclosure::Enclosure;
use crate::error::HostError;
use crate::state::{self, State};
use crate::system::System;

/// Removes what dead galos left. Returns a line for each thing removed.
///
/// What belongs to a galo that lives (its lock is held) is not touched.
///
/// # Errors
/// What could not be removed; the rest is removed all the same.
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
    for folder in state::folders(root) {
        // Held until the folder is gone: two galos that clean at once do not get in each other's way.
        let Some(_lock) = state::try_lock(&folder) else { continue };
        if let Err(error) = remove_folder(&folder, &mut lines) {
            failed = Some(error);
        }
    }
    failed.map_or(Ok(lines), Err)
}

/// The state folders below a root whose galo is dead, and the number of those whose galo lives.
pub(crate) fn count(root: &Path) -> (Vec<PathBuf>, usize) {
    let all = state::folders(root);
    let number = all.len();
    let dead: Vec<PathBuf> = all.into_iter().filter(|folder| state::try_lock(folder).is_some()).collect();
    let living = number - dead.len();
    (dead, living)
}

/// Removes all that a state folder lists, then the folder. The caller holds its lock. If something cannot be removed,
/// the folder stays, for the next try.
pub(crate) fn remove_folder(folder: &Path, lines: &mut Vec<String>) -> Result<(), HostError> {
    let State { boot_id, enclosures, volumes } = state::read(folder);
    let mut result = Ok(());
    if boot_id == System::real().boot_id() {
        for enclosure in &enclosures {
            result = result.and(remove_enclosure(enclosure, lines));
        }
    }
    for volume in &volumes {
        result = result.and(remove_volumes(volume).map(|gone| {
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

/// Removes a folder of volumes; `false` if there was none.
pub(crate) fn remove_volumes(folder: &Path) -> Result<bool, HostError> {
    match fs::remove_dir_all(folder) {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(e) => Err(HostError::io("remove", folder, &e)),
    }
}
