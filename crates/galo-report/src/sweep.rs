//! A sweep as it is told: what turns the ranking round in a sentence, then each figure over all settings.

mod who;

use galo_judge::Measure;
use galo_judge::Standing;
use galo_judge::league::{AtSetting, Cell as Setting, HeldBack, JudgedSweep};
use galo_plan::knob::{PROFILE, SCALE};
use galo_words::nouns::{BLOCK, CONTENDER, SETTING};
use galo_words::{Both, Figure, say};

use crate::document::{Answer, Block, Cell, Column, Document, Emphasis, Line, Section, Table, Tone};
use crate::league::{refused, section, subject, terms_warnings};
use crate::limit;
use crate::words::{beyond_budget, figure, labels};

/// The whole of it.
pub fn sweep(sweep: &JudgedSweep) -> Document {
    let verdict = who::verdict(sweep);
    let shape = Shape::of(sweep);
    let sections = who::section(sweep, &shape).into_iter().chain(figures(&shape));
    let sections =
        sections.chain([held_back(&shape), outs(&shape), refused(&sweep.refused)].into_iter().flatten());
    Document {
        title: verdict.en.to_string(),
        warnings: warnings(sweep),
        verdict,
        tone: if sweep.head.is_over { Tone::Decided } else { Tone::Open },
        answers: answers(sweep),
        subject: driven(sweep),
        lines: vec![Line { text: spent(sweep), warns: false }],
        next: None,
        sections: sections.collect(),
        terms: Vec::new(),
        origin: Some(sweep.header.clone()),
    }
}

/// How the settings lie in a table: one knob to the right, the others and the contenders below each other.
struct Shape<'a> {
    sweep: &'a JudgedSweep,
    /// Index of the knob to the right.
    across: usize,
    /// Its values.
    values: Vec<&'a str>,
}

/// A row of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Row {
    /// Index of the contender; `None`: all of them.
    contender: Option<usize>,
    /// Values of all knobs, of which that to the right counts for nothing.
    values: Vec<String>,
}

impl<'a> Shape<'a> {
    /// The most columns that a terminal has room for.
    const ACROSS: usize = 8;

    fn of(sweep: &'a JudgedSweep) -> Self {
        let values = |knob: usize| {
            let mut values: Vec<&str> = Vec::new();
            for cell in &sweep.cells {
                let value = cell.values[knob].as_str();
                if !values.contains(&value) {
                    values.push(value);
                }
            }
            values
        };
        let fits = |knob: &usize| values(*knob).len() <= Self::ACROSS;
        let across = (0..sweep.knobs.len()).filter(fits).max_by_key(|knob| values(*knob).len()).unwrap_or(0);
        Self { sweep, across, values: values(across) }
    }

    /// All rows, in the order of the settings; of each contender its own, or one for all of them.
    fn rows(&self, of_each: bool) -> Vec<Row> {
        let contenders: Vec<Option<usize>> =
            if of_each { (0..self.sweep.contenders.len()).map(Some).collect() } else { vec![None] };
        let mut rows: Vec<Row> = Vec::new();
        for contender in contenders {
            for cell in &self.sweep.cells {
                let mut values = cell.values.clone();
                values[self.across].clear();
                let row = Row { contender, values };
                if !rows.contains(&row) {
                    rows.push(row);
                }
            }
        }
        rows
    }

