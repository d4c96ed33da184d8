//! One round in words and shares.

use galo_judge::fight::JudgedRound;
use galo_judge::{ContestScore, Kind};
use galo_words::nouns::ENGINE_THREAD;
use galo_words::{Both, Figure, Lang, say};

use crate::digits::share;
use crate::document::{Bar, Part};
use crate::words::labels;

/// Response times in the classes of the challenge, as shares of all operations.
pub(super) fn classes(round: &JudgedRound) -> Bar {
    let intended = round.judgement.ledger.intended;
    let share = |n: u64| if intended == 0 { 0.0 } else { n as f64 / intended as f64 };
    let parts = classes_of(round).into_iter().map(|(class, name, n)| Part {
        class,
        name,
        share: share(n),
        told: Both::figure(Figure::Share(share(n))),
    });
    Bar { name: name(round), parts: parts.collect(), in_terminal: true }
}

/// Style class, name and number of operations of each class, and of what was not right.
pub(super) fn classes_of(round: &JudgedRound) -> Vec<(&'static str, Both, u64)> {
    let last = round.classes.len().saturating_sub(1);
    let classes = round.classes.iter().enumerate().map(|(index, class)| {
        let style = match index {
            _ if index == last => "slow",
            0 => "k0",
            _ => "k1",
        };
        (style, class_name(class.above_ms, class.up_to_ms), class.count)
    });
    let not_right = round.judgement.ledger.intended.saturating_sub(round.judgement.ledger.ok);
    classes.chain([("bad", labels::NOT_RIGHT, not_right)]).collect()
}

/// Whose round, and which.
fn name(round: &JudgedRound) -> Both {
    let (name, number) = (&round.contender, round.judgement.number);
    Both::new(format!("{name}, round {number}"), format!("{name}, rodada {number}"))
}

/// A class of the distribution in words.
fn class_name(above_ms: f64, up_to_ms: Option<f64>) -> Both {
    let whole = |ms: f64, lang: Lang| lang.figure(Figure::Number(ms, 0));
    Both::each(|lang| {
        let above = whole(above_ms, lang);
        match up_to_ms.map(|ms| whole(ms, lang)) {
            Some(bound) if above_ms == 0.0 => say!(lang, "up to {bound} ms", "até {bound} ms"),
            Some(bound) => say!(lang, "{above} to {bound} ms", "{above} a {bound} ms"),
            None => say!(lang, "above {above} ms", "acima de {above} ms"),
        }
    })
}

/// What was stored, and galo's own part, where a round is told by itself.
pub(super) fn sentences(round: &JudgedRound) -> Vec<Both> {
    let stored = creations(round, Lang::En).zip(creations(round, Lang::Pt));
    let stored = stored.map(|(en, pt)| Both::new(en, pt));
    let score = round.judgement.score.as_ref().map(own_score);
    stored.into_iter().chain(score).chain([Both::each(|lang| engine(round, lang))]).collect()
}

/// What the contest would have paid.
pub(super) fn money(score: &ContestScore) -> Both {
    Both::each(|lang| format!("{} {}", lang.decimals(score.left, 2), score.unit))
}

/// The contest's own score, and what it is made of.
fn own_score(score: &ContestScore) -> Both {
    let money = money(score);
    Both::each(|lang| {
        let money = money.get(lang);
        let share = lang.figure(Figure::Share(share(score.in_time, score.requests)));
        let found = lang.whole(score.inconsistencies);
        say!(
            lang,
            "the contest's own score: {money} ({share} of the answers in its time, {found} found wrong by its own looks)",
            "a pontuação da própria rinha: {money} ({share} das respostas no tempo dela, {found} erradas pelo que ela olha)"
        )
    })
}

/// Created, ceiling and count in one sentence; `None` where the challenge creates nothing, and has no count.
fn creations(round: &JudgedRound, lang: Lang) -> Option<String> {
    let settled = round.judgement.settled_after_s.map_or_else(String::new, |s| {
        let after = lang.figure(Figure::Seconds(s));
        say!(lang, " {after} after the load", " {after} depois da carga")
    });
    let counted = round.judgement.counted.map(|counted| lang.whole(counted));
    if !round.creates() {
        let counted = counted?;
        return Some(say!(
            lang,
            "counted {counted} at rest{settled}",
            "contados {counted} em repouso{settled}"
        ));
    }
    let is_asked = round.judgement.findings.iter().any(|finding| {
        matches!(finding.fact.kind(), Kind::CountUnreadable | Kind::CountUnanswered | Kind::CountUnjudged)
    });
    let unread = || lang.pick("nothing readable", "nada que se pudesse ler").to_owned();
    let counted = counted.or_else(|| is_asked.then(unread)).map_or_else(String::new, |counted| {
        say!(lang, "; counted {counted} at rest{settled}", "; contadas {counted} em repouso{settled}")
    });
    let [low, high] =
        [round.judgement.ceiling.min, round.judgement.ceiling.max].map(|bound| lang.whole(bound));
    let ceiling = if low == high { high } else { say!(lang, "{low} to {high}", "{low} a {high}") };
    let unknown = match round.judgement.unknown {
        0 => String::new(),
        unknown => {
            let unknown = lang.whole(unknown);
            say!(
                lang,
                " (and up to {unknown} of unknown effect)",
                " (e até {unknown} de efeito desconhecido)"
            )
        }
    };
    let [created, probes] =
        [round.judgement.created, round.judgement.probes].map(|number| lang.whole(number));
    Some(say!(
        lang,
        "created {created} of {ceiling} possible, and {probes} by probes{unknown}{counted}",
        "criadas {created} de {ceiling} possíveis, e {probes} pelas sondas{unknown}{counted}"
    ))
}

/// galo's own part in one sentence.
fn engine(JudgedRound { engine, galo_cpu_ns, .. }: &JudgedRound, lang: Lang) -> String {
    let seconds = |ns: u64| lang.figure(Figure::seconds_of(ns));
    let [p50, p99, most] =
        [engine.lag_us_p50, engine.lag_us_p99, engine.lag_us_max].map(|us| lang.figure(Figure::Ms(us)));
    let process = galo_cpu_ns.map_or_else(String::new, |ns| {
        let all = seconds(ns);
        say!(lang, ", {all} with all else", ", {all} com todo o resto")
    });
    let cpu = seconds(engine.cpu_ns);
    let threads = lang.counted(engine.threads.into(), ENGINE_THREAD);
    let connections = lang.whole(engine.connections);
    say!(
        lang,
        "galo: lag p50 {p50}, p99 {p99}, most {most}; {cpu} of CPU on {threads}{process}; {connections} connections",
        "galo: atraso p50 {p50}, p99 {p99}, máximo {most}; {cpu} de CPU em {threads}{process}; {connections} conexões"
    )
}
