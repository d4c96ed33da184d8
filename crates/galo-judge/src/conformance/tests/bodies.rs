//! What bodies are held to: lists, people, counts.

use super::*;

#[test]
fn a_list_holds_whom_it_must_and_nobody_twice() {
    let list = |ids: &[&str]| {
        let people: Vec<String> = ids.iter().map(|id| format!("{{\"id\":\"{id}\"}}")).collect();
        answers(200, "", &format!("[{}]", people.join(",")))
    };
    let held = |at_least, others, ids: &[&str]| {
        breach_after_creation(lists(&["{0.id}"], at_least, others), list(ids))
    };
    assert_eq!(held(1, true, &[OTHER, ID]), None);
    assert_eq!(held(1, false, &[&ID.to_uppercase()]), None);
    insta::assert_snapshot!(held(1, true, &[]).unwrap(), @r#"{"kind":"lists","elements":{"which":"these","ids":["6ba7b810-9dad-11d1-80b4-00c04fd430c8"],"more":0},"is_array":true} / {"kind":"value","value":"[]"}"#);
    insta::assert_snapshot!(held(1, true, &[OTHER]).unwrap(), @r#"{"kind":"lists","elements":{"which":"these","ids":["6ba7b810-9dad-11d1-80b4-00c04fd430c8"],"more":0},"is_array":true} / {"kind":"known","known":0,"listed":1}"#);
    insta::assert_snapshot!(held(0, false, &[ID, OTHER]).unwrap(), @r#"{"kind":"lists","elements":{"which":"nothing-but","ids":["6ba7b810-9dad-11d1-80b4-00c04fd430c8"],"more":0},"is_array":true} / {"kind":"strangers","ids":["00000000-9dad-11d1-80b4-00c04fd430c8"],"more":0}"#);
    insta::assert_snapshot!(held(1, true, &[ID, ID]).unwrap(), @r#"{"kind":"lists","elements":{"which":"these","ids":["6ba7b810-9dad-11d1-80b4-00c04fd430c8"],"more":0},"is_array":true} / {"kind":"twice","id":"6ba7b810-9dad-11d1-80b4-00c04fd430c8"}"#);
    assert_eq!(breach(lists(&[], 0, false), list(&[])), None);
    insta::assert_snapshot!(breach(lists(&[], 0, false), list(&[ID])).unwrap(), @r#"{"kind":"lists","elements":{"which":"nothing"},"is_array":true} / {"kind":"strangers","ids":["6ba7b810-9dad-11d1-80b4-00c04fd430c8"],"more":0}"#);
    assert_eq!(breach(Expect::LengthAtMost(1), list(&[ID])), None);
    assert_eq!(breach(Expect::LengthAtMost(1), list(&[])), None);
    insta::assert_snapshot!(breach(Expect::LengthAtMost(1), list(&[ID, OTHER])).unwrap(), @r#"{"kind":"at-most","elements":1} / {"kind":"elements","elements":2}"#);
}

#[test]
fn what_is_no_list_of_people_is_told_in_bounded_words() {
    let nobody = || lists(&[], 0, false);
    let told = |body: &str| breach(nobody(), answers(200, "", body)).unwrap();
    insta::assert_snapshot!(told("{}"), @r#"{"kind":"lists","elements":{"which":"nothing"},"is_array":false} / {"kind":"no-array","value":"{}"}"#);
    insta::assert_snapshot!(told("[1]"), @r#"{"kind":"lists","elements":{"which":"nothing"},"is_array":false} / {"kind":"without-id","value":"1"}"#);
    assert!(told("NaN").contains("no-json"));
    assert!(told(&"[".repeat(30_000)).contains(r#""kind":"no-json","because":"recursion limit"#));
    let flood = told(&format!("\"{}\"", "é\u{1b}[2J".repeat(9000)));
    assert!(flood.len() < 1000 && !flood.contains('\u{1b}'), "{flood}");
    let cut = answers(200, "", "[").map(|exchange| Exchange { body_bytes: 1 << 20, ..exchange });
    insta::assert_snapshot!(breach(nobody(), cut).unwrap(), @r#"{"kind":"lists","elements":{"which":"nothing"},"is_array":false} / {"kind":"too-long","bytes":1048576}"#);
    let octets =
        answers(200, "", "").map(|e| Exchange { body: Content::of_bytes(b"\xff\xfe"), body_bytes: 2, ..e });
    assert!(breach(nobody(), octets).unwrap().contains("no-json"));
}

#[test]
fn a_person_is_compared_by_meaning() {
    let template = r#"{"id":"{0.id}","name":"{mark}","stack":null}"#;
    let shows =
        |body: &str| breach_after_creation(Expect::Shows(template.to_owned()), answers(200, "", body));
    assert_eq!(shows(&format!(r#"{{"stack":[],"name":"\u00611b","id":"{ID}","more":1}}"#)), None);
    insta::assert_snapshot!(shows(&format!(r#"{{"name":"A1B","id":"{ID}"}}"#)).unwrap(), @r#"{"kind":"shows","json":"{\"id\":\"6ba7b810-9dad-11d1-80b4-00c04fd430c8\",\"name\":\"a1b\",\"stack\":null}"} / {"kind":"other","key":"name","value":"\"A1B\""}"#);
    let exactly = Expect::ShowsExactly(template.to_owned());
    let body = format!(r#"{{"name":"a1b","id":"{ID}","stack":[]}}"#);
    insta::assert_snapshot!(breach_after_creation(exactly, answers(200, "", &body)).unwrap(), @r#"{"kind":"shows","json":"{\"id\":\"6ba7b810-9dad-11d1-80b4-00c04fd430c8\",\"name\":\"a1b\",\"stack\":null}"} / {"kind":"other","key":"stack","value":"[]"}"#);
    let listed =
        |body: &str| breach_after_creation(Expect::ListShows(template.to_owned()), answers(200, "", body));
    assert_eq!(listed(&format!(r#"[{{"id":"{OTHER}"}},{body}]"#)), None);
    assert!(listed("[]").unwrap().ends_with(r#" / {"kind":"value","value":"[]"}"#));
    assert!(listed(&format!(r#"[{{"id":"{OTHER}"}}]"#)).unwrap().contains(OTHER));
}

#[test]
fn a_count_is_digits_alone_and_grows() {
    assert_eq!(breach(Expect::Digits, answers(200, "", " 17\n")), None);
    insta::assert_snapshot!(breach(Expect::Digits, answers(200, "", "{\"n\":17}")).unwrap(), @r#"{"kind":"integer"} / {"kind":"value","value":"\"{\\\"n\\\":17}\""}"#);
    insta::assert_snapshot!(breach(Expect::Digits, answers(200, "", "")).unwrap(), @r#"{"kind":"integer"} / {"kind":"value","value":"\"\""}"#);
    let grown = |before: &str, after: &str| {
        let exceeds = Expect::Exceeds { than: 0, by: 1 };
        let requests = vec![asks("GET", "/count", &[]), asks("GET", "/count", &[(MUST, exceeds)])];
        let exchanges = vec![answers(200, "", before), answers(200, "", after)];
        let told = judged(&[record(requests, vec![ran("api1", exchanges)])]).broken;
        told.first().map(facts)
    };
    assert_eq!(grown("5", "6"), None);
    insta::assert_snapshot!(grown("5", "5").unwrap(), @r#"{"kind":"at-least","count":6} / {"kind":"value","value":"5"}"#);
    insta::assert_snapshot!(grown("5", "many").unwrap(), @r#"{"kind":"at-least","count":6} / {"kind":"value","value":"\"many\""}"#);
    assert_eq!(grown("many", "5"), None);
}
