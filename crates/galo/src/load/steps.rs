//! A rate that rises in steps. Each step is a load of its own, so that what one leaves behind in galo (a queue, late
//! answers) is no part of the next one's figures.

use anyhow::Result;
use galo_judge::assertion::Figures;
use galo_plan::load::Arrivals;
use galo_plan::{Injection, injection};
use galo_report::LoadReport;
use galo_report::load::RateStep;

use super::drive::Driver;
use super::measured::Measured;
use super::outputs::Outputs;
use super::setup::Model;

/// Drives all steps, or those until the caller stops or a status ends it.
///
/// # Errors
/// What kept the engine from running, and what could not be written.
pub(super) fn drive(driver: &mut Driver, outputs: Outputs) -> Result<(LoadReport, Figures)> {
    let Model::Steps { rates, spacing } = &driver.setup.model else {
        return super::one(driver, outputs, None);
    };
    let (steps, spacing) = (rates.steps.clone(), *spacing);
    let mut sum: Option<Measured> = None;
    let mut rows = Vec::with_capacity(steps.len());
    let (mut void, mut notes) = (Vec::new(), Vec::new());
    for (number, step) in steps.iter().enumerate() {
        let per_s = step.rate_micro as f64 / 1e6;
        driver.live.line(&format!("step {} of {}: {per_s}/s", number + 1, steps.len()));
        driver.setup.set_arrivals(Arrivals::Open { injection: injection(step), spacing });
        let measured = driver.drive(Some(outputs.seconds()))?;
        rows.push(RateStep::new(
            per_s,
            measured.load.elapsed_ns(),
            &measured.load.total().ledger,
            &measured.all_latencies(),
        ));
        let at = |text: String| format!("at {per_s}/s {text}");
        void.extend(measured.void(true).into_iter().map(at));
        notes.extend(measured.notes(true, driver.setup.spin).into_iter().map(at));
        let over = measured.load.interrupted || measured.load.stopped_by.is_some();
        match &mut sum {
            None => sum = Some(measured),
            Some(sum) => sum.add(measured),
        }
        if over {
            break;
        }
    }
    // There is always a step: `RateSteps` has no climb without one.
    let Some(sum) = sum else { return Ok((LoadReport::of(0, &[], &Default::default()), Figures::default())) };
    let mut report = sum.report(&driver.urls);
    (report.steps_of_rate, report.void, report.notes) = (rows, void, notes);
    outputs.close(&sum)?;
    Ok((report, sum.figures()))
}

fn injection(step: &injection::RateStep) -> Injection {
    Injection::constant(step.rate_micro, std::time::Duration::from_nanos(step.to_ns - step.from_ns))
}
