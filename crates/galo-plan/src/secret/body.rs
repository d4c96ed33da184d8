//! Bodies of requests: values whose names are of secrets, in JSON and in forms. Another text that names a secret is not told at all.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Deserializer;

use super::names::is_secret;
use super::{MASK, in_urls, is_place};

/// [`MASK`] as JSON.
const MASKED: &str = "\"***\"";

/// A body as it stands on a command line: `@FILE`, `base64:...`, `text:...`, or the text itself.
pub(super) fn in_written(text: &str) -> String {
    if text.starts_with('@') {
        return text.to_owned();
    }
    match text.split_once(':') {
        Some(("base64", encoded)) => {
            let bytes = STANDARD_NO_PAD.decode(encoded.trim_end_matches('=')).unwrap_or_default();
            let holds_one = holds_secret(&String::from_utf8_lossy(&bytes));
            if holds_one { format!("base64:{MASK}") } else { text.to_owned() }
        }
        Some(("text", text)) => format!("text:{}", in_body(text)),
        _ => in_body(text),
    }
}

/// A body as it is sent, or as a template of it stands.
pub fn in_body(text: &str) -> String {
    if text.trim_start().starts_with(['{', '[']) {
        in_json(text)
    } else if is_form(text) {
        let told: Vec<String> = text.split('&').map(in_field).collect();
        told.join("&")
    } else if names_secret(text) {
        MASK.to_owned()
    } else {
        in_urls(text)
    }
}

fn holds_secret(text: &str) -> bool {
    in_body(text) != text
}

/// JSON, string by string. It may have places of a template in it; from where it cannot be read, it is not told.
fn in_json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('"') {
        let (before, behind) = rest.split_at(at);
        let string = first::<Cow<'_, str>>(behind).filter(|_| !names_secret(before));
        let Some((string, length)) = string else { return out + MASK };
        let (written, after) = behind.split_at(length);
        rest = after;
        out.push_str(before);
        let Some(value) = after.trim_start().strip_prefix(':').map(str::trim_start) else {
            out.push_str(if holds_secret(&string) { MASKED } else { written });
            continue;
        };
        out.push_str(written);
        if is_secret(&string) {
            out.push_str(&after[..after.len() - value.len()]);
            let Some(length) = value_length(value) else { return out + MASK };
            let (value, after) = value.split_at(length);
            let is_told = matches!(value, "null" | "\"\"") || is_place(value.trim_matches('"'));
            out.push_str(if is_told { value } else { MASKED });
            rest = after;
        }
    }
    out + if names_secret(rest) { MASK } else { rest }
}

/// The JSON value that a text begins with, and its length.
fn first<'a, T: Deserialize<'a>>(text: &'a str) -> Option<(T, usize)> {
    let mut values = Deserializer::from_str(text).into_iter::<T>();
    let value = values.next()?.ok()?;
    Some((value, values.byte_offset()))
}

/// The length of the JSON value, or of the place, that a text begins with.
fn value_length(text: &str) -> Option<usize> {
    let place = text.find('}').map(|end| end + 1).filter(|length| is_place(&text[..*length]));
    place.or_else(|| first::<IgnoredAny>(text).map(|(_, length)| length))
}

/// Whether a text is pairs `NAME=VALUE` between `&`.
fn is_form(text: &str) -> bool {
    let is_pair = |pair: &str| pair.split_once('=').is_some_and(|(name, _)| name.chars().all(is_of_name));
    text.split('&').all(is_pair)
}

fn in_field(pair: &str) -> String {
    let Some((name, value)) = pair.split_once('=') else { return pair.to_owned() };
    let is_told = !is_secret(name) || value.is_empty() || is_place(value);
    format!("{name}={}", if is_told { in_urls(value) } else { MASK.to_owned() })
}

/// Whether a text has a secret's name where names stand: between quotation marks, or before `:`, `=` or `>`.
fn names_secret(text: &str) -> bool {
    let mut rest = text.trim_start_matches(|c| !is_of_name(c));
    while !rest.is_empty() {
        let (name, after) = rest.split_at(rest.find(|c| !is_of_name(c)).unwrap_or(rest.len()));
        if is_secret(name) && after.trim_start().starts_with(['"', '\'', '\\', ':', '=', '>']) {
            return true;
        }
        rest = after.trim_start_matches(|c| !is_of_name(c));
    }
    false
}

