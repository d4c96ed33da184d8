//! Conformance as data: cases of requests, and by which rule each answer is held to what.
//!
//! A case is written with placeholders, because it is run once on each instance, and each run has people of its own:
//! `{mark}` is a text that nobody else on the server has, `{MARK}` the same in capitals, `{N.location}` and `{N.id}`
//! what the answer to request `N` of the same run gave (`{N.ID}` in capitals, `{N.nobody}` an identity like it that was not given). Everything else between braces is
//! itself. How a case becomes bytes is here too, because who sends it and who tells of it must mean the same.

mod content;
mod filling;

use serde::{Deserialize, Serialize};

pub use content::{Content, Piece};
pub(crate) use filling::named_requests;
pub use filling::{Filling, Given};

use crate::secret;
use crate::seed::Seed;

/// So much of an answer's body is recorded, more than any right answer to a case has.
pub const BODY_KEPT: usize = 32 * 1024;

/// Requests in order, and what must come of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// What it tries, in plain words; unique.
    pub name: String,
    /// At least one.
    pub requests: Vec<CaseRequest>,
    /// Whether it is asked at the contender's own port, twice, and not of each instance: what stands before the
    /// instances may read a request for them.
    #[serde(default, skip_serializing_if = "is_default")]
    pub front: bool,
}

impl Case {
    /// The case as it is recorded and told: without the values of headers whose names are of secrets, and without secrets in what it
    /// runs.
    pub fn without_secrets(&self) -> Self {
        let mut case = self.clone();
        for request in &mut case.requests {
            for (_, value) in request.headers.iter_mut().filter(|(name, _)| secret::is_secret(name)) {
                *value = Content::from(secret::MASK);
            }
            for piece in request.before.iter_mut().flat_map(|before| &mut before.0) {
                if let Piece::Text(text) = piece {
                    *text = secret::in_text(text);
                }
            }
        }
        case
    }
}

/// One request of a case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseRequest {
    /// A line for a POSIX shell of this machine, run before this is sent, e.g. to change what is in a database. It must succeed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Content>,
    /// E.g. `GET`.
    pub method: String,
    /// What stands in the request line, as it is sent.
    pub target: Content,
    /// As they are sent; `Host`, and for a body its framing, come of themselves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<(String, Content)>,
    /// `None`: no body, and no word of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Content>,
    /// How it is put.
    #[serde(default, skip_serializing_if = "is_default")]
    pub form: Form,
    /// On which connection it goes.
    #[serde(default, skip_serializing_if = "is_default")]
    pub way: Way,
    /// Whether it goes to another instance than the one that the run is of.
    #[serde(default, skip_serializing_if = "is_default")]
    pub elsewhere: bool,
    /// What must, and what should come.
    pub expect: Vec<Expectation>,
}

/// How a request is put.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// HTTP/1.1; the body's length is told.
    #[default]
    Plain,
    /// The body comes in chunks.
    Chunked,
    /// HTTP/1.0.
    Http10,
    /// The body waits for `100 Continue`, a second at most.
    Continue,
    /// Once it is sent, the client ends its own direction, and still waits for the answer.
    HalfClosed,
    /// The client sends only so many bytes of the body, then closes without waiting for an answer.
    Cut(usize),
    /// The client resets the connection as soon as an answer begins, and reads none of it.
    Reset,
}

/// On which connection a request goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// One of its own.
    #[default]
    Fresh,
    /// The one of the request before it, if that is still open.
    Kept,
    /// The same, and sent before the answer to the request before it is read.
    Pipelined,
    /// One of its own, at the same time as the request before it.
    AtOnce,
}

/// What an answer is held to, and by which rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expectation {
    /// Index into [`crate::ChallengeModel::rules`], which says whether it must or should.
    pub rule: usize,
    /// What.
    pub that: Expect,
}

