//! One engine thread: waits for what is due and for what happened, and leads its users through their steps.

mod answers;
mod slices;
mod steps;

use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};

use galo_plan::LoadPlan;
use galo_plan::load::Source;
use galo_record::load::Priority;

use crate::arrivals::{Arrivals, End};
use crate::ending::Ending;
use crate::gate::Gate;
use crate::io::{Backend, Gather, Waiting};
use crate::live::Live;
use crate::net::Net;
use crate::os;
use crate::script::ScenarioScript;
use crate::tally::{Seconds, Tally};
use crate::timers::{Pauses, Timeouts};
use crate::tls::TlsClient;
use crate::user::{Phase, Users};
use slices::Slices;

/// The stop flag is looked at this often at least.
const STOP_CHECK_NS: u64 = 100_000_000;
/// Whether those have left for whom others wait, which another thread may see.
const WAIT_CHECK_NS: u64 = 1_000_000;
/// Steps begun before completions are looked at again, so that neither waits for the other when both are many.
const STARTS_IN_A_ROW: usize = 16;

/// Arrivals that are closer than this gather, so that none is begun later than this by intent; and answers gather at
/// most this long. Measured against nginx at 50,000 requests a second: a third less CPU, schedule error 28 us at the
/// median and 90 to 130 us at p99.
const GATHER_NS: u64 = 40_000;
/// As many completions wake galo in any case.
const GATHERED: usize = 32;

/// News handled before the clock, timeouts and flags are looked at again.
const NEWS_IN_A_ROW: usize = 1024;

/// What all engine threads see and none changes, but for the flags.
#[derive(Clone, Copy)]
pub(crate) struct Shared<'a> {
    pub(crate) plan: &'a LoadPlan,
    pub(crate) tls: Option<&'a TlsClient>,
    pub(crate) scenarios: &'a [ScenarioScript<'a>],
    /// Whether connections come from several local addresses in turn.
    pub(crate) sources_in_turn: bool,
    pub(crate) threads: usize,
    pub(crate) history: bool,
    pub(crate) real_time: bool,
    pub(crate) backend: Backend,
    pub(crate) waiting: Waiting,
    /// Time 0 of the load.
    pub(crate) start_ns: u64,
    /// When what is still under way is unfinished.
    pub(crate) cut_ns: u64,
    /// Set by the caller.
    pub(crate) stop: &'a AtomicBool,
    /// Set by an engine thread that cannot go on.
    pub(crate) abandoned: &'a AtomicBool,
    /// The status that ended the load; 0: none did.
    pub(crate) stopped_by: &'a AtomicU16,
    /// When the users of each source have all left.
    pub(crate) ends: &'a [End],
    /// `None`: it is not driven in slices.
    pub(crate) gate: Option<&'a Gate>,
}

impl Shared<'_> {
    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.abandoned.load(Ordering::Relaxed)
    }
}

/// What one thread has to hand over.
#[derive(Debug)]
pub(crate) struct Share {
    pub(crate) tally: Tally,
    pub(crate) interrupted: bool,
    pub(crate) connections: u64,
    pub(crate) sent_bytes: u64,
    pub(crate) received_bytes: u64,
    pub(crate) cpu_ns: u64,
    /// Ready to run, but waiting for a core.
    pub(crate) run_queue_ns: u64,
    pub(crate) backend: &'static str,
    pub(crate) priority: Priority,
}

/// One engine thread, with all that it owns.
pub(crate) struct Worker<'a> {
    shared: Shared<'a>,
    thread: usize,
    live: &'a Live,
    net: Net,
    users: Users,
    arrivals: Arrivals<'a>,
    pauses: Pauses,
    /// From the connection attempt to the first byte written.
    connect_timeouts: Timeouts,
    /// From the first byte written to the end of the answer.
    answer_timeouts: Timeouts,
    tally: Tally,
    /// Whether something is due for which there was no connection, and since when there is one again.
    blocked: bool,
    unblocked_ns: u64,
    /// Whether there is none now, as far as is known.
    no_room: bool,
    /// Only for reuse of its memory.
    scratch: Vec<u8>,
    /// `None`: it is not driven in slices.
    slices: Option<Slices<'a>>,
}

