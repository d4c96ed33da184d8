//! Who is before whom, and what is proven of it.

use std::cmp::Ordering;

use galo_plan::league::LeaguePlan;

use super::Ratio;
use super::heard::Heard;
use crate::measure::Measure;
use crate::pairing::alpha_of;
use crate::stats::blocks::{Apart, Effects};
use crate::verdict::{CORRECT_SHARE_MIN, DECIDING};

/// What is known of two entries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Told {
    /// The first is better, by this measure.
    First(Measure),
    /// The second is.
    Second(Measure),
    /// They are as good as equal in all that could tell them apart.
    Equal,
    /// Nothing yet.
    Open,
}

/// The order of those that are in.
pub struct Order {
    /// Indices of entries, the best first.
    pub places: Vec<usize>,
    /// By place: what is known of it and each later one.
    told: Vec<Vec<Told>>,
    effects: Vec<(Measure, Effects)>,
}

/// What decides between entries, beside their effects.
struct Facts {
    effects: Vec<(Measure, Effects)>,
    /// By entry: more than 1 % of what fell due was not answered rightly.
    fails: Vec<bool>,
    /// By entry: mean p99 is within the service level.
    is_within: Vec<bool>,
    /// Logarithm of the factor that is as good as none.
    detect: f64,
}

impl Order {
    /// Orders those that are in. Their pairs, and all looks, share each measure's chance of being wrong.
    pub(super) fn of(plan: &LeaguePlan, heard: &Heard<'_>, service_level_us: f64) -> Self {
        let members = heard.members();
        let pairs = (members.len() * members.len().saturating_sub(1) / 2).max(1);
        let share = pairs as f64 * plan.looks().len() as f64;
        let effects = DECIDING.map(|measure| {
            let effects = Effects::of(&heard.seen(measure), plan.entries.len(), alpha_of(measure) / share);
            (measure, effects)
        });
        let fails = |entry: usize| {
            let due = heard.of_entry(entry).map(|round| &round.ledger);
            let (right, due) = due.fold((0, 0), |(right, due), of| (right + of.ok, due + of.intended));
            (right as f64) < CORRECT_SHARE_MIN * due as f64
        };
        let is_within =
            |entry: usize| heard.means(entry).get(Measure::PRIMARY).is_some_and(|us| us <= service_level_us);
        let all = 0..plan.entries.len();
        let facts = Facts {
            effects: effects.into(),
            fails: all.clone().map(fails).collect(),
            is_within: all.map(is_within).collect(),
            detect: (1.0 + plan.detect_percent / 100.0).ln(),
        };
        facts.order(members)
    }

    /// The best and the worst place, from 1, that an entry may have by what is proven.
    pub fn range(&self, entry: usize) -> [usize; 2] {
        let Some(place) = self.places.iter().position(|&one| one == entry) else { return [0, 0] };
        let before = self.others(place).filter(|told| matches!(told, Told::Second(_))).count();
        let after = self.others(place).filter(|told| matches!(told, Told::First(_))).count();
        [before + 1, self.places.len() - after]
    }

    /// Whether anything of its place may yet change.
    pub fn is_open(&self, entry: usize) -> bool {
        let place = self.places.iter().position(|&one| one == entry);
        place.is_some_and(|place| self.others(place).any(|told| told == Told::Open))
    }

    /// One entry's figure by another's.
    pub fn ratio(&self, measure: Measure, two: [usize; 2]) -> Option<Ratio> {
        let apart = self.effects.iter().find(|(of, _)| *of == measure)?.1.apart(two)?;
        Some(Ratio { ratio: apart.log.exp(), interval: apart.interval().map(f64::exp) })
    }

    /// First and last place, from 0, of each run of places within which no two are told apart, and which is part of no longer one.
    pub fn groups(&self) -> Vec<[usize; 2]> {
        let mut groups: Vec<[usize; 2]> = Vec::new();
        let mut last = 0;
        for first in 0..self.places.len() {
            last = last.max(first);
            let joins = |next: usize| (first..next).all(|one| !is_proven(self.between(one, next)));
            while last + 1 < self.places.len() && joins(last + 1) {
                last += 1;
            }
            if groups.last().is_none_or(|group| group[1] < last) {
                groups.push([first, last]);
            }
        }
        groups
    }

