//! Requests and answers as handlers see them.

use uuid::Uuid;

/// What a request wants done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// `GET`.
    Get,
    /// `HEAD`: answered as `GET`, without the body.
    Head,
    /// `POST`.
    Post,
    /// Any other.
    Other,
}

impl Method {
    /// Whether it asks for something and changes nothing.
    pub fn reads(self) -> bool {
        matches!(self, Self::Get | Self::Head)
    }
}

impl From<&str> for Method {
    fn from(name: &str) -> Self {
        match name {
            "GET" => Self::Get,
            "HEAD" => Self::Head,
            "POST" => Self::Post,
            _ => Self::Other,
        }
    }
}

/// A whole request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request<'a> {
    /// Its method.
    pub method: Method,
    /// As sent, without the query.
    pub path: &'a str,
    /// What follows the first `?`, still encoded; empty where there is none.
    pub query: &'a str,
    /// All of it.
    pub body: &'a [u8],
}

impl<'a> Request<'a> {
    /// A request for `target`, which is a path with a query, or a whole address (RFC 9112, section 3.2.2).
    pub fn new(method: Method, target: &'a str, body: &'a [u8]) -> Self {
        let target = match target.strip_prefix("http://") {
            Some(address) => address.find('/').map_or("/", |path| &address[path..]),
            None => target,
        };
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        Self { method, path, query, body }
    }
}

/// The status of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// 200.
    Ok,
    /// 201.
    Created,
    /// 400.
    BadRequest,
    /// 404.
    NotFound,
    /// 405.
    MethodNotAllowed,
    /// 413.
    ContentTooLarge,
    /// 422.
    UnprocessableContent,
    /// 431.
    HeadTooLarge,
    /// 500.
    InternalServerError,
    /// 501.
    NotImplemented,
    /// 503.
    ServiceUnavailable,
    /// 504.
    GatewayTimeout,
    /// 505.
    VersionNotSupported,
}

impl Status {
    /// Code and reason, as in the first line of an answer.
    pub fn text(self) -> &'static str {
        match self {
            Self::Ok => "200 OK",
            Self::Created => "201 Created",
            Self::BadRequest => "400 Bad Request",
            Self::NotFound => "404 Not Found",
            Self::MethodNotAllowed => "405 Method Not Allowed",
            Self::ContentTooLarge => "413 Content Too Large",
            Self::UnprocessableContent => "422 Unprocessable Content",
            Self::HeadTooLarge => "431 Request Header Fields Too Large",
            Self::InternalServerError => "500 Internal Server Error",
            Self::NotImplemented => "501 Not Implemented",
            Self::ServiceUnavailable => "503 Service Unavailable",
            Self::GatewayTimeout => "504 Gateway Timeout",
            Self::VersionNotSupported => "505 HTTP Version Not Supported",
        }
    }

    /// The first digit of the code, 1 to 5.
    pub fn class(self) -> usize {
        usize::from(self.text().as_bytes()[0] - b'0')
    }
}

/// The one header that an answer needs beside the length of its body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// `Content-Type`.
    ContentType(&'static str),
    /// `Location` of the person of this id.
    Location(Uuid),
    /// `Allow`: the methods that a path knows.
    Allow(&'static str),
    /// `Retry-After`, in seconds.
    RetryAfter(&'static str),
}

/// An answer but for its body, which a handler writes into memory that its connection keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// The status.
    pub status: Status,
    /// A header, where there is more to say.
    pub field: Option<Field>,
}

impl Answer {
    /// The answer to a request that there is no room for: later, and not elsewhere.
    pub const SHED: Self =
        Self { status: Status::ServiceUnavailable, field: Some(Field::RetryAfter(RETRY_AFTER_S)) };

    /// An answer with one more header.
    pub fn new(status: Status, field: Field) -> Self {
        Self { status, field: Some(field) }
    }

    /// Writes the head. `date` is the text of a date (RFC 9110, section 5.6.7), `connection` what becomes of the
    /// connection where that is not what the protocol's version says by itself.
    pub(crate) fn write_head(
        self,
        out: &mut Vec<u8>,
        date: &str,
        connection: Option<&'static str>,
        body_bytes: usize,
    ) {
        let mut put = |parts: &[&str]| parts.iter().for_each(|part| out.extend_from_slice(part.as_bytes()));
        put(&["HTTP/1.1 ", self.status.text(), "\r\ndate: ", date]);
        match self.field {
            Some(Field::ContentType(kind)) => put(&["\r\ncontent-type: ", kind]),
            Some(Field::Location(id)) => {
                let mut text = Uuid::encode_buffer();
                put(&["\r\nlocation: /pessoas/", id.hyphenated().encode_lower(&mut text)]);
            }
            Some(Field::Allow(methods)) => put(&["\r\nallow: ", methods]),
            Some(Field::RetryAfter(seconds)) => put(&["\r\nretry-after: ", seconds]),
            None => {}
        }
        if let Some(connection) = connection {
            put(&["\r\nconnection: ", connection]);
        }
        put(&["\r\ncontent-length: "]);
        write_decimal(out, body_bytes);
        out.extend_from_slice(b"\r\n\r\n");
    }
}

impl From<Status> for Answer {
    fn from(status: Status) -> Self {
        Self { status, field: None }
    }
}

/// The shortest time that the header can say; a database that restarts is back about then.
const RETRY_AFTER_S: &str = "1";

/// Writes a number without the machinery of formatting, which takes as long as the rest of the head.
fn write_decimal(out: &mut Vec<u8>, mut number: usize) {
    let begin = out.len();
    loop {
        // One digit: it fits.
        out.push(b'0' + (number % 10) as u8);
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out[begin..].reverse();
}

#[cfg(test)]
mod tests {
    use super::{Answer, Field, Method, Request, Status, write_decimal};

    #[test]
    fn a_target_is_a_path_with_a_query_or_a_whole_address() {
        for (target, path, query) in [
            ("/pessoas", "/pessoas", ""),
            ("/pessoas?t=a?b", "/pessoas", "t=a?b"),
            ("http://a:1/pessoas?t=a", "/pessoas", "t=a"),
            ("http://a", "/", ""),
            ("*", "*", ""),
        ] {
            let request = Request::new(Method::Get, target, b"");
            assert_eq!((request.path, request.query), (path, query), "{target}");
        }
    }

    #[test]
    fn numbers_are_written_as_the_library_writes_them() {
        for number in [0, 7, 10, 99, 100, 65_536, usize::MAX] {
            let mut out = b"x".to_vec();
            write_decimal(&mut out, number);
            assert_eq!(String::from_utf8(out).unwrap(), format!("x{number}"));
        }
    }

    #[test]
    fn a_head_says_status_date_field_connection_and_length() {
        let mut out = Vec::new();
        Answer::new(Status::MethodNotAllowed, Field::Allow("GET")).write_head(
            &mut out,
            "now",
            Some("close"),
            12,
        );
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "HTTP/1.1 405 Method Not Allowed\r\ndate: now\r\nallow: GET\r\nconnection: close\r\ncontent-length: 12\r\n\r\n"
        );
    }
}
