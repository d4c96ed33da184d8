//! What passes between the two, and how it is cut.

use galo_plan::load::TlsSettings;
use proptest::prelude::*;

use super::*;

const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: galo.test\r\n\r\n";

#[test]
fn a_request_and_its_answer_pass_in_every_version_of_tls_however_they_are_cut() {
    let world = World::new();
    let long: Vec<u8> = (0..40_000u32).map(|n| n as u8).collect();
    for version in BOTH {
        for piece in [1, 2, 3, 5, 6, 1000, 16_401, usize::MAX] {
            let mut pair = Pair::new(&world.client(), world.server(&[version], false));
            pair.piece = piece;
            pair.settle().unwrap();
            assert!(pair.tls.is_ready());
            pair.tls.send(REQUEST, &mut pair.to_server).unwrap();
            pair.settle().unwrap();
            assert_eq!(pair.read(), REQUEST);
            pair.answer(&long);
            pair.settle().unwrap();
            assert_eq!(pair.plain, long, "{version:?} in pieces of {piece}");
            assert!(pair.tls.held.is_empty() && pair.tls.held.capacity() <= super::super::KEPT_CAPACITY);
        }
    }
}

#[test]
fn nothing_is_ready_and_nothing_can_be_sent_before_the_handshake_is_done() {
    let world = World::new();
    let mut pair = Pair::new(&world.client(), world.server(BOTH, false));
    assert!(!pair.tls.is_ready());
    let hello = pair.to_server.clone();
    assert_eq!(pair.tls.send(REQUEST, &mut pair.to_server), Err(TlsError::NotReady));
    assert_eq!(pair.to_server, hello);
    assert_eq!(pair.tls.end(), Err(TlsError::CutHandshake));
}

#[test]
fn a_body_of_many_records_is_sent_whole() {
    let world = World::new();
    let body: Vec<u8> = (0..100_000u32).map(|n| (n / 7) as u8).collect();
    for version in BOTH {
        let mut pair = Pair::settled(&world.client(), world.server(&[version], false));
        pair.server.set_buffer_limit(None);
        pair.tls.send(&body, &mut pair.to_server).unwrap();
        let sent = std::mem::take(&mut pair.to_server);
        let mut rest = &sent[..];
        let mut read = Vec::new();
        while !rest.is_empty() {
            pair.server.read_tls(&mut rest).unwrap();
            pair.server.process_new_packets().unwrap();
            read.extend(pair.read());
        }
        assert!(read == body);
    }
}

#[test]
fn sending_goes_on_while_half_a_record_is_held() {
    let world = World::new();
    let mut pair = Pair::settled(&world.client(), world.server(BOTH, false));
    pair.answer(b"the first answer");
    let mut answer = pair.server_bytes();
    let second = answer.split_off(9);
    pair.deliver(answer).unwrap();
    pair.tls.send(REQUEST, &mut pair.to_server).unwrap();
    pair.deliver(second).unwrap();
    pair.settle().unwrap();
    assert_eq!(pair.plain, b"the first answer");
    assert_eq!(pair.read(), REQUEST);
}

#[test]
fn new_keys_of_the_server_are_followed_and_answered() {
    let world = World::new();
    let mut pair = Pair::settled(&world.client(), world.server(&[&rustls::version::TLS13], false));
    for _ in 0..3 {
        pair.server.refresh_traffic_keys().unwrap();
        pair.answer(b"with new keys;");
        pair.settle().unwrap();
        pair.tls.send(REQUEST, &mut pair.to_server).unwrap();
        pair.settle().unwrap();
        assert_eq!(pair.read(), REQUEST);
    }
    assert_eq!(pair.plain, b"with new keys;with new keys;with new keys;");
}

#[test]
fn a_later_connection_resumes_the_session_of_an_earlier_one() {
    let world = World::new();
    for version in BOTH {
        let (client, server) = (world.client(), Arc::new(world.server(&[version], false)));
        let mut kinds = Vec::new();
        for _ in 0..2 {
            let mut pair = Pair::resumable(&client, &server);
            pair.settle().unwrap();
            kinds.push(pair.server.handshake_kind().unwrap());
        }
        assert_eq!(kinds, [rustls::HandshakeKind::Full, rustls::HandshakeKind::Resumed]);
    }
}

#[test]
fn close_notify_ends_what_is_received_and_bytes_after_it_are_ignored() {
    let world = World::new();
    for version in BOTH {
        let mut pair = Pair::settled(&world.client(), world.server(&[version], false));
        pair.answer(b"the last answer");
        pair.server.send_close_notify();
        let mut bytes = pair.server_bytes();
        bytes.extend_from_slice(&[0x17; 5000]);
        pair.deliver(bytes).unwrap();
        assert!(pair.tls.peer_closed());
        assert_eq!(pair.plain, b"the last answer");
        assert_eq!(pair.tls.end(), Ok(()));
        pair.deliver(vec![0; 100_000]).unwrap();
        assert!(pair.tls.held.is_empty());
    }
}

#[test]
fn an_end_without_close_notify_is_told() {
    let world = World::new();
    let pair = Pair::settled(&world.client(), world.server(BOTH, false));
    assert!(!pair.tls.peer_closed());
    assert_eq!(pair.tls.end(), Err(TlsError::Truncated));
}

