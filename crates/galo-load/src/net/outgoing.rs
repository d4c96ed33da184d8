//! A request on its way out: as the text of HTTP/1.1, which HTTP/2 takes apart again.

use crate::h2::Field;

/// A request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Outgoing<'a> {
    pub(crate) method: &'a str,
    /// By HTTP/1.1, whole.
    pub(crate) text: &'a [u8],
    /// What is known of each of its header lines, in their order; the first is `Host`.
    pub(crate) names: &'a [HeaderName],
    /// Whether all requests like it have the same target.
    pub(crate) target_is_constant: bool,
}

/// What is known of a header line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HeaderName {
    /// Its name in lower case.
    lower: String,
    is_constant: bool,
}

impl HeaderName {
    pub(crate) fn new(name: &str, is_constant: bool) -> Self {
        Self { lower: name.to_ascii_lowercase(), is_constant }
    }

    /// Whether HTTP/2 has it: RFC 9113, section 8.2.2.
    fn is_of_connection(&self) -> bool {
        matches!(
            self.lower.as_str(),
            "connection" | "keep-alive" | "proxy-connection" | "transfer-encoding" | "upgrade" | "host"
        )
    }
}

/// A request in its parts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parts<'a> {
    pub(super) path: &'a [u8],
    pub(super) authority: &'a [u8],
    /// The header lines after `Host`.
    lines: &'a [u8],
    names: &'a [HeaderName],
    pub(super) body: &'a [u8],
}

impl<'a> Outgoing<'a> {
    /// Takes it apart. It was written by galo itself, so it has all parts.
    pub(super) fn parts(&self) -> Parts<'a> {
        let (start, rest) = line(self.text);
        let (host, _) = line(rest);
        let path = start.split(|&b| b == b' ').nth(1).unwrap_or_default();
        let end = memchr::memmem::find(self.text, b"\r\n\r\n").unwrap_or(self.text.len());
        let body = self.text.get(end + 4..).unwrap_or_default();
        let lines_start = (start.len() + 2 + host.len() + 2).min(end + 2);
        let lines = self.text.get(lines_start..end + 2).unwrap_or_default();
        let names = self.names.get(1..).unwrap_or_default();
        Parts { path, authority: host.get(6..).unwrap_or_default(), lines, names, body }
    }
}

impl<'a> Parts<'a> {
    /// The headers that HTTP/2 has too.
    pub(super) fn fields(&self) -> impl Iterator<Item = Field<'a>> + use<'a> {
        let mut rest = self.lines;
        // The last line may be left out.
        self.names.iter().filter_map(move |name| {
            if rest.is_empty() {
                return None;
            }
            let (first, others) = line(rest);
            rest = others;
            let value = first.get(name.lower.len() + 2..).unwrap_or_default();
            let field = Field { name: name.lower.as_bytes(), value, constant: name.is_constant };
            (!name.is_of_connection()).then_some(field)
        })
    }
}

fn line(text: &[u8]) -> (&[u8], &[u8]) {
    match memchr::memmem::find(text, b"\r\n") {
        Some(end) => (&text[..end], &text[end + 2..]),
        None => (text, &[]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_taken_apart_and_what_http_2_has_not_is_left_out() {
        let names = ["Host", "User-Agent", "Connection", "X-Empty", "Content-Length"];
        let names = names.map(|name| HeaderName::new(name, name != "X-Empty"));
        let text =
            b"POST /a?b=c HTTP/1.1\r\nHost: h:1\r\nUser-Agent: galo\r\nConnection: close\r\nX-Empty: \r\n\
                     Content-Length: 4\r\n\r\n\r\n\r\n";
        let outgoing = Outgoing { method: "POST", text, names: &names, target_is_constant: true };
        let parts = outgoing.parts();
        assert_eq!(
            (parts.path, parts.authority, parts.body),
            (&b"/a?b=c"[..], &b"h:1"[..], &b"\r\n\r\n"[..])
        );
        let fields: Vec<_> = parts.fields().map(|f| (f.name, f.value, f.constant)).collect();
        let expected: [(&[u8], &[u8], bool); 3] =
            [(b"user-agent", b"galo", true), (b"x-empty", b"", false), (b"content-length", b"4", true)];
        assert_eq!(fields, expected);
    }

    #[test]
    fn a_request_with_host_alone_has_no_fields() {
        let names = [HeaderName::new("Host", true)];
        let text = b"GET / HTTP/1.1\r\nHost: h\r\n\r\n";
        let parts = Outgoing { method: "GET", text, names: &names, target_is_constant: true }.parts();
        assert_eq!((parts.fields().count(), parts.body, parts.authority), (0, &b""[..], &b"h"[..]));
    }
}
