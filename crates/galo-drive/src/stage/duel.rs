//! Performs the acts of a duel: two sides started, driven, standing still, ended.

mod slices;

use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use galo_host::{Host, Running, contact};
use galo_load::{Backend, LoadOptions, LoadOutcome};
use galo_plan::address::Url;
use galo_plan::load::{Address, Arrivals, Spacing};
use galo_plan::{Blame, DuelPlan, LoadPlan};
use galo_record::act::{
    Act, Acted, Alternated, Alternation, LoadTerms, Loaded, Outcome, Started, Stopped, Workload,
};
use galo_record::duel::{AnswersRecord, LevelTraffic};
use galo_record::{
    Events, HostFact, LoadFigures, LoadRecord, LoadUsage, Placement, RoundData, RoundRecord, RunWriter,
    Sample, StepLatencies, Window,
};
use galo_watch::Watcher;

use super::answers::{Answers, Kept, compare};
use super::contender::LOGS;
use super::load::run_engine;
use crate::{DriveError, Stage};
use slices::{Driven, Lane};

/// How long connecting may take when it is tried whether anybody listens.
const CONNECT: Duration = Duration::from_secs(2);
/// After the last arrival of a load, beside the timeout.
const DRAIN_MORE: Duration = Duration::from_secs(1);
/// Of the folders of each side's logs.
const NAMES: [&str; 2] = ["first", "second"];

/// What the stage of a duel needs.
pub struct DuelMeans<'a> {
    /// All terms, with their secrets.
    pub plan: &'a DuelPlan,
    /// What each side is sent. Each load sets its arrivals, and each start of a command where it goes.
    pub loads: [LoadPlan; 2],
    /// Where commands come from; `None`: there are none.
    pub host: Option<&'a Host>,
    /// Where it is written down.
    pub writer: &'a RunWriter,
    /// Threads of the load engine.
    pub threads: usize,
    /// Set by the caller to break off.
    pub stop: &'a Arc<AtomicBool>,
    /// For whoever watches.
    pub events: &'a Events,
}

/// Performs the acts of a duel.
pub struct DuelStage<'a> {
    plan: &'a DuelPlan,
    host: Option<&'a Host>,
    /// Where the logs of all starts go.
    logs: PathBuf,
    threads: usize,
    stop: &'a Arc<AtomicBool>,
    events: &'a Events,
    corners: [Corner; 2],
    /// Answers that wait for the other side's, with the number of their first user.
    answers: Option<(usize, u64, Answers)>,
}

/// One side.
struct Corner {
    load: LoadPlan,
    kept: Kept,
    /// While it is up, if galo started it.
    running: Option<Box<dyn Running>>,
    starts: u32,
}

impl Corner {
    /// Makes ready for a load, and for the answers of it that are to be compared.
    fn expect(&mut self, traffic: &LevelTraffic) {
        let arrivals = arrivals(traffic);
        // A load that takes its requests in turn begins with the first one.
        let requests = self.load.sources.first().map_or(1, |source| source.scenarios.len() as u64);
        let first_user = traffic.first_user.next_multiple_of(requests.max(1));
        self.kept.expect(first_user, arrivals.users(), traffic.kept);
        for source in &mut self.load.sources {
            (source.arrivals, source.first_user) = (arrivals.clone(), first_user);
        }
        self.load.pool.connections = traffic.terms.connections;
    }
}

impl<'a> DuelStage<'a> {
    /// Nothing is up yet. `before`: the acts of the run so far.
    pub fn new(means: DuelMeans<'a>, before: &[Acted]) -> Self {
        let DuelMeans { plan, loads: [first, second], host, writer, threads, stop, events } = means;
        let corner = |side: usize, mut load: LoadPlan| {
            let kept = Kept::watching(&mut load);
            let is_start = |acted: &&Acted| acted.act == Act::Start { contender: side };
            Corner { load, kept, running: None, starts: before.iter().filter(is_start).count() as u32 }
        };
        if plan.pace.in_slices {
            host.inspect(|host| host.ration());
        }
        let corners = [corner(0, first), corner(1, second)];
        Self { plan, host, logs: writer.path().join(LOGS), threads, stop, events, corners, answers: None }
    }

    fn corner(&mut self, side: usize) -> Result<&mut Corner, DriveError> {
        self.corners.get_mut(side).ok_or_else(|| DriveError::Bug("a side that a duel has not".to_owned()))
    }

