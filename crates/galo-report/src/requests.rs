//! Requests by name with their response times, apart for right and for other answers: the sections that those who know
//! Gatling look for, and that the contest published.

mod terminal;

use galo_judge::judged::{Class, JudgedFight, classes};
use std::collections::BTreeMap;

use galo_judge::Standing;
use galo_plan::Plan;
use galo_record::history::OperationResult;
use galo_record::load::StepRecord;
use galo_record::{Latencies, RecordError, RoundData, Run, StepLatencies};
use galo_words::counted;
use schemars::JsonSchema;
use serde::Serialize;

use crate::digits::{decimals, seconds};
use galo_record::Percentiles;

/// What counts as response time where galo itself asked.
const FROM_INTENDED: &str = "from the intended start, waiting included, to the end of the operation; Gatling counts \
                             from when it began to send";
/// The classes of a load, which has no service level: Gatling's own.
const USUAL_BOUNDS_NS: [u64; 2] = [800_000_000, 1_200_000_000];
/// An operation that broke no rule by name.
const WRONG: &str = "wrong answer";
const UNFINISHED: &str = "never ended";

/// Requests by name, and all of them together.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RequestsReport {
    /// Of what: a contender and its rounds, or a simulation.
    pub title: String,
    /// What counts as response time.
    pub response_time: String,
    /// Whether times are known to the millisecond only.
    pub whole_ms: bool,
    /// What `per_s` is counted over: of several rounds the sum of their loads.
    pub elapsed_s: f64,
    /// All together.
    pub all: RequestReport,
    /// By name, in the order in which they are known.
    pub names: Vec<RequestReport>,
    /// What went wrong, the most frequent first.
    pub errors: Vec<ErrorReport>,
}

/// Requests of one name. Times are in microseconds.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RequestReport {
    /// Its name; of all together `Global Information`.
    pub name: String,
    /// Right and other answers together.
    pub all: ResponseTimes,
    /// Right answers.
    pub ok: ResponseTimes,
    /// All others.
    pub ko: ResponseTimes,
    /// Right answers by response time. What is missing to 1 over all classes was not answered rightly.
    pub classes: Vec<Class>,
}

/// How many, and how long they took, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, JsonSchema)]
pub struct ResponseTimes {
    /// Count, percentiles, ends, means, deviation.
    #[serde(flatten)]
    pub times: Percentiles,
    /// How many in each second.
    pub per_s: f64,
}

/// One kind of failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ErrorReport {
    /// What it said.
    pub message: String,
    /// How often.
    pub count: u64,
}

/// What one address answered in a load.
#[derive(Debug, Clone, Copy)]
pub struct UrlOutcome<'a> {
    /// The address.
    pub url: &'a str,
    /// Its totals.
    pub step: &'a StepRecord,
    /// Its latencies.
    pub latencies: &'a StepLatencies,
}

/// What is gathered of one name.
#[derive(Debug, Default)]
struct Gathered {
    ok: Latencies,
    ko: Latencies,
}

/// What is gathered of all names.
struct Gathering {
    names: Vec<(String, Gathered)>,
    errors: BTreeMap<String, u64>,
    elapsed_ns: u64,
}

impl RequestsReport {
    /// Each contender of a run, over the rounds that its figures are of: the valid ones, or else those that disqualify.
    /// Only of the compared scenarios. One round is in memory at a time.
    ///
    /// # Errors
    /// A file of the folder that cannot be read or is damaged.
    pub fn of_run(run: &Run, report: &JudgedFight) -> Result<Vec<Self>, RecordError> {
        let counts =
            |standing: &Standing| matches!(standing, Standing::Valid | Standing::Disqualified { .. });
        let mut of_contenders: Vec<(usize, Gathering)> =
            run.plan.contenders.iter().map(|_| (0, Gathering::of_plan(&run.plan))).collect();
        for (index, round) in
            report.rounds.iter().enumerate().filter(|(_, round)| counts(&round.judgement.standing))
        {
            let contender = report.contenders.iter().position(|c| c.name == round.contender);
            if let Some((rounds, gathering)) = contender.and_then(|index| of_contenders.get_mut(index)) {
                gathering.add(&run.plan, &run.round(index)?);
                *rounds += 1;
            }
        }
        let bounds = &run.plan.challenge.service_level.classes_ns;
        let of_contenders = of_contenders.into_iter().zip(&report.contenders);
        Ok(of_contenders
            .map(|((rounds, gathering), contender)| {
                let together = if rounds == 1 { "" } else { " added up" };
                let out =
                    if contender.summary.disqualified > 0 { "; disqualified: never ranked" } else { "" };
                let title = format!("{}, {}{together}{out}", contender.name, counted(rounds, "round"));
                gathering.told(title, bounds)
            })
            .collect())
    }

