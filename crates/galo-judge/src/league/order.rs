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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Told {
    /// The first is better.
    First,
    /// The second is.
    Second,
    /// They are as good as equal in all that could tell them apart.
    Equal,
    /// Nothing yet.
    Open,
    /// Nothing, however long it goes on: the one that seems better had too many void rounds.
    Withheld,
}

/// The order of some that are in and compared with each other.
pub(crate) struct Order<'a> {
    /// Indices of entries, the best first.
    pub(super) places: Vec<usize>,
    /// By place: what is known of it and of each place; of itself that it is equal.
    pub(super) told: Vec<Vec<Told>>,
    facts: &'a Facts,
}

/// What decides between entries.
pub(crate) struct Facts {
    effects: [(Measure, Effects); DECIDING.len()],
    /// By entry: more than 1 % of what fell due was not answered rightly.
    fails: Vec<bool>,
    /// By entry: more of its rounds were void than chance explains.
    void_too_often: Vec<bool>,
    /// By entry: mean p99 is within the service level.
    is_within: Vec<bool>,
    /// Logarithm of the factor that is as good as none.
    detect: f64,
}

impl Facts {
    /// Orders entries that are compared with each other.
    pub(super) fn order(&self, members: &[usize]) -> Order<'_> {
        let facts = self;
        let of = |&one: &usize| members.iter().map(|&other| facts.told([one, other])).collect();
        let told: Vec<Vec<Told>> = members.iter().map(of).collect();
        // How many are proven better less how many are proven worse, then the primary measure.
        let count = |told: &[Told], wanted| told.iter().filter(|told| **told == wanted).count() as i64;
        let balance = |place: &usize| count(&told[*place], Told::Second) - count(&told[*place], Told::First);
        let mut order: Vec<usize> = (0..members.len()).collect();
        order.sort_by(|a, b| {
            balance(a).cmp(&balance(b)).then_with(|| facts.by_primary(members[*a], members[*b]))
        });
        let sorted = |&one: &usize| order.iter().map(|&other| told[one][other]).collect();
        Order {
            told: order.iter().map(sorted).collect(),
            places: order.iter().map(|&one| members[one]).collect(),
            facts,
        }
    }
}

impl Order<'_> {
    /// The best and the worst place, from 1, that an entry may have by what is proven.
    pub(super) fn range(&self, entry: usize) -> [usize; 2] {
        let count = |wanted| self.of_entry(entry).filter(|told| *told == wanted).count();
        [count(Told::Second) + 1, self.places.len() - count(Told::First)]
    }

    /// Those that an entry is proven better than.
    pub(super) fn behind(&self, entry: usize) -> impl Iterator<Item = usize> {
        let all = self.of_entry(entry).zip(&self.places);
        all.filter(|(told, _)| *told == Told::First).map(|(_, other)| *other)
    }

    /// Whether anything of its place may yet change.
    pub(super) fn is_open(&self, entry: usize) -> bool {
        self.of_entry(entry).any(|told| told == Told::Open)
    }

    /// One entry's primary figure by another's; `None`: nothing that anybody could use is known of it.
    pub(super) fn ratio(&self, two: [usize; 2]) -> Option<Ratio> {
        /// Half of an interval that reaches from a thousandth to a thousand.
        const WIDEST: f64 = 6.9;
        let apart = self.facts.by(Measure::PRIMARY, two).filter(|apart| apart.half < WIDEST)?;
        Some(Ratio { ratio: apart.log.exp(), interval: apart.interval().map(f64::exp) })
    }

    /// First and last place, from 0, of each run of places within which no two are told apart, and which is part of no longer one.
    pub(super) fn groups(&self) -> Vec<[usize; 2]> {
        let mut groups: Vec<[usize; 2]> = Vec::new();
        let mut last = 0;
        for first in 0..self.places.len() {
            last = last.max(first);
            let joins = |next: usize| {
                self.told[next][first..next].iter().all(|told| !matches!(told, Told::First | Told::Second))
            };
            while last + 1 < self.places.len() && joins(last + 1) {
                last += 1;
            }
            if groups.last().is_none_or(|group| group[1] < last) {
                groups.push([first, last]);
            }
        }
        groups
    }

    /// What is known of an entry that is in and each one that is.
    fn of_entry(&self, entry: usize) -> impl Iterator<Item = Told> {
        let place = self.places.iter().position(|&one| one == entry);
        place.into_iter().flat_map(|place| self.told[place].iter().copied())
    }
}

