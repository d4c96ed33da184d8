//! Connecting to a target.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::{SocketAddrAny, SocketAddrUnix};

use crate::address::Address;
use crate::net::{Stream, Wake, deadline_in, timeout};
use crate::resolve::Resolver;

/// Why there is no connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotConnected {
    /// It has no address.
    Unknown,
    /// Nobody took it in time.
    TimedOut,
    /// It was refused, by whoever is there or by the network.
    Refused(Errno),
}

/// Tries addresses in turn, all within this time.
pub(crate) async fn dial(addresses: &[SocketAddr], within: Duration) -> Result<Stream, NotConnected> {
    let mut last = NotConnected::Unknown;
    let until_ns = deadline_in(within);
    for address in addresses {
        match timeout(until_ns, Stream::connect(&SocketAddrAny::from(*address))).await {
            Some(Ok(stream)) => return Ok(stream),
            Some(Err(errno)) => last = NotConnected::Refused(errno),
            None => return Err(NotConnected::TimedOut),
        }
    }
    Err(last)
}

/// Whatever the operator wrote.
pub(crate) async fn dial_any(
    address: &Address,
    within: Duration,
    resolver: Option<&Arc<Resolver>>,
    wake: &Arc<Wake>,
) -> Result<Stream, NotConnected> {
    match address {
        Address::Ip(address) => dial(&[*address], within).await,
        Address::Name(name, port) => {
            let Some(resolver) = resolver else { return Err(NotConnected::Unknown) };
            let addresses = timeout(deadline_in(within), resolver.resolve(name, *port, wake)).await;
            dial(&addresses.ok_or(NotConnected::TimedOut)?, within).await
        }
        Address::Unix(path) => {
            let unix = SocketAddrUnix::new(path).map_err(NotConnected::Refused)?;
            match timeout(deadline_in(within), Stream::connect(&SocketAddrAny::from(unix))).await {
                Some(connected) => connected.map_err(NotConnected::Refused),
                None => Err(NotConnected::TimedOut),
            }
        }
    }
}
