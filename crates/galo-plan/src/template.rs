//! Request text with places for a row's fields and for what the user captured: `/people?t={term}`.

mod body;

use serde::{Deserialize, Serialize};

use crate::capture::Captured;
use crate::model::ChallengeData;
use crate::suggest;

/// A template, parsed and resolved against its feeder's fields and its scenario's captures.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Template {
    parts: Vec<Part>,
}

/// One piece of a [`Template`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Text as it stands.
    Text(String),
    /// Field by its number in the feeder.
    Field(usize),
    /// A captured value by its slot.
    Captured(usize),
    /// A captured address by its slot: path and query, which are never encoded.
    Location(usize),
    /// Bytes as they stand, that need not be text.
    Bytes(Vec<u8>),
    /// A field or a captured value, written as the text around it wants it.
    Encoded {
        /// What is inserted.
        part: Box<Part>,
        /// How it is written, wherever the template stands.
        encoding: Encoding,
    },
}

/// How inserted fields and captured values are written. Literal text and captured addresses are never changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Encoding {
    /// As they are: for bodies.
    Raw,
    /// Percent-encoded except for RFC 3986 unreserved characters: for the query and path, and in forms.
    Percent,
    /// As between the quotes of a JSON string (RFC 8259, section 7).
    Json,
}

/// Why a template cannot be resolved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// A `{` without its `}`.
    #[error("`{{` is never closed in `{0}`")]
    Unclosed(String),
    /// A `}` without its `{`.
    #[error("`}}` has no `{{` in `{0}`; write `}}}}` for the brace itself")]
    Unopened(String),
    /// A name that stands for nothing.
    #[error("unknown name `{{{name}}}` (known: {known}){hint}")]
    Unknown {
        /// The name as written.
        name: String,
        /// All names that would do, comma separated.
        known: String,
        /// `; did you mean ...`, or empty.
        hint: String,
    },
    /// A `{random:...}` without two whole numbers in order.
    #[error("`{{{0}}}` is no range; write two whole numbers, the smaller first, such as `{{random:1:100}}`")]
    Range(String),
}

impl TemplateError {
    /// An unknown name, with those that would do.
    pub(crate) fn unknown(name: &str, known: &[&str]) -> Self {
        let hint = suggest::nearest(name, known).map(|word| format!("; did you mean `{{{word}}}`?"));
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        Self::Unknown { name: name.to_owned(), known, hint: hint.unwrap_or_default() }
    }
}

impl Template {
    /// Parses `text`, in which names between braces are those of `fields`. `{{` and `}}` stand for the braces themselves.
    pub fn parse(text: &str, fields: &[&str]) -> Result<Self, TemplateError> {
        Self::parse_with(text, |name| {
            let field = fields.iter().position(|field| *field == name);
            field.map(Part::Field).ok_or_else(|| TemplateError::unknown(name, fields))
        })
    }

