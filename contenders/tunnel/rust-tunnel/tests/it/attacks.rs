//! Requests that two servers could understand differently. The oracle is an origin that keeps every byte and reads them in the one strict
//! way: it never sees more requests than were sent, and none that was hidden in another.

use std::io::Write;
use std::net::Shutdown;

use super::support::{BACKENDS, Request, Tunnel, answers, read_all, recorder};

/// What is hidden: whoever takes it for a request has been fooled.
const HIDDEN: &str = "GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n";

/// Heads, without the empty line, that are refused whatever follows.
fn refused() -> Vec<String> {
    let mut all = Vec::new();
    let post = |fields: &str| format!("POST /a HTTP/1.1\r\nHost: x\r\n{fields}\r\n");
    // Lengths that are none, or two.
    for value in [
        "",
        " ",
        "+3",
        "-3",
        "0x3",
        "3,",
        "3, 3",
        "3 3",
        "3;3",
        "3.0",
        "1e1",
        "\u{663}",
        "three",
        "99999999999999999999999",
        "3\t3",
        "\"3\"",
        "(3)",
        "3\u{b}",
    ] {
        all.push(post(&format!("Content-Length: {value}\r\n")));
    }
    for two in [
        "Content-Length: 3\r\nContent-Length: 3\r\n",
        "Content-Length: 3\r\nContent-Length: 30\r\n",
        "Content-Length: 0\r\ncontent-length: 33\r\n",
        "Content-Length: 3\r\nCONTENT-LENGTH: 3\r\n",
        "Content_Length: 33\r\n",
        "Content-Length: 3\r\nContent_Length: 33\r\n",
    ] {
        all.push(post(two));
    }
    // Transfer-Encoding in every spelling, alone and beside a length.
    for value in [
        "",
        "xchunked",
        "chunkedx",
        "chunked, identity",
        "identity, chunked",
        "gzip, chunked",
        "chunked, chunked",
        "chunked;q=1",
        "\"chunked\"",
        "'chunked'",
        "chunked,",
        ",chunked",
        "identity",
        "gzip",
        "cow",
        "chunked\u{b}",
        "\u{b}chunked",
        "chunk",
        "c h u n k e d",
        "chunked\u{a0}",
        "x=chunked",
        "[chunked]",
        "chunked\u{0}",
        "0",
        "true",
        "chunked \u{c}",
    ] {
        all.push(post(&format!("Transfer-Encoding: {value}\r\n")));
        all.push(post(&format!("Content-Length: 5\r\nTransfer-Encoding: {value}\r\n")));
    }
    for fields in [
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
        "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        "TRANSFER-ENCODING: chunked\r\nContent-Length: 5\r\n",
        "Transfer_Encoding: chunked\r\n",
        "Transfer-Encoding : chunked\r\n",
        "Transfer-Encoding\t: chunked\r\n",
        " Transfer-Encoding: chunked\r\n",
        "\tTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding:\r\n chunked\r\n",
        "Transfer-Encoding:\r\n\tchunked\r\n",
        "X: y\r\n Transfer-Encoding: chunked\r\n",
        "X: y\r\n\tContent-Length: 3\r\n",
        "Transfer-Encoding\u{0}: chunked\r\n",
        "\u{0}Transfer-Encoding: chunked\r\n",
        "Transfer-\u{e9}ncoding: chunked\r\n",
        "(Transfer-Encoding): chunked\r\n",
        "Transfer-Encoding chunked\r\n",
        ": chunked\r\n",
        "X\r\n",
        "Content-Length : 3\r\n",
        " Content-Length: 3\r\n",
        "Content-Length\u{0}: 3\r\n",
        "X: a\u{0}b\r\n",
        "X: a\u{1}b\r\n",
        "X: a\u{7f}b\r\n",
    ] {
        all.push(post(fields));
    }
    // Lines that end with one byte, or with more.
    for head in [
        "POST /a HTTP/1.1\nHost: x\r\nContent-Length: 3\r\n",
        "POST /a HTTP/1.1\r\nHost: x\nContent-Length: 3\r\n",
        "POST /a HTTP/1.1\r\nHost: x\r\nX: y\nContent-Length: 3\r\n",
        "POST /a HTTP/1.1\r\nHost: x\r\nX: y\rContent-Length: 3\r\n",
        "POST /a HTTP/1.1\rHost: x\r\n",
        "POST /a HTTP/1.1\r\r\nHost: x\r\n",
        "POST /a HTTP/1.1\r\nHost: x\r\r\n",
        "POST /a HTTP/1.1\n\rHost: x\r\n",
        "\nPOST /a HTTP/1.1\r\nHost: x\r\n",
        "POST /a HTTP/1.1\r\nHost: x\r\nX: \rTransfer-Encoding: chunked\r\n",
        "POST /a HTTP/1.1\r\nHost: x\r\nX: \nTransfer-Encoding: chunked\r\n",
        "GET /a HTTP/1.1\r\nHost: x\r\nX: y\n",
    ] {
        all.push(head.to_owned());
    }
    // Lines that are no request, or one for somebody else.
    for line in [
        "GET  /a HTTP/1.1",
        "GET /a  HTTP/1.1",
        "GET\t/a HTTP/1.1",
        "GET /a\tHTTP/1.1",
        " GET /a HTTP/1.1",
        "GET /a HTTP/1.1 ",
        "GET /a b HTTP/1.1",
        "GET /a",
        "GET",
        "GET /a HTTP/1.2",
        "GET /a HTTP/2.0",
        "GET /a HTTP/0.9",
        "GET /a HTTP/11",
        "GET /a http/1.1",
        "GET /a HTTP/1.1x",
        "GET /a HTTP/ 1.1",
        "G(T /a HTTP/1.1",
        "GET /a\u{0}b HTTP/1.1",
        "GET a HTTP/1.1",
        "GET * HTTP/1.1",
        "GET ?a HTTP/1.1",
        "CONNECT x:80 HTTP/1.1",
        "CONNECT /a HTTP/1.1",
        "PRI * HTTP/2.0",
        "GET https://x/a HTTP/1.1",
        "GET ftp://x/a HTTP/1.1",
        "GET http:///a HTTP/1.1",
        "GET http://u@x/a HTTP/1.1",
        "GET http://x@y/a HTTP/1.1",
        "GET http://x#y/a HTTP/1.1",
        "GET http://x\\y/a HTTP/1.1",
        "GET http://x?a HTTP/1.1",
        "GET //y HTTP/1.1 HTTP/1.1",
    ] {
        all.push(format!("{line}\r\nHost: x\r\n"));
    }
    // Hosts: none, two, or more in one.
    for hosts in [
        "",
        "Host: x\r\nHost: y\r\n",
        "Host: x\r\nhost: x\r\n",
        "Host: x, y\r\n",
        "Host: x y\r\n",
        "Host: u@x\r\n",
        "Host: x/a\r\n",
        "Host: x?a\r\n",
        "Host: x#a\r\n",
        "Host : x\r\n",
        "Host: x\\y\r\n",
        "Host: \"x\"\r\n",
    ] {
        all.push(format!("GET /a HTTP/1.1\r\n{hosts}"));
    }
    // What must be passed on cannot be named as this connection's own.
    for named in [
        "Host",
        "Content-Length",
        "Transfer-Encoding",
        "close, host",
        "Authorization",
        "cookie",
        "keep-alive,content-length",
    ] {
        all.push(post(&format!("Content-Length: 3\r\nConnection: {named}\r\n")));
    }
    // An old version knows no chunks; nobody but us gives leave.
    all.push("POST /a HTTP/1.0\r\nTransfer-Encoding: chunked\r\n".to_owned());
    all.push("POST /a HTTP/1.0\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n".to_owned());
    all.push("POST /a HTTP/1.0\r\nHost: x\r\nHost: y\r\n".to_owned());
    all.push(post("Expect: 200-ok\r\nContent-Length: 3\r\n"));
    all.push(post("Expect: 100-continue, other\r\nContent-Length: 3\r\n"));
    all
}

