//! An instance of the API on a Unix socket for the balancer, and on a port that tests ask directly.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus};

use rustix::process::Signal;

use crate::http::{Answer, request};
use crate::instance;
use crate::machine::signal;

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

fn spawn(socket: &Path, database: &str) -> (Child, SocketAddr) {
    // Less patience than by default, so that a test need not have so much.
    let impatient =
        ["HEAD_TIMEOUT_MS", "BODY_TIMEOUT_MS", "SEND_TIMEOUT_MS"].map(|name| (name, "1000".to_owned()));
    let listen = format!("127.0.0.1:0,unix:{}", socket.display());
    instance::spawn(impatient.into_iter().chain([("LISTEN", listen), ("DATABASE", database.to_owned())]))
}

impl Drop for Instance {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
