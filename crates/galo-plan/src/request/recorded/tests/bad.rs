//! What is no recording, or hardly one.

use std::path::PathBuf;

use super::{Recording, all, refused, told};

#[test]
fn a_file_of_another_kind_is_refused_with_the_formats_that_galo_knows() {
    insta::assert_snapshot!(refused("a.txt", "x"), @r#"
`a.txt` is no recording that galo knows
hint: galo reads HAR (.har), JSON lines (.jsonl), .http, lines of curl (.curl) and access logs (.log: common, combined, JSON), each packed by gzip too
"#);
    assert!(refused("a", "").contains("is no recording that galo knows"));
    assert!(refused("a.json", "{\"openapi\": \"3.1.0\"}").contains("galo reads HAR"));
    assert!(
        Recording::read(&PathBuf::from("/no/such.har"), None)
            .unwrap_err()
            .to_string()
            .starts_with("cannot read")
    );
}

#[test]
fn a_file_of_unknown_extension_is_known_by_what_is_in_it() {
    let har = r#" {"log": {"entries": [{"request": {"method": "GET", "url": "/a"}}]}}"#;
    for (text, request) in [
        (har, "GET /a x1 |  | -"),
        (&har.replace(": ", ":\n"), "GET /a x1 |  | -"),
        ("{\"url\": \"/a\"}\n", "GET /a x1 |  | -"),
        ("#!/bin/sh\ncurl h/a -H Accept:\n", "GET /a x1 |  | -"),
        ("# a\nGET http://h/a\n", "GET /a x1 |  | -"),
        ("### one\nGET {{h}}/a\n@h=http://h\n", "GET /a x1 |  | -"),
        ("{\"method\":\"GET\",\"uri\":\"/a\",\"status\":200}", "GET /a x1 |  | -"),
        ("{\"msg\":\"up\"}\n{\"method\":\"GET\",\"uri\":\"/a\",\"status\":200}", "GET /a x1 |  | -"),
        ("h - - [x] \"\" 400 0\nh - - [x] \"GET /a HTTP/1.1\" 200 5", "GET /a x1 |  | -"),
    ] {
        let (requests, _) = told("a.json", text.as_bytes(), None).unwrap();
        assert_eq!(requests, [request], "{text}");
    }
}

#[test]
fn utf_16_and_marks_of_byte_order_are_read() {
    let line = "{\"url\": \"/a\", \"body\": \"é\"}\n";
    let wide =
        |order: fn(u16) -> [u8; 2], text: &str| text.encode_utf16().flat_map(order).collect::<Vec<u8>>();
    let marked = format!("\u{feff}{line}");
    for bytes in [
        line.as_bytes().to_vec(),
        marked.as_bytes().to_vec(),
        wide(u16::to_le_bytes, line),
        wide(u16::to_be_bytes, line),
        wide(u16::to_le_bytes, &marked),
        wide(u16::to_be_bytes, &marked),
    ] {
        assert_eq!(told("a.jsonl", &bytes, None).unwrap().0, ["POST /a x1 |  | é"]);
    }
}

#[test]
fn what_is_broken_in_the_middle_leaves_the_rest() {
    let entry = r#"{"request": {"method": "GET", "url": "/a"}}"#;
    let deep =
        format!(r#"{{"request": {{"method": "GET", "url": {}1{}}}}}"#, "[".repeat(9999), "]".repeat(9999));
    let har = |entries: &[&str]| format!(r#"{{"log": {{"entries": [{}]}}}}"#, entries.join(","));
    let (requests, said) = told("a.har", har(&[entry, &deep, "3", entry]).as_bytes(), None).unwrap();
    assert_eq!(requests, ["GET /a x2 |  | -"]);
    insta::assert_snapshot!(said, @"a.har: 2 of 4 left out: 2 cannot be read (entries 2, 3: `invalid type: sequence, expected a text`, `invalid type: integer `3`, expected struct Entry`)");
    let cut = har(&[entry, entry]);
    let (requests, said) = told("a.har", &cut.as_bytes()[..cut.len() - 9], None).unwrap();
    assert_eq!(requests, ["GET /a x1 |  | -"]);
    insta::assert_snapshot!(said, @"a.har: 1 of 2 left out: 1 cannot be read, nor what follows (entry 2: `EOF while parsing a value at line 1 column 102`)");
    let nul = format!("{{\"url\": \"/a\"}}\n{}\n{{\"url\": \"/b\\ud800\"}}\n{{\"url\": \"/a", "\0".repeat(5));
    let (requests, said) = told("a.jsonl", nul.as_bytes(), None).unwrap();
    assert_eq!(requests, ["GET /a x1 |  | -"]);
    insta::assert_snapshot!(said, @"a.jsonl: 3 of 4 left out: 3 cannot be read (lines 2, 3, 4: `expected value at line 1 column 1`, `unexpected end of hex escape at line 1 column 18`, `EOF while parsing a string at line 1 column 11`)");
    let latin = b"h - - [x] \"GET /a HTTP/1.1\" 200 5\nh - - [x] \"GET /\xfc HTTP/1.1\" 200 5\n";
    let (requests, said) = told("a.log", latin, None).unwrap();
    assert_eq!(requests, ["GET /a x1 |  | -"]);
    insta::assert_snapshot!(said, @"a.log: 1 of 2 left out: 1 is not whole in the file (line 2: `/�`)");
}

#[test]
fn secrets_in_addresses_are_not_told() {
    let text = "{\"url\": \"/a\"}\n{\"url\": \"ftp://ann:secret@h/?token=abc\"}\n";
    let (_, said) = told("a.jsonl", text.as_bytes(), None).unwrap();
    assert_eq!(said, "a.jsonl: 1 of 2 left out: 1 is no HTTP (line 2: `ftp://***@h/?token=***`)");
    assert_eq!(
        all("b.jsonl", "{\"url\": \"http://ann:a%3Ab@h/\"}"),
        ["GET / x1 | Authorization: Basic YW5uOmE6Yg== | -"]
    );
}

proptest::proptest! {
    #[test]
    fn any_text_is_a_recording_or_an_error_with_its_line(text in "(?s).{0,200}", kind in 0..6_usize) {
        let name = ["a.jsonl", "a.har", "a.http", "a.curl", "a.log", "a"][kind];
        if let Err(error) = told(name, text.as_bytes(), None) {
            proptest::prop_assert!(error.contains(name), "{error}");
        }
    }
}
