//! An instance of the API on a Unix socket for the balancer, and on a port that tests ask directly.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;

use rustix::process::Signal;
use serde_json::Value;

use super::signal;
use crate::http::{Answer, request};

/// A running process; killed when dropped.
pub(crate) struct Instance {
    process: Child,
    /// Of the port, which is another one after a restart.
    pub(crate) address: SocketAddr,
    pub(crate) socket: PathBuf,
    database: String,
}

impl Instance {
    /// Starts one and waits until it listens.
    pub(crate) fn start(socket: PathBuf, database: String) -> Self {
        let (process, address) = spawn(&socket, &database);
        Self { process, address, socket, database }
    }

    /// SIGKILL.
    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Starts it again after its end.
    pub(crate) fn restart(&mut self) {
        (self.process, self.address) = spawn(&self.socket, &self.database);
    }

    /// SIGTERM, without waiting.
    pub(crate) fn terminate(&self) {
        signal(self.process.id(), Signal::TERM);
    }

    pub(crate) fn wait(&mut self) -> ExitStatus {
        self.process.wait().unwrap()
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        self.process.try_wait().unwrap().is_some()
    }

    pub(crate) fn get(&self, target: &str) -> Answer {
        request(self.address, "GET", target, b"").unwrap()
    }
}

fn spawn(socket: &std::path::Path, database: &str) -> (Child, SocketAddr) {
    let mut process = Command::new(env!("CARGO_BIN_EXE_pessoas-rust"))
        .env_clear()
        .env("LISTEN", format!("127.0.0.1:0,unix:{}", socket.display()))
        .env("DATABASE", database)
        // Less patience than by default, so that a test need not have so much.
        .envs(["HEAD", "BODY", "SEND"].map(|what| (format!("{what}_TIMEOUT_MS"), "1000")))
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
    let mut told = String::new();
    let address = loop {
        let line = lines.next().unwrap_or_else(|| panic!("it ended: {told}")).unwrap();
        let logged: Value = serde_json::from_str(&line).unwrap_or_default();
        // The socket is told as well, and is no such address.
        if logged["message"] == "listening"
            && let Some(address) = logged["address"].as_str().and_then(|text| text.parse().ok())
        {
            break address;
        }
        told.push_str(&line);
    };
    // What it logs later must not fill the pipe.
    thread::spawn(move || lines.for_each(drop));
    (process, address)
}

impl Drop for Instance {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
