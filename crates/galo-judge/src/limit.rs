//! Whether a hold of `galo limit` was met, and what all holds together say.
//!
//! A hold is met when its service level was, its queue did not grow, every service is still alive, and the count grew by
//! what was acknowledged. What the service level itself says of it, the caller tells: it is written in words that belong
//! to the report.

mod held_up;

use std::time::Duration;

use galo_plan::Plan;
use galo_plan::hold::HeldRate;
use galo_plan::model::Effect;
use galo_record::limit::{
    HoldLatency, HoldOutcome, HoldRecord, HoldService, LimitRecord, PreloadRecord, ScenarioRate, SearchTerms,
};
use galo_record::{Ledger, Placement, RoundData, StepLatencies};

use crate::assertion::Figures;
use crate::capacity::{Capacity, Due, ProbeOutcome, Search, SearchOptions, achieved_per_s};
use crate::causes;
use crate::fact::Finding;
use crate::void;
use crate::words::{counted, grouped};

pub use held_up::{held_up_by, lowest_not_met};

/// So many wrong answers are told of.
const WRONG_TOLD: usize = 3;

/// A hold that was driven.
#[derive(Debug, Clone, Copy)]
pub struct Held<'a> {
    /// Of whose profile it is.
    pub plan: &'a Plan,
    /// What it brought, as one round.
    pub round: &'a RoundData,
    /// The scale, in thousandths.
    pub scale_milli: u64,
    /// Whether it is a long one, that confirms.
    pub confirms: bool,
    /// How long users arrived.
    pub length: Duration,
    /// At which rates.
    pub rates: &'a [HeldRate],
    /// How tables were given their size.
    pub preload: Option<PreloadRecord>,
    /// The count before and after.
    pub people: [Option<u64>; 2],
    /// What of the service level was not met, in words.
    pub broken: &'a [String],
    /// Share of what fell due that must be answered meanwhile.
    pub min_answered: f64,
}

/// Creations by what is known of them, in all scenarios.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Creations {
    /// Acknowledged.
    pub acknowledged: u64,
    /// Done or not: nobody knows.
    pub unknown: u64,
}

impl Creations {
    /// Adds up a history.
    pub fn of(plan: &Plan, round: &RoundData) -> Self {
        let creates: Vec<bool> = plan.challenge.steps().map(|(_, step)| step.creates).collect();
        let creates = |step: u8| creates.get(usize::from(step)).copied().unwrap_or(false);
        let mut sum = Self::default();
        for operation in round.history.iter().filter(|operation| creates(operation.step)) {
            match operation.effect {
                Effect::Yes => sum.acknowledged += 1,
                Effect::Unknown => sum.unknown += 1,
                Effect::No | Effect::None => {}
            }
        }
        sum
    }

    /// What is wrong with the count before and after them; `None`: nothing.
    pub fn contradiction(self, people: [Option<u64>; 2]) -> Option<String> {
        let Self { acknowledged, unknown } = self;
        let [Some(before), Some(after)] = people else {
            return Some("the count was not answered".to_owned());
        };
        let told = counted(acknowledged, "creation");
        if after < before {
            return Some(format!("the count fell from {} to {}", grouped(before), grouped(after)));
        }
        let grown = after - before;
        (!(acknowledged..=acknowledged + unknown).contains(&grown)).then(|| {
            format!(
                "the count grew by {}, but {told} were acknowledged ({} unknown)",
                grouped(grown),
                grouped(unknown)
            )
        })
    }
}