impl<'a> Worker<'a> {
    pub(crate) fn new(
        shared: Shared<'a>,
        thread: usize,
        live: &'a Live,
        seconds: Seconds,
    ) -> std::io::Result<Self> {
        let plan = shared.plan;
        let timeouts = &plan.timeouts;
        Ok(Self {
            thread,
            live,
            net: Net::new(
                plan,
                shared.tls.cloned(),
                (thread, shared.threads),
                shared.sources_in_turn,
                (shared.backend, shared.waiting),
            )?,
            users: Users::of(plan),
            arrivals: Arrivals::new(plan, shared.ends, thread, shared.threads),
            pauses: Pauses::default(),
            connect_timeouts: Timeouts::new(timeouts.connect_ns),
            answer_timeouts: Timeouts::new(timeouts.answer_ns),
            tally: Tally::new(plan.steps(), shared.history.then(|| expected_operations(&shared)), seconds),
            blocked: false,
            unblocked_ns: 0,
            no_room: false,
            scratch: Vec::new(),
            slices: shared.gate.map(|gate| Slices::before_the_first(gate, shared.start_ns)),
            shared,
        })
    }

    /// Drives this thread's share of the load to its end.
    pub(crate) fn drive(mut self) -> std::io::Result<Share> {
        let priority = os::prepare_thread(self.shared.real_time, self.thread, self.shared.threads);
        let waited_before_ns = os::thread_run_queue_ns();
        let interrupted = loop {
            let stopped = self.shared.is_stopped();
            let now = self.net.time.now_ns();
            if stopped || now >= self.cut_ns() {
                self.cut(now);
                break stopped;
            }
            self.expire(now);
            self.tally.close_one(self.offset_ns(now));
            self.start_due(now);
            self.drain();
            self.arrivals.settle(self.offset_ns(now));
            if self.users.present() == 0 && self.arrivals.are_over(self.arrival_offset(now).unwrap_or(0)) {
                break false;
            }
            if self.is_slice_over(now) {
                self.stand_still();
                continue;
            }
            let gather = self.gather();
            self.net.wait(self.wake_ns(now, gather), gather)?;
            self.drain();
        };
        self.end_slices();
        let (sent_bytes, received_bytes) = self.net.bytes();
        Ok(Share {
            tally: self.tally,
            interrupted,
            connections: self.net.opened,
            sent_bytes,
            received_bytes,
            cpu_ns: os::thread_cpu_ns(),
            run_queue_ns: os::thread_run_queue_ns().saturating_sub(waited_before_ns),
            backend: self.net.backend(),
            priority,
        })
    }

    /// Handles what happened. What falls due meanwhile is begun in between, lest it wait for the end of a long batch;
    /// and the batch ends somewhere, lest timeouts and the end of the load wait for a server that is faster than galo.
    fn drain(&mut self) {
        for _ in 0..NEWS_IN_A_ROW {
            let Some(news) = self.net.next() else { return };
            let at_ns = news.at_ns;
            self.hear(news);
            self.start_due(at_ns);
        }
    }

    /// What to let gather: nothing, unless so much happens that galo would be woken for each of it.
    fn gather(&self) -> Gather {
        if self.shared.waiting != Waiting::Asleep {
            return Gather::NOTHING;
        }
        match self.arrivals.gap_ns() {
            Some(gap_ns) if gap_ns < GATHER_NS => Gather { ns: GATHER_NS, count: GATHERED },
            Some(_) => Gather::NOTHING,
            // The closed model: a part of the users, so that the others keep the server busy meanwhile.
            None => Gather { ns: GATHER_NS, count: (self.users.present() / 4).clamp(1, GATHERED) },
        }
    }

    /// When there is something to do even if nothing happens.
    fn wake_ns(&self, now: u64, gather: Gather) -> u64 {
        // What waits for a connection is woken by whatever frees one.
        let arrival = self.arrivals.next_ns(self.arrival_offset(now).unwrap_or(0)).filter(|_| !self.no_room);
        let arrival = arrival.map(|offset_ns| self.arrival_ns(offset_ns) + gather.ns);
        let paused = self.pauses.peek().filter(|_| !self.no_room).map(|(at_ns, _)| at_ns);
        let begun = [paused, arrival].map(|at_ns| at_ns.and_then(|at_ns| self.begins_by(at_ns)));
        let timers = [self.connect_timeouts.next_ns(), self.answer_timeouts.next_ns(), self.slice_wake_ns()];
        let first = timers.into_iter().chain(begun).flatten().min().unwrap_or(u64::MAX);
        let look_ns = if self.arrivals.are_waiting() { WAIT_CHECK_NS } else { STOP_CHECK_NS };
        first.min(self.cut_ns()).min(now + look_ns)
    }

