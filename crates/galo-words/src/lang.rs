//! The two languages in which galo tells things, and how each writes figures.

use crate::{Noun, count};

/// The language in which something is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// Portuguese.
    Pt,
}

impl Lang {
    /// The one of two texts that is in this language.
    pub const fn pick<'a>(self, en: &'a str, pt: &'a str) -> &'a str {
        match self {
            Self::En => en,
            Self::Pt => pt,
        }
    }

    /// A figure written in English, in this language.
    pub fn figure(self, english: String) -> String {
        match self {
            Self::En => english,
            Self::Pt => with_decimal_commas(&english),
        }
    }

    /// A whole number: `54,635`.
    pub fn whole(self, number: u64) -> String {
        self.figure(count(number))
    }

    /// A number with so many decimals, without a sign between thousands.
    pub fn decimals(self, number: f64, decimals: usize) -> String {
        self.figure(format!("{number:.decimals$}"))
    }

    /// Nanoseconds as seconds with one decimal: `3.1 s`.
    pub fn seconds(self, ns: u64) -> String {
        format!("{} s", self.decimals(ns as f64 / 1e9, 1))
    }

    /// Nanoseconds as seconds to the microsecond: `3.100000 s`.
    pub fn moment(self, ns: u64) -> String {
        format!("{} s", self.decimals(ns as f64 / 1e9, 6))
    }

    /// A number of things: `1 operation`, `54,635 operations`.
    pub fn counted(self, number: u64, noun: Noun) -> String {
        let form = usize::from(number != 1);
        let noun = self.pick(noun.en[form], noun.pt[form]);
        format!("{} {noun}", self.whole(number))
    }

    /// Joins as in a sentence: `a`, `a and b`, `a, b and c`.
    pub fn listed(self, names: &[String]) -> String {
        match names {
            [] => String::new(),
            [one] => one.clone(),
            [most @ .., last] => format!("{} {} {last}", most.join(", "), self.pick("and", "e")),
        }
    }
}

/// Points and commas between digits, swapped.
pub(crate) fn with_decimal_commas(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let digit = |at: Option<usize>| at.and_then(|at| chars.get(at)).is_some_and(char::is_ascii_digit);
    let swapped = chars.iter().enumerate().map(|(at, &c)| match c {
        '.' | ',' if digit(at.checked_sub(1)) && digit(Some(at + 1)) => {
            if c == '.' {
                ','
            } else {
                '.'
            }
        }
        c => c,
    });
    swapped.collect()
}
