use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;
use crate::requests::{Completed, Refused, Requests};

const GET: &[u8] = b"GET / HTTP/1.1\r\nhost: a\r\n\r\n";
const POST: &[u8] = b"POST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\nhello\r\n\r\nab";

/// A server in a thread of its own.
struct Running {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Result<Counts, NullError>>,
}

impl Running {
    fn start(options: Options) -> Self {
        let server = Server::bind(options).unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        Self { address: server.address(), stop, thread: std::thread::spawn(move || server.run(&flag)) }
    }

    fn connect(&self) -> TcpStream {
        let socket = TcpStream::connect(self.address).unwrap();
        socket.set_nodelay(true).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        socket
    }

    fn stop(self) -> Counts {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().unwrap().unwrap()
    }
}

fn answer(body_bytes: usize) -> Vec<u8> {
    let mut answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {body_bytes}\r\n\r\n").into_bytes();
    answer.resize(answer.len() + body_bytes, b'0');
    answer
}

fn expect(socket: &mut TcpStream, expected: &[u8]) {
    let mut got = vec![0; expected.len()];
    socket.read_exact(&mut got).unwrap();
    assert!(got == expected, "{:?}", String::from_utf8_lossy(&got));
}

/// Reads until the peer closes or resets.
fn rest(socket: &mut TcpStream) -> Vec<u8> {
    let mut got = Vec::new();
    if let Err(error) = socket.read_to_end(&mut got) {
        assert_eq!(error.kind(), ErrorKind::ConnectionReset);
    }
    got
}

#[test]
fn a_connection_is_kept_and_every_request_gets_the_same_answer() {
    let server = Running::start(Options::default());
    let mut socket = server.connect();
    for _ in 0..3 {
        socket.write_all(GET).unwrap();
        expect(&mut socket, &answer(34));
    }
    drop(socket);
    assert_eq!(server.stop(), Counts { connections: 1, requests: 3, answers: 3, refused: 0 });
}

#[test]
fn a_request_sent_byte_by_byte_is_answered_after_its_last_byte_and_not_before() {
    let server = Running::start(Options { body_bytes: 5, ..Options::default() });
    for request in [GET, POST] {
        let mut socket = server.connect();
        let (last, before) = request.split_last().unwrap();
        for byte in before {
            socket.write_all(&[*byte]).unwrap();
            std::thread::yield_now();
        }
        socket.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
        assert!(socket.read(&mut [0]).is_err(), "answered before its end");
        socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        socket.write_all(&[*last]).unwrap();
        expect(&mut socket, &answer(5));
    }
    assert_eq!(server.stop().requests, 2);
}

#[test]
fn pipelined_requests_get_as_many_answers() {
    let server = Running::start(Options::default());
    let mut socket = server.connect();
    socket.write_all(&[GET, POST, GET].concat()).unwrap();
    expect(&mut socket, &answer(34).repeat(3));
    assert_eq!(server.stop().answers, 3);
}

#[test]
fn an_answer_larger_than_all_buffers_arrives_whole() {
    let server = Running::start(Options { body_bytes: 20_000_000, ..Options::default() });
    let mut socket = server.connect();
    socket.write_all(&[GET, GET].concat()).unwrap();
    expect(&mut socket, &answer(20_000_000).repeat(2));
    assert_eq!(server.stop().answers, 2);
}

#[test]
fn many_connections_are_served_at_once() {
    let server = Running::start(Options { body_bytes: 0, ..Options::default() });
    let mut sockets: Vec<_> = (0..300).map(|_| server.connect()).collect();
    for socket in &mut sockets {
        socket.write_all(GET).unwrap();
    }
    for socket in &mut sockets {
        expect(socket, &answer(0));
    }
    assert_eq!(server.stop(), Counts { connections: 300, requests: 300, answers: 300, refused: 0 });
}

#[test]
fn answers_come_no_earlier_than_the_delay_says_and_in_order() {
    let delay = Duration::from_millis(60);
    let server = Running::start(Options { delay, ..Options::default() });
    let (mut first, mut second) = (server.connect(), server.connect());
    let start = Instant::now();
    first.write_all(GET).unwrap();
    second.write_all(&[GET, GET].concat()).unwrap();
    expect(&mut first, &answer(34));
    assert!(start.elapsed() >= delay);
    expect(&mut second, &answer(34).repeat(2));
    assert_eq!(server.stop().answers, 3);
}

#[test]
fn a_delayed_answer_of_a_closed_connection_goes_to_nobody_else() {
    let server = Running::start(Options { delay: Duration::from_millis(60), ..Options::default() });
    let mut gone = server.connect();
    gone.write_all(GET).unwrap();
    drop(gone);
    let mut other = server.connect();
    other.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    assert!(other.read(&mut [0]).is_err(), "an answer without a request");
    server.stop();
}

#[test]
fn nothing_is_answered_during_a_stall_and_everything_after_it() {
    let stall = Some(Duration::ZERO..Duration::from_millis(400));
    let server = Running::start(Options { stall, ..Options::default() });
    let start = Instant::now();
    let (mut first, mut second) = (server.connect(), server.connect());
    first.write_all(GET).unwrap();
    expect(&mut first, &answer(34)); // the request that begins the count
    first.write_all(GET).unwrap();
    second.write_all(GET).unwrap();
    expect(&mut first, &answer(34));
    assert!(start.elapsed() >= Duration::from_millis(400), "answered in the stall");
    expect(&mut second, &answer(34));
    assert_eq!(server.stop().answers, 3);
}

