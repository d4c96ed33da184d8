//! Sentences and names of figures in both languages. The English ones are the judge's; each Portuguese one stands for the
//! same outcome, and a new outcome does not compile before it has one.

use galo_judge::duel::{Compared, DuelVerdict, Figure};
use galo_judge::{Comparison, Difference, MIN_PAIRS, Measure, Standing, Verdict, factor, percent_above};
use galo_record::duel::Level;

use super::{
    ANONYMOUS_PEAK, ANSWERS_PER_S, Both, CPU_PER_1000, CPU_PER_ANSWER, ELAPSED, MEMORY, MEMORY_PEAK, P50,
    P99, P999, finding_words, with_decimal_commas,
};
use crate::conformance::ConformanceReport;
use crate::duel::DuelReport;
use crate::report::{FindingReport, Report};
use crate::text::clean;
use crate::words::number;

/// What a measure is called in the score card.
pub(crate) fn measure(measure: Measure, service_level_ms: f64) -> Both {
    match measure {
        Measure::CorrectWithinServiceLevel => {
            let level = Both::figure(number(service_level_ms, 0));
            Both::new(format!("correct within {} ms", level.en), format!("corretas em até {} ms", level.pt))
        }
        Measure::LatencyUsP50 => P50,
        Measure::LatencyUsP99 => P99,
        Measure::LatencyUsP999 => P999,
        Measure::CpuMsPer1000 => CPU_PER_1000,
        Measure::MemoryPeakBytes => MEMORY_PEAK,
        Measure::AnonymousPeakBytes => ANONYMOUS_PEAK,
        Measure::ElapsedS => ELAPSED,
    }
}

/// What a figure of a duel is called.
pub(crate) fn duel_figure(figure: Figure) -> Both {
    match figure {
        Figure::P99 => P99,
        Figure::P50 => P50,
        Figure::Rate => ANSWERS_PER_S,
        Figure::Cpu => CPU_PER_ANSWER,
        Figure::Memory => MEMORY,
    }
}

/// How hard a load of a duel is.
pub(crate) fn level(level: Level) -> Both {
    let pt = match level {
        Level::Asked => "como pedido",
        Level::Half => "metade do que o mais lento alcança",
        Level::Near => "90 % do que o mais lento alcança",
        Level::Highest => "tanto quanto consegue",
    };
    Both::word(level.label(), pt)
}

/// What a measure is called in a sentence.
pub(crate) fn measure_label(measure: Measure) -> Both {
    let pt = match measure {
        Measure::CorrectWithinServiceLevel => "respostas corretas dentro do nível de serviço",
        Measure::LatencyUsP50 => "p50",
        Measure::LatencyUsP99 => "p99",
        Measure::LatencyUsP999 => "p99,9",
        Measure::CpuMsPer1000 => "tempo de CPU por 1.000 respostas corretas",
        Measure::MemoryPeakBytes => "pico de memória",
        Measure::AnonymousPeakBytes => "pico de memória anônima",
        Measure::ElapsedS => "tempo decorrido",
    };
    Both::word(measure.label(), pt)
}

/// The verdict of a fight in one sentence.
pub(crate) fn verdict_sentence(report: &Report) -> Both {
    Both::new(clean(&report.verdict.text), clean(&portuguese(report)))
}

fn portuguese(report: &Report) -> String {
    match &report.verdict.outcome {
        Verdict::Void { reason } => format!("nula: {}", void(report, reason)),
        Verdict::Disqualified { contenders, rules, left } => {
            let was = if contenders.len() == 1 { "foi desclassificado" } else { "foram desclassificados" };
            let why = format!("{} {was} ({})", listed(contenders), broken(rules));
            without(report, contenders, left.as_deref(), &why, "vence")
        }
        Verdict::NotReady { contenders, left } => {
            let did = if contenders.len() == 1 { "não iniciou" } else { "não iniciaram" };
            let why = format!("{} {did}", listed(contenders));
            without(report, contenders, left.as_deref(), &why, "ficou só")
        }
        // Of one round the judge says that every rule was kept.
        Verdict::Alone { contender } if report.verdict.text.contains("keeps every rule") => {
            format!("{contender} cumpre todas as regras testadas")
        }
        Verdict::Alone { contender } => format!("{contender} lutou só: nada a comparar"),
        Verdict::NeitherWasStressed => {
            "nenhum foi exigido: nenhuma rodada chegou perto de um limite, e com carga leve todos empatam (aumente --scale)"
                .to_owned()
        }
        Verdict::TooFewRounds { pairs, needed } => {
            let there = counted(*pairs, "par", "pares");
            format!(
                "rodadas insuficientes: {there}, são precisos {needed} (--rounds {needed}){}",
                foresight(&report.comparisons)
            )
        }
        Verdict::NoDifference => no_difference(report),
        Verdict::Better { winner, loser, measure, ratio, interval } => {
            format!(
                "{winner} é melhor que {loser}: {}",
                compared_as(measure_label(*measure).pt.as_ref(), *measure, *ratio, *interval, loser)
            )
        }
    }
}

