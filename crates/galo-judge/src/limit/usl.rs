//! How throughput goes with what is under way: the universal scalability law, fitted to the holds of a search, and their knee.
//!
//! `X(N) = l N / (1 + s (N - 1) + k N (N - 1))`: N. J. Gunther, "Guerrilla Capacity Planning", Springer 2007, chapter 4 to 6. `l` is what
//! one at a time would get, `s` what is done one after the other (contention), `k` what each has to settle with each other (coherency). An
//! open load does not hold N; it is the mean of a hold by J. D. C. Little, "A proof for the queuing formula L = l W", Operations Research
//! 9, 1961: answers per second times mean latency. As N / X it is linear in all three (section 5.5 there), so it is fitted by least
//! squares of relative errors. The knee is the hold with the most answers per second for its mean latency: L. Kleinrock, "Power and
//! deterministic rules of thumb for probabilistic problems in computer communications", ICC 1979.

use galo_plan::JsonSchema;
use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, StudentsT};

use super::hold::Hold;
use crate::stats::matrix::Matrix;

/// Parameters are not told of fewer holds at different loads.
const FEWEST: usize = 5;
/// The level of all intervals.
const ALPHA: f64 = 0.05;

/// The law's parameters, with 95 % intervals.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Scalability {
    /// Answers per second with one request under way.
    pub per_s_of_one: Parameter,
    /// Share of the work that is done one after the other, however many are under way.
    pub contention: Parameter,
    /// What each that is under way costs each other, as a share of the work.
    pub coherency: Parameter,
    /// Most answers per second, and how many are under way there; null: by the law there is no most, more under way give ever more.
    pub peak: Option<Peak>,
    /// Holds that it was fitted to.
    pub holds: usize,
    /// Mean error of the fit, as a share of a hold's answers per second.
    pub error: f64,
}

/// A parameter.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Parameter {
    /// The estimate, never below 0.
    pub value: f64,
    /// Its interval, cut off at 0.
    pub interval: [f64; 2],
}

/// Where throughput is highest.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Peak {
    /// Answers per second; where coherency is 0, the bound that is never reached.
    pub per_s: f64,
    /// Requests under way; null: without end.
    pub under_way: Option<f64>,
}

/// One hold as the law sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Seen {
    /// Requests under way, on average.
    under_way: f64,
    /// Answers per second.
    per_s: f64,
}

impl Seen {
    fn of(hold: &Hold) -> Option<Self> {
        let (per_s, latency_s) = (hold.outcome.achieved_per_s, hold.latency.mean / 1e6);
        let is_seen = hold.outcome.valid && per_s > 0.0 && latency_s > 0.0;
        is_seen.then_some(Self { under_way: per_s * latency_s, per_s })
    }
}

impl Scalability {
    /// Fits the law to holds that say something; `None`: they are too few, or at one load.
    pub fn of(holds: &[Hold]) -> Option<Self> {
        Self::fitted(&holds.iter().filter_map(Seen::of).collect::<Vec<_>>())
    }

    fn fitted(seen: &[Seen]) -> Option<Self> {
        let [least, most] = seen.iter().fold([f64::INFINITY, 0.0_f64], |[least, most], one| {
            [least.min(one.under_way), most.max(one.under_way)]
        });
        // At loads that are nearly one nothing tells the parameters apart.
        if seen.len() < FEWEST || most < 2.0 * least {
            return None;
        }
        // A parameter below 0 has no meaning: the best fit among those with some of them 0.
        let fits = [[true, true], [true, false], [false, true], [false, false]];
        let fits = fits.into_iter().filter_map(|has| Fit::of(seen, has));
        let best = fits.filter(|fit| fit.beta.iter().all(|beta| *beta >= 0.0) && fit.beta[0] > 0.0);
        Some(best.min_by(|a, b| a.squares.total_cmp(&b.squares))?.told(seen))
    }

    /// Answers per second with so many under way, by the law.
    pub fn per_s(&self, under_way: f64) -> f64 {
        let more = under_way - 1.0;
        let (s, k) = (self.contention.value, self.coherency.value);
        self.per_s_of_one.value * under_way / (k * under_way).mul_add(more, s.mul_add(more, 1.0))
    }
}

