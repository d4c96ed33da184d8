//! Runs side by side: the same figures of every contender, or side, of each, and what makes some of them incomparable.
//!
//! Rounds of different runs did not alternate, so whatever changed between the runs is in every ratio. No contender is called
//! better here; each run has a verdict of its own.

mod duels;
mod fights;
mod terms;

use galo_plan::JsonSchema;
use galo_record::RunHeader;
use galo_record::duel::Level;
use galo_words::significant;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::duel::JudgedDuel;
use crate::fight::JudgedFight;
use crate::measure::Measure;
use crate::unpaired::unpaired;

pub use fights::FightRun;
pub use terms::{Spoils, Term, TermDifference, settings};

/// Runs side by side, all of them fights or all of them duels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename = "comparison")]
#[schemars(transform = crate::schema::tell_kind)]
pub struct JudgedComparison {
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

/// One run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ComparedRun {
    /// Its folder.
    pub folder: String,
    /// What it came to.
    pub run: Compared,
}

/// What a run came to that can be put beside others.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Compared {
    /// A fight, or a check.
    Fight(Box<JudgedFight>),
    /// A duel.
    Duel(Box<JudgedDuel>),
}

/// One contender, or side, of one run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
    pub note: Option<EntryNote>,
}

/// What is counted as one measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// A round of a fight.
    Round,
    /// A turn of a duel.
    Turn,
    /// A start of a duel's side, where both sides had enough starts.
    Start,
}

/// What else should be known of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EntryNote {
    /// It broke a rule.
    Disqualified,
    /// It did not start.
    DidNotStart,
    /// It does not answer rightly.
    Fails,
    /// Its Compose file is another one than in the run with this number.
    OtherFileThanInRun(usize),
}

/// One figure of all entries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ComparedFigure {
    /// Which.
    pub measure: Measure,
    /// At which level of a duel; null: of a fight.
    pub level: Option<Level>,
    /// Whether it is the primary one.
    pub primary: bool,
    /// By entry.
    pub values: Vec<ComparedValue>,
}

/// One figure of one entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ComparedValue {
    /// Geometric mean over its rounds, in the measure's unit; null: it was not seen.
    pub value: Option<f64>,
    /// Divided by that of the reference; null where that would not be fair.
    pub ratio: Option<f64>,
    /// 95 % interval of the ratio, unpaired (Welch); null: fewer than three rounds of either.
    pub interval: Option<[f64; 2]>,
    /// What differs, so that there is no ratio.
    pub incomparable: Vec<Term>,
}

/// A figure of one entry as it was measured.
struct Measured {
    value: Option<f64>,
    /// By round.
    rounds: Vec<f64>,
}

/// A figure of all entries as it was measured.
struct Row {
    measure: Measure,
    level: Option<Level>,
    primary: bool,
    values: Vec<Measured>,
}

impl<'de> Deserialize<'de> for Compared {
    /// By `kind`, as any run's JSON is read.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let read = match value["kind"].as_str() {
            Some("duel") => serde_json::from_value(value).map(Self::Duel),
            _ => serde_json::from_value(value).map(Self::Fight),
        };
        read.map_err(D::Error::custom)
    }
}

impl Compared {
    /// How and where it was driven.
    pub fn header(&self) -> &RunHeader {
        match self {
            Self::Fight(fight) => &fight.header,
            Self::Duel(duel) => &duel.header,
        }
    }
}

impl JudgedComparison {
    fn new(
        runs: Vec<ComparedRun>,
        differences: Vec<TermDifference>,
        entries: Vec<Entry>,
        rows: &[Row],
    ) -> Self {
        let reference = entries.iter().position(|entry| entry.ranked);
        let figures = rows.iter().map(|row| row.compared(&entries, reference, &differences)).collect();
        Self { runs, differences, entries, reference, figures }
    }
}

impl Row {
    fn compared(
        &self,
        entries: &[Entry],
        reference: Option<usize>,
        differences: &[TermDifference],
    ) -> ComparedFigure {
        let value = |(index, measured): (usize, &Measured)| {
            let alone = ComparedValue {
                value: measured.value,
                ratio: None,
                interval: None,
                incomparable: Vec::new(),
            };
            let to = reference.filter(|reference| *reference != index && entries[index].ranked);
            let Some(reference) = to else { return alone };
            let runs = [entries[reference].run, entries[index].run];
            let spoils = |of: &&TermDifference| of.spoils(self.measure, self.level, runs);
            let incomparable: Vec<Term> = differences.iter().filter(spoils).map(|of| of.term).collect();
            let ratio = unpaired(&measured.rounds, &self.values[reference].rounds);
            match ratio.filter(|_| incomparable.is_empty()) {
                None => ComparedValue { incomparable, ..alone },
                Some(of) => ComparedValue {
                    ratio: Some(significant(of.ratio, 4)),
                    interval: of.interval.map(|bounds| bounds.map(|bound| significant(bound, 4))),
                    ..alone
                },
            }
        };
        let Self { measure, level, primary, .. } = *self;
        ComparedFigure {
            measure,
            level,
            primary,
            values: self.values.iter().enumerate().map(value).collect(),
        }
    }
}
