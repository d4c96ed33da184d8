//! The head of a request.

use std::mem::MaybeUninit;

use httparse::Error;

use super::body::Framing;
use super::fields::{Fields, ends_lines_properly};
use super::{
    EXPECTATION, FIELDS_MAX, GARBAGE, HEAD_BYTES_MAX, NOT_IMPLEMENTED, Refusal, TOO_LARGE, VERSION, bad,
};

/// What has to be known of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Request {
    /// Bytes up to and with the empty line.
    pub(crate) end: usize,
    pub(crate) framing: Framing,
    /// Its answer has no body.
    pub(crate) is_head: bool,
    /// Asking twice does no more than asking once (RFC 9110, section 9.2.2).
    pub(crate) is_idempotent: bool,
    /// HTTP/1.0.
    pub(crate) is_old: bool,
    /// The client wants no more answers on this connection.
    pub(crate) close: bool,
    /// The client waits for leave to send its body.
    pub(crate) expects_continue: bool,
    /// The head for an upstream.
    pub(crate) out: Vec<u8>,
}

/// Reads a head; nothing while it has not ended.
///
/// # Errors
/// Where it is none, or two readers could understand it differently.
pub(crate) fn parse(bytes: &[u8]) -> Result<Option<Request>, Refusal> {
    let mut headers = [const { MaybeUninit::uninit() }; FIELDS_MAX];
    let mut request = httparse::Request::new(&mut []);
    let end = match request.parse_with_uninit_headers(bytes, &mut headers) {
        Ok(httparse::Status::Complete(end)) if end <= HEAD_BYTES_MAX => end,
        Ok(httparse::Status::Partial) if bytes.len() < HEAD_BYTES_MAX => return Ok(None),
        Ok(_) | Err(Error::TooManyHeaders) => return Err(TOO_LARGE),
        Err(Error::Version) => return Err(VERSION),
        Err(_) => return Err(GARBAGE),
    };
    let (Some(method), Some(target), Some(version)) = (request.method, request.path, request.version) else {
        return Err(GARBAGE);
    };
    if !ends_lines_properly(&bytes[..end]) {
        return Err(bad("a line ends with one byte instead of two"));
    }
    if method == "CONNECT" {
        return Err(NOT_IMPLEMENTED);
    }
    let fields = Fields::read(request.headers, bad)?;
    if fields.hosts > 1 || fields.hosts == 0 && version == 1 || fields.host.is_some_and(|host| !is_host(host))
    {
        return Err(bad("not one host"));
    }
    let framing = fields.framing(version, bad)?.unwrap_or(Framing::Length(0));
    let expects_continue = match fields.expects {
        None => false,
        Some(what) if what.eq_ignore_ascii_case(b"100-continue") => version == 1,
        Some(_) => return Err(EXPECTATION),
    };
    let (host, path) = origin_form(method, target)?;
    let mut out = Vec::with_capacity(end + 64);
    for part in [method, " ", path, " HTTP/1.1\r\n"] {
        out.extend_from_slice(part.as_bytes());
    }
    // HTTP/1.0 may come without one, HTTP/1.1 may not be sent without.
    let host = host.map(str::as_bytes).or(fields.host).unwrap_or(b"localhost");
    for part in [b"Host: ", host, b"\r\n"] {
        out.extend_from_slice(part);
    }
    let mut written = 1 + fields.write(request.headers, &mut out);
    // A length of nothing is told where somebody told it, or could miss it.
    if framing != Framing::Length(0) || matches!(method, "POST" | "PUT" | "PATCH") {
        framing.write(&mut out);
        written += 1;
    }
    out.extend_from_slice(b"\r\n");
    // It may have grown by a host, a length and a blank in each field.
    if written > FIELDS_MAX || out.len() > HEAD_BYTES_MAX {
        return Err(TOO_LARGE);
    }
    Ok(Some(Request {
        end,
        framing,
        is_head: method == "HEAD",
        is_idempotent: matches!(method, "GET" | "HEAD" | "PUT" | "DELETE" | "OPTIONS" | "TRACE"),
        is_old: version == 0,
        close: fields.close || version == 0 && !fields.keep_alive,
        expects_continue,
        out,
    }))
}

/// The path that a server is asked for. A request for a proxy names the whole address, whose host then counts instead of the field
/// `Host` (RFC 9112, section 3.2.2).
fn origin_form<'a>(method: &str, target: &'a str) -> Result<(Option<&'a str>, &'a str), Refusal> {
    if target.starts_with('/') || target == "*" && method == "OPTIONS" {
        return Ok((None, target));
    }
    let scheme = target.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("http://"));
    let Some(rest) = scheme.and_then(|scheme| target.get(scheme.len()..)) else {
        return Err(bad("a target that is no path"));
    };
    let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    if authority.is_empty() || !is_host(authority.as_bytes()) {
        return Err(bad("a target without a plain host"));
    }
    match path.as_bytes().first() {
        None => Ok((Some(authority), "/")),
        Some(b'/') => Ok((Some(authority), path)),
        Some(_) => Err(bad("a target without a path")),
    }
}

/// A name or address, perhaps a port: nothing that somebody could read a second host, a user or a path from.
fn is_host(host: &[u8]) -> bool {
    host.iter().all(|byte| byte.is_ascii_alphanumeric() || b".-_:[]".contains(byte))
}
