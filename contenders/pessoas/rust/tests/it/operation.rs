//! What whoever runs an instance sees: arguments, health, metrics, addresses, the end.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::process::{Command, Output};

use crate::http::person;
use crate::support::Instance;

fn run(arguments: &[&str], variables: &[(&str, &str)]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pessoas-rust"));
    let Output { status, stdout, stderr } =
        command.args(arguments).env_clear().envs(variables.iter().copied()).output().unwrap();
    (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

#[test]
fn help_and_version_are_told_and_other_arguments_refused() {
    let (code, help, _) = run(&["--help"], &[]);
    assert!(
        code == Some(0) && help.contains("IDLE_TIMEOUT_MS") && help.contains("[default: 75000]"),
        "{help}"
    );
    assert_eq!(run(&["--version"], &[]).1, format!("pessoas-rust {}\n", env!("CARGO_PKG_VERSION")));
    for arguments in [&["--port"][..], &["--help", "x"]] {
        let (code, _, error) = run(arguments, &[]);
        assert!(code == Some(2) && error.contains("\nhint: "), "{error}");
    }
}

#[test]
fn a_wrong_environment_is_refused_with_a_hint() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("pessoas.db");
    let database = ("DATABASE", database.to_str().unwrap());
    for (variables, wanted) in [
        (vec![database], "`LISTEN` is not set"),
        (vec![("HTTP_PORT", "0")], "`DATABASE` is not set"),
        (vec![database, ("LISTEN", "nowhere")], "LISTEN is `nowhere`"),
        (vec![database, ("LISTEN", "unix:/nowhere/a.sock")], "address `unix:/nowhere/a.sock`"),
    ] {
        let (code, _, error) = run(&[], &variables);
        assert!(code == Some(1) && error.contains(wanted) && error.contains("\nhint: "), "{error}");
    }
}

#[test]
fn health_and_metrics_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let instance = Instance::start(folder.path());
    instance.create(&person("ana"));
    for target in ["/health/live", "/health/ready"] {
        assert_eq!(instance.get(target).status, 200, "{target}");
    }
    let metrics = instance.get("/metrics");
    assert_eq!(metrics.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    let line = "pessoas_requests_total{route=\"create\",status=\"2xx\"} 1";
    assert!(metrics.text().lines().any(|other| other == line), "{}", metrics.text());
    assert!(metrics.text().contains("pessoas_connections 1\n"));
    assert_eq!(instance.get("/health/other").status, 404);
}

#[test]
fn a_socket_file_is_served_beside_a_port_and_removed_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("api.sock");
    let listen = format!("unix:{}", socket.display());
    let mut instance = Instance::start_with(folder.path(), &[("LISTEN", &listen)]);
    let mut stream = UnixStream::connect(&socket).unwrap();
    stream.write_all(b"GET /contagem-pessoas HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with("\r\n\r\n0"), "{answer}");
    instance.kill();
    assert!(socket.exists());
    let mut instance = Instance::start_with(folder.path(), &[("LISTEN", &listen)]);
    assert!(UnixStream::connect(&socket).is_ok());
    assert!(instance.terminate().success());
    assert!(!socket.exists());
}

#[test]
fn when_it_stops_requests_under_way_are_answered_and_all_other_connections_closed() {
    let folder = tempfile::tempdir().unwrap();
    // Far more than the test may take: only a request under way may use it up.
    let mut instance = Instance::start_with(
        folder.path(),
        &[("STOP_TIMEOUT_MS", "600000"), ("HEAD_TIMEOUT_MS", "600000"), ("BODY_TIMEOUT_MS", "600000")],
    );
    let silent = TcpStream::connect(instance.address).unwrap();
    let mut begun = TcpStream::connect(instance.address).unwrap();
    begun.write_all(b"GET /contagem-pessoas HTTP/1.1\r\nHost:").unwrap();
    let mut refused = TcpStream::connect(instance.address).unwrap();
    refused.write_all(b"POST /pessoas HTTP/1.1\r\nHost: x\r\nContent-Length: 65537\r\n\r\n").unwrap();
    refused.read_exact(&mut [0; 12]).unwrap();
    let mut idle = TcpStream::connect(instance.address).unwrap();
    idle.write_all(b"GET /contagem-pessoas HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    let body = person("ana");
    let mut busy = TcpStream::connect(instance.address).unwrap();
    write!(busy, "POST /pessoas HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n", body.len()).unwrap();
    for stream in [&idle, &busy] {
        stream.set_read_timeout(Some(std::time::Duration::from_secs(20))).unwrap();
    }
    // Until all five are accepted; this asks on a sixth.
    while !instance.get("/metrics").text().contains("pessoas_connections 6\n") {}
    instance.begin_to_terminate();
    let mut answers = String::new();
    idle.read_to_string(&mut answers).unwrap();
    assert_eq!(answers.matches("HTTP/1.1 200").count(), 1);
    assert!(TcpStream::connect(instance.address).is_err());
    busy.write_all(body.as_bytes()).unwrap();
    answers.clear();
    busy.read_to_string(&mut answers).unwrap();
    assert!(answers.starts_with("HTTP/1.1 201") && answers.contains("connection: close"), "{answers}");
    assert!(instance.terminate().success());
    drop((silent, begun, refused));
}
