//! The head of an answer.

use std::io::Write;
use std::mem::MaybeUninit;

use super::body::Framing;
use super::fields::{Fields, ends_lines_properly};
use super::{FIELDS_MAX, HEAD_BYTES_MAX, NONSENSE, Refusal};

/// Most that [`finish`] adds: how a body comes, whether the connection stays, and the empty line.
const FINISH_FIELDS: usize = 2;
const FINISH_BYTES: usize = "Transfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n".len();

/// What has to be known of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Response {
    /// Bytes up to and with the empty line.
    pub(crate) end: usize,
    pub(crate) framing: Framing,
    /// The upstream takes no more requests on this connection.
    pub(crate) close: bool,
    /// Another head follows: this one is not for the client.
    pub(crate) is_interim: bool,
    /// The head for the client, but for [`finish`].
    pub(crate) out: Vec<u8>,
}

/// Reads a head; nothing while it has not ended.
///
/// # Errors
/// Where it is none, or two readers could understand it differently.
pub(crate) fn parse(bytes: &[u8], to_head: bool) -> Result<Option<Response>, Refusal> {
    let mut headers = [const { MaybeUninit::uninit() }; FIELDS_MAX];
    let mut response = httparse::Response::new(&mut []);
    let parsed = httparse::ParserConfig::default().parse_response_with_uninit_headers(
        &mut response,
        bytes,
        &mut headers,
    );
    let end = match parsed {
        Ok(httparse::Status::Complete(end)) if end <= HEAD_BYTES_MAX => end,
        Ok(httparse::Status::Partial) if bytes.len() < HEAD_BYTES_MAX => return Ok(None),
        _ => return Err(NONSENSE),
    };
    let (Some(code), Some(reason), Some(version)) = (response.code, response.reason, response.version) else {
        return Err(NONSENSE);
    };
    // Nothing was asked for that another protocol could follow.
    if !ends_lines_properly(&bytes[..end]) || !(100..=999).contains(&code) || code == 101 {
        return Err(NONSENSE);
    }
    let fields = Fields::read(response.headers, |_| NONSENSE)?;
    let told = fields.framing(version, |_| NONSENSE)?;
    let is_interim = code < 200;
    let is_empty = to_head || is_interim || code == 204 || code == 304;
    let framing = if is_empty { Framing::Length(0) } else { told.unwrap_or(Framing::UntilClose) };
    let mut out = Vec::with_capacity(end + 64);
    // Writing to memory cannot fail.
    let _ = write!(out, "HTTP/1.1 {code} {reason}\r\n");
    let mut written = fields.write(response.headers, &mut out);
    // What a body would be that is not sent may be told (RFC 9110, section 8.6), but not here.
    let is_told = |told| if is_empty { code != 204 && !is_interim } else { told != Framing::Chunked };
    if let Some(told) = told.filter(|told| is_told(*told)) {
        told.write(&mut out);
        written += 1;
    }
    if written + FINISH_FIELDS > FIELDS_MAX || out.len() + FINISH_BYTES > HEAD_BYTES_MAX {
        return Err(NONSENSE);
    }
    Ok(Some(Response {
        end,
        framing,
        close: fields.close || version == 0 && !fields.keep_alive || framing == Framing::UntilClose,
        is_interim,
        out,
    }))
}

/// How a body of this framing goes to a client, whose connection is then closed or not: the last fields of the head.
pub(crate) fn finish(out: &mut Vec<u8>, framing: Framing, is_old: bool, close: bool) -> Framing {
    let to_client = framing.for_client(is_old);
    if to_client == Framing::Chunked {
        to_client.write(out);
    }
    if close {
        out.extend_from_slice(b"Connection: close\r\n");
    } else if is_old {
        out.extend_from_slice(b"Connection: keep-alive\r\n");
    }
    out.extend_from_slice(b"\r\n");
    to_client
}
