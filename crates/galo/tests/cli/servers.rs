//! Servers for `galo load`: one that does nothing but answer, and one that keeps what it was asked.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use galo_null::{Options, Server};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// A null server, until the test process ends.
pub(crate) fn null(options: Options) -> SocketAddr {
    let server = Server::bind(options).unwrap();
    let address = server.address();
    std::thread::spawn(move || server.run(&AtomicBool::new(false)));
    address
}

/// The address of a null server that answers at once.
pub(crate) fn null_url() -> String {
    format!("http://{}/", null(Options::default()))
}

/// What a request said.
#[derive(Debug, Clone, Default)]
pub(crate) struct Asked {
    /// Method and target.
    pub(crate) line: String,
    /// As they were sent.
    pub(crate) headers: Vec<String>,
    pub(crate) body: String,
}

impl Asked {
    /// The value of a header, `None` if it was not sent.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let headers = self.headers.iter().filter_map(|line| line.split_once(": "));
        headers.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

/// A server that keeps what it was asked, and answers by a function of how many requests came before.
#[derive(Clone)]
pub(crate) struct Recorder {
    asked: Arc<Mutex<Vec<Asked>>>,
    answer: fn(usize) -> String,
}

/// An answer of this status with a JSON body.
pub(crate) fn json(status: u16, body: &str) -> String {
    format!(
        "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

impl Recorder {
    /// On a free port.
    pub(crate) fn start(answer: fn(usize) -> String) -> (Self, SocketAddr) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let recorder = Self { asked: Arc::default(), answer };
        let server = recorder.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let server = server.clone();
                std::thread::spawn(move || server.serve(stream));
            }
        });
        (recorder, address)
    }

    /// On a Unix socket.
    pub(crate) fn start_at(path: &Path, answer: fn(usize) -> String) -> Self {
        let listener = UnixListener::bind(path).unwrap();
        let recorder = Self { asked: Arc::default(), answer };
        let server = recorder.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let server = server.clone();
                std::thread::spawn(move || server.serve(stream));
            }
        });
        recorder
    }

    /// On a free port of an address, over TLS; each name that is asked for is kept in `names`.
    pub(crate) fn start_encrypted(
        tls: ServerConfig,
        names: Arc<Mutex<Vec<Option<String>>>>,
        answer: fn(usize) -> String,
    ) -> (Self, SocketAddr) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let recorder = Self { asked: Arc::default(), answer };
        let (server, tls) = (recorder.clone(), Arc::new(tls));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (server, names) = (server.clone(), Arc::clone(&names));
                let session = ServerConnection::new(Arc::clone(&tls)).unwrap();
                std::thread::spawn(move || {
                    let mut stream = StreamOwned::new(session, stream);
                    server.serve(&mut stream);
                    names.lock().unwrap().push(stream.conn.server_name().map(str::to_owned));
                });
            }
        });
        (recorder, address)
    }

    /// All that it was asked so far.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    fn serve(&self, mut stream: impl Read + Write) {
        let mut input = Vec::new();
        while let Some(asked) = next_request(&mut stream, &mut input) {
            let before = {
                let mut all = self.asked.lock().unwrap();
                all.push(asked);
                all.len() - 1
            };
            if stream.write_all((self.answer)(before).as_bytes()).is_err() {
                return;
            }
        }
    }
}

/// Reads one request with a plain body; `None` at the end of the connection.
pub(crate) fn next_request(stream: &mut impl Read, input: &mut Vec<u8>) -> Option<Asked> {
    let mut buffer = [0; 4096];
    loop {
        if let Some((asked, length)) = parse(input) {
            input.drain(..length);
            return Some(asked);
        }
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => return None,
            Ok(n) => input.extend_from_slice(&buffer[..n]),
        }
    }
}

/// The first request of the input and its length, if all of it is there.
fn parse(input: &[u8]) -> Option<(Asked, usize)> {
    let end = input.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&input[..end]).into_owned();
    let mut lines = head.lines().map(str::to_owned);
    let line = lines.next()?.trim_end_matches(" HTTP/1.1").to_owned();
    let mut asked = Asked { line, headers: lines.collect(), body: String::new() };
    let length = asked.header("content-length").map_or(0, |length| length.parse().unwrap());
    let body = input.get(end + 4..end + 4 + length)?;
    asked.body = String::from_utf8_lossy(body).into_owned();
    Some((asked, end + 4 + length))
}
