//! Ratios in sentences.

use super::lang::{Lang, say};

/// A ratio above 1 as percent above it, rounded up, since it is a bound: `1.2 %`.
pub(crate) fn percent_above(ratio: f64, lang: Lang) -> String {
    let percent = (ratio - 1.0) * 100.0;
    if percent < 9.9 {
        format!("{} %", lang.decimals((percent * 10.0).ceil() / 10.0, 1))
    } else {
        format!("{:.0} %", percent.ceil())
    }
}

/// A ratio with as many decimals as it needs to differ from 1 or from 0, and no more than three digits or so.
pub(crate) fn factor(ratio: f64, lang: Lang) -> String {
    let decimals = match ratio {
        ..0.0095 => 5,
        ..0.095 | 0.95..1.05 => 3,
        ..9.95 => 2,
        ..99.5 => 1,
        _ => return lang.whole(ratio.round() as u64),
    };
    lang.decimals(ratio, decimals)
}

/// `0.62 times (0.58 to 0.67)`.
pub(crate) fn times(ratio: f64, [low, high]: [f64; 2], lang: Lang) -> String {
    let [ratio, low, high] = [ratio, low, high].map(|ratio| factor(ratio, lang));
    say!(lang, "{ratio} times ({low} to {high})", "{ratio} vezes ({low} a {high})")
}
