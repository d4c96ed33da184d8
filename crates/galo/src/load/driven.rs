//! Drives what was asked for, tells of it meanwhile, and reports what the judge says of it.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Result;
use galo_drive::schedule::{Highest, Loads};
use galo_drive::stage::{AddressStage, LoadBulk};
use galo_drive::{Before, DriveError, Driven, Watch, drive};
use galo_judge::assertion::Figures;
use galo_judge::load::{LoadFacts, TrialFacts, found, judge_load};
use galo_load::LoadOptions;
use galo_record::act::{Act, Traffic, Unit, UnitKind};
use galo_report::LoadReport;
use galo_report::load::{HighestRate, Measured, RateStep, StepName, Trial};

use super::outputs::Outputs;
use super::setup::Setup;
use crate::live::Live;

/// Drives all loads. With the report come the figures that may be asserted, which it has rounded.
///
/// # Errors
/// What kept the engine from running, and what could not be written.
pub(super) fn drive_all(
    setup: Setup,
    urls: &[String],
    live: &Live,
    stop: &Arc<AtomicBool>,
    outputs: Outputs,
) -> Result<(LoadReport, Figures)> {
    let arriving_ns = setup.arriving_ns();
    let Setup { plan, loads, asked_per_s, threads, backend, spin, drain, .. } = setup;
    let steps = if setup.of_scenarios { StepName::all(&plan) } else { Vec::new() };
    let loads = &loads;
    let searches = matches!(loads, Loads::Highest(_));
    let options = LoadOptions {
        threads,
        history: false,
        real_time: false,
        backend,
        spin,
        drain,
        stop: Arc::clone(stop),
        events: live.events(),
        // The trials of a search are no load that goes on.
        seconds: (!searches).then(|| outputs.seconds()),
    };
    let mut stage = AddressStage::new(plan, options);
    let (sum, rows, reports, trials) = (None, Vec::new(), Vec::new(), Vec::new());
    let steps = &steps;
    let mut told =
        Told { loads, arriving_ns, spins: spin, asked_per_s, urls, steps, live, sum, rows, reports, trials };
    let judge = |unit: Unit<'_>, bulk| told.hear(unit, bulk);
    let driven = drive(loads, &mut stage, None, judge, &mut Follow { loads, live }, Before::default())?;
    // Whoever follows the seconds waits for the last sender to go.
    drop(stage);
    let Driven { facts, interrupted } = driven;
    let (mut report, figures) = match loads {
        Loads::Highest(highest) => told.highest(highest, &facts),
        Loads::One | Loads::Steps(_) => told.summed(&facts, outputs)?,
    };
    report.interrupted = interrupted || facts.last().is_some_and(|last| last.interrupted);
    Ok((report, figures))
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

/// What is reported of loads, as they are judged.
struct Told<'a> {
    loads: &'a Loads,
    /// How long users arrive whatever the server does, in the load that was asked for; `None`: a closed loop.
    arriving_ns: Option<u64>,
    spins: bool,
    asked_per_s: Option<f64>,
    urls: &'a [String],
    /// Where users do what scenarios say, their steps.
    steps: &'a [StepName],
    live: &'a Live,
    /// All of them as one; of a search none.
    sum: Option<Measured>,
    /// One for each step of the rate, with that.
    rows: Vec<(f64, RateStep)>,
    /// Of a search, one for each load.
    reports: Vec<LoadReport>,
    /// Of a search, one for each trial.
    trials: Vec<Trial>,
}

