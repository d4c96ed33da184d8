//! Which setting to try next: pure, so that a search can be gone on with.
//!
//! It begins at the contender's own setting. What a request costs each service there, told by one measured run, gives the first split of
//! the CPU: in proportion, so that all are used up at once. From there [`super::surrogate`] says where most is expected; every few tries
//! the best setting so far is tried again, so that a lucky one does not lead astray.
//!
//! What the split alone would allow (no service answers more than its CPU pays for: E. D. Lazowska et al., "Quantitative System
//! Performance", Prentice-Hall 1984, chapter 5) is taken as known; the surrogate learns how far from that the contender is.

use galo_plan::knob::Turn;
use galo_plan::tune::{Dial, Objective, Share, TunePlan};

use super::surrogate::Surrogate;
use crate::stats::mean;

/// How far a share may be from the first split, as a factor either way.
const SHARE_FACTOR: f64 = 2.0;
/// After so many tries the best one is tried again.
const AGAIN: usize = 6;
/// Points of the cube at which an improvement is looked for, and near the best.
const FAR: u64 = 600;
const NEAR: u64 = 300;
/// How far the near ones are, in parts of the cube.
const NEARNESS: f64 = 0.08;
/// A try that failed counts as this much worse than the worst, as a logarithm.
const FAILED: f64 = 0.7;

/// What a try came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Tried {
    /// The setting; none: the contender's own.
    pub turns: Vec<Turn>,
    /// Logarithm of the objective, the higher the better; `None`: it failed there.
    pub log: Option<f64>,
    /// Whether galo or the machine spoiled it: that says nothing of the setting.
    pub void: bool,
    /// CPU for each request by service, in microseconds; none where that is not known.
    pub costs: Vec<(String, f64)>,
}

/// What is known after some tries.
pub(super) struct Known<'a> {
    plan: &'a TunePlan,
    /// Weight of each share at which the cube has its middle.
    middle: Vec<f64>,
    pub(super) points: Vec<Vec<f64>>,
    /// By try, whether it came to a figure.
    succeeded: Vec<bool>,
    surrogate: Surrogate,
    /// Whether the split bounds the objective.
    is_bound: bool,
}

/// The setting that is to be tried after these; none: the contender's own.
pub fn propose(plan: &TunePlan, tried: &[Tried]) -> Vec<Turn> {
    let Some(start) = tried.first() else { return Vec::new() };
    let split = || plan.turns(&plan.divided(&weights(plan, tried)), &values(plan, start));
    let dimensions = plan.coordinates();
    let is_divided = plan.shares.len() > 1;
    match tried.len() {
        1 if is_divided => return split(),
        // What a request costs depends on who waits for whom.
        2 if is_divided && !tried[1].costs.is_empty() => {
            let again = split();
            if again != tried[1].turns {
                return again;
            }
        }
        _ => {}
    }
    let known = Known::of(plan, tried);
    if tried.len() < 3 + dimensions {
        return known.turns(&halton(plan, tried.len()));
    }
    if tried.len().is_multiple_of(AGAIN) {
        return tried[known.best()].turns.clone();
    }
    known.turns(&known.most_promising(tried.len()))
}

/// Index of the try whose setting is expected to be best; of one that was tried several times the first.
pub(super) fn best(plan: &TunePlan, tried: &[Tried]) -> usize {
    if tried.len() < 2 { 0 } else { Known::of(plan, tried).best() }
}