/// Least squares of `N / X = b0 + b1 (N - 1) + b2 N (N - 1)`, relative to `N / X`.
struct Fit {
    beta: [f64; 3],
    covariance: [[f64; 3]; 3],
    squares: f64,
}

impl Fit {
    /// `has`: which of the last two are fitted; the others are 0. `None`: they cannot be told apart.
    fn of(seen: &[Seen], has: [bool; 2]) -> Option<Self> {
        let kept: Vec<usize> = [0].into_iter().chain((1..3).filter(|at| has[at - 1])).collect();
        let rows: Vec<[f64; 3]> = seen.iter().map(|one| row(*one)).collect();
        let (mut normal, mut sums) = (Matrix::zero(kept.len()), vec![0.0; kept.len()]);
        for row in &rows {
            for (i, &of_i) in kept.iter().enumerate() {
                sums[i] += row[of_i];
                kept.iter().enumerate().for_each(|(j, &of_j)| normal.add(i, j, row[of_i] * row[of_j]));
            }
        }
        let inverse = normal.inverse();
        let fitted = inverse.times(&sums);
        if fitted.iter().any(|beta| !beta.is_finite()) {
            return None;
        }
        let (mut beta, mut covariance) = ([0.0; 3], [[0.0; 3]; 3]);
        for (i, &of_i) in kept.iter().enumerate() {
            beta[of_i] = fitted[i];
            kept.iter().enumerate().for_each(|(j, &of_j)| covariance[of_i][of_j] = inverse.get(i, j));
        }
        let error = |row: &[f64; 3]| 1.0 - row.iter().zip(&beta).map(|(x, b)| x * b).sum::<f64>();
        let squares: f64 = rows.iter().map(|row| error(row).powi(2)).sum();
        let variance = squares / (seen.len() - kept.len()).max(1) as f64;
        Some(Self { beta, covariance: covariance.map(|row| row.map(|value| value * variance)), squares })
    }

    fn told(&self, seen: &[Seen]) -> Scalability {
        let freedom = (seen.len() - self.beta.iter().filter(|beta| **beta > 0.0).count()).max(1) as f64;
        let t = StudentsT::new(0.0, 1.0, freedom).map_or(f64::INFINITY, |t| t.inverse_cdf(1.0 - ALPHA / 2.0));
        let [one, s, k] = self.beta;
        let around = |value: f64, variance: f64| {
            let half = t * variance.max(0.0).sqrt();
            Parameter { value, interval: [(value - half).max(0.0), value + half] }
        };
        // The variance of a ratio of two estimates, by the delta method.
        let by_one = |at: usize, beta: f64| {
            let ratio = beta / one;
            let c = &self.covariance;
            let variance = (ratio * ratio).mul_add(c[0][0], c[at][at]) - 2.0 * ratio * c[0][at];
            around(ratio, variance / (one * one))
        };
        let of_one = around(1.0 / one, self.covariance[0][0] / one.powi(4));
        let (contention, coherency) = (by_one(1, s), by_one(2, k));
        let law = Scalability {
            per_s_of_one: of_one,
            contention,
            coherency,
            peak: None,
            holds: seen.len(),
            error: 0.0,
        };
        let errors = seen.iter().map(|one| (law.per_s(one.under_way) / one.per_s - 1.0).abs());
        Scalability { error: errors.sum::<f64>() / seen.len() as f64, peak: law.peak(), ..law }
    }
}

impl Scalability {
    fn peak(&self) -> Option<Peak> {
        let (s, k) = (self.contention.value, self.coherency.value);
        if k > 0.0 {
            let under_way = ((1.0 - s).max(0.0) / k).sqrt().max(1.0);
            return Some(Peak { per_s: self.per_s(under_way), under_way: Some(under_way) });
        }
        (s > 0.0).then(|| Peak { per_s: self.per_s_of_one.value / s, under_way: None })
    }
}

fn row(seen: Seen) -> [f64; 3] {
    let Seen { under_way: n, per_s } = seen;
    [1.0, n - 1.0, n * (n - 1.0)].map(|x| x * per_s / n)
}

