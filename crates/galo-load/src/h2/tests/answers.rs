//! What answers come to.

use super::super::error::StreamFault;
use super::*;

#[test]
fn a_head_and_its_body_are_told() {
    let mut talk = Talk::asking(2);
    talk.hear(&headers(0, 3, ":status: 200\ncontent-length: 7\nserver: x")).unwrap();
    talk.hear(&headers(END_STREAM, 1, ":status: 404")).unwrap();
    talk.hear(&body(0, 3, "abc")).unwrap();
    talk.hear(&body(END_STREAM, 3, "defg")).unwrap();
    assert_eq!(
        talk.told(),
        [
            head(1, "HTTP/2 200\ncontent-length: 7\nserver: x\n\n", false),
            head(0, "HTTP/2 404\n\n", true),
            data(1, "abcdefg", true),
        ]
    );
    assert_eq!((talk.said(), talk.h2.streams.open()), (vec![], 0));
}

#[test]
fn interim_heads_and_trailers_are_swallowed() {
    let mut talk = Talk::asking(1);
    talk.hear(&headers(0, 1, ":status: 103\nlink: </a>")).unwrap();
    talk.hear(&headers(0, 1, ":status: 100")).unwrap();
    talk.hear(&headers(0, 1, ":status: 200")).unwrap();
    talk.hear(&body(0, 1, "abc")).unwrap();
    talk.hear(&headers(END_STREAM, 1, "grpc-status: 0")).unwrap();
    assert_eq!(talk.told(), [head(0, "HTTP/2 200\n\n", false), data(0, "abc", true)]);
    assert_eq!((talk.said(), talk.h2.streams.open()), (vec![], 0));
}

#[test]
fn padding_and_priority_are_no_part_of_an_answer() {
    let mut talk = Talk::asking(1);
    let payload = [&[2u8][..], &[0; 5], &block(":status: 200"), &[0, 0]].concat();
    let flags = frame::PADDED | frame::WITH_PRIORITY | END_HEADERS;
    talk.hear(&frame(frame::HEADERS, flags, 1, &payload)).unwrap();
    talk.hear(&frame(frame::DATA, frame::PADDED, 1, b"\x03abc\0\0\0")).unwrap();
    talk.hear(&frame(frame::DATA, frame::PADDED, 1, b"\x02\0\0")).unwrap();
    talk.hear(&frame(frame::DATA, frame::PADDED | END_STREAM, 1, b"\x00d")).unwrap();
    assert_eq!(talk.told(), [head(0, "HTTP/2 200\n\n", false), data(0, "abcd", true)]);
}

#[test]
fn a_head_in_several_frames_is_one() {
    let mut talk = Talk::asking(1);
    let block = block(":status: 200\nserver: x");
    talk.hear(&frame(frame::HEADERS, END_STREAM, 1, &block[..1])).unwrap();
    talk.hear(&frame(frame::CONTINUATION, 0, 1, &block[1..3])).unwrap();
    talk.hear(&frame(frame::CONTINUATION, 0, 1, &[])).unwrap();
    talk.hear(&frame(frame::CONTINUATION, END_HEADERS, 1, &block[3..])).unwrap();
    assert_eq!(talk.told(), [head(0, "HTTP/2 200\nserver: x\n\n", true)]);
}

#[test]
fn a_repeated_block_means_the_same_until_the_table_changes() {
    let mut talk = Talk::asking(6);
    // A literal that is added to the table, then twice its index, another literal, and the same index again.
    let blocks: [&[u8]; 6] =
        [b"\x88\x76\x01a", b"\x88\xbe", b"\x88\xbe", b"\x88\x76\x01b", b"\x88\xbe", b"\x88\xbf"];
    for (stream, block) in (1..).step_by(2).zip(blocks) {
        talk.hear(&frame(frame::HEADERS, END_HEADERS | END_STREAM, stream, block)).unwrap();
    }
    let told = talk.told();
    for (exchange, server) in (0..).zip(["a", "a", "a", "b", "b", "a"]) {
        let text = format!("HTTP/2 200\nserver: {server}\n\n");
        assert_eq!(told[exchange as usize], head(exchange, &text, true));
    }
}

#[test]
fn a_length_without_body_is_right_where_there_is_never_one() {
    for (method, status) in [("HEAD", 200), ("GET", 204), ("GET", 304)] {
        let mut talk = Talk::with_settings(&[]);
        talk.request(7, method, b"");
        talk.hear(&headers(0, 1, &format!(":status: {status}\ncontent-length: 9"))).unwrap();
        talk.hear(&body(END_STREAM, 1, "")).unwrap();
        let text = format!("HTTP/2 {status}\ncontent-length: 9\n\n");
        assert_eq!(talk.told(), [head(7, &text, false), data(7, "", true)]);
    }
}

