//! What galo's own model says, written out in each format, comes back.

use base64::Engine as _;
use proptest::prelude::*;
use serde_json::json;

use super::super::Recorded;
use super::Recording;
use crate::operands::shell_word;
use crate::request::body::BASE64;

/// A recording as text or bytes, with the files beside it.
type Written = Vec<(String, Vec<u8>)>;

fn header() -> impl Strategy<Value = (String, String)> {
    ("X-[A-Za-z0-9]{1,6}", "([!-~é]([ -~é]{0,12}[!-~é])?)?")
}

fn body() -> impl Strategy<Value = Option<Vec<u8>>> {
    prop_oneof![
        Just(None),
        "[ -~é😀\t\r\n]{1,30}".prop_map(|text| Some(text.into_bytes())),
        prop::collection::vec(any::<u8>(), 1..30).prop_map(Some),
    ]
}

/// Requests with headers and bodies; no two are the same.
fn requests() -> impl Strategy<Value = Vec<Recorded>> {
    let one = (
        "GET|POST|PUT|PATCH|DELETE|OPTIONS|M-SEARCH",
        "/[!-\"$-~]{0,20}",
        prop::collection::vec(header(), 0..4),
        body(),
    );
    let one = one.prop_map(|(method, target, headers, body)| Recorded {
        host: None,
        method,
        target,
        headers,
        body,
        weight: 1,
    });
    prop::collection::vec(one, 1..5).prop_map(|mut requests| {
        for (number, request) in requests.iter_mut().enumerate() {
            request.target = format!("/{number}{}", request.target);
            let mut names = Vec::new();
            request.headers.retain(|(name, _)| {
                let name = name.to_ascii_lowercase();
                let is_new = !names.contains(&name);
                names.push(name);
                is_new
            });
            request.headers.sort();
        }
        requests
    })
}

fn text(body: &[u8]) -> Option<&str> {
    std::str::from_utf8(body).ok()
}

fn pairs(request: &Recorded) -> impl Iterator<Item = (&str, &str)> {
    request.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()))
}

fn as_har(requests: &[Recorded]) -> Written {
    let entry = |request: &Recorded| {
        let headers: Vec<_> =
            pairs(request).map(|(name, value)| json!({"name": name, "value": value})).collect();
        let mut entry = json!({"method": request.method, "url": format!("https://h.test{}", request.target), "headers": headers});
        match request.body.as_deref() {
            None => {}
            Some(body) => match text(body) {
                Some(text) => entry["postData"] = json!({"mimeType": "", "text": text}),
                None => {
                    entry["postData"] =
                        json!({"mimeType": "", "text": BASE64.encode(body), "encoding": "base64"});
                }
            },
        }
        json!({"request": entry, "response": {"content": {"text": "x"}}})
    };
    let entries: Vec<_> = requests.iter().map(entry).collect();
    vec![("a.har".to_owned(), json!({"log": {"entries": entries}}).to_string().into_bytes())]
}

fn as_lines(requests: &[Recorded]) -> Written {
    let line = |request: &Recorded| {
        let headers: serde_json::Map<_, _> =
            pairs(request).map(|(name, value)| (name.to_owned(), value.into())).collect();
        let mut line = json!({"method": request.method, "url": request.target, "headers": headers});
        match request.body.as_deref() {
            None => {}
            Some(body) => match text(body) {
                Some(text) => line["body"] = text.into(),
                None => line["body-base64"] = BASE64.encode(body).into(),
            },
        }
        format!("{line}\n")
    };
    vec![("a.jsonl".to_owned(), requests.iter().map(line).collect::<String>().into_bytes())]
}

/// As Chrome writes what is not plain.
fn dollar_quoted(text: &str) -> String {
    let escaped = |c: char| match c {
        '\'' | '\\' => format!("\\{c}"),
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '!' => "\\u0021".to_owned(),
        c => c.to_string(),
    };
    format!("$'{}'", text.chars().map(escaped).collect::<String>())
}

fn as_curl(requests: &[Recorded]) -> Written {
    let mut files = Vec::new();
    let mut lines = String::new();
    for (number, request) in requests.iter().enumerate() {
        let quoted = |text: &str| if number % 2 == 0 { dollar_quoted(text) } else { shell_word(text) };
        let url = quoted(&format!("http://h.test{}", request.target));
        lines.push_str(&format!(
            "curl {url} -X {} -g --path-as-is \\\n  -H Accept: -H Content-Type:",
            request.method
        ));
        for (name, value) in pairs(request) {
            let line = if value.is_empty() { format!("{name};") } else { format!("{name}: {value}") };
            lines.push_str(&format!(" \\\n  -H {}", quoted(&line)));
        }
        if let Some(body) = &request.body {
            match text(body).filter(|text| !text.contains('\0')) {
                Some(text) => lines.push_str(&format!(" --data-raw {}", quoted(text))),
                None => {
                    lines.push_str(&format!(" --data-binary @{number}.bin"));
                    files.push((format!("{number}.bin"), body.clone()));
                }
            }
        }
        lines.push_str(if number % 3 == 0 { "; " } else { "\n" });
    }
    files.insert(0, ("a.curl".to_owned(), lines.into_bytes()));
    files
}

