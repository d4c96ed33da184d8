//! A sweep as it is told: what turns the ranking round in a sentence, then each figure over all settings.

mod who;

use galo_judge::Measure;
use galo_judge::Standing;
use galo_judge::league::{AtSetting, Cell as Setting, HeldBack, JudgedSweep};
use galo_plan::knob::{PROFILE, SCALE};
use galo_words::nouns::{BLOCK, CONTENDER, SETTING};
use galo_words::{Both, Figure, say};

use crate::document::{Answer, Block, Cell, Document, Emphasis, Line, Section, Tone};
use crate::league::{better_than_nobody, refused, section, subject, terms_warnings};
use crate::limit;
use crate::shape::{Row, Shape};
use crate::words::{beyond_budget, figure, labels};

/// The whole of it.
pub fn sweep(sweep: &JudgedSweep) -> Document {
    let verdict = who::verdict(sweep);
    let settings = sweep.cells.iter().map(|cell| cell.values.as_slice()).collect();
    let shape = Shape::of(&sweep.knobs, &sweep.contenders, settings);
    let sections = who::section(sweep, &shape).into_iter().chain(figures(sweep, &shape));
    let sections = sections
        .chain([held_back(sweep, &shape), outs(sweep), refused(&sweep.refused)].into_iter().flatten());
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

/// The row's contender in a column.
fn at<'a>(sweep: &'a JudgedSweep, shape: &Shape<'_>, row: &Row, column: usize) -> Option<&'a AtSetting> {
    let cell = &sweep.cells[shape.setting(row, column)?];
    cell.contenders.iter().find(|at| Some(at.contender) == row.contender)
}

/// A figure of each contender at each setting.
type Of = fn(&AtSetting) -> Cell;

/// A section for each figure that was seen.
fn figures(sweep: &JudgedSweep, shape: &Shape<'_>) -> Vec<Section> {
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
        |of: Of| sweep.cells.iter().flat_map(|cell| &cell.contenders).any(|at| of(at).key().is_some());
    let told = |(id, name, of): (&'static str, Both, Of)| {
        let figure = |at: &AtSetting| if at.out.is_some() { of(at).bracketed() } else { of(at) };
        let cell = |row: &Row, column: usize| at(sweep, shape, row, column).map_or(Cell::Unseen, figure);
        let table = shape.table(id, name.clone().then(&labels::AT_EACH_SETTING), true, cell).shaded();
        Section { id: id.into(), name, emphasis: Emphasis::First, blocks: vec![Block::Table(table)] }
    };
    let is_bracketed =
        |at: &AtSetting| at.out.is_some() && all.iter().any(|(_, _, of)| of(at) != Cell::Unseen);
    let is_out = sweep.cells.iter().flat_map(|cell| &cell.contenders).any(is_bracketed);
    let all = all.into_iter().filter(|(_, _, of)| is_seen(*of));
    let mut sections: Vec<Section> = all.map(told).collect();
    if let Some(last) = sections.last_mut().filter(|last| last.id != "scale") {
        last.blocks.push(Block::Note(labels::SWEEP_NOTE));
    }
    if let Some(last) = sections.last_mut().filter(|_| is_out) {
        last.blocks.push(Block::Note(labels::OUT_IN_BRACKETS));
    }
    sections
}

/// What was driven. A profile that is turned is told by each setting.
fn driven(sweep: &JudgedSweep) -> Both {
    let is_turned = sweep.knobs.iter().any(|knob| [PROFILE, SCALE].contains(&knob.name.as_str()));
    if is_turned { Both::same(sweep.head.challenge.clone()) } else { subject(&sweep.head) }
}

fn held_back(sweep: &JudgedSweep, shape: &Shape<'_>) -> Option<Section> {
    let is_seen = |at: &AtSetting| at.held_back.is_some();
    if !sweep.cells.iter().flat_map(|cell| &cell.contenders).any(is_seen) {
        return None;
    }
    let cell = |row: &Row, column: usize| {
        let held_back = at(sweep, shape, row, column).and_then(|at| at.held_back.as_ref());
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
fn outs(sweep: &JudgedSweep) -> Option<Section> {
    let out = |cell: &Setting, at: &AtSetting| {
        let standing = at.out.as_ref()?;
        let name = named(sweep, cell, at);
        let why = match standing {
            Standing::Disqualified { rules } => Both::same(rules.join(", ")),
            Standing::NotReady { reason } => {
                labels::DID_NOT_START_BECAUSE.then(&crate::league::not_started(reason))
            }
            Standing::Valid | Standing::Void { .. } => return None,
        };
        Some(Block::Text(Both::same(format!("{name}: ")).then(&why)))
    };
    let all = sweep.cells.iter().flat_map(|cell| cell.contenders.iter().map(move |at| (cell, at)));
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

/// What to say of a variable that is turned where the file does not set it. `place` may have the contender's name before it.
pub fn unseen_variable(place: &str) -> Both {
    Both::new(
        format!("{place} is no variable of the file; nobody can see whether the program reads it"),
        format!("{place} não é variável do arquivo; ninguém vê se o programa a lê"),
    )
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
    let unseen = unseen.iter().map(|told| unseen_variable(told));
    let all = sweep.cells.iter().flat_map(|cell| cell.contenders.iter().map(move |at| (cell, at)));
    let over = all
        .clone()
        .filter_map(|(cell, at)| beyond_budget(&named(sweep, cell, at), at.takes, sweep.head.budget?));
    let void = all.filter_map(|(cell, at)| better_than_nobody(&named(sweep, cell, at), at.void_too_often));
    over.chain(void).chain(unseen).chain(terms_warnings(&sweep.head)).collect()
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