/// What an answer is held to. All but [`Expect::Alive`], [`Expect::Answer`] and [`Expect::OneOf`] only hold a whole answer to something,
/// and what is said of a body only one whose status is 2xx; texts are written with placeholders.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expect {
    /// Whatever comes, or nothing: the instance still answers afterwards.
    Alive,
    /// It is whole and has no 5xx, except as said here, and the instance still answers afterwards.
    Answer {
        /// Statuses from 500 that will do.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        server_errors: Vec<u16>,
        /// Whether it will do that no whole answer comes, if only the server puts an end to it.
        cut: bool,
    },
    /// One of these statuses.
    Status(Vec<u16>),
    /// It has this header, if its status is 201.
    CreatedWith(String),
    /// `Location`, if there is one, leads to this path followed by a UUID.
    Location(String),
    /// `Location` names no host.
    LocationRelative,
    /// `Content-Type` names this media type, whatever its parameters.
    MediaType(String),
    /// The body is a JSON object with these keys and values, and perhaps others. Null, `[]` and no value are one.
    Shows(String),
    /// The same, but null, `[]` and no value are told apart.
    ShowsExactly(String),
    /// The body is a JSON array of objects, none of them twice by its `id`, of which at least so many are of those
    /// with these ids.
    Lists {
        /// The values that count.
        of: Vec<String>,
        /// So many, at least.
        at_least: usize,
        /// Whether anybody else may be listed.
        others: bool,
    },
    /// The body is these bytes.
    BodyIs(Content),
    /// The body is a JSON array of so many elements, or fewer.
    LengthAtMost(usize),
    /// The body is a JSON array with this object, in the sense of [`Expect::Shows`].
    ListShows(String),
    /// The body is an integer in digits, and nothing else but white space around it.
    Digits,
    /// The integer in the body is at least so much larger than that in the answer to request `than`.
    Exceeds {
        /// Number of the request.
        than: usize,
        /// So much.
        by: u64,
    },
    /// It came on the connection of the request before it.
    SameConnection,
    /// Exactly one of the last so many answers, this one included, has this status; at most one, where an answer is not whole.
    OneOf {
        /// The status.
        status: u16,
        /// So many.
        last: usize,
    },
}

impl CaseRequest {
    /// A plain request without headers, body and expectations.
    pub fn new(method: &str, target: impl Into<Content>) -> Self {
        Self {
            before: None,
            method: method.to_owned(),
            target: target.into(),
            headers: Vec::new(),
            body: None,
            form: Form::Plain,
            way: Way::Fresh,
            elsewhere: false,
            expect: Vec::new(),
        }
    }

    /// Whether its answer is not read.
    pub const fn is_cut(&self) -> bool {
        matches!(self.form, Form::Cut(_) | Form::Reset)
    }

    /// Whether this status, from 500, will do for it.
    pub fn takes_server_error(&self, status: u16) -> bool {
        let takes = |that: &Expect| matches!(that, Expect::Answer { server_errors, .. } if server_errors.contains(&status));
        self.expect.iter().any(|expectation| takes(&expectation.that))
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The mark of one run of a case: letters and digits in turn, as no row of any traffic has them. Equal arguments give
/// equal marks, and within a seed no two cases or runs have the same.
pub fn mark(seed: Seed, case: usize, run: usize) -> String {
    // Without letters whose case is a matter of language (i), or that Unicode folds others onto (k, s).
    const LETTERS: &[u8; 23] = b"abcdefghjlmnopqrtuvwxyz";
    let digits = format!("{:04}{:01}", case % 10_000, run % 10);
    let mut bits = seed.word("mark", &[case as u64, run as u64]);
    let mut mark = String::with_capacity(2 * digits.len() + 1);
    for digit in digits.chars().map(Some).chain([None]) {
        mark.push(char::from(LETTERS[(bits % LETTERS.len() as u64) as usize]));
        bits /= LETTERS.len() as u64;
        mark.extend(digit);
    }
    mark
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_two_runs_share_a_mark_and_letters_and_digits_take_turns() {
        let mut marks = HashSet::new();
        for seed in [0, 1, u64::MAX] {
            for case in 0..400 {
                for run in 0..2 {
                    let mark = mark(Seed::of_number(seed), case, run);
                    assert_eq!(mark.len(), 11);
                    let in_turn =
                        mark.char_indices().all(|(place, c)| c.is_ascii_digit() == (place % 2 == 1));
                    assert!(in_turn, "{mark}");
                    assert!(marks.insert(mark));
                }
            }
        }
    }

    #[test]
    fn a_case_is_written_short_and_read_back() {
        let mut request = CaseRequest::new("POST", "/pessoas");
        request.body = Some(Content::from("{\"apelido\":\"{mark}\"}").repeated("[", 3).octets(&[0xff]));
        request.form = Form::Cut(7);
        request.expect = vec![
            Expectation { rule: 2, that: Expect::Status(vec![400, 422]) },
            Expectation { rule: 0, that: Expect::LocationRelative },
        ];
        let case = Case { name: "a name".to_owned(), requests: vec![request], front: true };
        let line = serde_json::to_string(&case).unwrap();
        assert_eq!(
            line,
            r#"{"name":"a name","requests":[{"method":"POST","target":["/pessoas"],"body":["{\"apelido\":\"{mark}\"}",{"text":"[","times":3},{"base64":"/w=="}],"form":{"cut":7},"expect":[{"rule":2,"that":{"status":[400,422]}},{"rule":0,"that":"location_relative"}]}],"front":true}"#
        );
        assert_eq!(serde_json::from_str::<Case>(&line).unwrap(), case);
    }
}