    /// `None`: the caller broke it off.
    fn start(&mut self, side: usize) -> Result<Option<Outcome>, DriveError> {
        let (plan, host, logs) = (self.plan, self.host, self.logs.clone());
        let corner = self.corner(side)?;
        corner.starts += 1;
        let placement = match (&plan.sides[side].command, host) {
            (Some(command), Some(host)) => {
                let logs = logs.join(format!("{}-{:02}", NAMES[side], corner.starts));
                match host.start(&command.contender, command.port, &logs) {
                    Ok(running) => Some(corner.running.insert(running).placement().clone()),
                    Err(error) if error.interrupted => return Ok(None),
                    Err(error) if error.blame == Blame::Contender => {
                        return Ok(Some(Outcome::NotReady(error.to_string())));
                    }
                    // Not the command's doing: nothing may be recorded against it.
                    Err(error) => return Err(error.into()),
                }
            }
            _ => None,
        };
        let url = Url::parse(&plan.sides[side].url).map_err(DriveError::Bug)?;
        let target = match listening(&url, plan.sides[side].command.is_none().then_some(&corner.load)) {
            Ok(target) => target,
            Err(reason) => return Ok(Some(Outcome::NotReady(reason))),
        };
        corner.load.targets.iter_mut().for_each(|to| to.address = Address::Ip(target));
        let there = || Placement {
            contender: plan.sides[side].name.clone(),
            target,
            limits_enforced: false,
            limits_note: Some("the server was already running, so galo set no limits".to_owned()),
            walls_note: None,
            services: Vec::new(),
        };
        let placement = placement.unwrap_or_else(there);
        Ok(Some(Outcome::Started(Box::new(Started { placement, databases: Vec::new() }))))
    }

    fn resume(&mut self, side: usize) -> Result<Outcome, DriveError> {
        let Some(running) = &mut self.corner(side)?.running else { return Ok(Outcome::Done) };
        let deaths = running.deaths();
        if !deaths.is_empty() {
            return Ok(Outcome::Gone(deaths));
        }
        running.resume();
        Ok(Outcome::Done)
    }

    /// `None`: the caller broke it off.
    fn load(&mut self, side: usize, traffic: &LevelTraffic) -> Result<Option<Outcome>, DriveError> {
        let options = self.options(side, traffic)?;
        let events = self.events;
        let corner = self.corner(side)?;
        corner.expect(traffic);
        let watcher =
            corner.running.as_ref().map(|running| Watcher::start(running.placement(), events)).transpose()?;
        let outcome = run_engine(&corner.load, &options);
        let samples = watcher.map(Watcher::stop).unwrap_or_default();
        let outcome = outcome?;
        if outcome.load.interrupted {
            return Ok(None);
        }
        let findings = corner.running.as_mut().map(|running| running.trouble()).unwrap_or_default();
        let kept = corner.kept.take();
        let answers = if traffic.kept == 0 { None } else { self.compared(side, traffic.first_user, kept) };
        let usage = usage_of(&outcome, samples);
        Ok(Some(Outcome::Loaded(Box::new(Loaded { findings, answers, ..reduced(&outcome, usage) }))))
    }

    /// `None`: the caller broke it off.
    fn alternate(&mut self, terms: &Alternation) -> Result<Option<Outcome>, DriveError> {
        let traffic = &terms.traffic;
        self.corners.iter_mut().for_each(|corner| corner.expect(traffic));
        let lane = |side: usize| {
            let Corner { load, running, .. } = &self.corners[side];
            // One side's progress is as good as the other's, and both at once are nobody's.
            let events = if side == 0 { self.events.clone() } else { Events::none() };
            let options = LoadOptions { events, ..self.options(side, traffic)? };
            Lane::new(load, options, running.as_deref())
        };
        let (driven, slices) = slices::alternate([lane(0)?, lane(1)?], terms, self.plan.seed)?;
        let restless = driven.each_ref().map(|side| side.restless);
        if driven.iter().any(|side| side.outcome.load.interrupted) {
            return Ok(None);
        }
        let [first, second] = &mut self.corners;
        let both = [first.kept.take(), second.kept.take()];
        let answers = (traffic.kept > 0).then(|| compare([&both[0], &both[1]], &self.plan.ignored));
        let findings = [first, second]
            .map(|corner| corner.running.as_mut().map(|running| running.trouble()).unwrap_or_default());
        let [first, second] = driven.map(|Driven { outcome, usage, .. }| reduced(&outcome, usage));
        let [of_first, of_second] = findings;
        let sides =
            [Loaded { findings: of_first, answers, ..first }, Loaded { findings: of_second, ..second }];
        Ok(Some(Outcome::Alternated(Box::new(Alternated { sides, slices, restless }))))
    }

    /// Compares a side's answers with those that the other one gave to the same requests; `None`: it was not asked yet, and they
    /// are kept for then.
    fn compared(&mut self, side: usize, first_user: u64, kept: Answers) -> Option<AnswersRecord> {
        match self.answers.take() {
            Some((other, user, its)) if other != side && user == first_user => {
                let both = if side == 0 { [&kept, &its] } else { [&its, &kept] };
                Some(compare(both, &self.plan.ignored))
            }
            _ => {
                self.answers = Some((side, first_user, kept));
                None
            }
        }
    }