/// Whether a body can stand in a `.http` file itself.
fn is_plain(text: &str) -> bool {
    let begins_otherwise = |line: &str| line.starts_with(['<', '>', '#']);
    text.trim_end() == text
        && !text.contains("{{")
        && !text.contains('\r')
        && !text.lines().any(begins_otherwise)
}

fn as_http(requests: &[Recorded]) -> Written {
    let mut files = Vec::new();
    let mut lines = String::from("@open = {{\n@host = h.test\n");
    for (number, request) in requests.iter().enumerate() {
        lines.push_str(&format!("###\n{} http://{{{{host}}}}{} HTTP/1.1\n", request.method, request.target));
        pairs(request).for_each(|(name, value)| lines.push_str(&format!("{name}: {value}\n")));
        match request.body.as_deref() {
            None => {}
            Some(body) => match text(body).filter(|text| is_plain(text)) {
                Some(text) => lines.push_str(&format!("\n{text}\n\n<> answer.json\n")),
                None => {
                    lines.push_str(&format!("\n< ./{number}.bin\n"));
                    files.push((format!("{number}.bin"), body.to_vec()));
                }
            },
        }
    }
    files.insert(0, ("a.http".to_owned(), lines.into_bytes()));
    files
}

fn read(files: &Written) -> (Vec<Recorded>, u64) {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    let recording = Recording::read(&folder.path().join(&files[0].0), None).unwrap();
    let mut requests = recording.requests;
    for request in &mut requests {
        request.headers.sort();
        request.host = None;
    }
    (requests, recording.left_out.count())
}

/// Bytes as nginx escapes them in its log.
fn as_nginx(target: &[u8]) -> String {
    let escaped = |b: &u8| match b {
        b'"' | b'\\' | 0..32 | 127.. => format!("\\x{b:02X}"),
        b => char::from(*b).to_string(),
    };
    target.iter().map(escaped).collect()
}

fn as_apache(target: &[u8]) -> String {
    let escaped = |b: &u8| match b {
        b'"' | b'\\' => format!("\\{}", char::from(*b)),
        0..32 | 127.. => format!("\\x{b:02x}"),
        b => char::from(*b).to_string(),
    };
    target.iter().map(escaped).collect()
}

proptest! {
    #[test]
    fn archives_come_back(requests in requests()) {
        prop_assert_eq!(read(&as_har(&requests)), (requests, 0));
    }

    #[test]
    fn lines_of_json_come_back(requests in requests()) {
        prop_assert_eq!(read(&as_lines(&requests)), (requests, 0));
    }

    #[test]
    fn lines_of_curl_come_back(requests in requests()) {
        prop_assert_eq!(read(&as_curl(&requests)), (requests, 0));
    }

    #[test]
    fn http_files_come_back(requests in requests()) {
        let has_place = |text: &String| text.contains("{{");
        prop_assume!(!requests.iter().any(|r| has_place(&r.target) || r.headers.iter().any(|(_, value)| has_place(value))));
        prop_assert_eq!(read(&as_http(&requests)), (requests, 0));
    }

    #[test]
    fn access_logs_come_back(requests in prop::collection::vec(("GET|HEAD|OPTIONS", "/[!-\"$-~é]{0,20}"), 1..5), kind in 0..5_usize) {
        let line = |(method, target): &(String, String)| {
            let bytes = target.as_bytes();
            let plain = |target: String| format!("192.0.2.1 - - [21/Nov/2026:22:00:00 +0000] \"{method} {target} HTTP/1.1\" 200 5 \"-\" \"a \\x22\"\n");
            match kind {
                0 => plain(as_nginx(bytes)),
                1 => plain(as_apache(bytes)),
                2 => format!("h.test:443 {}", plain(as_apache(bytes))),
                3 => format!("{}\n", json!({"ts": 1.5, "request": {"method": method, "uri": target, "host": "h.test"}, "status": 200})),
                _ => format!("{}\n", json!({"RequestMethod": method, "RequestPath": target, "RequestHost": "h.test", "DownstreamStatus": 200})),
            }
        };
        let text: String = requests.iter().map(line).collect();
        let (read, left_out) = read(&vec![("a.log".to_owned(), text.into_bytes())]);
        let mut expected: Vec<Recorded> = Vec::new();
        for (method, target) in &requests {
            let target = target.replace('é', "%C3%A9");
            match expected.iter_mut().find(|known| (&known.method, &known.target) == (method, &target)) {
                Some(known) => known.weight += 1,
                None => expected.push(Recorded { host: None, method: method.clone(), target, headers: Vec::new(), body: None, weight: 1 }),
            }
        }
        prop_assert_eq!((read, left_out), (expected, 0));
    }
}
