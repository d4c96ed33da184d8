//! Reading a run folder that may have been cut, or edited.

use std::cmp::Ordering;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use galo_plan::Plan;
use serde::de::DeserializeOwned;

use super::{RecordError, files};

/// The plan of a run.
pub(super) fn plan(path: &Path) -> Result<Plan, RecordError> {
    let plan = files::read_versioned(path, galo_plan::plan::FORMAT)?;
    plan.ok_or_else(|| files::damaged(path, &ErrorKind::NotFound.into()))
}

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

/// Folders of rounds by number, of those that hold the file which closes a round. Whatever else is there is none of galo's business.
pub(super) fn closed_rounds(folder: &Path, closing: &str) -> Result<Vec<PathBuf>, RecordError> {
    let failed = |e| files::io("read", folder, e);
    let mut rounds = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if let Some(number) = round_number(&path).filter(|_| path.join(closing).is_file()) {
            rounds.push((number, path));
        }
    }
    rounds.sort();
    // Rounds are numbered as they are driven, and a run goes on only after one is closed: what is missing was taken away.
    for ((number, _), expected) in rounds.iter().zip(1..) {
        let reason = match number.cmp(&expected) {
            Ordering::Equal => continue,
            Ordering::Less => format!("there are several rounds {number}"),
            Ordering::Greater => format!("round {expected} is missing, though there is a round {number}"),
        };
        return Err(RecordError::Damaged { path: folder.to_owned(), reason });
    }
    Ok(rounds.into_iter().map(|(_, path)| path).collect())
}

/// The number that the name of a round's folder begins with.
pub(super) fn round_number(folder: &Path) -> Option<u32> {
    let name = folder.file_name()?.to_string_lossy();
    name.split('-').next()?.parse().ok()
}
