//! Words: the two languages in which galo tells things, how each writes figures and counted things, and sentences in both.
//!
//! Depends on no crate of galo, so that whatever makes a fact can also hold its words. Knows of no fact and of no challenge.
//!
//! Its one key decision: a text is made in both languages at the same place, by [`say!`] or as [`Both`], so none can lack
//! one. A [`Figure`] stays a number until a language writes it.

mod both;
mod lang;
pub mod nouns;

pub use both::Both;
pub use lang::{Figure, Lang, significant};
pub use nouns::Noun;

/// A sentence in one of the languages, with the figures that are in scope.
#[macro_export]
macro_rules! say {
    ($lang:expr, $en:literal, $pt:literal $(,)?) => {
        match $lang {
            $crate::Lang::En => format!($en),
            $crate::Lang::Pt => format!($pt),
        }
    };
}

#[cfg(test)]
mod tests {
    use super::nouns::OPERATION;
    use super::*;

    #[test]
    fn things_are_counted_in_the_words_and_signs_of_their_language() {
        assert_eq!(Both::figure(Figure::Ms(1_234_500.0)), Both::word("1,234.5 ms", "1.234,5 ms"));
        assert_eq!(Lang::Pt.counted(54_635, OPERATION), "54.635 operações");
        assert_eq!(Lang::En.counted(1, OPERATION), "1 operation");
        assert_eq!([Lang::En, Lang::Pt].map(|lang| lang.decimals(1_234.5, 1)), ["1234.5", "1234,5"]);
    }
}
