//! Starting an instance of the API.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::thread;

use serde_json::Value;

/// Starts a process with this environment and nothing else, and waits until it listens on a port.
pub(crate) fn spawn<'a>(variables: impl IntoIterator<Item = (&'a str, String)>) -> (Child, SocketAddr) {
    let mut process = Command::new(env!("CARGO_BIN_EXE_pessoas-rust"))
        .env_clear()
        .envs(variables)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
    let mut told = String::new();
    let address = loop {
        let line = lines.next().unwrap_or_else(|| panic!("it ended: {told}")).unwrap();
        let logged: Value = serde_json::from_str(&line).unwrap_or_default();
        // A socket file is told of as well, and is no such address.
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
