//! Words: the two languages in which galo tells things, how each writes figures and counted things, and sentences in both.
//!
//! Depends on no crate of galo, so that whatever makes a fact can also hold its words. Knows of no fact and of no challenge.
//!
//! Its one key decision: a text is made in both languages at the same place, by [`say!`] or as [`Both`], so none can lack one.

mod both;
mod lang;
pub mod nouns;
mod numbers;

pub use both::Both;
pub use lang::Lang;
pub use nouns::Noun;
pub use numbers::{count, counted, mib, ms, ms_bare, number, percent, seconds, significant, whole_percent};

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
    fn figures_take_the_signs_of_their_language() {
        assert_eq!(Both::figure("1,234.5 ms").pt, "1.234,5 ms");
        assert_eq!(Both::figure("0.71, or so.").pt, "0,71, or so.");
        assert_eq!(Both::figure("p99").pt, "p99");
        assert_eq!(Lang::Pt.counted(54_635, OPERATION), "54.635 operações");
        assert_eq!(Lang::En.counted(1, OPERATION), "1 operation");
    }
}
