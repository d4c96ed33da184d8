//! What a step keeps of its answer for later steps of the same user: a token, the address of what was created.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::http;
use crate::json;
use crate::location;
use crate::model::Answer;

/// Longer values are not kept: a request line or a header that holds one would be refused anyway.
const LONGEST: usize = 64 << 10;

/// One value that is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capture {
    /// Where it is kept: its number among the names of its scenario's captures.
    pub slot: usize,
    /// Where it stands in the answer.
    pub of: Part,
}

/// A part of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Path and query of where `Location` leads.
    Location,
    /// The first value of a header.
    Header(String),
    /// The value at a JSON pointer (RFC 6901): texts as they are, what is no text as JSON, `null` not at all.
    Json(String),
    /// Path and query of where the text at a JSON pointer leads, as [`Self::Location`].
    Link(String),
}

/// The values that one user has kept, by slot; empty: none.
pub type Captured = [Vec<u8>];

impl Part {
    /// Reads `location`, `header Name`, `json /pointer` or `link /pointer`.
    ///
    /// # Errors
    /// It is none of these: what to write.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (kind, of) = text.split_once(' ').unwrap_or((text, ""));
        let of = of.trim();
        let pointer = json::is_pointer(of).then(|| of.to_owned());
        let read = match kind {
            "location" if of.is_empty() => Some(Self::Location),
            "header" if http::is_token(of) => Some(Self::Header(of.to_owned())),
            "json" => pointer.map(Self::Json),
            "link" => pointer.map(Self::Link),
            _ => None,
        };
        read.ok_or_else(|| {
            format!(
                "`{text}` is no part of an answer; write `json /token`, `header X-Token`, `location`, or `link /next` for an address in JSON"
            )
        })
    }

    /// Whether it is an address, which requests insert as it is.
    pub const fn is_address(&self) -> bool {
        matches!(self, Self::Location | Self::Link(_))
    }

    /// Appends what an answer to a request for `target` gives. `body` is read as JSON the first time it is asked for.
    fn take(&self, answer: &Answer<'_>, target: &[u8], body: &mut Body, out: &mut Vec<u8>) {
        match self {
            Self::Location => drop(location::resolve(answer.location.unwrap_or_default(), target, out)),
            Self::Header(name) => out.extend_from_slice(answer.header(name).next().unwrap_or_default()),
            Self::Json(pointer) => match body.of(answer).pointer(pointer) {
                None | Some(Value::Null) => {}
                Some(Value::String(text)) => out.extend_from_slice(text.as_bytes()),
                Some(other) => out.extend_from_slice(other.to_string().as_bytes()),
            },
            Self::Link(pointer) => {
                let text = body.of(answer).pointer(pointer).and_then(Value::as_str).unwrap_or_default();
                location::resolve(text.as_bytes(), target, out);
            }
        }
        if out.len() > LONGEST {
            out.clear();
        }
    }
}

/// As it is written, which [`Part::parse`] reads.
impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Location => f.write_str("location"),
            Self::Header(name) => write!(f, "header {name}"),
            Self::Json(pointer) => write!(f, "json {pointer}"),
            Self::Link(pointer) => write!(f, "link {pointer}"),
        }
    }
}

/// A body as JSON, once somebody asks; what is no JSON is `null`, which holds nothing.
#[derive(Default)]
struct Body(Option<Value>);

impl Body {
    fn of(&mut self, answer: &Answer<'_>) -> &Value {
        self.0.get_or_insert_with(|| serde_json::from_slice(answer.body).unwrap_or(Value::Null))
    }
}

/// Whether an answer of this status gives anything: those of 4xx and 5xx do not.
const fn gives(status: u16) -> bool {
    matches!(status, 200..=399)
}

