//! A client, and bodies to send.

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// A complete answer.
pub(crate) struct Answer {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// What was received, parted where the head ends, and all after it taken for the body. `None` while the head has not
    /// come.
    pub(crate) fn of(received: &[u8]) -> Option<Self> {
        let end = received.windows(4).position(|window| window == b"\r\n\r\n")?;
        let head = String::from_utf8(received[..end].to_vec()).unwrap();
        Some(Self { status: head[9..12].parse().unwrap(), head, body: received[end + 4..].to_vec() })
    }

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
    let cut = || sent.err().unwrap_or_else(|| std::io::ErrorKind::UnexpectedEof.into());
    Answer::of(&received).ok_or_else(cut)
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
