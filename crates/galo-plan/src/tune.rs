//! The plan of a search for the best setting of one contender: what may be turned, and what is best.
//!
//! The CPU of the budget is divided among the services; instances of one thing get the same. What else may be turned are knobs, each
//! between two values or among some.

mod reached;
mod turned;

use serde::{Deserialize, Serialize};

use crate::JsonSchema;
use crate::contender::Contender;
use crate::kind::LimitTerms;
use crate::knob::Turn;
use crate::seed::{PairId, Seed};
use crate::units::{format_cpus, parse_bytes};

/// Version of the plan's written form.
pub const FORMAT: u32 = 2;

/// A service gets this share of a core at least.
const LEAST_CPUS_MILLI: u32 = 20;
/// Shares are multiples of this.
pub const STEP_CPUS_MILLI: u32 = 10;

/// What is best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Objective {
    /// The highest scale.
    Scale,
    /// The least CPU for each right answer, at the plan's scale.
    Cpu,
    /// The least p99, at the plan's scale.
    P99,
}

/// A search for the best setting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename = "tune")]
pub struct TunePlan {
    /// [`FORMAT`].
    pub format: u32,
    /// Name of the challenge.
    pub challenge: String,
    /// Name of its profile.
    pub profile: String,
    /// Factor on its rates where the objective is not the highest scale, in thousandths.
    pub scale_milli: u32,
    /// Seed that all is drawn by.
    pub seed: Seed,
    /// What is best.
    pub objective: Objective,
    /// At most so many tries, the start included.
    pub tries: u32,
    /// How the highest scale is searched for.
    pub limits: LimitTerms,
    /// The contender as its file says: the start.
    pub contender: Contender,
    /// CPU that may be divided, in thousandths.
    pub cpus_milli: u32,
    /// Among whom; fewer than two: nothing is divided.
    pub shares: Vec<Share>,
    /// What else is turned.
    pub dials: Vec<Dial>,
}

/// Services that get the same share of CPU.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Share {
    /// Names.
    pub services: Vec<String>,
    /// What each has at the start, in thousandths.
    pub cpus_milli: u32,
    /// The least and the most that each may get, in thousandths.
    pub bounds_milli: [u32; 2],
}

/// A knob that is turned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Dial {
    /// The knob.
    pub knob: String,
    /// Places of single services that it goes to.
    pub to: Vec<String>,
    /// What the file itself says there; `None`: nothing.
    pub own: Option<String>,
    /// Its range.
    pub range: Range,
}

/// The values of a dial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Range {
    /// These, in an order that means something.
    Each(Vec<String>),
    /// All between two.
    Between {
        /// The ends; of memory in bytes.
        ends: [f64; 2],
        /// Whether it goes up by factors.
        by_factors: bool,
        /// Decimals that values are written with.
        decimals: u8,
    },
}

impl TunePlan {
    /// The plan as it is recorded: without secrets in its contender's file.
    #[must_use]
    pub fn without_secrets(&self) -> Self {
        let mut plan = self.clone();
        plan.contender.hide_secrets();
        plan
    }

    /// The seed of a child, from 1: it is told at the child's end, while others are still to be driven.
    pub fn seed_of(&self, child: u32) -> Seed {
        self.seed.of_pair(PairId { pair: child.saturating_sub(1), attempt: 0 })
    }

    /// How many coordinates a point of the search has: one for each share but the first, and one for each dial.
    pub const fn coordinates(&self) -> usize {
        self.shares.len().saturating_sub(1) + self.dials.len()
    }

    /// What coordinates are called.
    pub fn names(&self) -> Vec<String> {
        let shares = self.shares.iter().skip(1).map(Share::name);
        shares.chain(self.dials.iter().map(|dial| dial.knob.clone())).collect()
    }

