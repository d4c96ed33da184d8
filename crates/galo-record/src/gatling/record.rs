//! One line as a record: fields between tabs. Names may hold tabs themselves (Gatling writes them as they are), so what
//! stands after them is counted from the end of the line.

use std::borrow::Cow;

/// Kinds of records.
pub(super) const KINDS: [&str; 6] = ["RUN", "USER", "REQUEST", "GROUP", "ERROR", "ASSERTION"];
/// The first version with these fields, and the last one that writes text.
const FIRST: (u32, u32) = (3, 5);
const LAST: (u32, u32) = (3, 12);

pub(super) const NS_IN_MS: u64 = 1_000_000;

/// A record.
#[derive(Debug, PartialEq)]
pub(super) enum Record<'a> {
    Run(Run<'a>),
    User { starts: bool },
    Request(Request<'a>),
    Group(Group<'a>),
    Error { message: Cow<'a, str> },
    Assertion,
}

/// The run of the simulation.
#[derive(Debug, PartialEq)]
pub(super) struct Run<'a> {
    pub(super) class: &'a str,
    /// Since 1970; `None`: it is no number.
    pub(super) start_ms: Option<u64>,
    pub(super) description: Cow<'a, str>,
    pub(super) version: &'a str,
}

/// One request and its answer.
#[derive(Debug, PartialEq)]
pub(super) struct Request<'a> {
    /// Names of the groups that it is in, with commas between.
    pub(super) groups: &'a str,
    pub(super) name: Cow<'a, str>,
    pub(super) span: Span,
    pub(super) ok: bool,
    pub(super) message: &'a str,
}

/// One passage of a user through a group.
#[derive(Debug, PartialEq)]
pub(super) struct Group<'a> {
    /// Its name after those of the groups around it, with commas between.
    pub(super) groups: Cow<'a, str>,
    pub(super) span: Span,
    pub(super) cumulated_ms: u64,
    pub(super) ok: bool,
}

/// From when to when, in milliseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start_ms: u64,
    pub(super) end_ms: u64,
}

impl Span {
    /// From its start to its end; 0 where that lies before.
    pub(super) fn length_ns(self) -> u64 {
        self.end_ms.saturating_sub(self.start_ms).saturating_mul(NS_IN_MS)
    }
}

impl Run<'_> {
    /// Whether its version orders fields otherwise.
    pub(super) fn is_older(&self) -> bool {
        version(self.version).is_some_and(|version| version < FIRST)
    }

    /// Whether its version is one whose log is known.
    pub(super) fn is_known(&self) -> bool {
        version(self.version).is_some_and(|version| (FIRST..=LAST).contains(&version))
    }
}

/// Major and minor number.
fn version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.trim().split(['.', '-']).map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

/// Reads a line; `None`: it is no record.
pub(super) fn parse(line: &str) -> Option<Record<'_>> {
    let fields: Vec<&str> = line.split('\t').collect();
    match fields[0] {
        "RUN" => run(&fields),
        "USER" => user(&fields),
        "REQUEST" => request(&fields),
        "GROUP" => group(&fields),
        "ERROR" => error(&fields),
        "ASSERTION" => Some(Record::Assertion),
        _ => None,
    }
}

fn run<'a>(fields: &[&'a str]) -> Option<Record<'a>> {
    let &[_, class, _, start, ref description @ .., version] = fields else { return None };
    // Older versions have something else there, but the version is last in all of them.
    let start_ms = time(start);
    Some(Record::Run(Run { class, start_ms, description: joined(description)?, version: version.trim() }))
}

fn user<'a>(fields: &[&'a str]) -> Option<Record<'a>> {
    let [_, scenario @ .., event, at] = fields else { return None };
    time(at).filter(|_| !scenario.is_empty())?;
    match *event {
        "START" => Some(Record::User { starts: true }),
        "END" => Some(Record::User { starts: false }),
        _ => None,
    }
}

