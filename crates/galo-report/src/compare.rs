//! Runs side by side: the same figures of every contender, or side, of each, and what makes some of them incomparable.
//!
//! Rounds of different runs did not alternate, so whatever changed between the runs is in every ratio. Nobody is called
//! better here; the verdict of each run stands beside its name.

mod duels;
mod fights;
mod terms;
mod told;

use galo_judge::unpaired::unpaired;
use galo_record::duel::Level;
use galo_words::Both;
use galo_words::Noun;
use galo_words::nouns::{ROUND, START, TURN};
use schemars::JsonSchema;
use serde::Serialize;

pub use duels::DuelRun;
pub use fights::FightRun;
pub use terms::{Spoils, TermDifference};

use crate::FORMAT;
use galo_words::significant;
use terms::Term;

/// What comparing runs is worth, in one sentence.
const NOTE: Both = Both::word(
    "these runs did not alternate: whatever else changed between them is in the ratios, so no winner is named",
    "estas execuções não se alternaram: o que mais mudou entre elas está nas razões, portanto não há vencedor",
);

/// Runs side by side.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CompareReport {
    /// Version of this form: 1.
    pub format: u32,
    /// What was run.
    pub kind: Kind,
    /// What these ratios are worth.
    #[schemars(with = "String")]
    pub note: Both,
    /// The runs, as they were given.
    pub runs: Vec<ComparedRun>,
    /// What differs between them beside the contenders.
    pub differences: Vec<TermDifference>,
    /// Every contender, or side, of every run.
    pub entries: Vec<Entry>,
    /// Which entry ratios are to, from 0: the first that may be ranked; null: there is none.
    pub reference: Option<usize>,
    /// The figures, the primary one first.
    pub figures: Vec<ComparedFigure>,
}

/// What was run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Fights between contenders of a challenge.
    Fights,
    /// Duels between commands or addresses.
    Duels,
}

/// One run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ComparedRun {
    /// Its folder.
    pub folder: String,
    /// UTC, RFC 3339, to the second.
    pub started: String,
    /// Version of galo that drove it.
    pub galo: String,
    /// Where, in one line.
    #[schemars(with = "String")]
    pub machine: Both,
    /// What was fought over, and how often.
    #[schemars(with = "String")]
    pub subject: Both,
    /// Its own verdict.
    #[schemars(with = "String")]
    pub verdict: Both,
    /// The command line, for doing it again.
    pub command: Vec<String>,
}

/// One contender, or side, of one run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Entry {
    /// Number of its run, from 1.
    pub run: usize,
    /// Its name.
    pub name: String,
    /// Rounds that its figures are of.
    pub rounds: usize,
    /// What a round is here.
    pub unit: Unit,
    /// Whether it may be ranked; of others there are no ratios.
    pub ranked: bool,
    /// What else should be known of it.
    #[schemars(with = "Option<String>")]
    pub note: Option<Both>,
}

/// What is counted as one measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Of a fight.
    Round,
    /// Of a duel.
    Turn,
    /// Of a duel in which each side had enough of them.
    Start,
}

/// One figure of all entries.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ComparedFigure {
    /// Its name, as in the reports of the runs.
    pub figure: String,
    /// For people.
    #[schemars(with = "String")]
    pub label: Both,
    /// At which level of a duel; null: of a fight.
    pub level: Option<Level>,
    /// Whether it is the primary one.
    pub primary: bool,
    /// By entry.
    pub cells: Vec<Cell>,
}

/// One figure of one entry.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Cell {
    /// Geometric mean over its rounds, in the unit of the runs' own reports; null: it was not seen.
    pub value: Option<f64>,
    /// The same for people.
    #[schemars(with = "String")]
    pub text: Both,
    /// Divided by that of the reference; null where that would not be fair.
    pub ratio: Option<f64>,
    /// 95 % interval of the ratio, unpaired (Welch); null: fewer than three rounds of either.
    pub interval: Option<[f64; 2]>,
    /// Why there is no ratio: what differs; null: nothing does, or it is the reference.
    #[schemars(with = "Option<String>")]
    pub incomparable: Option<Both>,
}

/// A figure of one entry as it was measured.
struct Measured {
    value: Option<f64>,
    text: Both,
    /// By round.
    rounds: Vec<f64>,
}

/// A figure of all entries as it was measured.
struct Row {
    figure: String,
    label: Both,
    level: Option<Level>,
    primary: bool,
    /// What kind of figure it is: what spoils it.
    kind: terms::FigureKind,
    cells: Vec<Measured>,
}

/// All that a comparison is made of.
struct Parts {
    kind: Kind,
    runs: Vec<ComparedRun>,
    terms: Vec<Term>,
    entries: Vec<Entry>,
    rows: Vec<Row>,
}

impl From<Parts> for CompareReport {
    fn from(parts: Parts) -> Self {
        let Parts { kind, runs, terms, entries, rows } = parts;
        let reference = entries.iter().position(|entry| entry.ranked);
        let figures = rows.into_iter().map(|row| row.told(&entries, reference, &terms)).collect();
        let differences = terms.iter().filter_map(Term::told).collect();
        Self { format: FORMAT, kind, note: NOTE, runs, differences, entries, reference, figures }
    }
}

impl Row {
    fn told(self, entries: &[Entry], reference: Option<usize>, terms: &[Term]) -> ComparedFigure {
        let cell = |index: usize, measured: &Measured| {
            let mut cell = Cell {
                value: measured.value,
                text: measured.text.clone(),
                ratio: None,
                interval: None,
                incomparable: None,
            };
            let Some(reference) = reference.filter(|reference| *reference != index && entries[index].ranked)
            else {
                return cell;
            };
            let runs = [entries[reference].run, entries[index].run];
            let spoilt =
                terms.iter().filter(|term| term.spoils(&self.kind, runs)).map(|term| term.name.clone());
            if let Some(spoilt) = spoilt.reduce(|all, next| all.then(&Both::same(", ")).then(&next)) {
                cell.incomparable = Some(spoilt);
            } else if let Some(found) = unpaired(&measured.rounds, &self.cells[reference].rounds) {
                cell.ratio = Some(significant(found.ratio, 4));
                cell.interval = found.interval.map(|bounds| bounds.map(|bound| significant(bound, 4)));
            }
            cell
        };
        let cells = self.cells.iter().enumerate().map(|(index, measured)| cell(index, measured)).collect();
        let Self { figure, label, level, primary, .. } = self;
        ComparedFigure { figure, label, level, primary, cells }
    }
}

impl Unit {
    const fn noun(self) -> Noun {
        match self {
            Self::Round => ROUND,
            Self::Turn => TURN,
            Self::Start => START,
        }
    }
}
