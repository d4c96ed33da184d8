//! `tunnel balance`, as honest clients and upstreams use it.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::thread;
use std::time::Duration;

use super::support::{
    BACKENDS, Request, Tunnel, answers, nobody, origin, patient, read_all, recorder, until,
};

const GET: &str = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n";
const CLOSING: &str = "GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

fn two(backend: &'static str, words: &[&str]) -> (Tunnel, [super::support::Recorded; 2]) {
    let (one, of_one) = recorder("one");
    let (other, of_other) = recorder("other");
    let to = format!("{one},{other}");
    let tunnel = Tunnel::start("balance", &[&["--to", &to, "--backend", backend], words].concat());
    (tunnel, [of_one, of_other])
}

/// One request on a connection that is kept, and its answer's body.
fn ask(stream: &mut TcpStream, request: &str) -> String {
    stream.write_all(request.as_bytes()).unwrap();
    let mut got = Vec::new();
    let mut byte = [0; 4096];
    loop {
        let length = stream.read(&mut byte).unwrap();
        assert!(length > 0, "closed after {:?}", String::from_utf8_lossy(&got));
        got.extend_from_slice(&byte[..length]);
        let text = String::from_utf8_lossy(&got).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length =
            head.split("Content-Length: ").nth(1).unwrap().lines().next().unwrap().parse::<usize>().unwrap();
        if body.len() >= length {
            return body.to_owned();
        }
    }
}

#[test]
fn requests_go_round_in_strict_turn_over_kept_connections() {
    for backend in BACKENDS {
        let (tunnel, recorded) = two(backend, &[]);
        let mut names = BTreeMap::<String, usize>::new();
        let mut last = String::new();
        for _ in 0..5 {
            let mut stream = tunnel.connect();
            for _ in 0..20 {
                let name = ask(&mut stream, GET).split(' ').next().unwrap().to_owned();
                assert_ne!(name, last, "{backend}: twice the same");
                *names.entry(name.clone()).or_default() += 1;
                last = name;
            }
        }
        assert_eq!(names.into_values().collect::<Vec<_>>(), [50, 50], "{backend}");
        for recorded in recorded {
            let connections = recorded.lock().unwrap().len();
            // One for each of the two threads at most.
            assert!(connections <= 2, "{backend}: {connections} connections to an upstream");
        }
    }
}

#[test]
fn requests_behind_one_another_are_answered_in_their_order() {
    for backend in BACKENDS {
        let (tunnel, _) = two(backend, &[]);
        let requests: String = (0..20).map(|n| format!("GET /{n} HTTP/1.1\r\nHost: x\r\n\r\n")).collect();
        let last = "GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
        let answers = answers(&tunnel.ask(format!("{requests}{last}").as_bytes()));
        let paths: Vec<&str> = answers.iter().map(|answer| answer.body.split(' ').nth(1).unwrap()).collect();
        let wanted: Vec<String> = (0..20).map(|n| format!("/{n}")).chain(["/last".to_owned()]).collect();
        assert_eq!(paths, wanted, "{backend}");
    }
}

#[test]
fn a_request_cut_at_every_byte_is_the_same() {
    let request = "POST /cut HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\nabc\r\n10\r\n0123456789abcdef\r\n0\r\n\r\n";
    for backend in BACKENDS {
        let (tunnel, _) = two(backend, &[]);
        for cut in 1..request.len() {
            let mut stream = tunnel.connect();
            stream.set_nodelay(true).unwrap();
            let (one, other) = request.split_at(cut);
            stream.write_all(one.as_bytes()).unwrap();
            thread::sleep(Duration::from_millis(2));
            stream.write_all(other.as_bytes()).unwrap();
            let answer = answers(&read_all(&mut stream)).remove(0);
            assert_eq!(
                (answer.status, answer.body.split_once(' ').unwrap().1),
                (200, "/cut 19"),
                "{backend}: cut at {cut}"
            );
        }
    }
}

#[test]
fn bodies_of_any_framing_arrive_whole() {
    for backend in BACKENDS {
        let (tunnel, _) = two(backend, &[]);
        for length in [0_usize, 1, 1000, 16_384, 70_000, 3_000_000] {
            let body = "x".repeat(length);
            let plain = format!(
                "POST /p HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
            );
            let chunks: String = body
                .as_bytes()
                .chunks(10_000)
                .map(|part| format!("{:X};a=b\r\n{}\r\n", part.len(), std::str::from_utf8(part).unwrap()))
                .collect();
            let chunked = format!(
                "POST /p HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: Chunked\r\n\r\n{chunks}0\r\nTrailer: t\r\n\r\n"
            );
            for request in [plain, chunked] {
                let got = answers(&tunnel.ask(request.as_bytes()));
                assert_eq!(got[0].body.split_once(' ').unwrap().1, format!("/p {length}"), "{backend}");
            }
        }
    }
}

