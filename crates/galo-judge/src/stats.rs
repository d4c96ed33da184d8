//! Paired statistics on log ratios: a t interval, and a sign-flip permutation test that does without normality.
//!
//! Sources: W. S. Gosset ("Student"), "The probable error of a mean", Biometrika 6, 1908 (paired t);
//! R. A. Fisher, "The Design of Experiments", 1935, section 21 (the sign-flip test of paired differences);
//! B. Phipson, G. K. Smyth, "Permutation p-values should never be zero", Stat. Appl. Genet. Mol. Biol. 9, 2010
//! (the p value of a sampled permutation test). For samples that are not paired: B. L. Welch, "The generalization of
//! 'Student's' problem when several different population variances are involved", Biometrika 34, 1947. For counts: R. A. Fisher,
//! "On the interpretation of χ² from contingency tables, and the calculation of P", J. R. Stat. Soc. 85, 1922.

pub mod blocks;
pub(crate) mod matrix;
pub mod nested;
pub mod power;

use statrs::distribution::{ContinuousCDF, DiscreteCDF, Hypergeometric, StudentsT};

/// Up to so many pairs the permutation test goes through all sign patterns (65,536 of them).
pub const EXACT_PAIRS: usize = 16;
/// Sign patterns drawn where there are more pairs.
pub const DRAWS: u64 = 20_000;
/// Seed of the drawn patterns: fixed, so that the same rounds are always judged alike.
const SEED: u64 = 0x6761_6c6f;

/// Sums of one magnitude differ by rounding alone; they count as equal within this share of the largest possible.
const ROUNDING: f64 = 1e-12;

/// The mean; `None` of nothing.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The chance that at least so many of the first would be among the marked, if each of both had the same chance: Fisher's exact
/// test, one-sided. `marked` of `all`, first and second.
pub fn more_marked_p(marked: [u64; 2], all: [u64; 2]) -> f64 {
    let drawn = Hypergeometric::new(all[0] + all[1], marked[0] + marked[1], all[0]);
    match (marked[0].checked_sub(1), drawn) {
        (Some(fewer), Ok(drawn)) => drawn.sf(fewer),
        _ => 1.0,
    }
}

/// The standard deviation, by n - 1; `None` of fewer than two.
pub fn deviation(values: &[f64]) -> Option<f64> {
    let centre = mean(values).filter(|_| values.len() > 1)?;
    let squares: f64 = values.iter().map(|d| (d - centre).powi(2)).sum();
    Some((squares / (values.len() - 1) as f64).sqrt())
}

/// Interval of the mean of paired differences that holds it with probability `1 - alpha`:
/// mean ± t(1 - alpha/2, n - 1) · s / √n. `None` below two pairs, or for an `alpha` outside of (0, 1).
pub fn t_interval(differences: &[f64], alpha: f64) -> Option<[f64; 2]> {
    let n = differences.len();
    if n < 2 || !(alpha > 0.0 && alpha < 1.0) {
        return None;
    }
    let centre = mean(differences)?;
    let standard_error = deviation(differences)? / (n as f64).sqrt();
    let t = StudentsT::new(0.0, 1.0, (n - 1) as f64).ok()?.inverse_cdf(1.0 - alpha / 2.0);
    Some([centre - t * standard_error, centre + t * standard_error])
}

/// Interval of the difference of two means, first minus second, that holds it with probability `1 - alpha`, where nothing
/// ties a value of one sample to one of the other, and their variances may differ: Welch's, with the degrees of freedom
/// v = (a + b)² / (a² / (n - 1) + b² / (m - 1)), where a = s₁² / n and b = s₂² / m. `None` below two values in either, or for
/// an `alpha` outside of (0, 1).
pub fn welch_interval(first: &[f64], second: &[f64], alpha: f64) -> Option<[f64; 2]> {
    if !(alpha > 0.0 && alpha < 1.0) {
        return None;
    }
    let difference = mean(first)? - mean(second)?;
    let of_mean =
        |values: &[f64]| Some((deviation(values)?.powi(2) / values.len() as f64, values.len() as f64 - 1.0));
    let ((a, n), (b, m)) = (of_mean(first)?, of_mean(second)?);
    if a + b == 0.0 {
        // Neither varies, so there is nothing to be uncertain of; the degrees of freedom would be 0 / 0.
        return Some([difference, difference]);
    }
    let freedom = (a + b).powi(2) / (a * a / n + b * b / m);
    let t = StudentsT::new(0.0, 1.0, freedom).ok()?.inverse_cdf(1.0 - alpha / 2.0);
    let half = t * (a + b).sqrt();
    Some([difference - half, difference + half])
}

/// Two-sided p value of the sign-flip permutation test: if neither contender is better, each difference might as
/// well have had the other sign. The share of sign patterns whose sum is at least as far from 0 as the seen one.
/// Exact up to [`EXACT_PAIRS`] pairs, above that from [`DRAWS`] seeded draws. `None` of nothing.
pub fn sign_flip_p(differences: &[f64]) -> Option<f64> {
    let n = differences.len();
    if n == 0 {
        return None;
    }
    let largest: f64 = differences.iter().map(|d| d.abs()).sum();
    let bound = differences.iter().sum::<f64>().abs() - ROUNDING * largest;
    if n <= EXACT_PAIRS {
        // Every pattern is one of the first half of the pairs with one of the second.
        let (first, second) = differences.split_at(n / 2);
        let (first, second) = (signed_sums(first), signed_sums(second));
        let far: usize =
            first.iter().map(|a| second.iter().filter(|b| (a + *b).abs() >= bound).count()).sum();
        return Some(far as f64 / (1_u64 << n) as f64);
    }
    Some(sampled_p(differences, bound))
}

/// The sums of all sign patterns.
fn signed_sums(differences: &[f64]) -> Vec<f64> {
    differences.iter().fold(vec![0.0], |sums, d| sums.iter().flat_map(|sum| [sum + d, sum - d]).collect())
}

fn sampled_p(differences: &[f64], bound: f64) -> f64 {
    let mut random = SplitMix64(SEED);
    let mut far = 0_u64;
    for _ in 0..DRAWS {
        let mut sum = 0.0;
        for chunk in differences.chunks(64) {
            let mut signs = random.next();
            for d in chunk {
                sum += if signs & 1 == 1 { -d } else { *d };
                signs >>= 1;
            }
        }
        far += u64::from(sum.abs() >= bound);
    }
    (far + 1) as f64 / (DRAWS + 1) as f64
}

/// The smallest p value that [`sign_flip_p`] can give for so many pairs.
pub fn smallest_p(pairs: usize) -> f64 {
    if pairs <= EXACT_PAIRS { 0.5_f64.powi(pairs.saturating_sub(1) as i32) } else { 1.0 / (DRAWS + 1) as f64 }
}

/// The fewest pairs with which [`sign_flip_p`] can reach `alpha`; at least two, which an interval needs.
pub fn pairs_needed(alpha: f64) -> usize {
    (2..=EXACT_PAIRS).find(|&pairs| smallest_p(pairs) <= alpha).unwrap_or(EXACT_PAIRS + 1)
}

/// A small generator with a good spread of bits: G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom
/// number generators", OOPSLA 2014.
#[derive(Debug, Clone)]
pub(crate) struct SplitMix64(pub(crate) u64);

impl SplitMix64 {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

#[cfg(test)]
mod tests;
