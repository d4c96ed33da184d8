//! `refused-but-kept` and `failed-but-kept`: a creation was refused, or failed by its own status, and left its row.
//!
//! **Proves**: nobody is ever shown all of whose creations were refused (300 to 499) or answered with a 5xx other than
//! 502 and 504, whose effect is unknown.
//! **Cannot**: find a row that no search of the round matches, or whose fields were changed while it was stored (then
//! `search-unknown-person` tells it); the count at rest tells how many there are.

use galo_plan::model::Effect;
use galo_record::Operation;

use super::view::{Made, View};
use super::{Breach, Case, EVIDENCE_MAX, Opinion, told};
use crate::words::grouped;

pub(super) fn check(case: &Case<'_>) -> Opinion {
    let view = &case.view;
    let kept: Vec<(&Made, u32, &Operation)> = view
        .things
        .iter()
        .filter(|thing| !thing.may_exist && !case.told.contains(&thing.key))
        .filter_map(|thing| Some((thing, thing.first_seen?, answered(view, thing)?)))
        .collect();
    let (refused, failed): (Vec<_>, Vec<_>) = kept.into_iter().partition(|(_, _, o)| o.status < 500);
    Opinion::of(
        [
            breach(view, "refused-but-kept", "refused", refused),
            breach(view, "failed-but-kept", "answered with a 5xx", failed),
        ]
        .into_iter()
        .flatten(),
    )
}

/// The answer that denied a thing: a refusal, else a failure.
fn answered<'a>(view: &View<'a>, thing: &Made) -> Option<&'a Operation> {
    let answers = view.creations_of(thing).map(|at| view.operation(at));
    answers
        .filter(|o| o.effect == Effect::No && o.sent_ns.is_some() && o.status >= 300)
        .min_by_key(|o| o.status)
}

fn breach(
    view: &View<'_>,
    rule: &'static str,
    what: &str,
    mut kept: Vec<(&Made, u32, &Operation)>,
) -> Option<Breach> {
    kept.sort_unstable_by_key(|(_, seen, _)| *seen);
    let evidence = kept.iter().take(EVIDENCE_MAX).map(|(thing, seen, creation)| {
        let seen = view.operation(*seen);
        format!(
            "{}\nfound {}\nwhose creation was {what}: {}",
            told::operation(view, seen),
            told::thing(view, thing),
            told::operation(view, creation)
        )
    });
    (!kept.is_empty()).then(|| Breach {
        rule,
        fact: match kept.len() {
            1 => format!("1 creation that was {what} left a row that was found"),
            many => format!("{} creations that were {what} left rows that were found", grouped(many as u64)),
        },
        evidence: evidence.collect(),
        keys: kept.iter().map(|(thing, ..)| thing.key).collect(),
    })
}
