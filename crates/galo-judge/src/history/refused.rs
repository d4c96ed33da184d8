//! `refused-without-duplicate`: somebody was refused as a duplicate although nobody else can have been there.
//!
//! **Proves**: where a row that must be accepted was refused, another creation of its key was acknowledged, of unknown
//! effect or under way, and due before the refusal was done.
//! **Cannot**: judge rows that are free to be refused. A creation that was under way at the same time excuses the
//! refusal whatever became of it: a contender may hold a key until it knows. A row whose key no other row has is
//! judged by the challenge's model, on the answer alone.

use galo_plan::model::{Effect, Label};
use galo_record::{Operation, OperationResult};

use super::view::{Made, View};
use super::{Breach, Case, EVIDENCE_MAX, Opinion, told};
use crate::evidence::Evidence;
use crate::findings::RefusedWithoutDuplicate;

pub(super) fn check(case: &Case<'_>) -> Opinion {
    let view = &case.view;
    let mut refused: Vec<(u32, &Made)> = Vec::new();
    for things in view.keys() {
        let of_key = || things.iter().map(|&number| &view.things[number as usize]);
        let creations: Vec<u32> = of_key().flat_map(|thing| view.creations_of(thing)).collect();
        for thing in of_key().filter(|thing| !case.told.contains(&thing.key)) {
            let unexcused = view.creations_of(thing).filter(|&at| {
                let refusal = view.operation(at);
                let excuses = |other: &u32| *other != at && excuses(view.operation(*other), refusal);
                is_refusal_as_duplicate(refusal, thing.label) && !creations.iter().any(excuses)
            });
            refused.extend(unexcused.map(|at| (at, thing)));
        }
    }
    refused.sort_unstable_by_key(|(at, _)| *at);
    let evidence = refused.iter().take(EVIDENCE_MAX).map(|(at, thing)| evidence(view, *at, thing));
    Opinion::of((!refused.is_empty()).then(|| Breach {
        fact: RefusedWithoutDuplicate { creations: refused.len() as u64 }.into(),
        evidence: evidence.collect(),
        keys: refused.iter().map(|(_, thing)| thing.key).collect(),
    }))
}

/// Whether a row that must be accepted was refused, and the model took that for right: only a duplicate can be why.
pub(super) fn is_refusal_as_duplicate(creation: &Operation, label: Label) -> bool {
    label == Label::Accept
        && creation.effect == Effect::No
        && creation.result == OperationResult::Ok
        && (400..500).contains(&creation.status)
}

/// Whether another creation of the same key may be why one was refused.
fn excuses(other: &Operation, refusal: &Operation) -> bool {
    let may_have_happened = matches!(other.effect, Effect::Yes | Effect::Unknown);
    other.sent_ns.is_some()
        && other.intended_ns <= refusal.done_ns
        && (may_have_happened || is_under_way(other, refusal))
}

/// Whether two operations overlap.
pub(super) const fn is_under_way(one: &Operation, other: &Operation) -> bool {
    one.intended_ns <= other.done_ns && other.intended_ns <= one.done_ns
}

fn evidence(view: &View<'_>, at: u32, thing: &Made) -> Evidence {
    let refusal = view.operation(at);
    let same_key = view.things.iter().filter(|other| other.key == thing.key);
    let others = same_key.flat_map(|other| view.creations_of(other)).filter(|other| *other != at);
    let next = others
        .map(|other| view.operation(other))
        .filter(|o| o.effect != Effect::No)
        .min_by_key(|o| o.intended_ns);
    Evidence::Refused {
        who: told::thing(view, thing),
        refusal: told::operation(view, refusal),
        next: next.map(|next| told::operation(view, next)),
    }
}
