use proptest::prelude::*;

use super::*;

/// What came of an answer, as far as a caller can see it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Seen {
    Complete { status: u16, body: Vec<u8>, location: Option<Vec<u8>>, keeps: bool },
    Unreadable(AnswerError),
    Cut(CutError),
}

/// Reads `bytes` in the given pieces, then the end of the connection.
fn read<'b>(pieces: impl IntoIterator<Item = &'b [u8]>, head_request: bool) -> Seen {
    let mut response = Response::new();
    response.begin(head_request, BODY_LIMIT as usize);
    for piece in pieces {
        if let Err(error) = response.feed(piece, 1) {
            return Seen::Unreadable(error);
        }
    }
    match response.end() {
        Ok(()) => Seen::Complete {
            status: response.status(),
            body: response.body().to_vec(),
            location: response.location().map(<[u8]>::to_vec),
            keeps: response.keeps_connection(),
        },
        Err(cut) => Seen::Cut(cut),
    }
}

fn whole(text: &str) -> Seen {
    read([text.as_bytes()], false)
}

fn complete(status: u16, body: &str, keeps: bool) -> Seen {
    Seen::Complete { status, body: body.as_bytes().to_vec(), location: None, keeps }
}

const ANSWERS: &[&str] = &[
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    "HTTP/1.1 200\r\ncontent-length: 5\r\nCONTENT-LENGTH: 5\r\n\r\nhello",
    "HTTP/1.1 201 Created\r\nLocation: /pessoas/1\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 204 No Content\r\n\r\n",
    "HTTP/1.1 304 Not Modified\r\nContent-Length: 99\r\n\r\n",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;a=\"b;c\"\r\n world\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n00000A \r\n0123456789\r\n0;x\r\nTrailer: a\r\nOther: b\r\n\r\n",
    "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nuntil the end",
    "HTTP/1.0 200 OK\r\n\r\nuntil the end",
    "HTTP/1.1 200 OK\nContent-Length: 2\n\nok",
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhelloHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 204 No Content\r\n\r\nx",
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello!\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\nhello\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nHTTP",
    "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nContent-Le",
    "\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    "SSH-2.0-OpenSSH_9.6\r\n",
    "",
];

#[test]
fn a_cut_at_any_byte_changes_nothing() {
    for answer in ANSWERS {
        let bytes = answer.as_bytes();
        let expected = whole(answer);
        for at in 0..=bytes.len() {
            assert_eq!(read([&bytes[..at], &bytes[at..]], false), expected, "{answer:?} cut at {at}");
        }
        assert_eq!(read(bytes.chunks(1), false), expected, "{answer:?} byte by byte");
    }
}

#[test]
fn bodies_end_where_the_head_says() {
    assert_eq!(whole(ANSWERS[0]), complete(200, "hello", true));
    assert_eq!(whole(ANSWERS[1]), complete(200, "hello", true));
    assert_eq!(whole(ANSWERS[3]), complete(204, "", true));
    assert_eq!(whole(ANSWERS[4]), complete(304, "", true));
    assert_eq!(whole(ANSWERS[6]), complete(200, "hello world", true));
    assert_eq!(whole(ANSWERS[7]), complete(200, "0123456789", true));
    assert_eq!(whole(ANSWERS[8]), complete(200, "until the end", false));
    assert_eq!(whole(ANSWERS[9]), complete(200, "until the end", false));
    assert_eq!(whole(ANSWERS[10]), complete(200, "ok", true));
    let head = b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n".as_slice();
    assert_eq!(read([head], true), complete(200, "", true), "a HEAD has no body");
}

#[test]
fn the_location_is_kept_as_received() {
    let Seen::Complete { status: 201, location: Some(location), .. } = whole(ANSWERS[2]) else {
        panic!("not complete")
    };
    assert_eq!(location, b"/pessoas/1");
}

#[test]
fn interim_answers_are_skipped_and_their_first_byte_is_not_the_answers() {
    assert_eq!(whole(ANSWERS[5]), complete(200, "x", true));
    let mut response = Response::new();
    response.begin(false, 10);
    assert_eq!(response.feed(b"HTTP/1.1 100 Continue\r\n\r\n", 10), Ok(false));
    assert_eq!((response.first_byte_ns(), response.status()), (None, 0));
    assert_eq!(response.feed(b"HTTP/1.1 200 OK\r\nContent-", 20), Ok(false));
    assert_eq!(response.feed(b"Length: 0\r\n\r\n", 30), Ok(true));
    assert_eq!((response.first_byte_ns(), response.status()), (Some(20), 200));
}

