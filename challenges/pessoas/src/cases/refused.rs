//! People who break a rule: refused, and nothing of them is stored.

use galo_plan::conformance::{Case, Expect};

use super::build::{
    Held, OPEN, Person, REFUSED, case, create, discourage, json, located, nobody, odd_post, read, refuse,
    refused, search,
};
use crate::rules::Broken;

pub(super) fn cases() -> Vec<Case> {
    [dates(), dates_to_discourage(), nulls(), lengths(), types(), bodies(), duplicates()].concat()
}

fn with_date(raw: &str) -> String {
    Person::usual().nascimento(raw).body()
}

fn dates() -> Vec<Case> {
    [
        ("in month 13", r#""1987-13-01""#),
        ("in month 99", r#""1987-99-01""#),
        ("on day 32", r#""1987-01-32""#),
        ("on day 99", r#""1987-12-99""#),
        ("of 12-12-2000", r#""12-12-2000""#),
        ("of 14/03/1987", r#""14/03/1987""#),
        ("that was encoded twice", r#""\"12-12-2000\"""#),
        ("of the text null", r#""null""#),
        ("of the text 10", r#""10""#),
        ("of a word", r#""ontem""#),
        ("of no text at all", r#""""#),
        ("of letters in the right places", r#""AAAA-MM-DD""#),
        ("of a number", "19870314"),
        ("of a fraction", "1987.0314"),
        ("of true", "true"),
        ("of an array", r#"["1987-03-14"]"#),
        ("of an object", r#"{"ano":1987,"mes":3,"dia":14}"#),
    ]
    .map(|(what, raw)| {
        refused(format!("a nascimento {what} is refused"), Broken::BadDateAccepted, None, with_date(raw))
    })
    .into()
}

/// What the contest only wishes for, and what it says nothing of.
fn dates_to_discourage() -> Vec<Case> {
    let impossible =
        ["2021-02-30", "2020-02-30", "2021-02-29", "1900-02-29", "2021-04-31", "2021-00-10", "2021-01-00"];
    let forms = [
        "1987-3-14",
        "1987-03-4",
        "87-03-14",
        "1987/03/14",
        "19870314",
        "1987-03-14T00:00:00Z",
        " 1987-03-14",
        "1987-03-14 ",
        "1987-03-14x",
        "+1987-03-14",
    ];
    let impossible = impossible.map(|date| (Broken::ImpossibleDateAccepted, date));
    let forms = forms.map(|date| (Broken::DateForm, date));
    let each = |(rule, date): &(Broken, &str)| {
        case(
            format!("the date {} should be refused", json(date)),
            [discourage(*rule, with_date(&json(date)))],
        )
    };
    impossible.iter().chain(&forms).map(each).collect()
}

/// A person with one field left out.
fn without(field: &str) -> Person {
    let mut person = Person::usual();
    match field {
        "apelido" => person.apelido = None,
        "nome" => person.nome = None,
        _ => person.nascimento = None,
    }
    person
}

fn nulls() -> Vec<Case> {
    let rule = Broken::NullAccepted;
    let null = |field: &str| match field {
        "apelido" => Person::usual().apelido("null"),
        "nome" => Person::usual().nome("null"),
        _ => Person::usual().nascimento("null"),
    };
    let mut cases = Vec::new();
    for field in ["apelido", "nome", "nascimento"] {
        cases.push(refused(format!("a null {field} is refused"), rule, Some(422), null(field).body()));
        cases.push(refused(
            format!("a person without {field} is refused"),
            rule,
            None,
            without(field).body(),
        ));
    }
    let element = |stack: &str| Person::usual().stack(stack).body();
    cases.push(refused("a stack of one null is refused", rule, None, element("[null]")));
    cases.push(refused("a stack with a null in it is refused", rule, None, element(r#"["Go",null]"#)));
    cases.push(case("an empty object is refused", [refuse(rule, None, "{}")]));
    cases.push(case(
        "an empty text as an element of stack should be refused",
        [discourage(Broken::EmptyElementRefused, element(r#"["Go",""]"#))],
    ));
    for field in ["apelido", "nome"] {
        let person =
            if field == "apelido" { Person::usual().apelido("\"\"") } else { Person::usual().nome("\"\"") };
        let name = format!("an empty {field} is either created or refused");
        cases.push(case(
            name,
            [located(odd_post(Broken::OddText, person.body()).status(Broken::OddText, OPEN))],
        ));
    }
    cases
}

fn lengths() -> Vec<Case> {
    let rule = Broken::TooLongAccepted;
    let text = |length: usize| json(&format!("{{mark}}{}", "x".repeat(length - 11)));
    let usual = Person::usual;
    let elements = |raw: &str| usual().stack(raw).body();
    let long = json(&"x".repeat(33));
    let mut cases = vec![
        refused("an apelido of 33 letters is refused", rule, None, usual().apelido(text(33)).body()),
        refused("an apelido of 1,000 letters is refused", rule, None, usual().apelido(text(1000)).body()),
        refused("a nome of 101 letters is refused", rule, None, usual().nome(text(101)).body()),
        refused("a nome of 10,000 letters is refused", rule, None, usual().nome(text(10_000)).body()),
        refused("an element of stack with 33 letters is refused", rule, None, elements(&format!("[{long}]"))),
        refused(
            "a long element behind short ones is refused",
            rule,
            None,
            elements(&format!("[\"Go\",\"C\",{long}]")),
        ),
        refused(
            "an element of stack with 40 digits is refused",
            rule,
            None,
            elements(&format!("[\"{}\"]", "7".repeat(40))),
        ),
    ];
    let beyond = |name: &str, person: Person| {
        let request = discourage(Broken::LengthInBytes, person.body());
        case(name, [request])
    };
    let e = "é";
    cases.push(beyond(
        "an apelido of 33 characters beyond ASCII should be refused",
        usual().apelido(format!("\"{{mark}}{}\"", e.repeat(22))),
    ));
    cases.push(beyond(
        "a nome of 101 characters beyond ASCII should be refused",
        usual().nome(format!("\"{{mark}}{}\"", e.repeat(90))),
    ));
    cases
}

fn types() -> Vec<Case> {
    let wrong =
        [("number", "1"), ("fraction", "1.5"), ("boolean", "true"), ("array", r#"["a"]"#), ("object", "{}")];
    let mut cases = Vec::new();
    let mut add = |what: String, person: Person| {
        cases.push(refused(what, Broken::WrongTypeAccepted, Some(400), person.body()));
    };
    for (kind, raw) in wrong {
        add(format!("an apelido that is a JSON {kind} is refused"), Person::usual().apelido(raw));
        add(format!("a nome that is a JSON {kind} is refused"), Person::usual().nome(raw));
    }
    for (kind, raw) in [
        ("a text", r#""Rust""#),
        ("a number", "1"),
        ("a boolean", "false"),
        ("an object", r#"{"0":"Rust"}"#),
        ("an array with a number in it", r#"[1,"PHP"]"#),
        ("an array with a boolean in it", r#"["PHP",true]"#),
        ("an array of arrays", r#"[["PHP"]]"#),
        ("an array of objects", r#"[{"nome":"PHP"}]"#),
    ] {
        add(format!("a stack that is {kind} is refused"), Person::usual().stack(raw));
    }
    add(
        "an apelido of 30 digits without quotes is refused".to_owned(),
        Person::usual().apelido("1".repeat(30)),
    );
    cases
}

fn bodies() -> Vec<Case> {
    let rule = Broken::WrongTypeAccepted;
    let list = format!("[{}]", Person::usual().body());
    [
        ("null", "null".to_owned()),
        ("an empty array", "[]".to_owned()),
        ("a text", "\"{mark}\"".to_owned()),
        ("a number", "1".to_owned()),
        ("true", "true".to_owned()),
        ("an array with a person in it", list),
    ]
    .map(|(what, body)| {
        // The contest speaks of fields of a wrong type; honest servers are known to fall over a body that is none.
        let statuses = [REFUSED, &[415, 500, 502]].concat();
        let request =
            odd_post(Broken::OddText, body).status(rule, &statuses).status(Broken::ExactStatus, REFUSED);
        case(format!("a body that is {what} is refused"), [request, nobody(rule)])
    })
    .into()
}

fn duplicates() -> Vec<Case> {
    let rule = Broken::DuplicateAccepted;
    let first = Person::usual();
    let second = Person::usual().nome(r#""Bia {mark}z""#).stack("null");
    vec![
        case(
            "an apelido that is taken is refused",
            [create(first.body()), refuse(rule, Some(422), first.body()), search("{mark}").lists(rule, &[0])],
        ),
        case(
            "an apelido that is taken is refused for another person",
            [
                create(first.body()),
                refuse(rule, Some(422), second.body()),
                search("{mark}z").lists_nobody(rule),
                read(0).held(Broken::ReadDiffers, Expect::Shows(first.shown(0))),
            ],
        ),
        case(
            "a refused person leaves the apelido free",
            [
                refuse(Broken::NullAccepted, Some(422), Person::usual().nome("null").body()),
                nobody(Broken::NullAccepted),
                create(first.body()),
                read(2).held(Broken::ReadDiffers, Expect::Shows(first.shown(2))),
            ],
        ),
    ]
}
