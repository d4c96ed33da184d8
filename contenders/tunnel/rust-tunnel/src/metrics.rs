//! Counters, and how Prometheus gets them.

mod endpoint;

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

pub(crate) use endpoint::serve;

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
