//! `tunnel connect`: clients say where to (HTTP CONNECT, RFC 9110, section 9.3.6).

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use httparse::{EMPTY_HEADER, Request};
use rustix::io::Errno;

use crate::address::Address;
use crate::allow::Allowed;
use crate::dial::{NotConnected, dial};
use crate::http::{
    FIELDS_MAX, GARBAGE, HEAD_BYTES_MAX, NO_DESCRIPTORS, NO_TARGET, NOT_ALLOWED, NOT_CONNECT, REFUSED,
    Refusal, TIMED_OUT, TOO_LARGE, TOO_SLOW, UNKNOWN,
};
use crate::net::{Stream, Wake, deadline_in, timeout};
use crate::options::{Connect, Mode};
use crate::own::is_own;
use crate::relay::relay;
use crate::resolve::Resolver;
use crate::shared::{Shared, Told};
use crate::side::Side;

const ESTABLISHED: &[u8] = b"HTTP/1.1 200 Connection established\r\n\r\n";

/// Made once for all threads.
#[derive(Clone)]
pub(crate) struct Parts {
    resolver: Arc<Resolver>,
    allowed: Arc<Allowed>,
}

impl Parts {
    pub(crate) fn new(connect: &Connect) -> Self {
        let allowed = Arc::new(Allowed::new(&connect.allow, &connect.allow_net));
        Self { resolver: Resolver::new(connect.tunnels.dns_lifetime), allowed }
    }
}

/// One thread's.
pub(crate) struct ConnectProxy {
    parts: Parts,
    shared: Arc<Shared>,
    wake: Arc<Wake>,
}

impl ConnectProxy {
    pub(crate) fn new(parts: Parts, shared: &Arc<Shared>, wake: Arc<Wake>) -> Self {
        Self { parts, shared: Arc::clone(shared), wake }
    }

    pub(crate) async fn serve(&self, client: Side) -> Told {
        let Mode::Connect(connect) = &self.shared.mode else { return Told::default() };
        let asked = timeout(deadline_in(connect.common.handshake_timeout), head(&client))
            .await
            .unwrap_or(Err(Some(TOO_SLOW)));
        let (target, rest) = match asked {
            Ok(asked) => asked,
            Err(None) => return Told { end: "broken", ..Told::default() },
            Err(Some(refusal)) => return self.refuse(client, refusal, None).await,
        };
        match self.dial(&target, connect).await {
            Ok(stream) => {
                client.send(ESTABLISHED.to_vec());
                // What came right behind the head is for the target.
                let early = rest.len() as u64;
                stream.send(rest);
                let relayed = relay(client, Side::Plain(stream), &connect.tunnels).await;
                let (up, down, end) = (relayed.up + early, relayed.down, relayed.end.name());
                Told { target: Some(target.to_string()), status: Some(200), up, down, end }
            }
            Err(refusal) => self.refuse(client, refusal, Some(target.to_string())).await,
        }
    }

    /// The address that was checked is the one that is dialled.
    async fn dial(&self, target: &Address, connect: &Connect) -> Result<Stream, Refusal> {
        if !self.parts.allowed.target(&target.to_string()) {
            return Err(NOT_ALLOWED);
        }
        let within = connect.common.connect_timeout;
        let found = match target {
            Address::Ip(address) => vec![*address],
            Address::Name(name, port) => {
                let asked = self.parts.resolver.resolve(name, *port, &self.wake);
                timeout(deadline_in(within), asked).await.ok_or(TIMED_OUT)?.to_vec()
            }
            Address::Unix(_) => return Err(NO_TARGET),
        };
        if found.is_empty() {
            return Err(UNKNOWN);
        }
        let allowed = &self.parts.allowed;
        let may: Vec<SocketAddr> =
            found.into_iter().filter(|address| allowed.address(address.ip(), is_own)).collect();
        if may.is_empty() {
            return Err(NOT_ALLOWED);
        }
        let stream = dial(&may, within).await.map_err(|error| {
            self.shared.metrics.connect_errors_total.add(1);
            match error {
                NotConnected::Unknown => UNKNOWN,
                NotConnected::TimedOut => TIMED_OUT,
                NotConnected::Refused(Errno::MFILE | Errno::NFILE) => NO_DESCRIPTORS,
                NotConnected::Refused(_) => REFUSED,
            }
        })?;
        // Itself, by any of this machine's addresses: it would connect to itself until nothing is left.
        if self.is_itself(&stream) { Err(NOT_ALLOWED) } else { Ok(stream) }
    }

