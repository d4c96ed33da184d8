//! `galo load`: requests to addresses, without contender or verdict. Its report, and all that is written while it runs.
//!
//! Whatever is told second by second ([`SecondsCsv`], [`IntervalLog`]) is written as it comes and not kept, so memory
//! does not grow with the length of a load.

mod example;
mod hdr_log;
mod highest;
mod measured;
mod metrics;
mod parts;
mod seconds;
mod spark;
mod steps;
mod told;
mod totals;

use std::collections::BTreeMap;

use galo_judge::assertion::{Assertions, Figures, Ground, Outcome, Right};
use galo_judge::load::{LoadFacts, TrialFacts};
use galo_judge::void::VoidReason;
use galo_record::load::{EngineRecord, StepRecord};
use galo_record::{Ledger, Percentiles, StepLatencies};
use galo_words::{Both, Lang, say};
use schemars::JsonSchema;
use serde::Serialize;

pub use example::Example;
pub use hdr_log::IntervalLog;
pub use highest::{HighestRate, Trial};
pub use measured::Measured;
use metrics::Metrics;
pub use parts::{LoadEngine, RateStep, UrlReport};
pub use seconds::SecondsCsv;
pub use spark::{Glyphs, Scale, Sparkline};
pub use steps::{StepName, StepReport, UsersReport};
pub use totals::Totals;

use crate::FORMAT;
use crate::digits::{decimals, seconds as in_seconds, significant};
use crate::requests::RequestsReport;
pub use crate::requests::UrlOutcome;
use crate::words;
use galo_judge::json::pretty;

/// What one load found. Latencies and rates are in the units that their names end with, percentiles in microseconds.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LoadReport {
    /// Version of this form: 1.
    pub format: u32,
    /// The address; of several the first.
    pub url: String,
    /// Why this run says nothing; empty where it is fine.
    #[schemars(with = "Vec<String>")]
    pub void: Vec<Both>,
    /// Whether the caller wanted the figures of a void run all the same.
    pub forced: bool,
    /// Whether the caller broke it off; the figures are of what was done until then.
    pub interrupted: bool,
    /// The status that ended it, where one was to.
    pub stopped_by: Option<u16>,
    /// What is good to know about it.
    #[schemars(with = "Vec<String>")]
    pub notes: Vec<Both>,
    /// From the start of the load to the end of its last operation.
    pub elapsed_s: f64,
    /// The time that rates are over: in the open model the one in which requests were to fall due, or that which it took where
    /// that was longer; in a closed loop, and of a load that was ended early, that which it took.
    pub rate_over_s: f64,
    /// Arrival rate asked for, where it was one rate; null: a closed loop, a ramp or steps.
    pub asked_per_s: Option<f64>,
    /// Right answers per second, over `rate_over_s`.
    pub ok_per_s: f64,
    /// Operations by result.
    pub ledger: Ledger,
    /// Answers by status.
    pub statuses: BTreeMap<u16, u64>,
    /// Failures by kind.
    pub errors: BTreeMap<String, u64>,
    /// The first of each kind of answer that was wrong, and of each kind of failure.
    pub examples: Vec<Example>,
    /// Latency from the intended start, of everything that ended.
    pub latency: Percentiles,
    /// Latency from the actual send, of right answers.
    pub service_time: Percentiles,
    /// Successful connection attempts, from the attempt to the first byte that could be written.
    pub connects: Percentiles,
    /// galo's own part.
    pub engine: LoadEngine,
    /// By address, where there are several.
    pub urls: Vec<UrlReport>,
    /// Users of scenarios, where there are such.
    pub users: Option<UsersReport>,
    /// By step of a scenario, where there are such.
    pub steps: Vec<StepReport>,
    /// By step of the rate, where it rose in steps.
    pub steps_of_rate: Vec<RateStep>,
    /// The highest rate, where it was looked for.
    pub highest_rate: Option<HighestRate>,
    /// What was to hold, and whether it did.
    pub assertions: Vec<AssertionReport>,
    /// Requests by address with right and other answers apart, for the summary in Gatling's sections; no part of the JSON.
    #[serde(skip)]
    pub requests: RequestsReport,
}

/// What became of an assertion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AssertionReport {
    /// What was to hold, e.g. `p99 < 50 ms`.
    pub assertion: String,
    /// What the figure was, e.g. `61.3 ms`; null: there was nothing to take it of, which meets no bound.
    pub actual: Option<String>,
    /// Whether it held.
    pub met: bool,
    /// Right answers, where the figure is a latency and under 99 % of the requests got a right answer: then it says how quickly
    /// requests failed. If not one was right, no latency meets its bound. null: enough were right, or the figure is no latency.
    pub right: Option<RightReport>,
    /// Number of operations, where so few ended that a percentile is their slowest.
    pub slowest_of: Option<u64>,
}

/// How many requests were answered rightly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RightReport {
    /// Right answers.
    pub answers: u64,
    /// Requests that fell due.
    pub requests: u64,
}

impl From<Outcome> for AssertionReport {
    fn from(outcome: Outcome) -> Self {
        let Ground { right, slowest_of } = outcome.ground;
        Self {
            assertion: outcome.assertion.to_string(),
            actual: outcome.shown(),
            met: outcome.met,
            right: right.map(|Right { answers, requests }| RightReport { answers, requests }),
            slowest_of,
        }
    }
}

impl LoadReport {
    /// Sums up a load of one address.
    pub fn new(
        url: &str,
        elapsed_ns: u64,
        step: &StepRecord,
        latencies: &StepLatencies,
        engine: &EngineRecord,
    ) -> Self {
        Self::of([elapsed_ns; 2], &[UrlOutcome { url, step, latencies }], engine)
    }

