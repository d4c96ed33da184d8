//! A fight.

use galo_judge::{Comparison, Measure};
use galo_record::finding::Weight;

use super::{Origin, block, code, details, join, table, text, warning};
use crate::findings::{FindingGroup, groups};
use crate::report::{ContenderReport, Report, RoundReport};
use crate::terminal::{CARD_MEASURES, hint, limits_warning, standing, subject, throttled};
use crate::words::lang::{PAIR, say};
use crate::words::{self, Both, Lang, Told, labels, ms};

/// The report of a fight as Markdown. Ends with a newline.
pub fn markdown(report: &Report, lang: Lang) -> String {
    let groups = groups(report);
    // What held rounds back most is no mere note, though nobody who fights may be to blame for it.
    let first_cause = groups.iter().position(|group| group.explained().is_some());
    let is_shown = |(index, group): &(usize, &FindingGroup<'_>)| {
        group.finding.weight != Weight::Note || Some(*index) == first_cause
    };
    let (shown, folded): (Vec<_>, Vec<_>) = groups.iter().enumerate().partition(is_shown);
    let told = |(_, group): (usize, &FindingGroup<'_>)| finding(group, lang);
    let rest = [rounds(report, lang), folded.into_iter().map(told).collect(), limits(report, lang)];
    join(&[
        format!("### {}", text(report.verdict.told.of(lang))),
        limits_warning(report, lang).map_or_else(String::new, |told| warning(&told)),
        text(&subject(report, lang)),
        figures(report, lang),
        ratio_note(report, lang),
        shown.into_iter().map(told).collect(),
        details(lang.pick("rounds, notes, limits", "rodadas, notas, limites"), &join(&rest)),
        Origin::from(report).told(lang),
    ])
}

/// A row for each measure, a column for each contender, and how the two that are compared differ.
fn figures(report: &Report, lang: Lang) -> String {
    let compared = !report.comparisons.is_empty();
    let mut head = vec![String::new()];
    head.extend(report.contenders.iter().map(|c| text(&c.name)));
    if compared {
        head.extend([lang.pick("ratio", "razão").to_owned(), String::new()]);
    }
    let mut rows = vec![row_of(report, labels::VALID_ROUNDS.of(lang), |c| {
        let (valid, all) = (c.summary.valid, c.summary.rounds - c.summary.void);
        say!(lang, "{valid} of {all}", "{valid} de {all}")
    })];
    for measure in CARD_MEASURES {
        rows.push(measure_row(report, *measure, lang));
    }
    rows.push(row_of(report, labels::THROTTLED_PERIODS.of(lang), |c| text(&throttled(&c.summary, lang))));
    for row in &mut rows {
        row.resize(head.len(), String::new());
    }
    table(&head, &rows)
}

fn row_of(report: &Report, name: &str, cell: impl Fn(&ContenderReport) -> String) -> Vec<String> {
    std::iter::once(name.to_owned()).chain(report.contenders.iter().map(cell)).collect()
}

fn measure_row(report: &Report, measure: Measure, lang: Lang) -> Vec<String> {
    let name = labels::measure(measure, report.service_level_ms).of(lang).to_owned();
    let comparison = report.comparisons.iter().find(|c| c.measure == measure);
    let bold = comparison.is_some_and(|c| c.primary);
    let strong = |told: String| if bold { format!("**{told}**") } else { told };
    let mut row = vec![strong(name)];
    row.extend(report.contenders.iter().map(|contender| {
        let told = lang.figure(words::figure(measure, &contender.summary.measures));
        let struck = contender.summary.disqualified > 0 && told != words::UNSEEN;
        if struck { format!("~~{told}~~") } else { told }
    }));
    row.extend(
        comparison.into_iter().flat_map(|c| {
            [strong(words::ratio(c, lang)), words::difference(c.difference).of(lang).to_owned()]
        }),
    );
    row
}

/// What the ratios are of.
fn ratio_note(report: &Report, lang: Lang) -> String {
    let struck = report.contenders.iter().any(|c| c.summary.disqualified > 0);
    let struck = match struck {
        true => lang.pick(
            "Struck through: figures of a disqualified contender.",
            "Riscados: números de um competidor desclassificado.",
        ),
        false => "",
    };
    let ratio = report.comparisons.first().map(|primary| ratio_sentence(primary, lang)).unwrap_or_default();
    [ratio.as_str(), struck].join(" ").trim().to_owned()
}

fn ratio_sentence(primary: &Comparison, lang: Lang) -> String {
    let [first, second] = primary.contenders.each_ref().map(|name| text(name));
    let pairs = lang.counted(primary.pairs as u64, PAIR);
    say!(
        lang,
        "Ratio: {first} divided by {second} over {pairs} of rounds that alternated, with intervals of 96 % (the first in \
         bold) and 99.5 %.",
        "Razão: {first} dividido por {second} em {pairs} de rodadas alternadas, com intervalos de 96 % (o primeiro em \
         negrito) e 99,5 %."
    )
}

fn finding(group: &FindingGroup<'_>, lang: Lang) -> String {
    let Told { text: what, evidence, remedy } = &group.finding.told;
    // The first is enough to see it; all of it is in `report.json`.
    let evidence = evidence.first().map(|told| block("", told.of(lang)));
    let remedy = remedy.as_ref().map(|remedy| text(&hint(remedy, lang)));
    let told =
        format!("**{}** ({}): {}", text(&group.head(lang)), group.how_often(lang), text(what.of(lang)));
    let parts: Vec<String> = std::iter::once(told).chain(evidence).chain(remedy).collect();
    join(&parts) + "\n"
}

/// Every round in a line.
fn rounds(report: &Report, lang: Lang) -> String {
    let head = [
        labels::ROUND,
        labels::STANDING,
        labels::CONTENDER,
        labels::INTENDED,
        labels::OK,
        labels::P50,
        labels::P99,
        Both::word("galo's lag p99", "atraso do galo p99"),
    ];
    let ms = |us: f64| lang.figure(ms(us));
    let row = |round: &RoundReport| {
        let RoundReport { number, ledger, latency, engine, .. } = round;
        vec![
            number.to_string(),
            text(&standing(round, lang)),
            text(&round.contender),
            lang.whole(ledger.intended),
            lang.whole(ledger.ok),
            ms(latency.p50),
            ms(latency.p99),
            ms(engine.lag_us_p99),
        ]
    };
    table(&head.map(|name| name.of(lang).to_owned()), &report.rounds.iter().map(row).collect::<Vec<_>>())
}

/// The limits that contenders' files ask for.
fn limits(report: &Report, lang: Lang) -> String {
    let service = |s: &crate::report::PlannedService| {
        let (cpus, memory) =
            (words::cpu_limit(Some(s.cpus), lang), words::memory_limit(Some(s.memory_bytes), lang));
        format!("{} {cpus} {memory}", s.name)
    };
    let line = |contender: &ContenderReport| {
        let services: Vec<String> = contender.services.iter().map(service).collect();
        format!("- {}: {}\n", text(&contender.name), code(&services.join(", ")))
    };
    report.contenders.iter().map(line).collect()
}
