//! Short ASCII text of bounded length without allocation, and the comparison that a search makes.

/// At most `N` ASCII characters (and at most 255).
#[derive(Clone, Copy)]
pub(crate) struct Text<const N: usize> {
    bytes: [u8; N],
    length: u8,
}

impl<const N: usize> Text<N> {
    /// Text of `length` characters written by `fill`.
    pub(crate) fn filled(length: usize, fill: impl FnOnce(&mut [u8])) -> Self {
        let mut bytes = [0; N];
        let length = length.min(N);
        fill(&mut bytes[..length]);
        Self { bytes, length: length as u8 }
    }

    /// The text of several parts; what does not fit is cut.
    pub(crate) fn of_parts(parts: &[&[u8]]) -> Self {
        let mut bytes = [0; N];
        let mut length = 0;
        for byte in parts.iter().flat_map(|part| part.iter()).take(N) {
            bytes[length] = *byte;
            length += 1;
        }
        Self { bytes, length: length as u8 }
    }

    /// The text.
    pub(crate) fn as_str(&self) -> &str {
        // Never fails: all characters are ASCII.
        std::str::from_utf8(self.as_bytes()).unwrap_or_default()
    }

    /// The text as bytes.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }
}

/// Whether a search for `needle` (ASCII) finds `text`: whether it is contained whatever the letter case, by Unicode
/// lower case on both sides.
pub(crate) fn contains_ignoring_case(text: &str, needle: &[u8]) -> bool {
    if text.is_ascii() {
        return contains_ascii(text.as_bytes(), needle);
    }
    // A letter beyond ASCII may have an ASCII lower case: `K` (Kelvin) is `k`.
    contains_ascii(text.to_lowercase().as_bytes(), needle)
}

fn contains_ascii(text: &[u8], needle: &[u8]) -> bool {
    needle.is_empty() || text.windows(needle.len()).any(|window| window.eq_ignore_ascii_case(needle))
}

/// `text` in quotes for a message: escaped onto one line, and cut where it is long.
pub(crate) fn quoted(text: &str) -> String {
    const LONGEST: usize = 120;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{:?}... ({} bytes)", &text[..end], text.len()),
        None => format!("{text:?}"),
    }
}

/// A message from elsewhere on one line, and cut where it is long.
pub(crate) fn one_line(message: &str) -> String {
    const LONGEST: usize = 200;
    let line: String = message.chars().take(LONGEST).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if line.len() < message.len() { line + "..." } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_ignores_the_case_of_both_sides() {
        assert!(contains_ignoring_case("Node.js", b"NODE"));
        assert!(contains_ignoring_case("xNoDe", b"node"));
        assert!(!contains_ignoring_case("nod", b"node"));
        assert!(!contains_ignoring_case("", b"a"));
    }

    #[test]
    fn text_beyond_ascii_is_searched_by_its_lower_case() {
        assert!(contains_ignoring_case("JOSÉ Antonio", b"antonio"));
        assert!(contains_ignoring_case("\u{212a}elvin", b"kelvin"));
        assert!(!contains_ignoring_case("José", b"jose"));
    }

    #[test]
    fn quoted_text_is_one_bounded_line() {
        assert_eq!(quoted("a\n\"b\""), r#""a\n\"b\"""#);
        let long = quoted(&"é".repeat(5000));
        assert!(long.len() < 300 && long.ends_with("(10000 bytes)"), "{long}");
        assert_eq!(one_line("two\nlines"), "two lines");
        assert!(one_line(&"x".repeat(5000)).len() < 300);
    }
}