impl Facts {
    /// All pairs that are compared of those that are in, and all looks, share each measure's chance of being wrong.
    pub(super) fn of(plan: &LeaguePlan, heard: &Heard<'_>) -> Self {
        let pairs = |field: &Vec<usize>| field.len() * field.len().saturating_sub(1) / 2;
        let pairs: usize = plan.fields(&heard.members()).iter().map(pairs).sum();
        let share = pairs.max(1) as f64 * plan.looks().len() as f64;
        let fails = |entry: usize| {
            let due = heard.of_entry(entry).map(|round| &round.ledger);
            let (right, due) = due.fold((0, 0), |(right, due), of| (right + of.ok, due + of.intended));
            (right as f64) < CORRECT_SHARE_MIN * due as f64
        };
        let is_within =
            |entry: usize| heard.mean(Measure::PRIMARY, entry).is_some_and(|us| us <= heard.service_level_us);
        let all = 0..plan.entries.len();
        Self {
            effects: DECIDING.map(|measure| {
                let alpha = alpha_of(measure) / share;
                (measure, Effects::of(&heard.seen(measure), plan.entries.len(), alpha))
            }),
            fails: all.clone().map(fails).collect(),
            void_too_often: all.clone().map(|entry| heard.void_too_often(entry).is_some()).collect(),
            is_within: all.map(is_within).collect(),
            detect: (1.0 + plan.detect_percent / 100.0).ln(),
        }
    }

    fn by(&self, wanted: Measure, two: [usize; 2]) -> Option<Apart> {
        self.effects
            .iter()
            .find(|(measure, _)| *measure == wanted)
            .and_then(|(_, effects)| effects.apart(two))
    }

    fn by_primary(&self, a: usize, b: usize) -> Ordering {
        let apart = self.by(Measure::PRIMARY, [a, b]);
        apart.map_or(Ordering::Equal, |apart| apart.log.total_cmp(&0.0)).then(a.cmp(&b))
    }

    /// What is known of two. An entry with too many void rounds is proven better than nobody.
    fn told(&self, two: [usize; 2]) -> Told {
        match self.by_figures(two) {
            Told::First if self.void_too_often[two[0]] => Told::Withheld,
            Told::Second if self.void_too_often[two[1]] => Told::Withheld,
            told => told,
        }
    }

    /// What the figures say of two, as a fight of two would decide: the primary measure, unless one of them surely gave fewer right answers, or
    /// answers so much wrongly that its p99 is none; where it sees nothing and both are within the service level, CPU time.
    fn by_figures(&self, two: [usize; 2]) -> Told {
        if two[0] == two[1] {
            return Told::Equal;
        }
        let winner = |measure: Measure| {
            let apart = self.by(measure, two).filter(Apart::is_surely)?;
            let first = (apart.log < 0.0) == measure.lower_is_better();
            Some(if first { Told::First } else { Told::Second })
        };
        let is_equal = |measure: Measure| {
            let apart = self.by(measure, two);
            apart.is_some_and(|apart| apart.interval().iter().all(|end| end.abs() <= self.detect))
        };
        let undecided = |is_equal: bool| if is_equal { Told::Equal } else { Told::Open };
        let right = Measure::CorrectWithinServiceLevel;
        let is_clear = self.by(right, two).is_some_and(|apart| apart.log.abs() > -CORRECT_SHARE_MIN.ln());
        if let Some(told) = winner(right).filter(|_| is_clear) {
            return told;
        }
        if two.iter().any(|&one| self.fails[one]) {
            return undecided(is_equal(right));
        }
        let cpu = Some(Measure::CpuMsPer1000).filter(|_| two.iter().all(|&one| self.is_within[one]));
        let decided = winner(Measure::PRIMARY).or_else(|| winner(cpu?));
        decided.unwrap_or_else(|| undecided(is_equal(Measure::PRIMARY) && cpu.is_none_or(is_equal)))
    }
}