    /// What is known of a place and a later one.
    fn between(&self, place: usize, later: usize) -> Told {
        self.told[place][later - place - 1]
    }

    /// What is known of a place and each other one, the place first.
    fn others(&self, place: usize) -> impl Iterator<Item = Told> {
        let earlier = (0..place).map(move |other| self.between(other, place).turned());
        earlier.chain(self.told[place].iter().copied())
    }
}

const fn is_proven(told: Told) -> bool {
    matches!(told, Told::First(_) | Told::Second(_))
}

impl Told {
    const fn turned(self) -> Self {
        match self {
            Self::First(measure) => Self::Second(measure),
            Self::Second(measure) => Self::First(measure),
            other => other,
        }
    }
}

impl Facts {
    fn order(self, mut members: Vec<usize>) -> Order {
        // How many are proven better less how many are proven worse, then the primary measure.
        let balance: Vec<i64> = members
            .iter()
            .map(|&one| {
                let told =
                    members.iter().filter(|&&other| other != one).map(|&other| self.told([one, other]));
                told.map(|told| match told {
                    Told::First(_) => -1,
                    Told::Second(_) => 1,
                    Told::Equal | Told::Open => 0,
                })
                .sum()
            })
            .collect();
        let mut ranked: Vec<(i64, usize)> = balance.into_iter().zip(members.iter().copied()).collect();
        ranked.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| self.by_primary(a.1, b.1)));
        members = ranked.into_iter().map(|(_, one)| one).collect();
        let told = (0..members.len())
            .map(|place| {
                members[place + 1..].iter().map(|&later| self.told([members[place], later])).collect()
            })
            .collect();
        Order { places: members, told, effects: self.effects }
    }

    fn by_primary(&self, a: usize, b: usize) -> Ordering {
        let apart = self.effects.first().and_then(|(_, effects)| effects.apart([a, b]));
        apart.map_or_else(|| a.cmp(&b), |apart| apart.log.total_cmp(&0.0).then(a.cmp(&b)))
    }

    /// What is known of two, as a fight of two would decide: the primary measure, unless one of them surely gave fewer right answers, or
    /// answers so much wrongly that its p99 is none; where it sees nothing and both are within the service level, CPU time.
    fn told(&self, two: [usize; 2]) -> Told {
        let by = |wanted: Measure| {
            self.effects
                .iter()
                .find(|(measure, _)| *measure == wanted)
                .and_then(|(_, effects)| effects.apart(two))
        };
        let winner = |measure: Measure| {
            let apart = by(measure).filter(Apart::is_surely)?;
            let first = (apart.log < 0.0) == measure.lower_is_better();
            Some(if first { Told::First(measure) } else { Told::Second(measure) })
        };
        let right = Measure::CorrectWithinServiceLevel;
        let is_clear = by(right).is_some_and(|apart| apart.log.abs() > -CORRECT_SHARE_MIN.ln());
        if let Some(told) = winner(right).filter(|_| is_clear) {
            return told;
        }
        let is_equal = |measure: Measure| {
            by(measure).is_some_and(|apart| apart.interval().iter().all(|end| end.abs() <= self.detect))
        };
        if two.iter().any(|&one| self.fails[one]) {
            return if is_equal(right) { Told::Equal } else { Told::Open };
        }
        let has_cpu = two.iter().all(|&one| self.is_within[one]);
        let decided =
            winner(Measure::PRIMARY).or_else(|| has_cpu.then(|| winner(Measure::CpuMsPer1000)).flatten());
        decided.unwrap_or_else(|| {
            let all_equal = is_equal(Measure::PRIMARY) && (!has_cpu || is_equal(Measure::CpuMsPer1000));
            if all_equal { Told::Equal } else { Told::Open }
        })
    }
}
