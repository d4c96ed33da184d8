//! What requests look like, and how many there may be.

use super::super::head::HeadText;
use super::super::hpack::Decoder;
use super::*;

fn parts(body: &[u8]) -> RequestParts<'_> {
    RequestParts {
        method: "POST",
        scheme: "http",
        authority: "localhost:8080",
        path: b"/p?q=1",
        path_constant: false,
        body,
    }
}

fn fields(varying: &'static str) -> [Field<'static>; 3] {
    [
        Field { name: b"accept", value: b"*/*", constant: true },
        Field { name: b"x-run", value: b"galo", constant: true },
        Field { name: b"x-user", value: varying.as_bytes(), constant: false },
    ]
}

/// Length of the block that a request takes.
fn block_len(talk: &mut Talk, exchange: u32) -> u32 {
    talk.h2.request(exchange, &parts(b""), fields("7"), &mut talk.out).unwrap();
    let said = talk.said();
    assert_eq!((said.len(), said[0].0.kind, said[0].0.flags), (1, frame::HEADERS, END_HEADERS | END_STREAM));
    said[0].0.length
}

#[test]
fn a_repeated_request_is_short() {
    let mut talk = Talk::with_settings(&[]);
    let varying = (2 + 6) + (1 + 7 + 2);
    assert_eq!(block_len(&mut talk, 0), 2 + (2 + 14) + (2 + 3) + (1 + 6 + 5) + varying);
    assert_eq!(block_len(&mut talk, 1), 2 + 1 + 1 + 1 + varying);
    assert_eq!(block_len(&mut talk, 2), 2 + 1 + 1 + 1 + varying);
}

#[test]
fn a_shrunk_table_is_told_to_the_peer_and_filled_anew() {
    let mut talk = Talk::with_settings(&[]);
    let first = block_len(&mut talk, 0);
    let short = block_len(&mut talk, 1);
    talk.hear(&settings(&[(frame::HEADER_TABLE_SIZE, 100)])).unwrap();
    talk.hear(&settings(&[(frame::HEADER_TABLE_SIZE, 4_096)])).unwrap();
    talk.out.clear();
    // Two updates: to 0, which is one byte, and to 4,096, which is three.
    assert_eq!(block_len(&mut talk, 2), first + 4);
    assert_eq!(block_len(&mut talk, 3), short);
    // More than the default is not used, so nothing changes.
    talk.hear(&settings(&[(frame::HEADER_TABLE_SIZE, 65_536)])).unwrap();
    talk.out.clear();
    assert_eq!(block_len(&mut talk, 4), short);
    talk.hear(&settings(&[(frame::HEADER_TABLE_SIZE, 0)])).unwrap();
    talk.out.clear();
    // Without a table `accept` takes a byte more, for its number does not fit beside the longer pattern.
    assert_eq!(block_len(&mut talk, 5), first + 1 + 2);
    assert_eq!(block_len(&mut talk, 6), first + 1);
}

#[test]
fn headers_beyond_a_frame_are_continued() {
    let mut talk = Talk::with_settings(&[]);
    let long = "v".repeat(40_000);
    let field = Field { name: b"x-long", value: long.as_bytes(), constant: true };
    talk.h2.request(0, &parts(b"body"), [field], &mut talk.out).unwrap();
    let said = talk.said();
    let seen: Vec<_> = said.iter().map(|(frame, _)| (frame.kind, frame.flags, frame.stream)).collect();
    assert_eq!(
        seen,
        [
            (frame::HEADERS, 0, 1),
            (frame::CONTINUATION, 0, 1),
            (frame::CONTINUATION, END_HEADERS, 1),
            (frame::DATA, END_STREAM, 1)
        ]
    );
    let block: Vec<u8> = said[..3].iter().flat_map(|(_, payload)| payload.clone()).collect();
    assert!(Decoder::new().decode(&block, &mut HeadText::new()).is_ok());
    assert!(block.ends_with(long.as_bytes()));
}

#[test]
fn there_is_room_for_what_both_sides_allow() {
    let mut talk = Talk::silent();
    assert_eq!(talk.h2.room(), 100);
    talk.hear(&settings(&[])).unwrap();
    assert_eq!(talk.h2.room(), 1_000);
    talk.request(0, "GET", b"");
    talk.request(1, "GET", b"");
    talk.hear(&settings(&[(frame::MAX_CONCURRENT_STREAMS, 3)])).unwrap();
    assert_eq!(talk.h2.room(), 1);
    talk.hear(&settings(&[(frame::MAX_CONCURRENT_STREAMS, 1)])).unwrap();
    assert_eq!(talk.h2.room(), 0);
    assert_eq!(talk.h2.request(2, &parts(b""), [], &mut talk.out), Err(NoRoom));
    talk.hear(&headers(END_STREAM, 1, ":status: 200")).unwrap();
    talk.hear(&headers(END_STREAM, 3, ":status: 200")).unwrap();
    assert_eq!((talk.h2.room(), talk.h2.streams.open()), (1, 0));
}

#[test]
fn a_stream_that_lasts_does_not_hinder_others() {
    let mut talk = Talk::with_settings(&[]);
    let lasting = [0, 1, 2].map(|exchange| talk.request(exchange, "GET", b""));
    for exchange in 3..10_000 {
        let StreamId(id) = talk.request(exchange, "GET", b"");
        assert!(id < 5 * exchange, "{id}: numbers are not wasted");
        talk.hear(&headers(END_STREAM, id, ":status: 200")).unwrap();
        assert_eq!(talk.told(), [head(exchange, "HTTP/2 200\n\n", true)]);
        talk.out.clear();
    }
    for (exchange, StreamId(id)) in (0..).zip(lasting) {
        talk.hear(&headers(END_STREAM, id, ":status: 200")).unwrap();
        assert_eq!(talk.told(), [head(exchange, "HTTP/2 200\n\n", true)]);
    }
}

#[test]
fn many_streams_are_told_apart() {
    let mut talk = Talk::with_settings(&[]);
    let ids: Vec<u32> = (0..1_000).map(|exchange| talk.request(exchange, "GET", b"").0).collect();
    assert!(ids.windows(2).all(|pair| pair[0] < pair[1] && pair[0] % 2 == 1));
    assert_eq!(talk.h2.room(), 0);
    for (exchange, id) in (0..1_000).zip(ids).rev() {
        talk.hear(&headers(END_STREAM, id, ":status: 200")).unwrap();
        assert_eq!(talk.told(), [head(exchange, "HTTP/2 200\n\n", true)]);
    }
    assert_eq!(talk.h2.room(), 1_000);
}
