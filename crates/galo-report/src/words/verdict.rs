//! The verdict of a fight in one sentence: lower case, without a full stop, one line.

use std::borrow::Cow;

use galo_judge::fight::JudgedFight;
use galo_judge::findings::{Finding, Near, Stress, void_sentence};
use galo_judge::terms::LimitsNote;
use galo_judge::verdict::{ALPHA_SECONDARY, VoidRound, is_inconclusive};
use galo_judge::{Comparison, Difference, Kind, MIN_PAIRS, Measure, Nearest, Raised, Verdict, stats};
use galo_words::nouns::{MORE_PAIR, PAIR, RULE, VOID_ROUND};
use galo_words::{Both, Figure, Lang, say};

use super::labels;
use super::ratio::{factor, percent_above, times};

/// How many broken rules a Portuguese headline has room for.
const RULES_SHOWN: usize = 2;

/// What a verdict is told with.
pub(super) struct Fight<'a> {
    /// Who fought, by name.
    pub(super) contenders: Vec<&'a str>,
    /// Whether one round was planned, of which there is nothing to compare.
    pub(super) is_one_round: bool,
    /// Whether it is of a server that galo did not start.
    pub(super) runs_already: bool,
    /// What was found in its rounds.
    pub(super) findings: Vec<&'a Finding>,
    pub(super) noise_floor: Option<f64>,
    /// Those that it was made of, before they are rounded.
    pub(super) comparisons: &'a [Comparison],
}

impl<'a> Fight<'a> {
    fn of(fight: &'a JudgedFight) -> Self {
        Self {
            contenders: fight.contenders.iter().map(|contender| contender.name.as_str()).collect(),
            is_one_round: fight.planned == 1,
            runs_already: fight.limits_note == Some(LimitsNote::StartedByOthers),
            findings: fight.rounds.iter().flat_map(|round| &round.judgement.findings).collect(),
            noise_floor: fight.noise_floor.as_ref().map(|floor| floor.ratio),
            comparisons: &fight.comparisons,
        }
    }
}

/// The outcome of a fight in one sentence.
pub(crate) fn fight_verdict(fight: &JudgedFight) -> Both {
    let told = Fight::of(fight);
    Both::each(|lang| verdict(&fight.verdict, &told, lang))
}

/// Words a verdict.
pub(super) fn verdict(verdict: &Verdict, fight: &Fight<'_>, lang: Lang) -> String {
    let comparisons = fight.comparisons;
    match verdict {
        Verdict::Void { round: None } => {
            lang.pick("void: no round was driven", "nula: nenhuma rodada foi feita").to_owned()
        }
        Verdict::Void { round: Some(round) } => void(round, lang),
        Verdict::Disqualified { contenders, rules, left } => {
            let (who, rules) = (lang.listed(contenders), broken(rules, &fight.findings, lang));
            let (is, foi) = match contenders.len() {
                1 => ("is", "foi desclassificado"),
                _ => ("are", "foram desclassificados"),
            };
            let why = say!(lang, "{who} {is} disqualified ({rules})", "{who} {foi} ({rules})");
            without(fight, contenders, left.as_deref(), &why, lang.pick("wins", "vence"), lang)
        }
        Verdict::NotReady { contenders, left } => {
            let who = lang.listed(contenders);
            let (does, faz) = match (fight.runs_already, contenders.len()) {
                (true, _) => ("never answered as it should", "nunca respondeu como deveria"),
                (false, 1) => ("did not start", "não iniciou"),
                (false, _) => ("did not start", "não iniciaram"),
            };
            let why = say!(lang, "{who} {does}", "{who} {faz}");
            let does = lang.pick("is left alone", "ficou só");
            without(fight, contenders, left.as_deref(), &why, does, lang)
        }
        Verdict::VoidTooOften { contender, void, rounds } => {
            let why = void_too_often(contender, *void, *rounds, lang);
            say!(lang, "nobody wins: {why}", "ninguém vence: {why}")
        }
        Verdict::Alone { contender } if fight.is_one_round => {
            say!(
                lang,
                "{contender} keeps every rule that was tried",
                "{contender} cumpre todas as regras testadas"
            )
        }
        Verdict::Alone { contender } => {
            say!(
                lang,
                "{contender} fought alone: nothing to compare",
                "{contender} lutou só: nada a comparar"
            )
        }
        Verdict::NeitherWasStressed { nearest, raised } => {
            neither_was_stressed(nearest, raised.as_ref(), lang)
        }
        Verdict::TooFewRounds { pairs, needed } => {
            let (pairs, more) = (lang.counted(*pairs as u64, PAIR), foresight(comparisons, lang));
            say!(
                lang,
                "too few rounds: {pairs}, {needed} are needed (--rounds {needed}){more}",
                "rodadas insuficientes: {pairs}, são precisos {needed} (--rounds {needed}){more}"
            )
        }
        Verdict::NoDifference => no_difference(fight, lang),
        Verdict::Better { winner, loser, measure, ratio, interval } => {
            let claim = compared(None, *measure, *ratio, *interval, loser, lang);
            say!(lang, "{winner} is better than {loser}: {claim}", "{winner} é melhor que {loser}: {claim}")
        }
    }
}

