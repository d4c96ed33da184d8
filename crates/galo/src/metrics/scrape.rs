//! The scrape endpoint: `GET /metrics`, for a bounded number of clients, each for a bounded time.
//!
//! One thread serves all of them. Where every place is taken a new client gets the place of the one that has been silent for
//! longest: however many clients connect and say nothing, who asks at once is answered.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::Source;
use crate::exit::WrongUse;

/// Bound for all of a client's request and answer, however slowly its bytes come and go.
const PATIENCE: Duration = Duration::from_secs(2);
/// Clients that are served at once.
const CLIENTS: usize = 64;
/// Pause after a connection that could not be accepted: where descriptors have run out the next try fails as well.
const PAUSE: Duration = Duration::from_millis(100);
/// Longest head of a request.
const HEAD: usize = 8 * 1024;

/// An address to listen on: `127.0.0.1:9100`, or a port alone, `9100` or `:9100`, for this machine only.
pub(super) fn listening(text: &str) -> Result<SocketAddr, WrongUse> {
    let port = || text.strip_prefix(':').unwrap_or(text).parse().ok();
    let local = || port().map(|port: u16| SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    let parsed = text.parse().ok().or_else(local);
    parsed.ok_or_else(|| {
        WrongUse(format!("`{text}` is no address to listen on\nhint: write for example `127.0.0.1:9100`"))
    })
}

/// Answers until galo ends. Returns the address, with the port that it got.
///
/// # Errors
/// Where the address cannot be had.
pub(super) fn serve(address: SocketAddr, source: &Source) -> Result<SocketAddr, WrongUse> {
    let cannot = |error: std::io::Error| {
        WrongUse(format!(
            "cannot listen on {address} for Prometheus: {error}\nhint: choose another port; 0 takes a free one"
        ))
    };
    let listener = TcpListener::bind(address).map_err(cannot)?;
    let address = listener.local_addr().map_err(cannot)?;
    listener.set_nonblocking(true).map_err(cannot)?;
    let mut desk = Desk { source: Source::clone(source), clients: Vec::new() };
    thread::spawn(move || {
        loop {
            desk.wait(&listener);
            desk.admit(listener.incoming(), || thread::sleep(PAUSE));
            desk.serve(Instant::now());
        }
    });
    Ok(address)
}

/// Everybody who is being served.
struct Desk {
    source: Source,
    /// Who came first stands first.
    clients: Vec<Client>,
}

/// A connection, and how far it is.
struct Client {
    stream: TcpStream,
    /// When its time is over.
    until: Instant,
    /// What it has sent.
    head: Vec<u8>,
    /// What it gets, and how many bytes of that it has taken; `None`: it has not asked yet.
    answer: Option<(Vec<u8>, usize)>,
}

impl Desk {
    /// Waits until somebody connects, sends or takes something, or somebody's time is over.
    fn wait(&self, listener: &TcpListener) {
        let mut polled = vec![PollFd::new(listener, PollFlags::IN)];
        polled.extend(self.clients.iter().map(|client| {
            let awaited = if client.answer.is_some() { PollFlags::OUT } else { PollFlags::IN };
            PollFd::new(&client.stream, awaited)
        }));
        let now = Instant::now();
        let first = self.clients.iter().map(|client| client.until.saturating_duration_since(now)).min();
        let limit = first.and_then(|left| Timespec::try_from(left).ok());
        if poll(&mut polled, limit.as_ref()).is_err_and(|error| error != rustix::io::Errno::INTR) {
            thread::sleep(PAUSE);
        }
    }

    /// Takes in everybody who has connected, at most as many as there are places.
    fn admit(&mut self, streams: impl Iterator<Item = io::Result<TcpStream>>, mut pause: impl FnMut()) {
        for stream in streams.take(CLIENTS) {
            match stream {
                Ok(stream) => self.seat(stream),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(_) => pause(),
            }
        }
    }

    /// Gives a client a place: a free one, or else the one of whoever has not asked yet for longest.
    fn seat(&mut self, stream: TcpStream) {
        if stream.set_nonblocking(true).is_err() {
            return;
        }
        if self.clients.len() >= CLIENTS {
            let silent = self.clients.iter().position(|client| client.answer.is_none());
            self.clients.remove(silent.unwrap_or(0));
        }
        let mut client = Client { stream, until: Instant::now() + PATIENCE, head: Vec::new(), answer: None };
        // Served before the next one may take its place.
        if client.go_on(&self.source) {
            self.clients.push(client);
        }
    }

    /// Goes on with everybody whose time is not over.
    fn serve(&mut self, now: Instant) {
        let source = &self.source;
        self.clients.retain_mut(|client| now < client.until && client.go_on(source));
    }
}

impl Client {
    /// Reads and writes what can be at once; `false`: nothing is left to be done.
    fn go_on(&mut self, source: &Source) -> bool {
        let done = self.read(source).and_then(|()| self.write());
        done.is_err_and(|error| matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted))
    }

    /// Reads up to the end of a request's head, and answers it.
    fn read(&mut self, source: &Source) -> io::Result<()> {
        if self.answer.is_some() {
            return Ok(());
        }
        let mut buffer = [0; 1024];
        while self.head.len() < HEAD && !self.head.windows(4).any(|four| four == b"\r\n\r\n") {
            match self.stream.read(&mut buffer)? {
                0 => break,
                n => self.head.extend_from_slice(&buffer[..n]),
            }
        }
        self.answer = Some((answer(&self.head, source), 0));
        Ok(())
    }

    fn write(&mut self) -> io::Result<()> {
        let Some((answer, taken)) = &mut self.answer else { return Ok(()) };
        while *taken < answer.len() {
            match self.stream.write(&answer[*taken..])? {
                0 => return Err(ErrorKind::WriteZero.into()),
                written => *taken += written,
            }
        }
        Ok(())
    }
}

