//! A load at several settings: each figure over all of them.

use std::borrow::Cow;

use galo_judge::load::{JudgedLoad, LoadSetting};
use galo_words::nouns::SETTING;
use galo_words::{Both, Figure, say};

use super::{per_second, rate_figure};
use crate::columns;
use crate::document::{Block, Cell, Emphasis, Section};
use crate::shape::{Row, Shape};
use crate::words::labels;

/// A figure of a setting.
type Of = fn(&LoadSetting) -> Cell;

/// A section for each figure; nothing where there is one setting.
pub(super) fn settings(load: &JudgedLoad) -> Vec<Section> {
    if load.settings.is_empty() {
        return Vec::new();
    }
    // One thing has no name in a table of its settings.
    let names = [String::new()];
    let values = load.settings.iter().map(|setting| setting.values.as_slice()).collect();
    let shape = Shape::of(&load.knobs, &names, values);
    let all: [(&'static str, Both, Of); 5] = [
        ("setting-rate", labels::RIGHT_ANSWERS_PER_S, |at| rate_figure(at.ok_per_s).into()),
        ("setting-spread", LEAST_TO_MOST, |at| {
            (at.loads > 1 && at.asked_per_s.is_none()).then(|| spread(at)).into()
        }),
        ("setting-p50", labels::P50, |at| columns::P50.cell(&at.latency)),
        ("setting-p99", labels::P99, |at| columns::P99.cell(&at.latency)),
        ("setting-errors", labels::ERRORS, |at| match at.ledger.not_ok() {
            0 => Cell::Nothing,
            errors => errors.into(),
        }),
    ];
    let is_told = |of: Of| load.settings.iter().any(|at| !matches!(of(at), Cell::Nothing | Cell::Unseen));
    let told = |(id, name, of): (&'static str, Both, Of)| {
        let cell = |row: &Row, column: usize| {
            shape.setting(row, column).map_or(Cell::Unseen, |at| of(&load.settings[at]))
        };
        let table = shape.table(id, name.clone().then(&labels::AT_EACH_SETTING), true, cell).shaded();
        Section { id: id.into(), name, emphasis: Emphasis::First, blocks: vec![Block::Table(table)] }
    };
    all.into_iter().filter(|(_, _, of)| is_told(*of)).map(told).collect()
}

const LEAST_TO_MOST: Both =
    Both { en: Cow::Borrowed("Least to most of a load"), pt: Cow::Borrowed("Da menor à maior carga") };

fn spread(at: &LoadSetting) -> Both {
    let [least, most] = at.ok_per_s_range;
    Both::each(|lang| {
        let [least, most] = [least, most].map(|rate| lang.figure(rate_figure(rate)));
        say!(lang, "{least} to {most}", "{least} a {most}")
    })
}

/// `connections=8 rate=1k`.
pub(super) fn turned(load: &JudgedLoad, setting: &LoadSetting) -> String {
    let turns = load.knobs.iter().zip(&setting.values).map(|(knob, value)| format!("{}={value}", knob.name));
    turns.collect::<Vec<_>>().join(" ")
}

/// Where most answers came, or where all were asked for at a rate between which bounds p99 lies; `None`: there is one setting.
pub(super) fn verdict(load: &JudgedLoad) -> Option<Both> {
    let most = load.settings.iter().max_by(|a, b| a.ok_per_s.total_cmp(&b.ok_per_s))?;
    let turns = turned(load, most);
    let times = load.settings.iter().map(|at| &at.latency).filter(|times| times.count > 0);
    let times = times.map(|times| times.p99);
    let ends = [times.clone().fold(f64::INFINITY, f64::min), times.fold(0.0, f64::max)];
    let is_timed = ends[0].is_finite();
    Some(Both::each(|lang| {
        let settings = lang.counted(load.settings.len() as u64, SETTING);
        if most.asked_per_s.is_some() && is_timed {
            let [least, largest] = ends.map(|us| lang.figure(Figure::Ms(us)));
            return say!(
                lang,
                "p99 {least} to {largest} over {settings}",
                "p99 de {least} a {largest} em {settings}"
            );
        }
        if most.ok_per_s == 0.0 {
            return say!(
                lang,
                "no right answer at any of {settings}",
                "nenhuma resposta certa em {settings}"
            );
        }
        let rate = per_second(most.ok_per_s, lang);
        say!(
            lang,
            "most right answers, {rate}, at {turns} of {settings}",
            "mais respostas certas, {rate}, com {turns} de {settings}"
        )
    }))
}