    /// A setting: CPU of each share's services, in thousandths, and a value of each dial.
    pub fn turns(&self, cpus_milli: &[u32], values: &[String]) -> Vec<Turn> {
        let shares = self.shares.iter().zip(cpus_milli).flat_map(|(share, &milli)| {
            let turn =
                move |service: &String| Turn { knob: format!("{service}.cpus"), value: format_cpus(milli) };
            share.services.iter().map(turn)
        });
        let dials = self.dials.iter().zip(values);
        shares
            .chain(dials.map(|(dial, value)| Turn { knob: dial.knob.clone(), value: value.clone() }))
            .collect()
    }

    /// Divides the budget by these weights, each service's, within the bounds of each share. Never over it.
    pub fn divided(&self, weights: &[f64]) -> Vec<u32> {
        /// A factor that is found by halves may end this much below a whole step.
        const JUST_BELOW: f64 = 1e-6;
        // What a bound holds gives to the others or takes from them: by one factor for all the weights, the budget is spent.
        let at = |factor: f64| -> Vec<f64> {
            let bounded = |(share, weight): (&Share, &f64)| {
                let [low, high] = share.bounds_milli.map(f64::from);
                (factor * weight).clamp(low, high)
            };
            self.shares.iter().zip(weights).map(bounded).collect()
        };
        let is_over = |factor: f64| {
            let each = at(factor).into_iter().zip(&self.shares);
            let all: f64 = each.map(|(milli, share)| milli * share.services.len() as f64).sum();
            all > f64::from(self.cpus_milli)
        };
        let [mut least, mut most] = [0.0, 1.0];
        while !is_over(most) && most < 1e12 {
            [least, most] = [most, 2.0 * most];
        }
        for _ in 0..60 {
            let middle = (least + most) / 2.0;
            if is_over(middle) { most = middle } else { least = middle }
        }
        let step = STEP_CPUS_MILLI;
        let mut whole: Vec<u32> =
            at(least).iter().map(|milli| ((milli + JUST_BELOW) / f64::from(step)) as u32 * step).collect();
        for (whole, share) in whole.iter_mut().zip(&self.shares) {
            *whole = (*whole).max(share.bounds_milli[0]);
        }
        self.spend(&mut whole);
        whole
    }

    /// Brings shares to the budget, step by step: down where they are over it, up where something is left.
    fn spend(&self, milli: &mut [u32]) {
        let sum = |milli: &[u32]| -> u32 {
            milli.iter().zip(&self.shares).map(|(milli, share)| milli * share.services.len() as u32).sum()
        };
        let count = |index: usize| self.shares[index].services.len() as u32;
        while sum(milli) > self.cpus_milli {
            let can = |&index: &usize| milli[index] >= self.shares[index].bounds_milli[0] + STEP_CPUS_MILLI;
            let Some(largest) = (0..milli.len()).filter(can).max_by_key(|&index| milli[index]) else { break };
            milli[largest] -= STEP_CPUS_MILLI;
        }
        loop {
            let left = self.cpus_milli.saturating_sub(sum(milli));
            let can = |&index: &usize| {
                STEP_CPUS_MILLI * count(index) <= left
                    && milli[index] + STEP_CPUS_MILLI <= self.shares[index].bounds_milli[1]
            };
            let Some(largest) = (0..milli.len()).filter(can).max_by_key(|&index| milli[index]) else { break };
            milli[largest] += STEP_CPUS_MILLI;
        }
    }
}

impl Share {
    /// What it is called.
    fn name(&self) -> String {
        format!("{}.cpus", self.services.join("+"))
    }
}

impl Range {
    /// The value at a place from 0 to 1.
    pub fn value(&self, at: f64) -> String {
        let at = at.clamp(0.0, 1.0);
        match self {
            Self::Each(values) => {
                let index = (at * values.len() as f64) as usize;
                values[index.min(values.len() - 1)].clone()
            }
            Self::Between { ends: [low, high], by_factors, decimals } => {
                let value = match by_factors {
                    true => low * (high / low).powf(at),
                    false => (high - low).mul_add(at, *low),
                };
                format!("{value:.*}", usize::from(*decimals))
            }
        }
    }

