use proptest::prelude::*;

use super::*;
use crate::described::{Data, Described, Feeder};
use crate::draw::Pick;
use crate::table::DataFormat;
use crate::template::Encoding;

/// Requests with these rows, drawn by a seed.
struct Drawn {
    table: Table,
    pick: Pick,
    seed: u64,
}

fn drawn(seed: u64, pick: Pick) -> Drawn {
    let text = "name,city\nAna,A\nBob,B\nCid,C\n";
    Drawn { table: Table::parse("people.csv", text.as_bytes(), DataFormat::Csv).unwrap(), pick, seed }
}

fn places(drawn: &Drawn) -> Places<'_> {
    Places::new(true, Some(&drawn.table))
}

/// What each request writes for a template.
fn written(drawn: &Drawn, template: &str, requests: std::ops::Range<u64>) -> Vec<String> {
    let mut places = places(drawn);
    let template = places.template(template).unwrap();
    let feeder = Feeder { name: String::new(), table: drawn.table.clone(), pick: drawn.pick, word: 0 };
    let data = Data { feeders: vec![feeder], generated: places.generated, answers: Vec::new() };
    let data = Described::new(data, drawn.seed);
    let write = |request| {
        let mut out = Vec::new();
        template.write(&data, 0, request, &[], Encoding::Raw, &mut out);
        String::from_utf8(out).unwrap()
    };
    requests.map(write).collect()
}

#[test]
fn rows_are_taken_in_turn_and_all_columns_are_of_one_row() {
    let written = written(&drawn(1, Pick::InTurn), "{seq} {name} {city} {name}", 0..4);
    assert_eq!(written, ["0 Ana A Ana", "1 Bob B Bob", "2 Cid C Cid", "3 Ana A Ana"]);
}

#[test]
fn rows_are_drawn_evenly_by_seed() {
    let texts = written(&drawn(1, Pick::Random), "{name}{city}", 0..3000);
    for row in ["AnaA", "BobB", "CidC"] {
        assert!((900..1100).contains(&texts.iter().filter(|text| *text == row).count()), "{row}");
    }
    assert_eq!(
        written(&drawn(1, Pick::Random), "{city}", 0..3000),
        texts.iter().map(|text| &text[3..]).collect::<Vec<_>>()
    );
    assert_ne!(written(&drawn(2, Pick::Random), "{name}{city}", 0..3000), texts);
}

#[test]
fn random_numbers_fill_their_range_evenly_and_come_again_by_seed() {
    let numbers = |seed: u64, name: &str| -> Vec<i64> {
        let texts = written(&drawn(seed, Pick::InTurn), name, 0..10_000);
        texts.iter().map(|text| text.parse().unwrap()).collect()
    };
    let drawn = numbers(1, "{random:-2:2}");
    for number in -2..=2 {
        assert!((1_850..2_150).contains(&drawn.iter().filter(|n| **n == number).count()), "{number}");
    }
    assert_eq!(drawn, numbers(1, "{random:-2:2}"));
    assert_ne!(drawn, numbers(2, "{random:-2:2}"));
    assert_eq!(numbers(1, "{random:7:7}"), [7; 10_000]);
    let extremes = format!("{{random:{}:{}}}", i64::MIN, i64::MAX);
    let all = numbers(1, &extremes);
    assert!((4_800..5_200).contains(&all.iter().filter(|n| **n < 0).count()));
}

#[test]
fn one_name_is_one_value_in_a_request_and_two_names_are_independent() {
    let written = written(&drawn(1, Pick::InTurn), "{random:0:999} {random:0:999} {random:0:0999}", 0..1000);
    let alike = |first: usize, second: usize| {
        let words = |text: &String| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        written.iter().map(words).filter(|words| words[first] == words[second]).count()
    };
    assert_eq!(alike(0, 1), 1000);
    assert!(alike(0, 2) < 10);
}

#[test]
fn uuids_are_of_version_4_and_differ() {
    let uuids = written(&drawn(1, Pick::InTurn), "{uuid}", 0..1000);
    for uuid in &uuids {
        let groups: Vec<usize> = uuid.split('-').map(str::len).collect();
        assert_eq!(groups, [8, 4, 4, 4, 12], "{uuid}");
        assert!(
            uuid.bytes().all(|b| b == b'-' || b.is_ascii_digit() || (b'a'..=b'f').contains(&b)),
            "{uuid}"
        );
        assert_eq!(&uuid[14..15], "4");
        assert!("89ab".contains(&uuid[19..20]), "{uuid}");
    }
    let different: std::collections::BTreeSet<&String> = uuids.iter().collect();
    assert_eq!(different.len(), 1000);
}

#[test]
fn without_templates_a_text_stands_as_it_is() {
    let mut places = Places::new(false, None);
    assert_eq!(places.template("{seq} {").unwrap(), Template::literal("{seq} {"));
    assert!(!places.are_used);
}

#[test]
fn a_columns_name_hides_another_meaning() {
    let table = Table::parse("x", b"seq\nown\n", DataFormat::Csv).unwrap();
    let drawn = Drawn { table, ..drawn(1, Pick::InTurn) };
    assert_eq!(written(&drawn, "{seq}", 5..6), ["own"]);
}

#[test]
fn an_unknown_name_is_told_with_the_nearest_right_one() {
    let drawn = drawn(1, Pick::InTurn);
    let error = |text: &str| places(&drawn).template(text).unwrap_err().to_string();
    insta::assert_snapshot!(error("{nmae}"), @"unknown name `{nmae}` (known: name, city, seq, uuid, random:1:100); did you mean `{name}`?");
    insta::assert_snapshot!(error("{random:5:1}"), @"`{random:5:1}` is no range; write two whole numbers, the smaller first, such as `{random:1:100}`");
    for text in [
        "{random:1}",
        "{random::}",
        "{random:1:2:3}",
        "{random:a:b}",
        "{random:0:9223372036854775808}",
        "{}",
        "{name",
    ] {
        assert!(places(&drawn).template(text).is_err(), "{text}");
    }
}

#[test]
fn a_cell_that_would_end_a_headers_line_is_refused_there() {
    let table = Table::parse("x", b"a,b\n1,2\n3,\"4\n5\"\n", DataFormat::Csv).unwrap();
    let mut places = Places::new(true, Some(&table));
    let (fine, broken) = (places.template("{a}{seq}").unwrap(), places.template("{a}{b}").unwrap());
    assert_eq!(places.check_header_cells(&fine), Ok(()));
    insta::assert_snapshot!(places.check_header_cells(&broken).unwrap_err(), @"
    row 2 of column `b` holds a control character
    hint: a header's value may not hold any
    ");
}

proptest! {
    #[test]
    fn a_random_number_is_within_its_range(one: i64, other: i64, seed: u64, request: u64) {
        let (least, most) = (one.min(other), one.max(other));
        let template = format!("{{random:{least}:{most}}}");
        let number: i64 = written(&drawn(seed, Pick::InTurn), &template, request..request.saturating_add(1)).first().map_or(least, |text| text.parse().unwrap());
        prop_assert!((least..=most).contains(&number));
    }

    #[test]
    fn arbitrary_text_never_panics(text in ".*", near in "\\{(random:)?[0-9:seq-]{0,12}\\}?") {
        let drawn = drawn(1, Pick::Random);
        let mut places = places(&drawn);
        let _ = (places.template(&text), places.template(&near));
    }
}
