//! Messages of HTTP/1.1 (RFC 9112): read strictly, and written anew, so that whoever is behind sees exactly what was seen here.

pub(crate) mod body;
pub(crate) mod fields;
pub(crate) mod request;
pub(crate) mod response;

/// The longest head.
pub(crate) const HEAD_BYTES_MAX: usize = 16 * 1024;
/// Most header fields.
pub(crate) const FIELDS_MAX: usize = 100;

/// Why a message is refused: the status to answer with, its reason, and what is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) status: u16,
    pub(crate) reason: &'static str,
    pub(crate) why: &'static str,
}

/// A request that nobody could be sure to understand as we do.
pub(crate) const fn bad(why: &'static str) -> Refusal {
    Refusal { status: 400, reason: "Bad Request", why }
}

pub(crate) const TOO_LARGE: Refusal =
    Refusal { status: 431, reason: "Request Header Fields Too Large", why: "the head is too long" };
pub(crate) const TOO_SLOW: Refusal =
    Refusal { status: 408, reason: "Request Timeout", why: "the request did not come in time" };
pub(crate) const NOT_IMPLEMENTED: Refusal =
    Refusal { status: 501, reason: "Not Implemented", why: "this is not served here" };
pub(crate) const VERSION: Refusal =
    Refusal { status: 505, reason: "HTTP Version Not Supported", why: "HTTP/1.1 is spoken here" };
pub(crate) const EXPECTATION: Refusal =
    Refusal { status: 417, reason: "Expectation Failed", why: "only 100-continue can be expected" };
pub(crate) const NO_UPSTREAM: Refusal =
    Refusal { status: 502, reason: "Bad Gateway", why: "no upstream could be reached" };
pub(crate) const BROKEN: Refusal =
    Refusal { status: 502, reason: "Bad Gateway", why: "the upstream broke off" };
pub(crate) const NONSENSE: Refusal =
    Refusal { status: 502, reason: "Bad Gateway", why: "the upstream answered in no way that HTTP knows" };
pub(crate) const NO_ANSWER: Refusal =
    Refusal { status: 504, reason: "Gateway Timeout", why: "the upstream did not answer in time" };

impl Refusal {
    /// The answer, after which the connection is closed.
    pub(crate) fn answer(&self) -> Vec<u8> {
        let Self { status, reason, why } = self;
        let length = why.len() + 1;
        format!(
            "HTTP/1.1 {status} {reason}\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{why}\n"
        )
        .into_bytes()
    }
}
