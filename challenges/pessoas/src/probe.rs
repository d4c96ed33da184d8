//! The people who are searched for as soon as they are created: row `n` of the feeder `probes`.
//!
//! A probe's nickname is six letters, its row number, six letters: `KxQbRmt17WhZpLd` for example, at most 32
//! characters. No other nickname, name or valid stack holds a digit, so it collides with none; and a piece of it that
//! holds the whole number with letters on both sides finds nobody else.

use crate::draw::Draw;
use crate::index;
use crate::person::{Nascimento, Person, draw_nome, draw_stack};
use crate::text::Text;

/// Letters on each side of the number, and how many of them belong to the piece.
const SIDE: usize = 6;
const SIDE_OF_PIECE: usize = 4;

/// One probe, made anew whenever it is needed.
pub(crate) struct Probe {
    /// Valid in all fields.
    pub(crate) person: Person,
    /// What to search for: a piece of the nickname with every letter in the other case, so that a search that minds
    /// the case finds nobody.
    pub(crate) piece: Text<32>,
}

impl Probe {
    /// Row `row` of the feeder `probes`.
    pub(crate) fn of_row(seed: u64, row: u64) -> Self {
        let mut draw = Draw::new(seed, index::PROBES, row);
        let (before, after) = (side(&mut draw), side(&mut draw));
        let number = row.to_string();
        let apelido = Text::of_parts(&[&before, number.as_bytes(), &after]);
        let (before, after) = (before.map(other_case), after.map(other_case));
        let piece =
            Text::of_parts(&[&before[SIDE - SIDE_OF_PIECE..], number.as_bytes(), &after[..SIDE_OF_PIECE]]);
        let length = 1 + draw.below(100) as usize;
        let nome = draw_nome(&mut draw, length);
        // Months and days that exist in every year.
        let nascimento = Nascimento::Date(1940 + draw.below(81), 1 + draw.below(12), 1 + draw.below(28));
        let person = Person { apelido, nome, nascimento, stack: draw_stack(&mut draw), odd: None };
        Self { person, piece }
    }
}

/// Letters of which every other one is large, so that a piece always holds both cases.
fn side(draw: &mut Draw) -> [u8; SIDE] {
    let mut letters = [0; SIDE];
    draw.fill(&mut letters, b"abcdefghijklmnopqrstuvwxyz");
    for letter in letters.iter_mut().step_by(2) {
        letter.make_ascii_uppercase();
    }
    letters
}

fn other_case(letter: u8) -> u8 {
    if letter.is_ascii_uppercase() { letter.to_ascii_lowercase() } else { letter.to_ascii_uppercase() }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;
    use crate::person::Label;
    use crate::text::contains_ignoring_case;

    fn text<const N: usize>(text: &Text<N>) -> String {
        String::from_utf8(text.as_bytes().to_vec()).unwrap()
    }

    #[test]
    fn a_piece_finds_its_own_probe_and_no_other() {
        // Rows whose numbers contain one another.
        let rows = [0, 1, 7, 10, 11, 17, 71, 100, 117, 171, 711, 1117];
        let probes: Vec<_> = rows.iter().map(|row| Probe::of_row(5, *row)).collect();
        for (i, searched) in probes.iter().enumerate() {
            for (j, other) in probes.iter().enumerate() {
                let found = contains_ignoring_case(&text(&other.person.apelido), searched.piece.as_bytes());
                assert_eq!(found, i == j, "{} in {}", text(&searched.piece), text(&other.person.apelido));
            }
        }
    }

    #[test]
    fn a_search_that_minds_the_case_does_not_find_the_piece() {
        for row in 0..2000 {
            let probe = Probe::of_row(1, row);
            let (apelido, piece) = (text(&probe.person.apelido), text(&probe.piece));
            assert!(!apelido.contains(&piece));
            // Nor one that changes the case of one side only.
            assert!(!apelido.contains(&piece.to_lowercase()));
            assert!(!apelido.contains(&piece.to_uppercase()));
            assert!(piece.len() >= 8);
        }
    }

    #[test]
    fn no_two_probes_share_a_nickname_and_none_has_one_of_the_people() {
        let mut seen = HashSet::new();
        for row in 0..5000 {
            let apelido = text(&Probe::of_row(3, row).person.apelido);
            assert!(apelido.contains(|c: char| c.is_ascii_digit()));
            assert!(seen.insert(apelido));
            let person = Person::of_row(3, row);
            assert!(
                person.apelido.as_bytes().iter().chain(person.nome.as_bytes()).all(|b| !b.is_ascii_digit())
            );
        }
    }

    proptest! {
        #[test]
        fn every_probe_is_valid_and_its_nickname_fits(seed: u64, row: u64) {
            let probe = Probe::of_row(seed, row);
            let apelido = text(&probe.person.apelido);
            prop_assert!(apelido.len() <= 32);
            prop_assert!(apelido.contains(&row.to_string()));
            prop_assert!(contains_ignoring_case(&apelido, probe.piece.as_bytes()));
            prop_assert_eq!(probe.person.label(), Label::Accept);
        }
    }
}
