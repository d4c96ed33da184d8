//! A `tunnel` that runs, and origins for it.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use rustix::net::{AddressFamily, SocketType};

/// Both ways to the kernel.
pub(crate) const BACKENDS: [&str; 2] = ["io-uring", "epoll"];

/// How long anything may take that is to happen.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// Ended when it is dropped.
pub(crate) struct Tunnel {
    child: Child,
    pub(crate) address: SocketAddr,
    pub(crate) metrics: SocketAddr,
    /// What it says on standard error from then on.
    pub(crate) said: Receiver<String>,
    pub(crate) log: Option<BufReader<ChildStdout>>,
}

impl Tunnel {
    /// With these words behind the mode, on a free port, and two threads.
    pub(crate) fn start(mode: &str, words: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tunnel"))
            .arg(mode)
            .args(["--bind", "127.0.0.1:0", "--metrics", "127.0.0.1:0", "--threads", "2"])
            .args(words)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, said) = channel();
        let errors = BufReader::new(child.stderr.take().unwrap());
        thread::spawn(move || errors.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        let told = |start: &str| -> SocketAddr {
            let line = said.recv_timeout(PATIENCE).unwrap();
            line.strip_prefix(start).unwrap_or_else(|| panic!("{line}")).parse().unwrap()
        };
        let metrics = told("metrics on ");
        let address = told("listening on ");
        let log = child.stdout.take().map(BufReader::new);
        Self { child, address, metrics, said, log }
    }

    pub(crate) fn connect(&self) -> TcpStream {
        patient(TcpStream::connect(self.address).unwrap())
    }

    /// Sends bytes, and gives all that comes back until the end.
    pub(crate) fn ask(&self, bytes: &[u8]) -> Vec<u8> {
        let mut stream = self.connect();
        // It may have answered and closed before all was sent.
        let _ = stream.write_all(bytes);
        read_all(&mut stream)
    }

    pub(crate) fn signal(&self, name: &str) {
        assert!(
            Command::new("kill")
                .args([&format!("-{name}"), &self.child.id().to_string()])
                .status()
                .unwrap()
                .success()
        );
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The exit code, once it has ended.
    pub(crate) fn wait(&mut self) -> i32 {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code().unwrap_or(-1);
            }
            assert!(begun.elapsed() < PATIENCE, "it does not end");
            thread::sleep(Duration::from_millis(10));
        }
    }

    pub(crate) fn metric(&self, name: &str) -> u64 {
        let mut stream = TcpStream::connect(self.metrics).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        let text = String::from_utf8(read_all(&mut stream)).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix(&format!("tunnel_{name} ")));
        line.unwrap_or_else(|| panic!("no {name} in {text}")).parse().unwrap()
    }

    /// One line of its log.
    pub(crate) fn line(&mut self) -> serde_json::Value {
        let mut line = String::new();
        self.log.as_mut().unwrap().read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// Resident memory in bytes.
    pub(crate) fn memory(&self) -> u64 {
        let text = std::fs::read_to_string(format!("/proc/{}/statm", self.child.id())).unwrap();
        text.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
    }

    pub(crate) fn descriptors(&self) -> usize {
        std::fs::read_dir(format!("/proc/{}/fd", self.child.id())).unwrap().count()
    }
}

impl Drop for Tunnel {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn patient(stream: TcpStream) -> TcpStream {
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.set_write_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// All that comes until the end, which may be a break.
pub(crate) fn read_all(stream: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    match stream.read_to_end(&mut bytes) {
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
        Err(error) => panic!("after {} bytes: {error}", bytes.len()),
    }
    bytes
}

/// Until a condition holds.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "{what}: not within {PATIENCE:?}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Serves each connection on a thread of its own, until the test ends.
pub(crate) fn origin(serve: impl Fn(TcpStream) + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let serve = Arc::new(serve);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let serve = Arc::clone(&serve);
            thread::spawn(move || serve(patient(stream)));
        }
    });
    address
}

/// Sends back what it gets, and ends when that ends.
pub(crate) fn echo() -> SocketAddr {
    origin(|mut stream| {
        let mut bytes = vec![0; 65_536];
        while let Ok(length @ 1..) = stream.read(&mut bytes) {
            if stream.write_all(&bytes[..length]).is_err() {
                return;
            }
        }
        let _ = stream.shutdown(Shutdown::Write);
    })
}

