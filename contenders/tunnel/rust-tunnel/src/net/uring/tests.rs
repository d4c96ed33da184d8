//! What the ring does when the kernel tells more than there is room for.

use std::os::unix::net::UnixStream;

use rustix::net::{AddressFamily, SendFlags, SocketFlags, SocketType, socketpair};

use super::Uring;
use crate::net::happened::Happened;
use crate::net::sockets::Sockets;

/// Far more than the queue of completions holds.
const SENDS: usize = 100;
const ROOM: u32 = 8;

#[test]
fn a_send_that_is_refused_while_completions_overflow_still_waits_to_be_sent() {
    let mut uring = Uring::with_room(ROOM, ROOM).expect("io_uring");
    let mut sockets = Sockets::default();
    let peers: Vec<UnixStream> = (0..SENDS)
        .map(|number| {
            let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
            let (near, far) = socketpair(AddressFamily::UNIX, SocketType::STREAM, flags, None).unwrap();
            // So that the kernel takes nothing of what follows.
            while rustix::net::send(&near, &[0; 4096], SendFlags::DONTWAIT).is_ok() {}
            let index = sockets.add(near, false);
            uring.send(index, vec![number as u8; 10].into(), &mut sockets);
            far.into()
        })
        .collect();
    uring.submit(&mut sockets);
    for index in 0..SENDS as u32 {
        assert_eq!(sockets.get(index).outbox.len(), 10, "send {index} was taken for done");
    }
    drop(peers);
}

#[test]
fn a_peer_that_sends_without_end_brings_no_more_than_was_asked_for() {
    const MOST: usize = 2048;
    let mut uring = Uring::new().expect("io_uring");
    for limits in [uring.limits, false] {
        uring.limits = limits;
        let mut sockets = Sockets::default();
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let (near, far) = socketpair(AddressFamily::UNIX, SocketType::STREAM, flags, None).unwrap();
        let mut sent = 0_u8;
        while rustix::net::send(&far, &[sent; 100], SendFlags::DONTWAIT).is_ok() {
            sent = sent.wrapping_add(1);
        }
        let index = sockets.add(near, false);
        sockets.get(index).read_bytes_max = Some(MOST as u32);
        let mut all = Vec::new();
        for _ in 0..3 {
            sockets.get(index).wanted = true;
            uring.receive(index, &mut sockets);
            let before = all.len();
            for _ in 0..10 {
                uring.wait(Some(0), &mut sockets).unwrap();
                while let Some((_, happened)) = uring.next(&mut sockets) {
                    let Happened::Received(chunk) = happened else { panic!("{happened:?}") };
                    all.extend_from_slice(&chunk);
                }
            }
            assert!(
                (1..=MOST).contains(&(all.len() - before)),
                "limits: {limits}, {} bytes",
                all.len() - before
            );
        }
        assert!(all.iter().zip(0..).all(|(&byte, at): (&u8, usize)| byte == (at / 100) as u8), "in order");
    }
}
