//! Conformance judged: each answer of each case held to its expectations.
//!
//! Pure: a record in, outcomes out. A case holds if it broke no rule that a contender must keep, in any of its runs. Advice
//! (what it only should do) is told once for each rule, with how many cases show it: one cause, such as a Location that
//! names a host, may show in half of all cases. A request that could not be sent, because an earlier answer did not give
//! what it needs, is held to nothing: what was wrong is told of that answer.

mod curl;
mod expected;
mod meaning;
mod text;

use galo_plan::JsonSchema;
use galo_plan::conformance::{CaseRequest, Expect, Filling, Given};
use galo_plan::rules::model_rule;
use galo_plan::{Blame, Plan, Rule, Severity};
use galo_record::finding::Weight;
use galo_record::{CaseRecord, CaseRun, Exchange, Missing};
use serde::{Deserialize, Serialize};

use crate::evidence::{Came, EVIDENCE_MAX, Evidence, Expected};
use crate::findings::{BrokenRule, CasesMissing, Fact, Finding};
use expected::{AskedExchange, Breach};

/// What came of all cases of a round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Conformance {
    /// Cases that there were to ask.
    pub cases: usize,
    /// Cases that broke no `must` in any run.
    pub held: usize,
    /// Cases with runs that are missing.
    pub missing: usize,
    /// Why the first of these is; of the contender's own doing, if any is.
    pub missing_because: Option<Missing>,
    /// The instances; where they are not known, the times that each case was asked.
    pub instances: Vec<String>,
    /// Whether the instances were asked themselves.
    pub direct: bool,
    /// What was broken of what must hold, a case and a rule each, in the order of the cases.
    pub broken: Vec<BrokenCase>,
    /// What should be otherwise, a rule each, in the order in which cases first showed it.
    pub advice: Vec<Advice>,
}

/// A rule that should hold and does not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Advice {
    /// In how many cases it was broken.
    pub cases: usize,
    /// The first of these, with the instances of all.
    #[serde(flatten)]
    pub example: BrokenCase,
}

/// A rule that a case found broken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BrokenCase {
    /// Name of the case.
    pub case: String,
    /// Name of the rule.
    pub rule: String,
    /// What its breach is called, in English and in Portuguese, where the challenge says it.
    pub headline: Option<[String; 2]>,
    /// In which of [`Conformance::instances`].
    pub instances: Vec<String>,
    /// The request as a line for a shell, of the first run that found it.
    pub request: String,
    /// The requests of the case before it, the same way; the last few, where there are many.
    pub before: Vec<String>,
    /// What was expected.
    pub expected: Expected,
    /// What came instead.
    pub came: Came,
    /// Status, headers of interest and the start of the body; empty where there was no answer.
    pub answer: String,
}

/// So many requests are told that come before the one that broke a rule.
const BEFORE_MAX: usize = 8;

/// Judges what came of the cases; `None` where none were asked.
pub fn judge_cases(plan: &Plan, records: &[CaseRecord]) -> Option<Conformance> {
    let runs = || records.iter().flat_map(|record| &record.runs);
    let mut instances: Vec<String> = Vec::new();
    // What was asked at the contender's own port as well adds no instance.
    let direct = runs().any(|run| run.direct);
    for run in runs().filter(|run| run.direct == direct) {
        if !instances.contains(&run.instance) {
            instances.push(run.instance.clone());
        }
    }
    let (mut broken, mut advice) = (Vec::new(), Vec::new());
    let mut held = 0;
    for record in records {
        let mut holds = record.missing.is_none();
        for (severity, case) in judge_case(plan, record) {
            let of_front =
                |instance: &String| record.runs.iter().any(|run| run.instance == *instance && !run.direct);
            // The contest speaks of its one port alone.
            let severity = if case.instances.iter().any(of_front) { severity } else { Severity::Should };
            match severity {
                Severity::Must => {
                    holds = false;
                    broken.push(case);
                }
                Severity::Should => add_advice(&mut advice, case),
            }
        }
        held += usize::from(holds);
    }
    let missing = || records.iter().filter_map(|record| record.missing.as_ref());
    let first_missing = missing().min_by_key(|missing| missing.blame != Blame::Contender);
    (!records.is_empty()).then(|| Conformance {
        cases: records.len(),
        held,
        missing: missing().count(),
        missing_because: first_missing.cloned(),
        instances,
        direct,
        broken,
        advice,
    })
}

fn add_advice(advice: &mut Vec<Advice>, case: BrokenCase) {
    let Some(known) = advice.iter_mut().find(|known| known.example.rule == case.rule) else {
        advice.push(Advice { cases: 1, example: case });
        return;
    };
    known.cases += 1;
    for instance in case.instances {
        if !known.example.instances.contains(&instance) {
            known.example.instances.push(instance);
        }
    }
}

/// What a case found broken: each rule once, with the runs that found it.
fn judge_case(plan: &Plan, record: &CaseRecord) -> Vec<(Severity, BrokenCase)> {
    let mut broken: Vec<(Severity, BrokenCase)> = Vec::new();
    for run in &record.runs {
        for found in judge_run(&record.case.requests, run) {
            let Some(rule) = plan.rules.get(usize::from(model_rule(found.rule).0)) else { continue };
            match broken.iter_mut().find(|(_, case)| case.rule == rule.name) {
                Some((_, known)) if known.instances.contains(&run.instance) => {}
                Some((_, known)) => known.instances.push(run.instance.clone()),
                None => broken.push((rule.severity, told(record, run, rule, found))),
            }
        }
    }
    broken
}

/// A rule that was broken at one request of a run.
struct BrokenAt {
    request: usize,
    rule: usize,
    breach: Breach,
}

