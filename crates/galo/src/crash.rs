//! `galo check --crash`: rounds in which services are killed under load. What came of it is recorded here, and judged
//! from the record alone.

mod lookups;

use std::time::Duration;

use anyhow::{Result, bail};
use galo_host::{Host, HostError, Running};
use galo_judge::judge_round;
use galo_plan::draw::draw;
use galo_plan::{Blame, Contender, Plan};
use galo_record::clock::now_ns;
use galo_record::finding::Weight;
use galo_record::round::RoundEnd;
use galo_record::{CrashKind, CrashRecord, Finding, RoundData, RoundRecord};

use crate::findings::NO_OUTAGE_ROUND;
use crate::instances;
use crate::live::Live;
use crate::round::{Driver, keep};
use crate::session::stopped;

/// First word of all that is drawn here, so that it shares no draw with anything else.
const CRASH: u64 = u64::from_be_bytes(*b"crash\0\0\0");
/// In which part of the load a crash may come, in thousandths of its length.
const CRASH_FROM_TO: [u64; 2] = [300, 800];
/// The same for an outage, which must leave time for coming back.
const OUTAGE_FROM_TO: [u64; 2] = [200, 400];
/// How long the instance stays down.
const DOWN_NS: u64 = 2_000_000_000;
/// Between two looks at the clock while the load runs.
const LOOK: Duration = Duration::from_millis(5);

/// Drives a crash, and an outage where there are instances, after the first round.
pub(crate) fn rounds(driver: &Driver<'_>, host: &Host, live: &Live) -> Result<Vec<RoundData>> {
    let contender = &driver.plan.contenders[0];
    let all = contender.services.iter().map(|service| service.name.clone()).collect();
    let instances = galo_plan::instances::largest(&contender.services);
    let of = |kind, services| {
        let record = CrashRecord::new(kind, services);
        Ordeal { driver, host, live, contender, record }
    };
    let mut ordeals = vec![of(CrashKind::Crash, all)];
    if !instances.is_empty() {
        let drawn = draw(driver.plan.seed, &[CRASH, 1]) % instances.len() as u64;
        let one = vec![instances[drawn as usize].name.clone()];
        ordeals.push(of(CrashKind::Outage, one));
    }
    let rows = driver.plan.prepare(driver.model);
    let mut rounds = Vec::new();
    for (ordeal, number) in ordeals.iter().zip(2..) {
        let mut data = RoundData::new(RoundRecord::new(number, 0, 0));
        if instances.is_empty() {
            data.record.findings.push(no_instances());
        }
        let data = ordeal.round(data)?;
        for finding in judge_round(driver.plan, &*rows, &data).findings {
            live.line(&format!("  {}", finding.text));
        }
        rounds.push(data);
        if stopped(&driver.stop) {
            break;
        }
    }
    Ok(rounds)
}

fn no_instances() -> Finding {
    Finding {
        name: NO_OUTAGE_ROUND.to_owned(),
        weight: Weight::Note,
        blame: Blame::Contender,
        text: "no outage was tried: no two services have names or commands that are the same but for digits"
            .to_owned(),
        evidence: Vec::new(),
        hint: None,
        explains_milli: None,
    }
}

/// One round in which services are killed.
struct Ordeal<'a> {
    driver: &'a Driver<'a>,
    host: &'a Host,
    live: &'a Live,
    contender: &'a Contender,
    /// What is to be done.
    record: CrashRecord,
}

