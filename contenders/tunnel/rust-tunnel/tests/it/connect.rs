//! `tunnel connect`.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::thread;
use std::time::Duration;

use super::support::{BACKENDS, Tunnel, answers, echo, nobody, origin, read_all, until};

const HERE: [&str; 4] = ["--allow", ".*", "--allow-net", "127.0.0.1"];

fn status(tunnel: &Tunnel, request: &str) -> u16 {
    answers(&tunnel.ask(request.as_bytes()))[0].status
}

#[test]
fn data_right_behind_the_head_goes_on() {
    let echo = echo();
    for backend in BACKENDS {
        let mut tunnel = Tunnel::start("connect", &[&HERE[..], &["--backend", backend, "--log"]].concat());
        let mut stream = tunnel.connect();
        stream.write_all(format!("CONNECT {echo} HTTP/1.1\r\nHost: {echo}\r\n\r\nearly").as_bytes()).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let got = String::from_utf8(read_all(&mut stream)).unwrap();
        assert_eq!(got, "HTTP/1.1 200 Connection established\r\n\r\nearly", "{backend}");
        let line = tunnel.line();
        assert_eq!(
            (line["target"].as_str(), line["status"].as_u64(), line["bytes_up"].as_u64()),
            (Some(&*echo.to_string()), Some(200), Some(5))
        );
        assert!(line.get("client").is_none(), "{line}");
    }
}

#[test]
fn a_head_may_come_byte_by_byte() {
    let echo = echo();
    for backend in BACKENDS {
        let tunnel = Tunnel::start("connect", &[&HERE[..], &["--backend", backend]].concat());
        let mut stream = tunnel.connect();
        stream.set_nodelay(true).unwrap();
        for byte in format!("CONNECT {echo} HTTP/1.1\r\n\r\nabc").into_bytes() {
            stream.write_all(&[byte]).unwrap();
            thread::sleep(Duration::from_millis(1));
        }
        stream.shutdown(Shutdown::Write).unwrap();
        assert!(read_all(&mut stream).ends_with(b"\r\n\r\nabc"), "{backend}");
    }
}

#[test]
fn refusals_have_the_status_that_fits() {
    let (echo, nobody) = (echo(), nobody());
    for backend in BACKENDS {
        let words = [
            "--backend",
            backend,
            "--handshake-timeout",
            "300ms",
            "--allow",
            "127.*",
            "--allow",
            "localhost:.*|no.such.name:1",
        ];
        let tunnel = Tunnel::start("connect", &[&words[..], &["--allow-net", "127.0.0.1,::1"]].concat());
        for (request, wanted) in [
            (format!("CONNECT {echo} HTTP/1.1\r\n\r\n"), 200),
            (format!("GET http://{echo}/ HTTP/1.1\r\nHost: {echo}\r\n\r\n"), 405),
            ("CONNECT example.org:80 HTTP/1.1\r\n\r\n".to_owned(), 403),
            ("CONNECT 127.0.0.2:80 HTTP/1.1\r\n\r\n".to_owned(), 403),
            ("CONNECT 127.0.0.1 HTTP/1.1\r\n\r\n".to_owned(), 400),
            ("CONNECT nonsense\r\n\r\n".to_owned(), 400),
            (format!("CONNECT {nobody} HTTP/1.1\r\n\r\n"), 502),
            ("CONNECT no.such.name:1 HTTP/1.1\r\n\r\n".to_owned(), 502),
            ("CONNECT 127.0.0.1:1 HTTP/1.1\r\nA: ".to_owned(), 408),
            (format!("CONNECT {echo} HTTP/1.1\r\nA: {}", "a".repeat(20_000)), 431),
        ] {
            let mut stream = tunnel.connect();
            // It may have answered and closed before all was sent.
            let _ = stream.write_all(request.as_bytes());
            if wanted == 200 {
                stream.shutdown(Shutdown::Write).unwrap();
            }
            let got = answers(&read_all(&mut stream));
            assert_eq!(
                got.first().map(|answer| answer.status),
                Some(wanted),
                "{backend}: {}",
                &request[..request.len().min(60)]
            );
        }
        until("all are closed", || tunnel.metric("connections_open") == 0);
    }
}

#[test]
fn by_default_nothing_is_allowed_but_public_addresses_at_443() {
    let echo = echo();
    let tunnel = Tunnel::start("connect", &[]);
    assert_eq!(status(&tunnel, &format!("CONNECT {echo} HTTP/1.1\r\n\r\n")), 403);
    let tunnel = Tunnel::start("connect", &["--allow", ".*"]);
    let port = echo.port();
    for target in [
        format!("127.0.0.1:{port}"),
        format!("localhost:{port}"),
        format!("[::1]:{port}"),
        format!("[::ffff:127.0.0.1]:{port}"),
        "10.0.0.1:80".to_owned(),
        "169.254.169.254:80".to_owned(),
        "100.64.0.1:80".to_owned(),
        "[64:ff9b::7f00:1]:80".to_owned(),
        "[2002:7f00:1::]:80".to_owned(),
        "[2001::1]:80".to_owned(),
    ] {
        assert_eq!(status(&tunnel, &format!("CONNECT {target} HTTP/1.1\r\n\r\n")), 403, "{target}");
    }
    assert_eq!(tunnel.metric("connect_errors_total"), 0, "nobody was dialled");
}

