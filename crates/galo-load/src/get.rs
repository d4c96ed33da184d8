//! One GET outside of the load, for the count.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use crate::Fetched;
use crate::response::{BODY_LIMIT, Response};

/// Kept of the body.
const KEPT_BYTES: usize = 64 * 1024;

/// Asks and waits. The error is one line.
pub(crate) fn get(target: SocketAddr, path: &str, timeout: Duration) -> Result<Fetched, String> {
    debug_assert!(KEPT_BYTES as u64 <= BODY_LIMIT);
    let deadline = Instant::now() + timeout;
    let out_of_time = || format!("GET {path}: no answer within {timeout:?}");
    let told = |error: std::io::Error| match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => out_of_time(),
        ErrorKind::ConnectionRefused => format!("GET {path}: connection refused"),
        ErrorKind::ConnectionReset => format!("GET {path}: connection reset"),
        _ => format!("GET {path}: {error}"),
    };
    let mut stream =
        TcpStream::connect_timeout(&target, timeout.max(Duration::from_nanos(1))).map_err(told)?;
    let left = || {
        deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()).ok_or_else(out_of_time)
    };
    stream.set_write_timeout(Some(left()?)).map_err(told)?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: {target}\r\n\r\n");
    stream.write_all(request.as_bytes()).map_err(told)?;
    let mut response = Response::new();
    response.begin(false, KEPT_BYTES);
    let mut buffer = vec![0; KEPT_BYTES];
    loop {
        stream.set_read_timeout(Some(left()?)).map_err(told)?;
        let complete = match stream.read(&mut buffer).map_err(told)? {
            0 => response.end().map(|()| true).map_err(|cut| format!("GET {path}: {}", cut.text()))?,
            n => response.feed(&buffer[..n], 0).map_err(|error| format!("GET {path}: {}", error.text()))?,
        };
        if complete {
            return Ok(Fetched { status: response.status(), body: response.body().to_vec() });
        }
    }
}
