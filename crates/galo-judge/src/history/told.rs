//! Evidence: operations and people as somebody would look them up by hand.

use galo_plan::model::{CheckKind, Id};
use galo_record::Operation;

use super::view::{Made, View};
use crate::evidence::{OperationTold, Who};
use crate::step::StepName;

/// Longest words of a row that are shown.
const LONGEST_WORDS: usize = 160;

/// Which operation it was, and for a search what it asked for and how many it listed.
pub(super) fn operation(view: &View<'_>, operation: &Operation) -> OperationTold {
    let is_search = matches!(view.kind(operation), Some(CheckKind::Search { .. }));
    let words = || view.row(operation).map_or_else(String::new, |row| bounded(&view.data.words(row)));
    OperationTold {
        step: StepName::of(view.plan, usize::from(operation.step)),
        asked: is_search.then(words),
        listed: is_search.then_some(operation.found),
        user: operation.user,
        connection: operation.connection,
        due_ns: operation.intended_ns,
        sent_ns: operation.sent_ns,
        done_ns: operation.done_ns,
        status: operation.status,
    }
}

/// Who it is: the row in words, and the identity that it was given.
pub(super) fn thing(view: &View<'_>, made: &Made) -> Who {
    Who {
        row: view.row_of(made).map(|row| bounded(&view.data.words(row))),
        id: made.acknowledged.and_then(|at| view.operation(at).id).map(identity),
    }
}

/// An identity as a UUID is written.
pub(super) fn identity(Id(id): Id) -> String {
    let digits = format!("{id:032x}");
    [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join("-")
}

fn bounded(words: &str) -> String {
    match words.char_indices().nth(LONGEST_WORDS) {
        Some((end, _)) => format!("{}...", &words[..end]),
        None => words.to_owned(),
    }
}
