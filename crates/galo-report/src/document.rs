//! What is told of a run: blocks of meaning with their words in both languages, and the three that show them.
//!
//! A kind of run owns the order of its blocks and what is told first; how they look is decided here, once for all kinds.
//! A block says what something is (a finding, a table, a curve), and nothing of colours, columns or elements.

mod curve;
mod html;
mod markdown;
mod terminal;

use galo_plan::Blame;
use galo_record::RunHeader;
use galo_record::finding::Weight;

use crate::report::FindingReport;
use crate::words::{Both, Told};

pub(crate) use curve::{Curve, Point};

/// A run as it is told.
#[derive(Debug, Clone)]
pub struct Document {
    /// Of whom and what.
    pub(crate) title: String,
    /// What must be known before everything else.
    pub(crate) warnings: Vec<Both>,
    /// What it comes to, in one sentence.
    pub(crate) verdict: Both,
    /// How sure that is.
    pub(crate) tone: Tone,
    /// What a reader asks first.
    pub(crate) answers: Vec<Answer>,
    /// What was driven, in a few words.
    pub(crate) subject: Both,
    /// In the order in which they are told.
    pub(crate) sections: Vec<Section>,
    /// What the plan was.
    pub(crate) terms: Vec<(Both, Both)>,
    /// How and where it was driven.
    pub(crate) origin: RunHeader,
}

/// How a verdict is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    /// It stands.
    Decided,
    /// It may yet be otherwise.
    Open,
    /// It says nothing of who was driven.
    Void,
}

/// A question and its answer.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) question: Both,
    pub(crate) text: Both,
    /// Whether a reader is to be warned by it.
    pub(crate) warns: bool,
}

/// Blocks that belong together.
#[derive(Debug, Clone)]
pub(crate) struct Section {
    /// Identifier in a page.
    pub(crate) id: &'static str,
    pub(crate) name: Both,
    pub(crate) blocks: Vec<Block>,
}

/// One meaning.
#[derive(Debug, Clone)]
pub(crate) enum Block {
    /// A fact with blame, remedy and evidence.
    Finding(Box<Found>),
    /// Figures in rows.
    Table(Table),
    /// How one figure goes with another. The table beside it is its text form, so that only a page draws it.
    Curve(Curve),
    /// What is good to know of the blocks before it.
    Note(Both),
}

/// A finding.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) name: String,
    pub(crate) weight: Weight,
    pub(crate) blame: Blame,
    /// The contender, if it is to blame.
    pub(crate) contender: Option<String>,
    pub(crate) told: Told,
    /// The share of the trouble that it explains; `None`: it is no cause.
    pub(crate) explains: Option<f64>,
}

impl Found {
    /// A finding of a run in which only this contender was driven.
    pub(crate) fn of(finding: &FindingReport, contender: &str) -> Self {
        let FindingReport { name, weight, blame, told, explains, .. } = finding;
        Self {
            name: name.clone(),
            weight: *weight,
            blame: *blame,
            contender: (*blame == Blame::Contender).then(|| contender.to_owned()),
            told: told.clone(),
            explains: *explains,
        }
    }
}

/// Figures in rows: the first column names the row.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    /// Identifier in a page.
    pub(crate) id: &'static str,
    pub(crate) caption: Both,
    /// In as few letters as will do: a terminal has 80 columns.
    pub(crate) heads: Vec<Both>,
    pub(crate) rows: Vec<Row>,
}

/// A row of a table.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    /// As many as there are heads.
    pub(crate) cells: Vec<Both>,
    /// Why a reader is to be warned by it.
    pub(crate) warning: Option<Both>,
}

/// How tables tell what was not seen, or the figure.
pub(crate) fn seen(figure: Option<String>) -> Both {
    Both::figure(figure.unwrap_or_else(|| crate::words::UNSEEN.to_owned()))
}

#[cfg(test)]
mod tests;
