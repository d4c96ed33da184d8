//! Compose's `${...}` in values. galo gives a contender none of its own environment: a process' variable has its default
//! or nothing, a container's what [`Variables`] say. For processes `${volume:NAME}` is left standing, since only a round
//! knows the folder.
//!
//! Docker's own Compose resolves every value of a file, those of `x-galo` too, and refuses `${volume:NAME}` as malformed
//! (compose-go, `template.go`). Written as `$${volume:NAME}` it is plain text there, and comes out the same here.

mod variables;

pub(super) use variables::Variables;

/// How deep defaults may be nested in defaults.
const MAX_DEPTH: usize = 16;

const VOLUME: &str = "volume:";

/// Resolves `text`.
pub(super) fn interpolate(text: &str, variables: &Variables) -> Result<String, String> {
    resolve(text, variables, 0)
}

fn resolve(text: &str, variables: &Variables, depth: usize) -> Result<String, String> {
    if depth > MAX_DEPTH {
        return Err("defaults are nested too deep".to_owned());
    }
    let mut resolved = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        resolved.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('$') {
            resolved.push('$');
            rest = after;
        } else if let Some(after) = rest.strip_prefix('{') {
            let (inner, after) = braced(after).ok_or_else(|| format!("`${{` is never closed in `{text}`"))?;
            resolved.push_str(&substitute(inner, variables, depth)?);
            rest = after;
        } else {
            let (name, after) = rest.split_at(name_length(rest));
            if name.is_empty() {
                return Err(format!("a `$` stands alone in `{text}`\nhint: write `$$` for the sign itself"));
            }
            resolved.push_str(&value(name, &format!("${name}"), variables)?);
            rest = after;
        }
    }
    resolved.push_str(rest);
    Ok(resolved)
}

/// Splits at the brace that closes, past those of variables in between (as Compose does: other braces are text).
fn braced(text: &str) -> Option<(&str, &str)> {
    let mut open = 1;
    let mut previous = 0;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' if previous == b'$' => open += 1,
            b'}' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Some((&text[..at], &text[at + 1..]));
        }
        previous = byte;
    }
    None
}

fn substitute(inner: &str, variables: &Variables, depth: usize) -> Result<String, String> {
    let are_volumes_known = !variables.may_be_unset;
    if are_volumes_known && inner.starts_with(VOLUME) {
        return Ok(format!("${{{inner}}}"));
    }
    let (name, rest) = inner.split_at(name_length(inner));
    let rest = if name.is_empty() { "not a name" } else { rest };
    let set = variables.get(name)?;
    let (operation, set) = match rest.strip_prefix(':') {
        Some(operation) => (operation, set.filter(|value| !value.is_empty())),
        None => (rest, set),
    };
    let operand = |operation: &str| resolve(&operation[1..], variables, depth + 1);
    match (operation.chars().next(), set) {
        (None, _) if rest.is_empty() => value(name, &format!("${{{inner}}}"), variables),
        (Some('-' | '?'), Some(value)) => Ok(value.to_owned()),
        (Some('-'), None) | (Some('+'), Some(_)) => operand(operation),
        (Some('+'), None) => Ok(String::new()),
        (Some('?'), None) => Err(format!("`{name}` has no value: {}", &operation[1..])),
        _ => {
            let or_volume =
                if are_volumes_known { "neither a variable nor `${volume:NAME}`" } else { "no variable" };
            Err(format!("`${{{inner}}}` is {or_volume}\nhint: write `$$` for the sign itself"))
        }
    }
}

/// The value of a variable that is written so, without a default.
fn value(name: &str, written: &str, variables: &Variables) -> Result<String, String> {
    match variables.get(name)? {
        Some(value) => Ok(value.to_owned()),
        None if variables.may_be_unset => Ok(String::new()),
        None => Err(format!(
            "`{written}` has no value, since galo's own environment is not passed on\n\
             hint: write a default, `${{{name}:-...}}`, or `$$` where a `$` is meant"
        )),
    }
}

fn name_length(text: &str) -> usize {
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        return 0;
    }
    text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len())
}

