//! Where a `Location` leads: resolved as RFC 3986, section 5.2, tells. A model that judges the header and the engine
//! that follows it use this one function, so that what is called right can always be asked for.

/// What a `Location` names beside path and query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Neither scheme nor host.
    Relative,
    /// A host, with or without a scheme. Nobody looks at which: everything goes to the contender.
    NamesHost,
}

/// Longer ones lead nowhere.
const LIMIT: usize = 2048;

/// Replaces `out` by path and query of `location`, taken relative to `base`, the target of the request that it
/// answers. The path begins with `/` and has no dot segments; a fragment is left out (it is never sent).
///
/// `None`, with `out` empty, where there is nothing that could be asked for over HTTP: an empty text, one with bytes
/// that a request line cannot hold, one of more than 2,048 bytes, another scheme, or no host where one belongs.
pub fn resolve(location: &[u8], base: &[u8], out: &mut Vec<u8>) -> Option<Form> {
    out.clear();
    let location = location.trim_ascii();
    if location.is_empty() || location.len() > LIMIT || !location.iter().all(u8::is_ascii_graphic) {
        return None;
    }
    let (location, _) = cut(location, b'#');
    let (form, rest) = match scheme(location) {
        Scheme::Http(rest) => (Form::NamesHost, behind_host(rest)?),
        Scheme::None if location.starts_with(b"//") => (Form::NamesHost, behind_host(location)?),
        Scheme::None => (Form::Relative, location),
        Scheme::Other => return None,
    };
    let (path, query) = cut(rest, b'?');
    let (base_path, base_query) = cut(base, b'?');
    let (folder, path, query) = match path {
        // An empty path stands for the base's own, unless a host was named.
        [] if form == Form::Relative => (&[][..], base_path, query.or(base_query)),
        [] | [b'/', ..] => (&[][..], path, query),
        _ => (folder(base_path), path, query),
    };
    push_without_dot_segments(folder, path, out);
    if let Some(query) = query {
        out.push(b'?');
        out.extend_from_slice(query);
    }
    Some(form)
}

/// What stands before the first `mark` and, if there is one, what stands behind it.
fn cut(text: &[u8], mark: u8) -> (&[u8], Option<&[u8]>) {
    match text.iter().position(|b| *b == mark) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    }
}

/// The scheme that a reference begins with.
enum Scheme<'a> {
    None,
    /// `http:` or `https:`, and what follows it.
    Http(&'a [u8]),
    /// One that galo cannot ask by.
    Other,
}

fn scheme(location: &[u8]) -> Scheme<'_> {
    let end = location.iter().position(|b| matches!(b, b':' | b'/' | b'?'));
    let Some(end) = end.filter(|end| location[*end] == b':') else { return Scheme::None };
    let scheme = &location[..end];
    let is_http = scheme.eq_ignore_ascii_case(b"http") || scheme.eq_ignore_ascii_case(b"https");
    if is_http { Scheme::Http(&location[end + 1..]) } else { Scheme::Other }
}

/// Path and query behind `//host`. `None` where there is no host, as RFC 9110, section 4.2.1, asks for.
fn behind_host(rest: &[u8]) -> Option<&[u8]> {
    let rest = rest.strip_prefix(b"//")?;
    let end = rest.iter().position(|b| matches!(b, b'/' | b'?')).unwrap_or(rest.len());
    (end > 0).then(|| &rest[end..])
}

/// `path` up to its last slash.
fn folder(path: &[u8]) -> &[u8] {
    &path[..path.iter().rposition(|b| *b == b'/').map_or(0, |at| at + 1)]
}