/// What made a round void, where its findings tell, before the judge's own reason, which quotes that of the first one.
fn void(report: &Report, reason: &str) -> String {
    let quoted = report.rounds.iter().find_map(|round| match &round.standing {
        Standing::Void { reason: own } if reason.contains(own) => Some((&round.findings, own)),
        _ => None,
    });
    let Some((findings, own)) = quoted else { return reason.to_owned() };
    // A reason may be several, each with a finding of its own.
    let tells = |finding: &&FindingReport| own.split("; ").any(|part| finding.text.contains(part));
    let told: Vec<&str> = findings.iter().filter(tells).filter_map(|f| headline(&f.name)).collect();
    if told.is_empty() { reason.to_owned() } else { format!("{} ({reason})", told.join("; ")) }
}

/// Broken rules in words, as many as a headline has room for.
fn broken(rules: &[String]) -> String {
    const SHOWN: usize = 2;
    let told: Vec<&str> =
        rules.iter().take(SHOWN).map(|rule| headline(rule).unwrap_or(rule.as_str())).collect();
    match rules.len().saturating_sub(SHOWN) {
        0 => told.join("; "),
        more => format!("{}; e mais {}", told.join("; "), counted(more, "regra", "regras")),
    }
}

fn headline(name: &str) -> Option<&'static str> {
    finding_words(name).map(|words| &*words.headline.pt)
}

/// `p99 é 0,62 vezes (0,58 a 0,67) o de b`.
fn compared_as(label: &str, measure: Measure, ratio: f64, [low, high]: [f64; 2], other: &str) -> String {
    let (verb, article) =
        if measure == Measure::CorrectWithinServiceLevel { ("são", "as") } else { ("é", "o") };
    format!("{label} {verb} {} {article} de {other}", times(ratio, [low, high]))
}

/// `0,62 vezes (0,58 a 0,67)`.
fn times(ratio: f64, [low, high]: [f64; 2]) -> String {
    with_decimal_commas(&format!("{} vezes ({} a {})", factor(ratio), factor(low), factor(high)))
}

fn without(report: &Report, out: &[String], left: Option<&str>, why: &str, left_does: &str) -> String {
    if let Some(left) = left {
        return format!("{left} {left_does}: {why}");
    }
    let others: Vec<String> =
        report.contenders.iter().map(|c| c.name.clone()).filter(|n| !out.contains(n)).collect();
    match others.len() {
        0 if out.len() < 2 => why.to_owned(),
        0 => format!("não sobrou ninguém: {why}"),
        1 => format!("não sobrou ninguém: {why}, e {} não teve rodada válida", listed(&others)),
        _ => format!("não sobrou ninguém: {why}, e {} não tiveram rodada válida", listed(&others)),
    }
}

fn no_difference(report: &Report) -> String {
    let mut text = "sem diferença".to_owned();
    let Some((primary, ratio, [low, high])) = report.comparisons.iter().find_map(|c| {
        c.primary.then_some(())?;
        Some((c, c.ratio?, c.interval?))
    }) else {
        return text;
    };
    let [first, second] = &primary.contenders;
    if primary.difference == Difference::NoDifference {
        text += &format!(" acima de {}", with_decimal_commas(&percent_above(high.max(1.0 / low))));
    }
    let label = format!("{} de {first}", measure_label(primary.measure).pt);
    text += &format!(": {}", compared_as(&label, primary.measure, ratio, [low, high], second));
    if let Some(floor) = report.noise_floor.as_ref().map(|f| f.ratio)
        && (1.0 / floor..=floor).contains(&ratio)
        && (low > 1.0 || high < 1.0)
    {
        text += &format!(", dentro do piso de ruído de {}", with_decimal_commas(&factor(floor)));
    }
    text + &foresight(&report.comparisons)
}

/// How many more pairs would find the difference that the caller wants found.
fn foresight(comparisons: &[Comparison]) -> String {
    let primary = comparisons
        .iter()
        .find(|c| c.primary && matches!(c.difference, Difference::NoDifference | Difference::TooFewRounds));
    let Some((primary, told)) = primary.and_then(|c| Some((c, c.sensitivity?))) else {
        return String::new();
    };
    let percent = with_decimal_commas(&told.detect_percent.to_string());
    let wanted = format!("uma diferença de {percent} % em {}", measure_label(primary.measure).pt);
    match told.pairs_needed {
        Some(needed) if needed <= MIN_PAIRS && primary.pairs < MIN_PAIRS => String::new(),
        Some(needed) if needed <= primary.pairs => format!("; tantos pares encontram {wanted}"),
        Some(needed) => {
            let more = counted(needed - primary.pairs, "par", "pares");
            format!("; mais {more} encontrariam {wanted} (--rounds {needed})")
        }
        None => format!("; nenhum número de rodadas até 1.000 encontraria {wanted}"),
    }
}

/// What came of the cases of one round in one sentence.
pub(crate) fn conformance_sentence(contender: &str, round: u32, told: &ConformanceReport) -> Both {
    let en = format!("{contender}, round {round}: {}", told.text);
    let pt = format!("{contender}, rodada {round}: {}", portuguese_conformance(told));
    Both::new(clean(&en), clean(&pt))
}