fn void(VoidRound { number, contender, reasons, others }: &VoidRound, lang: Lang) -> String {
    let reason = one_line(&void_sentence(reasons, lang));
    let others = match *others {
        0 => String::new(),
        more => {
            let more = lang.counted(more as u64, VOID_ROUND);
            say!(lang, " (and {more})", " (e {more})")
        }
    };
    say!(
        lang,
        "void: round {number} of `{contender}`: {reason}{others}",
        "nula: rodada {number} de `{contender}`: {reason}{others}"
    )
}

/// Broken rules: by name in English; in Portuguese by what they are called, as many as there is room for.
pub(super) fn broken(rules: &[String], found: &[&Finding], lang: Lang) -> String {
    if lang == Lang::En {
        return rules.join(", ");
    }
    let told = rules.iter().take(RULES_SHOWN);
    let told = told.map(|rule| headline_pt(rule, found));
    let told = told.collect::<Vec<_>>().join("; ");
    match rules.len().saturating_sub(RULES_SHOWN) {
        0 => told,
        more => format!("{told}; e mais {}", lang.counted(more as u64, RULE)),
    }
}

/// What the breach of a rule is called; its name where there are no words for it.
fn headline_pt(rule: &str, found: &[&Finding]) -> Cow<'static, str> {
    let of_challenge = || found.iter().find(|finding| finding.name() == rule)?.fact.headline();
    let known = Kind::named(rule).map(|kind| kind.about().headline).or_else(of_challenge);
    known.map_or_else(|| rule.to_owned().into(), |headline| headline.pt)
}

/// The sentence of a fight in which fewer than two could be ranked.
fn without(
    fight: &Fight<'_>,
    out: &[String],
    left: Option<&str>,
    why: &str,
    does: &str,
    lang: Lang,
) -> String {
    if let Some(left) = left {
        return format!("{left} {does}: {why}");
    }
    let is_out = |name: &&&str| out.iter().any(|out| out == **name);
    let others: Vec<String> =
        fight.contenders.iter().filter(|name| !is_out(name)).map(|name| (*name).to_owned()).collect();
    let who = lang.listed(&others);
    let teve = if others.len() == 1 { "teve" } else { "tiveram" };
    match others.len() {
        0 if out.len() < 2 => why.to_owned(),
        0 => say!(lang, "nobody is left: {why}", "não sobrou ninguém: {why}"),
        _ => say!(
            lang,
            "nobody is left: {why}, and {who} had no valid round",
            "não sobrou ninguém: {why}, e {who} não {teve} rodada válida"
        ),
    }
}

/// That somebody's void rounds are no chance; first its own, then those of all others.
pub(crate) fn void_too_often(name: &str, void: [u64; 2], rounds: [u64; 2], lang: Lang) -> String {
    let ([void, void_else], [rounds, rounds_else]) =
        (void.map(|n| lang.whole(n)), rounds.map(|n| lang.whole(n)));
    say!(
        lang,
        "void rounds of {name} are {void} of {rounds}, of all others {void_else} of {rounds_else}, which is no chance",
        "as rodadas nulas de {name} são {void} de {rounds}, e de todos os outros {void_else} de {rounds_else}, o que não é acaso"
    )
}

/// How near they came, and what would do. A limit of CPU that was seen and no scale: galo cannot drive more.
fn neither_was_stressed(nearest: &[Nearest], raised: Option<&Raised>, lang: Lang) -> String {
    let each = nearest
        .iter()
        .map(|Nearest { contender, used: most }| format!("{contender} {}", most.sentence(lang)));
    let most = match each.collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => none,
        most => say!(lang, "; the most that was used: {most}", "; o máximo usado: {most}"),
    };
    let is_cpu = |of: &Nearest| matches!(&of.used.of, Stress::Service { near, .. } if matches!(near[..], [Near::Cpu { .. }]));
    let advice = match raised {
        Some(raised) => format!("--scale {}", raised.scale),
        None if nearest.iter().any(is_cpu) => {
            lang.pick("galo can hardly drive more here", "aqui o galo mal consegue mais carga").to_owned()
        }
        None => lang.pick("raise --scale", "aumente --scale").to_owned(),
    };
    say!(
        lang,
        "neither was stressed: no round came near a limit, and a light load ties everybody ({advice}){most}",
        "nenhum foi exigido: nenhuma rodada chegou perto de um limite, e com carga leve todos empatam ({advice}){most}"
    )
}

