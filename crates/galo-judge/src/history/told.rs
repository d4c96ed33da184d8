//! Evidence in words: operations, times and people as somebody would look them up by hand.

use galo_plan::model::{CheckKind, Id};
use galo_record::Operation;

use super::view::{Made, View};
use crate::account::step_name;

/// Longest words of a row that are shown.
const LONGEST_WORDS: usize = 160;

/// Which operation it was, and for a search what it asked for and how many it listed.
pub(super) fn operation(view: &View<'_>, operation: &Operation) -> String {
    let step = step_name(view.plan, usize::from(operation.step));
    let sent = operation.sent_ns.map_or_else(|| "never sent".to_owned(), |ns| format!("sent {}", time(ns)));
    let status = match operation.status {
        0 => "no answer".to_owned(),
        status => format!("status {status}"),
    };
    let (asked, listed) = match view.kind(operation) {
        Some(CheckKind::Search { .. }) => {
            let words = view.row(operation).map_or_else(String::new, |row| view.data.words(row));
            (format!(" for {}", bounded(&words)), format!(", {} listed", operation.found))
        }
        _ => (String::new(), String::new()),
    };
    format!(
        "{step}{asked} by user {} (connection {}): due {}, {sent}, done {}, {status}{listed}",
        operation.user,
        operation.connection,
        time(operation.intended_ns),
        time(operation.done_ns)
    )
}

/// Who it is: the row in words, and the identity that it was given.
pub(super) fn thing(view: &View<'_>, made: &Made) -> String {
    let words = view.row_of(made).map_or_else(|| "nobody".to_owned(), |row| view.data.words(row));
    let words = bounded(&words);
    match made.acknowledged.and_then(|at| view.operation(at).id) {
        Some(id) => format!("{words} (id {})", identity(id)),
        None => words,
    }
}

/// A moment or a length of time in seconds, to the microsecond.
pub(super) fn time(ns: u64) -> String {
    format!("{:.6} s", ns as f64 / 1e9)
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
