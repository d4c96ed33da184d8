//! `read-misses-acknowledged`: somebody who was created is not there when read by identity.
//!
//! **Proves**: no read by the identity that an acknowledgement gave was answered with a status that denies the thing
//! (4xx, except 408 and 429, which speak of haste), if it was due after the acknowledgement.
//! **Cannot**: say anything of reads that failed or timed out. What a read showed, and whether that is what was
//! created, the challenge's model judges as the answer arrives.

use galo_plan::model::CheckKind;
use galo_plan::rules::UNEXPECTED_STATUS;
use galo_record::Operation;

use super::view::View;
use super::{Breach, Case, EVIDENCE_MAX, Opinion, told};
use crate::evidence::{Evidence, Given};
use crate::findings::ReadMissesAcknowledged;

pub(super) fn check(case: &Case<'_>) -> Opinion {
    let view = &case.view;
    let missing: Vec<u32> = missing(view).collect();
    if missing.is_empty() {
        return Opinion::Holds;
    }
    let reads = view.operations().filter(|(_, o)| view.kind(o) == Some(CheckKind::Read)).count();
    let longest_ns = missing.iter().map(|&at| age_ns(view, view.operation(at))).max().unwrap_or(0);
    let keys = missing.iter().flat_map(|&at| created(view, view.operation(at))).map(|(_, key)| key).collect();
    Opinion::of([Breach {
        fact: ReadMissesAcknowledged { missed: missing.len() as u64, reads: reads as u64, longest_ns }.into(),
        evidence: missing.iter().take(EVIDENCE_MAX).map(|&at| evidence(view, view.operation(at))).collect(),
        keys,
    }])
}

/// The reads that denied what was acknowledged before. They have an unexpected status; this says what it means.
pub(super) fn missing<'v>(view: &'v View<'_>) -> impl Iterator<Item = u32> + 'v {
    let denied = |o: &Operation| {
        let status = (400..500).contains(&o.status) && ![408, 429].contains(&o.status);
        view.kind(o) == Some(CheckKind::Read) && o.broken == Some(UNEXPECTED_STATUS) && status
    };
    view.operations().filter(move |(_, o)| denied(o) && created(view, o).is_some()).map(|(at, _)| at)
}

/// The acknowledgement before a read that gave the identity which it asks for, and the key of what was created. If any
/// was before it, the first one was.
fn created(view: &View<'_>, read: &Operation) -> Option<(u32, u64)> {
    let given = view.identity(read.id?)?;
    super::precedes(view.operation(given.first), read)
        .then(|| (given.first, view.things[given.thing as usize].key))
}

fn age_ns(view: &View<'_>, read: &Operation) -> u64 {
    created(view, read)
        .map_or(0, |(at, _)| read.sent_ns.unwrap_or(read.intended_ns) - view.operation(at).done_ns)
}

fn evidence(view: &View<'_>, read: &Operation) -> Evidence {
    let given = |(at, _): (u32, u64)| {
        let creation = view.operation(at);
        let row = view.row(creation).map_or_else(String::new, |row| view.data.words(row));
        Given { row, id: None, creation: told::operation(view, creation) }
    };
    Evidence::NotFound {
        id: read.id.map(told::identity),
        read: told::operation(view, read),
        acknowledged: created(view, read).map(given),
    }
}
