//! A PostgreSQL that can be killed, frozen and filled up.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use rustix::process::Signal;
use tempfile::TempDir;

use super::{deployed, installed, owner, signal, skipped, until};

/// A server with its data in a folder of its own, reached by a Unix socket in that folder.
pub(crate) struct Postgres {
    process: Child,
    folder: TempDir,
    /// It refuses to run as root.
    user: (u32, u32),
}

impl Postgres {
    /// Starts an empty one; `None` where none is installed, which is told.
    pub(crate) fn start() -> Option<Self> {
        installed("initdb").or_else(|| skipped("no PostgreSQL is installed"))?;
        let folder = tempfile::tempdir().unwrap();
        let user = owner(folder.path())?;
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
        let postgres = Self { process, folder, user };
        postgres.wait_until_it_answers();
        Some(postgres)
    }

    /// As instances are told it.
    pub(crate) fn url(&self) -> String {
        format!("postgresql:///postgres?user=postgres&host={}", self.folder.path().display())
    }

    /// Kills everything of it at once, as a crash of the machine does.
    pub(crate) fn kill(&mut self) {
        // Stopped first, so that nothing is started meanwhile.
        let processes = self.freeze();
        for process in processes {
            signal(process, Signal::KILL);
        }
        self.process.wait().unwrap();
    }

    /// Starts it again after its end.
    pub(crate) fn restart(&mut self) {
        self.process = script(self.folder.path(), self.user).arg("serve").spawn().unwrap();
        self.wait_until_it_answers();
    }

    /// Stops all of its processes where they are, and says which.
    pub(crate) fn freeze(&self) -> Vec<u32> {
        let main = self.process.id();
        signal(main, Signal::STOP);
        let processes: Vec<u32> = [main].into_iter().chain(children(main)).collect();
        for process in &processes {
            signal(*process, Signal::STOP);
        }
        processes
    }

    /// Lets everything go on.
    pub(crate) fn thaw(&self) {
        for process in [self.process.id()].into_iter().chain(children(self.process.id())) {
            signal(process, Signal::CONT);
        }
    }

    /// What a statement gives, a row on each line.
    pub(crate) fn query(&self, sql: &str) -> String {
        let output = self.session().args(["-c", sql]).output().unwrap();
        assert!(output.status.success(), "{sql}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    }

    /// Takes every connection that there is, those of others included. They are given back with what is returned.
    pub(crate) fn take_all_connections(&self) -> Vec<Session> {
        let others =
            "FROM pg_stat_activity WHERE backend_type = 'client backend' AND application_name <> 'psql'";
        let mut sessions = Vec::new();
        until("every connection is taken", || {
            sessions.extend(std::iter::from_fn(|| Session::open(self.session())));
            let first: &mut Session = sessions.first_mut().unwrap();
            first.query(&format!("SELECT pg_terminate_backend(pid) {others}"));
            // They come back now, or find them all taken: by the next round of this.
            sessions.extend(std::iter::from_fn(|| Session::open(self.session())));
            sessions[0].query(&format!("SELECT count(*) {others}")) == "0"
        });
        sessions
    }

    fn session(&self) -> Command {
        let mut command = Command::new(installed("psql").unwrap());
        command.args(["-XAtq", "-v", "ON_ERROR_STOP=1", "-d", &self.url()]).current_dir("/");
        command
    }

    fn wait_until_it_answers(&self) {
        until("PostgreSQL answers", || {
            let asked = self.session().args(["-c", "SELECT 1"]).output();
            asked.is_ok_and(|output| output.status.success())
        });
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

/// A connection that is kept.
pub(crate) struct Session {
    process: Child,
    answers: BufReader<ChildStdout>,
}

/// Comes after each answer.
const END: &str = "end of answer";

impl Session {
    /// `None` where the server has no more.
    fn open(mut command: Command) -> Option<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().unwrap();
        let answers = BufReader::new(process.stdout.take().unwrap());
        let mut session = Self { process, answers };
        session.ask("SELECT 1").map(|_| session)
    }

    fn query(&mut self, sql: &str) -> String {
        self.ask(sql).unwrap_or_else(|| panic!("{sql}: no answer"))
    }

    /// `None` where the connection has ended.
    fn ask(&mut self, sql: &str) -> Option<String> {
        let asked = self.process.stdin.as_mut()?;
        writeln!(asked, "{sql};\n\\echo {END}").ok()?;
        let mut answer = Vec::new();
        for line in self.answers.by_ref().lines() {
            match line.ok()? {
                line if line == END => return Some(answer.join("\n")),
                line => answer.push(line),
            }
        }
        None
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.process.kill();
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

/// Processes that a process has started itself.
fn children(process: u32) -> Vec<u32> {
    let children = fs::read_to_string(format!("/proc/{process}/task/{process}/children"));
    children.unwrap_or_default().split_whitespace().flat_map(str::parse).collect()
}
