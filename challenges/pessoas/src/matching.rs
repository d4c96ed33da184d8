//! Whom searches must list, of many people at once.
//!
//! All terms are looked for in one pass over the people (Aho and Corasick, *Efficient string matching*, CACM 18, 1975),
//! instead of every person being compared with every term: at 55,000 people and 5,000 terms that is the difference
//! between a tenth of a second and minutes.

use std::collections::HashMap;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use crate::person::Person;
use crate::text::Text;

/// Stands between the fields: no term holds it, so none is found across them.
const BETWEEN: u8 = b'\n';

/// For each needle the first `most` of `people` in whose apelido, nome or an element of whose stack it is contained
/// whatever the letter case, as ascending places. For an empty needle none: nobody knows what was asked. A row without
/// a person matches nothing.
///
/// The caller orders the people by the time from which they must be found, so a search that lists fewer than `most`
/// is judged exactly by these: people beyond the first `most` can only be asked of an answer that lacks one of these.
pub(crate) fn listed(
    needles: &[Text<50>],
    people: impl Iterator<Item = Option<Person>>,
    most: usize,
) -> Vec<Vec<u32>> {
    let mut distinct: Vec<String> = Vec::new();
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let number_of: Vec<Option<usize>> = needles
        .iter()
        .map(|needle| {
            let folded = Some(needle.as_str().to_ascii_lowercase()).filter(|folded| !folded.is_empty())?;
            Some(*numbers.entry(folded).or_insert_with_key(|folded| {
                distinct.push(folded.clone());
                distinct.len() - 1
            }))
        })
        .collect();
    let found = find(&distinct, people, most);
    number_of.iter().map(|number| number.map_or_else(Vec::new, |number| found[number].clone())).collect()
}

/// The same for distinct needles in lower case.
fn find(needles: &[String], people: impl Iterator<Item = Option<Person>>, most: usize) -> Vec<Vec<u32>> {
    let mut found: Vec<Vec<u32>> = vec![Vec::new(); needles.len()];
    let automaton = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .kind(Some(AhoCorasickKind::ContiguousNFA))
        .build(needles)
        .unwrap_or_else(|error| unreachable!("5,000 terms and the probes' pieces fit: {error}"));
    let mut text = Vec::new();
    for (place, person) in (0..).zip(people) {
        let Some(person) = person else { continue };
        write(&person, &mut text);
        for found_here in automaton.find_overlapping_iter(&text) {
            let found = &mut found[found_here.pattern().as_usize()];
            if found.len() < most && found.last() != Some(&place) {
                found.push(place);
            }
        }
    }
    found
}

/// All that is searched of a person.
fn write(person: &Person, text: &mut Vec<u8>) {
    text.clear();
    text.extend_from_slice(person.apelido.as_bytes());
    text.push(BETWEEN);
    text.extend_from_slice(person.nome.as_bytes());
    for skill in person.stack.skills().into_iter().flatten() {
        text.push(BETWEEN);
        text.extend_from_slice(skill.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::draw::Key;
    use crate::probe::Probe;
    use crate::term::term;
    use crate::text::contains_ignoring_case;

    /// As a search examines one person.
    fn holds(person: &Person, needle: &[u8]) -> bool {
        let holds = |text: &str| contains_ignoring_case(text, needle);
        holds(person.apelido.as_str())
            || holds(person.nome.as_str())
            || person.stack.skills().into_iter().flatten().any(holds)
    }

    fn by_comparing(needles: &[Text<50>], people: &[Option<Person>], most: usize) -> Vec<Vec<u32>> {
        let of = |needle: &Text<50>| {
            let matching = (0..).zip(people).filter(|(_, person)| {
                !needle.as_bytes().is_empty()
                    && person.as_ref().is_some_and(|person| holds(person, needle.as_bytes()))
            });
            matching.map(|(place, _)| place).take(most).collect()
        };
        needles.iter().map(of).collect()
    }

    proptest! {
        #[test]
        fn whom_one_pass_finds_is_whom_comparing_each_finds(
            seed: u64,
            terms in prop::collection::vec(0..5000_u64, 0..60),
            most in 0..8_usize,
        ) {
            let people: Vec<Option<Person>> = (0..40)
                .map(|row| match row % 7 {
                    0 => None,
                    1 => Some(Probe::of_row(Key::numbered(seed), crate::index::PROBES, row).person),
                    _ => Some(Person::of_row(Key::numbered(seed), row)),
                })
                .collect();
            let mut needles: Vec<Text<50>> = terms.iter().map(|row| term(Key::numbered(seed), *row)).collect();
            needles.extend(["a", "A", "ja", "C++", "sql", " ", ""].map(|text| Text::of_parts(&[text.as_bytes()])));
            needles.extend((0..10).map(|row| Probe::of_row(Key::numbered(seed), crate::index::PROBES, row).piece));
            let expected = by_comparing(&needles, &people, most);
            prop_assert_eq!(listed(&needles, people.into_iter(), most), expected);
        }
    }

    #[test]
    fn nobody_is_found_across_two_fields() {
        let person = |apelido: &[u8], nome: &[u8]| Person {
            apelido: Text::of_parts(&[apelido]),
            nome: Text::of_parts(&[nome]),
            ..Person::of_row(Key::numbered(1), 0)
        };
        let people = [Some(person(b"ab", b"cd")), Some(person(b"xx", b"abcd"))];
        assert_eq!(listed(&[Text::of_parts(&[b"BC"])], people.into_iter(), 9), [[1]]);
    }
}
