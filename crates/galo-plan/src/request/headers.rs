//! Header lines as people write them: `Name: value`, and `Name: one|another` of which each request takes one.

use crate::challenge::Header;
use crate::error::PlanError;
use crate::http;
use crate::places::Places;
use crate::template::Template;

/// What the lines mean.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// The authority that a `Host` line gives in place of the address's own.
    pub(super) host: Option<String>,
    /// Whether a `Connection: close` ends each connection after one request.
    pub(super) closes: bool,
    /// A `Content-Length` as it was written.
    length: Option<String>,
    /// All other lines. A name given several times is sent several times.
    pub(super) headers: Vec<Header>,
}

/// Reads all lines.
pub(super) fn resolve(
    lines: &[String],
    lines_any: &[String],
    places: &mut Places<'_>,
) -> Result<Lines, PlanError> {
    let mut read = Lines::default();
    for line in lines {
        let (name, value) = split(line)?;
        match name.to_ascii_lowercase().as_str() {
            "host" => {
                if read.host.replace(authority(value, places)?).is_some() {
                    return Err(invalid(name, "a request has exactly one\nhint: leave the others out"));
                }
            }
            "connection" => {
                read.closes |= closes(name, value)?;
                read.headers.push(Header::new(name, value));
            }
            "content-length" => read.length = Some(value.to_owned()),
            "transfer-encoding" => {
                let text = "galo sends every body as a whole, with its length\nhint: leave it out";
                return Err(invalid(name, text));
            }
            _ => read.headers.push(header(name, vec![value.to_owned()], places)?),
        }
    }
    for line in lines_any {
        let (name, values) = split(line)?;
        read.headers.push(header(name, alternatives(values), places)?);
    }
    Ok(read)
}

/// Whether a connection ends after each request.
fn closes(name: &str, value: &str) -> Result<bool, PlanError> {
    let mut closes = false;
    for option in value.split(',').map(str::trim) {
        match option.to_ascii_lowercase().as_str() {
            "close" => closes = true,
            "keep-alive" => {}
            _ => {
                let hint = "write `close` or `keep-alive`, or leave it out";
                return Err(invalid(name, format!("`{option}` is nothing that galo can do\nhint: {hint}")));
            }
        }
    }
    Ok(closes)
}

impl Lines {
    /// Whether one of the lines is of this header.
    pub(super) fn gives(&self, name: &str) -> bool {
        self.headers.iter().any(|header| header.name.eq_ignore_ascii_case(name))
    }

    /// Says why the length that was written cannot be sent. One that is right does no harm; any other would cut the request,
    /// or leave the server waiting. `body_bytes`: the length of the body, where all requests have the same.
    pub(super) fn check_length(&self, body_bytes: Option<usize>) -> Result<(), PlanError> {
        let Some(written) = &self.length else { return Ok(()) };
        let what = match body_bytes {
            Some(bytes) if written.parse() == Ok(bytes) => return Ok(()),
            Some(bytes) => format!("the body has {bytes} bytes, not `{written}`"),
            None => "the body is filled in for each request".to_owned(),
        };
        let hint = "leave it out; galo sends the right one";
        Err(invalid("Content-Length", format!("{what}\nhint: {hint}")))
    }
}

fn split(line: &str) -> Result<(&str, &str), PlanError> {
    let (name, value) = line.split_once(':').ok_or_else(|| {
        PlanError::Invalid(format!("`{line}` is no header line\nhint: write `Name: value`"))
    })?;
    Ok((name, value.trim_matches([' ', '\t'])))
}

fn header(name: &str, values: Vec<String>, places: &mut Places<'_>) -> Result<Header, PlanError> {
    http::check_header_name(name).map_err(PlanError::Invalid)?;
    let mut value = |text: String| -> Result<Template, PlanError> {
        http::check_header_value(&text).map_err(|error| invalid(name, error))?;
        let template = places.template(&text).map_err(|error| invalid(name, error))?;
        places.check_header_cells(&template).map_err(|error| invalid(name, error))?;
        Ok(template)
    };
    let values = values.into_iter().map(&mut value).collect::<Result<_, _>>()?;
    Ok(Header { name: name.to_owned(), values })
}

fn authority(value: &str, places: &Places<'_>) -> Result<String, PlanError> {
    if value.is_empty() || !value.bytes().all(|b| b.is_ascii_graphic()) {
        return Err(invalid("Host", format!("`{value}` is neither `host` nor `host:port`")));
    }
    if places.are_enabled && value.contains(['{', '}']) {
        let hint = "write one host; several addresses may be given";
        return Err(invalid("Host", format!("`{value}` cannot be filled in for each request\nhint: {hint}")));
    }
    Ok(value.to_owned())
}

/// What stands between single `|`, without the spaces around it; `||` stands for `|` itself.
fn alternatives(text: &str) -> Vec<String> {
    let mut values = vec![String::new()];
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter == '|' && letters.next_if_eq(&'|').is_none() {
            values.push(String::new());
        } else if let Some(value) = values.last_mut() {
            value.push(letter);
        }
    }
    values.iter().map(|value| value.trim_matches([' ', '\t']).to_owned()).collect()
}

