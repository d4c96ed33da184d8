//! A duel's verdict in one sentence, and what else should be known before it is repeated: each lower case where a name does
//! not begin it, and without a full stop.

use galo_judge::Measure;
use galo_judge::duel::{Compared, DuelVerdict, JudgedDuel};
use galo_judge::verdict::{Difference, is_inconclusive};
use galo_record::RunEnd;

use galo_words::nouns::{CONNECTION, MORE_PAIR, OPERATION, PAIR, SAMPLE};
use galo_words::{Both, Figure, Lang, say};

use super::labels;
use super::ratio::{factor, percent_above, ratio_in_words, ratio_of, times};
use super::verdict::broken;

/// The verdict.
pub(crate) fn duel_verdict(duel: &JudgedDuel, lang: Lang) -> String {
    let names = names(duel);
    let [first, second] = names;
    match &duel.verdict {
        DuelVerdict::Void { reason: Some(reason), side } => {
            let reason = reason.of_load(lang);
            let who = side.map_or_else(String::new, |side| format!("{}: ", names[side]));
            say!(lang, "void: {who}{reason}", "nulo: {who}{reason}")
        }
        DuelVerdict::Disqualified { sides, rules } => {
            let out: Vec<String> = sides.iter().map(|&side| names[side].to_owned()).collect();
            let (is, foi) = match out.len() {
                1 => ("is", "foi desclassificado"),
                _ => ("are", "foram desclassificados"),
            };
            let (who, rules) = (lang.listed(&out), broken(rules, &[], lang));
            say!(
                lang,
                "nobody wins: {who} {is} disqualified ({rules})",
                "ninguém vence: {who} {foi} ({rules})"
            )
        }
        DuelVerdict::Void { reason: None, .. } => {
            lang.pick("void: no turn was driven to its end", "nulo: nenhum turno foi até o fim").to_owned()
        }
        DuelVerdict::TooFewPairs { pairs, needed } => {
            let pairs = lang.counted(*pairs as u64, PAIR);
            let mut text = say!(
                lang,
                "too short: {pairs}, {needed} are needed",
                "curto demais: {pairs}, são precisos {needed}"
            );
            if duel.end == RunEnd::Done {
                text += lang.pick("; give it more time, such as --for 2m", "; dê mais tempo, como --for 2m");
            }
            text
        }
        DuelVerdict::DifferentStatuses => say!(
            lang,
            "{first} and {second} answer the same request by different statuses: nothing to compare",
            "{first} e {second} respondem à mesma requisição com status diferentes: nada a comparar"
        ),
        DuelVerdict::Fails { sides } => {
            let failing: Vec<String> = sides.iter().map(|&side| names[side].to_owned()).collect();
            let (does, responde) =
                if failing.len() == 1 { ("does", "não responde") } else { ("do", "não respondem") };
            let who = lang.listed(&failing);
            say!(
                lang,
                "nobody wins: {who} {does} not answer rightly",
                "ninguém vence: {who} {responde} corretamente"
            )
        }
        DuelVerdict::Better { winner } => {
            let it = lang.pick("it", "ele");
            let claims: Vec<String> = claims(duel).filter_map(|c| claim(c, it, names, lang)).collect();
            let (winner, claims) = (names[*winner], claims.join(", "));
            let equal =
                if duel.is_limited() { lang.pick(" under equal limits", " sob limites iguais") } else { "" };
            say!(lang, "{winner} is better{equal}: {claims}", "{winner} é melhor{equal}: {claims}")
        }
        DuelVerdict::Mixed => {
            let favoured = |c: &Compared| names[usize::from(c.ratios.difference == Difference::Better)];
            let claims: Vec<String> =
                claims(duel).filter_map(|c| claim(c, favoured(c), names, lang)).collect();
            let claims = claims.join("; ");
            say!(lang, "each is better in its own way: {claims}", "cada um é melhor a seu modo: {claims}")
        }
        DuelVerdict::NoDifference | DuelVerdict::Inconclusive => no_difference(duel, lang),
    }
}

