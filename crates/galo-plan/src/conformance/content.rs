//! Bytes in pieces, so that ten megabytes of one letter, or ten thousand brackets, are written in a few characters.

use serde::{Deserialize, Serialize};

/// Bytes to send, or that came.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Content(pub Vec<Piece>);

/// A piece of a [`Content`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Piece {
    /// Text, in what is sent with placeholders.
    Text(String),
    /// A text so many times, without placeholders.
    Repeat {
        /// The text.
        text: String,
        /// How often.
        times: usize,
    },
    /// What is no text.
    Octets {
        /// As in RFC 4648, section 4, where it is written down.
        #[serde(with = "in_base64")]
        base64: Vec<u8>,
    },
}

impl Content {
    /// Bytes that came: as text if they are UTF-8.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok("") => Self::default(),
            Ok(text) => Self::from(text),
            Err(_) => Self::default().octets(bytes),
        }
    }

    /// Followed by a text, which may hold placeholders.
    #[must_use]
    pub fn text(mut self, text: &str) -> Self {
        self.0.push(Piece::Text(text.to_owned()));
        self
    }

    /// Followed by a text so many times.
    #[must_use]
    pub fn repeated(mut self, text: &str, times: usize) -> Self {
        self.0.push(Piece::Repeat { text: text.to_owned(), times });
        self
    }

    /// Followed by bytes that are no text.
    #[must_use]
    pub fn octets(mut self, bytes: &[u8]) -> Self {
        self.0.push(Piece::Octets { base64: bytes.to_vec() });
        self
    }

    /// The bytes, with placeholders as they are written.
    pub fn bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for piece in &self.0 {
            match piece {
                Piece::Text(text) => out.extend_from_slice(text.as_bytes()),
                Piece::Repeat { text, times } => out.extend(text.as_bytes().repeat(*times)),
                Piece::Octets { base64 } => out.extend_from_slice(base64),
            }
        }
        out
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::default().text(text)
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self(vec![Piece::Text(text)])
    }
}

mod in_base64 {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(bytes))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        STANDARD.decode(String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_came_are_kept_whether_they_are_text_or_not() {
        for bytes in [&b""[..], b"text", b"\0\n", b"\xff\xfe", "é".as_bytes()] {
            let content = Content::of_bytes(bytes);
            assert_eq!(content.bytes(), bytes);
            let json = serde_json::to_string(&content).unwrap();
            assert_eq!(serde_json::from_str::<Content>(&json).unwrap(), content, "{json}");
        }
    }

    #[test]
    fn a_repetition_is_as_long_as_it_says() {
        assert_eq!(Content::from("a").repeated("[]", 3).text("b").bytes(), b"a[][][]b");
        assert_eq!(Content::default().repeated("x", 10 << 20).bytes().len(), 10 << 20);
    }
}
