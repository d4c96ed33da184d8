//! `.http` files.

use super::super::Recording;
use super::{all, line, read_case, refused, told};

fn read(text: &str) -> String {
    let (requests, told) = told("a.http", text.as_bytes(), None).unwrap();
    requests.into_iter().chain([told]).collect::<Vec<_>>().join("\n").replace('\r', "\\r")
}

#[test]
fn http_files_are_parted_by_three_hashes() {
    let text = "# a comment\nGET http://h/a HTTP/1.1\nX: y\n\n### next\n// another\nPOST /b\nContent-Type: text/plain\n\nline one\n\nline two\n###\nhttp://h/c\n";
    assert_eq!(
        all("a.http", text),
        [
            "GET /a x1 | X: y | -",
            "POST /b x1 | Content-Type: text/plain | line one\n\nline two",
            "GET /c x1 |  | -"
        ]
    );
    assert!(
        refused("a.http", "###\n\nGET {{host}}/a")
            .contains("1 has a variable without a value (line 3: `host`)")
    );
    assert!(refused("a.http", "get it now").starts_with("a.http:1: `get it now` begins no request"));
}

#[test]
fn inputs_of_public_reports_are_read_rightly() {
    insta::assert_snapshot!(read_case("http/body-from-file.http", None), @r#"POST /things x1 | Content-Type: application/json | {"a":1}"#);
    insta::assert_snapshot!(read_case("http/response-script.http", None), @r#"
GET /a x1 | Accept: */* | -
POST /b x1 | Content-Type: application/json | {"a": 1}
"#);
}

#[test]
fn variables_of_the_file_are_filled_in() {
    insta::assert_snapshot!(read(r#"@base = http://{{host}}/v1
@host=h.test
@token = a b

# @name login
POST {{base}}/login
Authorization: Bearer {{ token }}
Content-Type: application/json

{"a": {"b": {}}, "t": "{{token}}"}

### unknown
GET {{base}}/x?{{$guid}}

###
GET {{base}}/y
X: {{login.response.body.$.id}}

###
GET {{base}}/z?{{$datetime 'iso8601'}}

###
@loop = {{loop}}
GET {{base}}/{{loop}}
"#), @r#"
POST /v1/login x1 | Authorization: Bearer a b, Content-Type: application/json | {"a": {"b": {}}, "t": "a b"}
a.http: 4 of 5 left out: 4 have variables without a value (lines 13, 16, 20, ...: `$guid`, `login.response.body.$.id`, `$datetime 'iso8601'`)
"#);
}

#[test]
fn what_editors_know_is_read_or_told() {
    insta::assert_snapshot!(read(r#"< {%
  request.variables.set("a", "b")
%}
GET http://h/a
    ?b=c
    &d=e
# @no-log
// a comment
Accept: */*
> {%
  client.test("ok", function() {
  });
%}
<> 2026-01-01.200.json

###
POST http://h/form
Content-Type: application/x-www-form-urlencoded

a=1
&b=2&
c=3

>> out.json

### two ways to say who asks
GET http://h/b
Authorization: Basic ann secret
###
GET http://u:p@h/c HTTP/2 (Prior Knowledge)
###
GET http://h/d
Authorization: Digest ann secret
###
WEBSOCKET ws://h/e
###
GET /f
Host: h
###
POST http://h/g
Content-Type: multipart/form-data; boundary=W

--W
Content-Disposition: form-data; name="a"

1
--W--
###
POST http://h/i
X-Request-Type: GraphQL

query { a }
###
POST http://h/j
Content-Type: text/markdown

> a quotation
> {% script %}
###
GET http://h/k
no header
###
POST http://h/l

< ../outside
###
POST http://h/m

<@latin1 ./a.http
"#), @r#"
GET /a?b=c&d=e x1 | Accept: */* | -
POST /form x1 | Content-Type: application/x-www-form-urlencoded | a=1&b=2&c=3
GET /b x1 | Authorization: Basic YW5uOnNlY3JldA== | -
GET /c x1 | Authorization: Basic dTpw | -
GET /f x1 |  | -
POST /g x1 | Content-Type: multipart/form-data; boundary=W | --W\r
Content-Disposition: form-data; name="a"\r
\r
1\r
--W--\r

POST /j x1 | Content-Type: text/markdown | > a quotation
a.http: 6 of 13 left out: 3 ask for what galo does not know (lines 32, 49, 67: `Authorization: Digest`, `X-Request-Type`, `<@latin1 ./a.http`), 1 is no HTTP (line 35: `WEBSOCKET`), 1 has an impossible header (line 60: `no header`), 1 needs a file that is not in its folder (line 63: `../outside`)
"#);
}

#[test]
fn files_beside_a_recording_are_sent() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    write("b.bin", b"\xff\0\n");
    write("t.txt", b"{{v}}\n");
    write(
        "a.http",
        b"@v = x\nPOST /1\n\n\n< ./b.bin\n###\nPOST /2\n\n<@ t.txt\n###\nPOST /3\n\n< t.txt\n\
        ###\nPOST /4\n\n<a>\n< t.txt\n</a>\n",
    );
    let recording = Recording::read(&folder.path().join("a.http"), None).unwrap();
    assert_eq!(recording.requests[0].body.as_deref(), Some(&b"\xff\0\n"[..]));
    let lines: Vec<String> = recording.requests[1..].iter().map(line).collect();
    assert_eq!(
        lines,
        ["POST /2 x1 |  | x\n", "POST /3 x1 |  | {{v}}\n", "POST /4 x1 |  | <a>\n{{v}}\n\n</a>"]
    );
}

#[test]
fn files_that_a_request_names_again_and_again_are_one_body_all_together() {
    let folder = tempfile::tempdir().unwrap();
    let big = std::fs::File::create(folder.path().join("big.bin")).unwrap();
    big.set_len(33 << 20).unwrap();
    let text =
        "POST /1\n\n< ./big.bin\n###\nPOST /2\n\n< ./big.bin\n< ./big.bin\n###\nPUT /3\n\n< ./big.bin\n";
    std::fs::write(folder.path().join("a.http"), text).unwrap();
    let recording = Recording::read(&folder.path().join("a.http"), None).unwrap();
    let targets: Vec<&str> = recording.requests.iter().map(|request| request.target.as_str()).collect();
    assert_eq!((targets, recording.held), (vec!["/1", "/3"], 3));
}
