use std::net::TcpListener;
use std::sync::Arc;

use super::*;

const SOON: Duration = Duration::from_millis(300);
const ENOUGH: Duration = Duration::from_secs(20);

/// Serves one connection by `serve`.
fn server(serve: impl FnOnce(TcpStream) + Send + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || serve(listener.accept().unwrap().0));
    address
}

/// Reads to the empty line, then writes `answer`, and waits for the client to close.
fn answering(answer: &'static [u8]) -> SocketAddr {
    server(move |mut stream| {
        read_head(&mut stream);
        let _ = stream.write_all(answer);
        let _ = io::copy(&mut stream, &mut io::sink());
    })
}

fn read_head(stream: &mut TcpStream) -> Vec<u8> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
    head
}

fn asked(target: SocketAddr, bytes: &[u8], within: Duration) -> (Exchanged, bool) {
    let mut connection = Connection::open(target, ENOUGH).unwrap();
    let exchanged = connection.exchange(&Outgoing { bytes, ..Outgoing::default() }, within);
    (exchanged, connection.is_open())
}

const GET: &[u8] = b"GET / HTTP/1.1\r\n\r\n";

#[test]
fn a_whole_answer_is_read_and_the_connection_stays_open() {
    let (answer, open) =
        asked(answering(b"HTTP/1.1 201 Created\r\nLocation: /x\r\nContent-Length: 2\r\n\r\nok"), GET, ENOUGH);
    assert_eq!((answer.status, answer.body.as_slice(), answer.failure, open), (201, &b"ok"[..], None, true));
    assert_eq!(answer.head, b"HTTP/1.1 201 Created\r\nLocation: /x\r\nContent-Length: 2\r\n\r\n");
}

#[test]
fn two_answers_at_once_are_parted_where_two_are_expected() {
    const TWO: &[u8] =
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\naHTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n";
    let mut connection = Connection::open(answering(TWO), ENOUGH).unwrap();
    let first = connection.exchange(&Outgoing { bytes: GET, more: true, ..Outgoing::default() }, ENOUGH);
    let second = connection.exchange(&Outgoing::default(), ENOUGH);
    assert_eq!((first.status, first.failure, second.status, second.failure), (200, None, 404, None));
    let (one, open) = asked(answering(TWO), GET, ENOUGH);
    assert_eq!((one.status, one.failure.unwrap().kind, open), (200, FailureKind::Unreadable, false));
}

