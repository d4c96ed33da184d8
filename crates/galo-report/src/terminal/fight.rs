//! Contenders side by side.

use galo_judge::{Comparison, Difference, Measure};

use super::Look;
use crate::report::{ContenderReport, Report, Summary};
use crate::text::{clean, left, right, shorten, width, wrap};
use crate::words;

/// Columns of the labels.
const LABEL: usize = 26;
/// Fewest columns of a contender.
const NARROWEST: usize = 17;
/// Most columns of a contender; beyond it the eye loses the row.
const WIDEST: usize = 24;

/// The figures of a row, for one contender.
type Cell = fn(&Summary) -> Option<String>;

/// Rows that say how many rounds there were. Rows that are 0 for everybody are left out.
const ROUNDS: &[(&str, Cell)] = &[
    ("valid rounds", |s| Some(s.valid.to_string())),
    ("disqualified rounds", |s| (s.disqualified > 0).then(|| s.disqualified.to_string())),
    ("void rounds", |s| (s.void > 0).then(|| s.void.to_string())),
    ("did not start", |s| (s.not_ready > 0).then(|| s.not_ready.to_string())),
];

/// Measures that the table tells.
pub(crate) const MEASURES: &[Measure] = &[
    Measure::CorrectWithinServiceLevel,
    Measure::LatencyUsP50,
    Measure::LatencyUsP99,
    Measure::LatencyUsP999,
    Measure::CpuMsPer1000,
    Measure::MemoryPeakBytes,
];

/// Appends the table and the ratios.
pub(super) fn lines(report: &Report, look: Look, lines: &mut Vec<String>) {
    let side_by_side = (look.width.saturating_sub(LABEL) / NARROWEST).max(1);
    for contenders in report.contenders.chunks(side_by_side) {
        table(report, contenders, look, lines);
        lines.push(String::new());
    }
    if report.contenders.iter().any(|c| !c.summary.ranked && c.summary.disqualified > 0) && !look.colour {
        lines.extend(wrap("figures in [brackets] are those of a disqualified contender", look.width, "  "));
        lines.push(String::new());
    }
    ratios(report, look, lines);
}

fn table(report: &Report, contenders: &[ContenderReport], look: Look, lines: &mut Vec<String>) {
    let label = LABEL.min(look.width / 2);
    let column = (look.width.saturating_sub(label) / contenders.len().max(1)).min(WIDEST);
    let head: String =
        contenders.iter().map(|c| right(&shorten(&clean(&c.name), column - 2), column)).collect();
    lines.push(look.bold(format!("{}{head}", " ".repeat(label)).trim_end()));
    for (name, cell) in ROUNDS {
        let cells: Vec<_> = contenders.iter().map(|c| cell(&c.summary)).collect();
        if cells.iter().any(Option::is_some) {
            let cells: String = cells.iter().map(|c| right(c.as_deref().unwrap_or("0"), column)).collect();
            lines.push(format!("{}{cells}", left(name, label)));
        }
    }
    for measure in MEASURES {
        let name = words::measure(*measure, report.service_level_ms);
        let cells: String = contenders
            .iter()
            .map(|c| figure(&c.summary, &words::figure(*measure, &c.summary.measures), column, look))
            .collect();
        lines.push(format!("{}{cells}", left(&name, label)));
    }
    let cells: String =
        contenders.iter().map(|c| figure(&c.summary, &throttled(&c.summary), column, look)).collect();
    lines.push(format!("{}{cells}", left("throttled periods", label)));
}

/// The most throttled service's share with its name.
pub(crate) fn throttled(summary: &Summary) -> String {
    match (summary.throttled_share, &summary.throttled_service) {
        (Some(share), Some(service)) if share > 0.0 => {
            format!("{} {}", clean(service), words::percent(share))
        }
        (Some(share), _) => words::percent(share),
        (None, _) => words::UNSEEN.to_owned(),
    }
}

/// A figure, right-aligned; struck through where the contender is disqualified.
fn figure(summary: &Summary, text: &str, column: usize, look: Look) -> String {
    if summary.disqualified == 0 || text == words::UNSEEN {
        return right(text, column);
    }
    if !look.colour {
        return right(&format!("[{}]", shorten(text, column.saturating_sub(3))), column);
    }
    let text = shorten(text, column.saturating_sub(1));
    let pad = " ".repeat(column.saturating_sub(width(&text)));
    format!("{pad}{}", look.struck(&text))
}

/// The primary measure and all that differ in a line each, the rest by name.
fn ratios(report: &Report, look: Look, lines: &mut Vec<String>) {
    let Some(primary) = report.comparisons.first() else { return };
    let [first, second] = &primary.contenders;
    let pairs = words::counted(primary.pairs, "pair");
    let head = clean(&format!("{first} divided by {second}, over {pairs} of rounds:"));
    lines.extend(wrap(&head, look.width, "  "));
    let differs = |c: &&Comparison| matches!(c.difference, Difference::Better | Difference::Worse);
    for comparison in report.comparisons.iter().filter(|c| c.primary || differs(c)) {
        let name = words::measure(comparison.measure, report.service_level_ms);
        let answer = words::difference(comparison);
        let ratio = left(&words::ratio(comparison), 24);
        lines.push(shorten(&format!("  {}{ratio}{answer}", left(&name, LABEL - 2)), look.width));
        if let Some(found) = words::sensitivity(comparison).filter(|_| comparison.primary) {
            lines.extend(wrap_under(&found, look.width));
        }
    }
    if let Some(floor) = &report.noise_floor {
        lines.extend(wrap_under(&clean(&format!("noise floor {}", words::noise_floor(floor))), look.width));
    }
    for answer in [Difference::NoDifference, Difference::TooFewRounds] {
        let names: Vec<_> = report
            .comparisons
            .iter()
            .filter(|c| !c.primary && c.difference == answer)
            .map(|c| words::measure(c.measure, report.service_level_ms))
            .collect();
        if !names.is_empty() {
            let what = if answer == Difference::NoDifference { "no difference" } else { "too few rounds" };
            lines.extend(wrap_under(&format!("{what} for {}", names.join(", ")), look.width));
        }
    }
    lines.push(String::new());
}

/// Wrapped text of which every line is indented by two.
fn wrap_under(text: &str, limit: usize) -> Vec<String> {
    wrap(text, limit.saturating_sub(2), "  ").into_iter().map(|line| format!("  {line}")).collect()
}
