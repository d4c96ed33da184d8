//! The rules about balances: each account's moves and statements, by [`crate::ledger`], which says what it proves and what it cannot.
//!
//! A balance in an answer that the challenge's model found wrong is not believed: the move has happened, at a balance that nothing told.
//! On a server that galo did not start an account is judged only if its first statement was over before all moves, and lists none.
//! An account is not judged where something was accepted that must be refused, since what that moved is unknown. Where only no answer tells
//! whether it was, it may have moved the account by little, and its statements' lists are not believed.

use std::collections::BTreeSet;

use galo_plan::ledger::balance;
use galo_plan::model::{Account, CheckKind, Effect, Entry, Label, Row};
use galo_plan::{ChallengeData, Plan};
use galo_record::{Operation, OperationResult, RoundData};

use super::view::View;
use super::{Breach, Case, EVIDENCE_MAX, Opinion, told};
use crate::evidence::{AccountEvent, Evidence};
use crate::findings::{
    BalanceNotConserved, BrokenTrail, Fact, Listing, LostUpdate, RefusedWithinLimit, StartDiffers,
    StatementList, StatementOrderByTimes, StatementStale, StatementTorn, Unjudged,
};
use crate::ledger::{self, Fault, History, Move, Outcome, Statement};
use crate::strangers::started_by_galo;

/// What was asked of one account.
#[derive(Default)]
pub(crate) struct Asked {
    pub(crate) history: History,
    /// Whether something was accepted that must be refused.
    pub(crate) is_spoilt: bool,
    /// Whether no answer tells if something was.
    has_doubtful: bool,
}

/// The histories of all accounts, by number.
pub(crate) fn accounts(plan: &Plan, data: &dyn ChallengeData, round: &RoundData) -> Vec<Asked> {
    let start =
        |account: &Account| History { start: account.start, least: account.least, ..History::default() };
    let asked = |account: &Account| Asked { history: start(account), ..Asked::default() };
    let mut all: Vec<Asked> = data.accounts().iter().map(asked).collect();
    let steps: Vec<_> =
        plan.challenge.steps().map(|(scenario, step)| (step.check, scenario.feeder)).collect();
    for (at, operation) in (0..).zip(&round.history) {
        let Some(&(Some(check), Some(feeder))) = steps.get(usize::from(operation.step)) else { continue };
        let row = Row { feeder, number: u64::from(operation.user) };
        let (Some(kind), Some(entry)) = (plan.checks.get(check), data.entry(check, row)) else { continue };
        let Some(asked) = all.get_mut(entry.account as usize) else { continue };
        match *kind {
            CheckKind::Move => asked.note_move(at, operation, round, &entry),
            CheckKind::Statement { most } => asked.note_statement(at, operation, round, most),
            _ => {}
        }
    }
    all.iter_mut().filter(|asked| asked.has_doubtful).for_each(Asked::disbelieve_lists);
    all
}

impl Asked {
    fn note_move(&mut self, at: u32, operation: &Operation, round: &RoundData, entry: &Entry) {
        let Operation { intended_ns: called_ns, done_ns: returned_ns, .. } = *operation;
        let Entry { delta, digest, .. } = *entry;
        if entry.label == Label::Refuse {
            self.is_spoilt |= operation.effect == Effect::Yes;
            if operation.effect == Effect::Unknown {
                self.has_doubtful = true;
                let deltas = (-delta..=delta).filter(|delta| *delta != 0);
                let may_be =
                    |delta| Move { at, called_ns, returned_ns, delta, digest, outcome: Outcome::Open };
                self.history.moves.extend(deltas.map(may_be));
            }
            return;
        }
        let told = operation.seen(&round.seen).first().map(balance);
        let is_right = operation.result == OperationResult::Ok;
        let outcome = match (operation.effect, told) {
            (Effect::Yes, Some(told)) if is_right => Outcome::Done(told),
            (Effect::Yes, _) => Outcome::Untold,
            (Effect::Unknown, _) => Outcome::Open,
            _ if entry.label == Label::Accept && is_right && (400..500).contains(&operation.status) => {
                Outcome::Refused
            }
            _ => Outcome::Not,
        };
        self.history.moves.push(Move { at, called_ns, returned_ns, delta, digest, outcome });
    }

    /// Leaves nothing of each statement but its total.
    fn disbelieve_lists(&mut self) {
        for one in &mut self.history.statements {
            one.entries.clear();
            one.listed = one.most;
        }
    }

    /// Whether its first statement lists nothing, so no statement lists moves of before this round. What that tells is the start.
    fn begin_as_found(&mut self) -> bool {
        let found = self.history.begun().filter(|one| one.listed == 0).map(|one| one.total);
        self.history.start = found.unwrap_or(self.history.start);
        found.is_some()
    }

    fn note_statement(&mut self, at: u32, operation: &Operation, round: &RoundData, most: u32) {
        let seen = operation.seen(&round.seen);
        let (Some((total, entries)), OperationResult::Ok) = (seen.split_first(), operation.result) else {
            return;
        };
        self.history.statements.push(Statement {
            at,
            called_ns: operation.intended_ns,
            returned_ns: operation.done_ns,
            total: balance(total),
            listed: operation.found,
            most,
            entries: entries.iter().map(|seen| (seen.digest, seen.id.0 as u64)).collect(),
        });
    }
}

