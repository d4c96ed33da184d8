//! The people who are searched for as soon as they are created: row `n` of the feeder `probes`.
//!
//! A mark is six letters, the row number, six letters: `KxQbRmt17WhZpLd` for example, at most 32 characters. A probe's
//! nickname is one, so it collides with no other. What is searched for is a piece of a mark: the number with four
//! letters on both sides. Nobody else has it, because no other nickname, name or stack that could be valid holds a
//! digit beside a letter. In turn, by row number, it is a piece of the nickname, of a second mark within the name, or
//! of one that is an element of the stack; so a search that leaves a field out, or brings one up to date later,
//! misses somebody.

use crate::draw::{Draw, Key};
use crate::index;
use crate::person::{Nascimento, Person, draw_marked_stack, draw_nome, draw_stack};
use crate::text::Text;

/// Letters on each side of the number, and how many of them belong to the piece.
const SIDE: usize = 6;
const SIDE_OF_PIECE: usize = 4;

/// The field of which a piece is searched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Carrier {
    Apelido,
    Nome,
    Stack,
}

impl Carrier {
    const fn of_row(row: u64) -> Self {
        match row % 3 {
            0 => Self::Apelido,
            1 => Self::Nome,
            _ => Self::Stack,
        }
    }
}

/// One probe, made anew whenever it is needed.
pub(crate) struct Probe {
    /// Valid in all fields.
    pub(crate) person: Person,
    /// What to search for: a piece of one field with every letter in the other case, so that a search that minds the
    /// case finds nobody.
    pub(crate) piece: Text<32>,
}

impl Probe {
    /// Row `row` of the feeder `probes`.
    pub(crate) fn of_row(key: Key, row: u64) -> Self {
        let mut draw = Draw::new(key, index::PROBES, row);
        let carrier = Carrier::of_row(row);
        let own = Mark::drawn(&mut draw, row);
        let length = 1 + draw.below(100) as usize;
        let mut nome = draw_nome(&mut draw, length);
        // Months and days that exist in every year.
        let nascimento = Nascimento::Date(1940 + draw.below(81), 1 + draw.below(12), 1 + draw.below(28));
        let mut stack = draw_stack(&mut draw);
        let searched = if carrier == Carrier::Apelido { own } else { Mark::drawn(&mut draw, row) };
        match carrier {
            Carrier::Apelido => {}
            Carrier::Nome => nome = within(&mut draw, nome.as_bytes(), &searched.text()),
            Carrier::Stack => stack = draw_marked_stack(&mut draw, searched.text()),
        }
        let person = Person { apelido: own.text(), nome, nascimento, stack, odd: None };
        Self { person, piece: searched.piece() }
    }
}

/// A row number between letters.
#[derive(Clone, Copy)]
struct Mark {
    before: [u8; SIDE],
    row: u64,
    after: [u8; SIDE],
}

impl Mark {
    fn drawn(draw: &mut Draw, row: u64) -> Self {
        Self { before: side(draw), row, after: side(draw) }
    }

    fn text<const N: usize>(&self) -> Text<N> {
        Text::of_parts(&[&self.before, self.row.to_string().as_bytes(), &self.after])
    }

    fn piece(&self) -> Text<32> {
        let (before, after) = (self.before.map(other_case), self.after.map(other_case));
        let number = self.row.to_string();
        Text::of_parts(&[&before[SIDE - SIDE_OF_PIECE..], number.as_bytes(), &after[..SIDE_OF_PIECE]])
    }
}

