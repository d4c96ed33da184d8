//! The people of probes: rows of the feeders `probes`, `soon`, `late`, `twins` and `other twins`.
//!
//! They are drawn as valid rows of `people` are, of letters alone and of the same lengths, but for the shortest, so that nobody can tell
//! them from the traffic. A nickname of eight letters or more collides with no other (but a twin's with its twin's). What is searched
//! for is a piece of the nickname or of the name, in turn by row number, with every letter in the other case; who else happens to hold
//! it is known to whoever judges, since all rows are.

use crate::draw::{Draw, Key};
use crate::index;
use crate::person::{LETTERS, Nascimento, Person, draw_nome, draw_stack};
use crate::text::Text;

/// The fewest letters of the field that is searched, and of a nickname that nobody else has.
const SHORTEST: usize = 8;
/// The fewest letters of a piece: of those nobody else's is one but by rare luck.
const SHORTEST_PIECE: usize = 6;

/// One probe, made anew whenever it is needed.
pub(crate) struct Probe {
    /// Valid in all fields.
    pub(crate) person: Person,
    /// What to search for: a piece of one field with every letter in the other case, so that a search that minds the
    /// case finds nobody.
    pub(crate) piece: Text<50>,
}

impl Probe {
    /// Row `row` of one of the feeders of probes.
    pub(crate) fn of_row(key: Key, feeder: usize, row: u64) -> Self {
        let mut draw = Draw::new(key, feeder, row);
        let person = person(&mut draw);
        let text = if row.is_multiple_of(2) { person.apelido.as_bytes() } else { person.nome.as_bytes() };
        let piece = piece(&mut draw, text);
        Self { person, piece }
    }
}

/// One of two people of one nickname, who differ in all else: row `row` of the feeder `twins` or `other twins`.
pub(crate) fn twin(key: Key, feeder: usize, row: u64) -> Person {
    let apelido = person(&mut Draw::new(key, index::TWINS, row)).apelido;
    Person { apelido, ..person(&mut Draw::new(key, feeder, row)) }
}

/// Somebody valid, with a nickname and a name that are long enough to be told from others.
fn person(draw: &mut Draw) -> Person {
    let length = drawn_length(draw, 32);
    let apelido = Text::filled(length, |out| draw.fill(out, LETTERS));
    let length = drawn_length(draw, 100);
    let nome = draw_nome(draw, length);
    // Months and days that exist in every year.
    let nascimento = Nascimento::Date(1940 + draw.below(81), 1 + draw.below(12), 1 + draw.below(28));
    Person { apelido, nome, nascimento, stack: draw_stack(draw), odd: None }
}

fn drawn_length(draw: &mut Draw, longest: usize) -> usize {
    SHORTEST + draw.below((longest - SHORTEST + 1) as u32) as usize
}

/// A piece of a text of [`SHORTEST`] letters at least, at most as long as a term may be, without spaces at its ends where it can be.
fn piece(draw: &mut Draw, text: &[u8]) -> Text<50> {
    let longest = text.len().min(50);
    let length = SHORTEST_PIECE + draw.below((longest - SHORTEST_PIECE + 1) as u32) as usize;
    let start = draw.below((text.len() - length + 1) as u32) as usize;
    let mut other_case = [0; 50];
    for (to, from) in other_case.iter_mut().zip(&text[start..start + length]) {
        *to = if from.is_ascii_uppercase() { from.to_ascii_lowercase() } else { from.to_ascii_uppercase() };
    }
    let trimmed = other_case[..length].trim_ascii();
    // A name of spaces alone is drawn once in ages; it is still found by them.
    Text::of_parts(&[if trimmed.is_empty() { &other_case[..length] } else { trimmed }])
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use galo_plan::model::Label;
    use proptest::prelude::*;

    use super::*;
    use crate::text::contains_ignoring_case;

    const FEEDERS: [usize; 3] = [index::PROBES, index::SOON, index::LATE];

    #[test]
    fn lengths_and_letters_are_those_of_the_traffic() {
        let key = Key::numbered(2);
        let probes = || (0..4000).map(|row| Probe::of_row(key, index::SOON, row));
        let lengths: BTreeSet<usize> = probes().map(|probe| probe.person.apelido.as_bytes().len()).collect();
        assert_eq!(lengths, (SHORTEST..=32).collect());
        let lengths: BTreeSet<usize> = probes().map(|probe| probe.person.nome.as_bytes().len()).collect();
        assert_eq!(lengths, (SHORTEST..=100).collect());
        let pieces: BTreeSet<usize> = probes().map(|probe| probe.piece.as_bytes().len()).collect();
        assert_eq!(pieces.last(), Some(&50));
        let is_usual = |letter: &u8| letter.is_ascii_alphabetic() || *letter == b' ';
        assert!(probes().all(|probe| probe.piece.as_bytes().iter().all(is_usual)));
        assert!(probes().all(|probe| probe.person.apelido.as_bytes().iter().all(u8::is_ascii_alphabetic)));
    }

    #[test]
    fn nobody_has_the_nickname_of_another_but_twins() {
        let key = Key::numbered(3);
        let nickname = |person: &Person| person.apelido.as_str().to_lowercase();
        let probes = FEEDERS.into_iter().flat_map(|feeder| (0..1000).map(move |row| (feeder, row)));
        let mut all: Vec<String> =
            probes.map(|(feeder, row)| nickname(&Probe::of_row(key, feeder, row).person)).collect();
        all.extend((0..1000).map(|row| nickname(&twin(key, index::TWINS, row))));
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 4000);
        for row in 0..1000 {
            let [one, other] = [index::TWINS, index::OTHER_TWINS].map(|feeder| twin(key, feeder, row));
            assert_eq!((one.key(), one.label(), other.label()), (other.key(), Label::Accept, Label::Accept));
            assert_ne!(one.digest(), other.digest());
        }
    }

    #[test]
    fn hardly_a_piece_is_found_in_anybody_else() {
        let key = Key::numbered(4);
        let people: Vec<Person> = (0..500).map(|row| Probe::of_row(key, index::PROBES, row).person).collect();
        let others = |row: u64| {
            let piece = Probe::of_row(key, index::PROBES, row).piece;
            let holds = |person: &Person| {
                let texts = [person.apelido.as_str(), person.nome.as_str()];
                texts.into_iter().any(|text| contains_ignoring_case(text, piece.as_bytes()))
            };
            (0..).zip(&people).filter(|(other, person)| *other != row && holds(person)).count()
        };
        assert!((0..500).map(others).sum::<usize>() <= 2);
    }

    proptest! {
        #[test]
        fn every_probe_is_valid_and_found_in_the_field_of_its_row(seed: u64, row: u64, feeder in 0..3_usize) {
            let Probe { person, piece } = Probe::of_row(Key::numbered(seed), FEEDERS[feeder], row);
            prop_assert_eq!(person.label(), Label::Accept);
            let field = if row.is_multiple_of(2) { person.apelido.as_str() } else { person.nome.as_str() };
            prop_assert!(contains_ignoring_case(field, piece.as_bytes()));
            prop_assert!(!piece.as_bytes().is_empty());
        }
    }
}
