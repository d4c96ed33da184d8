//! How places are filled in where the text around them is a language of its own: JSON, or an HTML form.

use std::mem;

use serde::de::IgnoredAny;

use super::{Encoding, Part, Template};

impl Template {
    /// The same as the body of a request. `content_type`: the value of that header, empty where there is none.
    ///
    /// In JSON, by its type or by how it reads, what is filled in between quotes is escaped; a place outside of quotes
    /// stands for a number or a whole value, and is filled in as it stands. In a form, what is filled in beside a `=` is
    /// percent-encoded. Any other body is filled in as it stands.
    #[must_use]
    pub(crate) fn into_body(self, content_type: &str) -> Self {
        let content_type = content_type.to_ascii_lowercase();
        if content_type.contains("json") || self.reads_as_json() {
            return self.into_json();
        }
        if content_type.starts_with("application/x-www-form-urlencoded") { self.into_form() } else { self }
    }

    /// The same as JSON: what is filled in between quotes is escaped.
    #[must_use]
    pub(crate) fn into_json(mut self) -> Self {
        let mut reader = Strings::default();
        for part in &mut self.parts {
            match part {
                part if part.is_value() && reader.inside => {
                    *part = Part::Encoded { part: Box::new(part.clone()), encoding: Encoding::Json };
                }
                Part::Text(text) => reader.read(text),
                _ => {}
            }
        }
        self
    }

    /// Whether it is JSON with any values in its places.
    fn reads_as_json(&self) -> bool {
        let mut reader = Strings::default();
        let mut sample = String::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => {
                    reader.read(text);
                    sample.push_str(text);
                }
                Part::Bytes(_) => return false,
                _ => sample.push(if reader.inside { 'x' } else { '1' }),
            }
        }
        serde_json::from_str::<IgnoredAny>(&sample).is_ok()
    }

    /// The same as an HTML form: pairs between `&`. What stands for pairs as a whole, or for all of it, is left alone.
    fn into_form(mut self) -> Self {
        let starts_pair = |part: &Part| matches!(part, Part::Text(text) if text.contains('&'));
        let pair_of = |text: &str, last: bool| {
            let pair = if last { text.rsplit('&').next() } else { text.split('&').next() };
            pair.is_some_and(|pair| pair.contains('='))
        };
        let parts = mem::take(&mut self.parts);
        let beside_equals = |at: usize| {
            let before = parts[..at].iter().rposition(starts_pair).unwrap_or(0);
            let after = parts[at..].iter().position(starts_pair).map_or(parts.len(), |after| at + after + 1);
            let has_equals = |(index, part): (usize, &Part)| match part {
                Part::Text(text) if index < at && text.contains('&') => pair_of(text, true),
                Part::Text(text) if text.contains('&') => pair_of(text, false),
                Part::Text(text) => text.contains('='),
                _ => false,
            };
            parts.iter().enumerate().take(after).skip(before).any(has_equals)
        };
        let encode = |(at, part): (usize, &Part)| match part {
            part if part.is_value() && beside_equals(at) => {
                Part::Encoded { part: Box::new(part.clone()), encoding: Encoding::Percent }
            }
            part => part.clone(),
        };
        Self { parts: parts.iter().enumerate().map(encode).collect() }
    }
}

/// Reads JSON only so far that it is known what stands between quotes.
#[derive(Debug, Default)]
struct Strings {
    /// Whether a string is open.
    inside: bool,
    /// Whether the letter before was a backslash that means the next one.
    escaped: bool,
}