#[test]
fn a_stalled_server_stops_when_told() {
    let stall = Some(Duration::ZERO..Duration::from_secs(3600));
    let server = Running::start(Options { stall, ..Options::default() });
    let mut socket = server.connect();
    socket.write_all(GET).unwrap();
    expect(&mut socket, &answer(34));
    assert_eq!(server.stop().requests, 1);
}

#[test]
fn a_connection_is_closed_after_so_many_answers() {
    let server = Running::start(Options { close_after: Some(2), ..Options::default() });
    let mut socket = server.connect();
    for _ in 0..2 {
        socket.write_all(GET).unwrap();
        expect(&mut socket, &answer(34));
    }
    assert_eq!(rest(&mut socket), b"");
    let mut again = server.connect();
    again.write_all(GET).unwrap();
    expect(&mut again, &answer(34));
    assert_eq!(server.stop(), Counts { connections: 2, requests: 3, answers: 3, refused: 0 });
}

#[test]
fn a_request_that_asks_for_the_end_gets_it_after_its_answer() {
    let server = Running::start(Options { delay: Duration::from_millis(20), ..Options::default() });
    let mut socket = server.connect();
    socket.write_all(b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n").unwrap();
    assert_eq!(rest(&mut socket), answer(34));
    assert_eq!(server.stop().answers, 1);
}

#[test]
fn what_has_no_plain_end_is_refused_and_the_others_go_on() {
    let server = Running::start(Options::default());
    let mut other = server.connect();
    for head in [
        "HEAD / HTTP/1.1\r\n\r\n",
        "POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n",
        "POST / HTTP/1.1\r\ncontent-length: +3\r\n\r\n",
        "POST / HTTP/1.1\r\ncontent-length: 99999999999999999999\r\n\r\n",
    ] {
        let mut socket = server.connect();
        socket.write_all(head.as_bytes()).unwrap();
        assert!(rest(&mut socket).starts_with(b"HTTP/1.1 501 "), "{head:?}");
    }
    other.write_all(GET).unwrap();
    expect(&mut other, &answer(34));
    assert_eq!(server.stop().refused, 4);
}

#[test]
fn a_head_without_end_is_refused_before_it_fills_the_memory() {
    let server = Running::start(Options::default());
    let mut socket = server.connect();
    let written = (0..1_000).try_for_each(|_| socket.write_all(&[b'a'; 4096]));
    assert!(written.is_err() || rest(&mut socket).starts_with(b"HTTP/1.1 501 "));
    assert_eq!(server.stop().refused, 1);
}

#[test]
fn it_ends_when_the_pipe_that_it_is_tied_to_is_closed() {
    let (held, pipe) = std::os::unix::net::UnixStream::pair().unwrap();
    let mut server = Server::bind(Options::default()).unwrap();
    server.tie_to(&pipe).unwrap();
    let thread = std::thread::spawn(move || server.run(&AtomicBool::new(false)));
    held.shutdown(Shutdown::Both).unwrap();
    assert_eq!(thread.join().unwrap().unwrap(), Counts::default());
}

#[test]
fn a_taken_address_is_named_with_what_to_do() {
    let taken = Server::bind(Options::default()).unwrap();
    let error = Server::bind(Options { address: taken.address(), ..Options::default() }).unwrap_err();
    let text = error.to_string();
    assert!(text.contains(&taken.address().to_string()) && text.contains("hint: "), "{text}");
}

/// Hands `bytes` over in pieces that end at `cuts`; what all of them completed.
fn taken(bytes: &[u8], cuts: &[usize]) -> Result<Completed, Refused> {
    let mut requests = Requests::default();
    let mut ends: Vec<usize> = cuts.iter().map(|cut| cut % (bytes.len() + 1)).collect();
    ends.push(bytes.len());
    ends.sort_unstable();
    let mut sum = Completed::default();
    let mut from = 0;
    for end in ends {
        let seen = requests.take(&bytes[from..end])?;
        sum.complete += seen.complete;
        from = end;
        if seen.last {
            sum.last = true;
            break;
        }
    }
    Ok(sum)
}

#[test]
fn wherever_two_requests_are_cut_in_two_they_are_two() {
    let both = [POST, b"\r\n", GET].concat();
    for cut in 0..=both.len() {
        assert_eq!(taken(&both, &[cut]), Ok(Completed { complete: 2, last: false }), "cut at {cut}");
    }
}

#[test]
fn a_length_in_a_body_or_in_another_header_is_none() {
    let request = b"GET / HTTP/1.1\r\nx-content-length: 9\r\ncookie: content-length: 9\r\n\r\n";
    assert_eq!(taken(request, &[]), Ok(Completed { complete: 1, last: false }));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn requests_are_counted_wherever_they_are_cut(
        bodies in prop::collection::vec((prop::collection::vec(any::<u8>(), 0..80), "[ -~]{0,30}"), 0..6),
        cuts in prop::collection::vec(any::<usize>(), 0..12),
    ) {
        let mut bytes = Vec::new();
        for (body, value) in &bodies {
            let head = format!("PUT / HTTP/1.1\r\nx: {value}\r\nCONTENT-length:{}\r\n\r\n", body.len());
            bytes.extend_from_slice(head.as_bytes());
            bytes.extend_from_slice(body);
        }
        let expected = Completed { complete: bodies.len() as u64, last: false };
        prop_assert_eq!(taken(&bytes, &cuts), Ok(expected));
    }

    #[test]
    fn cutting_noise_changes_nothing(
        bytes in prop::collection::vec(prop::sample::select(b"\r\n\r\n:cCt 01GET".to_vec()), 0..200),
        cuts in prop::collection::vec(any::<usize>(), 0..12),
    ) {
        prop_assert_eq!(taken(&bytes, &cuts), taken(&bytes, &[]));
    }
}
