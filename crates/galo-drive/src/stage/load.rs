//! A load driven, while somebody looks after the services.

use std::sync::Arc;
use std::time::Duration;

use galo_host::Quotas;
use galo_load::{Backend, LoadError, LoadOptions, LoadOutcome};
use galo_plan::LoadPlan;
use galo_record::RoundData;

use super::means::Means;
use crate::DriveError;

/// Time between two looks at the services while a load runs, and at the count while it comes to rest.
pub const LOOK: Duration = Duration::from_millis(200);

/// Runs the load engine. With what came goes what a CPU quota on galo itself cost meanwhile.
///
/// # Errors
/// What kept the engine from running.
pub(super) fn run_engine(plan: &LoadPlan, options: &LoadOptions) -> Result<LoadOutcome, LoadError> {
    let quotas = Quotas::of_galo();
    let before = quotas.mark();
    let mut outcome = galo_load::run(plan, options)?;
    outcome.load.engine.quota = quotas.since(&before);
    Ok(outcome)
}

/// Runs the load engine, and looks again and again meanwhile.
///
/// # Errors
/// What kept the engine from running.
pub(super) fn run_beside(
    plan: &LoadPlan,
    options: &LoadOptions,
    every: Duration,
    mut look: impl FnMut(),
) -> Result<LoadOutcome, DriveError> {
    std::thread::scope(|scope| {
        let engine = scope.spawn(|| run_engine(plan, options));
        while !engine.is_finished() {
            look();
            std::thread::sleep(every);
        }
        let panicked = |_| DriveError::Bug("the load engine panicked".to_owned());
        Ok(engine.join().map_err(panicked)??)
    })
}

/// How whole contenders are driven: with the history, before everything else on the machine. `drain`: how long the last
/// operations may take after the last arrival.
pub fn options(means: &Means<'_>, drain: Duration) -> LoadOptions {
    LoadOptions {
        threads: means.threads,
        history: true,
        real_time: true,
        backend: Backend::Auto,
        spin: false,
        drain,
        stop: Arc::clone(means.stop),
        events: means.events.clone(),
        seconds: None,
        gate: None,
    }
}

/// Keeps what a load brought; whether the caller broke it off.
pub fn keep(outcome: LoadOutcome, data: &mut RoundData) -> bool {
    let LoadOutcome { load, latencies, history, seen, evidence } = outcome;
    let is_interrupted = load.interrupted;
    data.record.load = load;
    (data.latencies, data.evidence) = (latencies, evidence);
    (data.history, data.seen) = (history, seen);
    is_interrupted
}

/// How long the last operations may take after the last arrival before they count as unfinished: as long as one user may be
/// there, so that its pauses and timeouts come first.
pub(super) fn drain(load: &LoadPlan) -> Duration {
    Duration::from_nanos(load.longest_user_ns())
}

#[cfg(test)]
mod tests {
    use galo_plan::Step;
    use galo_plan::challenge::Connection;
    use galo_plan::load::{Arrivals, Target};

    use super::*;

    #[test]
    fn the_last_users_have_their_pauses_and_their_timeouts() {
        let (first, target) = (Step::plain("GET", "/"), Target::plain(([127, 0, 0, 1], 1).into()));
        let later = Step { pause_ns: Some((1, 30_000_000_000)), ..first.clone() };
        let arrivals = Arrivals::Closed { users: 1, total: Some(1), duration_ns: None };
        let timeout = Duration::from_secs(1);
        let mut load = LoadPlan::repeating(first, Connection::PerUser, timeout, arrivals, target);
        load.scenarios[0].steps.push(later);
        assert_eq!(drain(&load), Duration::from_secs(34), "four timeouts and a pause");
    }
}