fn no_difference(fight: &Fight<'_>, lang: Lang) -> String {
    let comparisons = fight.comparisons;
    let mut text = lang.pick("no difference", "sem diferença").to_owned();
    let Some((primary, ratio, [low, high])) = comparisons.iter().find_map(|c| {
        c.primary.then_some(())?;
        Some((c, c.ratios.ratio?, c.ratios.interval?))
    }) else {
        return text;
    };
    let [first, second] = &primary.contenders;
    // Where the correct answers took the win away, p99 may well differ.
    if primary.ratios.difference == Difference::NoDifference {
        let factor = high.max(1.0 / low);
        let bound = percent_above(factor, lang);
        text = match is_inconclusive(factor) {
            true => say!(
                lang,
                "inconclusive: the difference may be up to {bound}",
                "inconclusivo: a diferença pode ser de até {bound}"
            ),
            false => say!(lang, "{text} above {bound}", "{text} acima de {bound}"),
        };
    }
    let claim = compared(Some(first), primary.measure, ratio, [low, high], second, lang);
    text += &format!(": {claim}");
    if let Some(floor) = fight.noise_floor
        && (1.0 / floor..=floor).contains(&ratio)
        && (low > 1.0 || high < 1.0)
    {
        let floor = factor(floor, lang);
        text += &say!(lang, ", within the noise floor of {floor}", ", dentro do piso de ruído de {floor}");
    }
    let cpu = comparisons.iter().find(|c| c.measure == Measure::CpuMsPer1000);
    if cpu.is_some_and(|c| c.ratios.difference == Difference::TooFewRounds && c.ratios.pairs > 0) {
        let needed = stats::pairs_needed(ALPHA_SECONDARY);
        text += &say!(
            lang,
            "; CPU time, which decides between equals within the service level, needs {needed} pairs (--rounds {needed})",
            "; o tempo de CPU, que decide entre iguais dentro do nível de serviço, precisa de {needed} pares (--rounds {needed})"
        );
    }
    text + &foresight(comparisons, lang)
}

/// `p99 of a is 0.62 times (0.58 to 0.67) b's`; `of`: whose, where that is not clear.
fn compared(
    of: Option<&str>,
    measure: Measure,
    ratio: f64,
    interval: [f64; 2],
    other: &str,
    lang: Lang,
) -> String {
    let (label, times) = (labels::in_sentence(measure), times(ratio, interval, lang));
    let label = label.get(lang);
    let of = of.map_or_else(String::new, |of| say!(lang, " of {of}", " de {of}"));
    let is_many = measure == Measure::CorrectWithinServiceLevel;
    let (is, e) = if is_many { ("are", "são") } else { ("is", "é") };
    let o = if is_many { "as" } else { "o" };
    say!(lang, "{label}{of} {is} {times} {other}'s", "{label}{of} {e} {times} {o} de {other}")
}

/// Whether so many pairs would find the difference that the caller wants found, and else how many would. Of a primary
/// measure that differs there is nothing to add.
fn foresight(comparisons: &[Comparison], lang: Lang) -> String {
    let open = |c: &&Comparison| {
        c.primary && matches!(c.ratios.difference, Difference::NoDifference | Difference::TooFewRounds)
    };
    let primary = comparisons.iter().find(open);
    let Some((primary, told)) = primary.and_then(|c| Some((c, c.ratios.sensitivity?))) else {
        return String::new();
    };
    let (percent, label) =
        (lang.figure(Figure::Plain(told.detect_percent)), labels::in_sentence(primary.measure));
    let label = label.get(lang);
    let wanted =
        say!(lang, "a difference of {percent} % in {label}", "uma diferença de {percent} % em {label}");
    match told.pairs_needed {
        // The sentence has named this number already.
        Some(needed) if needed <= MIN_PAIRS && primary.ratios.pairs < MIN_PAIRS => String::new(),
        Some(needed) if needed <= primary.ratios.pairs => {
            say!(lang, "; so many pairs find {wanted}", "; tantos pares encontram {wanted}")
        }
        Some(needed) => {
            let more = lang.counted((needed - primary.ratios.pairs) as u64, MORE_PAIR);
            let one = needed - primary.ratios.pairs == 1;
            let encontra = if one { "encontraria" } else { "encontrariam" };
            say!(
                lang,
                "; {more} would find {wanted} (--rounds {needed})",
                "; {more} {encontra} {wanted} (--rounds {needed})"
            )
        }
        None => say!(
            lang,
            "; no number of rounds up to 1,000 would find {wanted}",
            "; nenhum número de rodadas até 1.000 encontraria {wanted}"
        ),
    }
}

/// A reason may hold lines of a log.
fn one_line(text: &str) -> String {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}
