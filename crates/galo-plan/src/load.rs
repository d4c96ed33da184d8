//! What the load engine is to drive: who sends which requests when, where to, and over what.
//!
//! A fight's [`Plan`] becomes one for each round; `galo load` makes one from its options.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use sha2::{Digest, Sha256};

use crate::address::Url;
use crate::challenge::{Connection, Header, Scenario, Step, Timeouts};
use crate::described::Described;
use crate::digest::hex;
pub use crate::draw::Pick;
use crate::draw::{below, draw};
use crate::flow::Flow;
use crate::injection::{Injection, Poisson};
use crate::model::{ChallengeData, ChallengeModel};
use crate::plan::Plan;
use crate::seed::Seed;

/// First word of what is drawn for Poisson arrivals, so that they share no draw with anything else.
const POISSON: u64 = u64::from_be_bytes(*b"poisson\0");

/// Everything that the engine does, given the machine's clock and sockets.
pub struct LoadPlan {
    /// Seed of all that the engine draws: pauses, header values, Poisson arrivals, targets.
    pub seed: u64,
    /// Sent with every request, in this order; a step's own header takes the place of one of the same name.
    pub headers: Vec<Header>,
    /// Bounds for every operation.
    pub timeouts: Timeouts,
    /// What a user does.
    pub scenarios: Vec<Scenario>,
    /// Who arrives when, and for which scenario.
    pub sources: Vec<Source>,
    /// Where each scenario's requests go, by scenario index.
    pub targets: Vec<Target>,
    /// How requests travel.
    pub transport: Transport,
    /// Bounds of the connections that scenarios with [`Connection::Shared`] share.
    pub pool: Pool,
    /// An answer with one of these statuses ends the load.
    pub stop_statuses: Vec<u16>,
    /// The rows that templates insert, and the examiner of answers.
    pub data: Box<dyn ChallengeData>,
}

/// Users that arrive by one rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// When they arrive.
    pub arrivals: Arrivals,
    /// Indices into the plan's scenarios, at least one. User `n` takes one of them.
    pub scenarios: Vec<usize>,
    /// Which of them.
    pub pick: Pick,
    /// Number of the user who arrives first: users are numbered from here, and with them their rows and all that is
    /// drawn for them. 0 but where an earlier load of the same things went before.
    pub first_user: u64,
    /// Indices of earlier sources whose users must all have left before the first of these arrives: their time counts from then
    /// on. Empty: it counts from the start of the load.
    pub after: Vec<usize>,
}

/// When users arrive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arrivals {
    /// Open model: whatever the server does, by the injection's arrival rate.
    Open {
        /// The arrival rate over time.
        injection: Injection,
        /// How the single arrivals lie in it.
        spacing: Spacing,
    },
    /// Closed model: always this many users at once; where one leaves, the next enters.
    Closed {
        /// At once, at least 1.
        users: u32,
        /// How many enter in all; `None`: no bound.
        total: Option<u64>,
        /// How long new ones enter; `None`: no bound.
        duration_ns: Option<u64>,
    },
}

/// How arrivals lie in an arrival rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spacing {
    /// User `n` at the earliest time at which the integral of the rate reaches `n`.
    Even,
    /// A Poisson process of that rate, drawn by the plan's seed.
    Poisson,
}

/// A server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// `host` or `host:port` as the `Host` header and `:authority` give it.
    pub authority: String,
    /// The name that its certificate must have, which is asked for by SNI as well.
    pub host: String,
    /// `host:port` as a proxy is asked for it.
    pub place: String,
    /// Whether requests travel encrypted.
    pub tls: bool,
    /// Where it listens.
    pub address: Address,
}

/// Where a server listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// TCP.
    Ip(SocketAddr),
    /// A Unix socket.
    Unix(PathBuf),
}

/// How requests travel.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Transport {
    /// Which HTTP.
    pub protocol: Protocol,
    /// For encrypted targets.
    pub tls: TlsSettings,
    /// An HTTP proxy that tunnels every connection (`CONNECT`).
    pub proxy: Option<Proxy>,
}

