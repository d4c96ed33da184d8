//! `search-unknown-person`: somebody was shown who was never sent, or whose fields and identity do not belong together.
//!
//! **Proves**: everybody in a list (or in a right read) has the fields of a row that was due before the answer was
//! done; has the identity that the acknowledgement of that row gave; and neither one identity has two sets of fields
//! nor one created row two identities.
//! **Cannot**: see what was beyond the first [`SEEN_MAX`] of a list. That what is shown matches the search, the
//! challenge's model judges. Rows to be refused that were acknowledged are left out: how they are stored is not
//! defined.
//!
//! [`SEEN_MAX`]: galo_plan::model::SEEN_MAX

use std::collections::{HashMap, HashSet};

use galo_plan::model::{Effect, Id, Label};

use super::view::{Made, Sighting, View};
use super::{Breach, Case, EVIDENCE_MAX, Opinion, told};
use crate::evidence::{Evidence, SeenAt, Strange};
use crate::findings::SearchUnknownPerson;

/// What is wrong with somebody who was shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wrong {
    /// No row has these fields.
    NeverSent,
    /// The row with these fields was sent later.
    SentLater,
    /// The acknowledgement of the row gave another identity.
    OtherIdentity,
    /// The identity was seen with other fields, in this operation.
    OtherFields(u32),
    /// The row was seen with another identity, in this operation.
    TwoIdentities(u32),
}

pub(super) fn check(case: &Case<'_>) -> Opinion {
    let view = &case.view;
    let mut seen = Known::default();
    let mut wrong: Vec<(Sighting, Wrong)> = Vec::new();
    let mut answers = 0_u64;
    let mut last = None;
    let told = told_identities(case);
    for sighting in view.sightings() {
        if is_told(case, &told, &sighting) {
            continue;
        }
        if let Some(why) = seen.judge(view, &sighting) {
            answers += u64::from(last.replace(sighting.at) != Some(sighting.at));
            wrong.push((sighting, why));
        }
    }
    if wrong.is_empty() {
        return Opinion::Holds;
    }
    let number = |is: fn(&Wrong) -> bool| wrong.iter().filter(|(_, why)| is(why)).count() as u64;
    let keys = wrong.iter().filter_map(|(s, _)| s.thing).map(|thing| view.things[thing as usize].key);
    Opinion::of([Breach {
        fact: SearchUnknownPerson {
            answers,
            never_sent: number(|w| *w == Wrong::NeverSent),
            sent_later: number(|w| *w == Wrong::SentLater),
            other_identity: number(|w| *w == Wrong::OtherIdentity),
            other_fields: number(|w| matches!(w, Wrong::OtherFields(_))),
            two_identities: number(|w| matches!(w, Wrong::TwoIdentities(_))),
        }
        .into(),
        keys: keys.collect(),
        evidence: wrong.iter().take(EVIDENCE_MAX).map(|(s, why)| evidence(view, s, *why)).collect(),
    }])
}

/// Whether something is told already of whose fields these are, or whose identity.
fn is_told(case: &Case<'_>, told: &HashSet<Id>, sighting: &Sighting) -> bool {
    let key = sighting.thing.map(|thing| case.view.things[thing as usize].key);
    told.contains(&sighting.seen.id) || key.is_some_and(|key| case.told.contains(&key))
}

/// Identities of those about whom something is told already.
fn told_identities(case: &Case<'_>) -> HashSet<Id> {
    let is_told = |thing: u32| case.told.contains(&case.view.things[thing as usize].key);
    let named = case.view.named().flatten().filter(|(_, thing)| is_told(*thing));
    named.map(|(id, _)| *id).collect()
}

/// Who was seen so far with which identity, as far as no acknowledgement tells.
#[derive(Default)]
struct Known {
    fields: HashMap<Id, (u64, u32)>,
    identities: HashMap<u32, (Id, u32)>,
}

impl Known {
    fn judge(&mut self, view: &View<'_>, sighting: &Sighting) -> Option<Wrong> {
        let (id, digest) = (sighting.seen.id, sighting.seen.digest);
        let of_row = sighting.thing.map(|number| &view.things[number as usize]);
        let given = view.identity(id);
        if given.is_some_and(|given| given.of_refused) {
            return None;
        }
        let Some((number, thing)) = sighting.thing.zip(of_row) else { return Some(Wrong::NeverSent) };
        if thing.begun_ns > view.operation(sighting.at).done_ns {
            return Some(Wrong::SentLater);
        }
        if view.is_named(number, id) || (thing.label == Label::Refuse && thing.acknowledged.is_some()) {
            return None;
        }
        if given.is_some() || has_known_identities(view, thing) {
            return Some(Wrong::OtherIdentity);
        }
        let (fields, before) = *self.fields.entry(id).or_insert((digest, sighting.at));
        if fields != digest {
            return Some(Wrong::OtherFields(before));
        }
        let (identity, before) = *self.identities.entry(number).or_insert((id, sighting.at));
        (identity != id).then_some(Wrong::TwoIdentities(before))
    }
}

/// Whether a thing was acknowledged, and all identities that it can have are known by that.
fn has_known_identities(view: &View<'_>, thing: &Made) -> bool {
    let mut creations = view.creations_of(thing).map(|at| view.operation(at));
    thing.acknowledged.is_some()
        && creations.all(|o| match o.effect {
            Effect::Yes => o.id.is_some(),
            Effect::Unknown => false,
            Effect::No | Effect::None => true,
        })
}

fn evidence(view: &View<'_>, sighting: &Sighting, why: Wrong) -> Evidence {
    let thing = sighting.thing.map(|thing| &view.things[thing as usize]);
    let operation = |at: u32| told::operation(view, view.operation(at));
    Evidence::Showed {
        answer: operation(sighting.at),
        id: told::identity(sighting.seen.id),
        who: match thing {
            Some(thing) => SeenAt::Of(told::thing(view, thing)),
            None => SeenAt::Unknown { digest: format!("{:016x}", sighting.seen.digest) },
        },
        why: match why {
            Wrong::NeverSent => Strange::NeverSent,
            Wrong::SentLater => {
                Strange::SentLater { sent_ns: thing.map(|thing| thing.begun_ns).filter(|ns| *ns < u64::MAX) }
            }
            Wrong::OtherIdentity => {
                Strange::OtherIdentity { creation: thing.and_then(|thing| thing.acknowledged).map(operation) }
            }
            Wrong::OtherFields(before) => Strange::OtherFields { before: operation(before) },
            Wrong::TwoIdentities(before) => Strange::TwoIdentities { before: operation(before) },
        },
    }
}