/// What comes of an answer that fails: the fault, and the code of the reset.
fn fault_of(pieces: &[Vec<u8>]) -> (StreamFault, u8) {
    let mut talk = Talk::asking(2);
    for piece in pieces {
        talk.hear(piece).unwrap();
    }
    // What follows on the stream is ignored, and the other stream lives on.
    talk.hear(&body(END_STREAM, 1, "late")).unwrap();
    talk.hear(&headers(END_STREAM, 3, ":status: 200")).unwrap();
    let said = talk.said();
    let mut told = talk.told();
    assert_eq!(told.pop(), Some(head(1, "HTTP/2 200\n\n", true)));
    let Some(SinkCall::Failed(0, ResetKind::Fault(fault))) = told.pop() else {
        panic!("{pieces:?}: {told:?}")
    };
    assert!(told.iter().all(|told| !matches!(told, SinkCall::Failed(..))));
    assert_eq!(said, [reset_frame(1, said[0].1[3])], "{fault:?}");
    (fault, said[0].1[3])
}

#[test]
fn malformed_heads_fail_their_stream_alone() {
    use StreamFault::*;
    for (lines, fault) in [
        ("server: x", NoStatus),
        ("server: x\n:status: 200", BadHead),
        (":status: 200\n:status: 200", BadHead),
        (":status: 20", BadHead),
        (":status: 2000", BadHead),
        (":status: 099", BadHead),
        (":status: 600", BadHead),
        (":status: 200\n:path: /", BadHead),
        (":status: 200\nServer: x", BadHead),
        (":status: 200\na b: x", BadHead),
        (":status: 200\nserver: a\0b", BadHead),
        (":status: 200\nserver:  x", BadHead),
        (":status: 200\nserver: x ", BadHead),
        (":status: 200\nserver: x\x7f", BadHead),
        (":status: 200\nconnection: close", BadHead),
        (":status: 200\ntransfer-encoding: chunked", BadHead),
        (":status: 200\nkeep-alive: 1", BadHead),
        (":status: 200\nupgrade: h3", BadHead),
        (":status: 101", Upgraded),
        (":status: 200\ncontent-length: x", BadLength),
        (":status: 200\ncontent-length:", BadLength),
        (":status: 200\ncontent-length: -1", BadLength),
        (":status: 200\ncontent-length: 1\ncontent-length: 2", ConflictingLength),
    ] {
        assert_eq!(fault_of(&[headers(0, 1, lines)]), (fault, 1), "{lines}");
    }
    let smuggled = [block(":status: 200"), b"\x0f\x27\x0aa\r\nb: c\r\n\r".to_vec()].concat();
    assert_eq!(fault_of(&[frame(frame::HEADERS, END_HEADERS, 1, &smuggled)]), (BadHead, 1));
}

#[test]
fn bodies_that_do_not_fit_their_head_fail_their_stream_alone() {
    use StreamFault::*;
    let announced = |length: u32| headers(0, 1, &format!(":status: 200\ncontent-length: {length}"));
    assert_eq!(fault_of(&[body(0, 1, "x")]), (DataBeforeHead, 1));
    assert_eq!(fault_of(&[announced(3), body(0, 1, "abcd")]), (LengthMismatch, 1));
    assert_eq!(fault_of(&[announced(3), body(0, 1, "ab"), body(END_STREAM, 1, "")]), (LengthMismatch, 1));
    assert_eq!(fault_of(&[announced(3), headers(END_STREAM, 1, "a: b")]), (LengthMismatch, 1));
    assert_eq!(fault_of(&[headers(END_STREAM, 1, ":status: 200\ncontent-length: 3")]), (LengthMismatch, 1));
    assert_eq!(fault_of(&[headers(0, 1, ":status: 204"), body(0, 1, "x")]), (LengthMismatch, 1));
    assert_eq!(fault_of(&[headers(END_STREAM, 1, ":status: 100")]), (BadHead, 1));
    let begun = headers(0, 1, ":status: 200");
    assert_eq!(fault_of(&[begun.clone(), headers(0, 1, "a: b")]), (BadTrailers, 1));
    assert_eq!(fault_of(&[begun.clone(), headers(END_STREAM, 1, ":status: 200")]), (BadTrailers, 1));
    assert_eq!(fault_of(&[begun, headers(END_STREAM, 1, "A: b")]), (BadHead, 1));
}

