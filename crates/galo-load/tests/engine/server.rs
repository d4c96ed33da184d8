//! Small servers on raw sockets: each connection gets a thread that does exactly what a test tells it to.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::net::sockopt::set_tcp_cork;
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// What a connection's thread does.
type Handler = dyn Fn(&mut Peer) + Send + Sync;

/// What carries a connection's bytes.
trait Wire: Read + Write + Send {
    /// Says that nothing follows, where that can be said.
    fn end(&mut self) {}

    /// Lets what is written from now on leave with the end.
    fn hold(&mut self) {}
}

impl Wire for TcpStream {
    fn hold(&mut self) {
        set_tcp_cork(self, true).unwrap();
    }
}

impl Wire for std::io::Empty {}

impl Wire for StreamOwned<ServerConnection, Box<dyn Wire>> {
    fn end(&mut self) {
        self.conn.send_close_notify();
        // The peer may be gone.
        let _ = self.flush();
    }
}

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
    stream: Box<dyn Wire>,
    requests: Arc<Mutex<Vec<String>>>,
    over: Arc<AtomicBool>,
    in_pieces: bool,
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
                    stream.set_nodelay(true).unwrap();
                    let stream = Box::new(stream);
                    let (requests, over) = (requests.clone(), over.clone());
                    let mut peer = Peer { stream, requests, over, in_pieces: false };
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
    /// Speaks TLS from now on.
    pub(crate) fn encrypt(&mut self, config: Arc<ServerConfig>) {
        let stream = std::mem::replace(&mut self.stream, Box::new(std::io::empty()));
        self.stream = Box::new(StreamOwned::new(ServerConnection::new(config).unwrap(), stream));
    }

    /// Ends TLS in an orderly way.
    pub(crate) fn end(&mut self) {
        self.stream.end();
    }

    /// Lets what is sent from now on leave together with the connection's end.
    pub(crate) fn hold(&mut self) {
        self.stream.hold();
    }

    /// So many bytes, or nothing when the client has closed.
    pub(crate) fn bytes(&mut self, length: usize) -> Option<Vec<u8>> {
        let mut bytes = vec![0; length];
        self.stream.read_exact(&mut bytes).ok().map(|()| bytes)
    }

    /// The head of the next request.
    pub(crate) fn head(&mut self) -> Option<String> {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.extend(self.bytes(1)?);
        }
        Some(String::from_utf8(head).unwrap())
    }

    /// The next request, or nothing when the client has closed.
    pub(crate) fn request(&mut self) -> Option<String> {
        let head = self.head()?;
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("Content-Length: "))
            .map_or(0, |n| n.parse().unwrap());
        let body = self.bytes(length)?;
        let request = head + &String::from_utf8(body).unwrap();
        self.requests.lock().unwrap().push(request.clone());
        Some(request)
    }

    /// Whether the client took it.
    pub(crate) fn send(&mut self, bytes: &[u8]) -> bool {
        if self.in_pieces {
            return bytes.iter().all(|byte| self.stream.write_all(&[*byte]).is_ok());
        }
        self.stream.write_all(bytes).is_ok()
    }

    /// Sends byte by byte from now on.
    pub(crate) fn in_pieces(&mut self) {
        self.in_pieces = true;
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
