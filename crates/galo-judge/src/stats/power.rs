//! How small a difference so many pairs would find, and how many pairs a given one would need.
//!
//! An effect is a difference of logarithms in standard deviations of a pair's log ratio. The formula is that of
//! W. C. Guenther, "Sample size formulas for normal theory t tests", The American Statistician 35, 1981: the sample size
//! of a test with known variance, plus half of the squared quantile for not knowing it. A verdict also asks the sign-flip
//! test, which has few levels to choose from where pairs are few; the factor for that is fitted to simulated fights, and
//! a test holds the whole against them.
//!
//! What it leaves out: the noise is taken as known. From ten pairs it is itself uncertain by a quarter, and so is the
//! number of pairs by half. It is for planning, not for a verdict.

use statrs::distribution::{ContinuousCDF, Normal};

use super::smallest_p;

/// The share of fights in which a difference is to be found.
pub const POWER: f64 = 0.80;

/// More pairs than this are not driven, so a number above it helps nobody.
pub const MOST_PAIRS: usize = 1000;

/// The smallest effect that so many pairs find in [`POWER`] of fights at a two-sided level `alpha`. `None` where even
/// pairs that all agree find nothing.
pub fn smallest_effect(pairs: usize, alpha: f64) -> Option<f64> {
    let z = Normal::standard().inverse_cdf(1.0 - alpha / 2.0);
    let freedom = pairs as f64 - z * z / 2.0;
    // Of the sign patterns on either side so many reach the level; none: the test cannot.
    let patterns = (alpha / smallest_p(pairs)).floor();
    (patterns >= 1.0 && freedom > 0.0).then(|| {
        let signs = 1.0 + 0.2 * patterns.powf(-0.6);
        signs * (z + quantile()) / freedom.sqrt()
    })
}

/// The fewest pairs, at least `least`, that find an effect in [`POWER`] of fights; `None` above [`MOST_PAIRS`].
pub fn pairs_for(effect: f64, alpha: f64, least: usize) -> Option<usize> {
    let z = Normal::standard().inverse_cdf(1.0 - alpha / 2.0);
    // As many as it would take but for the signs: fewer never do.
    let without_signs = ((z + quantile()) / effect).powi(2) + z * z / 2.0;
    let least = least.max(without_signs as usize);
    (least..=MOST_PAIRS).find(|&pairs| smallest_effect(pairs, alpha).is_some_and(|found| found <= effect))
}

/// By how many of its standard deviations an estimate must be expected beyond a bound to be beyond it in [`POWER`] of
/// fights.
pub fn quantile() -> f64 {
    Normal::standard().inverse_cdf(POWER)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairing::{ALPHA_PRIMARY, ALPHA_SECONDARY};
    use crate::stats::{sign_flip_p, t_interval};
    use crate::testing::Noise;

    /// Share of simulated fights in which interval and permutation test both find an effect.
    fn found(pairs: usize, effect: f64, alpha: f64) -> f64 {
        const FIGHTS: usize = 600;
        let mut noise = Noise::seeded(pairs as u64);
        let found = (0..FIGHTS).filter(|_| {
            let ratios: Vec<f64> = (0..pairs).map(|_| noise.normal() + effect).collect();
            let [low, high] = t_interval(&ratios, alpha).expect("an interval");
            (low > 0.0 || high < 0.0) && sign_flip_p(&ratios).expect("a p value") <= alpha
        });
        found.count() as f64 / FIGHTS as f64
    }

    #[test]
    fn the_smallest_effect_is_found_in_about_eighty_of_a_hundred_simulated_fights() {
        for (alpha, pairs) in [(ALPHA_PRIMARY, [6, 7, 8, 10]), (ALPHA_SECONDARY, [9, 10, 11, 12])] {
            for pairs in pairs {
                let effect = smallest_effect(pairs, alpha).expect("enough pairs");
                let power = found(pairs, effect, alpha);
                assert!((0.76..=0.85).contains(&power), "{pairs} pairs at {alpha}: {effect} in {power}");
            }
        }
    }

    #[test]
    fn fewer_pairs_than_the_sign_flip_test_needs_find_nothing() {
        assert_eq!(smallest_effect(5, ALPHA_PRIMARY), None);
        assert_eq!(smallest_effect(8, ALPHA_SECONDARY), None);
        assert_eq!(pairs_for(100.0, ALPHA_PRIMARY, 0), Some(6));
        assert_eq!(pairs_for(100.0, ALPHA_SECONDARY, 0), Some(9));
    }

    #[test]
    fn half_the_effect_needs_about_four_times_the_pairs() {
        let pairs = |effect| pairs_for(effect, ALPHA_PRIMARY, 6).expect("not too many");
        // 8.38 / 0.25² + 2.1 by the formula, and a little more for the signs.
        assert_eq!((pairs(1.0), pairs(0.5), pairs(0.25)), (11, 36, 138));
        assert_eq!(pairs_for(0.01, ALPHA_PRIMARY, 6), None);
        assert_eq!(pairs_for(0.0, ALPHA_PRIMARY, 6), None);
    }
}
