//! Methods, paths, connections and headers.

use galo_plan::conformance::{Case, CaseRequest, Content, Expect, Form, Way};

use super::build::{
    Held, OK, Person, Sent, alive, answered, case, create, get, in_front, located, read, refuse, request,
    search, search_by, survived, with_body,
};
use crate::rules::Broken;

pub(super) fn cases() -> Vec<Case> {
    in_front([heads(), methods(), paths(), connections(), headers(), forms()].concat())
}

fn heads() -> Vec<Case> {
    let head = |name: &str, target: &str| {
        let head = survived(Broken::HeadAnswered, "HEAD", target).status(Broken::HeadAnswered, OK);
        case(name, [create(Person::usual().body()), head])
    };
    vec![
        head("HEAD of a person is answered", "{0.location}"),
        head("HEAD of a search is answered", "/pessoas?t={mark}"),
        head("HEAD of the count is answered", "/contagem-pessoas"),
        case(
            "HEAD of nobody is answered as GET is",
            [survived(Broken::HeadAnswered, "HEAD", "/pessoas/3fa85f64-5717-4562-b3fc-2c963f66afa6")
                .status(Broken::HeadAnswered, &[400, 404])],
        ),
    ]
}

fn methods() -> Vec<Case> {
    let usual = Person::usual();
    let other = |method: &str, target: &str| {
        let rule = Broken::MethodRefused;
        let refused = answered(alive(method, target), rule, &[501], false);
        case(
            format!("{method} {} is refused", if target.contains('{') { "/pessoas/<id>" } else { target }),
            [
                create(usual.body()),
                refused.status(rule, &[400, 404, 405, 501]),
                survived(rule, "GET", "{0.location}").status(rule, OK).shows(rule, &usual, 0),
            ],
        )
    };
    vec![
        other("DELETE", "{0.location}"),
        other("PUT", "{0.location}"),
        other("PATCH", "{0.location}"),
        other("POST", "{0.location}"),
        other("DELETE", "/pessoas"),
        other("PUT", "/pessoas"),
        other("DELETE", "/contagem-pessoas"),
        other("BREW", "/pessoas"),
        case(
            "OPTIONS is answered",
            [answered(alive("OPTIONS", "/pessoas"), Broken::MethodRefused, &[501], false)],
        ),
    ]
}

fn paths() -> Vec<Case> {
    let unknown = |target: &str| {
        let statuses = [400, 404];
        let request = survived(Broken::NotFound, "GET", target).status(Broken::NotFound, &statuses);
        case(format!("the path {target} does not exist"), [request])
    };
    let open = |name: &str, target: &str| case(name, [survived(Broken::HttpForms, "GET", target)]);
    vec![
        unknown("/"),
        unknown("/nada"),
        unknown("/pessoa"),
        unknown("/pessoas-2"),
        unknown("/pessoas/3fa85f64-5717-4562-b3fc-2c963f66afa6/stack"),
        unknown("/favicon.ico"),
        open("a slash behind the path is answered", "/pessoas/?t={mark}"),
        open("two slashes before the path are answered", "//pessoas?t={mark}"),
        open("a path in capitals is answered", "/PESSOAS?t={mark}"),
        open("a path that is percent-encoded is answered", "/%70essoas?t={mark}"),
        open("a path with dot segments is answered", "/x/../pessoas?t={mark}"),
    ]
}

/// Whether a creation was done before its connection was closed nobody knows, so it is not sent twice.
fn creation_that_may_be_cut() -> CaseRequest {
    let rule = Broken::KeepAlive;
    let request = answered(CaseRequest::new("POST", "/pessoas"), Broken::ServerError, &[], true);
    let request = answered(with_body(request, Person::usual().body()), rule, &[], false);
    located(request.status(Broken::ValidPersonRefused, &[201]))
}