    /// The setting of a row in a column.
    fn cell(&self, row: &Row, column: usize) -> Option<&'a Setting> {
        self.sweep.cells.iter().find(|cell| {
            cell.values.iter().zip(&row.values).enumerate().all(|(knob, (value, of_row))| {
                if knob == self.across { value == self.values[column] } else { value == of_row }
            })
        })
    }

    /// The row's contender at that setting.
    fn at(&self, row: &Row, column: usize) -> Option<&'a AtSetting> {
        let at = |cell: &'a Setting| cell.contenders.iter().find(|at| Some(at.contender) == row.contender);
        self.cell(row, column).and_then(at)
    }

    /// `go idle=25`, without the contender where there is one alone.
    fn name(&self, row: &Row) -> String {
        let contender = row.contender.filter(|_| self.sweep.contenders.len() > 1);
        let contender = contender.map(|contender| self.sweep.contenders[contender].clone());
        let knobs = self.sweep.knobs.iter().zip(&row.values).enumerate();
        let turns = knobs.filter(|(knob, _)| *knob != self.across);
        let turns = turns.map(|(_, (knob, value))| format!("{}={value}", knob.name));
        let words: Vec<String> = contender.into_iter().chain(turns).collect();
        if words.is_empty() { self.sweep.contenders[0].clone() } else { words.join(" ") }
    }

    /// A table of what `cell` tells of each row in each column.
    fn table(
        &self,
        id: &'static str,
        caption: Both,
        of_each: bool,
        cell: impl Fn(&Row, usize) -> Cell,
    ) -> Table {
        let (tell, knob) = (&cell, &self.sweep.knobs[self.across].name);
        let column = |(column, value): (usize, &&str)| {
            Column::new(Both::same(format!("{knob}={value}")), move |row: &Row| tell(row, column))
        };
        let first = Column::text(Both::same(""), |row: &Row| self.name(row));
        let columns = std::iter::once(first).chain(self.values.iter().enumerate().map(column));
        Table::new(id, caption, columns, self.rows(of_each))
    }
}

/// A figure of each contender at each setting.
type Of = fn(&AtSetting) -> Cell;

