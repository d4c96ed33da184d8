//! A scan of one parameter: duels, one for each value, each in a run folder of its own below the scan's.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::run::folder::is_plain_name;
use crate::run::{Folder, RecordError, files};

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
pub(crate) fn write(folder: &Folder, scan: &ScanRecord) -> Result<(), RecordError> {
    files::write_json(folder, FILE, scan)?;
    folder.sync()
}

/// Reads it from the scan's folder; `None` where there is none.
pub(crate) fn read(folder: &Path) -> Result<Option<ScanRecord>, RecordError> {
    let path = folder.join(FILE);
    let record: Option<ScanRecord> = files::read_versioned(&path, FORMAT)?;
    let mut folders = record.iter().flat_map(|record| &record.duels).map(|duel| &duel.folder);
    match folders.find(|name| !is_plain_name(name)) {
        None => Ok(record),
        Some(name) => {
            let reason = format!("it tells of a duel in `{name}`, which is not below it");
            Err(RecordError::Damaged { path, reason })
        }
    }
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
        write(&Folder::open(folder.path()).unwrap(), &scan).unwrap();
        scan.duels.push(ScanDuel { value: "2".to_owned(), folder: "01".to_owned() });
        write(&Folder::open(folder.path()).unwrap(), &scan).unwrap();
        assert_eq!(read(folder.path()).unwrap(), Some(scan));
    }

    #[test]
    fn a_duel_elsewhere_is_none_of_the_scan() {
        let root = tempfile::tempdir().unwrap();
        let folder = Folder::open(root.path()).unwrap();
        for elsewhere in ["../other", "/tmp/other", "..", "", "a/b"] {
            let duel = ScanDuel { value: "2".to_owned(), folder: elsewhere.to_owned() };
            let scan =
                ScanRecord { format: FORMAT, parameter: "n".into(), baseline: None, duels: vec![duel] };
            write(&folder, &scan).unwrap();
            let error = read(root.path()).unwrap_err();
            assert!(matches!(error, RecordError::Damaged { .. }), "{elsewhere}");
        }
    }
}
