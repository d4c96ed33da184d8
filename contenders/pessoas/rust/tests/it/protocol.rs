//! Routes, methods, bounds and connections.

use std::io::{Read, Write};
use std::net::TcpStream;

use crate::http::{exchange, person, request};
use crate::support::Instance;

#[test]
fn unknown_people_and_paths_are_404_and_other_methods_405() {
    let folder = tempfile::tempdir().unwrap();
    let instance = Instance::start(folder.path());
    for target in
        ["/pessoas/0190a4c0-0000-7000-8000-000000000000", "/pessoas/1", "/pessoas/", "/", "/pessoas/a/b"]
    {
        assert_eq!(instance.get(target).status, 404, "{target}");
    }
    for (method, target, allow) in [
        ("DELETE", "/pessoas", "GET, HEAD, POST"),
        ("PUT", "/pessoas/1", "GET, HEAD"),
        ("POST", "/contagem-pessoas", "GET, HEAD"),
    ] {
        let answer = request(instance.address, method, target, b"").unwrap();
        assert_eq!((answer.status, answer.header("allow")), (405, Some(allow)), "{method} {target}");
    }
}

#[test]
fn the_count_is_plain_text_and_follows_each_creation() {
    let folder = tempfile::tempdir().unwrap();
    let instance = Instance::start(folder.path());
    for n in 0..5 {
        let answer = instance.get("/contagem-pessoas");
        assert_eq!((answer.status, answer.text()), (200, n.to_string().as_str()));
        assert!(answer.header("content-type").unwrap().starts_with("text/plain"));
        instance.create(&person(&format!("p{n}")));
    }
}

#[test]
fn head_has_the_length_of_get_and_no_body() {
    let folder = tempfile::tempdir().unwrap();
    let instance = Instance::start(folder.path());
    let location = instance.create(&person("a"));
    for target in [location.as_str(), "/contagem-pessoas", "/pessoas?t=a"] {
        let length = instance.get(target).body.len().to_string();
        let head = request(instance.address, "HEAD", target, b"").unwrap();
        assert_eq!((head.status, head.header("content-length")), (200, Some(length.as_str())), "{target}");
        assert!(head.body.is_empty());
    }
}

#[test]
fn a_body_above_the_bound_is_413_and_one_below_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let instance = Instance::start(folder.path());
    let padded = |bytes: usize| format!("{}{}", person("a"), " ".repeat(bytes - person("a").len()));
    assert_eq!(instance.post(&padded(64 * 1024 + 1)).status, 413);
    assert_eq!(instance.count(), 0);
    assert_eq!(instance.post(&padded(64 * 1024)).status, 201);
}

#[test]
fn a_chunked_body_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let instance = Instance::start(folder.path());
    let body = person("chunked");
    let (one, two) = body.split_at(10);
    let bytes = format!(
        "POST /pessoas HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n\
         {:x}\r\n{one}\r\n{:x}\r\n{two}\r\n0\r\n\r\n",
        one.len(),
        two.len()
    );
    assert_eq!(exchange(instance.address, bytes.as_bytes()).unwrap().status, 201);
    assert_eq!(instance.search("chunked"), ["chunked"]);
}

#[test]
fn a_creation_cut_in_the_middle_of_its_body_stores_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let instance = Instance::start(folder.path());
    let body = person("cut");
    let mut stream = TcpStream::connect(instance.address).unwrap();
    write!(stream, "POST /pessoas HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n{body}", body.len() + 1)
        .unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut rest = Vec::new();
    // Whether it is answered at all is up to the server; it ends the connection either way.
    let _ = stream.read_to_end(&mut rest);
    assert_eq!(instance.count(), 0);
}

#[test]
fn a_connection_serves_several_requests() {
    let folder = tempfile::tempdir().unwrap();
    let instance = Instance::start(folder.path());
    let mut stream = TcpStream::connect(instance.address).unwrap();
    let count = "GET /contagem-pessoas HTTP/1.1\r\nHost: x\r\n";
    write!(stream, "{count}\r\n{count}Connection: close\r\n\r\n").unwrap();
    let mut answers = String::new();
    stream.read_to_string(&mut answers).unwrap();
    assert_eq!(answers.matches("HTTP/1.1 200 OK").count(), 2, "{answers}");
}
