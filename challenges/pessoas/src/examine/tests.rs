//! Handwritten answers to rows that are looked for by what they are: one for each rule, and the right ones beside it.

mod creations;
mod reads;
mod searches;

use galo_plan::Severity;
use galo_plan::model::{Effect, Id, Label, SEEN_MAX, Seen};
use proptest::prelude::*;

use super::*;
use crate::census::Rivals;
use crate::person::{Odd, Person, Stack};
use crate::probe::Probe;
use crate::rules::RULES;

const ID: Id = Id(0x6ba7_b810_9dad_11d1_80b4_00c0_4fd4_30c8);
const UUID: &str = "6ba7b810-9dad-11d1-80b4-00c04fd430c8";
const OTHER_UUID: &str = "00000000-0000-4000-8000-000000000000";
const LOCATION: &str = "/pessoas/6ba7b810-9dad-11d1-80b4-00c04fd430c8";

fn first(wanted: impl Fn(&Person) -> bool) -> Person {
    (0..100_000).map(|row| Person::of_row(crate::draw::Key::numbered(1), row)).find(wanted).unwrap()
}

fn labelled(label: Label) -> Person {
    first(|person| person.label() == label && person.stack.skills().is_some_and(|skills| skills.len() > 2))
}

fn json_answer(body: &str) -> Answer<'_> {
    Answer {
        status: 200,
        location: None,
        content_type: Some(b"application/json"),
        head: b"",
        body: body.as_bytes(),
    }
}

fn create_answer(status: u16, location: Option<&str>) -> Answer<'_> {
    Answer { status, location: location.map(str::as_bytes), content_type: None, head: b"", body: b"" }
}

/// What a correct contender answers to a read.
fn stored(person: &Person, id: &str) -> serde_json::Value {
    let mut body = Vec::new();
    person.write_body(&mut body);
    let mut value: serde_json::Value = serde_json::from_slice(&body).unwrap();
    value["id"] = id.into();
    value
}

/// The name of the broken rule, its kind and the difference; `ok` for a right answer.
#[track_caller]
fn told(examination: &Examination) -> String {
    let (rule, severity) = match (examination.broken, examination.advice) {
        (None, None) => {
            assert_eq!(examination.difference, None);
            return "ok".to_owned();
        }
        (Some(rule), None) => (&RULES[rule], Severity::Must),
        (None, Some(rule)) => (&RULES[rule], Severity::Should),
        (Some(_), Some(_)) => panic!("an answer is wrong or right with advice"),
    };
    assert_eq!(rule.severity, severity, "{}", rule.name);
    let difference = examination.difference.as_ref().unwrap();
    assert!(!difference.contains('\n') && difference.len() < 1500, "{difference}");
    format!("{}: {difference}", rule.name)
}

proptest! {
    #[test]
    fn no_person_survives_a_cut_or_a_changed_letter(row in 0u64..5000, at: prop::sample::Index, letter in b'a'..=b'z') {
        let person = Person::of_row(crate::draw::Key::numbered(8), row);
        // With a stack of null the key `stack` may be left out, so a letter of it does not matter.
        prop_assume!(person.label() == Label::Accept && person.stack.skills().is_some());
        let body = stored(&person, UUID).to_string();
        let at = at.index(body.len());
        let cut = read(Some(&person), Some(ID), &json_answer(&body[..at]), &mut Vec::new());
        prop_assert!(cut.broken.is_some());
        let mut changed = body.into_bytes();
        prop_assume!(changed[at] != letter);
        changed[at] = letter;
        let changed = String::from_utf8(changed).unwrap();
        let examined = read(Some(&person), Some(ID), &json_answer(&changed), &mut Vec::new());
        prop_assert!(examined.broken.is_some(), "{}", changed);
    }
}
