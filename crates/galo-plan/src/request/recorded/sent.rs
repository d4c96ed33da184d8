//! A request as it was sent, once it is known that galo can send it.

use base64::Engine as _;
use percent_encoding::percent_decode_str;

use super::Recorded;
use super::left_out::{Change, Left, Reason};
use crate::address::{self, Parts, Place, Scheme};
use crate::request::body::BASE64;
use crate::{http, secret, words};

/// Headers that belong to a connection or a sender, not to a request's meaning.
const OF_CONNECTION: &str = "
    host content-length connection keep-alive transfer-encoding te trailer upgrade expect
    http2-settings proxy-connection proxy-authorization
";

/// What the text of a recording has where bytes were lost.
pub(super) const LOST: char = '\u{fffd}';

/// Names and values.
pub(super) type Headers = Vec<(String, String)>;

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sent {
    pub(super) request: Recorded,
    /// How it differs from what was recorded.
    pub(super) changes: Vec<Change>,
}

impl Sent {
    /// Says why it cannot be sent, else what is.
    pub(super) fn new(
        method: &str,
        address: Address,
        headers: Headers,
        body: Option<Vec<u8>>,
    ) -> Result<Self, Left> {
        let has_small = method.bytes().any(|b| b.is_ascii_lowercase());
        if !http::is_token(method) || has_small || method == "CONNECT" {
            return Err(Left::new(Reason::Method, method));
        }
        let mut changes = Vec::new();
        if address.is_encoded {
            changes.push(Change::Encoded);
        }
        let mut kept = Headers::with_capacity(headers.len());
        for (name, value) in headers {
            let value = value.trim_matches([' ', '\t']);
            let lower = name.to_ascii_lowercase();
            if lower == "upgrade" && value.eq_ignore_ascii_case("websocket") {
                return Err(Left::new(Reason::NotHttp, "Upgrade: websocket"));
            }
            // Headers of HTTP/2 that begin with a colon repeat the address.
            if name.starts_with(':') || words::has(OF_CONNECTION, &lower) {
                continue;
            }
            if !http::is_token(&name) || http::check_header_value(value).is_err() {
                return Err(Left::new(Reason::Header, name));
            }
            if value.contains(LOST) {
                return Err(Left::new(Reason::NotWhole, name));
            }
            match lower.as_str() {
                "accept-encoding" => changes.push(Change::NotPacked),
                _ => kept.push((name, value.to_owned())),
            }
        }
        changes.dedup();
        let Address { host, target, .. } = address;
        let body = body.filter(|body| !body.is_empty());
        let request = Recorded { host, method: method.to_owned(), target, headers: kept, body, weight: 1 };
        Ok(Self { request, changes })
    }
}

/// An address, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) host: Option<String>,
    /// What stands before an `@`, as it is written.
    pub(super) user: Option<String>,
    /// Path and query as they can be sent, without a fragment.
    pub(super) target: String,
    /// Whether letters beyond ASCII were percent-encoded.
    pub(super) is_encoded: bool,
}

impl Address {
    /// A whole address, one without a scheme (`localhost:3000/path`, as curl takes it), or path and query alone.
    pub(super) fn parse(text: &str) -> Result<Self, Left> {
        if text.starts_with('/') {
            return Self::at(None, None, text);
        }
        let left = |reason| Left::new(reason, secret::in_address(text));
        let Parts { scheme, user, place, target } = Parts::split(text);
        if scheme == Scheme::Other || is_other_scheme(text) {
            return Err(left(Reason::NotHttp));
        }
        let place = Place::parse(place).map_err(|_| left(Reason::Target))?;
        Self::at(Some(place.authority(scheme).to_ascii_lowercase()), user.map(str::to_owned), target)
    }

    /// Path and query of a host that may be known.
    pub(super) fn at(host: Option<String>, user: Option<String>, target: &str) -> Result<Self, Left> {
        let target = target.split('#').next().unwrap_or_default();
        let path = address::path(target);
        if target.contains(LOST) || http::check_target(&path).is_err() {
            return Err(Left::new(Reason::Target, secret::in_address(target)));
        }
        Ok(Self { host, user, is_encoded: !target.is_ascii(), target: path })
    }

    /// The header that says who asks, where the address does.
    pub(super) fn authorization(&self) -> Option<(String, String)> {
        let user = self.user.as_deref()?;
        let plain: Vec<u8> = percent_decode_str(user).collect();
        Some(basic(if user.contains(':') { plain } else { [plain, b":".to_vec()].concat() }))
    }
}

/// `Authorization: Basic` of a name and a password.
pub(super) fn basic(user: Vec<u8>) -> (String, String) {
    ("Authorization".to_owned(), format!("Basic {}", BASE64.encode(user)))
}

/// `data:...`, `about:blank`: a scheme without slashes behind it, and no host with a port.
fn is_other_scheme(text: &str) -> bool {
    let start = &text[..text.find(['/', '?', '#']).unwrap_or(text.len())];
    let is_of_scheme = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    start.split_once(':').is_some_and(|(scheme, rest)| {
        let is_scheme =
            scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(is_of_scheme);
        let is_port = !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit());
        is_scheme && !is_port && !start.contains('@') && !text[start.len()..].starts_with("//")
    })
}

/// The value of a header, by its name in small letters.
pub(super) fn header<'a>(headers: &'a Headers, lower: &str) -> Option<&'a str> {
    headers.iter().find(|(name, _)| name.eq_ignore_ascii_case(lower)).map(|(_, value)| value.as_str())
}
