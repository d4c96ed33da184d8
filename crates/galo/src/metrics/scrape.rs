//! The scrape endpoint: `GET /metrics`, a few clients at once, each for a bounded time.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use super::Source;
use crate::exit::WrongUse;

/// Bound for all of a client's request and answer, however slowly its bytes come and go.
const PATIENCE: Duration = Duration::from_secs(2);
/// Clients that are answered at once; more wait in the kernel's queue.
const CLIENTS: usize = 4;
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
    for _ in 0..CLIENTS {
        let (listener, source) = (listener.try_clone().map_err(cannot)?, Source::clone(source));
        thread::spawn(move || answer_all(listener.incoming(), &source, || thread::sleep(PAUSE)));
    }
    Ok(address)
}

fn answer_all(
    streams: impl Iterator<Item = io::Result<TcpStream>>,
    source: &Source,
    mut pause: impl FnMut(),
) {
    for stream in streams {
        match stream {
            // A client that goes away in between is no error of galo's.
            Ok(stream) => drop(answer(stream, source, Instant::now() + PATIENCE)),
            Err(_) => pause(),
        }
    }
}

fn answer(mut stream: TcpStream, source: &Source, until: Instant) -> io::Result<()> {
    let head = head(&mut stream, until)?;
    let line = head.split(|&byte| byte == b'\r').next().unwrap_or_default();
    let mut words = line.split(|&byte| byte == b' ');
    let path = words.nth(1).and_then(|target| target.split(|&byte| byte == b'?').next());
    let (status, kind, body) = match path {
        Some(b"/metrics") => ("200 OK", "text/plain; version=0.0.4", source()),
        _ => ("404 Not Found", "text/plain", "the metrics are at /metrics\n".to_owned()),
    };
    let length = body.len();
    let text = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    );
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        stream.set_write_timeout(Some(left(until)?))?;
        match stream.write(rest)? {
            0 => return Err(ErrorKind::WriteZero.into()),
            written => rest = &rest[written..],
        }
    }
    Ok(())
}

/// What a client sends, up to the end of a request's head.
fn head(stream: &mut TcpStream, until: Instant) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    let mut buffer = [0; 1024];
    while head.len() < HEAD && !head.windows(4).any(|four| four == b"\r\n\r\n") {
        stream.set_read_timeout(Some(left(until)?))?;
        match stream.read(&mut buffer)? {
            0 => break,
            n => head.extend_from_slice(&buffer[..n]),
        }
    }
    Ok(head)
}

/// What is left of a client's time, more than nothing.
fn left(until: Instant) -> io::Result<Duration> {
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(ErrorKind::TimedOut.into()) } else { Ok(left) }
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

    #[test]
    fn clients_that_say_nothing_do_not_keep_the_others_out() {
        let address = serve("127.0.0.1:0".parse().unwrap(), &up()).unwrap();
        let silent = [(); CLIENTS - 1].map(|()| TcpStream::connect(address).unwrap());
        assert!(ask(address, "GET /metrics HTTP/1.1\r\n\r\n").ends_with("up 1\n"));
        drop(silent);
    }

    #[test]
    fn a_client_whose_time_is_over_is_left_however_many_bytes_still_come() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        client.write_all(b"GET /metrics HTTP/1.1\r\n").unwrap();
        let (mut stream, _) = listener.accept().unwrap();
        let error = head(&mut stream, Instant::now()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
    }

    #[test]
    fn where_no_connection_can_be_accepted_galo_pauses_instead_of_trying_at_once_again() {
        let source: Source = Arc::new(String::new);
        let full = || Err(io::Error::from_raw_os_error(24));
        let mut pauses = 0;
        answer_all([full(), full(), full()].into_iter(), &source, || pauses += 1);
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
