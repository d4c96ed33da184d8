//! Sockets of UDP: every send is one datagram, and so is every receipt. Sent one by one and at once, whatever the
//! backend.

use galo_plan::load::Address;
use rustix::io::Errno;
use rustix::net::SendFlags;

use super::source::Source;
use super::{Conn, Io, Kernel};

impl Io {
    /// Makes all sockets that are opened from now on such ones, to the same addresses.
    pub(crate) fn use_datagrams(&mut self, addresses: &[Address]) {
        self.sources = addresses.iter().cloned().map(Source::of_datagrams).collect();
    }

    /// As [`Io::open`], for datagrams.
    pub(crate) fn open_datagrams(&mut self, address: usize) -> rustix::io::Result<Conn> {
        let conn = self.open(address)?;
        if let Kernel::Epoll(epoll) = &mut self.kernel
            && let Err(errno) = epoll.open(conn, &mut self.connections)
        {
            self.connections.end(conn);
            return Err(errno);
        }
        Ok(conn)
    }

    /// Sends one. Where there is no room for it, or it is too large for the way, it is lost as others are.
    pub(crate) fn send_datagram(&mut self, conn: Conn, datagram: &[u8]) -> rustix::io::Result<()> {
        let Some(socket) = &self.connections.get(conn).socket else { return Err(Errno::NOTCONN) };
        loop {
            match rustix::net::send(socket, datagram, SendFlags::NOSIGNAL) {
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN | Errno::MSGSIZE | Errno::NOBUFS) => return Ok(()),
                Err(errno) => return Err(errno),
                Ok(n) => {
                    self.connections.sent_bytes += n as u64;
                    return Ok(());
                }
            }
        }
    }
}
