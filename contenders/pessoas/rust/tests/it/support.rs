//! Instances.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};

use serde_json::Value;

use crate::http::{Answer, encode, request};

/// A running process; killed when dropped.
pub(crate) struct Instance {
    process: Child,
    pub(crate) address: SocketAddr,
}

impl Instance {
    /// Starts one on `pessoas.db` in a folder and waits until it listens.
    pub(crate) fn start(folder: &Path) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_pessoas-rust"))
            .env_clear()
            .env("HTTP_PORT", "0")
            .env("DATABASE", folder.join("pessoas.db"))
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let address =
            line.trim().strip_prefix("listening on ").unwrap_or_else(|| panic!("{line}")).parse().unwrap();
        Self { process, address }
    }

    /// SIGKILL.
    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// SIGTERM, and wait for the end.
    pub(crate) fn terminate(&mut self) -> ExitStatus {
        let pid = self.process.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
        self.process.wait().unwrap()
    }

    pub(crate) fn get(&self, target: &str) -> Answer {
        request(self.address, "GET", target, b"").unwrap()
    }

    pub(crate) fn post(&self, body: &str) -> Answer {
        request(self.address, "POST", "/pessoas", body.as_bytes()).unwrap()
    }

    /// Creates a person that must be accepted, and gives its location.
    pub(crate) fn create(&self, body: &str) -> String {
        let answer = self.post(body);
        assert_eq!(answer.status, 201, "{body}");
        answer.header("location").unwrap().to_owned()
    }

    /// Nicknames that a search finds.
    pub(crate) fn search(&self, term: &str) -> Vec<String> {
        let answer = self.get(&format!("/pessoas?t={}", encode(term)));
        assert_eq!(answer.status, 200, "{term}");
        let people: Vec<Value> = serde_json::from_slice(&answer.body).unwrap();
        people.iter().map(|person| person["apelido"].as_str().unwrap().to_owned()).collect()
    }

    pub(crate) fn count(&self) -> u64 {
        self.get("/contagem-pessoas").text().parse().unwrap()
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
