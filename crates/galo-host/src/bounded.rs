//! A command whose end is waited for no longer than a while.

use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use crate::reap;

/// What an answer may have.
const ANSWER_MAX_BYTES: u64 = 16 << 20;
/// How long the last of an answer may take once its writer has ended.
const REST_WITHIN: Duration = Duration::from_secs(2);
const LOOK: Duration = Duration::from_millis(2);

/// Has a POSIX shell run a line. The error says what is wrong, and what the line itself wrote last.
pub fn shell(line: &str, within: Duration) -> Result<(), String> {
    let wrong = match run(Command::new("/bin/sh").args(["-c", line]), within) {
        Ok(Some((true, ..))) => return Ok(()),
        Ok(Some((false, out, err))) => {
            let said = [out, err].concat();
            said.lines().rfind(|said| !said.trim().is_empty()).unwrap_or("it said nothing").to_owned()
        }
        Ok(None) => format!("it took over {within:?}"),
        Err(error) => error.to_string(),
    };
    Err(format!("`{line}` failed: {wrong}"))
}

/// Runs a command to its end: whether that was good, and what it wrote. `None`: it took too long, and was killed.
pub(crate) fn run(command: &mut Command, within: Duration) -> io::Result<Option<(bool, String, String)>> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // A terminal's Ctrl-C is galo's to answer.
    command.process_group(0);
    let mut child = command.spawn()?;
    let (out, err) = (reading(child.stdout.take()), reading(child.stderr.take()));
    let ended = wait(&mut child, within)?;
    if ended.is_none() {
        // With what it has started.
        if let Some(pid) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
            let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
        }
        let _ = reap::end(&mut child);
        return Ok(None);
    }
    // Somebody whom it left behind may hold the other end open.
    let text = |read: Receiver<Vec<u8>>| {
        let bytes = read.recv_timeout(REST_WITHIN).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    Ok(ended.map(|is_good| (is_good, text(out), text(err))))
}

fn wait(child: &mut Child, within: Duration) -> io::Result<Option<bool>> {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status.success()));
        }
        if begun.elapsed() > within {
            return Ok(None);
        }
        thread::sleep(LOOK);
    }
}

fn reading(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (told, heard) = mpsc::channel();
    thread::spawn(move || {
        let mut text = Vec::new();
        let Some(mut pipe) = pipe else { return };
        let _ = pipe.by_ref().take(ANSWER_MAX_BYTES).read_to_end(&mut text);
        let _ = told.send(text);
        // What is too much is read all the same, or its writer would wait for ever.
        let _ = io::copy(&mut pipe, &mut io::sink());
    });
    heard
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOON: Duration = Duration::from_secs(20);

    #[test]
    fn an_answer_is_waited_for_no_longer_than_its_time() {
        let begun = Instant::now();
        let mut command = Command::new("sh");
        let ended = run(command.args(["-c", "sleep 600"]), Duration::from_millis(50)).unwrap();
        assert_eq!(ended, None);
        assert!(begun.elapsed() < Duration::from_secs(60));
    }

    #[test]
    fn what_is_written_is_kept_apart() {
        let mut command = Command::new("sh");
        let ended = run(command.args(["-c", "echo yes; echo no >&2; exit 3"]), SOON).unwrap().unwrap();
        assert_eq!(ended, (false, "yes\n".to_owned(), "no\n".to_owned()));
    }

    #[test]
    fn a_line_that_fails_is_told_with_what_it_said_last() {
        assert_eq!(shell("exit 0", SOON), Ok(()));
        assert_eq!(
            shell("echo a; echo b >&2; exit 3", SOON),
            Err("`echo a; echo b >&2; exit 3` failed: b".to_owned())
        );
        assert_eq!(shell("exit 3", SOON), Err("`exit 3` failed: it said nothing".to_owned()));
        assert_eq!(
            shell("sleep 600", Duration::from_millis(50)),
            Err("`sleep 600` failed: it took over 50ms".to_owned())
        );
    }
}
