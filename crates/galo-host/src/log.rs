//! A service's log: opened for it, and its end for messages.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;

use galo_plan::secret;
use galo_record::foreign;

use crate::error::HostError;

/// Bytes of a log's end that are looked at.
const TAIL_BYTES: u64 = 2048;

/// Lines of a service's log that messages and findings show.
pub(crate) const TAIL_LINES: usize = 10;

/// Opens a log for appending: setup and service write into the same one. Who can write into the folder of logs must not choose what
/// else galo writes to.
pub(crate) fn open(path: &Path) -> Result<File, HostError> {
    let mut options = OpenOptions::new();
    foreign::open_with(options.create(true).append(true), path).map_err(|e| HostError::io("write", path, &e))
}

/// Cuts a log that is larger than `most` back to its first `kept` bytes; whether it was. Whoever writes it goes on behind
/// them, since it was opened for appending.
pub(crate) fn cut(path: &Path, most: u64, kept: u64) -> bool {
    let is_too_large = std::fs::symlink_metadata(path).is_ok_and(|log| log.len() > most);
    is_too_large
        && foreign::open_with(OpenOptions::new().write(true), path).and_then(|log| log.set_len(kept)).is_ok()
}

/// The last lines of a log, bounded, with control characters made visible. An unreadable log has none.
pub(crate) fn tail(path: &Path) -> Vec<String> {
    let read = || -> std::io::Result<(bool, Vec<u8>)> {
        let mut file = foreign::open(path)?;
        let start = file.metadata()?.len().saturating_sub(TAIL_BYTES);
        file.seek(SeekFrom::Start(start))?;
        let mut end = Vec::new();
        file.take(TAIL_BYTES).read_to_end(&mut end)?;
        Ok((start > 0, end))
    };
    let (cut, end) = read().unwrap_or_default();
    last_lines(&end, cut, TAIL_LINES)
}

/// The last lines of an end of text, of which the beginning was cut off or not, as they are told: without secrets.
pub(crate) fn last_lines(end: &[u8], cut: bool, lines: usize) -> Vec<String> {
    let text = String::from_utf8_lossy(end);
    let mut all: Vec<&str> = text.lines().collect();
    // The first line was cut in the middle, unless it is all there is.
    if cut && all.len() > 1 {
        all.remove(0);
    }
    let told = all.split_off(all.len().saturating_sub(lines));
    told.into_iter().map(|line| secret::in_text(&visible(line))).collect()
}

/// Escape sequences of a contender's log must not reach the terminal of whoever reads the message.
fn visible(line: &str) -> String {
    line.chars().map(|c| if c.is_control() && c != '\t' { '\u{fffd}' } else { c }).collect()
}

/// The end of a log as it stands below a message: nothing, or a line break and the indented lines.
pub(crate) fn quoted(lines: &[String]) -> String {
    lines.iter().map(|line| format!("\n  | {line}")).collect()
}

/// An exit status in words.
pub(crate) fn status_words(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit status {code}"),
        (None, Some(signal)) => format!("killed by signal {signal}"),
        (None, None) => status.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(bytes: &[u8]) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        file
    }

    #[test]
    fn what_a_log_tells_of_secrets_is_not_shown() {
        let log =
            written(b"started: app --password hunter2\nGET /a?token=abc\ncannot reach postgres://u:p@db/x\n");
        assert_eq!(
            tail(log.path()),
            ["started: app --password ***", "GET /a?token=***", "cannot reach postgres://***@db/x"]
        );
    }

    #[test]
    fn the_last_lines_are_shown_whole() {
        let text: String = (0..1000).map(|n| format!("line {n}\n")).collect();
        let lines = tail(written(text.as_bytes()).path());
        assert_eq!((lines.len(), lines[0].as_str(), lines[9].as_str()), (10, "line 990", "line 999"));
    }

    #[test]
    fn a_line_without_end_is_bounded() {
        let lines = tail(written(&[b'x'; 1 << 20]).path());
        assert_eq!(lines, ["x".repeat(2048)]);
    }

    #[test]
    fn bytes_that_are_no_text_and_escape_sequences_are_harmless() {
        let lines = tail(written(b"\xff\x1b[2Jred\tgreen\r\n").path());
        assert_eq!(lines, ["\u{fffd}\u{fffd}[2Jred\tgreen"]);
    }

    #[test]
    fn a_log_that_is_not_there_has_no_lines() {
        assert!(tail(Path::new("/nonexistent/api1.log")).is_empty());
    }

    #[test]
    fn a_pipe_a_folder_or_a_device_in_place_of_a_log_says_nothing_and_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        rustix::fs::mkfifoat(rustix::fs::CWD, path("pipe"), rustix::fs::Mode::RWXU).unwrap();
        std::fs::create_dir(path("folder")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", path("endless")).unwrap();
        for name in ["pipe", "folder", "endless"] {
            let log = path(name);
            assert!(tail(&log).is_empty() && open(&log).is_err() && !cut(&log, 1, 0), "{name}");
        }
    }

    #[test]
    fn a_log_is_neither_written_nor_cut_through_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (precious, log) = (folder.path().join("precious"), folder.path().join("api1.log"));
        std::fs::write(&precious, "precious").unwrap();
        std::os::unix::fs::symlink(&precious, &log).unwrap();
        assert!(open(&log).is_err() && !cut(&log, 1, 0));
        assert_eq!(std::fs::read_to_string(&precious).unwrap(), "precious");
    }
}
