//! What a round's whole history proves: that acknowledged creations were kept, shown and unique.
//!
//! One answer by itself can be judged as it arrives; the challenge's model does that. What is told here needs
//! several operations: a search is stale only beside the acknowledgement that it lacks. Each checker is a pure
//! function from a [`View`] to an [`Opinion`] of three values, and says in its module what it proves and what it
//! cannot. What can not be judged becomes a note, never silence. `docs/explanation/judge.md` tells the same to users.
//!
//! **Time.** An operation happens between the moment at which it was due ([`Operation::intended_ns`]) and the one at
//! which its end was known (`done_ns`). The recorded send would be a narrower start, but it may be later than the
//! true one (a request that waited for its connection is stamped when galo hears that it went), and a start that is
//! too late would accuse the honest; the due time never is, since nothing is sent before it. So "after" means:
//! due no earlier than the other was done. What ended without an answer may take effect at any time after its start.
//!
//! **One fact, one finding.** Checkers run in the order of [`CHECKERS`]; what an earlier one told of somebody, a
//! later one leaves out.

mod created_twice;
mod identity_given_twice;
mod kept;
mod keys;
mod lacks;
pub(crate) mod ledgers;
mod read;
mod refused;
mod search;
mod soundness;
mod told;
mod unknown_person;
mod view;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashSet};

use galo_plan::{ChallengeData, Plan};
use galo_record::{Operation, RoundData};

pub(crate) use soundness::contradictions;

use crate::evidence::{EVIDENCE_MAX, Evidence};
use crate::findings::{Fact, Finding, HistoryUnjudged, Kind, Unjudged};
use lacks::Lack;
use view::View;

/// What a checker makes of a history.
#[derive(Debug, Clone, PartialEq)]
enum Opinion {
    /// What it proves holds.
    Holds,
    /// It does not, for these reasons. Of which nothing less certain is said beside it.
    Broken(Vec<Breach>),
    /// It may hold or not: why that can not be said.
    Unknown(Unjudged),
}

impl Opinion {
    /// Broken where there is a breach.
    fn of(breaches: impl IntoIterator<Item = Breach>) -> Self {
        let breaches: Vec<Breach> = breaches.into_iter().collect();
        if breaches.is_empty() { Self::Holds } else { Self::Broken(breaches) }
    }
}

/// One rule that was broken, and how often.
#[derive(Debug, Clone, PartialEq)]
struct Breach {
    /// What happened.
    fact: Fact,
    /// At most [`EVIDENCE_MAX`] pieces.
    evidence: Vec<Evidence>,
    /// The keys about which something is told.
    keys: Vec<u64>,
}

/// What checkers look at.
struct Case<'a> {
    view: View<'a>,
    /// What searches lacked; `None`: the model cannot say.
    lacks: Option<Vec<Lack>>,
    /// Keys about which a checker has told something already.
    told: HashSet<u64>,
}

/// The rules that a checker judges, and the checker.
type Checker = (&'static [Kind], fn(&Case<'_>) -> Opinion);

/// What is judged of balances.
const LEDGER: &[Kind] = &[
    Kind::StartDiffers,
    Kind::LostUpdate,
    Kind::BrokenTrail,
    Kind::RefusedWithinLimit,
    Kind::StatementStale,
    Kind::StatementTorn,
    Kind::StatementList,
    Kind::StatementOrderByTimes,
    Kind::BalanceNotConserved,
];

/// All checkers, in the order in which they have the first word.
const CHECKERS: &[Checker] = &[
    (&[Kind::CreatedTwice], created_twice::check),
    (&[Kind::ReadMissesAcknowledged], read::check),
    (&[Kind::IdentityGivenTwice], identity_given_twice::check),
    (&[Kind::SearchUnknownPerson], unknown_person::check),
    (&[Kind::RefusedButKept, Kind::FailedButKept], kept::check),
    (&[Kind::RefusedWithoutDuplicate], refused::check),
    (&[Kind::SearchMissesAcknowledged, Kind::SearchForgets], search::check),
    (&[Kind::NotLinearizable], keys::check),
    (LEDGER, ledgers::check),
];

/// What the history told.
#[derive(Debug, Default)]
pub(crate) struct Judged {
    /// Findings, gravest rule first.
    pub(crate) findings: Vec<Finding>,
    /// Operations (flat step number and user) of an unexpected status which these findings explain.
    pub(crate) explained: HashSet<(u8, u32)>,
}

/// Judges the history of one round. `sound`: the history does not contradict itself ([`contradictions`]); one that
/// does proves nothing.
pub(crate) fn judge(plan: &Plan, data: &dyn ChallengeData, round: &RoundData, sound: bool) -> Judged {
    let view = if sound { View::of(plan, data, round) } else { Err(Unjudged::Contradicts) };
    let view = match view {
        Ok(view) => view,
        Err(why) => {
            let all = CHECKERS.iter().flat_map(|(rules, _)| *rules).copied().collect();
            return Judged { findings: vec![unjudged(why, all)], explained: HashSet::new() };
        }
    };
    let lacks = lacks::lacks(&view);
    let mut case = Case { view, lacks, told: HashSet::new() };
    let mut findings = Vec::new();
    let mut unknown: BTreeMap<Unjudged, Vec<Kind>> = BTreeMap::new();
    for (rules, check) in CHECKERS {
        match check(&case) {
            Opinion::Holds => {}
            Opinion::Broken(breaches) => {
                for breach in breaches {
                    case.told.extend(breach.keys);
                    findings.push(Finding::new(breach.fact).shown_by(breach.evidence));
                }
            }
            Opinion::Unknown(why) => unknown.entry(why).or_default().extend(*rules),
        }
    }
    findings.sort_by_key(|finding| finding.fact.kind());
    findings.extend(unknown.into_iter().map(|(why, rules)| unjudged(why, rules)));
    let explained = read::missing(&case.view).map(|at| case.view.operation(at)).map(|o| (o.step, o.user));
    Judged { findings, explained: explained.collect() }
}

/// What could not be judged is told, and held against nobody.
fn unjudged(why: Unjudged, rules: Vec<Kind>) -> Finding {
    Finding::new(HistoryUnjudged { rules, why })
}

/// Whether `earlier` was over before `later` began.
const fn precedes(earlier: &Operation, later: &Operation) -> bool {
    earlier.done_ns <= later.intended_ns
}
