//! From arrival to arrival: a user enters, begins its steps one after another, and leaves.

use super::Worker;
use crate::arrivals::Arrival;
use crate::ending::Ending;
use crate::net::NotTaken;
use crate::response::AnswerError;
use crate::script::{Asker, StepScript};
use crate::user::Phase;
use galo_plan::challenge::Connection;
use galo_record::OperationResult;

/// How long a user of the closed model who got no connection waits before the next takes its place.
const REST_NS: u64 = 100_000_000;

impl<'a> Worker<'a> {
    /// A user arrives. `None`: its first step is not due with it, or it has none.
    pub(super) fn enter(&mut self, arrival: Arrival) -> Option<u32> {
        let slot = self.users.enter(arrival);
        let at_ns = self.arrival_ns(arrival.offset_ns);
        // In the closed model a user arrives when there is a connection for it, so in this slice.
        let is_closed = self.arrivals.is_closed(arrival.source);
        let at_ns = if is_closed { at_ns.max(self.slice_from_ns()) } else { at_ns };
        let user = self.users.get(slot);
        if user.step_from(self.shared.plan, 0) == Some(0) {
            user.step = 0;
            user.intended_ns = at_ns;
            return Some(slot);
        }
        self.schedule_from(slot, 0, at_ns);
        None
    }

    /// Lets the user's next step from number `from` on fall due a pause after `end_ns`; without one it leaves.
    pub(super) fn schedule_from(&mut self, slot: u32, from: usize, end_ns: u64) {
        let plan = self.shared.plan;
        let user = self.users.get(slot);
        match user.step_from(plan, from) {
            Some(step) => {
                user.phase = Phase::Pausing;
                user.step = step;
                user.intended_ns = end_ns.saturating_add(plan.pause_ns(user.scenario, step, user.number));
                self.pauses.push(user.intended_ns, slot);
            }
            None => self.leave(slot),
        }
    }

    /// The user is done.
    pub(super) fn leave(&mut self, slot: u32) {
        self.close(slot);
        let user = self.users.get(slot);
        let (source, leader) = (user.source, user.leader);
        self.users.leave(slot);
        match leader {
            Some(leader) => {
                let leader = self.users.get(leader);
                leader.companions = leader.companions.saturating_sub(1);
            }
            None => self.arrivals.left(source),
        }
    }

    pub(super) fn close(&mut self, slot: u32) {
        if let Some(conn) = self.users.get(slot).conn.take() {
            self.net.give_up(conn, slot, self.net.time.now_ns());
        }
    }

    /// The step that the user is at.
    pub(super) fn script(&mut self, slot: u32) -> &'a StepScript<'a> {
        let user = self.users.get(slot);
        &self.shared.scenarios[user.scenario].steps[user.step]
    }

    /// Counts the user's step as intended, and makes ready to hear of it.
    pub(super) fn fall_due(&mut self, slot: u32) {
        let script = self.script(slot);
        let user = self.users.get(slot);
        user.phase = Phase::Sending;
        (user.sent_ns, user.opened_ns, user.retried) = (None, None, false);
        user.expect(script);
        user.request.clear();
        if let Some(whole) = script.constant() {
            user.request.extend_from_slice(whole);
        } else {
            let plan = self.shared.plan;
            let asker = Asker {
                data: &*plan.data,
                seed: plan.seed,
                feeder: self.shared.scenarios[user.scenario].feeder,
                row: user.number,
                captured: &user.captured,
                cookies: user.cookies.as_deref(),
            };
            script.write(asker, &mut self.scratch, &mut user.request);
        }
        self.tally.fall_due(script.flat, user.intended_ns.saturating_sub(self.shared.start_ns));
        self.live.begin();
    }

    /// Begins the user's step at `now`, as often as it is sent at the same moment.
    pub(super) fn start(&mut self, slot: u32, now: u64) {
        let at_once = self.script(slot).step.at_once;
        let companions: Vec<u32> = (1..at_once).map(|_| self.users.accompany(slot)).collect();
        for slot in companions.into_iter().rev().chain([slot]) {
            self.start_one(slot, now);
        }
    }

