//! Which children of a league are due, by what the others came to: pure, so that a league can be gone on with, and be shared by machines.

use galo_plan::league::{ChildTerms, LeaguePlan};

use super::Facts;
use super::heard::Heard;
use crate::child::Child;

/// The children that may be driven now, each with its number, in any order or at once; none: the league is over.
///
/// First each entry is checked. Then come passes over all that are in, in blocks; from a look on only over those whose place is not
/// decided. At the end, where that is asked for, the highest scale of each that is still in is searched for, and each is killed under
/// load. None of a step is due before all of the step before it are over.
pub fn due(plan: &LeaguePlan, children: &[Child<'_>]) -> Vec<(u32, ChildTerms)> {
    due_by(plan, children, |driven| open_at(plan, driven))
}

/// The same, where `open_at` says whose place is not decided by the children before a look.
pub(super) fn due_by(
    plan: &LeaguePlan,
    children: &[Child<'_>],
    mut open_at: impl FnMut(&[Child<'_>]) -> Vec<usize>,
) -> Vec<(u32, ChildTerms)> {
    let mut step = plan.checks().into_iter().map(|entry| ChildTerms::Check { entry }).collect();
    let (mut before, mut open) = (0, None);
    for pass in 1..=plan.passes + 2 {
        let count = Vec::len(&step) as u32;
        let left = left(before, step, children);
        if !left.is_empty() {
            return left;
        }
        before += count;
        let driven: Vec<Child<'_>> =
            children.iter().filter(|child| child.number <= before).copied().collect();
        // After the last pass nobody is driven for a place any more.
        if pass <= plan.passes && plan.looks().contains(&(pass - 1)) {
            open = Some(open_at(&driven));
        }
        let of_each = |terms: fn(usize) -> ChildTerms| {
            let members = Heard::of(plan, &driven).members();
            members.into_iter().map(terms).collect()
        };
        step = match pass.checked_sub(plan.passes) {
            None | Some(0) => blocks(plan, pass, &members(plan, &driven, open.as_deref())),
            Some(1) if plan.limits.is_some() => of_each(|entry| ChildTerms::Limit { entry }),
            Some(2) if plan.crashes => of_each(|entry| ChildTerms::Crash { entry }),
            Some(_) => Vec::new(),
        };
    }
    left(before, step, children)
}

/// What is left of a step whose first child has the number after this one.
fn left(before: u32, step: Vec<ChildTerms>, children: &[Child<'_>]) -> Vec<(u32, ChildTerms)> {
    let is_left = |(number, _): &(u32, _)| !children.iter().any(|child| child.number == *number);
    (before + 1..).zip(step).filter(is_left).collect()
}

fn blocks(plan: &LeaguePlan, pass: u32, members: &[usize]) -> Vec<ChildTerms> {
    let blocks = plan.blocks(pass, members);
    let count = blocks.len();
    let numbered = blocks.into_iter().zip(1..);
    numbered.map(|(block, number)| ChildTerms::Block { pass, number: [number, count], block }).collect()
}

/// Who takes part in a pass, by the children before it and by whose place was not decided at the last look: nobody where a single one is
/// left, since it has no one to be compared with. Of a sweep its figures are wanted all the same.
fn members(plan: &LeaguePlan, before: &[Child<'_>], open: Option<&[usize]>) -> Vec<usize> {
    let mut members = Heard::of(plan, before).members();
    members.retain(|entry| open.is_none_or(|open| open.contains(entry)));
    let is_wanted = members.len() > 1 || (open.is_none() && !plan.knobs.is_empty());
    if is_wanted { members } else { Vec::new() }
}

/// Those whose place is not decided.
pub(super) fn open_at(plan: &LeaguePlan, children: &[Child<'_>]) -> Vec<usize> {
    let heard = Heard::of(plan, children);
    let facts = Facts::of(plan, &heard);
    let open = |field: Vec<usize>| {
        let order = facts.order(&field);
        field.into_iter().filter(move |&entry| order.is_open(entry)).collect::<Vec<_>>()
    };
    plan.fields(&heard.members()).into_iter().flat_map(open).collect()
}
