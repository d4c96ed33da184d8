//! The supervisor: a second process of galo's, that outlives it by a moment in whatever way galo dies, and kills and
//! removes what galo had running. It learns of galo's death from the end of a pipe whose other end only galo holds. It asks no
//! service to end by its stop signal: whoever kills galo, or presses Ctrl-C twice, does not want to wait.

use std::io::{self, PipeWriter, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::error::HostError;
use crate::process::keep_no_files;
use crate::{remains, state};

/// The hidden command by which galo runs itself as the supervisor.
pub(crate) const COMMAND: &str = "__supervise";

/// A running supervisor.
#[derive(Debug)]
pub(crate) struct Supervisor {
    child: Child,
    /// Its closing, by galo or by the kernel, is what the supervisor waits for.
    pipe: Option<PipeWriter>,
}

impl Supervisor {
    /// Starts `program __supervise <state folder>`.
    pub(crate) fn start(program: &Path, state: &Path) -> Result<Self, HostError> {
        let fail = |e: io::Error| {
            let program = program.display();
            HostError::client(format!(
                "cannot start the supervisor `{program}`: {e}\nhint: is galo still where it was?"
            ))
        };
        let (reader, writer) = io::pipe().map_err(fail)?;
        let mut command = Command::new(program);
        command.arg(COMMAND).arg(state).current_dir("/");
        command.stdin(Stdio::from(reader)).stdout(Stdio::null()).stderr(Stdio::null());
        detach(&mut command);
        let child = command.spawn().map_err(fail)?;
        Ok(Self { child, pipe: Some(writer) })
    }

    /// An error if it no longer runs: then nothing would clean up after a killed galo.
    pub(crate) fn require_alive(&mut self) -> Result<(), HostError> {
        match self.child.try_wait() {
            Ok(None) => Ok(()),
            Ok(Some(status)) => {
                Err(HostError::client(format!("galo's supervisor ended ({status})\nhint: start galo again")))
            }
            Err(error) => {
                Err(HostError::client(format!("galo's supervisor is gone: {error}\nhint: start galo again")))
            }
        }
    }

    /// Lets it do what is left to do, and waits for its end.
    pub(crate) fn end(&mut self) {
        self.pipe = None;
        let _ = self.child.wait();
    }
}

/// A session of its own, so that a terminal's Ctrl-C and hang-up do not reach it; and the same signals ignored, for
/// whoever sends them to every process of galo's.
#[allow(unsafe_code)]
fn detach(command: &mut Command) {
    // SAFETY: the closure makes system calls only, takes no lock and allocates nothing.
    unsafe {
        command.pre_exec(|| {
            rustix::process::setsid()?;
            for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
                libc::signal(signal, libc::SIG_IGN);
            }
            keep_no_files();
            Ok(())
        });
    }
}

/// The body of the hidden command that the supervisor process runs: waits for the end of standard input (galo's
/// death, however it came), then kills and removes what `state` lists.
///
/// # Errors
/// What could not be removed. Nobody reads it: the state folder stays then, for `galo clean`.
pub fn supervise(state: &Path) -> Result<(), HostError> {
    let mut stdin = io::stdin().lock();
    let mut buffer = [0; 64];
    loop {
        match stdin.read(&mut buffer) {
            Ok(0) => break,
            Err(e) if e.kind() != io::ErrorKind::Interrupted => break,
            _ => {}
        }
    }
    // An orderly end has removed the folder. Another galo that cleans holds the lock, and leaves nothing to do.
    let Some(_lock) = state::wait_lock(state) else { return Ok(()) };
    remains::remove_folder(state, &mut Vec::new())
}
