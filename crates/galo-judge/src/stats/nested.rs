//! The mean of what was measured at two levels: parts within starts, of which each start has a luck of its own.
//!
//! A start's mean varies by its luck and by the noise of its parts. Both together are seen in how the starts' means differ, once there
//! are several; before that, the luck is taken to be what it was of other programs ([`Luck`]). The two are pooled as moderated t
//! statistics do: G. K. Smyth, "Linear models and empirical Bayes methods for assessing differential expression in microarray
//! experiments", Stat. Appl. Genet. Mol. Biol. 3, 2004 (the pooled variance, and a t distribution with the degrees of freedom of
//! both). The variance that is expected of a start, its luck plus the noise within starts as this run shows it, has degrees of freedom
//! by F. E. Satterthwaite, "An approximate distribution of estimates of variance components", Biometrics Bulletin 2, 1946. Why starts
//! are a level: T. Kalibera, R. Jones, "Rigorous benchmarking in reasonable time", ISMM 2013.

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::{deviation, mean, power};

/// By how much the starts of a program differ, as was seen of others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Luck {
    /// Standard deviation of the logarithm of a ratio of two starts.
    pub deviation: f64,
    /// How sure that is: degrees of freedom.
    pub freedom: f64,
}

/// A mean over starts, with what it takes for its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Mean of the starts' means.
    pub mean: f64,
    /// Standard deviation of one start's mean.
    pub deviation: f64,
    /// Degrees of freedom of that.
    pub freedom: f64,
    /// How many starts there were.
    pub starts: usize,
}

impl Estimate {
    /// Estimates from the parts of each start. `None` for a single start of a single part, which has no variance.
    /// Where no start has two parts, the noise of parts is not known by itself: then only the starts' means count.
    pub fn of(starts: &[Vec<f64>], luck: Luck) -> Option<Self> {
        let means: Vec<f64> = starts.iter().filter_map(|parts| mean(parts)).collect();
        let seen = deviation(&means).map(|deviation| (deviation.powi(2), means.len() as f64 - 1.0));
        let expected = within(starts).map(|(variance, freedom)| {
            let of_luck = luck.deviation.powi(2);
            let expected = of_luck + variance;
            let spread = of_luck.powi(2) / luck.freedom + variance.powi(2) / freedom;
            (expected, expected.powi(2) / spread)
        });
        let (variance, freedom) = match (seen, expected) {
            (Some((a, n)), Some((b, m))) => ((a * n + b * m) / (n + m), n + m),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => return None,
        };
        Some(Self { mean: mean(&means)?, deviation: variance.sqrt(), freedom, starts: means.len() })
    }

    /// Interval of the mean that holds it with probability `1 - alpha`.
    pub fn interval(&self, alpha: f64) -> Option<[f64; 2]> {
        let half = self.half_width(alpha, self.starts)?;
        Some([self.mean - half, self.mean + half])
    }

    /// The smallest difference that so many starts like these would find in [`power::POWER`] of runs.
    pub fn smallest_effect(&self, alpha: f64, starts: usize) -> Option<f64> {
        Some(self.half_width(alpha, starts)? + power::quantile() * self.deviation / (starts as f64).sqrt())
    }

    fn half_width(&self, alpha: f64, starts: usize) -> Option<f64> {
        let freedom = self.freedom + starts as f64 - self.starts as f64;
        let t = StudentsT::new(0.0, 1.0, freedom).ok()?.inverse_cdf(1.0 - alpha / 2.0);
        Some(t * self.deviation / (starts as f64).sqrt())
    }
}

/// The variance of a start's mean by the noise of its parts alone, and its degrees of freedom.
fn within(starts: &[Vec<f64>]) -> Option<(f64, f64)> {
    let of_start = |parts: &Vec<f64>| Some(deviation(parts)?.powi(2) * (parts.len() - 1) as f64);
    let squares: f64 = starts.iter().filter_map(of_start).sum();
    let freedom: f64 = starts.iter().map(|parts| parts.len().saturating_sub(1) as f64).sum();
    let shares: Vec<f64> =
        starts.iter().filter(|parts| !parts.is_empty()).map(|parts| 1.0 / parts.len() as f64).collect();
    (freedom > 0.0).then_some((squares / freedom * mean(&shares)?, freedom))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::t_interval;
    use crate::testing::Noise;

    const LUCK: Luck = Luck { deviation: 0.02, freedom: 4.0 };

    fn drawn(starts: usize, parts: usize, luck: f64, noise: f64, random: &mut Noise) -> Vec<Vec<f64>> {
        let mut start = || {
            let of_start = luck * random.normal();
            (0..parts).map(|_| of_start + noise * random.normal()).collect()
        };
        (0..starts).map(|_| start()).collect()
    }

    #[test]
    fn without_parts_within_starts_it_is_the_t_interval_of_the_starts() {
        let starts = [0.01, 0.03, -0.02, 0.05];
        let of_one: Vec<Vec<f64>> = starts.iter().map(|&log| vec![log]).collect();
        let estimate = Estimate::of(&of_one, LUCK).unwrap();
        let [expected, seen] = [t_interval(&starts, 0.05), estimate.interval(0.05)].map(Option::unwrap);
        assert!(expected.iter().zip(seen).all(|(a, b)| (a - b).abs() < 1e-12));
        assert_eq!(estimate.freedom, 3.0);
    }

    #[test]
    fn one_start_is_as_uncertain_as_the_luck_of_others() {
        let estimate = Estimate::of(&[vec![0.1; 20]], LUCK).unwrap();
        assert!((estimate.deviation - 0.02).abs() < 1e-12 && (estimate.freedom - 4.0).abs() < 1e-9);
        assert_eq!((Estimate::of(&[vec![0.1]], LUCK), Estimate::of(&[], LUCK)), (None, None));
    }

    #[test]
    fn many_starts_speak_for_themselves() {
        let mut random = Noise::seeded(1);
        let estimate = Estimate::of(&drawn(400, 3, 0.1, 0.05, &mut random), LUCK).unwrap();
        let truth = (0.1_f64.powi(2) + 0.05_f64.powi(2) / 3.0).sqrt();
        assert!((estimate.deviation / truth - 1.0).abs() < 0.1, "{estimate:?}");
    }

    #[test]
    fn the_interval_holds_the_truth_about_as_often_as_it_says_where_the_luck_is_as_that_of_others() {
        let mut random = Noise::seeded(2);
        for (starts, parts) in [(1, 8), (2, 4), (4, 2), (8, 3)] {
            let misses = (0..2_000).filter(|_| {
                // A program's own luck, as its prior says: 4 degrees of freedom.
                let chi_square: f64 = (0..4).map(|_| random.normal().powi(2)).sum();
                let luck = 0.02 * (4.0 / chi_square).sqrt();
                let seen = drawn(starts, parts, luck, 0.03, &mut random);
                let [low, high] = Estimate::of(&seen, LUCK).unwrap().interval(0.05).unwrap();
                low > 0.0 || high < 0.0
            });
            let share = misses.count() as f64 / 2_000.0;
            assert!((0.02..=0.075).contains(&share), "{starts} starts of {parts} parts: {share}");
        }
    }

    #[test]
    fn more_starts_find_less() {
        let seen = drawn(4, 3, 0.02, 0.01, &mut Noise::seeded(3));
        let estimate = Estimate::of(&seen, LUCK).unwrap();
        let effect = |starts| estimate.smallest_effect(0.01, starts).unwrap();
        assert!(effect(16) < 0.45 * effect(4) && effect(4) < effect(2));
    }
}
