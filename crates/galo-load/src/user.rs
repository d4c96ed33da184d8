//! The users that are there: who they are, where they are in their scenario, what they have captured.

use galo_plan::LoadPlan;
use galo_plan::model::Id;

use crate::arrivals::Arrival;
use crate::cookies::Cookies;
use crate::evidence::BODY_BYTES;
use crate::io::Conn;
use crate::response::{BODY_LIMIT, Response};
use crate::script::StepScript;

/// What a user is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Not there: the slot is free.
    Absent,
    /// Between two steps.
    Pausing,
    /// Done, but its place is not free yet.
    Resting,
    /// Done with a step that others do at the same moment for it, and are not done with.
    Gathering,
    /// Connecting, or waiting for room to write: nothing is sent yet.
    Sending,
    /// Waiting for the answer, or for the rest of it.
    Awaiting,
}

/// One user. All times are of the one clock, not from the start of the load.
#[derive(Debug)]
pub(crate) struct User {
    pub(crate) phase: Phase,
    /// Index into the plan's sources.
    pub(crate) source: usize,
    /// Index into the plan's scenarios.
    pub(crate) scenario: usize,
    /// Number in the source, which is also its row.
    pub(crate) number: u64,
    /// Index into the scenario's steps.
    pub(crate) step: usize,
    /// The slot of the user for which this one does a step at the same moment, and nothing else.
    pub(crate) leader: Option<u32>,
    /// How many do its step at the same moment, and are not done.
    pub(crate) companions: u32,
    pub(crate) intended_ns: u64,
    pub(crate) sent_ns: Option<u64>,
    /// The connection that its request is on, or that it keeps between two.
    pub(crate) conn: Option<Conn>,
    /// When the connection that its request is on was begun, if that was for this request.
    pub(crate) opened_ns: Option<u64>,
    /// From when on galo could have sent its request.
    pub(crate) possible_ns: u64,
    /// Whether that connection is made.
    pub(crate) ready: bool,
    /// Whether its request was sent again already.
    pub(crate) retried: bool,
    /// Whether bytes came that nobody had asked for.
    pub(crate) poisoned: bool,
    /// Number of its last connection in the round.
    pub(crate) connection: u32,
    /// Identity that its creation was given.
    pub(crate) created: Option<Id>,
    /// What it has kept of answers, by slot; empty: nothing.
    pub(crate) captured: Vec<Vec<u8>>,
    /// The cookies that it was given, where its scenario sends them back.
    pub(crate) cookies: Option<Box<Cookies>>,
    /// The request that is under way, or was last.
    pub(crate) request: Vec<u8>,
    pub(crate) response: Response,
}

impl User {
    fn absent(slots: usize) -> Self {
        Self {
            phase: Phase::Absent,
            source: 0,
            scenario: 0,
            number: 0,
            step: 0,
            leader: None,
            companions: 0,
            intended_ns: 0,
            sent_ns: None,
            conn: None,
            opened_ns: None,
            possible_ns: 0,
            ready: false,
            retried: false,
            poisoned: false,
            connection: 0,
            created: None,
            captured: vec![Vec::new(); slots],
            cookies: None,
            request: Vec::new(),
            response: Response::new(),
        }
    }

    /// Makes ready for the answer to a step's request.
    pub(crate) fn expect(&mut self, script: &StepScript<'_>) {
        // Without a check nobody reads more of the body than the evidence shows.
        let keep = if script.reads_body { BODY_LIMIT as usize } else { BODY_BYTES + 1 };
        self.response.begin(script.is_head, keep);
    }

    /// The first step from `from` on that is meant for this user.
    pub(crate) fn step_from(&self, plan: &LoadPlan, from: usize) -> Option<usize> {
        let steps = &plan.scenarios[self.scenario].steps;
        let has = |slot: &usize| self.captured.get(*slot).is_some_and(|kept| !kept.is_empty());
        (from..steps.len()).find(|&index| steps[index].needs.iter().all(has))
    }
}

/// All users of one engine thread, by slot. Slots are reused with their buffers.
#[derive(Debug)]
pub(crate) struct Users {
    slots: Vec<User>,
    free: Vec<u32>,
    /// How many values each user can keep of answers.
    captures: usize,
    /// Whether a user keeps anything, cookies among it.
    keeps: bool,
}

impl Users {
    /// Nobody, of those who do what `plan` says.
    pub(crate) fn of(plan: &LoadPlan) -> Self {
        let steps = plan.scenarios.iter().flat_map(|scenario| &scenario.steps);
        let slots = steps.flat_map(|step| &step.captures).map(|capture| capture.slot + 1);
        let captures = slots.max().unwrap_or(0);
        let keeps = captures > 0 || plan.scenarios.iter().any(|scenario| scenario.cookies);
        Self { slots: Vec::new(), free: Vec::new(), captures, keeps }
    }

    /// A slot for a new user.
    pub(crate) fn enter(&mut self, arrival: Arrival) -> u32 {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(User::absent(self.captures));
            (self.slots.len() - 1) as u32
        });
        let keeps = self.keeps;
        let user = self.get(slot);
        user.phase = Phase::Pausing;
        (user.source, user.scenario, user.number) = (arrival.source, arrival.scenario, arrival.user);
        (user.step, user.leader, user.companions) = (0, None, 0);
        (user.conn, user.poisoned, user.created) = (None, false, None);
        if keeps {
            user.captured.iter_mut().for_each(Vec::clear);
            user.cookies = None;
        }
        slot
    }

    /// A slot for one that does a user's step at the same moment as that user.
    pub(crate) fn accompany(&mut self, leader: u32) -> u32 {
        let user = self.get(leader);
        user.companions += 1;
        let (step, intended_ns, created) = (user.step, user.intended_ns, user.created);
        let (captured, cookies) = (user.captured.clone(), user.cookies.clone());
        let arrival =
            Arrival { source: user.source, scenario: user.scenario, user: user.number, offset_ns: 0 };
        let slot = self.enter(arrival);
        let user = self.get(slot);
        (user.step, user.intended_ns, user.created) = (step, intended_ns, created);
        (user.captured, user.cookies, user.leader) = (captured, cookies, Some(leader));
        slot
    }

    /// Its user is gone.
    pub(crate) fn leave(&mut self, slot: u32) {
        let user = self.get(slot);
        user.phase = Phase::Absent;
        user.response.release();
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
