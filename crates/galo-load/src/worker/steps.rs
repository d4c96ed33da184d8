//! From arrival to arrival: a user enters, begins its steps one after another, and leaves.

use galo_plan::challenge::Connection;
use galo_record::clock::now_ns;
use rustix::io::Errno;

use super::Worker;
use crate::arrivals::Arrival;
use crate::ending::Ending;
use crate::evidence::BODY_BYTES;
use crate::response::{AnswerError, BODY_LIMIT};
use crate::script::{Asker, StepScript};
use crate::user::Phase;

impl<'a> Worker<'a> {
    /// A user arrives. `None`: its first step is not due with it, or it has none.
    pub(super) fn enter(&mut self, arrival: Arrival) -> Option<u32> {
        let slot = self.users.enter(arrival.scenario, arrival.user);
        let at_ns = self.shared.start_ns + arrival.offset_ns;
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
        self.users.leave(slot);
    }

    pub(super) fn close(&mut self, slot: u32) {
        self.io.close(slot);
        self.users.get(slot).connected = false;
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
        user.sent_ns = None;
        // Without a check nobody reads more of the body than the evidence shows.
        let keep = if script.step.check.is_some() { BODY_LIMIT as usize } else { BODY_BYTES + 1 };
        user.response.begin(script.is_head, keep);
        let scenario = &self.shared.scenarios[user.scenario];
        let asker = Asker { feeder: scenario.feeder, row: user.number, location: &user.location };
        script.write(self.shared.data, asker, &mut self.scratch, self.io.request(slot));
        self.tally.fall_due(script.flat, user.intended_ns.saturating_sub(self.shared.start_ns));
        self.live.begin();
    }

    /// Begins the user's step.
    pub(super) fn start(&mut self, slot: u32) {
        self.fall_due(slot);
        let now = now_ns();
        let user = self.users.get(slot);
        self.tally.lag.record_ns(now.saturating_sub(user.intended_ns));
        if std::mem::take(&mut user.poisoned) {
            let script = self.script(slot);
            let kind = AnswerError::UnexpectedBytes.text().into();
            return self.end(slot, now, Ending::failed(script, false, 0, kind), false);
        }
        if !user.connected
            && let Err(errno) = self.open(slot)
        {
            return self.refuse(slot, now_ns(), errno);
        }
        self.connect_timeouts.arm(slot, now);
        self.io.send(slot);
    }

    fn open(&mut self, slot: u32) -> Result<(), Errno> {
        let user = self.users.get(slot);
        // Unique in the round, whichever thread opened it.
        user.connection = (self.connections * self.shared.threads as u64 + self.thread as u64) as u32;
        self.connections += 1;
        self.io.open(slot)?;
        user.connected = true;
        Ok(())
    }

    /// The user's operation ends; it goes on to its next step. `reusable`: the connection may carry another request.
    pub(super) fn end(&mut self, slot: u32, at_ns: u64, ending: Ending, reusable: bool) {
        self.record(slot, at_ns, ending);
        let user = self.users.get(slot);
        let per_user = self.shared.scenarios[user.scenario].connection == Connection::PerUser;
        let next = user.step + 1;
        if !(reusable && per_user) {
            self.close(slot);
        }
        self.schedule_from(slot, next, at_ns);
    }
}