/// An HTTP proxy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proxy {
    /// Where it listens.
    pub address: Address,
    /// `host:port` for messages.
    pub authority: String,
    /// Value of `Proxy-Authorization`, if any.
    pub authorization: Option<String>,
}

/// Which HTTP is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Protocol {
    /// HTTP/1.1.
    #[default]
    Http1,
    /// HTTP/2: by ALPN where encrypted, by prior knowledge where not.
    Http2,
}

/// Certificates that are trusted, and the one that galo shows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TlsSettings {
    /// PEM file of certificates to trust instead of the machine's own.
    pub roots: Option<PathBuf>,
    /// Whether any certificate will do.
    pub insecure: bool,
    /// PEM files of galo's own certificates and their key.
    pub client: Option<(PathBuf, PathBuf)>,
}

/// Bounds of shared connections, for each target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pool {
    /// Connections at most, at least 1. A request that finds all of them busy waits, and its latency counts that.
    pub connections: u32,
    /// Requests at once on one connection, at least 1 (more than 1 only by HTTP/2).
    pub streams: u32,
}

impl Default for Pool {
    fn default() -> Self {
        Self { connections: 64, streams: 1 }
    }
}

impl Target {
    /// The server of a URL, which listens at `address`.
    pub fn named(url: &Url, address: Address) -> Self {
        Self {
            authority: url.authority.clone(),
            host: url.name.clone(),
            place: url.place(),
            tls: url.tls,
            address,
        }
    }

    /// A server on an IP address, unencrypted.
    pub fn plain(address: SocketAddr) -> Self {
        Self {
            authority: address.to_string(),
            host: address.ip().to_string(),
            place: address.to_string(),
            tls: false,
            address: Address::Ip(address),
        }
    }
}

impl Source {
    /// Users of one scenario, evenly spaced.
    pub fn open(scenario: usize, injection: Injection) -> Self {
        Self {
            arrivals: Arrivals::Open { injection, spacing: Spacing::Even },
            scenarios: vec![scenario],
            pick: Pick::InTurn,
            first_user: 0,
            after: Vec::new(),
        }
    }

    /// Users of one scenario, as a profile has them.
    pub fn of_flow(scenario: usize, flow: &Flow) -> Self {
        let arrivals = match flow {
            Flow::Open(injection) => return Self::open(scenario, injection.clone()),
            Flow::Closed(closed) => Arrivals::Closed {
                users: closed.at_once,
                total: Some(flow.users()),
                duration_ns: Some(closed.duration_ns),
            },
            Flow::Once(once) => {
                Arrivals::Closed { users: once.users, total: Some(flow.users()), duration_ns: None }
            }
        };
        Self { arrivals, scenarios: vec![scenario], pick: Pick::InTurn, first_user: 0, after: Vec::new() }
    }

    /// Which scenario user `n` takes.
    pub fn scenario(&self, seed: u64, n: u64) -> usize {
        let count = self.scenarios.len() as u64;
        let index = match self.pick {
            _ if count <= 1 => 0,
            Pick::InTurn => n % count,
            Pick::Random => draw(seed, &[n]) % count,
        };
        self.scenarios[index as usize]
    }
}

impl Arrivals {
    /// Users in all (by [`Spacing::Poisson`]: on average); `None`: as many as there is time for.
    pub fn users(&self) -> Option<u64> {
        match self {
            Self::Open { injection, .. } => Some(injection.users()),
            Self::Closed { total, .. } => *total,
        }
    }

    /// How long users arrive at most, in nanoseconds; `None`: no bound in time.
    pub fn duration_ns(&self) -> Option<u64> {
        match self {
            Self::Open { injection, .. } => Some(injection.duration_ns()),
            Self::Closed { duration_ns, .. } => *duration_ns,
        }
    }

    /// Whether all users enter together, and nobody after them.
    pub fn enter_once(&self) -> bool {
        matches!(self, Self::Closed { users, total: Some(total), .. } if *total <= u64::from(*users))
    }

