//! Doors for the fuzzers of `fuzz/` to what is private, and what must hold there whatever arrives.

use crate::connect;
use crate::http::body::{self, Framing, Reader};
use crate::http::{request, response};

/// Reads requests, one behind the other. The first byte says in how long pieces bodies come.
///
/// # Panics
/// Where what is written for an upstream is read as anything else than what was read here, or where the pieces are cut changes a body: what
/// the fuzzer is to find.
pub fn requests(data: &[u8]) {
    let Some((&first, mut rest)) = data.split_first() else { return };
    while let Ok(Some(read)) = request::parse(rest) {
        assert!(read.end <= rest.len(), "beyond what came");
        let again = request::parse(&read.out).expect("what is written is a request").expect("... and whole");
        assert_eq!((again.end, again.framing, &again.out), (read.out.len(), read.framing, &read.out));
        let lines = read
            .out
            .split(|&byte| byte == b'\n')
            .filter(|line| line.eq_ignore_ascii_case(b"transfer-encoding: chunked\r"));
        assert_eq!(lines.count(), usize::from(read.framing == Framing::Chunked));
        rest = &rest[read.end..];
        let whole = decode(read.framing, rest, rest.len());
        assert_eq!(
            whole,
            decode(read.framing, rest, usize::from(first).max(1)),
            "where the pieces are cut changes the body"
        );
        let Some((decoded, taken)) = whole else { return };
        let mut out = Vec::new();
        body::write(Framing::Chunked, &decoded, &mut out);
        body::write_end(Framing::Chunked, &mut out);
        assert_eq!(decode(Framing::Chunked, &out, out.len()), Some((decoded, out.len())));
        rest = &rest[taken..];
    }
}

/// A body, and how many bytes it takes; nothing if it is none or has not ended.
fn decode(framing: Framing, bytes: &[u8], piece: usize) -> Option<(Vec<u8>, usize)> {
    let mut reader = Reader::new(framing);
    let (mut decoded, mut taken) = (Vec::new(), 0);
    for part in bytes.chunks(piece.max(1)) {
        let mut at = 0;
        while at < part.len() && !reader.is_done() {
            let (read, data) = reader.read(&part[at..]).ok()?;
            decoded.extend_from_slice(&part[at + read - data..at + read]);
            at += read;
        }
        taken += at;
    }
    reader.is_done().then_some((decoded, taken))
}

/// Reads an answer. The first byte says whether the request was a HEAD, and of which version.
///
/// # Panics
/// Where what is written for a client is read as anything else.
pub fn answer(data: &[u8]) {
    let Some((&first, bytes)) = data.split_first() else { return };
    let (to_head, is_old, close) = (first & 1 == 1, first & 2 == 2, first & 4 == 4);
    let Ok(Some(mut read)) = response::parse(bytes, to_head) else { return };
    assert!(read.end <= bytes.len(), "beyond what came");
    let to_client = response::finish(&mut read.out, read.framing, is_old, close);
    let again =
        response::parse(&read.out, to_head).expect("what is written is an answer").expect("... and whole");
    assert_eq!((again.end, again.framing), (read.out.len(), to_client));
}

/// Reads the head of a CONNECT.
///
/// # Panics
/// Where it is said to end beyond what came.
pub fn connect(data: &[u8]) {
    if let Ok(Some((_, end))) = connect::parse(data) {
        assert!(end <= data.len(), "beyond what came");
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{answer, connect, requests};
    use crate::http::{FIELDS_MAX, HEAD_BYTES_MAX, request, response};

    /// Pieces of which messages, and attacks, are made.
    fn pieces() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop::sample::select(vec![
            "GET ",
            "POST ",
            "HEAD ",
            "CONNECT ",
            "/",
            "a:1",
            "http://x/",
            " HTTP/1.1\r\n",
            " HTTP/1.0\r\n",
            "HTTP/1.1 200 OK\r\n",
            "HTTP/1.1 304 N\r\n",
            "Host: x\r\n",
            "Content-Length: 3\r\n",
            "Content-Length: 0\r\n",
            "Transfer-Encoding: chunked\r\n",
            "Connection: close\r\n",
            "Connection: x\r\n",
            "X: y\r\n",
            "\r\n",
            "\n",
            "\r",
            " ",
            "3\r\n",
            "abc\r\n",
            "abc",
            "0\r\n\r\n",
            ";a=b",
            "\t",
            ":",
            "\0",
            "Upgrade: a\r\n",
            "Expect: 100-continue\r\n",
        ]);
        prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat().into_bytes())
    }

    #[test]
    fn every_seed_of_the_fuzzer_holds() {
        let seeds = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../fuzz/seeds/tunnel");
        let mut count = 0;
        for seed in std::fs::read_dir(seeds).unwrap() {
            let bytes = std::fs::read(seed.unwrap().path()).unwrap();
            requests(&bytes);
            answer(&bytes);
            connect(&bytes);
            count += 1;
        }
        assert!(count >= 5, "{count} seeds");
    }

    #[test]
    fn what_would_be_too_much_for_whoever_comes_next_is_refused() {
        let fields = |number: usize| "f:v\r\n".repeat(number);
        let sized = |line: &str, bytes: usize| {
            let value = "v".repeat(bytes - line.len() - "f: \r\n\r\n".len());
            format!("{line}f: {value}\r\n\r\n")
        };
        // A host is added.
        let old = "GET / HTTP/1.0\r\n";
        let at_most = HEAD_BYTES_MAX - "Host: localhost\r\n".len();
        for (head, fits) in [
            (format!("{old}{}\r\n", fields(FIELDS_MAX - 1)), true),
            (format!("{old}{}\r\n", fields(FIELDS_MAX)), false),
            (sized(old, at_most), true),
            (sized(old, at_most + 1), false),
        ] {
            assert_eq!(request::parse(head.as_bytes()).is_ok(), fits, "{} bytes", head.len());
            requests(format!("\x01{head}").as_bytes());
        }
        // How the body comes, and whether the connection stays.
        let ok = "HTTP/1.1 200 OK\r\n";
        let at_most = HEAD_BYTES_MAX - "Transfer-Encoding: chunked\r\nConnection: keep-alive\r\n".len();
        for (head, fits) in [
            (format!("{ok}{}\r\n", fields(FIELDS_MAX - 2)), true),
            (format!("{ok}{}\r\n", fields(FIELDS_MAX - 1)), false),
            (sized(ok, at_most), true),
            (sized(ok, at_most + 1), false),
        ] {
            assert_eq!(response::parse(head.as_bytes(), false).is_ok(), fits, "{} bytes", head.len());
            (0..8).for_each(|first| answer(&[&[first], head.as_bytes()].concat()));
        }
    }

    proptest! {
        #[test]
        fn what_is_written_for_an_upstream_is_read_as_what_was_read(first in any::<u8>(), bytes in pieces()) {
            requests(&[&[first][..], &bytes].concat());
        }

        #[test]
        fn what_is_written_for_a_client_is_read_as_what_was_read(first in any::<u8>(), bytes in pieces()) {
            answer(&[&[first][..], &bytes].concat());
        }

        #[test]
        fn a_connect_ends_within_what_came(bytes in pieces()) {
            connect(&bytes);
        }
    }
}
