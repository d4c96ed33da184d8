//! A fight or a check as it is told: who is better, why, how it went over time, what was slow, where the CPU went, which
//! rules were broken, and the account of every operation.

mod answers;
mod cases;
mod field;
mod next;
mod round;
mod score;
mod tables;
mod why;

pub(crate) use score::SHORT;

use galo_judge::fight::{JudgedContender, JudgedFight, JudgedRound};
use galo_judge::{Kind, Standing, Verdict};
use galo_words::nouns::ROUND;
use galo_words::{Both, Figure, Lang, say};

use crate::document::{Block, Document, Emphasis, Section, Timeline, TimelineRound, Tone};
use crate::series::RoundSeries;
use crate::words::{self, labels};

/// A fight or a check. `series` are what is drawn of its rounds; without them nothing is.
pub fn fight(fight: &JudgedFight, series: &[RoundSeries]) -> Document {
    let names: Vec<&str> = fight.contenders.iter().map(|c| c.name.as_str()).collect();
    Document {
        title: format!("{} – {}", names.join(" × "), fight.challenge),
        warnings: over_budget(fight).chain(of_the_machine(fight).into_iter().flatten()).collect(),
        verdict: words::fight_verdict(fight),
        tone: match fight.verdict {
            Verdict::Better { .. } => Tone::Decided,
            Verdict::Disqualified { .. } | Verdict::NotReady { .. } => Tone::Broken,
            Verdict::Void { .. } | Verdict::VoidTooOften { .. } => Tone::Void,
            _ => Tone::Open,
        },
        answers: answers::of(fight),
        subject: Both::each(|lang| subject(fight, lang)),
        lines: Vec::new(),
        next: next::of(fight),
        sections: sections(fight, series),
        terms: terms(fight),
        origin: Some(fight.header.clone()),
    }
}

fn sections(fight: &JudgedFight, series: &[RoundSeries]) -> Vec<Section> {
    let rounds = representatives(fight);
    // One round of one contender is told in detail: there is nothing to compare.
    let detail = detailed_round(fight);
    let (whole, parts) = match detail {
        Some(_) => (Emphasis::Later, Emphasis::First),
        None => (Emphasis::First, Emphasis::Later),
    };
    let timeline = timeline(fight, series, &rounds);
    let drawn = timeline.as_ref().map(|_| Block::Percentiles);
    let latency = drawn.into_iter().chain([Block::Table(tables::percentiles(&rounds))]);
    let classes = rounds.iter().map(|round| Block::Bar(round::classes(round)));
    let class_tables = rounds.iter().map(|round| Block::Table(tables::classes(round)));
    let cpu = tables::cpu_bars(fight).into_iter().map(Block::Bar);
    let cpu = cpu.chain([tables::cpu(fight), tables::services(&rounds)].map(Block::Table));
    let over_time = timeline.map(|timeline| vec![Block::Timeline(timeline)]);
    let sentences = detail.into_iter().flat_map(round::sentences).map(Block::Text);
    let ledger = [Block::Table(tables::ledgers(fight))].into_iter().chain(sentences);
    let steps = rounds.iter().map(|round| tables::steps(round)).chain([tables::engine(fight)]);
    let sections = [
        Some(section("score", labels::SCORE, whole, score::blocks(fight))),
        fight
            .medians
            .iter()
            .any(|row| row.answers_per_s.is_some())
            .then(|| section("field", labels::FIELD, Emphasis::First, field::blocks(fight))),
        Some(section("why", labels::WHY, Emphasis::First, why::findings(fight))),
        over_time.map(|blocks| section("time", labels::OVER_TIME, Emphasis::Later, blocks)),
        Some(section("latency", labels::PERCENTILES, parts, latency.collect())),
        Some(section("distribution", labels::DISTRIBUTION, parts, classes.chain(class_tables).collect())),
        Some(section("cpu", labels::WHERE_THE_CPU_WENT, parts, cpu.collect())),
        Some(why::broken_rules(fight, parts)),
        Some(section("ledger", labels::LEDGER, parts, ledger.chain(steps.map(Block::Table)).collect())),
    ];
    sections.into_iter().flatten().collect()
}

/// Contenders that take more than the budget.
fn over_budget(fight: &JudgedFight) -> impl Iterator<Item = Both> {
    let each = fight.contenders.iter();
    each.filter_map(|contender| words::beyond_budget(&contender.name, contender.takes, fight.budget))
}

/// What the machine or the caller's options keep from being sure.
fn of_the_machine(fight: &JudgedFight) -> [Option<Both>; 4] {
    let walls = words::no_walls(fight.walls_note.as_deref());
    [limits_warning(fight), walls, in_memory(fight), no_restart(fight)]
}

/// What comes before everything else where limits are not enforced.
fn limits_warning(fight: &JudgedFight) -> Option<Both> {
    fight.limits_note.as_ref().map(|note| words::not_enforced(&words::limits_note(note)))
}

/// What comes first where flushes prove nothing.
fn in_memory(fight: &JudgedFight) -> Option<Both> {
    let mut findings = fight.rounds.iter().flat_map(|round| &round.judgement.findings);
    let found = findings.find(|finding| finding.fact.kind() == Kind::VolumesInMemory);
    found.map(|finding| finding.wording().text)
}

/// What comes first where no restart showed whether anything is kept.
fn no_restart(fight: &JudgedFight) -> Option<Both> {
    const LEFT_OUT: Both = Both::word(
        "no contender was ended and started again (--no-restart): whoever keeps nothing on a disk may have won",
        "nenhum competidor foi encerrado e iniciado de novo (--no-restart): pode ter vencido quem não guarda nada em disco",
    );
    (fight.restarts == Some(false)).then_some(LEFT_OUT)
}

