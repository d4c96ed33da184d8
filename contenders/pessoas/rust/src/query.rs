//! The query string of a search.

/// What a query says about `t`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Term {
    /// There is no `t`, it is empty, or its bytes are no UTF-8.
    Unusable,
    /// Decoded; never empty.
    Text(String),
}

/// Reads `t` from a query string, the first if there are several.
pub(crate) fn term(query: &str) -> Term {
    let value = query.split('&').find_map(|pair| pair.strip_prefix("t="));
    match value.map(|text| String::from_utf8(decode(text))) {
        Some(Ok(text)) if !text.is_empty() => Term::Text(text),
        _ => Term::Unusable,
    }
}

/// Decodes `%XX` and `+`; a `%` without two hex digits stands for itself, as browsers have it.
fn decode(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let escaped = match byte {
            b'%' => bytes.get(at + 1).copied().and_then(hex).zip(bytes.get(at + 2).copied().and_then(hex)),
            _ => None,
        };
        out.push(match (byte, escaped) {
            (_, Some((high, low))) => high << 4 | low,
            (b'+', None) => b' ',
            (other, None) => other,
        });
        at += if escaped.is_some() { 3 } else { 1 };
    }
    out
}

fn hex(digit: u8) -> Option<u8> {
    (digit as char).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::{Term, term};

    #[test]
    fn escapes_and_plus_signs_are_decoded_and_broken_escapes_stand_for_themselves() {
        for (query, want) in [
            ("t=node", "node"),
            ("t=C%2B%2B", "C++"),
            ("t=a+b", "a b"),
            ("t=100%25", "100%"),
            ("t=100%", "100%"),
            ("t=%4", "%4"),
            ("t=%zz", "%zz"),
            ("t=JOS%C3%89", "JOSÉ"),
            ("x=1&t=a=b&t=c", "a=b"),
        ] {
            assert_eq!(term(query), Term::Text(want.to_owned()), "{query}");
        }
    }

    #[test]
    fn a_term_that_is_absent_empty_or_not_utf8_is_unusable() {
        for query in ["", "t", "t=", "tt=a", "x=t=1", "t=%FF"] {
            assert_eq!(term(query), Term::Unusable, "{query}");
        }
    }
}
