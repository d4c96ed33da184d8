//! Who shares a nickname with whom: the ceiling of creations, and two bits per row.
//!
//! Rows are sent from many connections at once, so which of several rows of one nickname is created is up to time. Only
//! a row whose nickname no other row can take must be created. The contest does not say whether nicknames that differ in letter case
//! alone are the same, so a contender may take them for that.

use galo_plan::model::Ceiling;

use crate::draw::Key;
use crate::person::Person;
use galo_plan::model::Label;

/// What is known of all people of a plan before any is sent.
pub(crate) struct Census {
    ceiling: Ceiling,
    same: Vec<u64>,
    by_case: Vec<u64>,
    rows: u64,
}

/// Which other rows of a plan, to be accepted or free, may be why a row is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Rivals {
    /// Some with the same nickname.
    pub(crate) same: bool,
    /// Some with a nickname that differs in letter case alone.
    pub(crate) by_case: bool,
}

/// One row while the census is taken. Only a nickname longer than allowed is cut here, and such a row is refused, so
/// it is left out before.
struct Entry {
    apelido: [u8; 32],
    row: u64,
    label: Label,
}

impl Census {
    /// Takes the census of the rows 0 to `rows - 1`. It takes 48 bytes a row while it runs, two bits a row afterwards.
    pub(crate) fn take(key: Key, rows: u64) -> Self {
        let mut entries: Vec<Entry> = (0..rows).filter_map(|row| Entry::of_row(key, row)).collect();
        entries.sort_unstable_by(|a, b| a.folded().cmp(b.folded()).then(a.apelido.cmp(&b.apelido)));
        let bits = || vec![0; rows.div_ceil(64) as usize];
        let mut census = Self { ceiling: Ceiling { min: 0, max: 0 }, same: bits(), by_case: bits(), rows };
        for group in entries.chunk_by(|a, b| a.folded().eq(b.folded())) {
            census.count(group);
        }
        census
    }

    /// Counts all rows whose nicknames are the same but for letter case.
    fn count(&mut self, group: &[Entry]) {
        let takers = |group: &[Entry]| group.iter().filter(|entry| entry.label != Label::Refuse).count();
        let all = takers(group);
        self.ceiling.min += u64::from(group.iter().any(|entry| entry.label == Label::Accept));
        for same in group.chunk_by(|a, b| a.apelido == b.apelido) {
            let of_same = takers(same);
            self.ceiling.max += u64::from(of_same > 0);
            for entry in same {
                let (at, bit) = ((entry.row / 64) as usize, 1 << (entry.row % 64));
                if of_same > usize::from(entry.label != Label::Refuse) {
                    self.same[at] |= bit;
                }
                if all > of_same {
                    self.by_case[at] |= bit;
                }
            }
        }
    }

    /// How many creations a correct contender acknowledges: at least if it takes nicknames that differ in letter case alone for the same.
    pub(crate) const fn ceiling(&self) -> Ceiling {
        self.ceiling
    }

    /// Who else may have a row's nickname. A row beyond the plan's counts as having rivals: nothing is known of it.
    pub(crate) fn rivals(&self, row: u64) -> Rivals {
        if row >= self.rows {
            return Rivals { same: true, by_case: true };
        }
        let is_set = |bits: &[u64]| bits[(row / 64) as usize] >> (row % 64) & 1 == 1;
        Rivals { same: is_set(&self.same), by_case: is_set(&self.by_case) }
    }
}

impl Entry {
    /// `None` where the nickname is longer than allowed: nobody can share it.
    fn of_row(key: Key, row: u64) -> Option<Self> {
        let person = Person::of_row(key, row);
        let mut apelido = [0; 32];
        let text = person.apelido.as_bytes();
        apelido.get_mut(..text.len())?.copy_from_slice(text);
        Some(Self { apelido, row, label: person.label() })
    }