impl Strings {
    fn read(&mut self, text: &str) {
        for byte in text.bytes() {
            match byte {
                _ if mem::take(&mut self.escaped) => {}
                b'\\' if self.inside => self.escaped = true,
                b'"' => self.inside = !self.inside,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::{Answer, Ceiling, ChallengeData, Examination, Question, Seen};

    /// Every field is this text.
    struct Cell<'a>(&'a str);

    impl ChallengeData for Cell<'_> {
        fn write_field(&self, _: usize, _: u64, _: usize, out: &mut Vec<u8>) {
            out.extend_from_slice(self.0.as_bytes());
        }
        fn ceiling(&self) -> Ceiling {
            Ceiling { min: 0, max: 0 }
        }
        fn examine(&self, _: &Question, _: &Answer<'_>, _: &mut Vec<Seen>) -> Examination {
            Examination::RIGHT
        }
    }

    fn written(template: &str, content_type: &str, cell: &str) -> String {
        let template = Template::parse(template, &["cell"]).unwrap().into_body(content_type);
        let mut out = b"before ".to_vec();
        template.write(&Cell(cell), 0, 0, &[], Encoding::Raw, &mut out);
        String::from_utf8(out).unwrap().strip_prefix("before ").unwrap().to_owned()
    }

    const NASTY: &str = "a \"b\" \\ \n\t\u{8}\u{1} é";

    #[test]
    fn between_quotes_of_json_a_value_is_escaped_and_elsewhere_it_stands_as_it_is() {
        let escaped = r#"{"n":"x a \"b\" \\ \n\t\b\u0001 é","q":"\""}"#;
        let template = r#"{{"n":"x {cell}","q":"\""}}"#;
        for content_type in ["", "application/json", "application/vnd.api+json; charset=utf-8", "text/plain"]
        {
            assert_eq!(written(template, content_type, NASTY), escaped, "{content_type}");
        }
        assert_eq!(written(r#"{{"n":{cell},"m":"{cell}"}}"#, "", "3"), r#"{"n":3,"m":"3"}"#);
        let whole = r#"{"a":["b\"c"]}"#;
        assert_eq!(written("{cell}", "application/json", whole), whole);
        assert_eq!(written("[{cell}]", "", whole), format!("[{whole}]"));
    }

    #[test]
    fn a_text_of_json_by_its_type_need_not_be_right() {
        let lines = "{{\"a\":\"{cell}\"}}\n{{\"b\":\"{cell}\"}}";
        assert_eq!(written(lines, "application/x-ndjson", "\""), "{\"a\":\"\\\"\"}\n{\"b\":\"\\\"\"}");
        assert_eq!(written(lines, "", "\""), "{\"a\":\"\"\"}\n{\"b\":\"\"\"}", "two texts are no JSON");
    }

    #[test]
    fn in_a_form_a_value_is_percent_encoded_and_a_whole_pair_is_not() {
        let form = "application/x-www-form-urlencoded";
        assert_eq!(
            written("a={cell}&b=x{cell}y&{cell}", form, "1&2=3 é"),
            "a=1%262%3D3%20%C3%A9&b=x1%262%3D3%20%C3%A9y&1&2=3 é"
        );
        assert_eq!(written("{cell}={cell}", form, "a b"), "a%20b=a%20b");
        assert_eq!(written("{cell}", form, "a=b&c=d"), "a=b&c=d");
        assert_eq!(written("{cell}&a=b&{cell}", form, "c=d"), "c=d&a=b&c=d");
    }

    #[test]
    fn any_other_body_is_filled_in_as_it_stands() {
        assert_eq!(written("said: \"{cell}\"", "", NASTY), format!("said: \"{NASTY}\""));
        assert_eq!(written("<a b=\"{cell}\"/>", "application/xml", "\""), "<a b=\"\"\"/>");
    }

    proptest! {
        #[test]
        fn what_is_filled_in_reads_back_from_the_json(cell in ".*", around in "[a-zé \\\\]{0,6}") {
            let around_escaped = around.replace('\\', "\\\\");
            let body = written(&format!(r#"{{{{"k":"{around_escaped}{{cell}}"}}}}"#), "", &cell);
            let value: serde_json::Value = serde_json::from_str(&body).unwrap();
            prop_assert_eq!(value["k"].as_str().unwrap(), format!("{around}{cell}"));
        }

        #[test]
        fn arbitrary_templates_never_panic(text in "[a-z\"\\\\&=]{0,9}(\\{cell\\})?[a\"&=]{0,5}(\\{cell\\})?", cell: String) {
            for content_type in ["", "json", "application/x-www-form-urlencoded"] {
                let _ = written(&text, content_type, &cell);
            }
        }
    }
}
