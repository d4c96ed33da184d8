//! Performs the acts of rounds and holds: a contender started, counted, driven, asked, stopped.

mod in_turn;
mod soak;

use std::mem;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration;

use galo_host::{Running, volumes_bytes, volumes_in_memory};
use galo_load::{LoadOptions, LoadOutcome};
use galo_plan::instances::largest;
use galo_plan::{Blame, Contender, Holds, LoadPlan, PairId, Plan, Seed};
use galo_record::act::{
    Act, Kill, LoadTerms, Loaded, Outcome, Reading, Started, Stopped, UnitKind, UnitTerms, Workload,
};
use galo_record::clock::now_ns;
use galo_record::finding::NoOutageRound;
use galo_record::round::{Beside, CountReading};
use galo_record::{
    CrashKind, Halt, HostFact, Placement, Restarted, RoundData, RoundRecord, ServicePlacement,
};
use galo_watch::{FlushCounter, Logs, Witness};

use super::cases::{Asker, Patience};
use super::counter::Counter;
use super::kill::Killer;
use super::load::{LOOK, drain, keep, options, run_beside};
use super::lookups::{self, Lookups};
use super::means::{Means, Server};
use crate::{DriveError, Stage};

/// Readings of the count before the load, a look apart: for a second.
const QUIET_READINGS: usize = 5;
/// Time between two looks at the clock while services are to be killed at a moment.
const KILL_LOOK: Duration = Duration::from_millis(5);
/// Folder of logs in a unit's folder.
pub const LOGS: &str = "logs";

/// Performs the acts of rounds and holds.
pub struct ContenderStage<'a> {
    means: Means<'a>,
    /// What the unit is.
    kind: UnitKind,
    /// Seed of all that is drawn in the unit.
    seed: Seed,
    /// What is sent to the one that is up, load after load.
    holds: Holds<'a>,
    /// The unit's folder.
    folder: PathBuf,
    /// Whether what its load killed is up again.
    is_up_again: bool,
    /// Bytes in its volumes before its load.
    volumes_bytes: u64,
    /// How it was ended at rest and started again, if it was.
    halt: Option<Halt>,
    /// What was seen beside its load, once nobody looks any more.
    beside: Option<Beside>,
    /// The unit's bulk so far. Of its record only that which the bulk is taken by.
    data: RoundData,
    up: Option<Up>,
}

/// A contender that is up.
struct Up {
    /// Index into the plan's contenders.
    contender: usize,
    target: SocketAddr,
    /// What galo started.
    running: Option<Box<dyn Running>>,
    /// What sees it; only its first start in a unit is watched.
    witness: Option<Witness>,
    /// Open from before the load until its services end.
    flushes: Option<FlushCounter>,
}

impl<'a> ContenderStage<'a> {
    /// Nothing is up yet.
    pub fn new(means: Means<'a>) -> Self {
        let data = RoundData::new(RoundRecord::new(0, 0, 0));
        let seed = means.plan.seed;
        let kind = UnitKind::Round { contender: 0, slot: 0, pair: PairId::default(), crash: None };
        let holds = Holds::new(means.plan, means.model);
        Self {
            means,
            kind,
            seed,
            holds,
            folder: PathBuf::new(),
            is_up_again: false,
            volumes_bytes: 0,
            halt: None,
            beside: None,
            data,
            up: None,
        }
    }

    fn begin(&mut self, terms: &UnitTerms) -> Result<Outcome, DriveError> {
        self.kind = terms.kind.clone();
        self.seed = self.means.plan.seed;
        self.halt = None;
        let (contender, slot, suffix) = match terms.kind {
            UnitKind::Round { contender, slot, pair, crash } => {
                self.seed = self.means.plan.seed.of_pair(pair);
                let suffix = match crash {
                    None => "",
                    Some(CrashKind::Crash) => "-crash",
                    Some(CrashKind::Outage) => "-outage",
                };
                (contender, slot, suffix)
            }
            UnitKind::Hold { .. } => (0, 0, "-hold"),
            UnitKind::Soak => (0, 0, "-soak"),
            _ => return Err(not_of_a_round("a unit")),
        };
        self.data = RoundData::new(RoundRecord::new(terms.number, contender, slot));
        let name = format!("{}{suffix}", self.contender(contender)?.name);
        self.folder = self.means.writer.open_round(terms.number, &name)?;
        Ok(Outcome::Done)
    }

