//! What a valid person is.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

const APELIDO_CHARS_MAX: usize = 32;
const NOME_CHARS_MAX: usize = 100;
const TECHNOLOGY_CHARS_MAX: usize = 32;

/// A person as a creation's body says it, who keeps all rules. Texts are the body's own bytes, except those that
/// JSON writes with escapes. Field names are the contest's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPerson<'a> {
    /// Nickname, unique among all people; 1 to 32 characters.
    pub apelido: Cow<'a, str>,
    /// Name; 1 to 100 characters.
    pub nome: Cow<'a, str>,
    /// Date of birth, `YYYY-MM-DD`, a day that exists.
    pub nascimento: Cow<'a, str>,
    /// Technologies, each of 1 to 32 characters; an empty list is not the same as none.
    pub stack: Option<Vec<Cow<'a, str>>>,
}

/// A person who is kept. Written as JSON it is the body that a reader gets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Person {
    /// Given by the store.
    pub id: Uuid,
    /// As in [`NewPerson`].
    pub apelido: String,
    /// As in [`NewPerson`].
    pub nome: String,
    /// As in [`NewPerson`].
    pub nascimento: String,
    /// As in [`NewPerson`].
    pub stack: Option<Vec<String>>,
}

/// Why a body is not a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// Broken JSON, or a value of the wrong JSON type: 400.
    Malformed,
    /// The right types, but a value that is missing, null, too long, no date, or holds a NUL: 422.
    Invalid,
}

/// A body as written. The types draw the line of the contest's rules: what does not fit them is malformed;
/// what is null or missing becomes `None`, which is invalid where a value is required.
#[derive(Deserialize)]
struct RawPerson<'a> {
    #[serde(borrow)]
    apelido: Option<Text<'a>>,
    #[serde(borrow)]
    nome: Option<Text<'a>>,
    #[serde(borrow)]
    nascimento: Option<Text<'a>>,
    #[serde(borrow)]
    stack: Option<Vec<Option<Text<'a>>>>,
}

/// A `Cow` alone is borrowed only as the whole of a field, and not inside of an `Option`.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'a> NewPerson<'a> {
    /// Reads a request body.
    ///
    /// # Errors
    /// The body breaks a rule.
    pub fn from_json(body: &'a [u8]) -> Result<Self, Refusal> {
        // A derived Deserialize also takes a list of the fields in order, which is no person.
        if body.trim_ascii_start().first() != Some(&b'{') {
            return Err(Refusal::Malformed);
        }
        let raw: RawPerson<'_> = serde_json::from_slice(body).map_err(|_| Refusal::Malformed)?;
        let stack = raw
            .stack
            .map(|list| list.into_iter().map(|entry| text(entry, TECHNOLOGY_CHARS_MAX)).collect())
            .transpose()?;
        Ok(Self {
            apelido: text(raw.apelido, APELIDO_CHARS_MAX)?,
            nome: text(raw.nome, NOME_CHARS_MAX)?,
            nascimento: raw
                .nascimento
                .map(|text| text.0)
                .filter(|text| is_date(text))
                .ok_or(Refusal::Invalid)?,
            stack,
        })
    }

    /// The same person with texts of its own.
    #[must_use]
    pub fn into_owned(self) -> NewPerson<'static> {
        let own = |text: Cow<'a, str>| Cow::Owned(text.into_owned());
        NewPerson {
            apelido: own(self.apelido),
            nome: own(self.nome),
            nascimento: own(self.nascimento),
            stack: self.stack.map(|stack| stack.into_iter().map(own).collect()),
        }
    }

    /// The person under this identity.
    #[must_use]
    pub fn identified(self, id: Uuid) -> Person {
        Person {
            id,
            apelido: self.apelido.into_owned(),
            nome: self.nome.into_owned(),
            nascimento: self.nascimento.into_owned(),
            stack: self.stack.map(|stack| stack.into_iter().map(Cow::into_owned).collect()),
        }
    }
}

