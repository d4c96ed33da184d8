//! Whole files: written to a temporary name, synced, renamed; read into memory.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{Folder, RecordError};
use crate::codec::{self, NewerVersion};

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

/// Writes a file as [`Folder::write`] does, into a folder that is not held open.
///
/// # Errors
/// [`RecordError::Io`] with the file.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), RecordError> {
    let no_file = || RecordError::io("write", path, io::ErrorKind::InvalidInput.into());
    let name = path.file_name().and_then(|name| name.to_str()).ok_or_else(no_file)?;
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    Folder::open(parent.unwrap_or(Path::new(".")))?.write(name, bytes).map(drop)
}

/// Bytes of the largest file that is read: a history of some hundred million operations.
const MOST: u64 = 4 << 30;
/// The same of a file of JSON, which takes some ten times as much in memory.
const MOST_JSON: u64 = 256 << 20;

pub(crate) fn read_whole(path: &Path) -> Result<Vec<u8>, RecordError> {
    read_at_most(path, MOST)
}

fn read_at_most(path: &Path, most: u64) -> Result<Vec<u8>, RecordError> {
    let failed = |source| RecordError::io("read", path, source);
    // Opening a pipe, and reading from it, would wait without end.
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let file = File::options().read(true).custom_flags(flags).open(path).map_err(failed)?;
    let about = file.metadata().map_err(failed)?;
    if !about.is_file() {
        return Err(RecordError::Damaged { path: path.to_owned(), reason: "it is no file".to_owned() });
    }
    let too_large = |bytes| RecordError::TooLarge { path: path.to_owned(), bytes, most };
    if about.len() > most {
        return Err(too_large(about.len()));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(about.len()).unwrap_or(0));
    // It may grow meanwhile, and some files of the kernel's have no length.
    file.take(most + 1).read_to_end(&mut bytes).map_err(failed)?;
    match bytes.len() as u64 {
        read if read > most => Err(too_large(read)),
        _ => Ok(bytes),
    }
}

pub(crate) fn write_json<T: Serialize>(folder: &Folder, name: &str, value: &T) -> Result<(), RecordError> {
    folder.write(name, &json(&folder.path().join(name), value)?).map(drop)
}

/// What a file of JSON will hold. More than would be read again is refused.
pub(crate) fn json<T: Serialize>(path: &Path, value: &T) -> Result<Vec<u8>, RecordError> {
    let failed = |e: serde_json::Error| RecordError::io("write", path, e.into());
    let mut bytes = serde_json::to_vec_pretty(value).map_err(failed)?;
    bytes.push(b'\n');
    match bytes.len() as u64 {
        bytes if bytes > MOST_JSON => {
            let what = format!("it would have {bytes} bytes, and galo reads {MOST_JSON} at most");
            Err(RecordError::io("write", path, io::Error::new(io::ErrorKind::FileTooLarge, what)))
        }
        _ => Ok(bytes),
    }
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
pub(crate) fn write_lines<T: Serialize>(
    folder: &Folder,
    name: &str,
    values: &[T],
) -> Result<(), RecordError> {
    let mut bytes = Vec::new();
    let written = if is_compressed(Path::new(name)) {
        codec::compress(&mut bytes, |out| put_lines(out, values))
    } else {
        put_lines(&mut bytes, values)
    };
    written.map_err(|source| RecordError::io("write", &folder.path().join(name), source))?;
    folder.write(name, &bytes).map(drop)
}

/// Reads what [`write_lines`] wrote.
pub(crate) fn read_lines<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, RecordError> {
    let bytes = read_at_most(path, MOST_JSON)?;
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
