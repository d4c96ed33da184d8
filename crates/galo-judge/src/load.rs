//! What a load by itself came to, and what loads one after another say of the highest rate that a server holds.
//!
//! Each load is judged when it ends ([`judge_load`]), into a [`JudgedLoad`] of its own. What is told in the end is one of
//! them, the one that stands for the highest rate ([`highest`]), or their sum ([`stepped`]).

mod answered;
mod example;
mod log;
mod search;
mod sweep;

use std::collections::BTreeMap;
use std::time::Duration;

use galo_plan::JsonSchema;
use galo_plan::Knob;
use galo_plan::load::Spacing;
use galo_plan::{LoadPlan, Scenario};
use galo_record::load::EngineRecord;
use galo_record::{Evidence, Ledger, LoadRecord, Percentiles, RunHeader, StepLatencies};
use serde::{Deserialize, Serialize};

use crate::assertion::{Assertions, Figures, Outcome};
use crate::capacity::{Due, SearchOptions, TrialOutcome, achieved_per_s};
use crate::void::{self, VoidReason};

pub use answered::{Answered, Part};
pub use example::Example;
pub use log::JudgedLog;
pub use search::{HighestRate, Range, StoppedAt, Trial, highest, search};
pub use sweep::{LoadSetting, swept};

/// What a load came to. Latencies and rates are in the units that their names end with, percentiles in microseconds.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename = "load")]
#[schemars(transform = crate::schema::tell_kind)]
pub struct JudgedLoad {
    /// How and where it was driven; of a log, which another tool wrote, null and left out.
    #[serde(flatten)]
    pub header: Option<RunHeader>,
    /// The address; of several the first. Of a log the simulation.
    pub url: String,
    /// Whether requests fell due whatever the server did.
    pub is_open: bool,
    /// Why it says nothing; empty where it does. Steps of the rate have theirs here too.
    pub void: Vec<VoidReason>,
    /// Whether the caller wanted the figures of a void run all the same.
    pub forced: bool,
    /// Whether the caller broke it off; the figures are of what was done until then.
    pub interrupted: bool,
    /// The status that ended it, where one was to.
    pub stopped_by: Option<u16>,
    /// Share of the time in which galo's threads were busy, where that is worth telling.
    pub busy_share: Option<f64>,
    /// From the start of the load to the end of its last operation.
    pub elapsed_s: f64,
    /// The time that rates are over ([`LoadRecord::rate_ns`]); of steps of the rate the sum of theirs.
    pub rate_over_s: f64,
    /// Arrival rate asked for, where it was one rate; null: a closed loop, a ramp or steps.
    pub asked_per_s: Option<f64>,
    /// Right answers per second, over `rate_over_s`.
    pub ok_per_s: f64,
    /// All answers.
    #[serde(flatten)]
    pub answered: Answered,
    /// Answers by status.
    pub statuses: BTreeMap<u16, u64>,
    /// Failures by kind.
    pub errors: BTreeMap<String, u64>,
    /// The first of each kind of answer that was wrong, and of each kind of failure.
    pub examples: Vec<Example>,
    /// Successful connection attempts, from the attempt to the first byte that could be written.
    pub connects: Percentiles,
    /// galo's own part. Its `connects` are told above.
    pub engine: EngineRecord,
    /// Users of scenarios, where there are such: then the parts are steps.
    pub users: Option<Users>,
    /// By address, or by step of a scenario.
    pub parts: Vec<Part>,
    /// By step of the rate, where it rose in steps.
    pub steps_of_rate: Vec<RateStep>,
    /// What is turned from setting to setting, where it was driven at several.
    pub knobs: Vec<Knob>,
    /// By setting.
    pub settings: Vec<LoadSetting>,
    /// The highest rate, where it was looked for.
    pub highest_rate: Option<HighestRate>,
    /// What was to hold, and whether it did.
    pub assertions: Vec<Outcome>,
    /// The log that it was read from; null: galo drove it.
    pub log: Option<JudgedLog>,
}