fn is_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || "_-.[]%+".contains(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_json_a_value_whose_name_is_of_a_secret_is_masked_and_all_else_stays_as_it_was_written() {
        for (body, told) in [
            (r#"{"user":"bench","password":"hunter2"}"#, r#"{"user":"bench","password":"***"}"#),
            (r#"{ "api_key" : 12, "n": 1.0 }"#, r#"{ "api_key" : "***", "n": 1.0 }"#),
            (r#"{"p\u0061ssword":"a\"b","q":"\"x"}"#, r#"{"p\u0061ssword":"***","q":"\"x"}"#),
            (r#"{"secrets":["a",{"b":"c}"}],"q":["token"]}"#, r#"{"secrets":"***","q":["token"]}"#),
            (
                r#"[{"token":null},{"token":""},{"token":"{t}"}]"#,
                r#"[{"token":null},{"token":""},{"token":"{t}"}]"#,
            ),
            (r#"{"q":"how to reset a password"}"#, r#"{"q":"how to reset a password"}"#),
            (r#"{"query":"{ login(password: \"x\") { id } }","n":1}"#, r#"{"query":"***","n":1}"#),
            (r#"{"next":"http://u:p@h/?token=x"}"#, r#"{"next":"***"}"#),
            // A template is no JSON, but reads like it.
            (
                r#"{{"name":"{name}","pin":{pin},"token":"x"}}"#,
                r#"{{"name":"{name}","pin":{pin},"token":"***"}}"#,
            ),
            (r#"{{"password":{pwd},"n":1}}"#, r#"{{"password":{pwd},"n":1}}"#),
            // What is none at all is told as far as it can be read.
            (r#"{"n":1,"password":hunter2}"#, r#"{"n":1,"password":***"#),
            (r#"{"n":1,"q":"a", "password":"hunt"#, r#"{"n":1,"q":"a", "password":***"#),
            ("{password: 'hunter2'}", "***"),
        ] {
            assert_eq!(in_body(body), told);
        }
    }

    #[test]
    fn in_a_form_and_in_other_texts_too() {
        for (body, told) in [
            ("user=bench&password=hun ter;2#'&n=1", "user=bench&password=***&n=1"),
            ("token=", "token="),
            ("user%5Bpassword%5D=x", "user%5Bpassword%5D=***"),
            ("<login><user>a</user><password>b</password></login>", "***"),
            ("--x\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\nb\r\n--x--", "***"),
            ("mutation { login(password: \"b\") { id } }", "***"),
            ("see http://u:p@h/?page=2", "see http://***@h/?page=2"),
            ("how to reset a password", "how to reset a password"),
            ("", ""),
        ] {
            assert_eq!(in_body(body), told);
        }
    }

    #[test]
    fn a_body_is_masked_by_how_it_is_written() {
        for (written, told) in [
            ("@/run/login.json?token=x", "@/run/login.json?token=x"),
            ("random:64k", "random:64k"),
            ("text:{\"token\":1}", "text:{\"token\":\"***\"}"),
            ("base64:AAEC", "base64:AAEC"),
            // {"token":"x"}
            ("base64:eyJ0b2tlbiI6IngifQ==", "base64:***"),
        ] {
            assert_eq!(in_written(written), told);
        }
    }

    proptest::proptest! {
        #[test]
        fn of_a_secret_in_json_no_letter_is_told(secret in ".{1,20}", other in ".{0,20}") {
            let secret = format!("§§{secret}");
            for body in [
                serde_json::json!({"a": other, "password": secret, "z": [other, 1]}),
                serde_json::json!([{"b": {"token": [secret, {"x": secret}]}}, other]),
            ] {
                let told = in_body(&body.to_string());
                proptest::prop_assert!(!told.contains("§§"), "{told}");
            }
        }

        #[test]
        fn no_body_is_too_odd_to_be_read(text in "([ '\"=?&;:/@{}\\[\\],a-z1é-]|token|\"password\"){0,30}") {
            let _ = (in_body(&text), in_written(&text));
        }
    }
}
