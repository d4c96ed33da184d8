//! How a term may be written in a target, as far as the contest says, and what it leaves open.

use galo_plan::conformance::{Case, Content, Expect};

use super::build::{Held, OK, Person, case, create, encoded, get, in_front, json, search, survived};
use crate::rules::Broken;

pub(super) fn cases() -> Vec<Case> {
    [written(), open(), odd(), long()].concat()
}

fn written() -> Vec<Case> {
    let all_encoded = |text: &str| text.bytes().map(|byte| format!("%{byte:02x}")).collect::<String>();
    let finds = |name: &str, nome: &str, target: &str| {
        let person = Person::usual().nome(json(nome));
        let find = get(target).status(Broken::SearchShape, OK).lists(Broken::SearchIncomplete, &[0]);
        case(name, [create(person.body()), find])
    };
    vec![
        finds(
            "letters that need no percent-encoding may have it",
            "node{mark}",
            &format!("/pessoas?t={}{{mark}}", all_encoded("node")),
        ),
        finds("percent-encoding in small letters is read", "c/d{mark}", "/pessoas?t=c%2fd{mark}"),
        finds("a percent sign is encoded", "100%{mark}", "/pessoas?t=100%25{mark}"),
        finds("an ampersand is encoded", "a&t=b{mark}", "/pessoas?t=a%26t%3Db{mark}"),
        finds("a plus sign is encoded", "a+b{mark}", "/pessoas?t=a%2Bb{mark}"),
    ]
}

/// A search that is answered, one way or the other.
fn open() -> Vec<Case> {
    let answered = |name: &str, target: &str, statuses: &[u16]| {
        let request = survived(Broken::HttpForms, "GET", target).status(Broken::HttpForms, statuses);
        case(name, [create(Person::usual().body()), request])
    };
    vec![
        answered("a plus sign in a term is answered", "/pessoas?t=a+{mark}", &[200]),
        answered("a term given twice is answered", "/pessoas?t={mark}&t=x", &[200, 400]),
        answered("a term given thrice, once empty, is answered", "/pessoas?t=&t={mark}&t=x", &[200, 400]),
        answered("a key of t without a value is answered", "/pessoas?t", &[200, 400]),
        answered("a key T in capitals is answered", "/pessoas?T={mark}", &[200, 400]),
        answered("a key t that is percent-encoded is answered", "/pessoas?%74={mark}", &[200, 400]),
        answered("a term of one space is answered", "/pessoas?t=%20", &[200, 400]),
        answered("further keys beside t are answered", "/pessoas?page=1&t={mark}&limit=10", &[200, 400]),
        answered("a key t with brackets is answered", "/pessoas?t[]={mark}", &[200, 400]),
    ]
}

/// Terms that are no text.
fn odd() -> Vec<Case> {
    let rule = Broken::OddText;
    let survive = |name: &str, term: &str| {
        let target = format!("/pessoas?t={term}");
        case(name, [survived(rule, "GET", target.as_str()).status(rule, &[200, 400])])
    };
    vec![
        survive("a percent sign alone in a target is survived", "{mark}%"),
        survive("half a percent-encoding is survived", "{mark}%4"),
        survive("a percent sign before other letters is survived", "%zz{mark}"),
        survive("bytes that are no UTF-8 in a term are survived", "{mark}%FF%FE"),
        survive("half a letter in a term is survived", "{mark}%C3"),
        survive("a NUL in a term is survived", "{mark}%00"),
        survive("line breaks in a term are survived", "{mark}%0D%0AX-A:%201"),
        survive("half a pair of surrogates in a term is survived", "{mark}%ED%A0%BD"),
        survive("letters beyond ASCII that are not encoded are survived", "josé{mark}"),
        case(
            "an emoji in a term finds",
            [
                create(Person::usual().body()),
                survived(rule, "GET", format!("/pessoas?t={}{{mark}}", encoded("😀")).as_str())
                    .status(rule, OK)
                    .held(rule, Expect::Lists { of: Vec::new(), at_least: 0, others: false }),
            ],
        ),
    ]
}

fn long() -> Vec<Case> {
    let target = |length: usize| Content::from("/pessoas?t={mark}").repeated("x", length);
    let rule = Broken::HttpForms;
    let long = |length| survived(rule, "GET", target(length)).status(rule, &[200, 400, 413, 414, 431]);
    [
        vec![case(
            "a term of 1,000 letters finds nobody",
            [
                search("{mark}").lists_nobody(Broken::SearchPhantom),
                long(1000).lists_nobody(Broken::SearchPhantom),
            ],
        )],
        in_front(vec![
            case("a term of 16 KB is survived", [long(16 * 1024)]),
            case("a term of 100 KB is survived", [long(100 * 1024)]),
        ]),
    ]
    .concat()
}
