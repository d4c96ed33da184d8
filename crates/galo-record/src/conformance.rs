//! What came of the cases of conformance: one line for each case in `conformance.jsonl`.

use std::net::SocketAddr;

use galo_plan::Blame;
use galo_plan::JsonSchema;
use galo_plan::conformance::{Case, Content, Given};
use galo_plan::model::Answer;
use serde::{Deserialize, Serialize};

/// So much of an answer's head is kept.
pub const HEAD_KEPT: usize = 16 * 1024;
pub use galo_plan::conformance::BODY_KEPT;

/// A case and what came of it. The case stands here as it was asked, so that it is judged as such for ever.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseRecord {
    /// As asked.
    pub case: Case,
    /// By instance, or each time.
    pub runs: Vec<CaseRun>,
    /// Why runs are missing, or were not asked to their end; `None`: none is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<Missing>,
}

/// Why a case was not asked whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Missing {
    /// In one line.
    pub because: String,
    /// Who is to blame.
    pub blame: Blame,
}

/// A case asked once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseRun {
    /// The instance: a service's name, or the contender's own port; where instances are not known, which time it is.
    pub instance: String,
    /// Whether the instance was asked itself, and not whoever balances the load between instances.
    pub direct: bool,
    /// What `{mark}` stood for.
    pub mark: String,
    /// By request; `None`: it could not be sent, because an earlier answer did not give what it needs. Fewer than
    /// there are requests: the others were left out, and [`CaseRecord::missing`] says why.
    pub exchanges: Vec<Option<Exchange>>,
    /// How often the contender's services asked the kernel to put something on the disk, from before the first request until after the
    /// last answer; `None`: not all of them could be counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flushes: Option<u64>,
    /// Why the instance gives no answer any more after this run; `None`: it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gone: Option<String>,
}

/// A request that was sent, and what came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exchange {
    /// Where it was sent to.
    pub target: SocketAddr,
    /// The proxy through whose tunnel; `None`: straight there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub through: Option<SocketAddr>,
    /// Whether on the connection of the request before it.
    pub reused: bool,
    /// HTTP status; 0: no whole head came.
    pub status: u16,
    /// Status line and headers as received; at most [`HEAD_KEPT`] of them.
    pub head: Content,
    /// The start of the decoded body; at most [`BODY_KEPT`] of it.
    pub body: Content,
    /// How much of the body was read.
    pub body_bytes: u64,
    /// Why there is no whole answer; `None`: there is, or nobody waited for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
}

impl Exchange {
    /// Values of a header, in the order of the head; what is no text in them is replaced.
    pub fn headers(&self, name: &str) -> Vec<String> {
        let head = self.head.bytes();
        let answer =
            Answer { status: self.status, head: &head, location: None, content_type: None, body: &[] };
        answer.header(name).map(|value| String::from_utf8_lossy(value).into_owned()).collect()
    }

    /// What a creation that was acknowledged gave, in answer to a request for `target`.
    pub fn given(&self, target: &[u8]) -> Option<Given> {
        let location = self.headers("location").into_iter().next().filter(|_| self.status == 201)?;
        Given::of_location(location.as_bytes(), target)
    }
}

/// Why there is no whole answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// What kind it is.
    pub kind: FailureKind,
    /// In one line.
    pub text: String,
}

/// Kinds of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// It could not be connected to.
    Connect,
    /// The connection was closed or reset before a whole answer came.
    Cut,
    /// No whole answer in time.
    TimedOut,
    /// What came is no answer.
    Unreadable,
    /// The answer was longer than what is read of one.
    TooLong,
    /// Galo itself could not even try, e.g. for want of a local port.
    Own,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(status: u16, head: &str) -> Exchange {
        Exchange {
            target: ([127, 0, 0, 1], 1).into(),
            through: None,
            reused: false,
            status,
            head: Content::from(head),
            body: Content::default(),
            body_bytes: 0,
            failure: None,
        }
    }

    #[test]
    fn only_an_acknowledged_creation_gives_a_location() {
        let head = "HTTP/1.1 201 Created\r\nlocation: ./pessoas/17\r\nX: 1\r\nx: 2\r\n\r\n";
        let given = answered(201, head).given(b"/pessoas").unwrap();
        assert_eq!((given.location.as_str(), given.id.as_str()), ("/pessoas/17", "17"));
        assert_eq!(answered(200, head).given(b"/pessoas"), None);
        assert_eq!(answered(201, "HTTP/1.1 201 Created\r\n\r\n").given(b"/pessoas"), None);
        assert_eq!(answered(201, head).headers("X"), ["1", "2"]);
    }
}
