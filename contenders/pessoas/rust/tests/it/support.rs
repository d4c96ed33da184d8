//! Instances.

use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};

use serde_json::Value;

use crate::http::{Answer, encode, request};
use crate::instance;

/// A running process; killed when dropped.
pub(crate) struct Instance {
    process: Child,
    pub(crate) address: SocketAddr,
}

impl Instance {
    /// Starts one on `pessoas.db` in a folder and waits until it listens.
    pub(crate) fn start(folder: &Path) -> Self {
        Self::start_with(folder, &[])
    }

    /// Like [`Self::start`], with more variables.
    pub(crate) fn start_with(folder: &Path, variables: &[(&str, &str)]) -> Self {
        let database = folder.join("pessoas.db").to_str().unwrap().to_owned();
        let own = [("HTTP_PORT", "0".to_owned()), ("DATABASE", database)];
        let more = variables.iter().map(|(name, value)| (*name, (*value).to_owned()));
        let (process, address) = instance::spawn(own.into_iter().chain(more));
        Self { process, address }
    }

    /// SIGKILL.
    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// SIGTERM, and wait for the end.
    pub(crate) fn terminate(&mut self) -> ExitStatus {
        self.begin_to_terminate();
        self.process.wait().unwrap()
    }

    /// SIGTERM.
    pub(crate) fn begin_to_terminate(&self) {
        let pid = self.process.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
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
