//! A server that sends what it should not.

use super::*;

/// Settings that say nothing.
const CONTROL: &[u8] = &[0, 4, 0];
/// `:status: 200`.
const OK: &[u8] = &[1, 3, 0, 0, 0xd9];

/// Sends `control` on a stream of its own, and `answer` to the first request; `ends`: they end after that.
fn server(control: &'static [u8], answer: Vec<u8>, ends: bool) -> Server {
    let answer = Arc::new(answer);
    Server::start(move |connection| {
        let answer = Arc::clone(&answer);
        async move {
            let Ok(mut own) = connection.open_uni().await else { return };
            let _ = own.write_all(control).await;
            let Ok((mut out, _request)) = connection.accept_bi().await else { return };
            // Piece by piece, so that some of them travel alone.
            for part in answer.chunks(7) {
                let _ = out.write_all(part).await;
                tokio::task::yield_now().await;
            }
            if ends {
                let _ = out.finish();
            }
            // Until the client closes.
            connection.closed().await;
        }
    })
}

fn outcome(control: &'static [u8], answer: &[&[u8]], ends: bool) -> Result<End, H3Error> {
    let server = server(control, answer.concat(), ends);
    let mut talk = Talk::ready(&server);
    talk.ask(0, "GET", "/", b"");
    talk.end(0)
}

fn fails(answer: &[&[u8]], ends: bool) -> FailureKind {
    match outcome(CONTROL, answer, ends) {
        Ok(End::Failed(why)) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_plain_answer_is_read_whatever_unknown_frames_surround_it() {
    let unknown = [0x21, 2, 9, 9];
    // `:status: 103` is entry 24 of the static table.
    let interim = [1, 3, 0, 0, 0xc0 | 24];
    let body = [0, 3, b'a', b'b', b'c'];
    let end = outcome(CONTROL, &[&unknown, &interim, &unknown, OK, &unknown, &body, &[0, 0], &body], true);
    assert_eq!(end, Ok(End::Answered { head: "HTTP/3 200\r\n\r\n".to_owned(), body: b"abcabc".to_vec() }));
}

#[test]
fn what_is_no_answer_fails_its_exchange() {
    use crate::h2::StreamFault::*;
    assert_eq!(fails(&[], true), FailureKind::Cut);
    assert_eq!(fails(&[&OK[..4]], true), FailureKind::Cut);
    assert_eq!(fails(&[OK, &[0, 3, b'a']], true), FailureKind::Cut);
    // No status; and a length (entry 4: `content-length: 0`) that the body exceeds.
    assert_eq!(fails(&[&[1, 2, 0, 0]], false), FailureKind::Fault(NoStatus));
    assert_eq!(fails(&[&[1, 4, 0, 0, 0xd9, 0xc4], &[0, 1, b'a']], false), FailureKind::Fault(LengthMismatch));
    assert_eq!(fails(&[&[1, 0x80, 1, 0, 1]], false), FailureKind::Fault(HeadTooLarge));
    assert_eq!(fails(&[OK, OK], false), FailureKind::Fault(BadTrailers));
}

#[test]
fn what_breaks_the_rules_of_the_connection_ends_it() {
    let cases: [(&[u8], H3Error); 9] = [
        (&[0, 1, b'a'], H3Error::UnexpectedFrame),
        (&[4, 0], H3Error::UnexpectedFrame),
        (&[5, 1, 0], H3Error::UnexpectedFrame),
        (&[2, 0], H3Error::UnexpectedFrame),
        (&[1, 3, 0, 0, 0x80], H3Error::Compression),
        (&[1, 3, 1, 0, 0xd9], H3Error::Compression),
        (&[1, 0], H3Error::Compression),
        (&[1, 4, 0, 0, 0xff, 0x24], H3Error::Compression),
        (&[1, 3, 0, 0, 0x10], H3Error::Compression),
    ];
    for (answer, expected) in cases {
        assert_eq!(outcome(CONTROL, &[answer], false), Err(expected), "{answer:?}");
    }
    let trailers = [1, 3, 0, 0, 0xc4];
    assert_eq!(outcome(CONTROL, &[OK, &trailers, OK], false), Err(H3Error::UnexpectedFrame));
}

#[test]
fn a_broken_control_stream_ends_the_connection() {
    for (control, expected) in [
        (&[0, 7, 1, 0][..], H3Error::NoSettings),
        (&[0, 4, 0, 4, 0], H3Error::UnexpectedFrame),
        (&[0, 4, 0, 0, 0], H3Error::UnexpectedFrame),
        (&[0, 4, 0, 7, 2, 0, 0], H3Error::BadFrame),
        (&[1, 0], H3Error::BadStream),
        (&[2, 0x3f, 0xe1, 0x1f], H3Error::Table),
    ] {
        assert_eq!(outcome(control, &[], false), Err(expected), "{control:?}");
    }
}

#[test]
fn requests_that_a_goodbye_leaves_out_fail_as_unprocessed() {
    let end = outcome(&[0, 4, 0, 7, 1, 0], &[], false).unwrap();
    assert_eq!(end, End::Failed(FailureKind::GoneAway));
    assert!(FailureKind::GoneAway.is_unprocessed());
}

#[test]
fn streams_of_unknown_types_are_ignored() {
    let end = outcome(&[0x21, 1, 2, 3], &[OK], true);
    assert!(matches!(end, Ok(End::Answered { .. })), "{end:?}");
}

#[test]
fn garbage_for_datagrams_changes_nothing() {
    let server = server(CONTROL, OK.to_vec(), true);
    let mut talk = Talk::ready(&server);
    talk.ask(0, "GET", "/", b"");
    for length in [0, 1, 20, 1200] {
        talk.h3.datagram(&vec![0x5a; length], Instant::now(), &mut talk.told).unwrap();
    }
    assert!(matches!(talk.end(0), Ok(End::Answered { .. })));
}
