//! `search-misses-acknowledged` and `search-forgets`: searches that lack somebody who was there.
//!
//! **Proves**: everybody who matches a search, and who was acknowledged before it was due (read your writes) or found
//! by an answer that was done before it was due (monotonic reads), is in its list, unless the list is full. That
//! holds for creations of unknown effect too, from the moment at which somebody found them.
//! **Cannot**: say that a search shows what happens *while* it is under way; either answer is right then. A search that
//! failed, or whose list could not be read, shows nothing. How many are missing may be understated where a search
//! lacks very many ([`super::lacks`]); whether any are is exact.

use std::collections::{BTreeMap, HashMap, HashSet};

use galo_plan::model::CheckKind;

use super::lacks::{Known, Lack, undecided};
use super::view::View;
use super::{Breach, Case, EVIDENCE_MAX, Opinion, told};
use crate::evidence::{Evidence, KnownBy, Later};
use crate::findings::{SearchForgets, SearchLacks, SearchMissesAcknowledged, Unjudged};

pub(super) fn check(case: &Case<'_>) -> Opinion {
    let view = &case.view;
    let untold = |lack: &&Lack| !case.told.contains(&view.things[lack.thing as usize].key);
    let Some(lacks) = &case.lacks else { return Opinion::Unknown(Unjudged::SearchesUnsaid) };
    let lacks: Vec<Lack> = lacks.iter().filter(untold).copied().collect();
    let of = |known| lacks.iter().filter(|lack| lack.known == known).copied().collect::<Vec<_>>();
    let missed = of(Known::Acknowledged);
    let told: HashSet<u32> = missed.iter().map(|lack| lack.thing).collect();
    let forgotten = of(Known::Found).into_iter().filter(|lack| !told.contains(&lack.thing)).collect();
    let breaches: Vec<Breach> =
        [breach(view, KnownBy::Acknowledged, missed), breach(view, KnownBy::Found, forgotten)]
            .into_iter()
            .flatten()
            .collect();
    let undecided = undecided(view);
    if breaches.is_empty() && undecided > 0 {
        return Opinion::Unknown(Unjudged::ListsTooLong { searches: undecided as u64 });
    }
    Opinion::of(breaches)
}

/// What became of somebody after a search lacked them for the last time.
#[derive(Clone, Copy)]
struct After {
    /// The last search that lacks them.
    last: u32,
    /// The first answer after it that shows them.
    found: Option<u32>,
}

fn breach(view: &View<'_>, known: KnownBy, mut lacks: Vec<Lack>) -> Option<Breach> {
    if lacks.is_empty() {
        return None;
    }
    let after = afterwards(view, &lacks);
    let searches: HashSet<u32> = lacks.iter().map(|lack| lack.search).collect();
    let all =
        view.operations().filter(|(_, o)| matches!(view.kind(o), Some(CheckKind::Search { .. }))).count();
    lacks.sort_by_key(|lack| std::cmp::Reverse((age_ns(view, lack), lack.search)));
    let longest_ns = lacks.first().map_or(0, |lack| age_ns(view, lack));
    let mut shown = HashSet::new();
    let worst = lacks.iter().filter(|lack| shown.insert(lack.thing)).take(EVIDENCE_MAX);
    let evidence = worst.map(|lack| evidence(view, lack, known, after[&lack.thing])).collect();
    // In no later answer need not mean lost: nobody may have asked for them again.
    let later: Vec<u64> = after.values().filter_map(|after| later_ns(view, *after)).collect();
    let lacks = SearchLacks {
        searches: searches.len() as u64,
        of: all as u64,
        creations: after.len() as u64,
        longest_ns,
        never: (after.len() - later.len()) as u64,
        latest_ns: later.into_iter().max(),
    };
    let fact = match known {
        KnownBy::Acknowledged => SearchMissesAcknowledged(lacks).into(),
        KnownBy::Found => SearchForgets(lacks).into(),
    };
    let keys = after.keys().map(|&thing| view.things[thing as usize].key).collect();
    Some(Breach { fact, evidence, keys })
}

/// Since when it was certain that the search must list them, until it was sent.
fn age_ns(view: &View<'_>, lack: &Lack) -> u64 {
    let search = view.operation(lack.search);
    let sent_ns = search.sent_ns.unwrap_or(search.intended_ns);
    sent_ns - since(view, lack).map_or(0, |at| view.operation(at).done_ns)
}

/// The operation from which it is known that somebody is there.
fn since(view: &View<'_>, lack: &Lack) -> Option<u32> {
    let thing = &view.things[lack.thing as usize];
    match lack.known {
        Known::Acknowledged => thing.acknowledged,
        Known::Found => thing.first_seen,
        Known::Nothing => None,
    }
}

fn afterwards(view: &View<'_>, lacks: &[Lack]) -> BTreeMap<u32, After> {
    let mut last: HashMap<u32, u32> = HashMap::new();
    for lack in lacks {
        let last = last.entry(lack.thing).or_insert(lack.search);
        *last = lack.search.max(*last);
    }
    let mut after: BTreeMap<u32, After> =
        last.into_iter().map(|(thing, last)| (thing, After { last, found: None })).collect();
    for sighting in view.sightings() {
        if let Some(after) = sighting.thing.and_then(|thing| after.get_mut(&thing))
            && sighting.at > after.last
        {
            after.found.get_or_insert(sighting.at);
        }
    }
    after
}

fn later_ns(view: &View<'_>, after: After) -> Option<u64> {
    Some(view.operation(after.found?).done_ns - view.operation(after.last).intended_ns)
}

fn evidence(view: &View<'_>, lack: &Lack, known: KnownBy, after: After) -> Evidence {
    let later = after.found.zip(later_ns(view, after));
    Evidence::Lacks {
        search: told::operation(view, view.operation(lack.search)),
        who: told::thing(view, &view.things[lack.thing as usize]),
        known,
        since: since(view, lack).map(|at| told::operation(view, view.operation(at))),
        age_ns: age_ns(view, lack),
        later: later
            .map(|(at, after_ns)| Later { after_ns, answer: told::operation(view, view.operation(at)) }),
    }
}
