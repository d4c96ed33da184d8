//! A duel as it is told: who is better, both sides figure by figure, what held each back, then all that says so.

mod glance;

use galo_judge::Measure;
use galo_judge::duel::{Compared, DuelVerdict, HeldBack, JudgedDuel, JudgedSide, SideFinding, Turn};
use galo_judge::findings::{VoidReason, Wording};
use galo_judge::measure::Quantity;
use galo_record::duel::{AnswerDifference, Level, LevelTerms};
use galo_words::nouns::PAIR;
use galo_words::{Both, Figure, say};

use crate::columns;
use crate::digits::decimals;
use crate::document::{
    Apart, Block, Card, CardRow, Cell, Column, Document, Emphasis, Head, Line, PairLevel, Pairs, Section,
    ShownFinding, Table, Tone, Weighs,
};
use crate::end;
use crate::words::{self, cpu_limit, labels, memory_limit};

/// Reasons for which loads do not count that are told.
const TOLD: usize = 3;

/// The whole of it.
pub fn duel(duel: &JudgedDuel) -> Document {
    let differ = words::answers_differ(duel);
    let mut sections = sections(duel);
    let after_why = sections.iter().position(|section| section.id == "answers").unwrap_or(0);
    sections.splice(after_why..after_why, turns(duel));
    Document {
        title: names(duel).join(" × "),
        verdict: verdict(duel),
        tone: match duel.verdict {
            DuelVerdict::Better { .. } if differ.is_none() => Tone::Decided,
            DuelVerdict::Disqualified { .. } | DuelVerdict::Fails { .. } | DuelVerdict::DifferentStatuses => {
                Tone::Broken
            }
            DuelVerdict::Void { .. } => Tone::Void,
            _ => Tone::Open,
        },
        answers: glance::at_a_glance(duel),
        warnings: differ.into_iter().chain(warnings(duel)).collect(),
        subject: subject(duel),
        lines: lines(duel),
        next: None,
        sections,
        terms: terms(duel),
        origin: Some(duel.header.clone()),
    }
}

/// The verdict in one sentence.
pub(crate) fn verdict(duel: &JudgedDuel) -> Both {
    Both::each(|lang| words::duel_verdict(duel, lang))
}

fn names(duel: &JudgedDuel) -> [&str; 2] {
    duel.sides.each_ref().map(|side| side.name.as_str())
}

/// All but what is drawn of each pair.
pub(crate) fn sections(duel: &JudgedDuel) -> Vec<Section> {
    let all = [
        Some(score(duel)),
        each_held_back(duel),
        Some(why(duel)),
        Some(compared_answers(duel)),
        Some(ledgers(duel)),
    ];
    all.into_iter().flatten().collect()
}

/// What must be known before the verdict, but for answers that differ, which come before it all.
pub(crate) fn warnings(duel: &JudgedDuel) -> Vec<Both> {
    let commands = duel.sides.iter().any(|side| side.command.is_some());
    let unlimited = commands && duel.cpus_milli.is_some() && !duel.limits_enforced;
    let unlimited =
        unlimited.then(|| words::not_enforced(&Both::same(duel.limits_note.clone().unwrap_or_default())));
    let walls = words::no_walls(duel.walls_note.as_deref());
    let left_out = words::left_uncommitted(duel.uncommitted_files);
    let restless = words::restless(duel);
    unlimited.into_iter().chain(walls).chain(left_out).chain(restless).chain(end::told(&duel.end)).collect()
}

/// What was asked, how often, and under which limits.
pub(crate) fn subject(duel: &JudgedDuel) -> Both {
    let pairs = duel.compared.first().map_or(0, |compared| compared.ratios.pairs);
    let starts = u64::from(duel.starts);
    let limits = match (duel.sides.iter().any(|side| side.command.is_some()), cpus(duel)) {
        (false, _) => Both::word(
            "servers that ran before, without limits of galo's",
            "servidores que já rodavam, sem limites do galo",
        ),
        (true, None) => Both::word("no limits", "sem limites"),
        (true, cpus) => {
            let cpus = Both::each(|lang| cpu_limit(cpus, lang));
            let memory = duel.memory_bytes.map(|bytes| Both::each(|lang| memory_limit(Some(bytes), lang)));
            let (and, e) = memory.map_or_else(Default::default, |memory| {
                (format!(" and {}", memory.en), format!(" e {}", memory.pt))
            });
            Both::new(
                format!("{}{and} for each command", cpus.en),
                format!("{}{e} para cada comando", cpus.pt),
            )
        }
    };
    let request = &duel.request;
    Both::each(|lang| {
        let (pairs, limits) = (lang.counted(pairs as u64, PAIR), limits.get(lang));
        match starts {
            0 | 1 => {
                say!(lang, "{request}; {pairs} of turns; {limits}", "{request}; {pairs} de turnos; {limits}")
            }
            _ => say!(
                lang,
                "{request}; {pairs} of turns in {starts} starts of each; {limits}",
                "{request}; {pairs} de turnos em {starts} inícios de cada um; {limits}"
            ),
        }
    })
}

