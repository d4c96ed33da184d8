//! What comes back: completions become the ends of operations, and ends are entered in the accounts.

use std::borrow::Cow;
use std::sync::atomic::Ordering;
use std::time::Duration;

use galo_plan::capture;
use galo_plan::model::Question;
use galo_record::{Evidence, Operation, OperationResult};
use rustix::io::Errno;

use super::Worker;
use crate::cookies::Cookies;
use crate::ending::Ending;
use crate::evidence;
use crate::net::{News, What};
use crate::response::AnswerError;
use crate::user::Phase;

impl Worker<'_> {
    pub(super) fn hear(&mut self, news: News) {
        let News { slot, conn, at_ns, what } = news;
        let user = self.users.get(slot);
        if user.conn != Some(conn) {
            return; // what was told of this connection before led to its end
        }
        match (what, user.phase) {
            (_, Phase::Absent) => {}
            (What::Ready, Phase::Sending) => {
                user.ready = true;
                // Until now it was the connection that the request waited for.
                user.possible_ns = user.possible_ns.max(at_ns);
                self.hand_over(slot);
            }
            (What::Sent, Phase::Sending) => self.sent(slot, at_ns),
            (What::Ready | What::Sent, _) => {}
            (What::Bytes { last }, Phase::Awaiting) => self.received(slot, at_ns, last),
            (What::Bytes { .. }, Phase::Pausing | Phase::Resting | Phase::Gathering) => {
                self.users.get(slot).poisoned = true;
                self.close(slot);
            }
            (What::Head { status, end }, Phase::Sending | Phase::Awaiting) => {
                let user = self.users.get(slot);
                user.response.take_head(status, self.net.received(), at_ns);
                self.took(slot, at_ns, end);
            }
            (What::Data { end }, Phase::Sending | Phase::Awaiting) => {
                let user = self.users.get(slot);
                match user.response.take_data(self.net.received()) {
                    Ok(()) => self.took(slot, at_ns, end),
                    Err(error) => self.unreadable(slot, at_ns, error),
                }
            }
            (What::Head { .. } | What::Data { .. }, _) => {}
            // The peer talks before it was asked.
            (What::Bytes { .. }, Phase::Sending) => {
                self.unreadable(slot, at_ns, AnswerError::UnexpectedBytes);
            }
            (_, Phase::Pausing | Phase::Resting | Phase::Gathering) => self.close(slot),
            (What::Closed | What::Broken(_) | What::Cut(_), _) if self.may_retry(slot) => {
                self.retry(slot, at_ns);
            }
            (What::Unprocessed(_), _) if !self.users.get(slot).retried => self.retry(slot, at_ns),
            (What::Closed, Phase::Sending) => self.refuse(slot, at_ns, Errno::CONNRESET),
            (What::Closed, Phase::Awaiting) => self.closed(slot, at_ns),
            (What::Broken(errno), Phase::Sending | Phase::Awaiting) => self.refuse(slot, at_ns, errno),
            (
                What::Cut(kind) | What::Failed(kind) | What::Unprocessed(kind),
                Phase::Sending | Phase::Awaiting,
            ) => {
                self.fail(slot, at_ns, kind);
            }
        }
    }

    /// A piece of an answer was taken, the last one if it is the `end`.
    fn took(&mut self, slot: u32, at_ns: u64, end: bool) {
        if end {
            self.users.get(slot).response.complete();
            self.answered(slot, at_ns, true);
        }
    }

    fn sent(&mut self, slot: u32, at_ns: u64) {
        let user = self.users.get(slot);
        user.phase = Phase::Awaiting;
        user.sent_ns.get_or_insert(at_ns.max(user.intended_ns));
        match user.opened_ns {
            Some(opened_ns) => {
                self.tally.connects.record_ns(at_ns.saturating_sub(opened_ns));
                self.connect_timeouts.disarm(slot);
                self.answer_timeouts.arm(slot, at_ns);
            }
            None => {
                let lag_ns = at_ns.saturating_sub(user.possible_ns);
                self.late(lag_ns);
            }
        }
    }

    /// A request was sent, or its connection begun, so long after that was possible.
    pub(super) fn late(&mut self, lag_ns: u64) {
        self.tally.lag.record_ns(lag_ns);
        self.live.lag(lag_ns);
    }

    /// A server may close a connection that it kept alive just when it is used again. Nothing of the answer came, so
    /// a request that may be repeated is (RFC 9112, section 9.3.1), once and on a new connection. So is any other that has
    /// not left galo.
    fn may_retry(&mut self, slot: u32) -> bool {
        let is_idempotent = self.script(slot).is_idempotent;
        let user = self.users.get(slot);
        let kept = user.opened_ns.is_none() && user.ready;
        if !kept || user.retried || !user.response.is_untouched() {
            return false;
        }
        is_idempotent || !self.take_for_sent(slot)
    }

    fn retry(&mut self, slot: u32, at_ns: u64) {
        self.connect_timeouts.disarm(slot);
        self.answer_timeouts.disarm(slot);
        self.close(slot);
        self.tally.retries += 1;
        let script = self.script(slot);
        let user = self.users.get(slot);
        (user.retried, user.phase, user.possible_ns) = (true, Phase::Sending, at_ns);
        // The next connection may be an old one.
        user.opened_ns = None;
        user.expect(script);
        self.send(slot, at_ns);
    }

    fn received(&mut self, slot: u32, at_ns: u64, last: bool) {
        match self.users.get(slot).response.feed(self.net.received(), at_ns) {
            Ok(false) => {}
            Ok(true) => self.answered(slot, at_ns, !last),
            Err(error) => self.unreadable(slot, at_ns, error),
        }
    }

    fn closed(&mut self, slot: u32, at_ns: u64) {
        match self.users.get(slot).response.end() {
            Ok(()) => self.answered(slot, at_ns, false),
            Err(cut) => self.fail(slot, at_ns, cut.text().into()),
        }
    }

    /// The answer is complete. `open`: the peer has not closed yet, as far as is known.
    fn answered(&mut self, slot: u32, at_ns: u64, open: bool) {
        let script = self.script(slot);
        let user = self.users.get(slot);
        let feeder = self.shared.scenarios[user.scenario].feeder;
        let question = script.step.check.map(|check| Question {
            check,
            step: script.flat,
            feeder,
            row: user.number,
            created: user.created,
        });
        let data = &*self.shared.plan.data;
        let ending =
            Ending::answered(script, data, question.as_ref(), &user.response, &mut self.tally.seen_now);
        if script.step.creates {
            user.created = ending.created.or(user.created);
        }
        let scenario = &self.shared.scenarios[user.scenario];
        if scenario.cookies || !script.step.captures.is_empty() {
            let target = user.request.split(|&b| b == b' ').nth(1).unwrap_or_default();
            let answer = user.response.answer();
            capture::take(&script.step.captures, &answer, target, &mut user.captured);
            if scenario.cookies {
                let is_encrypted = self.shared.plan.targets[user.scenario].tls;
                user.cookies
                    .get_or_insert_with(|| Box::new(Cookies::new(is_encrypted)))
                    .hear(&answer, target);
            }
        }
        let is_sent = user.conn.is_some_and(|conn| self.net.is_sent(conn, slot));
        let reusable = open && user.response.keeps_connection() && is_sent;
        if self.shared.plan.stop_statuses.contains(&ending.status) {
            self.shared.stopped_by.store(ending.status, Ordering::Relaxed);
            self.shared.abandoned.store(true, Ordering::Relaxed);
        }
        self.end(slot, at_ns, ending, reusable);
    }

    fn unreadable(&mut self, slot: u32, at_ns: u64, error: AnswerError) {
        self.fail(slot, at_ns, error.text().into());
    }

    pub(super) fn fail(&mut self, slot: u32, at_ns: u64, kind: Cow<'static, str>) {
        let script = self.script(slot);
        let user = self.users.get(slot);
        let ending = Ending::failed(script, user.sent_ns.is_some(), user.response.status(), kind);
        self.end(slot, at_ns, ending, false);
    }

    /// The kernel reports an error.
    pub(super) fn refuse(&mut self, slot: u32, at_ns: u64, errno: Errno) {
        let script = self.script(slot);
        let user = self.users.get(slot);
        let ending = Ending::refused(script, user.sent_ns.is_some(), user.response.status(), errno);
        self.end(slot, at_ns, ending, false);
    }

    pub(super) fn time_out(&mut self, slot: u32, at_ns: u64) {
        let timeouts = self.shared.plan.timeouts;
        let script = self.script(slot);
        let user = self.users.get(slot);
        let sent = user.sent_ns.is_some();
        let (what, length_ns) = match (sent, user.response.first_byte_ns()) {
            (false, _) => ("no connection", timeouts.connect_ns),
            (true, None) => ("no answer", timeouts.answer_ns),
            (true, Some(_)) => ("answer not complete", timeouts.answer_ns),
        };
        let kind = format!("{what} within {:?}", Duration::from_nanos(length_ns));
        let status = user.response.status();
        let ending = Ending::timed_out(script, self.take_for_sent(slot), status, kind);
        self.end(slot, at_ns, ending, false);
    }

    /// Takes a request that is with the kernel, and may yet go out, for sent when it was handed over. Whether it counts as
    /// sent now.
    pub(super) fn take_for_sent(&mut self, slot: u32) -> bool {
        let user = self.users.get(slot);
        if user.sent_ns.is_none()
            && let Some(conn) = user.conn
        {
            let earliest_ns = user.intended_ns;
            let since_ns = self.net.may_go_out_since_ns(conn, slot);
            self.users.get(slot).sent_ns = since_ns.map(|since_ns| since_ns.max(earliest_ns));
        }
        self.users.get(slot).sent_ns.is_some()
    }

    /// Enters the end of the user's operation in the accounts.
    pub(super) fn record(&mut self, slot: u32, at_ns: u64, ending: Ending) {
        self.connect_timeouts.disarm(slot);
        self.answer_timeouts.disarm(slot);
        let script = self.script(slot);
        let start_ns = self.shared.start_ns;
        let since_start = |at_ns: u64| at_ns.saturating_sub(start_ns);
        let user = self.users.get(slot);
        let operation = Operation {
            intended_ns: since_start(user.intended_ns),
            sent_ns: user.sent_ns.map(since_start),
            first_byte_ns: user.response.first_byte_ns().map(since_start),
            done_ns: since_start(at_ns),
            id: ending.created.or(user.created),
            user: user.number as u32,
            connection: user.connection,
            found: ending.found,
            seen: 0,
            kept: 0,
            status: ending.status,
            step: script.flat,
            result: ending.result,
            effect: ending.effect,
            broken: ending.broken,
        };
        self.tally.end(&operation, &ending);
        self.live.end(operation.result, operation.done_ns.saturating_sub(operation.intended_ns));
        let ended_well = matches!(operation.result, OperationResult::Ok | OperationResult::Unfinished);
        if !ended_well || operation.broken.is_some() {
            self.keep_evidence(slot, &operation, ending);
        }
    }

    fn keep_evidence(&mut self, slot: u32, operation: &Operation, ending: Ending) {
        let kind = ending.kind.unwrap_or_default();
        let difference = ending.difference.unwrap_or_else(|| kind.clone().into_owned());
        let user = self.users.get(slot);
        let (request, response) = (&user.request, &user.response);
        self.tally.evidence.offer((operation.broken, kind), || Evidence {
            broken: operation.broken,
            step: operation.step,
            user: operation.user,
            done_ns: operation.done_ns,
            request: evidence::request_text(request),
            difference,
            answer: evidence::text(response.status_line(), response.body()),
        });
    }
}
