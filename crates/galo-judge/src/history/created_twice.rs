//! `created-twice`: what may be there only once was acknowledged twice.
//!
//! **Proves**: of the creations of one key, whether one after the other or at once, no two were acknowledged.
//! **Cannot**: see a second creation whose answer got lost, or that was stored without an acknowledgement; those the
//! count at rest tells.

use galo_plan::model::Effect;

use super::{Breach, Case, EVIDENCE_MAX, Opinion, told};
use crate::evidence::{Evidence, Given};
use crate::findings::CreatedTwice;

pub(super) fn check(case: &Case<'_>) -> Opinion {
    let view = &case.view;
    let (mut keys, mut extra, mut evidence) = (Vec::new(), 0, Vec::new());
    for things in view.keys() {
        let of_key = things.iter().map(|&number| &view.things[number as usize]);
        let mut acknowledged: Vec<_> = of_key
            .flat_map(|thing| view.creations_of(thing).map(move |at| (at, thing)))
            .filter(|(at, _)| view.operation(*at).effect == Effect::Yes)
            .collect();
        if acknowledged.len() < 2 {
            continue;
        }
        acknowledged.sort_unstable_by_key(|(at, _)| *at);
        keys.push(acknowledged[0].1.key);
        extra += acknowledged.len() as u64 - 1;
        if evidence.len() < EVIDENCE_MAX {
            let both = acknowledged.iter().take(2).map(|(at, thing)| Given {
                row: view.row_of(thing).map_or_else(String::new, |row| view.data.words(row)),
                id: view.operation(*at).id.map(told::identity),
                creation: told::operation(view, view.operation(*at)),
            });
            evidence.push(Evidence::Acknowledged { creations: both.collect() });
        }
    }
    Opinion::of((!keys.is_empty()).then_some(Breach {
        fact: CreatedTwice { keys: keys.len() as u64, extra }.into(),
        evidence,
        keys,
    }))
}
