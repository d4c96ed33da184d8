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
    assert_eq!(held(1, true, &[]).unwrap(), format!("{ID} / []"));
    assert_eq!(held(1, true, &[OTHER]).unwrap(), format!("{ID} / 0 of them in 1 person"));
    assert_eq!(held(0, false, &[ID, OTHER]).unwrap(), format!("nobody but {ID} / {OTHER}"));
    assert_eq!(held(1, true, &[ID, ID]).unwrap(), format!("{ID} / {ID} twice"));
    assert_eq!(breach(lists(&[], 0, false), list(&[])), None);
    assert_eq!(breach(lists(&[], 0, false), list(&[ID])).unwrap(), format!("nobody / {ID}"));
    assert_eq!(breach(Expect::LengthAtMost(1), list(&[ID])), None);
    assert_eq!(breach(Expect::LengthAtMost(1), list(&[])), None);
    assert_eq!(breach(Expect::LengthAtMost(1), list(&[ID, OTHER])).unwrap(), "at most 1 person / 2 people");
}

#[test]
fn what_is_no_list_of_people_is_told_in_bounded_words() {
    let nobody = || lists(&[], 0, false);
    let told = |body: &str| breach(nobody(), answers(200, "", body)).unwrap();
    assert_eq!(told("{}"), "an array of nobody / {}, no array");
    assert_eq!(told("[1]"), "an array of nobody / somebody without an id: 1");
    assert!(told("NaN").contains("no JSON"));
    assert!(told(&"[".repeat(30_000)).contains("no JSON: recursion limit"));
    let flood = told(&format!("\"{}\"", "é\u{1b}[2J".repeat(9000)));
    assert!(flood.len() < 1000 && !flood.contains('\u{1b}'), "{flood}");
    let cut = answers(200, "", "[").map(|exchange| Exchange { body_bytes: 1 << 20, ..exchange });
    assert_eq!(
        breach(nobody(), cut).unwrap(),
        "an array of nobody / 1048576 bytes, too many for a right answer"
    );
    let octets =
        answers(200, "", "").map(|e| Exchange { body: Content::of_bytes(b"\xff\xfe"), body_bytes: 2, ..e });
    assert!(breach(nobody(), octets).unwrap().contains("no JSON"));
}

#[test]
fn a_person_is_compared_by_meaning() {
    let template = r#"{"id":"{0.id}","name":"{mark}","stack":null}"#;
    let shows =
        |body: &str| breach_after_creation(Expect::Shows(template.to_owned()), answers(200, "", body));
    assert_eq!(shows(&format!(r#"{{"stack":[],"name":"\u00611b","id":"{ID}","more":1}}"#)), None);
    let expected = format!(r#"{{"id":"{ID}","name":"a1b","stack":null}}"#);
    assert_eq!(
        shows(&format!(r#"{{"name":"A1B","id":"{ID}"}}"#)).unwrap(),
        format!(r#"{expected} / name "A1B""#)
    );
    let exactly = Expect::ShowsExactly(template.to_owned());
    let body = format!(r#"{{"name":"a1b","id":"{ID}","stack":[]}}"#);
    assert_eq!(
        breach_after_creation(exactly, answers(200, "", &body)).unwrap(),
        format!("{expected} / stack []")
    );
    let listed =
        |body: &str| breach_after_creation(Expect::ListShows(template.to_owned()), answers(200, "", body));
    assert_eq!(listed(&format!(r#"[{{"id":"{OTHER}"}},{body}]"#)), None);
    assert!(listed("[]").unwrap().ends_with(" / []"));
    assert!(listed(&format!(r#"[{{"id":"{OTHER}"}}]"#)).unwrap().contains(OTHER));
}

#[test]
fn a_count_is_digits_alone_and_grows() {
    assert_eq!(breach(Expect::Digits, answers(200, "", " 17\n")), None);
    assert_eq!(
        breach(Expect::Digits, answers(200, "", "{\"n\":17}")).unwrap(),
        r#"an integer alone / "{\"n\":17}""#
    );
    assert_eq!(breach(Expect::Digits, answers(200, "", "")).unwrap(), r#"an integer alone / """#);
    let grown = |before: &str, after: &str| {
        let exceeds = Expect::Exceeds { than: 0, by: 1 };
        let requests = vec![asks("GET", "/count", &[]), asks("GET", "/count", &[(MUST, exceeds)])];
        let exchanges = vec![answers(200, "", before), answers(200, "", after)];
        let told = judged(&[record(requests, vec![ran("api1", exchanges)])]).broken;
        told.first().map(|broken| format!("{} / {}", broken.expected, broken.came))
    };
    assert_eq!(grown("5", "6"), None);
    assert_eq!(grown("5", "5").unwrap(), "at least 6 / 5");
    assert_eq!(grown("5", "many").unwrap(), "at least 6 / \"many\"");
    assert_eq!(grown("many", "5"), None);
}