/// How far apart two sides are known to be while a duel goes on, by each figure that decides, and what would tell more. `of`: whose
/// figure is divided by whose. `None`: nothing is known yet.
pub fn so_far(compared: &[Compared], of: [&str; 2]) -> Option<Both> {
    let deciding = || compared.iter().filter(|compared| compared.decides);
    let known = || deciding().filter_map(|c| Some((c, c.ratios.ratio?, c.ratios.interval?)));
    known().next()?;
    let surest = deciding().filter_map(|c| Some((c, c.ratios.sensitivity?)));
    let surest = surest
        .filter(|(c, told)| told.pairs_needed > Some(c.ratios.pairs))
        .min_by_key(|(_, told)| told.pairs_needed);
    let is_decided = deciding().any(Compared::differs);
    Some(Both::each(|lang| {
        let ratio_of = ratio_of(of);
        let figure = |(compared, ratio, interval): (&Compared, f64, [f64; 2])| {
            let label = labels::duel_measure(compared.measure);
            format!("{} {}", label.get(lang), ratio_in_words(ratio, Some(interval)).get(lang))
        };
        let figures: Vec<String> = known().map(figure).collect();
        let mut text = format!("{ratio_of}: {}", figures.join(", "));
        if let Some((compared, told)) = surest.filter(|_| !is_decided) {
            let more = told.pairs_needed.map_or(0, |needed| needed - compared.ratios.pairs) as u64;
            let (more, percent) =
                (lang.counted(more, MORE_PAIR), lang.figure(Figure::Plain(told.detect_percent)));
            text += &say!(lang, "; {percent} % takes {more}", "; {percent} % exige {more}");
        }
        text
    }))
}

/// That a side went on while it was to stand still.
pub(crate) fn restless(duel: &JudgedDuel) -> Option<Both> {
    let (names, slices) = (names(duel), duel.sliced.filter(|sliced| sliced.gave_way_to_turns)?.restless);
    let side = (0..2).max_by_key(|&side| slices[side]).filter(|&side| slices[side] > 0)?;
    let (name, slices) = (names[side], slices[side]);
    Some(Both::new(
        format!(
            "{name} could not be made to stand still after its slices ({slices} times), so the other one's figures hold what it \
             did meanwhile; whole turns were driven from then on"
        ),
        format!(
            "{name} não pôde ser parado depois de suas fatias ({slices} vezes): os números do outro contêm o que ele fez nesse \
             tempo; daí em diante foram conduzidos turnos inteiros"
        ),
    ))
}

/// That a side was asked for less than the rate, as its answers take long.
fn drained(duel: &JudgedDuel) -> impl Iterator<Item = Both> {
    let sides = duel.sliced.map_or_else(Vec::new, |sliced| sliced.drained());
    sides.into_iter().map(|(side, share)| asked_for_less(names(duel)[side], share))
}

fn asked_for_less(name: &str, share: f64) -> Both {
    Both::each(|lang| {
        let percent = lang.whole((share * 100.0).round() as u64);
        say!(
            lang,
            "{name} was asked for less than the rate: after its slices it took another {percent} % of their time to end what was under \
             way, in which nobody arrived; --turns 3s asks for all of it",
            "{name} recebeu menos que a taxa: depois de suas fatias precisou de mais {percent} % do tempo delas para terminar o que \
             estava em curso, e nisso ninguém chegava; --turns 3s pede toda ela"
        )
    })
}

/// How turns were cut into slices.
fn sliced(duel: &JudgedDuel) -> Option<Both> {
    let sliced = duel.sliced?;
    let length_ms = sliced.length_ns / 1_000_000;
    let own = duel.sides.iter().filter(|side| side.command.is_some()).count();
    let under_way: u64 = sliced.under_way.iter().sum();
    Some(Both::each(|lang| {
        let length = lang.whole(length_ms);
        let mut text = say!(
            lang,
            "driven by turns in slices of {length} ms each",
            "conduzidos alternadamente em fatias de {length} ms"
        );
        if own < 2 {
            text += lang.pick(
                ", in which the other one went on, since galo cannot freeze it",
                ", nas quais o outro continuava, pois o galo não pode congelá-lo",
            );
        }
        if under_way > 0 {
            let operations = lang.counted(under_way, OPERATION);
            text += &say!(
                lang,
                "; {operations} had not ended at the end of one and went on in the next",
                "; {operations} não tinham terminado ao fim de uma e continuaram na seguinte"
            );
        }
        text
    }))
}

