//! The page of a duel, of the same parts as a fight's.

use askama::Template;
use galo_judge::Difference;
use galo_judge::duel::{Compared, DuelVerdict, Figure, counting};
use galo_record::duel::{LevelTerms, SideFinding};
use galo_record::{DuelRecord, Machine, RunHeader};

use super::HtmlError;
use super::bar::RatioAxis;
use super::card::{Card, Cell, Head, Ratio, Row, divided, ratio_text};
use super::cpu::limit;
use super::data::{ChartData, LevelColumns, digits};
use super::frame::{Frame, Opening};
use super::glance::{self, Answer};
use super::lang::{self, Both, Language};
use super::page::shell_line;
use super::tables::{LEDGER_HEADS, Table, ledger, machine_facts};
use super::why::{FindingView, Found};
use crate::duel::{DuelLevel, DuelReport, DuelSide, bound_words};
use crate::terminal::duel::{figure, in_words};
use crate::text::clean;
use crate::words::{self, Lang, Told};

/// The whole page.
#[derive(Template)]
#[template(path = "duel.html")]
pub(crate) struct DuelPage {
    frame: Frame,
    card: Card,
    /// In English, as the judge wrote them.
    notes: Vec<Both>,
    has_charts: bool,
    /// The load at which something held a side back, and what, in both languages.
    held_back: Option<(Both, Vec<Both>)>,
    findings: Vec<FindingView>,
    /// Why loads do not count.
    void: Vec<Both>,
    answers: Both,
    differences: Option<Table>,
    ledger: Table,
    facts: Vec<(Both, Both)>,
    command: String,
}

impl DuelPage {
    pub(crate) fn new(
        record: &DuelRecord,
        report: &DuelReport,
        header: &RunHeader,
        language: Language,
    ) -> Result<Self, HtmlError> {
        let names = report.sides.each_ref().map(|side| clean(&side.name));
        let data = ChartData::of_duel(names.clone(), levels(record));
        let void = report.void.iter().map(|spoiled| {
            let (loads, reason) = (spoiled.loads, clean(&spoiled.reason));
            Both::new(
                format!("loads that do not count: {loads}: {reason}"),
                format!("cargas que não contam: {loads}: {reason}"),
            )
        });
        Ok(Self {
            frame: Frame::new(opening(report, !data.is_empty()), &data, language)?,
            card: card(record, report),
            notes: {
                let bounds = report.assertions.iter().map(|bound| Both::same(bound_words(bound)));
                report.told_notes.iter().cloned().chain(bounds).map(|note| note.map(clean)).collect()
            },
            has_charts: !data.is_empty(),
            held_back: held_back(record, report),
            findings: findings(record),
            void: void.collect(),
            answers: answers(report),
            differences: differences(report),
            ledger: ledgers(report),
            facts: facts(record, report, header),
            command: clean(&shell_line(&header.command)),
        })
    }
}

fn opening(report: &DuelReport, has_charts: bool) -> Opening {
    let mut sections = vec![("score", lang::SCORE), ("why", lang::WHY)];
    sections.extend(has_charts.then_some(("turns", lang::TURN_BY_TURN)));
    sections.extend([
        ("answers", lang::ANSWERS),
        ("ledger", lang::LEDGER),
        ("again-title", lang::MACHINE_AND_PLAN),
    ]);
    let names = report.sides.each_ref().map(|side| clean(&side.name));
    Opening {
        title: names.join(" × "),
        warnings: report.warnings().iter().map(|warning| Both::same(clean(warning))).collect(),
        verdict: report.told.map(clean),
        verdict_class: match report.verdict {
            DuelVerdict::Better { .. } => "decided",
            DuelVerdict::Fails { .. } | DuelVerdict::DifferentStatuses => "broken",
            DuelVerdict::Void { .. } => "void",
            _ => "open",
        },
        glance: at_a_glance(report),
        subject: subject(report),
        sections,
    }
}

fn subject(report: &DuelReport) -> Both {
    let pairs = report.compared.first().map_or(0, |compared| compared.pairs);
    let request = clean(&report.request);
    Both::new(
        format!("{request}; pairs that count: {pairs}"),
        format!("{request}; pares que contam: {pairs}"),
    )
}

