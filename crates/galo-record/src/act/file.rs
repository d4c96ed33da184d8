//! `acts.jsonl`: one act a line, synced before the next begins.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use super::Acted;
use crate::disk::{RecordError, files};

/// Appends an act to the open file, and has it last through a power cut.
///
/// # Errors
/// What the file system refuses; `path` is the file's, for the message.
pub(crate) fn append(mut file: &File, path: &Path, acted: &Acted) -> Result<(), RecordError> {
    let mut line = serde_json::to_vec(acted).map_err(|e| RecordError::io("write", path, e.into()))?;
    line.push(b'\n');
    file.write_all(&line).and_then(|()| file.sync_data()).map_err(|e| RecordError::io("write", path, e))
}

/// All acts of a file; its last line is left out where it is cut off, since galo ended while it was written.
///
/// # Errors
/// [`RecordError::Damaged`] for a line that is none, and for acts that are not in the order in which they are numbered.
pub(crate) fn read(path: &Path) -> Result<Vec<Acted>, RecordError> {
    let bytes = files::read_whole(path)?;
    let damaged = |line: usize, reason: String| RecordError::Damaged {
        path: path.to_owned(),
        reason: format!("line {line}: {reason}"),
    };
    let mut acts: Vec<Acted> = Vec::new();
    let whole = whole(&bytes);
    for (line, number) in bytes[..whole].split_inclusive(|&byte| byte == b'\n').zip(1..) {
        let acted: Acted = serde_json::from_slice(line).map_err(|e| damaged(number, e.to_string()))?;
        if acted.number as usize != acts.len() {
            let told = format!("it is act {}, where act {} belongs", acted.number, acts.len());
            return Err(damaged(number, told));
        }
        acts.push(acted);
    }
    Ok(acts)
}

/// How many bytes of the file are whole lines.
///
/// # Errors
/// It cannot be read.
pub(crate) fn whole_bytes(path: &Path) -> Result<u64, RecordError> {
    files::read_whole(path).map(|bytes| whole(&bytes) as u64)
}

fn whole(bytes: &[u8]) -> usize {
    bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::act::{Act, Outcome};

    fn acted(number: u32) -> Acted {
        Acted {
            number,
            began_ns: 5,
            ended_ns: 6,
            act: Act::Start { contender: 0 },
            outcome: Outcome::NotReady("x".into()),
        }
    }

    fn line(number: u32) -> String {
        serde_json::to_string(&acted(number)).unwrap() + "\n"
    }

    fn read_text(text: &str) -> Result<Vec<Acted>, RecordError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("acts.jsonl");
        fs::write(&path, text).unwrap();
        read(&path)
    }

    #[test]
    fn acts_come_back_in_their_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("acts.jsonl");
        let file = File::create(&path).unwrap();
        (0..3).for_each(|number| append(&file, &path, &acted(number)).unwrap());
        assert_eq!(read(&path).unwrap(), [acted(0), acted(1), acted(2)]);
    }

    #[test]
    fn a_line_that_was_being_written_when_galo_ended_is_left_out() {
        let text = line(0) + &line(1);
        assert_eq!(read_text(&text[..text.len() - 1]).unwrap(), [acted(0)]);
        assert_eq!(read_text(&text[..line(0).len() + 3]).unwrap(), [acted(0)]);
        assert_eq!(read_text("{\"num").unwrap(), []);
    }

    #[test]
    fn any_other_line_that_is_none_is_damage_and_so_is_an_act_in_anothers_place() {
        for text in [line(0) + "{\n" + &line(1), line(1), line(0) + &line(0), line(0) + &line(2)] {
            let read = read_text(&text);
            assert!(matches!(read, Err(RecordError::Damaged { .. })), "{text}: {read:?}");
        }
    }
}
