//! What a valid person is.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

const APELIDO_CHARS_MAX: usize = 32;
const NOME_CHARS_MAX: usize = 100;
const TECHNOLOGY_CHARS_MAX: usize = 32;

/// A person that keeps all rules. Field names are the contest's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Person {
    /// Given by us, ordered by time so that an index on it grows at one end.
    pub id: Uuid,
    /// Nickname, unique among all people; 1 to 32 characters.
    pub apelido: String,
    /// Name; 1 to 100 characters.
    pub nome: String,
    /// Date of birth, `YYYY-MM-DD`, a day that exists.
    pub nascimento: String,
    /// Technologies, each of 1 to 32 characters; an empty list is not the same as none.
    pub stack: Option<Vec<String>>,
}

/// Why a body is not a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// Broken JSON, or a value of the wrong JSON type: 400.
    Malformed,
    /// The right types, but a value that is missing, null, too long or no date: 422.
    Invalid,
}

/// A body as written. The types draw the line of the contest's rules: what does not fit them is malformed;
/// what is null or missing becomes `None`, which is invalid where a value is required.
#[derive(Deserialize)]
struct RawPerson {
    apelido: Option<String>,
    nome: Option<String>,
    nascimento: Option<String>,
    stack: Option<Vec<Option<String>>>,
}

impl Person {
    /// Reads a request body and gives the person a new id.
    ///
    /// # Errors
    /// The body breaks a rule.
    pub fn from_json(body: &[u8]) -> Result<Self, Refusal> {
        // A derived Deserialize also takes a list of the fields in order, which is no person.
        if body.trim_ascii_start().first() != Some(&b'{') {
            return Err(Refusal::Malformed);
        }
        let raw: RawPerson = serde_json::from_slice(body).map_err(|_| Refusal::Malformed)?;
        let stack = raw
            .stack
            .map(|list| list.into_iter().map(|entry| text(entry, TECHNOLOGY_CHARS_MAX)).collect())
            .transpose()?;
        Ok(Self {
            apelido: text(raw.apelido, APELIDO_CHARS_MAX)?,
            nome: text(raw.nome, NOME_CHARS_MAX)?,
            nascimento: raw.nascimento.filter(|text| is_date(text)).ok_or(Refusal::Invalid)?,
            stack,
            id: Uuid::now_v7(),
        })
    }
}

/// A required text. One without characters is as good as missing.
fn text(value: Option<String>, chars_max: usize) -> Result<String, Refusal> {
    value.filter(|text| !text.is_empty() && has_at_most(text, chars_max)).ok_or(Refusal::Invalid)
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
    use super::{Person, Refusal, is_date};

    fn refusal(body: &str) -> Option<Refusal> {
        Person::from_json(body.as_bytes()).err()
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
}
