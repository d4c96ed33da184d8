//! What a valid person is, how a body is read as one, and how people are searched for.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

const APELIDO_CHARS_MAX: usize = 32;
const NOME_CHARS_MAX: usize = 100;
const TECHNOLOGY_CHARS_MAX: usize = 32;

/// A person as kept and shown. Field names are the contest's.
#[derive(Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "sqlx", derive(sqlx::FromRow))]
pub struct Person {
    /// Of version 7.
    pub id: Uuid,
    /// Nickname: 1 to 32 characters, nobody else's.
    pub apelido: String,
    /// Name: 1 to 100 characters.
    pub nome: String,
    /// Date of birth, `YYYY-MM-DD`.
    pub nascimento: String,
    /// Technologies of 1 to 32 characters each; without any the list may be empty or missing.
    pub stack: Option<Vec<String>>,
}

/// A body of the right JSON types; what is null or missing is `None`.
#[derive(Deserialize)]
pub struct NewPerson {
    apelido: Option<String>,
    nome: Option<String>,
    nascimento: Option<String>,
    stack: Option<Vec<Option<String>>>,
}

impl NewPerson {
    /// Reads a body. `None` for broken JSON and for a wrong type; a derived `Deserialize` would also take a list of
    /// the fields in order.
    #[must_use]
    pub fn from_json(body: &[u8]) -> Option<Self> {
        let is_object = body.trim_ascii_start().first() == Some(&b'{');
        is_object.then(|| serde_json::from_slice(body).ok())?
    }

    /// The person with a new id, ordered by time. `None` where a rule is broken.
    #[must_use]
    pub fn validate(self) -> Option<Person> {
        let stack: Option<Vec<String>> = match self.stack {
            None => None,
            Some(elements) => Some(elements.into_iter().collect::<Option<_>>()?),
        };
        let person = Person {
            id: Uuid::now_v7(),
            apelido: self.apelido?,
            nome: self.nome?,
            nascimento: self.nascimento?,
            stack,
        };
        let stack_fits = person.stack.iter().flatten().all(|text| fits(text, TECHNOLOGY_CHARS_MAX));
        let is_valid = fits(&person.apelido, APELIDO_CHARS_MAX)
            && fits(&person.nome, NOME_CHARS_MAX)
            && is_date(&person.nascimento)
            && stack_fits;
        is_valid.then_some(person)
    }
}

/// PostgreSQL keeps no NUL in a text.
fn fits(text: &str, chars_max: usize) -> bool {
    !text.is_empty() && !text.contains('\0') && text.chars().count() <= chars_max
}

/// Whether a text is `YYYY-MM-DD`, and that day exists.
fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_form = bytes.len() == 10
        && bytes.iter().enumerate().all(|(at, byte)| match at {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    if !is_form {
        return false;
    }
    let number = |range| text.get(range).and_then(|digits: &str| digits.parse::<u32>().ok()).unwrap_or(0);
    let (year, month, day) = (number(0..4), number(5..7), number(8..10));
    let is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u32::from(is_leap),
        1..=12 => 31,
        _ => 0,
    };
    year > 0 && (1..=days).contains(&day)
}

/// A pattern of LIKE in which every character of the term stands for itself.
#[must_use]
pub fn like_pattern(term: &str) -> String {
    let mut pattern = String::from("%");
    for character in term.chars() {
        if matches!(character, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern.push('%');
    pattern
}

#[cfg(test)]
mod tests {
    use super::{NewPerson, is_date, like_pattern};

    #[test]
    fn a_date_is_of_one_form_and_exists() {
        for good in ["2000-02-29", "2001-02-28", "1999-12-31", "0001-01-01"] {
            assert!(is_date(good), "{good}");
        }
        for bad in [
            "2001-02-29",
            "1900-02-29",
            "2000-13-01",
            "2000-04-31",
            "2000-1-001",
            "+200-01-01",
            "",
            "0000-01-01",
        ] {
            assert!(!is_date(bad), "{bad}");
        }
    }

    #[test]
    fn types_are_told_from_values() {
        let read = |text: &str| NewPerson::from_json(text.as_bytes()).map(|new| new.validate().is_some());
        let person = r#"{"apelido":"a","nome":"b","nascimento":"2000-01-01""#;
        assert_eq!(read(&format!("{person}}}")), Some(true));
        assert_eq!(read(&format!(r#"{person},"stack":[]}}"#)), Some(true));
        assert_eq!(read(&format!(r#"{person},"stack":[null]}}"#)), Some(false));
        assert_eq!(read(&format!(r#"{person},"stack":[1]}}"#)), None);
        assert_eq!(read(r#"{"apelido":null,"nome":"b","nascimento":"2000-01-01"}"#), Some(false));
        assert_eq!(read(r#"["a","b","2000-01-01",null]"#), None);
        assert_eq!(read(r#"{"apelido":"\u0000","nome":"b","nascimento":"2000-01-01"}"#), Some(false));
    }

    #[test]
    fn wildcards_of_a_term_are_letters() {
        assert_eq!(like_pattern(r"100%_\C++"), r"%100\%\_\\C++%");
    }
}