/// Users of scenarios.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Users {
    /// How many began.
    pub begun: u64,
    /// How many were to arrive each second, where that was one rate.
    pub asked_per_s: Option<f64>,
}

/// One step of a rate that rises in steps, or one rate of a search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RateStep {
    /// Arrival rate asked for.
    pub asked_per_s: f64,
    /// Right answers per second.
    pub ok_per_s: f64,
    /// Operations by result.
    pub ledger: Ledger,
    /// Latency from the intended start, of everything that ended.
    pub latency: Percentiles,
    /// Why it says nothing about the server; empty where it does.
    pub void: Vec<VoidReason>,
    /// Share of the time in which galo's threads were busy, where that is worth telling.
    pub busy_share: Option<f64>,
}

/// What the loads of one command have in common.
#[derive(Debug, Clone, Default)]
pub struct Subject {
    /// The address; of several the first.
    pub url: String,
    /// The steps of the record: addresses, or steps of scenarios.
    pub parts: Vec<PartName>,
    /// Whether galo's threads stay awake.
    pub spins: bool,
    /// What is to hold.
    pub assertions: Vec<Assertions>,
}

/// What a part of a load is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartName {
    scenario: Option<String>,
    name: String,
    /// Whether it is its scenario's first.
    is_first: bool,
}

/// How a load was asked for, as far as that bears on what it is worth.
#[derive(Debug, Clone, Copy, Default)]
pub struct AskedLoad<'a> {
    /// How long users were to arrive whatever the server did; `None`: a closed loop.
    pub arriving_ns: Option<u64>,
    /// The arrival rate, where it was one rate.
    pub rate_per_s: Option<f64>,
    /// What was tried, in a search.
    pub trial: Option<TrialTerms<'a>>,
}

/// One rate of the search for the highest.
#[derive(Debug, Clone, Copy)]
pub struct TrialTerms<'a> {
    /// What is to be met.
    pub criterion: &'a Assertions,
    /// Requests per 1,000 seconds.
    pub rate_milli: u64,
    /// How long requests fell due.
    pub length: Duration,
    /// Whether it is a hold.
    pub hold: bool,
    /// How they lay in the rate.
    pub spacing: Spacing,
}

/// What was measured in one load, or in several one after another.
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

/// What a load came to, as the schedule hears it.
#[derive(Debug, Clone, Default)]
pub struct LoadFacts {
    /// The load itself.
    pub judged: JudgedLoad,
    /// The arrival rate, where it was one rate.
    pub rate_per_s: Option<f64>,
    /// What it says of its rate, where it is a trial.
    pub trial: Option<TrialFacts>,
}

/// What a trial says of its rate.
#[derive(Debug, Clone)]
pub struct TrialFacts {
    /// Requests per 1,000 seconds.
    pub rate_milli: u64,
    /// How long requests fell due.
    pub length: Duration,
    /// Whether it is a hold.
    pub hold: bool,
    /// What the search hears.
    pub outcome: TrialOutcome,
    /// Whether the server kept up with the rate, whatever its latency.
    pub kept_up: bool,
    /// What galo had too little of, which a higher rate would take more of.
    pub ran_out_of: Option<String>,
}

impl TrialFacts {
    /// Whether the criterion was met, and the server kept up.
    pub const fn is_met(&self) -> bool {
        self.outcome.met && self.kept_up
    }
}

impl PartName {
    /// Parts that are addresses.
    pub fn addresses(urls: &[String]) -> Vec<Self> {
        let part = |url: &String| Self { scenario: None, name: url.clone(), is_first: true };
        urls.iter().map(part).collect()
    }

    /// Parts that are the steps of a plan's scenarios, by flat number.
    pub fn steps(plan: &LoadPlan) -> Vec<Self> {
        let of = |scenario: &Scenario| {
            let steps = scenario.steps.iter().enumerate().map(|(index, step)| Self {
                scenario: Some(scenario.name.clone()),
                name: step.name.clone(),
                is_first: index == 0,
            });
            steps.collect::<Vec<_>>()
        };
        plan.scenarios.iter().flat_map(of).collect()
    }
}

