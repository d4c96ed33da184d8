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
}

impl Measured {
    /// Adds a load of the same addresses that was driven after this one.
    pub fn add(&mut self, later: Self) {
        self.load.add(&later.load);
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
        Figures::of(load.elapsed_ns(), &load.total().ledger, &latencies, &load.engine)
    }

    /// The report of it; what was asked for and found beyond that is to be set.
    pub fn report(&self, urls: &[String]) -> LoadReport {
        let parts = urls.iter().zip(&self.load.steps).zip(&self.latencies);
        let outcomes: Vec<_> =
            parts.map(|((url, step), latencies)| UrlOutcome { url, step, latencies }).collect();
        let mut report = LoadReport::of(self.load.elapsed_ns(), &outcomes, &self.load.engine);
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
        Measured { load, latencies: vec![latencies; 2], evidence: Vec::new() }
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