fn request<'a>(fields: &[&'a str]) -> Option<Record<'a>> {
    // Editors take away the space that stands for no message, and sometimes the tab before it.
    let (fields, message) = match fields {
        [rest @ .., message] if rest.last().is_some_and(|status| is_ok(status).is_some()) => (rest, *message),
        rest => (rest, ""),
    };
    let &[_, groups, ref name @ .., start, end, status] = fields else { return None };
    let (span, ok) = (span(start, end)?, is_ok(status)?);
    Some(Record::Request(Request { groups, name: joined(name)?, span, ok, message: message.trim() }))
}

fn group<'a>(fields: &[&'a str]) -> Option<Record<'a>> {
    let &[_, ref groups @ .., start, end, cumulated, status] = fields else { return None };
    let (span, cumulated_ms, ok) = (span(start, end)?, time(cumulated)?, is_ok(status)?);
    Some(Record::Group(Group { groups: joined(groups)?, span, cumulated_ms, ok }))
}

fn error<'a>(fields: &[&'a str]) -> Option<Record<'a>> {
    let &[_, ref message @ .., at] = fields else { return None };
    time(at)?;
    Some(Record::Error { message: joined(message)? })
}

/// A text that may hold tabs.
fn joined<'a>(fields: &[&'a str]) -> Option<Cow<'a, str>> {
    match fields {
        [] => None,
        [one] => Some(Cow::Borrowed(one)),
        many => Some(Cow::Owned(many.join("\t"))),
    }
}

fn span(start: &str, end: &str) -> Option<Span> {
    Some(Span { start_ms: time(start)?, end_ms: time(end)? })
}

fn time(text: &str) -> Option<u64> {
    text.trim().parse().ok()
}

fn is_ok(status: &str) -> Option<bool> {
    match status {
        "OK" => Some(true),
        "KO" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked<'a>(groups: &'a str, name: &'a str, ok: bool, message: &'a str) -> Record<'a> {
        let span = Span { start_ms: 10, end_ms: 25 };
        Record::Request(Request { groups, name: name.into(), span, ok, message })
    }

    #[test]
    fn a_request_is_read_from_both_ends() {
        let lines = [
            ("REQUEST\t\tGET /ok\t10\t25\tOK\t ", asked("", "GET /ok", true, "")),
            (
                "REQUEST\touter,inner\tGET\t10\t25\tKO\tstatus 500",
                asked("outer,inner", "GET", false, "status 500"),
            ),
            ("REQUEST\t\ta\tname\twith tabs\t10\t25\tOK\t ", asked("", "a\tname\twith tabs", true, "")),
            ("REQUEST\t\tno message\t10\t25\tOK", asked("", "no message", true, "")),
            ("REQUEST\t\tOK\t10\t25\tKO\tOK", asked("", "OK", false, "OK")),
        ];
        for (line, expected) in lines {
            assert_eq!(parse(line), Some(expected), "{line}");
        }
    }

    #[test]
    fn a_line_that_is_cut_or_changed_is_no_record() {
        let whole = "REQUEST\tgroup\tGET /ok\t1788379356162\t1788379356173\tKO\tsomething";
        let whole_fields = whole.rfind('\t').unwrap();
        for cut in 0..whole_fields - 2 {
            let read = parse(&whole[..cut]);
            assert!(read.is_none(), "{cut}: {read:?}");
        }
        for wrong in [
            "USER\ts\tPAUSE\t1",
            "REQUEST\t\tx\t-5\t10\tOK\t ",
            "GROUP\tg\t1\t2\tx\tOK",
            "ERROR\t1",
            "RUN\tx",
        ] {
            assert!(parse(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn versions_are_told_apart_by_their_numbers() {
        let run = |version| Run { class: "a", start_ms: Some(0), description: "".into(), version };
        let known = |version| (run(version).is_older(), run(version).is_known());
        assert_eq!(known("3.4.2"), (true, false));
        assert_eq!(known("2.0"), (true, false));
        for version in ["3.9.5", "3.10.3", "3.12.0-SNAPSHOT"] {
            assert_eq!(known(version), (false, true));
        }
        assert_eq!(known("3.13.1"), (false, false));
        assert_eq!(known("?"), (false, false));
    }
}
