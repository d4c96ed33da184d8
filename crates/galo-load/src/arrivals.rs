//! When one engine thread's users arrive: in the open model each by the closed form of its offset, so that nothing is
//! drawn up beforehand; in the closed model whenever one has left.

use std::iter::{Skip, StepBy};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use galo_plan::injection::Poisson;
use galo_plan::load::{Arrivals as Rule, Source};
use galo_plan::{Injection, LoadPlan};

use crate::net::share;

/// One user's arrival.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Arrival {
    /// Index into the plan's sources.
    pub(crate) source: usize,
    /// Index into the plan's scenarios.
    pub(crate) scenario: usize,
    /// Number in the source, which is also its row.
    pub(crate) user: u64,
    /// From the start of the load.
    pub(crate) offset_ns: u64,
}

/// When the users of one source have all left, whichever thread they belong to.
#[derive(Debug)]
pub(crate) struct End {
    /// Threads of whose users some are there or may still come.
    threads: AtomicUsize,
    /// Offset at which the last of them left, so far.
    at_ns: AtomicU64,
}

impl End {
    /// Makes one for each source of a plan.
    pub(crate) fn of_each(plan: &LoadPlan, threads: usize) -> Vec<Self> {
        let threads = |source| if does_something(plan, source) { threads } else { 0 };
        let new = |source| Self { threads: AtomicUsize::new(threads(source)), at_ns: AtomicU64::new(0) };
        plan.sources.iter().map(new).collect()
    }

    fn thread_is_done(&self, at_ns: u64) {
        self.at_ns.fetch_max(at_ns, Ordering::Relaxed);
        self.threads.fetch_sub(1, Ordering::AcqRel);
    }

    /// `None`: some are still there, or may come.
    fn at(&self) -> Option<u64> {
        (self.threads.load(Ordering::Acquire) == 0).then(|| self.at_ns.load(Ordering::Relaxed))
    }
}

fn does_something(plan: &LoadPlan, source: &Source) -> bool {
    source.scenarios.iter().any(|scenario| !plan.scenarios[*scenario].steps.is_empty())
}

/// The users of one source that belong to this thread.
#[derive(Debug)]
struct Stream<'p> {
    source: &'p Source,
    index: usize,
    /// Offset from which its time counts; `None`: whom it waits for have not all left.
    begins_ns: Option<u64>,
    /// Users that entered and have not left.
    present: u64,
    /// Whether all of them have left and none will come, and that was told.
    is_done: bool,
    /// Who is next, counted from the source's first user; `None`: there is none.
    next: Option<u64>,
    pace: Pace<'p>,
}

#[derive(Debug)]
enum Pace<'p> {
    /// The next one's offset is known.
    Open { offsets: Offsets<'p>, offset_ns: u64 },
    /// As many may enter now as there is room for, until this offset.
    Closed { room: u32, until_ns: u64, total: u64 },
}

/// Where the offsets of the open model come from.
#[derive(Debug)]
enum Offsets<'p> {
    /// Each from its number.
    Even(&'p Injection),
    /// One after another; those of other threads are left out.
    Poisson(Box<StepBy<Skip<Poisson>>>),
}

/// All arrivals of one thread, in the order of time.
#[derive(Debug)]
pub(crate) struct Arrivals<'p> {
    seed: u64,
    streams: Vec<Stream<'p>>,
    /// By source; empty: nobody waits for others.
    ends: &'p [End],
    threads: u64,
    /// Offset of the last arrival of the open model.
    last_ns: u64,
    /// Between the last two of them; `None`: there were none.
    gap_ns: Option<u64>,
}

impl<'p> Arrivals<'p> {
    /// The `n`th user of each source, from 0, belongs to thread `n mod threads`.
    pub(crate) fn new(plan: &'p LoadPlan, ends: &'p [End], thread: usize, threads: usize) -> Self {
        let sources = plan.sources.iter().enumerate().filter(|(_, source)| does_something(plan, source));
        let waits = plan.sources.iter().any(|source| !source.after.is_empty());
        let streams = sources.map(|(index, source)| Stream::new(plan, index, source, thread, threads));
        Self {
            seed: plan.seed,
            streams: streams.collect(),
            ends: if waits { ends } else { &[] },
            threads: threads as u64,
            last_ns: 0,
            gap_ns: None,
        }
    }

    /// Tells who has all left, and lets begin who waited for them.
    pub(crate) fn settle(&mut self, now_ns: u64) {
        if self.ends.is_empty() {
            return;
        }
        for stream in &mut self.streams {
            let ended = |last: u64, before: &usize| Some(last.max(self.ends[*before].at()?));
            let all_ended = || stream.source.after.iter().try_fold(0, ended);
            stream.begins_ns = stream.begins_ns.or_else(all_ended);
            if !stream.is_done && stream.present == 0 && stream.is_over(now_ns) {
                stream.is_done = true;
                self.ends[stream.index].thread_is_done(now_ns);
            }
        }
    }

    /// Whether some wait for others to leave.
    pub(crate) fn are_waiting(&self) -> bool {
        !self.ends.is_empty()
            && self.streams.iter().any(|stream| stream.begins_ns.is_none() && stream.next.is_some())
    }

    /// When the next arrival is due, if any is left or may come.
    pub(crate) fn next_ns(&self, now_ns: u64) -> Option<u64> {
        self.streams.iter().filter(|stream| !stream.is_over(now_ns)).filter_map(Stream::due_ns).min()
    }

    /// When the next arrival of the open model is due, or was, if any is left.
    pub(crate) fn next_open_ns(&self) -> Option<u64> {
        let open = self.streams.iter().filter(|stream| matches!(stream.pace, Pace::Open { .. }));
        open.filter_map(Stream::due_ns).min()
    }