/// An upstream that answers each request in the same way, whatever it is.
fn answering(answer: &'static str, closes: bool) -> String {
    origin(move |mut stream| {
        let (mut pending, mut bytes) = (Vec::new(), [0; 4096]);
        while let Ok(length @ 1..) = stream.read(&mut bytes) {
            pending.extend_from_slice(&bytes[..length]);
            while Request::take(&mut pending).is_some() {
                stream.write_all(answer.as_bytes()).unwrap();
                if closes {
                    return;
                }
            }
        }
    })
    .to_string()
}

#[test]
fn answers_of_any_framing_arrive_whole() {
    let get = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    let old = "GET / HTTP/1.0\r\n\r\n";
    // It wants to ask on, and must learn at once where only the end of the connection ends the body.
    let old_kept = "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n";
    let head = "HEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    for (answer, closes, request, status, body) in [
        ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", false, get, 200, "abc"),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n2\r\nbc\r\n0\r\n\r\n",
            false,
            get,
            200,
            "abc",
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n2\r\nbc\r\n0\r\n\r\n",
            false,
            old,
            200,
            "abc",
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n2\r\nbc\r\n0\r\n\r\n",
            false,
            old_kept,
            200,
            "abc",
        ),
        ("HTTP/1.1 200 OK\r\n\r\nabc", true, old_kept, 200, "abc"),
        ("HTTP/1.1 200 OK\r\n\r\nabc", true, get, 200, "abc"),
        ("HTTP/1.0 200 OK\r\n\r\nabc", true, old, 200, "abc"),
        (
            "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc",
            false,
            get,
            200,
            "abc",
        ),
        ("HTTP/1.1 204 No Content\r\n\r\n", false, get, 204, ""),
        ("HTTP/1.1 304 Not Modified\r\nContent-Length: 3\r\n\r\n", false, get, 304, ""),
        ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n", false, head, 200, ""),
    ] {
        for backend in BACKENDS {
            let to = answering(answer, closes);
            let tunnel = Tunnel::start("balance", &["--to", &to, "--backend", backend]);
            for _ in 0..3 {
                let bytes = tunnel.ask(request.as_bytes());
                let got = if request == head {
                    vec![super::support::Answer {
                        status: 200,
                        head: String::new(),
                        body: String::from_utf8(bytes).unwrap().split_once("\r\n\r\n").unwrap().1.to_owned(),
                    }]
                } else {
                    answers(&bytes)
                };
                assert_eq!(
                    (got.len(), got[0].status, got[0].body.as_str()),
                    (1, status, body),
                    "{backend}: {answer:?}"
                );
            }
        }
    }
}

#[test]
fn a_large_answer_to_a_slow_client_is_whole_and_held_back() {
    let large = origin(|mut stream| {
        let (mut pending, mut bytes) = (Vec::new(), [0; 4096]);
        while let Ok(length @ 1..) = stream.read(&mut bytes) {
            pending.extend_from_slice(&bytes[..length]);
            while Request::take(&mut pending).is_some() {
                let body = vec![b'x'; 40_000_000];
                if stream
                    .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 40000000\r\n\r\n")
                    .and_then(|()| stream.write_all(&body))
                    .is_err()
                {
                    return;
                }
            }
        }
    })
    .to_string();
    for backend in BACKENDS {
        let tunnel = Tunnel::start("balance", &["--to", &large, "--backend", backend]);
        let before = tunnel.memory();
        let mut stream = tunnel.connect();
        stream.write_all(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
        thread::sleep(Duration::from_millis(300));
        let grown = tunnel.memory().saturating_sub(before);
        // 40 MB would have come; the buffers for all are 2 MB a thread.
        assert!(grown < 20_000_000, "{backend}: {grown} bytes more");
        assert_eq!(answers(&read_all(&mut stream))[0].body.len(), 40_000_000, "{backend}");
    }
}

#[test]
fn what_concerns_one_connection_is_not_passed_on() {
    for backend in BACKENDS {
        let (tunnel, recorded) = two(backend, &[]);
        let request = "GET /h HTTP/1.1\r\nHost: x\r\nConnection: close, x-mine\r\nX-Mine: 1\r\nKeep-Alive: 5\r\nTE: trailers\r\nUpgrade: websocket\r\nProxy-Connection: a\r\nX-Other: 2\r\n\r\n";
        assert_eq!(answers(&tunnel.ask(request.as_bytes()))[0].status, 200);
        let seen: Vec<u8> = recorded.iter().flat_map(|recorded| recorded.lock().unwrap().concat()).collect();
        let got = Request::take(&mut seen.clone()).unwrap();
        let names: Vec<&str> = got.fields.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["host", "x-other"], "{backend}");
    }
}

