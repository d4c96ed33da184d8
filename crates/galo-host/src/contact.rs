//! First contact: which of a server's addresses galo uses. Every name that a person writes is looked up here.
//!
//! A name may stand for several addresses, of which one alone is listened at: `localhost` is often `::1` and
//! `127.0.0.1`. They are tried as browsers and curl do (RFC 8305, "happy eyeballs"), before anything is measured.

use std::io;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// How long one attempt goes on alone (RFC 8305, section 8: "Connection Attempt Delay").
const ATTEMPT_ALONE: Duration = Duration::from_millis(250);
/// How long all of them may take.
const CONNECT_WITHIN: Duration = Duration::from_secs(2);

/// An address that was chosen among all that there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contact {
    /// The one that is used.
    pub address: SocketAddr,
    /// All of them, in the order in which they were tried.
    pub among: Vec<SocketAddr>,
    /// Whether the one that is used was seen to accept a connection. One that is alone is not tried.
    pub accepts: bool,
}

impl Contact {
    /// The first address that accepts a connection, or the first of all if none does. `None`: the list is empty.
    pub fn among(addresses: Vec<SocketAddr>) -> Option<Self> {
        let among = in_turn(addresses);
        let first = *among.first()?;
        let accepted = if among.len() > 1 { connect(&among, CONNECT_WITHIN).ok() } else { None };
        Some(Self { address: accepted.unwrap_or(first), among, accepts: accepted.is_some() })
    }

    /// One that was seen to accept a connection, of these.
    pub fn seen(address: SocketAddr, among: Vec<SocketAddr>) -> Self {
        Self { address, among: in_turn(among), accepts: true }
    }

    /// What to say of it, where there was a choice.
    pub fn sentence(&self, host: &str) -> Option<String> {
        if self.among.len() < 2 {
            return None;
        }
        let all: Vec<String> = self.among.iter().map(|address| address.ip().to_string()).collect();
        let (last, before) = all.split_last()?;
        let why = if self.accepts { "which answers" } else { "the first, since none answers" };
        let used = self.address;
        Some(format!("{host} is {} and {last}: galo uses {used}, {why}", before.join(", ")))
    }
}

/// All addresses of a name, or of an IP address.
///
/// # Errors
/// The name is not known.
pub fn look_up(host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
    Ok((host, port).to_socket_addrs()?.collect())
}

/// The address of a host that is used.
///
/// # Errors
/// The name is not known, or has no address.
pub fn contact(host: &str, port: u16) -> io::Result<Contact> {
    let told = |error: io::Error| io::Error::new(error.kind(), format!("cannot resolve `{host}`: {error}"));
    Contact::among(look_up(host, port).map_err(told)?)
        .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, format!("`{host}` has no address")))
}

/// The first of the addresses that accepts a connection. Each is tried as soon as the one before has failed, or was
/// waited for in vain for 250 ms; the others go on meanwhile.
///
/// # Errors
/// Why the first address accepts none, where no other one does either.
pub(crate) fn connect(addresses: &[SocketAddr], within: Duration) -> io::Result<SocketAddr> {
    let deadline = Instant::now() + within;
    let (told, heard) = mpsc::channel();
    let mut first_error = None;
    let mut under_way = 0;
    let mut left = addresses.iter().copied().enumerate();
    let mut next = left.next();
    loop {
        if let Some((index, address)) = next.take() {
            let told = told.clone();
            let attempt = move || {
                let at_most =
                    deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
                let tried = TcpStream::connect_timeout(&address, at_most).map(drop);
                // Sending fails once another address was quicker, since the receiver is gone then.
                let _ = told.send((index, address, tried));
            };
            thread::Builder::new().name("contact".to_owned()).spawn(attempt)?;
            under_way += 1;
        }
        let until = if left.len() > 0 { Instant::now() + ATTEMPT_ALONE } else { deadline };
        match heard.recv_timeout(until.min(deadline).saturating_duration_since(Instant::now())) {
            Ok((_, address, Ok(()))) => return Ok(address),
            Ok((index, _, Err(error))) => {
                under_way -= 1;
                if index == 0 {
                    first_error = Some(error);
                }
                next = left.next();
            }
            Err(RecvTimeoutError::Timeout) if Instant::now() < deadline => next = left.next(),
            Err(_) => under_way = 0,
        }
        if next.is_none() && under_way == 0 {
            return Err(first_error.unwrap_or_else(|| io::ErrorKind::TimedOut.into()));
        }
    }
}

/// IPv6 first, then the families in turn, each in the order in which it was found (RFC 8305, section 4); no address twice.
fn in_turn(addresses: Vec<SocketAddr>) -> Vec<SocketAddr> {
    let (six, four): (Vec<_>, Vec<_>) = addresses.into_iter().partition(SocketAddr::is_ipv6);
    let longest = six.len().max(four.len());
    let mut ordered = Vec::with_capacity(six.len() + four.len());
    for place in 0..longest {
        for address in [six.get(place), four.get(place)].into_iter().flatten() {
            if !ordered.contains(address) {
                ordered.push(*address);
            }
        }
    }
    ordered
}

#[cfg(test)]
mod tests;
