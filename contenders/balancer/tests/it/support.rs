//! The process, upstreams that record what they are asked, and a client.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// A running balancer; killed when dropped.
pub(crate) struct Balancer {
    process: Child,
    pub(crate) address: SocketAddr,
}

impl Balancer {
    pub(crate) fn start(upstreams: &[SocketAddr]) -> Self {
        Self::start_with_timeout(upstreams, 20_000)
    }

    pub(crate) fn start_with_timeout(upstreams: &[SocketAddr], timeout_ms: u64) -> Self {
        let upstreams: Vec<String> = upstreams.iter().map(ToString::to_string).collect();
        let mut process = Command::new(env!("CARGO_BIN_EXE_balancer"))
            .env_clear()
            .env("LISTEN", "127.0.0.1:0")
            .env("UPSTREAMS", upstreams.join(","))
            .env("UPSTREAM_TIMEOUT_MS", timeout_ms.to_string())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let address =
            line.trim().strip_prefix("listening on ").unwrap_or_else(|| panic!("{line}")).parse().unwrap();
        Self { process, address }
    }

    pub(crate) fn connect(&self) -> Client {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        Client(BufReader::new(stream))
    }

    /// SIGTERM.
    pub(crate) fn terminate(&self) {
        let pid = self.process.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    }

    pub(crate) fn wait(&mut self) -> ExitStatus {
        self.process.wait().unwrap()
    }

    /// A GET on a connection of its own.
    pub(crate) fn get(&self, target: &str) -> Message {
        self.connect().get(target)
    }
}

impl Drop for Balancer {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A connection to the balancer.
pub(crate) struct Client(BufReader<TcpStream>);

impl Client {
    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.0.get_mut().write_all(bytes).unwrap();
    }

    pub(crate) fn read(&mut self) -> Message {
        read_message(&mut self.0).expect("an answer")
    }

    /// The head alone: an answer to HEAD has a length but no body.
    pub(crate) fn read_head(&mut self) -> String {
        read_head(&mut self.0).expect("a head")
    }

    /// Everything until the balancer closes the connection.
    pub(crate) fn read_to_close(&mut self) -> Vec<u8> {
        let mut rest = Vec::new();
        // A reset is a close too.
        let _ = self.0.read_to_end(&mut rest);
        rest
    }

    pub(crate) fn get(&mut self, target: &str) -> Message {
        self.send(format!("GET {target} HTTP/1.1\r\nHost: x\r\n\r\n").as_bytes());
        self.read()
    }
}

/// A request or an answer.
#[derive(Debug, Clone)]
pub(crate) struct Message {
    /// First line and headers.
    pub(crate) head: String,
    /// Chunks joined.
    pub(crate) body: Vec<u8>,
}

impl Message {
    pub(crate) fn status(&self) -> u16 {
        self.head[9..12].parse().unwrap()
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        header(&self.head, name)
    }
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines()
        .filter_map(|line| line.split_once(": "))
        .find(|(key, _)| key.eq_ignore_ascii_case(name))
        .map(|(_, value)| value)
}

fn read_head(from: &mut impl BufRead) -> Option<String> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if from.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    Some(head)
}

/// Reads one message; `None` at the end of the connection.
fn read_message(from: &mut impl BufRead) -> Option<Message> {
    let head = read_head(from)?;
    let mut body = Vec::new();
    if let Some(length) = header(&head, "content-length") {
        body.resize(length.parse().unwrap(), 0);
        from.read_exact(&mut body).ok()?;
    } else if header(&head, "transfer-encoding") == Some("chunked") {
        loop {
            let mut size = String::new();
            from.read_line(&mut size).ok()?;
            let size = usize::from_str_radix(size.trim(), 16).unwrap();
            let mut chunk = vec![0; size + 2];
            from.read_exact(&mut chunk).ok()?;
            if size == 0 {
                break;
            }
            body.extend_from_slice(&chunk[..size]);
        }
    }
    Some(Message { head, body })
}

/// What an upstream does with a request.
pub(crate) enum Reply {
    /// Sends this and goes on.
    Answer(Vec<u8>),
    /// Sends this and closes the connection.
    Last(Vec<u8>),
    /// Closes the connection without an answer.
    Break,
}

type Handler = dyn Fn(&Message) -> Reply + Send + Sync;

/// A server in a thread that lives as long as the test process.
pub(crate) struct Upstream {
    pub(crate) address: SocketAddr,
    pub(crate) requests: Arc<Mutex<Vec<Message>>>,
    pub(crate) connections: Arc<AtomicUsize>,
}

impl Upstream {
    /// Answers everything by its name.
    pub(crate) fn named(name: &'static str) -> Self {
        Self::start(move |_| answer(name.as_bytes()))
    }

    /// Answers each request with these bytes.
    pub(crate) fn start(answer: impl Fn(&Message) -> Vec<u8> + Send + Sync + 'static) -> Self {
        Self::start_with(move |request| Reply::Answer(answer(request)))
    }

    pub(crate) fn start_with(handle: impl Fn(&Message) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let upstream = Self { address, requests: Arc::default(), connections: Arc::default() };
        let (requests, connections) = (Arc::clone(&upstream.requests), Arc::clone(&upstream.connections));
        let handle: Arc<Handler> = Arc::new(handle);
        thread::spawn(move || {
            for stream in listener.incoming() {
                connections.fetch_add(1, Ordering::Relaxed);
                let (requests, handle) = (Arc::clone(&requests), Arc::clone(&handle));
                thread::spawn(move || serve(stream.unwrap(), &requests, &*handle));
            }
        });
        upstream
    }

    pub(crate) fn seen(&self) -> Vec<Message> {
        self.requests.lock().unwrap().clone()
    }
}

fn serve(stream: TcpStream, requests: &Mutex<Vec<Message>>, handle: &Handler) {
    let mut stream = BufReader::new(stream);
    while let Some(request) = read_message(&mut stream) {
        requests.lock().unwrap().push(request.clone());
        let (bytes, last) = match handle(&request) {
            Reply::Answer(bytes) => (bytes, false),
            Reply::Last(bytes) => (bytes, true),
            Reply::Break => return,
        };
        if stream.get_mut().write_all(&bytes).is_err() || last {
            return;
        }
    }
}

/// A 200 with this body.
pub(crate) fn answer(body: &[u8]) -> Vec<u8> {
    [format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len()).as_bytes(), body].concat()
}

/// An address that refuses connections.
pub(crate) fn refusing() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}