impl Measured {
    /// One load. `arriving_ns`: how long users were to arrive whatever the server did; `None`: a closed loop.
    pub fn new(
        load: LoadRecord,
        latencies: Vec<StepLatencies>,
        evidence: Vec<Evidence>,
        arriving_ns: Option<u64>,
    ) -> Self {
        let rate_ns = load.rate_ns(arriving_ns.unwrap_or(0));
        Self { load, latencies, evidence, rate_ns }
    }

    /// Adds a load of the same steps that was driven after this one.
    pub fn add(&mut self, later: Self) {
        self.load.add(&later.load);
        self.rate_ns += later.rate_ns;
        for (mine, its) in self.latencies.iter_mut().zip(&later.latencies) {
            mine.add(its);
        }
        self.evidence.extend(later.evidence);
    }

    /// Adds this load to a sum, of which it may be the first.
    pub fn add_to(self, sum: &mut Option<Self>) {
        match sum {
            Some(sum) => sum.add(self),
            None => *sum = Some(self),
        }
    }

    /// All steps together.
    pub fn all_latencies(&self) -> StepLatencies {
        let mut sum = StepLatencies::default();
        self.latencies.iter().for_each(|latencies| sum.add(latencies));
        sum
    }

    fn ok_per_s(&self) -> f64 {
        match self.load.total().ledger.ok {
            0 => 0.0,
            ok => ok as f64 * 1e9 / self.rate_ns.max(1) as f64,
        }
    }
}

impl JudgedLoad {
    /// All of a load that needs no judgement: what was asked and answered.
    fn summed(subject: &Subject, measured: &Measured, all: &StepLatencies) -> Self {
        let load = &measured.load;
        let total = load.total();
        let (mut users, mut begun) = (0, 0);
        let parts = subject.parts.iter().zip(&load.steps).zip(&measured.latencies);
        let parts = parts.map(|((part, step), latencies)| {
            if part.is_first {
                users = step.ledger.intended;
                begun += users;
            }
            Part {
                scenario: part.scenario.clone(),
                name: part.name.clone(),
                left_out: part.scenario.as_ref().map_or(0, |_| users.saturating_sub(step.ledger.intended)),
                answered: Answered::of_load(step.ledger, latencies),
            }
        });
        let parts: Vec<Part> = parts.collect();
        let has_users = parts.iter().any(|part| part.scenario.is_some());
        Self {
            url: subject.url.clone(),
            interrupted: load.interrupted,
            stopped_by: load.stopped_by,
            elapsed_s: load.elapsed_ns() as f64 / 1e9,
            rate_over_s: measured.rate_ns as f64 / 1e9,
            ok_per_s: measured.ok_per_s(),
            answered: Answered::of_load(total.ledger, all),
            statuses: total.statuses,
            errors: total.errors,
            examples: Example::first_of_each(&measured.evidence),
            connects: load.engine.connects.percentiles(),
            engine: load.engine.without_connects(),
            users: has_users.then_some(Users { begun, asked_per_s: None }),
            parts,
            ..Self::default()
        }
    }

    /// What a load came to, whatever it is worth.
    fn of(
        subject: &Subject,
        asked: AskedLoad<'_>,
        measured: &Measured,
        figures: &Figures,
        all: &StepLatencies,
    ) -> Self {
        let mut judged = Self::summed(subject, measured, all);
        judged.is_open = asked.arriving_ns.is_some();
        match &mut judged.users {
            Some(users) => users.asked_per_s = asked.rate_per_s,
            None => judged.asked_per_s = asked.rate_per_s,
        }
        judged.assertions = subject.assertions.iter().flat_map(|each| each.evaluate(figures)).collect();
        judged
    }

