//! A scan as it is told: each duel in a sentence, then each figure over the settings of its parameters.

use galo_judge::Measure;
use galo_judge::duel::{Compared, DuelVerdict};
use galo_judge::scan::{JudgedScan, ScannedDuel};
use galo_plan::knob::told;
use galo_record::duel::LevelTerms;
use galo_words::Both;

use crate::document::{
    Answer, Apart, Block, Card, CardRow, Document, Emphasis, Head, Line, Link, Section, Tone, Weighs,
};
use crate::duel;
use crate::words::{answers_differ, labels, ratio_of};

/// What is told of each duel: by the first load that has the figure.
const MEASURES: [(Measure, &str); 4] = [
    (Measure::LatencyUsP99, "p99"),
    (Measure::AnswersPerS, "rate"),
    (Measure::CpuMsPer1000, "cpu"),
    (Measure::AnonymousPeakBytes, "memory"),
];

/// The whole of it. The page of each duel is below these folders, in their order; none: there are no pages.
pub fn scan(scan: &JudgedScan, folders: &[String]) -> Document {
    let mut warnings: Vec<Both> = Vec::new();
    let differ = scan
        .duels
        .iter()
        .filter_map(|at| Some(Both::same(format!("{}: ", name(at))).then(&answers_differ(&at.duel)?)));
    for warning in differ.chain(scan.duels.iter().flat_map(|at| duel::warnings(&at.duel))) {
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }
    let first = scan.duels.first().map(|at| &at.duel);
    let mut sections: Vec<Section> = MEASURES.into_iter().filter_map(|of| section(scan, of)).collect();
    let note = Block::Note(Both::word(
        "*: told apart, as 1 duel of 20 between equals is",
        "*: distintos, como 1 duelo em 20 entre iguais",
    ));
    if let Some(last) = sections.last_mut() {
        last.blocks.push(note);
    }
    sections.extend(held_back(scan));
    sections.push(links(scan, folders));
    let verdict = verdict(scan);
    Document {
        title: verdict.en.to_string(),
        warnings,
        verdict,
        tone: Tone::Open,
        answers: scan.duels.iter().map(|at| answer(scan, at)).collect(),
        subject: first.map_or(labels::NOTHING_TO_COMPARE, |first| Both::same(first.request.clone())),
        lines: scan.duels.iter().map(|at| Line { text: sentence(at), warns: false }).collect(),
        next: None,
        sections,
        terms: first.map_or_else(Vec::new, |first| duel::limits(first).into()),
        origin: Some(scan.header.clone()),
    }
}

fn verdict(scan: &JudgedScan) -> Both {
    let settings: Vec<String> = scan.duels.iter().map(name).collect();
    let (settings, [first, second]) = (settings.join(", "), sides(scan));
    match &scan.baseline {
        Some(_) => Both::new(format!("{settings} against {first}"), format!("{settings} contra {first}")),
        None => Both::new(
            format!("{first} against {second} at {settings}"),
            format!("{first} contra {second} com {settings}"),
        ),
    }
}

/// `workers`; of several parameters all of them.
fn parameters(scan: &JudgedScan) -> String {
    let first = scan.baseline.as_ref().or(scan.duels.first().map(|at| &at.setting));
    let names = first.iter().flat_map(|turns| turns.iter().map(|turn| turn.knob.clone()));
    names.collect::<Vec<_>>().join(" ")
}

/// `workers=4: what its duel came to`.
fn sentence(at: &ScannedDuel) -> Both {
    Both::same(format!("{}: ", name(at))).then(&duel::verdict(&at.duel))
}

/// `workers=4`.
fn name(at: &ScannedDuel) -> String {
    told(&at.setting)
}

/// What stands at the heads of the columns: the baseline and whatever is held against it, or the two commands.
fn sides(scan: &JudgedScan) -> [String; 2] {
    match (&scan.baseline, scan.duels.first()) {
        (Some(baseline), _) => [told(baseline), parameters(scan)],
        (None, Some(first)) => first.duel.sides.each_ref().map(|side| side.name.clone()),
        (None, None) => [String::new(), String::new()],
    }
}

/// How a value does against the baseline, or who is better at it.
fn answer(scan: &JudgedScan, at: &ScannedDuel) -> Answer {
    let told = match &at.duel.verdict {
        DuelVerdict::Better { winner } if scan.baseline.is_none() => {
            Both::same(at.duel.sides[*winner].name.clone())
        }
        DuelVerdict::Better { winner: 0 } => labels::WORSE,
        DuelVerdict::Better { .. } => labels::BETTER,
        DuelVerdict::Mixed => labels::EACH_IN_ITS_WAY,
        DuelVerdict::NoDifference => labels::NO_DIFFERENCE,
        DuelVerdict::Inconclusive => labels::INCONCLUSIVE,
        DuelVerdict::Void { .. } => labels::SAYS_NOTHING,
        DuelVerdict::Disqualified { .. } => labels::DISQUALIFIED,
        DuelVerdict::TooFewPairs { .. } => labels::NOT_WITH_SO_FEW,
        DuelVerdict::DifferentStatuses | DuelVerdict::Fails { .. } => labels::NOTHING_TO_COMPARE,
    };
    Answer::tile(Both::same(name(at)), told)
}

