//! Text as TOML and YAML write it, whatever is in it.

/// A TOML string: between single quotation marks where that needs no escapes and spares some.
pub(super) fn toml(text: &str) -> String {
    let is_literal = !text.contains('\'') && !text.chars().any(char::is_control);
    if is_literal && text.contains(['"', '\\']) { format!("'{text}'") } else { escaped(text) }
}

/// A TOML key: bare where it may be.
pub(super) fn toml_key(text: &str) -> String {
    let is_bare =
        !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
    if is_bare { text.to_owned() } else { escaped(text) }
}

/// A YAML string for a Compose file, where a `$` begins a variable and `$$` is the sign itself.
pub(super) fn compose(text: &str) -> String {
    escaped(&text.replace('$', "$$"))
}

/// The text of a scenario: braces are written twice, since between single ones stands the name of a value.
pub(super) fn braces(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}")
}

/// Text that goes on in a comment: without anything that could end its line.
pub(super) fn comment(text: &str) -> String {
    let plain =
        |c: char| if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}') { ' ' } else { c };
    text.chars().map(plain).collect()
}

/// Between double quotation marks, with those escapes alone that TOML and YAML have in common.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            // YAML takes some of them for the ends of lines, and others for nothing at all.
            c if c.is_control()
                || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}') =>
            {
                out.push_str(&format!("\\u{:04X}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_need_as_few_escapes_as_can_be() {
        assert_eq!(toml("a"), r#""a""#);
        assert_eq!(toml(r#"{"a": 1}"#), r#"'{"a": 1}'"#);
        assert_eq!(toml("it's \"so\""), r#""it's \"so\"""#);
        assert_eq!(toml("a\nb\u{7f}"), r#""a\nb\u007F""#);
        assert_eq!(
            (toml_key("Content-Type"), toml_key("GET /")),
            ("Content-Type".into(), "\"GET /\"".into())
        );
        assert_eq!(compose("echo $HOME: # \u{2028}é"), "\"echo $$HOME: # \\u2028é\"");
    }
}
