//! Messages of HTTP/1.1 (RFC 9112): read strictly, and written anew, so that whoever is behind sees exactly what was seen here.

pub(crate) mod body;
pub(crate) mod fields;
pub(crate) mod request;
pub(crate) mod response;

/// The longest head, as it comes and as it goes on.
pub(crate) const HEAD_BYTES_MAX: usize = 16 * 1024;
/// Most header fields, as they come and as they go on.
pub(crate) const FIELDS_MAX: usize = 100;

/// Why a message is refused: the status to answer with, its reason, and what is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) status: u16,
    pub(crate) reason: &'static str,
    pub(crate) why: &'static str,
}

const fn refusal(status: u16, reason: &'static str, why: &'static str) -> Refusal {
    Refusal { status, reason, why }
}

/// A request that nobody could be sure to understand as we do.
pub(crate) const fn bad(why: &'static str) -> Refusal {
    refusal(400, "Bad Request", why)
}

const fn gateway(why: &'static str) -> Refusal {
    refusal(502, "Bad Gateway", why)
}

pub(crate) const GARBAGE: Refusal = bad("this is no request of HTTP/1.1");
pub(crate) const NO_TARGET: Refusal = bad("a target is written name:port");
pub(crate) const NOT_ALLOWED: Refusal = refusal(403, "Forbidden", "this target is not allowed");
pub(crate) const NOT_CONNECT: Refusal = refusal(405, "Method Not Allowed", "only CONNECT is served here");
pub(crate) const TOO_SLOW: Refusal = refusal(408, "Request Timeout", "the request did not come in time");
pub(crate) const EXPECTATION: Refusal =
    refusal(417, "Expectation Failed", "only 100-continue can be expected");
pub(crate) const TOO_LARGE: Refusal = refusal(431, "Request Header Fields Too Large", "the head is too long");
pub(crate) const NO_DESCRIPTORS: Refusal = refusal(500, "Internal Server Error", "no descriptor is left");
pub(crate) const NOT_IMPLEMENTED: Refusal = refusal(501, "Not Implemented", "this is not served here");
pub(crate) const UNKNOWN: Refusal = gateway("the target's name has no address");
pub(crate) const REFUSED: Refusal = gateway("the target refused the connection");
pub(crate) const NO_UPSTREAM: Refusal = gateway("no upstream could be reached");
pub(crate) const BROKEN: Refusal = gateway("the upstream broke off");
pub(crate) const NONSENSE: Refusal = gateway("the upstream answered in no way that HTTP knows");
pub(crate) const TIMED_OUT: Refusal =
    refusal(504, "Gateway Timeout", "the target did not take the connection in time");
pub(crate) const NO_ANSWER: Refusal = refusal(504, "Gateway Timeout", "the upstream did not answer in time");
pub(crate) const VERSION: Refusal = refusal(505, "HTTP Version Not Supported", "HTTP/1.1 is spoken here");

impl Refusal {
    /// The answer; `close`: nothing more is answered on the connection.
    pub(crate) fn answer(&self, close: bool) -> Vec<u8> {
        let Self { status, reason, why } = self;
        let allow = if *status == 405 { "Allow: CONNECT\r\n" } else { "" };
        let connection = if close { "Connection: close\r\n" } else { "" };
        let length = why.len() + 1;
        format!(
            "HTTP/1.1 {status} {reason}\r\n{allow}Content-Type: text/plain\r\nContent-Length: {length}\r\n{connection}\r\n{why}\n"
        )
        .into_bytes()
    }
}