    /// Parses `text`, with `resolve` to say what each name between braces stands for.
    pub(crate) fn parse_with(
        text: &str,
        mut resolve: impl FnMut(&str) -> Result<Part, TemplateError>,
    ) -> Result<Self, TemplateError> {
        let mut parts = Vec::new();
        let mut literal = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            literal.push_str(&rest[..at]);
            let brace = &rest[at..=at];
            rest = &rest[at + 1..];
            if let Some(after) = rest.strip_prefix(brace) {
                literal.push_str(brace);
                rest = after;
            } else if brace == "}" {
                return Err(TemplateError::Unopened(text.to_owned()));
            } else {
                let (name, after) =
                    rest.split_once('}').ok_or_else(|| TemplateError::Unclosed(text.to_owned()))?;
                rest = after;
                if !literal.is_empty() {
                    parts.push(Part::Text(std::mem::take(&mut literal)));
                }
                parts.push(resolve(name)?);
            }
        }
        literal.push_str(rest);
        if !literal.is_empty() {
            parts.push(Part::Text(literal));
        }
        Ok(Self { parts })
    }

    /// Text without any places: braces stand for themselves.
    pub fn literal(text: &str) -> Self {
        Self { parts: vec![Part::Text(text.to_owned())] }
    }

    /// A template of these pieces, in order.
    pub const fn from_parts(parts: Vec<Part>) -> Self {
        Self { parts }
    }

    /// Bytes without any places.
    pub fn bytes(bytes: Vec<u8>) -> Self {
        Self { parts: vec![Part::Bytes(bytes)] }
    }

    /// The bytes that it always writes, where it inserts nothing.
    pub fn constant(&self) -> Option<&[u8]> {
        match self.parts.as_slice() {
            [] => Some(b""),
            [Part::Text(text)] => Some(text.as_bytes()),
            [Part::Bytes(bytes)] => Some(bytes),
            _ => None,
        }
    }

    /// The pieces, in order.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Appends the text for one row, and for one user's captured values.
    pub fn write(
        &self,
        data: &dyn ChallengeData,
        feeder: usize,
        row: u64,
        captured: &Captured,
        encoding: Encoding,
        out: &mut Vec<u8>,
    ) {
        self.write_with(|field, out| data.write_field(feeder, row, field, out), captured, encoding, out);
    }

    /// The same with `field` to write each field.
    pub(crate) fn write_with(
        &self,
        field: impl Fn(usize, &mut Vec<u8>),
        captured: &Captured,
        encoding: Encoding,
        out: &mut Vec<u8>,
    ) {
        for part in &self.parts {
            let (part, encoding) = match part {
                Part::Encoded { part, encoding } => (&**part, *encoding),
                part => (part, encoding),
            };
            let start = out.len();
            match part {
                Part::Text(text) => out.extend_from_slice(text.as_bytes()),
                Part::Bytes(bytes) => out.extend_from_slice(bytes),
                Part::Location(slot) | Part::Captured(slot) => {
                    out.extend_from_slice(captured.get(*slot).map_or(&[][..], Vec::as_slice));
                }
                Part::Field(number) => field(*number, out),
                Part::Encoded { .. } => {}
            }
            if part.is_value() {
                encoding.apply(out, start);
            }
        }
    }

    /// Slots of the captured values that it inserts.
    pub(crate) fn slots(&self) -> impl Iterator<Item = usize> {
        self.parts.iter().filter_map(Part::slot)
    }

    /// The same behind a text.
    #[must_use]
    pub(crate) fn behind(mut self, text: &str) -> Self {
        if !text.is_empty() {
            self.parts.insert(0, Part::Text(text.to_owned()));
        }
        self
    }
}

impl Part {
    /// Whether it inserts a value, which is written as the text around it wants it.
    const fn is_value(&self) -> bool {
        matches!(self, Self::Field(_) | Self::Captured(_))
    }

    /// Slot of the captured value that it inserts.
    fn slot(&self) -> Option<usize> {
        match self {
            Self::Location(slot) | Self::Captured(slot) => Some(*slot),
            Self::Encoded { part, .. } => part.slot(),
            _ => None,
        }
    }
}

impl Encoding {
    /// Encodes what `out` holds from `start` on.
    fn apply(self, out: &mut Vec<u8>, start: usize) {
        match self {
            Self::Raw => {}
            Self::Percent => encode_from(out, start, percent_encoded),
            Self::Json => encode_from(out, start, json_escaped),
        }
    }
}

/// What a byte becomes: the first so many bytes of these.
type Written = ([u8; 6], usize);

fn percent_encoded(byte: u8) -> Written {
    match byte {
        b'-' | b'.' | b'_' | b'~' => alone(byte),
        _ if byte.is_ascii_alphanumeric() => alone(byte),
        _ => ([b'%', digit(byte >> 4, true), digit(byte & 15, true), 0, 0, 0], 3),
    }
}

fn json_escaped(byte: u8) -> Written {
    let short = match byte {
        b'"' | b'\\' => byte,
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        8 => b'b',
        12 => b'f',
        0..32 => return ([b'\\', b'u', b'0', b'0', digit(byte >> 4, false), digit(byte & 15, false)], 6),
        _ => return alone(byte),
    };
    ([b'\\', short, 0, 0, 0, 0], 2)
}

const fn alone(byte: u8) -> Written {
    ([byte, 0, 0, 0, 0, 0], 1)
}

fn digit(half: u8, large: bool) -> u8 {
    let digits = if large { b"0123456789ABCDEF" } else { b"0123456789abcdef" };
    digits[usize::from(half & 15)]
}

/// Encodes what `out` holds from `start` on, in place: the engine writes requests into one buffer that it uses again and
/// again, so nothing is allocated here once that buffer has grown.
fn encode_from(out: &mut Vec<u8>, start: usize, encoded: impl Fn(u8) -> Written) {
    let length: usize = out[start..].iter().map(|byte| encoded(*byte).1).sum();
    let (mut read, mut write) = (out.len(), start + length);
    if write == read {
        return;
    }
    out.resize(write, 0);
    // From the back, so that nothing is overwritten before it is read.
    while read > start {
        read -= 1;
        let (bytes, length) = encoded(out[read]);
        write -= length;
        out[write..write + length].copy_from_slice(&bytes[..length]);
    }
}

#[cfg(test)]
mod tests;
