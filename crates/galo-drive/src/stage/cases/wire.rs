//! A request of a case as bytes.

use std::net::SocketAddr;

use galo_plan::conformance::{CaseRequest, Filling, Form};

/// Bytes in a chunk of a chunked body.
const CHUNK: usize = 16;

/// A request as it is sent.
pub(super) struct Wire {
    pub(super) bytes: Vec<u8>,
    /// Where the body begins.
    pub(super) body_at: usize,
    pub(super) is_head: bool,
}

/// Writes a request; `None` where it names what no answer gave.
pub(super) fn write(request: &CaseRequest, filling: Filling<'_>, host: SocketAddr) -> Option<Wire> {
    let version = if request.form == Form::Http10 { "1.0" } else { "1.1" };
    let target = filling.content(&request.target)?.bytes();
    let mut bytes = format!("{} ", request.method).into_bytes();
    bytes.extend_from_slice(&target);
    bytes.extend_from_slice(format!(" HTTP/{version}\r\nHost: {host}\r\nUser-Agent: galo\r\n").as_bytes());
    for (name, value) in &request.headers {
        bytes.extend_from_slice(format!("{name}: ").as_bytes());
        bytes.extend_from_slice(&filling.content(value)?.bytes());
        bytes.extend_from_slice(b"\r\n");
    }
    let body = match &request.body {
        Some(body) => Some(filling.content(body)?.bytes()),
        None => None,
    };
    bytes.extend_from_slice(framing(request, body.as_deref()).as_bytes());
    bytes.extend_from_slice(b"\r\n");
    let body_at = bytes.len();
    match (body.unwrap_or_default(), request.form) {
        (body, Form::Chunked) => write_chunks(&body, &mut bytes),
        (body, Form::Cut(length)) => bytes.extend(body.into_iter().take(length)),
        (body, _) => bytes.extend(body),
    }
    Some(Wire { bytes, body_at, is_head: request.method == "HEAD" })
}

fn framing(request: &CaseRequest, body: Option<&[u8]>) -> String {
    let Some(body) = body else { return String::new() };
    let waits = if request.form == Form::Continue { "Expect: 100-continue\r\n" } else { "" };
    match request.form {
        Form::Chunked => "Transfer-Encoding: chunked\r\n".to_owned(),
        _ => format!("{waits}Content-Length: {}\r\n", body.len()),
    }
}

fn write_chunks(body: &[u8], out: &mut Vec<u8>) {
    for chunk in body.chunks(CHUNK) {
        out.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        out.extend_from_slice(chunk);
        out.extend_from_slice(b"\r\n");
    }
    out.extend_from_slice(b"0\r\n\r\n");
}

#[cfg(test)]
mod tests {
    use galo_plan::conformance::Content;

    use super::*;

    fn written(change: impl FnOnce(&mut CaseRequest)) -> String {
        let mut request = CaseRequest::new("POST", "/x?{mark}");
        request.headers = vec![("X-A".to_owned(), Content::from("{mark}"))];
        request.body = Some(Content::from("0123456789{mark}abcdefgh"));
        change(&mut request);
        let filling = Filling { mark: "a1", given: &[] };
        let wire = write(&request, filling, ([127, 0, 0, 1], 80).into()).unwrap();
        let text = String::from_utf8(wire.bytes).unwrap();
        assert!(text[..wire.body_at].ends_with("\r\n\r\n"));
        text.replace("\r\n", "|")
    }

    #[test]
    fn a_request_is_written_in_its_form() {
        let head = "Host: 127.0.0.1:80|User-Agent: galo|X-A: a1|";
        for (form, version, end) in [
            (Form::Plain, "1.1", "Content-Length: 20||0123456789a1abcdefgh"),
            (Form::Http10, "1.0", "Content-Length: 20||0123456789a1abcdefgh"),
            (Form::Continue, "1.1", "Expect: 100-continue|Content-Length: 20||0123456789a1abcdefgh"),
            (Form::Cut(3), "1.1", "Content-Length: 20||012"),
            (Form::Chunked, "1.1", "Transfer-Encoding: chunked||10|0123456789a1abcd|4|efgh|0||"),
        ] {
            assert_eq!(written(|r| r.form = form), format!("POST /x?a1 HTTP/{version}|{head}{end}"));
        }
        assert_eq!(written(|r| r.body = None), format!("POST /x?a1 HTTP/1.1|{head}|"));
    }

    #[test]
    fn what_names_something_not_given_is_not_written() {
        let request = CaseRequest::new("GET", "{0.location}");
        assert!(write(&request, Filling { mark: "", given: &[None] }, ([127, 0, 0, 1], 80).into()).is_none());
    }
}
