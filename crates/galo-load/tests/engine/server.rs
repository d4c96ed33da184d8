//! Small servers on raw sockets: each connection gets a thread that does exactly what a test tells it to.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// What a connection's thread does.
type Handler = dyn Fn(&mut Peer) + Send + Sync;

/// A server that ends with its value.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
    connections: Arc<Mutex<usize>>,
    over: Arc<AtomicBool>,
    acceptor: Option<JoinHandle<()>>,
}

/// The server's end of one connection.
pub(crate) struct Peer {
    stream: TcpStream,
    requests: Arc<Mutex<Vec<String>>>,
    over: Arc<AtomicBool>,
}

impl Server {
    pub(crate) fn start(handler: impl Fn(&mut Peer) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (requests, connections) = (Arc::<Mutex<Vec<String>>>::default(), Arc::<Mutex<usize>>::default());
        let over = Arc::new(AtomicBool::new(false));
        let handler: Arc<Handler> = Arc::new(handler);
        let acceptor = {
            let (requests, connections, over) = (requests.clone(), connections.clone(), over.clone());
            std::thread::spawn(move || {
                let mut threads = Vec::new();
                while let Ok((stream, _)) = listener.accept() {
                    if over.load(Ordering::Relaxed) {
                        break;
                    }
                    *connections.lock().unwrap() += 1;
                    let mut peer = Peer { stream, requests: requests.clone(), over: over.clone() };
                    let handler = handler.clone();
                    threads.push(std::thread::spawn(move || handler(&mut peer)));
                }
                for thread in threads {
                    let _ = thread.join();
                }
            })
        };
        Self { address, requests, connections, over, acceptor: Some(acceptor) }
    }

    /// Answers every request with these bytes and keeps the connection.
    pub(crate) fn answering(answer: &str) -> Self {
        let answer = answer.to_owned();
        Self::start(move |peer| {
            while peer.request().is_some() {
                peer.send(answer.as_bytes());
            }
        })
    }

    /// Answers every request with these bytes and closes the connection.
    pub(crate) fn answering_once(answer: &str) -> Self {
        let answer = answer.to_owned();
        Self::start(move |peer| {
            if peer.request().is_some() {
                peer.send(answer.as_bytes());
            }
        })
    }

    /// All requests so far, sorted.
    pub(crate) fn requests(&self) -> Vec<String> {
        let mut requests = self.requests.lock().unwrap().clone();
        requests.sort();
        requests
    }

    pub(crate) fn connections(&self) -> usize {
        *self.connections.lock().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        // Wakes the acceptor, which then sees that it is over.
        let _ = TcpStream::connect(self.address);
        if let Some(acceptor) = self.acceptor.take() {
            let _ = acceptor.join();
        }
    }
}

impl Peer {
    /// The next request, or nothing when the client has closed.
    pub(crate) fn request(&mut self) -> Option<String> {
        let mut request = Vec::new();
        let mut byte = [0; 1];
        while !request.ends_with(b"\r\n\r\n") {
            match self.stream.read(&mut byte) {
                Ok(1) => request.push(byte[0]),
                _ => return None,
            }
        }
        let head = String::from_utf8(request).unwrap();
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("Content-Length: "))
            .map_or(0, |n| n.parse().unwrap());
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).ok()?;
        let request = head + &String::from_utf8(body).unwrap();
        self.requests.lock().unwrap().push(request.clone());
        Some(request)
    }

    /// Whether the client took it.
    pub(crate) fn send(&mut self, bytes: &[u8]) -> bool {
        self.stream.write_all(bytes).is_ok()
    }

    /// The same bytes until the client has closed or the server ends.
    pub(crate) fn send_for_ever(&mut self, bytes: &[u8]) {
        while !self.over.load(Ordering::Relaxed) && self.send(bytes) {}
    }

    /// Says nothing until the client has closed.
    pub(crate) fn be_silent(&mut self) {
        let mut buffer = [0; 1024];
        while matches!(self.stream.read(&mut buffer), Ok(n) if n > 0) {}
    }

    pub(crate) fn wait_ms(&self, ms: u64) {
        std::thread::sleep(Duration::from_millis(ms));
    }
}
