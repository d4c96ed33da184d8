//! What searches should perhaps have listed and did not: the raw material of the rules about searches.
//!
//! Proves nothing by itself. A search that is full (it listed as many as it must) may leave out anybody, so it lacks
//! nobody. For each other one, everybody is looked up who matches it and may exist, in the order in which they were
//! first known: by their acknowledgement, or by being found before that. Only the first `full_at` of them are asked
//! of the model, and with these no broken rule is lost: if so many were known before the search, an answer that is
//! not full lacks at least one of them; if fewer, they are all among these. What may be lost is how many it lacks.

use galo_plan::model::{CheckKind, Label, Row};
use galo_record::Operation;

use super::view::View;

/// Somebody who matches a search and is not in its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lack {
    /// The search.
    pub(super) search: u32,
    /// Who.
    pub(super) thing: u32,
    /// What was known of them when the search was due.
    pub(super) known: Known,
}

/// What was known of somebody at some time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    /// Their creation was acknowledged.
    Acknowledged,
    /// They had been found, though not acknowledged.
    Found,
    /// Nothing for certain: their creation was under way, or of unknown effect.
    Nothing,
}

/// All that searches lack, search by search. People to be refused are left out: how they are stored is not defined.
/// `None`: the model does not say whom searches must list.
pub(super) fn lacks(view: &View<'_>) -> Option<Vec<Lack>> {
    let searches: Vec<u32> = incomplete(view).collect();
    if searches.is_empty() {
        return Some(Vec::new());
    }
    let queries: Vec<Row> = searches.iter().filter_map(|&at| view.row(view.operation(at))).collect();
    let mut candidates: Vec<(u64, u32)> = (0..)
        .zip(&view.things)
        .filter(|(_, thing)| thing.may_exist && thing.label != Label::Refuse)
        .map(|(number, _)| (known_since_ns(view, number), number))
        .collect();
    candidates.sort_unstable();
    let rows: Vec<Row> =
        candidates.iter().filter_map(|&(_, thing)| view.row_of(&view.things[thing as usize])).collect();
    let most = searches.iter().filter_map(|&at| full_at(view, at)).max().unwrap_or(0);
    let listed = view.data.listed(&queries, &rows, most as usize)?;
    let mut lacks = Vec::new();
    for (&search, listed) in searches.iter().zip(listed) {
        let matching = listed.iter().filter_map(|&place| candidates.get(place as usize));
        for &(_, thing) in matching {
            lacks.extend(lack(view, search, thing));
        }
    }
    Some(lacks)
}

/// Searches of which all that they listed is known, and which were not full.
fn incomplete<'v>(view: &'v View<'_>) -> impl Iterator<Item = u32> + 'v {
    view.operations().filter_map(|(at, operation)| {
        let full_at = full_at(view, at)?;
        let is_whole = operation.found <= u32::from(operation.kept);
        (view.is_listed(operation) && is_whole && operation.found < full_at && view.row(operation).is_some())
            .then_some(at)
    })
}

/// Searches whose lists were not full, but longer than what was kept of them: who is not in them is unknown.
pub(super) fn undecided(view: &View<'_>) -> usize {
    let undecided = |(at, operation): &(u32, &Operation)| {
        view.is_listed(operation)
            && operation.found > u32::from(operation.kept)
            && full_at(view, *at).is_some_and(|full_at| operation.found < full_at)
    };
    view.operations().filter(undecided).count()
}

fn full_at(view: &View<'_>, at: u32) -> Option<u32> {
    match view.kind(view.operation(at)) {
        Some(CheckKind::Search { full_at }) => Some(full_at),
        _ => None,
    }
}

/// When somebody was first known to exist; `u64::MAX`: never.
fn known_since_ns(view: &View<'_>, thing: u32) -> u64 {
    let thing = &view.things[thing as usize];
    let done_ns = |at: Option<u32>| at.map_or(u64::MAX, |at| view.operation(at).done_ns);
    done_ns(thing.acknowledged).min(done_ns(thing.first_seen))
}

fn lack(view: &View<'_>, search: u32, thing: u32) -> Option<Lack> {
    let operation = view.operation(search);
    let made = &view.things[thing as usize];
    let before = |at: Option<u32>| at.is_some_and(|at| super::precedes(view.operation(at), operation));
    let known = if before(made.acknowledged) {
        Known::Acknowledged
    } else if before(made.first_seen) {
        Known::Found
    } else if made.begun_ns <= operation.done_ns {
        Known::Nothing
    } else {
        return None; // it was only sent later
    };
    (!view.shows(operation, thing)).then_some(Lack { search, thing, known })
}