/// That connections to a side had to be asked for again.
fn connects_again(duel: &JudgedDuel) -> impl Iterator<Item = Both> {
    let seen = [0, 1].map(|side| (names(duel)[side], duel.connects_again(side)));
    seen.into_iter().filter(|(_, (again, _))| *again > 0).map(|(name, (again, all))| {
        Both::each(|lang| {
            let (again, all) = (lang.whole(again), lang.counted(all, CONNECTION));
            say!(
                lang,
                "{again} of {all} to {name} took a second or more to open, as when a server's listen queue is full: make it longer (its \
                 backlog)",
                "{again} de {all} com {name} levaram um segundo ou mais para abrir, como quando a fila de conexões de um servidor está \
                 cheia: aumente-a (o backlog)"
            )
        })
    })
}

/// What is told beside it.
pub(crate) fn duel_notes(duel: &JudgedDuel) -> Vec<Both> {
    let (names, equal, compared) = (names(duel), duel.answers.equal, duel.answers.compared);
    let memory = duel.compared.iter().find(|c| c.measure == Measure::AnonymousPeakBytes);
    let memory = memory.and_then(|compared| compared.ratios.ratio).map(|ratio| {
        Both::each(|lang| {
            let ([first, second], times) = (names, factor(ratio, lang));
            say!(
                lang,
                "{second} takes {times} times {first}'s memory",
                "{second} ocupa {times} vezes a memória de {first}"
            )
        })
    });
    let answers = (compared > 0 && equal == compared).then(|| {
        Both::each(|lang| {
            let equal = lang.whole(equal);
            let compared = lang.counted(compared, SAMPLE);
            say!(
                lang,
                "answers are equal in {equal} of {compared}",
                "as respostas são iguais em {equal} de {compared}"
            )
        })
    });
    let how = sliced(duel).into_iter().chain(drained(duel)).chain(connects_again(duel));
    memory.into_iter().chain(answers).chain(how).collect()
}

/// That the two do not answer the same, where they do not: it comes before everything else that is told of them.
pub(crate) fn answers_differ(duel: &JudgedDuel) -> Option<Both> {
    let ([first, second], equal, compared) = (names(duel), duel.answers.equal, duel.answers.compared);
    (equal < compared).then(|| {
        Both::each(|lang| {
            let (equal_told, samples) = (lang.whole(equal), lang.counted(compared, SAMPLE));
            match 2 * equal < compared {
                true => say!(
                    lang,
                    "{first} and {second} do not answer the same: equal in {equal_told} of {samples}; the figures below \
                     compare different work",
                    "{first} e {second} não respondem o mesmo: iguais em {equal_told} de {samples}; os números abaixo \
                     comparam trabalhos diferentes"
                ),
                false => say!(
                    lang,
                    "{first} and {second} do not always answer the same: equal in {equal_told} of {samples}; the figures \
                     below may compare different work",
                    "{first} e {second} nem sempre respondem o mesmo: iguais em {equal_told} de {samples}; os números \
                     abaixo podem comparar trabalhos diferentes"
                ),
            }
        })
    })
}

/// Figures that decide and tell the two apart.
fn claims(duel: &JudgedDuel) -> impl Iterator<Item = &Compared> {
    duel.compared.iter().filter(|c| c.decides && c.differs())
}

fn names(duel: &JudgedDuel) -> [&str; 2] {
    duel.sides.each_ref().map(|side| side.name.as_str())
}