    /// Whether something was asked, and nothing answered.
    pub fn is_unanswered(&self) -> bool {
        self.answered.ledger.intended > 0 && self.statuses.is_empty() && !self.interrupted
    }

    /// Whether all that was to hold did.
    pub fn is_met(&self) -> bool {
        self.assertions.iter().all(|outcome| outcome.met)
    }
}

/// What a load came to.
pub fn judge_load(subject: &Subject, asked: AskedLoad<'_>, measured: &Measured) -> LoadFacts {
    let (all, load) = (measured.all_latencies(), &measured.load);
    let figures = measured.figures(&all);
    let mut judged = JudgedLoad::of(subject, asked, measured, &figures, &all);
    judged.void = void::of_load(load, &all, judged.is_open, subject.spins);
    judged.busy_share = void::busy_share(load, subject.spins).filter(|_| judged.void.is_empty());
    let trial = asked.trial.map(|trial| {
        let met = trial.criterion.met(&figures);
        if met && load.engine.own_errors.is_empty() {
            // Latency holds galo's lateness too: what is met in spite of it is met.
            judged.void.clear();
        }
        trial_facts(trial, &all, load, met, judged.void.is_empty())
    });
    LoadFacts { judged, rate_per_s: asked.rate_per_s, trial }
}

/// What loads at steps of the rate came to together. `asked` is how all were asked for, `measured` their sum.
pub fn stepped(
    subject: &Subject,
    asked: AskedLoad<'_>,
    measured: &Measured,
    steps: &[LoadFacts],
) -> JudgedLoad {
    let all = measured.all_latencies();
    let mut judged = JudgedLoad::of(subject, asked, measured, &measured.figures(&all), &all);
    judged.steps_of_rate = steps.iter().map(LoadFacts::step).collect();
    judged.void = judged.steps_of_rate.iter().flat_map(|step| step.void.clone()).collect();
    judged
}

impl LoadFacts {
    /// The load as one of several rates.
    fn step(&self) -> RateStep {
        let JudgedLoad { ok_per_s, answered, void, busy_share, .. } = &self.judged;
        RateStep {
            asked_per_s: self.rate_per_s.unwrap_or(0.0),
            ok_per_s: *ok_per_s,
            ledger: answered.ledger,
            latency: answered.latency,
            void: void.clone(),
            busy_share: *busy_share,
        }
    }
}

impl Measured {
    fn figures(&self, all: &StepLatencies) -> Figures {
        Figures::from_load(self.rate_ns, &self.load.total().ledger, all, &self.load.engine)
    }
}

fn trial_facts(
    trial: TrialTerms<'_>,
    latencies: &StepLatencies,
    load: &LoadRecord,
    met: bool,
    valid: bool,
) -> TrialFacts {
    let intended = load.total().ledger.intended;
    let offered_per_s = intended as f64 / trial.length.as_secs_f64();
    let drawn = match trial.spacing {
        Spacing::Even => 0.0,
        Spacing::Poisson => intended as f64,
    };
    let due = Due { per_s: offered_per_s, until: &|seconds| offered_per_s * seconds as f64, drawn };
    let achieved_per_s = achieved_per_s(latencies, trial.length, due);
    let ran_out_of = ran_out_of(&load.engine);
    TrialFacts {
        rate_milli: trial.rate_milli,
        length: trial.length,
        hold: trial.hold,
        kept_up: achieved_per_s >= SearchOptions::default().min_answered * offered_per_s,
        outcome: TrialOutcome { met, valid, exhausted: ran_out_of.is_some(), offered_per_s, achieved_per_s },
        ran_out_of,
    }
}

/// What galo had too little of, which a higher rate would take more of.
fn ran_out_of(engine: &EngineRecord) -> Option<String> {
    const KINDS: [&str; 3] = ["no free local port", "too many open files", "no memory for sockets"];
    engine.own_errors.keys().find(|kind| KINDS.contains(&kind.as_str())).cloned()
}

#[cfg(test)]
mod tests;
