//! Archives as browsers write them.

use super::{all, read_case, refused, told};

/// An archive with these requests.
fn archive(requests: &[&str]) -> String {
    let entries: Vec<String> = requests.iter().map(|r| format!(r#"{{"request": {r}}}"#)).collect();
    format!(r#"{{"log": {{"entries": [{}]}}}}"#, entries.join(","))
}

fn read(requests: &[&str]) -> String {
    let (requests, told) = told("a.har", archive(requests).as_bytes(), None).unwrap();
    requests.into_iter().chain([told]).collect::<Vec<_>>().join("\n").replace('\r', "\\r")
}

#[test]
fn an_archive_of_a_browser_is_read() {
    let text = r#"{"log": {"entries": [
        {"request": {"method": "GET", "url": "https://h/a", "headers": [{"name": ":authority", "value": "h"}, {"name": "X", "value": "y"}]}},
        {"request": {"method": "POST", "url": "https://h/b", "headers": [], "postData": {"mimeType": "t", "text": "x"}}}]}}"#;
    assert_eq!(all("a.har", text), ["GET /a x1 | X: y | -", "POST /b x1 |  | x"]);
    assert!(refused("a.har", "{\n\"log\": 3}").starts_with("a.har:2: "));
}

#[test]
fn inputs_of_public_reports_are_read_rightly() {
    insta::assert_snapshot!(read_case("har/form-without-text.har", None), @r#"
POST /login x1 | Content-Type: application/x-www-form-urlencoded | user=ann&word=a+b%26c
POST /login x1 | Content-Type: application/x-www-form-urlencoded | user=bob
"#);
    insta::assert_snapshot!(read_case("har/other-schemes.har", None), @r#"
GET /x x1 |  | -
har/other-schemes.har: 5 of 6 left out: 5 are no HTTP (entries 2, 3, 4, ...: `wss://a.test/socket?EIO=4`, `data:image/png;base64,AAAA`, `blob:http://a.test/1-2`)
"#);
    insta::assert_snapshot!(read_case("har/odd-header.har", None), @r#"
GET /x x1 |  | -
har/odd-header.har: 1 of 2 left out: 1 has an impossible header (entry 2: `Accept;charset=UTF-8`)
"#);
    insta::assert_snapshot!(read_case("har/base64-body.har", None), @"POST /up x1 | Content-Type: application/octet-stream | [0, 1, 2, 3, 4, 255]");
}

#[test]
fn a_form_in_parts_is_made_of_its_fields_unless_a_files_bytes_are_missing() {
    let part = r#""params": [{"name": "a\"b", "value": "1"}, {"name": "f", "value": "x", "fileName": "f.txt", "contentType": "text/plain"}]"#;
    let named = format!(
        r#"{{"method": "POST", "url": "http://h/a", "headers": [{{"name": "content-type", "value": "multipart/form-data; boundary=W"}}], "postData": {{"mimeType": "multipart/form-data; boundary=W", "text": "", {part}}}}}"#
    );
    let missing = named.replace(r#""value": "x", "#, "");
    insta::assert_snapshot!(read(&[&named, &missing]), @r#"
POST /a x1 | Content-Type: multipart/form-data; boundary=W | --W\r
Content-Disposition: form-data; name="a%22b"\r
\r
1\r
--W\r
Content-Disposition: form-data; name="f"; filename="f.txt"\r
Content-Type: text/plain\r
\r
x\r
--W--\r

a.har: 1 of 2 left out: 1 is not whole in the file (entry 2: `what is in f.txt`)
"#);
    let unnamed = named.replace("; boundary=W", "");
    insta::assert_snapshot!(read(&[&unnamed]), @r#"
POST /a x1 | Content-Type: multipart/form-data; boundary=------------------------f42dfe179b05e950 | --------------------------f42dfe179b05e950\r
Content-Disposition: form-data; name="a%22b"\r
\r
1\r
--------------------------f42dfe179b05e950\r
Content-Disposition: form-data; name="f"; filename="f.txt"\r
Content-Type: text/plain\r
\r
x\r
--------------------------f42dfe179b05e950--\r
"#);
}

#[test]
fn a_body_that_is_not_whole_is_told() {
    let post = |headers: &str, data: &str| {
        format!(r#"{{"method": "POST", "url": "http://h/a", "headers": [{headers}], "bodySize": 4{data}}}"#)
    };
    let length = |n: u32| format!(r#"{{"name": "Content-Length", "value": "{n}"}}"#);
    let entries = [
        post("", ""),
        post(&length(9), r#", "postData": {"mimeType": "text/plain", "text": "abcd"}"#),
        post("", r#", "postData": {"mimeType": "text/plain", "text": "ab\ud800"}"#),
        post("", ", \"postData\": {\"mimeType\": \"image/png\", \"text\": \"\u{fffd}PNG\"}"),
        post("", r#", "postData": {"mimeType": "image/png", "text": "!", "encoding": "base64"}"#),
        post("", r#", "postData": {"mimeType": "image/png", "text": "x", "encoding": "rot13"}"#),
        post(&length(4), r#", "postData": {"mimeType": "text/plain", "text": "abcd"}"#),
    ];
    let entries: Vec<&str> = entries.iter().map(String::as_str).collect();
    insta::assert_snapshot!(read(&entries), @r#"
POST /a x1 | Content-Type: text/plain | abcd
a.har: 6 of 7 left out: 5 are not whole in the file (entries 1, 2, 3, ...: `it has no body`, `its body has 4 of 9 bytes`, `its body is no text`), 1 asks for what galo does not know (entry 6: `encoding rot13`)
"#);
}

#[test]
fn null_and_missing_fields_methods_and_cookies() {
    insta::assert_snapshot!(read(&[
        r#"{"method": "GET", "url": "http://h/a", "headers": null, "cookies": null, "postData": null, "bodySize": null, "queryString": null}"#,
        r#"{"method": "GET", "url": "http://h/b", "cookies": [{"name": "a", "value": "1"}, {"name": "b", "value": "2"}], "queryString": [{"name": "q", "value": "x y"}]}"#,
        r#"{"method": "GET", "url": "http://h/c?q=1#f", "headers": [{"name": "cookie", "value": "a=1"}, {"name": "X", "value": null}, {"name": "cookie", "value": "b=2"}], "cookies": [{"name": "a", "value": "1"}], "queryString": [{"name": "q", "value": "1"}]}"#,
        r#"{"method": "", "url": "http://h/d"}"#,
        r#"{"method": null, "url": "http://h/e"}"#,
        r#"{"method": "patch", "url": "http://h/f"}"#,
        r#"{"method": "CONNECT", "url": "http://h/g"}"#,
        r#"{"method": "GET"}"#,
        r#"{"method": "GET", "url": "http://h/a b"}"#,
        r#"{"method": "GET", "url": "HTTP://H:80/ü?ü", "headers": [{"name": "Accept-Encoding", "value": "br"}, {"name": "User-Agent", "value": "Moz"}]}"#,
        r#"{"method": "GET", "url": "http://h/h", "headers": [{"name": "X", "value": "a\nb"}]}"#,
        r#"{"method": "GET", "url": "http://h/i", "headers": [{"name": "Upgrade", "value": "websocket"}]}"#,
        r#"{"method": 3, "url": "http://h/j"}"#,
        r#"[]"#,
    ]), @r#"
GET /a x1 |  | -
GET /b?q=x%20y x1 | Cookie: a=1; b=2 | -
GET /c?q=1 x1 | X: , Cookie: a=1; b=2 | -
GET /%C3%BC?%C3%BC x1 | User-Agent: Moz | -
a.har: 10 of 14 left out: 4 have methods that cannot be sent (entries 4, 5, 6, ...: `patch`), 3 have addresses that cannot be sent (entries 8, 9, 14: `/a b`), 1 has an impossible header (entry 11: `X`), 1 is no HTTP (entry 12: `Upgrade: websocket`), 1 cannot be read (entry 13: `invalid type: integer `3`, expected a text`)
a.har: 1 is sent with its address percent-encoded (entry 10), 1 is sent without its Accept-Encoding (answers come unpacked) (entry 10)
"#);
}
