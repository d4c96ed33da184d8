//! Header fields: which concern one connection only, and which say where a message ends.

use httparse::Header;

use super::Refusal;
use super::body::Framing;

/// What the fields of a message say of the connection and of the body.
#[derive(Debug, Default)]
pub(crate) struct Fields<'a> {
    pub(crate) host: Option<&'a [u8]>,
    pub(crate) hosts: u32,
    pub(crate) close: bool,
    pub(crate) keep_alive: bool,
    /// Something is expected; `100-continue` alone is known.
    pub(crate) expects: Option<&'a [u8]>,
    length: Option<u64>,
    chunked: bool,
    /// What `Connection` names besides, in small letters; rare.
    named: Vec<String>,
}

/// Ends with this connection (RFC 9110, section 7.6.1, and old ones), or is written anew. (Answers have no `Host`.)
fn is_ours(name: &str) -> bool {
    const OURS: [&str; 12] = [
        "te",
        "host",
        "expect",
        "trailer",
        "upgrade",
        "connection",
        "keep-alive",
        "content-length",
        "http2-settings",
        "proxy-connection",
        "transfer-encoding",
        "proxy-authorization",
    ];
    // By the length first: most names are of no interest here.
    matches!(name.len(), 2 | 4 | 6 | 7 | 10 | 14 | 16 | 17 | 19)
        && OURS.iter().any(|ours| name.eq_ignore_ascii_case(ours))
}

impl<'a> Fields<'a> {
    /// # Errors
    /// Where two readers could come to different ends of the message.
    pub(crate) fn read(headers: &[Header<'a>], refuse: fn(&'static str) -> Refusal) -> Result<Self, Refusal> {
        let mut fields = Self::default();
        for &Header { name, value } in headers {
            match name.len() {
                4 if name.eq_ignore_ascii_case("host") => {
                    fields.hosts += 1;
                    fields.host = Some(value);
                }
                6 if name.eq_ignore_ascii_case("expect") => fields.expects = Some(value),
                10 if name.eq_ignore_ascii_case("connection") => fields.read_connection(value, refuse)?,
                14 if name.eq_ignore_ascii_case("content-length") => fields.read_length(value, refuse)?,
                17 if name.eq_ignore_ascii_case("transfer-encoding") => {
                    fields.read_encoding(value, refuse)?;
                }
                // Some take these for the same names.
                14 if name.eq_ignore_ascii_case("content_length") => {
                    return Err(refuse("a name with an underscore"));
                }
                17 if name.eq_ignore_ascii_case("transfer_encoding") => {
                    return Err(refuse("a name with an underscore"));
                }
                _ => {}
            }
        }
        Ok(fields)
    }

    fn read_connection(&mut self, value: &[u8], refuse: fn(&'static str) -> Refusal) -> Result<(), Refusal> {
        for option in value.split(|&byte| byte == b',').map(<[u8]>::trim_ascii) {
            if option.eq_ignore_ascii_case(b"close") {
                self.close = true;
            } else if option.eq_ignore_ascii_case(b"keep-alive") {
                self.keep_alive = true;
            } else if !option.is_empty() {
                let name = String::from_utf8_lossy(option).to_ascii_lowercase();
                // Without these the message would mean something else.
                if ["host", "content-length", "transfer-encoding", "authorization", "cookie"]
                    .contains(&name.as_str())
                {
                    return Err(refuse("`Connection` names a field that has to be passed on"));
                }
                self.named.push(name);
            }
        }
        Ok(())
    }

    fn read_length(&mut self, value: &[u8], refuse: fn(&'static str) -> Refusal) -> Result<(), Refusal> {
        let digits = std::str::from_utf8(value)
            .ok()
            .filter(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()));
        let Some(length) = digits.and_then(|digits| digits.parse().ok()) else {
            return Err(refuse("a length that is none"));
        };
        if self.length.replace(length).is_some() {
            // Be it the same: it is the mark of somebody who wants two servers to disagree.
            return Err(refuse("two lengths"));
        }
        Ok(())
    }

    fn read_encoding(&mut self, value: &[u8], refuse: fn(&'static str) -> Refusal) -> Result<(), Refusal> {
        if std::mem::replace(&mut self.chunked, true) || !value.eq_ignore_ascii_case(b"chunked") {
            return Err(refuse("an encoding other than chunked"));
        }
        Ok(())
    }

    /// How the end of the body is told; nothing is said where there is `None`.
    ///
    /// # Errors
    /// Where it is told twice, or by an old version in a new way (RFC 9112, section 6.1).
    pub(crate) fn framing(
        &self,
        version: u8,
        refuse: fn(&'static str) -> Refusal,
    ) -> Result<Option<Framing>, Refusal> {
        match (self.chunked, self.length) {
            (false, length) => Ok(length.map(Framing::Length)),
            (true, None) if version == 1 => Ok(Some(Framing::Chunked)),
            (true, Some(_)) => Err(refuse("a length and an encoding")),
            (true, None) => Err(refuse("chunks in a message of HTTP/1.0")),
        }
    }

    /// Writes the fields that are for whoever comes next, and says how many they are.
    pub(crate) fn write(&self, headers: &[Header<'_>], out: &mut Vec<u8>) -> usize {
        let mut written = 0;
        for Header { name, value } in headers {
            if is_ours(name) || self.named.iter().any(|named| name.eq_ignore_ascii_case(named)) {
                continue;
            }
            out.extend_from_slice(name.as_bytes());
            out.extend_from_slice(b": ");
            out.extend_from_slice(value);
            out.extend_from_slice(b"\r\n");
            written += 1;
        }
        written
    }
}

/// Whether each line ends with both bytes: some readers take one of them for an end, and others do not.
pub(crate) fn ends_lines_properly(head: &[u8]) -> bool {
    let feeds = memchr::memchr_iter(b'\n', head).all(|at| at > 0 && head[at - 1] == b'\r');
    feeds && memchr::memchr_iter(b'\r', head).all(|at| head.get(at + 1) == Some(&b'\n'))
}
