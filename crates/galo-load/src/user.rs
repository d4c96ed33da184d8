//! The users that are there: who they are, where they are in their scenario, what they have captured.

use galo_plan::Plan;
use galo_plan::model::Id;

use crate::response::Response;

/// What a user is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Not there: the slot is free.
    Absent,
    /// Between two steps.
    Pausing,
    /// Connecting, or waiting for room to write: nothing is sent yet.
    Sending,
    /// Waiting for the answer, or for the rest of it.
    Awaiting,
}

/// One user. All times are of the one clock, not from the start of the load.
#[derive(Debug)]
pub(crate) struct User {
    pub(crate) phase: Phase,
    /// Index into the challenge's scenarios.
    pub(crate) scenario: usize,
    /// Number in the scenario, which is also its row.
    pub(crate) number: u64,
    /// Index into the scenario's steps.
    pub(crate) step: usize,
    pub(crate) intended_ns: u64,
    pub(crate) sent_ns: Option<u64>,
    /// Whether it has a connection.
    pub(crate) connected: bool,
    /// Whether bytes came that nobody had asked for.
    pub(crate) poisoned: bool,
    /// Number of its last connection in the round.
    pub(crate) connection: u32,
    /// Identity that its creation was given.
    pub(crate) created: Option<Id>,
    /// Path and query of the captured `Location`; empty: nothing was captured.
    pub(crate) location: Vec<u8>,
    pub(crate) response: Response,
}

impl User {
    fn absent() -> Self {
        Self {
            phase: Phase::Absent,
            scenario: 0,
            number: 0,
            step: 0,
            intended_ns: 0,
            sent_ns: None,
            connected: false,
            poisoned: false,
            connection: 0,
            created: None,
            location: Vec::new(),
            response: Response::new(),
        }
    }

    /// The first step from `from` on that is meant for this user.
    pub(crate) fn step_from(&self, plan: &Plan, from: usize) -> Option<usize> {
        let steps = &plan.challenge.scenarios[self.scenario].steps;
        (from..steps.len()).find(|&index| !steps[index].needs_location || !self.location.is_empty())
    }
}

/// All users of one engine thread, by slot. Slots are reused with their buffers.
#[derive(Debug, Default)]
pub(crate) struct Users {
    slots: Vec<User>,
    free: Vec<u32>,
}

impl Users {
    /// A slot for a new user.
    pub(crate) fn enter(&mut self, scenario: usize, number: u64) -> u32 {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(User::absent());
            (self.slots.len() - 1) as u32
        });
        let user = self.get(slot);
        let (mut location, response) =
            (std::mem::take(&mut user.location), std::mem::replace(&mut user.response, Response::new()));
        location.clear();
        *user = User { phase: Phase::Pausing, scenario, number, location, response, ..User::absent() };
        slot
    }

    /// Its user is gone.
    pub(crate) fn leave(&mut self, slot: u32) {
        self.get(slot).phase = Phase::Absent;
        self.free.push(slot);
    }

    pub(crate) fn get(&mut self, slot: u32) -> &mut User {
        &mut self.slots[slot as usize]
    }

    /// How many are there.
    pub(crate) fn present(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// The slots of all with an operation under way.
    pub(crate) fn under_way(&self) -> Vec<u32> {
        let busy = |user: &User| matches!(user.phase, Phase::Sending | Phase::Awaiting);
        (0u32..).zip(&self.slots).filter(|(_, user)| busy(user)).map(|(slot, _)| slot).collect()
    }
}
