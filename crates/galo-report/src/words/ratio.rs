//! Ratios in sentences.

use galo_words::{Both, Figure, Lang, say, significant};

/// A ratio above 1 as percent above it, rounded up, since it is a bound: `1.2 %`.
pub(crate) fn percent_above(ratio: f64, lang: Lang) -> String {
    let percent = (ratio - 1.0) * 100.0;
    if percent < 9.9 {
        format!("{} %", lang.decimals((percent * 10.0).ceil() / 10.0, 1))
    } else {
        format!("{} %", lang.whole(percent.ceil() as u64))
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

/// A ratio and, where known, its interval: `0.971 (0.933 to 1.010)`, `31.7 (22.6 to 44.4)`, `1/987 (1/1,179 to 1/827)`.
pub(crate) fn ratio_in_words(ratio: f64, interval: Option<[f64; 2]>) -> Both {
    Both::each(|lang| {
        let written = |ratio| lang.figure(Figure::Ratio(ratio));
        let Some([low, high]) = interval.map(|bounds| bounds.map(written)) else { return written(ratio) };
        let ratio = written(ratio);
        say!(lang, "{ratio} ({low} to {high})", "{ratio} ({low} a {high})")
    })
}

/// A ratio of winner by loser as people say it: `38 % lower`, `2.4 times higher`. `lower` is what is better.
pub(crate) fn by_how_much(lower: bool, ratio: f64) -> Both {
    let (en, pt) = if lower { ("lower", "menor") } else { ("higher", "maior") };
    let far = if lower { 1.0 / ratio } else { ratio };
    if far >= 2.0 {
        let times = Both::figure(Figure::Number(far, 1));
        return Both::new(format!("{} times {en}", times.en), format!("{} vezes {pt}", times.pt));
    }
    let percent = Both::figure(Figure::Number(((ratio - 1.0) * 100.0).abs(), 0));
    Both::new(format!("{} % {en}", percent.en), format!("{} % {pt}", percent.pt))
}

/// What is divided by what: `new / old`.
pub(crate) fn ratio_of([dividend, divisor]: [&str; 2]) -> String {
    format!("{dividend} / {divisor}")
}

/// That a difference is none of noise, by how many pairs, and where the ratio lies for sure.
pub(crate) fn it_is_real(pairs: usize, of: [&str; 2], [low, high]: [f64; 2], p_value: Option<f64>) -> Both {
    let of = ratio_of(of);
    Both::each(|lang| {
        let [low, high] = [low, high].map(|bound| factor(bound, lang));
        let p = p_value.map(|p| lang.figure(Figure::Plain(significant(p, 2))));
        let p = p.map_or_else(String::new, |p| format!(", p = {p}"));
        say!(
            lang,
            "yes: {pairs} pairs, {of} between {low} and {high}{p}",
            "sim: {pairs} pares, {of} entre {low} e {high}{p}"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_is_told_in_three_digits_or_so_also_far_from_1() {
        let told = |ratio, low, high| ratio_in_words(ratio, Some([low, high])).en;
        assert_eq!(told(0.9712, 0.933, 1.01), "0.971 (0.933 to 1.010)");
        assert_eq!(told(31.7, 9.61, 144.4), "31.7 (9.610 to 144)");
        assert_eq!(told(0.001_013, 0.000_848, 0.05), "1/987 (1/1,179 to 1/20.0)");
        assert_eq!(ratio_in_words(0.1, None).en, "0.100");
        assert_eq!(ratio_in_words(31.7, Some([9.61, 1144.4])).pt, "31,7 (9,610 a 1.144)");
    }
}
