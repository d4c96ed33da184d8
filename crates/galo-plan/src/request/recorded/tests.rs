mod back;
mod bad;
mod curl;
mod har;
mod http_file;
mod log;

use std::path::{Path, PathBuf};

use super::*;
use crate::RequestOptions;

/// `METHOD target xWEIGHT | headers | body`.
fn line(request: &Recorded) -> String {
    let body = match request.body.as_deref().map(std::str::from_utf8) {
        None => "-".to_owned(),
        Some(Ok(text)) => text.to_owned(),
        Some(Err(_)) => format!("{:?}", request.body.as_deref().unwrap_or_default()),
    };
    let Recorded { method, target, weight, headers, .. } = request;
    let headers: Vec<String> = headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    format!("{method} {target} x{weight} | {} | {body}", headers.join(", "))
}

/// What a file of this name and these bytes holds: a line for each request, and what is told.
fn told(name: &str, bytes: &[u8], host: Option<&str>) -> Result<(Vec<String>, String), String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let recording = Recording::read(&path, host)
        .map_err(|error| error.to_string().replace(&path.display().to_string(), name))?;
    Ok((recording.requests.iter().map(line).collect(), recording.remarks(name).join("\n")))
}

/// The requests of a file of which nothing is left out.
fn all(name: &str, text: &str) -> Vec<String> {
    let (requests, told) = told(name, text.as_bytes(), None).unwrap();
    assert_eq!(told, "", "{text}");
    requests
}

fn refused(name: &str, text: &str) -> String {
    told(name, text.as_bytes(), None).unwrap_err()
}

/// Where an input lies, e.g. `har/three-hosts.har`.
fn case(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/request/recorded/tests/cases").join(name)
}

/// All that is read from an input: requests, then what is told.
fn read_case(name: &str, host: Option<&str>) -> String {
    let path = case(name);
    let recording = Recording::read(&path, host).unwrap();
    let lines: Vec<String> = recording.requests.iter().map(line).chain(recording.remarks(name)).collect();
    lines.join("\n").replace('\r', "\\r")
}