/// A required text. One without characters is as good as missing, and a NUL is what the text of PostgreSQL
/// cannot hold: the rule is one for all stores.
fn text(value: Option<Text<'_>>, chars_max: usize) -> Result<Cow<'_, str>, Refusal> {
    value
        .map(|text| text.0)
        .filter(|text| !text.is_empty() && has_at_most(text, chars_max) && !text.contains('\0'))
        .ok_or(Refusal::Invalid)
}

/// Whether `text` has at most `chars_max` characters (not bytes).
fn has_at_most(text: &str, chars_max: usize) -> bool {
    // No character is longer than its bytes, so most texts need no counting.
    text.len() <= chars_max || text.chars().count() <= chars_max
}

/// Whether `text` is `YYYY-MM-DD` and that day exists in the Gregorian calendar.
fn is_date(text: &str) -> bool {
    let &[y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = text.as_bytes() else { return false };
    if ![y1, y2, y3, y4, m1, m2, d1, d2].iter().all(u8::is_ascii_digit) {
        return false;
    }
    let number = |digits: &[u8]| digits.iter().fold(0_u32, |sum, digit| sum * 10 + u32::from(digit - b'0'));
    let (year, month, day) = (number(&[y1, y2, y3, y4]), number(&[m1, m2]), number(&[d1, d2]));
    year > 0 && (1..=days_of(year, month)).contains(&day)
}

/// Days of a month; 0 for a month that there is not.
fn days_of(year: u32, month: u32) -> u32 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::{NewPerson, Refusal, is_date};

    fn refusal(body: &str) -> Option<Refusal> {
        NewPerson::from_json(body.as_bytes()).err()
    }

    #[test]
    fn only_days_that_exist_are_dates() {
        for good in ["2000-01-31", "2000-02-29", "2020-02-29", "1999-12-31", "0001-01-01", "2001-02-28"] {
            assert!(is_date(good), "{good}");
        }
        for bad in [
            "2001-02-29",
            "1900-02-29",
            "2000-02-30",
            "2000-04-31",
            "2000-13-01",
            "2000-00-01",
            "2000-01-00",
            "2000-01-32",
            "12-12-2000",
            "2000-1-01",
            "2000-01-1",
            "2000/01/01",
            "20000-01-01",
            "2000-01-01 ",
            "+200-01-01",
            "",
            "null",
            "\"12-12-2000\"",
            "0000-01-01",
            "２０００-01",
        ] {
            assert!(!is_date(bad), "{bad}");
        }
    }

    #[test]
    fn a_list_of_the_fields_in_order_is_no_person() {
        assert_eq!(refusal(r#"["a","b","2000-01-01",null]"#), Some(Refusal::Malformed));
    }

    #[test]
    fn fields_of_no_interest_are_ignored_and_a_field_given_twice_is_malformed() {
        let body = r#" {"apelido":"a","nome":"b","nascimento":"2000-01-01","id":7,"more":{"x":[1]}}"#;
        assert_eq!(refusal(body), None);
        assert_eq!(
            refusal(r#"{"apelido":"a","apelido":"b","nome":"b","nascimento":"2000-01-01"}"#),
            Some(Refusal::Malformed)
        );
    }

    #[test]
    fn text_after_the_object_is_malformed() {
        assert_eq!(
            refusal(r#"{"apelido":"a","nome":"b","nascimento":"2000-01-01"} x"#),
            Some(Refusal::Malformed)
        );
    }

    #[test]
    fn a_text_is_copied_only_where_it_has_escapes() {
        let body = r#"{"apelido":"a","nome":"\u00e9","nascimento":"2000-01-01","stack":["Go","\n"]}"#;
        let person = NewPerson::from_json(body.as_bytes()).unwrap();
        assert!(matches!(person.apelido, Cow::Borrowed("a")));
        assert!(matches!(&person.nome, Cow::Owned(nome) if nome == "é"));
        assert!(matches!(person.nascimento, Cow::Borrowed("2000-01-01")));
        assert!(matches!(&person.stack.unwrap()[..], [Cow::Borrowed("Go"), Cow::Owned(_)]));
    }

    #[test]
    fn a_nul_is_invalid_in_every_text() {
        let good = json!({"apelido": "a", "nome": "b", "nascimento": "2000-01-01", "stack": ["c"]});
        assert_eq!(refusal(&good.to_string()), None);
        for (field, value) in [
            ("apelido", json!("a\0")),
            ("nome", json!("\0")),
            ("nascimento", json!("2000-01-0\0")),
            ("stack", json!(["c", "\0c"])),
        ] {
            let mut bad = good.clone();
            bad[field] = value;
            assert_eq!(refusal(&bad.to_string()), Some(Refusal::Invalid), "{bad}");
        }
    }

    #[test]
    fn a_wrong_type_after_an_invalid_value_is_malformed() {
        assert_eq!(refusal(r#"{"apelido":null,"nome":"b","nascimento":1}"#), Some(Refusal::Malformed));
        assert_eq!(refusal(r#"{"stack":[null,1]}"#), Some(Refusal::Malformed));
    }

    /// A text as JSON, with every character escaped whose turn it is.
    fn written(text: &str, escaped: &[bool]) -> String {
        let mut out = String::from('"');
        for (at, c) in text.chars().enumerate() {
            if escaped[at % escaped.len()] {
                let mut units = [0; 2];
                out.extend(c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")));
            } else {
                out.push_str(serde_json::to_string(&c).unwrap().trim_matches('"'));
            }
        }
        out.push('"');
        out
    }

    proptest! {
        #[test]
        fn a_body_says_the_same_however_its_texts_are_written(
            apelido in "[^\0\"]{1,32}",
            nome in "[^\0\"]{1,100}",
            stack in proptest::option::of(proptest::collection::vec("[^\0\"]{1,32}", 0..4)),
            escaped in proptest::collection::vec(any::<bool>(), 1..5),
        ) {
            let list = stack.as_ref().map_or("null".to_owned(), |list| {
                let list: Vec<String> = list.iter().map(|entry| written(entry, &escaped)).collect();
                format!("[{}]", list.join(", "))
            });
            let (apelido_written, nome_written) = (written(&apelido, &escaped), written(&nome, &escaped));
            let body = format!(
                r#"{{"stack":{list},"nome": {nome_written},"nascimento":"2000-02-29","apelido":{apelido_written}}}"#
            );
            let person = NewPerson::from_json(body.as_bytes()).unwrap();
            prop_assert_eq!(&person.apelido, &apelido);
            prop_assert_eq!(&person.nome, &nome);
            prop_assert_eq!(person.stack.clone().map(|list| json!(list)), stack.map(|list| json!(list)));
            prop_assert_eq!(person.clone().into_owned(), person);
        }

        #[test]
        fn any_bytes_are_read_or_refused_as_a_general_reader_of_json_does(
            bytes in proptest::collection::vec(any::<u8>(), 0..40)
        ) {
            let read = NewPerson::from_json(&bytes);
            if !serde_json::from_slice::<Value>(&bytes).is_ok_and(|value| value.is_object()) {
                prop_assert_eq!(read, Err(Refusal::Malformed));
            }
        }
    }
}
