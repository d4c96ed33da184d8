//! Whether a hold of `galo limit` was met, and what all holds together say.
//!
//! A hold is met when its service level was, its queue did not grow, every service is still alive, and the count grew by
//! what was acknowledged. All of it is judged of the acts of its unit and of the bulk of its load, so it can be judged again.

mod filling;
mod growth;
mod held_up;
mod hold;
mod judged;
mod usl;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use galo_plan::hold::HeldRate;
use galo_plan::{LimitTerms, Plan, SearchTerms};
use galo_record::act::{Acted, Creations, Loaded, Outcome, Unit, UnitKind, Workload};
use galo_record::{LoadRecord, Placement, RoundData, StepLatencies};

use crate::account::ledgers;
use crate::assertion::{Assertions, Figures};
use crate::capacity::{Capacity, Due, Search, SearchOptions, TrialOutcome, achieved_per_s};
use crate::causes;
use crate::signs::throttled_share;
use crate::void;

use filling::is_load;

pub use filling::{Filling, counted};
pub use held_up::{HeldUp, held_up_by, lowest_not_met};
pub use hold::{Hold, HoldOutcome, HoldService, NotMet, Preload, ScenarioRate};
pub use judged::{JudgedLimit, LimitedBy};
pub use usl::{Parameter, Peak, Scalability, knee};

/// So many wrong answers are told of.
const WRONG_TOLD: usize = 3;

/// Judges a hold of its unit's acts, and of its load as a round. A judge that crashes says "unknown": the hold says nothing then.
///
/// # Errors
/// What no run of galo's has: a unit that is no hold, a criterion that is none; in words.
pub fn judge_hold(plan: &Plan, unit: Unit<'_>, round: &RoundData) -> Result<Hold, String> {
    guarded(plan, unit, round, judge)
}

fn guarded(
    plan: &Plan,
    unit: Unit<'_>,
    round: &RoundData,
    judge: impl Fn(&Held<'_>) -> Hold,
) -> Result<Hold, String> {
    let (Some(terms), UnitKind::Hold { scale_milli, confirms }) = (plan.kind.limit(), &unit.terms.kind)
    else {
        return Err("a unit of a search for the highest scale is no hold".to_owned());
    };
    let criterion = criterion(terms)?;
    let length = Duration::from_nanos(terms.length_ns(*confirms));
    let held =
        Held { plan, terms, criterion, unit, round, scale_milli: *scale_milli, confirms: *confirms, length };
    // What is judged is shared and without inner state, so an unwinding judge leaves nothing half changed.
    Ok(catch_unwind(AssertUnwindSafe(|| judge(&held))).unwrap_or_else(|panic| held.unjudged(&*panic)))
}

/// What a hold must meet.
///
/// # Errors
/// It was written in another way than people can write it; in words.
pub fn criterion(terms: &LimitTerms) -> Result<Assertions, String> {
    terms.criterion.parse().map_err(|error: crate::assertion::AssertionError| error.to_string())
}

/// What is wrong with the count before and after creations; `None`: nothing.
pub fn contradiction(creations: Creations, stored: [Option<u64>; 2]) -> Option<NotMet> {
    let Creations { acknowledged, unknown } = creations;
    let [Some(before), Some(after)] = stored else { return Some(NotMet::NoCount) };
    if after < before {
        return Some(NotMet::CountFell { before, after });
    }
    let grown = after - before;
    (!(acknowledged..=acknowledged + unknown).contains(&grown)).then_some(NotMet::CountGrew {
        grown,
        acknowledged,
        unknown,
    })
}

/// A hold that was driven.
struct Held<'a> {
    plan: &'a Plan,
    terms: &'a LimitTerms,
    criterion: Assertions,
    unit: Unit<'a>,
    round: &'a RoundData,
    scale_milli: u64,
    confirms: bool,
    length: Duration,
}