/// The scale of the hold with the most answers per second for its mean latency, in thousandths; `None`: too few holds say something.
pub fn knee(holds: &[Hold]) -> Option<u64> {
    let seen: Vec<(u64, Seen)> =
        holds.iter().filter_map(|hold| Some((hold.scale_milli, Seen::of(hold)?))).collect();
    let power = |seen: &Seen| seen.per_s * seen.per_s / seen.under_way;
    let most = seen.iter().max_by(|(_, a), (_, b)| power(a).total_cmp(&power(b)));
    most.filter(|_| seen.len() >= FEWEST).map(|(scale_milli, _)| *scale_milli)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a law gives at these, each off by a share.
    fn made([l, s, k]: [f64; 3], off: impl Fn(usize) -> f64) -> Vec<Seen> {
        let under_way = [0.2, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0];
        let seen = |(at, &n): (usize, &f64)| {
            let per_s = l * n / (k * n).mul_add(n - 1.0, s.mul_add(n - 1.0, 1.0));
            Seen { under_way: n, per_s: per_s * (1.0 + off(at)) }
        };
        under_way.iter().enumerate().map(seen).collect()
    }

    fn is_near(parameter: Parameter, wanted: f64, within: f64) {
        assert!((parameter.value - wanted).abs() <= within * wanted.max(1e-9), "{parameter:?}, not {wanted}");
    }

    #[test]
    fn parameters_of_a_law_are_found_again() {
        for truth in [[1000.0, 0.05, 0.0005], [250.0, 0.2, 0.01], [40.0, 0.5, 0.0]] {
            let fitted = Scalability::fitted(&made(truth, |_| 0.0)).unwrap();
            is_near(fitted.per_s_of_one, truth[0], 1e-6);
            is_near(fitted.contention, truth[1], 1e-6);
            assert!((fitted.coherency.value - truth[2]).abs() < 1e-9, "{fitted:?}");
            assert!(fitted.error < 1e-6);
        }
    }

    #[test]
    fn intervals_hold_the_truth_under_noise() {
        let mut state = 1_u64;
        let mut draw = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let truth = [1000.0, 0.05, 0.0005];
        let mut held = [0; 3];
        for _ in 0..200 {
            // Sums of four uniform draws, with a deviation of 3 %.
            let noise: Vec<f64> =
                (0..10).map(|_| ((0..4).map(|_| draw()).sum::<f64>() - 2.0) * 0.03 / 0.577).collect();
            let fitted = Scalability::fitted(&made(truth, |at| noise[at])).unwrap();
            let parameters = [fitted.per_s_of_one, fitted.contention, fitted.coherency];
            for (at, parameter) in parameters.iter().enumerate() {
                let [low, high] = parameter.interval;
                held[at] += usize::from((low..=high).contains(&truth[at]));
            }
        }
        assert!(held.iter().all(|&held| held >= 180), "{held:?} of 200");
    }

    #[test]
    fn where_throughput_is_highest_follows_from_the_law() {
        let peak = Scalability::fitted(&made([1000.0, 0.04, 0.0006], |_| 0.0)).unwrap().peak.unwrap();
        assert!((peak.under_way.unwrap() - 40.0).abs() < 0.01, "{peak:?}");
        let bound = Scalability::fitted(&made([1000.0, 0.1, 0.0], |_| 0.0)).unwrap().peak.unwrap();
        assert_eq!((bound.per_s.round(), bound.under_way), (10_000.0, None));
    }

    #[test]
    fn too_few_or_too_equal_holds_say_nothing() {
        let all = made([1000.0, 0.05, 0.0005], |_| 0.0);
        assert_eq!(Scalability::fitted(&all[..4]), None);
        assert_eq!(Scalability::fitted(&[all[3]; 9]), None);
        assert_eq!(Scalability::fitted(&[]), None);
    }

    #[test]
    fn the_knee_has_the_most_answers_for_their_latency() {
        let hold = |scale_milli, per_s: f64, mean: f64| {
            let mut hold = Hold { scale_milli, ..Hold::default() };
            hold.outcome.valid = true;
            hold.outcome.achieved_per_s = per_s;
            hold.latency.mean = mean;
            hold
        };
        let holds = [
            hold(1000, 100.0, 1_000.0),
            hold(2000, 200.0, 1_100.0),
            hold(4000, 400.0, 1_500.0),
            hold(8000, 780.0, 9_000.0),
            hold(6000, 600.0, 3_000.0),
        ];
        assert_eq!(knee(&holds), Some(4000));
        assert_eq!(knee(&holds[..4]), None);
    }
}
