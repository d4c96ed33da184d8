//! How sure the boundary between met and not met is, from all valid trials together.
//!
//! The share of trials that are met falls with the logarithm of the rate along a logistic curve; its middle is the
//! capacity. The curve never quite reaches 1 or 0: a garbage collection or a busy neighbour spoils a trial far below
//! the capacity (a lapse), and, more rarely, one far above is met by luck (a guess). The capacity and the width of the
//! curve have even priors on grids; the interval is the middle 95 % of what the trials leave of the capacity.
//!
//! Sources: F. A. Wichmann, N. J. Hill, "The psychometric function: I. Fitting, sampling, and goodness of fit",
//! Perception & Psychophysics 63, 2001 (the curve, and why lapses must be in it); R. Waeber, P. I. Frazier,
//! S. G. Henderson, "Bisection search with noisy responses", SIAM J. Control Optim. 51, 2013 (the posterior of a
//! bisection's answers).
//!
//! What the model leaves out: trials are taken to be independent, and a hold to say no more than a short trial.

use std::collections::BTreeMap;

/// Share of trials far below the capacity that are not met.
const LAPSES: f64 = 0.05;
/// Share of trials far above the capacity that are met.
const GUESSES: f64 = 0.01;
/// Scales of the logistic curve, on the log scale of rates: from half a percent to a tenth.
const WIDTHS: [f64; 5] = [0.005, 0.01, 0.02, 0.05, 0.1];
/// Distance of the grid of capacities, on the log scale.
const GRID: f64 = 0.0025;
/// The grid reaches from half of the bracket's lower end to twice its upper end.
const REACH: f64 = 2.0;
/// Left out at each end.
const TAIL: f64 = 0.025;

/// The 95 % interval of the capacity, given each trial's rate and whether it was met, and the bracket around which to
/// look. All in one unit.
pub(super) fn of(votes: &[(u64, bool)], lower: u64, upper: u64) -> [u64; 2] {
    let mut counted: BTreeMap<u64, [f64; 2]> = BTreeMap::new();
    for &(rate, met) in votes {
        counted.entry(rate).or_default()[usize::from(met)] += 1.0;
    }
    let first = (lower.max(1) as f64 / REACH).ln();
    let last = (upper.max(1) as f64 * REACH).ln();
    let points = ((last - first) / GRID) as usize + 1;
    let capacities: Vec<f64> = (0..points).map(|i| first + i as f64 * GRID).collect();
    let logs: Vec<[f64; WIDTHS.len()]> = capacities
        .iter()
        .map(|&capacity| WIDTHS.map(|width| log_likelihood(&counted, capacity, width)))
        .collect();
    let highest = logs.iter().flatten().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> =
        logs.iter().map(|widths| widths.iter().map(|log| (log - highest).exp()).sum()).collect();
    [TAIL, 1.0 - TAIL].map(|share| capacities[quantile(&weights, share)].exp().round() as u64)
}

fn log_likelihood(counted: &BTreeMap<u64, [f64; 2]>, capacity: f64, width: f64) -> f64 {
    let of_rate = |(&rate, [failed, met]): (&u64, &[f64; 2])| {
        let below = (capacity - (rate.max(1) as f64).ln()) / width;
        let share = GUESSES + (1.0 - GUESSES - LAPSES) / (1.0 + (-below).exp());
        met * share.ln() + failed * (1.0 - share).ln()
    };
    counted.iter().map(of_rate).sum()
}

/// Index at which so much of the weight is reached.
fn quantile(weights: &[f64], share: f64) -> usize {
    let wanted = share * weights.iter().sum::<f64>();
    let mut sum = 0.0;
    let reached = weights.iter().position(|weight| {
        sum += weight;
        sum >= wanted
    });
    reached.unwrap_or(weights.len() - 1)
}