impl Ordeal<'_> {
    /// From clean start to removed remains, like every round.
    fn round(&self, mut data: RoundData) -> Result<RoundData> {
        let word = if self.record.kind == CrashKind::Crash { "crash" } else { "outage" };
        let name = format!("{}-{word}", self.contender.name);
        let folder = self.driver.writer.open_round(data.record.number, &name)?;
        self.live.line(&format!("round {}: {word}", data.record.number));
        data.record.crash = Some(self.record.clone());
        let started = self.driver.start(self.host, self.contender, &folder, &mut data);
        let driven = started.and_then(|running| match running {
            Some(running) => self.drive(running, &mut data),
            None => Ok(()),
        });
        let data = self.driver.close(&folder, data)?;
        driven.map(|()| data)
    }

    fn drive(&self, mut running: Running, data: &mut RoundData) -> Result<()> {
        data.record.placement = Some(running.placement().clone());
        let driven = self.kill_under_load(&mut running, data);
        match running.stop() {
            Ok(findings) => data.record.findings.extend(findings),
            Err(error) => bail!("what was started could not be removed: {error}"),
        }
        driven
    }

    fn kill_under_load(&self, running: &mut Running, data: &mut RoundData) -> Result<()> {
        let target = running.placement().target;
        if !self.driver.counts_before(target, data)? {
            return Ok(());
        }
        let plan = self.plan()?;
        let mut killer = Killer {
            running,
            live: self.live,
            record: self.record.clone(),
            kill_at_ns: now_ns() + self.moment_ns(&plan),
            trouble: Vec::new(),
            error: None,
        };
        let outcome = self.driver.load(&plan, target, LOOK, || killer.look());
        if killer.record.killed_at_ns.is_some() && !stopped(&self.driver.stop) {
            killer.bring_back();
        }
        let Killer { record, trouble, error, .. } = killer;
        let is_up = record.ready_at_ns.is_some();
        let is_served = is_up || record.kind == CrashKind::Outage;
        data.record.crash = Some(record);
        data.record.findings.extend(trouble);
        let is_interrupted = keep(outcome?, data);
        match error {
            Some(error) if error.interrupted => return Ok(()),
            Some(error) => return Err(error.into()),
            None if is_interrupted || stopped(&self.driver.stop) => return Ok(()),
            None => {}
        }
        if is_served {
            data.record.counts_after = self.driver.counts_until_rest(target);
            let found = lookups::all(self.driver, &plan, self.contender, data, is_up)?;
            if let Some(crash) = &mut data.record.crash {
                crash.lookups = found;
            }
        }
        if !stopped(&self.driver.stop) {
            data.record.end = RoundEnd::Driven;
        }
        Ok(())
    }

    /// What is sent: the plan's traffic, once or several times over.
    fn plan(&self) -> Result<Plan> {
        let mut plan = self.driver.plan.clone();
        for traffic in plan.traffic.iter_mut().flatten() {
            traffic.injection = traffic.injection.repeated(self.record.kind.repeats())?;
            traffic.users = traffic.injection.users();
        }
        Ok(plan)
    }

    /// When to kill, from the start of the load: drawn by the seed.
    fn moment_ns(&self, plan: &Plan) -> u64 {
        let [from, to] = if self.record.kind == CrashKind::Crash { CRASH_FROM_TO } else { OUTAGE_FROM_TO };
        let drawn = draw(plan.seed, &[CRASH, 0, self.record.kind as u64]) % (to - from);
        plan.duration_ns() / 1000 * (from + drawn)
    }
}

/// Kills when it is time, and brings back.
struct Killer<'r> {
    running: &'r mut Running,
    live: &'r Live,
    record: CrashRecord,
    kill_at_ns: u64,
    trouble: Vec<Finding>,
    /// What neither the contender nor the plan is to blame for.
    error: Option<HostError>,
}

impl Killer<'_> {
    /// Called again and again while the load runs.
    fn look(&mut self) {
        self.trouble.extend(self.running.trouble());
        let now = now_ns();
        match self.record.killed_at_ns {
            None if now >= self.kill_at_ns && self.error.is_none() => {
                match self.running.kill_services(&self.record.services) {
                    Ok(at_ns) => {
                        self.record.killed_at_ns = Some(at_ns);
                        self.live.line(&format!("  killed: {}", self.record.services.join(", ")));
                    }
                    Err(error) => self.error = Some(error),
                }
            }
            Some(at_ns) if self.record.kind == CrashKind::Outage && now >= at_ns + DOWN_NS => {
                self.bring_back();
            }
            _ => {}
        }
    }

    /// Starts again what was killed, once, and waits until it is ready.
    fn bring_back(&mut self) {
        if self.record.restarted_at_ns.is_some() || self.error.is_some() {
            return;
        }
        self.record.restarted_at_ns = Some(now_ns());
        match self.running.restart(&self.record.services) {
            Ok(()) => self.record.ready_at_ns = Some(now_ns()),
            Err(error) if error.blame == Blame::Contender => self.record.not_up = Some(error.to_string()),
            Err(error) => self.error = Some(error),
        }
    }
}