/// What a hold came to.
fn judge(held: &Held<'_>) -> Hold {
    let filling = Filling::from_acts(held.unit.acts);
    let creations = held.load().map(|loaded| loaded.creations).unwrap_or_default();
    let stored = [filling.stored, held.stored_after()];
    let (ledger, probe_ledger) = ledgers(held.plan, &held.round.record.load);
    let latencies = held.round.compared_latencies(held.plan);
    let offered_per_s = ledger.intended as f64 / held.length.as_secs_f64();
    let achieved_per_s = held.achieved_per_s(&latencies, offered_per_s);
    let against = match held.load() {
        None => vec![filling.lack(held.plan, held.scale_milli)],
        Some(_) => held.against([offered_per_s, achieved_per_s], creations, stored),
    };
    let outcome = held.outcome([offered_per_s, achieved_per_s], &latencies, against);
    let record = &held.round.record;
    let rates = held.plan.held_rates(held.scale_milli);
    Hold {
        scale_milli: held.scale_milli,
        confirms: held.confirms,
        length_ns: held.length_ns(),
        rates: rates.into_iter().filter_map(|rate| scenario_rate(held.plan, rate)).collect(),
        preload: filling.preload(),
        stored_before: stored[0],
        stored_after: stored[1],
        acknowledged: creations.acknowledged,
        unknown: creations.unknown,
        ledger,
        probe_ledger,
        errors: record.load.total().errors,
        wrong: wrong(held.round),
        latency: latencies.all().percentiles(),
        elapsed_ns: record.load.elapsed_ns(),
        services: held.services(),
        galo_cpu_ns: held.round.window().and_then(galo_record::Window::galo_cpu_ns),
        engine_cpu_ns: record.load.engine.cpu_ns,
        lag_us_p99: record.load.engine.lag_us_p99,
        causes: if outcome.is_not_met() { causes::findings(held.plan, held.round, true) } else { Vec::new() },
        outcome,
    }
}

impl Held<'_> {
    /// A hold of which nothing is known.
    fn unjudged(&self, panic: &(dyn Any + Send)) -> Hold {
        let reasons = vec![NotMet::Void(void::judge_failed(panic))];
        Hold {
            scale_milli: self.scale_milli,
            confirms: self.confirms,
            length_ns: self.length_ns(),
            outcome: HoldOutcome { reasons, ..HoldOutcome::default() },
            ..Hold::default()
        }
    }

    /// The load that is the hold; `None`: the tables could not be filled for it.
    fn load(&self) -> Option<&Loaded> {
        self.unit.acts.iter().find_map(|acted| match &acted.outcome {
            Outcome::Loaded(loaded) if is_hold(acted) => Some(&**loaded),
            _ => None,
        })
    }

    fn stored_after(&self) -> Option<u64> {
        let after = self.unit.acts.iter().rev().take_while(|acted| !is_hold(acted));
        self.load().and_then(|_| after.into_iter().find_map(counted).flatten())
    }

    /// Operations that ended while users arrived.
    fn achieved_per_s(&self, latencies: &StepLatencies, offered_per_s: f64) -> f64 {
        let due = |seconds: usize| {
            latencies.seconds.iter().take(seconds).map(|second| f64::from(second.intended)).sum::<f64>()
        };
        let due = Due { per_s: offered_per_s, until: &due, drawn: 0.0 };
        achieved_per_s(latencies, self.length, due)
    }

    /// What speaks against it. `per_s`: what was due, and what was answered.
    fn against(&self, per_s: [f64; 2], creations: Creations, stored: [Option<u64>; 2]) -> Vec<NotMet> {
        let host = self.round.record.findings.iter().cloned().map(NotMet::Host);
        let outcomes = self.criterion.evaluate(&figures(self.plan, self.round, self.length_ns()));
        let broken = outcomes.into_iter().filter(|outcome| !outcome.met).map(NotMet::Broken);
        let [due_per_s, answered_per_s] = per_s;
        let is_behind = answered_per_s < self.terms.search.min_answered * due_per_s;
        let behind = is_behind.then_some(NotMet::QueueGrew { due_per_s, answered_per_s });
        let contradiction = self.plan.judges_the_count().then(|| contradiction(creations, stored)).flatten();
        host.chain(broken).chain(behind).chain(contradiction).collect()
    }

    /// `per_s`: what was due, and what was answered.
    fn outcome(&self, per_s: [f64; 2], latencies: &StepLatencies, against: Vec<NotMet>) -> HoldOutcome {
        let [offered_per_s, achieved_per_s] = per_s;
        let spoiled = void::of_hold(self.round, latencies);
        // Latency holds galo's lateness too: what is met in spite of it is met, if all of it was even tried.
        let met = against.is_empty() && self.round.record.load.engine.own_errors.is_empty();
        let valid = met || spoiled.is_empty();
        let reasons = match (met, valid) {
            (true, _) => Vec::new(),
            (false, true) => against,
            (false, false) => spoiled.into_iter().map(NotMet::Void).collect(),
        };
        HoldOutcome { met: met && valid, valid, offered_per_s, achieved_per_s, reasons }
    }

    fn services(&self) -> Vec<HoldService> {
        let placed =
            self.round.record.placement.as_ref().map_or(&[][..], |placement: &Placement| &placement.services);
        let (whole, arriving) = (self.round.window(), self.round.window_until(self.ended_ns()));
        let service = |(index, placed): (usize, &galo_record::ServicePlacement)| {
            let used = whole.and_then(|window| window.usage(index)).unwrap_or_default();
            let busy = arriving.and_then(|window| {
                Some((window.usage(index)?, window.length_ns())).filter(|(_, ns)| *ns > 0)
            });
            let limit = placed.cpus_milli.filter(|&milli| milli > 0);
            let share = busy.zip(limit).and_then(|((usage, window_ns), milli)| {
                Some(usage.cpu_ns? as f64 * 1000.0 / (window_ns as f64 * f64::from(milli)))
            });
            HoldService {
                name: placed.name.clone(),
                cpus_milli: placed.cpus_milli,
                memory_limit_bytes: placed.memory_bytes,
                cpu_ns: used.cpu_ns,
                cpu_share: share,
                throttled_share: busy
                    .map_or(0.0, |(usage, _)| throttled_share(usage.throttled_periods, usage.periods)),
                memory_peak_bytes: used.memory_peak_bytes,
                anonymous_peak_bytes: used.anonymous_peak_bytes,
                oom_kills: used.oom_kills,
                usage: arriving.and_then(|window| held_up::usage(self.round, window, index, placed)),
            }
        };
        placed.iter().enumerate().map(service).collect()
    }

    /// When the last user arrived.
    fn ended_ns(&self) -> u64 {
        self.round.record.load.started_ns.saturating_add(self.length_ns())
    }

    fn length_ns(&self) -> u64 {
        u64::try_from(self.length.as_nanos()).unwrap_or(u64::MAX)
    }
}

