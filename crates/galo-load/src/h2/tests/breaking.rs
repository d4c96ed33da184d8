//! What breaks a connection.

use super::*;

/// What the connection says of `bytes`, with three requests under way, and the code that the peer is told.
fn error_of(bytes: &[u8]) -> (H2Error, u8) {
    let mut talk = Talk::asking(3);
    let error = talk.hear(bytes).expect_err("it breaks the connection");
    assert_eq!((talk.h2.room(), talk.hear(&[])), (0, Err(error)));
    assert!(error.text().contains("HTTP/2"), "{}", error.text());
    let (frame, payload) = talk.said().pop().unwrap();
    assert_eq!((frame.kind, frame.stream, &payload[..7]), (frame::GOAWAY, 0, &[0; 7][..]));
    (error, payload[7])
}

#[test]
fn frames_that_cannot_be_break_the_connection() {
    use H2Error::*;
    use frame::{
        CONTINUATION, DATA, ENABLE_PUSH, GOAWAY, HEADERS, INITIAL_WINDOW_SIZE, MAX_FRAME_SIZE, PADDED, PING,
        PRIORITY, PUSH_PROMISE, RST_STREAM, SETTINGS, WINDOW_UPDATE, WITH_PRIORITY,
    };
    let increment = |n: u32| n.to_be_bytes();
    for (bytes, expected) in [
        (Frame::new(16_385, DATA, 0, 1).bytes().to_vec(), (FrameTooLarge, 6)),
        (frame(DATA, 0, 0, b"x"), (BadStream, 1)),
        (frame(DATA, 0, 2, b"x"), (BadStream, 1)),
        (frame(DATA, 0, 7, b"x"), (BadStream, 1)),
        (frame(HEADERS, END_HEADERS, 0, b"\x88"), (BadStream, 1)),
        (frame(HEADERS, END_HEADERS, 2, b"\x88"), (BadStream, 1)),
        (frame(HEADERS, END_HEADERS, 7, b"\x88"), (BadStream, 1)),
        (frame(RST_STREAM, 0, 7, &increment(1)), (BadStream, 1)),
        (frame(RST_STREAM, 0, 0, &increment(1)), (BadStream, 1)),
        (frame(WINDOW_UPDATE, 0, 7, &increment(1)), (BadStream, 1)),
        (frame(PRIORITY, 0, 0, &[0; 5]), (BadStream, 1)),
        (frame(SETTINGS, 0, 1, &[]), (BadStream, 1)),
        (frame(PING, 0, 1, &[0; 8]), (BadStream, 1)),
        (frame(GOAWAY, 0, 1, &[0; 8]), (BadStream, 1)),
        (frame(DATA, PADDED, 1, b""), (FrameLength, 6)),
        (frame(HEADERS, PADDED | END_HEADERS, 1, b""), (FrameLength, 6)),
        (frame(HEADERS, WITH_PRIORITY | END_HEADERS, 1, b"1234"), (FrameLength, 6)),
        (frame(PRIORITY, 0, 1, &[0; 4]), (FrameLength, 6)),
        (frame(RST_STREAM, 0, 1, &[0; 5]), (FrameLength, 6)),
        (frame(SETTINGS, 0, 0, &[0; 7]), (FrameLength, 6)),
        (frame(SETTINGS, ACK, 0, &[0; 6]), (FrameLength, 6)),
        (frame(PING, 0, 0, &[0; 7]), (FrameLength, 6)),
        (frame(GOAWAY, 0, 0, &[0; 7]), (FrameLength, 6)),
        (frame(WINDOW_UPDATE, 0, 0, &[0; 3]), (FrameLength, 6)),
        (frame(DATA, PADDED, 1, b"\x05abcd"), (BadPadding, 1)),
        (frame(HEADERS, PADDED | END_HEADERS, 1, b"\x02\x88"), (BadPadding, 1)),
        (settings(&[(ENABLE_PUSH, 1)]), (BadSettings, 1)),
        (settings(&[(MAX_FRAME_SIZE, 16_383)]), (BadSettings, 1)),
        (settings(&[(MAX_FRAME_SIZE, 1 << 24)]), (BadSettings, 1)),
        (settings(&[(INITIAL_WINDOW_SIZE, 1 << 31)]), (FlowControl, 3)),
        (frame(WINDOW_UPDATE, 0, 0, &increment(0)), (BadWindowUpdate, 1)),
        (frame(WINDOW_UPDATE, 0, 0, &increment(0x7fff_ffff)), (BadWindowUpdate, 1)),
        (frame(PUSH_PROMISE, END_HEADERS, 1, b"\0\0\0\x02\x82"), (UnaskedPush, 1)),
        (frame(PING, ACK, 0, &[0; 8]), (UnaskedAck, 1)),
        (frame(HEADERS, END_HEADERS, 1, b"\x80"), (Compression, 9)),
        (frame(CONTINUATION, END_HEADERS, 1, b"\x88"), (BrokenBlock, 1)),
    ] {
        assert_eq!(error_of(&bytes), expected, "{bytes:?}");
    }
}

