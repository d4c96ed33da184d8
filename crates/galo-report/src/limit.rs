//! `galo limit` as it is told: the highest scale that a contender holds, and all holds that say so.

mod reason;
mod told;

use galo_words::number;

pub use reason::not_met_words;
pub use told::{hold_line, limit};

/// A scale in thousandths, to three digits or so: `11.3`, `1.25`, `0.125`; without a fraction where it has none.
pub fn scale_words(milli: u64) -> String {
    let scale = milli as f64 / 1e3;
    let places = if scale < 1.0 { 3 } else { usize::from(scale < 10.0) + 1 };
    let text = number(scale, places);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_is_told_to_three_digits_or_so() {
        let told: Vec<String> =
            [0, 125, 500, 1_000, 1_254, 2_500, 10_000, 11_313, 100_000].map(scale_words).into();
        assert_eq!(told, ["0", "0.125", "0.5", "1", "1.25", "2.5", "10", "11.3", "100"]);
    }
}
