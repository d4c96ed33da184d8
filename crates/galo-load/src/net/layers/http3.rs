//! HTTP/3, which has all the layers within: a connection of QUIC, and its timer.

use std::net::SocketAddr;
use std::time::Instant;

use galo_plan::load::{Protocol, Target};
use galo_record::clock::now_ns;
use rustix::io::Errno;

use super::{Layers, Session, Stage, Tell, Why};
use crate::h3::{H3, H3Client, H3Error};

/// Datagrams made in one go.
const DATAGRAMS: usize = 16;

/// See the module.
pub(super) struct Http3 {
    pub(super) h3: H3,
    /// When it is to be woken, as far as it was told.
    wake_ns: Option<u64>,
    /// Why the kernel did not send a datagram.
    refused: Option<Errno>,
}

impl Layers {
    /// What a new connection to `remote` needs.
    pub(in crate::net) fn of_http3(
        client: &H3Client,
        target: &Target,
        remote: SocketAddr,
        max_streams: u32,
    ) -> Result<Self, H3Error> {
        let h3 = client.connect(&target.host, remote, Instant::now())?;
        Ok(Self {
            stage: Stage::Handshake,
            tls: None,
            protocol: Protocol::Http3,
            session: Some(Session::Http3(Box::new(Http3 { h3, wake_ns: None, refused: None }))),
            max_streams,
            requests: Vec::new(),
            owner: None,
            unsent: Vec::new(),
            is_over: false,
            plain: Vec::new(),
            frames: Vec::new(),
        })
    }

    fn http3(&mut self) -> Option<&mut Http3> {
        match &mut self.session {
            Some(Session::Http3(http3)) => Some(http3),
            _ => None,
        }
    }

    /// Takes a datagram that arrived.
    pub(super) fn take_datagram(&mut self, bytes: &[u8], tell: &mut Tell<'_>) -> Result<(), Why> {
        let Some(http3) = self.http3() else { return Ok(()) };
        let taken = http3.h3.datagram(bytes, Instant::now(), tell);
        self.took(taken, tell)
    }

    fn took(&mut self, taken: Result<(), H3Error>, tell: &mut Tell<'_>) -> Result<(), Why> {
        taken.map_err(|error| error.text())?;
        if self.http3().is_some_and(|http3| http3.h3.is_ready()) {
            self.stage = Stage::Ready;
        }
        self.allow(tell);
        Ok(())
    }

    /// The time of a wake-up has come. `false`: the connection is of no more use, and all were told.
    pub(in crate::net) fn wake(&mut self, tell: &mut Tell<'_>) -> bool {
        let now = Instant::now();
        let Some(http3) = self.http3() else { return true };
        http3.wake_ns = None;
        if let Some(errno) = http3.refused.take() {
            return self.broken(errno, tell);
        }
        if http3.h3.next_timeout().is_some_and(|at| at <= now) {
            let taken = http3.h3.timeout(now, tell);
            if let (false, Err(why)) = (self.is_over, self.took(taken, tell)) {
                self.end(&super::What::Failed(why), tell);
            }
        }
        !self.is_over
    }

    /// Puts the next datagrams into the empty `out`; the length of each but for the last, which may be shorter.
    pub(in crate::net) fn next_datagrams(&mut self, out: &mut Vec<u8>) -> Option<usize> {
        self.http3()?.h3.poll_transmit(Instant::now(), DATAGRAMS, out)
    }

    /// The kernel refused one. It is heard of with the next wake-up, which is due at once.
    pub(in crate::net) fn refuse(&mut self, errno: Errno) {
        if let Some(http3) = self.http3() {
            http3.refused.get_or_insert(errno);
        }
    }

    /// When it is to be woken, and when it was to be until now, if that is another time.
    pub(in crate::net) fn next_wake_ns(&mut self) -> Option<(u64, Option<u64>)> {
        let is_over = self.is_over;
        let http3 = self.http3()?;
        let at_ns = match http3.refused {
            Some(_) => 0,
            None if is_over => return None,
            None => {
                let left = http3.h3.next_timeout()?.saturating_duration_since(Instant::now());
                now_ns().saturating_add(u64::try_from(left.as_nanos()).unwrap_or(u64::MAX))
            }
        };
        // Later is early enough: it is then looked at again.
        if http3.wake_ns.is_some_and(|known| known <= at_ns) {
            return None;
        }
        Some((at_ns, http3.wake_ns.replace(at_ns)))
    }

    /// Ends the connection, of which the server hears with the next datagrams. The wake-up that is not needed any more.
    pub(in crate::net) fn say_goodbye(&mut self) -> Option<u64> {
        let http3 = self.http3()?;
        http3.h3.close(Instant::now());
        http3.wake_ns.take()
    }
}