    /// A load, by address.
    pub fn of_load(elapsed_ns: u64, outcomes: &[UrlOutcome<'_>]) -> Self {
        let mut gathering = Gathering { names: Vec::new(), errors: BTreeMap::new(), elapsed_ns };
        for UrlOutcome { url, step, latencies } in outcomes {
            let gathered = Gathered { ok: latencies.ok.clone(), ko: latencies.not_ok.clone() };
            gathering.names.push(((*url).to_owned(), gathered));
            gathering.add_errors(&step.errors);
            gathering.count(WRONG, step.ledger.wrong);
            gathering.count(UNFINISHED, step.ledger.unfinished);
        }
        let title = outcomes.first().map_or_else(String::new, |first| first.url.to_owned());
        gathering.told(title, &USUAL_BOUNDS_NS)
    }
}

impl Gathering {
    fn of_plan(plan: &Plan) -> Self {
        let steps = plan.challenge.steps();
        let names =
            steps.map(|(scenario, step)| (format!("{}: {}", scenario.name, step.name), Gathered::default()));
        Self { names: names.collect(), errors: BTreeMap::new(), elapsed_ns: 0 }
    }

    fn add(&mut self, plan: &Plan, round: &RoundData) {
        let record = &round.record;
        self.elapsed_ns += record.load.elapsed_ns();
        let compared: Vec<bool> = plan.challenge.steps().map(|(scenario, _)| scenario.compared).collect();
        let compared = |step: usize| compared.get(step).copied().unwrap_or(false);
        for (step, latencies) in round.latencies.iter().enumerate().filter(|(step, _)| compared(*step)) {
            if let Some((_, gathered)) = self.names.get_mut(step) {
                gathered.ok.add(&latencies.ok);
                gathered.ko.add(&latencies.not_ok);
            }
        }
        for (step, record) in record.load.steps.iter().enumerate().filter(|(step, _)| compared(*step)) {
            self.add_errors(&record.errors);
            self.count(UNFINISHED, record.ledger.unfinished);
            let of_step = round.history.iter().filter(|o| usize::from(o.step) == step);
            for wrong in of_step.filter(|o| o.result == OperationResult::Wrong) {
                let rule = wrong.broken.and_then(|code| plan.rules.get(usize::from(code.0)));
                self.count(rule.map_or(WRONG, |rule| &rule.name), 1);
            }
        }
    }

    fn add_errors(&mut self, errors: &BTreeMap<String, u64>) {
        errors.iter().for_each(|(kind, n)| self.count(kind, *n));
    }

    fn count(&mut self, message: &str, n: u64) {
        if n > 0 {
            *self.errors.entry(message.to_owned()).or_default() += n;
        }
    }

    fn told(self, title: String, bounds_ns: &[u64]) -> RequestsReport {
        let mut sum = Gathered::default();
        for (_, gathered) in &self.names {
            sum.ok.add(&gathered.ok);
            sum.ko.add(&gathered.ko);
        }
        let told = |name: &str, gathered: &Gathered| gathered.told(name, self.elapsed_ns, bounds_ns);
        // Steps that the profile leaves out, and those that are not compared, have nothing to tell.
        let names = self.names.iter().filter(|(_, g)| !g.ok.is_empty() || !g.ko.is_empty());
        RequestsReport {
            title,
            response_time: FROM_INTENDED.to_owned(),
            whole_ms: false,
            elapsed_s: seconds(self.elapsed_ns),
            all: told(GLOBAL, &sum),
            names: names.map(|(name, gathered)| told(name, gathered)).collect(),
            errors: most_frequent_first(self.errors),
        }
    }
}

/// What all together are called, by Gatling too.
pub(crate) const GLOBAL: &str = "Global Information";

impl Gathered {
    fn told(&self, name: &str, elapsed_ns: u64, bounds_ns: &[u64]) -> RequestReport {
        let Self { ok, ko } = self;
        let mut all = ok.clone();
        all.add(ko);
        RequestReport {
            name: name.to_owned(),
            classes: classes(bounds_ns, ok, all.count()),
            all: ResponseTimes::new(all.percentiles(), elapsed_ns),
            ok: ResponseTimes::new(ok.percentiles(), elapsed_ns),
            ko: ResponseTimes::new(ko.percentiles(), elapsed_ns),
        }
    }
}

impl ResponseTimes {
    pub(crate) fn new(times: Percentiles, elapsed_ns: u64) -> Self {
        let per_s = times.count as f64 * 1e9 / elapsed_ns as f64;
        Self { times, per_s: decimals(per_s, 3) }
    }
}

/// Messages with how often each came.
pub(crate) fn most_frequent_first(errors: BTreeMap<String, u64>) -> Vec<ErrorReport> {
    let mut errors: Vec<ErrorReport> =
        errors.into_iter().map(|(message, count)| ErrorReport { message, count }).collect();
    errors.sort_by_key(|error| std::cmp::Reverse(error.count));
    errors
}
