//! A person on the way between a request, a row and a document.

use std::borrow::Cow;
use std::fmt;
use std::io::Write;

use serde::Deserialize;
use uuid::Uuid;

use crate::person::NewPerson;
use crate::store::text::{FIELD_END, distinct, lower_into};

/// A row's columns, wherever they lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Record<'a> {
    /// As in [`NewPerson`].
    pub(super) apelido: &'a str,
    /// As in [`NewPerson`].
    pub(super) nome: &'a str,
    /// As in [`NewPerson`].
    pub(super) nascimento: Date,
    /// A JSON array of texts.
    pub(super) stack: Option<&'a str>,
}

/// A row that is not as this program writes them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "table people: {0}, which this program did not write\nhint: give it a database of its own, or remove that row"
)]
pub(super) struct Foreign(String);

impl Foreign {
    /// A row whose identity no writer gave.
    pub(super) fn id(uuid: Uuid) -> Self {
        Self(format!("a row has the id {uuid}"))
    }
}

impl<'a> Record<'a> {
    /// Reads `apelido, nome, nascimento, stack` as the server sends them in binary format.
    pub(super) fn from_columns(columns: [Option<&'a [u8]>; 4]) -> Result<Self, Foreign> {
        let wrong = |column: &str| Foreign(format!("a row has no readable {column}"));
        let text = |at: usize, name: &str| {
            columns[at].and_then(|bytes| std::str::from_utf8(bytes).ok()).ok_or_else(|| wrong(name))
        };
        let days = columns[2].and_then(|bytes| bytes.try_into().ok()).ok_or_else(|| wrong("nascimento"))?;
        Ok(Self {
            apelido: text(0, "apelido")?,
            nome: text(1, "nome")?,
            nascimento: Date(i32::from_be_bytes(days)),
            stack: columns[3].map(|_| text(3, "stack")).transpose()?,
        })
    }

    /// Appends the JSON that a reader gets.
    pub(super) fn write_document(&self, id: Uuid, out: &mut Vec<u8>) {
        out.extend_from_slice(DOCUMENT_START.as_bytes());
        out.extend_from_slice(id.hyphenated().encode_lower(&mut Uuid::encode_buffer()).as_bytes());
        out.extend_from_slice(DOCUMENT_APELIDO.as_bytes());
        write_json(self.apelido, out);
        out.extend_from_slice(br#","nome":"#);
        write_json(self.nome, out);
        // A vector takes whatever is written.
        let _ = write!(out, r#","nascimento":"{}","stack":"#, self.nascimento);
        out.extend_from_slice(self.stack.unwrap_or("null").as_bytes());
        out.push(b'}');
    }

    /// Appends the lower-cased fields that searches look into, each with [`FIELD_END`], and names each to `each`.
    pub(super) fn write_haystack(
        &self,
        out: &mut Vec<u8>,
        mut each: impl FnMut(&str),
    ) -> Result<(), Foreign> {
        let stack: Vec<Text<'_>> = match self.stack {
            Some(json) => serde_json::from_str(json)
                .map_err(|_| Foreign(format!("`{}` has a stack that is no list of texts", self.apelido)))?,
            None => Vec::new(),
        };
        let mut lowered = String::with_capacity(128);
        for field in [self.apelido, self.nome].into_iter().chain(distinct(&stack)) {
            lowered.clear();
            lower_into(field, &mut lowered);
            each(&lowered);
            out.extend_from_slice(lowered.as_bytes());
            out.push(FIELD_END);
        }
        Ok(())
    }
}

const DOCUMENT_START: &str = r#"{"id":""#;
const DOCUMENT_APELIDO: &str = r#"","apelido":"#;

/// Where in a document the apelido begins, as a JSON text.
pub(super) const APELIDO_START: usize = DOCUMENT_START.len() + 36 + DOCUMENT_APELIDO.len();

/// Appends a text with quotes and escapes. The same text has always the same form.
pub(super) fn write_json(text: &str, out: &mut Vec<u8>) {
    // A vector takes whatever is written, and a text can always be.
    let _ = serde_json::to_writer(out, text);
}

/// An element of a list, borrowed where JSON has no escapes; a `Cow` inside of a list would be copied.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

impl AsRef<str> for Text<'_> {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// A person on the way to the database, in one allocation.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Draft {
    /// apelido, nome and stack.
    text: String,
    apelido_end: usize,
    nome_end: usize,
    has_stack: bool,
    nascimento: Date,
}

impl Draft {
    /// `None` if the date of birth is none.
    pub(super) fn new(person: &NewPerson<'_>) -> Option<Self> {
        let nascimento = Date::parse(&person.nascimento)?;
        let mut text = Vec::with_capacity(256);
        text.extend_from_slice(person.apelido.as_bytes());
        let apelido_end = text.len();
        text.extend_from_slice(person.nome.as_bytes());
        let nome_end = text.len();
        if let Some(stack) = &person.stack {
            // As with `write_json`.
            let _ = serde_json::to_writer(&mut text, stack);
        }
        let text = String::from_utf8(text).ok()?;
        Some(Self { text, apelido_end, nome_end, has_stack: person.stack.is_some(), nascimento })
    }

