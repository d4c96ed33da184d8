//! From a written address to one that can be connected to.

use std::io;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::Duration;

/// How long one of several addresses may take to accept a connection.
const CONNECT_WITHIN: Duration = Duration::from_secs(2);

/// An address of `host[:port]` (port 80 where none is written): of several the first that accepts a connection, or
/// else the first.
///
/// # Errors
/// The name is not known, or has no address.
pub fn resolve(authority: &str) -> io::Result<SocketAddr> {
    let with_port = if authority
        .rsplit_once(':')
        .is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok())
    {
        authority.to_owned()
    } else {
        format!("{authority}:80")
    };
    let told =
        |error: io::Error| io::Error::new(error.kind(), format!("cannot resolve `{authority}`: {error}"));
    let addresses: Vec<SocketAddr> = with_port.to_socket_addrs().map_err(told)?.collect();
    let accepts = |address: &&SocketAddr| TcpStream::connect_timeout(address, CONNECT_WITHIN).is_ok();
    let served = if addresses.len() > 1 { addresses.iter().find(accepts) } else { None };
    served
        .or(addresses.first())
        .copied()
        .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, format!("`{authority}` has no address")))
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn a_name_of_several_addresses_stands_for_the_one_that_is_served() {
        for loopback in ["127.0.0.1:0", "[::1]:0"] {
            // A machine without IPv6 has nothing to tell here.
            let Ok(listener) = TcpListener::bind(loopback) else { continue };
            let address = listener.local_addr().unwrap();
            assert_eq!(resolve(&address.to_string()).unwrap(), address);
            let by_name = resolve(&format!("localhost:{}", address.port())).unwrap();
            assert_eq!(by_name.port(), address.port());
            if loopback.starts_with("127") {
                assert_eq!(by_name, address);
            }
        }
        assert_eq!(resolve("127.0.0.1").unwrap().port(), 80);
        assert_eq!(resolve("[::1]").unwrap().to_string(), "[::1]:80");
    }
}