    /// Whether nobody will arrive after `now_ns`, whoever leaves.
    pub(crate) fn are_over(&self, now_ns: u64) -> bool {
        self.streams.iter().all(|stream| stream.is_over(now_ns))
    }

    /// The scenario of the next arrival, if that is due by `by_ns`.
    pub(crate) fn peek_due(&self, by_ns: u64) -> Option<usize> {
        let stream = &self.streams[self.first_due(by_ns)?];
        Some(stream.source.scenario(self.seed, stream.number()?))
    }

    /// Takes the next arrival, if it is due by `by_ns`, which is not after `now_ns`.
    pub(crate) fn pop_due(&mut self, by_ns: u64, now_ns: u64) -> Option<Arrival> {
        let first = self.first_due(by_ns)?;
        let stream = &mut self.streams[first];
        let (next, user) = (stream.next?, stream.number()?);
        let begins_ns = stream.begins_ns?;
        stream.present += 1;
        let offset_ns = match &mut stream.pace {
            Pace::Open { offset_ns, .. } => {
                let offset_ns = begins_ns + *offset_ns;
                self.gap_ns = Some(offset_ns.saturating_sub(self.last_ns));
                self.last_ns = offset_ns;
                offset_ns
            }
            Pace::Closed { room, .. } => {
                *room -= 1;
                now_ns
            }
        };
        let scenario = stream.source.scenario(self.seed, user);
        let source = stream.index;
        stream.go_to(next + self.threads);
        Some(Arrival { source, scenario, user, offset_ns })
    }

    fn first_due(&self, by_ns: u64) -> Option<usize> {
        let due = |(index, stream): (usize, &Stream<'_>)| {
            stream
                .due_ns()
                .filter(|due_ns| *due_ns <= by_ns && !stream.is_over(by_ns))
                .map(|due_ns| (due_ns, index))
        };
        self.streams.iter().enumerate().filter_map(due).min().map(|(_, index)| index)
    }

    /// Whether this source is of the closed model.
    pub(crate) fn is_closed(&self, source: usize) -> bool {
        self.streams.iter().any(|stream| stream.index == source && matches!(stream.pace, Pace::Closed { .. }))
    }

    /// Nobody enters the closed model any more: what is broken off is not followed by others.
    pub(crate) fn end_closed(&mut self) {
        for stream in &mut self.streams {
            if matches!(stream.pace, Pace::Closed { .. }) {
                stream.next = None;
            }
        }
    }

    /// How far apart the last two arrivals of the open model were; `None`: there were none.
    pub(crate) const fn gap_ns(&self) -> Option<u64> {
        self.gap_ns
    }

    /// A user of this source left.
    pub(crate) fn left(&mut self, source: usize) {
        for stream in self.streams.iter_mut().filter(|stream| stream.index == source) {
            stream.present -= 1;
            if let Pace::Closed { room, .. } = &mut stream.pace {
                *room += 1;
            }
        }
    }
}

impl Offsets<'_> {
    fn next(&mut self, user: u64) -> Option<u64> {
        match self {
            Self::Even(injection) => injection.offset_ns(user),
            Self::Poisson(offsets) => offsets.next(),
        }
    }
}

impl<'p> Stream<'p> {
    /// The users of a source that belong to this thread.
    fn new(plan: &'p LoadPlan, index: usize, source: &'p Source, thread: usize, threads: usize) -> Self {
        let pace = match &source.arrivals {
            Rule::Open { injection, .. } => {
                let drawn = |all: Poisson| Offsets::Poisson(Box::new(all.skip(thread).step_by(threads)));
                let offsets = plan.poisson(index).map_or(Offsets::Even(injection), drawn);
                Pace::Open { offsets, offset_ns: 0 }
            }
            Rule::Closed { users, total, duration_ns } => {
                let room = share(u64::from(*users), thread, threads) as u32;
                let (until_ns, total) = (duration_ns.unwrap_or(u64::MAX), total.unwrap_or(u64::MAX));
                Pace::Closed { room, until_ns, total }
            }
        };
        let begins_ns = source.after.is_empty().then_some(0);
        let mut stream = Self { source, index, begins_ns, present: 0, is_done: false, next: None, pace };
        stream.go_to(thread as u64);
        stream
    }

    /// Number of the next user.
    fn number(&self) -> Option<u64> {
        self.next.map(|next| self.source.first_user.saturating_add(next))
    }

    /// Makes `user` the next one, if there is such a user.
    fn go_to(&mut self, user: u64) {
        self.next = match &mut self.pace {
            Pace::Open { offsets, offset_ns } => offsets.next(user).map(|at_ns| {
                *offset_ns = at_ns;
                user
            }),
            Pace::Closed { total, .. } => (user < *total).then_some(user),
        };
    }

    /// When its next user may enter; `None`: not before one leaves, or never.
    fn due_ns(&self) -> Option<u64> {
        self.next?;
        let begins_ns = self.begins_ns?;
        match self.pace {
            Pace::Open { offset_ns, .. } => Some(begins_ns + offset_ns),
            Pace::Closed { room, .. } => (room > 0).then_some(begins_ns),
        }
    }

    fn is_over(&self, now_ns: u64) -> bool {
        match self.pace {
            Pace::Open { .. } => self.next.is_none(),
            Pace::Closed { until_ns, .. } => {
                let ends_ns = self.begins_ns.map(|begins_ns| begins_ns.saturating_add(until_ns));
                self.next.is_none() || ends_ns.is_some_and(|ends_ns| now_ns >= ends_ns)
            }
        }
    }
}
