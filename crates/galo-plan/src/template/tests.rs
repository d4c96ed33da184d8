use proptest::prelude::*;

use super::*;
use crate::model::{Answer, Ceiling, Examination, Question, Seen};

/// Every field is this text, then its row and number.
struct Constant(&'static str);

impl ChallengeData for Constant {
    fn write_field(&self, _: usize, row: u64, field: usize, out: &mut Vec<u8>) {
        out.extend_from_slice(format!("{}{row}.{field}", self.0).as_bytes());
    }
    fn ceiling(&self) -> Ceiling {
        Ceiling { min: 0, max: 0 }
    }
    fn examine(&self, _: &Question, _: &Answer<'_>, _: &mut Vec<Seen>) -> Examination {
        Examination::RIGHT
    }
}

fn written(template: &str, encoding: Encoding) -> String {
    let part = |name: &str| match name {
        "location" => Ok(Part::Location(1)),
        "token" => Ok(Part::Captured(0)),
        _ => Ok(Part::Field(usize::from(name == "term"))),
    };
    let template = Template::parse_with(template, part).unwrap();
    let mut out = b"kept ".to_vec();
    let captured = [b"a/b c".to_vec(), b"/pessoas/a%20b".to_vec()];
    template.write(&Constant("C++ é"), 0, 7, &captured, encoding, &mut out);
    String::from_utf8(out).unwrap()
}

#[test]
fn fields_are_encoded_in_targets_and_raw_in_bodies() {
    assert_eq!(written("/p?t={term}&x=a b", Encoding::Percent), "kept /p?t=C%2B%2B%20%C3%A97.1&x=a b");
    assert_eq!(written(r#"{{"a":"{body}"}}"#, Encoding::Raw), r#"kept {"a":"C++ é7.0"}"#);
}

#[test]
fn a_captured_address_is_never_changed_and_any_other_value_is_as_a_field_is() {
    assert_eq!(written("{location}", Encoding::Percent), "kept /pessoas/a%20b");
    assert_eq!(written("/t/{token}", Encoding::Percent), "kept /t/a%2Fb%20c");
    assert_eq!(written("Bearer {token}", Encoding::Raw), "kept Bearer a/b c");
}

#[test]
fn what_is_wrong_in_a_template_is_named() {
    let error = |text: &str| Template::parse(text, &["body", "term"]).unwrap_err().to_string();
    insta::assert_snapshot!(error("/p?t={trm}"), @"unknown name `{trm}` (known: body, term); did you mean `{term}`?");
    insta::assert_snapshot!(error("/p?t={location}"), @"unknown name `{location}` (known: body, term)");
    insta::assert_snapshot!(error("/p?t={term"), @"`{` is never closed in `/p?t={term`");
    insta::assert_snapshot!(error("/p?t=term}"), @"`}` has no `{` in `/p?t=term}`; write `}}` for the brace itself");
}

proptest! {
    #[test]
    fn text_with_doubled_braces_is_written_as_it_was(text in ".*") {
        let template = Template::parse(&text.replace('{', "{{").replace('}', "}}"), &[]).unwrap();
        let mut out = Vec::new();
        template.write(&Constant(""), 0, 0, &[], Encoding::Percent, &mut out);
        prop_assert_eq!(String::from_utf8(out).unwrap(), text);
    }

    #[test]
    fn arbitrary_text_never_panics(text in ".*", braces in "[{}aé]{0,12}") {
        let _ = Template::parse(&text, &["a"]);
        let _ = Template::parse(&braces, &["a"]);
    }

    #[test]
    fn percent_encoding_is_undone_by_decoding(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let mut out = b"/".to_vec();
        out.extend_from_slice(&bytes);
        encode_from(&mut out, 1, percent_encoded);
        let mut decoded = Vec::new();
        let mut rest = &out[1..];
        while let Some((first, after)) = rest.split_first() {
            if *first == b'%' {
                let hex = std::str::from_utf8(&after[..2]).unwrap();
                decoded.push(u8::from_str_radix(hex, 16).unwrap());
                rest = &after[2..];
            } else {
                decoded.push(*first);
                rest = after;
            }
        }
        prop_assert_eq!(decoded, bytes);
    }
}