/// A section for each figure that was seen.
fn figures(shape: &Shape<'_>) -> Vec<Section> {
    let all: [(&'static str, Both, Of); 4] = [
        ("scale", labels::HIGHEST_SCALE, |at| at.highest_scale.map(limit::scale_of).into()),
        ("rate", labels::RIGHT_ANSWERS_PER_S, |at| {
            at.answers_per_s.map(|rate| Figure::Number(rate, 0)).into()
        }),
        ("p99", labels::P99, |at| figure(Measure::LatencyUsP99, at.measures.get(Measure::LatencyUsP99))),
        ("cpu", labels::CPU_PER_1000, |at| {
            figure(Measure::CpuMsPer1000, at.measures.get(Measure::CpuMsPer1000))
        }),
    ];
    let is_seen =
        |of: Of| shape.sweep.cells.iter().flat_map(|cell| &cell.contenders).any(|at| of(at).key().is_some());
    let told = |(id, name, of): (&'static str, Both, Of)| {
        let cell = |row: &Row, column: usize| shape.at(row, column).map_or(Cell::Unseen, of);
        let table = shape.table(id, Both::same(""), true, cell).shaded();
        Section { id: id.into(), name, emphasis: Emphasis::First, blocks: vec![Block::Table(table)] }
    };
    let mut sections: Vec<Section> = all.into_iter().filter(|(_, _, of)| is_seen(*of)).map(told).collect();
    if let Some(last) = sections.last_mut().filter(|last| last.id != "scale") {
        last.blocks.push(Block::Note(labels::SWEEP_NOTE));
    }
    sections
}

/// What was driven. A profile that is turned is told by each setting.
fn driven(sweep: &JudgedSweep) -> Both {
    let is_turned = sweep.knobs.iter().any(|knob| [PROFILE, SCALE].contains(&knob.name.as_str()));
    if is_turned { Both::same(sweep.head.challenge.clone()) } else { subject(&sweep.head) }
}

fn held_back(shape: &Shape<'_>) -> Option<Section> {
    let is_seen = |at: &AtSetting| at.held_back.is_some();
    if !shape.sweep.cells.iter().flat_map(|cell| &cell.contenders).any(is_seen) {
        return None;
    }
    let cell = |row: &Row, column: usize| {
        let held_back = shape.at(row, column).and_then(|at| at.held_back.as_ref());
        held_back.map_or(Cell::Nothing, |held_back| told(held_back).into())
    };
    let table = shape.table("held", labels::WHAT_RAN_OUT_CAPTION, true, cell);
    section("held-back", labels::WHAT_RAN_OUT, vec![Block::Table(table)])
}

/// `cpu-limit (db)`: the name of the finding, which has a page.
fn told(held_back: &HeldBack) -> Both {
    Both::same(match &held_back.service {
        Some(service) => format!("{} ({service})", held_back.finding),
        None => held_back.finding.clone(),
    })
}

/// Who is out at which setting.
fn outs(shape: &Shape<'_>) -> Option<Section> {
    let out = |cell: &Setting, at: &AtSetting| {
        let standing = at.out.as_ref()?;
        let name = named(shape.sweep, cell, at);
        let why = match standing {
            Standing::Disqualified { rules } => Both::same(rules.join(", ")),
            Standing::NotReady { reason } => {
                labels::DID_NOT_START_BECAUSE.then(&crate::league::not_started(reason))
            }
            Standing::Valid | Standing::Void { .. } => return None,
        };
        Some(Block::Text(Both::same(format!("{name}: ")).then(&why)))
    };
    let all = shape.sweep.cells.iter().flat_map(|cell| cell.contenders.iter().map(move |at| (cell, at)));
    section("out", labels::OUT_AT_SETTINGS, all.filter_map(|(cell, at)| out(cell, at)).collect())
}

/// `go pool=5 idle=0`.
fn named(sweep: &JudgedSweep, cell: &Setting, at: &AtSetting) -> String {
    format!("{} {}", sweep.contenders[at.contender], turned(sweep, cell))
}

/// `pool=5 idle=0`.
fn turned(sweep: &JudgedSweep, cell: &Setting) -> String {
    let turns = sweep.knobs.iter().zip(&cell.values).map(|(knob, value)| format!("{}={value}", knob.name));
    turns.collect::<Vec<_>>().join(" ")
}

fn warnings(sweep: &JudgedSweep) -> Vec<Both> {
    let mut unseen: Vec<String> = Vec::new();
    for (name, place) in sweep
        .cells
        .iter()
        .flat_map(|cell| &cell.contenders)
        .flat_map(|at| at.unseen.iter().map(|place| (&sweep.contenders[at.contender], place)))
    {
        let told = format!("{name}: {place}");
        if !unseen.contains(&told) {
            unseen.push(told);
        }
    }
    let unseen = unseen.into_iter().map(|told| {
        Both::new(
            format!("{told} is no variable of the file; nobody can see whether the program reads it"),
            format!("{told} não é variável do arquivo; ninguém vê se o programa a lê"),
        )
    });
    let all = sweep.cells.iter().flat_map(|cell| cell.contenders.iter().map(move |at| (cell, at)));
    let over =
        all.filter_map(|(cell, at)| beyond_budget(&named(sweep, cell, at), at.takes, sweep.head.budget?));
    over.chain(unseen).chain(terms_warnings(&sweep.head)).collect()
}

fn spent(sweep: &JudgedSweep) -> Both {
    let rounds: usize = sweep.cells.iter().flat_map(|cell| &cell.contenders).map(|at| at.rounds).sum();
    Both::each(|lang| {
        let settings = lang.counted(sweep.cells.len() as u64, SETTING);
        let contenders = lang.counted(sweep.contenders.len() as u64, CONTENDER);
        let blocks = lang.counted(sweep.head.blocks as u64, BLOCK);
        let rounds = lang.whole(rounds as u64);
        match sweep.head.blocks {
            0 => say!(lang, "{settings} of {contenders}", "{settings} de {contenders}"),
            _ => say!(
                lang,
                "{settings} of {contenders}: {blocks}, {rounds} rounds that count",
                "{settings} de {contenders}: {blocks}, {rounds} rodadas que valem"
            ),
        }
    })
}

fn answers(sweep: &JudgedSweep) -> Vec<Answer> {
    let count = |question: Both, of: usize| Answer::tile(question, Both::figure(Figure::Count(of as u64)));
    let out = sweep.cells.iter().flat_map(|cell| &cell.contenders).filter(|at| at.out.is_some()).count();
    vec![count(labels::SETTINGS, sweep.cells.len()), count(labels::OUT_AT_SETTINGS, out)]
}
