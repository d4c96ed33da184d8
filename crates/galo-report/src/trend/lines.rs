//! The lines of a pair: a table for each machine and terms, and the same drawn.

use std::collections::BTreeSet;

use galo_judge::trend::{JudgedTrend, TrendFigure, TrendPair, TrendPoint};
use galo_judge::{Difference, Measure};
use galo_record::duel::Level;
use galo_words::Both;

use super::runs::{changed_in_short, short, short_id};
use super::terms::in_words;
use super::{day, minute, pair_name};
use crate::document::{Along, Block, Cell, Column, Curve, Emphasis, Point, Section, Table};
use crate::duel;
use crate::words::{self, UNSEEN, labels, ratio_in_words};

/// A figure of a pair, at a level of a duel.
type Of = (Measure, Option<Level>);

/// The primary ratio of each run with its interval, and the others that decide: a section for each line of a pair.
pub(super) fn at_a_glance<'a>(
    trend: &'a JudgedTrend,
    (number, pair): (usize, &'a TrendPair),
) -> impl Iterator<Item = Section> {
    let lines = pair.lines.len();
    (0..lines).map(move |line| {
        let id = format!("ratios-{}-{}", number + 1, line + 1);
        let curve = figures_of(pair, line).first().and_then(|of| curve(pair, line, *of));
        let table = glance(trend, pair, line, id.clone());
        let text = std::iter::once(Block::Text(line_in_words(pair, line)));
        let place = if lines > 1 { format!(" ({}/{lines})", line + 1) } else { String::new() };
        Section {
            id: format!("of-{id}").into(),
            name: Both::same(pair_name(pair) + &place),
            emphasis: Emphasis::First,
            blocks: text.chain(curve.map(Block::Curve)).chain([Block::Table(table)]).collect(),
        }
    })
}

fn glance(trend: &JudgedTrend, pair: &TrendPair, line: usize, id: String) -> Table {
    let points: Vec<&TrendPoint> = pair.points_on(line).collect();
    let decides = |of: &Of| points.iter().filter_map(|point| point.figure(of.0, of.1)).any(|it| it.decides);
    let figures: Vec<Of> = figures_of(pair, line).into_iter().filter(decides).collect();
    let has_version = points.iter().any(|point| point.head.is_some());
    let days: BTreeSet<&str> = points.iter().map(|point| day(started(trend, point))).collect();
    let by_day = days.len() == points.len();
    let time = |point: &TrendPoint| {
        let time = started(trend, point);
        if by_day { day(time).to_owned() } else { minute(time) }
    };
    let mut columns = vec![number(), OfPoint::new(Both::word("started", "início"), time)];
    let version = |point: &TrendPoint| short_id(point.head.as_ref());
    columns.extend(has_version.then(|| OfPoint::new(Both::same(pair.head.clone()), version)));
    columns.extend(figures.iter().enumerate().map(|(place, of)| {
        OfPoint::new(short_name(of.0), move |point| ratio(point.figure(of.0, of.1), place == 0))
    }));
    columns.push(OfPoint::new(Both::word("changed", "mudou"), changed_in_short));
    Table::new(id, ratio_name(pair), columns, points.iter().copied())
}

/// Every figure of every run.
pub(super) fn every_figure(trend: &JudgedTrend, (number, pair): (usize, &TrendPair)) -> Section {
    let blocks = (0..pair.lines.len()).flat_map(|line| {
        let figures = figures_of(pair, line);
        let told = figures.into_iter().enumerate().flat_map(move |(place, of)| {
            let id = format!("trend-{}-{}-{}", number + 1, line + 1, place + 1);
            let curve = curve(pair, line, of).filter(|_| place > 0);
            curve.map(Block::Curve).into_iter().chain([Block::Table(table(trend, pair, line, of, id))])
        });
        std::iter::once(Block::Text(line_in_words(pair, line))).chain(told)
    });
    Section {
        id: format!("figures-{}", number + 1).into(),
        name: Both::word("Every figure of ", "Todas as medidas de ").then(&Both::same(pair_name(pair))),
        emphasis: Emphasis::Later,
        blocks: blocks.collect(),
    }
}

fn figure_of(point: &TrendPoint, of: Of) -> Option<&TrendFigure> {
    point.figure(of.0, of.1)
}

