//! What a search finds.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::http::{full, person};
use crate::support::Instance;

#[test]
fn a_term_is_found_in_each_field_whatever_the_letter_case() {
    let folder = tempfile::tempdir().unwrap();
    let instance = Instance::start(folder.path());
    instance.create(&full("Maria", "José da Silva", &json!(["Node", "Postgres"])));
    for term in
        ["maria", "MARIA", "ari", "M", "ia", "josé", "JOSÉ", "É", "é d", "node", "NODE", "Post", "SQL Maria"]
    {
        let want: &[&str] = if term == "SQL Maria" { &[] } else { &["Maria"] };
        assert_eq!(instance.search(term), want, "{term}");
    }
}

#[test]
fn metacharacters_are_letters() {
    let folder = tempfile::tempdir().unwrap();
    let instance = Instance::start(folder.path());
    let terms = [
        "C++",
        "C#",
        "100%",
        "a_b",
        "\"quoted\"",
        "it's",
        "back\\slash",
        "a*c",
        "(x|y)",
        "[z]",
        "a.b",
        "AND",
        "NOT x",
        "NEAR(a b)",
        "-minus",
        "col:on",
        "^up",
        "line\nbreak",
        "%",
        "_",
        "\"",
        "'",
        "\\",
        "*",
        "😀😀😀",
        "日本",
    ];
    for (n, term) in terms.iter().enumerate() {
        instance.create(&full(&format!("n{n:03}"), "Some One", &json!([term])));
    }
    // Near misses that a wildcard, a regular expression or a split would take.
    instance.create(&full("CCC", "100 abb axb ac", &json!(["quoted", "back slash", "line break", "a b"])));
    for (n, term) in terms.iter().enumerate() {
        let found = instance.search(term);
        assert!(found.contains(&format!("n{n:03}")), "{term:?} found {found:?}");
        assert!(!found.contains(&"CCC".to_owned()), "{term:?} found {found:?}");
    }
}

#[test]
fn a_term_does_not_reach_from_one_field_into_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let instance = Instance::start(folder.path());
    instance.create(&full("abcdef", "ghijkl", &json!(["mnopqr", "stuvwx"])));
    for term in [
        "efgh",
        "fg",
        "klmn",
        "lm",
        "qrst",
        "rs",
        "ef\ngh",
        "f\u{ff}g",
        "ef gh",
        "mnopqr,stuvwx",
        "mnopqr\",\"st",
    ] {
        assert_eq!(instance.search(term), Vec::<String>::new(), "{term:?}");
    }
}

#[test]
fn up_to_fifty_are_all_found_and_of_more_at_least_fifty() {
    let folder = tempfile::tempdir().unwrap();
    let instance = Instance::start(folder.path());
    for n in 0..49 {
        instance.create(&person(&format!("needle{n}")));
    }
    for term in ["needle", "ne"] {
        let found: BTreeSet<String> = instance.search(term).into_iter().collect();
        assert_eq!(found, (0..49).map(|n| format!("needle{n}")).collect(), "{term}");
    }
    for n in 49..120 {
        instance.create(&person(&format!("needle{n}")));
    }
    for term in ["needle", "ne"] {
        let found = instance.search(term);
        let distinct: BTreeSet<&String> = found.iter().collect();
        assert!(found.len() >= 50 && distinct.len() == found.len(), "{term}: {found:?}");
        assert!(found.iter().all(|apelido| apelido.contains(term)));
    }
}

#[test]
fn many_people_with_all_the_pieces_do_not_hide_the_one_with_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let instance = Instance::start(folder.path());
    for n in 0..120 {
        instance.create(&full(&format!("decoy{n}"), "abcd bcde cdef abc cde def", &Value::Null));
    }
    instance.create(&full("whole", "xx abcdef xx", &Value::Null));
    assert_eq!(instance.search("abcdef"), ["whole"]);
}

#[test]
fn a_search_without_a_term_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let instance = Instance::start(folder.path());
    for target in ["/pessoas", "/pessoas?", "/pessoas?t", "/pessoas?t=", "/pessoas?x=a", "/pessoas?t=%FF"] {
        assert_eq!(instance.get(target).status, 400, "{target}");
    }
}

#[test]
fn nobody_found_is_an_empty_list() {
    let folder = tempfile::tempdir().unwrap();
    let instance = Instance::start(folder.path());
    instance.create(&person("a"));
    for term in ["zzz", "zz", "a term of some length that nobody has at all in this place"] {
        let answer = instance.get(&format!("/pessoas?t={}", crate::http::encode(term)));
        assert_eq!((answer.status, answer.text()), (200, "[]"), "{term}");
    }
    // A plus sign in a query is a space.
    instance.create(&full("plus", "one two", &Value::Null));
    assert_eq!(instance.get("/pessoas?t=one+two").json()[0]["apelido"], "plus");
}
