//! Who shares a nickname with whom: the ceiling of creations, and one bit per row.
//!
//! Rows are sent from many connections at once, so which of several rows of one nickname is created is up to time. Only
//! a row whose nickname no other row can take must be created. Nicknames that differ in letter case alone are different.

use galo_plan::model::Ceiling;

use crate::draw::Key;
use crate::person::Person;
use galo_plan::model::Label;

/// What is known of all people of a plan before any is sent.
pub(crate) struct Census {
    ceiling: Ceiling,
    contested: Vec<u64>,
    rows: u64,
}

/// One row while the census is taken. Only a nickname longer than allowed is cut here, and such a row is refused, so
/// it is left out before.
struct Entry {
    apelido: [u8; 32],
    row: u64,
    label: Label,
}

impl Census {
    /// Takes the census of the rows 0 to `rows - 1`. It takes 48 bytes a row while it runs, one bit a row afterwards.
    pub(crate) fn take(key: Key, rows: u64) -> Self {
        let mut entries: Vec<Entry> = (0..rows).filter_map(|row| Entry::of_row(key, row)).collect();
        entries.sort_unstable_by_key(|entry| entry.apelido);
        let mut census = Self {
            ceiling: Ceiling { min: 0, max: 0 },
            contested: vec![0; rows.div_ceil(64) as usize],
            rows,
        };
        for group in entries.chunk_by(|a, b| a.apelido == b.apelido) {
            census.count(group);
        }
        census
    }

    /// Counts all rows of one nickname.
    fn count(&mut self, group: &[Entry]) {
        let accepted = group.iter().any(|entry| entry.label == Label::Accept);
        let takers = group.iter().filter(|entry| entry.label != Label::Refuse).count();
        self.ceiling.min += u64::from(accepted);
        self.ceiling.max += u64::from(takers > 0);
        for entry in group {
            let others = takers - usize::from(entry.label != Label::Refuse);
            if others > 0 {
                self.contested[(entry.row / 64) as usize] |= 1 << (entry.row % 64);
            }
        }
    }

    /// How many creations a correct contender acknowledges.
    pub(crate) const fn ceiling(&self) -> Ceiling {
        self.ceiling
    }

    /// Whether another row of the plan, to be accepted or free, has the same nickname. A row beyond the plan's counts
    /// as contested: nothing is known of it.
    pub(crate) fn is_contested(&self, row: u64) -> bool {
        row >= self.rows || self.contested[(row / 64) as usize] >> (row % 64) & 1 == 1
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
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// Rows that are created if they arrive in `order` and free rows are created, or are not.
    fn created(key: Key, order: impl Iterator<Item = u64>, free: bool) -> u64 {
        let mut taken = BTreeSet::new();
        order
            .filter(|row| {
                let person = Person::of_row(key, *row);
                let valid = person.label() == Label::Accept || (person.label() == Label::Free && free);
                valid && taken.insert(person.apelido.as_bytes().to_vec())
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
        fn a_row_is_contested_if_another_may_take_its_nickname(seed: u64, rows in 0u64..200) {
            let key = Key::numbered(seed);
            let census = Census::take(key, rows);
            let people: Vec<_> = (0..rows).map(|row| Person::of_row(key, row)).collect();
            for (row, person) in people.iter().enumerate() {
                let taker = people.iter().enumerate().any(|(other, candidate)| {
                    other != row
                        && candidate.apelido.as_bytes() == person.apelido.as_bytes()
                        && candidate.label() != Label::Refuse
                });
                prop_assert_eq!(census.is_contested(row as u64), taker, "row {}", row);
            }
        }
    }

    #[test]
    fn some_rows_of_a_small_plan_are_contested_and_most_are_not() {
        let census = Census::take(Key::numbered(1), 5000);
        let contested = (0..5000).filter(|row| census.is_contested(*row)).count();
        assert!((100..600).contains(&contested), "{contested} of 5000");
    }

    #[test]
    fn nicknames_that_differ_in_letter_case_are_not_the_same() {
        let census = Census::take(Key::numbered(1), 5000);
        let people: Vec<_> = (0..5000).map(|row| Person::of_row(Key::numbered(1), row)).collect();
        // Rows whose nickname another row has in another letter case, and none has as it is.
        let folded = people.iter().enumerate().filter(|(_, person)| {
            let own = person.apelido.as_bytes();
            let others = || people.iter().map(|other| other.apelido.as_bytes());
            others().any(|other| other != own && other.eq_ignore_ascii_case(own))
                && others().filter(|other| *other == own).count() == 1
        });
        let rows: Vec<usize> = folded.map(|(row, _)| row).collect();
        assert!(rows.len() > 20, "{rows:?}");
        assert!(rows.iter().all(|row| !census.is_contested(*row as u64)));
    }

    #[test]
    fn a_row_beyond_the_plan_counts_as_contested() {
        let census = Census::take(Key::numbered(1), 0);
        assert_eq!(census.ceiling(), Ceiling { min: 0, max: 0 });
        assert!(census.is_contested(0) && census.is_contested(u64::MAX));
    }

    #[test]
    fn the_ceiling_of_the_official_traffic_is_near_the_contest_s() {
        // Published as 46,576 for the original rows, and 46,506 for another set.
        let ceilings = (1..9).map(|seed| Census::take(Key::numbered(seed), 54_635).ceiling());
        let ceilings: Vec<_> = ceilings.collect();
        let mean = ceilings.iter().map(|ceiling| ceiling.min).sum::<u64>() / 8;
        assert!((46_300..46_800).contains(&mean), "{ceilings:?}");
        assert!(
            ceilings.iter().all(|ceiling| (40..200).contains(&(ceiling.max - ceiling.min))),
            "{ceilings:?}"
        );
    }
}