/// What else is to be known of the verdict, and what came of bounds.
fn lines(duel: &JudgedDuel) -> Vec<Line> {
    let notes = words::duel_notes(duel).into_iter().map(|text| Line { text, warns: false });
    let told = |bound| words::bound(bound, names(duel), &duel.verdict);
    let bounds = duel.assertions.iter().map(|bound| Line { text: told(bound), warns: !bound.met });
    notes.chain(bounds).collect()
}

fn score(duel: &JudgedDuel) -> Section {
    let row = |compared: &Compared| CardRow {
        group: duel.level(compared.level).map(level),
        name: labels::duel_measure(compared.measure),
        weighs: match compared.decides {
            true if compared.measure == Measure::LatencyUsP99 => Weighs::First,
            true => Weighs::Decides,
            false => Weighs::ToldOnly,
        },
        cells: compared.values.map(|value| figure(compared.measure, value)).into(),
        ratio: Apart::of(&compared.ratios),
    };
    // Load by load; what is of none that is known comes last.
    let place = |compared: &Compared| duel.levels.iter().position(|terms| terms.level == compared.level);
    let mut compared: Vec<&Compared> = duel.compared.iter().collect();
    compared.sort_by_key(|compared| place(compared).unwrap_or(usize::MAX));
    let compared = compared.into_iter();
    let about = |side: &JudgedSide| Both::same(side.command.clone().unwrap_or_else(|| side.url.clone()));
    let ([first, second], of) = (names(duel), &duel.ratio_of);
    let card = Card {
        id: "score",
        caption: Both::each(|lang| {
            say!(
                lang,
                "geometric means over the turns that count; ratio: {of}; 5:1: {second} better in 5 pairs, {first} in 1",
                "médias geométricas dos turnos que contam; razão: {of}; 5:1: {second} melhor em 5 pares, {first} em 1"
            )
        }),
        heads: duel.sides.iter().map(|side| Head::new((side.name.clone(), about(side)))).collect(),
        against: Some(Both::same(of.clone())),
        rows: compared.map(row).collect(),
        has_bars: false,
    };
    let notes = duel.sides.iter().flat_map(|side| [warmth(side), errors(side)]).flatten();
    Section {
        id: "score".into(),
        name: labels::SCORE,
        emphasis: Emphasis::First,
        blocks: [Block::Card(card)].into_iter().chain(notes.map(Block::Note)).collect(),
    }
}

fn each_held_back(duel: &JudgedDuel) -> Option<Section> {
    let told = (0..2).filter_map(|side| held_back(duel, side)).map(Block::Text);
    Some(Section {
        id: "held-back".into(),
        name: held_back_name(&level(held_back_at(duel)?)),
        emphasis: Emphasis::Second,
        blocks: told.collect(),
    })
}

/// What held a side back, in one sentence that begins with its name where it can.
pub(crate) fn held_back(duel: &JudgedDuel, side: usize) -> Option<Both> {
    let HeldBack { by, connections, usage, .. } = duel.sides[side].held_back.as_ref()?;
    let name = &duel.sides[side].name;
    Some(Both::each(|lang| words::held_back(name, *by, usage, Some(*connections), lang)))
}

/// The load at which it is known what held each side back.
pub(crate) fn held_back_at(duel: &JudgedDuel) -> Option<&LevelTerms> {
    duel.level(duel.sides.iter().find_map(|side| side.held_back.as_ref())?.level)
}

/// What stands above what held each side back at a load.
pub(crate) fn held_back_name(load: &Both) -> Both {
    labels::HELD_EACH_BACK.then(&Both::same(" (")).then(load).then(&Both::same(")"))
}

/// What was found, and what does not count.
fn why(duel: &JudgedDuel) -> Section {
    let mut blocks = Vec::new();
    blocks.extend(each_finding(duel).map(|found| Block::Finding(Box::new(found))));
    blocks.extend(spoiled(duel).into_iter().take(TOLD).map(|(level, reason, loads)| {
        let why = Both::each(|lang| reason.of_load(lang));
        let reason = labels::level(level).then(&Both::same(": ")).then(&why);
        Block::Note(Both::new(
            format!("loads that do not count: {loads}: {}", reason.en),
            format!("cargas que não contam: {loads}: {}", reason.pt),
        ))
    }));
    let emphasis = if blocks.is_empty() { Emphasis::Later } else { Emphasis::Second };
    if blocks.is_empty() {
        blocks.push(Block::Text(labels::NO_FINDING));
    }
    Section { id: "why".into(), name: labels::WHY, emphasis, blocks }
}

