//! Which addresses are this machine's own.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

use rustix::net::netlink::SocketAddrNetlink;
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, sockopt};

/// How long the kernel may take to answer, which it does at once.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(1);
/// Lengths of a message's head and of a route (rtnetlink(7)); types of messages and of a route (linux/rtnetlink.h).
const HEAD_BYTES: usize = 16;
const ROUTE_BYTES: usize = 12;
const NEW_ROUTE: u16 = 24;
const GET_ROUTE: u16 = 26;
const ASKS: u16 = 1;
const DESTINATION: u16 = 1;
const LOCAL: u8 = 2;

/// Whether what is sent to this address stays on this machine: an address of one of its interfaces, or routed to it otherwise.
pub(crate) fn is_own(address: IpAddr) -> bool {
    route_is_local(address).unwrap_or_else(|_| is_own_source(address))
}

/// Asks the kernel for the route; `false` where it knows none.
fn route_is_local(address: IpAddr) -> rustix::io::Result<bool> {
    let (family, destination) = match address {
        IpAddr::V4(address) => (AddressFamily::INET, address.octets().to_vec()),
        IpAddr::V6(address) => (AddressFamily::INET6, address.octets().to_vec()),
    };
    let length = HEAD_BYTES + ROUTE_BYTES + 4 + destination.len();
    let mut question = Vec::with_capacity(length);
    question.extend((length as u32).to_ne_bytes());
    question.extend([GET_ROUTE, ASKS].map(u16::to_ne_bytes).concat());
    question.extend([0; 8]); // number and sender, of no use with one question
    question.extend([family.as_raw() as u8, (destination.len() * 8) as u8]);
    question.extend([0; ROUTE_BYTES - 2]);
    question.extend([4 + destination.len() as u16, DESTINATION].map(u16::to_ne_bytes).concat());
    question.extend(destination);
    let flags = SocketFlags::CLOEXEC;
    let fd = rustix::net::socket_with(AddressFamily::NETLINK, SocketType::RAW, flags, None)?;
    sockopt::set_socket_timeout(&fd, sockopt::Timeout::Recv, Some(PATIENCE))?;
    rustix::net::sendto(&fd, &question, SendFlags::empty(), &SocketAddrNetlink::new(0, 0))?;
    let mut answer = [0; 4096];
    let (length, _) = rustix::net::recv(&fd, &mut answer, RecvFlags::empty())?;
    let answer = &answer[..length.min(4096)];
    let is_route = answer.get(4..6) == Some(&NEW_ROUTE.to_ne_bytes());
    Ok(is_route && answer.get(HEAD_BYTES + 7) == Some(&LOCAL))
}

/// The same where the kernel cannot be asked: what is sent to one's own address comes, as a rule, from there.
fn is_own_source(address: IpAddr) -> bool {
    let any: IpAddr =
        if address.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
    let source = || -> std::io::Result<IpAddr> {
        let socket = UdpSocket::bind(SocketAddr::new(any, 0))?;
        socket.connect(SocketAddr::new(address, 9))?; // sends nothing
        Ok(socket.local_addr()?.ip())
    };
    source().is_ok_and(|source| source == address)
}

#[cfg(test)]
mod tests {
    use super::{is_own_source, route_is_local};

    #[test]
    fn the_kernel_tells_which_addresses_are_this_machines() {
        for (text, is_own) in [
            ("127.0.0.1", true),
            ("127.9.9.9", true),
            ("::1", true),
            ("192.0.2.1", false),
            ("2001:db8::1", false),
        ] {
            assert_eq!(route_is_local(text.parse().unwrap()), Ok(is_own), "{text}");
        }
        assert!(is_own_source("127.0.0.1".parse().unwrap()));
        assert!(!is_own_source("192.0.2.1".parse().unwrap()));
    }
}
