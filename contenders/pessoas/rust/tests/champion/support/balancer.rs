//! nginx in front of the instances, with the configuration that is deployed.

use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};

use rustix::process::Signal;

use crate::machine::{deployed, signal};

/// Ports that no system gives to clients on its own.
const PORTS: std::ops::Range<u16> = 20_000..30_000;

/// How far this process has come in trying ports.
static TRIED: AtomicU16 = AtomicU16::new(0);

/// A running nginx.
pub(crate) struct Balancer {
    process: Child,
    pub(crate) address: SocketAddr,
}

impl Balancer {
    /// Starts it in the folder with the sockets of the instances.
    pub(crate) fn start(nginx: &Path, folder: &Path, user: (u32, u32)) -> Self {
        let address = free_address();
        let configuration = fs::read_to_string(deployed("nginx/nginx.conf")).unwrap();
        fs::write(folder.join("nginx.conf"), configured(configuration, address)).unwrap();
        fs::copy(deployed("rust-postgres/upstream.conf"), folder.join("upstream.conf")).unwrap();
        let process = Command::new(nginx)
            .args(["-p", "./", "-c", "nginx.conf", "-g", "daemon off;"])
            .current_dir(folder)
            .uid(user.0)
            .gid(user.1)
            .stdout(Stdio::null())
            // What it says of each upstream that is killed is no news here.
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Self { process, address }
    }
}

/// The configuration that is deployed, with another address, and with less patience where the deployed one is more than
/// a test should need.
fn configured(mut text: String, address: SocketAddr) -> String {
    for (directive, value) in [
        ("listen", address.to_string().as_str()),
        ("client_header_timeout", "1s;"),
        ("send_timeout", "1s;"),
        ("keepalive_timeout", "1s;"),
    ] {
        let start =
            text.find(&format!(" {directive} ")).unwrap_or_else(|| panic!("nginx.conf: no {directive}"));
        let start = start + directive.len() + 2;
        let length = text[start..].find(char::is_whitespace).unwrap();
        text.replace_range(start..start + length, value);
    }
    text
}

impl Drop for Balancer {
    fn drop(&mut self) {
        // By SIGTERM it ends its worker, which SIGKILL would leave behind.
        signal(self.process.id(), Signal::TERM);
        let _ = self.process.wait();
    }
}

fn free_address() -> SocketAddr {
    loop {
        let tried = TRIED.fetch_add(1, Ordering::Relaxed);
        // Test processes at the same time begin at different ports.
        let begin = (std::process::id() % 100) as u16 * 100;
        let port = PORTS.start + (begin + tried) % PORTS.len() as u16;
        if let Ok(listener) = TcpListener::bind(("127.0.0.1", port)) {
            return listener.local_addr().unwrap();
        }
    }
}
