//! Counters, and how Prometheus gets them.

use std::fmt::Write as _;
use std::io::{Read, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rustix::io::{DupFlags, dup3};

/// How long somebody who asks for them may take.
const PATIENCE: Duration = Duration::from_secs(2);
/// Until the next try where nobody could be let in.
const PAUSE: Duration = Duration::from_millis(100);

macro_rules! counters {
    ($($(#[doc = $help:literal])+ $name:ident: $kind:literal,)+) => {
        /// What happened so far.
        #[derive(Debug, Default)]
        pub(crate) struct Metrics {
            $($(#[doc = $help])+ pub(crate) $name: Counter,)+
        }

        impl Metrics {
            /// In the text format of Prometheus.
            pub(crate) fn text(&self) -> String {
                let mut text = String::new();
                $(
                    let (name, help) = (stringify!($name), concat!($($help),+).trim());
                    let value = self.$name.get();
                    // Writing to a string cannot fail.
                    let _ = write!(text, "# HELP tunnel_{name} {help}\n# TYPE tunnel_{name} {}\ntunnel_{name} {value}\n", $kind);
                )+
                text
            }
        }
    };
}

counters! {
    /// Connections accepted
    connections_total: "counter",
    /// Clients connected now
    connections_open: "gauge",
    /// Connections closed at once, since there were too many in all or of one client
    connections_refused_total: "counter",
    /// Failed tries to accept a connection
    accept_errors_total: "counter",
    /// TLS handshakes that failed
    tls_errors_total: "counter",
    /// Connections to targets that could not be made
    connect_errors_total: "counter",
    /// Requests that were refused as what they were
    requests_refused_total: "counter",
    /// Requests passed on to an upstream
    requests_total: "counter",
    /// Requests that were tried again elsewhere
    requests_retried_total: "counter",
    /// Requests that no upstream answered
    requests_failed_total: "counter",
    /// Bytes passed on from clients
    bytes_up_total: "counter",
    /// Bytes passed on to clients
    bytes_down_total: "counter",
    /// Lines of the log that were left out, since nobody took them
    log_lost_total: "counter",
}

/// A number that many threads change.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn add(&self, by: u64) {
        self.0.fetch_add(by, Ordering::Relaxed);
    }

    pub(crate) fn sub(&self, by: u64) {
        self.0.fetch_sub(by, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Answers on a thread of its own, also when no descriptor is left.
///
/// # Errors
/// Where the address cannot be listened on.
pub(crate) fn serve(address: SocketAddr, metrics: Arc<Metrics>) -> std::io::Result<SocketAddr> {
    let listener = TcpListener::bind(address)?;
    let bound = listener.local_addr()?;
    // Nobody uses it: it is given up for who asks when there is no other.
    let mut spare = Some(OwnedFd::from(listener.try_clone()?));
    std::thread::Builder::new().name("metrics".to_owned()).spawn(move || {
        loop {
            let accepted = listener.accept().or_else(|_| {
                spare = None;
                listener.accept()
            });
            let Ok((mut stream, _)) = accepted else {
                std::thread::sleep(PAUSE);
                continue;
            };
            // Whoever does not ask or take in time gets nothing.
            let _ = answer(&mut stream, &metrics);
            if spare.is_none() {
                // In one step, or a client would have the descriptor in between.
                let mut ended = OwnedFd::from(stream);
                spare = dup3(&listener, &mut ended, DupFlags::CLOEXEC).is_ok().then_some(ended);
            }
        }
    })?;
    Ok(bound)
}

fn answer(stream: &mut TcpStream, metrics: &Metrics) -> std::io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    if stream.read(&mut [0; 4096])? == 0 {
        return Ok(());
    }
    let text = metrics.text();
    let length = text.len();
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{text}"
    )
}
