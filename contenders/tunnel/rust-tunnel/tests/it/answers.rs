//! Answers that a client does not take, and answers that are longer than they say.

use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use super::support::{BACKENDS, Request, Tunnel, answers, origin};

/// An upstream that answers each request with these bytes, and how many connections it took.
fn answering(answer: Vec<u8>) -> (String, Arc<AtomicUsize>) {
    let connections = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&connections);
    let address = origin(move |mut stream| {
        counted.fetch_add(1, Ordering::Relaxed);
        let (mut pending, mut bytes) = (Vec::new(), [0; 4096]);
        while let Ok(length @ 1..) = stream.read(&mut bytes) {
            pending.extend_from_slice(&bytes[..length]);
            while Request::take(&mut pending).is_some() {
                if stream.write_all(&answer).is_err() {
                    return;
                }
            }
        }
    });
    (address.to_string(), connections)
}

#[test]
fn clients_that_ask_on_and_take_no_answer_are_held_back() {
    const CLIENTS: usize = 40;
    const REQUESTS: usize = 800;
    const BODY: usize = 10_000;
    let body = "x".repeat(BODY);
    let (to, _) = answering(format!("HTTP/1.1 200 OK\r\nContent-Length: {BODY}\r\n\r\n{body}").into());
    let requests = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n".repeat(REQUESTS);
    for backend in BACKENDS {
        let tunnel = Tunnel::start("balance", &["--to", &to, "--backend", backend]);
        let before = tunnel.memory();
        let mut clients: Vec<_> = (0..CLIENTS)
            .map(|_| {
                let mut client = tunnel.connect();
                client.write_all(requests.as_bytes()).unwrap();
                client
            })
            .collect();
        // Until nothing more is asked for.
        let mut asked = 0;
        loop {
            thread::sleep(Duration::from_millis(500));
            let now = tunnel.metric("requests_total");
            if now == std::mem::replace(&mut asked, now) && now > 0 {
                break;
            }
        }
        assert!(asked < (CLIENTS * REQUESTS) as u64, "{backend}: all was asked for, and nothing taken");
        let grown = tunnel.memory().saturating_sub(before);
        // The buffers for all are 2 MB a thread; of each client an answer and some requests wait.
        assert!(grown < 12_000_000, "{backend}: {grown} bytes more");
        // Nothing is lost.
        let client = &mut clients[0];
        let mut got = vec![0; 100_000];
        let (mut bytes, mut whole) = (Vec::new(), 0);
        while whole < REQUESTS {
            let length = client.read(&mut got).unwrap();
            assert!(length > 0, "{backend}: ended after {whole} answers");
            bytes.extend_from_slice(&got[..length]);
            while let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n")
                && bytes.len() >= end + 4 + BODY
            {
                assert!(bytes.starts_with(b"HTTP/1.1 200 OK\r\n"), "{backend}: answer {whole}");
                assert!(bytes[end + 4..end + 4 + BODY].iter().all(|&byte| byte == b'x'), "{backend}");
                bytes.drain(..end + 4 + BODY);
                whole += 1;
            }
        }
    }
}

#[test]
fn a_connection_on_which_more_came_than_the_answer_is_not_used_again() {
    let stolen = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nstolen";
    let large = "x".repeat(9_000);
    for (answer, body) in [
        (format!("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok{stolen}"), "ok"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok\r\n".to_owned(), "ok"),
        (format!("HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n{large}{stolen}"), &large),
        (format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n{stolen}"), "ok"),
        (format!("HTTP/1.1 204 No Content\r\n\r\n{stolen}"), ""),
        ("HTTP/1.1 304 Not Modified\r\n\r\nok".to_owned(), ""),
    ] {
        for backend in BACKENDS {
            let (to, connections) = answering(answer.clone().into());
            let words = ["--to", &to, "--backend", backend, "--threads", "1"];
            let tunnel = Tunnel::start("balance", &words);
            for number in 1..=4 {
                let got = answers(&tunnel.ask(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"));
                assert_eq!((got.len(), got[0].body.as_str()), (1, body), "{backend}: {answer:?}");
                assert_eq!(connections.load(Ordering::Relaxed), number, "{backend}: {answer:?}");
            }
        }
    }
}
