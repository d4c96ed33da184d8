//! Counters, and how Prometheus gets them.

use std::fmt::Write as _;
use std::io::{Read, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How long somebody who asks for them may take.
const PATIENCE: Duration = Duration::from_secs(2);

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

/// Answers on a thread of its own.
///
/// # Errors
/// Where the address cannot be listened on.
pub(crate) fn serve(address: SocketAddr, metrics: Arc<Metrics>) -> std::io::Result<SocketAddr> {
    let listener = TcpListener::bind(address)?;
    let bound = listener.local_addr()?;
    std::thread::Builder::new().name("metrics".to_owned()).spawn(move || {
        for mut stream in listener.incoming().flatten() {
            // Whoever does not ask or take in time gets nothing.
            let _ = stream.set_read_timeout(Some(PATIENCE)).and_then(|()| stream.set_write_timeout(Some(PATIENCE)));
            let mut head = [0; 4096];
            if !matches!(stream.read(&mut head), Ok(1..)) {
                continue;
            }
            let text = metrics.text();
            let length = text.len();
            let _ = write!(
                stream,
                "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{text}"
            );
        }
    })?;
    Ok(bound)
}