#[test]
fn a_client_that_waits_for_leave_gets_it() {
    for backend in BACKENDS {
        let (tunnel, _) = two(backend, &[]);
        let mut stream = tunnel.connect();
        stream.write_all(b"POST /e HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n").unwrap();
        let mut leave = [0; 25];
        stream.read_exact(&mut leave).unwrap();
        assert_eq!(&leave, b"HTTP/1.1 100 Continue\r\n\r\n");
        stream.write_all(b"abc").unwrap();
        assert_eq!(answers(&read_all(&mut stream))[0].body.split_once(' ').unwrap().1, "/e 3", "{backend}");
    }
}

#[test]
fn where_an_upstream_is_gone_the_other_answers() {
    for backend in BACKENDS {
        let (one, _) = recorder("one");
        let to = format!("{},{one}", nobody());
        let tunnel = Tunnel::start("balance", &["--to", &to, "--backend", backend]);
        let mut stream = tunnel.connect();
        for _ in 0..20 {
            assert!(ask(&mut stream, GET).starts_with("one"), "{backend}");
            assert!(
                ask(&mut stream, "POST /p HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab")
                    .starts_with("one"),
                "{backend}"
            );
        }
        // It was tried once, or a little more often, and then left alone.
        assert!(
            tunnel.metric("connect_errors_total") <= 3,
            "{backend}: {} tries",
            tunnel.metric("connect_errors_total")
        );
    }
}

#[test]
fn only_what_may_be_asked_twice_is_tried_again() {
    // Takes a request and closes without a word.
    let silent = origin(|mut stream| {
        let (mut pending, mut bytes) = (Vec::new(), [0; 4096]);
        while Request::take(&mut pending).is_none() {
            match stream.read(&mut bytes) {
                Ok(length @ 1..) => pending.extend_from_slice(&bytes[..length]),
                _ => return,
            }
        }
    });
    for backend in BACKENDS {
        let (one, recorded) = recorder("one");
        let tunnel = Tunnel::start(
            "balance",
            &["--to", &format!("{silent},{one}"), "--backend", backend, "--threads", "1"],
        );
        assert!(
            answers(
                &tunnel.ask(
                    GET.as_bytes()
                        .strip_suffix(b"\r\n")
                        .map(|head| [head, b"Connection: close\r\n\r\n"].concat())
                        .unwrap()
                        .as_slice()
                )
            )[0]
            .body
            .starts_with("one"),
            "{backend}"
        );
        let post = "POST /p HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\nab";
        let statuses: Vec<u16> = (0..4).map(|_| answers(&tunnel.ask(post.as_bytes()))[0].status).collect();
        assert_eq!(statuses.iter().filter(|&&status| status == 502).count(), 2, "{backend}: {statuses:?}");
        let seen = String::from_utf8(recorded.lock().unwrap().concat()).unwrap();
        assert_eq!(seen.matches("POST /p").count(), 2, "{backend}");
    }
}

#[test]
fn an_upstream_that_does_not_answer_is_told_in_time() {
    let silent = origin(|mut stream| drop(read_all(&mut stream))).to_string();
    for backend in BACKENDS {
        let tunnel =
            Tunnel::start("balance", &["--to", &silent, "--backend", backend, "--answer-timeout", "300ms"]);
        assert_eq!(answers(&tunnel.ask(CLOSING.as_bytes()))[0].status, 504, "{backend}");
    }
}

/// Answer to a body of two bytes, the second sent after a pause; without a pause, never.
fn upload_slowly(tunnel: &Tunnel, pause: Option<Duration>) -> super::support::Answer {
    let head = "POST /u HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\n";
    let mut stream = tunnel.connect();
    stream.write_all(format!("{head}a").as_bytes()).unwrap();
    if let Some(pause) = pause {
        thread::sleep(pause);
        stream.write_all(b"b").unwrap();
    }
    answers(&read_all(&mut stream)).remove(0)
}