/// Keeps what an answer to a request for `target` gives. A value that the answer lacks is forgotten.
pub fn take(captures: &[Capture], answer: &Answer<'_>, target: &[u8], kept: &mut Captured) {
    if captures.is_empty() || !gives(answer.status) {
        return;
    }
    let mut body = Body::default();
    for Capture { slot, of } in captures {
        if let Some(kept) = kept.get_mut(*slot) {
            kept.clear();
            of.take(answer, target, &mut body, kept);
        }
    }
}

/// In which way an answer lacks what is to be kept of it; `None`: it does not.
pub(crate) fn missing(parts: &[Part], answer: &Answer<'_>) -> Option<String> {
    if !gives(answer.status) {
        return None;
    }
    let mut body = Body::default();
    parts.iter().find_map(|part| {
        let mut found = Vec::new();
        part.take(answer, b"/", &mut body, &mut found);
        found.is_empty().then(|| format!("there is no `{part}` to keep for later steps"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &[u8] = b"HTTP/1.1 201 Created\r\nX-Token: abc\r\nLocation: /things/7?v=1\r\n\r\n";
    const BODY: &[u8] =
        br#"{"token": "a \"b\"", "id": 7, "none": null, "all": [1, 2], "next": "http://h/a?b#c", "e": ""}"#;

    fn answer(status: u16) -> Answer<'static> {
        Answer { status, head: HEAD, location: Some(b"/things/7?v=1"), content_type: None, body: BODY }
    }

    fn kept(text: &str) -> String {
        let captures = [Capture { slot: 0, of: Part::parse(text).unwrap() }];
        let mut kept = [b"of the last step".to_vec()];
        take(&captures, &answer(201), b"/things", &mut kept);
        String::from_utf8(kept[0].clone()).unwrap()
    }

    #[test]
    fn a_value_is_kept_as_it_stands_in_the_answer() {
        for (part, expected) in [
            ("json /token", "a \"b\""),
            ("json /id", "7"),
            ("json /all", "[1,2]"),
            ("json /all/1", "2"),
            ("header x-token", "abc"),
            ("location", "/things/7?v=1"),
            ("link /next", "/a?b"),
        ] {
            assert_eq!(kept(part), expected, "{part}");
        }
    }

    #[test]
    fn what_an_answer_lacks_is_forgotten_and_told() {
        for part in ["json /none", "json /e", "json /a/b", "header X-None", "link /id", "link /none"] {
            assert_eq!(kept(part), "", "{part}");
            let told = missing(&[Part::parse(part).unwrap()], &answer(200)).unwrap();
            assert_eq!(told, format!("there is no `{part}` to keep for later steps"));
        }
        assert_eq!(missing(&[Part::Location, Part::Json("/id".to_owned())], &answer(200)), None);
    }

    #[test]
    fn an_answer_that_refuses_gives_nothing_and_lacks_nothing() {
        let captures = [Capture { slot: 0, of: Part::Location }];
        let mut kept = [b"earlier".to_vec()];
        take(&captures, &answer(422), b"/", &mut kept);
        assert_eq!(kept[0], b"earlier");
        assert_eq!(missing(&[Part::Json("/none".to_owned())], &answer(422)), None);
    }

    #[test]
    fn a_body_that_is_no_json_or_a_value_beyond_reason_gives_nothing() {
        let long = format!("{{\"a\": \"{}\"}}", "x".repeat(LONGEST + 1));
        for body in [&b"\xff\x00"[..], b"", b"{\"a\": \"\\ud800\"}", long.as_bytes()] {
            let answer = Answer { body, ..answer(200) };
            assert!(missing(&[Part::Json("/a".to_owned())], &answer).is_some());
        }
    }

    #[test]
    fn parts_are_read_as_they_are_written() {
        for text in ["location", "header X-A", "json /a~1b", "json ", "link /a"] {
            assert_eq!(Part::parse(text).unwrap().to_string(), text);
        }
        for wrong in ["", "json a", "json /~", "header", "header a b", "locations", "body x", "location /a"] {
            assert!(Part::parse(wrong).unwrap_err().contains("json /token"), "{wrong}");
        }
    }
}
