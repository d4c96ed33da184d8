//! `--resolve` and `--connect-to`, as curl has them: addresses in place of those of DNS, servers in place of others.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use galo_plan::address::Place;

use crate::cli::ReachArgs;
use crate::exit::WrongUse;

/// All of them, in the order in which they were given.
#[derive(Debug, Default)]
pub(super) struct Routes {
    pinned: Vec<Pinned>,
    detours: Vec<Detour>,
}

/// `HOST:PORT:ADDR,ADDR`.
#[derive(Debug, PartialEq, Eq)]
struct Pinned {
    /// `None`: any.
    host: Option<String>,
    port: u16,
    ips: Vec<IpAddr>,
}

/// `HOST1:PORT1:HOST2:PORT2`, where each may be left out.
#[derive(Debug, PartialEq, Eq)]
struct Detour {
    from: (Option<String>, Option<u16>),
    to: (Option<String>, Option<u16>),
}

impl Routes {
    /// Reads the options.
    ///
    /// # Errors
    /// What cannot be read.
    pub(super) fn new(reach: &ReachArgs) -> Result<Self, WrongUse> {
        let pinned = reach.resolve.iter().map(|text| Pinned::parse(text)).collect::<Result<_, _>>()?;
        let detours = reach.connect_to.iter().map(|text| Detour::parse(text)).collect::<Result<_, _>>()?;
        Ok(Self { pinned, detours })
    }

    /// The host and the port that are connected to for this address: by the first detour that is for it.
    pub(super) fn server(&self, host: &str, port: u16) -> (String, u16) {
        let is_meant = |detour: &&Detour| {
            let (from_host, from_port) = &detour.from;
            from_host.as_ref().is_none_or(|from| from.eq_ignore_ascii_case(host))
                && from_port.is_none_or(|from| from == port)
        };
        let to = self.detours.iter().find(is_meant).map(|detour| &detour.to);
        let (to_host, to_port) = to.map_or((None, None), |(host, port)| (host.clone(), *port));
        (to_host.unwrap_or_else(|| host.to_owned()), to_port.unwrap_or(port))
    }

    /// The addresses that were given for a host: the last that names it, or else the last for any. `None`: DNS says.
    pub(super) fn pinned(&self, host: &str, port: u16) -> Option<Vec<SocketAddr>> {
        let of_port = || self.pinned.iter().rev().filter(|pinned| pinned.port == port);
        let names = |pinned: &&Pinned| pinned.host.as_ref().is_some_and(|own| own.eq_ignore_ascii_case(host));
        let found = of_port().find(names).or_else(|| of_port().find(|pinned| pinned.host.is_none()));
        found.map(|pinned| pinned.ips.iter().map(|ip| SocketAddr::new(*ip, port)).collect())
    }
}

impl Pinned {
    fn parse(text: &str) -> Result<Self, WrongUse> {
        let refused = |what: &str| {
            let hint = "write HOST:PORT:ADDRESS, e.g. example.org:443:127.0.0.1";
            WrongUse(format!("--resolve {text}: {what}\nhint: {hint}"))
        };
        // A `+` says to curl how long it keeps them.
        let rest = text.strip_prefix('+').unwrap_or(text);
        let (host, rest) = part(rest).ok_or_else(|| refused("there is no port"))?;
        let (port, ips) = part(rest).ok_or_else(|| refused("there is no address"))?;
        let host = if host == "*" { None } else { Some(name(host).map_err(|what| refused(&what))?) };
        let port = number(port).ok_or_else(|| refused(&format!("`{port}` is no port")))?;
        let ip = |text: &str| ip(text).ok_or_else(|| refused(&format!("`{text}` is no IP address")));
        Ok(Self { host, port, ips: ips.split(',').map(ip).collect::<Result<_, _>>()? })
    }
}

impl Detour {
    fn parse(text: &str) -> Result<Self, WrongUse> {
        let refused = |what: &str| {
            let hint =
                "write HOST1:PORT1:HOST2:PORT2, e.g. example.org:443:localhost:8443; each part may be empty";
            WrongUse(format!("--connect-to {text}: {what}\nhint: {hint}"))
        };
        let four = || {
            let (host, rest) = part(text)?;
            let (port, rest) = part(rest)?;
            let (to_host, to_port) = part(rest)?;
            Some(((host, port), (to_host, to_port)))
        };
        let place = |(host, port): (&str, &str)| {
            let host = (!host.is_empty()).then(|| name(host)).transpose().map_err(|what| refused(&what))?;
            let told = || refused(&format!("`{port}` is no port"));
            let port = (!port.is_empty()).then(|| number(port).ok_or_else(told)).transpose()?;
            Ok::<_, WrongUse>((host, port))
        };
        let (from, to) = four().ok_or_else(|| refused("there are not four parts"))?;
        Ok(Self { from: place(from)?, to: place(to)? })
    }
}

/// What stands before the next `:`, and what behind it. An IPv6 address in brackets is one part.
fn part(text: &str) -> Option<(&str, &str)> {
    if text.starts_with('[') {
        let end = text.find(']')? + 1;
        return Some((&text[..end], text[end..].strip_prefix(':')?));
    }
    text.split_once(':')
}

/// A host, as addresses have it.
fn name(text: &str) -> Result<String, String> {
    let place = Place::parse(text).ok().filter(|place| place.port.is_none());
    place.map(|place| place.host).ok_or_else(|| format!("`{text}` is no host"))
}

fn number(text: &str) -> Option<u16> {
    text.parse().ok().filter(|port| *port > 0 && !text.starts_with('+'))
}

