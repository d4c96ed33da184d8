//! Drives what was asked for, tells of it meanwhile, and has the judge say what it came to.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Result;
use galo_drive::schedule::{Highest, Loads};
use galo_drive::stage::{AddressStage, LoadBulk};
use galo_drive::{Before, DriveError, Driven, Watch, drive};
use galo_judge::load::{
    AskedLoad, JudgedLoad, LoadFacts, Measured, Subject, TrialFacts, highest, judge_load, stepped,
};
use galo_load::LoadOptions;
use galo_record::act::{Act, Unit, UnitKind, Workload};

use super::outputs::Outputs;
use super::setup::Setup;
use crate::live::Live;

/// Drives all loads. With what they came to goes what was measured in all of them; of a search, or where the caller broke off the first
/// one, nothing.
///
/// # Errors
/// What kept the engine from running, and what could not be written.
pub(super) fn drive_all(
    setup: Setup,
    live: &Live,
    stop: &Arc<AtomicBool>,
    outputs: Outputs,
) -> Result<(JudgedLoad, Option<Measured>)> {
    let asked =
        AskedLoad { arriving_ns: setup.arriving_ns(), rate_per_s: setup.asked_per_s, ..AskedLoad::default() };
    let Setup { plan, loads, subject, threads, backend, drain, .. } = setup;
    let options = LoadOptions {
        threads,
        history: false,
        real_time: false,
        backend,
        spin: subject.spins,
        drain,
        stop: Arc::clone(stop),
        events: live.events(),
        // The trials of a search are no load that goes on.
        seconds: (!matches!(loads, Loads::Highest(_))).then(|| outputs.seconds()),
        gate: None,
    };
    let mut stage = AddressStage::new(plan, options);
    let (loads, subject) = (&loads, &subject);
    let mut told = JudgedSoFar { loads, subject, asked, live, sum: None };
    let judge = |unit: Unit<'_>, bulk| told.hear(unit, bulk);
    let mut follow = Follow { loads, live };
    let mut watch = live.watched().and(Vec::new(), &mut follow);
    let driven = drive(loads, &mut stage, None, judge, &mut watch, Before::default())?;
    // Whoever follows the seconds waits for the last sender to go.
    drop(stage);
    let Driven { facts, interrupted } = driven;
    let mut judged = match (loads, &told.sum) {
        (Loads::Highest(Highest { criterion, range, .. }), _) => highest(criterion, *range, &facts),
        (Loads::One | Loads::Steps(_), Some(sum)) => {
            outputs.close(sum)?;
            match (loads, &facts[..]) {
                (Loads::One, [one]) => one.judged.clone(),
                _ => stepped(subject, asked, sum, &facts),
            }
        }
        // The caller broke it off before the first one.
        (Loads::One | Loads::Steps(_), None) => JudgedLoad::default(),
    };
    judged.interrupted = interrupted || facts.last().is_some_and(|last| last.judged.interrupted);
    Ok((judged, told.sum))
}

/// Says which step is driven.
struct Follow<'a> {
    loads: &'a Loads,
    live: &'a Live,
}

impl Watch<LoadFacts> for Follow<'_> {
    fn begins(&mut self, act: &Act) {
        let (Act::Begin(terms), Loads::Steps(rates)) = (act, self.loads) else { return };
        let (number, steps) = (terms.number as usize, &rates.steps);
        let Some(step) = steps.get(number - 1) else { return };
        self.live.line(&format!("step {number} of {}: {}/s", steps.len(), per_s(step.rate_micro)));
    }

    fn judged(&mut self, _: Unit<'_>, _: &LoadFacts) {}
}

/// What is told of loads as they are judged.
struct JudgedSoFar<'a> {
    loads: &'a Loads,
    subject: &'a Subject,
    /// How the load was asked for, where it is one.
    asked: AskedLoad<'a>,
    live: &'a Live,
    /// All loads as one; of a search none.
    sum: Option<Measured>,
}

impl JudgedSoFar<'_> {
    fn hear(&mut self, unit: Unit<'_>, bulk: LoadBulk) -> Result<LoadFacts, DriveError> {
        let Some((terms, loaded)) = unit.load() else {
            return Err(DriveError::Bug("a unit has no load".to_owned()));
        };
        let (kind, traffic) = (&unit.terms.kind, &terms.traffic);
        let asked = match traffic {
            Workload::Asked => self.asked,
            traffic => self.loads.asked_load(kind, traffic, self.asked.arriving_ns),
        };
        let LoadBulk { latencies, evidence } = bulk;
        let measured = Measured::new(loaded.load.clone(), latencies, evidence, asked.arriving_ns);
        let facts = judge_load(self.subject, asked, &measured);
        let judged = &facts.judged;
        match (kind, traffic, &facts.trial) {
            (UnitKind::Scout, Workload::Closed { users, .. }, _) => {
                if judged.ok_per_s > 0.0 {
                    self.live.line(&format!("a closed loop of {users} reaches {:.0}/s", judged.ok_per_s));
                }
            }
            // What was broken off says nothing about its rate.
            (_, _, Some(trial)) if !judged.interrupted => self.live.line(&line(judged, trial)),
            (_, _, Some(_)) => {}
            _ => measured.add_to(&mut self.sum),
        }
        Ok(facts)
    }
}

fn per_s(rate_micro: u64) -> f64 {
    rate_micro as f64 / 1e6
}

/// One line on a trial.
fn line(judged: &JudgedLoad, trial: &TrialFacts) -> String {
    let kind = if trial.hold { "hold" } else { "trial" };
    let outcome = &trial.outcome;
    let worth = match (outcome.valid, outcome.met, trial.kept_up) {
        (false, ..) if outcome.exhausted => "says nothing: galo ran into a limit, nothing above is tried",
        (false, ..) => "says nothing: galo did not keep up",
        (true, true, true) => "met",
        (true, true, false) => "not met: its queue grew",
        (true, false, _) => "not met",
    };
    format!(
        "{kind} {:.0}/s for {:.0} s: {worth} (p99 {:.1} ms, {} errors)",
        trial.rate_milli as f64 / 1e3,
        trial.length.as_secs_f64(),
        judged.answered.latency.p99 / 1e3,
        judged.answered.ledger.not_ok()
    )
}
