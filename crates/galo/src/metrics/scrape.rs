//! The scrape endpoint: `GET /metrics`, one client after another, which is all that Prometheus needs.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use super::Source;
use crate::exit::WrongUse;

/// Bound for reading a request and for writing an answer, lest one client keep the others out.
const PATIENCE: Duration = Duration::from_secs(2);
/// Longest head of a request.
const HEAD: usize = 8 * 1024;

/// An address to listen on: `127.0.0.1:9100`, `:9100` for every interface, or a port alone for this machine only.
pub(super) fn listening(text: &str) -> Result<SocketAddr, WrongUse> {
    let parsed = match text.strip_prefix(':') {
        Some(port) => port.parse().ok().map(|port| SocketAddr::from((Ipv6Addr::UNSPECIFIED, port))),
        None => text.parse().ok().or_else(|| {
            let port = text.parse().ok()?;
            Some(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
        }),
    };
    parsed.ok_or_else(|| {
        WrongUse(format!("`{text}` is no address to listen on\nhint: write for example `127.0.0.1:9100`"))
    })
}

/// Answers until galo ends. Returns the address, with the port that it got.
///
/// # Errors
/// Where the address cannot be had.
pub(super) fn serve(address: SocketAddr, source: Source) -> Result<SocketAddr, WrongUse> {
    let cannot = |error: std::io::Error| {
        WrongUse(format!(
            "cannot listen on {address} for Prometheus: {error}\nhint: choose another port; 0 takes a free one"
        ))
    };
    let listener = TcpListener::bind(address).map_err(cannot)?;
    let address = listener.local_addr().map_err(cannot)?;
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // A client that goes away in between is no error of galo's.
            let _ = answer(stream, &source);
        }
    });
    Ok(address)
}

fn answer(mut stream: TcpStream, source: &Source) -> std::io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let head = head(&mut stream)?;
    let line = head.split(|&byte| byte == b'\r').next().unwrap_or_default();
    let mut words = line.split(|&byte| byte == b' ');
    let path = words.nth(1).and_then(|target| target.split(|&byte| byte == b'?').next());
    let (status, kind, body) = match path {
        Some(b"/metrics") => ("200 OK", "text/plain; version=0.0.4", source()),
        _ => ("404 Not Found", "text/plain", "the metrics are at /metrics\n".to_owned()),
    };
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

/// What a client sends, up to the end of a request's head.
fn head(stream: &mut TcpStream) -> std::io::Result<Vec<u8>> {
    let mut head = Vec::new();
    let mut buffer = [0; 1024];
    while head.len() < HEAD && !head.windows(4).any(|four| four == b"\r\n\r\n") {
        match stream.read(&mut buffer)? {
            0 => break,
            n => head.extend_from_slice(&buffer[..n]),
        }
    }
    Ok(head)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn ask(address: SocketAddr, request: &str) -> String {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn metrics_are_at_their_path_and_nothing_else_is_anywhere() {
        let address = serve("127.0.0.1:0".parse().unwrap(), Arc::new(|| "up 1\n".to_owned())).unwrap();
        let metrics = ask(address, "GET /metrics?x=y HTTP/1.1\r\nHost: h\r\n\r\n");
        assert!(metrics.starts_with("HTTP/1.1 200 OK\r\n"), "{metrics}");
        assert!(metrics.ends_with("\r\n\r\nup 1\n"), "{metrics}");
        for request in ["GET / HTTP/1.1\r\n\r\n", "\r\n\r\n"] {
            assert!(ask(address, request).starts_with("HTTP/1.1 404"), "{request}");
        }
    }

    #[test]
    fn an_address_to_listen_on_may_be_a_port_alone() {
        assert_eq!(listening("9100").unwrap(), "127.0.0.1:9100".parse().unwrap());
        assert_eq!(listening(":9100").unwrap(), "[::]:9100".parse().unwrap());
        assert_eq!(listening("[::1]:0").unwrap(), "[::1]:0".parse().unwrap());
        assert!(listening("localhost").is_err() && listening("").is_err());
    }

    #[test]
    fn a_port_that_is_taken_is_told() {
        let taken = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let listener = TcpListener::bind(taken).unwrap();
        let error = serve(listener.local_addr().unwrap(), Arc::new(String::new)).unwrap_err().to_string();
        assert!(error.contains("cannot listen on") && error.contains("hint: choose another port"), "{error}");
    }
}
