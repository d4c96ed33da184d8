//! The score card: contenders side by side, and how far apart they are.

use galo_judge::{Difference, Measure};

use super::bar::RatioAxis;
use super::lang::{self, Both};
use crate::report::{ContenderReport, Report, Summary};
use crate::terminal::{CARD_MEASURES, throttled};
use crate::text::clean;
use crate::words::{self, Lang};

/// The score card.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Card {
    /// What the figures are.
    pub(crate) caption: Both,
    /// One for each contender.
    pub(crate) heads: Vec<Head>,
    /// What the last column says; `None` where there is nothing to compare.
    pub(crate) against: Option<Both>,
    /// One for each figure.
    pub(crate) rows: Vec<Row>,
}

/// Head of a contender's column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Head {
    /// Name.
    pub(crate) name: String,
    /// Title, language where it is told, and whether it is disqualified.
    pub(crate) about: Both,
    /// Number for the colour.
    pub(crate) colour: usize,
}

/// One figure of all contenders.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    /// What it is.
    pub(crate) name: Both,
    /// What else is to be known of it.
    pub(crate) note: Option<Both>,
    /// Whether it is the primary measure.
    pub(crate) primary: bool,
    /// By contender.
    pub(crate) cells: Vec<Cell>,
    /// How the first two differ.
    pub(crate) ratio: Option<Ratio>,
}

/// One figure of one contender.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cell {
    /// The figure with its unit.
    pub(crate) text: Both,
    /// Whether it is struck through.
    pub(crate) struck: bool,
}

/// How the first two contenders that may be ranked differ.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ratio {
    /// `0.71 (0.66 to 0.77)`.
    pub(crate) text: Both,
    /// The answer.
    pub(crate) answer: Both,
    /// Style class of the answer.
    pub(crate) class: &'static str,
    /// The interval as a drawing, safe by construction; empty where there is none.
    pub(crate) svg: String,
}

impl Card {
    pub(crate) fn new(report: &Report) -> Self {
        let mut rows = vec![row(report, lang::VALID_ROUNDS, |s| s.valid)];
        for (name, cell) in [
            (lang::DISQUALIFIED_ROUNDS, (|s| s.disqualified) as fn(&Summary) -> usize),
            (lang::VOID_ROUNDS, |s| s.void),
            (lang::DID_NOT_START, |s| s.not_ready),
        ] {
            if report.contenders.iter().any(|c| cell(&c.summary) > 0) {
                rows.push(row(report, name, cell));
            }
        }
        let axis = RatioAxis::around(report.comparisons.iter().filter_map(|c| c.interval));
        for measure in CARD_MEASURES.iter().chain([&Measure::AnonymousPeakBytes, &Measure::ElapsedS]) {
            rows.push(measure_row(report, *measure, axis));
        }
        let cells =
            report.contenders.iter().map(|c| figure(&c.summary, throttled(&c.summary, Lang::En))).collect();
        rows.push(Row { name: lang::THROTTLED_WORST, note: None, primary: false, cells, ratio: None });
        let struck = rows.iter().flat_map(|r| &r.cells).any(|cell| cell.struck);
        Self {
            caption: if struck { lang::CARD_CAPTION.then(&lang::CARD_STRUCK) } else { lang::CARD_CAPTION },
            heads: report.contenders.iter().enumerate().map(head).collect(),
            against: report.comparisons.first().map(|c| divided(&c.contenders)),
            rows,
        }
    }
}

/// The head of the ratios.
fn divided([first, second]: &[String; 2]) -> Both {
    let (first, second) = (clean(first), clean(second));
    Both::new(format!("{first} divided by {second}"), format!("{first} dividido por {second}"))
}

fn head((colour, contender): (usize, &ContenderReport)) -> Head {
    let language = contender.language.as_ref().map(|l| format!(", {l}")).unwrap_or_default();
    let about = Both::same(clean(&format!("{}{language}", contender.title)));
    let disqualified = contender.summary.disqualified > 0;
    Head {
        name: clean(&contender.name),
        about: if disqualified { about.then(&Both::same(", ")).then(&lang::DISQUALIFIED) } else { about },
        colour: colour % 4,
    }
}

/// A row that is no measure: never struck through, since it says what happened to the rounds.
fn row(report: &Report, name: Both, cell: fn(&Summary) -> usize) -> Row {
    let text = |c: &ContenderReport| Both::figure(words::count(cell(&c.summary) as u64));
    let cells = report.contenders.iter().map(|c| Cell { text: text(c), struck: false }).collect();
    Row { name, note: None, primary: false, cells, ratio: None }
}

/// A figure, struck through where its contender is disqualified.
fn figure(summary: &Summary, text: String) -> Cell {
    Cell { struck: summary.disqualified > 0 && text != words::UNSEEN, text: Both::figure(text) }
}

fn measure_row(report: &Report, measure: Measure, axis: Option<RatioAxis>) -> Row {
    let comparison = report.comparisons.iter().find(|c| c.measure == measure);
    let cells =
        report.contenders.iter().map(|c| figure(&c.summary, words::figure(measure, &c.summary.measures)));
    Row {
        name: lang::measure(measure, report.service_level_ms),
        note: comparison.filter(|c| c.primary).map(|_| lang::PRIMARY),
        primary: comparison.is_some_and(|c| c.primary),
        cells: cells.collect(),
        ratio: comparison.map(|c| {
            let svg = axis.map(|axis| axis.interval(c.ratio, c.interval)).unwrap_or_default();
            Ratio::new(Both::told(|lang| words::ratio(c, lang)), c.difference, svg)
        }),
    }
}

impl Ratio {
    pub(crate) fn new(text: Both, difference: Difference, svg: String) -> Self {
        let (answer, class) = match difference {
            Difference::Better => (lang::BETTER, "better"),
            Difference::Worse => (lang::WORSE, "worse"),
            Difference::NoDifference => (lang::NO_DIFFERENCE, "open"),
            Difference::TooFewRounds => (lang::TOO_FEW_ROUNDS, "open"),
        };
        Self { text, answer, class, svg }
    }
}
