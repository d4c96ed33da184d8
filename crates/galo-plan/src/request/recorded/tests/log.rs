//! Access logs.

use std::io::Write as _;

use super::{all, read_case, refused, told};

fn entry(request: &str) -> String {
    format!("127.0.0.1 - - [21/Nov/2026:22:00:00 +0000] \"{request}\" 200 5 \"-\" \"agent\"\n")
}

#[test]
fn an_access_log_gives_what_was_asked_how_often() {
    let text =
        [entry("GET /a HTTP/1.1"), entry("POST /b HTTP/1.1"), entry("GET /a HTTP/1.1"), entry("\\x16\\x03")]
            .concat();
    let (requests, told) = told("access.log", text.as_bytes(), None).unwrap();
    assert_eq!(requests, ["GET /a x2 |  | -"]);
    insta::assert_snapshot!(told, @"access.log: 2 of 4 left out: 1 is no GET, HEAD or OPTIONS (line 2: `POST`), 1 is no request (line 4)");
    assert!(refused("access.log", "hello").starts_with("access.log:1: no line of an access log"));
    assert!(
        refused("access.log", &entry("POST /b HTTP/1.1"))
            .contains("1 is no GET, HEAD or OPTIONS (line 1: `POST`)")
    );
}

#[test]
fn inputs_of_public_reports_are_read_rightly() {
    insta::assert_snapshot!(read_case("logs/nginx-escapes.log", None), @r#"
GET /search?q="red%20shoes" x1 |  | -
GET /b%C3%BCcher x1 |  | -
GET /h2 x1 |  | -
OPTIONS /cors x1 |  | -
logs/nginx-escapes.log: 7 of 11 left out: 3 are no requests (lines 1, 2, 3: `/*�Cookie: mstshash=Administr`, `MGLNDD_203.0.113.1_443`), 1 has an address that cannot be sent (line 4: `/search?q="red shoes"`), 1 is of another host (line 7: `evil.test`), 2 are no GET, HEAD or OPTIONS (lines 10, 11: `POST`, `DELETE`)
logs/nginx-escapes.log: 1 is sent with its address percent-encoded (line 6)
"#);
    insta::assert_snapshot!(read_case("logs/caddy.log", None), @r#"
GET /api/items?x=1 x1 |  | -
GET /b x1 |  | -
logs/caddy.log: 2 are sent without the headers in the log (lines 1, 2)
"#);
    insta::assert_snapshot!(read_case("logs/traefik-json.log", None), @"GET /api/items?x=1 x1 |  | -");
}

#[test]
fn lines_of_many_servers_are_read() {
    let apache = r#"1.2.3.4 - "a b" [21/Nov/2026:22:00:00 +0000] "GET /a\\b?\"c\" HTTP/1.1" 200 5"#;
    assert_eq!(all("a.log", apache), [r#"GET /a\b?"c" x1 |  | -"#]);
    let hosts = "shop.test:80 1.2.3.4 - - [x] \"GET /a HTTP/1.1\" 200 5\nshop.test 1.2.3.4 - - [x] \"GET http://shop.test/b HTTP/1.1\" 200 5\n\
        cdn.test ::1 - - [x] \"GET /c HTTP/1.1\" 200 5\n";
    let (requests, said) = told("a.log", hosts.as_bytes(), None).unwrap();
    assert_eq!(requests, ["GET /a x1 |  | -", "GET /b x1 |  | -"]);
    insta::assert_snapshot!(said, @r#"
a.log: 1 of 3 left out: 1 is of another host (line 3: `cdn.test`)
a.log: what went to `shop.test` is sent; --host takes another
"#);
    let balancer = "https 2018-07-02T22:23:00.186641Z app/my/50dc 192.168.131.39:2817 10.0.0.1:80 0.0 0.1 0.0 200 200 34 366 \
        \"GET https://www.example.com:443/a?b HTTP/1.1\" \"curl/7.46.0\" x y z\n\
        ws 2018-07-02T22:23:01.186641Z app/my/50dc 192.168.131.39:2817 10.0.0.1:80 0.0 0.1 0.0 101 200 34 366 \
        \"GET ws://www.example.com:80/s HTTP/1.1\" \"-\" x y z\n";
    let (requests, said) = told("elb.txt", balancer.as_bytes(), None).unwrap();
    assert_eq!(requests, ["GET /a?b x1 |  | -"]);
    assert_eq!(said, "elb.txt: 1 of 2 left out: 1 is no HTTP (line 2: `ws://www.example.com:80/s`)");
}

#[test]
fn lines_of_json_are_read() {
    let text = r#"{"level":"info","msg":"serving initial configuration"}
{"time_local":"x","request":"GET /a?b HTTP/1.1","status":200,"host":"h.test"}
{"request_method":"GET","request_uri":"/c","uri":"/index.html","status":"200","http_host":"h.test:443"}
{"method":"GET","path":"/d","query":"e=f","status":200}
{"req":{"method":"HEAD","url":"/g","headers":{"host":"h.test"}},"res":{}}
{"httpRequest":{"requestMethod":"GET","requestUrl":"https://h.test/i?j"}}
{"request":"GET /k\x22l HTTP/1.1","status":200}
{"request":"POST /m HTTP/1.1","status":200}
{"request":{"method":"GET","uri":"/n","host":"other.test"}}
{"request":"\x16\x03","status":400}
{broken
"#;
    let (requests, said) = told("json.log.1", text.as_bytes(), None).unwrap();
    insta::assert_snapshot!(requests.join("\n") + "\n" + &said, @r#"
GET /a?b x1 |  | -
GET /c x1 |  | -
GET /d?e=f x1 |  | -
HEAD /g x1 |  | -
GET /i?j x1 |  | -
GET /k"l x1 |  | -
json.log.1: 5 of 11 left out: 2 are no requests (lines 1, 10: `no request of an access log`), 1 is no GET, HEAD or OPTIONS (line 8: `POST`), 1 cannot be read (line 11: `key must be a string at line 1 column 2`), 1 is of another host (line 9: `other.test`)
json.log.1: what went to `h.test` is sent; --host takes another
json.log.1: 1 is sent without the headers in the log (line 5)
"#);
}

#[test]
fn logs_are_found_by_their_names_and_by_what_is_in_them() {
    let text = entry("GET /a HTTP/1.1");
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(text.as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    for name in ["access.log", "access.log.1", "access.log-20260101", "ACCESS.LOG", "access_2026", "a.txt"] {
        assert_eq!(all(name, &text), ["GET /a x1 |  | -"], "{name}");
    }
    for name in ["access.log.2.gz", "access.log-20260101.gz", "a.gz", "access.log"] {
        assert_eq!(told(name, &packed, None).unwrap().0, ["GET /a x1 |  | -"], "{name}");
    }
    let twice = [&packed[..], &packed[..]].concat();
    assert_eq!(told("a.log.gz", &twice, None).unwrap().0, ["GET /a x2 |  | -"]);
    let half = &packed[..packed.len() - 9];
    assert!(
        told("a.log.gz", half, None).is_ok_and(|(_, said)| said.contains("nor what follows"))
            || told("a.log.gz", half, None).is_err_and(|error| error.contains("cannot be read"))
    );
}
