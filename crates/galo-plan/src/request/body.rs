//! Request bodies as people write them: text, `@file`, `random:64k`, `base64:AAEC`.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::draw::draw;
use crate::error::PlanError;
use crate::places::Places;
use crate::template::Template;
use crate::units;

/// First word of what is drawn for bodies.
const BODY: u64 = u64::from_be_bytes(*b"body\0\0\0\0");

/// Random bodies may be this long: each engine thread may hold a copy.
const MAX_RANDOM_BYTES: u64 = 1 << 30;

/// With the padding at the end, or without.
pub(super) const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Makes a body. A file that is UTF-8 is a template where texts are; any other is sent as it stands.
pub(super) fn resolve(text: &str, seed: u64, places: &mut Places<'_>) -> Result<Template, PlanError> {
    if let Some(path) = text.strip_prefix('@') {
        let read = std::fs::read(path);
        let bytes = read.map_err(|source| PlanError::Read { path: path.into(), source })?;
        return match String::from_utf8(bytes) {
            Ok(text) => template(&text, places),
            Err(error) => Ok(Template::bytes(error.into_bytes())),
        };
    }
    if let Some(length) = text.strip_prefix("random:") {
        let length = units::parse_bytes(length).map_err(|error| invalid(&error))?;
        if length > MAX_RANDOM_BYTES {
            return Err(invalid("random bytes may be 1 GiB at most\nhint: write for example `random:1MB`"));
        }
        return Ok(Template::bytes(random(seed, length as usize)));
    }
    if let Some(encoded) = text.strip_prefix("base64:") {
        let decoded = BASE64.decode(encoded);
        return decoded.map(Template::bytes).map_err(|error| {
            invalid(&format!(
                "not base64: {error}\nhint: write `text:` before a text that begins with `base64:`"
            ))
        });
    }
    template(text.strip_prefix("text:").unwrap_or(text), places)
}

fn template(text: &str, places: &mut Places<'_>) -> Result<Template, PlanError> {
    places.template(text).map_err(|error| {
        invalid(&format!(
            "{error}\nhint: write `{{{{` and `}}}}` for braces that are sent, such as those of JSON"
        ))
    })
}

fn random(seed: u64, length: usize) -> Vec<u8> {
    let mut bytes: Vec<u8> =
        (0..length.div_ceil(8) as u64).flat_map(|i| draw(seed, &[BODY, i]).to_le_bytes()).collect();
    bytes.truncate(length);
    bytes
}

fn invalid(message: &str) -> PlanError {
    PlanError::Invalid(format!("request body: {message}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn body(text: &str) -> Result<Template, String> {
        resolve(text, 7, &mut Places::new(false, None)).map_err(|error| error.to_string())
    }

    fn bytes(text: &str) -> Vec<u8> {
        body(text).unwrap().constant().unwrap().to_vec()
    }

    #[test]
    fn a_text_is_sent_as_it_stands_unless_a_prefix_says_what_it_is() {
        assert_eq!(bytes(r#"{"a":{}}"#), br#"{"a":{}}"#);
        assert_eq!(bytes("text:base64:AAEC"), b"base64:AAEC");
        assert_eq!(bytes("text:@file"), b"@file");
        assert_eq!(bytes("base64:AAEC/w=="), [0, 1, 2, 255]);
        assert_eq!(bytes("base64:AAEC/w"), [0, 1, 2, 255]);
        assert_eq!(bytes(""), b"");
    }

    #[test]
    fn random_bytes_are_drawn_once_by_seed() {
        assert_eq!(bytes("random:1001").len(), 1001);
        assert_eq!(bytes("random:4KiB"), bytes("random:4096"));
        let bytes = bytes("random:64k");
        let ones: u32 = bytes.iter().map(|byte| byte.count_ones()).sum();
        // Half of 524,288 bits; the standard deviation is 362.
        assert!((260_700..263_600).contains(&ones), "{ones}");
        assert_ne!(random(8, bytes.len()), bytes);
        assert_eq!(random(7, bytes.len()), bytes);
    }

    #[test]
    fn a_file_is_a_template_where_texts_are_and_bytes_where_it_is_no_text() {
        let folder = tempfile::tempdir().unwrap();
        let (text, binary) = (folder.path().join("text"), folder.path().join("binary"));
        std::fs::write(&text, "n={seq}").unwrap();
        std::fs::write(&binary, b"\xff{seq}").unwrap();
        let write = |path: &std::path::Path, enabled| {
            let mut places = Places::new(enabled, None);
            resolve(&format!("@{}", path.display()), 1, &mut places).unwrap()
        };
        assert_eq!(write(&text, false).constant(), Some(&b"n={seq}"[..]));
        assert_eq!(write(&text, true).parts().len(), 2);
        assert_eq!(write(&binary, true).constant(), Some(&b"\xff{seq}"[..]));
    }

    #[test]
    fn what_is_no_body_is_told() {
        insta::assert_snapshot!(body("@/no/such/file").unwrap_err(), @"cannot read `/no/such/file`: No such file or directory (os error 2)");
        insta::assert_snapshot!(body("random:many").unwrap_err(), @"request body: `many` is not a memory size; write for example `512MB` or `1.5GB`");
        insta::assert_snapshot!(body("random:2g").unwrap_err(), @"
        request body: random bytes may be 1 GiB at most
        hint: write for example `random:1MB`
        ");
        insta::assert_snapshot!(body("base64:a b").unwrap_err(), @"
        request body: not base64: Invalid symbol 32, offset 1.
        hint: write `text:` before a text that begins with `base64:`
        ");
        let error = resolve(r#"{"a":"{sq}"}"#, 1, &mut Places::new(true, None)).unwrap_err();
        insta::assert_snapshot!(error, @r#"
        request body: unknown name `{"a":"{sq}` (known: seq, uuid, random:1:100)
        hint: write `{{` and `}}` for braces that are sent, such as those of JSON
        "#);
    }

    proptest! {
        #[test]
        fn bytes_in_base64_are_sent_as_they_were(sent in prop::collection::vec(any::<u8>(), 0..64)) {
            prop_assert_eq!(bytes(&format!("base64:{}", BASE64.encode(&sent))), sent);
        }

        #[test]
        fn arbitrary_text_never_panics(text in "[^@].*", near in "(base64|random|text):[a-zA-Z0-9+/=]{0,8}") {
            prop_assume!(!near.contains('g') && !near.contains('G') && !near.contains('m') && !near.contains('M'));
            let _ = body(&text);
            let _ = body(&near.replace("random:", "random:0"));
        }
    }
}
