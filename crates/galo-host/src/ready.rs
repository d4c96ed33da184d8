//! Readiness: one try of each kind. The waiting around it, which also watches for deaths, is [`crate::start`]'s.

use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::thread;
use std::time::Duration;

use crate::contact::connect;

/// How long one try may take. A count that is asked for may take seconds.
const TRY: Duration = Duration::from_secs(10);

/// Time between two tries over the network.
pub(crate) const INTERVAL: Duration = Duration::from_millis(25);

/// A try that is under way in a thread of its own, so that whoever waits for it can look after services, and end. The thread ends with
/// its try.
pub(crate) struct Asking(Receiver<Result<(), String>>);

impl Asking {
    /// Begins a try.
    pub(crate) fn begin(ask: impl FnOnce() -> Result<(), String> + Send + 'static) -> Self {
        let (told, heard) = mpsc::channel();
        // Where there is no thread to be had nobody asks, which the other end sees.
        let _ = thread::Builder::new().name("ready".to_owned()).spawn(move || drop(told.send(ask())));
        Self(heard)
    }

    /// What came of it; `None`: it is still under way.
    pub(crate) fn heard(&self) -> Option<Result<(), String>> {
        match self.0.try_recv() {
            Ok(told) => Some(told),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Err("galo could not ask".to_owned())),
        }
    }
}

/// Asks by HTTP: any 2xx is ready. Redirects are answers like others; of the body nothing is read.
pub(crate) fn http(url: &str) -> Result<(), String> {
    match status(url)? {
        200..=299 => Ok(()),
        status => Err(format!("status {status}")),
    }
}

/// Asks whether a contender answers: by a 2xx to `path` where its challenge names one. Otherwise any answer will do but those of a load
/// balancer that reaches nobody (502, 503, 504).
pub(crate) fn answers(address: SocketAddr, path: Option<&str>) -> Result<(), String> {
    if let Some(path) = path {
        return http(&format!("http://{address}{path}"));
    }
    match status(&format!("http://{address}/"))? {
        status @ 502..=504 => Err(format!("status {status}")),
        _ => Ok(()),
    }
}

fn status(url: &str) -> Result<u16, String> {
    let agent = ureq::Agent::config_builder()
        .timeout_global(Some(TRY))
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        .proxy(None)
        .max_idle_connections(0)
        .user_agent("galo/ready")
        .build()
        .new_agent();
    agent.get(url).call().map(|response| response.status().as_u16()).map_err(|error| http_words(&error))
}

/// The same words for the same failures as the load engine's, without addresses or numbers that change.
fn http_words(error: &ureq::Error) -> String {
    match error {
        ureq::Error::Io(error) => io_words(error),
        ureq::Error::ConnectionFailed => "connection refused".to_owned(),
        ureq::Error::Timeout(_) => format!("no answer within {} s", TRY.as_secs()),
        error => error.to_string(),
    }
}

/// Asks by connecting.
pub(crate) fn tcp(address: &str) -> Result<(), String> {
    let addresses: Vec<_> = address.to_socket_addrs().map_err(|e| io_words(&e))?.collect();
    if addresses.is_empty() {
        return Err(format!("`{address}` has no address"));
    }
    connect(&addresses, TRY).map(drop).map_err(|error| io_words(&error))
}

fn io_words(error: &std::io::Error) -> String {
    use std::io::ErrorKind;
    match error.kind() {
        ErrorKind::ConnectionRefused => "connection refused".to_owned(),
        ErrorKind::ConnectionReset => "connection reset".to_owned(),
        ErrorKind::UnexpectedEof => "connection closed before an answer".to_owned(),
        ErrorKind::TimedOut | ErrorKind::WouldBlock => format!("no answer within {} s", TRY.as_secs()),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpListener;

    /// Answers one connection with these bytes, and returns the address.
    fn answering(bytes: &'static [u8]) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.read(&mut [0; 1024]);
            let _ = stream.write_all(bytes);
        });
        address
    }

    fn asked(bytes: &'static [u8]) -> Result<(), String> {
        http(&format!("http://{}/x", answering(bytes)))
    }

    #[test]
    fn a_2xx_is_ready_and_every_other_status_is_told() {
        assert_eq!(asked(b"HTTP/1.1 204 No Content\r\n\r\n"), Ok(()));
        assert_eq!(asked(b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"), Err("status 503".to_owned()));
    }

    #[test]
    fn a_redirect_is_not_followed() {
        let redirect = b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n";
        assert_eq!(asked(redirect), Err("status 302".to_owned()));
    }

    #[test]
    fn an_endless_body_does_not_keep_galo() {
        assert_eq!(asked(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\nx"), Ok(()));
    }

    #[test]
    fn garbage_is_no_answer() {
        assert!(asked(b"\x00\x01\x02 no HTTP\r\n\r\n").is_err());
    }

    #[test]
    fn a_closed_port_is_refused_for_both_kinds() {
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
        assert_eq!(tcp(&address), Err("connection refused".to_owned()));
        assert_eq!(http(&format!("http://{address}/")), Err("connection refused".to_owned()));
    }

    #[test]
    fn who_accepts_and_says_nothing_keeps_nobody_waiting() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let silent = format!("http://{}/", listener.local_addr().unwrap());
        let asking = Asking::begin(move || http(&silent));
        let (stream, _) = listener.accept().unwrap();
        assert_eq!(asking.heard(), None);
        drop(stream);
        let heard = std::iter::repeat_with(|| asking.heard()).flatten().next().unwrap();
        assert!(heard.is_err());
    }

    #[test]
    fn an_open_port_is_ready() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        assert_eq!(tcp(&listener.local_addr().unwrap().to_string()), Ok(()));
    }
}