    /// The nickname in small letters.
    fn folded(&self) -> impl Iterator<Item = u8> {
        self.apelido.iter().map(u8::to_ascii_lowercase)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// Rows that are created if they arrive in `order`, by who creates free rows and minds the letter case of nicknames, or does neither.
    fn created(key: Key, order: impl Iterator<Item = u64>, is_lenient: bool) -> u64 {
        let mut taken = BTreeSet::new();
        order
            .filter(|row| {
                let person = Person::of_row(key, *row);
                let valid = person.label() == Label::Accept || (person.label() == Label::Free && is_lenient);
                let mut apelido = person.apelido.as_bytes().to_vec();
                if !is_lenient {
                    apelido.make_ascii_lowercase();
                }
                valid && taken.insert(apelido)
            })
            .count() as u64
    }

    proptest! {
        #[test]
        fn the_ceiling_is_what_a_correct_contender_creates_in_whatever_order(seed: u64, rows in 0u64..600) {
            let key = Key::numbered(seed);
            let ceiling = Census::take(key, rows).ceiling();
            prop_assert_eq!(created(key, 0..rows, false), ceiling.min);
            prop_assert_eq!(created(key, 0..rows, true), ceiling.max);
            prop_assert_eq!(created(key, (0..rows).rev(), false), ceiling.min);
            prop_assert_eq!(created(key, (0..rows).rev(), true), ceiling.max);
        }

        #[test]
        fn rivals_are_who_may_take_the_nickname(seed: u64, rows in 0u64..200) {
            let key = Key::numbered(seed);
            let census = Census::take(key, rows);
            let people: Vec<_> = (0..rows).map(|row| Person::of_row(key, row)).collect();
            for (row, person) in people.iter().enumerate() {
                let own = person.apelido.as_bytes();
                let takers: Vec<&[u8]> = people
                    .iter()
                    .enumerate()
                    .filter(|(other, candidate)| *other != row && candidate.label() != Label::Refuse)
                    .map(|(_, candidate)| candidate.apelido.as_bytes())
                    .filter(|apelido| apelido.eq_ignore_ascii_case(own) && own.len() <= 32)
                    .collect();
                let (same, by_case) = (takers.contains(&own), takers.iter().any(|other| *other != own));
                prop_assert_eq!(census.rivals(row as u64), Rivals { same, by_case }, "row {}", row);
            }
        }
    }

    #[test]
    fn some_rows_of_a_small_plan_have_rivals_and_most_have_none() {
        let census = Census::take(Key::numbered(1), 5000);
        let rivals = || (0..5000).map(|row| census.rivals(row));
        let (same, by_case) =
            (rivals().filter(|rivals| rivals.same).count(), rivals().filter(|rivals| rivals.by_case).count());
        assert!((100..600).contains(&same), "{same} of 5000");
        assert!((100..900).contains(&by_case), "{by_case} of 5000");
    }

    #[test]
    fn a_row_beyond_the_plan_counts_as_having_rivals() {
        let census = Census::take(Key::numbered(1), 0);
        assert_eq!(census.ceiling(), Ceiling { min: 0, max: 0 });
        let all = Rivals { same: true, by_case: true };
        assert_eq!((census.rivals(0), census.rivals(u64::MAX)), (all, all));
    }

    #[test]
    fn the_ceiling_of_the_official_traffic_is_near_the_contest_s() {
        // Published as 46,576 for the original rows, and 46,506 for another set.
        let ceilings = (1..9).map(|seed| Census::take(Key::numbered(seed), 54_635).ceiling());
        let ceilings: Vec<_> = ceilings.collect();
        let mean = ceilings.iter().map(|ceiling| ceiling.max).sum::<u64>() / 8;
        assert!((46_400..46_800).contains(&mean), "{ceilings:?}");
        assert!(ceilings.iter().all(|ceiling| ceiling.max.abs_diff(mean) < 400), "{ceilings:?}");
        // Nicknames of one or two letters meet in another letter case.
        let by_case: Vec<u64> = ceilings.iter().map(|ceiling| ceiling.max - ceiling.min).collect();
        assert!(by_case.iter().all(|rivals| (650..850).contains(rivals)), "{ceilings:?}");
    }
}
