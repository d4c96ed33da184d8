//! The head of a request: what it asks for, and where it ends.

use std::mem::MaybeUninit;
use std::ops::Range;

use httparse::{Error, Header};

use super::{Method, Status};

/// The longest head; beyond it 431.
pub(crate) const HEAD_BYTES_MAX: usize = 16 * 1024;

/// Most headers of a request; beyond it 431.
const HEADERS_MAX: usize = 64;

/// What has to be known of a head once its bytes may move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) method: Method,
    /// Where in the head the target stands.
    pub(crate) target: Range<usize>,
    /// Bytes up to and with the empty line.
    pub(crate) bytes: usize,
    pub(crate) framing: Framing,
    pub(crate) connection: Connection,
    /// The client waits for leave to send its body.
    pub(crate) expects_continue: bool,
}

/// How the end of a body is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// By its number of bytes; 0 where nothing is said.
    Length(usize),
    /// Each chunk says its own.
    Chunked,
}

/// What becomes of the connection after the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Connection {
    /// Kept, as HTTP/1.1 has it.
    Kept,
    /// Kept, which a client of HTTP/1.0 has to be told.
    KeptForOld,
    /// Closed.
    Close,
}

/// Reads a head from the beginning of `bytes`; `None` while it has not ended.
///
/// # Errors
/// With the status of the refusal; where the next request would begin is not known then.
pub(crate) fn parse(bytes: &[u8]) -> Result<Option<Head>, Status> {
    let mut headers = [const { MaybeUninit::uninit() }; HEADERS_MAX];
    let mut request = httparse::Request::new(&mut []);
    let end = match request.parse_with_uninit_headers(bytes, &mut headers) {
        Ok(httparse::Status::Complete(end)) if end <= HEAD_BYTES_MAX => end,
        Ok(httparse::Status::Partial) if bytes.len() < HEAD_BYTES_MAX => return Ok(None),
        Ok(_) | Err(Error::TooManyHeaders) => return Err(Status::HeadTooLarge),
        Err(Error::Version) => return Err(Status::VersionNotSupported),
        Err(_) => return Err(Status::BadRequest),
    };
    let (Some(method), Some(target), Some(version)) = (request.method, request.path, request.version) else {
        return Err(Status::BadRequest);
    };
    let fields = Fields::read(request.headers)?;
    // Whoever reads a host from it must find one (RFC 9112, section 3.2).
    if version == 1 && fields.hosts != 1 {
        return Err(Status::BadRequest);
    }
    let begin = target.as_ptr().addr() - bytes.as_ptr().addr();
    Ok(Some(Head {
        method: Method::from(method),
        target: begin..begin + target.len(),
        bytes: end,
        framing: fields.framing(version)?,
        connection: match version {
            _ if fields.close => Connection::Close,
            1 => Connection::Kept,
            _ if fields.keep_alive => Connection::KeptForOld,
            _ => Connection::Close,
        },
        expects_continue: version == 1 && fields.expects_continue,
    }))
}

/// The headers that decide about the connection.
#[derive(Default)]
struct Fields {
    hosts: u32,
    length: Option<usize>,
    chunked: bool,
    close: bool,
    keep_alive: bool,
    expects_continue: bool,
}

