//! What of a person searches look into.

use crate::person::Person;
use crate::store::text::{FIELD_END, lower};

/// The lower-cased fields that searches look into.
pub(super) fn haystack(person: &Person) -> Vec<u8> {
    let mut out = Vec::with_capacity(256);
    for field in fields(person) {
        out.extend_from_slice(lower(field).as_bytes());
        out.push(FIELD_END);
    }
    out
}

/// The same fields for the index. What it finds too much (a trigram across two fields) the haystack refuses.
pub(super) fn index_text(person: &Person) -> String {
    let mut out = String::with_capacity(256);
    for field in fields(person) {
        out.push_str(&indexable(&lower(field)));
        out.push('\n');
    }
    out
}

/// Fields that searches look into, an element of `stack` once however often it is there.
fn fields(person: &Person) -> impl Iterator<Item = &str> {
    let stack = person.stack.as_deref().unwrap_or_default();
    let distinct = stack.iter().enumerate().filter(|(at, entry)| !stack[..*at].contains(entry));
    [&person.apelido, &person.nome].into_iter().chain(distinct.map(|(_, entry)| entry)).map(String::as_str)
}

/// The index's tokenizer stops at NUL, so there NUL is a space. The haystack keeps it, so nothing is
/// mistaken.
pub(super) fn indexable(text: &str) -> String {
    text.replace('\0', " ")
}
