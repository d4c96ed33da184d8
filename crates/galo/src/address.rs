//! Where servers listen: names are looked up once, before the load.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use anyhow::Result;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use galo_plan::load::{Address, Proxy};
use galo_plan::request::Url;
use galo_plan::secret;

use crate::cli::WayArgs;
use crate::exit::WrongUse;

/// Which kind of IP address will do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    Any,
    V4,
    V6,
}

/// Says where the server of an address listens.
pub(super) struct Resolver {
    family: Family,
    /// The Unix socket that stands for all of them.
    socket: Option<PathBuf>,
    /// Whether a proxy looks names up.
    by_proxy: bool,
    /// What was looked up before, so that one name is one server.
    known: BTreeMap<(String, u16), SocketAddr>,
}

impl Resolver {
    /// By the options.
    ///
    /// # Errors
    /// Where there is no such Unix socket.
    pub(super) fn new(way: &WayArgs) -> Result<Self> {
        if let Some(path) = &way.unix_socket {
            check_socket(path)?;
        }
        let family = match (way.ipv4, way.ipv6) {
            (true, _) => Family::V4,
            (_, true) => Family::V6,
            _ => Family::Any,
        };
        let (socket, by_proxy) = (way.unix_socket.clone(), way.proxy.is_some());
        Ok(Self { family, socket, by_proxy, known: BTreeMap::new() })
    }

    /// The server of an address.
    ///
    /// # Errors
    /// A name without an address.
    pub(super) fn address(&mut self, url: &Url) -> Result<Address> {
        if let Some(path) = &self.socket {
            return Ok(Address::Unix(path.clone()));
        }
        if self.by_proxy {
            // Only the proxy connects to it, by its name; galo need not know the address.
            let ip = url.host.parse().unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
            return Ok(Address::Ip(SocketAddr::new(ip, url.port)));
        }
        let key = (url.host.clone(), url.port);
        if let Some(known) = self.known.get(&key) {
            return Ok(Address::Ip(*known));
        }
        let address = look_up(&url.host, url.port, self.family)?;
        self.known.insert(key, address);
        Ok(Address::Ip(address))
    }

    /// The proxy that an option names, such as `http://user:password@proxy:3128`.
    ///
    /// # Errors
    /// What is no such address, and a name without an address.
    pub(super) fn proxy(&self, text: &str) -> Result<Proxy> {
        let refused = |what: &str| WrongUse(format!("the proxy `{}` {what}", secret::in_address(text)));
        let with_scheme = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
        let Some(rest) = with_scheme.strip_prefix("http://") else {
            return Err(refused(
                "is none that galo can use\nhint: write for example `http://localhost:3128`",
            )
            .into());
        };
        let (user, place) = match rest.rsplit_once('@') {
            Some((user, place)) => (Some(user), place),
            None => (None, rest),
        };
        let url =
            Url::parse(&format!("http://{place}")).map_err(|error| WrongUse(format!("proxy: {error}")))?;
        if url.path != "/" {
            return Err(refused("has a path\nhint: leave it out").into());
        }
        let bracketed = if url.host.contains(':') { format!("[{}]", url.host) } else { url.host.clone() };
        Ok(Proxy {
            address: Address::Ip(look_up(&url.host, url.port, self.family)?),
            authority: format!("{bracketed}:{}", url.port),
            authorization: user.map(|user| format!("Basic {}", STANDARD.encode(user))),
        })
    }
}

/// The first address of a host that is of the family.
fn look_up(host: &str, port: u16, family: Family) -> Result<SocketAddr> {
    first_of(addresses(host, port)?.into_iter(), family).ok_or_else(|| {
        let kind = match family {
            Family::V4 => "IPv4 address\nhint: leave out -4",
            Family::V6 => "IPv6 address\nhint: leave out -6",
            Family::Any => "address\nhint: check the name, and the machine's DNS",
        };
        WrongUse(format!("the host `{host}` has no {kind}")).into()
    })
}

/// All addresses of a host.
///
/// # Errors
/// It is not known.
fn addresses(host: &str, port: u16) -> Result<Vec<SocketAddr>, WrongUse> {
    let found = (host, port).to_socket_addrs().map_err(|error| {
        let error = error.to_string();
        let reason = error.strip_prefix("failed to lookup address information: ").unwrap_or(&error);
        WrongUse(format!(
            "the host `{host}` cannot be found: {reason}\nhint: check the name, and the machine's DNS"
        ))
    })?;
    Ok(found.collect())
}

fn first_of(mut addresses: impl Iterator<Item = SocketAddr>, family: Family) -> Option<SocketAddr> {
    addresses.find(|address| match family {
        Family::Any => true,
        Family::V4 => address.is_ipv4(),
        Family::V6 => address.is_ipv6(),
    })
}

fn check_socket(path: &Path) -> Result<(), WrongUse> {
    let refused = |what: &str| {
        let path = path.display();
        Err(WrongUse(format!("`{path}` {what}\nhint: name the Unix socket that the server listens on")))
    };
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.file_type().is_socket() => Ok(()),
        Ok(_) => refused("is no Unix socket"),
        Err(error) => refused(&format!("cannot be used: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolver(by_proxy: bool) -> Resolver {
        Resolver { family: Family::Any, socket: None, by_proxy, known: BTreeMap::new() }
    }

    #[test]
    fn the_first_address_of_the_family_is_taken() {
        let both: Vec<SocketAddr> = vec!["[::1]:80".parse().unwrap(), "127.0.0.1:80".parse().unwrap()];
        let first = |family| first_of(both.iter().copied(), family).map(|address| address.to_string());
        assert_eq!(first(Family::Any).as_deref(), Some("[::1]:80"));
        assert_eq!(first(Family::V4).as_deref(), Some("127.0.0.1:80"));
        assert_eq!(first_of(both[1..].iter().copied(), Family::V6), None);
        assert!(look_up("127.0.0.1", 80, Family::V6).unwrap_err().to_string().contains("leave out -6"));
    }

    #[test]
    fn a_proxy_may_ask_for_a_name_and_a_password() {
        let proxy = resolver(true).proxy("http://me:secret@127.0.0.1:3128").unwrap();
        assert_eq!(proxy.address, Address::Ip("127.0.0.1:3128".parse().unwrap()));
        assert_eq!(
            (proxy.authority.as_str(), proxy.authorization.as_deref()),
            ("127.0.0.1:3128", Some("Basic bWU6c2VjcmV0"))
        );
        assert_eq!(resolver(true).proxy("127.0.0.1").unwrap().authority, "127.0.0.1:80");
        for wrong in ["socks5://127.0.0.1:1", "http://127.0.0.1/x", "http://"] {
            assert!(resolver(true).proxy(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn behind_a_proxy_no_name_is_looked_up() {
        let url = Url::parse("http://name.invalid:8080/").unwrap();
        assert!(resolver(true).address(&url).is_ok());
        assert!(resolver(false).address(&url).is_err());
    }

    #[test]
    fn what_is_no_unix_socket_is_told() {
        assert!(check_socket(Path::new("/")).unwrap_err().to_string().contains("is no Unix socket"));
        assert!(check_socket(Path::new("/no/such")).unwrap_err().to_string().contains("cannot be used"));
    }
}
