//! What a request line and a header line can hold.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};

/// Headers that belong to the engine, since they follow from the connection and the body.
const ENGINE_HEADERS: [&str; 4] = ["host", "content-length", "transfer-encoding", "connection"];

/// All but the unreserved characters of RFC 3986, section 2.3.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
const BEYOND_ASCII: &AsciiSet = &AsciiSet::EMPTY;

/// Text in which all but unreserved characters are percent-encoded.
pub fn escaped(bytes: &[u8]) -> String {
    percent_encode(bytes, RESERVED).to_string()
}

/// Text in which bytes beyond ASCII are percent-encoded. What is encoded already stays as it is.
pub(crate) fn encoded(bytes: &[u8]) -> String {
    percent_encode(bytes, BEYOND_ASCII).to_string()
}

/// Whether it is a token (RFC 9110, section 5.6.2): what a method or a header's name consists of.
pub fn is_token(text: &str) -> bool {
    let token = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    !text.is_empty() && text.bytes().all(token)
}

/// Says why a header cannot be sent with this name.
pub(crate) fn check_header_name(name: &str) -> Result<(), String> {
    if !is_token(name) {
        return Err(format!("`{name}` is not a header name"));
    }
    if ENGINE_HEADERS.iter().any(|own| own.eq_ignore_ascii_case(name)) {
        return Err(format!("the header `{name}` is set by the load engine"));
    }
    Ok(())
}

/// Says why a header cannot have this value.
pub(crate) fn check_header_value(value: &str) -> Result<(), String> {
    if value.chars().any(char::is_control) {
        return Err("a header's value may not hold control characters".to_owned());
    }
    Ok(())
}

/// Says why a request cannot ask for this path and query.
pub(crate) fn check_target(text: &str) -> Result<(), String> {
    if text.starts_with('/') && is_graphic(text) {
        return Ok(());
    }
    Err(format!("`{text}` is not a path; it must begin with `/` and hold no spaces (write `%20` for one)"))
}

/// Says why a request cannot ask for this, which begins with an address that is not known yet.
pub(crate) fn check_given_target(text: &str) -> Result<(), String> {
    match is_graphic(text) {
        true => Ok(()),
        false => Err(format!("`{text}` is not a target; it must hold no spaces (write `%20` for one)")),
    }
}

fn is_graphic(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Says why a number is not the status of a whole answer.
pub(crate) fn check_any_status(status: u16) -> Result<(), String> {
    match status {
        200..=599 => Ok(()),
        _ => Err(format!("status {status} is not the status of a whole answer; write one from 200 to 599")),
    }
}

/// Says why an answer's status cannot be one that is expected.
pub(crate) fn check_status(status: u16) -> Result<(), String> {
    let message = match status {
        200..=499 => return Ok(()),
        500..=599 => "cannot be right, since every 5xx counts as failed",
        _ => "is not the status of a whole answer; write one from 200 to 499",
    };
    Err(format!("status {status} {message}"))
}
