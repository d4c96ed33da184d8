//! A load while it runs, as Prometheus reads it.

use std::collections::BTreeMap;

use galo_record::load::EngineRecord;
use galo_record::{Latencies, Ledger};

use crate::metrics::Text;

/// What lag is.
const LAG: &str = "How late requests were sent, by galo's own doing: of the last moment, at the end of all.";

/// A load so far.
#[derive(Debug, Clone, Copy)]
pub(super) struct Metrics<'a> {
    /// Time since its start.
    pub elapsed_ns: u64,
    /// Operations by result.
    pub ledger: &'a Ledger,
    /// Answers by status.
    pub statuses: &'a BTreeMap<u16, u64>,
    /// Failures by kind.
    pub errors: &'a BTreeMap<String, u64>,
    /// Operations under way.
    pub in_flight: u64,
    /// Latency from the intended start, of right answers.
    pub latency: &'a Latencies,
    /// Latency from the actual send, of right answers.
    pub service_time: &'a Latencies,
    /// How late requests were sent in the last moment, by galo's own doing; 0: none was.
    pub lag_us_p99: u64,
    /// galo's own part of all of it; `None`: it is not known yet.
    pub engine: Option<&'a EngineRecord>,
}

impl Metrics<'_> {
    /// All of it as text, for a scrape or a push (`Content-Type: text/plain; version=0.0.4`).
    pub(super) fn to_text(self) -> String {
        let mut text = Text::new("galo_load_");
        self.operations(&mut text);
        text.histogram("latency_seconds", "Latency from the intended start, of right answers.", self.latency);
        text.histogram(
            "service_time_seconds",
            "Latency from the actual send, of right answers.",
            self.service_time,
        );
        if let Some(engine) = self.engine {
            own_part(&mut text, engine);
        } else if self.lag_us_p99 > 0 {
            let lag_s = self.lag_us_p99 as f64 / 1e6;
            text.single("lag_seconds", "summary", LAG, &[("quantile", &"0.99")], lag_s);
        }
        text.into_string()
    }

    fn operations(&self, text: &mut Text) {
        let elapsed_s = self.elapsed_ns as f64 / 1e9;
        text.single("elapsed_seconds", "gauge", "Time since the start of the load.", &[], elapsed_s);
        text.single("intended_total", "counter", "Requests that fell due.", &[], self.ledger.intended);
        text.head("requests_total", "counter", "Requests that ended, by result.");
        let Ledger { ok, wrong, failed, timed_out, unfinished, .. } = *self.ledger;
        let results = [
            ("ok", ok),
            ("wrong", wrong),
            ("failed", failed),
            ("timed_out", timed_out),
            ("unfinished", unfinished),
        ];
        for (result, n) in results {
            text.value("requests_total", &[("result", &result)], n);
        }
        text.head("responses_total", "counter", "Answers by status.");
        for (status, n) in self.statuses {
            text.value("responses_total", &[("status", status)], *n);
        }
        text.head("errors_total", "counter", "Failures by kind.");
        for (kind, n) in self.errors {
            text.value("errors_total", &[("kind", kind)], *n);
        }
        text.single("in_flight_requests", "gauge", "Requests under way.", &[], self.in_flight);
    }
}

/// What is known at the end.
fn own_part(text: &mut Text, engine: &EngineRecord) {
    text.head("lag_seconds", "summary", LAG);
    let quantiles = [
        ("0.5", engine.lag_us_p50),
        ("0.99", engine.lag_us_p99),
        ("0.999", engine.lag_us_p99_9),
        ("1", engine.lag_us_max),
    ];
    for (quantile, us) in quantiles {
        text.value("lag_seconds", &[("quantile", &quantile)], us / 1e6);
    }
    let cpu_s = engine.cpu_ns as f64 / 1e9;
    text.single("cpu_seconds_total", "counter", "CPU of the engine's threads, user and system.", &[], cpu_s);
    let counters = [
        ("connections_total", "Connections opened.", engine.connections),
        ("sent_bytes_total", "Bytes written to sockets.", engine.sent_bytes),
        ("received_bytes_total", "Bytes read from sockets.", engine.received_bytes),
    ];
    for (name, help, n) in counters {
        text.single(name, "counter", help, &[], n);
    }
}

#[cfg(test)]
mod tests;