impl Told<'_> {
    fn hear(&mut self, unit: Unit<'_>, bulk: LoadBulk) -> Result<LoadFacts, DriveError> {
        let Some((terms, loaded)) = unit.load() else {
            return Err(DriveError::Bug("a unit has no load".to_owned()));
        };
        let LoadBulk { latencies, evidence } = bulk;
        let asked = self.loads.asked(&terms.traffic, self.arriving_ns, self.spins);
        let facts = judge_load(&loaded.load, &latencies, asked);
        let measured = Measured { load: loaded.load.clone(), latencies, evidence, rate_ns: facts.rate_ns };
        match (&unit.terms.kind, &terms.traffic) {
            (UnitKind::Scout, Traffic::Closed { users, .. }) => {
                if facts.ok_per_s > 0.0 {
                    self.live.line(&format!("a closed loop of {users} reaches {:.0}/s", facts.ok_per_s));
                }
                self.reports.push(measured.report(self.urls));
            }
            (&UnitKind::Trial { hold }, &Traffic::Rate { rate_micro, length_ns }) => {
                self.trial(&measured, &facts, hold, per_s(rate_micro), length_ns as f64 / 1e9);
            }
            (_, traffic) => {
                if let Traffic::Rate { rate_micro, .. } = traffic {
                    let rate_per_s = per_s(*rate_micro);
                    self.rows.push((rate_per_s, row(rate_per_s, &measured)));
                }
                match &mut self.sum {
                    None => self.sum = Some(measured),
                    Some(sum) => sum.add(measured),
                }
            }
        }
        Ok(facts)
    }

    fn trial(&mut self, measured: &Measured, facts: &LoadFacts, hold: bool, rate_per_s: f64, length_s: f64) {
        let Some(trial) = &facts.trial else { return };
        let step = row(rate_per_s, measured);
        let row = Trial { step, length_s, hold, met: trial.is_met(), valid: trial.outcome.valid };
        let mut report = measured.report(self.urls);
        report.asked_per_s = Some(rate_per_s);
        report.hear(facts, true, None);
        // What was broken off says nothing about its rate.
        if !facts.interrupted {
            self.live.line(&line(&row, trial));
        }
        self.reports.push(report);
        self.trials.push(row);
    }

    /// The report of one load, or of the steps of a rate as one.
    fn summed(self, facts: &[LoadFacts], outputs: Outputs) -> Result<(LoadReport, Figures)> {
        // The caller may break it off before the first one.
        let Some(sum) = &self.sum else { return Ok(nothing()) };
        outputs.close(sum)?;
        let mut report = match self.steps {
            [] => sum.report(self.urls),
            steps => sum.report(&steps.iter().map(StepName::told).collect::<Vec<_>>()),
        };
        report.asked_per_s = self.asked_per_s;
        if let ([_, ..], Some(url)) = (self.steps, self.urls.first()) {
            report.of_steps(url, self.steps, self.asked_per_s);
        }
        for (index, facts) in facts.iter().enumerate() {
            report.hear(
                facts,
                self.arriving_ns.is_some(),
                self.rows.get(index).map(|(rate_per_s, _)| *rate_per_s),
            );
        }
        let figures = sum.figures();
        report.steps_of_rate = self.rows.into_iter().map(|(_, row)| row).collect();
        Ok((report, figures))
    }

    /// The report of a search. Its own figures are those of the trial that stands for the highest rate.
    fn highest(mut self, highest: &Highest, facts: &[LoadFacts]) -> (LoadReport, Figures) {
        let found = found(highest.range, facts);
        let (mut report, figures) = found
            .stands
            .map_or_else(nothing, |index| (self.reports.swap_remove(index), facts[index].figures.clone()));
        report.hear_search(&found.void, found.stopped_at);
        let last = facts.last().filter(|last| last.trial.is_some());
        report.stopped_by = last.and_then(|last| last.stopped_by);
        let criterion = highest.criterion.to_string();
        report.highest_rate = Some(HighestRate::of(&found.capacity, criterion, self.trials));
        (report, figures)
    }
}

fn nothing() -> (LoadReport, Figures) {
    (LoadReport::of([0; 2], &[], &Default::default()), Figures::default())
}

fn per_s(rate_micro: u64) -> f64 {
    rate_micro as f64 / 1e6
}

fn row(rate_per_s: f64, measured: &Measured) -> RateStep {
    let ledger = &measured.load.total().ledger;
    RateStep::new(rate_per_s, measured.rate_ns, ledger, &measured.all_latencies())
}

/// One line on a trial.
fn line(row: &Trial, trial: &TrialFacts) -> String {
    let kind = if row.hold { "hold" } else { "trial" };
    let outcome = &trial.outcome;
    let worth = match (outcome.valid, outcome.met, trial.kept_up) {
        (false, ..) if outcome.exhausted => "says nothing: galo ran into a limit, nothing above is tried",
        (false, ..) => "says nothing: galo did not keep up",
        (true, true, true) => "met",
        (true, true, false) => "not met: its queue grew",
        (true, false, _) => "not met",
    };
    let RateStep { asked_per_s, errors, latency_us_p99, .. } = row.step;
    format!(
        "{kind} {asked_per_s:.0}/s for {:.0} s: {worth} (p99 {:.1} ms, {errors} errors)",
        row.length_s,
        latency_us_p99 / 1e3
    )
}
