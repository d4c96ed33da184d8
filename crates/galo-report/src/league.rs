//! A league as it is told: the ranking with what is proven of it, then those that are out, with rule and evidence.

mod badge;
mod csv;
mod entry;

use std::collections::BTreeMap;

use galo_judge::league::{Head, JudgedLeague, Out, Ranked, VoidRounds};
use galo_judge::{Measure, Standing};
use galo_plan::league::Refused;
use galo_record::StartFailure;
use galo_words::nouns::{BLOCK, ENTRY, GROUP};
use galo_words::{Both, Figure, say};

use crate::document::{Answer, Block, Cell, Column, Document, Emphasis, Line, Link, Section, Table, Tone};
use crate::limit;
use crate::text::shorten;
use crate::words::{self, figure, labels, ratio_in_words};

pub use csv::csv as league_csv;
pub use entry::{EntryPage, pages as league_entries};

/// Lines that are told of each entry that did not start, and the columns that each may have; its JSON has all.
const LAST_LINES: usize = 5;
const LINE_COLUMNS: usize = 400;

/// The whole of it. The page of each child is below its folder, by its number; one that could not be driven has none.
pub fn league(league: &JudgedLeague, folders: &BTreeMap<u32, String>) -> Document {
    let verdict = verdict(league);
    let sections = [
        ranking(league),
        outs("out", labels::BROKE_A_RULE, &league.out, folders),
        outs("not-started", labels::ENTRIES_NOT_STARTED, &league.not_started, folders),
        refused(&league.refused),
    ];
    Document {
        title: verdict.en.to_string(),
        warnings: warnings(league),
        verdict,
        tone: if league.head.is_over { Tone::Decided } else { Tone::Open },
        answers: answers(league),
        subject: subject(&league.head),
        lines: vec![Line { text: spent(league), warns: false }],
        next: None,
        sections: sections.into_iter().flatten().collect(),
        terms: Vec::new(),
        origin: Some(league.header.clone()),
    }
}

/// What must be known before everything else.
fn warnings(league: &JudgedLeague) -> Vec<Both> {
    let over = league
        .ranking
        .iter()
        .filter_map(|one| words::beyond_budget(&one.entry.name, one.entry.takes, league.head.budget?));
    let moved = league.ranking.iter().filter(|one| !one.moved.is_empty()).map(|one| {
        let name = &one.entry.name;
        Both::each(|lang| {
            let services = lang.listed(&one.moved);
            say!(
                lang,
                "{name}: not all rounds ran the same image of {services}; its tag moved meanwhile",
                "{name}: nem todas as rodadas usaram a mesma imagem de {services}; a etiqueta mudou no meio"
            )
        })
    });
    let void =
        league.ranking.iter().filter_map(|one| better_than_nobody(&one.entry.name, one.void_too_often));
    over.chain(moved).chain(void).chain(terms_warnings(&league.head)).collect()
}

/// That somebody had too many void rounds.
pub(crate) fn better_than_nobody(name: &str, void: Option<VoidRounds>) -> Option<Both> {
    let VoidRounds { void, rounds } = void?;
    Some(Both::each(|lang| {
        let why = words::void_too_often(name, void, rounds, lang);
        say!(
            lang,
            "{name} is proven better than nobody: {why}",
            "{name} não é provada melhor que ninguém: {why}"
        )
    }))
}

/// What must be known of the terms of all rounds.
pub(crate) fn terms_warnings(head: &Head) -> Vec<Both> {
    let limits = head.limits_note.as_ref().map(|note| words::not_enforced(&words::limits_note(note)));
    let walls = words::no_walls(head.walls_note.as_deref());
    let is_light = (head.is_light && head.blocks > 0).then_some(labels::LIGHT_LEAGUE);
    [limits, walls, is_light].into_iter().flatten().collect()
}