pub(super) fn check(case: &Case<'_>) -> Opinion {
    let view = &case.view;
    let (mut faults, mut open, mut statements, mut refusals) = (Vec::new(), 0, 0, 0);
    for (number, mut asked) in (0..).zip(accounts(view.plan, view.data, view.round)) {
        if asked.is_spoilt || !started_by_galo(view.round) && !asked.begin_as_found() {
            continue;
        }
        let judged = ledger::judge(&asked.history);
        open += u64::from(judged.is_open && judged.faults.is_empty());
        statements += asked.history.statements.len() as u64;
        let is_refused = |one: &&Move| one.outcome == Outcome::Refused;
        refusals += asked.history.moves.iter().filter(is_refused).count() as u64;
        faults.extend(judged.faults.into_iter().map(|fault| (number, fault)));
    }
    if faults.is_empty() && open > 0 {
        return Opinion::Unknown(Unjudged::MovesTooOpen { accounts: open });
    }
    let mut breaches: Vec<Breach> = Vec::new();
    for rule in Rule::ALL {
        let of_rule: Vec<&(u32, Fault)> =
            faults.iter().filter(|(_, fault)| Rule::of(fault) == rule).collect();
        if let Some((_, first)) = of_rule.first() {
            let accounts = of_rule.iter().map(|(account, _)| account).collect::<BTreeSet<_>>().len() as u64;
            let fact = rule.fact(view, first, &of_rule, [accounts, statements, refusals]);
            let evidence =
                of_rule.iter().take(EVIDENCE_MAX).map(|(account, fault)| evidence(view, *account, fault));
            breaches.push(Breach { fact, evidence: evidence.collect(), keys: Vec::new() });
        }
    }
    Opinion::of(breaches)
}

/// By which rule a fault is told.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rule {
    Start,
    Lost,
    Trail,
    Refused,
    Stale,
    Torn,
    List,
    Times,
    Rest,
}

impl Rule {
    /// In the order in which they are told.
    const ALL: [Self; 9] = [
        Self::Start,
        Self::Lost,
        Self::Trail,
        Self::Refused,
        Self::Stale,
        Self::Torn,
        Self::List,
        Self::Times,
        Self::Rest,
    ];

    const fn of(fault: &Fault) -> Self {
        match fault {
            Fault::Start { .. } => Self::Start,
            Fault::LostUpdate { .. } => Self::Lost,
            Fault::Unreached { .. } | Fault::Apart { .. } | Fault::Order { .. } => Self::Trail,
            Fault::Refused { .. } => Self::Refused,
            Fault::Stale { .. } => Self::Stale,
            Fault::Torn { .. } => Self::Torn,
            Fault::List { what: Listing::OrderByTimes, .. } => Self::Times,
            Fault::List { .. } => Self::List,
            Fault::NotConserved { .. } => Self::Rest,
        }
    }

    fn fact(
        self,
        view: &View<'_>,
        first: &Fault,
        faults: &[&(u32, Fault)],
        [accounts, statements, refusals]: [u64; 3],
    ) -> Fact {
        let number = faults.len() as u64;
        match self {
            Self::Start => StartDiffers { accounts }.into(),
            Self::Lost => LostUpdate { moves: number, accounts }.into(),
            Self::Trail => BrokenTrail { moves: number, accounts }.into(),
            Self::Refused => RefusedWithinLimit { refused: number, refusals }.into(),
            Self::Stale => {
                let age_ns = |fault: &Fault| match *fault {
                    Fault::Stale { by, missed } => {
                        view.operation(by).intended_ns.saturating_sub(view.operation(missed).done_ns)
                    }
                    _ => 0,
                };
                let longest_ns = faults.iter().map(|(_, fault)| age_ns(fault)).max().unwrap_or(0);
                StatementStale { stale: number, statements, longest_ns }.into()
            }
            Self::Torn => StatementTorn { torn: number, statements }.into(),
            Self::List => {
                let first = match *first {
                    Fault::List { what, .. } => what,
                    _ => Listing::Unknown,
                };
                StatementList { wrong: number, statements, first }.into()
            }
            Self::Times => StatementOrderByTimes { wrong: number, statements }.into(),
            Self::Rest => {
                let off = |fault: &Fault| match *fault {
                    Fault::NotConserved { total, expected, .. } => total.abs_diff(expected),
                    _ => 0,
                };
                let off_by = faults.iter().map(|(_, fault)| off(fault)).max().unwrap_or(0);
                BalanceNotConserved { accounts, off_by }.into()
            }
        }
    }
}

/// The operations that show a fault, and the balance that it is about.
fn evidence(view: &View<'_>, account: u32, fault: &Fault) -> Evidence {
    let (operations, balance) = match *fault {
        Fault::Start { by, total } => (vec![by], Some(total)),
        Fault::LostUpdate { moves, balance } => (moves.to_vec(), Some(balance)),
        Fault::Unreached { by, balance } => (vec![by], Some(balance)),
        Fault::Apart { by } | Fault::List { by, .. } => (vec![by], None),
        Fault::Order { ref operations } => (operations.clone(), None),
        Fault::Refused { by, least, told } => (told.into_iter().chain([by]).collect(), Some(least)),
        Fault::Stale { by, missed } => (vec![missed, by], None),
        Fault::Torn { by, expected, .. } => (vec![by], expected),
        Fault::NotConserved { by, expected, .. } => (vec![by], Some(expected)),
    };
    let name = view.data.accounts().get(account as usize).map(|account| account.name.clone());
    let event = |at: u32| {
        let operation = view.operation(at);
        AccountEvent {
            row: view.row(operation).map_or_else(String::new, |row| view.data.words(row)),
            operation: told::operation(view, operation),
            told: operation.seen(&view.round.seen).first().map(galo_plan::ledger::balance),
        }
    };
    Evidence::Account {
        account: name.unwrap_or_default(),
        balance,
        events: operations.into_iter().map(event).collect(),
    }
}