/// The whole answer to a request.
fn answer(head: &[u8], source: &Source) -> Vec<u8> {
    let line = head.split(|&byte| byte == b'\r').next().unwrap_or_default();
    let mut words = line.split(|&byte| byte == b' ');
    let path = words.nth(1).and_then(|target| target.split(|&byte| byte == b'?').next());
    let (status, kind, body) = match path {
        Some(b"/metrics") => ("200 OK", "text/plain; version=0.0.4", source()),
        _ => ("404 Not Found", "text/plain", "the metrics are at /metrics\n".to_owned()),
    };
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    (head + &body).into_bytes()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn up() -> Source {
        Arc::new(|| "up 1\n".to_owned())
    }

    fn ask(address: SocketAddr, request: &str) -> String {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn metrics_are_at_their_path_and_nothing_else_is_anywhere() {
        let address = serve("127.0.0.1:0".parse().unwrap(), &up()).unwrap();
        let metrics = ask(address, "GET /metrics?x=y HTTP/1.1\r\nHost: h\r\n\r\n");
        assert!(metrics.starts_with("HTTP/1.1 200 OK\r\n"), "{metrics}");
        assert!(metrics.ends_with("\r\n\r\nup 1\n"), "{metrics}");
        for request in ["GET / HTTP/1.1\r\n\r\n", "\r\n\r\n"] {
            assert!(ask(address, request).starts_with("HTTP/1.1 404"), "{request}");
        }
    }

    /// Twice as many clients as there are places, each of which has sent `bytes` and nothing else.
    fn crowd(address: SocketAddr, bytes: &[u8]) -> Vec<TcpStream> {
        let join = || {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.write_all(bytes).unwrap();
            stream
        };
        (0..2 * CLIENTS).map(|_| join()).collect()
    }

    #[test]
    fn more_silent_clients_than_there_are_places_do_not_keep_the_others_out() {
        let address = serve("127.0.0.1:0".parse().unwrap(), &up()).unwrap();
        let silent = crowd(address, b"");
        let begun = Instant::now();
        for _ in 0..3 {
            assert!(ask(address, "GET /metrics HTTP/1.1\r\n\r\n").ends_with("up 1\n"));
        }
        assert!(begun.elapsed() < PATIENCE, "it was answered only when their time was over");
        drop(silent);
    }

    #[test]
    fn clients_that_send_byte_by_byte_do_not_keep_the_others_out() {
        let address = serve("127.0.0.1:0".parse().unwrap(), &up()).unwrap();
        let mut slow = crowd(address, b"GET /met");
        let begun = Instant::now();
        for byte in b"rics HT" {
            // Those whose place was given away cannot send any more.
            slow.retain_mut(|stream| stream.write_all(&[*byte]).is_ok());
            assert!(ask(address, "GET /metrics HTTP/1.1\r\n\r\n").ends_with("up 1\n"));
        }
        assert!(begun.elapsed() < PATIENCE, "it was answered only when their time was over");
    }

    #[test]
    fn clients_that_ask_and_take_nothing_do_not_keep_the_others_out() {
        let long: Source = Arc::new(|| "x".repeat(8 << 20));
        let address = serve("127.0.0.1:0".parse().unwrap(), &long).unwrap();
        let idle = crowd(address, b"GET /metrics HTTP/1.1\r\n\r\n");
        assert!(ask(address, "GET / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 404"));
        drop(idle);
    }

    #[test]
    fn a_new_client_takes_the_place_of_the_one_that_was_silent_for_longest() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let mut desk = Desk { source: Arc::new(|| "x".repeat(64 << 20)), clients: Vec::new() };
        let mut join = |bytes: &[u8]| {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.write_all(bytes).unwrap();
            desk.seat(listener.accept().unwrap().0);
            stream
        };
        // The first one asks, so the second is the oldest silent one.
        let _asks = join(b"GET /metrics HTTP/1.1\r\n\r\n");
        let mut others: Vec<TcpStream> = (1..=CLIENTS).map(|_| join(b"")).collect();
        assert_eq!(others[0].read(&mut [0]).unwrap(), 0);
        others[1].set_nonblocking(true).unwrap();
        assert_eq!(others[1].read(&mut [0]).unwrap_err().kind(), ErrorKind::WouldBlock);
        assert!(desk.clients.len() == CLIENTS && desk.clients[0].answer.is_some());
    }

    #[test]
    fn a_client_whose_time_is_over_is_left_however_many_bytes_still_come() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        client.write_all(b"GET /metrics HTTP/1.1\r\n").unwrap();
        let mut desk = Desk { source: up(), clients: Vec::new() };
        desk.seat(listener.accept().unwrap().0);
        let until = desk.clients[0].until;
        desk.serve(until - PATIENCE);
        assert_eq!(desk.clients.len(), 1);
        desk.serve(until);
        assert!(desk.clients.is_empty());
    }

    #[test]
    fn where_no_connection_can_be_accepted_galo_pauses_instead_of_trying_at_once_again() {
        let mut desk = Desk { source: up(), clients: Vec::new() };
        let full = || Err(io::Error::from_raw_os_error(24));
        let mut pauses = 0;
        desk.admit([full(), full(), full()].into_iter(), || pauses += 1);
        assert_eq!(pauses, 3);
    }

    #[test]
    fn an_address_to_listen_on_may_be_a_port_alone() {
        assert_eq!(listening("9100").unwrap(), "127.0.0.1:9100".parse().unwrap());
        assert_eq!(listening(":9100").unwrap(), "127.0.0.1:9100".parse().unwrap());
        assert_eq!(listening("0.0.0.0:9100").unwrap(), "0.0.0.0:9100".parse().unwrap());
        assert_eq!(listening("[::1]:0").unwrap(), "[::1]:0".parse().unwrap());
        assert!(listening("localhost").is_err() && listening("").is_err());
    }

    #[test]
    fn a_port_that_is_taken_is_told() {
        let taken = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let listener = TcpListener::bind(taken).unwrap();
        let error = serve(listener.local_addr().unwrap(), &up()).unwrap_err().to_string();
        assert!(error.contains("cannot listen on") && error.contains("hint: choose another port"), "{error}");
    }
}
