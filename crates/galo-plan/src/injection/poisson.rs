//! Arrivals of a Poisson process whose rate is an injection's.

use super::{Injection, Phase, USER};
use crate::draw::draw;

/// Offsets in nanoseconds from the start of the injection, ascending, drawn by a seed. They end with the injection, so
/// their number is random too: its mean and its variance are both the integral of the arrival rate.
///
/// By time rescaling (Çinlar, "Introduction to stochastic processes", 1975, section 4.7; as an algorithm in Devroye,
/// "Non-uniform random variate generation", 1986, section VI.1.3): where the points of a process of rate 1 are mapped
/// through the inverse of the integral of a rate, they become a Poisson process of that rate. The integral is summed
/// up in whole parts of a user and inverted exactly, so the sequence is the same on every machine.
///
/// Each offset depends on all before it, so every thread that takes a share walks the whole sequence: `skip(thread)`
/// and `step_by(threads)` pass over what others take without inverting it.
#[derive(Debug, Clone)]
pub struct Poisson {
    injection: Injection,
    seed: u64,
    /// How many increments are drawn.
    drawn: u64,
    /// The phase of the last arrival; the number of phases where there is none left.
    phase: usize,
    /// Where that phase starts.
    started_ns: u64,
    /// The integral over that phase.
    phase_total: u128,
    /// The integral from that phase's start to the last arrival.
    within: u128,
}

impl Injection {
    /// Arrivals at random, on average at the injection's rate.
    pub fn poisson(&self, seed: u64) -> Poisson {
        Poisson {
            phase_total: self.phases.first().map_or(0, Phase::total),
            injection: self.clone(),
            seed,
            drawn: 0,
            phase: 0,
            started_ns: 0,
            within: 0,
        }
    }
}

impl Poisson {
    /// Goes to the next arrival. `None`: the injection ends before it.
    fn advance(&mut self) -> Option<()> {
        self.within += u128::from(increment(draw(self.seed, &[self.drawn])));
        self.drawn += 1;
        while self.within >= self.phase_total {
            self.started_ns += self.injection.phases.get(self.phase)?.duration_ns;
            self.within -= self.phase_total;
            self.phase += 1;
            self.phase_total = self.injection.phases.get(self.phase).map_or(0, Phase::total);
        }
        Some(())
    }
}

impl Iterator for Poisson {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        self.nth(0)
    }

    fn nth(&mut self, passed_over: usize) -> Option<u64> {
        for _ in 0..=passed_over {
            self.advance()?;
        }
        let phase = self.injection.phases.get(self.phase)?;
        Some(self.started_ns + phase.reach_ns(self.within))
    }

    fn count(mut self) -> usize {
        std::iter::from_fn(|| self.advance()).count()
    }
}

/// The integral from one arrival to the next, in [`USER`] parts: exponentially distributed with mean 1 user.
fn increment(bits: u64) -> u64 {
    // The middle of one of 2^52 equal parts of the unit interval: exact, and neither 0 nor 1.
    let even = ((bits >> 12) as f64 + 0.5) / (1u64 << 52) as f64;
    // At most 53 ln 2 users.
    (-ln(even) * USER as f64) as u64
}

/// Natural logarithm of a positive normal number, with a relative error below 1e-15.
///
/// `f64::ln` may differ in its last bit between C libraries, and between CPUs with and without fused multiplication.
/// This has only operations whose result IEEE 754 fixes.
fn ln(x: f64) -> f64 {
    const MANTISSA: u64 = (1 << 52) - 1;
    let exponent = (x.to_bits() >> 52) as i64 - 1023;
    let mantissa = f64::from_bits(x.to_bits() & MANTISSA | 1.0f64.to_bits());
    let (mantissa, exponent) = if mantissa > std::f64::consts::SQRT_2 {
        (mantissa / 2.0, exponent + 1)
    } else {
        (mantissa, exponent)
    };
    // ln m = 2 artanh((m - 1) / (m + 1)); the argument is at most 0.172, so the first term left out is below 1e-18.
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    let square = s * s;
    let series = (0..=10).rev().fold(0.0, |sum, k| sum * square + 1.0 / f64::from(2 * k + 1));
    exponent as f64 * std::f64::consts::LN_2 + 2.0 * s * series
}

#[cfg(test)]
mod tests;