impl<'a> Known<'a> {
    pub(super) fn of(plan: &'a TunePlan, tried: &[Tried]) -> Self {
        let middle = weights(plan, tried);
        let points: Vec<Vec<f64>> = tried.iter().map(|tried| point(plan, &middle, &tried.turns)).collect();
        let logs = || tried.iter().filter_map(|tried| tried.log);
        let failed = logs().fold(f64::INFINITY, f64::min).min(1e6) - FAILED;
        let is_bound =
            plan.objective == Objective::Scale && tried.iter().any(|tried| !tried.costs.is_empty());
        let succeeded = tried.iter().map(|tried| tried.log.is_some()).collect();
        let known = Self { plan, middle, points, succeeded, surrogate: Surrogate::of(&[]), is_bound };
        let beyond =
            |(at, tried): (&Vec<f64>, &Tried)| (at.clone(), tried.log.unwrap_or(failed) - known.bound(at));
        let told = known.points.iter().zip(tried).filter(|(_, tried)| !tried.void);
        let seen: Vec<(Vec<f64>, f64)> = told.map(beyond).collect();
        Self { surrogate: Surrogate::of(&seen), ..known }
    }

    /// Logarithm of what the split of a point allows: the service that is used up first decides.
    fn bound(&self, at: &[f64]) -> f64 {
        if !self.is_bound {
            return 0.0;
        }
        let factors =
            || std::iter::once(1.0).chain(at.iter().take(self.plan.shares.len() - 1).map(|at| factor(*at)));
        let weight =
            |((share, middle), factor): ((&Share, &f64), f64)| share.services.len() as f64 * middle * factor;
        let all: f64 = self.plan.shares.iter().zip(&self.middle).zip(factors()).map(weight).sum();
        factors().fold(f64::INFINITY, f64::min).ln() - all.ln()
    }

    /// The logarithm of the objective that is expected at a point.
    pub(super) fn expected(&self, at: &[f64]) -> f64 {
        self.surrogate.expected(at).mean + self.bound(at)
    }

    /// Deviation of a try from what is expected there.
    pub(super) fn noise(&self) -> f64 {
        self.surrogate.noise()
    }

    pub(super) fn best(&self) -> usize {
        let mean = |index: &usize| self.expected(&self.points[*index]);
        // From behind, since `max_by` takes the last of equals: the first try at a setting is meant.
        let told = (0..self.points.len()).filter(|index| self.succeeded[*index]);
        told.rev().max_by(|a, b| mean(a).total_cmp(&mean(b))).unwrap_or(0)
    }

    /// Where most is expected to be gained on the best.
    fn most_promising(&self, tries: usize) -> Vec<f64> {
        let best = self.best();
        let above = self.expected(&self.points[best]);
        let draws = |purpose: &'static str, index: u64| {
            let seed = self.plan.seed;
            (0..self.plan.coordinates())
                .map(move |of| unit(seed.word(purpose, &[tries as u64, index, of as u64])))
        };
        let far = (0..FAR).map(|index| draws("tune-far", index).collect::<Vec<f64>>());
        let near = (0..NEAR).map(|index| {
            let from = self.points[best].iter();
            let moved = from.zip(draws("tune-near", index));
            moved.map(|(at, draw)| at + (draw - 0.5) * 2.0 * NEARNESS).map(|at| at.clamp(0.0, 1.0)).collect()
        });
        // As the best, but with all services used up at once.
        let mut even = self.points[best].clone();
        even[..self.plan.shares.len().saturating_sub(1)].fill(0.5);
        let gain = |at: &Vec<f64>| self.surrogate.improvement(at, above - self.bound(at));
        let gained = far.chain(near).chain([even]).map(|at| (gain(&at), at));
        gained.max_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, at)| at).unwrap_or_default()
    }

    /// The setting at a point.
    pub(super) fn turns(&self, at: &[f64]) -> Vec<Turn> {
        let plan = self.plan;
        let (shares, dials) = at.split_at(plan.shares.len().saturating_sub(1));
        // Against the first share, which stands still.
        let factors = std::iter::once(1.0).chain(shares.iter().map(|at| factor(*at)));
        let weights: Vec<f64> =
            self.middle.iter().zip(factors).map(|(weight, factor)| weight * factor).collect();
        let values: Vec<String> =
            plan.dials.iter().zip(dials).map(|(dial, at)| dial.range.value(*at)).collect();
        let cpus = if plan.shares.len() > 1 { plan.divided(&weights) } else { Vec::new() };
        plan.turns(&cpus, &values)
    }
}