    /// The person's columns.
    pub(super) fn record(&self) -> Record<'_> {
        Record {
            apelido: &self.text[..self.apelido_end],
            nome: &self.text[self.apelido_end..self.nome_end],
            nascimento: self.nascimento,
            stack: self.has_stack.then(|| &self.text[self.nome_end..]),
        }
    }
}

/// A day of the Gregorian calendar as PostgreSQL sends it: days since 2000-01-01.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Date(pub(super) i32);

/// Days of 400 years.
const ERA: i32 = 146_097;

/// Days from 1600-03-01, where an era begins, to 2000-01-01.
const EPOCH: i32 = ERA - 60;

impl Date {
    /// Reads `YYYY-MM-DD`. Whether the day exists must have been looked at. The year is counted from March, so that
    /// the leap day is its last (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `days_from_civil`).
    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, '-').map(|part| part.parse::<i32>().ok());
        let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
        let year = year - 1600 - i32::from(month <= 2);
        let (era, year) = (year.div_euclid(400), year.rem_euclid(400));
        let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
        Some(Self(era * ERA + year * 365 + year / 4 - year / 100 + day_of_year - EPOCH))
    }
}

impl fmt::Display for Date {
    /// `civil_from_days` of the same source.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // In i64, since a row of somebody else's may hold `infinity`, the greatest i32.
        let (days, era_days) = (i64::from(self.0) + i64::from(EPOCH), i64::from(ERA));
        let (era, day) = (days.div_euclid(era_days), days.rem_euclid(era_days));
        let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
        let day_of_year = day - (365 * year + year / 4 - year / 100);
        let month = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month + 2) / 5 + 1;
        let year = year + era * 400 + 1600 + i64::from(month >= 10);
        write!(f, "{year:04}-{:02}-{day:02}", (month + 2) % 12 + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::{APELIDO_START, Date, Draft, Record, write_json};
    use crate::person::NewPerson;
    use crate::store::postgres::id::Id;

    #[test]
    fn dates_are_those_of_the_database() {
        for (text, days) in [
            ("2000-01-01", 0),
            ("2000-02-29", 59),
            ("2000-03-01", 60),
            ("1999-12-31", -1),
            ("1970-01-01", -10_957),
            ("1600-02-29", -146_038),
            ("0001-01-01", -730_119),
            ("9999-12-31", 2_921_939),
        ] {
            assert_eq!(Date::parse(text), Some(Date(days)), "{text}");
            assert_eq!(Date(days).to_string(), text);
        }
    }

    #[test]
    fn every_day_comes_back() {
        for days in -730_119..=2_921_939 {
            assert_eq!(Date::parse(&Date(days).to_string()), Some(Date(days)));
        }
    }

    #[test]
    fn a_document_is_the_person_with_everything_that_json_must_escape() {
        let body =
            r#"{"apelido":"a\"b\\é","nome":" n\n ","nascimento":"1987-02-28","stack":["C#","\u0001","C#"]}"#;
        let draft = Draft::new(&NewPerson::from_json(body.as_bytes()).unwrap()).unwrap();
        let mut document = Vec::new();
        draft.record().write_document(Id { writer: 1, sequence: 2 }.uuid(), &mut document);
        let mut json: serde_json::Value = serde_json::from_slice(&document).unwrap();
        let id = json.as_object_mut().unwrap().remove("id");
        assert_eq!(id.unwrap(), "00000000-0001-8000-8000-000000000002");
        assert_eq!(json, serde_json::from_str::<serde_json::Value>(body).unwrap());
        let mut apelido = Vec::new();
        write_json("a\"b\\é", &mut apelido);
        assert!(document[APELIDO_START..].starts_with(&apelido));
    }

    #[test]
    fn no_stack_and_an_empty_one_differ() {
        for (stack, written) in [("null", "null"), ("[]", "[]")] {
            let body = format!(r#"{{"apelido":"a","nome":"n","nascimento":"1987-02-28","stack":{stack}}}"#);
            let draft = Draft::new(&NewPerson::from_json(body.as_bytes()).unwrap()).unwrap();
            let mut document = Vec::new();
            draft.record().write_document(Id { writer: 1, sequence: 2 }.uuid(), &mut document);
            assert!(String::from_utf8(document).unwrap().ends_with(&format!("\"stack\":{written}}}")));
        }
    }

    #[test]
    fn a_row_that_is_not_ours_is_named_and_not_guessed_at() {
        let days = 0_i32.to_be_bytes();
        let good = [Some(b"a".as_slice()), Some(b"n"), Some(&days), None];
        assert!(Record::from_columns(good).is_ok());
        for at in 0..3 {
            let mut columns = good;
            columns[at] = None;
            assert!(Record::from_columns(columns).is_err(), "{at}");
        }
        for stack in ["{}", "[1]", "[null]", "x"] {
            let record = Record { stack: Some(stack), ..Record::from_columns(good).unwrap() };
            assert!(record.write_haystack(&mut Vec::new(), |_| ()).is_err(), "{stack}");
        }
    }
}
