//! The score card: contenders side by side, and how far apart those two are that are compared.

use galo_judge::Measure;
use galo_judge::fight::{JudgedContender, JudgedFight, Summary};
use galo_plan::Runner;
use galo_words::nouns::PAIR;
use galo_words::{Both, Figure, say};

use crate::document::{Apart, Block, Card, CardRow, Cell, Head, Weighs};
use crate::words::{self, labels};

/// Measures in the order in which they are told, where there is room for the most important.
pub(crate) const SHORT: [Measure; 6] = [
    Measure::CorrectWithinServiceLevel,
    Measure::LatencyUsP50,
    Measure::LatencyUsP99,
    Measure::LatencyUsP999,
    Measure::CpuMsPer1000,
    Measure::MemoryPeakBytes,
];

/// The card, and what is to be known of its ratios.
pub(super) fn blocks(report: &JudgedFight) -> Vec<Block> {
    let primary = report.comparisons.first();
    let over = primary.map(|primary| {
        let [first, second] = &primary.contenders;
        Both::each(|lang| {
            let pairs = lang.counted(primary.ratios.pairs as u64, PAIR);
            say!(
                lang,
                "ratio: {first} divided by {second}, over {pairs} of rounds (5:1: better in 5, worse in 1); * told apart, ? too few rounds",
                "razão: {first} dividido por {second}, em {pairs} de rodadas (5:1: melhor em 5, pior em 1); * há diferença, ? rodadas insuficientes"
            )
        })
    });
    let found = primary.and_then(|primary| {
        words::sensitivity(primary, galo_words::Lang::En)?;
        Some(Both::each(|lang| words::sensitivity(primary, lang).unwrap_or_default()))
    });
    let floor = report.noise_floor.as_ref().map(|floor| {
        let told = Both::each(|lang| words::noise_floor(floor, lang));
        labels::NOISE_FLOOR.then(&Both::same(" ")).then(&told)
    });
    let notes = [over, found, floor].into_iter().flatten().map(Block::Note);
    [Block::Card(card(report))].into_iter().chain(notes).collect()
}

fn card(report: &JudgedFight) -> Card {
    let mut rows = vec![counted(report, labels::VALID_ROUNDS, |s| s.valid)];
    for (name, cell) in [
        (labels::DISQUALIFIED_ROUNDS, (|s| s.disqualified) as fn(&Summary) -> usize),
        (labels::VOID_ROUNDS, |s| s.void),
        (labels::DID_NOT_START, |s| s.not_ready),
    ] {
        if report.contenders.iter().any(|c| cell(&c.summary) > 0) {
            rows.push(counted(report, name, cell));
        }
    }
    let all = SHORT.into_iter().chain(Measure::of_rounds().filter(|measure| !SHORT.contains(measure)));
    rows.extend(all.map(|measure| measured(report, measure)));
    let throttled = report.contenders.iter().map(|contender| throttled(&contender.summary));
    rows.push(CardRow {
        group: None,
        name: labels::THROTTLED_PERIODS,
        weighs: Weighs::ToldOnly,
        cells: throttled.collect(),
        ratio: None,
    });
    let is_struck = report.contenders.iter().any(|c| c.summary.disqualified > 0);
    let against = report.comparisons.first().map(|primary| {
        let [first, second] = &primary.contenders;
        Both::new(format!("{first} divided by {second}"), format!("{first} dividido por {second}"))
    });
    Card {
        id: "score",
        caption: if is_struck {
            labels::CARD_CAPTION.then(&labels::CARD_STRUCK)
        } else {
            labels::CARD_CAPTION
        },
        heads: report.contenders.iter().map(head).collect(),
        against,
        rows,
        has_bars: false,
    }
}

fn head(contender: &JudgedContender) -> Head {
    let language = contender.language.as_ref().map(|l| format!(", {l}")).unwrap_or_default();
    let about = Both::same(format!("{}{language}", contender.title));
    let about = match contender.runner == Runner::Docker {
        true => about.then(&labels::IN_CONTAINERS),
        false => about,
    };
    let is_out = contender.summary.disqualified > 0;
    Head {
        name: contender.name.clone(),
        about: if is_out { about.then(&Both::same(", ")).then(&labels::DISQUALIFIED) } else { about },
        is_out,
    }
}

/// A row that is no measure: it says what happened to the rounds.
fn counted(report: &JudgedFight, name: Both, cell: fn(&Summary) -> usize) -> CardRow {
    let cells = report.contenders.iter().map(|c| Cell::from(cell(&c.summary) as u64));
    CardRow { group: None, name, weighs: Weighs::Count, cells: cells.collect(), ratio: None }
}

fn measured(report: &JudgedFight, measure: Measure) -> CardRow {
    let comparison = report.comparisons.iter().find(|c| c.measure == measure);
    let cells = report.contenders.iter().map(|c| words::figure(measure, c.summary.measures.get(measure)));
    CardRow {
        group: None,
        name: labels::measure(measure, report.service_level_ms),
        weighs: match measure {
            Measure::LatencyUsP99 => Weighs::First,
            Measure::CorrectWithinServiceLevel | Measure::CpuMsPer1000 => Weighs::Decides,
            _ => Weighs::ToldOnly,
        },
        cells: cells.collect(),
        ratio: comparison.and_then(|comparison| Apart::of(&comparison.ratios)),
    }
}

/// The most throttled service's share with its name.
fn throttled(summary: &Summary) -> Cell {
    match (summary.throttled_share, &summary.throttled_service) {
        (Some(share), Some(service)) if share > 0.0 => {
            Both::same(format!("{service} ")).then(&Both::figure(Figure::Share(share))).into()
        }
        (share, _) => share.map(Figure::Share).into(),
    }
}
