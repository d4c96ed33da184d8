//! The highest rate that meets a criterion: [`Search`] says what to try, this drives it.

use std::time::{Duration, Instant};

use anyhow::Result;
use galo_judge::assertion::Figures;
use galo_judge::capacity::{Due, Length, Limit, Probe as Asked, ProbeOutcome, SearchOptions, achieved_per_s};
use galo_judge::{Capacity, Search};
use galo_plan::Injection;
use galo_plan::load::{Arrivals, Spacing};
use galo_report::LoadReport;
use galo_report::load::{HighestRate, Probe, RateStep};

use super::drive::Driver;
use super::setup::{Highest, Model};

/// Length of a probe that is no hold.
const SHORT: Duration = Duration::from_secs(3);
/// Length of the closed loop that says where to begin; it also warms the server up.
const SCOUT: Duration = Duration::from_secs(2);
/// At once in that closed loop.
const SCOUT_USERS: u32 = 64;
/// How long the server rests after a probe that was not met.
const REST: Duration = Duration::from_secs(1);

/// One probe, driven.
struct Driven {
    asked: Asked,
    report: LoadReport,
    figures: Figures,
    row: Probe,
    outcome: ProbeOutcome,
}

/// Drives the search until it is over or the caller stops. The report's own figures are those of the probe that stands
/// for the highest rate (its hold, if there was one), or else of the last one.
///
/// # Errors
/// What kept the engine from running.
pub(super) fn drive(driver: &mut Driver) -> Result<(LoadReport, Figures)> {
    let options = search_options(driver)?;
    let mut search = Search::new(options);
    let mut driven: Vec<Driven> = Vec::new();
    while let Some(asked) = search.next().filter(|_| !driver.is_stopped()) {
        if asked.rest_before {
            rest(driver);
        }
        let probe = probe(driver, asked)?;
        let (interrupted, stopped) = (probe.report.interrupted, probe.report.stopped_by.is_some());
        // What was broken off says nothing about its rate.
        if !interrupted {
            search.tell(probe.outcome);
            driver.live.line(&line(&probe));
        }
        driven.push(probe);
        if interrupted || stopped {
            break;
        }
    }
    Ok(report(driver, &search.result(), driven))
}

fn highest(driver: &Driver) -> Option<&Highest> {
    match &driver.setup.model {
        Model::Highest(highest) => Some(highest),
        Model::One { .. } | Model::Steps { .. } => None,
    }
}

/// Where to search: as asked, else near what a short closed loop reaches.
fn search_options(driver: &mut Driver) -> Result<SearchOptions> {
    let bounds = highest(driver).map(|highest| (highest.start_micro, highest.max_micro));
    let (start_micro, max_micro) = bounds.unwrap_or_default();
    let mut options = SearchOptions::default();
    options.max_milli = max_micro.map_or(options.max_milli, |micro| micro / 1000);
    if let Some(start) = start_micro {
        options.start_milli = start / 1000;
        return Ok(options);
    }
    let users = driver.setup.plan.pool.connections.min(SCOUT_USERS);
    let duration_ns = Some(SCOUT.as_nanos() as u64);
    driver.setup.set_arrivals(Arrivals::Closed { users, total: None, duration_ns });
    let scouted = driver.drive(None)?.report(&driver.urls);
    if scouted.ledger.ok == 0 {
        return Ok(options);
    }
    driver.live.line(&format!("a closed loop of {users} reaches {:.0}/s", scouted.ok_per_s));
    Ok(options.near(scouted.ok_per_s))
}

/// Drives one probe.
fn probe(driver: &mut Driver, asked: Asked) -> Result<Driven> {
    let hold = asked.length == Length::Hold;
    let (long, spacing) = highest(driver).map_or((SHORT, Spacing::Even), |h| (h.hold, h.spacing));
    let length = if hold { long } else { SHORT.min(long) };
    let injection = Injection::constant(asked.rate_milli.saturating_mul(1000), length);
    driver.setup.set_arrivals(Arrivals::Open { injection, spacing });
    let measured = driver.drive(None)?;
    let (ledger, latencies) = (measured.load.total().ledger, measured.all_latencies());
    let (mut report, figures) = (measured.report(&driver.urls), measured.figures());
    let per_s = asked.rate_milli as f64 / 1e3;
    report.asked_per_s = Some(per_s);
    (report.void, report.notes) = (measured.void(true), measured.notes(true, driver.setup.spin));
    let met = highest(driver).is_some_and(|highest| highest.criterion.met(&figures));
    if met && measured.load.engine.own_errors.is_empty() {
        // Latency holds galo's lateness too: what is met in spite of it is met.
        report.void.clear();
    }
    let offered_per_s = ledger.intended as f64 / length.as_secs_f64();
    let arrivals = match spacing {
        Spacing::Even => 0.0,
        Spacing::Poisson => offered_per_s * length.as_secs_f64(),
    };
    let due = Due { per_s: offered_per_s, until: &|seconds| offered_per_s * seconds as f64, drawn: arrivals };
    let outcome = ProbeOutcome {
        met,
        valid: report.void.is_empty(),
        exhausted: ran_out_of(&report).is_some(),
        offered_per_s,
        achieved_per_s: achieved_per_s(&latencies, length, due),
    };
    let row = Probe {
        step: RateStep::new(per_s, measured.load.elapsed_ns(), &ledger, &latencies),
        length_s: length.as_secs_f64(),
        hold,
        met: met && kept_up(&outcome),
        valid: outcome.valid,
    };
    Ok(Driven { asked, report, figures, row, outcome })
}