    fn contender(&self, index: usize) -> Result<&'a Contender, DriveError> {
        self.means
            .plan
            .contenders
            .get(index)
            .ok_or_else(|| DriveError::Bug("a contender that the plan has not".to_owned()))
    }

    fn up(&mut self) -> Result<&mut Up, DriveError> {
        self.up.as_mut().ok_or_else(|| DriveError::Bug("nothing is up".to_owned()))
    }

    /// Where the services are that galo started.
    fn placed(&self) -> Vec<ServicePlacement> {
        let running = self.up.as_ref().and_then(|up| up.running.as_ref());
        running.map(|running| running.placement().services.clone()).unwrap_or_default()
    }

    /// `None`: the caller broke it off.
    fn start(&mut self, index: usize) -> Result<Option<Outcome>, DriveError> {
        let contender = self.contender(index)?;
        let host = match self.means.server {
            Server::Hosted(host) => host,
            Server::There(target) => return Ok(Some(self.there(index, contender, target))),
        };
        let policy = &self.means.plan.challenge.policy;
        host.ready_when(policy.ready.as_deref());
        let port = policy.port;
        let running = match host.start(contender, port, &self.folder.join(LOGS)) {
            Ok(running) => running,
            Err(error) if error.interrupted => return Ok(None),
            Err(error) if error.blame == Blame::Contender => {
                return Ok(Some(Outcome::NotReady(error.to_string())));
            }
            // Not the contender's doing: nothing may be recorded against it.
            Err(error) => return Err(error.into()),
        };
        let placement = running.placement().clone();
        let target = placement.target;
        let services = running.services();
        self.up = Some(Up { contender: index, target, running: Some(running), witness: None, flushes: None });
        self.holds = Holds::new(self.means.plan, self.means.model);
        if let UnitKind::Hold { .. } | UnitKind::Soak = self.kind {
            // It is seen load by load.
            let databases = galo_watch::databases(&services);
            return Ok(Some(Outcome::Started(Box::new(Started { placement, databases }))));
        }
        let mut databases = Vec::new();
        // Figures of a round in which services are killed are nobody's, and its second start has none.
        let is_first = self.data.record.placement.replace(placement.clone()).is_none();
        if is_first && self.crash().is_none() {
            databases = galo_watch::databases(&services);
            let logs = Logs::whole(&placement);
            let witness = Witness::start(placement.clone(), &services, logs, self.means.events)?;
            self.up()?.witness = Some(witness);
        }
        Ok(Some(Outcome::Started(Box::new(Started { placement, databases }))))
    }

    /// A server that galo did not start: nothing to limit, watch or remove.
    fn there(&mut self, index: usize, contender: &Contender, target: SocketAddr) -> Outcome {
        let placement = Placement {
            contender: contender.name.clone(),
            target,
            limits_enforced: false,
            limits_note: Some("the server was already running, so galo set no limits".to_owned()),
            walls_note: None,
            services: Vec::new(),
        };
        self.data.record.placement = Some(placement.clone());
        self.up = Some(Up { contender: index, target, running: None, witness: None, flushes: None });
        Outcome::Started(Box::new(Started { placement, databases: Vec::new() }))
    }

    fn count(&mut self, reading: Reading) -> Result<Option<Outcome>, DriveError> {
        let target = self.up()?.target;
        let Some(count) = &self.means.plan.challenge.count else {
            return Err(DriveError::Bug("a count that the challenge has not".to_owned()));
        };
        let counter = Counter { count, target, stop: self.means.stop, events: self.means.events };
        let readings = match reading {
            Reading::First => vec![counter.first()?],
            Reading::Quiet => self.quiet(&counter),
            Reading::Once => vec![counter.read()],
            Reading::AtRest => counter.until_rest(),
        };
        // A count that was not waited for says nothing.
        Ok((!self.is_stopped()).then_some(Outcome::Counted(readings)))
    }

    fn quiet(&self, counter: &Counter<'_>) -> Vec<CountReading> {
        let mut readings = Vec::with_capacity(QUIET_READINGS);
        while readings.len() < QUIET_READINGS && !self.is_stopped() {
            std::thread::sleep(LOOK);
            readings.push(counter.read());
        }
        readings
    }

    fn load(&mut self, terms: &LoadTerms) -> Result<Option<Outcome>, DriveError> {
        let repeated;
        let repeats = match terms.traffic {
            Workload::Profile { repeats } => repeats,
            Workload::Soak { length_ns, .. } => return self.soak(&terms.traffic, length_ns),
            _ => return self.load_in_turn(&terms.traffic),
        };
        let plan = match repeats {
            1 => self.means.plan,
            times => {
                repeated = self.means.plan.repeated(times)?;
                &repeated
            }
        };
        let mut loaded = Loaded::default();
        let outcome = match &terms.kill {
            None => self.load_in_peace(plan, &mut loaded)?,
            Some(kill) => match self.load_and_kill(plan, kill, &mut loaded)? {
                Some(outcome) => outcome,
                None => return Ok(None),
            },
        };
        if keep(outcome, &mut self.data) || self.is_stopped() {
            return Ok(None);
        }
        loaded.load = self.data.record.load.clone();
        Ok(Some(Outcome::Loaded(Box::new(loaded))))
    }

    /// Sends the traffic, and looks after the services meanwhile.
    fn load_in_peace(&mut self, plan: &Plan, loaded: &mut Loaded) -> Result<LoadOutcome, DriveError> {
        let (load, options) = self.load_of(plan)?;
        let running = self.up()?.running.as_ref();
        let volumes = running.map(|running| running.volumes()).unwrap_or_default();
        self.volumes_bytes = volumes_bytes(&volumes);
        loaded.findings.extend(volumes_in_memory(&volumes));
        let placement = self.data.record.placement.clone();
        let up = self.up()?;
        let running = &mut up.running;
        let kept =
            |service: &str| running.as_ref().map(|running| running.kept_by(service)).unwrap_or_default();
        let mut flushes = placement.map(|placement| FlushCounter::open(&placement, kept));
        let findings = &mut loaded.findings;
        let look = || findings.extend(running.as_mut().map(|running| running.trouble()).unwrap_or_default());
        let outcome = run_beside(&load, &options, LOOK, look)?;
        loaded.flushes = flushes.as_mut().map(FlushCounter::read).unwrap_or_default();
        up.flushes = flushes;
        Ok(outcome)
    }

    /// Sends the traffic, and kills services at their moment; `None`: the caller broke it off.
    fn load_and_kill(
        &mut self,
        plan: &Plan,
        kill: &Kill,
        loaded: &mut Loaded,
    ) -> Result<Option<LoadOutcome>, DriveError> {
        let (load, options) = self.load_of(plan)?;
        let Means { events, stop, .. } = self.means;
        let Means { plan: whole, model, .. } = self.means;
        let lookups = Lookups { plan: whole, model, seed: self.seed, stop };
        let Some(running) = self.up()?.running.as_mut() else {
            return Err(DriveError::Bug("services to be killed that galo did not start".to_owned()));
        };
        loaded.findings.extend(volumes_in_memory(&running.volumes()));
        let mut killer = Killer::new(running.as_mut(), events, kill);
        let outcome = run_beside(&load, &options, KILL_LOOK, || killer.look());
        if !stop.load(Ordering::Relaxed) {
            if let Ok(outcome) = &outcome {
                killer.search_volumes(|| lookups.texts(&outcome.history));
            }
            killer.bring_back();
        }
        let Killer { killed, trouble, error, .. } = killer;
        loaded.findings.extend(trouble);
        let contender = self.up()?.contender;
        loaded.findings.extend(no_outage(self.contender(contender)?));
        self.is_up_again = killed.ready_at_ns.is_some();
        loaded.killed = Some(killed);
        match error {
            Some(error) if error.interrupted => Ok(None),
            Some(error) => Err(error.into()),
            None => outcome.map(Some),
        }
    }

    /// What is sent, and how.
    fn load_of(&mut self, plan: &Plan) -> Result<(LoadPlan, LoadOptions), DriveError> {
        let &mut Up { target, contender, .. } = self.up()?;
        let load = LoadPlan::of_round(plan, self.seed, self.means.model, target);
        let options = options(&self.means, drain(&load));
        Ok((self.by_its_way(contender, load), options))
    }

    /// To a contender as it is, or through it.
    fn by_its_way(&self, contender: usize, load: LoadPlan) -> LoadPlan {
        let load = if self.means.plan.is_null(contender) { load.unexamined() } else { load };
        match self.means.plan.tunnels_to(contender) {
            Some(origin) => load.tunnelled(origin),
            None => load,
        }
    }

    /// Asks the cases, while the contender is still up.
    fn ask_cases(&mut self) -> Result<Option<Outcome>, DriveError> {
        let &mut Up { contender: index, target, .. } = self.up()?;
        let contender = self.contender(index)?;
        let Means { plan, stop, cases, .. } = self.means;
        let asker = Asker {
            seed: self.seed,
            count_path: plan.challenge.count.as_ref().map(|count| count.path.as_str()),
            origin: plan.tunnels_to(index),
            stop,
            flushes: self.up.as_ref().and_then(|up| up.flushes.as_ref()),
            patience: Patience::default(),
        };
        let servers = asker.servers(contender, &self.placed(), target);
        self.data.conformance = asker.ask(cases, &servers);
        Ok((!self.is_stopped()).then_some(Outcome::Asked(self.data.conformance.len())))
    }

    /// Lets it be for a while, which nobody watches.
    fn rest(&mut self, length_ns: u64) -> Result<Option<Outcome>, DriveError> {
        let witness = self.up()?.witness.take();
        self.beside = witness.map(|witness| self.end_of(witness));
        let end_ns = now_ns() + length_ns;
        while now_ns() < end_ns && !self.is_stopped() {
            std::thread::sleep(LOOK);
        }
        Ok((!self.is_stopped()).then_some(Outcome::Done))
    }

    /// Ends all services, and starts them again on what they left; `None`: the caller broke it off.
    fn restart(&mut self, halt: Halt) -> Result<Option<Outcome>, DriveError> {
        let before = self.volumes_bytes;
        self.halt = Some(halt);
        let Means { plan, model, stop, .. } = self.means;
        let texts = Lookups { plan, model, seed: self.seed, stop }.texts(&self.data.history);
        let up = self.up()?;
        let Some(running) = up.running.as_mut() else {
            return Err(DriveError::Bug("services to be ended that galo did not start".to_owned()));
        };
        let mut findings = running.trouble();
        let mut flushes = up.flushes.take();
        look_for_doubts(&mut flushes);
        let halted_at_ns = now_ns();
        findings.extend(running.halt(halt)?);
        let mut restarted = Restarted {
            halted_at_ns,
            restarted_at_ns: now_ns(),
            ready_at_ns: None,
            not_up: None,
            volumes_bytes: [before, volumes_bytes(&running.volumes())],
            traced: lookups::traced(&running.volumes(), &texts),
            flushes: flushes.as_mut().map(FlushCounter::read).unwrap_or_default(),
            findings,
        };
        drop(flushes);
        match running.restart(&running.service_names()) {
            Ok(()) => restarted.ready_at_ns = Some(now_ns()),
            Err(error) if error.interrupted => return Ok(None),
            Err(error) if error.blame == Blame::Contender => restarted.not_up = Some(error.to_string()),
            Err(error) => return Err(error.into()),
        }
        Ok(Some(Outcome::Restarted(Box::new(restarted))))
    }

    fn look_up(&mut self) -> Result<Option<Outcome>, DriveError> {
        let &mut Up { contender, target, .. } = self.up()?;
        let contender = self.contender(contender)?;
        let Means { plan, model, stop, .. } = self.means;
        let lookups = Lookups { plan, model, seed: self.seed, stop };
        let placed = self.placed();
        let history = &self.data.history;
        let found = match (self.crash(), self.halt) {
            (Some(kind), _) => lookups.all(history, target, (kind, contender, self.is_up_again), &placed)?,
            (None, Some(_)) => lookups.some(history, target)?,
            (None, None) => return Err(DriveError::Bug("nothing was killed in this round".to_owned())),
        };
        Ok((!self.is_stopped()).then_some(Outcome::Found(found)))
    }

    /// Ends the contender, and keeps what was seen of it.
    fn stop(&mut self) -> Result<Outcome, DriveError> {
        let Some(Up { running, witness, mut flushes, .. }) = self.up.take() else { return Ok(Outcome::Done) };
        look_for_doubts(&mut flushes);
        let mut stopped = Stopped::default();
        let seen = self.beside.take();
        let seen = seen.or_else(|| witness.map(|witness| self.end_of(witness)));
        let is_watched = seen.is_some();
        stopped.beside = seen.unwrap_or_default();
        if let Some(mut running) = running {
            let mut findings: Vec<HostFact> = if is_watched { running.trouble() } else { Vec::new() };
            findings.extend(running.stop().map_err(DriveError::Remains)?);
            stopped.findings = findings;
            stopped.flushes = flushes.as_mut().map(FlushCounter::read).unwrap_or_default();
        }
        Ok(Outcome::Stopped(Box::new(stopped)))
    }

    /// What a witness saw, of which the bulk is kept.
    fn end_of(&mut self, witness: Witness) -> Beside {
        witness.end(&mut self.data);
        self.data.record.beside.clone()
    }

    /// How services are killed in the unit, if they are.
    fn crash(&self) -> Option<CrashKind> {
        match self.kind {
            UnitKind::Round { crash, .. } => crash,
            _ => None,
        }
    }

    fn is_stopped(&self) -> bool {
        self.means.stop.load(Ordering::Relaxed)
    }
}