/// The names in the `${volume:NAME}` of a resolved text, in order.
pub(super) fn volumes(text: &str) -> Result<Vec<&str>, String> {
    let good = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphanumeric())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || "_.-".contains(c))
    };
    let mut names = Vec::new();
    for piece in text.split("${volume:").skip(1) {
        match piece.split_once('}') {
            Some((name, _)) if good(name) => names.push(name),
            _ => return Err(format!("cannot read the volume in `{text}`; write `${{volume:NAME}}`")),
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn interpolate(text: &str) -> Result<String, String> {
        super::interpolate(text, &Variables::default())
    }

    #[test]
    fn variables_follow_composes_rules_with_an_empty_environment() {
        for (text, resolved) in [
            ("plain", "plain"),
            ("a${PORT:-80}b", "a80b"),
            ("${PORT-80}", "80"),
            ("${PORT:-}", ""),
            ("${A:-${B:-c}}", "c"),
            ("${A:+set}", ""),
            ("${A:-{}", "{"),
            ("${A:-{\"a\":1}}", "{\"a\":1}"),
            ("$$HOME", "$HOME"),
            ("$$$$", "$$"),
            ("${volume:data}/a", "${volume:data}/a"),
            ("${DIR:-${volume:data}}", "${volume:data}"),
            ("$${volume:data}", "${volume:data}"),
        ] {
            assert_eq!(interpolate(text).as_deref(), Ok(resolved), "{text}");
        }
    }

    #[test]
    fn what_has_no_value_is_named() {
        let error = |text: &str| interpolate(text).unwrap_err();
        insta::assert_snapshot!(error("a${PASSWORD}"), @r"
        `${PASSWORD}` has no value, since galo's own environment is not passed on
        hint: write a default, `${PASSWORD:-...}`, or `$$` where a `$` is meant
        ");
        insta::assert_snapshot!(error("a$PASSWORD/b"), @r"
        `$PASSWORD` has no value, since galo's own environment is not passed on
        hint: write a default, `${PASSWORD:-...}`, or `$$` where a `$` is meant
        ");
        insta::assert_snapshot!(error("${PASSWORD:?must be set}"), @"`PASSWORD` has no value: must be set");
        insta::assert_snapshot!(error("costs $5"), @r"
        a `$` stands alone in `costs $5`
        hint: write `$$` for the sign itself
        ");
        insta::assert_snapshot!(error("${PASSWORD"), @"`${` is never closed in `${PASSWORD`");
        insta::assert_snapshot!(error("${volumes:data}"), @r"
        `${volumes:data}` is neither a variable nor `${volume:NAME}`
        hint: write `$$` for the sign itself
        ");
        insta::assert_snapshot!(error("${}"), @r"
        `${}` is neither a variable nor `${volume:NAME}`
        hint: write `$$` for the sign itself
        ");
        insta::assert_snapshot!(error(&"${A:-".repeat(20)), @"`${` is never closed in `${A:-${A:-${A:-${A:-${A:-${A:-${A:-${A:-${A:-${A:-${A:-${A:-${A:-${A:-${A:-${A:-${A:-${A:-${A:-${A:-`");
        insta::assert_snapshot!(error(&format!("{}{}", "${A:-".repeat(20), "}".repeat(20))), @"defaults are nested too deep");
    }

    #[test]
    fn volumes_are_found_and_malformed_ones_refused() {
        assert_eq!(volumes("${volume:a}/x:${volume:b-1.c}"), Ok(vec!["a", "b-1.c"]));
        assert_eq!(volumes("none"), Ok(vec![]));
        insta::assert_snapshot!(volumes("${volume:../x}").unwrap_err(), @"cannot read the volume in `${volume:../x}`; write `${volume:NAME}`");
        insta::assert_snapshot!(volumes("${volume:}").unwrap_err(), @"cannot read the volume in `${volume:}`; write `${volume:NAME}`");
    }

    proptest! {
        #[test]
        fn arbitrary_text_never_panics(text in ".*", signs in "[${}:?+-aé_1]{0,40}") {
            for text in [text, signs] {
                let _ = interpolate(&text);
                let _ = volumes(&text);
            }
        }

        #[test]
        fn text_with_doubled_signs_comes_out_as_it_was(text in ".*") {
            prop_assert_eq!(interpolate(&text.replace('$', "$$")), Ok(text));
        }
    }
}