    /// Sums up a load that took so long, and whose rates are over that time. What only its caller knows is to be set afterwards: the rate asked for, why it is void, how it
    /// ended, examples ([`Example::first_of_each`]), steps of the rate, the highest rate, and what was to hold
    /// ([`galo_judge::assertion::Assertions::evaluate`]).
    pub fn of([elapsed_ns, rate_ns]: [u64; 2], outcomes: &[UrlOutcome<'_>], engine: &EngineRecord) -> Self {
        let sum = Sum::of(outcomes);
        let urls = if outcomes.len() > 1 { outcomes.iter().map(Into::into).collect() } else { Vec::new() };
        Self {
            format: FORMAT,
            url: outcomes.first().map_or_else(String::new, |first| first.url.to_owned()),
            void: Vec::new(),
            forced: false,
            interrupted: false,
            stopped_by: None,
            notes: Vec::new(),
            elapsed_s: in_seconds(elapsed_ns),
            rate_over_s: in_seconds(rate_ns),
            asked_per_s: None,
            ok_per_s: per_second(sum.ledger.ok, rate_ns),
            ledger: sum.ledger,
            statuses: sum.statuses,
            errors: sum.errors,
            examples: Vec::new(),
            latency: sum.latencies.all().percentiles(),
            service_time: sum.latencies.ok_service.percentiles(),
            connects: engine.connects.percentiles(),
            engine: LoadEngine::new(engine, &sum.ledger),
            urls,
            users: None,
            steps: Vec::new(),
            steps_of_rate: Vec::new(),
            highest_rate: None,
            assertions: Vec::new(),
            requests: RequestsReport::of_load(rate_ns, outcomes),
        }
    }

    /// Enters what was to hold of these figures, and says whether all of it did.
    pub fn assert(&mut self, figures: &Figures, assertions: &[Assertions]) -> bool {
        let outcomes = assertions.iter().flat_map(|each| each.evaluate(figures));
        self.assertions = outcomes.map(Into::into).collect();
        self.assertions.iter().all(|outcome| outcome.met)
    }

    /// Enters why the judge says that it says nothing, and what is good to know of galo's own part. `at_per_s`: the step of
    /// the rate, where there are several.
    pub fn hear(&mut self, facts: &LoadFacts, is_open: bool, at_per_s: Option<f64>) {
        let at = |told: Both| match at_per_s {
            None => told,
            Some(rate) => Both::told(|lang| {
                let (rate, told) = (lang.figure(rate.to_string()), told.of(lang));
                say!(lang, "at {rate}/s {told}", "a {rate}/s {told}")
            }),
        };
        self.void.extend(facts.void.iter().map(void).map(at));
        let busy = |share| Both::told(|lang: Lang| words::busy_sentence(share, is_open, lang));
        self.notes.extend(facts.busy_share.map(busy).map(at));
    }

    /// Enters of a search why it says nothing, and why it did not go on above a rate where that is neither the server's
    /// doing nor what was asked.
    pub fn hear_search(&mut self, reasons: &[VoidReason], stopped_at: Option<&TrialFacts>) {
        self.void = reasons.iter().map(void).collect();
        let Some((trial, kind)) = stopped_at.and_then(|trial| Some((trial, trial.ran_out_of.as_ref()?)))
        else {
            return;
        };
        let what = words::failure(kind);
        self.notes.push(Both::told(|lang| {
            let (rate, what) = (lang.decimals(trial.rate_milli as f64 / 1e3, 0), what.of(lang));
            say!(
                lang,
                "nothing above {rate}/s was tried: galo ran into a limit there ({what})",
                "nada acima de {rate}/s foi tentado: ali o galo bateu num limite ({what})"
            )
        }));
    }

    /// Pretty JSON with a newline at the end.
    pub fn to_json(&self) -> String {
        pretty(self)
    }
}

/// The JSON schema of [`LoadReport`], pretty, with a newline at the end.
pub fn load_schema() -> String {
    pretty(&schemars::schema_for!(LoadReport))
}

fn void(reason: &VoidReason) -> Both {
    Both::told(|lang| words::void_load_sentence(reason, lang))
}

/// All addresses together.
#[derive(Default)]
struct Sum {
    ledger: Ledger,
    statuses: BTreeMap<u16, u64>,
    errors: BTreeMap<String, u64>,
    latencies: StepLatencies,
}

impl Sum {
    fn of(outcomes: &[UrlOutcome<'_>]) -> Self {
        let mut sum = Self::default();
        for UrlOutcome { step, latencies, .. } in outcomes {
            sum.ledger.add(&step.ledger);
            for (&status, n) in &step.statuses {
                *sum.statuses.entry(status).or_default() += n;
            }
            for (error, n) in &step.errors {
                *sum.errors.entry(error.clone()).or_default() += n;
            }
            // Not its seconds: they are told elsewhere.
            sum.latencies.ok.add(&latencies.ok);
            sum.latencies.ok_service.add(&latencies.ok_service);
            sum.latencies.not_ok.add(&latencies.not_ok);
        }
        sum
    }
}

/// So many in this time, per second; 0 where there was no time.
fn per_second(count: u64, rate_ns: u64) -> f64 {
    rate(count as f64 * 1e9 / rate_ns as f64)
}

/// A rate to one decimal, or to three digits where that says more.
pub(crate) fn rate(per_s: f64) -> f64 {
    if per_s.abs() < 10.0 { significant(per_s, 3) } else { decimals(per_s, 1) }
}
