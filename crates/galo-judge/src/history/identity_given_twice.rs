//! `identity-given-twice`: one identity was given to several.
//!
//! **Proves**: no two acknowledged creations of different rows were given one identity, whatever a read by it shows.
//! **Cannot**: see identities of creations whose acknowledgement got lost, or named none.

use galo_plan::model::{Effect, Id};

use super::view::View;
use super::{Breach, Case, EVIDENCE_MAX, Opinion, told};
use crate::evidence::{Evidence, Given};
use crate::findings::IdentityGivenTwice;

pub(super) fn check(case: &Case<'_>) -> Opinion {
    let view = &case.view;
    let key = |thing: u32| view.things[thing as usize].key;
    // Of several rows of one key it is told already that more than one was acknowledged.
    let is_told = |(_, thing): &(Id, u32)| case.told.contains(&key(*thing));
    let shared: Vec<&[(Id, u32)]> =
        view.named().filter(|named| named.len() > 1 && !named.iter().all(is_told)).collect();
    let creations: usize = shared.iter().map(|named| named.len()).sum();
    Opinion::of((!shared.is_empty()).then(|| Breach {
        fact: IdentityGivenTwice { identities: shared.len() as u64, creations: creations as u64 }.into(),
        evidence: shared.iter().take(EVIDENCE_MAX).map(|named| evidence(view, named)).collect(),
        keys: shared.iter().copied().flatten().map(|&(_, thing)| key(thing)).collect(),
    }))
}

/// Two who were given the identity.
fn evidence(view: &View<'_>, named: &[(Id, u32)]) -> Evidence {
    let given = named.iter().take(2).filter_map(|&(id, thing)| {
        let mut creations = view.creations_of(&view.things[thing as usize]).map(|at| view.operation(at));
        let creation = creations.find(|o| o.effect == Effect::Yes && o.id == Some(id))?;
        let row = view.row(creation).map_or_else(String::new, |row| view.data.words(row));
        Some(Given { row, id: Some(told::identity(id)), creation: told::operation(view, creation) })
    });
    Evidence::Shared { creations: given.collect() }
}