/// A name of which a part has become `mark`: anywhere in it, or all of it where it is not longer.
fn within(draw: &mut Draw, nome: &[u8], mark: &Text<32>) -> Text<120> {
    let mark = mark.as_bytes();
    let room = nome.len().saturating_sub(mark.len());
    let at = draw.below(room as u32 + 1) as usize;
    let after = nome.get(at + mark.len()..).unwrap_or_default();
    Text::of_parts(&[&nome[..at], mark, after])
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
    use crate::text::contains_ignoring_case;
    use galo_plan::model::Label;

    /// In which fields a search for `piece` finds the person.
    fn fields_with(person: &Person, piece: &str) -> Vec<Carrier> {
        let holds = |text: &str| contains_ignoring_case(text, piece.as_bytes());
        let mut fields = Vec::new();
        fields.extend(holds(person.apelido.as_str()).then_some(Carrier::Apelido));
        fields.extend(holds(person.nome.as_str()).then_some(Carrier::Nome));
        let skills = person.stack.skills().into_iter().flatten();
        fields.extend(skills.filter(|skill| holds(skill)).map(|_| Carrier::Stack));
        fields
    }

    #[test]
    fn a_piece_stands_in_one_field_of_its_own_probe_and_in_no_other() {
        // Rows whose numbers contain one another.
        let rows = [0, 1, 2, 7, 10, 11, 12, 17, 71, 100, 117, 171, 172, 711, 1117];
        let probes: Vec<_> = rows.iter().map(|row| Probe::of_row(Key::numbered(5), *row)).collect();
        for (i, searched) in probes.iter().enumerate() {
            for (j, other) in probes.iter().enumerate() {
                let expected = if i == j { vec![Carrier::of_row(rows[i])] } else { Vec::new() };
                let piece = searched.piece.as_str();
                assert_eq!(
                    fields_with(&other.person, piece),
                    expected,
                    "{piece} of {} in {}",
                    rows[i],
                    rows[j]
                );
            }
        }
    }

    #[test]
    fn every_field_is_searched_for_in_turn() {
        let carriers: Vec<_> = (0..6).map(Carrier::of_row).collect();
        let turn = [Carrier::Apelido, Carrier::Nome, Carrier::Stack];
        assert_eq!(carriers, [turn, turn].concat());
    }

    #[test]
    fn the_mark_stands_anywhere_in_a_name_and_anywhere_in_a_stack() {
        let (mut starts, mut places) = (HashSet::new(), HashSet::new());
        for row in 0..3000 {
            let probe = Probe::of_row(Key::numbered(2), row);
            let piece = probe.piece.as_str().to_lowercase();
            match Carrier::of_row(row) {
                Carrier::Apelido => {}
                Carrier::Nome => {
                    starts.insert(probe.person.nome.as_str().to_lowercase().find(&piece).unwrap());
                }
                Carrier::Stack => {
                    let mut skills = probe.person.stack.skills().unwrap();
                    places.insert(skills.position(|skill| skill.to_lowercase().contains(&piece)).unwrap());
                }
            }
        }
        assert!(starts.len() > 60, "{starts:?}");
        assert!(places.len() > 20, "{places:?}");
    }

    #[test]
    fn a_search_that_minds_the_case_does_not_find_the_piece() {
        for row in 0..2000 {
            let probe = Probe::of_row(Key::numbered(1), row);
            let person = &probe.person;
            let piece = probe.piece.as_str();
            // Nor one that changes the case of one side only.
            for piece in [piece, &piece.to_lowercase(), &piece.to_uppercase()] {
                assert!(!person.apelido.as_str().contains(piece) && !person.nome.as_str().contains(piece));
                assert!(person.stack.skills().into_iter().flatten().all(|skill| !skill.contains(piece)));
            }
            assert!(piece.len() > 2 * SIDE_OF_PIECE);
        }
    }

    #[test]
    fn no_two_probes_share_a_nickname_and_none_has_one_of_the_people() {
        let mut seen = HashSet::new();
        for row in 0..5000 {
            let apelido = Probe::of_row(Key::numbered(3), row).person.apelido.as_str().to_owned();
            assert!(apelido.contains(|c: char| c.is_ascii_digit()));
            assert!(seen.insert(apelido));
            let person = Person::of_row(Key::numbered(3), row);
            assert!(
                person.apelido.as_bytes().iter().chain(person.nome.as_bytes()).all(|b| !b.is_ascii_digit())
            );
        }
    }

    proptest! {
        #[test]
        fn every_probe_is_valid_and_found_in_the_one_field_of_its_row(seed: u64, row: u64) {
            let probe = Probe::of_row(Key::numbered(seed), row);
            let person = &probe.person;
            prop_assert!(person.apelido.as_str().contains(&row.to_string()));
            prop_assert_eq!(fields_with(person, probe.piece.as_str()), vec![Carrier::of_row(row)]);
            prop_assert_eq!(person.label(), Label::Accept);
            let mut body = Vec::new();
            person.write_body(&mut body);
            let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
            prop_assert!(body["apelido"].as_str().unwrap().len() <= 32);
            prop_assert!(body["nome"].as_str().unwrap().len() <= 100);
            let stack = body["stack"].as_array().into_iter().flatten();
            prop_assert!(stack.clone().all(|skill| (1..=32).contains(&skill.as_str().unwrap().len())));
            prop_assert!(stack.count() <= 26);
        }
    }
}
