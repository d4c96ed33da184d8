//! Steps of the rate, and the highest rate.

use super::super::Look;
use super::{ms, per_second};
use galo_judge::capacity::Limit;

use crate::load::{HighestRate, LoadReport, Probe, RateStep};
use crate::text::{clean, right, wrap};
use crate::words::{count, number};

/// Columns of a step.
const WIDTHS: [usize; 7] = [11, 11, 12, 8, 10, 10, 11];

/// Appends what there is of them.
pub(super) fn lines(report: &LoadReport, look: Look, lines: &mut Vec<String>) {
    if let Some(highest) = &report.highest_rate {
        let paint = |line: &String| if highest.held { look.bold(line) } else { look.warning(line) };
        lines.extend(wrap(&clean(&sentence(highest)), look.width, "  ").iter().map(paint));
        let rows = highest.probes.iter().map(|probe| (&probe.step, word(probe)));
        table(rows, look, lines);
    }
    table(report.steps_of_rate.iter().map(|step| (step, "")), look, lines);
}

fn sentence(highest: &HighestRate) -> String {
    let criterion = &highest.criterion;
    let (Some(rate), Some(low)) = (highest.rate_per_s, highest.low_per_s) else {
        return format!("no rate that was tried met {criterion}{}", limit(highest));
    };
    let interval = match highest.high_per_s {
        Some(high) => format!("95 % interval {} to {}", per_second(low), per_second(high)),
        None => format!("{} or more", per_second(low)),
    };
    let held = if highest.held { "held" } else { "NOT held: no longer run at it met that" };
    format!("highest rate: {} ({interval}) under {criterion}; {held}{}", per_second(rate), limit(highest))
}

/// What else than the criterion kept the rate from being higher.
fn limit(highest: &HighestRate) -> String {
    match highest.limit {
        Limit::Criterion => String::new(),
        Limit::Client { rate_milli } => {
            let rate = per_second(rate_milli as f64 / 1e3);
            format!("; galo itself did not keep up with {rate}, the server might")
        }
        Limit::Asked => "; nothing higher was to be tried".to_owned(),
        Limit::Probes => "; it ended before a higher one was tried".to_owned(),
    }
}

/// What stands after a probe that did not count for its rate.
fn word(probe: &Probe) -> &'static str {
    match (probe.met, probe.valid) {
        (_, false) => " galo",
        (true, true) => "",
        (false, true) => " no",
    }
}

/// A row for each step, with a word after it.
fn table<'a>(steps: impl Iterator<Item = (&'a RateStep, &'static str)>, look: Look, lines: &mut Vec<String>) {
    let mut steps = steps.peekable();
    if steps.peek().is_none() {
        return;
    }
    let row = |cells: [String; 7]| -> String {
        cells.iter().zip(WIDTHS).map(|(cell, columns)| right(cell, columns)).collect()
    };
    let head = ["asked/s", "right/s", "right", "errors", "p50 ms", "p99 ms", "p99.9 ms"];
    lines.push(look.dim(&row(head.map(str::to_owned))));
    for (step, word) in steps {
        let [p50, p99, p99_9] = [step.latency_us_p50, step.latency_us_p99, step.latency_us_p99_9].map(ms);
        let rates = [step.asked_per_s, step.ok_per_s].map(|rate| number(rate, usize::from(rate < 100.0)));
        let [asked, ok] = rates;
        let cells = row([asked, ok, count(step.ok), count(step.errors), p50, p99, p99_9]);
        lines.push(if word.is_empty() { cells } else { look.warning(&format!("{cells}{word}")) });
    }
    lines.push(String::new());
}
