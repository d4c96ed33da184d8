//! A load while it runs, as Prometheus reads it (text exposition format 0.0.4: names with base units, counters that
//! end with `_total`, cumulative buckets).

use std::collections::BTreeMap;
use std::fmt::{Display, Write};

use galo_record::round::EngineRecord;
use galo_record::{Latencies, Ledger};

/// Upper bounds of the buckets, in microseconds: 1, 2.5 and 5 in every power of ten up to 10 s, and a minute.
const BOUNDS_US: [u64; 18] = [
    50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
    2_500_000, 5_000_000, 10_000_000, 60_000_000,
];

/// A load so far.
#[derive(Debug, Clone, Copy)]
pub struct Metrics<'a> {
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
    /// galo's own part; `None`: it is not known yet.
    pub engine: Option<&'a EngineRecord>,
}

impl Metrics<'_> {
    /// All of it as text, for a scrape or a push (`Content-Type: text/plain; version=0.0.4`).
    pub fn to_text(&self) -> String {
        let mut text = Text::default();
        self.operations(&mut text);
        text.histogram("latency_seconds", "Latency from the intended start, of right answers.", self.latency);
        text.histogram(
            "service_time_seconds",
            "Latency from the actual send, of right answers.",
            self.service_time,
        );
        if let Some(engine) = self.engine {
            text.own_part(engine);
        }
        text.0
    }

    fn operations(&self, text: &mut Text) {
        text.head("elapsed_seconds", "gauge", "Time since the start of the load.");
        text.value("elapsed_seconds", &[], self.elapsed_ns as f64 / 1e9);
        text.head("intended_total", "counter", "Requests that fell due.");
        text.value("intended_total", &[], self.ledger.intended);
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
        text.head("in_flight_requests", "gauge", "Requests under way.");
        text.value("in_flight_requests", &[], self.in_flight);
    }
}

/// The text, and the rules for writing it. Writing to a string does not fail.
#[derive(Default)]
struct Text(String);

impl Text {
    fn head(&mut self, name: &str, kind: &str, help: &str) {
        let _ = writeln!(self.0, "# HELP galo_load_{name} {help}\n# TYPE galo_load_{name} {kind}");
    }

    fn value(&mut self, name: &str, labels: &[(&str, &dyn Display)], value: impl Display) {
        let _ = write!(self.0, "galo_load_{name}");
        for (index, (label, text)) in labels.iter().enumerate() {
            let open = if index == 0 { '{' } else { ',' };
            let _ = write!(self.0, "{open}{label}=\"{}\"", escape(&text.to_string()));
        }
        let close = if labels.is_empty() { "" } else { "}" };
        let _ = writeln!(self.0, "{close} {value}");
    }

    fn histogram(&mut self, name: &str, help: &str, latencies: &Latencies) {
        self.head(name, "histogram", help);
        let bucket = format!("{name}_bucket");
        for us in BOUNDS_US {
            let seconds = us as f64 / 1e6;
            self.value(&bucket, &[("le", &seconds)], latencies.count_up_to_ns(us * 1000));
        }
        self.value(&bucket, &[("le", &"+Inf")], latencies.count());
        self.value(&format!("{name}_sum"), &[], latencies.mean_us() * latencies.count() as f64 / 1e6);
        self.value(&format!("{name}_count"), &[], latencies.count());
    }

    fn own_part(&mut self, engine: &EngineRecord) {
        self.head("lag_seconds", "summary", "How late requests were sent, by galo's own doing.");
        let quantiles = [
            ("0.5", engine.lag_us_p50),
            ("0.99", engine.lag_us_p99),
            ("0.999", engine.lag_us_p99_9),
            ("1", engine.lag_us_max),
        ];
        for (quantile, us) in quantiles {
            self.value("lag_seconds", &[("quantile", &quantile)], us / 1e6);
        }
        self.head("cpu_seconds_total", "counter", "CPU of the engine's threads, user and system.");
        self.value("cpu_seconds_total", &[], engine.cpu_ns as f64 / 1e9);
        let counters = [
            ("connections_total", "Connections opened.", engine.connections),
            ("sent_bytes_total", "Bytes written to sockets.", engine.sent_bytes),
            ("received_bytes_total", "Bytes read from sockets.", engine.received_bytes),
        ];
        for (name, help, n) in counters {
            self.head(name, "counter", help);
            self.value(name, &[], n);
        }
    }
}

/// A label's value, as the format wants it.
fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests;
