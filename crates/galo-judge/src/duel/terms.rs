//! Whether both sides kept to the terms that were set for them, by the rules of fights: who left its control group is
//! disqualified, and where limits were lost, or more was used than they allow, the duel says nothing.

use super::JudgedDuel;
use crate::findings::Fact;
use crate::judgement::broken_by_the_contender;
use crate::void::quota::over_quota_in_parts;
use crate::void::{self, VoidReason};

/// The sides that broke a rule, and the names of all rules that they broke.
pub(super) fn broken(duel: &JudgedDuel) -> Option<(Vec<usize>, Vec<String>)> {
    let of_side = |side: usize| {
        let found = duel.findings.iter().filter(|found| found.side == side);
        broken_by_the_contender(found.map(|found| &found.finding))
    };
    let rules = [of_side(0), of_side(1)];
    let sides: Vec<usize> = (0..2).filter(|&side| !rules[side].is_empty()).collect();
    let mut rules: Vec<String> = rules.concat();
    rules.sort_unstable();
    rules.dedup();
    (!sides.is_empty()).then_some((sides, rules))
}

/// The first side whose limits did not hold, and how.
pub(super) fn unequal(duel: &JudgedDuel) -> Option<(usize, VoidReason)> {
    let found = duel.findings.iter().find_map(|found| match &found.finding.fact {
        Fact::LimitsLost(lost) => Some((found.side, void::of_fact(&lost.clone().into())?)),
        _ => None,
    });
    found.or_else(|| (0..2).find_map(|side| Some((side, over_quota(duel, side)?))))
}

/// That a side used more CPU than its limit allows, over a second of its turns or longer.
fn over_quota(duel: &JudgedDuel, side: usize) -> Option<VoidReason> {
    let (limit_cpus, command) = (duel.cpu_limit()?, duel.sides[side].command.as_deref()?);
    let usages = duel.loads_of(side).filter_map(|load| load.usage.as_ref());
    let parts: Vec<(u64, u64)> =
        usages.filter_map(|usage| Some((usage.cpu_ns()?, usage.watched_ns))).collect();
    over_quota_in_parts(command, limit_cpus, &parts)
}
