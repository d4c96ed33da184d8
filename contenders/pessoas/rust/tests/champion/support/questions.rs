//! Asking the database itself, and taking its connections away.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

use super::until;
use crate::postgres::Postgres;

impl Postgres {
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
        let mut command = Command::new(needs::program("psql", "postgresql"));
        command.args(["-XAtq", "-v", "ON_ERROR_STOP=1", "-d", &self.url()]).current_dir("/");
        command
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