/// From a half to twice.
fn factor(at: f64) -> f64 {
    SHARE_FACTOR.powf(2.0f64.mul_add(at, -1.0))
}

/// The point of a setting; it may lie outside of the cube.
fn point(plan: &TunePlan, middle: &[f64], turns: &[Turn]) -> Vec<f64> {
    let value = |knob: &str| turns.iter().find(|turn| turn.knob == knob).map(|turn| turn.value.as_str());
    let cpus = |index: usize| {
        let share = &plan.shares[index];
        let turned =
            value(&format!("{}.cpus", share.services[0])).and_then(|value| value.parse::<f64>().ok());
        turned.unwrap_or(f64::from(share.cpus_milli) / 1e3).max(1e-3)
    };
    let share = |index: usize| {
        let ratio = (cpus(index) / middle[index]) / (cpus(0) / middle[0]);
        0.5 * (ratio.ln() / SHARE_FACTOR.ln() + 1.0)
    };
    let dial = |dial: &Dial| {
        let own = || dial.own.clone();
        let value = value(&dial.knob).map(str::to_owned).or_else(own);
        value.and_then(|value| dial.range.at(&value)).unwrap_or(0.5)
    };
    (1..plan.shares.len()).map(share).chain(plan.dials.iter().map(dial)).collect()
}

/// What each service of a share costs for a request, as weights; what the contender's file gives it, where that is not known.
fn weights(plan: &TunePlan, tried: &[Tried]) -> Vec<f64> {
    // The mean over all tries: each is off.
    let cost = |name: &String| {
        let costs =
            tried.iter().flat_map(|tried| &tried.costs).filter(|(service, us)| service == name && *us > 0.0);
        let logs: Vec<f64> = costs.map(|(_, us)| us.ln()).collect();
        mean(&logs).map(f64::exp)
    };
    let weight = |share: &Share| {
        let costs: Option<Vec<f64>> = share.services.iter().map(cost).collect();
        costs.map(|costs| costs.iter().fold(0.0, |most: f64, cost| most.max(*cost)))
    };
    let known: Option<Vec<f64>> = plan.shares.iter().map(weight).collect();
    let own = || plan.shares.iter().map(|share| f64::from(share.cpus_milli)).collect();
    let known = known.filter(|known| known.iter().any(|weight| *weight > 0.0));
    // A service that does nothing now may have to later.
    known.map_or_else(own, |known| {
        let most = known.iter().fold(0.0, |most: f64, weight| most.max(*weight));
        known.iter().map(|weight| weight.max(most / 50.0)).collect()
    })
}

/// The value of each dial at the start: the file's own, else the middle.
fn values(plan: &TunePlan, start: &Tried) -> Vec<String> {
    let turned =
        |knob: &str| start.turns.iter().find(|turn| turn.knob == knob).map(|turn| turn.value.clone());
    let value = |dial: &Dial| {
        turned(&dial.knob).or_else(|| dial.own.clone()).unwrap_or_else(|| dial.range.value(0.5))
    };
    plan.dials.iter().map(value).collect()
}

/// A point that is far from those before it: J. H. Halton, Numer. Math. 2, 1960, moved by the seed (R. Cranley, T. N. L. Patterson,
/// SIAM J. Numer. Anal. 13, 1976).
fn halton(plan: &TunePlan, number: usize) -> Vec<f64> {
    const PRIMES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
    let radical = |base: u64| {
        let (mut rest, mut part, mut sum) = (number as u64, 1.0, 0.0);
        while rest > 0 {
            part /= base as f64;
            sum += part * (rest % base) as f64;
            rest /= base;
        }
        sum
    };
    let coordinate = |of: usize| {
        (radical(PRIMES[of % PRIMES.len()]) + unit(plan.seed.word("tune-halton", &[of as u64]))).fract()
    };
    (0..plan.coordinates()).map(coordinate).collect()
}

/// From 0 to 1.
fn unit(word: u64) -> f64 {
    (word >> 11) as f64 / (1_u64 << 53) as f64
}