#[test]
fn a_pause_in_an_upload_is_the_clients_and_silence_after_it_the_upstreams() {
    let silent = origin(|mut stream| drop(read_all(&mut stream)));
    let (one, _) = recorder("one");
    for backend in BACKENDS {
        let start = |to: std::net::SocketAddr, idle: &str| {
            let to = to.to_string();
            let words = ["--to", &to, "--backend", backend, "--idle-timeout", idle];
            Tunnel::start("balance", &[&words[..], &["--answer-timeout", "1s"]].concat())
        };
        let answer = upload_slowly(&start(one, "75s"), Some(Duration::from_millis(1300)));
        assert_eq!((answer.status, answer.body.as_str()), (200, "one /u 2"), "{backend}");
        assert_eq!(upload_slowly(&start(one, "300ms"), None).status, 408, "{backend}");
        assert_eq!(
            upload_slowly(&start(silent, "75s"), Some(Duration::from_millis(50))).status,
            504,
            "{backend}"
        );
    }
}

#[test]
fn an_answer_that_breaks_off_is_not_taken_for_whole() {
    for answer in [
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ] {
        for backend in BACKENDS {
            let tunnel = Tunnel::start("balance", &["--to", &answering(answer, true), "--backend", backend]);
            let mut stream = tunnel.connect();
            stream.write_all(GET.as_bytes()).unwrap();
            let mut got = Vec::new();
            assert!(stream.read_to_end(&mut got).is_err(), "{backend}: {:?}", String::from_utf8_lossy(&got));
        }
    }
}

#[test]
fn nonsense_of_an_upstream_is_a_502() {
    for answer in [
        "nonsense\r\n\r\n",
        "HTTP/1.1 200 OK\nContent-Length: 0\n\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\n\r\n",
        "HTTP/1.1 99 Low\r\nContent-Length: 0\r\n\r\n",
    ] {
        for backend in BACKENDS {
            let tunnel = Tunnel::start("balance", &["--to", &answering(answer, true), "--backend", backend]);
            assert_eq!(
                answers(
                    &tunnel
                        .ask(b"POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
                )[0]
                .status,
                502,
                "{backend}: {answer:?}"
            );
        }
    }
}

#[test]
fn an_upstream_is_asked_how_it_is() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    let well = Arc::new(AtomicBool::new(true));
    let told = Arc::clone(&well);
    let sick = origin(move |mut stream| {
        let (mut pending, mut bytes) = (Vec::new(), [0; 4096]);
        while let Ok(length @ 1..) = stream.read(&mut bytes) {
            pending.extend_from_slice(&bytes[..length]);
            while let Some(request) = Request::take(&mut pending) {
                let status = if request.path == "/health" && !told.load(Ordering::Relaxed) {
                    "503 No"
                } else {
                    "200 OK"
                };
                stream
                    .write_all(format!("HTTP/1.1 {status}\r\nContent-Length: 4\r\n\r\nsick").as_bytes())
                    .unwrap();
            }
        }
    });
    for backend in BACKENDS {
        well.store(true, Ordering::Relaxed);
        let (one, _) = recorder("one");
        let to = format!("{sick},{one}");
        let tunnel = Tunnel::start(
            "balance",
            &["--to", &to, "--backend", backend, "--health", "/health", "--health-interval", "50ms"],
        );
        let mut stream = tunnel.connect();
        let mut names =
            |count: usize| (0..count).map(|_| ask(&mut stream, GET)).filter(|body| body == "sick").count();
        assert_eq!(names(10), 5, "{backend}");
        well.store(false, Ordering::Relaxed);
        until("it gets no more requests", || names(10) == 0);
        well.store(true, Ordering::Relaxed);
        until("it is back", || names(10) == 5);
    }
}

#[test]
fn upstreams_may_be_socket_files() {
    use std::os::unix::net::UnixListener;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("api.sock");
    let listener = UnixListener::bind(&path).unwrap();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let (mut pending, mut bytes) = (Vec::new(), [0; 4096]);
            while let Ok(length @ 1..) = stream.read(&mut bytes) {
                pending.extend_from_slice(&bytes[..length]);
                while Request::take(&mut pending).is_some() {
                    stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nunix").unwrap();
                }
            }
        }
    });
    for backend in BACKENDS {
        let to = format!("unix:{}", path.display());
        let tunnel = Tunnel::start("balance", &["--to", &to, "--backend", backend, "--threads", "1"]);
        let mut stream = tunnel.connect();
        assert_eq!([ask(&mut stream, GET), ask(&mut stream, GET)], ["unix", "unix"], "{backend}");
    }
}