    /// Arrival rate at `at_ns` in users a second; `None`: the server's answers decide.
    pub fn rate_at(&self, at_ns: u64) -> Option<f64> {
        match self {
            Self::Open { injection, .. } => Some(injection.rate_at(at_ns)),
            Self::Closed { .. } => None,
        }
    }
}

impl LoadPlan {
    /// SHA-256 of what is sent, and in which order, in hex: by this it is seen whether the file that it was read from changed.
    pub fn requests_sha256(&self) -> String {
        let order = self.sources.iter().map(|source| &source.scenarios).collect::<Vec<_>>();
        // No map in a scenario has keys other than strings, so there is nothing that JSON could not write.
        let text = serde_json::to_vec(&(&self.scenarios, order, self.data.file_sha256())).unwrap_or_default();
        hex(&Sha256::digest(text))
    }

    /// What one round of this seed sends, to a contender at `target`.
    pub fn of_round(plan: &Plan, seed: Seed, model: &dyn ChallengeModel, target: SocketAddr) -> Self {
        let present: Vec<usize> = plan.scenarios().map(|(index, ..)| index).collect();
        let sources = plan.scenarios().map(|(index, scenario, traffic)| {
            // A scenario without users in this profile is not waited for.
            let place = |after: &usize| present.iter().position(|index| index == after);
            let after = scenario.after.iter().filter_map(place).collect();
            Source { after, ..Source::of_flow(index, &traffic.flow) }
        });
        let sources = sources.collect();
        Self::of_sources(plan, seed, sources, plan.prepare(seed, model), target)
    }

