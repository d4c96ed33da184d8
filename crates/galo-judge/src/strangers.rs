//! A server that galo did not start may have held things before: those are strangers, and nobody is accused of them.

use galo_plan::model::Effect;
use galo_plan::{Plan, RuleCode};
use galo_record::{Operation, RoundData};

use crate::findings::{Excuse, Finding, Kind};

/// Rules of the history that somebody who was there before the round may seem to break.
const EXCUSED: [Kind; 5] = [
    Kind::SearchUnknownPerson,
    Kind::RefusedButKept,
    Kind::FailedButKept,
    Kind::RefusedWithoutDuplicate,
    Kind::NotLinearizable,
];

/// Whether galo started what was driven, so that nobody else asks it for anything.
pub(crate) fn started_by_galo(round: &RoundData) -> bool {
    round.record.placement.as_ref().is_none_or(|placement| !placement.services.is_empty())
}

/// How many were there before on a server that galo did not start; of one that it started none may be.
pub(crate) fn strangers(round: &RoundData) -> u64 {
    let before = round.record.count_before.as_ref().and_then(|reading| reading.value);
    before.filter(|_| !started_by_galo(round)).unwrap_or(0)
}

/// Whether everything that broke a rule is a creation refused as taken, and so may be by somebody who was there before.
pub(crate) fn may_be_taken(plan: &Plan, round: &RoundData, code: RuleCode) -> bool {
    let mut broken = round.history.iter().filter(|operation| operation.broken == Some(code));
    let is_refusal = |o: &Operation| o.effect == Effect::No && matches!(o.status, 409 | 422);
    strangers(round) > 0 && broken.all(|o| is_refusal(o) && plan.challenge.creates_at(o.step))
}

/// A finding of the history, as a note where a stranger may explain it.
pub(crate) fn excused(round: &RoundData, finding: Finding) -> Finding {
    let may_be_strangers = strangers(round) > 0 && EXCUSED.contains(&finding.fact.kind());
    if may_be_strangers { finding.excused(Excuse::HeldBefore) } else { finding }
}
