//! What the objective is like where nothing was tried: a Gaussian process over the settings that were.
//!
//! C. E. Rasmussen, C. K. I. Williams, "Gaussian Processes for Machine Learning", MIT Press 2006: prediction by algorithm 2.1, the kernel
//! of Matérn with 5/2 (equation 4.17), one length for each coordinate (section 5.1), chosen by the marginal likelihood (section 5.4.1).
//! What to try next is what is expected to improve most on the best mean: D. R. Jones, M. Schonlau, W. J. Welch, "Efficient global
//! optimization of expensive black-box functions", J. Global Optim. 13, 1998; on the mean and not on the best value, since that one was
//! lucky: B. Letham et al., "Constrained Bayesian optimization with noisy experiments", Bayesian Analysis 14, 2019, section 2.

use statrs::distribution::{Continuous, ContinuousCDF, Normal};

/// Lengths and noise that are looked at, in parts of the cube and of the variance.
const LENGTHS: [f64; 5] = [0.15, 0.3, 0.6, 1.2, 2.4];
const NOISES: [f64; 5] = [1e-4, 1e-3, 0.01, 0.05, 0.2];
/// Sweeps over the coordinates' lengths.
const SWEEPS: usize = 2;

/// A Gaussian process that has seen something.
#[derive(Debug, Clone)]
pub(super) struct Surrogate {
    at: Vec<Vec<f64>>,
    lengths: Vec<f64>,
    /// Mean and deviation of the values, which are standardised.
    scale: [f64; 2],
    /// Lower triangle of the covariance's Cholesky factor, row by row.
    factor: Vec<Vec<f64>>,
    weights: Vec<f64>,
    noise: f64,
}

/// What is expected at a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Expected {
    pub(super) mean: f64,
    pub(super) deviation: f64,
}

impl Surrogate {
    /// Learns from values at points of the unit cube; of none, nothing.
    pub(super) fn of(seen: &[(Vec<f64>, f64)]) -> Self {
        let values: Vec<f64> = seen.iter().map(|(_, value)| *value).collect();
        let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
        let deviation = (variance / values.len().max(1) as f64).sqrt().max(1e-9);
        let standard: Vec<f64> = values.iter().map(|value| (value - mean) / deviation).collect();
        let at: Vec<Vec<f64>> = seen.iter().map(|(at, _)| at.clone()).collect();
        let dimensions = at.first().map_or(0, Vec::len);
        let fit = |lengths: Vec<f64>, noise: f64| Fit::of(&at, &standard, lengths, noise);
        let alike = LENGTHS.iter().flat_map(|&length| NOISES.map(|noise| (length, noise)));
        let mut best = alike
            .filter_map(|(length, noise)| fit(vec![length; dimensions], noise))
            .max_by(|a, b| a.likelihood.total_cmp(&b.likelihood));
        for coordinate in (0..dimensions).cycle().take(SWEEPS * dimensions) {
            for length in LENGTHS {
                let Some(known) = &best else { break };
                let mut lengths = known.lengths.clone();
                lengths[coordinate] = length;
                let tried = fit(lengths, known.noise);
                if let Some(tried) = tried.filter(|tried| tried.likelihood > known.likelihood) {
                    best = Some(tried);
                }
            }
        }
        let Fit { lengths, noise, factor, weights, .. } = best.unwrap_or_default();
        Self { at, lengths, scale: [mean, deviation], factor, weights, noise }
    }

    /// What is expected at a point, without the noise of a try.
    pub(super) fn expected(&self, at: &[f64]) -> Expected {
        let [mean, deviation] = self.scale;
        let near: Vec<f64> =
            self.at.iter().take(self.weights.len()).map(|seen| kernel(seen, at, &self.lengths)).collect();
        let standard: f64 = near.iter().zip(&self.weights).map(|(near, weight)| near * weight).sum();
        let solved = forward(&self.factor, &near);
        let variance = 1.0 - solved.iter().map(|value| value * value).sum::<f64>();
        Expected { mean: standard.mul_add(deviation, mean), deviation: variance.max(0.0).sqrt() * deviation }
    }

    /// By how much a try at a point is expected to be above this.
    pub(super) fn improvement(&self, at: &[f64], above: f64) -> f64 {
        let Expected { mean, deviation } = self.expected(at);
        let gain = mean - above;
        if deviation <= 1e-12 {
            return gain.max(0.0);
        }
        let Ok(normal) = Normal::new(0.0, 1.0) else { return 0.0 };
        let by = gain / deviation;
        gain.mul_add(normal.cdf(by), deviation * normal.pdf(by))
    }

    /// Deviation of a try from what is expected there.
    pub(super) fn noise(&self) -> f64 {
        self.noise.sqrt() * self.scale[1]
    }
}

/// One choice of lengths and noise.
#[derive(Debug, Clone, Default)]
struct Fit {
    lengths: Vec<f64>,
    noise: f64,
    factor: Vec<Vec<f64>>,
    weights: Vec<f64>,
    likelihood: f64,
}

