//! Which child of a league is next, by what the others came to: pure, so that a league can be gone on with.

use galo_plan::league::{ChildTerms, LeaguePlan};

use super::heard::Heard;
use super::{Child, Order};

/// The child after these; `None`: the league is over.
///
/// First each entry is checked. Then passes over all that are in, in blocks; from a look on only over those whose place is not decided.
/// At the end, where that is asked for, each that is still in is killed under load.
pub fn next(plan: &LeaguePlan, children: &[Child<'_>]) -> Option<ChildTerms> {
    let checks = plan.entries.len();
    if children.len() < checks {
        return Some(ChildTerms::Check { entry: children.len() });
    }
    let (mut begin, mut open) = (checks, None);
    for pass in 1..=plan.passes {
        let members = members(plan, &children[..begin], open.as_deref());
        let mut blocks = plan.blocks(pass, &members);
        let (count, driven) = (blocks.len(), children.len() - begin);
        if driven < count {
            let number = [driven + 1, count];
            return Some(ChildTerms::Block { pass, number, block: blocks.swap_remove(driven) });
        }
        begin += count;
        if plan.looks().contains(&pass) {
            open = Some(open_at(plan, &children[..begin]));
        }
    }
    let crashed = children.len() - begin;
    let members = Heard::of(plan, &children[..begin]).members();
    members.get(crashed).filter(|_| plan.crashes).map(|&entry| ChildTerms::Crash { entry })
}

/// Who takes part in a pass, by the children before it and by whose place was not decided at the last look: nobody where a single one is
/// left, since it has no one to be compared with.
fn members(plan: &LeaguePlan, before: &[Child<'_>], open: Option<&[usize]>) -> Vec<usize> {
    let mut members = Heard::of(plan, before).members();
    members.retain(|entry| open.is_none_or(|open| open.contains(entry)));
    if members.len() < 2 { Vec::new() } else { members }
}

/// Those whose place is not decided.
fn open_at(plan: &LeaguePlan, children: &[Child<'_>]) -> Vec<usize> {
    let order = Order::of(plan, &Heard::of(plan, children));
    order.places.iter().copied().filter(|&entry| order.is_open(entry)).collect()
}