#[test]
fn what_is_ambiguous_or_not_http_is_unreadable() {
    let unreadable = |head: &str| match whole(&format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\n")) {
        Seen::Unreadable(error) => error,
        other => panic!("{head}: {other:?}"),
    };
    assert_eq!(unreadable("Content-Length: 5\r\nContent-Length: 6"), AnswerError::ConflictingLength);
    assert_eq!(unreadable("Content-Length: 5, 5"), AnswerError::BadLength);
    assert_eq!(unreadable("Content-Length: -5"), AnswerError::BadLength);
    assert_eq!(unreadable("Content-Length: +5"), AnswerError::BadLength);
    assert_eq!(unreadable("Content-Length:"), AnswerError::BadLength);
    assert_eq!(unreadable("Content-Length: 99999999999999999999999999"), AnswerError::BodyTooLarge);
    assert_eq!(unreadable("Content-Length: 5\r\nTransfer-Encoding: chunked"), AnswerError::LengthAndChunked);
    assert_eq!(unreadable("Transfer-Encoding: gzip, chunked"), AnswerError::UnknownEncoding);
    assert_eq!(
        unreadable("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"),
        AnswerError::UnknownEncoding
    );
    assert_eq!(unreadable("no colon"), AnswerError::BadHead);
    assert_eq!(whole("HTTP/1.1 20 OK\r\n\r\n"), Seen::Unreadable(AnswerError::BadHead));
    assert_eq!(whole("HTTP/1.1 999 OK\r\n\r\n"), Seen::Unreadable(AnswerError::BadHead));
    assert_eq!(whole("HTTP/1.1 101 Upgrade\r\n\r\n"), Seen::Unreadable(AnswerError::Upgraded));
    assert_eq!(whole("HTTP/2.0 200 OK\r\n\r\n"), Seen::Unreadable(AnswerError::NotHttp));
    assert_eq!(
        whole("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
        Seen::Unreadable(AnswerError::UnknownEncoding)
    );
    assert_eq!(whole("SSH-2.0-OpenSSH_9.6\r\n"), Seen::Unreadable(AnswerError::NotHttp));
}

#[test]
fn garbage_is_known_at_its_first_byte_not_at_the_timeout() {
    let mut response = Response::new();
    response.begin(false, 10);
    assert_eq!(response.feed(b"HTTX", 1), Err(AnswerError::NotHttp));
}

#[test]
fn bytes_beyond_the_answer_are_unexpected() {
    for answer in [ANSWERS[11], ANSWERS[12], ANSWERS[18]] {
        assert_eq!(whole(answer), Seen::Unreadable(AnswerError::UnexpectedBytes), "{answer:?}");
    }
}

#[test]
fn malformed_chunks_are_unreadable() {
    for answer in [ANSWERS[15], ANSWERS[16], ANSWERS[17]] {
        assert_eq!(whole(answer), Seen::Unreadable(AnswerError::BadChunk), "{answer:?}");
    }
}

#[test]
fn an_answer_cut_short_tells_where() {
    assert_eq!(whole(""), Seen::Cut(CutError::BeforeAnswer));
    assert_eq!(whole("HTTP/1.1 200 OK\r\nContent-Le"), Seen::Cut(CutError::WithinHead));
    assert_eq!(whole("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello"), Seen::Cut(CutError::WithinBody));
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
    for end in "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".len()..chunked.len() {
        assert_eq!(whole(&chunked[..end]), Seen::Cut(CutError::WithinBody), "cut at {end}");
    }
}

/// Feeds `piece` again and again; returns the error and how many bytes were taken.
fn feed_forever(start: &str, piece: &[u8]) -> (AnswerError, usize) {
    let mut response = Response::new();
    response.begin(false, 1000);
    let mut fed = start.len();
    assert_eq!(response.feed(start.as_bytes(), 1), Ok(false));
    loop {
        fed += piece.len();
        assert!(fed < 100 << 20, "never ends");
        if let Err(error) = response.feed(piece, 1) {
            assert!(response.raw.len() <= HEAD_LIMIT + 1 && response.body().len() <= 1000, "holds too much");
            return (error, fed);
        }
    }
}

#[test]
fn nothing_endless_is_read_for_ever_or_kept() {
    let ok = "HTTP/1.1 200 OK\r\n";
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let close = "HTTP/1.1 200 OK\r\n\r\n";
    let (error, fed) = feed_forever(ok, b"X-Padding: abcdefgh\r\n");
    assert!(error == AnswerError::HeadTooLarge && fed <= HEAD_LIMIT + 21, "{error:?} after {fed}");
    let (error, fed) = feed_forever("HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 100 Continue\r\n\r\n");
    assert!(error == AnswerError::HeadTooLarge && fed <= HEAD_LIMIT + 25, "{error:?} after {fed}");
    assert_eq!(feed_forever(close, &[b'x'; 10_000]).0, AnswerError::BodyTooLarge);
    assert_eq!(feed_forever(chunked, b"3\r\nabc\r\n").0, AnswerError::ChunkOverhead);
    assert_eq!(
        feed_forever(chunked, &[b"3e8\r\n".as_slice(), &[b'x'; 1000], b"\r\n"].concat()).0,
        AnswerError::BodyTooLarge
    );
    assert_eq!(feed_forever(chunked, b"0").0, AnswerError::ChunkOverhead);
    assert_eq!(feed_forever(&format!("{chunked}5;"), b"x").0, AnswerError::ChunkOverhead);
    assert_eq!(feed_forever(&format!("{chunked}0\r\n"), b"A: b\r\n").0, AnswerError::TrailersTooLarge);
    let many = "A: b\r\n".repeat(HEADER_LIMIT + 1);
    assert_eq!(whole(&format!("{ok}{many}\r\n")), Seen::Unreadable(AnswerError::TooManyHeaders));
    let enough = "A: b\r\n".repeat(HEADER_LIMIT - 1);
    assert_eq!(whole(&format!("{ok}{enough}Content-Length: 0\r\n\r\n")), complete(200, "", true));
}

#[test]
fn a_head_may_be_as_long_as_the_limit_and_no_longer() {
    let frame = "HTTP/1.1 204 No\r\nA: \r\n\r\n".len();
    let head = |length: usize| format!("HTTP/1.1 204 No\r\nA: {}\r\n\r\n", "x".repeat(length - frame));
    assert_eq!(whole(&head(HEAD_LIMIT)), complete(204, "", true));
    assert_eq!(whole(&head(HEAD_LIMIT + 1)), Seen::Unreadable(AnswerError::HeadTooLarge));
}

#[test]
fn a_body_may_be_as_long_as_the_limit_and_no_longer() {
    let body = vec![b'x'; BODY_LIMIT as usize];
    let head = b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".as_slice();
    assert!(matches!(read([head, &body], false), Seen::Complete { status: 200, .. }));
    assert_eq!(read([head, &body, b"x"], false), Seen::Unreadable(AnswerError::BodyTooLarge));
}

#[test]
fn one_answer_leaves_nothing_for_the_next() {
    let mut response = Response::new();
    response.begin(false, 100);
    assert_eq!(response.feed(ANSWERS[2].as_bytes(), 1), Ok(true));
    response.begin(false, 100);
    assert_eq!((response.status(), response.location(), response.first_byte_ns()), (0, None, None));
    assert_eq!(
        response.feed(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", 2),
        Ok(true)
    );
    assert_eq!((response.status(), response.location(), response.first_byte_ns()), (200, None, Some(2)));
    assert!(!response.keeps_connection());
}

/// Bytes that get further than noise: pieces of answers, in any order.
fn answer_like() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"HTTP/1.1 200 OK\r\n".to_vec()),
        Just(b"HTTP/1.1 100 Continue\r\n\r\n".to_vec()),
        Just(b"Content-Length: 7\r\n".to_vec()),
        Just(b"Transfer-Encoding: chunked\r\n".to_vec()),
        Just(b"Location: /x\r\n".to_vec()),
        Just(b"Connection: close\r\n".to_vec()),
        Just(b"\r\n".to_vec()),
        Just(b"\n".to_vec()),
        Just(b"3\r\nabc\r\n".to_vec()),
        Just(b"0\r\n\r\n".to_vec()),
        prop::collection::vec(any::<u8>(), 0..12),
    ];
    (any::<bool>(), prop::collection::vec(piece, 0..10)).prop_map(|(begins, pieces)| {
        let start: &[u8] = if begins { b"HTTP/1.1 200 OK\r\n" } else { b"" };
        [start, &pieces.concat()].concat()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_bytes_in_no_pieces_make_it_panic_or_change_its_mind(
        bytes in answer_like(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
        head_request in any::<bool>(),
    ) {
        let expected = read([bytes.as_slice()], head_request);
        let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        places.extend([0, bytes.len()]);
        places.sort_unstable();
        prop_assert_eq!(read(places.windows(2).map(|w| &bytes[w[0]..w[1]]), head_request), expected.clone());
        prop_assert_eq!(read(bytes.chunks(1), head_request), expected);
    }
}

#[test]
fn what_an_interim_head_says_is_forgotten_with_it() {
    let mut response = Response::new();
    response.begin(false, 0);
    let interim = b"HTTP/1.1 103 Early Hints\r\nLocation: /early\r\nContent-Type: a/b\r\n\r\n";
    assert_eq!(response.feed(interim, 1), Ok(false));
    assert_eq!((response.location(), response.answer().content_type), (None, None));
}

#[test]
fn long_answers_that_never_end_are_not_taken_without_end_and_others_are() {
    let nearly =
        [b"HTTP/1.1 200 OK\r\nContent-Length: 4194304\r\n\r\n".as_slice(), &[b' '; 4_194_303]].concat();
    let mut waiting = Vec::new();
    let error = loop {
        let mut response = Response::new();
        response.begin(false, BODY_LIMIT as usize);
        match response.feed(&nearly, 1) {
            Ok(is_complete) => assert!(!is_complete && waiting.len() < 200),
            Err(error) => break error,
        }
        waiting.push(response);
    };
    assert_eq!((error, waiting.len()), (AnswerError::TooMuchAtOnce, 128));
    assert_eq!(whole("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"), complete(200, "hello", true));
    waiting.pop();
    let mut next = Response::new();
    next.begin(false, BODY_LIMIT as usize);
    assert_eq!(next.feed(&nearly[..1 << 20], 1), Ok(false));
}
