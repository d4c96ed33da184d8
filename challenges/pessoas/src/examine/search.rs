//! Answers to `GET /pessoas?t=<term>`.

use std::borrow::Cow;
use std::fmt;

use galo_plan::model::{Answer, Examination, Id, SEEN_MAX, Seen};
use serde::de::{IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::examine_content_type;
use crate::answer::{Answered, AnsweredStack, uuid_text};
use crate::rules::Broken;
use crate::text::{contains_ignoring_case, one_line, quoted};

/// A search that lists this many or more may have left others out.
pub(crate) const MAY_STOP_AT: usize = 50;

/// So many people of a list are examined, twenty times what an answer needs to hold; beyond them it is only held
/// against the grammar of JSON and counted. Answers are examined on the thread that sends the requests, so no answer
/// may keep it for long.
const EXAMINED: usize = 1000;

/// Examines the answer to a search for `term`, as far as that alone can be wrong. Who is missing from it is told by
/// the history.
pub(crate) fn search(term: &[u8], answer: &Answer<'_>, seen: &mut Vec<Seen>) -> Examination {
    if answer.status != 200 {
        return Examination::RIGHT
            .wrong(Broken::SearchShape, || format!("expected 200, got {}", answer.status));
    }
    let List { people, length } = match serde_json::from_slice(answer.body) {
        Ok(list) => list,
        Err(error) => {
            let difference = || format!("expected an array of people: {}", one_line(&error.to_string()));
            return Examination::RIGHT.wrong(Broken::SearchShape, difference);
        }
    };
    seen.extend(people.iter().take(SEEN_MAX).map(Answered::seen));
    let mut examination =
        Examination { found: u32::try_from(length).unwrap_or(u32::MAX), ..Examination::RIGHT };
    for (place, person) in people.iter().enumerate() {
        examination = examine_element(examination, place, person, term);
        if examination.broken.is_some() {
            return examination;
        }
    }
    if let Some(twice) = find_duplicate(&people) {
        examination =
            examination.wrong(Broken::SearchDuplicate, || format!("{} is listed twice", uuid_text(twice)));
    }
    examine_content_type(examination, answer)
}

/// A list of people as answered.
struct List<'a> {
    /// The first [`EXAMINED`] of them.
    people: Vec<Answered<'a>>,
    /// How many elements it has altogether.
    length: usize,
}

impl<'de> Deserialize<'de> for List<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(ListVisitor)
    }
}

struct ListVisitor;

impl<'de> Visitor<'de> for ListVisitor {
    type Value = List<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<List<'de>, A::Error> {
        let mut people = Vec::new();
        while people.len() < EXAMINED {
            match elements.next_element()? {
                Some(person) => people.push(person),
                None => return Ok(List { length: people.len(), people }),
            }
        }
        let mut length = people.len();
        while elements.next_element::<IgnoredAny>()?.is_some() {
            length += 1;
        }
        Ok(List { people, length })
    }
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

/// Whether the term is found where fields are joined for the search, in one of the ways that are common: apelido, nome
/// and stack in any order, with a space between them or nothing, and the stack as one text. Only asked about a person
/// in whom no field holds the term.
fn matches_across_fields(person: &Answered<'_>, term: &[u8]) -> bool {
    const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let skills: Vec<&str> = person.skills().iter().map(|skill| &*skill.0).collect();
    let (apelido, nome) = (edges(&person.apelido, term), edges(&person.nome, term));
    ["", " ", ",", ", "].into_iter().any(|joiner| {
        let stack = skills.join(joiner);
        contains_ignoring_case(&stack, term) || {
            let fields = [&*apelido, &*nome, &*edges(&stack, term)];
            let spans = |order: [usize; 3], separator: &str| {
                contains_ignoring_case(&order.map(|field| fields[field]).join(separator), term)
            };
            ORDERS.into_iter().any(|order| spans(order, "") || spans(order, " "))
        }
    })
}

/// All that matters of a text which does not hold the term itself, if the term is looked for across its ends: as many
/// characters of either end as the term can take. A line break, which no term holds, stands for what is left out.
/// That way a text of any length is joined as cheaply as a short one.
fn edges<'t>(text: &'t str, term: &[u8]) -> Cow<'t, str> {
    let most = term.len();
    let start = text.char_indices().nth(most);
    let end = text.char_indices().rev().take(most).last();
    match (start, end) {
        (Some((start, _)), Some((end, _))) if start < end => {
            Cow::Owned([&text[..start], "\n", &text[end..]].concat())
        }
        _ => Cow::Borrowed(text),
    }
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
