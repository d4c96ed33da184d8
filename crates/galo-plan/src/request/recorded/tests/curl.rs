//! Lines of curl.

use super::super::Recording;
use super::{all, line, read_case, refused, told};

fn read(text: &str) -> String {
    let (requests, told) = told("a.curl", text.as_bytes(), None).unwrap();
    requests.into_iter().chain([told]).collect::<Vec<_>>().join("\n").replace('\r', "\\r")
}

#[test]
fn curl_lines_are_read_as_browsers_copy_them() {
    let text = "curl 'http://h/a' -H 'Accept: x' \\\n  -H 'User-Agent: x' -k\n# no\n\n\
                $ curl -sS -X PUT h/b?c -d a=1 -d b=2\ncurl --json '{\"x\": 1}' --url=http://h\ncurl -I http://h/i\n";
    assert_eq!(
        all("a.curl", text),
        [
            "GET /a x1 | Accept: x, User-Agent: x | -",
            "PUT /b?c x1 | Accept: */*, Content-Type: application/x-www-form-urlencoded | a=1&b=2",
            "POST / x1 | Accept: application/json, Content-Type: application/json | {\"x\": 1}",
            "HEAD /i x1 | Accept: */* | -"
        ]
    );
    for (text, told) in [
        ("wget http://h/", "no line of curl"),
        ("\ncurl --ntlm http://h/", "asks for what galo does not know (line 2: `--ntlm`)"),
        ("curl -d @file http://h/", "needs a file that is not in its folder (line 1: `file`)"),
        ("curl -H", "-H has no value"),
        ("curl 'http://h/", "a.curl:1: missing closing quote"),
        ("curl -s", "no address"),
    ] {
        assert!(refused("a.curl", text).contains(told), "{text}: {}", refused("a.curl", text));
    }
}

