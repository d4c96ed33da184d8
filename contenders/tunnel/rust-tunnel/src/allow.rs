//! Where a client may have the proxy connect to.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use regex::Regex;

/// Addresses that begin alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Net {
    address: IpAddr,
    bits: u8,
}

impl Net {
    const fn v4(a: u8, b: u8, c: u8, bits: u8) -> Self {
        Self { address: IpAddr::V4(Ipv4Addr::new(a, b, c, 0)), bits }
    }

    const fn v6(a: u16, b: u16, c: u16, bits: u8) -> Self {
        Self { address: IpAddr::V6(Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0)), bits }
    }

    pub(crate) fn contains(&self, address: IpAddr) -> bool {
        let differ = |one: u128, other: u128, of: u8| {
            (one ^ other).checked_shr(u32::from(of - self.bits)).unwrap_or(0) != 0
        };
        match (self.address, address) {
            (IpAddr::V4(net), IpAddr::V4(address)) => {
                !differ(net.to_bits().into(), address.to_bits().into(), 32)
            }
            (IpAddr::V6(net), IpAddr::V6(address)) => !differ(net.to_bits(), address.to_bits(), 128),
            _ => false,
        }
    }
}

impl FromStr for Net {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no network; one is 10.0.0.0/8, 127.0.0.1 or fd00::/8");
        let (address, bits) =
            text.split_once('/').map_or((text, None), |(address, bits)| (address, Some(bits)));
        let address: IpAddr = address.parse().map_err(|_| wrong())?;
        let all = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.map_or(Ok(all), |bits| bits.parse::<u8>().map_err(|_| wrong()))?;
        if bits <= all { Ok(Self { address, bits }) } else { Err(wrong()) }
    }
}

impl fmt::Display for Net {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.bits)
    }
}

/// What is not somebody's public address: the registries of special-purpose addresses (RFC 6890 and its updates), and ways to write an
/// address of IPv4 in one of IPv6, behind which any of the others could hide.
const NOT_PUBLIC: &[Net] = &[
    Net::v4(0, 0, 0, 8),           // this host
    Net::v4(10, 0, 0, 8),          // private
    Net::v4(100, 64, 0, 10),       // shared by a provider's customers
    Net::v4(127, 0, 0, 8),         // loopback
    Net::v4(169, 254, 0, 16),      // link-local; metadata of clouds
    Net::v4(172, 16, 0, 12),       // private
    Net::v4(192, 0, 0, 24),        // of protocols
    Net::v4(192, 0, 2, 24),        // documentation
    Net::v4(192, 88, 99, 24),      // relays of 6to4
    Net::v4(192, 168, 0, 16),      // private
    Net::v4(198, 18, 0, 15),       // benchmarks
    Net::v4(198, 51, 100, 24),     // documentation
    Net::v4(203, 0, 113, 24),      // documentation
    Net::v4(224, 0, 0, 4),         // groups
    Net::v4(240, 0, 0, 4),         // reserved; everybody
    Net::v6(0, 0, 0, 8), // unspecified, loopback, IPv4 mapped and compatible, NAT64 (64:ff9b::/96 and 64:ff9b:1::/48 too)
    Net::v6(0x100, 0, 0, 64), // nowhere
    Net::v6(0x2001, 0, 0, 23), // of protocols, Teredo (2001::/32) among them
    Net::v6(0x2001, 0xdb8, 0, 32), // documentation
    Net::v6(0x2002, 0, 0, 16), // 6to4
    Net::v6(0x3fff, 0, 0, 20), // documentation
    Net::v6(0x5f00, 0, 0, 16), // segment routing
    Net::v6(0xfc00, 0, 0, 7), // private
    Net::v6(0xfe80, 0, 0, 10), // link-local
    Net::v6(0xfec0, 0, 0, 10), // site-local
    Net::v6(0xff00, 0, 0, 8), // groups
];

/// Targets of a CONNECT proxy.
#[derive(Debug, Clone)]
pub(crate) struct Allowed {
    targets: Vec<Regex>,
    nets: Vec<Net>,
}

