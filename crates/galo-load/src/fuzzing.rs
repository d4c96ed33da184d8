//! Doors for the fuzzers of `fuzz/` to what is private, and what must hold there whatever arrives.

use crate::h2::{Field, H2, RequestParts, ResetKind, Sink, StreamId};
use crate::response::{BODY_LIMIT, Response};

/// Most requests that [`h2()`] has under way.
const STREAMS: u32 = 8;

/// Reads an HTTP/1.1 answer twice: in pieces, and whole. The first byte says whether the request was a HEAD and how
/// long the pieces are.
///
/// # Panics
///
/// Where the two differ, or more is kept than the limits allow: what the fuzzer is to find.
pub fn response(data: &[u8]) {
    let Some((&first, bytes)) = data.split_first() else { return };
    let (head_request, piece) = (first & 1 == 1, usize::from(first >> 1).max(1));
    let mut pieces = Response::new();
    pieces.begin(head_request, BODY_LIMIT as usize);
    let mut outcome = Ok(false);
    for part in bytes.chunks(piece) {
        if outcome.is_ok() {
            outcome = pieces.feed(part, 1);
        }
    }
    let mut whole = Response::new();
    whole.begin(head_request, BODY_LIMIT as usize);
    let at_once = if bytes.is_empty() { Ok(false) } else { whole.feed(bytes, 1) };
    assert_eq!(outcome, at_once, "where the pieces are cut changes the result");
    // Of what cannot be read, as much is kept as had arrived.
    if outcome.is_err() {
        return;
    }
    assert_eq!((pieces.status(), pieces.status_line()), (whole.status(), whole.status_line()));
    assert_eq!((pieces.body(), pieces.location()), (whole.body(), whole.location()));
    assert!(pieces.body().len() as u64 <= BODY_LIMIT);
    assert_eq!(pieces.end(), whole.end());
}

/// Lets a peer say anything to an HTTP/2 connection with requests under way. The first byte says how long the pieces
/// are, and the lowest bits of each piece's first byte what galo does before it arrives.
///
/// # Panics
///
/// Where an exchange ends twice, or is heard of after its end: what the fuzzer is to find.
pub fn h2(data: &[u8]) {
    let Some((&first, bytes)) = data.split_first() else { return };
    let mut out = Vec::new();
    let mut connection = H2::start(STREAMS, &mut out);
    let mut heard = Heard::default();
    let mut streams: Vec<StreamId> = Vec::new();
    ask(&mut connection, &mut heard, &mut streams, &mut out);
    for part in bytes.chunks(usize::from(first).max(1)) {
        match part[0] & 7 {
            1 => ask(&mut connection, &mut heard, &mut streams, &mut out),
            2 => give_up(&mut connection, &mut heard, &mut streams, &mut out),
            _ => {}
        }
        let result = connection.receive(part, &mut out, &mut heard);
        out.clear();
        if result.is_err() {
            assert_eq!(connection.room(), 0, "a broken connection takes no requests");
        }
    }
}

fn ask(connection: &mut H2, heard: &mut Heard, streams: &mut Vec<StreamId>, out: &mut Vec<u8>) {
    let exchange = streams.len() as u32;
    let body: &[u8] = if exchange.is_multiple_of(2) { b"" } else { &[b'x'; 70_000] };
    let parts = RequestParts {
        method: if exchange % 3 == 2 { "HEAD" } else { "POST" },
        scheme: "http",
        authority: "galo.test",
        path: b"/thing",
        path_constant: exchange.is_multiple_of(2),
        body,
    };
    let field = Field { name: b"user-agent", value: b"galo", constant: true };
    let room = connection.room();
    match connection.request(exchange, &parts, [field], out) {
        Ok(stream) => {
            assert!(room > 0, "a request without room");
            streams.push(stream);
            heard.over.push(false);
        }
        Err(_) => assert_eq!(room, 0, "no request in spite of room"),
    }
}

/// Gives up the last request that has not ended.
fn give_up(connection: &mut H2, heard: &mut Heard, streams: &mut [StreamId], out: &mut Vec<u8>) {
    if let Some(last) = heard.over.iter().rposition(|over| !over) {
        heard.over[last] = true;
        connection.abandon(streams[last], out);
    }
}

/// Which exchanges are over.
#[derive(Default)]
struct Heard {
    over: Vec<bool>,
}

impl Heard {
    fn hear(&mut self, exchange: u32, end: bool) {
        let over = &mut self.over[exchange as usize];
        assert!(!*over, "exchange {exchange} is heard of after its end");
        *over = end;
    }
}

impl Sink for Heard {
    fn head(&mut self, exchange: u32, status: u16, head: &[u8], end: bool) {
        assert!((200..=999).contains(&status) && head.ends_with(b"\r\n\r\n"));
        self.hear(exchange, end);
    }

    fn data(&mut self, exchange: u32, data: &[u8], end: bool) {
        assert!(end || !data.is_empty());
        self.hear(exchange, end);
    }

    fn failed(&mut self, exchange: u32, why: ResetKind) {
        assert!(!why.text().is_empty());
        self.hear(exchange, true);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    /// Hands over all seeds of a target, each also cut off after every byte.
    fn every_seed(target: &str, read: fn(&[u8])) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(target);
        let seeds: Vec<_> = fs::read_dir(&folder).unwrap().map(|seed| seed.unwrap().path()).collect();
        assert!(!seeds.is_empty(), "{} is empty", folder.display());
        for seed in seeds {
            let data = fs::read(&seed).unwrap();
            (0..=data.len()).for_each(|end| read(&data[..end]));
        }
    }

    #[test]
    fn what_must_hold_of_an_answer_holds_of_every_seed() {
        every_seed("response", super::response);
    }

    #[test]
    fn what_must_hold_of_http2_holds_of_every_seed() {
        every_seed("h2", super::h2);
    }

    #[test]
    fn every_target_of_the_fuzzers_has_its_seeds_and_is_tested_here_or_in_the_tunnel() {
        let names = |folder: &str| {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz").join(folder);
            let entries = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
            let mut names: Vec<_> =
                entries.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect();
            names.sort();
            names
        };
        assert_eq!(names("fuzz_targets"), ["h2", "response", "tunnel"]);
        assert_eq!(names("seeds"), ["h2", "response", "tunnel"]);
    }
}
