//! Clients that misuse the doors. Each is refused or ended within a bound, and honest clients notice nothing.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::http::person;
use crate::support::client::{Client, message, raw, status, until_ended};
use crate::support::load::{Load, NOTHING};
use crate::support::{BOUND, Champion};

/// Until a connection that misuses a door has been ended: a timeout that is configured, and a bound for a busy machine.
const ENDED: Duration = BOUND;

/// Misuses each door while honest clients are at work.
fn abuse(misuse: impl Fn(&str, SocketAddr)) {
    let champion = Champion::start();
    let honest = Load::start(champion.balancer.address, "h", 4, NOTHING);
    honest.wait_for_creations(1);
    for (door, address) in champion.doors() {
        misuse(door, address);
    }
    // They are still served, and not only while nothing had begun.
    honest.wait_for_creations(1);
    honest.stop().holds(&champion);
}

/// Sends a byte every second until the server ends the connection, and gives what it said.
fn drip(door: &str, stream: &mut TcpStream, bytes: impl Iterator<Item = u8>) -> Vec<u8> {
    let (patience, mut received) = (Instant::now() + ENDED, Vec::new());
    for byte in bytes {
        assert!(Instant::now() < patience, "{door}: a slow client is still there");
        // An error of either is the end.
        if stream.write_all(&[byte]).is_err() {
            break;
        }
        let pause = Instant::now() + Duration::from_secs(1);
        let mut piece = [0; 4096];
        while Instant::now() < pause {
            match stream.read(&mut piece) {
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                Ok(length @ 1..) => received.extend_from_slice(&piece[..length]),
                Ok(0) | Err(_) => return received,
            }
        }
    }
    received
}

#[test]
fn a_client_that_sends_a_byte_per_second_is_ended() {
    abuse(|door, address| {
        let body = person("slow");
        let whole = message("POST", "/pessoas", body.as_bytes());
        let (head, body) = whole.split_at(whole.len() - body.len());
        thread::scope(|scope| {
            scope.spawn(|| {
                let told = drip(door, &mut raw(address), head.iter().copied());
                assert!(matches!(status(&told), None | Some(408)), "{door}: {:?}", status(&told));
            });
            scope.spawn(|| {
                let mut stream = raw(address);
                stream.write_all(head).unwrap();
                let told = drip(door, &mut stream, body.iter().copied());
                assert!(matches!(status(&told), None | Some(408)), "{door}: {:?}", status(&told));
            });
        });
    });
}

#[test]
fn a_thousand_idle_connections_harm_nobody_and_are_ended() {
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }).unwrap();
    abuse(|door, address| {
        let mut idle: Vec<TcpStream> = (0..1000).map(|_| raw(address)).collect();
        let mut served = Client::open(address).unwrap();
        assert_eq!(served.ask("GET", "/pessoas?t=nobodyofthisname", b"").unwrap().status, 200, "{door}");
        let patience = Instant::now() + ENDED;
        for (n, stream) in idle.iter_mut().enumerate() {
            let left = patience.saturating_duration_since(Instant::now());
            let told = until_ended(stream, left.max(Duration::from_millis(100)));
            assert!(told.is_some(), "{door}: idle connection {n} is still there");
        }
    });
}

/// Sends the pieces until there is an answer or an end, and gives what came until the end.
fn pour(door: &str, stream: &mut TcpStream, pieces: impl Iterator<Item = Vec<u8>>) -> Vec<u8> {
    let mut received = Vec::new();
    let mut piece = [0; 4096];
    for bytes in pieces {
        if stream.write_all(&bytes).is_err() {
            break;
        }
        match stream.read(&mut piece) {
            Ok(length) => {
                received.extend_from_slice(&piece[..length]);
                break;
            }
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(_) => break,
        }
    }
    let rest = until_ended(stream, 2 * ENDED);
    received.extend(rest.unwrap_or_else(|| panic!("{door}: a client that says too much is still there")));
    received
}

const MEGABYTE: usize = 1 << 20;

#[test]
fn bodies_of_ten_megabytes_are_refused() {
    abuse(|door, address| {
        let length = 10 * MEGABYTE;
        let head = format!("POST /pessoas HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n");
        let body = (0..10).map(|_| vec![b' '; MEGABYTE]);
        let told = pour(door, &mut raw(address), [head.into_bytes()].into_iter().chain(body));
        assert_eq!(status(&told), Some(413), "{door}: a length of ten megabytes");

        let head = b"POST /pessoas HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
        let chunks = (0..160).map(|_| [&b"10000\r\n"[..], &[b' '; 0x10000], b"\r\n"].concat());
        let told = pour(door, &mut raw(address), [head].into_iter().chain(chunks));
        assert_eq!(status(&told), Some(413), "{door}: chunks of ten megabytes");
    });
}

