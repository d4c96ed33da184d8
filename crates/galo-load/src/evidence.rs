//! The first few of each broken rule and of each kind of failure, in words.

use std::borrow::Cow;
use std::collections::BTreeMap;

use galo_plan::{RuleCode, secret};
use galo_record::Evidence;

/// Kept of each kind.
const EACH: usize = 5;
/// Kept of a request's and of an answer's body.
pub(crate) const BODY_BYTES: usize = 600;
/// Kept of a request's or status line.
const LINE_BYTES: usize = 300;

/// What counts as one kind.
type Kind = (Option<RuleCode>, Cow<'static, str>);

/// Evidence by kind.
#[derive(Debug, Default)]
pub(crate) struct EvidenceByKind(BTreeMap<Kind, Vec<Evidence>>);

impl EvidenceByKind {
    /// Keeps what `make` makes, unless there is enough of its kind.
    pub(crate) fn offer(&mut self, kind: Kind, make: impl FnOnce() -> Evidence) {
        let kept = self.0.entry(kind).or_default();
        if kept.len() < EACH {
            kept.push(make());
        }
    }

    /// Adds another thread's.
    pub(crate) fn add(&mut self, other: Self) {
        for (kind, mut evidence) in other.0 {
            let kept = self.0.entry(kind).or_default();
            kept.append(&mut evidence);
            kept.sort_by_key(|e| e.done_ns);
            kept.truncate(EACH);
        }
    }

    /// All of it, in the order of time.
    pub(crate) fn into_sorted(self) -> Vec<Evidence> {
        let mut all: Vec<Evidence> = self.0.into_values().flatten().collect();
        all.sort_by_key(|e| e.done_ns);
        all
    }
}

/// The request line, and the start of its body, without secrets.
pub(crate) fn request_text(request: &[u8]) -> String {
    let line = request.split(|&b| b == b'\r').next().unwrap_or_default();
    let body = memchr::memmem::find(request, b"\r\n\r\n").map_or(&[][..], |end| &request[end + 4..]);
    joined(secret::in_urls(&cut(line, LINE_BYTES)), &secret::in_body(&cut(body, BODY_BYTES)))
}

/// A first line and the start of a body, as text whatever they hold.
pub(crate) fn text(line: &[u8], body: &[u8]) -> String {
    joined(cut(line, LINE_BYTES), &cut(body, BODY_BYTES))
}

fn cut(bytes: &[u8], limit: usize) -> String {
    let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(limit)]).into_owned();
    if bytes.len() > limit { shown + "..." } else { shown }
}

fn joined(line: String, body: &str) -> String {
    if body.is_empty() { line } else { format!("{line}\n\n{body}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence(done_ns: u64) -> Evidence {
        Evidence {
            broken: None,
            step: 0,
            user: 0,
            done_ns,
            request: String::new(),
            difference: String::new(),
            answer: String::new(),
        }
    }

    #[test]
    fn the_first_five_of_a_kind_over_all_threads_are_kept_in_the_order_of_time() {
        let mut threads = [EvidenceByKind::default(), EvidenceByKind::default()];
        for at in 0..20 {
            threads[at % 2].offer((None, "refused".into()), || evidence(at as u64));
        }
        threads[1].offer((Some(RuleCode(0)), "".into()), || evidence(2));
        let [mut all, other] = threads;
        all.add(other);
        let times: Vec<u64> = all.into_sorted().iter().map(|e| e.done_ns).collect();
        assert_eq!(times, [0, 1, 2, 2, 3, 4]);
    }

    #[test]
    fn a_request_is_told_by_its_line_and_the_start_of_its_body_whatever_the_bytes() {
        assert_eq!(request_text(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"), "GET / HTTP/1.1");
        assert_eq!(
            request_text(b"POST / HTTP/1.1\r\nA: b\r\n\r\n{\"a\":\xff}"),
            "POST / HTTP/1.1\n\n{\"a\":\u{fffd}}"
        );
        let told =
            request_text(b"POST /?token=abc HTTP/1.1\r\n\r\n{\"user\":\"ana\",\"password\":\"hunter2\"}");
        assert_eq!(told, "POST /?token=*** HTTP/1.1\n\n{\"user\":\"ana\",\"password\":\"***\"}");
        let long = [b"POST / HTTP/1.1\r\n\r\n".as_slice(), &[b'x'; 10_000]].concat();
        assert_eq!(request_text(&long).len(), "POST / HTTP/1.1\n\n...".len() + BODY_BYTES);
    }
}