/// An address that nobody listens at.
pub(crate) fn nobody() -> SocketAddr {
    let socket = rustix::net::socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    rustix::net::bind(&socket, &SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
    let bound = TcpStream::from(socket);
    let address = bound.local_addr().unwrap();
    // It keeps the port, which another test would get meanwhile.
    std::mem::forget(bound);
    address
}

/// One connection's bytes as they came.
pub(crate) type Recorded = Arc<Mutex<Vec<Vec<u8>>>>;

/// An origin of HTTP that keeps every byte, and answers each request by its own strict reading with its path, and its name.
pub(crate) fn recorder(name: &'static str) -> (SocketAddr, Recorded) {
    let recorded = Recorded::default();
    let told = Arc::clone(&recorded);
    let address = origin(move |mut stream| {
        let at = {
            let mut all = told.lock().unwrap();
            all.push(Vec::new());
            all.len() - 1
        };
        let mut pending = Vec::new();
        let mut bytes = vec![0; 65_536];
        loop {
            let length = match stream.read(&mut bytes) {
                Ok(length @ 1..) => length,
                _ => return,
            };
            told.lock().unwrap()[at].extend_from_slice(&bytes[..length]);
            pending.extend_from_slice(&bytes[..length]);
            while let Some(request) = Request::take(&mut pending) {
                let body = format!("{name} {} {}", request.path, request.body.len());
                let length = body.len();
                let shown = if request.method == "HEAD" { "" } else { &body };
                let answer = format!(
                    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\n\r\n{shown}"
                );
                if stream.write_all(answer.as_bytes()).is_err() {
                    return;
                }
            }
        }
    });
    (address, recorded)
}

/// A request as the origin reads it: strictly, so that a single unusual byte is a failure of the balancer.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) fields: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    /// The first request of these bytes, which it is taken from; nothing if it is not whole.
    ///
    /// # Panics
    /// Where the bytes are no request in the one form that cannot be misread.
    pub(crate) fn take(bytes: &mut Vec<u8>) -> Option<Self> {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
        let head = std::str::from_utf8(&bytes[..end]).expect("a head of ASCII").to_owned();
        let mut lines = head.trim_end_matches("\r\n").split("\r\n");
        let line: Vec<&str> = lines.next().unwrap().split(' ').collect();
        let [method, path, "HTTP/1.1"] = line[..] else { panic!("request line {line:?}") };
        let fields: Vec<(String, String)> = lines
            .map(|line| {
                let (name, value) = line.split_once(": ").unwrap_or_else(|| panic!("field {line:?}"));
                assert!(
                    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)),
                    "name {name:?}"
                );
                assert!(!value.contains(['\r', '\n', '\0']), "value {value:?}");
                (name.to_ascii_lowercase(), value.to_owned())
            })
            .collect();
        let all = |wanted: &str| {
            fields
                .iter()
                .filter(|(name, _)| name == wanted)
                .map(|(_, value)| value.as_str())
                .collect::<Vec<_>>()
        };
        assert_eq!(all("host").len(), 1, "{head}");
        let (lengths, encodings) = (all("content-length"), all("transfer-encoding"));
        let (body, taken) = match (&lengths[..], &encodings[..]) {
            ([], []) => (Vec::new(), end),
            ([length], []) => {
                let taken = end + length.parse::<usize>().expect("a length");
                (bytes.get(end..taken)?.to_vec(), taken)
            }
            ([], ["chunked"]) => chunks(&bytes[end..]).map(|(body, length)| (body, end + length))?,
            _ => panic!("framing {lengths:?} {encodings:?}"),
        };
        let request = Self { method: method.to_owned(), path: path.to_owned(), body, fields };
        bytes.drain(..taken);
        Some(request)
    }
}

/// A body in chunks, and how many bytes they take; nothing if it is not whole.
fn chunks(bytes: &[u8]) -> Option<(Vec<u8>, usize)> {
    let (mut body, mut at) = (Vec::new(), 0);
    loop {
        let line = bytes[at..].windows(2).position(|two| two == b"\r\n")?;
        let size = std::str::from_utf8(&bytes[at..at + line]).unwrap();
        assert!(
            size.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte)),
            "size {size:?}"
        );
        let size = usize::from_str_radix(size, 16).unwrap();
        at += line + 2;
        body.extend_from_slice(bytes.get(at..at + size)?);
        assert_eq!(bytes.get(at + size..at + size + 2)?, b"\r\n");
        at += size + 2;
        if size == 0 {
            return Some((body, at));
        }
    }
}

/// An answer as a client reads it.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

/// The answers in these bytes, of which the last may end with the connection.
pub(crate) fn answers(bytes: &[u8]) -> Vec<Answer> {
    let mut rest = bytes;
    let mut found = Vec::new();
    while let Some(end) = rest.windows(4).position(|four| four == b"\r\n\r\n") {
        let head = String::from_utf8(rest[..end].to_vec()).unwrap();
        rest = &rest[end + 4..];
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let small = head.to_ascii_lowercase();
        let length = small
            .split("content-length: ")
            .nth(1)
            .map(|text| text.lines().next().unwrap().parse::<usize>().unwrap());
        let (body, taken) = if small.contains("transfer-encoding: chunked") {
            chunks(rest).expect("a whole body")
        } else if status < 200 || status == 204 || status == 304 {
            (Vec::new(), 0)
        } else {
            let length = length.unwrap_or(rest.len()).min(rest.len());
            (rest[..length].to_vec(), length)
        };
        rest = &rest[taken..];
        found.push(Answer { status, head, body: String::from_utf8_lossy(&body).into_owned() });
    }
    found
}
