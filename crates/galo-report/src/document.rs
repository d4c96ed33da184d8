//! What is told of a run: blocks of meaning with their words in both languages, and the three that show them.
//!
//! A kind of run owns the order of its blocks and what is told first; how they look is decided here, once for all kinds.
//! A block says what something is (a finding, a table, a curve), and nothing of colours, columns or elements.

mod bar;
mod card;
mod curve;
mod found;
mod grid;
mod html;
mod markdown;
mod table;
mod terminal;
mod timeline;

use std::borrow::Cow;

use galo_record::RunHeader;
use galo_record::finding::Weight;
use galo_words::Both;

pub(crate) use crate::cell::Cell;
pub(crate) use bar::{Bar, Part};
pub(crate) use card::{Apart, Card, CardRow, Head, Weighs};
pub(crate) use curve::{Along, Curve, Point};
pub(crate) use found::{ShownFinding, identifier};
pub use html::{HtmlError, Language};
pub(crate) use table::{Column, Table};
pub(crate) use timeline::{Timeline, TimelineRound};

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
    /// What else is to be known before it is repeated.
    pub(crate) lines: Vec<Line>,
    /// What to drive next, where it is known what would say more.
    pub(crate) next: Option<Next>,
    /// In the order in which they are told.
    pub(crate) sections: Vec<Section>,
    /// What the plan was.
    pub(crate) terms: Vec<(Both, Both)>,
    /// How and where it was driven; `None`: of several runs, each of which says so itself.
    pub(crate) origin: Option<RunHeader>,
}

/// How a verdict is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    /// It stands.
    Decided,
    /// It may yet be otherwise.
    Open,
    /// Somebody broke what must hold.
    Broken,
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
    /// Whether it says again what the verdict does, so that only a page tells it.
    pub(crate) is_tile: bool,
    /// Identifier of the section that tells more.
    pub(crate) link: Option<String>,
}

impl Answer {
    /// One that only a page tells.
    pub(crate) const fn tile(question: Both, text: Both) -> Self {
        Self { question, text, warns: false, is_tile: true, link: None }
    }
}

/// A sentence.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    pub(crate) text: Both,
    /// Whether a reader is to be warned by it.
    pub(crate) warns: bool,
}

/// What to drive next.
#[derive(Debug, Clone)]
pub(crate) struct Next {
    /// Why.
    pub(crate) why: Both,
    /// To be pasted, so it may pass the width.
    pub(crate) command: String,
}

/// How near to the top something belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Emphasis {
    /// Everybody reads it.
    First,
    /// A reader of the run itself: a terminal shows it, Markdown folds it, so that a comment fits into a screen.
    Second,
    /// Whoever asks for more: a terminal leaves it out, Markdown folds it.
    Later,
}

/// Blocks that belong together.
#[derive(Debug, Clone)]
pub(crate) struct Section {
    /// Identifier in a page.
    pub(crate) id: Cow<'static, str>,
    pub(crate) name: Both,
    pub(crate) emphasis: Emphasis,
    pub(crate) blocks: Vec<Block>,
}

/// One meaning.
#[derive(Debug, Clone)]
pub(crate) enum Block {
    /// A fact with blame, remedy and evidence.
    Finding(Box<ShownFinding>),
    /// Figures side by side, and how far apart they are.
    Card(Card),
    /// Figures in rows.
    Table(Table),
    /// How one figure goes with another. The table beside it is its text form, so that only a page draws it.
    Curve(Curve),
    /// A figure of both sides, pair by pair: drawn by a page alone, since the card tells what it comes to.
    Pairs(Pairs),
    /// Shares of a whole, or of the largest of several.
    Bar(Bar),
    /// Rounds second by second: drawn by a page alone, since tables tell what they come to.
    Timeline(Timeline),
    /// Latency by percentile of the same rounds, which a page draws beside the table of them.
    Percentiles,
    /// The very request that shows something.
    Exchange(Box<Exchange>),
    /// A run with a folder of its own.
    Link(Link),
    /// A sentence.
    Text(Both),
    /// Lines to be pasted, as they are.
    Lines(String),
    /// What is good to know of the blocks before it.
    Note(Both),
}

/// A figure of two sides, pair by pair.
#[derive(Debug, Clone)]
pub(crate) struct Pairs {
    pub(crate) sides: [String; 2],
    pub(crate) levels: Vec<PairLevel>,
}

/// The same at one load.
#[derive(Debug, Clone)]
pub(crate) struct PairLevel {
    pub(crate) name: Both,
    /// By side, by pair; `None`: it does not count.
    pub(crate) p99_ms: [Vec<Option<f64>>; 2],
}

/// A child run.
#[derive(Debug, Clone)]
pub(crate) struct Link {
    pub(crate) name: Both,
    /// The folder of its page, below that of this one; `None`: not known.
    pub(crate) page: Option<String>,
    /// What it came to.
    pub(crate) sentence: Both,
    /// All of it, for a form that cannot link.
    pub(crate) sections: Vec<Section>,
}

/// A request, what came of it, and why that is told.
#[derive(Debug, Clone)]
pub(crate) struct Exchange {
    /// Identifier in a page, where something links to it.
    pub(crate) id: Option<String>,
    /// What it shows.
    pub(crate) weight: Weight,
    pub(crate) head: Both,
    /// What it is called by those who fight, in Portuguese; a page tells it beside.
    pub(crate) about: Option<Both>,
    /// What differs.
    pub(crate) difference: Option<Both>,
    /// Requests and answers word for word.
    pub(crate) texts: Vec<Both>,
    /// What came before and after, by what it is: a page folds it, a terminal leaves it out.
    pub(crate) more: Vec<(Both, String)>,
}

#[cfg(test)]
mod tests;
