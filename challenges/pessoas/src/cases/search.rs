//! Searches: in which fields, for what, and how many are listed.

use galo_plan::conformance::{Case, Expect};

use super::build::{Held, Person, accepted_by, case, create, encoded, get, search, search_by};
use crate::rules::Broken;

pub(super) fn cases() -> Vec<Case> {
    [fields(), letter_case(), literally(), wildcards(), numbers()].concat()
}

/// A search that must find the first person by a rule, and nobody else.
fn finds(name: impl Into<String>, rule: Broken, person: &Person, term: &str) -> Case {
    case(name, [create(person.body()), search(term).lists(rule, &[0])])
}

/// The same, where an answer without a 5xx belongs to the rule.
fn finds_by(name: impl Into<String>, rule: Broken, person: &Person, term: &str) -> Case {
    case(name, [create(person.body()), search_by(rule, term).lists(rule, &[0])])
}

/// Somebody who has a text in one field alone. The nickname is the mark itself, if it is not that field.
fn only_in(field: &str, text: &str) -> Person {
    let person = Person::usual().apelido(r#""{mark}""#).nome(r#""Ana""#).stack("null");
    let text = super::build::json(text);
    match field {
        "apelido" => person.apelido(text),
        "nome" => person.nome(text),
        _ => person.stack(format!(r#"["Go",{text},"C"]"#)),
    }
}

fn fields() -> Vec<Case> {
    let rule = Broken::SearchIncomplete;
    vec![
        finds("a term in the apelido finds", rule, &only_in("apelido", "x{mark}y"), "{mark}"),
        finds("a term in the nome finds", rule, &only_in("nome", "Ana q{mark}z Lima"), "q{mark}z"),
        finds("a term in an element of stack finds", rule, &only_in("stack", "q{mark}z"), "q{mark}z"),
        finds("the whole apelido as term finds", rule, &only_in("apelido", "x{mark}y"), "x{mark}y"),
        finds("a term that begins a nome finds", rule, &only_in("nome", "q{mark} Lima"), "q{mark}"),
        finds("a term that ends a nome finds", rule, &only_in("nome", "Ana {mark}z"), "{mark}z"),
        finds(
            "a term with a space in it finds",
            rule,
            &only_in("nome", "Ana {mark} Lima"),
            "na%20{mark}%20Li",
        ),
        case(
            "a term that only spans two fields finds nobody",
            [
                create(only_in("nome", "w{mark} Lima").body()),
                search("{mark}w{mark}").lists_nobody(Broken::SearchAcrossFields),
                search("{mark}%20w{mark}").lists_nobody(Broken::SearchAcrossFields),
            ],
        ),
        case(
            "a term that only spans two elements of a stack finds nobody",
            [
                create(Person::usual().stack(r#"["q{mark}","z{mark}"]"#).body()),
                search("q{mark}z").lists_nobody(Broken::SearchAcrossFields),
                search("q{mark}%20z").lists_nobody(Broken::SearchAcrossFields),
                search("q{mark}%2Cz").lists_nobody(Broken::SearchAcrossFields),
                search("q{mark}%2C%20z").lists_nobody(Broken::SearchAcrossFields),
            ],
        ),
        case(
            "a term in the id finds nobody",
            [create(Person::usual().body()), search("{0.id}").lists_nobody(Broken::SearchPhantom)],
        ),
        case(
            "a term that nobody has finds nobody",
            [search("{mark}{mark}").lists_nobody(Broken::SearchPhantom)],
        ),
        case(
            "a term with one letter more finds nobody",
            [create(Person::usual().body()), search("{mark}zq").lists_nobody(Broken::SearchPhantom)],
        ),
    ]
}

fn letter_case() -> Vec<Case> {
    let rule = Broken::SearchCase;
    let (upper, lower) = (encoded("JOSÉ"), encoded("josé"));
    let beyond = |name: &str, field: &str, text: &str, term: &str| {
        let rule = Broken::SearchCaseUnicode;
        let create = accepted_by(rule, only_in(field, text).body());
        case(name, [create, search_by(rule, term).lists(rule, &[0])])
    };
    vec![
        finds("node finds Node", rule, &only_in("nome", "Node{mark}"), "node{mark}"),
        finds("NODE finds Node", rule, &only_in("nome", "Node{mark}"), "NODE{MARK}"),
        finds(
            "small letters find capitals in the apelido",
            rule,
            &only_in("apelido", "QW{MARK}"),
            "qw{mark}",
        ),
        finds(
            "capitals find small letters in the apelido",
            rule,
            &only_in("apelido", "qw{mark}"),
            "QW{MARK}",
        ),
        finds("small letters find capitals in the stack", rule, &only_in("stack", "QW{MARK}"), "qw{mark}"),
        finds("capitals find small letters in the stack", rule, &only_in("stack", "qw{mark}"), "QW{MARK}"),
        beyond("JOSÉ finds josé", "nome", "josé {mark}", &format!("{upper}%20{{mark}}")),
        beyond("josé finds JOSÉ", "nome", "JOSÉ {mark}", &format!("{lower}%20{{mark}}")),
        beyond(
            "ção finds ÇÃO in the stack",
            "stack",
            "ÇÃO {mark}",
            &format!("{}%20{{mark}}", encoded("ção")),
        ),
        beyond("josé finds josé", "nome", "josé {mark}", &format!("{lower}%20{{mark}}")),
    ]
}

/// Letters that mean something to a query language, and nothing to a search.
fn literally() -> Vec<Case> {
    let must = ["C++", "C#", "'", "\"", "''", "' OR '1'='1"];
    let wildcards = ["\\", "\\\\", ".", "*", "?", "|", "["];
    let other =
        ["^", "$", "&", "(", ")", "]", "{", "}", ";", ":", "!", "=", "<", ">", "/", "--", "@", "~", "`", ","];
    let must = must.map(|text| (Broken::SearchMetacharacters, text));
    let wildcards = wildcards.map(|text| (Broken::SearchWildcard, text));
    let other = other.map(|text| (Broken::SearchIncomplete, text));
    let mut cases = Vec::new();
    for (rule, text) in must.iter().chain(&wildcards).chain(&other) {
        // No 5xx is a matter of its own, whatever is found.
        let find = if *rule == Broken::SearchMetacharacters { finds_by } else { finds };
        cases.push(find(
            format!("the term {text} is found in a nome"),
            *rule,
            &only_in("nome", &format!("a {text}{{mark}}")),
            &format!("{}{{mark}}", encoded(text)),
        ));
    }
    for (rule, text) in must {
        let term = format!("{{mark}}{}", encoded(text));
        let person = only_in("stack", &format!("{{mark}}{text}"));
        cases.push(finds_by(
            format!("the term {text} is found at the end of an element of stack"),
            rule,
            &person,
            &term,
        ));
    }
    cases
}

/// What is a wildcard elsewhere stands for itself.
fn wildcards() -> Vec<Case> {
    let not_for = |name: &str, rule, wildcard: &str| {
        case(
            name,
            [
                create(only_in("nome", "q{mark}abc").body()),
                search(&format!("q{{mark}}{}", encoded(wildcard))).lists_nobody(rule),
            ],
        )
    };
    let should = Broken::SearchWildcard;
    let itself = |name: &str, letter: &str| {
        let person = only_in("nome", &format!("q{{mark}}{letter}c"));
        finds(name, Broken::SearchWildcard, &person, &format!("q{{mark}}{}c", encoded(letter)))
    };
    vec![
        not_for("% does not stand for any letters", should, "%c"),
        not_for("_ does not stand for a letter", should, "_bc"),
        not_for("% alone behind letters finds nobody without it", should, "%"),
        not_for(". does not stand for a letter", should, ".bc"),
        not_for("* does not stand for any letters", should, "*c"),
        not_for(".* does not stand for any letters", should, ".*"),
        not_for("? does not stand for a letter", should, "?bc"),
        not_for("[a-z] does not stand for a letter", should, "[a-z]bc"),
        not_for("| does not part two terms", should, "|abc"),
        itself("% finds %", "%"),
        itself("_ finds _", "_"),
        itself("%% finds %%", "%%"),
    ]
}

/// All who match, or 50 of them, and nobody twice.
fn numbers() -> Vec<Case> {
    const MANY: usize = 53;
    let one = |number: usize| {
        let person = Person::usual().apelido(format!(r#""{{mark}}n{number}""#)).stack(r#"["{mark}"]"#);
        create(person.body())
    };
    let list = |created: usize| {
        let of: Vec<String> = (0..created).map(|number| format!("{{{number}.id}}")).collect();
        let all = Expect::Lists { of: of.clone(), at_least: created.min(50), others: true };
        let none_else = Expect::Lists { of, at_least: 0, others: false };
        search("{mark}").held(Broken::SearchIncomplete, all).held(Broken::SearchPhantom, none_else)
    };
    let some = |number: usize| (0..number).map(one).chain([list(number)]).collect::<Vec<_>>();
    vec![
        case("three people with one term are all listed", some(3)),
        case("of 53 people with one term at least 50 are listed", some(MANY)),
        case("a search without t is refused", [get("/pessoas").status(Broken::NoTerm, &[400])]),
        case(
            "a search without t but with a question mark is refused",
            [get("/pessoas?").status(Broken::NoTerm, &[400])],
        ),
        case("a search by another key is refused", [get("/pessoas?x={mark}").status(Broken::NoTerm, &[400])]),
        case(
            "a search with an empty t is answered",
            [get("/pessoas?t=").status(Broken::NoTerm, &[200, 400])],
        ),
    ]
}