#[test]
fn a_head_is_not_interrupted() {
    let begun = frame(frame::HEADERS, 0, 1, b"\x88");
    for then in [
        frame(frame::CONTINUATION, END_HEADERS, 3, b""),
        frame(frame::DATA, 0, 1, b""),
        frame(frame::PING, 0, 0, &[0; 8]),
        frame(0xff, 0, 1, b""),
    ] {
        assert_eq!(error_of(&[begun.clone(), then].concat()), (H2Error::BrokenBlock, 1));
    }
}

#[test]
fn an_endless_head_is_refused() {
    let begun = frame(frame::HEADERS, 0, 1, b"\x88");
    let empty = frame(frame::CONTINUATION, 0, 1, b"").repeat(128);
    assert_eq!(error_of(&[begun.clone(), empty].concat()), (H2Error::BlockTooLarge, 0xb));
    let long = frame(frame::CONTINUATION, 0, 1, &[0x88; 16_384]).repeat(16);
    assert_eq!(error_of(&[begun, long].concat()), (H2Error::BlockTooLarge, 0xb));
}

#[test]
fn the_peers_settings_come_first() {
    for first in [
        b"HTTP/1.1 400 Bad Request\r\n".to_vec(),
        frame(frame::PING, 0, 0, &[0; 8]),
        frame(frame::SETTINGS, ACK, 0, &[]),
    ] {
        assert_eq!(Talk::silent().hear(&first), Err(H2Error::NotHttp2));
    }
}

#[test]
fn settings_are_acknowledged_once() {
    let mut talk = Talk::with_settings(&[]);
    let ack = frame(frame::SETTINGS, ACK, 0, &[]);
    assert_eq!(talk.hear(&ack), Ok(()));
    assert_eq!(talk.hear(&ack), Err(H2Error::UnaskedAck));
}

#[test]
fn a_ping_is_answered_and_a_flood_of_them_is_not() {
    let mut talk = Talk::asking(1);
    let ping = frame(frame::PING, 0, 0, b"12345678");
    talk.hear(&ping).unwrap();
    assert_eq!(talk.said(), [(Frame::new(8, frame::PING, ACK, 0), b"12345678".to_vec())]);
    // As long as the answers are taken, any number is.
    for _ in 0..2_000 {
        talk.h2.waits_to_be_sent(0);
        talk.hear(&ping).unwrap();
    }
    talk.h2.waits_to_be_sent(0);
    assert_eq!(talk.hear(&ping.repeat(1_000)), Ok(()));
    assert_eq!(talk.hear(&ping), Err(H2Error::Flood));
    assert_eq!(Talk::asking(1).hear(&settings(&[]).repeat(1_001)), Err(H2Error::Flood));
}

#[test]
fn a_flood_in_many_pieces_ends_a_connection_whose_answers_are_not_read() {
    let mut talk = Talk::asking(1);
    let ping = frame(frame::PING, 0, 0, b"12345678");
    let interim = headers(0, 1, ":status: 103");
    let mut waiting = 0;
    let mut heard = 0;
    let ended = loop {
        // What was said is handed over after every piece, as the engine does, and is not taken by the peer.
        waiting += std::mem::take(&mut talk.out).len();
        talk.h2.waits_to_be_sent(waiting);
        // Heads that are none, in between, are no sign that it reads.
        if let Err(error) = talk.hear(&interim).and_then(|()| talk.hear(&ping)) {
            break error;
        }
        heard += 1;
        assert!(heard <= 1_000, "{waiting} bytes wait to be sent");
    };
    assert_eq!((ended, heard), (H2Error::Flood, 1_000));
    assert!(waiting < 20_000, "{waiting} bytes wait to be sent");
}

#[test]
fn many_pings_on_a_busy_connection_are_no_flood_while_it_moves() {
    let mut talk = Talk::asking(1);
    let ping = frame(frame::PING, 0, 0, b"12345678");
    for _ in 0..5_000 {
        // There is always something that waits, but never much.
        talk.h2.waits_to_be_sent(2_000);
        talk.hear(&ping).unwrap();
        talk.out.clear();
    }
}

#[test]
fn frames_of_unknown_kinds_are_ignored() {
    let mut talk = Talk::asking(1);
    talk.hear(&frame(0x0a, 0xff, 1, b"origin")).unwrap();
    talk.hear(&frame(frame::PRIORITY, 0, 9, &[0; 5])).unwrap();
    talk.hear(&settings(&[(0x99, 1)])).unwrap();
    talk.hear(&headers(END_STREAM, 1, ":status: 200")).unwrap();
    assert_eq!(talk.told(), [head(0, "HTTP/2 200\n\n", true)]);
}