fn at_a_glance(report: &DuelReport) -> Vec<Answer> {
    let first = report.compared.iter().find(|c| c.decides && c.ratio.is_some());
    let decided = || {
        let differs = |c: &&Compared| matches!(c.difference, Difference::Better | Difference::Worse);
        report.compared.iter().filter(|c| c.decides).find(differs)
    };
    let who = match &report.verdict {
        DuelVerdict::Better { winner } => Both::same(clean(&report.sides[*winner].name)),
        _ => lang::NOBODY,
    };
    let told = decided().or(first);
    let how_much = told.and_then(|c| Some((c, c.ratio?))).map_or(lang::NOTHING_TO_COMPARE, |(c, ratio)| {
        let factor = |ratio| glance::factor(c.figure != Figure::Rate, ratio);
        let far = match &report.verdict {
            DuelVerdict::Better { winner: 0 } => factor(ratio),
            DuelVerdict::Better { .. } => factor(1.0 / ratio),
            _ => ratio_text(&in_words(ratio, c.interval)),
        };
        lang::duel_figure(c.figure).then(&Both::same(": ")).then(&far)
    });
    let real = match &report.verdict {
        DuelVerdict::Better { .. } | DuelVerdict::Mixed => decided()
            .and_then(|c| Some(glance::yes(c.pairs, c.interval?, c.p_value)))
            .unwrap_or(lang::NOTHING_TO_COMPARE),
        DuelVerdict::NoDifference => lang::IT_MAY_BE_NOISE,
        DuelVerdict::Void { .. } => lang::SAYS_NOTHING,
        DuelVerdict::TooFewPairs { .. } => lang::NOT_WITH_SO_FEW,
        DuelVerdict::DifferentStatuses | DuelVerdict::Fails { .. } => lang::NOTHING_TO_COMPARE,
    };
    let mut answers = vec![
        Answer::new(lang::WHO_WON, who),
        Answer::new(lang::BY_HOW_MUCH, how_much),
        Answer::new(lang::IS_IT_REAL, real),
    ];
    answers.extend(held_the_other_back(report));
    answers
}

/// What held the loser back, if it lost by a figure of that very load.
fn held_the_other_back(report: &DuelReport) -> Option<Answer> {
    let DuelVerdict::Better { winner } = report.verdict else { return None };
    let told = report.sides.get(1 - winner)?.held_back.as_ref()?;
    let lost = |c: &&Compared| matches!(c.difference, Difference::Better | Difference::Worse);
    report.compared.iter().filter(|c| c.decides && c.level == told.fact.level).find(lost)?;
    let answer = Answer::new(lang::WHAT_HELD_BACK, lang::bottleneck(told.fact.by));
    Some(Answer { link: Some("held-back".to_owned()), ..answer })
}

fn held_back(record: &DuelRecord, report: &DuelReport) -> Option<(Both, Vec<Both>)> {
    let (level, _) = report.held_back()?;
    let terms = record.terms.levels.iter().find(|terms| terms.level.name() == level.level)?;
    Some((at_level(level, terms), sides_held_back(report)))
}

/// What held each side back, a sentence each, where that is known.
pub(super) fn sides_held_back(report: &DuelReport) -> Vec<Both> {
    let told = |side: &DuelSide| Some(side.held_back.as_ref()?.told.map(clean));
    report.sides.iter().filter_map(told).collect()
}

fn card(record: &DuelRecord, report: &DuelReport) -> Card {
    let axis = RatioAxis::around(report.compared.iter().filter_map(|c| c.interval));
    let row = |compared: &Compared| {
        let level = report.levels.iter().zip(&record.terms.levels).find(|(l, _)| l.level == compared.level);
        let at = level.map_or_else(|| Both::same(""), |(level, terms)| at_level(level, terms));
        let told_only = Both::same(" – ").then(&lang::TOLD_ONLY);
        let values = compared.values.map(|value| Both::figure(figure(compared.figure, value)));
        let svg = axis.map(|axis| axis.interval(compared.ratio, compared.interval)).unwrap_or_default();
        Row {
            name: lang::duel_figure(compared.figure),
            note: Some(if compared.decides { at } else { at.then(&told_only) }),
            primary: compared.decides && compared.figure == Figure::P99,
            cells: values.map(|text| Cell { text, struck: false }).into(),
            ratio: compared
                .ratio
                .map(|ratio| Ratio::new(&in_words(ratio, compared.interval), compared.difference, svg)),
        }
    };
    let names = report.sides.each_ref().map(|side| side.name.clone());
    let head = |(colour, side): (usize, &DuelSide)| Head {
        name: clean(&side.name),
        about: Both::same(clean(side.command.as_ref().unwrap_or(&side.url))),
        colour,
    };
    Card {
        caption: lang::DUEL_CAPTION,
        heads: report.sides.iter().enumerate().map(head).collect(),
        against: Some(divided(&names)),
        rows: report.compared.iter().map(row).collect(),
    }
}

/// The load of a level in words.
fn at_level(level: &DuelLevel, terms: &LevelTerms) -> Both {
    let label = lang::level(terms.level);
    match level.rate_per_s {
        Some(rate) => {
            let rate = Both::figure(format!("{}/s: ", words::number(rate, if rate < 100.0 { 1 } else { 0 })));
            rate.then(&label)
        }
        None => label.then(&Both::new(
            format!(", {} at once", level.connections),
            format!(", {} de cada vez", level.connections),
        )),
    }
}

/// p99 of both sides, pair by pair, at each level.
fn levels(record: &DuelRecord) -> Vec<LevelColumns> {
    let pairs = record.turns.iter().map(|turn| turn.pair + 1).max().unwrap_or(0);
    let level = |terms: &LevelTerms| {
        let p99 = |side: usize, pair: u32| {
            let turn = record.turns.iter().find(|turn| turn.side == side && turn.pair == pair)?;
            Some(digits(counting(turn, terms)?.latency.us_p99 / 1e3))
        };
        let column = |side| (0..pairs).map(|pair| p99(side, pair)).collect();
        LevelColumns { name: lang::level(terms.level).pair(), p99: [column(0), column(1)] }
    };
    let any = |level: &LevelColumns| level.p99.iter().flatten().any(Option::is_some);
    record.terms.levels.iter().map(level).filter(any).collect()
}

