//! Memory against a naive scan.

use std::borrow::Cow;

use proptest::prelude::*;

use super::{People, Search};
use crate::person::NewPerson;
use crate::store::SEARCH_RESULTS_MAX;
use crate::store::postgres::blocks::BLOCK_PEOPLE;
use crate::store::postgres::id::Id;
use crate::store::postgres::record::{Draft, Record};
use crate::store::text::lower;

fn person(apelido: &str, nome: &str, stack: &[String]) -> NewPerson<'static> {
    NewPerson {
        apelido: Cow::Owned(apelido.to_owned()),
        nome: Cow::Owned(nome.to_owned()),
        nascimento: Cow::Borrowed("2000-01-31"),
        stack: (!stack.is_empty()).then(|| stack.iter().cloned().map(Cow::Owned).collect()),
    }
}

fn add(people: &mut People, sequence: u64, person: &NewPerson<'_>) -> Id {
    let id = Id { writer: 7, sequence };
    assert!(people.add(id, &Draft::new(person).unwrap().record()).unwrap());
    id
}

/// Nicknames found, in small steps, each of which may stop anywhere.
fn search(people: &People, term: &str) -> Vec<String> {
    let mut search = Search::new(term);
    while !people.search(&mut search, 1) {}
    let found = search.into_found();
    let apelido = |json: &Vec<u8>| {
        serde_json::from_slice::<serde_json::Value>(json).unwrap()["apelido"].as_str().unwrap().to_owned()
    };
    found.iter().map(apelido).collect()
}

#[test]
fn a_person_added_twice_is_there_once() {
    let mut people = People::default();
    let id = add(&mut people, 1, &person("a", "n", &[]));
    assert!(!people.add(id, &Draft::new(&person("a", "n", &[])).unwrap().record()).unwrap());
    assert_eq!(people.count(), 1);
    assert_eq!(search(&people, "a"), ["a"]);
}

#[test]
fn a_row_that_cannot_be_read_leaves_no_trace() {
    let mut people = People::default();
    let draft = Draft::new(&person("a", "n", &[])).unwrap();
    let broken = Record { stack: Some(r#"["rust",1]"#), ..draft.record() };
    let id = Id { writer: 7, sequence: 1 };
    assert!(people.add(id, &broken).is_err());
    assert_eq!((people.count(), people.document(id)), (0, None));
    assert!(!people.has("a") && search(&people, "rust").is_empty());
    add(&mut people, 1, &person("b", "n", &["rust".to_owned()]));
    assert_eq!(search(&people, "rust"), ["b"]);
}

#[test]
fn a_nickname_is_known_exactly_as_it_is_written() {
    let mut people = People::default();
    for (n, apelido) in ["Ana", "an", "a\"b", "a\\", "é", "anas"].into_iter().enumerate() {
        add(&mut people, n as u64 + 1, &person(apelido, "n", &[]));
    }
    for known in ["Ana", "an", "a\"b", "a\\", "é", "anas"] {
        assert!(people.has(known), "{known}");
    }
    for unknown in ["ana", "An", "a", "a\"", "a\\\"", "E", "anass", ""] {
        assert!(!people.has(unknown), "{unknown}");
    }
}

#[test]
fn tables_that_grow_forget_nobody() {
    let mut people = People::default();
    for n in 1..=20_000 {
        add(&mut people, n * 3, &person(&format!("p{n}\"é"), "n", &[]));
    }
    for n in 1..=20_000 {
        assert!(people.has(&format!("p{n}\"é")));
        let document = people.document(Id { writer: 7, sequence: n * 3 }).unwrap();
        assert!(String::from_utf8_lossy(document).contains(&format!("p{n}\\\"é")));
        assert_eq!(people.document(Id { writer: 7, sequence: n * 3 + 1 }), None);
    }
    assert_eq!(people.document(Id { writer: 8, sequence: 3 }), None);
    assert_eq!(search(&people, "P19999\"É"), ["p19999\"é"]);
}

#[test]
fn a_search_stops_at_its_limit() {
    let mut people = People::default();
    for n in 1..=500 {
        add(&mut people, n, &person(&format!("p{n}"), "same", &[]));
    }
    assert_eq!(search(&people, "sam").len(), SEARCH_RESULTS_MAX as usize);
}

#[test]
fn a_search_reads_no_more_at_a_time_than_it_is_let() {
    let mut people = People::default();
    for n in 1..=20 * BLOCK_PEOPLE as u64 {
        // All trigrams of the term in every block, and nobody who has the term.
        add(&mut people, n, &person(&format!("p{n}"), "abc bcd", &[]));
    }
    let mut search = Search::new("abcd");
    let mut steps = 0;
    while !people.search(&mut search, 1) {
        steps += 1;
    }
    assert_eq!((steps, search.into_found().len()), (20, 0));
}

#[test]
fn a_sequence_far_away_takes_one_page() {
    let mut people = People::default();
    let before = people.footprint().tables;
    let id = add(&mut people, (1 << 62) - 1, &person("a", "n", &[]));
    assert!(people.document(id).is_some());
    assert!(people.footprint().tables - before < 10_000);
}

/// Few different characters, so that terms match; some whose lower case is longer, or another letter's.
fn text(max: usize) -> impl Strategy<Value = String> {
    let letters =
        prop::sample::select(vec!['a', 'A', 'b', 'B', ' ', 'é', 'É', 'İ', 'Σ', 'ß', '%', '_', '+', '"']);
    prop::collection::vec(letters, 1..max).prop_map(String::from_iter)
}

proptest! {
    #[test]
    fn the_index_finds_what_a_scan_finds(
        rows in prop::collection::vec((text(9), prop::collection::vec(text(4), 0..3)), 1..40),
        repeats in 1_u64..12,
        terms in prop::collection::vec(text(6), 1..12),
    ) {
        let mut people = People::default();
        let mut naive = Vec::new();
        for (nome, stack) in (0..repeats).flat_map(|_| &rows) {
            let apelido = format!("C++{}", naive.len());
            add(&mut people, naive.len() as u64 + 1, &person(&apelido, nome, stack));
            let fields: Vec<String> = [&apelido, nome].into_iter().chain(stack).map(|text| lower(text)).collect();
            naive.push((apelido, fields));
        }
        for term in terms.iter().map(String::as_str).chain(["c++", "C++1", "++", "+", "C", "\u{1F413}"]) {
            let expected = naive.iter().filter(|(_, fields)| fields.iter().any(|f| f.contains(&lower(term))));
            let expected: Vec<&String> =
                expected.map(|(apelido, _)| apelido).take(SEARCH_RESULTS_MAX as usize).collect();
            let found = search(&people, term);
            prop_assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{}", term);
        }
    }
}