/// Why some could not be asked is a finding of its own, in the judge's words.
fn portuguese_conformance(told: &ConformanceReport) -> String {
    let cases = counted(told.cases, "caso", "casos");
    let how = match (told.instances.len(), told.direct) {
        (0, _) => return format!("não deu para testar nenhum de {cases}"),
        (1, true) => "na sua instância".to_owned(),
        (1, false) => "na única vez".to_owned(),
        (2, true) => "nas duas instâncias".to_owned(),
        (2, false) => "nas duas vezes".to_owned(),
        (all, true) => format!("em todas as {all} instâncias"),
        (all, false) => format!("em todas as {all} vezes"),
    };
    let missing = match told.missing {
        0 => String::new(),
        some => format!("; {}", counted(some, "não pôde ser testado", "não puderam ser testados")),
    };
    let advice = match told.advice.len() {
        0 => String::new(),
        rules => format!("; conselhos: {}", counted(rules, "regra", "regras")),
    };
    format!("{} de {cases} {how}{missing}{advice}", counted(told.held, "certo", "certos"))
}

/// The verdict of a duel in one sentence.
pub(crate) fn duel_sentence(report: &DuelReport) -> Both {
    Both::new(clean(&report.sentence), clean(&portuguese_duel(report)))
}

fn portuguese_duel(report: &DuelReport) -> String {
    let [first, second] = report.sides.each_ref().map(|side| side.name.as_str());
    let names = [first, second];
    let claims = || {
        let differs = |c: &&Compared| matches!(c.difference, Difference::Better | Difference::Worse);
        report.compared.iter().filter(|c| c.decides).filter(differs)
    };
    match &report.verdict {
        DuelVerdict::Void { reason: Some(reason) } => format!("nulo: {}", reason.of_load()),
        DuelVerdict::Void { reason: None } => "nulo: nenhum turno foi até o fim".to_owned(),
        DuelVerdict::TooFewPairs { pairs, needed } => {
            format!("curto demais: {}, são precisos {needed}", counted(*pairs, "par", "pares"))
        }
        DuelVerdict::DifferentStatuses => {
            format!("{first} e {second} respondem à mesma requisição com status diferentes: nada a comparar")
        }
        DuelVerdict::Fails { sides } => {
            let failing: Vec<String> = sides.iter().map(|&side| names[side].to_owned()).collect();
            let verb = if failing.len() == 1 { "não responde" } else { "não respondem" };
            format!("ninguém vence: {} {verb} corretamente", listed(&failing))
        }
        DuelVerdict::Better { winner } => {
            let told: Vec<String> = claims().filter_map(|c| claim(c, names)).collect();
            let commands = report.sides.iter().all(|side| side.command.is_some());
            let equal = if report.limits_enforced && report.cpus.is_some() && commands {
                " sob limites iguais"
            } else {
                ""
            };
            format!("{} é melhor{equal}: {}", names[*winner], told.join(", "))
        }
        DuelVerdict::Mixed => {
            let told = claims().filter_map(|c| {
                let better = names[usize::from(c.difference == Difference::Worse)];
                Some(format!("{better}: {}", claim(c, names)?))
            });
            format!("cada um é melhor a seu modo: {}", told.collect::<Vec<_>>().join("; "))
        }
        DuelVerdict::NoDifference => {
            let known = report.compared.iter().filter(|c| c.decides).filter_map(|c| {
                let [low, high] = c.interval.filter(|_| c.difference == Difference::NoDifference)?;
                let bound = with_decimal_commas(&percent_above(high.max(1.0 / low)));
                Some(format!("acima de {bound} em {}", duel_figure(c.figure).pt))
            });
            format!("sem diferença entre {first} e {second} {}", listed(&known.collect::<Vec<_>>()))
        }
    }
}

/// What one figure says for the side that it favours.
fn claim(compared: &Compared, names: [&str; 2]) -> Option<String> {
    let (ratio, [low, high]) = (compared.ratio?, compared.interval?);
    let side = usize::from(compared.difference == Difference::Worse);
    let loser = names[1 - side];
    let as_is = times(ratio, [low, high]);
    let inverse = times(1.0 / ratio, [1.0 / high, 1.0 / low]);
    let (of_winner, of_loser) = if side == 0 { (as_is, inverse) } else { (inverse, as_is) };
    Some(match compared.figure {
        Figure::P99 | Figure::P50 => {
            format!("é {of_loser} tão rápido quanto {loser} em {}", duel_figure(compared.figure).pt)
        }
        Figure::Rate => format!("dá {of_winner} as respostas por segundo de {loser}"),
        Figure::Cpu => format!("precisa de {of_winner} a CPU de {loser} por resposta"),
        Figure::Memory => format!("ocupa {of_winner} a memória de {loser}"),
    })
}

fn counted(n: usize, one: &str, many: &str) -> String {
    let many = if n == 1 { one } else { many };
    format!("{} {many}", with_decimal_commas(&number(n as f64, 0)))
}

pub(super) fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} e {last}", most.join(", ")),
    }
}
