use std::path::PathBuf;

use super::*;

/// What a file of this name and text holds: `METHOD target xWEIGHT | headers | body` for each request.
fn read(name: &str, text: &str) -> Result<(Vec<String>, u64), String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    let told = |r: &Recorded| {
        let body = r.body.as_deref().unwrap_or("-");
        format!("{} {} x{} | {} | {body}", r.method, r.target, r.weight, r.headers.join(", "))
    };
    let recording = Recording::read(&path)
        .map_err(|error| error.to_string().replace(&path.display().to_string(), name))?;
    Ok((recording.requests.iter().map(told).collect(), recording.left_out))
}

#[test]
fn json_lines_say_what_is_not_usual() {
    let text = r#"{"url": "http://h:1/a?b#c", "weight": 3}
{"path": "/a?b"}

{"url": "/p", "body": {"x": 1}}
{"method": "PUT", "url": "/p", "headers": {"Content-Type": "text/plain", "Host": "h"}, "body": "t"}
"#;
    let (requests, _) = read("a.jsonl", text).unwrap();
    assert_eq!(
        requests,
        [
            "GET /a?b x4 |  | -",
            r#"POST /p x1 | Content-Type: application/json | {"x":1}"#,
            "PUT /p x1 | Content-Type: text/plain | t"
        ]
    );
    assert!(read("a.jsonl", "{}").unwrap_err().starts_with("a.jsonl:1: missing field `url`"));
    assert!(read("a.jsonl", r#"{"url": "/", "weight": 0}"#).unwrap_err().contains("the weight is 0"));
}

#[test]
fn curl_lines_are_read_as_browsers_copy_them() {
    let text = "curl 'http://h/a' -H 'Accept: */*' \\\n  -H 'User-Agent: x' --compressed\n# no\n\n\
                $ curl -sS -X PUT h:3000/b?c -d a=1 -d b=2\ncurl --json '{\"x\": 1}' --url=http://h\ncurl -I http://h/i\n";
    let (requests, _) = read("a.curl", text).unwrap();
    assert_eq!(
        requests,
        [
            "GET /a x1 | Accept: */* | -",
            "PUT /b?c x1 | Content-Type: application/x-www-form-urlencoded | a=1&b=2",
            "POST / x1 | Content-Type: application/json | {\"x\": 1}",
            "HEAD /i x1 |  | -"
        ]
    );
    for (text, told) in [
        ("wget http://h/", "no line of curl"),
        ("\ncurl --ntlm http://h/", "a.curl:2: galo does not know curl's `--ntlm`"),
        ("curl -d @file http://h/", "the body is in a file"),
        ("curl -H", "-H has no value"),
        ("curl 'http://h/", "missing closing quote"),
        ("curl -s", "no address"),
    ] {
        assert!(read("a.curl", text).unwrap_err().contains(told), "{text}");
    }
}

#[test]
fn an_archive_of_a_browser_is_read() {
    let text = r#"{"log": {"entries": [
        {"request": {"method": "GET", "url": "https://h/a", "headers": [{"name": ":authority", "value": "h"}, {"name": "X", "value": "y"}]}},
        {"request": {"method": "POST", "url": "https://h/b", "headers": [], "postData": {"mimeType": "t", "text": "x"}}}]}}"#;
    assert_eq!(read("a.har", text).unwrap().0, ["GET /a x1 | X: y | -", "POST /b x1 |  | x"]);
    assert!(read("a.har", "{\n\"log\": 3}").unwrap_err().starts_with("a.har:2: "));
}

#[test]
fn http_files_are_parted_by_three_hashes() {
    let text = "# a comment\nGET http://h/a HTTP/1.1\nX: y\n\n### next\n// another\nPOST /b\nContent-Type: text/plain\n\nline one\n\nline two\n###\nhttp://h/c\n";
    assert_eq!(
        read("a.http", text).unwrap().0,
        [
            "GET /a x1 | X: y | -",
            "POST /b x1 | Content-Type: text/plain | line one\n\nline two",
            "GET /c x1 |  | -"
        ]
    );
    assert!(
        read("a.http", "###\n\nGET {{host}}/a")
            .unwrap_err()
            .starts_with("a.http:3: `{{host}}/a` holds a variable")
    );
    assert!(read("a.http", "get it now").unwrap_err().contains("begins no request"));
}

#[test]
fn an_access_log_gives_what_was_asked_how_often() {
    let line = |request: &str| {
        format!("127.0.0.1 - - [21/Nov/2026:22:00:00 +0000] \"{request}\" 200 5 \"-\" \"agent\"\n")
    };
    let text =
        [line("GET /a HTTP/1.1"), line("POST /b HTTP/1.1"), line("GET /a HTTP/1.1"), line("\\x16\\x03")]
            .concat();
    assert_eq!(read("access.log", &text).unwrap(), (vec!["GET /a x2 |  | -".to_owned()], 2));
    assert!(read("access.log", "hello").unwrap_err().starts_with("access.log:1: no line of an access log"));
    assert!(read("access.log", &line("POST /b HTTP/1.1")).unwrap_err().contains("holds no request"));
}

#[test]
fn logs_and_archives_say_when_requests_came() {
    let arrivals = |name: &str, text: &str| {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        let arrivals = Recording::read(&file).unwrap().arrivals;
        arrivals.iter().map(|a| (a.at_ns / 1_000_000, a.request)).collect::<Vec<_>>()
    };
    let line = |time: &str, path: &str| format!("h - - [{time}] \"GET {path} HTTP/1.1\" 200 5\n");
    let log = [line("21/Nov/2026:22:00:01 +0000", "/a"), line("21/Nov/2026:23:00:00 +0100", "/b")].concat();
    assert_eq!(arrivals("a.log", &log), [(0, 1), (1_000, 0)]);
    assert_eq!(arrivals("a.log", &(log + &line("yesterday", "/a"))), []);
    let entry = |time: &str| {
        format!(r#"{{"startedDateTime": "{time}", "request": {{"method": "GET", "url": "/a"}}}}"#)
    };
    let entries = [entry("2026-11-21T22:00:00.250Z"), entry("2026-11-21T23:00:01+01:00")].join(",");
    assert_eq!(arrivals("a.har", &format!(r#"{{"log": {{"entries": [{entries}]}}}}"#)), [(0, 0), (750, 0)]);
}

#[test]
fn of_too_many_requests_the_most_frequent_are_kept_in_their_order() {
    let rare: String = (0..300).map(|n| format!("{{\"url\": \"/{n}\"}}\n")).collect();
    let text = format!("{rare}{{\"url\": \"/299\", \"weight\": 5}}\n");
    let (requests, left_out) = read("a.jsonl", &text).unwrap();
    assert_eq!((requests.len(), left_out), (MAX_REQUESTS, 45));
    assert_eq!((requests[0].as_str(), requests[254].as_str()), ("GET /0 x1 |  | -", "GET /299 x6 |  | -"));
}

#[test]
fn a_file_of_another_kind_is_refused() {
    assert!(read("a.txt", "x").unwrap_err().contains("has no known extension"));
    assert!(
        Recording::read(&PathBuf::from("/no/such.har")).unwrap_err().to_string().starts_with("cannot read")
    );
}

proptest::proptest! {
    #[test]
    fn any_text_is_a_recording_or_an_error_with_its_line(text in "(?s).{0,200}", kind in 0..5_usize) {
        let name = ["a.jsonl", "a.har", "a.http", "a.curl", "a.log"][kind];
        if let Err(error) = read(name, &text) {
            proptest::prop_assert!(error.contains(name), "{error}");
        }
    }
}
