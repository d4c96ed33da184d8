//! Addresses as people, files and recordings write them: `http://host:port/path?query`, and `host:port`.
//!
//! Read here and not by the `url` crate, since that one follows the WHATWG's rules for browsers: it resolves dot
//! segments, turns `\` into `/`, drops tabs and percent-encodes what it finds odd. A load tool has to send the path and
//! query that were written, byte for byte. Only letters beyond ASCII, which no request can hold, are written in the form
//! that stands for them: percent-encoded UTF-8 in path and query, `xn--` in a host.

use std::net::Ipv6Addr;

use crate::http;
use crate::secret;

/// The parts of an address as they are written. None of them is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parts<'a> {
    /// As for curl, an address without a scheme is of HTTP.
    pub scheme: Scheme,
    /// What stands before an `@`.
    pub user: Option<&'a str>,
    /// `host` or `host:port`, which [`Place`] reads.
    pub place: &'a str,
    /// Path, query and fragment, or nothing.
    pub target: &'a str,
}

/// How a server is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// `http`.
    Http,
    /// `https`.
    Https,
    /// Any that galo does not speak.
    Other,
}

/// A host, and its port where one is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// An IPv6 address without its brackets, a name with letters beyond ASCII in its form for DNS (RFC 5891).
    pub host: String,
    /// From 1 on.
    pub port: Option<u16>,
}

/// An address that a request can be sent to. Nothing is looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Url {
    /// Whether it is `https`.
    pub tls: bool,
    /// The host: an IPv6 address without its brackets, a name with letters beyond ASCII in its form for DNS (RFC 5891).
    pub host: String,
    /// The name that its certificate must have: the host, unless a `Host` header names another.
    pub name: String,
    /// The port, 80 or 443 where none is written.
    pub port: u16,
    /// `host` or `host:port`, an IPv6 address in brackets; the scheme's own port is left out (RFC 9110, section 4.2.3).
    pub authority: String,
    /// Path and query, beginning with `/`, as written but for letters beyond ASCII; a fragment, which is never sent, left
    /// out.
    pub path: String,
}

impl Url {
    /// Reads an address. One without a scheme is of HTTP.
    ///
    /// # Errors
    /// What is wrong with it, with what to write.
    pub fn parse(text: &str) -> Result<Self, String> {
        let told = secret::in_address(text);
        let refused = |what: &str| format!("`{told}` {what}");
        let Parts { scheme, user, place, target } = Parts::split(text);
        let Some(own_port) = scheme.port() else {
            return Err(refused("has an unknown scheme\nhint: galo speaks `http` and `https`"));
        };
        let path = path(target);
        http::check_target(&path).map_err(|error| format!("`{told}`: {error}"))?;
        if user.is_some() {
            let hint = "leave out what stands before `@`, and send the header `Authorization: Basic ...`";
            return Err(refused(&format!("names a user\nhint: {hint}")));
        }
        let place = Place::parse(place).map_err(|what| refused(&what))?;
        let (authority, port) = (place.authority(scheme), place.port.unwrap_or(own_port));
        let tls = scheme == Scheme::Https;
        Ok(Self { tls, name: place.host.clone(), host: place.host, port, authority, path })
    }

    /// `host:port`, an IPv6 address in brackets.
    pub fn place(&self) -> String {
        placed(&self.host, self.port)
    }

    /// The same address for a request whose `Host` header says this.
    pub(crate) fn answer_as(&mut self, authority: &str) {
        // What is no host is no name of a certificate either, which TLS says where it is spoken.
        self.name = Place::parse(authority).map_or_else(|_| authority.to_owned(), |place| place.host);
        authority.clone_into(&mut self.authority);
    }
}

impl<'a> Parts<'a> {
    /// Takes an address apart.
    pub fn split(text: &'a str) -> Self {
        // What stands behind a `?` may hold another address.
        let (scheme, rest) = match text.split_once("://") {
            Some((scheme, rest)) if !scheme.contains(['/', '?', '#']) => (Scheme::named(scheme), rest),
            _ => (Scheme::Http, text),
        };
        let (authority, target) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        let (user, place) =
            authority.rsplit_once('@').map_or((None, authority), |(user, place)| (Some(user), place));
        Self { scheme, user, place, target }
    }
}

impl Scheme {
    fn named(name: &str) -> Self {
        match name.to_ascii_lowercase().as_str() {
            "http" => Self::Http,
            "https" => Self::Https,
            _ => Self::Other,
        }
    }

    /// The port where none is written; `None`: galo does not speak it.
    pub const fn port(self) -> Option<u16> {
        match self {
            Self::Http => Some(80),
            Self::Https => Some(443),
            Self::Other => None,
        }
    }
}

