//! News for the live view. The view may miss some; the record never does.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use crate::{Placement, Sample};

/// One piece of news.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// A contender's `build` began; it may take minutes.
    Building {
        /// Contender's name.
        contender: String,
        /// The command.
        command: String,
    },
    /// A service was started.
    ServiceStarted {
        /// Service's name.
        service: String,
    },
    /// A service is not ready yet, and has had a moment for it.
    ServiceLate {
        /// Service's name.
        service: String,
        /// What it answered last.
        last: String,
        /// Where it listens, in words; empty: nowhere.
        listens: String,
    },
    /// A service became ready.
    ServiceReady {
        /// Service's name.
        service: String,
        /// Time since its start.
        after_ns: u64,
    },
    /// A service died while it should have run.
    ServiceDied {
        /// Service's name.
        service: String,
        /// Exit status in words, e.g. `exit status 1` or `killed by signal 9`.
        status: String,
    },
    /// galo killed services, as its plan says.
    ServicesKilled {
        /// Their names.
        services: Vec<String>,
    },
    /// A contender is up and watched from here on; what follows is of this one.
    Watched(Box<Placement>),
    /// What its services have used so far, several times a second.
    Sampled(Sample),
    /// Where the load is, several times a second.
    Progress(Progress),
    /// The count was read while waiting for it to come to rest.
    Counted {
        /// The number, if the answer held one.
        value: Option<u64>,
    },
}

/// Where the load is.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Progress {
    /// Since the start of the load.
    pub elapsed_ns: u64,
    /// How long users arrive; `None`: until enough have.
    pub duration_ns: Option<u64>,
    /// Arrival rate now, users per second over all scenarios; `None`: the closed model, where answers decide.
    pub arrival_rate: Option<f64>,
    /// Operations under way.
    pub in_flight: u64,
    /// Operations ended.
    pub done: u64,
    /// ... of these wrong.
    pub wrong: u64,
    /// ... of these failed or timed out.
    pub failed: u64,
    /// Latency from the intended start over the last interval.
    pub latency_us_p50: u64,
    /// Latency from the intended start over the last interval.
    pub latency_us_p99: u64,
    /// How late requests were sent over the last interval, by galo's own doing.
    pub lag_us_p99: u64,
}

/// The sending end. Cloning is cheap; sending never waits and never fails: what does not fit is dropped.
#[derive(Debug, Clone)]
pub struct Events(Option<SyncSender<Event>>);

impl Events {
    /// A channel for news.
    pub fn channel() -> (Self, Receiver<Event>) {
        let (sender, receiver) = sync_channel(1024);
        (Self(Some(sender)), receiver)
    }

    /// For nobody.
    pub const fn none() -> Self {
        Self(None)
    }

    /// Offers a piece of news.
    pub fn send(&self, event: Event) {
        if let Some(sender) = &self.0 {
            let _ = sender.try_send(event);
        }
    }
}
