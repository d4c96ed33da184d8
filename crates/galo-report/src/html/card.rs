//! The score card: contenders side by side, and how far apart they are.

use galo_judge::{Comparison, Difference, Measure};

use super::scale::Scale;
use crate::report::{ContenderReport, Report, Summary};
use crate::terminal::{CARD_MEASURES, throttled};
use crate::text::clean;
use crate::words;

/// The score card.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Card {
    /// One for each contender.
    pub(crate) heads: Vec<Head>,
    /// What the last column says; `None` where there is nothing to compare.
    pub(crate) against: Option<String>,
    /// One for each figure.
    pub(crate) rows: Vec<Row>,
    /// Whether figures are struck through.
    pub(crate) struck: bool,
}

/// Head of a contender's column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Head {
    /// Name.
    pub(crate) name: String,
    /// Title, and language where it is told.
    pub(crate) about: String,
    /// Number for the colour.
    pub(crate) colour: usize,
    /// Whether it is disqualified.
    pub(crate) disqualified: bool,
}

/// One figure of all contenders.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    /// What it is.
    pub(crate) name: String,
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
    pub(crate) text: String,
    /// Whether it is struck through.
    pub(crate) struck: bool,
}

/// How the first two contenders that may be ranked differ.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ratio {
    /// `0.71 (0.66 to 0.77)`.
    pub(crate) text: String,
    /// The answer.
    pub(crate) answer: &'static str,
    /// Style class of the answer.
    pub(crate) class: &'static str,
    /// The interval as a drawing, safe by construction; empty where there is none.
    pub(crate) svg: String,
}

impl Card {
    pub(crate) fn new(report: &Report) -> Self {
        let mut rows = vec![row(report, "valid rounds", |s| s.valid.to_string())];
        for (name, cell) in [
            ("disqualified rounds", (|s| s.disqualified) as fn(&Summary) -> usize),
            ("void rounds", |s| s.void),
            ("did not start", |s| s.not_ready),
        ] {
            if report.contenders.iter().any(|c| cell(&c.summary) > 0) {
                rows.push(row(report, name, |s| cell(s).to_string()));
            }
        }
        let axis = ratio_axis(&report.comparisons);
        for measure in CARD_MEASURES.iter().chain([&Measure::AnonymousPeakBytes, &Measure::ElapsedS]) {
            rows.push(measure_row(report, *measure, axis));
        }
        let cells = report.contenders.iter().map(|c| figure(&c.summary, throttled(&c.summary))).collect();
        let name = "throttled periods (worst service)".to_owned();
        rows.push(Row { name, primary: false, cells, ratio: None });
        let struck = rows.iter().flat_map(|r| &r.cells).any(|cell| cell.struck);
        let against = report.comparisons.first().map(|c| clean(&c.contenders.join(" divided by ")));
        Self { heads: report.contenders.iter().enumerate().map(head).collect(), against, rows, struck }
    }
}

fn head((colour, contender): (usize, &ContenderReport)) -> Head {
    let language = contender.language.as_ref().map(|l| format!(", {l}")).unwrap_or_default();
    Head {
        name: clean(&contender.name),
        about: clean(&format!("{}{language}", contender.title)),
        colour: colour % 4,
        disqualified: contender.summary.disqualified > 0,
    }
}

/// A row that is no measure: never struck through, since it says what happened to the rounds.
fn row(report: &Report, name: &str, cell: impl Fn(&Summary) -> String) -> Row {
    let cells = report.contenders.iter();
    let cells = cells.map(|c| Cell { text: cell(&c.summary), struck: false }).collect();
    Row { name: name.to_owned(), primary: false, cells, ratio: None }
}

/// A figure, struck through where its contender is disqualified.
fn figure(summary: &Summary, text: String) -> Cell {
    Cell { struck: summary.disqualified > 0 && text != words::UNSEEN, text }
}

fn measure_row(report: &Report, measure: Measure, axis: Option<f64>) -> Row {
    let comparison = report.comparisons.iter().find(|c| c.measure == measure);
    let cells =
        report.contenders.iter().map(|c| figure(&c.summary, words::figure(measure, &c.summary.measures)));
    Row {
        name: words::measure(measure, report.service_level_ms),
        primary: comparison.is_some_and(|c| c.primary),
        cells: cells.collect(),
        ratio: comparison.map(|c| Ratio {
            text: words::ratio(c),
            answer: words::difference(c),
            class: match c.difference {
                Difference::Better => "better",
                Difference::Worse => "worse",
                Difference::NoDifference | Difference::TooFewRounds => "open",
            },
            svg: axis.map(|most| interval(c, most)).unwrap_or_default(),
        }),
    }
}

/// The factor at the ends of the axis that all intervals share, so that they can be held against one another.
fn ratio_axis(comparisons: &[Comparison]) -> Option<f64> {
    let bounds = comparisons.iter().filter_map(|c| c.interval).flatten();
    let far = bounds.filter(|b| *b > 0.0).map(|bound| bound.max(1.0 / bound)).fold(0.0, f64::max);
    // Beyond a factor of ten it does not matter how far, and the others could no longer be seen.
    (far > 0.0).then(|| far.clamp(1.2, 10.0) * 1.05)
}

/// The interval on a log axis around 1.
fn interval(comparison: &Comparison, most: f64) -> String {
    let (Some(ratio), Some([low, high])) = (comparison.ratio, comparison.interval) else {
        return String::new();
    };
    let axis = Scale::Log { least: 1.0 / most, most };
    let x = |value: f64| 4.0 + 112.0 * axis.position(value);
    format!(
        r#"<svg class="interval" viewBox="0 0 120 16" aria-hidden="true"><path class="one" d="M60 1V15"/><path class="range" d="M{:.1} 8H{:.1}"/><circle cx="{:.1}" cy="8" r="3.5"/></svg>"#,
        x(low),
        x(high),
        x(ratio)
    )
}