#[test]
fn json_lines_say_what_is_not_usual() {
    let text = r#"{"url": "http://h:1/a?b#c", "weight": 3}
{"path": "/a?b"}

{"url": "/p", "body": {"x": 1}}
{"method": "PUT", "url": "/p", "headers": {"Content-Type": "text/plain", "Host": "h"}, "body": "t"}
{"method": "PUT", "url": "/q", "body-base64": "AP8="}
"#;
    assert_eq!(
        all("a.jsonl", text),
        [
            "GET /a?b x3 |  | -",
            "GET /a?b x1 |  | -",
            r#"POST /p x1 | Content-Type: application/json | {"x":1}"#,
            "PUT /p x1 | Content-Type: text/plain | t",
            "PUT /q x1 |  | [0, 255]"
        ]
    );
    assert!(refused("a.jsonl", "{}").starts_with("a.jsonl:1: missing field `url`"));
    assert!(refused("a.jsonl", r#"{"url": "/", "weight": 0}"#).contains("the weight is 0"));
}

#[test]
fn a_body_is_sent_as_it_stands_whatever_it_looks_like() {
    let one = RequestOptions {
        urls: vec!["http://h:1/x".to_owned()],
        headers: vec!["X: new".to_owned()],
        ..RequestOptions::default()
    };
    for body in [&b"{seq}"[..], b"@/etc/passwd", b"base64:AAEC", b"random:5", b"text:", b"\xff{seq}\0"] {
        let request = Recorded {
            host: None,
            method: "POST".to_owned(),
            target: "/a?{b}".to_owned(),
            headers: [("x", "old"), ("Y", "{seq}")].map(|(n, v)| (n.to_owned(), v.to_owned())).to_vec(),
            body: Some(body.to_vec()),
            weight: 1,
        };
        let requests = one.resolve_recorded(&[request]).unwrap();
        let step = &requests.scenarios[0].steps[0];
        assert_eq!(step.body.as_ref().unwrap().constant(), Some(body));
        assert_eq!(step.target.constant(), Some(&b"/a?{b}"[..]));
        let headers: Vec<_> =
            step.headers.iter().map(|h| (h.name.as_str(), h.values[0].constant())).collect();
        assert_eq!(headers, [("Y", Some(&b"{seq}"[..])), ("X", Some(&b"new"[..]))]);
    }
}

#[test]
fn of_several_hosts_the_most_frequent_is_taken_or_the_one_asked_for() {
    insta::assert_snapshot!(read_case("har/three-hosts.har", None), @r#"
GET /ok x1 |  | -
GET /list x1 |  | -
har/three-hosts.har: 2 of 4 left out: 2 are of other hosts (entries 3, 4: `cdn.test`, `stats.test`)
har/three-hosts.har: what went to `shop.test` is sent; --host takes another
"#);
    insta::assert_snapshot!(read_case("har/three-hosts.har", Some("CDN.test")), @r#"
GET /s/404/lib.js x1 |  | -
har/three-hosts.har: 3 of 4 left out: 3 are of other hosts (entries 1, 2, 4: `shop.test`, `stats.test`)
har/three-hosts.har: what went to `CDN.test` is sent; --host takes another
"#);
    let error = Recording::read(&case("har/three-hosts.har"), Some("no.test")).unwrap_err().to_string();
    let error = error.replace(&case("").display().to_string(), "");
    insta::assert_snapshot!(error, @r#"
`har/three-hosts.har` has no request of the host `no.test`
hint: it has shop.test (2), cdn.test (1), stats.test (1)
"#);
    let error = told("a.jsonl", b"{\"url\": \"/a\"}", Some("h")).unwrap_err();
    assert!(error.ends_with("\nhint: it names no host: leave --host out"), "{error}");
    let text = "{\"url\": \"http://a:3000/x\"}\n{\"url\": \"http://a/x\"}\n{\"url\": \"https://a:443/y\"}\n{\"url\": \"/z\"}\n";
    let (requests, told) = told("a.jsonl", text.as_bytes(), Some("a")).unwrap();
    assert_eq!((requests.len(), told.as_str()), (4, ""), "{requests:?}");
    let (requests, _) = super::tests::told("a.jsonl", text.as_bytes(), None).unwrap();
    assert_eq!(requests, ["GET /x x1 |  | -", "GET /y x1 |  | -", "GET /z x1 |  | -"]);
}

#[test]
fn logs_and_archives_say_when_requests_came() {
    let arrivals = |name: &str, text: &str| {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        let arrivals = Recording::read(&file, None).unwrap().arrivals;
        arrivals.iter().map(|a| (a.at_ns / 1_000_000, a.request)).collect::<Vec<_>>()
    };
    let line = |time: &str, path: &str| format!("h - - [{time}] \"GET {path} HTTP/1.1\" 200 5\n");
    let log = [line("21/Nov/2026:22:00:01 +0000", "/a"), line("21/Nov/2026:23:00:00 +0100", "/b")].concat();
    assert_eq!(arrivals("a.log", &log), [(0, 1), (1_000, 0)]);
    assert_eq!(arrivals("a.log", &(log + &line("yesterday", "/a"))), []);
    let many =
        |count: usize| arrivals("a.log", &line("21/Nov/2026:10:00:00 +0000", "/a").repeat(count)).len();
    assert_eq!([many(1_000), many(1_001)], [1_000, 0], "times of more than there is room for");
    let entry = |time: &str| {
        format!(r#"{{"startedDateTime": "{time}", "request": {{"method": "GET", "url": "/a"}}}}"#)
    };
    let entries = [entry("2026-11-21T22:00:00.250Z"), entry("2026-11-21T23:00:01+01:00")].join(",");
    assert_eq!(arrivals("a.har", &format!(r#"{{"log": {{"entries": [{entries}]}}}}"#)), [(0, 0), (750, 0)]);
    let json = r#"{"ts":1759521585.25,"method":"GET","uri":"/a","status":200}
{"time":"2025-10-03T19:59:46Z","method":"GET","uri":"/b","status":200}
{"msec":"1759521586.500","method":"GET","uri":"/a","status":200}
{"time_local":"03/Oct/2025:21:59:47 +0200","method":"GET","uri":"/b","status":200}
"#;
    assert_eq!(arrivals("a.json", json), [(0, 0), (750, 1), (1_250, 0), (1_750, 1)]);
}

#[test]
fn of_too_many_requests_the_most_frequent_are_kept_in_their_order() {
    let rare: String = (0..300).map(|n| format!("{{\"url\": \"/{n}\"}}\n")).collect();
    let text = format!("{rare}{{\"url\": \"/299\", \"weight\": 5}}\n");
    let (requests, told) = told("a.jsonl", text.as_bytes(), None).unwrap();
    assert_eq!(requests.len(), MAX_REQUESTS);
    assert_eq!((requests[0].as_str(), requests[254].as_str()), ("GET /0 x1 |  | -", "GET /299 x6 |  | -"));
    insta::assert_snapshot!(told, @"a.jsonl: 45 of 305 left out: 45 are not among the 255 most frequent (lines 255, 256, 257, ...)");
}
