//! The page of one entry of a league, and its badge.

use std::collections::{BTreeMap, BTreeSet};

use galo_judge::league::{Entry, JudgedLeague, Out, Ranked, RoundOfBlock};
use galo_judge::{Measure, Standing};
use galo_words::{Both, say};

use super::badge::{Stands, badge};
use super::{Placed, better_than_nobody, last_lines, range, ranked, section, subject, told, why};
use crate::document::{Block, Document, Line, Link, Section, Tone};
use crate::words::{figure, labels};

/// What is told of one entry alone.
#[derive(Debug)]
pub struct EntryPage {
    /// Where it goes, below the league's own page.
    pub folder: String,
    /// The page.
    pub document: Document,
    /// SVG for the entry's README.
    pub badge: String,
}

/// The pages of all entries that were driven. The page of each child is below its folder, by its number.
pub fn pages(league: &JudgedLeague, children: &BTreeMap<u32, String>) -> Vec<EntryPage> {
    let folders = folders(league);
    let page = |entry: &Entry, verdict: Both, sections: Vec<Section>, (message, stands): (String, Stands)| {
        let folder = folders.get(&entry.name)?.clone();
        let part = took_part(entry, children);
        let document = Document {
            title: entry.name.clone(),
            warnings: Vec::new(),
            verdict,
            tone: match (stands, league.head.is_over) {
                (Stands::In, true) => Tone::Decided,
                (Stands::In, false) => Tone::Open,
                (Stands::Out | Stands::NotStarted, _) => Tone::Broken,
            },
            answers: Vec::new(),
            subject: subject(&league.head),
            lines: vec![Line { text: Both::same(entry.title.clone()), warns: false }],
            next: None,
            sections: sections.into_iter().chain(part).collect(),
            terms: Vec::new(),
            origin: Some(league.header.clone()),
        };
        Some(EntryPage {
            folder,
            document,
            badge: badge(&format!("galo {}", league.head.challenge), &message, stands),
        })
    };
    let of_ranked = |placed: Placed<'_>| {
        let (_, one) = placed;
        let places = format!("{} of {}", range(one.places), league.ranking.len());
        let sections = [own_line(league, placed), against_others(league, one)];
        let sections = sections.into_iter().flatten().collect();
        let mut page = page(&one.entry, place(league, one), sections, (places, Stands::In))?;
        page.document.warnings.extend(better_than_nobody(&one.entry.name, one.void_too_often));
        Some(page)
    };
    let of_out = |out: &Out| {
        let (message, stands) = match &out.standing {
            Standing::Disqualified { .. } => (Both::word("broke a rule", "quebrou uma regra"), Stands::Out),
            _ => (Both::word("did not start", "não iniciou"), Stands::NotStarted),
        };
        let page_of_child = children.get(&out.child).map(|folder| below(folder));
        let reason = told(message.clone(), why(&out.standing), page_of_child);
        let blocks = std::iter::once(reason).chain(last_lines(&out.standing)).collect();
        let sections = section("why", labels::WHY, blocks).into_iter().collect();
        page(&out.entry, is_out(out), sections, (message.en.into_owned(), stands))
    };
    let outs = league.out.iter().chain(&league.not_started);
    league.ranking.iter().enumerate().filter_map(of_ranked).chain(outs.filter_map(of_out)).collect()
}

/// Where the page of each entry goes, by its name: the same in every report of a league.
pub(super) fn folders(league: &JudgedLeague) -> BTreeMap<String, String> {
    let ranked = league.ranking.iter().map(|one| &one.entry);
    let outs = league.out.iter().chain(&league.not_started).map(|out| &out.entry);
    let mut entries: Vec<&Entry> = ranked.chain(outs).collect();
    entries.sort_by_key(|entry| entry.check);
    let mut taken = BTreeSet::new();
    let mut folder = |entry: &Entry| {
        let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
        let name: String = entry.name.chars().map(plain).collect();
        let numbered = (2..).map(|number| format!("entries/{name}-{number}"));
        let free =
            std::iter::once(format!("entries/{name}")).chain(numbered).find(|name| !taken.contains(name));
        let free = free.unwrap_or_default();
        taken.insert(free.clone());
        (entry.name.clone(), free)
    };
    entries.into_iter().map(&mut folder).collect()
}

/// A page's own folder is two below the league's.
fn below(folder: &str) -> String {
    format!("../../{folder}")
}

fn place(league: &JudgedLeague, one: &Ranked) -> Both {
    let (name, places, count) = (&one.entry.name, range(one.places), league.ranking.len());
    Both::each(|lang| {
        let so_far = if league.head.is_over { "" } else { lang.pick(" so far", " até agora") };
        say!(lang, "{name}: place {places} of {count}{so_far}", "{name}: lugar {places} de {count}{so_far}")
    })
}

fn is_out(out: &Out) -> Both {
    let name = &out.entry.name;
    let is = match &out.standing {
        Standing::Disqualified { .. } => {
            Both::each(|lang| say!(lang, "{name} broke a rule: ", "{name} quebrou uma regra: "))
        }
        _ => Both::each(|lang| say!(lang, "{name} did not start: ", "{name} não iniciou: ")),
    };
    is.then(&why(&out.standing))
}

fn own_line(league: &JudgedLeague, placed: Placed<'_>) -> Option<Section> {
    let back = |_: &str| Some("../..".to_owned());
    let table = ranked(league, labels::OF_THIS_ENTRY, back, [placed]);
    section("ranking", labels::RANKING, vec![Block::Table(table)])
}

/// Who is surely before it, who may be either, and who is surely behind.
fn against_others(league: &JudgedLeague, one: &Ranked) -> Option<Section> {
    let names = |of: &dyn Fn(&Ranked) -> bool| -> Vec<String> {
        let others = league.ranking.iter().filter(|other| other.entry.name != one.entry.name);
        others.filter(|other| of(other)).map(|other| other.entry.name.clone()).collect()
    };
    let is_before = |a: &Ranked, b: &Ranked| a.behind.contains(&b.entry.name);
    let before = names(&|other| is_before(other, one));
    let behind = names(&|other| is_before(one, other));
    let either = names(&|other| !is_before(other, one) && !is_before(one, other));
    let told = |names: Vec<String>, en: &'static str, pt: &'static str| {
        let text = Both::each(|lang| format!("{}: {}", lang.pick(en, pt), lang.listed(&names)));
        (!names.is_empty()).then_some(Block::Text(text))
    };
    let blocks = [
        told(before, "Proven better", "Provadas melhores"),
        told(either, "No difference proven", "Sem diferença provada"),
        told(behind, "Proven worse", "Provadas piores"),
    ];
    section("others", labels::AGAINST_OTHERS, blocks.into_iter().flatten().collect())
}

/// Its check, then its blocks, with their pages.
fn took_part(entry: &Entry, children: &BTreeMap<u32, String>) -> Option<Section> {
    let link = |child: u32, sentence: Both| {
        let page = children.get(&child).map(|folder| below(folder));
        Block::Link(Link { name: Both::same(format!("#{child}")), page, sentence, sections: Vec::new() })
    };
    let round = |&RoundOfBlock { child, latency_us_p99 }: &RoundOfBlock| {
        let p99 = figure(Measure::LatencyUsP99, latency_us_p99);
        link(child, Both::same("p99 ").then(&p99.both()))
    };
    let check = link(entry.check, labels::ITS_CHECK);
    let blocks = std::iter::once(check).chain(entry.in_blocks.iter().map(round)).collect();
    section("part", labels::WHERE_IT_TOOK_PART, blocks)
}