/// Bodies in chunks that are none.
const NO_CHUNKS: [&str; 38] = [
    "\r\n",
    "x\r\n",
    ";\r\n",
    "-1\r\n",
    "+1\r\na\r\n",
    "0x1\r\na\r\n",
    " 1\r\na\r\n",
    "\t1\r\na\r\n",
    "1\n",
    "1\na\r\n",
    "1\r",
    "1\rx",
    "1 x\n",
    "1;a\n",
    "1\r\nab\r\n",
    "1\r\na\n",
    "1\r\na\rx",
    "1\r\n\r\n",
    "3\r\nab\r\n0\r\n\r\n",
    "g\r\n",
    "1g\r\na\r\n",
    "1_0\r\n",
    "1.0\r\na\r\n",
    "1,1\r\n",
    "\u{663}\r\n",
    "10000000000000000\r\n",
    "100000000000000003\r\nabc\r\n0\r\n\r\n",
    "ffffffffffffffff\r\n",
    "fffffffffffffffff\r\n",
    "0\n\n",
    "0\r\n\n",
    "0\r\nX: y\n\r\n",
    "0\r\nX: y\r\r\n\r\n",
    "0\r\n\rX: y\r\n\r\n",
    "0\r\nX\n\n",
    "1\r\na\r\n0\n\r\n",
    "1;a\"\n\"\r\na\r\n",
    "1\u{0}\r\na\r\n",
];

