//! What one load, or several one after another, came to.

use galo_judge::assertion::Figures;
use galo_record::{Evidence, LoadRecord, StepLatencies};

use super::{Example, LoadReport, UrlOutcome};

/// A load of addresses: its steps are the addresses in their order.
#[derive(Debug)]
pub struct Measured {
    /// All steps.
    pub load: LoadRecord,
    /// By step.
    pub latencies: Vec<StepLatencies>,
    /// What went wrong first.
    pub evidence: Vec<Evidence>,
    /// The time that its rates are over ([`LoadRecord::rate_ns`]).
    pub rate_ns: u64,
}

impl Measured {
    /// Adds a load of the same addresses that was driven after this one.
    pub fn add(&mut self, later: Self) {
        self.load.add(&later.load);
        self.rate_ns += later.rate_ns;
        for (mine, its) in self.latencies.iter_mut().zip(&later.latencies) {
            mine.add(its);
        }
        self.evidence.extend(later.evidence);
    }

    /// All addresses together.
    pub fn all_latencies(&self) -> StepLatencies {
        let mut sum = StepLatencies::default();
        self.latencies.iter().for_each(|latencies| sum.add(latencies));
        sum
    }

    /// What may be asserted of it.
    pub fn figures(&self) -> Figures {
        let (load, latencies) = (&self.load, self.all_latencies());
        Figures::of(self.rate_ns, &load.total().ledger, &latencies, &load.engine)
    }

    /// The report of it; what was asked for and found beyond that is to be set.
    pub fn report(&self, urls: &[String]) -> LoadReport {
        let parts = urls.iter().zip(&self.load.steps).zip(&self.latencies);
        let outcomes: Vec<_> =
            parts.map(|((url, step), latencies)| UrlOutcome { url, step, latencies }).collect();
        let mut report = LoadReport::of([self.load.elapsed_ns(), self.rate_ns], &outcomes, &self.load.engine);
        report.interrupted = self.load.interrupted;
        report.stopped_by = self.load.stopped_by;
        report.examples = Example::first_of_each(&self.evidence);
        report
    }
}

#[cfg(test)]
mod tests {
    use galo_judge::assertion::Assertions;
    use galo_record::Ledger;
    use galo_record::load::{EngineRecord, StepRecord};

    use super::*;

    fn measured(ok: u64, lag_us: f64) -> Measured {
        let mut latencies = StepLatencies::default();
        (0..ok).for_each(|_| latencies.ok.record_ns(1_000_000));
        let step = StepRecord {
            ledger: Ledger { intended: ok + 1, ok, failed: 1, ..Ledger::default() },
            statuses: [(200, ok)].into(),
            errors: [("connection refused".to_owned(), 1)].into(),
        };
        let engine = EngineRecord { threads: 1, lag_us_p99: lag_us, ..EngineRecord::default() };
        let load =
            LoadRecord { ended_ns: 1_000_000_000, steps: vec![step; 2], engine, ..LoadRecord::default() };
        Measured { load, latencies: vec![latencies; 2], evidence: Vec::new(), rate_ns: 1_000_000_000 }
    }

    #[test]
    fn loads_after_one_another_are_reported_as_one() {
        let mut sum = measured(10, 30.0);
        sum.add(measured(30, 20.0));
        assert_eq!(sum.all_latencies().ok.count(), 80);
        let report = sum.report(&["http://a/".to_owned(), "http://b/".to_owned()]);
        assert_eq!(
            (report.ok_per_s, report.statuses[&200], report.errors["connection refused"]),
            (40.0, 80, 4)
        );
        assert_eq!(report.urls.len(), 2);
    }

    #[test]
    fn a_load_that_was_over_early_is_told_by_the_time_that_was_asked_for() {
        let mut slow = Measured { rate_ns: 100_000_000_000, ..measured(10, 30.0) };
        let told = |measured: &Measured| {
            let report = measured.report(&["http://a/".to_owned(), "http://b/".to_owned()]);
            (report.ok_per_s, report.rate_over_s, report.elapsed_s, report.requests.all.ok.per_s)
        };
        assert_eq!(told(&slow), (0.2, 100.0, 1.0, 0.2));
        let met = |bound: &str| bound.parse::<Assertions>().unwrap().met(&slow.figures());
        assert!(met("rate<=0.2") && !met("rate>0.2"));
        slow.add(measured(10, 30.0));
        assert_eq!(told(&slow), (0.396, 101.0, 2.0, 0.396), "each step over its own time");
    }

    #[test]
    fn one_assertion_that_does_not_hold_is_enough() {
        let measured = measured(10, 30.0);
        let (mut report, figures) = (measured.report(&["http://a/".to_owned()]), measured.figures());
        let assertions: Vec<Assertions> =
            ["p99<2ms,lag.p99<1ms", "errors==0"].iter().map(|text| text.parse().unwrap()).collect();
        assert!(report.assert(&figures, &assertions[..1]));
        assert!(!report.assert(&figures, &assertions));
        assert_eq!(
            report.assertions.iter().map(|outcome| outcome.met).collect::<Vec<_>>(),
            [true, true, false]
        );
    }
}