/// The loads of several duels, in which each finds a rate of its own.
struct Loads {
    /// What they have in common.
    told: Both,
    /// Whether that is all, so that no row has to tell its own.
    is_one: bool,
}

impl Loads {
    fn of<'a>(mut loads: impl Iterator<Item = &'a LevelTerms>) -> Self {
        let Some(first) = loads.next() else { return Self { told: Both::same(""), is_one: true } };
        let told = duel::level(first);
        match loads.all(|load| duel::level(load) == told) {
            true => Self { told, is_one: true },
            false => Self { told: labels::level(first.level), is_one: false },
        }
    }

    /// `work=60`, or `work=60 (3,929/s)`.
    fn name(&self, at: &ScannedDuel, load: Option<&LevelTerms>) -> Both {
        let own = load
            .filter(|_| !self.is_one)
            .map(|load| Both::same(" (").then(&duel::rate(load)).then(&Both::same(")")));
        Both::same(name(at)).then(&own.unwrap_or_else(|| Both::same("")))
    }
}

/// One figure at all values; `None` where nothing of it can be compared. Ratios are of the second side by the first.
fn section(scan: &JudgedScan, (measure, id): (Measure, &'static str)) -> Option<Section> {
    let of = |at: &'_ ScannedDuel| at.duel.compared.iter().find(|c| c.measure == measure).cloned();
    let seen: Vec<(&ScannedDuel, Compared)> =
        scan.duels.iter().filter_map(|at| Some((at, of(at)?))).collect();
    seen.iter().find(|(_, compared)| compared.ratios.ratio.is_some())?;
    let loads = Loads::of(seen.iter().filter_map(|(at, compared)| at.duel.level(compared.level)));
    let row = |(at, compared): &(&ScannedDuel, Compared)| CardRow {
        group: None,
        name: loads.name(at, at.duel.level(compared.level)),
        weighs: Weighs::Decides,
        cells: compared.values.map(|value| duel::figure(measure, value)).into(),
        ratio: Apart::of(&compared.ratios),
    };
    let names = sides(scan);
    let (abouts, against) = match &scan.baseline {
        Some(_) => {
            let [first, second] = &names;
            ([labels::HELD_AGAINST, labels::VALUE_OF_THE_ROW], Both::same(ratio_of([second, first])))
        }
        None => {
            let [first, second] = &names;
            let against = Both::same(ratio_of([second, first]));
            ([Both::same(""), Both::same("")], against)
        }
    };
    let card = Card {
        id,
        caption: loads.told.clone(),
        heads: names.into_iter().zip(abouts).map(Head::new).collect(),
        against: Some(against),
        rows: seen.iter().map(row).collect(),
        has_bars: true,
    };
    Some(Section {
        id: id.into(),
        name: labels::duel_measure(measure),
        emphasis: Emphasis::First,
        blocks: vec![Block::Card(card)],
    })
}

/// What held each side back; of what all are compared with, in the first duel that tells it.
fn held_back(scan: &JudgedScan) -> Option<Section> {
    let known = || scan.duels.iter().filter_map(|at| duel::held_back_at(&at.duel));
    known().next()?;
    let loads = Loads::of(known());
    let text = |at: &ScannedDuel, side: usize| {
        let told = duel::held_back(&at.duel, side)?;
        // The sides of one command are called by their values.
        let is_told = scan.baseline.is_none() || !loads.is_one;
        let who = is_told.then(|| loads.name(at, duel::held_back_at(&at.duel)).then(&Both::same(": ")));
        Some(Block::Text(who.unwrap_or_else(|| Both::same("")).then(&told)))
    };
    let of_baseline = scan.baseline.as_ref().and_then(|_| scan.duels.iter().find_map(|at| text(at, 0)));
    let first = usize::from(scan.baseline.is_some());
    let each = scan.duels.iter().flat_map(|at| (first..2).filter_map(move |side| text(at, side)));
    Some(Section {
        id: "held-back".into(),
        name: duel::held_back_name(&loads.told),
        emphasis: Emphasis::First,
        blocks: of_baseline.into_iter().chain(each).collect(),
    })
}

fn links(scan: &JudgedScan, folders: &[String]) -> Section {
    let link = |(index, at): (usize, &ScannedDuel)| {
        Block::Link(Link {
            name: Both::same(name(at)),
            page: folders.get(index).cloned(),
            sentence: duel::verdict(&at.duel),
            sections: duel::sections(&at.duel),
        })
    };
    Section {
        id: "duels".into(),
        name: labels::DUELS,
        emphasis: Emphasis::Later,
        blocks: scan.duels.iter().enumerate().map(link).collect(),
    }
}