impl Place {
    /// Reads `host`, `host:port`, `[IPv6]` or `[IPv6]:port`.
    ///
    /// # Errors
    /// What is wrong, to be told behind the address that it is of.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (host, port) = if let Some(rest) = text.strip_prefix('[') {
            let (host, port) = rest.split_once(']').ok_or("has a `[` that is never closed")?;
            if host.parse::<Ipv6Addr>().is_err() {
                return Err(format!("has no IPv6 address in its brackets: `{host}`"));
            }
            (host.to_owned(), port)
        } else {
            let (host, port) = text.split_at(text.find(':').unwrap_or(text.len()));
            if port[port.len().min(1)..].contains(':') {
                return Err(
                    "has an IPv6 address without brackets\nhint: write `http://[::1]:8080/`".to_owned()
                );
            }
            (host_name(host)?, port)
        };
        let port = match port.strip_prefix(':') {
            None if port.is_empty() => None,
            None => return Err(format!("has `{port}` behind its host")),
            Some(digits) => {
                let number = digits.parse().ok().filter(|port| *port > 0 && !digits.starts_with('+'));
                let hint = "a port is a number from 1 to 65535";
                Some(number.ok_or_else(|| format!("has no port in `:{digits}`\nhint: {hint}"))?)
            }
        };
        Ok(Self { host, port })
    }

    /// `host` or `host:port`, an IPv6 address in brackets; the scheme's own port is left out (RFC 9110, section 4.2.3).
    pub fn authority(&self, scheme: Scheme) -> String {
        match self.port.filter(|port| Some(*port) != scheme.port()) {
            Some(port) => placed(&self.host, port),
            None => bracketed(&self.host),
        }
    }
}

/// `host:port`, an IPv6 address in brackets.
fn placed(host: &str, port: u16) -> String {
    format!("{}:{port}", bracketed(host))
}

fn bracketed(host: &str) -> String {
    if host.contains(':') { format!("[{host}]") } else { host.to_owned() }
}

/// Path and query as they are sent: without a fragment, letters beyond ASCII percent-encoded.
pub(crate) fn path(target: &str) -> String {
    let target = target.split('#').next().unwrap_or_default();
    let slash = if target.starts_with('/') { "" } else { "/" };
    format!("{slash}{}", http::encoded(target.as_bytes()))
}

/// A host's name, or an IPv4 address, as DNS has it.
fn host_name(written: &str) -> Result<String, String> {
    let host = if written.is_ascii() {
        written.to_owned()
    } else {
        idna::domain_to_ascii(written)
            .map_err(|_| format!("has a host that no server can have: `{written}`"))?
    };
    check_name(&host)?;
    Ok(host)
}

