use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};

use super::*;
use crate::Injection;
use crate::load::Spacing;
use crate::model::{Answer, Examination, Question};
use crate::template::{Encoding, Part};
use crate::{ChallengeData, ChallengeModel, NoModel};

fn options(url: &str) -> RequestOptions {
    RequestOptions { urls: vec![url.to_owned()], ..RequestOptions::default() }
}

fn error(change: impl FnOnce(&mut RequestOptions)) -> String {
    let mut options = options("http://localhost/x");
    change(&mut options);
    options.resolve().err().unwrap().to_string()
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(ToString::to_string).collect()
}

fn data(requests: &Requests) -> Described {
    Described::new(requests.data.clone(), requests.seed)
}

/// Target and body of one request as they are sent.
fn sent(requests: &Requests, row: u64) -> (String, String) {
    let (step, data) = (&requests.scenarios[0].steps[0], data(requests));
    let write = |template: &Template, encoding| {
        let mut out = Vec::new();
        template.write(&data, 0, row, &[], encoding, &mut out);
        String::from_utf8(out).unwrap()
    };
    (
        write(&step.target, Encoding::Percent),
        step.body.as_ref().map_or_else(String::new, |body| write(body, Encoding::Raw)),
    )
}

#[test]
fn an_address_alone_is_a_get_that_any_2xx_or_3xx_answers() {
    let requests = options("http://localhost:8080/a?b={c}").resolve().unwrap();
    let [scenario] = &requests.scenarios[..] else { panic!("one scenario") };
    assert_eq!((scenario.feeder, scenario.connection), (None, Connection::Shared));
    let step = &scenario.steps[0];
    assert_eq!((step.name.as_str(), step.method.as_str()), ("GET /a?b={c}", "GET"));
    assert_eq!(step.target.parts(), [Part::Text("/a?b={c}".to_owned())]);
    assert_eq!(step.statuses, (200..400).collect::<Vec<u16>>());
    assert_eq!((&step.body, step.check), (&None, None));
    assert_eq!(requests.timeouts, Timeouts { connect_ns: 10_000_000_000, answer_ns: 10_000_000_000 });
    assert!(requests.stop_statuses.is_empty());
}

