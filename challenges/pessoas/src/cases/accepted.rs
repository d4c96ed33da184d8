//! People who keep all rules, and how they are read back.

use galo_plan::conformance::{Case, Expect};

use super::build::{Held, Person, accepted_by, case, create, found, json, kept, read, search};
use crate::rules::Broken;

pub(super) fn cases() -> Vec<Case> {
    [plain(), lengths(), dates(), texts(), stacks(), stacks_kept(), beyond_ascii()].concat()
}

fn plain() -> Vec<Case> {
    let person = Person::usual();
    vec![
        kept("a person is created, read and found", &person),
        case(
            "a Location leads to the person",
            [create(person.body()), read(0).held(Broken::ReadDiffers, Expect::Shows(person.shown(0)))],
        ),
        case(
            "a search shows the person as a read does",
            [
                create(person.body()),
                search("{mark}").held(Broken::SearchShape, Expect::ListShows(person.shown(0))),
            ],
        ),
        case(
            "an apelido in another letter case is another one",
            [
                create(Person::usual().apelido(r#""q{mark}""#).body()),
                accepted_by(Broken::NicknamesByCase, Person::usual().apelido(r#""Q{mark}""#).body()),
            ],
        ),
    ]
}

/// The longest and shortest that is allowed, in ASCII. A mark has 11 letters.
fn lengths() -> Vec<Case> {
    let letters = |count: usize| "abcdefghij".chars().cycle().take(count).collect::<String>();
    vec![
        kept(
            "an apelido of 32 letters is accepted",
            &Person::usual().apelido(json(&format!("{{mark}}{}", letters(21)))),
        ),
        kept(
            "a nome of 100 letters is accepted",
            &Person::usual().nome(json(&format!("{{mark}}{}", letters(89)))),
        ),
        kept("a nome of one letter is accepted", &Person::usual().nome(r#""x""#)),
        kept(
            "an element of stack with 32 letters is accepted",
            &Person::usual().stack(format!("[{}]", json(&letters(32)))),
        ),
        kept("an element of stack with one letter is accepted", &Person::usual().stack(r#"["C"]"#)),
    ]
}

fn dates() -> Vec<Case> {
    ["1940-01-01", "2020-12-31", "2000-02-29", "1988-02-29", "1999-12-31"]
        .map(|date| kept(format!("the date {date} is accepted"), &Person::usual().nascimento(json(date))))
        .into()
}

/// A nome is kept to the letter.
fn texts() -> Vec<Case> {
    [
        ("single quotes", "d'Avila {mark}"),
        ("double quotes", "\"Ze\" {mark}"),
        ("a backslash", r"back\slash {mark}"),
        ("SQL", "x'; DROP TABLE pessoas; -- {mark}"),
        ("HTML", "<b>&amp;{mark}</b>"),
        ("percent signs and underscores", "100%_{mark}_%"),
        ("spaces at its edges", "  {mark}  "),
        ("two spaces inside", "a  {mark}"),
    ]
    .map(|(what, nome)| kept(format!("a nome with {what} is kept"), &Person::usual().nome(json(nome))))
    .into()
}

fn stacks() -> Vec<Case> {
    let absent = Person { stack: None, ..Person::usual() };
    let empty = Person::usual().stack("[]");
    let null = Person::usual().stack("null");
    vec![
        case(
            "a stack of null is accepted and answered as null",
            [
                create(null.body()),
                read(0)
                    .shows(Broken::ReadDiffers, &null, 0)
                    .held(Broken::NullStackKept, Expect::ShowsExactly(null.shown(0))),
                found(&null),
            ],
        ),
        case(
            "a stack of [] is accepted and answered as []",
            [
                create(empty.body()),
                read(0)
                    .shows(Broken::ReadDiffers, &empty, 0)
                    .held(Broken::EmptyStackKept, Expect::ShowsExactly(empty.shown(0))),
                found(&empty),
            ],
        ),
        case(
            "a stack that is left out is accepted",
            [create(absent.body()), read(0).shows(Broken::ReadDiffers, &absent, 0), found(&absent)],
        ),
    ]
}

fn stacks_kept() -> Vec<Case> {
    let many: Vec<String> = (0..26).map(|i| format!("skill {i}")).collect();
    let more: Vec<String> = (0..100).map(|i| format!("s{i}")).collect();
    let list = |elements: &[String]| serde_json::json!(elements).to_string();
    let creation = |rule, person: &Person| match rule {
        Broken::ValidPersonRefused => create(person.body()),
        _ => accepted_by(rule, person.body()),
    };
    let kept_by = |name: &str, rule, stack: String| {
        let person = Person::usual().stack(stack);
        case(
            name,
            [
                creation(rule, &person),
                read(0).held(Broken::StackKept, Expect::Shows(person.shown(0))),
                search("{mark}").held(Broken::StackKept, Expect::ListShows(person.shown(0))),
            ],
        )
    };
    let must = |name: &str, stack: &str| kept_by(name, Broken::ValidPersonRefused, stack.to_owned());
    vec![
        must("a stack keeps its order", r#"["Zig","Ada","Lua","C","Rust","Go"]"#),
        must("a stack keeps its duplicates", r#"["Go","Go","PHP","Go"]"#),
        must("a stack keeps its spelling", r#"["C#","c#","NoSQL","nosql","C++","PostgreSQL"]"#),
        must("a stack is not split at commas", r#"["a,b","c, d","Go"]"#),
        must("a stack is not split at semicolons, bars and spaces", r#"["a;b","c|d","e f","g:h","i/j"]"#),
        must("a stack keeps quotes, backslashes and braces", r#"["a\"b","c'd","e\\f","{g}","[h]"]"#),
        kept_by("a stack of 26 elements is kept", Broken::ValidPersonRefused, list(&many)),
        kept_by("a stack of 100 elements is kept", Broken::JsonRead, list(&more)),
    ]
}

/// Characters are counted, not bytes.
fn beyond_ascii() -> Vec<Case> {
    let accepted = |name: &str, person: &Person| {
        case(
            name,
            [
                accepted_by(Broken::LengthInBytes, person.body()),
                read(0).shows(Broken::ReadDiffers, person, 0),
                found(person),
            ],
        )
    };
    let e = |count: usize| "é".repeat(count);
    vec![
        accepted("a nome beyond ASCII is kept", &Person::usual().nome(r#""José Conceição {mark}""#)),
        accepted(
            "an apelido of 32 characters beyond ASCII is accepted",
            &Person::usual().apelido(format!("\"{{mark}}{}\"", e(21))),
        ),
        accepted(
            "a nome of 100 characters beyond ASCII is accepted",
            &Person::usual().nome(format!("\"{{mark}}{}\"", e(89))),
        ),
        accepted(
            "an element of stack with 32 characters beyond ASCII is accepted",
            &Person::usual().stack(format!("[\"{}\"]", e(32))),
        ),
    ]
}