/// Each finding once, with how often it was made.
fn findings(record: &DuelRecord) -> Vec<FindingView> {
    let told = |found: &SideFinding| words::host_sentence(&found.finding, Lang::En);
    let mut seen: Vec<(&SideFinding, usize)> = Vec::new();
    for found in &record.findings {
        let same = |known: &SideFinding| known.side == found.side && told(known) == told(found);
        match seen.iter_mut().find(|(known, _)| same(known)) {
            Some((_, times)) => *times += 1,
            None => seen.push((found, 1)),
        }
    }
    let view = |(index, (found, times)): (usize, &(&SideFinding, usize))| {
        let finding = &found.finding;
        let before = seen[..index].iter().filter(|(known, _)| known.finding.name() == finding.name()).count();
        let told = Found {
            name: finding.name(),
            weight: finding.weight(),
            blame: finding.blame(),
            told: &Told::of_host(finding),
            explains: None,
        };
        let how_often = (*times > 1).then(|| Both::new(format!("{times} times"), format!("{times} vezes")));
        let side = record.sides.get(found.side).map(|side| side.name.clone());
        FindingView::of(&told, side, how_often, before)
    };
    seen.iter().enumerate().map(view).collect()
}

fn answers(report: &DuelReport) -> Both {
    let answers = &report.answers;
    if answers.compared == 0 {
        return lang::NOTHING_TO_COMPARE;
    }
    let [equal, compared] = [answers.equal, answers.compared].map(|n| Both::figure(words::count(n)));
    Both::new(
        format!("{} of {} answers to the same requests are equal by meaning", equal.en, compared.en),
        format!("{} de {} respostas às mesmas requisições têm o mesmo significado", equal.pt, compared.pt),
    )
}

fn differences(report: &DuelReport) -> Option<Table> {
    let rows: Vec<Vec<Both>> = report
        .answers
        .differences
        .iter()
        .map(|d| [&d.at, &d.values[0], &d.values[1]].map(|text| Both::same(clean(text))).into())
        .collect();
    let names = report.sides.each_ref().map(|side| Both::same(clean(&side.name)));
    (!rows.is_empty()).then(|| Table {
        id: "differences".to_owned(),
        class: "differences",
        caption: lang::ANSWERS_DIFFER,
        heads: [lang::AT].into_iter().chain(names).collect(),
        rows,
    })
}

fn ledgers(report: &DuelReport) -> Table {
    let rows = report
        .sides
        .iter()
        .map(|side| [Both::same(clean(&side.name))].into_iter().chain(ledger(&side.ledger)).collect());
    Table {
        id: "ledgers".to_owned(),
        class: "ledgers",
        caption: lang::DUEL_LEDGER_CAPTION,
        heads: [lang::SIDE].into_iter().chain(LEDGER_HEADS).collect(),
        rows: rows.collect(),
    }
}

fn facts(record: &DuelRecord, report: &DuelReport, header: &RunHeader) -> Vec<(Both, Both)> {
    let mut facts = vec![
        (lang::STARTED, Both::same(clean(&header.started))),
        (Both::same("galo"), Both::same(clean(&header.galo))),
        (lang::REQUEST, Both::same(clean(&report.request))),
    ];
    for side in &report.sides {
        let run = side.command.as_ref().map_or_else(|| lang::RAN_BEFORE, |c| Both::same(clean(c)));
        let at = run.then(&Both::same(clean(&format!(", {}", side.url))));
        facts.push((Both::same(clean(&side.name)), at));
        if let Some(rate) = side.reached_per_s {
            let name = Both::same(format!("{}: ", clean(&side.name))).then(&lang::WARM_AT);
            facts.push((name, Both::figure(format!("{}/s", words::number(rate, 0)))));
        }
    }
    for (level, terms) in report.levels.iter().zip(&record.terms.levels) {
        let length = Both::figure(format!(", {}", words::seconds(level.length_s)));
        facts.push((lang::LOADS, at_level(level, terms).then(&length)));
    }
    let cpus = limit(report.cpus.map(|cpus| words::cpu_limit(Some(cpus))));
    let memory = limit(report.memory_bytes.map(|bytes| words::memory_limit(Some(bytes))));
    facts.extend([(lang::CPU_LIMIT, cpus), (lang::MEMORY_LIMIT, memory)]);
    facts.extend(machine(&header.machine));
    facts
}

/// The machine as it was recorded.
pub(crate) fn machine(machine: &Machine) -> Vec<(Both, Both)> {
    let of_machine =
        [&machine.cpu, &machine.system, &machine.kernel, &machine.cgroups, &machine.clock_source];
    let facts = machine_facts(of_machine, machine.cores, machine.memory_bytes, machine.virtual_machine);
    let settings = machine.settings.iter().map(|(n, v)| (Both::same(clean(n)), Both::same(clean(v))));
    facts.into_iter().chain(settings).collect()
}