/// An IPv6 address may stand in brackets.
fn ip(text: &str) -> Option<IpAddr> {
    match text.strip_prefix('[') {
        Some(rest) => rest.strip_suffix(']')?.parse::<Ipv6Addr>().ok().map(IpAddr::V6),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn routes(resolve: &[&str], connect_to: &[&str]) -> Result<Routes, String> {
        let owned = |texts: &[&str]| texts.iter().map(ToString::to_string).collect();
        let reach =
            ReachArgs { resolve: owned(resolve), connect_to: owned(connect_to), ..ReachArgs::default() };
        Routes::new(&reach).map_err(|error| error.to_string())
    }

    fn pinned(resolve: &[&str], host: &str, port: u16) -> Option<String> {
        let found = routes(resolve, &[]).unwrap().pinned(host, port)?;
        Some(found.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn addresses_that_are_given_take_the_place_of_dns() {
        let given = ["example.org:443:127.0.0.1,[::1],::2", "*:80:10.0.0.1", "+Shop.example:80:10.0.0.2"];
        assert_eq!(pinned(&given, "Example.ORG", 443).as_deref(), Some("127.0.0.1:443 [::1]:443 [::2]:443"));
        assert_eq!(pinned(&given, "example.org", 80).as_deref(), Some("10.0.0.1:80"));
        assert_eq!(pinned(&given, "shop.example", 80).as_deref(), Some("10.0.0.2:80"));
        assert_eq!(pinned(&given, "shop.example", 443), None);
        let twice = ["a:80:10.0.0.1", "*:80:10.0.0.3", "a:80:10.0.0.2"];
        assert_eq!(pinned(&twice, "a", 80).as_deref(), Some("10.0.0.2:80"), "the last one counts");
        assert_eq!(pinned(&["[::1]:80:10.0.0.1"], "::1", 80).as_deref(), Some("10.0.0.1:80"));
        assert_eq!(
            pinned(&["bücher.de:80:10.0.0.1"], "xn--bcher-kva.de", 80).as_deref(),
            Some("10.0.0.1:80")
        );
    }

    #[test]
    fn a_server_may_stand_for_another_one() {
        let server = |connect_to: &[&str], host: &str, port| {
            let (host, port) = routes(&[], connect_to).unwrap().server(host, port);
            format!("{host} {port}")
        };
        assert_eq!(server(&["a:80:b:81"], "A", 80), "b 81");
        assert_eq!(server(&["a:80:b:81"], "a", 82), "a 82");
        assert_eq!(server(&["::localhost:8080"], "a", 80), "localhost 8080");
        assert_eq!(server(&["a::b:"], "a", 80), "b 80");
        assert_eq!(server(&[":80::81"], "a", 80), "a 81");
        assert_eq!(server(&["[::1]:80:[::2]:81"], "::1", 80), "::2 81");
        assert_eq!(server(&["a:80:b:81", "::c:1"], "a", 80), "b 81", "the first one counts");
        assert_eq!(server(&["a:80:b:81", "::c:1"], "d", 80), "c 1");
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        let pinned = |text: &str| routes(&[text], &[]).unwrap_err();
        insta::assert_snapshot!(pinned("example.org"), @"
        --resolve example.org: there is no port
        hint: write HOST:PORT:ADDRESS, e.g. example.org:443:127.0.0.1
        ");
        for (text, what) in [
            ("a:80", "there is no address"),
            ("a:x:1.1.1.1", "`x` is no port"),
            ("a:0:1.1.1.1", "`0` is no port"),
            ("a:80:", "`` is no IP address"),
            ("a:80:1.1.1.1,", "`` is no IP address"),
            ("a:80:b", "`b` is no IP address"),
            ("a:80:[1.1.1.1]", "`[1.1.1.1]` is no IP address"),
            (":80:1.1.1.1", "`` is no host"),
            ("-a:80", "there is no address"),
        ] {
            assert!(pinned(text).contains(what), "{text}: {}", pinned(text));
        }
        let detour = |text: &str| routes(&[], &[text]).unwrap_err();
        insta::assert_snapshot!(detour("a:80:b"), @"
        --connect-to a:80:b: there are not four parts
        hint: write HOST1:PORT1:HOST2:PORT2, e.g. example.org:443:localhost:8443; each part may be empty
        ");
        for (text, what) in
            [("a:x:b:1", "`x` is no port"), ("a:1:b/c:1", "`b/c` is no host"), ("::b:1:2", "`1:2`")]
        {
            assert!(detour(text).contains(what), "{text}: {}", detour(text));
        }
    }

    proptest! {
        #[test]
        fn what_is_given_reads_back(host in "[a-z][a-z0-9.-]{0,9}", port in 1..=u16::MAX, ips: Vec<IpAddr>) {
            prop_assume!(!ips.is_empty());
            let told = |bracketed: bool| {
                let one = |ip: &IpAddr| if bracketed && ip.is_ipv6() { format!("[{ip}]") } else { ip.to_string() };
                let all: Vec<String> = ips.iter().map(one).collect();
                format!("{host}:{port}:{}", all.join(","))
            };
            for bracketed in [false, true] {
                let read = Pinned::parse(&told(bracketed)).map_err(|error| error.to_string());
                prop_assert_eq!(read, Ok(Pinned { host: Some(host.clone()), port, ips: ips.clone() }));
            }
        }

        #[test]
        fn arbitrary_text_never_panics(text in ".*", near in "[\\[\\]:a1*,+é]{0,12}") {
            let _ = (Pinned::parse(&text), Detour::parse(&text), Pinned::parse(&near), Detour::parse(&near));
        }
    }
}
