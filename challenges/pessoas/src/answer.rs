//! What an answer must look like, read without copying where the text has no escapes.

use std::borrow::Cow;

use galo_plan::model::{Id, Seen};
use serde::{Deserialize, Deserializer};

use crate::digest;
use crate::person::{date_by_meaning, parse_date};

/// A person as answered. Keys that galo does not know are allowed.
#[derive(Deserialize)]
#[serde(expecting = "a person (a JSON object)")]
pub(crate) struct Answered<'a> {
    #[serde(deserialize_with = "uuid")]
    pub(crate) id: Id,
    #[serde(borrow)]
    pub(crate) apelido: Cow<'a, str>,
    #[serde(borrow)]
    pub(crate) nome: Cow<'a, str>,
    #[serde(borrow)]
    pub(crate) nascimento: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(crate) stack: AnsweredStack<'a>,
}

/// A stack as answered.
#[derive(Default, PartialEq)]
pub(crate) enum AnsweredStack<'a> {
    /// The key is left out.
    #[default]
    Missing,
    /// `null`.
    Null,
    /// An array of texts.
    List(Vec<Skill<'a>>),
}

/// One element of a stack. A type of its own, because serde borrows a `Cow` only where it is a field itself.
#[derive(Deserialize, PartialEq)]
#[serde(transparent)]
pub(crate) struct Skill<'a>(#[serde(borrow)] pub(crate) Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for AnsweredStack<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::deserialize(deserializer)?.map_or(Self::Null, Self::List))
    }
}

impl Answered<'_> {
    /// Who it is and what it looks like, by meaning.
    pub(crate) fn seen(&self) -> Seen {
        let date = parse_date(&self.nascimento).map(|(year, month, day)| date_by_meaning(year, month, day));
        let nascimento = date.as_ref().map_or(self.nascimento.as_bytes(), |text| text.as_slice());
        let skills = self.skills().iter().map(|skill| &*skill.0);
        let digest = digest::person(self.apelido.as_bytes(), self.nome.as_bytes(), nascimento, skills);
        Seen { id: self.id, digest }
    }

    /// The elements of its stack; none where it has no list.
    pub(crate) fn skills(&self) -> &[Skill<'_>] {
        match &self.stack {
            AnsweredStack::List(list) => list,
            AnsweredStack::Missing | AnsweredStack::Null => &[],
        }
    }
}

/// The identity in a UUID's text, in the form of RFC 9562: 32 hexadecimal digits in five groups, in any letter case.
pub(crate) fn parse_uuid(text: &[u8]) -> Option<Id> {
    const LENGTH: usize = 36;
    if text.len() != LENGTH {
        return None;
    }
    uuid::Uuid::try_parse_ascii(text).ok().map(|uuid| Id(uuid.as_u128()))
}

/// An identity in the form of RFC 9562.
pub(crate) fn uuid_text(id: Id) -> String {
    uuid::Uuid::from_u128(id.0).to_string()
}

fn uuid<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Id, D::Error> {
    let text = Skill::deserialize(deserializer)?.0;
    let unexpected = || serde::de::Error::invalid_value(serde::de::Unexpected::Str(&text), &"a UUID as id");
    parse_uuid(text.as_bytes()).ok_or_else(unexpected)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_hyphenated_form_is_a_uuid() {
        let id = Some(Id(0x6ba7_b810_9dad_11d1_80b4_00c0_4fd4_30c8));
        assert_eq!(parse_uuid(b"6ba7b810-9dad-11d1-80b4-00c04fd430c8"), id);
        assert_eq!(parse_uuid(b"6BA7B810-9DAD-11D1-80B4-00C04FD430C8"), id);
        for text in ["", "17", "6ba7b8109dad11d180b400c04fd430c8", "6ba7b810-9dad-11d1-80b4-00c04fd430cg"] {
            assert_eq!(parse_uuid(text.as_bytes()), None, "{text}");
        }
        assert_eq!(parse_uuid(b"{6ba7b810-9dad-11d1-80b4-00c04fd430c8}"), None);
        assert_eq!(parse_uuid(&[0xff; 36]), None);
    }

    #[test]
    fn texts_without_escapes_are_borrowed_also_within_a_stack() {
        let body = r#"{"id":"6ba7b810-9dad-11d1-80b4-00c04fd430c8","apelido":"a","nome":"b","nascimento":"c",
            "stack":["Go","C\u0023"],"mais":{"x":[1]}}"#;
        let person: Answered<'_> = serde_json::from_str(body).unwrap();
        assert!(matches!(person.apelido, Cow::Borrowed("a")));
        assert!(matches!(person.skills()[0].0, Cow::Borrowed("Go")));
        assert_eq!(person.skills()[1].0, "C#");
    }

    #[test]
    fn a_stack_left_out_is_told_from_null_and_from_an_empty_one() {
        let stack = |part: &str| {
            let id = "6ba7b810-9dad-11d1-80b4-00c04fd430c8";
            let body = format!(r#"{{"id":"{id}","apelido":"","nome":"","nascimento":""{part}}}"#);
            match serde_json::from_str::<Answered<'_>>(&body).map(|person| person.stack) {
                Ok(AnsweredStack::Missing) => "missing",
                Ok(AnsweredStack::Null) => "null",
                Ok(AnsweredStack::List(list)) if list.is_empty() => "empty",
                Ok(AnsweredStack::List(_)) => "list",
                Err(_) => "error",
            }
        };
        assert_eq!(stack(""), "missing");
        assert_eq!(stack(r#","stack":null"#), "null");
        assert_eq!(stack(r#","stack":[]"#), "empty");
        assert_eq!(stack(r#","stack":["Go"]"#), "list");
        for wrong in [r#","stack":"Go""#, r#","stack":[1]"#, r#","stack":[null]"#, r#","stack":{}"#] {
            assert_eq!(stack(wrong), "error", "{wrong}");
        }
    }
}