/// What galo had too little of at a probe, which a higher rate would take more of.
fn ran_out_of(report: &LoadReport) -> Option<&str> {
    const KINDS: [&str; 3] = ["no free local port", "too many open files", "no memory for sockets"];
    report.engine.all.own_errors.keys().map(String::as_str).find(|kind| KINDS.contains(kind))
}

/// Why the search did not go on above a rate, where that is neither the server's doing nor what was asked.
fn stopped_at_limit(driven: &[Driven]) -> Option<String> {
    let lowest =
        driven.iter().filter(|probe| probe.outcome.exhausted).min_by_key(|probe| probe.asked.rate_milli)?;
    Some(format!(
        "nothing above {:.0}/s was tried: galo ran into a limit there ({})",
        lowest.row.step.asked_per_s,
        ran_out_of(&lowest.report)?
    ))
}

fn kept_up(outcome: &ProbeOutcome) -> bool {
    outcome.achieved_per_s >= SearchOptions::default().min_answered * outcome.offered_per_s
}

/// Lets the server work off what is left, unless the caller wants to stop.
fn rest(driver: &Driver) {
    let begun = Instant::now();
    while begun.elapsed() < REST && !driver.is_stopped() {
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// One line on a probe.
fn line(driven: &Driven) -> String {
    let Driven { asked, report, row, outcome, .. } = driven;
    let kind = if asked.length == Length::Hold { "hold" } else { "probe" };
    let errors = row.step.errors;
    let worth = match (outcome.valid, outcome.met, kept_up(outcome)) {
        (false, ..) if outcome.exhausted => "says nothing: galo ran into a limit, nothing above is tried",
        (false, ..) => "says nothing: galo did not keep up",
        (true, true, true) => "met",
        (true, true, false) => "not met: its queue grew",
        (true, false, _) => "not met",
    };
    let p99_ms = report.latency.percentiles.p99 / 1e3;
    format!(
        "{kind} {:.0}/s for {:.0} s: {worth} (p99 {p99_ms:.1} ms, {errors} errors)",
        row.step.asked_per_s, row.length_s
    )
}

fn report(driver: &Driver, capacity: &Capacity, mut driven: Vec<Driven>) -> (LoadReport, Figures) {
    let rows = driven.iter().map(|probe| probe.row).collect();
    let stopped_at_limit = stopped_at_limit(&driven);
    let criterion = highest(driver).map_or_else(String::new, |highest| highest.criterion.to_string());
    let interrupted = driver.is_stopped();
    let stopped_by = driven.last().and_then(|last| last.report.stopped_by);
    let stands = match capacity {
        Capacity::Highest { rate_milli, .. } => driven
            .iter()
            .rposition(|probe| probe.asked.rate_milli == *rate_milli && probe.row.met && probe.row.valid),
        Capacity::Nothing { .. } => None,
    };
    let last = driven.len().saturating_sub(1);
    let (mut report, figures) = match driven.is_empty() {
        true => (LoadReport::of(0, &[], &Default::default()), Figures::default()),
        false => {
            let stands = driven.swap_remove(stands.unwrap_or(last));
            (stands.report, stands.figures)
        }
    };
    // Probes that galo spoiled do not spoil the result, unless there is none because of them.
    if !matches!(capacity, Capacity::Nothing { limit: Limit::Client { .. }, .. }) {
        report.void.clear();
    }
    (report.interrupted, report.stopped_by) = (interrupted, stopped_by);
    report.notes.extend(stopped_at_limit);
    report.highest_rate = Some(HighestRate::of(capacity, criterion, rows));
    (report, figures)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_higher_rate_would_take_more_of_is_told_from_what_galo_may_not_do_at_all() {
        let mut report = LoadReport::of(0, &[], &Default::default());
        assert_eq!(ran_out_of(&report), None);
        report.engine.all.own_errors.insert("not permitted to connect".to_owned(), 9);
        assert_eq!(ran_out_of(&report), None);
        report.engine.all.own_errors.insert("too many open files".to_owned(), 1);
        assert_eq!(ran_out_of(&report), Some("too many open files"));
    }
}
