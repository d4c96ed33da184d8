//! Clients that come over TLS.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rustls::{ClientConnection, StreamOwned};

use super::support::{BACKENDS, PATIENCE, Tunnel, answers, echo, origin, patient, recorder, until};

fn identity(folder: &Path) -> Vec<u8> {
    let made =
        rcgen::generate_simple_self_signed(vec!["localhost".to_owned(), "127.0.0.1".to_owned()]).unwrap();
    std::fs::write(folder.join("cert.pem"), made.cert.pem()).unwrap();
    std::fs::write(folder.join("key.pem"), made.signing_key.serialize_pem()).unwrap();
    made.cert.der().to_vec()
}

/// A client that trusts this certificate alone.
fn session(certificate: &[u8]) -> ClientConnection {
    let mut roots = rustls::RootCertStore::empty();
    roots.add(certificate.to_vec().into()).unwrap();
    let config =
        rustls::ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
    ClientConnection::new(Arc::new(config), "localhost".try_into().unwrap()).unwrap()
}

/// What such a client sees.
fn over_tls(tunnel: &Tunnel, certificate: &[u8], bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut tls = StreamOwned::new(session(certificate), patient(tunnel.connect()));
    tls.write_all(bytes)?;
    tls.conn.send_close_notify();
    tls.flush()?;
    let mut got = Vec::new();
    tls.read_to_end(&mut got)?;
    Ok(got)
}

#[test]
fn clients_may_come_over_tls_and_certificates_are_read_anew() {
    let echo = echo().to_string();
    let (one, _) = recorder("one");
    for backend in BACKENDS {
        let folder = tempfile::tempdir().unwrap();
        let first = identity(folder.path());
        let [cert, key] = ["cert.pem", "key.pem"].map(|name| folder.path().join(name).display().to_string());
        let tls = ["--cert", &cert, "--key", &key, "--backend", backend];
        let bytes = vec![b'x'; 200_000];
        let tcp = Tunnel::start("tcp", &[&tls[..], &["--to", &echo]].concat());
        assert!(over_tls(&tcp, &first, &bytes).unwrap() == bytes, "{backend}");
        let connect =
            Tunnel::start("connect", &[&tls[..], &["--allow", ".*", "--allow-net", "127.0.0.1"]].concat());
        let got =
            over_tls(&connect, &first, format!("CONNECT {echo} HTTP/1.1\r\n\r\nearly").as_bytes()).unwrap();
        assert!(got.ends_with(b"\r\n\r\nearly"), "{backend}");
        let balance = Tunnel::start("balance", &[&tls[..], &["--to", &one.to_string()]].concat());
        let got =
            over_tls(&balance, &first, b"GET /tls HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
        assert_eq!(answers(&got)[0].body, "one /tls 0", "{backend}");
        // A new one counts from the signal on; one that is none leaves the old one in use.
        let second = identity(folder.path());
        assert!(over_tls(&tcp, &second, b"x").is_err(), "{backend}: not read anew yet");
        tcp.signal("HUP");
        tcp.said.recv_timeout(PATIENCE).unwrap();
        assert_eq!(over_tls(&tcp, &second, b"x").unwrap(), b"x", "{backend}");
        std::fs::write(&cert, "nonsense").unwrap();
        tcp.signal("HUP");
        let said = tcp.said.recv_timeout(PATIENCE).unwrap();
        assert!(said.contains("no certificate"), "{said}");
        assert_eq!(over_tls(&tcp, &second, b"x").unwrap(), b"x", "{backend}");
        // Garbage in front of TLS.
        let got = tcp.ask(b"GET / HTTP/1.1\r\n\r\n");
        assert!(got.len() < 20 && !got.starts_with(b"HTTP"), "{backend}: an alert, or nothing: {got:?}");
        until("all are closed", || tcp.metric("connections_open") == 0);
        assert!(tcp.metric("tls_errors_total") >= 2, "{backend}");
    }
}

/// A certificate's files as words of the command line, and the certificate.
fn with_identity(folder: &Path, backend: &'static str) -> (Vec<String>, Vec<u8>) {
    let certificate = identity(folder);
    let [cert, key] = ["cert.pem", "key.pem"].map(|name| folder.join(name).display().to_string());
    (["--cert", &cert, "--key", &key, "--backend", backend].map(str::to_owned).to_vec(), certificate)
}

#[test]
fn records_that_arrive_together_are_all_passed_on() {
    let echo = echo().to_string();
    for backend in BACKENDS {
        let folder = tempfile::tempdir().unwrap();
        let (words, certificate) = with_identity(folder.path(), backend);
        let words: Vec<&str> = words.iter().map(String::as_str).chain(["--to", &echo]).collect();
        let tunnel = Tunnel::start("tcp", &words);
        for lengths in [&[16_384, 1_000, 8_000][..], &[16_384; 9], &[1, 16_384, 1, 40_000, 1], &[100; 2_000]]
        {
            let mut tls = StreamOwned::new(session(&certificate), patient(tunnel.connect()));
            tls.write_all(b"x").unwrap();
            tls.read_exact(&mut [0]).unwrap();
            tls.conn.set_buffer_limit(None);
            for (number, &length) in lengths.iter().enumerate() {
                tls.conn.writer().write_all(&vec![number as u8; length]).unwrap();
            }
            let mut records = Vec::new();
            while tls.conn.wants_write() {
                tls.conn.write_tls(&mut records).unwrap();
            }
            tls.sock.write_all(&records).unwrap();
            let mut got = vec![0; lengths.iter().sum()];
            tls.read_exact(&mut got).unwrap_or_else(|error| panic!("{backend}, {lengths:?}: {error}"));
            let wanted: Vec<u8> =
                lengths.iter().enumerate().flat_map(|(number, &length)| vec![number as u8; length]).collect();
            assert!(got == wanted, "{backend}, {lengths:?}");
        }
    }
}

/// Numbers that look random, always the same.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) % most
    }
}

