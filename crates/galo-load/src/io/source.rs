//! Sockets on their way to the target, and the local addresses that they come from.
//!
//! galo closes first, so every connection leaves a port in TIME_WAIT on galo's side for a minute: 28,232 ports by
//! the default range, 470 connections a second. Linux reuses such a port on loopback after one second where
//! `net.ipv4.tcp_tw_reuse` is 2 (the default since 4.19) or 1: measured, 3,000 connections a second go on for ever
//! at the same cost, and what a contender sees is 127.0.0.1 alone. Where it is 0, the search for a free port becomes
//! so slow from half of the ports on that galo is seconds late long before they run out; connections then come from
//! 127.0.0.2, 127.0.0.3 and so on in turn, from the beginning. In either case an address without a free port is
//! passed over for the next.

use std::net::{Ipv4Addr, SocketAddr};

use galo_plan::load::Address;

use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, SocketAddrUnix, SocketFlags, SocketType, bind, connect, ipproto, socket_with, sockopt,
};

/// Local addresses tried on loopback, the default one included.
const ADDRESSES: u8 = 16;

/// Makes sockets to one target.
#[derive(Debug)]
pub(super) struct Source {
    target: Address,
    addresses: u8,
    /// Whether every connection comes from another address than the one before.
    in_turn: bool,
    /// 0: whatever the kernel chooses; n: 127.0.0.(n + 1).
    current: u8,
}

impl Source {
    pub(super) fn new(target: Address, in_turn: bool) -> Self {
        let on_loopback = matches!(target, Address::Ip(SocketAddr::V4(ip)) if ip.ip().is_loopback());
        Self { target, addresses: if on_loopback { ADDRESSES } else { 1 }, in_turn, current: 0 }
    }

    /// A socket that is connecting.
    pub(super) fn connect(&mut self) -> rustix::io::Result<OwnedFd> {
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        if self.in_turn {
            self.advance();
        }
        for _ in 1..self.addresses {
            match self.attempt(flags) {
                Err(Errno::ADDRNOTAVAIL | Errno::ADDRINUSE) => self.advance(),
                other => return other,
            }
        }
        // An exhausted address is told in one way, whether binding or connecting noticed.
        self.attempt(flags)
            .map_err(|errno| if errno == Errno::ADDRINUSE { Errno::ADDRNOTAVAIL } else { errno })
    }

    fn advance(&mut self) {
        self.current = (self.current + 1) % self.addresses;
    }

    fn attempt(&self, flags: SocketFlags) -> rustix::io::Result<OwnedFd> {
        let ip = match &self.target {
            Address::Ip(ip) => ip,
            Address::Unix(path) => {
                let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
                connect(&socket, &SocketAddrUnix::new(path)?)?;
                return Ok(socket);
            }
        };
        let family = if ip.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
        let socket = socket_with(family, SocketType::STREAM, flags, Some(ipproto::TCP))?;
        // A request longer than one segment must not wait for the acknowledgement of its first part.
        sockopt::set_tcp_nodelay(&socket, true)?;
        if self.current > 0 {
            bind(&socket, &SocketAddr::from((Ipv4Addr::new(127, 0, 0, self.current + 1), 0)))?;
        }
        match connect(&socket, ip) {
            Ok(()) | Err(Errno::INPROGRESS | Errno::INTR) => Ok(socket),
            Err(errno) => Err(errno),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, TcpListener};

    use super::*;

    fn local_addresses(in_turn: bool) -> Vec<IpAddr> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut source = Source::new(Address::Ip(listener.local_addr().unwrap()), in_turn);
        let sockets: Vec<OwnedFd> = (0..18).map(|_| source.connect().unwrap()).collect();
        let address = |_| listener.accept().unwrap().1.ip();
        sockets.iter().map(address).collect()
    }

    #[test]
    fn connections_come_from_one_address_or_from_sixteen_in_turn() {
        assert_eq!(local_addresses(false), [IpAddr::from([127, 0, 0, 1]); 18]);
        let expected: Vec<IpAddr> = (1..19).map(|n| IpAddr::from([127, 0, 0, n % 16 + 1])).collect();
        assert_eq!(local_addresses(true), expected);
    }
}
