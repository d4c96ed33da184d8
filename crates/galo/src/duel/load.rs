//! One load at one side, measured.

use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Result;
use galo_host::Running;
use galo_load::{Backend, LoadOptions, LoadOutcome};
use galo_plan::load::{Address, Arrivals, Pick, Pool, Spacing, Transport};
use galo_plan::request::Url;
use galo_plan::{Injection, LoadPlan};
use galo_record::duel::{LevelTerms, TurnLatency, TurnLoad};
use galo_record::round::StepRecord;
use galo_record::{Events, Ledger, RoundData, RoundRecord, StepLatencies, Window};
use galo_report::LoadReport;
use galo_watch::Watcher;

use super::answers::Kept;
use super::setup::Traffic;
use crate::exit::WrongUse;
use crate::load::void;

/// After the last arrival, beside the timeout.
const DRAIN_MORE: Duration = Duration::from_secs(1);
/// How long connecting may take when a server's address is looked for.
const CONNECT: Duration = Duration::from_secs(2);

/// What loads share.
pub(super) struct Gun {
    pub(super) stop: Arc<AtomicBool>,
    pub(super) events: Events,
    pub(super) threads: usize,
}

/// What a load is about.
pub(super) struct Shot<'a> {
    pub(super) traffic: &'a Traffic,
    pub(super) url: &'a str,
    pub(super) terms: &'a LevelTerms,
    /// In a closed loop no more than this many requests; `None`: as many as there is time for.
    pub(super) total: Option<u64>,
    pub(super) first_user: u64,
    /// Where answers go, and how many of them.
    pub(super) keep: Option<(&'a Kept, u64)>,
}

impl Gun {
    /// Drives one load; whether the caller broke it off stands beside it.
    ///
    /// # Errors
    /// What kept the engine from running; nobody listens at the address.
    pub(super) fn fire(&self, shot: &Shot<'_>, running: Option<&Running>) -> Result<(TurnLoad, bool)> {
        let (plan, timeout_ns) = plan(shot)?;
        let options = LoadOptions {
            threads: self.threads,
            history: false,
            // At a rate that a plan bounds; a closed loop would take the core from whoever is there.
            real_time: shot.terms.rate_micro.is_some(),
            backend: Backend::Auto,
            spin: false,
            drain: Duration::from_nanos(timeout_ns).saturating_add(DRAIN_MORE),
            stop: Arc::clone(&self.stop),
            events: self.events.clone(),
            seconds: None,
        };
        let watcher = running.map(|running| Watcher::start(running.placement())).transpose()?;
        let outcome = galo_load::run(&plan, &options);
        let samples = watcher.map(Watcher::stop).unwrap_or_default();
        let outcome = outcome?;
        let mut round = RoundData::new(RoundRecord::new(1, 0, 0));
        (round.record.load_started_ns, round.record.load_ended_ns) = (outcome.started_ns, outcome.ended_ns);
        round.samples = samples;
        Ok((measured(shot, &outcome, &round), outcome.interrupted))
    }
}

fn plan(shot: &Shot<'_>) -> Result<(LoadPlan, u64)> {
    let requests = shot.traffic.resolve()?;
    let timeout_ns = requests.timeouts.answer_ns;
    let LevelTerms { length_ns, rate_micro, connections, .. } = *shot.terms;
    let arrivals = match rate_micro {
        Some(rate_micro) => Arrivals::Open {
            injection: Injection::constant(rate_micro, Duration::from_nanos(length_ns)),
            spacing: Spacing::Even,
        },
        None => Arrivals::Closed { users: connections, total: shot.total, duration_ns: Some(length_ns) },
    };
    let pool = Pool { connections, streams: 1 };
    let users = arrivals.users();
    let mut plan = requests.into_plan(arrivals, Pick::Random, Transport::default(), pool, listening)?;
    plan.sources.iter_mut().for_each(|source| source.first_user = shot.first_user);
    if let Some((kept, most)) = shot.keep {
        let every = users.unwrap_or(most) / most.max(1);
        kept.watch(&mut plan, shot.first_user, every, most);
    }
    Ok((plan, timeout_ns))
}

/// The first address of a host at which somebody listens: `localhost` may be two.
fn listening(url: &Url) -> Result<Address> {
    let found = (url.host.as_str(), url.port).to_socket_addrs().map_err(|error| {
        WrongUse(format!("the host `{}` cannot be found: {error}\nhint: check the name", url.host))
    })?;
    let addresses: Vec<SocketAddr> = found.collect();
    let open = addresses.iter().find(|address| TcpStream::connect_timeout(address, CONNECT).is_ok());
    open.map(|address| Address::Ip(*address)).ok_or_else(|| {
        let hint = "start the server, or give the address at which it listens";
        WrongUse(format!("nobody listens at {}\nhint: {hint}", url.authority)).into()
    })
}

fn measured(shot: &Shot<'_>, outcome: &LoadOutcome, round: &RoundData) -> TurnLoad {
    let mut ledger = Ledger::default();
    let mut latencies = StepLatencies::default();
    let (mut statuses, mut errors) = (BTreeMap::new(), BTreeMap::new());
    for step in &outcome.steps {
        ledger.add(&step.ledger);
        step.statuses.iter().for_each(|(status, n)| *statuses.entry(*status).or_default() += n);
        step.errors.iter().for_each(|(kind, n)| *errors.entry(kind.clone()).or_default() += n);
    }
    outcome.latencies.iter().for_each(|each| latencies.add(each));
    let elapsed_ns = outcome.ended_ns.saturating_sub(outcome.started_ns);
    let all = latencies.all();
    let latency = TurnLatency {
        count: all.count(),
        us_p50: all.quantile_us(0.5),
        us_p90: all.quantile_us(0.9),
        us_p99: all.quantile_us(0.99),
        us_max: all.max_us(),
    };
    let step = StepRecord { ledger, ..StepRecord::default() };
    let report = LoadReport::new(shot.url, elapsed_ns, &step, &latencies, &outcome.engine);
    let window = round.window();
    TurnLoad {
        level: shot.terms.level,
        elapsed_ns,
        ledger,
        statuses,
        errors,
        latency,
        cpu_ns: window.and_then(Window::cpu_ns),
        memory_peak_bytes: window.and_then(Window::memory_peak_bytes),
        anonymous_peak_bytes: window.and_then(Window::anonymous_peak_bytes),
        lag_us_p99: outcome.engine.lag_us_p99,
        void: void::reasons(&report, shot.terms.rate_micro.is_some()),
    }
}