#[test]
fn a_client_of_http_1_0_may_keep_its_connection() {
    for backend in BACKENDS {
        let (tunnel, _) = two(backend, &[]);
        let mut stream = tunnel.connect();
        ask(&mut stream, "GET /old HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
        stream.write_all(b"GET /old HTTP/1.0\r\n\r\n").unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let got = answers(&read_all(&mut stream));
        assert!(got[0].head.contains("Connection: close"), "{backend}: {got:?}");
        let _ = patient(stream);
    }
}

#[test]
fn the_host_of_a_whole_address_is_the_one_that_upstreams_see() {
    for backend in BACKENDS {
        let (tunnel, recorded) = two(backend, &[]);
        let request = "GET http://y:80/h HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
        assert_eq!(answers(&tunnel.ask(request.as_bytes()))[0].status, 200);
        let seen: Vec<u8> = recorded.iter().flat_map(|recorded| recorded.lock().unwrap().concat()).collect();
        let got = Request::take(&mut seen.clone()).unwrap();
        assert_eq!(got.fields, [("host".to_owned(), "y:80".to_owned())], "{backend}");
    }
}

#[test]
fn without_any_upstream_the_answer_is_502_and_the_connection_goes_on() {
    for backend in BACKENDS {
        let tunnel = Tunnel::start("balance", &["--to", &nobody().to_string(), "--backend", backend]);
        let mut stream = tunnel.connect();
        for _ in 0..3 {
            assert_eq!(ask(&mut stream, GET), "no upstream could be reached\n", "{backend}");
        }
        stream.write_all(b"HEAD / HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        assert!(read_all(&mut stream).starts_with(b"HTTP/1.1 502 "), "{backend}");
        assert_eq!(tunnel.metric("connect_errors_total"), 4, "{backend}: each request tries it once");
    }
}

#[test]
fn a_kept_connection_that_the_upstream_closed_is_replaced() {
    // Answers one request, and closes a moment later without having said so.
    let one_each = origin(|mut stream| {
        let (mut pending, mut bytes) = (Vec::new(), [0; 4096]);
        while Request::take(&mut pending).is_none() {
            match stream.read(&mut bytes) {
                Ok(length @ 1..) => pending.extend_from_slice(&bytes[..length]),
                _ => return,
            }
        }
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").unwrap();
    })
    .to_string();
    for backend in BACKENDS {
        let tunnel = Tunnel::start("balance", &["--to", &one_each, "--backend", backend]);
        let mut stream = tunnel.connect();
        for _ in 0..10 {
            // A creation is never sent twice, so it must not meet a closed connection.
            assert_eq!(
                ask(&mut stream, "POST /p HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab"),
                "ok",
                "{backend}"
            );
            thread::sleep(Duration::from_millis(50));
        }
    }
}

#[test]
fn five_hundred_clients_at_once_are_all_served() {
    for backend in BACKENDS {
        let (tunnel, _) = two(backend, &[]);
        let mut clients: Vec<TcpStream> = (0..500).map(|_| tunnel.connect()).collect();
        clients.iter_mut().for_each(|client| client.write_all(GET.as_bytes()).unwrap());
        for client in &mut clients {
            let mut start = [0; 15];
            client.read_exact(&mut start).unwrap();
            assert_eq!(&start, b"HTTP/1.1 200 OK", "{backend}");
        }
    }
}

#[test]
fn the_answer_to_head_keeps_its_length_and_the_connection_goes_on() {
    for backend in BACKENDS {
        let (tunnel, _) = two(backend, &[]);
        let mut stream = tunnel.connect();
        let last = "GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
        stream.write_all(format!("HEAD /h HTTP/1.1\r\nHost: x\r\n\r\n{last}").as_bytes()).unwrap();
        let got = String::from_utf8(read_all(&mut stream)).unwrap();
        let (head, rest) = got.split_once("\r\n\r\n").unwrap();
        // `one /h 0`, or `other /h 0`.
        assert!(
            head.contains("Content-Length: 8") || head.contains("Content-Length: 10"),
            "{backend}: {head}"
        );
        assert!(rest.starts_with("HTTP/1.1 200 OK") && rest.contains("/last 0"), "{backend}: {rest}");
    }
}

#[test]
fn what_concerns_the_upstreams_connection_is_not_passed_back() {
    let answer = "HTTP/1.1 200 OK\r\nConnection: keep-alive, x-mine\r\nX-Mine: 1\r\nKeep-Alive: timeout=5\r\nX-Other: 2\r\nContent-Length: 2\r\n\r\nok";
    for backend in BACKENDS {
        let tunnel = Tunnel::start("balance", &["--to", &answering(answer, false), "--backend", backend]);
        let got = answers(&tunnel.ask(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")).remove(0);
        assert_eq!(
            got.head, "HTTP/1.1 200 OK\r\nX-Other: 2\r\nContent-Length: 2\r\nConnection: close",
            "{backend}"
        );
    }
}
