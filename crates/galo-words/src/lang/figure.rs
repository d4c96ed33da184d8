//! Figures, and how each language writes them: `1,234.5 ms` in English, `1.234,5 ms` in Portuguese.

use std::fmt;

use super::Lang;

/// A figure. Languages write it with their own signs; `Display` writes English.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Figure {
    /// A whole number: `54,635`.
    Count(u64),
    /// A number with so many decimals: `1,234.5`.
    Number(f64, usize),
    /// A number with as many decimals as it has, and no sign between thousands: `0.25`.
    Plain(f64),
    /// The same with its unit: `1.5 GiB`.
    Of(f64, &'static str),
    /// A number with so many decimals and its unit: `12.5 us`, `1,200/s`.
    With(f64, usize, &'static str),
    /// Microseconds as milliseconds, with two decimals below ten: `1.23 ms`.
    Ms(f64),
    /// The same without the unit, which stands elsewhere.
    BareMs(f64),
    /// Seconds, with two decimals below one: `3.1 s`.
    Seconds(f64),
    /// Bytes as MiB: `12.3 MiB`.
    Mib(f64),
    /// A share as percent. A part that is not all is never `100 %`, and one that is there never `0 %`.
    Share(f64),
    /// A share as percent without decimals.
    WholeShare(f64),
    /// One figure divided by another, to three digits or so: `0.971`, `31.7`, `1/987`. Beyond a million it says no more than that.
    Ratio(f64),
}

/// The bounds of a ratio that little is known of may lie anywhere; beyond this their digits say nothing.
const FAR: f64 = 1e6;

impl Figure {
    /// Nanoseconds as seconds.
    pub fn seconds_of(ns: u64) -> Self {
        Self::Seconds(ns as f64 / 1e9)
    }

    /// Its number, in the unit that it is held in.
    pub const fn value(self) -> f64 {
        match self {
            Self::Count(n) => n as f64,
            Self::Number(value, _) | Self::Plain(value) | Self::Of(value, _) | Self::With(value, _, _) => {
                value
            }
            Self::Ms(value) | Self::BareMs(value) | Self::Seconds(value) | Self::Mib(value) => value,
            Self::Share(value) | Self::WholeShare(value) | Self::Ratio(value) => value,
        }
    }

    /// As a language writes it.
    pub fn write(self, lang: Lang) -> String {
        match self {
            Self::Count(n) => grouped(&n.to_string(), lang),
            Self::Number(value, decimals) => grouped(&format!("{value:.decimals$}"), lang),
            Self::Plain(value) => lang.number(&value.to_string()),
            Self::Of(value, unit) => format!("{} {unit}", Self::Plain(value).write(lang)),
            Self::With(value, decimals, unit) => {
                let space = if unit.starts_with('/') { "" } else { " " };
                format!("{}{space}{unit}", Self::Number(value, decimals).write(lang))
            }
            Self::Ms(us) => format!("{} ms", Self::BareMs(us).write(lang)),
            Self::BareMs(us) => Self::Number(us / 1e3, if us < 9_995.0 { 2 } else { 1 }).write(lang),
            Self::Seconds(s) => Self::With(s, if s > 0.0 && s < 0.95 { 2 } else { 1 }, "s").write(lang),
            Self::Mib(bytes) => Self::With(bytes / f64::from(1 << 20), 1, "MiB").write(lang),
            Self::Share(share) => percent(share, lang),
            Self::WholeShare(share) => format!("{:.0} %", share * 100.0),
            Self::Ratio(ratio) if ratio < 1.0 / FAR => format!("<1/{}", factor(FAR, lang)),
            Self::Ratio(ratio) if ratio > FAR => format!(">{}", factor(FAR, lang)),
            Self::Ratio(ratio) if ratio < 0.1 => format!("1/{}", factor(1.0 / ratio, lang)),
            Self::Ratio(ratio) => factor(ratio, lang),
        }
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.write(Lang::En))
    }
}

impl From<(f64, &'static str)> for Figure {
    fn from((value, unit): (f64, &'static str)) -> Self {
        Self::Of(value, unit)
    }
}

/// Rounds to a number of significant digits; a number that is not finite becomes 0.
pub fn significant(value: f64, digits: usize) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return 0.0;
    }
    // Through text, because a power of ten with a negative exponent is not exact: 0.07 would gain a tail.
    let precision = digits.saturating_sub(1);
    format!("{value:.precision$e}").parse().unwrap_or(value)
}

