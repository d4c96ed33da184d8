//! Whether some order in time explains all answers of an account: exact, for accounts with few operations.

use super::{Fault, History, Judged, Outcome};
use crate::linearizable::{self, CALLS_MAX, Call, Linearizability, Specification};

/// Operations in the evidence.
const SHOWN: usize = 6;

/// What an operation does to a balance, and what it told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    Moved { delta: i64, told: Option<i64> },
    MayMove { delta: i64 },
    Refused { delta: i64 },
    Read { total: i64 },
}

/// One balance that moves change and nothing else.
struct Balance {
    start: i64,
    least: i64,
}

impl Specification for Balance {
    type State = i64;
    type Operation = Asked;

    fn initial(&self) -> i64 {
        self.start
    }

    fn apply(&self, balance: &i64, asked: &Asked) -> Option<i64> {
        // A balance below the least is told by itself, and what follows from it follows.
        let after = |delta: i64| balance.checked_add(delta);
        let fits = |delta: i64| after(delta).is_some_and(|after| delta > 0 || after >= self.least);
        match *asked {
            Asked::Moved { delta, told } => {
                after(delta).filter(|after| told.is_none_or(|told| told == *after))
            }
            Asked::MayMove { delta } => after(delta),
            Asked::Refused { delta } => (!fits(delta)).then_some(*balance),
            Asked::Read { total } => (total == *balance).then_some(*balance),
        }
    }

    fn is_inert(&self, _balance: &i64, asked: &Asked) -> bool {
        matches!(asked, Asked::Refused { .. } | Asked::Read { .. })
    }
}

pub(super) fn judge(history: &History, judged: &mut Judged) {
    let mut calls = Vec::new();
    for one in &history.moves {
        let delta = one.delta;
        let operation = match one.outcome {
            Outcome::Done(told) => Asked::Moved { delta, told: Some(told) },
            Outcome::Untold => Asked::Moved { delta, told: None },
            Outcome::Open => Asked::MayMove { delta },
            Outcome::Refused => Asked::Refused { delta },
            Outcome::Not => continue,
        };
        let returned_ns = (one.outcome != Outcome::Open).then_some(one.returned_ns);
        calls.push(Call { operation, called_ns: one.called_ns, returned_ns });
    }
    calls.extend(history.statements.iter().map(|one| Call {
        operation: Asked::Read { total: one.total },
        called_ns: one.called_ns,
        returned_ns: Some(one.returned_ns),
    }));
    if calls.len() > CALLS_MAX {
        return;
    }
    match linearizable::judge(&Balance { start: history.start, least: history.least }, &calls) {
        // What open moves may explain is decided by this.
        Linearizability::Holds => judged.is_open = false,
        Linearizability::Unknown => judged.is_open = true,
        Linearizability::Broken => {
            let operations = history.moves.iter().map(|one| one.at);
            let operations =
                operations.chain(history.statements.iter().map(|one| one.at)).take(SHOWN).collect();
            judged.faults.push(Fault::Order { operations });
        }
    }
}
