//! What an answer must hold beside its status.

use memchr::memmem::Finder;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::http;
use crate::json::{Texts, is_pointer, same, shown, shown_value};
use crate::model::Answer;
use crate::rules::{Rule, Severity};

/// Rules of requests without a model; [`crate::model::Examination::broken`] indexes this list.
pub(crate) const RULES: &[Rule] = &[
    Rule::worded(
        Severity::Must,
        "answers-as-described",
        "each case and step of the challenge's file is answered as the file says",
        [
            "an answer was not as the challenge's file says",
            "uma resposta não veio como o arquivo do desafio diz",
        ],
        "cada caso e cada passo do arquivo do desafio é respondido como está escrito nele",
    ),
    Rule::worded(
        Severity::Must,
        "body-lacks-text",
        "an answer's body holds the text that was asked for",
        ["an answer's body lacked a text", "faltou um texto no corpo de uma resposta"],
        "o corpo da resposta contém o texto pedido",
    ),
    Rule::worded(
        Severity::Must,
        "body-differs",
        "an answer's body is JSON with the value that was asked for at the pointer that was given",
        [
            "an answer's JSON had another value, or none, at a pointer",
            "o JSON de uma resposta tinha outro valor, ou nenhum, em um ponteiro",
        ],
        "o corpo da resposta é JSON, com o valor pedido no ponteiro dado",
    ),
    Rule::worded(
        Severity::Must,
        "header-differs",
        "an answer has the header that was asked for",
        [
            "an answer had another value in a header, or none",
            "uma resposta veio com outro valor em um cabeçalho, ou nenhum",
        ],
        "a resposta tem o cabeçalho pedido",
    ),
    Rule::worded(
        Severity::Must,
        "nothing-to-keep",
        "an answer has what later steps are to send",
        ["an answer lacked what later steps send", "faltou em uma resposta o que passos posteriores enviam"],
        "a resposta tem o que os passos posteriores enviam",
    ),
];
/// Indices into [`RULES`].
pub(crate) const AS_DESCRIBED: usize = 0;
const LACKS_TEXT: usize = 1;
const BODY_DIFFERS: usize = 2;
const HEADER_DIFFERS: usize = 3;
pub(crate) const NOTHING_TO_KEEP: usize = 4;

/// One thing that an answer must hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Check {
    /// A text in the body.
    Text(Needle),
    /// A value in the body.
    Json {
        /// Where it stands (RFC 6901).
        pointer: String,
        /// What it means.
        expected: Value,
    },
    /// A header of which one value is this one.
    HeaderIs {
        /// Its name, in any case.
        name: String,
        /// The value.
        expected: String,
    },
    /// A header of which one value holds a text.
    HeaderHolds {
        /// Its name, in any case.
        name: String,
        /// The text.
        text: Needle,
    },
}

/// A text that is looked for again and again. Written as the text.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Needle(Finder<'static>);

impl From<String> for Needle {
    fn from(text: String) -> Self {
        Self(Finder::new(&text).into_owned())
    }
}

impl From<Needle> for String {
    fn from(Needle(finder): Needle) -> Self {
        Self::from_utf8_lossy(finder.needle()).into_owned()
    }
}

impl PartialEq for Needle {
    fn eq(&self, other: &Self) -> bool {
        self.0.needle() == other.0.needle()
    }
}

impl Eq for Needle {}

impl Check {
    pub(crate) fn text(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("every body holds the empty text\nhint: leave this check out".to_owned());
        }
        Ok(Self::Text(text.to_owned().into()))
    }

    /// `/a/b = 3`: what stands right is read as JSON, and as a string where it is none.
    pub(crate) fn json(text: &str) -> Result<Self, String> {
        let sides = text.split_once(" = ").or_else(|| text.split_once('='));
        let sides = sides.map(|(pointer, expected)| (pointer.trim(), expected.trim()));
        let (pointer, expected) = sides.filter(|(pointer, _)| is_pointer(pointer)).ok_or_else(|| {
            format!("`{text}` is no check of JSON; write a JSON pointer and a value, for example `/items/0/name = Ana`")
        })?;
        let expected = serde_json::from_str(expected).unwrap_or_else(|_| Value::String(expected.to_owned()));
        Ok(Self::Json { pointer: pointer.to_owned(), expected })
    }

    /// `Name = value` or `Name ~ text`.
    pub(crate) fn header(text: &str) -> Result<Self, String> {
        let unreadable = || {
            format!(
                "`{text}` is no check of a header; write `Content-Type = application/json`, or `Content-Type ~ json` for a part of the value"
            )
        };
        let sign = text.find(['=', '~']).ok_or_else(unreadable)?;
        let (name, value) = (text[..sign].trim(), text[sign + 1..].trim());
        if !http::is_token(name) {
            return Err(unreadable());
        }
        let name = name.to_owned();
        if text.as_bytes()[sign] == b'=' {
            return Ok(Self::HeaderIs { name, expected: value.to_owned() });
        }
        Ok(Self::HeaderHolds { name, text: value.to_owned().into() })
    }
}

/// The first check that an answer does not pass: the index of its rule, and the difference. A check that passes
/// allocates nothing, but for those of JSON: the first of them parses the whole body.
pub(crate) fn first_broken(checks: &[Check], answer: &Answer<'_>) -> Option<(usize, String)> {
    let mut parsed = None;
    checks.iter().find_map(|check| match check {
        Check::Text(Needle(finder)) => {
            let missing = finder.find(answer.body).is_none();
            missing.then(|| (LACKS_TEXT, format!("the body does not hold `{}`", shown(finder.needle()))))
        }
        Check::Json { pointer, expected } => {
            let parsed = parsed.get_or_insert_with(|| serde_json::from_slice(answer.body));
            json_difference(parsed.as_ref(), pointer, expected).map(|difference| (BODY_DIFFERS, difference))
        }
        Check::HeaderIs { name, expected } => {
            let is = answer.header(name).any(|value| value == expected.as_bytes());
            let told = || format!("`{}`", shown(expected.as_bytes()));
            (!is).then(|| (HEADER_DIFFERS, header_difference(answer, name, &told())))
        }
        Check::HeaderHolds { name, text: Needle(text) } => {
            let holds = answer.header(name).any(|value| text.find(value).is_some());
            let told = || format!("one with `{}`", shown(text.needle()));
            (!holds).then(|| (HEADER_DIFFERS, header_difference(answer, name, &told())))
        }
    })
}

fn json_difference(
    body: Result<&Value, &serde_json::Error>,
    pointer: &str,
    expected: &Value,
) -> Option<String> {
    let place = if pointer.is_empty() { "the body" } else { pointer };
    let body = match body {
        Ok(body) => body,
        Err(error) => {
            return Some(format!(
                "the body is no JSON ({error}), expected {} at {place}",
                shown_value(expected)
            ));
        }
    };
    match body.pointer(pointer) {
        Some(found) if same(found, expected, Texts::AsWritten) => None,
        Some(found) => Some(format!("{place} is {}, expected {}", shown_value(found), shown_value(expected))),
        None => Some(format!("{place} is missing, expected {}", shown_value(expected))),
    }
}

fn header_difference(answer: &Answer<'_>, name: &str, expected: &str) -> String {
    match answer.header(name).next() {
        Some(found) => format!("header `{name}` is `{}`, expected {expected}", shown(found)),
        None => format!("header `{name}` is missing, expected {expected}"),
    }
}

#[cfg(test)]
mod tests;