/// Loads that do not count, by level and kind of reason, with the first reason of its kind.
fn spoiled(duel: &JudgedDuel) -> Vec<(Level, &VoidReason, u32)> {
    let mut spoiled: Vec<(Level, &VoidReason, u32)> = Vec::new();
    for load in duel.turns.iter().flat_map(|turn| &turn.loads) {
        let Some(reason) = load.void.first() else { continue };
        let is_same = |(level, known, _): &&mut (Level, &VoidReason, u32)| {
            *level == load.level && known.kind() == reason.kind()
        };
        match spoiled.iter_mut().find(is_same) {
            Some((_, _, loads)) => *loads += 1,
            None => spoiled.push((load.level, reason, 1)),
        }
    }
    spoiled
}

/// Each finding once, with how often it was made.
fn each_finding(duel: &JudgedDuel) -> impl Iterator<Item = ShownFinding> {
    let mut seen: Vec<(&SideFinding, Wording, u64)> = Vec::new();
    for found in &duel.findings {
        let told = found.finding.wording();
        let is_same = |(known, of, _): &&mut (&SideFinding, Wording, u64)| {
            known.side == found.side && of.text == told.text
        };
        match seen.iter_mut().find(is_same) {
            Some((_, _, times)) => *times += 1,
            None => seen.push((found, told, 1)),
        }
    }
    seen.into_iter().map(|(found, told, times)| ShownFinding {
        contender: duel.sides.get(found.side).map(|side| side.name.clone()),
        how_often: (times > 1).then(|| Both::new(format!("{times} times"), format!("{times} vezes"))),
        told,
        ..ShownFinding::of(&found.finding, "")
    })
}

/// p99 of both sides, pair by pair, at each level; `None`: there is nothing to draw.
fn turns(duel: &JudgedDuel) -> Option<Section> {
    let pairs = duel.turns.iter().map(|turn| turn.pair + 1).max().unwrap_or(0);
    let level = |terms: &LevelTerms| {
        let p99_ms = |turn: &Turn| Some(turn.counting(terms.level)?.latency.p99 / 1e3);
        let of = |side: usize, pair: u32| duel.turns.iter().find(|t| t.side == side && t.pair == pair);
        let column = |side| (0..pairs).map(|pair| of(side, pair).and_then(p99_ms)).collect();
        PairLevel { name: labels::level(terms.level), p99_ms: [column(0), column(1)] }
    };
    let any = |level: &PairLevel| level.p99_ms.iter().flatten().any(Option::is_some);
    let levels: Vec<PairLevel> = duel.levels.iter().map(level).filter(any).collect();
    let sides = names(duel).map(str::to_owned);
    (!levels.is_empty()).then(|| Section {
        id: "turns".into(),
        name: labels::TURN_BY_TURN,
        emphasis: Emphasis::Later,
        blocks: vec![Block::Pairs(Pairs { sides, levels })],
    })
}

fn compared_answers(duel: &JudgedDuel) -> Section {
    let answers = &duel.answers;
    let told = match answers.compared {
        0 => labels::NOTHING_TO_COMPARE,
        _ => Both::each(|lang| {
            let [equal, compared] = [answers.equal, answers.compared].map(|n| lang.whole(n));
            say!(
                lang,
                "{equal} of {compared} answers to the same requests are equal by meaning",
                "{equal} de {compared} respostas às mesmas requisições têm o mesmo significado"
            )
        }),
    };
    let [first, second] = names(duel).map(|name| Both::same(name.to_owned()));
    type OfDifference<'a> = Column<'a, AnswerDifference>;
    let columns = [
        OfDifference::text(labels::AT, |difference| difference.at.clone()),
        OfDifference::text(first, |difference| difference.values[0].clone()),
        OfDifference::text(second, |difference| difference.values[1].clone()),
    ];
    let table = Table::new("differences", labels::ANSWERS_DIFFER, columns, &answers.differences);
    let differences = (!table.is_empty()).then_some(Block::Table(table));
    Section {
        id: "answers".into(),
        name: labels::ANSWERS,
        emphasis: if differences.is_some() { Emphasis::Second } else { Emphasis::Later },
        blocks: [Block::Text(told)].into_iter().chain(differences).collect(),
    }
}