#[test]
fn inputs_of_public_reports_are_read_rightly() {
    insta::assert_snapshot!(read_case("curl/dollar-quotes.curl", None), @r#"
POST /api/items?x=1 x1 | accept: application/json, x-name: O'Hara, Cookie: sid=1; theme=dark, Content-Type: application/x-www-form-urlencoded | {"a":"! it's"}
curl/dollar-quotes.curl: 1 is sent without its Accept-Encoding (answers come unpacked) (line 1)
"#);
    insta::assert_snapshot!(read_case("curl/multipart.curl", None), @r#"
POST /up x1 | content-type: multipart/form-data; boundary=----W, Accept: */* | ------W\r
Content-Disposition: form-data; name="a"\r
\r
1\r
------W--\r
"#);
}

/// What curl 7.88 sent for these lines, but for its `User-Agent` and the boundaries that it draws.
#[test]
fn options_mean_what_curl_makes_of_them() {
    insta::assert_snapshot!(read(r#"curl -b a=1 -b c=d h/1; curl -b a=1 -H 'Cookie: x=y' h/2
curl --data-urlencode 'a b=c d~*é' h/3 && curl --data-urlencode 'n=c d&e' -d 'x y' h/4
curl --json '{"a":1}' --json b h/6 > out 2>&1 | jq . | less
curl -G -d a=1 -d b=2 'h/7?z#f'
curl -F 'a"b=x' -F 'c=1 ;type=text/plain' --form-string 'd=@e;f' h/8
curl -F 'a="x;y\"z"' -F 'b="c";type="text/x"' h/8b -H 'Content-Type: multipart/form-data'
curl -H Accept: -H 'X;' -H 'Y: ' h/9
curl -u a:b -H 'Authorization: z' h/10 -u c:d
curl http://u:p%20q@h/11 --oauth2-bearer t h/12
curl h/a/../b/./c --path-as-is; curl h/a/../b/./c; curl -sSLXPOST -dx=y h/13 -ohere
curl -e 'http://x;auto' -A '' -r 0-3 h/14 --next -u a:b h/15 --url-query 'q=a b'
curl -d '' h/18 --compressed; curl 'h/19?a' -G -d ''; curl h/20 -G -d ''
A=b /usr/bin/curl -- -x; curl -g 'h/{a}[1]' # not this"#), @r#"
GET /1 x1 | Accept: */*, Cookie: a=1;c=d | -
GET /2 x1 | Cookie: x=y, Accept: */* | -
POST /3 x1 | Accept: */*, Content-Type: application/x-www-form-urlencoded | a b=c+d~%2A%C3%A9
POST /4 x1 | Accept: */*, Content-Type: application/x-www-form-urlencoded | n=c+d%26e&x y
POST /6 x1 | Accept: application/json, Content-Type: application/json | {"a":1}b
GET /7?z&a=1&b=2 x1 | Accept: */* | -
POST /8 x1 | Accept: */*, Content-Type: multipart/form-data; boundary=------------------------20358eb65f80d398 | --------------------------20358eb65f80d398\r
Content-Disposition: form-data; name="a%22b"\r
\r
x\r
--------------------------20358eb65f80d398\r
Content-Disposition: form-data; name="c"\r
Content-Type: text/plain\r
\r
1\r
--------------------------20358eb65f80d398\r
Content-Disposition: form-data; name="d"\r
\r
@e;f\r
--------------------------20358eb65f80d398--\r

POST /8b x1 | Content-Type: multipart/form-data; boundary=------------------------1eba484f239be155, Accept: */* | --------------------------1eba484f239be155\r
Content-Disposition: form-data; name="a"\r
\r
x;y"z\r
--------------------------1eba484f239be155\r
Content-Disposition: form-data; name="b"\r
Content-Type: text/x\r
\r
c\r
--------------------------1eba484f239be155--\r

GET /9 x1 | X:  | -
GET /10 x1 | Authorization: z, Accept: */* | -
GET /11 x1 | Accept: */*, Authorization: Bearer t | -
GET /12 x1 | Accept: */*, Authorization: Bearer t | -
GET /a/../b/./c x1 | Accept: */* | -
GET /b/c x1 | Accept: */* | -
POST /13 x1 | Accept: */*, Content-Type: application/x-www-form-urlencoded | x=y
GET /14 x1 | Accept: */*, Referer: http://x, Range: bytes=0-3 | -
GET /15?q=a+b x1 | Accept: */*, Authorization: Basic YTpi | -
POST /18 x1 | Accept: */*, Content-Type: application/x-www-form-urlencoded | -
GET /19?a& x1 | Accept: */* | -
GET /20 x1 | Accept: */* | -
GET /{a}[1] x1 | Accept: */* | -
a.curl: 1 of 22 left out: 1 is of another host (line 13: `-x`)
a.curl: what went to `h` is sent; --host takes another
a.curl: 1 is sent without its Accept-Encoding (answers come unpacked) (line 12)
"#);
}

#[test]
fn what_is_not_understood_is_left_out_and_told_by_its_name() {
    insta::assert_snapshot!(read(r#"curl h/ok
curl "h/$ID" -H "Authorization: Bearer ${TOKEN}"
curl h/`id`; curl h/$(id); curl -d "a`id`" h; curl h < file; curl -d {a,b} h; curl ~/x
curl 'h/{a,b}' ; curl 'h/[1-3]'; curl -u ann h; curl -b cookies.txt h; curl --digest -u a:b h
curl -F 'a="x"y' h; curl -F 'a=(;b=c' h; curl -F nothing h; curl -F 'a=b;encoder=base64' h; curl -F 'f=@/etc/passwd' h; curl -d @../x h; curl -T - h; curl -d @- h -K f
curl -z yesterday h/x; curl ftp://h/x; curl -X post h; curl 'h/a b'; curl -H 'a b: c' h; curl -H broken h
curl -d x -F a=b h; curl -I -d x h
curl ^"http://h/w^" ^
  -H ^"accept: */*^"
curl "http://h/w" ^
  -H "a: b"
export A=b
curl 'h/not closed
curl h/last"#), @r#"
GET /ok x1 | Accept: */* | -
GET /last x1 | Accept: */* | -
a.curl: 30 of 32 left out: 7 need a shell to be read (lines 2, 3, 8, ...: `$ID`, ``id`;`, `$(id);`), 12 ask for what galo does not know (lines 4, 5, 6, ...: `h/{a,b} (several addresses in one)`, `h/[1-3] (several addresses in one)`, `-u without a password`), 4 need files that are not in their folder (line 5: `/etc/passwd`, `../x`, `standard input`), 1 is no HTTP (line 6: `ftp://h/x`), 1 has a method that cannot be sent (line 6: `post`), 1 has an address that cannot be sent (line 6: `/a b`), 2 have impossible headers (line 6: `a b`, `broken`), 1 is no request (line 12: `no line of curl`), 1 cannot be read (line 13: `missing closing quote`)
"#);
}

#[test]
fn files_beside_a_recording_are_sent() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    write("b.bin", b"\xff\0a\r\nb");
    write("t.txt", b"a\r\nb&");
    let lines = "curl -d @b.bin h/1\ncurl --data-binary @./b.bin h/2\ncurl --data-urlencode n@t.txt h/3\n\
                 curl -T t.txt h/4/\ncurl -F 'f=@b.bin' -F 'g=<t.txt' h/5\ncurl --json @t.txt h/6\ncurl -H @h h/7\n";
    write("h", b"X: y\n");
    write("a.curl", lines.as_bytes());
    let recording = Recording::read(&folder.path().join("a.curl"), None).unwrap();
    assert_eq!(recording.left_out.count(), 0);
    let bodies: Vec<_> = recording.requests.iter().map(|r| r.body.clone().unwrap_or_default()).collect();
    assert_eq!(bodies[0], b"\xffab");
    assert_eq!(bodies[1], b"\xff\0a\r\nb");
    assert_eq!(bodies[2], b"n=a%0D%0Ab%26");
    assert_eq!(
        (line(&recording.requests[3]).as_str(), &bodies[3][..]),
        ("PUT /4/t.txt x1 | Accept: */* | a\r\nb&", &b"a\r\nb&"[..])
    );
    let form = String::from_utf8_lossy(&bodies[4]).into_owned();
    assert!(
        form.contains("name=\"f\"; filename=\"b.bin\"\r\nContent-Type: application/octet-stream\r\n\r\n")
    );
    assert!(form.contains("name=\"g\"\r\n\r\na\r\nb&\r\n--"), "{form}");
    assert_eq!(bodies[5], b"a\r\nb&");
    let headers = [("X", "y"), ("Accept", "*/*")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(recording.requests[6].headers, headers);
}

proptest::proptest! {
    #[test]
    fn any_text_is_parted_into_words(text in "(curl |h/|[ '\"$\\\\\n;|&<>{}a#^~`(-]){0,40}") {
        let _ = super::told("a.curl", text.as_bytes(), None);
    }
}
