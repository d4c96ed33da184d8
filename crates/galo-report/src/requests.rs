//! Requests by name with their response times, apart for right and for other answers: the sections that those who know
//! Gatling look for, and that the contest published.

mod terminal;

use std::collections::BTreeMap;

use galo_judge::Standing;
use galo_judge::fight::JudgedFight;
use galo_judge::load::{Answered, JudgedLoad, Part};
use galo_plan::Plan;
use galo_record::history::OperationResult;
use galo_record::{RecordError, RoundData, Run, StepLatencies, StepRecord};
use galo_words::Lang;
use galo_words::nouns::ROUND;

/// What counts as response time where galo itself asked.
const FROM_INTENDED: &str = "from the intended start, waiting included, to the end of the operation; Gatling counts \
                             from when it began to send";
/// What counts as response time in a log of Gatling's.
const FROM_SENDING: &str = "Gatling's own, by its clock, in whole ms, from when it began to send (connecting included) \
                            to the end of the answer; what should have begun earlier does not show";
/// An operation that broke no rule by name.
const WRONG: &str = "wrong answer";
const UNFINISHED: &str = "never ended";

/// Requests by name, and all of them together.
#[derive(Debug, Clone)]
pub struct Requests {
    /// Of what: a contender and its rounds, or a simulation.
    pub title: String,
    /// What counts as response time.
    response_time: &'static str,
    /// What requests per second are counted over: of several rounds the sum of their loads.
    elapsed_s: f64,
    /// All together.
    pub all: Answered,
    /// By name, in the order in which they are known.
    pub names: Vec<(String, Answered)>,
    /// What went wrong, with how often it did, the most frequent first.
    pub errors: Vec<(String, u64)>,
}

/// What is gathered of the rounds of a contender.
struct Gathering {
    names: Vec<(String, StepRecord, StepLatencies)>,
    errors: Errors,
    elapsed_ns: u64,
}

/// What went wrong, and how often.
#[derive(Default)]
struct Errors(BTreeMap<String, u64>);

impl Requests {
    /// Each contender of a run, over the rounds that its figures are of: the valid ones, or else those that disqualify.
    /// Only of the compared scenarios. One round is in memory at a time.
    ///
    /// # Errors
    /// A file of the folder that cannot be read or is damaged.
    pub fn of_run(run: &Run, report: &JudgedFight) -> Result<Vec<Self>, RecordError> {
        let counts =
            |standing: &Standing| matches!(standing, Standing::Valid | Standing::Disqualified { .. });
        let mut of_contenders: Vec<(u64, Gathering)> =
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
                let title = format!("{}, {}{together}{out}", contender.name, Lang::En.counted(rounds, ROUND));
                gathering.told(title, bounds)
            })
            .collect())
    }

    /// A load, by address or by step.
    pub fn of_load(load: &JudgedLoad) -> Self {
        let mut errors = Errors::default();
        errors.add(&load.errors);
        errors.count(WRONG, load.answered.ledger.wrong);
        errors.count(UNFINISHED, load.answered.ledger.unfinished);
        if load.log.is_some() {
            errors.add(&load.engine.own_errors);
        }
        let name = |part: &Part| match &part.scenario {
            Some(scenario) => format!("{scenario}: {}", part.name),
            None => part.name.clone(),
        };
        Self {
            title: load.url.clone(),
            response_time: if load.log.is_some() { FROM_SENDING } else { FROM_INTENDED },
            elapsed_s: load.rate_over_s,
            all: load.answered.clone(),
            names: load.parts.iter().map(|part| (name(part), part.answered.clone())).collect(),
            errors: errors.most_frequent_first(),
        }
    }
}

impl Gathering {
    fn of_plan(plan: &Plan) -> Self {
        let steps = plan.challenge.steps();
        let names = steps.map(|(scenario, step)| {
            let name = format!("{}: {}", scenario.name, step.name);
            (name, StepRecord::default(), StepLatencies::default())
        });
        Self { names: names.collect(), errors: Errors::default(), elapsed_ns: 0 }
    }

    fn add(&mut self, plan: &Plan, round: &RoundData) {
        let record = &round.record;
        self.elapsed_ns += record.load.elapsed_ns();
        let compared = plan.challenge.steps().map(|(scenario, _)| scenario.compared);
        let steps = self.names.iter_mut().zip(&record.load.steps).zip(&round.latencies).zip(compared);
        for (step, (((name, its), latencies), _)) in steps.enumerate().filter(|(_, (_, compared))| *compared)
        {
            name.1.add(its);
            name.2.add(latencies);
            self.errors.add(&its.errors);
            self.errors.count(UNFINISHED, its.ledger.unfinished);
            let of_step = round.history.iter().filter(|o| usize::from(o.step) == step);
            for wrong in of_step.filter(|o| o.result == OperationResult::Wrong) {
                let rule = wrong.broken.and_then(|code| plan.rules.get(usize::from(code.0)));
                self.errors.count(rule.map_or(WRONG, |rule| &rule.name), 1);
            }
        }
    }

    fn told(self, title: String, bounds_ns: &[u64]) -> Requests {
        let (mut all, mut latencies) = (StepRecord::default(), StepLatencies::default());
        for (_, step, its) in &self.names {
            all.add(step);
            latencies.add(its);
        }
        // Steps that the profile leaves out, and those that are not compared, have nothing to tell.
        let names = self.names.iter().filter(|(_, step, _)| step.ledger.intended > 0);
        let told = |step: &StepRecord, its: &StepLatencies| Answered::from_step(step.ledger, its, bounds_ns);
        Requests {
            title,
            response_time: FROM_INTENDED,
            elapsed_s: self.elapsed_ns as f64 / 1e9,
            all: told(&all, &latencies),
            names: names.map(|(name, step, its)| (name.clone(), told(step, its))).collect(),
            errors: self.errors.most_frequent_first(),
        }
    }
}

impl Errors {
    fn add(&mut self, errors: &BTreeMap<String, u64>) {
        errors.iter().for_each(|(kind, n)| self.count(kind, *n));
    }

    fn count(&mut self, message: &str, n: u64) {
        if n > 0 {
            *self.0.entry(message.to_owned()).or_default() += n;
        }
    }

    fn most_frequent_first(self) -> Vec<(String, u64)> {
        let mut errors: Vec<_> = self.0.into_iter().collect();
        errors.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        errors
    }
}
