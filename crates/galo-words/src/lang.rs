//! The two languages in which galo tells things, and how each writes figures.

mod figure;

use crate::Noun;

pub use figure::{Figure, significant};

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

    /// A figure as this language writes it.
    pub fn figure(self, figure: impl Into<Figure>) -> String {
        figure.into().write(self)
    }

    /// A whole number: `54,635`.
    pub fn whole(self, number: u64) -> String {
        self.figure(Figure::Count(number))
    }

    /// A number with so many decimals, without a sign between thousands.
    pub fn decimals(self, number: f64, decimals: usize) -> String {
        self.number(&format!("{number:.decimals$}"))
    }

    pub(crate) const fn between_thousands(self) -> char {
        match self {
            Self::En => ',',
            Self::Pt => '.',
        }
    }

    pub(crate) const fn before_decimals(self) -> char {
        match self {
            Self::En => '.',
            Self::Pt => ',',
        }
    }

    /// A number that Rust wrote, with this language's sign before decimals.
    pub(crate) fn number(self, text: &str) -> String {
        text.chars().map(|c| if c == '.' { self.before_decimals() } else { c }).collect()
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
    pub fn counted(self, number: u64, noun: Noun<'_>) -> String {
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