    /// Time since the start of the load.
    fn offset_ns(&self, at_ns: u64) -> u64 {
        at_ns.saturating_sub(self.shared.start_ns)
    }

    /// Begins what fell due by `by_ns`, in the order of time, up to [`STARTS_IN_A_ROW`].
    fn start_due(&mut self, by_ns: u64) {
        for _ in 0..STARTS_IN_A_ROW {
            let Some(slot) = self.next_due(by_ns) else { return };
            self.start(slot, by_ns);
        }
    }

    /// The user whose step falls due first, if that is by `by_ns` and there is room for its request.
    fn next_due(&mut self, by_ns: u64) -> Option<u32> {
        let by_ns = self.begins_by(by_ns)?;
        self.no_room = false;
        loop {
            let paused = self.pauses.peek().filter(|(at_ns, _)| *at_ns <= by_ns);
            let before_ns = paused.map_or(by_ns, |(at_ns, _)| at_ns);
            let arriving = self.arrival_offset(before_ns).and_then(|by| self.arrivals.peek_due(by));
            let scenario = match (arriving, paused) {
                (Some(scenario), _) => scenario,
                (None, Some((_, slot))) => self.users.get(slot).scenario,
                (None, None) => {
                    self.blocked = false;
                    return None;
                }
            };
            if !self.net.has_room(scenario, self.shared.scenarios[scenario].connection) {
                (self.blocked, self.no_room) = (true, true);
                return None;
            }
            if let Some(slot) = self.take_due(by_ns)? {
                return Some(slot);
            }
        }
    }

    /// Takes what falls due first, if that is by `by_ns`: the user whose step it is, or nobody's (a user who rests is
    /// gone now, one who arrives waits for its first step).
    fn take_due(&mut self, by_ns: u64) -> Option<Option<u32>> {
        let paused_until = self.pauses.peek().map_or(u64::MAX, |(at_ns, _)| at_ns);
        let before = self.arrival_offset(by_ns.min(paused_until));
        let now = self.arrival_offset(by_ns).unwrap_or(0);
        if let Some(arrival) = before.and_then(|before| self.arrivals.pop_due(before, now)) {
            return Some(self.enter(arrival));
        }
        let (_, slot) = self.pauses.pop_due(by_ns)?;
        if self.users.get(slot).phase == Phase::Resting {
            self.leave(slot);
            return Some(None);
        }
        self.put_off(slot);
        Some(Some(slot))
    }

    /// Ends the operations whose time is over. Called when all that had happened was handled, so an answer that only
    /// waited for galo to read it is not taken for missing.
    fn expire(&mut self, now: u64) {
        while let Some(slot) = self.connect_timeouts.due(now) {
            self.time_out(slot, now);
        }
        while let Some(slot) = self.answer_timeouts.due(now) {
            self.time_out(slot, now);
        }
    }

    /// Ends the load here: what is under way is unfinished, what fell due but was not begun as well; what was still
    /// to come is not intended at all.
    fn cut(&mut self, now: u64) {
        self.arrivals.end_closed();
        for slot in self.users.under_way() {
            self.leave_unfinished(slot, now);
        }
        while let Some(taken) = self.take_due(now) {
            if let Some(slot) = taken {
                self.fall_due(slot);
                self.leave_unfinished(slot, now);
            }
        }
    }

    fn leave_unfinished(&mut self, slot: u32, now: u64) {
        let script = self.script(slot);
        let sent = self.take_for_sent(slot);
        let ending = Ending::unfinished(script, sent, self.users.get(slot).response.status());
        self.record(slot, now, ending);
        self.leave(slot);
    }
}

/// How many operations one thread will have, as far as that is known.
fn expected_operations(shared: &Shared<'_>) -> u64 {
    let each = |source: &Source| {
        let requests =
            source.scenarios.iter().map(|&scenario| shared.plan.scenarios[scenario].requests()).max();
        let users = source.arrivals.users().unwrap_or(0) / shared.threads as u64 + 1;
        users.saturating_mul(requests.unwrap_or(0))
    };
    shared.plan.sources.iter().map(each).sum()
}
