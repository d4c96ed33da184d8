//! What whoever runs it relies on.

use std::io::{BufRead, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use super::support::{BACKENDS, PATIENCE, Tunnel, answers, echo, origin, read_all, recorder, until};

#[test]
fn at_the_signal_to_end_nobody_comes_and_who_is_there_goes_on() {
    let echo = echo().to_string();
    for backend in BACKENDS {
        let mut tunnel = Tunnel::start("tcp", &["--to", &echo, "--backend", backend]);
        let mut stream = tunnel.connect();
        stream.write_all(b"a").unwrap();
        stream.read_exact(&mut [0]).unwrap();
        tunnel.signal("TERM");
        until("nobody is let in", || TcpStream::connect(tunnel.address).is_err());
        stream.write_all(b"b").unwrap();
        stream.read_exact(&mut [0]).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        assert_eq!(read_all(&mut stream), b"", "{backend}");
        assert_eq!(tunnel.wait(), 0, "{backend}");
    }
}

#[test]
fn who_stays_beyond_the_time_to_end_is_cut_off() {
    let echo = echo().to_string();
    for backend in BACKENDS {
        let mut tunnel =
            Tunnel::start("tcp", &["--to", &echo, "--backend", backend, "--drain-timeout", "200ms"]);
        let mut stream = tunnel.connect();
        stream.write_all(b"a").unwrap();
        stream.read_exact(&mut [0]).unwrap();
        let begun = Instant::now();
        tunnel.signal("TERM");
        assert_eq!(tunnel.wait(), 0, "{backend}");
        assert!(begun.elapsed() < PATIENCE);
        assert!(matches!(stream.read(&mut [0]), Ok(0) | Err(_)));
        assert!(tunnel.said.iter().any(|line| line.contains("1 clients cut off")), "{backend}");
    }
}

#[test]
fn a_balancer_ends_kept_connections_and_finishes_requests() {
    let slow = origin(|mut stream| {
        let mut bytes = [0; 4096];
        while let Ok(1..) = stream.read(&mut bytes) {
            thread::sleep(Duration::from_millis(400));
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").unwrap();
        }
    })
    .to_string();
    for backend in BACKENDS {
        let mut tunnel = Tunnel::start("balance", &["--to", &slow, "--backend", backend]);
        let mut idle = tunnel.connect();
        let mut asking = tunnel.connect();
        asking.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        until("it is there", || tunnel.metric("requests_total") == 1);
        tunnel.signal("TERM");
        assert_eq!(read_all(&mut idle), b"", "{backend}");
        let answer = answers(&read_all(&mut asking)).remove(0);
        assert_eq!((answer.status, answer.body.as_str()), (200, "ok"), "{backend}");
        assert_eq!(tunnel.wait(), 0);
    }
}

#[test]
fn no_more_than_the_bounds_are_let_in() {
    let echo = echo().to_string();
    for backend in BACKENDS {
        for bound in ["--connections-max", "--client-connections-max"] {
            let tunnel = Tunnel::start("tcp", &["--to", &echo, "--backend", backend, bound, "2"]);
            let mut two = [tunnel.connect(), tunnel.connect()];
            for stream in &mut two {
                stream.write_all(b"a").unwrap();
                stream.read_exact(&mut [0]).unwrap();
            }
            let mut third = tunnel.connect();
            assert!(matches!(third.read(&mut [0]), Ok(0) | Err(_)), "{backend}");
            assert_eq!(tunnel.metric("connections_refused_total"), 1, "{backend} {bound}");
            drop(two);
            until("there is room", || tunnel.metric("connections_open") == 0);
            let mut fourth = tunnel.connect();
            fourth.write_all(b"a").unwrap();
            fourth.read_exact(&mut [0]).unwrap();
        }
    }
}

#[test]
fn without_descriptors_it_serves_those_that_it_has() {
    let echo = echo().to_string();
    for backend in BACKENDS {
        let tunnel =
            Tunnel::start("tcp", &["--to", &echo, "--backend", backend, "--connections-max", "100000"]);
        let mut before = tunnel.connect();
        before.write_all(b"a").unwrap();
        before.read_exact(&mut [0]).unwrap();
        let most = tunnel.descriptors() + 4;
        let pid = tunnel.pid().to_string();
        assert!(
            Command::new("prlimit")
                .args(["--pid", &pid, &format!("--nofile={most}:{most}")])
                .status()
                .unwrap()
                .success()
        );
        let crowd: Vec<_> = (0..40).map(|_| tunnel.connect()).collect();
        until("it has run out", || {
            tunnel.metric("accept_errors_total") + tunnel.metric("connect_errors_total") > 0
        });
        before.write_all(b"b").unwrap();
        before.read_exact(&mut [0]).unwrap();
        drop(crowd);
        until("there is room again", || {
            let mut stream = tunnel.connect();
            stream.write_all(b"c").is_ok() && stream.read_exact(&mut [0]).is_ok()
        });
    }
}

#[test]
fn its_counters_are_told_when_no_descriptor_is_left() {
    let tunnel = Tunnel::start("tcp", &["--to", "127.0.0.1:1"]);
    let pid = tunnel.pid().to_string();
    let used: Vec<String> = std::fs::read_dir(format!("/proc/{pid}/fd"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let free = (0..).find(|number: &usize| !used.contains(&number.to_string())).unwrap();
    let limited =
        Command::new("prlimit").args(["--pid", &pid, &format!("--nofile={free}:{free}")]).status().unwrap();
    assert!(limited.success());
    for _ in 0..5 {
        assert_eq!(tunnel.metric("connections_total"), 0);
    }
}

#[test]
fn many_short_connections_leave_nothing_behind() {
    let (one, _) = recorder("one");
    for backend in BACKENDS {
        let tunnel = Tunnel::start("balance", &["--to", &one.to_string(), "--backend", backend]);
        let many = |count: usize| {
            for _ in 0..count {
                let got = tunnel.ask(b"GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
                assert!(got.starts_with(b"HTTP/1.1 200 "), "{backend}");
            }
        };
        many(500);
        until("all are closed", || tunnel.metric("connections_open") == 0);
        let (memory, descriptors) = (tunnel.memory(), tunnel.descriptors());
        many(3000);
        until("all are closed", || tunnel.metric("connections_open") == 0);
        until("descriptors are closed", || tunnel.descriptors() <= descriptors + 2);
        // The threads' buffers are touched one after another.
        assert!(tunnel.memory() < memory + 20_000_000, "{backend}: {memory} became {}", tunnel.memory());
    }
}

#[test]
fn a_config_file_is_read_and_what_is_wrong_in_it_told() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tunnel.toml");
    let run = |text: &str| {
        std::fs::write(&file, text).unwrap();
        let out = Command::new(env!("CARGO_BIN_EXE_tunnel")).arg("--config").arg(&file).output().unwrap();
        (out.status.code(), String::from_utf8(out.stderr).unwrap())
    };
    let (code, told) = run("mode = 'tcp'\nbind = '127.0.0.1:1'\n");
    assert!(code == Some(2) && told.contains("--to <ADDRESS>"), "{told}");
    let (code, told) = run("mode = 'tcp'\nbind = 'example.org:1'\nto = 'x:1'\n");
    assert!(code == Some(1) && told.contains("cannot be listened on"), "{told}");
    let (code, told) =
        run("mode = 'tcp'\nbind = '127.0.0.1:0'\nto = 'x:1'\ncert = '/nowhere'\nkey = '/nowhere'\n");
    assert!(code == Some(1) && told.contains("/nowhere"), "{told}");
    let (code, told) = run("mode = 'tcp'\nbind = '192.0.2.1:1'\nto = 'x:1'\n");
    assert!(code == Some(1) && told.contains("--bind"), "{told}");
}

#[test]
fn it_listens_on_a_socket_file_and_takes_it_away() {
    use std::os::unix::net::UnixStream;
    let echo = echo().to_string();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.sock");
    for backend in BACKENDS {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tunnel"))
            .args([
                "tcp",
                "--threads",
                "2",
                "--to",
                &echo,
                "--backend",
                backend,
                "--bind",
                &format!("unix:{}", path.display()),
            ])
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = std::io::BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        said.read_line(&mut line).unwrap();
        assert!(line.starts_with("listening on unix:"), "{line}");
        let mut stream = UnixStream::connect(&path).unwrap();
        stream.write_all(b"x").unwrap();
        stream.read_exact(&mut [0]).unwrap();
        drop(stream);
        assert!(Command::new("kill").arg(child.id().to_string()).status().unwrap().success());
        assert!(child.wait().unwrap().success());
        assert!(!path.exists(), "{backend}");
    }
}

/// A `tunnel tcp` at a socket file, ended when it is dropped.
struct AtFile {
    child: std::process::Child,
    /// What it said first.
    said: String,
}

impl AtFile {
    fn start(path: &std::path::Path, to: &str) -> Self {
        let bind = format!("unix:{}", path.display());
        let mut child = Command::new(env!("CARGO_BIN_EXE_tunnel"))
            .args(["tcp", "--threads", "2", "--to", to, "--bind", &bind])
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = String::new();
        std::io::BufReader::new(child.stderr.as_mut().unwrap()).read_line(&mut said).unwrap();
        Self { child, said }
    }

    fn end(&self) {
        assert!(Command::new("kill").arg(self.child.id().to_string()).status().unwrap().success());
    }
}

impl Drop for AtFile {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_socket_file_that_somebody_listens_at_is_left_alone_however_busy() {
    use std::os::unix::net::UnixStream;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.sock");
    let kind = (rustix::net::AddressFamily::UNIX, rustix::net::SocketType::STREAM);
    let flags = rustix::net::SocketFlags::CLOEXEC;
    let busy = rustix::net::socket_with(kind.0, kind.1, flags, None).unwrap();
    rustix::net::bind(&busy, &rustix::net::SocketAddrUnix::new(&path).unwrap()).unwrap();
    rustix::net::listen(&busy, 0).unwrap();
    // Its queue is full: it takes nobody now.
    let _waiting = UnixStream::connect(&path).unwrap();
    let said = AtFile::start(&path, "127.0.0.1:1").said.clone();
    assert!(said.contains("in use"), "{said}");
    rustix::net::accept(&busy).unwrap();
    UnixStream::connect(&path).unwrap();
    // Once nobody listens, it is what somebody left.
    drop(busy);
    let said = AtFile::start(&path, "127.0.0.1:1").said.clone();
    assert!(said.starts_with("listening on unix:"), "{said}");
}

#[test]
fn an_instance_that_ends_leaves_the_socket_file_of_the_next() {
    use std::os::unix::net::UnixStream;
    let echo = echo().to_string();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.sock");
    let mut first = AtFile::start(&path, &echo);
    let mut held = UnixStream::connect(&path).unwrap();
    held.write_all(b"x").unwrap();
    held.read_exact(&mut [0]).unwrap();
    first.end();
    until("nobody is let in", || UnixStream::connect(&path).is_err());
    let mut second = AtFile::start(&path, &echo);
    assert!(second.said.starts_with("listening on unix:"), "{}", second.said);
    drop(held);
    first.child.wait().unwrap();
    UnixStream::connect(&path).expect("the second instance listens");
    second.end();
    second.child.wait().unwrap();
    assert!(!path.exists());
}

#[test]
fn clients_of_the_metrics_that_say_nothing_keep_nobody_from_them() {
    let tunnel = Tunnel::start("tcp", &["--to", "127.0.0.1:1"]);
    let descriptors = tunnel.descriptors();
    let silent: Vec<_> = (0..200).map(|_| TcpStream::connect(tunnel.metrics).unwrap()).collect();
    for _ in 0..5 {
        assert_eq!(tunnel.metric("connections_total"), 0);
    }
    assert!(tunnel.descriptors() < descriptors + 20, "{} are kept", tunnel.descriptors() - descriptors);
    drop(silent);
}