fn ledgers(duel: &JudgedDuel) -> Section {
    let name = Column::text(labels::SIDE, |side: &JudgedSide| side.name.clone());
    let columns = [name].into_iter().chain(columns::ledger(|side: &JudgedSide| &side.ledger));
    let table = Table::new("ledgers", labels::DUEL_LEDGER_CAPTION, columns, &duel.sides);
    Section {
        id: "ledger".into(),
        name: labels::LEDGER,
        emphasis: Emphasis::Later,
        blocks: vec![Block::Note(labels::LEDGER_ADDS_UP), Block::Table(table)],
    }
}

fn terms(duel: &JudgedDuel) -> Vec<(Both, Both)> {
    let mut facts = vec![(labels::REQUEST, Both::same(duel.request.clone()))];
    for side in &duel.sides {
        let run = side.command.as_ref().map_or_else(|| labels::RAN_BEFORE, |c| Both::same(c.clone()));
        facts.push((Both::same(side.name.clone()), run.then(&Both::same(format!(", {}", side.url)))));
        if let Some(rate) = side.reached_per_s() {
            let name = Both::same(format!("{}: ", side.name)).then(&labels::WARM_AT);
            facts.push((name, Both::figure(Figure::With(rate, 0, "/s"))));
        }
    }
    for terms in &duel.levels {
        let length = Both::figure(Figure::seconds_of(terms.length_ns));
        facts.push((labels::LOADS, level(terms).then(&Both::same(", ")).then(&length)));
    }
    facts.push((labels::SEED, Both::same(duel.seed.clone())));
    facts.extend(limits(duel));
    facts
}

/// The limits of each command.
pub(crate) fn limits(duel: &JudgedDuel) -> [(Both, Both); 2] {
    [
        (labels::CPU_LIMIT, Both::each(|lang| cpu_limit(cpus(duel), lang))),
        (labels::MEMORY_LIMIT, Both::each(|lang| memory_limit(duel.memory_bytes, lang))),
    ]
}

/// The CPU limit of each command, in cores.
pub(crate) fn cpus(duel: &JudgedDuel) -> Option<f64> {
    duel.cpus_milli.map(|milli| f64::from(milli) / 1e3)
}

/// A load in words.
pub(crate) fn level(terms: &LevelTerms) -> Both {
    let (label, rate) = (labels::level(terms.level), rate(terms));
    match terms.mean_rate() {
        None => label.then(&Both::same(", ")).then(&rate),
        Some(_) => rate.then(&Both::same(": ")).then(&label),
    }
}

/// The rate of a load; of a closed loop how many requests there are at once.
pub(crate) fn rate(terms: &LevelTerms) -> Both {
    let Some(rate) = terms.mean_rate() else {
        let at_once = terms.connections;
        return Both::new(format!("{at_once} at once"), format!("{at_once} de cada vez"));
    };
    let mean = if terms.varies() { Both::word(" on average", " em média") } else { Both::same("") };
    Both::figure(Figure::With(rate, if rate < 100.0 { 1 } else { 0 }, "/s")).then(&mean)
}

/// A figure with its unit.
pub(crate) fn figure(measure: Measure, value: Option<f64>) -> Cell {
    match (measure.quantity(), value) {
        (Quantity::Us, Some(us)) => Figure::Ms(us).into(),
        (Quantity::CpuMs, Some(us)) => Figure::With(us, 1, "us").into(),
        _ => words::figure(measure, value),
    }
}

/// How long a side needed to come to its speed.
fn warmth(side: &JudgedSide) -> Option<Both> {
    let after = decimals(side.warm_after_ns()? as f64 / 1e9, 1);
    let (name, after) = (&side.name, Both::figure(Figure::Plain(after)));
    Some(Both::new(
        format!("{name} needed {} s of load to come to its speed", after.en),
        format!("{name} precisou de {} s de carga para chegar à sua velocidade", after.pt),
    ))
}

fn errors(side: &JudgedSide) -> Option<Both> {
    let (name, ledger) = (&side.name, &side.ledger);
    let kinds = [
        (ledger.wrong, Both::word("wrong", "erradas")),
        (ledger.failed, Both::word("failed", "falharam")),
        (ledger.timed_out, Both::word("timed out", "expiraram")),
        (ledger.unfinished, Both::word("never ended", "nunca terminaram")),
    ];
    let kinds = kinds
        .iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, what)| Both::figure(Figure::Count(*n)).then(&Both::same(" ")).then(what));
    let kinds = kinds.reduce(|all, kind| all.then(&Both::same(", ")).then(&kind))?;
    let all = Both::figure(Figure::Count(ledger.intended));
    Some(Both::new(
        format!("{name}: of {} requests {}", all.en, kinds.en),
        format!("{name}: de {} requisições {}", all.pt, kinds.pt),
    ))
}
