//! Whole files: written to a temporary name, synced, renamed; read into memory.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::RecordError;
use crate::codec::{self, NewerVersion};

pub(crate) fn io(action: &'static str, path: &Path, source: io::Error) -> RecordError {
    RecordError::Io { action, path: path.to_owned(), source }
}

/// For what went wrong with the bytes of a file that was read whole.
pub(crate) fn damaged(path: &Path, error: &io::Error) -> RecordError {
    if let Some(&NewerVersion { found, known }) = error.get_ref().and_then(|inner| inner.downcast_ref()) {
        return RecordError::Newer { path: path.to_owned(), found, known };
    }
    let reason = match error.kind() {
        io::ErrorKind::UnexpectedEof => "it is cut off".to_owned(),
        io::ErrorKind::NotFound => "it is not there".to_owned(),
        _ => error.to_string(),
    };
    RecordError::Damaged { path: path.to_owned(), reason }
}

/// Writes a file so that whoever sees it sees all of it, also after a power cut. Nothing of it is left after an error.
///
/// # Errors
/// [`RecordError::Io`] with the file.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), RecordError> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(".tmp");
    let temporary = Path::new(&temporary);
    let written = File::create(temporary)
        .and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()
        })
        .and_then(|()| fs::rename(temporary, path));
    written.map_err(|source| {
        // The first error is the one to tell; the temporary file may not even exist.
        let _ = fs::remove_file(temporary);
        io("write", path, source)
    })
}

/// Bytes of the largest file that is read: a history of some hundred million operations.
const MOST: u64 = 4 << 30;
/// The same of a file of JSON, which takes some ten times as much in memory.
const MOST_JSON: u64 = 256 << 20;

pub(crate) fn read_whole(path: &Path) -> Result<Vec<u8>, RecordError> {
    read_at_most(path, MOST)
}

fn read_at_most(path: &Path, most: u64) -> Result<Vec<u8>, RecordError> {
    let about = fs::metadata(path).map_err(|source| io("read", path, source))?;
    if !about.is_file() {
        // A pipe would be waited for without end.
        return Err(RecordError::Damaged { path: path.to_owned(), reason: "it is no file".to_owned() });
    }
    if about.len() > most {
        return Err(RecordError::TooLarge { path: path.to_owned(), bytes: about.len(), most });
    }
    fs::read(path).map_err(|source| io("read", path, source))
}

/// Makes names in a folder (new files, renames) last through a power cut.
pub(crate) fn sync_folder(path: &Path) -> Result<(), RecordError> {
    File::open(path).and_then(|folder| folder.sync_all()).map_err(|source| io("write", path, source))
}

pub(crate) fn write_json<T: Serialize>(path: &Path, value: &T) -> Result<(), RecordError> {
    let mut bytes = serde_json::to_vec_pretty(value).map_err(|e| io("write", path, e.into()))?;
    bytes.push(b'\n');
    write_whole(path, &bytes)
}

pub(crate) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, RecordError> {
    serde_json::from_slice(&read_at_most(path, MOST_JSON)?).map_err(|e| damaged(path, &e.into()))
}

/// The version of a JSON file's form, which every version is sure to tell.
pub(crate) fn read_format(path: &Path) -> Result<u32, RecordError> {
    #[derive(Deserialize)]
    struct Format {
        format: u32,
    }
    read_json(path).map(|Format { format }| format)
}

/// A JSON file that tells the version of its form; `None` where there is none.
///
/// # Errors
/// [`RecordError::Newer`] for a version above `format`, and what is wrong with the file.
pub(crate) fn read_versioned<T: DeserializeOwned>(
    path: &Path,
    format: u32,
) -> Result<Option<T>, RecordError> {
    if !path.is_file() {
        return Ok(None);
    }
    match read_format(path)? {
        found if found > format => Err(RecordError::Newer { path: path.to_owned(), found, known: format }),
        _ => read_json(path).map(Some),
    }
}

/// One JSON value a line; compressed where the name ends in `.zst`.
pub(crate) fn write_lines<T: Serialize>(path: &Path, values: &[T]) -> Result<(), RecordError> {
    let mut bytes = Vec::new();
    let written = if is_compressed(path) {
        codec::compress(&mut bytes, |out| put_lines(out, values))
    } else {
        put_lines(&mut bytes, values)
    };
    written.map_err(|source| io("write", path, source))?;
    write_whole(path, &bytes)
}

/// Reads what [`write_lines`] wrote.
pub(crate) fn read_lines<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, RecordError> {
    let bytes = read_whole(path)?;
    let values = if is_compressed(path) {
        codec::decompress(&bytes).and_then(|mut from| {
            let values = get_lines(&mut from)?;
            codec::close(&mut from)?;
            Ok(values)
        })
    } else {
        get_lines(&mut bytes.as_slice())
    };
    values.map_err(|e| damaged(path, &e))
}

fn is_compressed(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "zst")
}

fn put_lines<T: Serialize>(out: &mut dyn Write, values: &[T]) -> io::Result<()> {
    for value in values {
        serde_json::to_writer(&mut *out, value)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

fn get_lines<T: DeserializeOwned>(from: &mut impl io::BufRead) -> io::Result<Vec<T>> {
    let mut values = Vec::new();
    let mut line = Vec::new();
    loop {
        line.clear();
        if from.read_until(b'\n', &mut line)? == 0 {
            return Ok(values);
        }
        if line.pop() != Some(b'\n') {
            return Err(codec::invalid(format!("line {} is cut off", values.len() + 1)));
        }
        values.push(serde_json::from_slice(&line).map_err(|e| {
            // serde_json counts lines within what it is given, which is always one.
            codec::invalid(format!("line {}: {e}", values.len() + 1))
        })?);
    }
}