fn verdict(league: &JudgedLeague) -> Both {
    let JudgedLeague { ranking, groups, head: Head { is_over, .. }, .. } = league;
    let Some(first) = ranking.first() else { return labels::NOBODY_IS_LEFT };
    if ranking.len() == 1 {
        let name = &first.entry.name;
        return Both::new(format!("{name} alone is left"), format!("só {name} sobrou"));
    }
    if league.head.blocks == 0 {
        return Both::each(|lang| {
            let entries = lang.counted(ranking.len() as u64, ENTRY);
            say!(lang, "{entries}, and none was compared yet", "{entries}, e nenhum foi comparado ainda")
        });
    }
    // A place may be told apart from the next one, and not from one behind that.
    let leaders = ranking.iter().filter(|one| one.places[0] == 1);
    let mut leaders: Vec<String> = leaders.map(|one| one.entry.name.clone()).collect();
    if leaders.is_empty() {
        // Each is worse than another one by another measure.
        leaders.push(first.entry.name.clone());
    }
    Both::each(|lang| {
        let so_far = if *is_over { "" } else { lang.pick(" so far", " até agora") };
        let (entries, parts) =
            (lang.counted(ranking.len() as u64, ENTRY), lang.counted(groups.len() as u64, GROUP));
        let names = match leaders.as_slice() {
            few @ ([_] | [_, _] | [_, _, _]) => lang.listed(few),
            [one, more @ ..] => {
                let more = more.len();
                say!(lang, "{one} and {more} more", "{one} e mais {more}")
            }
            [] => String::new(),
        };
        match leaders.len() {
            1 => say!(
                lang,
                "{names} leads{so_far}; {entries} in {parts}",
                "{names} lidera{so_far}; {entries} em {parts}"
            ),
            _ => say!(
                lang,
                "{names} lead{so_far}, no difference proven; {entries} in {parts}",
                "{names} lideram{so_far}, sem diferença provada; {entries} em {parts}"
            ),
        }
    })
}

pub(crate) fn subject(head: &Head) -> Both {
    let Head { challenge, profile, scale, .. } = head;
    Both::each(|lang| {
        let scale = if (scale - 1.0).abs() < 1e-9 {
            String::new()
        } else {
            format!(" x {}", lang.decimals(*scale, 3))
        };
        say!(lang, "{challenge}, profile {profile}{scale}", "{challenge}, perfil {profile}{scale}")
    })
}

/// What was driven.
fn spent(league: &JudgedLeague) -> Both {
    let rounds: usize = league.ranking.iter().map(|one| one.entry.rounds).sum();
    let (fewest, most) = league.ranking.iter().fold((usize::MAX, 0), |(fewest, most), one| {
        (fewest.min(one.entry.rounds), most.max(one.entry.rounds))
    });
    Both::each(|lang| {
        let blocks = lang.counted(league.head.blocks as u64, BLOCK);
        let each = match league.ranking.is_empty() {
            true => String::new(),
            false if fewest == most => say!(lang, ", {most} of each", ", {most} de cada"),
            false => say!(lang, ", {fewest} to {most} of each", ", {fewest} a {most} de cada"),
        };
        let rounds = lang.whole(rounds as u64);
        say!(lang, "{blocks}, {rounds} rounds that count{each}", "{blocks}, {rounds} rodadas que valem{each}")
    })
}

fn answers(league: &JudgedLeague) -> Vec<Answer> {
    let count = |question: Both, of: usize| Answer::tile(question, Both::figure(Figure::Count(of as u64)));
    vec![
        count(labels::RANKED, league.ranking.len()),
        count(labels::OUT_BY_RULE, league.out.len()),
        count(labels::DID_NOT_START, league.not_started.len()),
        count(labels::FILES_REFUSED, league.refused.len()),
    ]
}

/// An entry that is ranked, with its place, from 0.
type Placed<'a> = (usize, &'a Ranked);

fn ranking(league: &JudgedLeague) -> Option<Section> {
    let folders = entry::folders(league);
    let page = |name: &str| folders.get(name).cloned();
    let table = ranked(league, labels::RANKING_CAPTION, page, league.ranking.iter().enumerate());
    let blocks = if table.is_empty() {
        Vec::new()
    } else {
        vec![Block::Table(table), Block::Note(labels::RANKING_NOTE)]
    };
    section("ranking", labels::RANKING, blocks)
}

