//! Amounts as people write and read them in assertions: `50ms`, `0.1%`, `49,900/s`.

use galo_words::{Figure, Lang, significant};

/// Units of time and their length in microseconds, longest name first where one ends like another.
const TIMES: [(&str, f64); 6] = [("ns", 1e-3), ("us", 1.0), ("µs", 1.0), ("ms", 1e3), ("s", 1e6), ("m", 6e7)];

/// What a figure is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// Microseconds.
    Time,
    /// Operations.
    Count,
    /// A share of all intended operations, 0 to 1.
    Share,
    /// Operations per second.
    Rate,
}

impl Unit {
    /// The amount beside a bound that it is not: with nine digits where four would look like the bound.
    pub(super) fn show_beside(self, amount: f64, bound: f64, lang: Lang) -> String {
        let shown = self.show(amount, lang);
        if amount == bound || shown != self.show(bound, lang) {
            return shown;
        }
        let exact = |amount: f64| significant(amount, 9);
        lang.figure(match self {
            Self::Time => Figure::Of(exact(amount), "us"),
            Self::Count => Figure::Plain(exact(amount)),
            Self::Share => Figure::Of(exact(amount * 100.0), "%"),
            Self::Rate => return format!("{}/s", lang.figure(Figure::Plain(exact(amount)))),
        })
    }

    /// The amount as a language writes it. Four significant digits of a time: the histograms have three.
    pub(super) fn show(self, amount: f64, lang: Lang) -> String {
        // With as many decimals as it has, at most one.
        let decimals = usize::from((amount * 10.0).round() % 10.0 != 0.0);
        lang.figure(match self {
            Self::Time => time(amount),
            Self::Count => Figure::Number(amount, decimals),
            Self::Share => Figure::Of(significant(amount * 100.0, 4), "%"),
            Self::Rate => Figure::With(amount, decimals, "/s"),
        })
    }
}

/// Microseconds in the unit that suits them.
fn time(us: f64) -> Figure {
    let us = significant(us, 4);
    match us {
        us if us < 1e3 => Figure::Of(us, "us"),
        us if us < 1e6 => Figure::Of(significant(us / 1e3, 4), "ms"),
        us => Figure::Of(significant(us / 1e6, 4), "s"),
    }
}

/// A time such as `50ms` in microseconds.
pub(super) fn parse_time(text: &str) -> Option<f64> {
    let (digits, unit) = split(text);
    let (_, us) = TIMES.iter().find(|(name, _)| *name == unit)?;
    Some(parse_number(digits)? * us)
}

/// A share such as `0.1%`, as a part of one.
pub(super) fn parse_share(text: &str) -> Option<f64> {
    let (digits, unit) = split(text);
    (unit == "%").then(|| parse_number(digits)).flatten().map(|percent| percent / 100.0)
}

/// A rate such as `49900` or `49900/s`.
pub(super) fn parse_rate(text: &str) -> Option<f64> {
    let (digits, unit) = split(text);
    matches!(unit, "" | "/s").then(|| parse_number(digits)).flatten()
}

/// A whole number.
pub(super) fn parse_count(text: &str) -> Option<f64> {
    let whole = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    whole.then(|| parse_number(text)).flatten()
}

/// Number and unit.
fn split(text: &str) -> (&str, &str) {
    let at = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (digits, unit) = text.split_at(at);
    (digits, unit.trim_start())
}

/// Digits with at most one point: no sign, no exponent, and nothing that is no number.
fn parse_number(digits: &str) -> Option<f64> {
    let number: f64 = digits.parse().ok()?;
    (digits.bytes().any(|b| b.is_ascii_digit()) && number < 1e15).then_some(number)
}