impl Fit {
    fn of(at: &[Vec<f64>], values: &[f64], lengths: Vec<f64>, noise: f64) -> Option<Self> {
        let count = at.len();
        let mut factor: Vec<Vec<f64>> = Vec::with_capacity(count);
        for row in 0..count {
            let mut line: Vec<f64> = Vec::with_capacity(row + 1);
            for column in 0..=row {
                let own = if row == column { noise } else { 0.0 };
                let covariance = kernel(&at[row], &at[column], &lengths) + own;
                let known: f64 = match factor.get(column) {
                    Some(other) => line.iter().zip(other).map(|(a, b)| a * b).sum(),
                    None => line.iter().map(|a| a * a).sum(),
                };
                let rest = covariance - known;
                match factor.get(column) {
                    Some(other) => line.push(rest / other[column]),
                    None if rest > 0.0 => line.push(rest.sqrt()),
                    None => return None,
                }
            }
            factor.push(line);
        }
        let solved = forward(&factor, values);
        let weights = backward(&factor, &solved);
        let fit: f64 = solved.iter().map(|value| value * value).sum();
        let size: f64 = factor.iter().filter_map(|line| line.last()).map(|value| value.ln()).sum();
        let likelihood = -0.5 * fit - size;
        likelihood.is_finite().then_some(Self { lengths, noise, factor, weights, likelihood })
    }
}

/// Matérn, 5/2, of variance 1.
fn kernel(a: &[f64], b: &[f64], lengths: &[f64]) -> f64 {
    let squares = a.iter().zip(b).zip(lengths).map(|((a, b), length)| ((a - b) / length).powi(2));
    let far = (5.0 * squares.sum::<f64>()).sqrt();
    (far * far / 3.0 + far + 1.0) * (-far).exp()
}

/// Solves `L x = values`.
fn forward(factor: &[Vec<f64>], values: &[f64]) -> Vec<f64> {
    let mut solved: Vec<f64> = Vec::with_capacity(factor.len());
    for (line, value) in factor.iter().zip(values) {
        let known: f64 = line.iter().zip(&solved).map(|(a, b)| a * b).sum();
        solved.push((value - known) / line[solved.len()]);
    }
    solved
}

/// Solves `L^T x = values`.
fn backward(factor: &[Vec<f64>], values: &[f64]) -> Vec<f64> {
    let mut solved = values.to_vec();
    for row in (0..solved.len()).rev() {
        solved[row] /= factor[row][row];
        let value = solved[row];
        (0..row).for_each(|above| solved[above] -= factor[row][above] * value);
    }
    solved
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(points: &[f64], value: impl Fn(f64) -> f64) -> Vec<(Vec<f64>, f64)> {
        points.iter().map(|&at| (vec![at], value(at))).collect()
    }

    #[test]
    fn a_smooth_function_is_told_between_its_points() {
        let truth = |at: f64| (3.0 * at).sin() * 7.0 + 20.0;
        let surrogate = Surrogate::of(&line(&[0.0, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9, 1.0], truth));
        for at in [0.1, 0.37, 0.52, 0.83] {
            let expected = surrogate.expected(&[at]);
            assert!((expected.mean - truth(at)).abs() < 0.2, "{at}: {expected:?}, not {}", truth(at));
        }
        let (near, far) = (surrogate.expected(&[0.3]).deviation, surrogate.expected(&[0.38]).deviation);
        assert!(near < far, "{near} {far}");
    }

    #[test]
    fn noise_is_told_from_what_is_there() {
        // Twice at each point, 0.5 above and 0.5 below.
        let points = [0.1, 0.1, 0.3, 0.3, 0.5, 0.5, 0.7, 0.7, 0.9, 0.9];
        let mut seen = line(&points, |at| 10.0 * at);
        seen.iter_mut()
            .enumerate()
            .for_each(|(at, (_, value))| *value += if at % 2 == 0 { 0.5 } else { -0.5 });
        let surrogate = Surrogate::of(&seen);
        assert!((surrogate.expected(&[0.5]).mean - 5.0).abs() < 0.3);
        assert!((0.2..1.5).contains(&surrogate.noise()), "{}", surrogate.noise());
    }

    #[test]
    fn a_coordinate_that_changes_nothing_is_seen_as_such() {
        let points: [[f64; 2]; 7] =
            [[0.1, 0.9], [0.9, 0.2], [0.4, 0.5], [0.6, 0.1], [0.2, 0.3], [0.8, 0.8], [0.5, 0.95]];
        let seen: Vec<(Vec<f64>, f64)> = points.iter().map(|at| (at.to_vec(), (4.0 * at[0]).cos())).collect();
        let surrogate = Surrogate::of(&seen);
        assert!(surrogate.lengths[1] > 2.0 * surrogate.lengths[0], "{:?}", surrogate.lengths);
    }

    #[test]
    fn most_is_expected_where_it_is_high_or_unknown() {
        let surrogate = Surrogate::of(&line(&[0.0, 0.2, 0.4, 0.6], |at| at));
        let improvement = |at: f64| surrogate.improvement(&[at], 0.6);
        assert!(improvement(0.8) > improvement(0.5) && improvement(0.8) > improvement(0.1));
        assert!(improvement(0.3) >= 0.0);
    }

    #[test]
    fn few_or_equal_values_are_no_trouble() {
        for seen in [line(&[0.5], |_| 3.0), line(&[0.5, 0.5, 0.5], |_| 3.0), line(&[0.1, 0.9], |_| 3.0)] {
            let expected = Surrogate::of(&seen).expected(&[0.5]);
            assert!((expected.mean - 3.0).abs() < 1e-6 && expected.deviation.is_finite(), "{expected:?}");
        }
    }
}