fn check_name(host: &str) -> Result<(), String> {
    if host.is_empty() {
        return Err("has no host\nhint: write for example `http://localhost:8080/path`".to_owned());
    }
    if host.len() > 253 || !host.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._".contains(&b)) {
        return Err(format!("has a host that no server can have: `{host}`"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parts(text: &str) -> (bool, String, u16, String, String) {
        let url = Url::parse(text).unwrap();
        (url.tls, url.host, url.port, url.authority, url.path)
    }

    #[test]
    fn an_address_is_taken_apart() {
        let expect = |text: &str, tls, host: &str, port, authority: &str, path: &str| {
            assert_eq!(parts(text), (tls, host.into(), port, authority.into(), path.into()), "{text}");
        };
        expect("http://localhost", false, "localhost", 80, "localhost", "/");
        expect("http://localhost:80/", false, "localhost", 80, "localhost", "/");
        expect("https://a.b-c_d:80/x", true, "a.b-c_d", 80, "a.b-c_d:80", "/x");
        expect("HTTPS://A/x", true, "A", 443, "A", "/x");
        expect("http://127.0.0.1:9999?a=b", false, "127.0.0.1", 9999, "127.0.0.1:9999", "/?a=b");
        expect("localhost:8080/x", false, "localhost", 8080, "localhost:8080", "/x");
        expect("h?u=http://v/", false, "h", 80, "h", "/?u=http://v/");
        expect("http://[::1]:8080/x", false, "::1", 8080, "[::1]:8080", "/x");
        expect("https://[2001:db8::1]", true, "2001:db8::1", 443, "[2001:db8::1]", "/");
    }

    #[test]
    fn parts_are_what_is_written() {
        let expect = |text, scheme, user, place, target| {
            assert_eq!(Parts::split(text), Parts { scheme, user, place, target }, "{text}");
        };
        expect("HTTP://a:b@h:1/x?y#z", Scheme::Http, Some("a:b"), "h:1", "/x?y#z");
        expect("https://h?u=a@b", Scheme::Https, None, "h", "?u=a@b");
        expect("h:1/u?v=ws://w", Scheme::Http, None, "h:1", "/u?v=ws://w");
        expect("wss://h#x", Scheme::Other, None, "h", "#x");
        expect("", Scheme::Http, None, "", "");
    }

    #[test]
    fn an_authority_leaves_out_the_schemes_own_port_alone() {
        let authority = |text, scheme| Place::parse(text).unwrap().authority(scheme);
        assert_eq!(authority("h:80", Scheme::Http), "h");
        assert_eq!(authority("h:80", Scheme::Https), "h:80");
        assert_eq!(authority("[::1]:443", Scheme::Https), "[::1]");
        assert_eq!(authority("[::1]", Scheme::Http), "[::1]");
    }

    #[test]
    fn path_and_query_stay_byte_for_byte_and_a_fragment_is_left_out() {
        for path in ["/a/../b/./c//d", "/a\\b", "/%7e%zz", "/{x}?y={z}&u=http://v:1/@", "/?", "/a;b=c'd|e"] {
            assert_eq!(parts(&format!("http://h{path}")).4, path);
        }
        assert_eq!(parts("http://h/a?b#c/d?e").4, "/a?b");
        assert_eq!(parts("http://h#c").4, "/");
    }

    #[test]
    fn letters_beyond_ascii_are_written_in_the_form_that_stands_for_them() {
        let path = "/informações/%C3%A9é?q=ação&l={name}%zz";
        let expected = "/informa%C3%A7%C3%B5es/%C3%A9%C3%A9?q=a%C3%A7%C3%A3o&l={name}%zz";
        assert_eq!(parts(&format!("http://h{path}")).4, expected);
        let url = Url::parse("https://Bücher.example:8443/").unwrap();
        assert_eq!((url.host.as_str(), url.port), ("xn--bcher-kva.example", 8443));
        assert_eq!(url.authority, "xn--bcher-kva.example:8443");
        assert_eq!(Url::parse("http://例え.テスト").unwrap().host, "xn--r8jz45g.xn--zckzah");
        // Such letters may stand for ASCII: full-width ones, and a full stop of East Asia.
        assert_eq!(Url::parse("http://ｌｏｃａｌ。host/").unwrap().host, "local.host");
    }

    #[test]
    fn a_host_header_names_the_certificate_and_not_the_place() {
        let mut url = Url::parse("https://127.0.0.1:8443/").unwrap();
        url.answer_as("shop.example:80");
        assert_eq!((url.authority.as_str(), url.name.as_str()), ("shop.example:80", "shop.example"));
        assert_eq!((url.place().as_str(), url.host.as_str()), ("127.0.0.1:8443", "127.0.0.1"));
    }

    #[test]
    fn a_wrong_address_is_told_with_what_to_write() {
        let error = |text: &str| Url::parse(text).unwrap_err();
        insta::assert_snapshot!(error("ftp://localhost"), @"
        `ftp://localhost` has an unknown scheme
        hint: galo speaks `http` and `https`
        ");
        insta::assert_snapshot!(error("http://"), @"
        `http://` has no host
        hint: write for example `http://localhost:8080/path`
        ");
        insta::assert_snapshot!(error("http://u:p@h/"), @"
        `http://***@h/` names a user
        hint: leave out what stands before `@`, and send the header `Authorization: Basic ...`
        ");
        insta::assert_snapshot!(error("http://::1:8080/"), @"
        `http://::1:8080/` has an IPv6 address without brackets
        hint: write `http://[::1]:8080/`
        ");
        insta::assert_snapshot!(error("http://[::1"), @"`http://[::1` has a `[` that is never closed");
        insta::assert_snapshot!(error("http://[::1%eth0]/"), @"`http://[::1%eth0]/` has no IPv6 address in its brackets: `::1%eth0`");
        insta::assert_snapshot!(error("http://[::1]8080/"), @"`http://[::1]8080/` has `8080` behind its host");
        insta::assert_snapshot!(error("http://h:/"), @"
        `http://h:/` has no port in `:`
        hint: a port is a number from 1 to 65535
        ");
        insta::assert_snapshot!(error("http://h:65536/"), @"
        `http://h:65536/` has no port in `:65536`
        hint: a port is a number from 1 to 65535
        ");
        insta::assert_snapshot!(error("http://a b/"), @"`http://a b/` has a host that no server can have: `a b`");
        insta::assert_snapshot!(error("http://h/a b"), @"`http://h/a b`: `/a b` is not a path; it must begin with `/` and hold no spaces (write `%20` for one)");
        for text in [
            "",
            "http:",
            "http:/h",
            "http:///x",
            "http://:80/",
            "http://h:0/",
            "http://h:+80/",
            "http://é\u{200b}\u{2028}/",
        ] {
            assert!(Url::parse(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn an_address_made_of_its_parts_reads_back_as_itself(
            tls: bool,
            host in "[a-z0-9][a-z0-9.-]{0,20}|[0-9a-f]{1,4}(:[0-9a-f]{1,4}){7}",
            port in 1..=u16::MAX,
            path in "/[!-\"$-~]{0,30}",
        ) {
            let bracketed = if host.contains(':') { format!("[{host}]") } else { host.clone() };
            let scheme = if tls { "https" } else { "http" };
            let url = Url::parse(&format!("{scheme}://{bracketed}:{port}{path}")).unwrap();
            let again = Url::parse(&format!("{scheme}://{}{}", url.authority, url.path)).unwrap();
            prop_assert_eq!(&again, &url);
            prop_assert_eq!((url.tls, url.host, url.port, url.path), (tls, host, port, path));
        }

        #[test]
        fn arbitrary_text_never_panics(text in ".*", near in "https?://[\\[\\]:@a-f0-9.é]{0,12}[/?#]?.{0,8}") {
            let _ = (Url::parse(&text), Url::parse(&near));
        }
    }
}
