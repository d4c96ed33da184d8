//! One line for each tunnel, written by a thread of its own, so that no tunnel ever waits for whoever reads them.

use std::io::Write;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};

use serde::Serialize;

use crate::metrics::Metrics;

/// Lines that may wait; beyond them they are left out, and counted.
const LINES_MAX: usize = 4096;

/// What is told of a tunnel.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Line {
    pub(crate) mode: &'static str,
    /// Only where asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) client: Option<IpAddr>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) target: Option<String>,
    /// The answer to CONNECT.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<u16>,
    pub(crate) bytes_up: u64,
    pub(crate) bytes_down: u64,
    pub(crate) seconds: f64,
    /// Why it ended.
    pub(crate) end: &'static str,
}

/// Where lines go.
#[derive(Debug, Clone)]
pub(crate) struct Log {
    lines: Option<SyncSender<Line>>,
    metrics: Arc<Metrics>,
}

impl Log {
    /// Writes to standard output, or nothing.
    pub(crate) fn new(wanted: bool, metrics: Arc<Metrics>) -> std::io::Result<Self> {
        if !wanted {
            return Ok(Self { lines: None, metrics });
        }
        let (sender, lines) = sync_channel::<Line>(LINES_MAX);
        std::thread::Builder::new().name("log".to_owned()).spawn(move || {
            let mut out = std::io::stdout().lock();
            for line in lines {
                let Ok(mut text) = serde_json::to_vec(&line) else { continue };
                text.push(b'\n');
                if out.write_all(&text).is_err() {
                    return; // nobody reads any more
                }
            }
        })?;
        Ok(Self { lines: Some(sender), metrics })
    }

    /// Whether anybody wants them.
    pub(crate) fn is_wanted(&self) -> bool {
        self.lines.is_some()
    }

    pub(crate) fn tell(&self, line: Line) {
        if self.lines.as_ref().is_some_and(|lines| lines.try_send(line).is_err()) {
            self.metrics.log_lost_total.add(1);
        }
    }
}