/// Challenge, profile, scale, seed and rounds in one line.
pub(crate) fn subject(fight: &JudgedFight, lang: Lang) -> String {
    let void = fight.rounds.iter().filter(|r| matches!(r.judgement.standing, Standing::Void { .. })).count();
    let void = match void {
        0 => String::new(),
        1 => lang.pick(", 1 of them void", ", 1 delas nula").to_owned(),
        void => say!(lang, ", {void} of them void", ", {void} delas nulas"),
    };
    let JudgedFight { challenge, profile, seed, rounds, .. } = fight;
    let (scale, rounds) = (lang.figure(Figure::Plain(fight.scale)), lang.counted(rounds.len() as u64, ROUND));
    say!(
        lang,
        "{challenge}, profile {profile}, scale {scale}, seed {seed}, {rounds}{void}",
        "{challenge}, perfil {profile}, escala {scale}, semente {seed}, {rounds}{void}"
    )
}

/// The round to tell in detail: the last one of a contender that is alone and had one round (and void ones before).
fn detailed_round(fight: &JudgedFight) -> Option<&JudgedRound> {
    let [contender] = fight.contenders.as_slice() else { return None };
    let summary = &contender.summary;
    (summary.rounds - summary.void <= 1).then(|| fight.rounds.last()).flatten()
}

/// The round that stands for each contender: the first valid one, or else the first that was driven.
fn representatives(fight: &JudgedFight) -> Vec<&JudgedRound> {
    let rank = |round: &JudgedRound| match round.judgement.standing {
        Standing::Valid => 0,
        Standing::Disqualified { .. } => 1,
        Standing::Void { .. } => 2,
        Standing::NotReady { .. } => 3,
    };
    let of = |name: &String| fight.rounds.iter().filter(|r| r.contender == *name).min_by_key(|r| rank(r));
    fight.contenders.iter().filter_map(|contender| of(&contender.name)).collect()
}

/// All rounds of which there is anything to draw.
fn timeline(
    fight: &JudgedFight,
    series: &[RoundSeries],
    representatives: &[&JudgedRound],
) -> Option<Timeline> {
    let round = |series: &RoundSeries| {
        let round = fight.rounds.iter().find(|round| round.judgement.number == series.number)?;
        Some(TimelineRound {
            contender: fight.contenders.iter().position(|c| c.name == round.contender).unwrap_or(0),
            standing: standing(&round.judgement.standing),
            series: series.clone(),
        })
    };
    let rounds: Vec<_> = series.iter().filter(|series| !series.is_empty()).filter_map(round).collect();
    (!rounds.is_empty()).then(|| Timeline {
        contenders: fight.contenders.iter().map(|contender| contender.name.clone()).collect(),
        shown: drawn_at_first(fight, representatives),
        rounds,
    })
}

/// By contender: the number of the round that is drawn at first. Where two are compared these two are, else the first two:
/// more would be a tangle, and the others can be chosen.
fn drawn_at_first(fight: &JudgedFight, representatives: &[&JudgedRound]) -> Vec<Option<u32>> {
    const AT_ONCE: usize = 2;
    let compared = fight.comparisons.first().map(|c| &c.contenders);
    let mut drawn = 0;
    let number = |contender: &JudgedContender| {
        let round = representatives.iter().find(|round| round.contender == contender.name)?;
        let is_meant = compared.is_none_or(|two| two.contains(&contender.name)) && drawn < AT_ONCE;
        is_meant.then(|| {
            drawn += 1;
            round.judgement.number
        })
    };
    fight.contenders.iter().map(number).collect()
}

/// What the plan was: the same for all, and then each contender's own.
fn terms(fight: &JudgedFight) -> Vec<(Both, Both)> {
    let same = |text: &String| Both::same(text.clone());
    let (challenge, profile) = (&fight.challenge, &fight.profile);
    let plan = Both::each(|lang| {
        let scale = lang.figure(Figure::Plain(fight.scale));
        say!(
            lang,
            "{challenge}, profile {profile}, scale {scale}",
            "{challenge}, perfil {profile}, escala {scale}"
        )
    });
    let limits = |cpus: f64, bytes: u64, lang: Lang| {
        format!("{}, {}", words::cpu_limit(Some(cpus), lang), words::memory_limit(Some(bytes), lang))
    };
    let mut terms = vec![
        (labels::CHALLENGE, plan),
        (labels::SEED, Both::same(fight.seed.clone())),
        (labels::DATA, same(&fight.data_sha256)),
        (labels::BUDGET, Both::each(|lang| limits(fight.budget.cpus, fight.budget.memory_bytes, lang))),
    ];
    let floor = fight.noise_floor.iter();
    terms
        .extend(floor.map(|floor| (labels::NOISE_FLOOR, Both::each(|lang| words::noise_floor(floor, lang)))));
    for contender in &fight.contenders {
        let services = Both::each(|lang| {
            let each = contender.services.iter();
            let each = each.map(|s| format!("{} {}", s.name, limits(s.cpus, s.memory_bytes, lang)));
            each.collect::<Vec<_>>().join("; ")
        });
        let name = &contender.name;
        terms.push((same(name), services));
        terms.push((Both::same(format!("{name} (SHA-256)")), same(&contender.file_sha256)));
    }
    terms
}
fn section(id: &'static str, name: Both, emphasis: Emphasis, blocks: Vec<Block>) -> Section {
    Section { id: id.into(), name, emphasis, blocks }
}

/// Whether a round counts, in a word.
const fn standing(standing: &Standing) -> Both {
    match standing {
        Standing::Valid => labels::VALID,
        Standing::Disqualified { .. } => labels::DISQUALIFIED,
        Standing::Void { .. } => labels::VOID,
        Standing::NotReady { .. } => labels::NOT_READY,
    }
}