impl Held<'_> {
    /// Latency of the compared scenarios.
    fn latencies(&self) -> StepLatencies {
        self.round.compared_latencies(self.plan)
    }

    /// The record of it, with what came of it.
    pub fn judge(&self) -> HoldRecord {
        let creations = Creations::of(self.plan, self.round);
        let (ledger, probe_ledger) = ledgers(self.plan, self.round);
        let latencies = self.latencies();
        let outcome = self.outcome(&ledger, &latencies, creations);
        let is_held_back = outcome.valid && !outcome.met;
        let record = &self.round.record;
        HoldRecord {
            scale_milli: self.scale_milli,
            confirms: self.confirms,
            length_ns: self.length_ns(),
            rates: self.rates.iter().filter_map(|rate| scenario_rate(self.plan, *rate)).collect(),
            preload: self.preload,
            people_before: self.people[0],
            people_after: self.people[1],
            acknowledged: creations.acknowledged,
            unknown: creations.unknown,
            ledger,
            probe_ledger,
            errors: record.load.total().errors,
            wrong: wrong(self.round),
            latency: latency(&latencies),
            elapsed_ns: record.load.elapsed_ns(),
            services: self.services(),
            galo_cpu_ns: self.round.window().and_then(galo_record::Window::galo_cpu_ns),
            engine_cpu_ns: record.load.engine.cpu_ns,
            lag_us_p99: record.load.engine.lag_us_p99,
            causes: if is_held_back { self.causes() } else { Vec::new() },
            outcome,
        }
    }

    /// As they are recorded.
    fn causes(&self) -> Vec<serde_json::Value> {
        let causes = causes::findings(self.plan, self.round, true);
        causes.iter().filter_map(|cause| serde_json::to_value(cause).ok()).collect()
    }

    fn outcome(&self, ledger: &Ledger, latencies: &StepLatencies, creations: Creations) -> HoldOutcome {
        let offered_per_s = ledger.intended as f64 / self.length.as_secs_f64();
        let due = |seconds: usize| {
            latencies.seconds.iter().take(seconds).map(|second| f64::from(second.intended)).sum::<f64>()
        };
        let due = Due { per_s: offered_per_s, until: &due, drawn: 0.0 };
        let achieved_per_s = achieved_per_s(latencies, self.length, due);
        let behind = achieved_per_s < self.min_answered * offered_per_s;
        let behind = behind.then(|| {
            format!("its queue grew: {offered_per_s:.0}/s fell due, {achieved_per_s:.0}/s were answered")
        });
        let contradiction = self.plan.judges_the_count().then(|| creations.contradiction(self.people));
        let died = self.round.record.findings.iter().map(crate::words::host);
        let against: Vec<String> =
            died.chain(self.broken.iter().cloned()).chain(behind).chain(contradiction.flatten()).collect();
        let spoiled = void::of_hold(self.round, latencies);
        // Latency holds galo's lateness too: what is met in spite of it is met, if all of it was even tried.
        let met = against.is_empty() && self.round.record.load.engine.own_errors.is_empty();
        let valid = met || spoiled.is_empty();
        let reasons = match (met, valid) {
            (true, _) => Vec::new(),
            (false, true) => against,
            (false, false) => spoiled.iter().map(ToString::to_string).collect(),
        };
        HoldOutcome { met: met && valid, valid, offered_per_s, achieved_per_s, reasons }
    }

    fn services(&self) -> Vec<HoldService> {
        let placed =
            self.round.record.placement.as_ref().map_or(&[][..], |placement: &Placement| &placement.services);
        let (whole, arriving) = (self.round.window(), self.round.window_until(self.ended_ns()));
        let service = |(index, placed): (usize, &galo_record::ServicePlacement)| {
            let used = whole.and_then(|window| window.usage(index)).unwrap_or_default();
            let busy = arriving.and_then(|window| Some((window.usage(index)?, length_ns(window)?)));
            let limit = placed.cpus_milli.filter(|&milli| milli > 0);
            let share = busy.zip(limit).and_then(|((usage, window_ns), milli)| {
                Some(usage.cpu_ns? as f64 * 1000.0 / (window_ns as f64 * f64::from(milli)))
            });
            let throttled = busy.filter(|(usage, _)| usage.periods > 0);
            HoldService {
                name: placed.name.clone(),
                cpus_milli: placed.cpus_milli,
                memory_limit_bytes: placed.memory_bytes,
                cpu_ns: used.cpu_ns,
                cpu_share: share,
                throttled_share: throttled
                    .map_or(0.0, |(usage, _)| usage.throttled_periods as f64 / usage.periods as f64),
                memory_peak_bytes: used.memory_peak_bytes,
                anonymous_peak_bytes: used.anonymous_peak_bytes,
                oom_kills: used.oom_kills,
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

/// What held a recorded hold back; what cannot be read is left out.
pub fn recorded_causes(hold: &HoldRecord) -> Vec<Finding> {
    hold.causes.iter().filter_map(|cause| serde_json::from_value(cause.clone()).ok()).collect()
}

/// The search that so many holds belong to, as it stands after them.
pub fn search(record: &LimitRecord) -> Search {
    let mut search = Search::new(options(&record.terms));
    for hold in &record.holds {
        search.tell(probe_outcome(&hold.outcome));
    }
    search
}

/// What the holds say. Rates of a [`Capacity`] are scales in thousandths here.
pub fn capacity(record: &LimitRecord) -> Capacity {
    search(record).result()
}

/// What a search of rates hears of a hold.
pub fn probe_outcome(outcome: &HoldOutcome) -> ProbeOutcome {
    ProbeOutcome {
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
        max_probes: terms.max_holds,
        min_answered: terms.min_answered,
    }
}

/// The figures of which a hold's criterion speaks: of the compared scenarios alone.
pub fn figures(plan: &Plan, round: &RoundData) -> Figures {
    let (compared, _) = ledgers(plan, round);
    let load = &round.record.load;
    Figures::of(load.elapsed_ns(), &compared, &round.compared_latencies(plan), &load.engine)
}

/// Of the compared scenarios, and of the others.
fn ledgers(plan: &Plan, round: &RoundData) -> (Ledger, Ledger) {
    let (mut compared, mut others) = (Ledger::default(), Ledger::default());
    for ((scenario, _), step) in plan.challenge.steps().zip(&round.record.load.steps) {
        if scenario.compared { &mut compared } else { &mut others }.add(&step.ledger);
    }
    (compared, others)
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

fn latency(latencies: &StepLatencies) -> HoldLatency {
    let all = latencies.all();
    HoldLatency {
        count: all.count(),
        us_p50: all.quantile_us(0.5),
        us_p99: all.quantile_us(0.99),
        us_p99_9: all.quantile_us(0.999),
        us_max: all.max_us(),
    }
}

fn length_ns(window: galo_record::Window<'_>) -> Option<u64> {
    let [first, .., last] = window.samples() else { return None };
    Some(last.at_ns.saturating_sub(first.at_ns)).filter(|&ns| ns > 0)
}

#[cfg(test)]
mod tests;