/// Notes what a service has open, or runs below itself, before its end takes that away.
fn look_for_doubts(flushes: &mut Option<FlushCounter>) {
    flushes.iter_mut().for_each(|flushes| drop(flushes.read()));
}

/// A contender without instances can be killed whole, but has none that could be missing by itself.
fn no_outage(contender: &Contender) -> Option<HostFact> {
    largest(&contender.services).is_empty().then_some(HostFact::NoOutageRound(NoOutageRound {}))
}

fn not_of_a_round(what: &str) -> DriveError {
    DriveError::Bug(format!("{what} that no round has"))
}

impl Stage for ContenderStage<'_> {
    type Bulk = RoundData;

    fn perform(&mut self, act: &Act) -> Result<Option<Outcome>, DriveError> {
        if self.is_stopped() {
            return Ok(None);
        }
        match act {
            Act::Begin(terms) => self.begin(terms).map(Some),
            Act::Start { contender } => self.start(*contender),
            Act::Count { reading, .. } => self.count(*reading),
            Act::Load(terms) => self.load(terms),
            Act::AskCases => self.ask_cases(),
            Act::LookUp => self.look_up(),
            Act::Stop { .. } => self.stop().map(Some),
            Act::Rest { length_ns } => self.rest(*length_ns),
            Act::Restart { halt, .. } => self.restart(*halt),
            Act::Freeze { .. } | Act::Resume { .. } | Act::Alternate(_) => Err(not_of_a_round("a pause")),
            Act::Child(_) => Err(not_of_a_round("a child")),
            Act::TellSeed => Err(not_of_a_round("the seed's telling")),
            Act::Close => {
                self.means.writer.write_bulk(&self.folder, &self.data)?;
                Ok(Some(Outcome::Done))
            }
        }
    }

    fn take_bulk(&mut self) -> RoundData {
        mem::replace(&mut self.data, RoundData::new(RoundRecord::new(0, 0, 0)))
    }

    fn clear(&mut self) -> Result<(), DriveError> {
        self.stop().map(drop)
    }
}
