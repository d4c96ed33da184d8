//! Instances and a client.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use serde_json::Value;

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
        let line: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"));
        let address = line["address"].as_str().unwrap().parse().unwrap();
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

/// A complete answer.
pub(crate) struct Answer {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head
            .lines()
            .filter_map(|line| line.split_once(": "))
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// One request on a connection of its own.
pub(crate) fn request(to: SocketAddr, method: &str, target: &str, body: &[u8]) -> std::io::Result<Answer> {
    let length = body.len();
    let head = format!(
        "{method} {target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n"
    );
    exchange(to, &[head.as_bytes(), body].concat())
}

/// Sends bytes and reads until the server closes.
pub(crate) fn exchange(to: SocketAddr, bytes: &[u8]) -> std::io::Result<Answer> {
    let mut stream = TcpStream::connect(to)?;
    stream.set_read_timeout(Some(Duration::from_secs(20)))?;
    // A server that refuses a body early may close before all of it is sent.
    let sent = stream.write_all(bytes);
    let mut received = Vec::new();
    if let Err(error) = stream.read_to_end(&mut received)
        && received.is_empty()
    {
        return Err(error);
    }
    let Some(end) = received.windows(4).position(|window| window == b"\r\n\r\n") else {
        return Err(sent.err().unwrap_or_else(|| std::io::ErrorKind::UnexpectedEof.into()));
    };
    let head = String::from_utf8(received[..end].to_vec()).unwrap();
    Ok(Answer { status: head[9..12].parse().unwrap(), head, body: received[end + 4..].to_vec() })
}

/// A valid body with this nickname.
pub(crate) fn person(apelido: &str) -> String {
    full(apelido, "Somebody", &Value::Null)
}

/// A valid body.
pub(crate) fn full(apelido: &str, nome: &str, stack: &Value) -> String {
    serde_json::json!({"apelido": apelido, "nome": nome, "nascimento": "2000-01-31", "stack": stack})
        .to_string()
}

/// Percent-encodes everything but letters and digits.
pub(crate) fn encode(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() {
            out.push(byte as char);
        } else {
            write!(out, "%{byte:02X}").unwrap();
        }
    }
    out
}