fn table(trend: &JudgedTrend, pair: &TrendPair, line: usize, of: Of, id: String) -> Table {
    let columns = [
        number(),
        OfPoint::new(Both::word("started", "início"), |point| minute(started(trend, point))),
        OfPoint::new(Both::same(pair.head.clone()), |point| {
            figure_of(point, of).map(|it| value(of, it.head))
        }),
        OfPoint::new(Both::same(pair.base.clone()), |point| {
            figure_of(point, of).map(|it| value(of, it.base))
        }),
        OfPoint::new(Both::word("ratio", "razão"), |point| ratio(figure_of(point, of), true)),
        OfPoint::new(Both::word("pairs", "pares"), |point| {
            figure_of(point, of).map(|it| it.ratios.pairs as u64)
        }),
    ];
    let points = pair.points_on(line).filter(|point| figure_of(point, of).is_some());
    Table::new(id, figure_name(of), columns, points)
}

/// A ratio from run to run, where there are two at least.
fn curve(pair: &TrendPair, line: usize, of: Of) -> Option<Curve> {
    let point = |point: &TrendPoint| {
        let TrendFigure { ratios, .. } = point.figure(of.0, of.1)?;
        let at = [(point.run + 1) as f64, ratios.ratio.filter(|ratio| *ratio > 0.0)?];
        Some(Point { at, interval: ratios.interval, is_met: ratios.difference != Difference::Worse })
    };
    let points: Vec<Point> = pair.points_on(line).filter_map(point).collect();
    let shape =
        Both::word(": a cross is worse, the bar its interval", ": a cruz é pior, a barra é o intervalo");
    (points.len() > 1).then(|| Curve {
        caption: figure_name(of).then(&shape),
        axes: [Both::word("run", "execução"), ratio_name(pair)],
        along: Along::Runs,
        points,
    })
}

/// The figures of a line, in the order of the runs that had them first.
fn figures_of(pair: &TrendPair, line: usize) -> Vec<Of> {
    let mut known: Vec<Of> = Vec::new();
    for figure in pair.points_on(line).flat_map(|point| &point.figures) {
        let of = (figure.measure, figure.level);
        if !known.contains(&of) {
            known.push(of);
        }
    }
    known
}

fn started<'a>(trend: &'a JudgedTrend, point: &TrendPoint) -> &'a str {
    trend.runs.get(point.run).map_or("", |run| run.header.started.as_str())
}

/// A column of runs.
type OfPoint<'a> = Column<'a, TrendPoint>;

fn number<'a>() -> OfPoint<'a> {
    OfPoint::text(Both::same("#"), |point| (point.run + 1).to_string())
}

/// `new / old`.
fn ratio_name(pair: &TrendPair) -> Both {
    Both::word("ratio ", "razão ").then(&Both::same(words::ratio_of([&pair.head, &pair.base])))
}

/// A ratio, with its interval where that is wanted.
fn ratio(figure: Option<&TrendFigure>, with_interval: bool) -> Both {
    let ratios = figure.map(|figure| figure.ratios);
    let Some((ratios, ratio)) = ratios.and_then(|ratios| Some((ratios, ratios.ratio?))) else {
        return Both::same(UNSEEN);
    };
    let mark = match ratios.difference {
        Difference::Better | Difference::Worse => "*",
        Difference::NoDifference | Difference::TooFewRounds => " ",
    };
    ratio_in_words(ratio, ratios.interval.filter(|_| with_interval)).then(&Both::same(mark))
}

/// A figure with its unit.
pub(super) fn value((measure, level): Of, value: Option<f64>) -> Cell {
    match level {
        Some(_) => duel::figure(measure, value),
        None => words::figure(measure, value),
    }
}

/// The head of a narrow column.
fn short_name(measure: Measure) -> Both {
    match measure {
        Measure::CpuMsPer1000 => Both::same("CPU"),
        Measure::CorrectWithinServiceLevel => Both::word("correct", "corretas"),
        other => labels::duel_measure(other),
    }
}

fn figure_name((measure, level): Of) -> Both {
    match level {
        Some(level) => labels::duel_measure(measure).then(&Both::same(", ")).then(&labels::level(level)),
        None => labels::in_sentence(measure),
    }
}

/// On which machine and terms a line is, and of which requests where another line of the pair is of others.
fn line_in_words(pair: &TrendPair, line: usize) -> Both {
    let Some(line) = pair.lines.get(line) else { return Both::same("") };
    let is_told = pair.lines.iter().any(|other| other.sent_sha256 != line.sent_sha256);
    let sent = line.sent_sha256.as_deref().filter(|_| is_told).map(short);
    Both::each(|lang| {
        let words = in_words(line, lang);
        sent.as_ref()
            .map_or(words.clone(), |sent| format!("{words}; {} {sent}", lang.pick("requests", "requisições")))
    })
}
