//! `not-linearizable`: for one key, no order of all operations explains all answers.
//!
//! **Proves**: for every key with several creations about which no other rule has told something, its creations, the
//! refusals of duplicates, and what searches and reads showed or lacked, are linearizable as a set to which things are
//! added ([`crate::linearizable`]).
//! **Cannot**: judge a key beyond the bounds of that search (said as unknown). Refusals that overlap a creation which
//! was denied as well are left out ([`super::refused`] says why). Of a key with a single creation there is nothing
//! left to say: absent, then there, is all that can happen to it, and the rules about searches and reads are exactly
//! what that allows.
//!
//! Nothing is ever removed, so few operations of a key matter: of the answers that show a thing, the first; of those
//! that lack it, the one that was due last; of the refusals of duplicates, the first. What they allow, the others
//! allow too: a thing that was there at one moment is there at every later one.

use galo_plan::model::Effect;

use super::lacks::Lack;
use super::refused::{is_refusal_as_duplicate, is_under_way};
use super::view::View;
use super::{Breach, Case, EVIDENCE_MAX, Opinion, told};
use crate::evidence::{Evidence, KeyEvent};
use crate::findings::{NotLinearizable, Unjudged};
use crate::linearizable::{self, Call, Element, ElementOperation, Linearizability};

/// Operations in one piece of evidence.
const EVENTS_MAX: usize = 6;

/// An operation of a key, and what it says about it.
type KeyOperation = (u32, ElementOperation);

pub(super) fn check(case: &Case<'_>) -> Opinion {
    let view = &case.view;
    let last_lacks = last_lacks(case);
    let (mut broken, mut unknown, mut evidence) = (Vec::new(), 0_u64, Vec::new());
    for things in view.keys() {
        let key = view.things[things[0] as usize].key;
        let creations = things.iter().map(|&thing| view.creations_of(&view.things[thing as usize]).count());
        if creations.sum::<usize>() < 2 || case.told.contains(&key) {
            continue;
        }
        let operations = operations(view, things, &last_lacks);
        match linearizable::judge(&Element, &calls(view, &operations)) {
            Linearizability::Holds => {}
            Linearizability::Unknown => unknown += 1,
            Linearizability::Broken => {
                broken.push(key);
                if evidence.len() < EVIDENCE_MAX {
                    evidence.push(evidence_of(view, &operations));
                }
            }
        }
    }
    if broken.is_empty() && unknown > 0 {
        return Opinion::Unknown(Unjudged::TooConcurrent { keys: unknown });
    }
    if broken.is_empty() && case.lacks.is_none() {
        return Opinion::Unknown(Unjudged::SearchesUnsaid);
    }
    Opinion::of((!broken.is_empty()).then_some(Breach {
        fact: NotLinearizable { keys: broken.len() as u64 }.into(),
        evidence,
        keys: broken,
    }))
}

/// By thing, the search that was due last of those that lack it; sorted by thing.
fn last_lacks(case: &Case<'_>) -> Vec<(u32, u32)> {
    let mut lacks: Vec<&Lack> = case.lacks.iter().flatten().collect();
    lacks.sort_unstable_by_key(|lack| (lack.thing, case.view.operation(lack.search).intended_ns));
    lacks
        .chunk_by(|a, b| a.thing == b.thing)
        .filter_map(|of_thing| of_thing.last())
        .map(|l| (l.thing, l.search))
        .collect()
}

fn operations(view: &View<'_>, things: &[u32], last_lacks: &[(u32, u32)]) -> Vec<KeyOperation> {
    let mut told = Vec::new();
    let mut refusals = Vec::new();
    let mut denied = Vec::new();
    for &number in things {
        let thing = &view.things[number as usize];
        for at in view.creations_of(thing).filter(|&at| view.operation(at).sent_ns.is_some()) {
            match view.operation(at).effect {
                Effect::Yes => told.push((at, ElementOperation::Inserted(number))),
                Effect::Unknown => {
                    told.push((at, ElementOperation::MayBeInserted(number)));
                    // An answer that says nothing of what was done may have ended what held the key.
                    denied.extend((view.operation(at).status >= 400).then_some(at));
                }
                Effect::No | Effect::None => denied.push(at),
            }
            if is_refusal_as_duplicate(view.operation(at), thing.label) {
                refusals.push(at);
            }
        }
        told.extend(thing.first_seen.map(|at| (at, ElementOperation::Found(number))));
        if let Ok(place) = last_lacks.binary_search_by_key(&number, |(thing, _)| *thing) {
            told.push((last_lacks[place].1, ElementOperation::Lacking(number)));
        }
    }
    let is_alone = |at: &u32| {
        let refusal = view.operation(*at);
        !denied.iter().any(|other| other != at && is_under_way(view.operation(*other), refusal))
    };
    told.extend(refusals.into_iter().filter(is_alone).min().map(|at| (at, ElementOperation::Refused)));
    told
}

fn calls(view: &View<'_>, operations: &[KeyOperation]) -> Vec<Call<ElementOperation>> {
    let call = |&(at, operation): &KeyOperation| {
        let recorded = view.operation(at);
        let is_unknown = matches!(operation, ElementOperation::MayBeInserted(_));
        let returned_ns = (!is_unknown).then_some(recorded.done_ns);
        Call { operation, called_ns: recorded.intended_ns, returned_ns }
    };
    operations.iter().map(call).collect()
}

fn evidence_of(view: &View<'_>, operations: &[KeyOperation]) -> Evidence {
    let mut operations: Vec<&KeyOperation> = operations.iter().collect();
    operations.sort_by_key(|(at, _)| *at);
    let event = |&&(at, told): &&KeyOperation| {
        let operation = told::operation(view, view.operation(at));
        let who = |number: u32| told::thing(view, &view.things[number as usize]);
        match told {
            ElementOperation::Inserted(number) => KeyEvent::Acknowledged { who: who(number), operation },
            ElementOperation::MayBeInserted(number) => KeyEvent::LeftOpen { who: who(number), operation },
            ElementOperation::Refused => KeyEvent::Refused { operation },
            ElementOperation::Found(number) => KeyEvent::Found { who: who(number), operation },
            ElementOperation::Lacking(number) => KeyEvent::Lacks { who: who(number), operation },
        }
    };
    Evidence::Key {
        events: operations.iter().take(EVENTS_MAX).map(event).collect(),
        more: operations.len().saturating_sub(EVENTS_MAX) as u64,
    }
}