/// What one figure says of the side that it favours, who is called `winner` here.
fn claim(compared: &Compared, winner: &str, names: [&str; 2], lang: Lang) -> Option<String> {
    let (ratio, [low, high]) = (compared.ratios.ratio?, compared.ratios.interval?);
    let side = usize::from(compared.ratios.difference == Difference::Better);
    let loser = names[1 - side];
    let as_is = times(ratio, [low, high], lang);
    let inverse = times(1.0 / ratio, [1.0 / high, 1.0 / low], lang);
    // Seen from the winner; as fast as means the other way round for a time.
    let (of_winner, of_loser) = if side == 1 { (as_is, inverse) } else { (inverse, as_is) };
    Some(match compared.measure {
        Measure::AnswersPerS => say!(
            lang,
            "{winner} gives {of_winner} {loser}'s answers per second",
            "{winner} dá {of_winner} as respostas por segundo de {loser}"
        ),
        Measure::CpuMsPer1000 => say!(
            lang,
            "{winner} needs {of_winner} {loser}'s CPU for each answer",
            "{winner} precisa de {of_winner} a CPU de {loser} por resposta"
        ),
        Measure::AnonymousPeakBytes => say!(
            lang,
            "{winner} takes {of_winner} {loser}'s memory",
            "{winner} ocupa {of_winner} a memória de {loser}"
        ),
        latency => {
            let label = labels::duel_measure(latency);
            let label = label.get(lang);
            say!(
                lang,
                "{winner} is {of_loser} as fast as {loser} at {label}",
                "{winner} é {of_loser} tão rápido quanto {loser} em {label}"
            )
        }
    })
}

fn no_difference(duel: &JudgedDuel, lang: Lang) -> String {
    let [first, second] = names(duel);
    let deciding =
        || duel.compared.iter().filter(|c| c.decides && c.ratios.difference == Difference::NoDifference);
    let bounds = |wanted: bool| {
        let is_wanted = move |(_, factor): &(&Compared, f64)| is_inconclusive(*factor) == wanted;
        let known = deciding().filter_map(|c| Some((c, c.may_differ_by()?))).filter(is_wanted);
        known.map(|(c, factor)| (labels::duel_measure(c.measure), percent_above(factor, lang)))
    };
    let known: Vec<String> = bounds(false)
        .map(|(label, bound)| {
            let label = label.get(lang);
            say!(lang, "above {bound} in {label}", "acima de {bound} em {label}")
        })
        .collect();
    let unknown: Vec<String> = bounds(true)
        .map(|(label, bound)| {
            let label = label.get(lang);
            say!(lang, "{label} may differ by up to {bound}", "{label} pode diferir em até {bound}")
        })
        .collect();
    let unknown = lang.listed(&unknown);
    let mut text = match duel.verdict {
        DuelVerdict::Inconclusive => say!(
            lang,
            "inconclusive between {first} and {second}: {unknown}",
            "inconclusivo entre {first} e {second}: {unknown}"
        ),
        _ => {
            say!(lang, "no difference between {first} and {second}", "sem diferença entre {first} e {second}")
        }
    };
    if !known.is_empty() {
        text += &format!(" {}", lang.listed(&known));
        if !unknown.is_empty() {
            text += &say!(lang, "; inconclusive: {unknown}", "; inconclusivo: {unknown}");
        }
    }
    if let Some(Compared { measure, ratios, .. }) = deciding().next()
        && let Some(told) = ratios.sensitivity
        && let Some(needed) = told.pairs_needed.filter(|needed| *needed > ratios.pairs)
    {
        let more = (needed - ratios.pairs) as u64;
        let resolve = if more == 1 { "resolveria" } else { "resolveriam" };
        let (more, percent) =
            (lang.counted(more, MORE_PAIR), lang.figure(Figure::Plain(told.detect_percent)));
        let label = labels::duel_measure(*measure);
        let label = label.get(lang);
        text += &say!(
            lang,
            "; {more} would settle {percent} % in {label}",
            "; {more} {resolve} {percent} % em {label}"
        );
    }
    text
}
