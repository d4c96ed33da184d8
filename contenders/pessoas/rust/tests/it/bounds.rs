//! What clients may take of time and room.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::http::{exchange, person};
use crate::support::Instance;

const COUNT: &[u8] = b"GET /contagem-pessoas HTTP/1.1\r\nHost: x\r\n\r\n";

const LAST_COUNT: &[u8] = b"GET /contagem-pessoas HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

fn connect(instance: &Instance) -> TcpStream {
    let stream = TcpStream::connect(instance.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream
}

/// All that comes until the instance ends the connection.
fn rest(mut stream: TcpStream) -> String {
    let mut bytes = Vec::new();
    // With bytes unread it is reset, which is an end as well; a timeout is not.
    if let Err(error) = stream.read_to_end(&mut bytes) {
        assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset);
    }
    String::from_utf8(bytes).unwrap()
}

#[test]
fn who_sends_nothing_or_too_slowly_is_ended_and_who_is_idle_later() {
    let folder = tempfile::tempdir().unwrap();
    let variables = [("HEAD_TIMEOUT_MS", "100"), ("BODY_TIMEOUT_MS", "100"), ("IDLE_TIMEOUT_MS", "600000")];
    let instance = Instance::start_with(folder.path(), &variables);
    let mut idle = connect(&instance);
    idle.write_all(COUNT).unwrap();
    for begun in ["", "GET /pessoas?t=", "POST /pessoas HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{"] {
        let mut stream = connect(&instance);
        stream.write_all(begun.as_bytes()).unwrap();
        assert_eq!(rest(stream), "", "{begun}");
    }
    // A byte now and then does not help.
    let mut slow = connect(&instance);
    slow.write_all(b"POST /pessoas HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n").unwrap();
    while slow.write_all(b"1\r\n{\r\n").is_ok() {
        std::thread::sleep(Duration::from_millis(10));
    }
    idle.write_all(LAST_COUNT).unwrap();
    assert_eq!(rest(idle).matches("HTTP/1.1 200 OK").count(), 2);
}

#[test]
fn an_idle_connection_is_closed_after_its_time() {
    let folder = tempfile::tempdir().unwrap();
    let instance = Instance::start_with(folder.path(), &[("IDLE_TIMEOUT_MS", "100")]);
    let mut stream = connect(&instance);
    stream.write_all(COUNT).unwrap();
    assert!(rest(stream).ends_with("\r\n\r\n0"));
}

#[test]
fn who_does_not_take_answers_is_ended() {
    let folder = tempfile::tempdir().unwrap();
    let variables = [("SEND_TIMEOUT_MS", "200"), ("HEAD_TIMEOUT_MS", "600000")];
    let instance = Instance::start_with(folder.path(), &variables);
    let mut stream = connect(&instance);
    let requests = COUNT.repeat(1000);
    // Until the buffers of both sides are full, and then until the connection is ended.
    while stream.write_all(&requests).is_ok() {}
    assert_eq!(instance.count(), 0);
}

#[test]
fn connections_beyond_the_bound_are_told_to_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let instance = Instance::start_with(folder.path(), &[("CONNECTIONS_MAX", "2")]);
    let kept: Vec<TcpStream> = (0..2)
        .map(|_| {
            let mut stream = connect(&instance);
            stream.write_all(COUNT).unwrap();
            stream.read_exact(&mut [0; 12]).unwrap();
            stream
        })
        .collect();
    let answer = exchange(instance.address, COUNT).unwrap();
    assert_eq!((answer.status, answer.header("retry-after")), (503, Some("1")));
    assert_eq!(answer.header("connection"), Some("close"));
    drop(kept);
    while exchange(instance.address, LAST_COUNT).unwrap().status != 200 {}
}

#[test]
fn a_thousand_idle_connections_and_great_bodies_do_not_hinder_others() {
    let folder = tempfile::tempdir().unwrap();
    let instance = Instance::start(folder.path());
    // Some limits on open files are 1024; this process needs some itself.
    let idle: Vec<TcpStream> = (0..900).map(|_| connect(&instance)).collect();
    let body = vec![b' '; 10_000_000];
    let length = b"POST /pessoas HTTP/1.1\r\nHost: x\r\nContent-Length: 10000000\r\n\r\n";
    let chunks = b"POST /pessoas HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n989680\r\n";
    for head in [&length[..], &chunks[..]] {
        let mut stream = connect(&instance);
        // A client that cannot send all of it may well not look for an answer.
        stream.write_all(&[head, &body].concat()).unwrap();
        assert!(rest(stream).starts_with("HTTP/1.1 413 "));
    }
    instance.create(&person("ana"));
    assert_eq!(instance.count(), 1);
    drop(idle);
}
