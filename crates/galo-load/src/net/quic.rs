//! Connections of QUIC: datagrams of their own instead of a stream of bytes, and timers.

use std::collections::BTreeSet;

use galo_plan::LoadPlan;
use galo_plan::load::{Address, Protocol, Target};
use galo_record::clock::now_ns;
use rustix::io::Errno;

use super::Net;
use super::layers::{Layers, Tell};
use crate::h3::H3Client;
use crate::io::{Conn, Io};
use crate::tls::TlsClient;

/// What all connections of an engine thread share.
pub(super) struct Quic {
    client: H3Client,
    /// When to wake which; each at most once.
    wakes: BTreeSet<(u64, Conn)>,
    /// Only for reuse of its memory.
    out: Vec<u8>,
}

impl Quic {
    /// `None`: the plan's protocol is another one.
    pub(super) fn new(
        plan: &LoadPlan,
        tls: Option<&TlsClient>,
        addresses: &[Address],
        io: &mut Io,
    ) -> std::io::Result<Option<Self>> {
        let Some(tls) = tls.filter(|_| plan.transport.protocol == Protocol::Http3) else { return Ok(None) };
        io.use_datagrams(addresses);
        let client = H3Client::new(tls, plan.pool.streams).map_err(|e| std::io::Error::other(e.text()))?;
        Ok(Some(Self { client, wakes: BTreeSet::new(), out: Vec::new() }))
    }

    /// A new connection, of which nothing was sent yet.
    pub(super) fn connect(&self, target: &Target, streams: u32) -> Result<Layers, Errno> {
        // What can be wrong with a target was refused before the load began, but for the port 0.
        let Address::Ip(remote) = target.address else { return Err(Errno::INVAL) };
        Layers::of_http3(&self.client, target, remote, streams).map_err(|_| Errno::ADDRNOTAVAIL)
    }

    fn pop_due(&mut self, now: u64) -> Option<Conn> {
        self.wakes.first().filter(|(at_ns, _)| *at_ns <= now)?;
        self.wakes.pop_first().map(|(_, conn)| conn)
    }
}

impl Net {
    /// When [`Self::on_time`] has something to do.
    pub(crate) fn next_timeout_ns(&self) -> Option<u64> {
        self.quic.as_ref()?.wakes.first().map(|(at_ns, _)| *at_ns)
    }

    /// Does what was due by `now`.
    pub(crate) fn on_time(&mut self, now: u64) {
        while let Some(conn) = self.quic.as_mut().and_then(|quic| quic.pop_due(now)) {
            let Some(layers) = &mut self.links[conn as usize].layers else { continue };
            let at_ns = now_ns();
            let goes_on =
                layers.wake(&mut Tell { conn, at_ns, news: &mut self.news, bytes: &mut self.bytes });
            self.send_datagrams(conn);
            self.settle(conn, goes_on);
        }
    }

    /// Sends what a connection has to say, and notes when it is to be woken.
    pub(super) fn send_datagrams(&mut self, conn: Conn) {
        let Some(quic) = &mut self.quic else { return };
        let Some(layers) = &mut self.links[conn as usize].layers else { return };
        let at_ns = now_ns();
        let mut sent = Ok(false);
        while let (Ok(_), Some(length)) = (sent, layers.next_datagrams(&mut quic.out)) {
            let mut datagrams = quic.out.chunks(length.max(1));
            sent = datagrams.try_for_each(|datagram| self.io.send_datagram(conn, datagram)).map(|()| true);
            quic.out.clear();
        }
        match sent {
            Ok(false) => {}
            Ok(true) => layers.sent(&mut Tell { conn, at_ns, news: &mut self.news, bytes: &mut self.bytes }),
            Err(errno) => layers.refuse(errno),
        }
        if let Some((at_ns, before)) = layers.next_wake_ns() {
            if let Some(before) = before {
                quic.wakes.remove(&(before, conn));
            }
            quic.wakes.insert((at_ns, conn));
        }
    }

    /// Tells the server that a connection ends.
    pub(super) fn say_goodbye(&mut self, conn: Conn) {
        let (Some(quic), Some(layers)) = (&mut self.quic, &mut self.links[conn as usize].layers) else {
            return;
        };
        if let Some(wake_ns) = layers.say_goodbye() {
            quic.wakes.remove(&(wake_ns, conn));
        }
        while let Some(length) = layers.next_datagrams(&mut quic.out) {
            for datagram in quic.out.chunks(length.max(1)) {
                // Whoever does not listen any more has no need to know.
                let _ = self.io.send_datagram(conn, datagram);
            }
            quic.out.clear();
        }
    }
}

impl Drop for Net {
    fn drop(&mut self) {
        for conn in 0..self.links.len() {
            self.say_goodbye(conn as Conn);
        }
    }
}