#[test]
fn everything_that_is_written_reaches_the_step() {
    let requests = RequestOptions {
        method: Some("PUT".to_owned()),
        headers: owned(&["Accept: a", "Accept: b"]),
        headers_any: owned(&["User-Agent: x|y"]),
        body: Some(r#"{"a":1}"#.to_owned()),
        statuses: Some("200,404".to_owned()),
        stop_statuses: Some("5xx".to_owned()),
        body_holds: owned(&["ok"]),
        timeout: Some("2s".to_owned()),
        connect_timeout: Some("500ms".to_owned()),
        connection: Connection::PerRequest,
        ..options("http://localhost/")
    };
    let requests = requests.resolve().unwrap();
    let step = &requests.scenarios[0].steps[0];
    let names: Vec<(&str, usize)> = step.headers.iter().map(|h| (h.name.as_str(), h.values.len())).collect();
    assert_eq!(names, [("Accept", 1), ("Accept", 1), ("User-Agent", 2)]);
    assert_eq!(step.body.as_ref().unwrap().constant(), Some(&br#"{"a":1}"#[..]));
    assert_eq!((step.method.as_str(), &step.statuses[..], step.check), ("PUT", &[200, 404][..], Some(0)));
    assert_eq!(requests.timeouts, Timeouts { connect_ns: 500_000_000, answer_ns: 2_000_000_000 });
    assert_eq!(
        (requests.stop_statuses.len(), requests.scenarios[0].connection),
        (100, Connection::PerRequest)
    );
}

#[test]
fn a_body_makes_it_a_post() {
    let with_body = RequestOptions { body: Some(String::new()), ..options("http://localhost/") };
    assert_eq!(with_body.resolve().unwrap().scenarios[0].steps[0].method, "POST");
}

#[test]
fn a_data_file_fills_address_and_body_from_one_row() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("people.tsv");
    std::fs::write(&file, "name\tage\nJosé A\t3\nBob\t4\n").unwrap();
    let requests = RequestOptions {
        body: Some(r#"{{"n":"{name}","a":{age},"i":{seq}}}"#.to_owned()),
        data: Some(DataOptions { file, format: None, pick: Pick::InTurn }),
        ..options("http://localhost/p/{name}?i={seq}")
    };
    let requests = requests.resolve().unwrap();
    assert_eq!(requests.scenarios[0].feeder, Some(0));
    let expected = ("/p/Jos%C3%A9%20A?i=2".to_owned(), r#"{"n":"José A","a":3,"i":2}"#.to_owned());
    assert_eq!(sent(&requests, 2), expected);
    assert_eq!(sent(&requests, 1).1, r#"{"n":"Bob","a":4,"i":1}"#);
}

#[test]
fn templates_without_a_data_file_are_asked_for() {
    let asked = RequestOptions { template: true, ..options("http://localhost/{seq}") };
    assert_eq!(sent(&asked.resolve().unwrap(), 7).0, "/7");
    assert_eq!(sent(&options("http://localhost/{seq}").resolve().unwrap(), 7).0, "/{seq}");
}

#[test]
fn checks_examine_answers() {
    let requests = RequestOptions {
        body_holds: owned(&["b"]),
        json_is: owned(&["/a/b = 3"]),
        header_is: owned(&["X ~ y"]),
        ..options("http://localhost/")
    };
    let requests = requests.resolve().unwrap();
    let question = Question { check: 0, step: 0, feeder: 0, row: 0, created: None };
    let examine = |head: &[u8], body: &[u8]| {
        data(&requests).examine(
            &question,
            &Answer { status: 200, head, location: None, content_type: None, body },
            &mut Vec::new(),
        )
    };
    let head = b"HTTP/1.1 200 OK\r\nx: xyz\r\n\r\n";
    assert_eq!(examine(head, br#"{"a":{"b":3}}"#), Examination::RIGHT);
    let wrong = examine(head, br#"{"a":{"b":4}}"#);
    assert_eq!(wrong.difference.as_deref(), Some("/a/b is 4, expected 3"));
    assert_eq!(wrong.broken.map(|rule| NoModel.rules()[rule].name.as_ref()), Some("body-differs"));
    assert_eq!(
        examine(b"HTTP/1.1 200 OK\r\n\r\n", b"").broken.map(|rule| NoModel.rules()[rule].name.as_ref()),
        Some("header-differs")
    );
}

#[test]
fn several_addresses_are_scenarios_of_one_source() {
    let options = RequestOptions {
        urls: owned(&["http://a:81/x", "https://b/y"]),
        headers: owned(&["Host: c"]),
        template: true,
        seed: 9,
        ..RequestOptions::default()
    };
    let requests = options.resolve().unwrap();
    let injection = Injection::constant(10_000_000, std::time::Duration::from_secs(3));
    let arrivals = Arrivals::Open { injection, spacing: Spacing::Poisson };
    let address =
        |url: &Url| Ok::<_, Infallible>(Address::Ip(SocketAddr::from((Ipv4Addr::LOCALHOST, url.port))));
    let Ok(plan) = requests.into_plan(arrivals, Pick::InTurn, Transport::default(), Pool::default(), address);
    assert_eq!((plan.seed, &plan.sources[0].scenarios[..]), (9, &[0, 1][..]));
    let targets: Vec<_> =
        plan.targets.iter().map(|t| (t.authority.as_str(), t.host.as_str(), t.tls)).collect();
    assert_eq!(targets, [("c", "c", false), ("c", "c", true)]);
    assert_eq!(plan.targets[0].place, "a:81");
    assert_eq!(plan.targets[1].address, Address::Ip(SocketAddr::from((Ipv4Addr::LOCALHOST, 443))));
    assert_eq!(plan.headers, [Header::new("User-Agent", "galo")]);
    let number = plan.poisson(0).unwrap().count();
    assert!((5..80).contains(&number), "{number}");
    assert!(plan.poisson(1).is_none());
}

#[test]
fn an_address_that_is_not_found_ends_the_plan() {
    let requests = options("http://nowhere/").resolve().unwrap();
    let arrivals = Arrivals::Closed { users: 1, total: None, duration_ns: None };
    let plan = requests.into_plan(arrivals, Pick::InTurn, Transport::default(), Pool::default(), |url| {
        Err::<Address, String>(url.host.clone())
    });
    assert_eq!(plan.err().as_deref(), Some("nowhere"));
}

#[test]
fn the_same_options_make_the_same_requests() {
    let options = RequestOptions {
        template: true,
        body: Some("{uuid} {random:1:9}".to_owned()),
        ..options("http://h/{seq}")
    };
    let other = RequestOptions { seed: 1, ..options.clone() };
    let [one, again, other] = [&options, &options, &other].map(|options| options.resolve().unwrap());
    assert!((0..100).all(|row| sent(&one, row) == sent(&again, row)));
    assert!((0..100).all(|row| sent(&one, row).1 != sent(&other, row).1));
}

#[test]
fn what_is_wrong_is_named_as_it_was_written() {
    insta::assert_snapshot!(error(|o| o.urls.clear()), @"
    0 addresses are given
    hint: give 1 to 255
    ");
    insta::assert_snapshot!(error(|o| o.urls.push("/path".to_owned())), @"
    `/path` has no host
    hint: write for example `http://localhost:8080/path`
    ");
    insta::assert_snapshot!(error(|o| { o.template = true; o.urls[0].push_str("{sek}"); }), @"`http://localhost/x{sek}`: unknown name `{sek}` (known: seq, uuid, random:1:100); did you mean `{seq}`?");
    insta::assert_snapshot!(error(|o| o.method = Some("get".to_owned())), @"
    the method `get` has small letters, which servers do not take for large ones
    hint: write for example `PUT`
    ");
    insta::assert_snapshot!(error(|o| o.method = Some("GET /".to_owned())), @"
    the method `GET /` cannot be sent
    hint: write for example `PUT`
    ");
    insta::assert_snapshot!(error(|o| o.method = Some("CONNECT".to_owned())), @"
    the method `CONNECT` asks for a tunnel
    hint: to go through a proxy, name it as one
    ");
    insta::assert_snapshot!(error(|o| o.statuses = Some("ok".to_owned())), @"expected statuses: `ok` is no status; write for example `200`, `300-399` or `2xx`, with commas between several");
    insta::assert_snapshot!(error(|o| o.stop_statuses = Some("99".to_owned())), @"statuses to stop at: `99` is no status; write for example `200`, `300-399` or `2xx`, with commas between several");
    insta::assert_snapshot!(error(|o| o.timeout = Some("0s".to_owned())), @"
    timeout: `0s` is no time at all
    hint: write for example `10s`
    ");
    insta::assert_snapshot!(error(|o| o.connect_timeout = Some("soon".to_owned())), @"timeout: `soon` is not a duration; write for example `30s`, `1m30s` or `100ms`");
    insta::assert_snapshot!(error(|o| o.json_is = owned(&["a"])), @"`a` is no check of JSON; write a JSON pointer and a value, for example `/items/0/name = Ana`");
}

#[test]
fn requests_are_mixed_by_their_weights() {
    let weighted = |weights: [u32; 2]| {
        let recorded = weights.map(|weight| Recorded {
            host: None,
            method: "GET".to_owned(),
            target: format!("/{weight}"),
            headers: Vec::new(),
            body: None,
            weight,
        });
        options("http://h/").resolve_recorded(&recorded).unwrap().weighted()
    };
    assert_eq!(weighted([3, 1]), [0, 0, 0, 1]);
    let places = weighted([4_000_000_000, 1]);
    assert_eq!((places.len(), places.last()), (10_000, Some(&1)));
}

#[test]
fn a_seed_sends_what_it_always_sent() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("people.csv");
    std::fs::write(&file, "name,age\nAna,3\nBob,4\nCid,5\n").unwrap();
    let text = "/{random:1:99}?n={name}&a={age}&r={random:1:99}&o={random:1:999}&i={seq}";
    let of_options = RequestOptions {
        body: Some("{uuid} {name}".to_owned()),
        data: Some(DataOptions { file, format: None, pick: Pick::Random }),
        seed: 7,
        ..options(&format!("http://localhost{text}"))
    };
    let scenarios = folder.path().join("s.toml");
    let feeder = "[[feeder]]\nname = 'p'\nfile = 'people.csv'\npick = 'random'\n";
    let step = format!(
        "[[scenario]]\nname = 'a'\nfeeder = 'p'\n[[scenario.step]]\nname = 'b'\nrequest = 'POST {text}'\nbody = '{{uuid}} {{name}}'\n"
    );
    std::fs::write(&scenarios, format!("{feeder}{step}")).unwrap();
    let to = RequestOptions { seed: 7, ..options("http://localhost/") };
    let of_file = to.resolve_scenarios(&scenarios, &[]).unwrap();
    let of_options = of_options.resolve().unwrap();
    let lines = (0..3).flat_map(|row| [&of_options, &of_file].map(|requests| sent(requests, row)));
    let lines: Vec<String> = lines.map(|(target, body)| format!("{target} {body}")).collect();
    // A file numbers its drawn values without the columns, options with them.
    insta::assert_snapshot!(lines.join("\n"), @"
    /84?n=Cid&a=5&r=84&o=396&i=0 398cf5c5-1c64-481a-b58a-42269db5a732 Cid
    /84?n=Ana&a=3&r=84&o=843&i=0 6567d7a2-43bf-4939-a650-bf19715582ab Ana
    /20?n=Bob&a=4&r=20&o=621&i=1 22810e1a-4759-4236-8573-36567e6c8936 Bob
    /20?n=Bob&a=4&r=20&o=488&i=1 9f1d7da7-7125-486b-a80c-919a7cc6085e Bob
    /29?n=Ana&a=3&r=29&o=944&i=2 098c23a7-c16c-450b-94d2-494f14517dac Ana
    /29?n=Bob&a=4&r=29&o=503&i=2 f1c800fb-cb2e-4e81-8439-53390b8af26f Bob
    ");
}
