//! A PostgreSQL of a test's own, with the files and settings that are deployed, so durable; it can be killed and frozen.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::process::Signal;
use tempfile::TempDir;

use crate::machine::{deployed, signal};

/// A server with its data in a folder of its own, reached by a Unix socket in that folder.
pub(crate) struct Postgres {
    process: Child,
    folder: TempDir,
    /// It refuses to run as root.
    user: (u32, u32),
}

impl Postgres {
    /// Starts an empty one, which may not answer yet.
    pub(crate) fn start() -> Self {
        let _ = needs::program("initdb", "postgresql");
        let folder = tempfile::tempdir().unwrap();
        let user = needs::user_of_postgres(folder.path());
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        // Copied, since its user need not be able to read where we are.
        let files = folder.path().join("postgres");
        fs::create_dir(&files).unwrap();
        for file in ["run.sh", "postgresql.conf"] {
            fs::copy(deployed("postgres").join(file), files.join(file)).unwrap();
        }
        let made = script(folder.path(), user).arg("prepare").status().unwrap();
        assert!(made.success(), "initdb failed");
        let process = script(folder.path(), user).arg("serve").spawn().unwrap();
        Self { process, folder, user }
    }

    /// As instances are told it.
    pub(crate) fn url(&self) -> String {
        format!("postgresql:///postgres?user=postgres&host={}", self.folder.path().display())
    }

    /// Kills everything of it at once, as a crash of the machine does.
    pub(crate) fn kill(&mut self) {
        // Stopped first, so that nothing is started meanwhile.
        self.freeze();
        for process in self.processes() {
            signal(process, Signal::KILL);
        }
        self.process.wait().unwrap();
    }

    /// Starts it again after its end, without waiting until it answers.
    pub(crate) fn restart(&mut self) {
        self.process = script(self.folder.path(), self.user).arg("serve").spawn().unwrap();
    }

    /// Stops all of its processes where they are.
    pub(crate) fn freeze(&self) {
        // The parent first, which then starts no more.
        signal(self.process.id(), Signal::STOP);
        for process in self.processes() {
            signal(process, Signal::STOP);
        }
    }

    /// Lets everything go on.
    pub(crate) fn thaw(&self) {
        for process in self.processes() {
            signal(process, Signal::CONT);
        }
    }

    /// Its processes, the parent first: it must not see its children die.
    pub(crate) fn processes(&self) -> Vec<u32> {
        let parent = self.process.id();
        let children = fs::read_to_string(format!("/proc/{parent}/task/{parent}/children"));
        let children = children.unwrap_or_default();
        [parent].into_iter().chain(children.split_whitespace().flat_map(str::parse)).collect()
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.thaw();
        // Not SIGKILL, after which its shared memory would stay.
        signal(self.process.id(), Signal::QUIT);
        let _ = self.process.wait();
    }
}

/// How it is deployed, with its files in `folder`.
fn script(folder: &Path, user: (u32, u32)) -> Command {
    let mut command = Command::new("sh");
    command.arg("run.sh").current_dir(folder.join("postgres")).uid(user.0).gid(user.1);
    command.env("PGDATA", folder.join("data")).env("PGHOST", folder);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}
