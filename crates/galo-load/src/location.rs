//! A captured `Location`, as the target of a later request.

/// Longer ones are not captured.
const LIMIT: usize = 2048;

/// Writes path and query of `location` to `out`, or leaves it empty where there is nothing that could be asked for.
/// A relative one is taken relative to `base`, the target of the request that it answers (RFC 3986, section 5.2.3,
/// without removing dot segments). Its host is not looked at: everything goes to the contender.
pub(crate) fn capture(location: &[u8], base: &[u8], out: &mut Vec<u8>) {
    out.clear();
    let location = location.trim_ascii();
    // What a request line cannot hold must not come into one.
    if location.is_empty() || location.len() > LIMIT || !location.iter().all(u8::is_ascii_graphic) {
        return;
    }
    let location = &location[..memchr::memchr(b'#', location).unwrap_or(location.len())];
    let path = match location {
        [b'/', b'/', authority @ ..] => behind_authority(authority),
        [b'/', ..] => location,
        _ => match behind_scheme(location) {
            Some(authority) => behind_authority(authority),
            None => {
                out.extend_from_slice(folder(base));
                location
            }
        },
    };
    if out.is_empty() && !path.starts_with(b"/") {
        out.push(b'/');
    }
    out.extend_from_slice(path);
}

/// What follows `scheme://`.
fn behind_scheme(location: &[u8]) -> Option<&[u8]> {
    let at = memchr::memmem::find(location, b"://")?;
    location[..at].iter().all(u8::is_ascii_alphabetic).then(|| &location[at + 3..])
}

fn behind_authority(authority: &[u8]) -> &[u8] {
    let end = authority.iter().position(|b| matches!(b, b'/' | b'?')).unwrap_or(authority.len());
    &authority[end..]
}

/// The path of `target` up to its last slash.
fn folder(target: &[u8]) -> &[u8] {
    let path = &target[..memchr::memchr(b'?', target).unwrap_or(target.len())];
    &path[..memchr::memrchr(b'/', path).map_or(0, |at| at + 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn captured(location: &str, base: &str) -> String {
        let mut out = b"left over".to_vec();
        capture(location.as_bytes(), base.as_bytes(), &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn path_and_query_are_captured_from_every_form_of_location() {
        for (location, expected) in [
            ("/pessoas/1", "/pessoas/1"),
            ("/pessoas/1?a=b#c", "/pessoas/1?a=b"),
            ("http://elsewhere:9999/pessoas/1", "/pessoas/1"),
            ("https://elsewhere", "/"),
            ("http://elsewhere?a=b", "/?a=b"),
            ("//elsewhere/pessoas/1", "/pessoas/1"),
            ("1", "/api/1"),
            ("pessoas/1?next=http://x/", "/api/pessoas/1?next=http://x/"),
        ] {
            assert_eq!(captured(location, "/api/pessoas?x=/y/"), expected, "{location}");
        }
    }

    #[test]
    fn nothing_is_captured_that_could_not_stand_in_a_request_line() {
        let long = format!("/{}", "x".repeat(LIMIT));
        for location in ["", "   ", "/a b", "/a\tb", "/a\u{7f}", "/josé", "/a\rb", &long] {
            assert_eq!(captured(location, "/"), "", "{location:?}");
        }
    }
}
