//! Reading a run folder that may have been cut, or edited.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use super::{ACTS, LOGS, ROUNDS};
use crate::act::{Act, Acted, units};
use crate::disk::{RecordError, files};
use crate::round::RoundRecord;

/// So many lines of a file that is there only where there were any. Fewer cases would be fewer broken rules.
pub(super) fn lines_of<T: DeserializeOwned>(path: &Path, expected: usize) -> Result<Vec<T>, RecordError> {
    if expected == 0 {
        return Ok(Vec::new());
    }
    let lines: Vec<T> = files::read_lines(path)?;
    if lines.len() == expected {
        return Ok(lines);
    }
    let reason = format!("it has {} lines, but {expected} were written", lines.len());
    Err(RecordError::Damaged { path: path.to_owned(), reason })
}

/// The rounds of a run that were closed, each with its folder.
pub(super) fn closed_rounds(run: &Path, acts: &[Acted]) -> Result<Vec<(PathBuf, RoundRecord)>, RecordError> {
    let damaged = |reason| RecordError::Damaged { path: run.join(ACTS), reason };
    let folders = folders(&run.join(ROUNDS))?;
    let mut rounds = Vec::new();
    for unit in units(acts).map_err(damaged)? {
        if !unit.is_closed() {
            continue;
        }
        let record = unit.round().map_err(damaged)?;
        let number = record.number;
        if record.load.steps.iter().any(|step| !step.ledger.is_possible()) {
            return Err(damaged(format!("round {number} tells of more operations than there can be")));
        }
        let folder = folders.get(&number).cloned().ok_or_else(|| RecordError::Damaged {
            path: run.join(ROUNDS),
            reason: format!("the folder of round {number} is missing"),
        })?;
        rounds.push((folder, record));
    }
    Ok(rounds)
}

/// Removes the folder of a unit that was never begun: galo ended between making it and writing the line. It is empty.
pub(super) fn remove_unbegun(rounds: &Path, acts: &[Acted]) -> Result<(), RecordError> {
    let begun = acts.iter().filter(|acted| matches!(acted.act, Act::Begin(_))).count();
    for (number, folder) in folders(rounds)? {
        if number as usize > begun {
            let logs = match fs::remove_dir(folder.join(LOGS)) {
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
                removed => removed,
            };
            let removed = logs.and_then(|()| fs::remove_dir(&folder));
            removed.map_err(|e| RecordError::io("remove", &folder, e))?;
        }
    }
    Ok(())
}

/// Folders of rounds by number. Whatever else is there is none of galo's business.
fn folders(rounds: &Path) -> Result<BTreeMap<u32, PathBuf>, RecordError> {
    let failed = |e| RecordError::io("read", rounds, e);
    let mut folders = BTreeMap::new();
    for entry in fs::read_dir(rounds).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let Some(number) = round_number(&path) else { continue };
        if folders.insert(number, path).is_some() {
            let reason = format!("there are several rounds {number}");
            return Err(RecordError::Damaged { path: rounds.to_owned(), reason });
        }
    }
    Ok(folders)
}

/// The number that the name of a round's folder begins with.
fn round_number(folder: &Path) -> Option<u32> {
    let name = folder.file_name()?.to_string_lossy();
    name.split('-').next()?.parse().ok()
}
