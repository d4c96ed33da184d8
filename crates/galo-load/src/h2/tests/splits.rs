//! Where bytes are cut never matters, and no bytes do harm.

use proptest::prelude::*;

use super::*;

/// What came of it, as far as a caller can see it.
type Seen = (Result<(), H2Error>, Vec<SinkCall>, Vec<u8>, usize);

/// Hears `pieces`, with four requests under way, two of them with bodies that wait.
fn hear<'b>(pieces: impl IntoIterator<Item = &'b [u8]>) -> Seen {
    let mut talk = Talk::with_settings(&[(frame::INITIAL_WINDOW_SIZE, 5)]);
    for (exchange, body) in (0..).zip([&b""[..], b"0123456789", b"0123456789", b""]) {
        talk.request(exchange, if exchange == 3 { "HEAD" } else { "GET" }, body);
    }
    talk.out.clear();
    let result = pieces.into_iter().try_for_each(|piece| talk.hear(piece));
    (result, talk.told(), talk.out, talk.h2.room())
}

#[test]
fn a_cut_at_any_byte_changes_nothing() {
    let talk = [
        headers(0, 3, ":status: 200\ncontent-length: 7\nserver: x"),
        frame(frame::DATA, frame::PADDED, 3, b"\x02abc\0\0"),
        frame(frame::HEADERS, END_STREAM, 1, b"\x88"),
        frame(frame::CONTINUATION, END_HEADERS, 1, b"\x76\x01a"),
        frame(frame::PING, 0, 0, b"12345678"),
        settings(&[(frame::INITIAL_WINDOW_SIZE, 7)]),
        body(END_STREAM, 3, "defg"),
        frame(frame::WINDOW_UPDATE, 0, 5, &[0, 0, 0, 1]),
        frame(frame::RST_STREAM, 0, 5, &[0, 0, 0, 1]),
        frame(frame::GOAWAY, 0, 0, &[0, 0, 0, 5, 0, 0, 0, 0]),
        frame(frame::PUSH_PROMISE, END_HEADERS, 1, b"\0\0\0\x02\x82"),
    ]
    .concat();
    let expected = hear([&talk[..]]);
    assert_eq!((expected.0, expected.1.len()), (Err(H2Error::UnaskedPush), 6));
    for at in 0..=talk.len() {
        assert_eq!(hear([&talk[..at], &talk[at..]]), expected, "cut at {at}");
    }
    assert_eq!(hear(talk.chunks(1)), expected, "byte by byte");
}

/// Frames as they could be, and as they should not.
fn any_frame() -> impl Strategy<Value = Vec<u8>> {
    let lines = prop_oneof![
        Just(":status: 200\nserver: x"),
        Just(":status: 200\ncontent-length: 3"),
        Just(":status: 100"),
        Just("a: b"),
    ];
    let stream = prop_oneof![8 => (0u32..4).prop_map(|n| 2 * n + 1), 1 => 0u32..12];
    let flags = prop_oneof![3 => Just(0u8), 3 => Just(END_STREAM), 1 => any::<u8>()];
    let indexing = prop_oneof![Just(&b"\x88\x76\x01a"[..]), Just(&b"\x88\xbe"[..]), Just(&b"\x88\xbf"[..])];
    let update = (stream.clone(), 0u32..20);
    prop_oneof![
        4 => (flags.clone(), stream.clone(), lines).prop_map(|(f, s, lines)| headers(f & END_STREAM, s, lines)),
        2 => (stream.clone(), indexing).prop_map(|(s, block)| frame(frame::HEADERS, END_HEADERS, s, block)),
        4 => (flags.clone(), stream.clone(), "[a-z]{0,4}").prop_map(|(f, s, text)| body(f, s, &text)),
        2 => update.prop_map(|(s, n)| frame(frame::WINDOW_UPDATE, 0, s, &n.to_be_bytes())),
        1 => (1u16..7, 0u32..70_000).prop_map(|entry| settings(&[entry])),
        1 => (0u8..12, flags, stream, prop::collection::vec(any::<u8>(), 0..20))
            .prop_map(|(kind, flags, stream, payload)| frame(kind, flags, stream, &payload)),
    ]
}

proptest! {
    #[test]
    fn any_frames_come_to_the_same_however_they_are_cut(
        frames in prop::collection::vec(any_frame(), 0..20),
        garbage in prop::collection::vec(any::<u8>(), 0..30),
        size in 1usize..40,
    ) {
        let bytes = [frames.concat(), garbage].concat();
        prop_assert_eq!(hear(bytes.chunks(size)), hear([&bytes[..]]));
    }

    #[test]
    fn each_exchange_ends_once(frames in prop::collection::vec(any_frame(), 0..20)) {
        let (_, told, _, _) = hear(frames.iter().map(Vec::as_slice));
        for exchange in 0..4 {
            let ends = told.iter().filter(|told| match told {
                SinkCall::Head(of, _, end) | SinkCall::Data(of, _, end) => *of == exchange && *end,
                SinkCall::Failed(of, _) => *of == exchange,
            });
            prop_assert!(ends.count() <= 1);
        }
    }
}