impl Fields {
    fn read(headers: &[Header<'_>]) -> Result<Self, Status> {
        let mut fields = Self::default();
        for Header { name, value } in headers {
            // By the length first: most names are of no interest here.
            match name.len() {
                4 if name.eq_ignore_ascii_case("host") => fields.hosts += 1,
                6 if name.eq_ignore_ascii_case("expect") => {
                    fields.expects_continue |= value.eq_ignore_ascii_case(b"100-continue");
                }
                10 if name.eq_ignore_ascii_case("connection") => fields.read_connection(value),
                14 if name.eq_ignore_ascii_case("content-length") => fields.read_length(value)?,
                17 if name.eq_ignore_ascii_case("transfer-encoding") => fields.read_encoding(value)?,
                _ => {}
            }
        }
        Ok(fields)
    }

    fn read_connection(&mut self, value: &[u8]) {
        for option in value.split(|&byte| byte == b',').map(<[u8]>::trim_ascii) {
            self.close |= option.eq_ignore_ascii_case(b"close");
            self.keep_alive |= option.eq_ignore_ascii_case(b"keep-alive");
        }
    }

    fn read_length(&mut self, value: &[u8]) -> Result<(), Status> {
        let digits =
            std::str::from_utf8(value).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
        match digits {
            // A second length, be it the same, is the mark of somebody who wants two servers to disagree.
            Some(digits) if !digits.is_empty() && self.length.is_none() => {
                // What no number holds is too long in any case.
                self.length = Some(digits.parse().unwrap_or(usize::MAX));
                Ok(())
            }
            _ => Err(Status::BadRequest),
        }
    }

    fn read_encoding(&mut self, value: &[u8]) -> Result<(), Status> {
        if self.chunked {
            return Err(Status::BadRequest);
        }
        self.chunked = value.eq_ignore_ascii_case(b"chunked");
        if self.chunked { Ok(()) } else { Err(Status::NotImplemented) }
    }

    /// Two ways to tell the end, or chunks in a version that has none: refused, since another server on the way may
    /// have seen another end (RFC 9112, section 6.1).
    fn framing(&self, version: u8) -> Result<Framing, Status> {
        match (self.chunked, self.length) {
            (false, length) => Ok(Framing::Length(length.unwrap_or(0))),
            (true, None) if version == 1 => Ok(Framing::Chunked),
            (true, _) => Err(Status::BadRequest),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Connection, Framing, HEAD_BYTES_MAX, Head, Method, Status, parse};

    fn read(head: &str) -> Head {
        parse(head.as_bytes()).unwrap().unwrap()
    }

    fn refused(head: &str) -> Status {
        parse(head.as_bytes()).unwrap_err()
    }

    #[test]
    fn a_head_says_what_is_asked_and_where_it_ends() {
        let text = "\r\nPOST /pessoas?a=b HTTP/1.1\r\nHost: x\r\nCONTENT-length: 12\r\nExpect: 100-Continue\r\n\r\nbody";
        let head = read(text);
        assert_eq!(&text[head.target.clone()], "/pessoas?a=b");
        assert_eq!(&text[head.bytes..], "body");
        assert_eq!((head.method, head.framing), (Method::Post, Framing::Length(12)));
        assert_eq!((head.connection, head.expects_continue), (Connection::Kept, true));
    }

    #[test]
    fn a_head_is_asked_for_more_until_its_last_byte() {
        let text = "GET /pessoas?t=a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
        for cut in 0..text.len() {
            assert_eq!(parse(&text.as_bytes()[..cut]), Ok(None), "{cut}");
        }
        assert_eq!(read(text).framing, Framing::Chunked);
    }

    #[test]
    fn what_becomes_of_the_connection_depends_on_version_and_options() {
        for (version, options, want) in [
            ("1.1", "", Connection::Kept),
            ("1.1", "Connection: keep-alive\r\n", Connection::Kept),
            ("1.1", "Connection: x, CLOSE\r\n", Connection::Close),
            ("1.1", "Connection: keep-alive\r\nConnection: close\r\n", Connection::Close),
            ("1.0", "", Connection::Close),
            ("1.0", "Connection: Keep-Alive\r\n", Connection::KeptForOld),
        ] {
            let head = format!("GET / HTTP/{version}\r\nHost: x\r\n{options}\r\n");
            assert_eq!(read(&head).connection, want, "{head}");
        }
    }

    #[test]
    fn a_body_that_two_servers_could_end_differently_is_refused() {
        for fields in [
            "Content-Length: 1\r\nContent-Length: 1\r\n",
            "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
            "Content-Length: 1, 1\r\n",
            "Content-Length: +1\r\n",
            "Content-Length: -1\r\n",
            "Content-Length: 0x1\r\n",
            "Content-Length:\r\n",
            "Content-Length : 1\r\n",
        ] {
            assert_eq!(
                refused(&format!("POST / HTTP/1.1\r\nHost: x\r\n{fields}\r\n")),
                Status::BadRequest,
                "{fields}"
            );
        }
        let old = "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n";
        assert_eq!(refused(old), Status::BadRequest);
    }

    #[test]
    fn refusals_say_why() {
        let many = "a: b\r\n".repeat(65);
        let long = format!("a: {}", "b".repeat(HEAD_BYTES_MAX));
        for (head, want) in [
            ("GET / HTTP/1.1\r\n\r\n", Status::BadRequest),
            ("GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n", Status::BadRequest),
            ("\x16\x03\x01\x02\x00", Status::BadRequest),
            ("GET / HTTP/2.0\r\n", Status::VersionNotSupported),
            (
                "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
                Status::NotImplemented,
            ),
            (&format!("GET / HTTP/1.1\r\nHost: x\r\n{many}\r\n"), Status::HeadTooLarge),
            (&format!("GET / HTTP/1.1\r\nHost: x\r\n{long}"), Status::HeadTooLarge),
            (&format!("GET / HTTP/1.1\r\nHost: x\r\n{long}\r\n\r\n"), Status::HeadTooLarge),
        ] {
            assert_eq!(refused(head), want, "{}", &head[..head.len().min(80)]);
        }
        let huge = format!("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n", "9".repeat(30));
        assert_eq!(read(&huge).framing, Framing::Length(usize::MAX));
    }

    proptest! {
        #[test]
        fn whatever_comes_is_read_or_refused_within_its_bounds(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(Some(head)) = parse(&bytes) {
                prop_assert!(head.bytes <= bytes.len() && head.target.end <= head.bytes);
            }
        }

        #[test]
        fn a_head_is_read_the_same_whatever_follows(after in prop::collection::vec(any::<u8>(), 0..50)) {
            let head = b"GET /a?b HTTP/1.1\r\nHost: x\r\n\r\n";
            prop_assert_eq!(parse(&[&head[..], &after[..]].concat()), parse(head));
        }
    }
}
