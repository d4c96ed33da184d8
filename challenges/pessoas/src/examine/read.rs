//! Answers to `GET /pessoas/<id>` for somebody whose creation was acknowledged.

use galo_plan::model::{Answer, Examination, Id, Seen};

use super::examine_content_type;
use crate::answer::{Answered, AnsweredStack, uuid_text};
use crate::person::{Nascimento, Person, Stack, date_by_meaning, date_text, parse_date};
use crate::rules::Broken;
use crate::text::{one_line, quoted};
use galo_plan::model::Label;

/// Examines the answer to a read of `person`, if known, who was given the identity `created`.
///
/// Of a person who should have been refused only form and identity are examined: how an invalid row is stored is not
/// defined, and accepting it was the mistake.
pub(crate) fn read(
    person: Option<&Person>,
    created: Option<Id>,
    answer: &Answer<'_>,
    seen: &mut Vec<Seen>,
) -> Examination {
    let examination = Examination::RIGHT;
    if answer.status != 200 {
        return examination.wrong(Broken::ReadShape, || format!("expected 200, got {}", answer.status));
    }
    let answered: Answered<'_> = match serde_json::from_slice(answer.body) {
        Ok(answered) => answered,
        Err(error) => {
            return examination
                .wrong(Broken::ReadShape, || format!("expected a person: {}", one_line(&error.to_string())));
        }
    };
    seen.push(answered.seen());
    let person = person.filter(|person| person.label() != Label::Refuse);
    let same_id = created.is_none_or(|created| created == answered.id);
    if !same_id || !person.is_none_or(|person| is_same(person, &answered)) {
        return examination.wrong(Broken::ReadDiffers, || differences(person, created, &answered));
    }
    let examination = match (person.map(|person| &person.stack), &answered.stack) {
        (Some(Stack::Null), AnsweredStack::List(_)) => {
            examination.advise(Broken::NullStackKept, || "expected stack null, got []".to_owned())
        }
        (Some(_), AnsweredStack::Missing) => {
            examination.advise(Broken::NullStackKept, || "expected stack null, got no stack".to_owned())
        }
        _ => examination,
    };
    examine_content_type(examination, answer)
}

fn is_same(person: &Person, answered: &Answered<'_>) -> bool {
    answered.apelido.as_bytes() == person.apelido.as_bytes()
        && answered.nome.as_bytes() == person.nome.as_bytes()
        && is_same_date(person, &answered.nascimento)
        && is_same_stack(&person.stack, answered)
}

/// 29 February of a common year, where it is accepted, may also have become the day before or after it: some clamp it
/// to the month, others go on counting.
fn is_same_date(person: &Person, answered: &str) -> bool {
    let Nascimento::Date(year, month, day) = person.nascimento else { return false };
    answered.as_bytes() == date_text(year, month, day)
        || (person.label() == Label::Free
            && parse_date(answered)
                .is_some_and(|(y, m, d)| date_by_meaning(y, m, d) == date_by_meaning(year, month, day)))
}

/// Null may come back as null, as `[]` or not at all: which one is only advised.
fn is_same_stack(sent: &Stack, answered: &Answered<'_>) -> bool {
    match (sent, &answered.stack) {
        (Stack::Null, AnsweredStack::List(list)) => list.is_empty(),
        (Stack::Null, AnsweredStack::Null | AnsweredStack::Missing) => true,
        (_, AnsweredStack::List(list)) => {
            sent.skills().is_some_and(|skills| skills.eq(list.iter().map(|skill| &*skill.0)))
        }
        _ => false,
    }
}

/// All that differs, in one line.
fn differences(person: Option<&Person>, created: Option<Id>, answered: &Answered<'_>) -> String {
    let mut found = Vec::new();
    if let Some(created) = created.filter(|created| *created != answered.id) {
        found.push(format!("expected id {}, got {}", uuid_text(created), uuid_text(answered.id)));
    }
    let Some(person) = person else { return found.join("; ") };
    let mut compare = |field: &str, sent: &[u8], got: &str, same: bool| {
        if !same {
            let sent = String::from_utf8_lossy(sent);
            found.push(format!("expected {field} {}, got {}", quoted(&sent), quoted(got)));
        }
    };
    let (apelido, nome) = (person.apelido.as_bytes(), person.nome.as_bytes());
    compare("apelido", apelido, &answered.apelido, answered.apelido.as_bytes() == apelido);
    compare("nome", nome, &answered.nome, answered.nome.as_bytes() == nome);
    if let Nascimento::Date(year, month, day) = person.nascimento {
        let same = is_same_date(person, &answered.nascimento);
        compare("nascimento", &date_text(year, month, day), &answered.nascimento, same);
    }
    if !is_same_stack(&person.stack, answered) {
        found.push(stack_difference(&person.stack, answered));
    }
    found.join("; ")
}

/// How two stacks differ: by form, by the first element that is not the same, or by length.
fn stack_difference(sent: &Stack, answered: &Answered<'_>) -> String {
    let got = answered.skills();
    match (sent.skills(), &answered.stack) {
        (None, _) => format!("expected stack null, got {} elements", got.len()),
        (Some(sent), AnsweredStack::Null) => format!("expected stack of {} elements, got null", sent.len()),
        (Some(sent), AnsweredStack::Missing) => {
            format!("expected stack of {} elements, got none", sent.len())
        }
        (Some(sent), AnsweredStack::List(_)) => {
            let (expected, count) = (sent.len(), got.len());
            match sent.zip(got).enumerate().find(|(_, (sent, got))| *sent != got.0) {
                Some((place, (sent, got))) => {
                    format!("expected stack[{place}] {}, got {}", quoted(sent), quoted(&got.0))
                }
                None => format!("expected stack of {expected} elements, got {count}"),
            }
        }
    }
}