#[test]
fn heads_beyond_the_limits_fail_their_stream_alone() {
    let many = |count: usize| format!(":status: 200\n{}", "a: b\n".repeat(count));
    assert_eq!(fault_of(&[headers(0, 1, &many(129))]), (StreamFault::TooManyHeaders, 0xb));
    let mut talk = Talk::asking(1);
    talk.hear(&headers(END_STREAM, 1, &many(128))).unwrap();
    assert!(matches!(&talk.told()[..], [SinkCall::Head(0, _, true)]));

    let large = block(&format!(":status: 200\n{}", format!("a: {}\n", "b".repeat(8_000)).repeat(9)));
    let mut pieces = vec![frame(frame::HEADERS, 0, 1, &large[..10_000])];
    pieces.extend(large[10_000..].chunks(16_384).map(|piece| frame(frame::CONTINUATION, 0, 1, piece)));
    pieces.push(frame(frame::CONTINUATION, END_HEADERS, 1, &[]));
    assert_eq!(fault_of(&pieces), (StreamFault::HeadTooLarge, 0xb));
}

#[test]
fn a_reset_stream_fails_only_its_own_request() {
    let mut talk = Talk::asking(3);
    talk.hear(&frame(frame::RST_STREAM, 0, 3, &[0, 0, 0, 7])).unwrap();
    talk.hear(&frame(frame::RST_STREAM, 0, 1, &[0, 0, 0, 2])).unwrap();
    // A second one is late, not wrong.
    talk.hear(&frame(frame::RST_STREAM, 0, 1, &[0, 0, 0, 2])).unwrap();
    talk.hear(&headers(END_STREAM, 5, ":status: 200")).unwrap();
    let told = talk.told();
    let (refused, internal) = (ResetKind::Peer(7), ResetKind::Peer(2));
    assert_eq!(told[..2], [SinkCall::Failed(1, refused), SinkCall::Failed(0, internal)]);
    assert_eq!(told[2..], [head(2, "HTTP/2 200\n\n", true)]);
    assert_eq!((refused.text(), refused.is_unprocessed()), ("stream reset: REFUSED_STREAM", true));
    assert_eq!((internal.text(), internal.is_unprocessed()), ("stream reset: INTERNAL_ERROR", false));
}

#[test]
fn an_ending_connection_gives_back_what_it_did_not_look_at() {
    let mut talk = Talk::asking(3);
    let goaway = |last: u8| frame(frame::GOAWAY, 0, 0, &[0, 0, 0, last, 0, 0, 0, 0, b'b', b'y', b'e']);
    talk.hear(&goaway(3)).unwrap();
    assert_eq!(talk.told(), [SinkCall::Failed(2, ResetKind::GoneAway)]);
    assert_eq!((talk.h2.is_draining(), talk.h2.room()), (true, 0));
    let parts = RequestParts {
        method: "GET",
        scheme: "http",
        authority: "a",
        path: b"/",
        path_constant: true,
        body: b"",
    };
    assert_eq!(talk.h2.request(9, &parts, [], &mut talk.out), Err(NoRoom));
    talk.hear(&headers(END_STREAM, 3, ":status: 200")).unwrap();
    talk.hear(&goaway(0)).unwrap();
    assert_eq!(talk.told(), [head(1, "HTTP/2 200\n\n", true), SinkCall::Failed(0, ResetKind::GoneAway)]);
    assert_eq!((talk.said(), talk.h2.streams.open()), (vec![], 0));
    assert!(ResetKind::GoneAway.is_unprocessed());
}

#[test]
fn an_abandoned_stream_is_ignored_but_its_headers_count() {
    let mut talk = Talk::with_settings(&[]);
    let given_up = talk.request(5, "GET", b"");
    talk.request(6, "GET", b"");
    talk.out.clear();
    talk.h2.abandon(given_up, &mut talk.out);
    talk.h2.abandon(given_up, &mut talk.out);
    assert_eq!(talk.said(), [reset_frame(1, 8)]);
    // Adds `server: a` to the table, which the other answer then names.
    talk.hear(&frame(frame::HEADERS, END_HEADERS, 1, b"\x88\x76\x01a")).unwrap();
    talk.hear(&body(0, 1, "late")).unwrap();
    talk.hear(&frame(frame::WINDOW_UPDATE, 0, 1, &[0, 0, 0, 1])).unwrap();
    talk.hear(&frame(frame::HEADERS, END_HEADERS | END_STREAM, 3, b"\x88\xbe")).unwrap();
    assert_eq!(talk.told(), [head(6, "HTTP/2 200\nserver: a\n\n", true)]);
    assert_eq!(talk.said(), []);
}

#[test]
fn a_stream_abandoned_within_a_frame_is_told_nothing_more() {
    let mut talk = Talk::with_settings(&[]);
    let stream = talk.request(5, "GET", b"");
    talk.hear(&headers(0, 1, ":status: 200")).unwrap();
    let whole = body(END_STREAM, 1, "abcdef");
    talk.hear(&whole[..HEADER_LEN + 3]).unwrap();
    talk.h2.abandon(stream, &mut talk.out);
    talk.hear(&whole[HEADER_LEN + 3..]).unwrap();
    assert_eq!(talk.told(), [head(5, "HTTP/2 200\n\n", false), data(5, "abc", false)]);
}
