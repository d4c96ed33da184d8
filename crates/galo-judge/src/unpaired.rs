//! Figures of rounds that did not alternate: of different runs, on another day, maybe of another build.
//!
//! Whatever changed between the runs is in the ratio and not in its interval, which holds the luck of rounds alone. So
//! nobody is called better here, however far from 1 the interval lies. Formulas in `docs/explanation/verdict.md`.

use crate::stats;

/// Chance that an interval misses the ratio of what the two runs' rounds would come to if there were more of them.
pub const ALPHA: f64 = 0.05;

/// The fewest rounds of each that have an interval. Simulated with noise three times as large in one run as in the other, it
/// misses in 5 to 7 % of cases from three rounds on; with two of one and six of the other in 11 %.
pub const LEAST_ROUNDS: usize = 3;

/// How two samples differ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unpaired {
    /// First divided by second, of their geometric means.
    pub ratio: f64,
    /// Its interval; `None` below [`LEAST_ROUNDS`] of either.
    pub interval: Option<[f64; 2]>,
}

/// Compares one figure of two runs' rounds. What is not above 0 does not count. `None` where nothing is left of either.
pub fn unpaired(first: &[f64], second: &[f64]) -> Option<Unpaired> {
    let logs = |figures: &[f64]| -> Vec<f64> {
        figures.iter().filter(|f| f.is_finite() && **f > 0.0).map(|f| f.ln()).collect()
    };
    let (first, second) = (logs(first), logs(second));
    let ratio = (stats::mean(&first)? - stats::mean(&second)?).exp();
    let enough = first.len().min(second.len()) >= LEAST_ROUNDS;
    let interval = enough.then(|| stats::welch_interval(&first, &second, ALPHA)).flatten();
    let interval = interval.map(|bounds| bounds.map(f64::exp));
    Some(Unpaired { ratio, interval })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::SplitMix64;

    #[test]
    fn the_interval_is_that_of_a_worked_example() {
        // By hand: m = ln 0.776 927, v = 2.634 75 degrees of freedom, t = 3.447 19.
        let told = unpaired(&[100.0, 110.0, 105.0, 98.0], &[120.0, 150.0, 130.0]).unwrap();
        let [low, high] = told.interval.unwrap();
        for (found, expected) in [(told.ratio, 0.776_927), (low, 0.609_914), (high, 0.989_672)] {
            assert!((found - expected).abs() < 1e-6, "{told:?}");
        }
    }

    #[test]
    fn two_rounds_have_a_ratio_and_no_interval() {
        let told = unpaired(&[2.0, 2.1], &[1.0, 1.1, 1.2]).unwrap();
        assert!(told.ratio > 1.8 && told.interval.is_none());
        assert_eq!(unpaired(&[], &[1.0]), None);
        assert_eq!(unpaired(&[0.0, f64::NAN], &[1.0]), None);
    }

    #[test]
    fn what_never_varies_has_an_interval_without_width() {
        assert_eq!(unpaired(&[3.0; 4], &[3.0; 3]), Some(Unpaired { ratio: 1.0, interval: Some([1.0, 1.0]) }));
    }

    /// A normal value: the sum of twelve uniform ones, less six.
    fn normal(random: &mut SplitMix64) -> f64 {
        (0..12).map(|_| (random.next() >> 11) as f64 / (1_u64 << 53) as f64).sum::<f64>() - 6.0
    }

    #[test]
    fn intervals_of_few_rounds_of_unlike_noise_miss_the_truth_about_as_often_as_they_may() {
        const FIGHTS: usize = 4_000;
        let mut random = SplitMix64(1);
        for (n, m) in [(3, 3), (3, 6), (6, 6), (6, 12)] {
            for (s, t) in [(0.03, 0.03), (0.03, 0.1), (0.1, 0.03)] {
                let missed = (0..FIGHTS).filter(|_| {
                    let mut rounds = |n: usize, noise: f64| -> Vec<f64> {
                        (0..n).map(|_| (noise * normal(&mut random)).exp()).collect()
                    };
                    let (first, second) = (rounds(n, s), rounds(m, t));
                    let [low, high] = unpaired(&first, &second).unwrap().interval.unwrap();
                    low > 1.0 || high < 1.0
                });
                let share = missed.count() as f64 / FIGHTS as f64;
                assert!(share < 0.075, "{n} rounds of noise {s} and {m} of {t}: {share}");
            }
        }
    }
}
