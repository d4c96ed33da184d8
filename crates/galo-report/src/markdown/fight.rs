//! A fight.

use galo_judge::{Comparison, Measure};
use galo_record::finding::Weight;

use super::{Origin, block, code, details, join, table, text, warning};
use crate::findings::{FindingGroup, groups};
use crate::report::{ContenderReport, Report, RoundReport};
use crate::terminal::{CARD_MEASURES, limits_warning, standing, subject, throttled};
use crate::words::{self, count, counted, ms};

/// The report of a fight as Markdown. Ends with a newline.
pub fn markdown(report: &Report) -> String {
    let groups = groups(report);
    // What held rounds back most is no mere note, though nobody who fights may be to blame for it.
    let first_cause = groups.iter().position(|group| group.explained().is_some());
    let is_shown = |(index, group): &(usize, &FindingGroup<'_>)| {
        group.finding.weight != Weight::Note || Some(*index) == first_cause
    };
    let (shown, folded): (Vec<_>, Vec<_>) = groups.iter().enumerate().partition(is_shown);
    let told = |(_, group): (usize, &FindingGroup<'_>)| finding(group);
    let rest = [rounds(report), folded.into_iter().map(told).collect(), limits(report)];
    join(&[
        format!("### {}", text(&report.verdict.text)),
        limits_warning(report).map_or_else(String::new, |told| warning(&told)),
        text(&subject(report)),
        figures(report),
        ratio_note(report),
        shown.into_iter().map(told).collect(),
        details("rounds, notes, limits", &join(&rest)),
        Origin::from(report).told(),
    ])
}

/// A row for each measure, a column for each contender, and how the two that are compared differ.
fn figures(report: &Report) -> String {
    let compared = !report.comparisons.is_empty();
    let mut head = vec![String::new()];
    head.extend(report.contenders.iter().map(|c| text(&c.name)));
    if compared {
        head.extend(["ratio".to_owned(), String::new()]);
    }
    let mut rows = vec![row_of(report, "valid rounds", |c| {
        format!("{} of {}", c.summary.valid, c.summary.rounds - c.summary.void)
    })];
    for measure in CARD_MEASURES {
        rows.push(measure_row(report, *measure));
    }
    rows.push(row_of(report, "throttled periods", |c| text(&throttled(&c.summary))));
    for row in &mut rows {
        row.resize(head.len(), String::new());
    }
    table(&head, &rows)
}

fn row_of(report: &Report, name: &str, cell: impl Fn(&ContenderReport) -> String) -> Vec<String> {
    std::iter::once(name.to_owned()).chain(report.contenders.iter().map(cell)).collect()
}

fn measure_row(report: &Report, measure: Measure) -> Vec<String> {
    let name = words::measure(measure, report.service_level_ms);
    let comparison = report.comparisons.iter().find(|c| c.measure == measure);
    let bold = comparison.is_some_and(|c| c.primary);
    let strong = |told: String| if bold { format!("**{told}**") } else { told };
    let mut row = vec![strong(name)];
    row.extend(report.contenders.iter().map(|contender| {
        let told = words::figure(measure, &contender.summary.measures);
        let struck = contender.summary.disqualified > 0 && told != words::UNSEEN;
        if struck { format!("~~{told}~~") } else { told }
    }));
    row.extend(
        comparison.into_iter().flat_map(|c| [strong(words::ratio(c)), words::difference(c).to_owned()]),
    );
    row
}

/// What the ratios are of.
fn ratio_note(report: &Report) -> String {
    let struck = report.contenders.iter().any(|c| c.summary.disqualified > 0);
    let struck = if struck { "Struck through: figures of a disqualified contender." } else { "" };
    let ratio = report.comparisons.first().map(ratio_sentence).unwrap_or_default();
    [ratio.as_str(), struck].join(" ").trim().to_owned()
}

fn ratio_sentence(primary: &Comparison) -> String {
    let [first, second] = primary.contenders.each_ref().map(|name| text(name));
    let pairs = counted(primary.pairs, "pair");
    let interval = "with intervals of 96 % (the first in bold) and 99.5 %";
    format!("Ratio: {first} divided by {second} over {pairs} of rounds that alternated, {interval}.")
}

fn finding(group: &FindingGroup<'_>) -> String {
    let finding = group.finding;
    let head = format!("{}: {}: {}", group.weight(), group.who(), finding.name);
    // The first is enough to see it; all of it is in `report.json`.
    let evidence = finding.evidence.first().map(|told| block("", told));
    let hint = finding.hint.iter().map(|hint| format!("hint: {}", hint.trim_start_matches("hint: ")));
    let told = format!("**{}** ({}): {}", text(&head), group.how_often(), text(&finding.text));
    let parts: Vec<String> =
        std::iter::once(told).chain(evidence).chain(hint.map(|hint| text(&hint))).collect();
    join(&parts) + "\n"
}

/// Every round in a line.
fn rounds(report: &Report) -> String {
    let head = ["round", "standing", "contender", "intended", "right", "p50", "p99", "galo's lag p99"];
    let row = |round: &RoundReport| {
        let RoundReport { number, ledger, latency, engine, .. } = round;
        vec![
            number.to_string(),
            text(&standing(round)),
            text(&round.contender),
            count(ledger.intended),
            count(ledger.ok),
            ms(latency.p50),
            ms(latency.p99),
            ms(engine.lag_us_p99),
        ]
    };
    table(&head.map(str::to_owned), &report.rounds.iter().map(row).collect::<Vec<_>>())
}

/// The limits that contenders' files ask for.
fn limits(report: &Report) -> String {
    let service = |s: &crate::report::PlannedService| {
        format!("{} {} CPU {}", s.name, s.cpus, words::memory_limit(Some(s.memory_bytes)))
    };
    let line = |contender: &ContenderReport| {
        let services: Vec<String> = contender.services.iter().map(service).collect();
        format!("- {}: {}\n", text(&contender.name), code(&services.join(", ")))
    };
    report.contenders.iter().map(line).collect()
}
