//! A rate that climbs step by step.

use super::{Injection, InjectionError, Phase, format_rate};

/// More are an oversight, such as a step of 1/s towards 1,000,000/s.
const MAX_STEPS: u64 = 10_000;

/// What is written to ask for steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Climb {
    /// The first step's rate, in millionths of a user per second.
    pub start_micro: u64,
    /// By how much each step is faster than the one before it, in the same unit.
    pub step_micro: u64,
    /// The last step's rate, in the same unit. Where `start` plus whole steps misses it, the last step is a shorter one.
    pub max_micro: u64,
    /// Length of each step in nanoseconds.
    pub length_ns: u64,
    /// How often the last step comes again.
    pub repeats_of_last: u32,
}

/// An injection of steps, with their borders, so that a report has a row for each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RateSteps {
    /// One phase for each step.
    pub injection: Injection,
    /// In order, without gaps; a repeated step has a row for each time.
    pub steps: Vec<RateStep>,
}

/// One step: constant rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateStep {
    /// In millionths of a user per second.
    pub rate_micro: u64,
    /// Users with an intended start from here on belong to it; nanoseconds from the start of the injection.
    pub from_ns: u64,
    /// ... and before here.
    pub to_ns: u64,
}

impl RateSteps {
    /// Steps from a rate up to another.
    ///
    /// # Errors
    /// A climb that goes down or does not move, more than 10,000 steps, or what no injection may be.
    pub fn new(climb: &Climb) -> Result<Self, InjectionError> {
        let Climb { start_micro, step_micro, max_micro, length_ns, repeats_of_last } = *climb;
        let refused = |reason: &str| Err(InjectionError::Steps(reason.to_owned()));
        if max_micro < start_micro {
            let (from, to) = (format_rate(start_micro), format_rate(max_micro));
            return refused(&format!(
                "the steps go down, from {from} to {to}\nhint: choose a highest rate above the first"
            ));
        }
        if step_micro == 0 && max_micro > start_micro {
            return refused("each step is as fast as the one before it\nhint: choose a step above 0");
        }
        if length_ns == 0 {
            return refused("a step needs a length\nhint: write for example `1m`");
        }
        let climbing = if step_micro == 0 { 0 } else { (max_micro - start_micro).div_ceil(step_micro) };
        let count = climbing.saturating_add(1).saturating_add(u64::from(repeats_of_last));
        if count > MAX_STEPS {
            return refused(&format!(
                "{count} steps are more than {MAX_STEPS}\nhint: choose a larger step, or fewer repeats"
            ));
        }
        let rate = |i: u64| start_micro.saturating_add(i.saturating_mul(step_micro)).min(max_micro);
        let rates = (0..count).map(rate);
        let phase = |rate| Phase { from_micro: rate, to_micro: rate, duration_ns: length_ns };
        let injection = Injection::checked(rates.clone().map(phase).collect())?;
        // The check above bounds the sum of all lengths.
        let steps = rates.zip(0..).map(|(rate_micro, i)| RateStep {
            rate_micro,
            from_ns: i * length_ns,
            to_ns: (i + 1) * length_ns,
        });
        Ok(Self { steps: steps.collect(), injection })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn climb(start: u64, step: u64, max: u64) -> Climb {
        Climb {
            start_micro: start * 1_000_000,
            step_micro: step * 1_000_000,
            max_micro: max * 1_000_000,
            length_ns: 60 * SECOND,
            repeats_of_last: 0,
        }
    }

    fn rates(climb: &Climb) -> Vec<u64> {
        RateSteps::new(climb).unwrap().steps.iter().map(|step| step.rate_micro / 1_000_000).collect()
    }

    #[test]
    fn the_rate_climbs_to_the_highest_and_stays_there_as_often_as_asked() {
        assert_eq!(rates(&climb(1000, 1000, 4000)), [1000, 2000, 3000, 4000]);
        assert_eq!(rates(&Climb { repeats_of_last: 2, ..climb(1000, 1000, 2000) }), [1000, 2000, 2000, 2000]);
        assert_eq!(rates(&climb(1000, 400, 2000)), [1000, 1400, 1800, 2000]);
        assert_eq!(rates(&climb(1000, 0, 1000)), [1000]);
        assert_eq!(rates(&climb(1000, 5000, 1001)), [1000, 1001]);
    }

    #[test]
    fn every_user_belongs_to_the_step_at_whose_rate_it_arrives() {
        let steps = RateSteps::new(&climb(1, 1, 3)).unwrap();
        assert_eq!(steps.injection.duration_ns(), 180 * SECOND);
        let mut users = [0; 3];
        for n in 0..steps.injection.users() {
            let at_ns = steps.injection.offset_ns(n).unwrap();
            let is_in = |step: &RateStep| (step.from_ns..step.to_ns).contains(&at_ns);
            users[steps.steps.iter().position(is_in).unwrap()] += 1;
        }
        assert_eq!(users, [60, 120, 180]);
    }

    #[test]
    fn what_is_no_climb_is_told_with_what_to_do() {
        let error = |climb: Climb| RateSteps::new(&climb).unwrap_err().to_string();
        insta::assert_snapshot!(error(climb(1000, 1, 999)), @"
        the steps go down, from 1000/s to 999/s
        hint: choose a highest rate above the first
        ");
        insta::assert_snapshot!(error(climb(1000, 0, 2000)), @"
        each step is as fast as the one before it
        hint: choose a step above 0
        ");
        insta::assert_snapshot!(error(Climb { length_ns: 0, ..climb(1, 1, 2) }), @"
        a step needs a length
        hint: write for example `1m`
        ");
        insta::assert_snapshot!(error(climb(0, 1, 1_000_000)), @"
        1000001 steps are more than 10000
        hint: choose a larger step, or fewer repeats
        ");
        insta::assert_snapshot!(error(Climb { length_ns: u64::MAX, ..climb(1, 1, 2) }), @"`1/s for 18446744073709551615ns` is too long or too fast: all phases together may last 30 days at most");
        let endless = Climb {
            start_micro: 0,
            step_micro: u64::MAX,
            max_micro: u64::MAX,
            length_ns: 1,
            repeats_of_last: u32::MAX,
        };
        assert!(RateSteps::new(&endless).is_err());
    }
}