const UPLOAD_BYTES: usize = 20_000_000;

/// The byte at each place of an upload: no shift or swap leaves it as it is.
fn byte(at: usize) -> u8 {
    ((at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8
}

/// How much of an upload arrived as it was sent, taken with stalls.
fn right_bytes(stream: &mut TcpStream) -> u64 {
    let (mut dice, mut bytes, mut at) = (Dice(7), vec![0; 50_000], 0);
    while at < UPLOAD_BYTES {
        let most = 1 + dice.below(50_000) as usize;
        let Ok(length @ 1..) = stream.read(&mut bytes[..most]) else { break };
        let wrong = bytes[..length].iter().zip(at..).position(|(&got, at)| got != byte(at));
        at += wrong.unwrap_or(length);
        if wrong.is_some() {
            break;
        }
        if dice.below(200) == 0 {
            thread::sleep(Duration::from_millis(dice.below(8)));
        }
    }
    at as u64
}

#[test]
fn an_upload_in_pieces_of_any_length_arrives_byte_for_byte() {
    // `benches/tunnel/uploads` does the same with as much as one wants.
    let origin = origin(|mut stream| {
        let arrived = right_bytes(&mut stream).to_be_bytes();
        let _ = stream.write_all(&arrived);
    })
    .to_string();
    let upload: Vec<u8> = (0..UPLOAD_BYTES).map(byte).collect();
    for backend in BACKENDS {
        let folder = tempfile::tempdir().unwrap();
        let (words, certificate) = with_identity(folder.path(), backend);
        let words: Vec<&str> = words.iter().map(String::as_str).chain(["--to", &origin]).collect();
        let tunnel = Tunnel::start("tcp", &words);
        let mut tls = StreamOwned::new(session(&certificate), patient(tunnel.connect()));
        let (mut dice, mut rest) = (Dice(1), &upload[..]);
        while !rest.is_empty() {
            let (piece, behind) = rest.split_at(rest.len().min(1 + dice.below(40_000) as usize));
            if tls.write_all(piece).is_err() {
                break; // the origin says how much came
            }
            rest = behind;
            if dice.below(200) == 0 {
                thread::sleep(Duration::from_millis(dice.below(8)));
            }
        }
        let mut arrived = [0; 8];
        tls.read_exact(&mut arrived).unwrap_or_else(|error| panic!("{backend}: {error}"));
        assert_eq!(u64::from_be_bytes(arrived), UPLOAD_BYTES as u64, "{backend}");
    }
}