#[test]
fn a_server_of_plain_text_does_not_speak_tls_wherever_its_answer_is_cut() {
    let world = World::new();
    let answers: [&[u8]; 3] = [
        b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"220 ready\r\n",
    ];
    for answer in answers {
        for piece in 1..answer.len() {
            let mut pair = Pair::new(&world.client(), world.server(BOTH, false));
            pair.piece = piece;
            let error = pair.deliver(answer.to_vec()).unwrap_err();
            assert_eq!(error, TlsError::NotTls);
            assert!(error.text().starts_with("the server does not speak TLS; hint: `http://`"));
        }
    }
}

#[test]
fn a_changed_byte_breaks_the_connection_for_good_and_the_server_is_told() {
    let world = World::new();
    let mut pair = Pair::settled(&world.client(), world.server(BOTH, false));
    pair.answer(b"an answer");
    let mut bytes = pair.server_bytes();
    *bytes.last_mut().unwrap() ^= 1;
    let error = pair.deliver(bytes).unwrap_err();
    assert!(matches!(&error, TlsError::Broken(_)), "{error:?}");
    assert!(pair.plain.is_empty() && !pair.to_server.is_empty());
    pair.answer(b"another");
    let bytes = pair.server_bytes();
    assert_eq!(pair.deliver(bytes), Err(error.clone()));
    assert_eq!(pair.tls.send(REQUEST, &mut Vec::new()), Err(error.clone()));
    assert_eq!(pair.tls.end(), Err(error));
    let mut alert = &pair.to_server[..];
    pair.server.read_tls(&mut alert).unwrap();
    assert!(matches!(pair.server.process_new_packets(), Err(rustls::Error::AlertReceived(_))));
}

#[test]
fn an_endless_handshake_message_is_given_up() {
    let world = World::new();
    let mut pair = Pair::new(&world.client(), world.server(BOTH, false));
    // A server hello of 65,535 bytes, one byte a record.
    let mut result = pair.deliver(vec![22, 3, 3, 0, 4, 2, 0, 0xff, 0xff]);
    let mut delivered = 0;
    while result.is_ok() && delivered < 70_000 {
        result = pair.deliver(vec![22, 3, 3, 0, 1, 0]);
        delivered += 1;
    }
    assert!(result.is_err());
    assert!(pair.tls.held.capacity() <= 2 * super::super::HELD_LIMIT);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn garbage_never_panics_and_never_says_anything(
        bytes in proptest::collection::vec(any::<u8>(), 0..600),
        as_record in any::<bool>(),
        piece in 1usize..40,
    ) {
        let client = TlsClient::new(&TlsSettings { insecure: true, ..TlsSettings::default() }, Protocol::Http1).unwrap();
        let mut tls = client.connect(HOST).unwrap();
        let (mut plain, mut out) = (Vec::new(), Vec::new());
        tls.start(&mut out).unwrap();
        let mut wire = Vec::new();
        if as_record {
            wire.extend_from_slice(&[22, 3, 3]);
            wire.extend_from_slice(&(bytes.len() as u16).to_be_bytes());
        }
        wire.extend_from_slice(&bytes);
        for part in wire.chunks_mut(piece) {
            if tls.receive(part, &mut plain, &mut out).is_err() {
                break;
            }
        }
        prop_assert!(plain.is_empty() && !tls.is_ready());
        prop_assert!(tls.send(REQUEST, &mut out).is_err());
    }

    #[test]
    fn a_damaged_hello_never_leads_to_a_connection(
        at in 5usize..90,
        bit in 0u8..8,
        piece in 1usize..600,
    ) {
        // Every byte of the server's hello, from its type to the end of its session id, is in the transcript that both
        // sides' keys depend on.
        let world = World::new();
        let mut pair = Pair::new(&world.client(), world.server(&[&rustls::version::TLS13], false));
        let hello = std::mem::take(&mut pair.to_server);
        pair.server.read_tls(&mut &hello[..]).unwrap();
        pair.server.process_new_packets().unwrap();
        let mut flight = pair.server_bytes();
        flight[at] ^= 1 << bit;
        pair.piece = piece;
        let _ = pair.deliver(flight);
        prop_assert!(!pair.tls.is_ready());
    }

    #[test]
    fn cuts_at_random_change_nothing(sizes in proptest::collection::vec(1usize..700, 1..40)) {
        let world = World::new();
        let mut pair = Pair::settled(&world.client(), world.server(BOTH, false));
        let answer: Vec<u8> = (0..5000u32).map(|n| n as u8).collect();
        pair.answer(&answer);
        pair.server.send_close_notify();
        let mut bytes = pair.server_bytes();
        let mut rest = &mut bytes[..];
        for size in sizes.into_iter().cycle() {
            let taken = size.min(rest.len());
            let (part, after) = rest.split_at_mut(taken);
            pair.tls.receive(part, &mut pair.plain, &mut pair.to_server).unwrap();
            rest = after;
            if rest.is_empty() {
                break;
            }
        }
        prop_assert!(pair.plain == answer && pair.tls.peer_closed());
    }
}
