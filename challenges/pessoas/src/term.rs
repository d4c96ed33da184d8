//! The search terms: row `n` of the feeder `terms`. They repeat after 5,000 rows.

use crate::draw::{Draw, Key};
use crate::index;
use crate::person::{LETTERS, LETTERS_AND_SPACE};
use crate::text::Text;

/// Number of terms, after which they repeat.
pub(crate) const CIRCLE: u64 = 5000;

/// The term of a row: 1 to 50 letters and spaces, trimmed, never empty.
pub(crate) fn term(key: Key, row: u64) -> Text<50> {
    let mut draw = Draw::new(key, index::TERMS, row % CIRCLE);
    let length = 1 + draw.below(50) as usize;
    let text: Text<50> = Text::filled(length, |out| draw.fill(out, LETTERS_AND_SPACE));
    match text.as_bytes().trim_ascii() {
        [] => Text::filled(1, |out| draw.fill(out, LETTERS)),
        trimmed => Text::of_parts(&[trimmed]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_trimmed_and_never_empty() {
        for seed in 0..20 {
            for row in 0..CIRCLE {
                let term = term(Key::numbered(seed), row);
                let bytes = term.as_bytes();
                assert!(!bytes.is_empty() && bytes.len() <= 50);
                assert_eq!(bytes.trim_ascii(), bytes);
                assert!(bytes.iter().all(|b| b.is_ascii_alphabetic() || *b == b' '));
            }
        }
    }

    #[test]
    fn terms_repeat_after_the_circle_and_differ_within_it() {
        assert_eq!(term(Key::numbered(9), 17).as_bytes(), term(Key::numbered(9), 17 + 3 * CIRCLE).as_bytes());
        let different = (0..CIRCLE)
            .filter(|row| {
                term(Key::numbered(9), *row).as_bytes() != term(Key::numbered(9), row + 1).as_bytes()
            })
            .count();
        assert!(different > 4900, "{different}");
    }

    #[test]
    fn terms_of_one_to_three_letters_are_some_six_percent() {
        let short = (0..CIRCLE).filter(|row| term(Key::numbered(4), *row).as_bytes().len() <= 3).count();
        assert!((240..=380).contains(&short), "{short} of 5000");
        let spaced =
            (0..CIRCLE).filter(|row| term(Key::numbered(4), *row).as_bytes().contains(&b' ')).count();
        assert!(spaced > 1000, "{spaced} of 5000 have a space inside");
    }
}
