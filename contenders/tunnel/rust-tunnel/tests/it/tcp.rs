//! `tunnel tcp`.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use super::support::{BACKENDS, Tunnel, echo, nobody, origin, patient, read_all, until};

/// Bytes that no shift or swap leaves as they are.
fn pattern(length: usize) -> Vec<u8> {
    (0..length as u64).map(|at| (at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect()
}

/// Sends bytes, ends, and gives what came back meanwhile.
fn there_and_back(tunnel: &Tunnel, bytes: &[u8], piece: usize) -> Vec<u8> {
    let mut stream = tunnel.connect();
    stream.set_nodelay(true).unwrap();
    let mut writer = stream.try_clone().unwrap();
    thread::scope(|scope| {
        scope.spawn(move || {
            bytes.chunks(piece).for_each(|part| writer.write_all(part).unwrap());
            writer.shutdown(Shutdown::Write).unwrap();
        });
        read_all(&mut stream)
    })
}

#[test]
fn bytes_come_back_as_they_were_sent() {
    const LENGTHS: [usize; 8] = [1, 34, 4095, 4096, 16_384, 16_385, 100_000, 5_000_000];
    let echo = echo().to_string();
    for backend in BACKENDS {
        let tunnel = Tunnel::start("tcp", &["--to", &echo, "--backend", backend]);
        for length in LENGTHS {
            let bytes = pattern(length);
            assert!(there_and_back(&tunnel, &bytes, bytes.len()) == bytes, "{backend}, {length} bytes");
        }
        // A connection's bytes are counted when it is closed, after its client has seen its end.
        until("all are closed", || tunnel.metric("connections_open") == 0);
        let sent = LENGTHS.iter().sum::<usize>() as u64;
        assert_eq!(["bytes_up_total", "bytes_down_total"].map(|name| tunnel.metric(name)), [sent; 2]);
    }
}

#[test]
fn many_small_writes_are_not_mixed_up() {
    let echo = echo().to_string();
    for backend in BACKENDS {
        let tunnel = Tunnel::start("tcp", &["--to", &echo, "--backend", backend]);
        let bytes = pattern(20_000);
        assert!(there_and_back(&tunnel, &bytes, 1) == bytes, "{backend}");
    }
}

#[test]
fn large_and_small_pieces_come_in_order() {
    let wanted = pattern(9_000_000);
    let sent = wanted.clone();
    // Large ones go by another way than small ones.
    let sends = origin(move |mut stream| {
        stream.set_nodelay(true).unwrap();
        for part in sent.chunks(3_000_000) {
            let (large, small) = part.split_at(2_990_000);
            stream.write_all(large).unwrap();
            for piece in small.chunks(100) {
                thread::sleep(Duration::from_micros(300));
                stream.write_all(piece).unwrap();
            }
        }
    })
    .to_string();
    for backend in BACKENDS {
        let tunnel = Tunnel::start("tcp", &["--to", &sends, "--backend", backend]);
        assert!(read_all(&mut tunnel.connect()) == wanted, "{backend}");
        // A slow reader holds it back at any place.
        let mut slow = tunnel.connect();
        let mut got = Vec::new();
        let mut piece = vec![0; 100_000];
        while let Ok(length @ 1..) = slow.read(&mut piece) {
            got.extend_from_slice(&piece[..length]);
            thread::sleep(Duration::from_millis(1));
        }
        assert!(got == wanted, "{backend}");
        drop(slow);
        until("all are closed", || tunnel.metric("connections_open") == 0);
    }
}

#[test]
fn half_of_a_tunnel_can_end_before_the_other() {
    // Says what it got only when nothing more comes.
    let last_word = origin(|mut stream| {
        let got = read_all(&mut stream);
        stream.write_all(&got).unwrap();
    })
    .to_string();
    // Ends at once, and listens on.
    let first_word = origin(|mut stream| {
        stream.write_all(b"bye").unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        assert_eq!(read_all(&mut stream), b"still here");
    })
    .to_string();
    for backend in BACKENDS {
        let tunnel = Tunnel::start("tcp", &["--to", &last_word, "--backend", backend]);
        let mut stream = tunnel.connect();
        stream.write_all(b"hello").unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        assert_eq!(read_all(&mut stream), b"hello", "{backend}");
        let tunnel = Tunnel::start("tcp", &["--to", &first_word, "--backend", backend, "--log"]);
        let mut stream = tunnel.connect();
        assert_eq!(read_all(&mut stream), b"bye", "{backend}");
        stream.write_all(b"still here").unwrap();
        drop(stream);
        let mut tunnel = tunnel;
        let line = tunnel.line();
        assert_eq!(
            (line["bytes_up"].as_u64(), line["bytes_down"].as_u64(), line["end"].as_str()),
            (Some(10), Some(3), Some("closed"))
        );
    }
}

#[test]
fn a_break_on_one_side_is_one_on_the_other() {
    // Closes with something unread, which breaks the connection.
    let breaks = origin(|mut stream| {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        thread::sleep(Duration::from_millis(50));
    })
    .to_string();
    for backend in BACKENDS {
        let tunnel = Tunnel::start("tcp", &["--to", &breaks, "--backend", backend]);
        let mut stream = tunnel.connect();
        stream.write_all(b"two").unwrap();
        let mut rest = Vec::new();
        let error = stream.read_to_end(&mut rest).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ConnectionReset, "{backend}");
        until("it is closed", || tunnel.metric("connections_open") == 0);
    }
}

#[test]
fn where_nobody_listens_the_next_target_is_taken() {
    let (nobody, echo) = (nobody().to_string(), echo().to_string());
    for backend in BACKENDS {
        let tunnel = Tunnel::start("tcp", &["--to", &format!("{nobody},{echo}"), "--backend", backend]);
        for _ in 0..4 {
            let mut stream = tunnel.connect();
            stream.write_all(b"x").unwrap();
            stream.shutdown(Shutdown::Write).unwrap();
            assert_eq!(read_all(&mut stream), b"x", "{backend}");
        }
        let tunnel = Tunnel::start("tcp", &["--to", &nobody, "--backend", backend]);
        let mut stream = tunnel.connect();
        assert_eq!(stream.read(&mut [0]).unwrap_err().kind(), ErrorKind::ConnectionReset, "{backend}");
        assert_eq!(tunnel.metric("connect_errors_total"), 1);
    }
}

#[test]
fn who_takes_nothing_holds_the_sender_back_and_not_the_memory() {
    let reads_nothing = origin(|_stream| thread::sleep(Duration::from_secs(60))).to_string();
    for backend in BACKENDS {
        let tunnel = Tunnel::start("tcp", &["--to", &reads_nothing, "--backend", backend]);
        let before = tunnel.memory();
        let senders: Vec<_> = (0..20)
            .map(|_| {
                let mut stream = tunnel.connect();
                stream.set_write_timeout(Some(Duration::from_millis(500))).unwrap();
                thread::spawn(move || {
                    let piece = vec![7; 65_536];
                    let sent = (0..4096).take_while(|_| stream.write_all(&piece).is_ok()).count();
                    (sent, stream)
                })
            })
            .collect();
        let held: Vec<_> = senders.into_iter().map(|sender| sender.join().unwrap()).collect();
        assert!(held.iter().all(|(pieces, _)| *pieces < 4096), "{backend}: everything was taken");
        let grown = tunnel.memory().saturating_sub(before);
        // They would have sent 5 GB. Of each some 64 KB wait before the loop and behind it, in memory that doubles as it grows; the buffers for
        // all are 2 MB a thread.
        assert!(grown < 50_000_000, "{backend}: {grown} bytes more");
    }
}

#[test]
fn a_tunnel_without_bytes_ends_and_so_does_one_that_is_too_slow_or_too_old() {
    let echo = echo().to_string();
    for (words, end) in [(["--idle-timeout", "200ms"], "idle"), (["--lifetime", "200ms"], "lifetime")] {
        for backend in BACKENDS {
            let mut tunnel =
                Tunnel::start("tcp", &["--to", &echo, "--backend", backend, "--log", words[0], words[1]]);
            let mut stream = tunnel.connect();
            stream.write_all(b"x").unwrap();
            stream.read_exact(&mut [0]).unwrap();
            assert_eq!(stream.read(&mut [0]).unwrap_err().kind(), ErrorKind::ConnectionReset, "{backend}");
            assert_eq!(tunnel.line()["end"], end);
        }
    }
}

#[test]
fn too_fast_is_slowed_down_and_not_cut_off() {
    let echo = echo().to_string();
    for backend in BACKENDS {
        let tunnel = Tunnel::start("tcp", &["--to", &echo, "--backend", backend, "--rate-max", "1MB"]);
        let bytes = pattern(1_500_000);
        let begun = Instant::now();
        assert!(there_and_back(&tunnel, &bytes, bytes.len()) == bytes, "{backend}");
        // 1.4 s by the rate; a tenth of a second may come at once. No upper bound: machines differ.
        assert!(begun.elapsed() > Duration::from_millis(1200), "{backend}: {:?}", begun.elapsed());
    }
}

#[test]
fn who_breaks_off_in_the_middle_disturbs_nobody() {
    let wanted = pattern(3_000_000);
    let sent = wanted.clone();
    let sends = origin(move |mut stream| {
        // Whoever breaks off does not take all.
        let _ = stream.write_all(&sent);
    })
    .to_string();
    for backend in BACKENDS {
        let tunnel = Tunnel::start("tcp", &["--to", &sends, "--backend", backend]);
        thread::scope(|scope| {
            for number in 0..4 {
                let address = tunnel.address;
                scope.spawn(move || {
                    let mut some = vec![0; 10_000 + 77_777 * number];
                    for _ in 0..100 {
                        patient(TcpStream::connect(address).unwrap()).read_exact(&mut some).unwrap();
                    }
                });
            }
            for _ in 0..40 {
                assert!(read_all(&mut tunnel.connect()) == wanted, "{backend}");
            }
        });
        until("all are closed", || tunnel.metric("connections_open") == 0);
    }
}