/// Requests that are made plain: what is sent, and the paths and lengths of bodies that the origin sees.
fn made_plain() -> Vec<(String, Vec<(&'static str, usize)>)> {
    let hidden = HIDDEN.len();
    let post = |fields: &str, body: &str| format!("POST /a HTTP/1.1\r\nHost: x\r\n{fields}\r\n{body}");
    let chunk = |text: &str| format!("{:x}\r\n{text}\r\n", text.len());
    let last = "GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    vec![
        // A body that looks like a request is a body.
        (post(&format!("Content-Length: {hidden}\r\n"), HIDDEN), vec![("/a", hidden)]),
        (post("Transfer-Encoding: chunked\r\n", &format!("{}0\r\n\r\n", chunk(HIDDEN))), vec![("/a", hidden)]),
        (post("transfer-encoding:\tCHUNKED \r\n", &format!("{}0\r\n\r\n", chunk(HIDDEN))), vec![("/a", hidden)]),
        (post("Transfer-Encoding: chunked\r\n", &format!("{hidden:08X}\r\n{HIDDEN}\r\n000\r\n\r\n")), vec![("/a", hidden)]),
        (post("Transfer-Encoding: chunked\r\n", &format!("{hidden:x};a=\"b\";c\r\n{HIDDEN}\r\n0;x\r\n\r\n")), vec![("/a", hidden)]),
        // Trailers are not passed on, so they hide nothing.
        (post("Transfer-Encoding: chunked\r\n", "0\r\nContent-Length: 33\r\nGET /hidden HTTP/1.1: x\r\n\r\n"), vec![("/a", 0)]),
        (format!("{}{last}", post("Transfer-Encoding: chunked\r\n", &format!("{}0\r\nX: y\r\n\r\n", chunk(HIDDEN)))), vec![("/a", hidden), ("/last", 0)]),
        (format!("GET /a HTTP/1.1\r\nHost: x\r\nContent-Length: {hidden}\r\n\r\n{HIDDEN}{last}"), vec![("/a", hidden), ("/last", 0)]),
        (format!("HEAD /a HTTP/1.1\r\nHost: x\r\nContent-Length: {hidden}\r\n\r\n{HIDDEN}{last}"), vec![("/a", hidden), ("/last", 0)]),
        (format!("OPTIONS * HTTP/1.1\r\nHost: x\r\nContent-Length: {hidden}\r\n\r\n{HIDDEN}{last}"), vec![("*", hidden), ("/last", 0)]),
        // Without a change of protocol what follows is the next request, and has to be one.
        (format!("GET /a HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n{last}"), vec![("/a", 0), ("/last", 0)]),
        ("GET /a HTTP/1.1\r\nHost: x\r\nUpgrade: h2c\r\nHTTP2-Settings: a\r\nConnection: Upgrade, HTTP2-Settings\r\n\r\nPRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned(), vec![("/a", 0)]),
        ("GET /a HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n\u{1}\u{2}\u{3}\r\n\r\n".to_owned(), vec![("/a", 0)]),
        // HTTP/1.0: with a body, and with one that nothing tells of.
        (format!("POST /a HTTP/1.0\r\nContent-Length: {hidden}\r\n\r\n{HIDDEN}"), vec![("/a", hidden)]),
        (format!("POST /a HTTP/1.0\r\n\r\n{HIDDEN}"), vec![("/a", 0)]),
        (format!("GET /a HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: {hidden}\r\n\r\n{HIDDEN}{last}"), vec![("/a", hidden), ("/last", 0)]),
        // The whole address: its host is the one that counts.
        (format!("GET http://y:80/a HTTP/1.1\r\nHost: x\r\n\r\n{last}"), vec![("/a", 0), ("/last", 0)]),
        (format!("GET http://x/a HTTP/1.1\r\nHost: x\r\n\r\n{last}"), vec![("/a", 0), ("/last", 0)]),
        (format!("GET HTTP://X HTTP/1.1\r\nHost: x\r\n\r\n{last}"), vec![("/", 0), ("/last", 0)]),
        (format!("GET //y/a HTTP/1.1\r\nHost: x\r\n\r\n{last}"), vec![("//y/a", 0), ("/last", 0)]),
        // After `close` nothing counts.
        (format!("GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n{HIDDEN}"), vec![("/a", 0)]),
        // An empty line before a request is somebody's mistake (RFC 9112, section 2.2).
        (format!("\r\nGET /a HTTP/1.1\r\nHost: x\r\n\r\n{last}"), vec![("/a", 0), ("/last", 0)]),
        (format!("GET /a HTTP/1.1\r\nHost: x\r\nX:\u{20}\u{20}  spaced \t \r\nEmpty:\r\n\r\n{last}"), vec![("/a", 0), ("/last", 0)]),
    ]
}

/// Sends bytes and ends; all answers, and all requests that upstreams saw in whole.
fn sent(tunnel: &Tunnel, recorded: &super::support::Recorded, bytes: &[u8]) -> (Vec<u16>, Vec<Request>) {
    let mut stream = tunnel.connect();
    // It may have answered and closed before all was sent.
    let _ = stream.write_all(bytes).and_then(|()| stream.shutdown(Shutdown::Write));
    let got = read_all(&mut stream);
    let statuses = status_lines(&got);
    let mut seen = Vec::new();
    for bytes in &mut *recorded.lock().unwrap() {
        while let Some(request) = Request::take(bytes) {
            seen.push(request);
        }
    }
    (statuses, seen)
}

/// Of answers to requests of any method.
fn status_lines(bytes: &[u8]) -> Vec<u16> {
    let text = String::from_utf8_lossy(bytes);
    // Bodies speak of HTTP/1.1, too.
    text.split("HTTP/1.1 ").skip(1).filter_map(|rest| rest.get(..3)?.parse().ok()).collect()
}

#[test]
fn what_two_servers_could_read_differently_is_refused_and_reaches_nobody() {
    let refused = refused();
    assert!(
        refused.len() + NO_CHUNKS.len() + made_plain().len() >= 150,
        "{} attacks",
        refused.len() + NO_CHUNKS.len()
    );
    for backend in BACKENDS {
        let (one, recorded) = recorder("one");
        let tunnel = Tunnel::start("balance", &["--to", &one.to_string(), "--backend", backend]);
        for head in &refused {
            for behind in [
                format!("\r\n0\r\n\r\n{HIDDEN}"),
                format!("\r\nabc{HIDDEN}"),
                format!("\r\n1c\r\n{HIDDEN}\r\n0\r\n\r\n"),
            ] {
                let (statuses, seen) = sent(&tunnel, &recorded, format!("{head}{behind}").as_bytes());
                assert!(matches!(statuses[..], [400..=599]), "{backend}: {statuses:?} to {head:?}");
                assert!(seen.is_empty(), "{backend}: {seen:?} by {head:?}");
            }
        }
        for body in NO_CHUNKS {
            let request =
                format!("POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n{body}{HIDDEN}");
            let (statuses, seen) = sent(&tunnel, &recorded, request.as_bytes());
            assert!(
                statuses.iter().all(|status| *status >= 400) && statuses.len() <= 1,
                "{backend}: {statuses:?} to {body:?}"
            );
            assert!(seen.is_empty(), "{backend}: {seen:?} by {body:?}");
        }
        let after: Vec<u16> =
            answers(&tunnel.ask(b"GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"))
                .iter()
                .map(|answer| answer.status)
                .collect();
        assert_eq!(after, [200], "{backend}: it goes on");
    }
}

#[test]
fn what_can_be_made_plain_reaches_the_upstream_as_it_was_meant() {
    for backend in BACKENDS {
        let (one, recorded) = recorder("one");
        let tunnel = Tunnel::start("balance", &["--to", &one.to_string(), "--backend", backend]);
        for (bytes, wanted) in made_plain() {
            let (statuses, seen) = sent(&tunnel, &recorded, bytes.as_bytes());
            let seen: Vec<(&str, usize)> =
                seen.iter().map(|request| (request.path.as_str(), request.body.len())).collect();
            // What several connections saw may be told in another order.
            let sorted = |mut all: Vec<(&str, usize)>| {
                all.sort_unstable();
                all.iter().map(|(path, length)| format!("{path} {length}")).collect::<Vec<_>>()
            };
            assert_eq!(sorted(seen), sorted(wanted.clone()), "{backend}: {bytes:?}");
            assert_eq!(
                statuses.iter().filter(|&&status| status == 200).count(),
                wanted.len(),
                "{backend}: {statuses:?} to {bytes:?}"
            );
        }
    }
}

#[test]
fn heads_and_lines_without_end_are_refused() {
    for backend in BACKENDS {
        let (one, recorded) = recorder("one");
        let tunnel = Tunnel::start("balance", &["--to", &one.to_string(), "--backend", backend]);
        let many = |count: usize| (0..count).map(|n| format!("X-{n}: y\r\n")).collect::<String>();
        let long = "a".repeat(20_000);
        for (bytes, wanted) in [
            (format!("GET /{long} HTTP/1.1\r\nHost: x\r\n\r\n"), 431),
            (format!("GET /a HTTP/1.1\r\nHost: x\r\nX: {long}\r\n\r\n"), 431),
            (format!("GET /a HTTP/1.1\r\nHost: x\r\n{}\r\n", many(200)), 431),
            (
                format!(
                    "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1;{long}\r\na\r\n0\r\n\r\n"
                ),
                400,
            ),
            (
                format!(
                    "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n{}\r\n",
                    many(200)
                ),
                400,
            ),
        ] {
            let (statuses, seen) = sent(&tunnel, &recorded, bytes.as_bytes());
            assert_eq!((statuses, seen.len()), (vec![wanted], 0), "{backend}: {}", &bytes[..60]);
        }
    }
}
