//! Answers to `GET /pessoas?t=<term>`.

use galo_plan::model::{Answer, Examination, Id};

use super::{Findings, examine_content_type};
use crate::answer::{Answered, AnsweredStack, uuid_text};
use crate::rules::Broken;
use crate::text::{contains_ignoring_case, one_line, quoted};

/// A search that lists this many or more may have left others out.
const MAY_STOP_AT: usize = 50;

/// Examines the answer to a search for `term`, which must find `expected` unless it may have stopped before.
pub(crate) fn search(term: &[u8], expected: Option<Id>, answer: &Answer<'_>) -> Examination {
    if answer.status != 200 {
        return Examination::RIGHT
            .wrong(Broken::SearchShape, || format!("expected 200, got {}", answer.status));
    }
    let people: Vec<Answered<'_>> = match serde_json::from_slice(answer.body) {
        Ok(people) => people,
        Err(error) => {
            let difference = || format!("expected an array of people: {}", one_line(&error.to_string()));
            return Examination::RIGHT.wrong(Broken::SearchShape, difference);
        }
    };
    let mut examination =
        Examination { found: u32::try_from(people.len()).unwrap_or(u32::MAX), ..Examination::RIGHT };
    for (place, person) in people.iter().enumerate() {
        examination = examine_element(examination, place, person, term);
    }
    if let Some(twice) = find_duplicate(&people) {
        examination =
            examination.wrong(Broken::SearchDuplicate, || format!("{} is listed twice", uuid_text(twice)));
    }
    if let Some(expected) = expected
        && people.len() < MAY_STOP_AT
        && !people.iter().any(|person| person.id == expected)
    {
        examination = examination.wrong(Broken::SearchMissesAcknowledged, || {
            let term = String::from_utf8_lossy(term);
            format!(
                "expected {} for term {}, got {} others",
                uuid_text(expected),
                quoted(&term),
                people.len()
            )
        });
    }
    examine_content_type(examination, answer)
}

/// Examines one person of the list.
fn examine_element(found: Examination, place: usize, person: &Answered<'_>, term: &[u8]) -> Examination {
    if !is_date_shaped(&person.nascimento) {
        return found.wrong(Broken::SearchShape, || {
            format!("expected [{place}].nascimento as AAAA-MM-DD, got {}", quoted(&person.nascimento))
        });
    }
    if !matches(person, term) {
        let id = uuid_text(person.id);
        let shown = || format!("{id} has the term {} in no field", quoted(&String::from_utf8_lossy(term)));
        return if matches_across_fields(person, term) {
            found.advise(Broken::SearchAcrossFields, || shown() + ", only across two")
        } else {
            found.wrong(Broken::SearchPhantom, shown)
        };
    }
    if person.stack == AnsweredStack::Missing {
        return found.advise(Broken::NullStackKept, || format!("expected [{place}].stack, got none"));
    }
    found
}

fn matches(person: &Answered<'_>, term: &[u8]) -> bool {
    contains_ignoring_case(&person.apelido, term)
        || contains_ignoring_case(&person.nome, term)
        || person.skills().iter().any(|skill| contains_ignoring_case(&skill.0, term))
}

/// Whether the term is found where fields are joined for the search, in one of the ways that are common. Only asked
/// about a person whom the search should not have found, so it may be slow.
fn matches_across_fields(person: &Answered<'_>, term: &[u8]) -> bool {
    let (apelido, nome) = (&*person.apelido, &*person.nome);
    let skills = person.skills().iter().map(|skill| &*skill.0);
    [[apelido, nome], [nome, apelido]].into_iter().any(|names| {
        let fields: Vec<&str> = names.into_iter().chain(skills.clone()).collect();
        ["", " "].into_iter().any(|separator| contains_ignoring_case(&fields.join(separator), term))
    })
}

/// Whether text has the shape `AAAA-MM-DD`. Which date it is, reads compare.
fn is_date_shaped(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 10
        && bytes.iter().enumerate().all(|(place, b)| match place {
            4 | 7 => *b == b'-',
            _ => b.is_ascii_digit(),
        })
}

fn find_duplicate(people: &[Answered<'_>]) -> Option<Id> {
    let mut ids: Vec<Id> = people.iter().map(|person| person.id).collect();
    ids.sort_unstable();
    ids.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}