fn is_hold(acted: &Acted) -> bool {
    is_load(acted, |traffic| matches!(traffic, Workload::Hold { .. }))
}

/// The search that so many holds belong to, as it stands after them.
pub fn search(terms: &SearchTerms, holds: &[Hold]) -> Search {
    let mut search = Search::new(options(terms));
    for hold in holds {
        search.tell(trial_outcome(&hold.outcome));
    }
    search
}

/// What the holds say. Rates of a [`Capacity`] are scales in thousandths here.
pub fn capacity(terms: &SearchTerms, holds: &[Hold]) -> Capacity {
    search(terms, holds).result()
}

/// What a search of rates hears of a hold.
fn trial_outcome(outcome: &HoldOutcome) -> TrialOutcome {
    TrialOutcome {
        exhausted: false,
        met: outcome.met,
        valid: outcome.valid,
        offered_per_s: outcome.offered_per_s,
        achieved_per_s: outcome.achieved_per_s,
    }
}

fn options(terms: &SearchTerms) -> SearchOptions {
    SearchOptions {
        start_milli: terms.start_milli,
        min_milli: terms.min_milli,
        max_milli: terms.max_milli,
        ratio: terms.ratio,
        step: terms.step,
        max_trials: terms.max_holds,
        min_answered: terms.min_answered,
    }
}

/// The figures of which a hold's criterion speaks: of the compared scenarios alone, and of users that arrived for so long.
pub fn figures(plan: &Plan, round: &RoundData, length_ns: u64) -> Figures {
    figures_of(plan, &round.record.load, length_ns, &round.compared_latencies(plan))
}

/// The same of a light load, which has no bulk.
pub fn light_figures(plan: &Plan, light: &Loaded, length_ns: u64) -> Figures {
    let mut compared = StepLatencies::default();
    for ((scenario, _), latencies) in plan.challenge.steps().zip(&light.latencies) {
        if scenario.compared {
            latencies.add_to(&mut compared);
        }
    }
    figures_of(plan, &light.load, length_ns, &compared)
}

fn figures_of(plan: &Plan, load: &LoadRecord, length_ns: u64, latencies: &StepLatencies) -> Figures {
    let (compared, _) = ledgers(plan, load);
    Figures::from_load(load.rate_ns(length_ns), &compared, latencies, &load.engine)
}

fn scenario_rate(plan: &Plan, rate: HeldRate) -> Option<ScenarioRate> {
    let scenario = plan.challenge.scenarios.get(rate.scenario)?;
    Some(ScenarioRate {
        scenario: scenario.name.clone(),
        rate_micro: rate.rate_micro,
        compared: scenario.compared,
    })
}

/// What was wrong with the first wrong answers.
fn wrong(round: &RoundData) -> Vec<String> {
    let wrong = round.evidence.iter().filter(|evidence| evidence.broken.is_some());
    wrong.take(WRONG_TOLD).map(|evidence| evidence.difference.clone()).collect()
}

#[cfg(test)]
mod tests;