#[test]
fn it_does_not_connect_to_itself() {
    let tunnel = Tunnel::start("connect", &HERE);
    let port = tunnel.address.port();
    assert_eq!(status(&tunnel, &format!("CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n")), 403);
}

#[test]
fn a_target_that_takes_no_connection_is_told_in_time() {
    // A listener whose queue is full takes nobody: the kernel drops what comes.
    let fd =
        rustix::net::socket(rustix::net::AddressFamily::INET, rustix::net::SocketType::STREAM, None).unwrap();
    rustix::net::bind(&fd, &"127.0.0.1:0".parse::<std::net::SocketAddr>().unwrap()).unwrap();
    rustix::net::listen(&fd, 0).unwrap();
    let address: std::net::SocketAddr = rustix::net::getsockname(&fd).unwrap().try_into().unwrap();
    let fill = || std::net::TcpStream::connect_timeout(&address, Duration::from_millis(200));
    let filled: Vec<_> = std::iter::repeat_with(fill).take_while(Result::is_ok).collect();
    for backend in BACKENDS {
        let tunnel = Tunnel::start(
            "connect",
            &[&HERE[..], &["--backend", backend, "--connect-timeout", "300ms"]].concat(),
        );
        assert_eq!(status(&tunnel, &format!("CONNECT {address} HTTP/1.1\r\n\r\n")), 504, "{backend}");
    }
    drop(filled);
}

#[test]
fn a_target_that_accepts_and_never_answers_does_not_stop_others() {
    let silent = origin(|_stream| thread::sleep(Duration::from_secs(60)));
    let echo = echo();
    for backend in BACKENDS {
        let tunnel = Tunnel::start("connect", &[&HERE[..], &["--backend", backend]].concat());
        let held: Vec<_> = (0..50)
            .map(|_| {
                let mut stream = tunnel.connect();
                stream.write_all(format!("CONNECT {silent} HTTP/1.1\r\n\r\nhello").as_bytes()).unwrap();
                stream
            })
            .collect();
        let mut stream = tunnel.connect();
        stream.write_all(format!("CONNECT {echo} HTTP/1.1\r\n\r\nx").as_bytes()).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        assert!(read_all(&mut stream).ends_with(b"x"), "{backend}");
        // The threads that took them in may not have counted all yet.
        until("all are open", || tunnel.metric("connections_open") as usize >= held.len());
    }
}

#[test]
fn slow_clients_are_told_and_closed_in_each_phase() {
    for backend in BACKENDS {
        let tunnel = Tunnel::start(
            "connect",
            &[&HERE[..], &["--backend", backend, "--handshake-timeout", "200ms"]].concat(),
        );
        for begun in
            ["", "C", "CONNECT 127.0.0.1:1 HTTP/1.1\r\n", "CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: x\r\n"]
        {
            let mut stream = tunnel.connect();
            stream.write_all(begun.as_bytes()).unwrap();
            let mut got = Vec::new();
            stream.read_to_end(&mut got).unwrap();
            assert!(got.starts_with(b"HTTP/1.1 408 "), "{backend}: {begun:?}");
        }
    }
}

#[test]
fn this_machines_other_ports_are_not_reached_by_its_public_addresses() {
    use std::io::BufRead;
    use std::os::unix::net::UnixStream;
    use std::process::{Command, Stdio};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.sock");
    // A machine of its own: a socket file is reached from here all the same.
    let begin = format!(
        "ip link set lo up && ip addr add 8.8.4.4/24 dev lo && ip addr add 8.8.4.5/24 dev lo \
         && ip route add local 9.9.9.0/24 dev lo && ip addr add 2606:4700::1111/64 dev lo nodad \
         && exec {} connect --allow '.*' --threads 1 --bind unix:{}",
        env!("CARGO_BIN_EXE_tunnel"),
        path.display()
    );
    let mut child =
        Command::new("unshare").args(["-n", "sh", "-c", &begin]).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    std::io::BufReader::new(child.stderr.as_mut().unwrap()).read_line(&mut line).unwrap();
    let mut statuses = Vec::new();
    for target in [
        "8.8.4.4:1",
        "8.8.4.5:1",
        "9.9.9.9:1",
        "[2606:4700::1111]:1",
        "[::ffff:8.8.4.4]:1",
        "[::ffff:8.8.4.5]:1",
        "0.0.0.0:1",
        "[::]:1",
        "[::ffff:0.0.0.0]:1",
        // Not this machine's, and not to be reached from there.
        "1.1.1.1:1",
    ] {
        let mut stream = UnixStream::connect(&path).unwrap();
        stream.write_all(format!("CONNECT {target} HTTP/1.1\r\n\r\n").as_bytes()).unwrap();
        let mut got = Vec::new();
        stream.read_to_end(&mut got).unwrap();
        statuses.push(answers(&got)[0].status);
    }
    let _ = child.kill();
    let _ = child.wait();
    assert_eq!(statuses, [403, 403, 403, 403, 403, 403, 403, 403, 403, 502], "{line}");
}
