//! The books of a round: ledgers, and what the history says of effects and broken rules.

use std::collections::BTreeMap;

use galo_plan::model::Effect;
use galo_plan::{Plan, RuleCode};
use galo_record::{Ledger, LoadRecord, Operation, RoundData, RoundRecord};

use crate::findings::{Contradiction, HistoryFault};
use crate::history;
use crate::step::StepName;

/// What a round's records add up to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Account {
    /// Of the compared scenarios.
    pub(crate) ledger: Ledger,
    /// Of the others.
    pub(crate) probe_ledger: Ledger,
    /// Creations acknowledged in the compared scenarios.
    pub(crate) created: u64,
    /// Creations acknowledged in the others.
    pub(crate) probes: u64,
    /// Creations of unknown effect in any.
    pub(crate) unknown: u64,
    /// Operations that broke a rule, by rule and flat step number.
    pub(crate) broken: BTreeMap<RuleCode, BTreeMap<usize, u64>>,
    /// Whether the history does not contradict itself.
    pub(crate) history_is_sound: bool,
    /// Where the books contradict themselves: a bug in galo, or a damaged run.
    pub(crate) contradictions: Vec<Contradiction>,
}

/// Ledgers of the compared scenarios, and of the others.
pub(crate) fn ledgers(plan: &Plan, load: &LoadRecord) -> (Ledger, Ledger) {
    let (mut compared, mut others) = (Ledger::default(), Ledger::default());
    for ((scenario, _), step) in plan.challenge.steps().zip(&load.steps) {
        if scenario.compared { &mut compared } else { &mut others }.add(&step.ledger);
    }
    (compared, others)
}

impl Account {
    /// Adds up a round.
    pub(crate) fn of(plan: &Plan, round: &RoundData) -> Self {
        let (ledger, probe_ledger) = ledgers(plan, &round.record.load);
        let mut account = Self { ledger, probe_ledger, ..Self::default() };
        let steps: Vec<StepKind> = plan
            .challenge
            .steps()
            .map(|(scenario, step)| StepKind { compared: scenario.compared, creates: step.creates })
            .collect();
        account.check_ledgers(plan, &round.record);
        account.read_history(plan, &steps, &round.history);
        account.check_history(plan, round);
        let contradictions = history::contradictions(plan, round);
        account.history_is_sound = contradictions.is_empty();
        account.contradictions.extend(contradictions);
        account.check_latencies(plan, round);
        account
    }

    /// Operations of all steps.
    pub(crate) fn intended(&self) -> u64 {
        self.ledger.intended + self.probe_ledger.intended
    }

    fn check_ledgers(&mut self, plan: &Plan, record: &RoundRecord) {
        for (number, step) in record.load.steps.iter().enumerate() {
            if !step.ledger.adds_up() {
                self.contradictions.push(Contradiction::LedgerDoesNotAddUp {
                    step: StepName::of(plan, number),
                    ledger: step.ledger,
                });
            }
        }
        let planned = plan.challenge.steps().count();
        if !record.load.steps.is_empty() && record.load.steps.len() != planned {
            let recorded = record.load.steps.len() as u64;
            self.contradictions.push(Contradiction::OtherSteps { planned: planned as u64, recorded });
        }
    }

    fn read_history(&mut self, plan: &Plan, steps: &[StepKind], history: &[Operation]) {
        let (mut strange_steps, mut strange_rules, mut unexplained) = (0, 0, 0);
        for operation in history {
            let number = usize::from(operation.step);
            let Some(step) = steps.get(number) else {
                strange_steps += 1;
                continue;
            };
            match operation.effect {
                Effect::Yes if step.creates && step.compared => self.created += 1,
                Effect::Yes if step.creates => self.probes += 1,
                Effect::Unknown if step.creates => self.unknown += 1,
                _ => {}
            }
            match operation.broken {
                Some(code) if usize::from(code.0) < plan.rules.len() => {
                    *self.broken.entry(code).or_default().entry(number).or_default() += 1;
                }
                Some(_) => strange_rules += 1,
                None if operation.result == galo_record::OperationResult::Wrong => unexplained += 1,
                None => {}
            }
        }
        for (operations, fault) in [
            (strange_steps, HistoryFault::NoSuchStep),
            (strange_rules, HistoryFault::NoSuchRule),
            (unexplained, HistoryFault::NoRule),
        ] {
            if operations > 0 {
                self.contradictions.push(Contradiction::History { fault, operations });
            }
        }
    }

    /// The history and the ledgers are kept apart on purpose; they must tell the same.
    fn check_history(&mut self, plan: &Plan, round: &RoundData) {
        let creates = plan.challenge.steps().any(|(_, step)| step.creates);
        if round.history.is_empty() {
            if creates && self.intended() > 0 {
                self.contradictions.push(Contradiction::EmptyHistory { operations: self.intended() });
            }
            return;
        }
        let mut told = vec![Ledger::default(); round.record.load.steps.len()];
        for operation in &round.history {
            if let Some(ledger) = told.get_mut(usize::from(operation.step)) {
                ledger.intended += 1;
                ledger.end(operation.result);
            }
        }
        for (number, (told, step)) in told.iter().zip(&round.record.load.steps).enumerate() {
            if *told != step.ledger && step.ledger.adds_up() {
                self.contradictions.push(Contradiction::HistoryDiffers {
                    step: StepName::of(plan, number),
                    ledger: step.ledger,
                    history: *told,
                });
            }
        }
    }

    /// A latency that was not counted would make every percentile better than it was.
    fn check_latencies(&mut self, plan: &Plan, round: &RoundData) {
        for (number, (latencies, step)) in round.latencies.iter().zip(&round.record.load.steps).enumerate() {
            let (ok, not_ok) = (latencies.ok.count(), latencies.not_ok.count());
            let l = &step.ledger;
            if l.adds_up() && (ok != l.ok || not_ok != l.intended - l.ok) {
                self.contradictions.push(Contradiction::LatenciesDiffer {
                    step: StepName::of(plan, number),
                    right: l.ok,
                    other: l.intended - l.ok,
                    right_latencies: ok,
                    other_latencies: not_ok,
                });
            }
        }
    }
}

/// What the account needs to know of a step.
struct StepKind {
    compared: bool,
    creates: bool,
}