#[test]
fn a_body_under_an_answer_to_head_is_told() {
    let mut connection =
        Connection::open(answering(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"), ENOUGH).unwrap();
    let outgoing = Outgoing { bytes: GET, is_head: true, ..Outgoing::default() };
    let answer = connection.exchange(&outgoing, ENOUGH);
    assert_eq!(answer.failure.unwrap().kind, FailureKind::Unreadable);
}

#[test]
fn a_refusal_in_the_middle_of_a_long_request_is_read() {
    let target = server(|mut stream| {
        read_head(&mut stream);
        stream.write_all(b"HTTP/1.1 413 Too large\r\nContent-Length: 0\r\n\r\n").unwrap();
        std::thread::sleep(ENOUGH);
    });
    let request = [GET, &vec![b'x'; 32 << 20]].concat();
    let (answer, open) = asked(target, &request, ENOUGH);
    assert_eq!((answer.status, answer.failure, open), (413, None, false));
}

#[test]
fn a_server_that_closes_on_a_long_request_has_cut_it() {
    let (answer, open) = asked(server(drop), &vec![b'x'; 32 << 20], ENOUGH);
    assert_eq!((answer.status, answer.failure.unwrap().kind, open), (0, FailureKind::Cut, false));
}

#[test]
fn silence_an_endless_body_and_endless_headers_have_an_end() {
    let silence = |mut stream| drop(io::copy(&mut stream, &mut io::sink()));
    let (silent, _) = asked(server(silence), GET, SOON);
    assert_eq!(silent.failure.unwrap().kind, FailureKind::TimedOut);
    let flood = |start: &'static [u8], more: &'static [u8]| {
        server(move |mut stream| {
            stream.write_all(start).unwrap();
            while stream.write_all(&more.repeat(1000)).is_ok() {}
        })
    };
    let (endless, _) = asked(flood(b"HTTP/1.1 200 OK\r\n\r\n", b"more"), GET, ENOUGH);
    assert_eq!((endless.status, endless.failure.unwrap().kind), (200, FailureKind::TooLong));
    assert_eq!(endless.body.len(), BODY_READ);
    let chunks = flood(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n");
    assert!(asked(chunks, GET, ENOUGH).0.failure.is_some());
    let (headers, _) = asked(flood(b"HTTP/1.1 200 OK\r\n", b"X-More: y\r\n"), GET, ENOUGH);
    assert_eq!((headers.status, headers.failure.unwrap().kind), (0, FailureKind::Unreadable));
}

#[test]
fn garbage_and_a_cut_body_are_told_apart() {
    assert_eq!(
        asked(answering(b"SSH-2.0\r\n\r\n"), GET, ENOUGH).0.failure.unwrap().kind,
        FailureKind::Unreadable
    );
    let cut = server(|mut stream| {
        read_head(&mut stream);
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart").unwrap();
    });
    let (answer, _) = asked(cut, GET, ENOUGH);
    assert_eq!((answer.status, answer.body.as_slice()), (200, &b"part"[..]));
    assert_eq!(answer.failure.unwrap().text, "closed within the body");
}

#[test]
fn a_body_waits_for_the_servers_word() {
    let target = server(|mut stream| {
        read_head(&mut stream);
        stream.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
        let early = stream.read(&mut [0; 16]).is_ok();
        stream.set_read_timeout(None).unwrap();
        stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").unwrap();
        let mut body = [0; 4];
        stream.read_exact(&mut body).unwrap();
        let status = if early || &body != b"body" { 500 } else { 201 };
        write!(stream, "HTTP/1.1 {status} X\r\nContent-Length: 0\r\n\r\n").unwrap();
    });
    let mut connection = Connection::open(target, ENOUGH).unwrap();
    let bytes = [GET, b"body"].concat();
    let outgoing = Outgoing { bytes: &bytes, pause_at: Some(GET.len()), ..Outgoing::default() };
    assert_eq!(connection.exchange(&outgoing, ENOUGH).status, 201);
}

#[test]
fn a_get_tells_what_was_asked_for_and_why_it_failed() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let refused = Failure { kind: FailureKind::Connect, text: "GET /count: connection refused".to_owned() };
    assert_eq!(get(closed, "/count", ENOUGH), Err(refused));
    let fetched = get(answering(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n7"), "/count", ENOUGH);
    assert_eq!(fetched, Ok(Fetched { status: 200, body: b"7".to_vec() }));
}

#[test]
fn a_connection_that_the_server_closed_or_of_another_server_carries_nothing_more() {
    let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    let target = answering(answer);
    let mut connection = Connection::open(target, ENOUGH).unwrap();
    let outgoing = Outgoing { bytes: GET, ..Outgoing::default() };
    assert_eq!(connection.exchange(&outgoing, ENOUGH).status, 200);
    assert!(connection.may_carry_on(target));
    assert!(!connection.may_carry_on(([127, 0, 0, 1], 1).into()));
    let closing = server(|mut stream| {
        read_head(&mut stream);
        stream.write_all(answer).unwrap();
    });
    let mut connection = Connection::open(closing, ENOUGH).unwrap();
    assert_eq!(connection.exchange(&outgoing, ENOUGH).status, 200);
    assert!(connection.is_open());
    connection.wait(PollFlags::IN, ENOUGH).unwrap();
    assert!(!connection.may_carry_on(closing));
}

#[test]
fn who_ends_its_own_direction_still_gets_its_answer() {
    let target = server(|mut stream| {
        let mut all = Vec::new();
        stream.read_to_end(&mut all).unwrap();
        write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", all.len()).unwrap();
        stream.write_all(&all).unwrap();
    });
    let mut connection = Connection::open(target, ENOUGH).unwrap();
    let answer = connection.exchange(&Outgoing { bytes: GET, ends: true, ..Outgoing::default() }, ENOUGH);
    assert_eq!((answer.failure, answer.body.as_slice(), connection.is_open()), (None, GET, false));
}

#[test]
fn a_tunnel_is_asked_for_and_what_comes_right_behind_its_answer_is_kept() {
    let origin: SocketAddr = ([10, 0, 0, 7], 80).into();
    let proxy = server(|mut stream| {
        assert_eq!(read_head(&mut stream), b"CONNECT 10.0.0.7:80 HTTP/1.1\r\nHost: 10.0.0.7:80\r\n\r\n");
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 204 No\r\n\r\n").unwrap();
        let _ = io::copy(&mut stream, &mut io::sink());
    });
    let mut connection = Connection::open_through(proxy, origin, ENOUGH).unwrap();
    assert_eq!(connection.exchange(&Outgoing { bytes: GET, ..Outgoing::default() }, ENOUGH).status, 204);
    for (answer, kind) in [
        (&b"HTTP/1.1 403 No\r\n\r\n"[..], FailureKind::Unreadable),
        (b"SSH-2.0\r\n\r\n", FailureKind::Unreadable),
    ] {
        let refused = Connection::open_through(answering(answer), origin, ENOUGH).unwrap_err();
        assert_eq!(refused.kind, kind, "{}", refused.text);
    }
    let closing = server(drop);
    let cut = Connection::open_through(closing, origin, ENOUGH).unwrap_err();
    assert!(matches!(cut.kind, FailureKind::Cut | FailureKind::Connect), "{}", cut.text);
    let silent = Connection::open_through(
        server(|stream| {
            std::thread::sleep(ENOUGH);
            drop(stream);
        }),
        origin,
        SOON,
    );
    assert_eq!(silent.unwrap_err().kind, FailureKind::TimedOut);
}

#[test]
fn an_exchange_is_broken_off_while_it_waits() {
    let stop = Arc::new(AtomicBool::new(false));
    let stopper = Arc::clone(&stop);
    let target = server(move |mut stream| {
        read_head(&mut stream);
        stopper.store(true, Ordering::Relaxed);
        let _ = io::copy(&mut stream, &mut io::sink());
    });
    let broken_off = get_unless(Some(&stop), target, "/", ENOUGH * 30).unwrap_err();
    let text = "GET /: it was broken off".to_owned();
    assert_eq!(broken_off, Failure { kind: FailureKind::Own, text });
}

#[test]
fn connecting_is_broken_off_while_it_waits() {
    let flags = SocketFlags::CLOEXEC;
    let listener = socket_with(AddressFamily::INET, SocketType::STREAM, flags, Some(ipproto::TCP)).unwrap();
    rustix::net::bind(&listener, &SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
    rustix::net::listen(&listener, 0).unwrap();
    let target = SocketAddr::try_from(rustix::net::getsockname(&listener).unwrap()).unwrap();
    // Its queue is full: the kernel answers no more.
    let _queued: Vec<TcpStream> = (0..4).map(|_| connecting(target).unwrap()).collect();
    let stop = AtomicBool::new(true);
    let broken_off = get_unless(Some(&stop), target, "/", ENOUGH * 30).unwrap_err();
    assert_eq!(broken_off.text, "GET /: it was broken off");
}
