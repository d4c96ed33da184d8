//! One load at one side, measured.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Result;
use galo_host::Running;
use galo_load::{Backend, LoadOptions, LoadOutcome};
use galo_plan::LoadPlan;
use galo_plan::load::{Arrivals, Spacing};
use galo_record::duel::{LevelTerms, TurnLatency, TurnLoad, TurnUsage};
use galo_record::load::StepRecord;
use galo_record::{Events, RoundData, RoundRecord, StepLatencies, Window};
use galo_watch::Watcher;

/// After the last arrival, beside the timeout.
const DRAIN_MORE: Duration = Duration::from_secs(1);

/// What one load differs by from the others of its side.
#[derive(Debug, Clone, Copy)]
pub(super) struct Load<'a> {
    pub(super) terms: &'a LevelTerms,
    /// In a closed loop no more than this many requests; `None`: as many as there is time for.
    pub(super) total: Option<u64>,
    /// Number of the user who arrives first: users of one number send the same request, whichever side they ask.
    pub(super) first_user: u64,
    /// How many answers are kept.
    pub(super) kept: u64,
}

/// What all loads share.
pub(super) struct Engine {
    pub(super) stop: Arc<AtomicBool>,
    pub(super) events: Events,
    pub(super) threads: usize,
}

impl Load<'_> {
    /// How its users arrive.
    pub(super) fn arrivals(&self) -> Arrivals {
        let LevelTerms { length_ns, injection, connections, .. } = self.terms;
        match injection {
            Some(injection) => Arrivals::Open { injection: injection.clone(), spacing: Spacing::Even },
            None => {
                Arrivals::Closed { users: *connections, total: self.total, duration_ns: Some(*length_ns) }
            }
        }
    }
}

impl Engine {
    /// Drives a plan that is set to this load; whether the caller broke it off stands beside it.
    ///
    /// # Errors
    /// What kept the engine from running.
    pub(super) fn drive(
        &self,
        plan: &LoadPlan,
        load: &Load<'_>,
        running: Option<&Running>,
    ) -> Result<(TurnLoad, bool)> {
        let options = LoadOptions {
            threads: self.threads,
            history: false,
            // At a rate that a plan bounds; a closed loop would take the core from whoever is there.
            real_time: load.terms.injection.is_some(),
            backend: Backend::Auto,
            spin: false,
            drain: Duration::from_nanos(plan.timeouts.answer_ns).saturating_add(DRAIN_MORE),
            stop: Arc::clone(&self.stop),
            events: self.events.clone(),
            seconds: None,
        };
        let watcher = running.map(|running| Watcher::start(running.placement(), &self.events)).transpose()?;
        let outcome = galo_load::run(plan, &options);
        let samples = watcher.map(Watcher::stop).unwrap_or_default();
        let outcome = outcome?;
        let mut round = RoundData::new(RoundRecord::new(1, 0, 0));
        (round.record.load.started_ns, round.record.load.ended_ns) =
            (outcome.load.started_ns, outcome.load.ended_ns);
        round.samples = samples;
        Ok((measured(load.terms, &outcome, &round), outcome.load.interrupted))
    }
}

fn measured(terms: &LevelTerms, outcome: &LoadOutcome, round: &RoundData) -> TurnLoad {
    let StepRecord { ledger, statuses, errors } = outcome.load.total();
    let mut latencies = StepLatencies::default();
    outcome.latencies.iter().for_each(|each| latencies.add(each));
    let elapsed_ns = outcome.load.elapsed_ns();
    let all = latencies.all();
    let latency = TurnLatency {
        count: all.count(),
        us_p50: all.quantile_us(0.5),
        us_p90: all.quantile_us(0.9),
        us_p99: all.quantile_us(0.99),
        us_max: all.max_us(),
    };
    let window = round.window();
    TurnLoad {
        level: terms.level,
        elapsed_ns,
        ledger,
        statuses,
        errors,
        latency,
        cpu_ns: window.and_then(Window::cpu_ns),
        memory_peak_bytes: window.and_then(Window::memory_peak_bytes),
        anonymous_peak_bytes: window.and_then(Window::anonymous_peak_bytes),
        usage: window.and_then(|window| TurnUsage::of(window, &outcome.load.engine)),
        engine: outcome.load.engine.clone(),
    }
}