    /// One request again and again, by HTTP/1.1. `timeout`: the bound for connecting, and for an answer.
    pub fn repeating(
        step: Step,
        connection: Connection,
        timeout: Duration,
        arrivals: Arrivals,
        target: Target,
    ) -> Self {
        let timeout_ns = u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX);
        Self {
            seed: 0,
            headers: vec![Header::new("User-Agent", "galo")],
            timeouts: Timeouts { connect_ns: timeout_ns, answer_ns: timeout_ns },
            scenarios: vec![Scenario::of_one_step(step, connection)],
            sources: vec![Source {
                arrivals,
                scenarios: vec![0],
                pick: Pick::InTurn,
                first_user: 0,
                after: Vec::new(),
            }],
            targets: vec![target],
            transport: Transport::default(),
            pool: Pool::default(),
            stop_statuses: Vec::new(),
            data: Box::new(Described::default()),
        }
    }

    /// What these sources' users send, by the scenarios of a fight's plan.
    pub(crate) fn of_sources(
        plan: &Plan,
        seed: Seed,
        sources: Vec<Source>,
        data: Box<dyn ChallengeData>,
        target: SocketAddr,
    ) -> Self {
        let challenge = &plan.challenge;
        // Whoever is always there is never without a connection.
        let at_once = plan.scenarios().filter_map(|(_, _, traffic)| traffic.flow.at_once()).sum::<u32>();
        let connections = Pool::default().connections.max(at_once);
        Self {
            seed: seed.word("load", &[]),
            headers: challenge.headers.clone(),
            timeouts: challenge.timeouts,
            scenarios: challenge.scenarios.clone(),
            sources,
            targets: vec![Target::plain(target); challenge.scenarios.len()],
            transport: Transport::default(),
            pool: Pool { connections, ..Pool::default() },
            stop_statuses: Vec::new(),
            data,
        }
    }

    /// The same to a server that only answers: whatever status under 400 comes is right, and no answer is looked into.
    #[must_use]
    pub fn unexamined(mut self) -> Self {
        for step in self.scenarios.iter_mut().flat_map(|scenario| &mut scenario.steps) {
            step.statuses = Step::ANY_GOOD_STATUS.collect();
            step.check = None;
            step.creates = false;
        }
        self
    }

    /// The same through whoever it was to go to: each connection begins by asking for a tunnel to `origin`.
    #[must_use]
    pub fn tunnelled(mut self, origin: SocketAddr) -> Self {
        let proxy = self.targets.first().map(|proxy| Proxy {
            address: proxy.address.clone(),
            authority: proxy.authority.clone(),
            authorization: None,
        });
        self.transport.proxy = proxy;
        self.targets = vec![Target::plain(origin); self.targets.len()];
        self
    }

    /// Number of steps of all scenarios: flat step numbers are below it.
    pub fn steps(&self) -> usize {
        self.scenarios.iter().map(|scenario| scenario.steps.len()).sum()
    }

    /// Requests of one user, on average over all that its sources' users may do; 1 where nobody does anything.
    pub fn requests_per_user(&self) -> f64 {
        let taken = self.sources.iter().flat_map(|source| &source.scenarios);
        let requests = taken.filter_map(|scenario| Some(self.scenarios.get(*scenario)?.requests()));
        let (users, requests) = requests.fold((0, 0), |(users, all), requests| (users + 1, all + requests));
        if users == 0 { 1.0 } else { requests as f64 / users as f64 }
    }

    /// The longest that one user may be there, in nanoseconds, if each of its requests takes as long as it may.
    pub fn longest_user_ns(&self) -> u64 {
        let Timeouts { connect_ns, answer_ns } = self.timeouts;
        let each = |step: &Step| {
            let (_, pause_ns) = step.pause_ns.unwrap_or_default();
            connect_ns.saturating_add(answer_ns).saturating_add(pause_ns)
        };
        let of = |scenario: &Scenario| scenario.steps.iter().map(each).fold(0, u64::saturating_add);
        self.scenarios.iter().map(of).max().unwrap_or(0)
    }

    /// How long users arrive, in nanoseconds, where no source waits longer for others than those arrive. `None`: no bound in time.
    pub fn duration_ns(&self) -> Option<u64> {
        self.ends_ns(0)
    }

    /// When the last user arrives at the latest, in nanoseconds: if each that others wait for takes as long as it may. `None`: no bound in
    /// time.
    pub fn latest_ns(&self) -> Option<u64> {
        self.ends_ns(self.longest_user_ns())
    }

    /// `waited_ns`: what the last user of a source takes, for which others wait.
    fn ends_ns(&self, waited_ns: u64) -> Option<u64> {
        let mut ends: Vec<u64> = Vec::with_capacity(self.sources.len());
        for source in &self.sources {
            let ended = |before: &usize| Some(ends.get(*before)?.saturating_add(waited_ns));
            let begins = source.after.iter().map(ended).try_fold(0, |last, end| Some(last.max(end?)))?;
            // Users that enter together take no time to arrive beside those that arrive over time.
            let at_once = (self.sources.len() > 1 && source.arrivals.enter_once()).then_some(0);
            ends.push(begins.saturating_add(source.arrivals.duration_ns().or(at_once)?));
        }
        Some(ends.into_iter().max().unwrap_or(0))
    }

    /// The arrivals of a source with [`Spacing::Poisson`], each source with its own; `None` for any other source.
    pub fn poisson(&self, source: usize) -> Option<Poisson> {
        match &self.sources.get(source)?.arrivals {
            Arrivals::Open { injection, spacing: Spacing::Poisson } => {
                Some(injection.poisson(draw(self.seed, &[POISSON, source as u64])))
            }
            _ => None,
        }
    }

    /// The pause before a step for one user, drawn by seed, scenario, step and user alone.
    pub fn pause_ns(&self, scenario: usize, step: usize, user: u64) -> u64 {
        let bounds = self.scenarios.get(scenario).and_then(|s| s.steps.get(step)?.pause_ns);
        let Some((least, most)) = bounds else { return 0 };
        let drawn = draw(self.seed, &[scenario as u64, step as u64, user]);
        least + below(drawn, u128::from(most.saturating_sub(least)) + 1)
    }
}

#[cfg(test)]
mod tests;
