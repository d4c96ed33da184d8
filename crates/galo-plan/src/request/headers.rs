//! Header lines as people write them: `Name: value`, and `Name: one|another` of which each request takes one.

use super::places::Places;
use crate::challenge::Header;
use crate::error::PlanError;
use crate::http;
use crate::template::Template;

/// The authority that a `Host` line gives in place of the address's own, and all other lines as headers. A name given
/// several times is sent several times.
pub(super) fn resolve(
    lines: &[String],
    lines_any: &[String],
    places: &mut Places,
) -> Result<(Option<String>, Vec<Header>), PlanError> {
    let mut host = None;
    let mut headers = Vec::new();
    for line in lines {
        let (name, value) = split(line)?;
        if name.eq_ignore_ascii_case("host") {
            if host.replace(authority(value)?).is_some() {
                return Err(invalid(name, "a request has exactly one\nhint: leave the others out"));
            }
            continue;
        }
        headers.push(header(name, vec![value.to_owned()], places)?);
    }
    for line in lines_any {
        let (name, values) = split(line)?;
        headers.push(header(name, alternatives(values), places)?);
    }
    Ok((host, headers))
}

fn split(line: &str) -> Result<(&str, &str), PlanError> {
    let (name, value) = line.split_once(':').ok_or_else(|| {
        PlanError::Invalid(format!("`{line}` is no header line\nhint: write `Name: value`"))
    })?;
    Ok((name, value.trim_matches([' ', '\t'])))
}

fn header(name: &str, values: Vec<String>, places: &mut Places) -> Result<Header, PlanError> {
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

fn authority(value: &str) -> Result<String, PlanError> {
    if value.is_empty() || !value.bytes().all(|b| b.is_ascii_graphic()) {
        return Err(invalid("Host", format!("`{value}` is neither `host` nor `host:port`")));
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

    fn resolved(lines: &[&str], any: &[&str]) -> Result<(Option<String>, Vec<Header>), String> {
        let owned = |lines: &[&str]| lines.iter().map(ToString::to_string).collect::<Vec<_>>();
        let mut places = Places::new(true, 1, None);
        resolve(&owned(lines), &owned(any), &mut places).map_err(|error| error.to_string())
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
        insta::assert_snapshot!(error("content-length: 5"), @"the header `content-length` is set by the load engine");
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
