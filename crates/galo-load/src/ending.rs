//! How an operation ends: its result, its effect and the rule that it breaks. Pure, so that it can be read as a
//! table.

use std::borrow::Cow;

use galo_plan::model::{ChallengeData, Effect, Id, Question, SEEN_MAX, Seen};
use galo_plan::{RuleCode, rules};
use galo_record::OperationResult;
use rustix::io::Errno;

use crate::response::Response;
use crate::script::StepScript;

/// The end of one operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ending {
    pub(crate) result: OperationResult,
    pub(crate) effect: Effect,
    /// 0: none was read.
    pub(crate) status: u16,
    /// Whether the whole answer was read.
    pub(crate) answered: bool,
    pub(crate) broken: Option<RuleCode>,
    pub(crate) created: Option<Id>,
    pub(crate) found: u32,
    /// For what failed or timed out: the kind, one of a bounded set.
    pub(crate) kind: Option<Cow<'static, str>>,
    /// Whether galo or its machine could not even try.
    pub(crate) own: bool,
    /// For what is wrong: what was expected and what differed.
    pub(crate) difference: Option<String>,
}

impl Ending {
    const fn new(result: OperationResult, effect: Effect, status: u16) -> Self {
        Self {
            result,
            effect,
            status,
            answered: false,
            broken: None,
            created: None,
            found: 0,
            kind: None,
            own: false,
            difference: None,
        }
    }

    /// A complete answer.
    pub(crate) fn answered(
        script: &StepScript<'_>,
        data: &dyn ChallengeData,
        question: Option<&Question>,
        response: &Response,
        seen: &mut Vec<Seen>,
    ) -> Self {
        let status = response.status();
        let effect = effect_of_status(script, status);
        let ending = if status >= 500 || matches!(status, 408 | 429) && !script.accepts(status) {
            let kind = Some(format!("status {status}").into());
            Self { kind, ..Self::new(OperationResult::Failed, effect, status) }
        } else if !script.accepts(status) {
            Self {
                broken: Some(rules::UNEXPECTED_STATUS),
                difference: Some(unexpected(script, status)),
                ..Self::new(OperationResult::Wrong, effect, status)
            }
        } else if let Some(question) = question {
            Self::examined(data, question, response, seen)
        } else {
            Self::new(OperationResult::Ok, effect, status)
        };
        Self { answered: true, ..ending }
    }

    fn examined(
        data: &dyn ChallengeData,
        question: &Question,
        response: &Response,
        seen: &mut Vec<Seen>,
    ) -> Self {
        let examination = data.examine(question, &response.answer(), seen);
        seen.truncate(SEEN_MAX);
        let result = if examination.broken.is_some() { OperationResult::Wrong } else { OperationResult::Ok };
        Self {
            // A right answer may still go against advice: a rule that is only a `should`.
            broken: examination.broken.or(examination.advice).map(rules::model_rule),
            created: examination.created,
            found: examination.found,
            difference: examination.difference,
            ..Self::new(result, examination.effect, response.status())
        }
    }

    /// No complete answer.
    pub(crate) fn failed(script: &StepScript<'_>, sent: bool, status: u16, kind: Cow<'static, str>) -> Self {
        let effect = effect_of_cut(script, sent);
        Self { kind: Some(kind), ..Self::new(OperationResult::Failed, effect, status) }
    }

    /// The kernel refused: the contender's doing, or galo's own.
    pub(crate) fn refused(script: &StepScript<'_>, sent: bool, status: u16, errno: Errno) -> Self {
        match own_error(errno) {
            Some(kind) => Self { own: true, ..Self::failed(script, sent, status, kind.into()) },
            None => Self::failed(script, sent, status, connection_error(errno)),
        }
    }

    /// No complete answer in time.
    pub(crate) fn timed_out(script: &StepScript<'_>, sent: bool, status: u16, kind: String) -> Self {
        let effect = effect_of_cut(script, sent);
        Self { kind: Some(kind.into()), ..Self::new(OperationResult::TimedOut, effect, status) }
    }

    /// Still under way, or not even sent, when the round was ended.
    pub(crate) fn unfinished(script: &StepScript<'_>, sent: bool, status: u16) -> Self {
        Self::new(OperationResult::Unfinished, effect_of_cut(script, sent), status)
    }
}

/// What an operation did by its status alone.
fn effect_of_status(script: &StepScript<'_>, status: u16) -> Effect {
    match status {
        _ if !script.step.creates => Effect::None,
        200..=299 => Effect::Yes,
        // It did not refuse: somebody gave up, and may have done it all the same.
        408 | 429 | 500.. => Effect::Unknown,
        _ => Effect::No,
    }
}

/// What an operation did of whose answer nothing certain is known.
fn effect_of_cut(script: &StepScript<'_>, sent: bool) -> Effect {
    match (script.step.creates, sent) {
        (false, _) => Effect::None,
        (true, false) => Effect::No,
        (true, true) => Effect::Unknown,
    }
}

fn unexpected(script: &StepScript<'_>, status: u16) -> String {
    const NAMED: usize = 6;
    let mut accepted: Vec<String> = script.step.statuses.iter().take(NAMED).map(u16::to_string).collect();
    if script.step.statuses.len() > NAMED {
        accepted.push("...".to_owned());
    }
    format!("status {status}, expected {}", accepted.join(", "))
}

/// Reasons for which galo cannot even try, by the kernel's error.
pub(crate) fn own_error(errno: Errno) -> Option<&'static str> {
    Some(match errno {
        Errno::ADDRNOTAVAIL => "no free local port",
        Errno::MFILE | Errno::NFILE => "too many open files",
        Errno::NOBUFS | Errno::NOMEM | Errno::NOSPC => "no memory for sockets",
        Errno::PERM | Errno::ACCESS => "not permitted to connect",
        _ => return None,
    })
}

fn connection_error(errno: Errno) -> Cow<'static, str> {
    match errno {
        Errno::CONNREFUSED => "connection refused".into(),
        Errno::CONNRESET | Errno::PIPE | Errno::CONNABORTED => "connection reset".into(),
        Errno::TIMEDOUT => "connection given up by the kernel".into(),
        // Of a Unix socket, which does not wait.
        Errno::AGAIN => "the server's queue of connections is full".into(),
        Errno::HOSTUNREACH | Errno::NETUNREACH => "no route to the contender".into(),
        other => format!("connection failed: {other}").into(),
    }
}
