//! How long everything in a duel takes: turns, their loads, warm-ups.

use std::time::Duration;

use galo_plan::Injection;
use galo_record::duel::{Level, LevelTerms};

/// What a turn takes beside its loads.
const HAND_OVER: Duration = Duration::from_millis(100);
/// A load at a rate is never shorter.
const SHORTEST: Duration = Duration::from_secs(1);

/// See the module.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    /// How often pairs are to be driven.
    pub(super) pairs: u32,
    /// Length of a load at a rate, at most where all of it has a bound.
    open: Duration,
    /// Length of a load in a closed loop.
    closed: Duration,
    /// Whether there is also a load near the slower one's limit.
    near: bool,
    /// A warm-up ends when the rate rises no more, but not after this.
    pub(super) warm_up_max: Duration,
    /// After so many pairs both sides are started afresh; 0: never.
    pub(super) pairs_per_start: u32,
    /// All of it, from the start of the first side; loads at a rate are shortened for that.
    pub(super) within: Option<Duration>,
}

/// Eight pairs, the fewest with which every figure can decide. With turns of 3 s a pause every 5 s falls into every turn
/// of a side that stands still for as long.
pub(super) const QUICK: Pace = Pace {
    pairs: 8,
    open: Duration::from_millis(2_400),
    closed: Duration::from_millis(500),
    near: false,
    warm_up_max: Duration::from_millis(2_500),
    pairs_per_start: 0,
    within: Some(Duration::from_secs(55)),
};
pub(super) const USUAL: Pace = Pace {
    pairs: 10,
    open: Duration::from_millis(3_000),
    closed: Duration::from_millis(1_500),
    near: true,
    warm_up_max: Duration::from_secs(10),
    pairs_per_start: 0,
    within: None,
};
/// Sixteen starts of each side, so that the luck of a start averages out, and short turns, so that what the machine does
/// meanwhile falls on both.
pub(super) const THOROUGH: Pace = Pace {
    pairs: 96,
    open: Duration::from_millis(1_000),
    closed: Duration::from_millis(500),
    near: true,
    warm_up_max: Duration::from_secs(15),
    pairs_per_start: 6,
    within: None,
};

/// The traffic that the caller asks for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Asked {
    /// A constant rate, in millionths of a user per second.
    Rate(u64),
    /// All of a load.
    Arrivals(Injection),
}

impl Asked {
    /// The highest rate, in millionths of a user per second.
    pub(super) fn peak_micro(&self) -> u64 {
        match self {
            Self::Rate(micro) => *micro,
            Self::Arrivals(injection) => {
                let rates = injection.phases().iter().map(|phase| phase.from_micro.max(phase.to_micro));
                rates.max().unwrap_or(0)
            }
        }
    }
}

/// What was seen before the first turn, by which its loads are chosen.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen {
    /// What the slower side reaches in a closed loop, in answers per second.
    pub(super) slower_per_s: f64,
    /// How long the duel took so far.
    pub(super) taken: Duration,
    /// How much longer than asked for a closed loop takes to its end.
    pub(super) overrun: Duration,
}

impl Pace {
    /// The loads of a turn: at the rate that was asked for, or at rates by what the slower side reaches.
    pub(super) fn levels(&self, asked: Option<&Asked>, connections: u32, seen: &Seen) -> Vec<LevelTerms> {
        let load = |level, length: Duration, rate_micro: Option<u64>| LevelTerms {
            level,
            length_ns: length.as_nanos() as u64,
            injection: rate_micro.map(|micro| Injection::constant(micro, length)),
            connections,
        };
        let of_slower = |share: f64| Some(((seen.slower_per_s * share * 1e6) as u64).max(1_000_000));
        match asked {
            None => {}
            Some(Asked::Rate(micro)) => {
                let open = self.shortened(self.open + self.closed, seen.taken, HAND_OVER);
                return vec![load(Level::Asked, open, Some(*micro))];
            }
            Some(Asked::Arrivals(injection)) => {
                let length_ns = injection.duration_ns();
                let injection = Some(injection.clone());
                return vec![LevelTerms { level: Level::Asked, length_ns, injection, connections }];
            }
        }
        let near = if self.near { self.closed } else { Duration::ZERO };
        let others = near + self.closed + seen.overrun + HAND_OVER;
        let open = self.shortened(self.open, seen.taken, others);
        let mut levels = vec![load(Level::Half, open, of_slower(0.5))];
        if self.near {
            levels.push(load(Level::Near, near, of_slower(0.9)));
        }
        levels.push(load(Level::Highest, self.closed, None));
        levels
    }

    /// A load's length, where all of it has a bound: what is left of a turn that also takes `others`.
    fn shortened(&self, length: Duration, taken: Duration, others: Duration) -> Duration {
        let Some(within) = self.within else { return length };
        let turn = within.saturating_sub(taken) / (self.pairs * 2).max(1);
        turn.saturating_sub(others).min(length).max(SHORTEST)
    }

    /// So many pairs, all of it in about this time.
    pub(super) fn filling(self, within: Duration) -> Self {
        Self { open: within, within: Some(within), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEEN: Seen =
        Seen { slower_per_s: 1_000.0, taken: Duration::from_secs(7), overrun: Duration::from_millis(20) };

    fn told(pace: Pace, asked: Option<&Asked>) -> Vec<(&'static str, u64, Option<u64>)> {
        let levels = pace.levels(asked, 16, &SEEN);
        let rate = |injection: &Injection| injection.final_rate_micro() / 1_000_000;
        let told = levels.iter().map(|terms| {
            (terms.level.name(), terms.length_ns / 1_000_000, terms.injection.as_ref().map(rate))
        });
        told.collect()
    }

    #[test]
    fn rates_follow_what_the_slower_side_reaches() {
        assert_eq!(
            told(USUAL, None),
            [("half", 3_000, Some(500)), ("near", 1_500, Some(900)), ("highest", 1_500, None)]
        );
        assert_eq!(told(USUAL, Some(&Asked::Rate(77_000_000))), [("asked", 4_500, Some(77))]);
    }

    #[test]
    fn a_profile_is_driven_as_it_is() {
        let profile =
            Asked::Arrivals(Injection::parse(&["1/s for 2s", "ramp 10/s to 30/s over 9s"]).unwrap());
        assert_eq!(told(QUICK, Some(&profile)), [("asked", 11_000, Some(30))]);
        assert_eq!(profile.peak_micro(), 30_000_000);
    }

    #[test]
    fn where_all_has_a_bound_the_loads_at_a_rate_keep_to_it() {
        assert_eq!(told(QUICK, None), [("half", 2_380, Some(500)), ("highest", 500, None)]);
        let late = Pace { within: Some(Duration::from_secs(10)), ..QUICK };
        assert_eq!(told(late, None)[0], ("half", 1_000, Some(500)));
        assert_eq!(told(Pace { pairs: 2, ..QUICK }, None)[0], ("half", 2_400, Some(500)));
        let long = USUAL.filling(Duration::from_secs(607));
        assert_eq!(told(long, None)[0], ("half", 26_880, Some(500)));
    }
}
