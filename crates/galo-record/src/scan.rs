//! A scan of one parameter: duels, one for each value, each in a run folder of its own below the scan's.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::run::{RecordError, files};

/// Version of the file's form. A reader refuses a newer one.
pub const FORMAT: u32 = 1;

const FILE: &str = "scan.json";

/// Which duels there are; written again after each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScanRecord {
    /// [`FORMAT`].
    pub format: u32,
    /// The parameter's name.
    pub parameter: String,
    /// The value that all others are compared with; `None`: two commands fight at each value.
    pub baseline: Option<String>,
    /// In the order in which they were driven.
    pub duels: Vec<ScanDuel>,
}

/// One duel of a scan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScanDuel {
    /// The value.
    pub value: String,
    /// Its run folder, below the scan's.
    pub folder: String,
}

/// Writes it into the scan's folder, over what was there.
pub(crate) fn write(folder: &Path, scan: &ScanRecord) -> Result<(), RecordError> {
    files::write_json(&folder.join(FILE), scan)?;
    files::sync_folder(folder)
}

/// Reads it from the scan's folder; `None` where there is none.
pub(crate) fn read(folder: &Path) -> Result<Option<ScanRecord>, RecordError> {
    files::read_versioned(&folder.join(FILE), FORMAT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scan_comes_back_as_it_was_written_last() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read(folder.path()).unwrap(), None);
        let mut scan = ScanRecord {
            format: FORMAT,
            parameter: "workers".to_owned(),
            baseline: Some("1".to_owned()),
            duels: Vec::new(),
        };
        write(folder.path(), &scan).unwrap();
        scan.duels.push(ScanDuel { value: "2".to_owned(), folder: "01".to_owned() });
        write(folder.path(), &scan).unwrap();
        assert_eq!(read(folder.path()).unwrap(), Some(scan));
    }
}