fn connections() -> Vec<Case> {
    let usual = Person::usual();
    let kept = |request: CaseRequest| request.by(Way::Kept).held(Broken::KeepAlive, Expect::SameConnection);
    // Nobody has to pipeline, so a server may even leave these without an answer.
    let piped = |target: &str| {
        let request = answered(CaseRequest::new("GET", target), Broken::Pipelining, &[], false);
        request.status(Broken::Pipelining, OK).by(Way::Pipelined)
    };
    vec![
        case(
            "ten requests go over one connection",
            (0..10)
                .map(|number| if number == 0 { search("{mark}") } else { kept(search("{mark}")) })
                .collect::<Vec<_>>(),
        ),
        case(
            "a creation, its read and a search go over one connection",
            [
                create(usual.body()),
                kept(read(0)).shows(Broken::ReadDiffers, &usual, 0),
                kept(search("{mark}").lists(Broken::SearchIncomplete, &[0])),
            ],
        ),
        case(
            "a connection carries on after a refusal",
            [
                refuse(Broken::NullAccepted, None, Person::usual().apelido("null").body()),
                kept(creation_that_may_be_cut()),
                kept(read(1)).shows(Broken::ReadDiffers, &usual, 1),
            ],
        ),
        case(
            "a connection carries on after a 404",
            [
                get("/pessoas/3fa85f64-5717-4562-b3fc-2c963f66afa6")
                    .status(Broken::UnknownPerson, &[400, 404]),
                kept(search("{mark}")),
            ],
        ),
        case(
            "three requests without waiting are answered in order",
            [
                create(usual.body()),
                read(0),
                piped("/pessoas?t={mark}").held(Broken::Pipelining, Expect::ListShows(usual.shown(0))),
                piped("{0.location}").held(Broken::Pipelining, Expect::Shows(usual.shown(0))),
            ],
        ),
        case("Connection: close is answered", [search("{mark}").with("Connection", "close")]),
    ]
}

fn headers() -> Vec<Case> {
    let rule = Broken::HttpForms;
    let taken = [200, 400, 413, 431];
    let long = |name: &str, length: usize| {
        let value = Content::default().repeated("x", length);
        case(
            name,
            [
                survived(rule, "GET", "/pessoas?t={mark}").with("X-Long", value).status(rule, &taken),
                search("{mark}"),
            ],
        )
    };
    let many = (0..90).fold(survived(rule, "GET", "/pessoas?t={mark}"), |request, number| {
        request.with(&format!("X-Header-{number}"), "some value")
    });
    let usual = Person::usual();
    let named = |name: &str, header: &str| {
        let request = CaseRequest { body: Some(usual.body().into()), ..survived(rule, "POST", "/pessoas") };
        let request = located(request.with(header, "application/json").status(rule, &[201]));
        case(name, [request, read(0).shows(rule, &usual, 0)])
    };
    vec![
        long("a header of 4 KB is survived", 4 * 1024),
        long("a header of 16 KB is survived", 16 * 1024),
        long("a header of 200 KB is survived", 200 * 1024),
        case("90 headers are survived", [many.status(rule, &taken), search("{mark}")]),
        named("names of headers in small letters are read", "content-type"),
        named("names of headers in capitals are read", "CONTENT-TYPE"),
        case(
            "a cookie and other headers of browsers are ignored",
            [survived(rule, "GET", "/pessoas?t={mark}")
                .status(rule, OK)
                .with("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
                .with("Accept-Language", "pt-BR,pt;q=0.9")
                .with("Accept-Encoding", "identity")
                .with("Cookie", "session=abc; theme=\"dark\"")],
        ),
        case("an empty header is ignored", [search_by(rule, "{mark}").with("X-Empty", "")]),
        case(
            "headers that a proxy adds are ignored",
            [search("{mark}").with("X-Forwarded-For", "203.0.113.9").with("X-Request-Id", "{mark}")],
        ),
    ]
}

fn forms() -> Vec<Case> {
    let rule = Broken::HttpForms;
    vec![
        case(
            "a target with its host is understood",
            [survived(rule, "GET", "http://localhost/pessoas?t={mark}").status(rule, OK)],
        ),
        case(
            "a search over HTTP/1.0 is answered",
            [survived(rule, "GET", "/pessoas?t={mark}").put(Form::Http10).status(rule, &[200, 426, 505])],
        ),
        case(
            "a GET with a body is answered",
            [CaseRequest { body: Some("{}".into()), ..survived(rule, "GET", "/pessoas?t={mark}") }
                .with("Content-Type", "application/json")
                .status(rule, &[200, 400, 413])],
        ),
        case("OPTIONS * is survived", [answered(alive("OPTIONS", "*"), rule, &[500, 501, 502, 503], true)]),
        case(
            "CONNECT is survived",
            [
                answered(alive("CONNECT", "localhost:80"), rule, &[500, 501, 502, 503], true),
                request("GET", "/pessoas?t={mark}").status(Broken::SearchShape, OK),
            ],
        ),
    ]
}