/// Appends `folder` and `path` as one path without `.` and `..` (RFC 3986, section 5.2.4).
pub(crate) fn push_without_dot_segments(folder: &[u8], path: &[u8], out: &mut Vec<u8>) {
    let whole = [folder, path].concat();
    let mut segments = whole.strip_prefix(b"/").unwrap_or(&whole).split(|b| *b == b'/').peekable();
    while let Some(segment) = segments.next() {
        let dots = matches!(segment, b"." | b"..");
        if segment == b".." {
            out.truncate(out.iter().rposition(|b| *b == b'/').unwrap_or(0));
        }
        if !dots {
            out.push(b'/');
            out.extend_from_slice(segment);
        } else if segments.peek().is_none() {
            out.push(b'/');
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn resolved(location: &str, base: &str) -> Option<(String, Form)> {
        let mut out = b"left over".to_vec();
        let form = resolve(location.as_bytes(), base.as_bytes(), &mut out);
        assert_eq!(form.is_none(), out.is_empty(), "{location}");
        form.map(|form| (String::from_utf8(out).unwrap(), form))
    }

    #[test]
    fn references_resolve_as_in_the_examples_of_the_rfc() {
        // RFC 3986, sections 5.4.1 and 5.4.2, without their fragments and foreign schemes.
        for (location, expected) in [
            ("g", "/b/c/g"),
            ("./g", "/b/c/g"),
            ("g/", "/b/c/g/"),
            ("/g", "/g"),
            ("?y", "/b/c/d;p?y"),
            ("g?y", "/b/c/g?y"),
            ("#s", "/b/c/d;p?q"),
            ("g#s", "/b/c/g"),
            ("g?y#s", "/b/c/g?y"),
            (";x", "/b/c/;x"),
            ("g;x", "/b/c/g;x"),
            (".", "/b/c/"),
            ("./", "/b/c/"),
            ("..", "/b/"),
            ("../", "/b/"),
            ("../g", "/b/g"),
            ("../..", "/"),
            ("../../g", "/g"),
            ("../../../g", "/g"),
            ("/./g", "/g"),
            ("/../g", "/g"),
            ("g.", "/b/c/g."),
            (".g", "/b/c/.g"),
            ("..g", "/b/c/..g"),
            ("./../g", "/b/g"),
            ("./g/.", "/b/c/g/"),
            ("g/./h", "/b/c/g/h"),
            ("g/../h", "/b/c/h"),
            ("g;x=1/../y", "/b/c/y"),
            ("g?y/../x", "/b/c/g?y/../x"),
        ] {
            let expected = (expected.to_owned(), Form::Relative);
            assert_eq!(resolved(location, "/b/c/d;p?q"), Some(expected), "{location}");
        }
    }

    #[test]
    fn a_host_is_left_out_and_told() {
        for (location, expected) in [
            ("http://elsewhere:9999/pessoas/1", "/pessoas/1"),
            ("HTTPS://elsewhere", "/"),
            ("http://elsewhere?a=b", "/?a=b"),
            ("//elsewhere/a/../pessoas/1", "/pessoas/1"),
            ("//elsewhere", "/"),
        ] {
            let expected = (expected.to_owned(), Form::NamesHost);
            assert_eq!(resolved(location, "/api/pessoas?x=/y/"), Some(expected), "{location}");
        }
    }

    #[test]
    fn a_colon_behind_the_first_slash_or_question_mark_makes_no_scheme() {
        for (location, expected) in [
            ("pessoas/1?next=http://x/", "/api/pessoas/1?next=http://x/"),
            ("/a:b", "/a:b"),
            ("?a:b", "/api/x?a:b"),
        ] {
            assert_eq!(resolved(location, "/api/x").unwrap(), (expected.to_owned(), Form::Relative));
        }
    }

    #[test]
    fn what_cannot_be_asked_for_leads_nowhere() {
        let long = format!("/{}", "x".repeat(LIMIT));
        for location in [
            "",
            "   ",
            "/a b",
            "/a\tb",
            "/a\u{7f}",
            "/josé",
            "/a\rb",
            &long,
            "ftp://host/a",
            "http:a",
            "http:/a",
            "http://",
            "http:///a",
            "///a",
            "//",
            "//?a",
            ":a",
        ] {
            assert_eq!(resolved(location, "/"), None, "{location:?}");
        }
    }

    proptest! {
        #[test]
        fn whatever_comes_out_is_a_path_without_dot_segments_that_a_request_line_holds(
            location in "[a-c./?#:]{0,12}",
            base in "/[a-b/.]{0,6}",
        ) {
            if let Some((target, _)) = resolved(&location, &base) {
                prop_assert!(target.starts_with('/') && target.bytes().all(|b| b.is_ascii_graphic()));
                let path = target.split('?').next().unwrap();
                prop_assert!(!path.split('/').any(|segment| segment == "." || segment == ".."), "{}", target);
            }
        }
    }
}
