//! Where servers listen: names are looked up once, before anything is sent.

mod routes;

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use anyhow::Result;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use galo_host::{Contact, look_up};
use galo_plan::LoadPlan;
use galo_plan::address::{Parts, Scheme, Url};
use galo_plan::load::{Address, Proxy};
use galo_plan::secret;

use crate::cli::ReachArgs;
use crate::exit::WrongUse;
use crate::output::say;
use routes::Routes;

/// Which kind of IP address will do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Family {
    #[default]
    Any,
    V4,
    V6,
}

/// Says where the server of an address listens.
#[derive(Default)]
pub(crate) struct Resolver {
    family: Family,
    routes: Routes,
    /// The name that certificates must have, whatever the addresses say.
    sni: Option<String>,
    /// The Unix socket that stands for all of them.
    socket: Option<PathBuf>,
    /// Whether a proxy looks names up.
    by_proxy: bool,
    /// What was looked up before, so that one name is one server.
    known: BTreeMap<(String, u16), SocketAddr>,
}

impl Resolver {
    /// By the options. `socket`: the Unix socket that all connections go to; `by_proxy`: a proxy makes them.
    ///
    /// # Errors
    /// Where there is no such Unix socket, and options that cannot be read, or have no effect.
    pub(crate) fn new(reach: &ReachArgs, socket: Option<&Path>, by_proxy: bool) -> Result<Self> {
        let what = if by_proxy { Some("the proxy makes all connections") } else { None };
        let what = what.or(socket.map(|_| "all connections go to the Unix socket"));
        if let (Some(what), Some(option @ ("--resolve" | "--connect-to"))) = (what, reach.given()) {
            return Err(WrongUse(format!("{option} has no effect: {what}\nhint: leave it out")).into());
        }
        if let Some(path) = socket {
            check_socket(path)?;
        }
        let family = match (reach.ipv4, reach.ipv6) {
            (true, _) => Family::V4,
            (_, true) => Family::V6,
            _ => Family::Any,
        };
        Ok(Self {
            family,
            routes: Routes::new(reach)?,
            sni: reach.sni.clone(),
            socket: socket.map(Path::to_owned),
            by_proxy,
            known: BTreeMap::new(),
        })
    }

    /// Has every server of the plan answer to the name of `--sni`, if that is given.
    ///
    /// # Errors
    /// No server is spoken to by TLS.
    pub(crate) fn name(&self, plan: &mut LoadPlan) -> Result<(), WrongUse> {
        let Some(sni) = &self.sni else { return Ok(()) };
        if !plan.targets.iter().any(|target| target.tls) {
            let hint = "write `https://`, or leave it out";
            return Err(WrongUse(format!("--sni {sni} has no effect: TLS is not spoken\nhint: {hint}")));
        }
        plan.targets.iter_mut().for_each(|target| target.host.clone_from(sni));
        Ok(())
    }

    /// The server of an address.
    ///
    /// # Errors
    /// A name without an address.
    pub(crate) fn address(&mut self, url: &Url) -> Result<Address> {
        if let Some(path) = &self.socket {
            return Ok(Address::Unix(path.clone()));
        }
        if self.by_proxy {
            // Only the proxy connects to it, by its name; galo need not know the address.
            let ip = url.host.parse().unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
            return Ok(Address::Ip(SocketAddr::new(ip, url.port)));
        }
        let key = self.routes.server(&url.host, url.port);
        if let Some(known) = self.known.get(&key) {
            return Ok(Address::Ip(*known));
        }
        let (host, port) = &key;
        let given = self.routes.pinned(host, *port);
        let contact = reached(host, given.map_or_else(|| addresses(host, *port), Ok)?, self.family)?;
        self.known.insert(key, contact);
        Ok(Address::Ip(contact))
    }

    /// The proxy that an option names, such as `http://user:password@proxy:3128`.
    ///
    /// # Errors
    /// What is no such address, and a name without an address.
    pub(crate) fn proxy(&self, text: &str) -> Result<Proxy> {
        let refused = |what: &str| WrongUse(format!("the proxy `{}` {what}", secret::in_address(text)));
        let Parts { scheme: Scheme::Http, user, place, target } = Parts::split(text) else {
            return Err(refused(
                "is none that galo can use\nhint: write for example `http://localhost:3128`",
            )
            .into());
        };
        let url = Url::parse(place).map_err(|error| WrongUse(format!("proxy: {error}")))?;
        if !matches!(target, "" | "/") {
            return Err(refused("has a path\nhint: leave it out").into());
        }
        Ok(Proxy {
            address: Address::Ip(reached(&url.host, addresses(&url.host, url.port)?, self.family)?),
            authority: url.place(),
            authorization: user.map(|user| format!("Basic {}", STANDARD.encode(user))),
        })
    }
}

/// The address of a host that is used, which is told where there is a choice.
fn reached(host: &str, mut addresses: Vec<SocketAddr>, family: Family) -> Result<SocketAddr> {
    addresses.retain(|address| match family {
        Family::Any => true,
        Family::V4 => address.is_ipv4(),
        Family::V6 => address.is_ipv6(),
    });
    let contact = Contact::among(addresses).ok_or_else(|| {
        let kind = match family {
            Family::V4 => "IPv4 address\nhint: leave out -4",
            Family::V6 => "IPv6 address\nhint: leave out -6",
            Family::Any => "address\nhint: check the name, and the machine's DNS",
        };
        WrongUse(format!("the host `{host}` has no {kind}"))
    })?;
    contact.sentence(host).iter().for_each(|text| say(text));
    Ok(contact.address)
}

/// All addresses of a host.
///
/// # Errors
/// It is not known.
fn addresses(host: &str, port: u16) -> Result<Vec<SocketAddr>, WrongUse> {
    look_up(host, port).map_err(|error| {
        let error = error.to_string();
        let reason = error.strip_prefix("failed to lookup address information: ").unwrap_or(&error);
        WrongUse(format!(
            "the host `{host}` cannot be found: {reason}\nhint: check the name, and the machine's DNS"
        ))
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
        Resolver { by_proxy, ..Resolver::default() }
    }

    #[test]
    fn only_addresses_of_the_family_are_used() {
        let both = || vec!["[::1]:9".parse().unwrap(), "127.0.0.1:9".parse().unwrap()];
        let used = |family| reached("x", both(), family).unwrap().to_string();
        assert_eq!(used(Family::V4), "127.0.0.1:9");
        assert_eq!(used(Family::V6), "[::1]:9");
        let error = reached("x", both()[1..].to_vec(), Family::V6).unwrap_err();
        assert!(error.to_string().contains("leave out -6"));
    }

    #[test]
    fn what_is_given_on_the_command_line_is_used_in_place_of_dns() {
        let reach = ReachArgs {
            resolve: vec!["name.invalid:80:127.0.0.9".to_owned()],
            connect_to: vec!["other.invalid:443:name.invalid:80".to_owned()],
            ..ReachArgs::default()
        };
        let mut resolver = Resolver::new(&reach, None, false).unwrap();
        let mut used = |url: &str| resolver.address(&Url::parse(url).unwrap());
        assert_eq!(used("http://name.invalid/").unwrap(), Address::Ip("127.0.0.9:80".parse().unwrap()));
        assert_eq!(used("https://other.invalid/").unwrap(), Address::Ip("127.0.0.9:80".parse().unwrap()));
        assert!(used("http://other.invalid/").is_err());
        let error = Resolver::new(&reach, None, true).err().unwrap().to_string();
        assert_eq!(error, "--resolve has no effect: the proxy makes all connections\nhint: leave it out");
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