/// A number with its digits in groups of three. `text` is as Rust writes it.
fn grouped(text: &str, lang: Lang) -> String {
    let whole = text.find('.').unwrap_or(text.len());
    let mut out = String::with_capacity(text.len() + whole / 3);
    for (at, c) in text.char_indices() {
        let follows_a_digit = out.ends_with(|c: char| c.is_ascii_digit());
        if follows_a_digit && at < whole && (whole - at).is_multiple_of(3) {
            out.push(lang.between_thousands());
        }
        out.push(if c == '.' { lang.before_decimals() } else { c });
    }
    out
}

fn percent(share: f64, lang: Lang) -> String {
    let text = format!("{:.1}", share * 100.0);
    match text.as_str() {
        "0.0" if share > 0.0 => format!("<{} %", lang.number("0.1")),
        "100.0" if share < 1.0 => format!(">{} %", lang.number("99.9")),
        "0.0" => "0 %".to_owned(),
        "100.0" => "100 %".to_owned(),
        other => format!("{} %", lang.number(other)),
    }
}

/// A ratio of at least 0.1.
fn factor(ratio: f64, lang: Lang) -> String {
    let decimals = match ratio {
        ..9.9995 => 3,
        ..99.95 => 1,
        _ => 0,
    };
    Figure::Number(ratio, decimals).write(lang)
}

#[cfg(test)]
mod tests {
    use super::Figure::*;
    use super::*;

    fn written(figures: impl IntoIterator<Item = Figure>) -> Vec<String> {
        figures.into_iter().map(|figure| figure.to_string()).collect()
    }

    #[test]
    fn significant_digits_leave_no_binary_tail() {
        assert_eq!(significant(0.071_449, 3), 0.0714);
        assert_eq!(significant(123_456.0, 4), 123_500.0);
        assert_eq!(significant(1.0, 4), 1.0);
        assert_eq!(significant(f64::NAN, 4), 0.0);
    }

    #[test]
    fn each_language_writes_its_own_signs() {
        let figures = [Ms(1_234_500.0), Share(0.123), Share(1e-6), Plain(0.25), Of(1.5, "GiB"), Ratio(1.25)];
        let pt: Vec<_> = figures.map(|figure| figure.write(Lang::Pt)).into();
        assert_eq!(pt, ["1.234,5 ms", "12,3 %", "<0,1 %", "0,25", "1,5 GiB", "1,250"]);
        assert_eq!(written(figures), ["1,234.5 ms", "12.3 %", "<0.1 %", "0.25", "1.5 GiB", "1.250"]);
    }

    #[test]
    fn thousands_are_parted_by_commas() {
        assert_eq!(written([0, 999, 1_000, 1_234_567].map(Count)), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(written([Number(-12_345.67, 1), Number(-123.0, 0)]), ["-12,345.7", "-123"]);
        assert_eq!(written([With(1_200.0, 0, "/s"), With(12.5, 1, "us")]), ["1,200/s", "12.5 us"]);
    }

    #[test]
    fn milliseconds_keep_two_decimals_below_ten() {
        assert_eq!(written([1_234.0, 9_999.0, 6e7].map(Ms)), ["1.23 ms", "10.0 ms", "60,000.0 ms"]);
    }

    #[test]
    fn a_share_is_rounded_to_neither_nothing_nor_all() {
        let shares = [0.0, 0.000_1, 0.999_9, 1.0, 0.123_4];
        assert_eq!(written(shares.map(Share)), ["0 %", "<0.1 %", ">99.9 %", "100 %", "12.3 %"]);
    }

    #[test]
    fn a_ratio_has_three_digits_or_so_also_far_from_1() {
        let ratios = [0.9712, 31.7, 9.61, 144.4, 0.001_013, 0.05, 0.1];
        assert_eq!(written(ratios.map(Ratio)), ["0.971", "31.7", "9.610", "144", "1/987", "1/20.0", "0.100"]);
        let bounds = [0.0, 1e-9, 1e-6, 1e6, 1.78e8, f64::INFINITY];
        let far = ["<1/1,000,000", "<1/1,000,000", "1/1,000,000", "1,000,000", ">1,000,000", ">1,000,000"];
        assert_eq!(written(bounds.map(Ratio)), far);
    }
}