/// What one run found broken, in the order of the requests.
fn judge_run(requests: &[CaseRequest], run: &CaseRun) -> Vec<BrokenAt> {
    let given = given(requests, run);
    let mut found = Vec::new();
    for (number, (request, exchange)) in requests.iter().zip(&run.exchanges).enumerate() {
        let Some(exchange) = exchange else { continue };
        let filling = Filling { mark: &run.mark, given: &given };
        let earlier = &run.exchanges[..number];
        let asked = AskedExchange::new(request, exchange, earlier, filling);
        let breaches: Vec<_> =
            request.expect.iter().map(|expectation| asked.breach(&expectation.that)).collect();
        // Who answers 5xx in error neither accepted nor refused anything: that it has no other status need not be said. Nor that a
        // status which is wrong altogether is also not the one that should be.
        let mut wrong_status =
            breaches.iter().flatten().any(|breach| breach.expected == Expected::NoServerError);
        for (expectation, breach) in request.expect.iter().zip(breaches) {
            let is_status = matches!(expectation.that, Expect::Status(_));
            if is_status && wrong_status {
                continue;
            }
            if let Some(breach) = breach {
                wrong_status |= is_status;
                found.push(BrokenAt { request: number, rule: expectation.rule, breach });
            }
        }
    }
    found.extend(run.gone.as_deref().and_then(|gone| is_gone(requests, run, gone)));
    found
}

/// That the server gives no answer any more is held to the rule by which the case's requests must have one.
fn is_gone(requests: &[CaseRequest], run: &CaseRun, gone: &str) -> Option<BrokenAt> {
    let by_answer = |request: &CaseRequest| {
        let mut expect = request.expect.iter();
        expect
            .find(|expectation| matches!(expectation.that, Expect::Alive | Expect::Answer { .. }))
            .map(|e| e.rule)
    };
    let rule = requests.iter().find_map(by_answer)?;
    let request = run.exchanges.iter().rposition(Option::is_some)?;
    let breach = Breach { expected: Expected::LivesOn, came: Came::NoMore { because: text::line(gone) } };
    Some(BrokenAt { request, rule, breach })
}

/// What the answers of a run gave, by request.
fn given(requests: &[CaseRequest], run: &CaseRun) -> Vec<Option<Given>> {
    let mut given: Vec<Option<Given>> = Vec::with_capacity(requests.len());
    for (request, exchange) in requests.iter().zip(&run.exchanges) {
        let target = Filling { mark: &run.mark, given: &given }.content(&request.target);
        let of = exchange.as_ref().zip(target).and_then(|(exchange, target)| exchange.given(&target.bytes()));
        given.push(of);
    }
    given
}

fn told(record: &CaseRecord, run: &CaseRun, rule: &Rule, found: BrokenAt) -> BrokenCase {
    let requests = &record.case.requests;
    let given = given(requests, run);
    let filling = Filling { mark: &run.mark, given: &given };
    let line = |number: usize| {
        let exchange = run.exchanges.get(number)?.as_ref()?;
        curl::line(requests.get(number)?, filling, exchange.target, exchange.through)
    };
    let answer = |exchange: &Exchange| text::answer(exchange);
    BrokenCase {
        case: record.case.name.clone(),
        rule: rule.name.to_string(),
        headline: BrokenRule::from(rule).headline,
        instances: vec![run.instance.clone()],
        request: line(found.request).unwrap_or_default(),
        before: (found.request.saturating_sub(BEFORE_MAX)..found.request).filter_map(line).collect(),
        expected: found.breach.expected,
        came: found.breach.came,
        answer: run.exchanges.get(found.request).and_then(Option::as_ref).map(answer).unwrap_or_default(),
    }
}

/// Adds a finding for each broken rule, and one if cases are missing. What the traffic found by the same rule already
/// stays one finding with it.
pub(crate) fn add_findings(plan: &Plan, conformance: &Conformance, findings: &mut Vec<Finding>) {
    for rule in &plan.rules {
        let advice = conformance.advice.iter().find(|advice| advice.example.rule == rule.name);
        let of_rule = || conformance.broken.iter().filter(|case| case.rule == rule.name);
        let examples = of_rule().chain(advice.map(|advice| &advice.example)).take(EVIDENCE_MAX);
        let evidence: Vec<Evidence> = examples.map(evidence).collect();
        if evidence.is_empty() {
            continue;
        }
        let cases = advice.map_or_else(|| of_rule().count(), |advice| advice.cases) as u64;
        let weight = Weight::from(rule.severity);
        let known = findings.iter_mut().filter(|known| known.weight == weight).find_map(|known| {
            match &mut known.fact {
                Fact::BrokenRule(broken) if broken.rule == rule.name => Some((broken, &mut known.evidence)),
                _ => None,
            }
        });
        if let Some((broken, known)) = known {
            broken.cases = cases;
            known.extend(evidence);
            continue;
        }
        let broken = Finding::new(BrokenRule { cases, ..BrokenRule::from(rule) });
        findings.push(Finding { weight, ..broken }.shown_by(evidence));
    }
    findings.extend(missing(conformance));
    findings.sort_by_key(|finding| finding.weight);
}

fn missing(conformance: &Conformance) -> Option<Finding> {
    let Missing { because, blame } = conformance.missing_because.as_ref()?;
    let fact = CasesMissing {
        missing: conformance.missing as u64,
        cases: conformance.cases as u64,
        because: because.clone(),
    };
    Some(Finding { blame: *blame, ..Finding::new(fact) })
}

fn evidence(case: &BrokenCase) -> Evidence {
    Evidence::Case {
        case: case.case.clone(),
        instances: case.instances.clone(),
        request: case.request.clone(),
        expected: case.expected.clone(),
        came: case.came.clone(),
        answer: case.answer.clone(),
    }
}

#[cfg(test)]
mod tests;
