//! A load so far, for whoever asks while it runs: the seconds that are over, and at its end all of it.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use galo_judge::load::Measured;
use galo_record::event::Progress;
use galo_record::load::{EngineRecord, StepRecord};
use galo_record::{Latencies, Ledger, SecondLatencies};

use super::Metrics;

/// What is known of a load while it runs; shared by whoever adds to it and whoever asks.
#[derive(Debug)]
pub struct Totals {
    started: Instant,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    ledger: Ledger,
    statuses: BTreeMap<u16, u64>,
    errors: BTreeMap<String, u64>,
    in_flight: u64,
    lag_us_p99: u64,
    latency: Latencies,
    service_time: Latencies,
    /// Known at the end.
    engine: Option<EngineRecord>,
}

impl Default for Totals {
    /// Of a load that begins now.
    fn default() -> Self {
        Self { started: Instant::now(), state: Mutex::default() }
    }
}

impl Totals {
    /// One more second is over.
    pub fn add(&self, second: &SecondLatencies) {
        let mut state = self.state();
        let ledger = &mut state.ledger;
        ledger.intended += u64::from(second.intended);
        ledger.ok += second.ok.count();
        ledger.wrong += u64::from(second.wrong);
        ledger.failed += u64::from(second.failed);
        ledger.timed_out += u64::from(second.timed_out);
        state.latency.add_sparse(&second.ok);
        state.service_time.add_sparse(&second.ok_service);
    }

    /// Where the load is.
    pub fn set_progress(&self, progress: &Progress) {
        let mut state = self.state();
        // It may have waited to be heard until the load was over.
        if state.engine.is_some() {
            return;
        }
        (state.in_flight, state.lag_us_p99) = (progress.in_flight, progress.lag_us_p99);
    }

    /// All is over: what was added up from seconds gives way to what it came to.
    pub fn finish(&self, measured: &Measured) {
        let latencies = measured.all_latencies();
        let StepRecord { ledger, statuses, errors } = measured.load.total();
        *self.state() = State {
            ledger,
            statuses,
            errors,
            in_flight: 0,
            lag_us_p99: 0,
            latency: latencies.ok,
            service_time: latencies.ok_service,
            engine: Some(measured.load.engine.clone()),
        };
    }

    /// As Prometheus reads it.
    pub fn to_text(&self) -> String {
        let state = self.state();
        Metrics {
            elapsed_ns: u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX),
            ledger: &state.ledger,
            statuses: &state.statuses,
            errors: &state.errors,
            in_flight: state.in_flight,
            latency: &state.latency,
            service_time: &state.service_time,
            lag_us_p99: state.lag_us_p99,
            engine: state.engine.as_ref(),
        }
        .to_text()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use galo_record::LoadRecord;

    use super::*;

    #[test]
    fn progress_that_is_heard_after_the_end_does_not_undo_it() {
        let totals = Totals::default();
        let progress = Progress { in_flight: 7, lag_us_p99: 9, ..Progress::default() };
        // One lock at a time: both in one expression would wait for each other.
        let seen = || {
            let state = totals.state();
            (state.in_flight, state.lag_us_p99)
        };
        totals.set_progress(&progress);
        assert_eq!(seen(), (7, 9));
        totals.finish(&Measured {
            load: LoadRecord::default(),
            latencies: Vec::new(),
            evidence: Vec::new(),
            rate_ns: 0,
        });
        totals.set_progress(&progress);
        assert_eq!(seen(), (0, 0));
    }
}
