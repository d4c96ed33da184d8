//! Text that cannot be stored everywhere, bodies that are far too long, and bodies in pieces.

use galo_plan::conformance::{Case, CaseRequest, Content, Expect, Form};

use super::build::{
    Held, OPEN, Person, REFUSED, Sent, alive, answered, case, create, discourage, in_front, json, kept,
    located, nobody, odd_post, post, read, search, survived, with_body,
};
use crate::rules::Broken;

pub(super) fn cases() -> Vec<Case> {
    [texts(), long_bodies(), in_front(pieces()), cut_bodies()].concat()
}

fn texts() -> Vec<Case> {
    let free = |name: &str, nome: &str| {
        let body = Person::usual().nome(nome).body();
        case(name, [located(odd_post(Broken::OddText, body).status(Broken::OddText, OPEN))])
    };
    let kept = |name: &str, nome: &str| {
        let person = Person::usual().nome(nome);
        let request = odd_post(Broken::OddText, person.body()).status(Broken::OddText, &[201]);
        case(name, [located(request), read(0).shows(Broken::OddText, &person, 0)])
    };
    let whole = Person::usual().body();
    let (start, end) = whole.split_once("Ana").unwrap_or_default();
    let invalid = |bytes: &[u8]| Content::from(start).octets(bytes).text(end);
    let utf16: Vec<u8> = whole.replace("{mark}", "utf16").encode_utf16().flat_map(u16::to_le_bytes).collect();
    vec![
        kept("an emoji in a nome is kept", r#""Ana 😀🐓 {mark}""#),
        kept("an emoji as a pair of surrogates is kept", r#""Ana \ud83d\ude00 {mark}""#),
        kept("letters of many scripts are kept", r#""你好 שלום Привет {mark}""#),
        kept("an accent of its own character is kept", "\"Jose\u{301} {mark}\""),
        free("half a pair of surrogates is survived", r#""Ana \ud83d {mark}""#),
        free("the other half of a pair is survived", r#""Ana \ude00 {mark}""#),
        free("two halves in the wrong order are survived", r#""\ude00\ud83d {mark}""#),
        free("a NUL is survived", r#""Ana \u0000 {mark}""#),
        free("control characters are survived", r#""\u0001\u001f\u007f {mark}""#),
        free("the last characters of a plane are survived", r#""\uffff\ufffe {mark}""#),
        case(
            "a NUL in an apelido is survived",
            [located(
                odd_post(Broken::OddText, Person::usual().apelido(r#""{mark}\u0000""#).body())
                    .status(Broken::OddText, OPEN),
            )],
        ),
        case(
            "bytes that are no UTF-8 should be refused",
            [discourage(Broken::StrictJson, invalid(b"\xff\xfe"))],
        ),
        case("a letter in Latin-1 should be refused", [discourage(Broken::StrictJson, invalid(b"Jos\xe9"))]),
        case(
            "a person in UTF-16 is survived",
            [odd_post(Broken::OddText, Content::default().octets(&utf16)).status(Broken::OddText, OPEN)],
        ),
    ]
}

/// A refusal, or a connection that is closed while it still sends, is right. A balancer whose instance closes says so by 502, and may leave
/// that instance out for a while; where it had the body already, it finds out with the next request. So what comes behind such a body in its
/// own case may be a 502 as well, and the last of these cases sees that everybody is back.
fn long_bodies() -> Vec<Case> {
    let long = |name: &str, length: usize, fill: &str| {
        let body =
            Content::from(r#"{"apelido":"{mark}","nascimento":"1987-03-14","stack":null,"nome":"{mark}"#)
                .repeated(fill, length / fill.len())
                .text("\"}");
        let request = answered(CaseRequest::new("POST", "/pessoas"), Broken::ServerError, &[502], true);
        let refused = [REFUSED, &[413, 502]].concat();
        let search =
            answered(CaseRequest::new("GET", "/pessoas?t={mark}"), Broken::ServerError, &[502], false)
                .status(Broken::SearchShape, &[200, 502])
                .json();
        let nobody = search.lists_nobody(Broken::TooLongAccepted);
        case(name, [with_body(request, body).status(Broken::TooLongAccepted, &refused), nobody])
    };
    let spaces = Content::default().repeated(" ", 1 << 20).text(&Person::usual().body());
    let stack =
        Content::from(r#"{"apelido":"{mark}","nome":"{mark}","nascimento":"1987-03-14","stack":["a""#)
            .repeated(",\"a\"", 99_999)
            .text("]}");
    let open = |name: &str, rule, body: Content| {
        let request = answered(alive("POST", "/pessoas"), rule, &[502], true);
        let statuses = [OPEN, &[502]].concat();
        case(name, [located(with_body(request, body).status(rule, &statuses))])
    };
    vec![
        long("a nome of 100,000 letters is refused", 100_000, "x"),
        long("a body of 1 MB is refused", 1_000_000, "x"),
        long("a body of 10 MB is refused", 10_000_000, "abcdefghij"),
        open("a person behind 1 MB of white space is either created or refused", Broken::JsonRead, spaces),
        open("a stack of 100,000 elements is either created or refused", Broken::OddText, stack),
        kept("a person after bodies that are far too long is kept", &Person::usual()),
    ]
}

/// The same request in other forms of HTTP/1.1.
fn pieces() -> Vec<Case> {
    let usual = Person::usual();
    let rule = Broken::HttpForms;
    let posted = |person: &Person| with_body(survived(rule, "POST", "/pessoas"), person.body());
    let form = |name: &str, form: Form, refusals: &[u16]| {
        let statuses = [&[201], refusals].concat();
        let request = located(posted(&usual).status(rule, &statuses)).put(form);
        case(name, [request, read(0).shows(rule, &usual, 0)])
    };
    let long = Person::usual().nome(json(&format!("{{mark}}{}", "x".repeat(200))));
    // What a server may refuse, it may (RFC 9110, sections 15.5.12, 15.5.18, 15.5.22 and 15.6.6).
    vec![
        form("a body in chunks is read", Form::Chunked, &[411]),
        form("a body that waits for 100 Continue is read", Form::Continue, &[417]),
        form("a creation over HTTP/1.0 is answered", Form::Http10, &[426, 505]),
        case(
            "an invalid person in chunks is refused",
            [
                posted(&long).status(rule, &[400, 411, 422]).put(Form::Chunked),
                nobody(Broken::TooLongAccepted),
            ],
        ),
    ]
}

/// Clients that go away in the middle of a body leave nothing behind, and do not disturb the next.
fn cut_bodies() -> Vec<Case> {
    let cut = |length: usize, form: fn(usize) -> Form| {
        let body = Person::usual().body();
        CaseRequest { expect: Vec::new(), ..post(body) }.put(form(length))
    };
    let usual = Person::usual();
    vec![
        case(
            "a body that is cut by its client is not stored",
            [
                cut(40, Form::Cut),
                nobody(Broken::BrokenJsonAccepted),
                create(usual.body()),
                search("{mark}").lists(Broken::SearchIncomplete, &[2]),
            ],
        ),
        case(
            "a client that sends no body at all does not disturb the next",
            [
                cut(0, Form::Cut),
                create(usual.body()),
                read(1).held(Broken::ReadDiffers, Expect::Shows(usual.shown(1))),
            ],
        ),
        case(
            "ten clients that go away do not disturb the next",
            [
                vec![cut(20, Form::Cut); 10],
                vec![create(usual.body()), search("{mark}").lists(Broken::SearchIncomplete, &[10])],
            ]
            .concat(),
        ),
    ]
}
