//! One round: a contender driven once by the whole profile, from clean start to removed remains.

mod counter;
mod rest;

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use galo_host::{Host, Running};
use galo_load::{Backend, LoadOptions, LoadOutcome};
use galo_plan::conformance::Case;
use galo_plan::{Blame, ChallengeModel, Contender, LoadPlan, Plan};
use galo_record::finding::Weight;
use galo_record::round::{CountReading, RoundEnd};
use galo_record::{Events, Finding, Placement, RoundData, RoundRecord, RunWriter};
use galo_watch::{FlushCounter, Logs, Witness};

use crate::conformance::{Asker, Patience};
use crate::findings::SECOND_START_FAILED;
use crate::session::stopped;
pub(crate) use counter::Counter;

/// Time between two looks at the services, and at the count while it comes to rest.
pub(crate) const LOOK: Duration = Duration::from_millis(200);
/// Readings of the count before the load, a look apart: for a second.
const QUIET_READINGS: usize = 5;
/// Folder of logs in a round's folder.
pub(crate) const LOGS: &str = "logs";

/// What a round needs and rounds share.
pub(crate) struct Driver<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) model: &'a dyn ChallengeModel,
    pub(crate) writer: &'a RunWriter,
    pub(crate) threads: usize,
    pub(crate) stop: Arc<AtomicBool>,
    pub(crate) events: Events,
    /// Whether a contender is started once more after its round, to see what fresh volumes begin with.
    pub(crate) renews: bool,
    /// Cases of conformance to ask after the load; none in a fight.
    pub(crate) cases: &'a [Case],
}