    fn options(&self, side: usize, traffic: &LevelTraffic) -> Result<LoadOptions, DriveError> {
        let load = self.corners.get(side).map(|corner| &corner.load);
        Ok(LoadOptions {
            threads: self.threads,
            history: false,
            // At a rate that a plan bounds; a closed loop would take the core from whoever is there.
            real_time: traffic.terms.injection.is_some(),
            backend: Backend::Auto,
            spin: false,
            drain: Duration::from_nanos(load.map_or(0, LoadPlan::longest_user_ns)).saturating_add(DRAIN_MORE),
            stop: Arc::clone(self.stop),
            events: self.events.clone(),
            seconds: None,
            gate: None,
        })
    }

    /// Ends a side, if it is galo's to end and up.
    fn end(&mut self, side: usize) -> Result<Vec<HostFact>, DriveError> {
        let after = self.plan.sides[side].command.as_ref().and_then(|command| command.after.as_deref());
        let Some(running) = self.corner(side)?.running.take() else { return Ok(Vec::new()) };
        running.resume();
        let findings = running.stop().map_err(DriveError::Remains)?;
        after.map_or(Ok(()), run_after)?;
        Ok(findings)
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

impl Stage for DuelStage<'_> {
    type Bulk = ();

    fn perform(&mut self, act: &Act) -> Result<Option<Outcome>, DriveError> {
        if self.is_stopped() {
            return Ok(None);
        }
        Ok(Some(match act {
            Act::Begin(_) | Act::Close => Outcome::Done,
            Act::Start { contender } => return self.start(*contender),
            Act::Freeze { contender } => {
                self.corner(*contender)?.running.iter().for_each(|running| _ = running.pause());
                Outcome::Done
            }
            Act::Resume { contender } => self.resume(*contender)?,
            Act::Load(LoadTerms { contender, traffic: Workload::Level(traffic), .. }) => {
                return self.load(*contender, traffic);
            }
            Act::Alternate(terms) => return self.alternate(terms),
            Act::Stop { contender } => {
                Outcome::Stopped(Box::new(Stopped { findings: self.end(*contender)?, ..Stopped::default() }))
            }
            other => return Err(DriveError::Bug(format!("an act that a duel has not: {other:?}"))),
        }))
    }

    fn take_bulk(&mut self) {}

    fn clear(&mut self) -> Result<(), DriveError> {
        let ended = [0, 1].map(|side| self.end(side).map(drop));
        ended.into_iter().fold(Ok(()), Result::and)
    }
}

/// The address of a side at which somebody listens. `there`: its load, which knows the address of a server that galo does not
/// start.
fn listening(url: &Url, there: Option<&LoadPlan>) -> Result<SocketAddr, String> {
    let target = match there.and_then(|load| load.targets.first()).map(|target| &target.address) {
        Some(Address::Ip(target)) => *target,
        _ => {
            let hint = "check the name, and the machine's DNS";
            contact(&url.host, url.port).map_err(|error| format!("{error}\nhint: {hint}"))?.address
        }
    };
    TcpStream::connect_timeout(&target, CONNECT).map(|_| target).map_err(|_| {
        let hint = "start the server, or give the address at which it listens";
        format!("nobody listens at {}\nhint: {hint}", url.authority)
    })
}

/// How the users of a load arrive.
fn arrivals(traffic: &LevelTraffic) -> Arrivals {
    let terms = &traffic.terms;
    match &terms.injection {
        Some(injection) => Arrivals::Open { injection: injection.clone(), spacing: Spacing::Even },
        None => Arrivals::Closed {
            users: terms.connections,
            total: traffic.total,
            duration_ns: Some(terms.length_ns),
        },
    }
}

/// What a side used during its load; `None`: nobody watched.
fn usage_of(outcome: &LoadOutcome, samples: Vec<Sample>) -> Option<LoadUsage> {
    let mut round = RoundData::new(RoundRecord::new(1, 0, 0));
    (round.record.load.started_ns, round.record.load.ended_ns) =
        (outcome.load.started_ns, outcome.load.ended_ns);
    round.samples = samples;
    round.window().map(Window::all)
}

/// What is kept of a load: all of its steps as one, and what its bulk would tell.
fn reduced(outcome: &LoadOutcome, usage: Option<LoadUsage>) -> Loaded {
    let mut latencies = StepLatencies::default();
    outcome.latencies.iter().for_each(|each| latencies.add(each));
    let load = LoadRecord { steps: vec![outcome.load.total()], ..outcome.load.clone() };
    let figures = LoadFigures { latencies: latencies.all().to_sparse(), usage };
    Loaded { load, figures: Some(Box::new(figures)), ..Loaded::default() }
}

/// Runs what was to be run after each end.
fn run_after(command: &str) -> Result<(), DriveError> {
    let failed = |why: String| DriveError::After { command: command.to_owned(), why };
    match Command::new("/bin/sh").args(["-c", command]).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(failed(status.to_string())),
        Err(error) => Err(failed(error.to_string())),
    }
}