    /// The place of a value, which may lie between or beyond; `None`: it is none of some that are no numbers.
    pub fn at(&self, value: &str) -> Option<f64> {
        match self {
            Self::Each(values) => {
                let known = values.iter().position(|one| one == value).map(|index| index as f64);
                let index = known.or_else(|| between(values, value))?;
                Some((index + 0.5) / values.len() as f64)
            }
            Self::Between { ends: [low, high], by_factors, .. } => {
                let value: f64 =
                    parse_bytes(value).map(|bytes| bytes as f64).or_else(|_| value.parse()).ok()?;
                Some(if *by_factors {
                    (value / low).ln() / (high / low).ln()
                } else {
                    (value - low) / (high - low)
                })
            }
        }
    }
}

/// Where a number lies among numbers that go up or down: halfway between two, or beyond an end.
fn between(values: &[String], value: &str) -> Option<f64> {
    let number = |text: &str| text.parse::<f64>().ok();
    let numbers: Vec<f64> = values.iter().map(|value| number(value)).collect::<Option<_>>()?;
    let value = number(value)?;
    let goes_up = numbers.last() >= numbers.first();
    let before = numbers.iter().filter(|one| if goes_up { **one < value } else { **one > value }).count();
    Some(before as f64 - 0.5)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::kind::LimitTerms;

    fn plan(counts: &[usize], cpus_milli: u32) -> TunePlan {
        let share = |(index, &count): (usize, &usize)| Share {
            services: (0..count).map(|of| format!("s{index}-{of}")).collect(),
            cpus_milli: 100,
            bounds_milli: [LEAST_CPUS_MILLI, cpus_milli],
        };
        TunePlan {
            format: FORMAT,
            challenge: "fake".to_owned(),
            profile: "quick".to_owned(),
            scale_milli: 1000,
            seed: Seed::of_number(1),
            objective: Objective::Scale,
            tries: 40,
            limits: LimitTerms::of_holds(1),
            contender: Contender::at_address(([127, 0, 0, 1], 1).into(), "fake"),
            cpus_milli,
            shares: counts.iter().enumerate().map(share).collect(),
            dials: Vec::new(),
        }
    }

    #[test]
    fn a_budget_is_divided_by_weight() {
        assert_eq!(plan(&[1, 2, 1], 1500).divided(&[4.0, 2.0, 2.0]), [600, 300, 300]);
        // What does not come out even goes to the largest.
        assert_eq!(plan(&[1, 1, 1], 1000).divided(&[1.0, 1.0, 1.0]), [330, 330, 340]);
        let mut bounded = plan(&[1, 1], 1000);
        bounded.shares[0].bounds_milli = [100, 300];
        assert_eq!(bounded.divided(&[9.0, 1.0]), [300, 700]);
        assert_eq!(plan(&[1, 1], 1000).divided(&[1.0, 0.0]), [980, 20]);
        // What a bound leaves goes to the others by their weights.
        let mut bounded = plan(&[1, 2, 1], 1500);
        bounded.shares[2].bounds_milli = [20, 100];
        assert_eq!(bounded.divided(&[4.0, 2.0, 2.0]), [700, 350, 100]);
    }

    proptest! {
        #[test]
        fn no_split_is_over_the_budget_or_below_its_bounds(
            counts in proptest::collection::vec(1..4_usize, 2..6),
            weights in proptest::collection::vec(0.0..100.0_f64, 6),
            cpus_milli in 500..4000_u32,
        ) {
            let plan = plan(&counts, cpus_milli);
            let milli = plan.divided(&weights[..counts.len()]);
            let sum: u32 = milli.iter().zip(&counts).map(|(milli, count)| milli * *count as u32).sum();
            prop_assert!(sum <= cpus_milli, "{milli:?}");
            prop_assert!(milli.iter().all(|milli| *milli >= LEAST_CPUS_MILLI && milli % STEP_CPUS_MILLI == 0));
        }
    }
}
