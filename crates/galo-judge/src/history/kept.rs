//! `refused-but-kept` and `failed-but-kept`: a creation was refused, or failed by its own status, and left its row.
//!
//! **Proves**: nobody is ever shown all of whose creations were refused (300 to 499, but 408 and 429); and that somebody is shown all of
//! whose creations were answered with a 5xx by the contender itself (all but 502 and 504). What a 5xx did nobody knows, so that is told and
//! not held against anybody.
//! **Cannot**: find a row that no search of the round matches, or whose fields were changed while it was stored (then
//! `search-unknown-person` tells it); the count at rest tells how many there are.

use galo_plan::model::Effect;
use galo_record::Operation;

use super::view::{Made, View};
use super::{Breach, Case, EVIDENCE_MAX, Opinion, told};
use crate::evidence::{Denied, Evidence};
use crate::findings::{FailedButKept, RefusedButKept};

pub(super) fn check(case: &Case<'_>) -> Opinion {
    let view = &case.view;
    let kept: Vec<(&Made, u32, &Operation)> = view
        .things
        .iter()
        .filter(|thing| !case.told.contains(&thing.key))
        .filter_map(|thing| Some((thing, thing.first_seen?, answered(view, thing)?)))
        .collect();
    let (refused, failed): (Vec<_>, Vec<_>) = kept.into_iter().partition(|(_, _, o)| o.status < 500);
    Opinion::of(
        [breach(view, Denied::Refused, refused), breach(view, Denied::Failed, failed)].into_iter().flatten(),
    )
}

/// The answer that denied a thing: a refusal, else a failure; `None` where one of its creations may have had another end.
fn answered<'a>(view: &View<'a>, thing: &Made) -> Option<&'a Operation> {
    let denies = |o: &&Operation| {
        let refuses = o.effect == Effect::No && o.status >= 300;
        let fails = o.effect == Effect::Unknown && o.status >= 500 && !matches!(o.status, 502 | 504);
        o.sent_ns.is_some() && (refuses || fails)
    };
    let answers = || view.creations_of(thing).map(|at| view.operation(at)).filter(|o| o.sent_ns.is_some());
    let all = answers().all(|o| denies(&o));
    all.then(|| answers().min_by_key(|o| o.status)).flatten()
}

fn breach(view: &View<'_>, denied: Denied, mut kept: Vec<(&Made, u32, &Operation)>) -> Option<Breach> {
    kept.sort_unstable_by_key(|(_, seen, _)| *seen);
    let evidence = kept.iter().take(EVIDENCE_MAX).map(|(thing, seen, creation)| Evidence::Kept {
        found: told::operation(view, view.operation(*seen)),
        who: told::thing(view, thing),
        denied,
        creation: told::operation(view, creation),
    });
    let creations = kept.len() as u64;
    (creations > 0).then(|| Breach {
        fact: match denied {
            Denied::Refused => RefusedButKept { creations }.into(),
            Denied::Failed => FailedButKept { creations }.into(),
        },
        evidence: evidence.collect(),
        keys: kept.iter().map(|(thing, ..)| thing.key).collect(),
    })
}