impl Driver<'_> {
    /// Starts the contender of a slot, drives it, removes it, and writes everything down.
    pub(crate) fn round(&self, host: &Host, number: u32, slot: usize) -> Result<RoundData> {
        let index = self.plan.order[slot];
        let contender = &self.plan.contenders[index];
        let mut data = RoundData::new(RoundRecord::new(number, index, slot));
        let folder = self.writer.open_round(number, &contender.name)?;
        let started = self.start(host, contender, &folder, &mut data);
        let driven = started.and_then(|running| match running {
            Some(running) => self.drive(running, &mut data),
            None => Ok(()),
        });
        let driven = driven.and_then(|()| self.renew(host, contender, &folder, &mut data));
        // Whatever went wrong, what was recorded is kept.
        let data = self.close(&folder, data)?;
        driven.map(|()| data)
    }

    /// Starts a contender; `None` where it did not come up or the caller broke it off, which the record says then.
    pub(crate) fn start(
        &self,
        host: &Host,
        contender: &Contender,
        folder: &Path,
        data: &mut RoundData,
    ) -> Result<Option<Running>> {
        match host.start(contender, self.plan.challenge.policy.port, &folder.join(LOGS)) {
            Ok(running) => return Ok(Some(running)),
            Err(error) if error.interrupted => data.record.end = RoundEnd::Interrupted,
            Err(error) if error.blame == Blame::Contender => {
                data.record.end = RoundEnd::NotReady(error.to_string());
            }
            // Not the contender's doing: nothing may be recorded against it.
            Err(error) => return Err(error.into()),
        }
        Ok(None)
    }

    /// Starts the contender once more, on fresh volumes, and reads the count, if there is one.
    fn renew(&self, host: &Host, contender: &Contender, folder: &Path, data: &mut RoundData) -> Result<()> {
        let is_counted = self.plan.challenge.count.is_some();
        if !self.renews || !is_counted || data.record.end != RoundEnd::Driven {
            return Ok(());
        }
        match host.start(contender, self.plan.challenge.policy.port, &folder.join(LOGS)) {
            Ok(running) => {
                let counted = self.counter(running.placement().target).map(|counter| counter.first());
                running.stop()?;
                data.record.count_renewed = counted.transpose()?;
            }
            Err(error) if error.interrupted => {}
            Err(error) if error.blame == Blame::Contender => data.record.findings.push(Finding {
                name: SECOND_START_FAILED.to_owned(),
                weight: Weight::Should,
                blame: Blame::Contender,
                text: format!("after its round it did not start again on fresh volumes: {error}"),
                evidence: Vec::new(),
                hint: None,
                explains_milli: None,
            }),
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    /// Drives the plan's only contender, a server that galo did not start: nothing to limit, watch or remove.
    pub(crate) fn round_at(&self, target: SocketAddr) -> Result<RoundData> {
        let name = &self.plan.contenders[0].name;
        let mut data = RoundData::new(RoundRecord::new(1, 0, 0));
        let folder = self.writer.open_round(1, name)?;
        data.record.placement = Some(Placement {
            contender: name.clone(),
            target,
            limits_enforced: false,
            limits_note: Some("the server was already running, so galo set no limits".to_owned()),
            services: Vec::new(),
        });
        let driven = self.traffic(target, &mut data, Vec::new);
        let data = self.close(&folder, data)?;
        driven.map(|()| data)
    }

    fn drive(&self, mut running: Running, data: &mut RoundData) -> Result<()> {
        let placement = running.placement().clone();
        let target = placement.target;
        data.record.placement = Some(placement.clone());
        let services = running.services();
        data.record.databases = galo_watch::databases(&services);
        let logs = Logs::whole(&placement);
        let witness = Witness::start(placement, &services, logs, &self.events)?;
        let driven = self.traffic(target, data, || running.trouble());
        witness.end(data);
        match running.stop() {
            Ok(findings) => data.record.findings.extend(findings),
            Err(error) => bail!("what was started could not be removed: {error}"),
        }
        driven
    }

    /// Count, load, count until it is at rest.
    fn traffic(
        &self,
        target: SocketAddr,
        data: &mut RoundData,
        mut trouble: impl FnMut() -> Vec<Finding>,
    ) -> Result<()> {
        if !self.counts_before(target, data)? {
            return Ok(());
        }
        let flushes = data.record.placement.as_ref().map(FlushCounter::open);
        let outcome = self.load(self.plan, target, LOOK, || data.record.findings.extend(trouble()))?;
        data.record.flushes = flushes.as_ref().map(FlushCounter::read).unwrap_or_default();
        let is_interrupted = keep(outcome, data);
        if !is_interrupted {
            data.record.counts_after = self.counts_until_rest(target);
            // Not before: the kernel takes 0.2 s to end them, and the count would wait. Not later either: as long as
            // they are there they keep files of galo's open, and every system call takes longer.
            drop(flushes);
            self.conformance(target, data);
            data.record.findings.extend(trouble());
        }
        // A count that was not waited for says nothing either.
        if !stopped(&self.stop) {
            data.record.end = RoundEnd::Driven;
        }
        Ok(())
    }

    /// Reads the count before the load, and for a moment longer while nobody asks for anything else. Whether the load
    /// may begin; if not, the record says why. Without a count it may.
    pub(crate) fn counts_before(&self, target: SocketAddr, data: &mut RoundData) -> Result<bool> {
        data.record.end = RoundEnd::Interrupted;
        let Some(counter) = self.counter(target) else { return Ok(!stopped(&self.stop)) };
        let before = counter.first()?;
        if stopped(&self.stop) {
            return Ok(false);
        }
        if !before.is_answered() {
            let path = counter.path();
            let reason = format!("it never answered the count at {path} by a 2xx (last: {})", before.text);
            data.record.end = RoundEnd::NotReady(reason);
            return Ok(false);
        }
        data.record.count_before = Some(before);
        for _ in 0..QUIET_READINGS {
            std::thread::sleep(LOOK);
            if stopped(&self.stop) {
                return Ok(false);
            }
            data.record.counts_before.push(counter.read());
        }
        Ok(true)
    }

    /// Asks the cases, while the contender is still up.
    fn conformance(&self, target: SocketAddr, data: &mut RoundData) {
        if self.cases.is_empty() || stopped(&self.stop) {
            return;
        }
        let asker = Asker {
            seed: self.plan.seed,
            count_path: self.plan.challenge.count.as_ref().map(|count| count.path.as_str()),
            stop: &self.stop,
            patience: Patience::default(),
        };
        let servers = asker.servers(&self.plan.contenders[data.record.contender], target);
        data.conformance = asker.ask(self.cases, &servers);
        data.record.cases = data.conformance.len();
    }

    /// Runs the load engine, and looks after the services meanwhile, again and again.
    pub(crate) fn load(
        &self,
        plan: &Plan,
        target: SocketAddr,
        every: Duration,
        look: impl FnMut(),
    ) -> Result<LoadOutcome> {
        self.load_of(&LoadPlan::of_round(plan, self.model, target), self.drain(), every, look)
    }

    /// The same of what is sent otherwise to a contender of this plan. `drain`: how long the last operations may take
    /// after the last arrival.
    pub(crate) fn load_of(
        &self,
        plan: &LoadPlan,
        drain: Duration,
        every: Duration,
        look: impl FnMut(),
    ) -> Result<LoadOutcome> {
        let options = LoadOptions {
            threads: self.threads,
            history: true,
            real_time: true,
            backend: Backend::Auto,
            spin: false,
            drain,
            stop: Arc::clone(&self.stop),
            events: self.events.clone(),
            seconds: None,
        };
        run_beside(plan, &options, every, look)
    }

    /// How long the last operations may take after the last arrival before they count as unfinished: as long as one
    /// user's timeouts may, so that those come first.
    fn drain(&self) -> Duration {
        let timeouts = &self.plan.challenge.timeouts;
        let steps = self.plan.scenarios().map(|(_, scenario, _)| scenario.steps.len()).max().unwrap_or(0);
        Duration::from_nanos((timeouts.connect_ns + timeouts.answer_ns) * steps as u64)
    }

    /// The count read until it is at rest; empty where the challenge has none.
    pub(crate) fn counts_until_rest(&self, target: SocketAddr) -> Vec<CountReading> {
        self.counter(target).map(|counter| counter.until_rest()).unwrap_or_default()
    }

    /// Who asks a contender for the count; `None` where the challenge has none.
    pub(crate) fn counter(&self, target: SocketAddr) -> Option<Counter<'_>> {
        let count = self.plan.challenge.count.as_ref()?;
        Some(Counter { count, target, stop: &self.stop, events: &self.events })
    }

    pub(crate) fn close(&self, folder: &Path, data: RoundData) -> Result<RoundData> {
        self.writer.close_round(folder, &data).context("the round is lost")?;
        Ok(data)
    }
}

/// Runs the load engine, and looks again and again meanwhile.
pub(crate) fn run_beside(
    plan: &LoadPlan,
    options: &LoadOptions,
    every: Duration,
    mut look: impl FnMut(),
) -> Result<LoadOutcome> {
    std::thread::scope(|scope| {
        let engine = scope.spawn(|| galo_load::run(plan, options));
        while !engine.is_finished() {
            look();
            std::thread::sleep(every);
        }
        engine
            .join()
            .map_err(|_| anyhow::anyhow!("the load engine panicked (a bug in galo)"))?
            .map_err(Into::into)
    })
}

/// Keeps what the load brought; whether it was broken off.
pub(crate) fn keep(outcome: LoadOutcome, data: &mut RoundData) -> bool {
    let is_interrupted = outcome.load.interrupted;
    data.record.load = outcome.load;
    data.history = outcome.history;
    data.seen = outcome.seen;
    data.latencies = outcome.latencies;
    data.evidence = outcome.evidence;
    is_interrupted
}
