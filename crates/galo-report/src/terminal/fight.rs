//! Contenders side by side.

use galo_judge::{Comparison, Difference, Measure};

use super::Look;
use crate::report::{ContenderReport, Report, Summary};
use crate::text::{clean, left, right, shorten, width, wrap};
use crate::words::lang::{PAIR, say};
use crate::words::{self, Both, Lang, labels};

/// Columns of the labels.
const LABEL: usize = 26;
/// Fewest columns of a contender.
const NARROWEST: usize = 17;
/// Most columns of a contender; beyond it the eye loses the row.
const WIDEST: usize = 24;

/// The figures of a row, for one contender.
type Cell = fn(&Summary) -> Option<String>;

/// Rows that say how many rounds there were. Rows that are 0 for everybody are left out.
const ROUNDS: &[(Both, Cell)] = &[
    (labels::VALID_ROUNDS, |s| Some(s.valid.to_string())),
    (labels::DISQUALIFIED_ROUNDS, |s| (s.disqualified > 0).then(|| s.disqualified.to_string())),
    (labels::VOID_ROUNDS, |s| (s.void > 0).then(|| s.void.to_string())),
    (labels::DID_NOT_START, |s| (s.not_ready > 0).then(|| s.not_ready.to_string())),
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
pub(super) fn lines(report: &Report, look: Look, lang: Lang, lines: &mut Vec<String>) {
    let side_by_side = (look.width.saturating_sub(LABEL) / NARROWEST).max(1);
    for contenders in report.contenders.chunks(side_by_side) {
        table(report, contenders, look, lang, lines);
        lines.push(String::new());
    }
    if report.contenders.iter().any(|c| !c.summary.ranked && c.summary.disqualified > 0) && !look.colour {
        let told = lang.pick(
            "figures in [brackets] are those of a disqualified contender",
            "números entre [colchetes] são de um competidor desclassificado",
        );
        lines.extend(wrap(told, look.width, "  "));
        lines.push(String::new());
    }
    ratios(report, look, lang, lines);
}

fn table(report: &Report, contenders: &[ContenderReport], look: Look, lang: Lang, lines: &mut Vec<String>) {
    let label = LABEL.min(look.width / 2);
    let column = (look.width.saturating_sub(label) / contenders.len().max(1)).min(WIDEST);
    let head: String =
        contenders.iter().map(|c| right(&shorten(&clean(&c.name), column - 2), column)).collect();
    lines.push(look.bold(format!("{}{head}", " ".repeat(label)).trim_end()));
    for (name, cell) in ROUNDS {
        let cells: Vec<_> = contenders.iter().map(|c| cell(&c.summary)).collect();
        if cells.iter().any(Option::is_some) {
            let cells: String = cells.iter().map(|c| right(c.as_deref().unwrap_or("0"), column)).collect();
            lines.push(format!("{}{cells}", left(name.of(lang), label)));
        }
    }
    for measure in MEASURES {
        let name = labels::measure(*measure, report.service_level_ms);
        let told = |c: &ContenderReport| lang.figure(words::figure(*measure, &c.summary.measures));
        let cells: String = contenders.iter().map(|c| figure(&c.summary, &told(c), column, look)).collect();
        lines.push(format!("{}{cells}", left(name.of(lang), label)));
    }
    let cells: String =
        contenders.iter().map(|c| figure(&c.summary, &throttled(&c.summary, lang), column, look)).collect();
    lines.push(format!("{}{cells}", left(labels::THROTTLED_PERIODS.of(lang), label)));
}

/// The most throttled service's share with its name.
pub(crate) fn throttled(summary: &Summary, lang: Lang) -> String {
    let percent = |share| lang.figure(words::percent(share));
    match (summary.throttled_share, &summary.throttled_service) {
        (Some(share), Some(service)) if share > 0.0 => format!("{} {}", clean(service), percent(share)),
        (Some(share), _) => percent(share),
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
fn ratios(report: &Report, look: Look, lang: Lang, lines: &mut Vec<String>) {
    let Some(primary) = report.comparisons.first() else { return };
    let [first, second] = &primary.contenders;
    let pairs = lang.counted(primary.pairs as u64, PAIR);
    let head = clean(&say!(
        lang,
        "{first} divided by {second}, over {pairs} of rounds:",
        "{first} dividido por {second}, em {pairs} de rodadas:"
    ));
    lines.extend(wrap(&head, look.width, "  "));
    let differs = |c: &&Comparison| matches!(c.difference, Difference::Better | Difference::Worse);
    for comparison in report.comparisons.iter().filter(|c| c.primary || differs(c)) {
        let name = labels::measure(comparison.measure, report.service_level_ms);
        let answer = words::difference(comparison.difference);
        let (name, ratio) = (left(name.of(lang), LABEL - 2), left(&words::ratio(comparison, lang), 24));
        lines.push(shorten(&format!("  {name}{ratio}{}", answer.of(lang)), look.width));
        if let Some(found) = words::sensitivity(comparison, lang).filter(|_| comparison.primary) {
            lines.extend(wrap_under(&found, look.width));
        }
    }
    if let Some(floor) = &report.noise_floor {
        let told = format!("{} {}", labels::NOISE_FLOOR.of(lang), words::noise_floor(floor, lang));
        lines.extend(wrap_under(&clean(&told), look.width));
    }
    for answer in [Difference::NoDifference, Difference::TooFewRounds] {
        let names: Vec<_> = report
            .comparisons
            .iter()
            .filter(|c| !c.primary && c.difference == answer)
            .map(|c| labels::measure(c.measure, report.service_level_ms).of(lang).to_owned())
            .collect();
        if !names.is_empty() {
            let (what, names) = (words::difference(answer), names.join(", "));
            let what = what.of(lang);
            lines.extend(wrap_under(&say!(lang, "{what} for {names}", "{what} em {names}"), look.width));
        }
    }
    lines.push(String::new());
}

/// Wrapped text of which every line is indented by two.
fn wrap_under(text: &str, limit: usize) -> Vec<String> {
    wrap(text, limit.saturating_sub(2), "  ").into_iter().map(|line| format!("  {line}")).collect()
}
