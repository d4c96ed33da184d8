use std::collections::HashMap;

use proptest::prelude::*;
use serde_json::Value;

use super::*;

fn body(person: &Person) -> String {
    let mut out = Vec::new();
    person.write_body(&mut out);
    String::from_utf8(out).unwrap()
}

/// The rules, applied to nothing but the body: what [`Person::label`] must agree with.
fn label_of_body(body: &str) -> Label {
    let person: Value = serde_json::from_str(body).unwrap();
    let text = |field: &str, longest: usize| {
        person[field].as_str().is_some_and(|text| (1..=longest).contains(&text.chars().count()))
    };
    let stack = match &person["stack"] {
        Value::Null => true,
        Value::Array(skills) => skills
            .iter()
            .all(|skill| skill.as_str().is_some_and(|skill| (1..=32).contains(&skill.chars().count()))),
        _ => false,
    };
    let date = person["nascimento"].as_str().and_then(|date| {
        let parts: Vec<u32> = date.split('-').map(str::parse).collect::<Result<_, _>>().ok()?;
        (date.len() == 10 && date.find('-') == Some(4)).then(|| (parts[0], parts[1], parts[2]))
    });
    let Some((year, month, day)) = date else { return Label::Refuse };
    let leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    let days = [31, if leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let Some(days) = days.get(month as usize - 1) else { return Label::Refuse };
    let is_blank = person["nome"].as_str().is_some_and(|nome| nome.trim().is_empty());
    match text("apelido", 32) && text("nome", 100) && stack {
        false => Label::Refuse,
        true if day <= *days && is_blank => Label::Free,
        true if day <= *days => Label::Accept,
        true if (month, day) == (2, 29) => Label::Free,
        true => Label::Refuse,
    }
}

#[test]
fn the_first_rows_of_a_seed_are_these() {
    let first: Vec<String> = (0..3).map(|row| body(&Person::of_row(Key::numbered(1), row))).collect();
    insta::assert_snapshot!(first.join("\n"), @r##"
    {"apelido":"MvOAnWxQbxaGSCdhthcNOnduoxMTA","nome":"XWNsOyaLZDLyPefCCalL Vl MckoPXWjDQHZwtWTYVnQCBkAkrZkqRMRmpswxAWAyAJfHTFrmoKWchIOpIyyXgbgOPMWgqHq","nascimento":"1975-08-25","stack":["Rust","TypeScript","HTML","TypeScript","Postgres","NoSQL","Clojure","R","Go","R","Java","Rust","Scala","HTML","Matlab"]}
    {"apelido":"ceJUHuFxdvypWKjhUi","nome":"xvvwPkoRKqGEpnlvsEOVoSTTxCzqExH","nascimento":"1977-09-09","stack":null}
    {"apelido":"GfCtxXfyCnWDjLPXwnNZKBVUJIMx","nome":"xvARUKJUNQCQjSilTPeFiwITuiMskiv IQVOjftpnZOYWXLJSEPqbMrXEgBkcklPfZYpkJD","nascimento":"1994-10-10","stack":["TypeScript","Clojure","Scala","NoSQL","Perl","TypeScript","C++","Go","C++","Clojure","MySQL","Scala","Postgres","TypeScript","Java","NoSQL","Clojure","Javascript","C#","Postgres","Perl","Swift"]}
    "##);
}

#[test]
fn a_date_is_labelled_by_the_calendar() {
    for (year, month, day, label) in [
        (1940, 1, 1, Label::Accept),
        (2020, 12, 29, Label::Accept),
        (2020, 2, 29, Label::Accept),
        (2000, 2, 29, Label::Accept),
        (2019, 2, 28, Label::Accept),
        (2019, 2, 29, Label::Free),
        (1941, 2, 29, Label::Free),
        (1900, 2, 29, Label::Free),
        (2020, 13, 1, Label::Refuse),
        (2019, 13, 29, Label::Refuse),
    ] {
        assert_eq!(date_label(year, month, day), label, "{year}-{month}-{day}");
    }
}

#[test]
fn a_name_of_blanks_alone_is_free_and_names_no_refusal() {
    // The name is set: of those that are drawn one in some 5,000 is a blank, and one of 1.6 million has such a stack as well.
    let mut blank = (0..).map(|row| Person {
        nome: Text::filled(1, |out| out.fill(b' ')),
        ..Person::of_row(Key::numbered(4), row)
    });
    let free = blank.find(|person| person.odd.is_none() && person.date_label() == Label::Accept).unwrap();
    assert_eq!((free.label(), label_of_body(&body(&free))), (Label::Free, Label::Free));
    let odd =
        blank.find(|person| matches!(person.stack, Stack::Text(_)) && person.date_label() == Label::Accept);
    let odd = odd.unwrap();
    assert_eq!((odd.label(), odd.exact_refusal()), (Label::Refuse, None));
}

#[test]
fn every_odd_kind_is_refused_whatever_its_date() {
    let mut seen: HashMap<Odd, usize> = HashMap::new();
    for row in 0..20_000 {
        let person = Person::of_row(Key::numbered(2), row);
        if let Some(odd) = person.odd {
            *seen.entry(odd).or_default() += 1;
            assert_eq!(person.label(), Label::Refuse);
            let body = body(&person);
            let value: Value = serde_json::from_str(&body).unwrap();
            let shown = match odd {
                Odd::LongApelido => value["apelido"].as_str().unwrap().len() == 35,
                Odd::LongNome => value["nome"].as_str().unwrap().len() == 120,
                Odd::EncodedTwice => {
                    ["\"12-12-2000\"", "null", "10"].contains(&value["nascimento"].as_str().unwrap())
                }
                Odd::LongSkill => {
                    value["stack"][0].as_str().unwrap().len() == 40 && value["stack"][1].is_null()
                }
                Odd::TextAsStack => value["stack"].is_string(),
                Odd::NumberAsStack => value["stack"].is_u64(),
            };
            assert!(shown, "{odd:?}: {body}");
        }
    }
    assert_eq!(seen.len(), 6);
}

#[test]
fn a_stack_that_is_no_array_is_named_400_only_where_nothing_else_is_wrong() {
    let mut named = 0;
    for person in (0..20_000).map(|row| Person::of_row(Key::numbered(3), row)) {
        let value: Value = serde_json::from_str(&body(&person)).unwrap();
        let date = value["nascimento"].as_str().unwrap();
        let wrong_type = value["stack"].is_string() || value["stack"].is_number();
        let blank = value["nome"].as_str().unwrap().trim().is_empty();
        if wrong_type && !blank && !date.contains("-13-") && !date.contains("-02-29") {
            assert_eq!(person.exact_refusal(), Some(400));
            named += 1;
        } else if !wrong_type || blank || date.contains("-13-") {
            assert_eq!(person.exact_refusal(), None, "{value}");
        }
    }
    assert!(named > 100, "{named}");
}

/// Shares over 100,000 rows. The bounds are some five standard deviations wide; the rows are always the same.
#[test]
fn rows_are_drawn_in_the_contest_s_proportions() {
    const ROWS: u64 = 100_000;
    let (mut labels, mut odds) = (HashMap::new(), HashMap::new());
    let (mut apelidos, mut nomes, mut stacks) = (vec![0u32; 36], vec![0u32; 121], vec![0u32; 27]);
    let (mut months, mut days, mut skills, mut years) = ([0u32; 14], [0u32; 30], HashMap::new(), [0u32; 81]);
    let (mut nulls, mut edges) = (0, 0);
    for person in (0..ROWS).map(|row| Person::of_row(Key::numbered(42), row)) {
        *labels.entry(person.label()).or_insert(0u32) += 1;
        if let Some(odd) = person.odd {
            *odds.entry(odd).or_insert(0u32) += 1;
        }
        apelidos[person.apelido.as_bytes().len()] += 1;
        let nome = person.nome.as_bytes();
        nomes[nome.len()] += 1;
        edges += u32::from(nome[0] == b' ' || nome[nome.len() - 1] == b' ');
        if let Nascimento::Date(year, month, day) = person.nascimento {
            months[month as usize] += 1;
            days[day as usize] += 1;
            years[year as usize - 1940] += 1;
        }
        nulls += u32::from(matches!(person.stack, Stack::Null));
        if let Some(list) = person.stack.skills() {
            stacks[list.len()] += 1;
            list.for_each(|skill| *skills.entry(skill.to_owned()).or_insert(0u32) += 1);
        }
    }
    let near = |what: &str, count: u32, share: f64| {
        let expected = ROWS as f64 * share;
        let tolerance = 5.0 * (expected * (1.0 - share)).sqrt();
        assert!((f64::from(count) - expected).abs() <= tolerance, "{what}: {count}, expected {expected:.0}");
    };
    let regular = 95.0 / 99.0;
    near("accept", labels[&Label::Accept], regular * (12.0 / 13.0 - 61.0 / 81.0 / 13.0 / 29.0));
    near("free", labels[&Label::Free], regular * 60.0 / 81.0 / 13.0 / 29.0);
    assert_eq!(odds.len(), 6);
    for (odd, count) in odds {
        let kinds =
            if matches!(odd, Odd::LongSkill | Odd::TextAsStack | Odd::NumberAsStack) { 3.0 } else { 1.0 };
        near(&format!("{odd:?}"), count, 1.0 / 99.0 / kinds);
    }
    near("null", nulls, 98.0 / 99.0 / 14.0);
    near(
        "edges",
        edges,
        98.0 / 99.0 * (0.99 * (1.0 - (52.0f64 / 53.0).powi(2)) + 0.01 / 53.0) + 0.037 / 99.0,
    );
    (1..=32).for_each(|length| near("apelido", apelidos[length], 98.0 / 99.0 / 32.0));
    (1..=100).for_each(|length| near("nome", nomes[length], 98.0 / 99.0 / 100.0));
    (1..=26).for_each(|length| near("stack", stacks[length], 98.0 / 99.0 * 13.0 / 14.0 / 26.0));
    (1..=13).for_each(|month| near("month", months[month], 98.0 / 99.0 / 13.0));
    (1..=29).for_each(|day| near("day", days[day], 98.0 / 99.0 / 29.0));
    years.iter().for_each(|year| near("year", *year, 98.0 / 99.0 / 81.0));
    assert_eq!(skills.len(), 24);
    let ratio = f64::from(skills["C#"]) / f64::from(skills["Rust"]);
    assert!((1.95..2.05).contains(&ratio), "C# is drawn {ratio} times as often as Rust");
}

proptest! {
    #[test]
    fn every_body_is_compact_valid_json_whose_label_follows_from_the_rules(seed: u64, row: u64) {
        let person = Person::of_row(Key::numbered(seed), row);
        let body = body(&person);
        let value: Value = serde_json::from_str(&body).unwrap();
        prop_assert_eq!(value.as_object().unwrap().len(), 4);
        // Compact: no white space beside that of texts, and the fields in the contest's order.
        let compact = format!(
            r#"{{"apelido":{},"nome":{},"nascimento":{},"stack":{}}}"#,
            value["apelido"], value["nome"], value["nascimento"], value["stack"]
        );
        prop_assert_eq!(&body, &compact);
        prop_assert_eq!(person.label(), label_of_body(&body));
    }
}
