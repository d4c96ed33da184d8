//! The scrape endpoint: `GET /metrics`, one client after another, which is all that Prometheus needs.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use crate::exit::WrongUse;

use super::totals::Totals;

/// Bound for reading a request and for writing an answer, lest one client keep the others out.
const PATIENCE: Duration = Duration::from_secs(2);
/// Longest head of a request.
const HEAD: usize = 8 * 1024;

/// Answers until galo ends. Returns the address, with the port that it got.
///
/// # Errors
/// Where the address cannot be had.
pub(super) fn serve(address: SocketAddr, totals: Arc<Totals>) -> Result<SocketAddr, WrongUse> {
    let cannot = |error: std::io::Error| {
        WrongUse(format!(
            "cannot listen on {address} for Prometheus: {error}\nhint: choose another port; 0 takes a free one"
        ))
    };
    let listener = TcpListener::bind(address).map_err(cannot)?;
    let address = listener.local_addr().map_err(cannot)?;
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // A client that goes away in between is no error of the load.
            let _ = answer(stream, &totals);
        }
    });
    Ok(address)
}

fn answer(mut stream: TcpStream, totals: &Totals) -> std::io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let head = head(&mut stream)?;
    let line = head.split(|&byte| byte == b'\r').next().unwrap_or_default();
    let mut words = line.split(|&byte| byte == b' ');
    let path = words.nth(1).and_then(|target| target.split(|&byte| byte == b'?').next());
    let (status, kind, body) = match path {
        Some(b"/metrics") => ("200 OK", "text/plain; version=0.0.4", totals.to_text()),
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
        let address = serve("127.0.0.1:0".parse().unwrap(), Arc::new(Totals::new())).unwrap();
        let metrics = ask(address, "GET /metrics?x=y HTTP/1.1\r\nHost: h\r\n\r\n");
        assert!(metrics.starts_with("HTTP/1.1 200 OK\r\n"), "{metrics}");
        assert!(metrics.contains("galo_load_intended_total 0\n"), "{metrics}");
        // What is not known yet is left out, not told as nothing.
        assert!(!metrics.contains("galo_load_lag_seconds"), "{metrics}");
        for request in ["GET / HTTP/1.1\r\n\r\n", "\r\n\r\n"] {
            assert!(ask(address, request).starts_with("HTTP/1.1 404"), "{request}");
        }
    }

    #[test]
    fn a_port_that_is_taken_is_told() {
        let taken = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let listener = TcpListener::bind(taken).unwrap();
        let error = serve(listener.local_addr().unwrap(), Arc::new(Totals::new())).unwrap_err().to_string();
        assert!(error.contains("cannot listen on") && error.contains("hint: choose another port"), "{error}");
    }
}
