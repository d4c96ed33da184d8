//! The page of a scan: how each figure goes over the values of the parameter, of the same parts as a duel's page.

use askama::Template;
use galo_judge::Difference;
use galo_judge::duel::{Compared, DuelVerdict, Figure};
use galo_record::duel::Level;
use galo_record::{RunHeader, ScanRecord};

use super::HtmlError;
use super::bar::RatioAxis;
use super::card::{Card, Cell, Head, Ratio, Row, divided};
use super::cpu::limit;
use super::data::ChartData;
use super::duel::{machine, sides_held_back};
use super::frame::{Frame, Opening};
use super::glance::Answer;
use super::lang::{self, Both, Language};
use super::page::shell_line;
use crate::scan::{ScanDuelReport, ScanReport};
use crate::terminal::duel::{figure, in_words};
use crate::terminal::scan::{FIGURES, of};
use crate::text::clean;
use crate::words;

/// The whole page.
#[derive(Template)]
#[template(path = "scan.html")]
pub(crate) struct ScanPage {
    frame: Frame,
    /// Identifier, heading and rows of each figure.
    cards: Vec<(&'static str, Both, Card)>,
    duels: Vec<DuelLink>,
    facts: Vec<(Both, Both)>,
    command: String,
}

/// One duel, and where its own page is.
struct DuelLink {
    name: String,
    /// Below the folder of this page; `None`: not known.
    page: Option<String>,
    sentence: Both,
    /// What held its sides back, a sentence each.
    held_back: Vec<Both>,
}

impl ScanPage {
    pub(crate) fn new(
        scan: &ScanRecord,
        report: &ScanReport,
        header: &RunHeader,
        language: Language,
    ) -> Result<Self, HtmlError> {
        let cards: Vec<_> = FIGURES.into_iter().filter_map(|figure| card(report, figure)).collect();
        let data = ChartData::of_duel(sides(report), Vec::new());
        let link = |duel: &ScanDuelReport| DuelLink {
            name: name(report, duel),
            page: scan.duels.iter().find(|known| known.value == duel.value).map(|known| clean(&known.folder)),
            sentence: duel.report.told.map(clean),
            held_back: sides_held_back(&duel.report),
        };
        Ok(Self {
            frame: Frame::new(opening(report, &cards), &data, language)?,
            cards,
            duels: report.duels.iter().map(link).collect(),
            facts: facts(report, header),
            command: clean(&shell_line(&header.command)),
        })
    }
}

/// `workers=4`.
fn name(report: &ScanReport, duel: &ScanDuelReport) -> String {
    clean(&format!("{}={}", report.parameter, duel.value))
}

/// What stands at the heads of the columns: the baseline and whatever is held against it, or the two commands.
fn sides(report: &ScanReport) -> [String; 2] {
    match (&report.baseline, report.duels.first()) {
        (Some(baseline), _) => [format!("{}={baseline}", report.parameter), report.parameter.clone()],
        (None, Some(first)) => first.report.sides.each_ref().map(|side| side.name.clone()),
        (None, None) => [String::new(), String::new()],
    }
    .map(|side| clean(&side))
}

fn opening(report: &ScanReport, cards: &[(&'static str, Both, Card)]) -> Opening {
    let values: Vec<String> = report.duels.iter().map(|duel| clean(&duel.value)).collect();
    let (parameter, values, [first, second]) = (clean(&report.parameter), values.join(", "), sides(report));
    let verdict = match report.baseline.as_ref().map(|value| clean(value)) {
        Some(baseline) => Both::new(
            format!("{parameter}: {values} against {baseline}"),
            format!("{parameter}: {values} contra {baseline}"),
        ),
        None => Both::new(
            format!("{first} against {second} at {parameter}={values}"),
            format!("{first} contra {second} com {parameter}={values}"),
        ),
    };
    let mut warnings = Vec::new();
    for warning in report.duels.iter().flat_map(|duel| duel.report.warnings()) {
        let warning = Both::same(clean(&warning));
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }
    let mut sections: Vec<(&'static str, Both)> =
        cards.iter().map(|(id, name, _)| (*id, name.clone())).collect();
    sections.extend([("duels", lang::DUELS), ("again-title", lang::MACHINE_AND_PLAN)]);
    Opening {
        title: verdict.en.to_string(),
        warnings,
        verdict,
        verdict_class: "open",
        glance: report.duels.iter().map(|duel| answer(report, duel)).collect(),
        subject: report
            .duels
            .first()
            .map_or(lang::NOTHING_TO_COMPARE, |duel| Both::same(clean(&duel.report.request))),
        sections,
    }
}

/// How a value does against the baseline, or who is better at it.
fn answer(report: &ScanReport, duel: &ScanDuelReport) -> Answer {
    let told = match &duel.report.verdict {
        DuelVerdict::Better { winner } if report.baseline.is_none() => {
            Both::same(clean(&duel.report.sides[*winner].name))
        }
        DuelVerdict::Better { winner: 0 } => lang::WORSE,
        DuelVerdict::Better { .. } => lang::BETTER,
        DuelVerdict::Mixed => lang::EACH_IN_ITS_WAY,
        DuelVerdict::NoDifference => lang::NO_DIFFERENCE,
        DuelVerdict::Void { .. } => lang::SAYS_NOTHING,
        DuelVerdict::TooFewPairs { .. } => lang::NOT_WITH_SO_FEW,
        DuelVerdict::DifferentStatuses | DuelVerdict::Fails { .. } => lang::NOTHING_TO_COMPARE,
    };
    Answer::new(Both::same(name(report, duel)), told)
}

/// One figure at all values; `None` where nothing of it can be compared.
fn card(report: &ScanReport, of_what: Figure) -> Option<(&'static str, Both, Card)> {
    let seen: Vec<(&ScanDuelReport, &Compared)> =
        report.duels.iter().filter_map(|duel| Some((duel, of(duel, of_what)?))).collect();
    let (_, first) = seen.iter().find(|(_, compared)| compared.ratio.is_some())?;
    let axis = RatioAxis::around(seen.iter().filter_map(|(_, compared)| compared.interval));
    let row = |(duel, compared): &(&ScanDuelReport, &Compared)| Row {
        name: Both::same(name(report, duel)),
        note: None,
        primary: false,
        cells: compared
            .values
            .map(|value| Cell { text: Both::figure(figure(of_what, value)), struck: false })
            .into(),
        ratio: compared.ratio.map(|ratio| second_by_first(ratio, compared, axis)),
    };
    let names = sides(report);
    let abouts = match report.baseline {
        Some(_) => [lang::HELD_AGAINST, lang::VALUE_OF_THE_ROW],
        None => [Both::same(""), Both::same("")],
    };
    let head = |(colour, (name, about))| Head { name, about, colour };
    let against = match &report.baseline {
        Some(baseline) => {
            let baseline = clean(baseline);
            Both::new(format!("divided by that of {baseline}"), format!("dividido pelo de {baseline}"))
        }
        None => divided(&[names[1].clone(), names[0].clone()]),
    };
    let card = Card {
        caption: load(&first.level),
        heads: names.into_iter().zip(abouts).enumerate().map(head).collect(),
        against: Some(against),
        rows: seen.iter().map(row).collect(),
    };
    Some((identifier(of_what), lang::duel_figure(of_what), card))
}

/// As the terminal tells it: what a duel compares is the first side by the second.
fn second_by_first(ratio: f64, compared: &Compared, axis: Option<RatioAxis>) -> Ratio {
    let (ratio, interval) = (1.0 / ratio, compared.interval.map(|[low, high]| [1.0 / high, 1.0 / low]));
    let difference = match compared.difference {
        Difference::Better => Difference::Worse,
        Difference::Worse => Difference::Better,
        other @ (Difference::NoDifference | Difference::TooFewRounds) => other,
    };
    let svg = axis.map(|axis| axis.interval(Some(ratio), interval)).unwrap_or_default();
    Ratio::new(&in_words(ratio, interval), difference, svg)
}

/// The load of a level by its name.
fn load(level: &str) -> Both {
    let known = [Level::Asked, Level::Half, Level::Near, Level::Highest];
    known
        .into_iter()
        .find(|known| known.name() == level)
        .map_or_else(|| Both::same(clean(level)), lang::level)
}

const fn identifier(figure: Figure) -> &'static str {
    match figure {
        Figure::P99 => "p99",
        Figure::P50 => "p50",
        Figure::Rate => "rate",
        Figure::Cpu => "cpu",
        Figure::Memory => "memory",
    }
}

fn facts(report: &ScanReport, header: &RunHeader) -> Vec<(Both, Both)> {
    let mut facts = vec![
        (lang::STARTED, Both::same(clean(&header.started))),
        (Both::same("galo"), Both::same(clean(&header.galo))),
    ];
    if let Some(ScanDuelReport { report, .. }) = report.duels.first() {
        let cpus = limit(report.cpus.map(|cpus| words::cpu_limit(Some(cpus))));
        let memory = limit(report.memory_bytes.map(|bytes| words::memory_limit(Some(bytes))));
        facts.extend([(lang::CPU_LIMIT, cpus), (lang::MEMORY_LIMIT, memory)]);
    }
    facts.extend(machine(&header.machine));
    facts
}
