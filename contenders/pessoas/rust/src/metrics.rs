//! Counters, and their text for Prometheus (text format 0.0.4).
//!
//! Every counter has its place in an array that is known when the program is built: to count is to add to one or two
//! numbers, without looking up a label.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use crate::api::Route;
use crate::http::Status;

/// Classes of statuses, 1xx to 5xx.
const CLASSES: usize = 5;

/// Bounds of the histogram are powers of two: 2^5 us = 32 us is the first, 2^21 us (2.1 s) the last.
const FIRST_BOUND: u32 = 5;

/// Finite bounds of the histogram.
const BOUNDS: usize = 17;

/// Counters of one instance. One thread counts, so an addition is a load and a store.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    routes: [Counters; Route::NAMES.len()],
    shed: Counter,
    refused_connections: Counter,
}

#[derive(Debug, Default)]
struct Counters {
    classes: [Counter; CLASSES],
    /// Answers by time, not summed up; the last has what is above all bounds.
    durations: [Counter; BOUNDS + 1],
    duration_ns: Counter,
}

#[derive(Debug, Default)]
struct Counter(AtomicU64);

impl Counter {
    fn add(&self, number: u64) {
        self.0.store(self.0.load(Relaxed).wrapping_add(number), Relaxed);
    }

    fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

impl Metrics {
    /// Counts an answer that a handler took this time for.
    pub(crate) fn count_answer(&self, route: Route<'_>, status: Status, duration: Duration) {
        let counters = &self.routes[route.number()];
        counters.classes[status.class() - 1].add(1);
        counters.durations[bucket(duration)].add(1);
        counters.duration_ns.add(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX));
    }

    /// Counts a request that no handler has seen.
    pub(crate) fn count_refused(&self, status: Status) {
        self.routes[Route::Unknown.number()].classes[status.class() - 1].add(1);
    }

    /// Counts a request that there was no room for.
    pub(crate) fn count_shed(&self) {
        self.shed.add(1);
    }

    /// Counts a connection that there was no room for.
    pub(crate) fn count_refused_connection(&self) {
        self.refused_connections.add(1);
    }

    /// All of it, with what is under way now.
    pub(crate) fn text(&self, in_flight: usize, connections: usize) -> String {
        let mut out = String::with_capacity(8 * 1024);
        // Nothing can go wrong when a text is written into memory.
        let _ = self.write(&mut out, in_flight, connections);
        out
    }

    fn write(&self, out: &mut String, in_flight: usize, connections: usize) -> std::fmt::Result {
        describe(out, "pessoas_requests_total", "counter", "Requests by route and class of status.")?;
        for (counters, route) in self.routes.iter().zip(Route::NAMES) {
            for (class, counter) in (1..).zip(&counters.classes) {
                // An instance never answers 1xx or 3xx.
                if counter.get() > 0 {
                    let count = counter.get();
                    writeln!(
                        out,
                        "pessoas_requests_total{{route=\"{route}\",status=\"{class}xx\"}} {count}"
                    )?;
                }
            }
        }
        let name = "pessoas_request_duration_seconds";
        describe(out, name, "histogram", "Time that handlers took, from the whole request to the answer.")?;
        for (counters, route) in self.routes.iter().zip(Route::NAMES) {
            counters.write(out, name, route)?;
        }
        for (name, kind, help, value) in [
            (
                "pessoas_requests_in_flight",
                "gauge",
                "Requests whose handlers are under way.",
                in_flight as u64,
            ),
            ("pessoas_requests_shed_total", "counter", "Requests refused for want of room.", self.shed.get()),
            ("pessoas_connections", "gauge", "Open connections.", connections as u64),
            (
                "pessoas_connections_refused_total",
                "counter",
                "Connections refused for want of room.",
                self.refused_connections.get(),
            ),
        ] {
            describe(out, name, kind, help)?;
            writeln!(out, "{name} {value}")?;
        }
        Ok(())
    }
}

impl Counters {
    fn write(&self, out: &mut String, name: &str, route: &str) -> std::fmt::Result {
        let mut sum = 0;
        for (index, counter) in self.durations.iter().enumerate() {
            sum += counter.get();
            if index < BOUNDS {
                let bound = Duration::from_micros(1 << (FIRST_BOUND as usize + index)).as_secs_f64();
                writeln!(out, "{name}_bucket{{route=\"{route}\",le=\"{bound}\"}} {sum}")?;
            }
        }
        writeln!(out, "{name}_bucket{{route=\"{route}\",le=\"+Inf\"}} {sum}")?;
        let seconds = Duration::from_nanos(self.duration_ns.get()).as_secs_f64();
        writeln!(out, "{name}_sum{{route=\"{route}\"}} {seconds}\n{name}_count{{route=\"{route}\"}} {sum}")
    }
}

fn describe(out: &mut String, name: &str, kind: &str, help: &str) -> std::fmt::Result {
    writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}")
}

/// The bucket whose bound is the first that is not below the time.
fn bucket(duration: Duration) -> usize {
    let us = duration.as_nanos().div_ceil(1000);
    let power = u128::BITS - us.saturating_sub(1).leading_zeros();
    (power.saturating_sub(FIRST_BOUND) as usize).min(BOUNDS)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{BOUNDS, Metrics, bucket};
    use crate::api::Route;
    use crate::http::Status;

    #[test]
    fn a_time_falls_into_the_first_bucket_that_holds_it() {
        for (ns, want) in [(0, 0), (32_000, 0), (32_001, 1), (64_000, 1), (64_001, 2), (1_000_000, 5)] {
            assert_eq!(bucket(Duration::from_nanos(ns)), want, "{ns}");
        }
        assert_eq!(bucket(Duration::from_micros(1 << 21)), BOUNDS - 1);
        assert_eq!(bucket(Duration::from_micros((1 << 21) + 1)), BOUNDS);
        assert_eq!(bucket(Duration::MAX), BOUNDS);
    }

    #[test]
    fn what_was_counted_is_told() {
        let metrics = Metrics::default();
        metrics.count_answer(Route::Create, Status::Created, Duration::from_micros(100));
        metrics.count_answer(Route::Create, Status::UnprocessableContent, Duration::from_micros(40));
        metrics.count_refused(Status::ContentTooLarge);
        metrics.count_shed();
        let text = metrics.text(3, 4);
        for line in [
            "# TYPE pessoas_requests_total counter",
            "pessoas_requests_total{route=\"create\",status=\"2xx\"} 1",
            "pessoas_requests_total{route=\"create\",status=\"4xx\"} 1",
            "pessoas_requests_total{route=\"other\",status=\"4xx\"} 1",
            "pessoas_request_duration_seconds_bucket{route=\"create\",le=\"0.000032\"} 0",
            "pessoas_request_duration_seconds_bucket{route=\"create\",le=\"0.000064\"} 1",
            "pessoas_request_duration_seconds_bucket{route=\"create\",le=\"0.000128\"} 2",
            "pessoas_request_duration_seconds_bucket{route=\"create\",le=\"+Inf\"} 2",
            "pessoas_request_duration_seconds_sum{route=\"create\"} 0.00014",
            "pessoas_request_duration_seconds_count{route=\"create\"} 2",
            "pessoas_requests_in_flight 3",
            "pessoas_requests_shed_total 1",
            "pessoas_connections 4",
        ] {
            assert!(text.lines().any(|other| other == line), "{line}\n{text}");
        }
    }
}
