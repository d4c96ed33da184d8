//! `galo limit` as it is told: the highest scale that a contender holds, and all holds that say so.

mod answers;
mod law;
mod reason;
mod told;

use galo_words::Figure;

use crate::digits::decimals;

pub use reason::not_met_words;
pub use told::{hold_line, limit};

/// A scale in thousandths, to three digits or so: `11.3`, `1.25`, `0.125`; without a fraction where it has none.
pub fn scale(milli: u64) -> Figure {
    let scale = milli as f64 / 1e3;
    let places = if scale < 1.0 { 3 } else { i32::from(scale < 10.0) + 1 };
    Figure::Plain(decimals(scale, places))
}

/// The same of a scale that is no number of thousandths.
pub fn scale_of(scale: f64) -> Figure {
    self::scale((scale * 1e3).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_is_told_to_three_digits_or_so() {
        let told: Vec<String> = [0, 125, 500, 1_000, 1_254, 2_500, 10_000, 11_313, 100_000]
            .map(|milli| scale(milli).to_string())
            .into();
        assert_eq!(told, ["0", "0.125", "0.5", "1", "1.25", "2.5", "10", "11.3", "100"]);
    }
}
