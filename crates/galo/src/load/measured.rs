//! What one load, or several one after another, came to.

use std::collections::BTreeMap;

use galo_load::LoadOutcome;
use galo_record::round::{EngineRecord, StepRecord};
use galo_record::{Evidence, Ledger, StepLatencies};
use galo_report::load::{Assertions, Example, Figures, LoadReport, UrlOutcome};

/// See the module. Steps and latencies are by address.
pub(super) struct Measured {
    pub(super) elapsed_ns: u64,
    pub(super) steps: Vec<StepRecord>,
    pub(super) latencies: Vec<StepLatencies>,
    pub(super) engine: EngineRecord,
    pub(super) evidence: Vec<Evidence>,
    pub(super) interrupted: bool,
    pub(super) stopped_by: Option<u16>,
}

impl From<LoadOutcome> for Measured {
    fn from(outcome: LoadOutcome) -> Self {
        Self {
            elapsed_ns: outcome.ended_ns.saturating_sub(outcome.started_ns),
            steps: outcome.steps,
            latencies: outcome.latencies,
            engine: outcome.engine,
            evidence: outcome.evidence,
            interrupted: outcome.interrupted,
            stopped_by: outcome.stopped_by,
        }
    }
}

impl Measured {
    /// Adds a load of the same addresses that was driven after this one.
    pub(super) fn add(&mut self, later: Self) {
        self.elapsed_ns += later.elapsed_ns;
        for (mine, its) in self.steps.iter_mut().zip(later.steps) {
            mine.ledger.add(&its.ledger);
            add_counts(&mut mine.statuses, its.statuses);
            add_counts(&mut mine.errors, its.errors);
        }
        for (mine, its) in self.latencies.iter_mut().zip(&later.latencies) {
            mine.add(its);
        }
        add_engine(&mut self.engine, later.engine);
        self.evidence.extend(later.evidence);
        self.interrupted |= later.interrupted;
        self.stopped_by = self.stopped_by.or(later.stopped_by);
    }

    /// All addresses together.
    pub(super) fn ledger(&self) -> Ledger {
        let mut sum = Ledger::default();
        self.steps.iter().for_each(|step| sum.add(&step.ledger));
        sum
    }

    /// All addresses together.
    pub(super) fn all_latencies(&self) -> StepLatencies {
        let mut sum = StepLatencies::default();
        self.latencies.iter().for_each(|latencies| sum.add(latencies));
        sum
    }

    /// The report of it; what was asked for and found beyond that is to be set.
    pub(super) fn report(&self, urls: &[String]) -> LoadReport {
        let parts = urls.iter().zip(&self.steps).zip(&self.latencies);
        let outcomes: Vec<_> =
            parts.map(|((url, step), latencies)| UrlOutcome { url, step, latencies }).collect();
        let mut report = LoadReport::of(self.elapsed_ns, &outcomes, &self.engine);
        report.interrupted = self.interrupted;
        report.stopped_by = self.stopped_by;
        report.examples = Example::first_of_each(&self.evidence);
        report
    }
}

/// Enters in a report what was to hold, and says whether all of it did.
pub(super) fn assert_all(report: &mut LoadReport, assertions: &[Assertions]) -> bool {
    let figures = Figures::from(&*report);
    report.assertions = assertions.iter().flat_map(|each| each.evaluate(&figures)).collect();
    report.assertions.iter().all(|outcome| outcome.met)
}

/// Sums, but for lag: its percentiles cannot be added, so the worst load's stand for all.
fn add_engine(sum: &mut EngineRecord, later: EngineRecord) {
    sum.lag_us_p50 = sum.lag_us_p50.max(later.lag_us_p50);
    sum.lag_us_p99 = sum.lag_us_p99.max(later.lag_us_p99);
    sum.lag_us_p99_9 = sum.lag_us_p99_9.max(later.lag_us_p99_9);
    sum.lag_us_max = sum.lag_us_max.max(later.lag_us_max);
    sum.cpu_ns += later.cpu_ns;
    sum.connections += later.connections;
    sum.sent_bytes += later.sent_bytes;
    sum.received_bytes += later.received_bytes;
    sum.retries += later.retries;
    sum.waited += later.waited;
    sum.retransmitted_segments += later.retransmitted_segments;
    sum.priority = sum.priority.max(later.priority);
    sum.connects.add(&later.connects);
    add_counts(&mut sum.own_errors, later.own_errors);
    for (mine, its) in sum.thread_cpu_ns.iter_mut().zip(later.thread_cpu_ns) {
        *mine += its;
    }
    for (mine, its) in sum.run_queue_ns.iter_mut().zip(later.run_queue_ns) {
        *mine += its;
    }
}

fn add_counts<K: Ord>(counts: &mut BTreeMap<K, u64>, others: BTreeMap<K, u64>) {
    for (key, n) in others {
        *counts.entry(key).or_default() += n;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(ok: u64, lag_us: f64) -> Measured {
        let mut latencies = StepLatencies::default();
        (0..ok).for_each(|_| latencies.ok.record_ns(1_000_000));
        let step = StepRecord {
            ledger: Ledger { intended: ok + 1, ok, failed: 1, ..Ledger::default() },
            statuses: [(200, ok)].into(),
            errors: [("connection refused".to_owned(), 1)].into(),
        };
        let engine = EngineRecord {
            threads: 1,
            lag_us_p99: lag_us,
            cpu_ns: 5,
            thread_cpu_ns: vec![5],
            run_queue_ns: vec![7],
            ..EngineRecord::default()
        };
        Measured {
            elapsed_ns: 1_000_000_000,
            steps: vec![step; 2],
            latencies: vec![latencies; 2],
            engine,
            evidence: Vec::new(),
            interrupted: false,
            stopped_by: None,
        }
    }

    #[test]
    fn loads_after_one_another_add_up_and_the_worst_lag_stands() {
        let mut sum = measured(10, 30.0);
        sum.add(Measured { stopped_by: Some(500), interrupted: true, ..measured(30, 20.0) });
        assert_eq!((sum.elapsed_ns, sum.ledger().intended, sum.ledger().ok), (2_000_000_000, 84, 80));
        assert!(sum.ledger().adds_up());
        assert_eq!(sum.all_latencies().ok.count(), 80);
        assert_eq!((sum.engine.lag_us_p99, sum.engine.cpu_ns, sum.engine.threads), (30.0, 10, 1));
        assert_eq!((&sum.engine.thread_cpu_ns[..], &sum.engine.run_queue_ns[..]), (&[10][..], &[14][..]));
        assert_eq!((sum.interrupted, sum.stopped_by), (true, Some(500)));
        let report = sum.report(&["http://a/".to_owned(), "http://b/".to_owned()]);
        assert_eq!(
            (report.ok_per_s, report.statuses[&200], report.errors["connection refused"]),
            (40.0, 80, 4)
        );
        assert_eq!(report.urls.len(), 2);
    }

    #[test]
    fn one_assertion_that_does_not_hold_is_enough() {
        let mut report = measured(10, 30.0).report(&["http://a/".to_owned()]);
        let assertions: Vec<Assertions> =
            ["p99<2ms,lag.p99<1ms", "errors==0"].iter().map(|text| text.parse().unwrap()).collect();
        assert!(assert_all(&mut report, &assertions[..1]));
        assert!(!assert_all(&mut report, &assertions));
        assert_eq!(
            report.assertions.iter().map(|outcome| outcome.met).collect::<Vec<_>>(),
            [true, true, false]
        );
    }
}