fn invalid(name: &str, error: impl std::fmt::Display) -> PlanError {
    PlanError::Invalid(format!("header `{name}`: {error}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(lines: &[&str], any: &[&str], body_bytes: Option<usize>) -> Result<Lines, String> {
        let owned = |lines: &[&str]| lines.iter().map(ToString::to_string).collect::<Vec<_>>();
        let mut places = Places::new(true, None);
        let read = resolve(&owned(lines), &owned(any), &mut places);
        let checked = read.and_then(|read| read.check_length(body_bytes).map(|()| read));
        checked.map_err(|error| error.to_string())
    }

    fn resolved(lines: &[&str], any: &[&str]) -> Result<(Option<String>, Vec<Header>), String> {
        read(lines, any, Some(4)).map(|read| (read.host, read.headers))
    }

    #[test]
    fn a_connection_that_closes_is_one_for_each_request_and_the_server_is_told() {
        for (value, closes) in [("close", true), ("Keep-Alive", false), ("keep-alive, Close", true)] {
            let lines = read(&[&format!("connection: {value}")], &[], None).unwrap();
            assert_eq!((lines.closes, &lines.headers[..]), (closes, &[Header::new("connection", value)][..]));
        }
        insta::assert_snapshot!(read(&["Connection: Upgrade"], &[], None).unwrap_err(), @"
        header `Connection`: `Upgrade` is nothing that galo can do
        hint: write `close` or `keep-alive`, or leave it out
        ");
    }

    #[test]
    fn a_length_that_is_right_is_taken_and_any_other_refused() {
        assert!(read(&["Content-Length: 4"], &[], Some(4)).unwrap().headers.is_empty());
        let error = |line: &str, bytes| read(&[line], &[], bytes).unwrap_err();
        insta::assert_snapshot!(error("Content-Length: 5", Some(4)), @"
        header `Content-Length`: the body has 4 bytes, not `5`
        hint: leave it out; galo sends the right one
        ");
        insta::assert_snapshot!(error("Content-Length: 5", None), @"
        header `Content-Length`: the body is filled in for each request
        hint: leave it out; galo sends the right one
        ");
        insta::assert_snapshot!(error("Transfer-Encoding: chunked", Some(4)), @"
        header `Transfer-Encoding`: galo sends every body as a whole, with its length
        hint: leave it out
        ");
        insta::assert_snapshot!(error("Host: {seq}.example", Some(4)), @"
        header `Host`: `{seq}.example` cannot be filled in for each request
        hint: write one host; several addresses may be given
        ");
    }

    #[test]
    fn a_name_given_twice_is_sent_twice() {
        let (host, headers) = resolved(&["Accept: a", "accept:\tb : c ", "X-Empty:"], &[]).unwrap();
        assert_eq!(headers[..2], [Header::new("Accept", "a"), Header::new("accept", "b : c")]);
        assert_eq!(headers[2].values[0].constant(), Some(&b""[..]));
        assert_eq!(host, None);
    }

    #[test]
    fn alternatives_are_values_of_one_header() {
        let (_, headers) = resolved(&[], &["User-Agent: a | b||c|d{seq}"]).unwrap();
        let [header] = &headers[..] else { panic!("one header") };
        assert_eq!(header.values[..2], [Template::literal("a"), Template::literal("b|c")]);
        assert_eq!(header.values[2].parts().len(), 2);
    }

    #[test]
    fn a_host_takes_the_place_of_the_addresss_own() {
        let (host, headers) = resolved(&["host: example.org:81", "A: b"], &[]).unwrap();
        assert_eq!((host.as_deref(), headers.len()), (Some("example.org:81"), 1));
    }

    #[test]
    fn what_cannot_be_sent_is_told() {
        let error = |line: &str| resolved(&[line], &[]).unwrap_err();
        insta::assert_snapshot!(error("Accept"), @"
        `Accept` is no header line
        hint: write `Name: value`
        ");
        insta::assert_snapshot!(error("A b: c"), @"`A b` is not a header name");
        insta::assert_snapshot!(error(": c"), @"`` is not a header name");
        insta::assert_snapshot!(error("A: b\r\nC: d"), @"header `A`: a header's value may not hold control characters");
        insta::assert_snapshot!(error("A: {sq}"), @"header `A`: unknown name `{sq}` (known: seq, uuid, random:1:100); did you mean `{seq}`?");
        insta::assert_snapshot!(error("Host: a b"), @"header `Host`: `a b` is neither `host` nor `host:port`");
        insta::assert_snapshot!(resolved(&["Host: a", "Host: b"], &[]).unwrap_err(), @"
        header `Host`: a request has exactly one
        hint: leave the others out
        ");
        insta::assert_snapshot!(resolved(&[], &["Host: a|b"]).unwrap_err(), @"the header `Host` is set by the load engine");
    }

    proptest! {
        #[test]
        fn alternatives_with_doubled_bars_read_back(values in prop::collection::vec("[a-z][a-z|]{0,5}[a-z]", 1..5)) {
            let text: Vec<String> = values.iter().map(|value| value.replace('|', "||")).collect();
            prop_assert_eq!(alternatives(&text.join("|")), values);
        }

        #[test]
        fn arbitrary_text_never_panics(line in ".*", near in "[a-zA-Z:| {}]{0,16}") {
            let _ = resolved(&[&line], &[&line]);
            let _ = resolved(&[&near], &[&near]);
        }
    }
}
