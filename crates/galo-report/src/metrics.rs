//! How what runs now is written for Prometheus (text exposition format 0.0.4: names with base units, counters that end with
//! `_total`, cumulative buckets).

use std::fmt::{Display, Write};

use galo_record::Latencies;

/// Upper bounds of the buckets, in microseconds: 1, 2.5 and 5 in every power of ten up to 10 s, and a minute.
const BOUNDS_US: [u64; 18] = [
    50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
    2_500_000, 5_000_000, 10_000_000, 60_000_000,
];

/// A label's name and its value.
pub(crate) type Label<'a> = (&'a str, &'a dyn Display);

/// The text, and the rules for writing it. Writing to a string does not fail.
pub(crate) struct Text {
    prefix: String,
    text: String,
}

impl Text {
    /// For metrics whose names all begin so.
    pub(crate) fn new(prefix: &str) -> Self {
        Self { prefix: prefix.to_owned(), text: String::new() }
    }

    /// All of it, for a scrape or a push (`Content-Type: text/plain; version=0.0.4`).
    pub(crate) fn into_string(self) -> String {
        self.text
    }

    /// What a metric is; its values follow.
    pub(crate) fn head(&mut self, name: &str, kind: &str, help: &str) {
        let prefix = &self.prefix;
        let _ = writeln!(self.text, "# HELP {prefix}{name} {help}\n# TYPE {prefix}{name} {kind}");
    }

    /// One value of a metric.
    pub(crate) fn value(&mut self, name: &str, labels: &[Label<'_>], value: impl Display) {
        let _ = write!(self.text, "{}{name}", self.prefix);
        for (index, (label, text)) in labels.iter().enumerate() {
            let open = if index == 0 { '{' } else { ',' };
            let _ = write!(self.text, "{open}{label}=\"{}\"", escape(&text.to_string()));
        }
        let close = if labels.is_empty() { "" } else { "}" };
        let _ = writeln!(self.text, "{close} {value}");
    }

    /// A metric of one value.
    pub(crate) fn single(
        &mut self,
        name: &str,
        kind: &str,
        help: &str,
        labels: &[Label<'_>],
        value: impl Display,
    ) {
        self.head(name, kind, help);
        self.value(name, labels, value);
    }

    pub(crate) fn histogram(&mut self, name: &str, help: &str, latencies: &Latencies) {
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
}

/// A label's value, as the format wants it.
fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
pub(crate) mod tests;