    fn start_one(&mut self, slot: u32, now: u64) {
        self.fall_due(slot);
        let unblocked_ns = if self.blocked { self.unblocked_ns } else { 0 };
        let slice_from_ns = self.slice_from_ns();
        self.tally.waited += u64::from(self.blocked);
        let user = self.users.get(slot);
        // What waits over a slice's end cannot begin before the next one does.
        user.possible_ns = user.intended_ns.max(unblocked_ns).max(slice_from_ns);
        if std::mem::take(&mut user.poisoned) {
            let script = self.script(slot);
            let kind = AnswerError::UnexpectedBytes.text().into();
            return self.end(slot, now, Ending::failed(script, false, 0, kind), false);
        }
        self.send(slot, now);
    }

    /// Sends the user's request on a connection of its own, an idle one, or a new one.
    pub(super) fn send(&mut self, slot: u32, now: u64) {
        let user = self.users.get(slot);
        let policy = self.shared.scenarios[user.scenario].connection;
        let taken = match self.net.take(
            slot,
            user.scenario,
            policy,
            user.conn.filter(|_| !user.retried),
            user.retried,
        ) {
            Ok(taken) => taken,
            Err(NotTaken::Refused(errno)) => return self.refuse(slot, self.net.time.now_ns(), errno),
            Err(NotTaken::NotEncrypted(why)) => return self.fail(slot, self.net.time.now_ns(), why),
        };
        user.conn = Some(taken.conn);
        user.ready = taken.ready;
        // Unique in the round, whichever thread opened it.
        user.connection = (taken.number * self.shared.threads as u64 + self.thread as u64) as u32;
        if taken.fresh {
            user.opened_ns = Some(taken.since_ns);
            let lag_ns = taken.since_ns.saturating_sub(user.possible_ns);
            self.late(lag_ns);
            self.connect_timeouts.arm(slot, now);
        } else {
            user.possible_ns = user.possible_ns.max(taken.since_ns);
            self.answer_timeouts.arm(slot, now);
        }
        if taken.ready {
            self.hand_over(slot);
        }
    }

    /// The user's request goes out on its connection.
    pub(super) fn hand_over(&mut self, slot: u32) {
        let script = self.script(slot);
        let user = self.users.get(slot);
        if let Some(conn) = user.conn {
            self.net.send(conn, slot, &script.outgoing(&user.request));
        }
    }

    /// The user's operation ends; it goes on to its next step. `reusable`: the connection may carry another request.
    pub(super) fn end(&mut self, slot: u32, at_ns: u64, ending: Ending, reusable: bool) {
        let unreached = ending.result == OperationResult::Failed && self.users.get(slot).sent_ns.is_none();
        self.record(slot, at_ns, ending);
        let user = self.users.get(slot);
        let (next, source) = (user.step + 1, user.source);
        let plan = self.shared.plan;
        let scenario = &plan.scenarios[user.scenario];
        let is_last_on_it = scenario.connection == Connection::PerRequest
            || user.step_from(plan, next).is_some_and(|step| scenario.steps[step].fresh);
        match user.conn {
            Some(conn) if reusable && !is_last_on_it => {
                if !self.net.give_back(conn, slot, at_ns) {
                    user.conn = None;
                }
            }
            _ => self.close(slot),
        }
        self.unblocked_ns = at_ns;
        let Some(slot) = self.after_all(slot) else { return };
        if unreached && self.arrivals.is_closed(source) {
            // In the closed model a server that refuses connections would be asked as fast as galo can.
            self.users.get(slot).phase = Phase::Resting;
            return self.pauses.push(at_ns + REST_NS, slot);
        }
        self.schedule_from(slot, next, at_ns);
    }

    /// Who goes on now that `slot` has done its step: the user whose step it was, if all that did it at the same moment are done.
    fn after_all(&mut self, slot: u32) -> Option<u32> {
        let user = self.users.get(slot);
        let Some(leader) = user.leader else {
            let is_alone = user.companions == 0;
            user.phase = if is_alone { user.phase } else { Phase::Gathering };
            return is_alone.then_some(slot);
        };
        self.leave(slot);
        let user = self.users.get(leader);
        (user.companions == 0 && user.phase == Phase::Gathering).then_some(leader)
    }
}