impl Allowed {
    /// `targets`: expressions of which one matches `name:port` as a whole. `nets`: allowed although they are not public.
    pub(crate) fn new(targets: &[Regex], nets: &[Net]) -> Self {
        // As a whole: `example.org:443` must not let `example.org:443.evil.net:443` through. The parts were valid by themselves.
        let whole = |target: &Regex| Regex::new(&format!("^(?:{target})$")).ok();
        Self { targets: targets.iter().filter_map(whole).collect(), nets: nets.to_vec() }
    }

    /// Whether a client may ask for this name, or address, and port.
    pub(crate) fn target(&self, target: &str) -> bool {
        self.targets.iter().any(|allowed| allowed.is_match(target))
    }

    /// Whether this may be connected to, whatever name led to it. This machine's own addresses, public or not, are no more public
    /// than loopback: behind them is what listens for this machine alone.
    pub(crate) fn address(&self, address: IpAddr, is_own: impl FnOnce(IpAddr) -> bool) -> bool {
        // Written as IPv6, it is the same machine.
        let address = address.to_canonical();
        self.nets.iter().any(|net| net.contains(address))
            || !NOT_PUBLIC.iter().any(|net| net.contains(address)) && !is_own(address)
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::{Allowed, Net};
    use regex::Regex;

    fn allowed(targets: &[&str], nets: &[&str]) -> Allowed {
        let targets: Vec<Regex> = targets.iter().map(|text| Regex::new(text).unwrap()).collect();
        let nets: Vec<Net> = nets.iter().map(|text| text.parse().unwrap()).collect();
        Allowed::new(&targets, &nets)
    }

    #[test]
    fn nothing_but_public_addresses_is_connected_to() {
        let allowed = allowed(&[], &[]);
        for text in [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.9.9.9",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::1",
            "fc00::1",
            "fd12::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!allowed.address(text.parse().unwrap(), |_| false), "{text}");
        }
        for text in [
            "1.1.1.1",
            "100.63.255.255",
            "100.128.0.0",
            "172.32.0.0",
            "192.0.1.1",
            "2606:4700::1111",
            "2a00::1",
            "::ffff:1.1.1.1",
        ] {
            assert!(allowed.address(text.parse().unwrap(), |_| false), "{text}");
        }
    }

    #[test]
    fn a_public_address_of_this_machine_is_connected_to_only_where_its_network_is_allowed() {
        let own: IpAddr = "1.1.1.1".parse().unwrap();
        let is_own = |address| address == own;
        for (text, net, may) in [
            ("1.1.1.1", "127.0.0.1", false),
            ("::ffff:1.1.1.1", "127.0.0.1", false),
            ("1.1.1.2", "127.0.0.1", true),
            ("1.1.1.1", "1.1.1.1", true),
        ] {
            assert_eq!(
                allowed(&[], &[net]).address(text.parse().unwrap(), is_own),
                may,
                "{text} beside {net}"
            );
        }
    }

    #[test]
    fn a_network_can_be_allowed_and_no_other_with_it() {
        let allowed = allowed(&[], &["127.0.0.1", "fd00::/8", "10.0.0.0/8"]);
        for (text, may) in [
            ("127.0.0.1", true),
            ("127.0.0.2", false),
            ("::ffff:127.0.0.1", true),
            ("::1", false),
            ("fd12::1", true),
            ("fc12::1", false),
            ("10.255.0.1", true),
            ("64:ff9b::a00:1", false),
        ] {
            assert_eq!(allowed.address(text.parse().unwrap(), |_| false), may, "{text}");
        }
    }

    #[test]
    fn a_target_is_matched_as_a_whole() {
        let allowed = allowed(&["example\\.org:443", ".*\\.example\\.net:(80|443)"], &[]);
        for (target, may) in [
            ("example.org:443", true),
            ("www.example.org:443", false),
            ("example.org:4433", false),
            ("examplexorg:443", false),
            ("a.example.net:80", true),
            ("example.org:443.example.net:80", true),
            ("a.example.net:8080", false),
        ] {
            assert_eq!(allowed.target(target), may, "{target}");
        }
    }

    #[test]
    fn a_network_that_is_none_is_refused() {
        for text in ["", "10.0.0.0/33", "::/129", "10.0/8", "10.0.0.0/x"] {
            assert!(text.parse::<Net>().unwrap_err().contains("is no network"), "{text}");
        }
    }
}