#[test]
fn headers_of_64_kilobytes_are_refused() {
    abuse(|door, address| {
        let long = "x".repeat(64 * 1024);
        let many = "X-Many: 0123456789\r\n".repeat(64 * 1024 / 20);
        for (what, head) in [
            ("a long header", format!("GET /contagem-pessoas HTTP/1.1\r\nHost: x\r\nX-Long: {long}\r\n\r\n")),
            ("many headers", format!("GET /contagem-pessoas HTTP/1.1\r\nHost: x\r\n{many}\r\n")),
            ("a long target", format!("GET /pessoas?t={long} HTTP/1.1\r\nHost: x\r\n\r\n")),
        ] {
            let told = pour(door, &mut raw(address), [head.into_bytes()].into_iter());
            assert!(matches!(status(&told), Some(400 | 414 | 431)), "{door}: {what}: {:?}", status(&told));
        }
    });
}

#[test]
fn a_connection_that_is_closed_on_one_side_is_ended() {
    abuse(|door, address| {
        let whole = message("POST", "/pessoas", person(&format!("half{door}")).as_bytes());
        let head = whole.windows(4).position(|window| window == b"\r\n\r\n").unwrap() + 4;
        // Who has sent a whole request is not done: an answer is due (RFC 9112, section 9.6). nginx takes it for the
        // client's leave all the same, and ends the request (`proxy_ignore_client_abort` would keep it, and with it the
        // requests of all who have really gone).
        let after: &[_] = if door == "instance" { &[Some(201)] } else { &[None, Some(201)] };
        let refused: &[_] = &[None, Some(400), Some(408)];
        for (what, sent, right) in [
            ("in the head", &whole[..20], refused),
            ("before the body", &whole[..head], refused),
            ("in the body", &whole[..whole.len() - 1], refused),
            ("after the request", &whole[..], after),
        ] {
            let mut stream = raw(address);
            stream.write_all(sent).unwrap();
            stream.shutdown(Shutdown::Write).unwrap();
            let told =
                until_ended(&mut stream, ENDED).unwrap_or_else(|| panic!("{door}: {what}: still there"));
            let status = status(&told);
            assert!(right.contains(&status), "{door}: {what}: {status:?}");
        }
    });
}

#[test]
fn garbage_is_refused() {
    abuse(|door, address| {
        let noise: Vec<u8> = (0..4096_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        let garbage: [(&str, &[u8]); 9] = [
            ("noise", &noise),
            ("TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),
            ("HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
            ("no version", b"GET /pessoas?t=a HTTP/9.9\r\nHost: x\r\n\r\n"),
            ("a space in a name", b"GET /pessoas?t=a HTTP/1.1\r\nHost: x\r\nA B: c\r\n\r\n"),
            ("no number", b"POST /pessoas HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n"),
            (
                "two lengths",
                b"POST /pessoas HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
            ),
            ("no chunk", b"POST /pessoas HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
            (
                "an unknown coding",
                b"POST /pessoas HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: zip\r\n\r\n0\r\n\r\n",
            ),
        ];
        for (what, bytes) in garbage {
            let told = pour(door, &mut raw(address), [bytes.to_vec()].into_iter());
            let status = status(&told);
            assert!(matches!(status, None | Some(400 | 408 | 411 | 501 | 505)), "{door}: {what}: {status:?}");
        }
    });
}

#[test]
fn pipelined_requests_are_answered_in_order() {
    abuse(|door, address| {
        let mut client = Client::open(address).unwrap();
        let mut requests = Vec::new();
        for n in 0..100 {
            requests.extend(message("POST", "/pessoas", person(&format!("{door}{n}")).as_bytes()));
            requests.extend(message("GET", &format!("/pessoas?t={door}{n}"), b""));
        }
        client.send(&requests).unwrap();
        for n in 0..100 {
            assert_eq!(client.answer().unwrap().status, 201, "{door}: creation {n}");
            let found = client.answer().unwrap();
            assert!(found.text().contains(&format!("\"{door}{n}\"")), "{door}: {}", found.text());
        }
    });
}

#[test]
fn a_client_that_never_reads_its_answers_is_ended() {
    abuse(|door, address| {
        for n in 0..60 {
            let mut client = Client::open(address).unwrap();
            let body = person(&format!("{door}unread{n}"));
            assert_eq!(client.ask("POST", "/pessoas", body.as_bytes()).unwrap().status, 201);
        }
        let mut stream = raw(address);
        let searches = message("GET", "/pessoas?t=unread", b"").repeat(100);
        let patience = Instant::now() + 2 * ENDED;
        // Until a write fails or waits in vain: then nobody is there any more, or nobody reads.
        while stream.write_all(&searches).is_ok() {
            assert!(Instant::now() < patience, "{door}: it takes more and more");
        }
        assert!(until_ended(&mut stream, 2 * ENDED).is_some(), "{door}: still there");
    });
}
