//! Access logs: common, combined, with a virtual host in front, of AWS load balancers, and lines of JSON.
//!
//! A log keeps no bodies and few headers: method and target are sent, and of methods only those that change nothing (GET,
//! HEAD, OPTIONS).

mod json;

use std::net::IpAddr;

use jiff::Timestamp;
use jiff::fmt::strtime;

use super::collected::Collected;
use super::left_out::{Change, Left, Reason};
use super::read::{Text, Wrong};
use super::sent::{Address, Sent};
use crate::address::{Place, Scheme};
use crate::http;

pub(super) use json::is_of_log;

/// What begins a line of an AWS load balancer.
const BALANCED: &[&str] = &["http ", "https ", "h2 ", "grpcs ", "ws ", "wss "];

pub(super) fn parse(text: Text<'_>, collected: &mut Collected) -> Result<(), Wrong> {
    text.each_line(|number, line| {
        let line = line.trim();
        if line.is_empty() {
            return Ok(());
        }
        if line.starts_with('{') {
            json::add(number, line, collected);
            return Ok(());
        }
        match request_of(line) {
            Some(request) => collected.add_at(number as u64, time(line), asked(&request, host_of(line))),
            None => {
                let hint = "an access log has the request in quotation marks, as nginx's `combined`";
                let wrong = Wrong::new(number, format!("no line of an access log\nhint: {hint}"));
                collected.wrong(number as u64, Reason::NoRequest, wrong);
            }
        }
        Ok(())
    })
}

/// Whether a line is one of an access log, with a request that can be read.
pub(super) fn is_line(line: &str) -> bool {
    request_of(line).is_some_and(|request| words(&request).is_some())
}

/// The bytes of the first text in quotation marks that is a request, else of the first one.
fn request_of(line: &str) -> Option<Vec<u8>> {
    let texts = quoted(line);
    let mut first = None;
    for text in texts {
        let bytes = unescaped(text);
        if words(&bytes).is_some() {
            return Some(bytes);
        }
        first.get_or_insert(bytes);
    }
    first
}

/// What stands in quotation marks, still escaped.
fn quoted(line: &str) -> Vec<&str> {
    let (mut texts, mut start, mut is_escaped) = (Vec::new(), None, false);
    for (at, letter) in line.bytes().enumerate() {
        match (letter, start) {
            _ if is_escaped => is_escaped = false,
            (b'\\', Some(_)) => is_escaped = true,
            (b'"', None) => start = Some(at + 1),
            (b'"', Some(from)) => {
                texts.push(&line[from..at]);
                start = None;
            }
            _ => {}
        }
    }
    // Half a last line.
    texts.extend(start.map(|from| &line[from..]));
    texts
}

/// What nginx (`\x22`) and Apache (`\"`, `\\`, `\n`) escaped.
fn unescaped(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let (byte, length) = match (first, tail) {
            (b'\\', [b'x', high, low, ..]) => match hex(*high, *low) {
                Some(byte) => (byte, 4),
                None => (b'\\', 1),
            },
            (b'\\', [letter, ..]) => match letter {
                b'"' | b'\\' => (*letter, 2),
                b'b' => (8, 2),
                b'n' => (b'\n', 2),
                b'r' => (b'\r', 2),
                b't' => (b'\t', 2),
                b'v' => (11, 2),
                _ => (b'\\', 1),
            },
            _ => (*first, 1),
        };
        out.push(byte);
        rest = &rest[length..];
    }
    out
}

fn hex(high: u8, low: u8) -> Option<u8> {
    let digit = |letter: u8| char::from(letter).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}

/// Method, target and protocol of a request's first line.
fn words(request: &[u8]) -> Option<(&str, &[u8])> {
    let first = request.iter().position(|b| *b == b' ')?;
    let last = request.iter().rposition(|b| *b == b' ').filter(|last| *last > first)?;
    let method = std::str::from_utf8(&request[..first]).ok().filter(|method| http::is_token(method))?;
    request[last + 1..].starts_with(b"HTTP/").then_some((method, &request[first + 1..last]))
}

/// What a request's first line asked for, at a host that may be known.
fn asked(request: &[u8], host: Option<String>) -> Result<Sent, Left> {
    let shown = || String::from_utf8_lossy(request).into_owned();
    let (method, target) = words(request).ok_or_else(|| Left::new(Reason::NoRequest, shown()))?;
    get(method, target, host)
}

/// A request for this target, which may name its host itself.
fn get(method: &str, target: &[u8], host: Option<String>) -> Result<Sent, Left> {
    let shown = || String::from_utf8_lossy(target).into_owned();
    // As it came from the file; a log that escapes it has other bytes.
    if target.windows(3).any(|three| three == "\u{fffd}".as_bytes()) {
        return Err(Left::new(Reason::NotWhole, shown()));
    }
    if method == "CONNECT" {
        return Err(Left::new(Reason::Method, method));
    }
    let text = http::encoded(target);
    let address = if target.starts_with(b"/") {
        // What stands behind a `#` was sent, and cannot be sent again.
        if target.contains(&b'#') {
            return Err(Left::new(Reason::Target, shown()));
        }
        Address::at(host, None, &text)?
    } else if target.contains(&b':') {
        let address = Address::parse(&text)?;
        match host {
            Some(host) if address.host.as_ref() == Some(&host) => address,
            // Somebody took the server for a proxy.
            _ => return Err(Left::new(Reason::OtherHost, address.host.unwrap_or_default())),
        }
    } else {
        return Err(Left::new(Reason::Target, shown()));
    };
    if !matches!(method, "GET" | "HEAD" | "OPTIONS") {
        return Err(Left::new(Reason::NotSafe, method));
    }
    let mut sent = Sent::new(method, address, Vec::new(), None)?;
    if !target.is_ascii() {
        sent.changes.push(Change::Encoded);
    }
    Ok(sent)
}

/// The host of a line: a load balancer has it in the request, others in front of the client's address.
fn host_of(line: &str) -> Option<String> {
    if BALANCED.iter().any(|start| line.starts_with(start)) {
        let request = request_of(line)?;
        let (_, target) = words(&request)?;
        return Address::parse(std::str::from_utf8(target).ok()?).ok()?.host;
    }
    let mut words = line.split(['[', '"']).next()?.split_whitespace();
    let (first, second) = (words.next()?, words.next()?);
    let is_client = |word: &str| word.parse::<IpAddr>().is_ok();
    let is_name = |word: &str| word.contains('.') || word.starts_with("localhost");
    (!is_client(first) && is_client(second) && is_name(first)).then(|| host(first)).flatten()
}

/// A host as it is compared.
fn host(text: &str) -> Option<String> {
    let place = Place::parse(text).ok().filter(|place| !matches!(place.host.as_str(), "-" | "_"))?;
    let scheme = if place.port == Scheme::Https.port() { Scheme::Https } else { Scheme::Http };
    Some(place.authority(scheme).to_ascii_lowercase())
}

/// The time of a line: the first text in brackets, `10/Oct/2000:13:55:36 -0700`, or the second word of a load balancer's.
fn time(line: &str) -> Option<Timestamp> {
    if BALANCED.iter().any(|start| line.starts_with(start)) {
        return line.split_whitespace().nth(1)?.parse().ok();
    }
    let (_, rest) = line.split_once('[')?;
    let (text, _) = rest.split_once(']')?;
    local_time(text).or_else(|| text.parse().ok())
}

fn local_time(text: &str) -> Option<Timestamp> {
    strtime::parse("%d/%b/%Y:%H:%M:%S %z", text).ok()?.to_timestamp().ok()
}