/// Entries as the ranking tells them, each with a page.
fn ranked<'a>(
    league: &'a JudgedLeague,
    caption: Both,
    page: impl Fn(&str) -> Option<String>,
    of: impl IntoIterator<Item = Placed<'a>>,
) -> Table {
    let measured = |head: Both, measure: Measure| {
        Column::new(head, move |(_, one): &Placed<'_>| figure(measure, one.measures.get(measure)))
    };
    let has_scales = league.ranking.iter().any(|one| one.highest_scale.is_some());
    let scale =
        Column::new(labels::HIGHEST_SCALE, |(_, one): &Placed<'_>| one.highest_scale.map(limit::scale_of));
    let columns = [
        Column::new(labels::PLACE, |(_, one): &Placed<'_>| range(one.places)),
        Column::new(labels::GROUP, |(place, _): &Placed<'_>| groups_of(league, *place)),
        Column::text(labels::ENTRY, |(_, one): &Placed<'_>| {
            page(&one.entry.name).map(|page| Cell::Named(Both::same(one.entry.name.clone()), page))
        }),
        Column::text(labels::LANGUAGE_OF_ENTRY, |(_, one): &Placed<'_>| {
            one.entry.language.clone().map_or(Cell::Nothing, Into::into)
        })
        .wide(),
        measured(labels::P99, Measure::LatencyUsP99),
        Column::new(labels::BY_FIRST, |(_, one): &Placed<'_>| {
            one.by_first.map(|by| ratio_in_words(by.ratio, Some(by.interval)))
        })
        .wide(),
        Column::new(labels::COUNTED_AT_REST, |(_, one): &Placed<'_>| {
            one.counted.map(|count| Figure::Number(count, 0))
        })
        .wide(),
        measured(labels::RIGHT_ANSWERS, Measure::CorrectWithinServiceLevel).wide(),
        measured(labels::CPU_PER_1000, Measure::CpuMsPer1000),
        measured(labels::MEMORY, Measure::MemoryPeakBytes).wide(),
        Column::new(labels::ROUNDS_THAT_COUNT, |(_, one): &Placed<'_>| one.entry.rounds as u64),
    ];
    let columns = columns.into_iter().chain(has_scales.then(|| scale.wide()));
    Table::new("ranking-table", caption, columns, of)
}

/// The groups of a place, from 1. A group is a run of places, so they are a run as well.
fn groups_of(league: &JudgedLeague, place: usize) -> Option<String> {
    let is_in = |group: &[usize; 2]| (group[0]..=group[1]).contains(&place);
    let first = league.groups.iter().position(is_in)?;
    let last = league.groups.iter().rposition(is_in)?;
    Some(range([first + 1, last + 1]))
}

/// `3`, or `2-5`.
fn range([first, last]: [usize; 2]) -> String {
    if first == last { first.to_string() } else { format!("{first}-{last}") }
}

/// Each with the reason, and with the page of the child in which it was seen. One that did not start may have no page, so its last
/// lines are told here.
fn outs(id: &'static str, name: Both, outs: &[Out], folders: &BTreeMap<u32, String>) -> Option<Section> {
    let blocks = outs.iter().flat_map(|out| {
        let page = folders.get(&out.child).cloned();
        std::iter::once(told(Both::same(out.entry.name.clone()), why(&out.standing), page))
            .chain(last_lines(&out.standing))
    });
    section(id, name, blocks.collect())
}

/// Why an entry is not in.
fn why(standing: &Standing) -> Both {
    match standing {
        Standing::Disqualified { rules } => Both::same(rules.join(", ")),
        Standing::NotReady { reason } => not_started(reason),
        Standing::Valid | Standing::Void { .. } => Both::same(""),
    }
}

/// Why an entry did not start: the class before the reason's first line.
pub fn not_started(reason: &str) -> Both {
    labels::start_failure(StartFailure::of(reason)).then(&Both::same(first_line(reason)))
}

/// The last lines of what did not start, as its reason quotes them.
fn last_lines(standing: &Standing) -> Vec<Block> {
    let Standing::NotReady { reason } = standing else { return Vec::new() };
    let is_told = |line: &&str| line.strip_prefix("  | ").is_some_and(|text| !text.trim().is_empty());
    let quoted: Vec<&str> = reason.lines().filter(is_told).collect();
    let last = &quoted[quoted.len().saturating_sub(LAST_LINES)..];
    last.iter().map(|line| Block::Text(Both::same(shorten(line, LINE_COLUMNS)))).collect()
}

pub(crate) fn refused(refused: &[Refused]) -> Option<Section> {
    let blocks = refused.iter().map(|one| {
        told(Both::same(one.file.display().to_string()), Both::same(first_line(&one.reason)), None)
    });
    section("refused", labels::FILE_REFUSED, blocks.collect())
}

fn told(name: Both, sentence: Both, page: Option<String>) -> Block {
    Block::Link(Link { name, page, sentence, sections: Vec::new() })
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

/// A section, unless nothing is in it.
pub(crate) fn section(id: &'static str, name: Both, blocks: Vec<Block>) -> Option<Section> {
    let section = Section { id: id.into(), name, emphasis: Emphasis::First, blocks };
    (!section.blocks.is_empty()).then_some(section)
}
