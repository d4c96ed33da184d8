//! Texts as searches compare them.

/// Stands between two fields of a haystack. UTF-8 has no such byte, so no term can reach from one field to
/// the next.
pub(super) const FIELD_END: u8 = 0xFF;

/// Lower case character by character. (`str::to_lowercase` looks at the neighbours of a sigma, so that a
/// piece of a text would not be contained in the text.)
pub(super) fn lower(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    lower_into(text, &mut out);
    out
}

/// Like [`lower`], at the end of a text.
pub(super) fn lower_into(text: &str, out: &mut String) {
    if text.is_ascii() {
        let start = out.len();
        out.push_str(text);
        out[start..].make_ascii_lowercase();
    } else {
        out.extend(text.chars().flat_map(char::to_lowercase));
    }
}

/// Elements of a list, one that is there several times only once.
pub(super) fn distinct<T: AsRef<str>>(list: &[T]) -> impl Iterator<Item = &str> {
    list.iter()
        .enumerate()
        .filter(|(at, entry)| !list[..*at].iter().any(|earlier| earlier.as_ref() == entry.as_ref()))
        .map(|(_, entry)| entry.as_ref())
}

#[cfg(test)]
mod tests {
    use super::{distinct, lower};

    #[test]
    fn a_piece_of_a_text_is_contained_in_it_after_lowering_both() {
        let text = "ΟΔΟΣ ΑΣΦΑΛΤΟΣ";
        for (start, _) in text.char_indices() {
            for (end, _) in text.char_indices().filter(|(end, _)| *end > start) {
                assert!(lower(text).contains(&lower(&text[start..end])), "{}", &text[start..end]);
            }
        }
    }

    #[test]
    fn what_is_there_twice_is_looked_into_once() {
        assert_eq!(distinct(&["C", "Go", "C", "C#", "Go"]).collect::<Vec<_>>(), ["C", "Go", "C#"]);
    }
}