    fn is_itself(&self, stream: &Stream) -> bool {
        let of = |address: rustix::io::Result<SocketAddr>| address.ok();
        let local = of(rustix::net::getsockname(stream.fd()).and_then(SocketAddr::try_from));
        let peer = rustix::net::getpeername(stream.fd())
            .ok()
            .flatten()
            .and_then(|peer| SocketAddr::try_from(peer).ok());
        let (Some(local), Some(peer), Address::Ip(bound)) = (local, peer, &self.shared.bound) else {
            return false;
        };
        let is_here = |address: IpAddr| {
            address.to_canonical() == local.ip().to_canonical() || address.to_canonical().is_loopback()
        };
        is_here(peer.ip()) && peer.port() == bound.port()
    }

    async fn refuse(&self, client: Side, refusal: Refusal, target: Option<String>) -> Told {
        self.shared.metrics.requests_refused_total.add(1);
        client.end_with(refusal.answer(true)).await;
        Told { target, status: Some(refusal.status), end: "refused", ..Told::default() }
    }
}

/// Whom a client asks for, and what came behind it; no refusal for somebody who has gone.
async fn head(client: &Side) -> Result<(Address, Vec<u8>), Option<Refusal>> {
    let mut bytes = Vec::new();
    loop {
        let chunk = client.recv().await.map_err(|_| None)?;
        if chunk.is_empty() {
            return Err(if bytes.is_empty() { None } else { Some(GARBAGE) });
        }
        bytes.extend_from_slice(&chunk);
        if let Some((target, end)) = parse(&bytes)? {
            return Ok((target, bytes.split_off(end)));
        }
    }
}

/// Nothing while more has to come.
pub(crate) fn parse(bytes: &[u8]) -> Result<Option<(Address, usize)>, Refusal> {
    let mut headers = [EMPTY_HEADER; FIELDS_MAX];
    let mut request = Request::new(&mut headers);
    let end = match request.parse(bytes) {
        Ok(httparse::Status::Complete(end)) if end <= HEAD_BYTES_MAX => end,
        Ok(httparse::Status::Partial) if bytes.len() < HEAD_BYTES_MAX => return Ok(None),
        Ok(_) | Err(httparse::Error::TooManyHeaders) => return Err(TOO_LARGE),
        Err(_) => return Err(GARBAGE),
    };
    if request.method != Some("CONNECT") {
        return Err(NOT_CONNECT);
    }
    match request.path.map(str::parse) {
        Some(Ok(target @ (Address::Ip(_) | Address::Name(..)))) => Ok(Some((target, end))),
        _ => Err(NO_TARGET),
    }
}

#[cfg(test)]
mod tests {
    use super::{GARBAGE, NO_TARGET, NOT_CONNECT, TOO_LARGE, parse};

    #[test]
    fn a_target_is_asked_for_and_what_follows_begins_after_the_empty_line() {
        let text = "CONNECT Example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n\x16\x03\x01";
        for cut in 0..text.len() - 3 {
            assert_eq!(parse(&text.as_bytes()[..cut]), Ok(None), "{cut}");
        }
        let (target, end) = parse(text.as_bytes()).unwrap().unwrap();
        assert_eq!((target.to_string().as_str(), &text[end..]), ("example.org:443", "\x16\x03\x01"));
        assert_eq!(
            parse(b"CONNECT [2001:db8::1]:80 HTTP/1.1\r\n\r\n").unwrap().unwrap().0.to_string(),
            "[2001:db8::1]:80"
        );
    }

    #[test]
    fn what_asks_for_no_tunnel_is_refused_with_the_right_word() {
        let long = format!("CONNECT a:1 HTTP/1.1\r\na: {}", "b".repeat(17_000));
        let many = format!("CONNECT a:1 HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(101));
        for (head, refusal) in [
            ("GET / HTTP/1.1\r\n\r\n", NOT_CONNECT),
            ("CONNECT example.org HTTP/1.1\r\n\r\n", NO_TARGET),
            ("CONNECT http://a/ HTTP/1.1\r\n\r\n", NO_TARGET),
            ("CONNECT unix:/run/x HTTP/1.1\r\n\r\n", NO_TARGET),
            ("CONNECT a@b:1 HTTP/1.1\r\n\r\n", NO_TARGET),
            ("\x16\x03\x01\x02\x00\x01", GARBAGE),
            ("SSH-2.0-x\r\n", GARBAGE),
            (&long, TOO_LARGE),
            (&many, TOO_LARGE),
        ] {
            assert_eq!(parse(head.as_bytes()), Err(refusal), "{}", &head[..head.len().min(50)]);
        }
    }
}
