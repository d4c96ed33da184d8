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

    /// All is over: what was added up from seconds gives way to what it came to.
    pub fn finish(&self, measured: &Measured) {
        let latencies = measured.all_latencies();
        let StepRecord { ledger, statuses, errors } = measured.load.total();
        *self.state() = State {
            ledger,
            statuses,
            errors,
            latency: latencies.ok,
            service_time: latencies.ok_service,
            engine: Some(measured.load.engine.clone()),
        };
    }

    /// As Prometheus reads it; `progress`: where the load under way is.
    pub fn to_text(&self, progress: Option<&Progress>) -> String {
        let state = self.state();
        // It may have waited to be heard until the load was over.
        let now = progress.filter(|_| state.engine.is_none()).copied().unwrap_or_default();
        Metrics {
            elapsed_ns: u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX),
            ledger: &state.ledger,
            statuses: &state.statuses,
            errors: &state.errors,
            in_flight: now.in_flight,
            latency: &state.latency,
            service_time: &state.service_time,
            lag_us_p99: now.lag_us_p99,
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
        let in_flight = || {
            let text = totals.to_text(Some(&progress));
            text.lines()
                .find_map(|line| line.strip_prefix("galo_load_in_flight_requests "))
                .unwrap()
                .to_owned()
        };
        assert_eq!(in_flight(), "7");
        totals.finish(&Measured {
            load: LoadRecord::default(),
            latencies: Vec::new(),
            evidence: Vec::new(),
            rate_ns: 0,
        });
        assert_eq!(in_flight(), "0");
    }
}
