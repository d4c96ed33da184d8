//! Windows, both ways.

use super::super::error::StreamFault;
use super::*;

/// Lengths and end flags of the DATA frames that were said, by stream.
fn bodies(talk: &mut Talk) -> Vec<(u32, u32, bool)> {
    let said = talk.said().into_iter().filter(|(frame, _)| frame.kind == frame::DATA);
    said.map(|(frame, _)| (frame.stream, frame.length, frame.has(END_STREAM))).collect()
}

fn open(stream: u32, increment: u32) -> Vec<u8> {
    frame(frame::WINDOW_UPDATE, 0, stream, &increment.to_be_bytes())
}

#[test]
fn a_body_is_sent_in_frames_that_the_peer_takes() {
    let mut talk = Talk::with_settings(&[(frame::MAX_FRAME_SIZE, 20_000)]);
    let stream = talk.request(0, "POST", &[b'x'; 45_000]);
    assert!(talk.h2.is_sent(stream));
    assert_eq!(bodies(&mut talk), [(1, 20_000, false), (1, 20_000, false), (1, 5_000, true)]);
}

#[test]
fn a_body_waits_for_the_window_of_the_connection() {
    let mut talk = Talk::with_settings(&[(frame::INITIAL_WINDOW_SIZE, 1 << 20)]);
    let (first, second) = (talk.request(0, "POST", &[b'x'; 65_000]), talk.request(1, "POST", &[b'y'; 1_000]));
    assert_eq!((talk.h2.is_sent(first), talk.h2.is_sent(second)), (true, false));
    let lengths: Vec<u32> = bodies(&mut talk).iter().map(|body| body.1).collect();
    assert_eq!(lengths, [16_384, 16_384, 16_384, 15_848, 535]);
    talk.hear(&open(0, 400)).unwrap();
    assert_eq!(bodies(&mut talk), [(3, 400, false)]);
    talk.hear(&open(0, 400)).unwrap();
    assert_eq!(bodies(&mut talk), [(3, 65, true)]);
    assert!(talk.h2.is_sent(second));
}

#[test]
fn a_body_waits_for_the_window_of_its_stream() {
    let mut talk = Talk::with_settings(&[(frame::INITIAL_WINDOW_SIZE, 10)]);
    talk.request(0, "POST", b"0123456789abcdef");
    talk.request(1, "POST", b"0123456789");
    assert_eq!(bodies(&mut talk), [(1, 10, false), (3, 10, true)]);
    talk.hear(&open(0, 1)).unwrap();
    assert_eq!(bodies(&mut talk), []);
    talk.hear(&open(1, 4)).unwrap();
    assert_eq!(bodies(&mut talk), [(1, 4, false)]);
    talk.hear(&open(1, 4)).unwrap();
    assert_eq!(bodies(&mut talk), [(1, 2, true)]);
}

#[test]
fn a_changed_initial_window_changes_open_streams_by_the_difference() {
    let mut talk = Talk::with_settings(&[(frame::INITIAL_WINDOW_SIZE, 10)]);
    talk.request(0, "POST", b"0123456789abcdefghijklmn");
    talk.said();
    // 4 less than was sent: the window is negative, and opens only beyond that.
    talk.hear(&settings(&[(frame::INITIAL_WINDOW_SIZE, 6)])).unwrap();
    talk.hear(&open(1, 4)).unwrap();
    assert_eq!(bodies(&mut talk), []);
    talk.hear(&open(1, 1)).unwrap();
    assert_eq!(bodies(&mut talk), [(1, 1, false)]);
    talk.hear(&settings(&[(frame::INITIAL_WINDOW_SIZE, 9)])).unwrap();
    assert_eq!(bodies(&mut talk), [(1, 3, false)]);
    talk.hear(&settings(&[(frame::INITIAL_WINDOW_SIZE, 0), (frame::INITIAL_WINDOW_SIZE, 100)])).unwrap();
    assert_eq!(bodies(&mut talk), [(1, 10, true)]);
}

#[test]
fn a_window_beyond_its_bound_is_an_error_of_its_owner() {
    let mut talk = Talk::with_settings(&[]);
    talk.request(0, "GET", b"");
    talk.request(1, "GET", b"");
    talk.request(2, "GET", b"");
    talk.out.clear();
    talk.hear(&open(1, 0x7fff_ffff)).unwrap();
    talk.hear(&open(3, 0)).unwrap();
    let fault = ResetKind::Fault(StreamFault::BadWindowUpdate);
    assert_eq!(talk.told(), [SinkCall::Failed(0, fault), SinkCall::Failed(1, fault)]);
    assert_eq!(talk.said(), [reset_frame(1, 3), reset_frame(3, 3)]);
    talk.hear(&open(5, 0x7fff_0000)).unwrap();
    let more = settings(&[(frame::INITIAL_WINDOW_SIZE, 0x7fff_ffff)]);
    assert_eq!(talk.hear(&more), Err(H2Error::FlowControl));
}

#[test]
fn what_waits_is_forgotten_with_its_stream() {
    let mut talk = Talk::with_settings(&[(frame::INITIAL_WINDOW_SIZE, 1)]);
    let streams = [0, 1, 2, 3].map(|exchange| talk.request(exchange, "POST", b"abc"));
    talk.out.clear();
    talk.h2.abandon(streams[0], &mut talk.out);
    talk.hear(&frame(frame::RST_STREAM, 0, 3, &[0; 4])).unwrap();
    // An early answer: the rest of the request is of no use to anybody.
    talk.hear(&headers(END_STREAM, 5, ":status: 413")).unwrap();
    assert_eq!(talk.said(), [reset_frame(1, 8), reset_frame(5, 8)]);
    let raised = settings(&[(frame::INITIAL_WINDOW_SIZE, 100)]);
    talk.hear(&raised).unwrap();
    assert_eq!(bodies(&mut talk), [(7, 2, true)]);
    assert_eq!(talk.told(), [SinkCall::Failed(1, ResetKind::Peer(0)), head(2, "HTTP/2 413\n\n", true)]);
}

#[test]
fn windows_are_opened_again_in_large_steps() {
    let mut talk = Talk::asking(1);
    talk.hear(&headers(0, 1, ":status: 200")).unwrap();
    let piece = body(0, 1, &"x".repeat(16_384));
    let mut opened = Vec::new();
    for _ in 0..32_768 {
        talk.hear(&piece).unwrap();
        talk.heard.0.clear();
        opened.extend(talk.said());
    }
    let half = (1u32 << 29).to_be_bytes().to_vec();
    let update = |stream| (Frame::new(4, frame::WINDOW_UPDATE, 0, stream), half.clone());
    assert_eq!(opened, [update(0), update(1)]);
}
