//! What a limit comes to, in sentences: what is held, and why not more.

use galo_judge::findings::{CostGrowsWithStored, Fact};
use galo_judge::limit::{HeldUp, Hold, JudgedLimit, LimitedBy};
use galo_record::Ledger;
use galo_words::{Both, Figure, Lang, say};

use super::reason::not_met_words;
use super::scale;
use crate::document::Answer;
use crate::words;

/// All of it in one sentence.
pub(super) fn in_words(limit: &JudgedLimit) -> Both {
    let JudgedLimit { contender, profile, terms, .. } = limit;
    let criterion = &terms.criterion;
    Both::each(|lang| {
        let under = say!(lang, "profile {profile} under {criterion}", "perfil {profile} sob {criterion}");
        let written = |milli| lang.figure(scale(milli));
        let (Some(held), Some(low)) = (limit.scale_milli.map(written), limit.low_milli.map(written)) else {
            let valid = limit.holds.iter().filter(|hold| hold.outcome.valid);
            return match (valid.map(|hold| hold.scale_milli).min().map(written), limit.holds.first()) {
                (Some(lowest), _) => say!(
                    lang,
                    "{contender} holds no scale that was tried, down to {lowest}, of {under}",
                    "{contender} não sustenta nenhuma escala tentada, até {lowest}, do {under}"
                ),
                (None, Some(void)) => {
                    let why = void.outcome.reasons.first();
                    let why = why.map(|reason| format!(": {}", not_met_words(reason, &limit.noun, lang)));
                    let why = why.unwrap_or_default();
                    say!(
                        lang,
                        "nothing is known of {contender}, {under}, since no hold says anything{why}",
                        "nada se sabe de {contender}, {under}, pois nenhum patamar diz algo{why}"
                    )
                }
                (None, None) => say!(
                    lang,
                    "{contender}: no scale was tried of {under}",
                    "{contender}: nenhuma escala foi tentada do {under}"
                ),
            };
        };
        let interval = match limit.high_milli.map(written) {
            Some(high) => say!(lang, "({low} to {high})", "({low} a {high})"),
            None => lang.pick("or more", "ou mais").to_owned(),
        };
        say!(
            lang,
            "{contender} holds scale {held} {interval} of {under}",
            "{contender} sustenta a escala {held} {interval} do {under}"
        )
    })
}

/// What was confirmed, what held it up, and whether it is as much as was to be.
pub(super) fn answers(limit: &JudgedLimit) -> Vec<Answer> {
    let held = Both::figure(Figure::seconds_of(limit.terms.confirm_ns));
    let confirmed = match limit.confirmed {
        true => Both::word("held for ", "sustentada por ").then(&held),
        false => {
            Both::word("NO: no longer hold at it was met", "NÃO: nenhum patamar mais longo foi cumprido")
        }
    };
    let confirmed = answer(Both::word("confirmed", "confirmado"), confirmed, !limit.confirmed);
    let few = limit.standing().and_then(few_right);
    let few = few.map(|few| answer(Both::word("right answers", "respostas corretas"), few, true));
    let at_least = limit.terms.at_least_milli.zip(limit.at_least_met).map(|(least, is_met)| {
        let question = Both::word("at least ", "pelo menos ").then(&Both::figure(scale(least)));
        let met = if is_met { Both::word("met", "cumprido") } else { Both::word("NOT met", "NÃO cumprido") };
        answer(question, met, !is_met)
    });
    let confirmed = limit.scale_milli.map(|_| confirmed);
    confirmed.into_iter().chain(few).chain([held_up(limit)]).chain(at_least).collect()
}

const fn answer(question: Both, text: Both, warns: bool) -> Answer {
    Answer { question, text, warns, is_tile: false, link: None }
}

fn held_up(limit: &JudgedLimit) -> Answer {
    let (text, warns) = match (&limit.held_up, limit.limited_by) {
        (Some(HeldUp::CostGrows { earlier, later }), _) => {
            let grown = Fact::from(CostGrowsWithStored { earlier: *earlier, later: *later });
            (Both::each(|lang| grown.sentence(lang)), false)
        }
        (Some(HeldUp::Service { service, by, usage }), _) => {
            let short = Both::each(|lang| words::held_back(service, *by, usage, None, lang));
            (short.then(&Both::word(", at ", ", com ")).then(&next_scale(limit)), false)
        }
        (held_up, LimitedBy::Contender) => {
            let at = next_scale(limit);
            let is_known = *held_up != Some(HeldUp::Unknown);
            let text = Both::each(|lang| match (is_known, at.get(lang)) {
                (true, at) => say!(
                    lang,
                    "no service was short of CPU or memory at {at}",
                    "não faltou CPU nem memória a nenhum serviço com {at}"
                ),
                (false, at) => say!(
                    lang,
                    "not known: what was seen of its services at {at} does not tell",
                    "não se sabe: o que se viu dos serviços com {at} não diz"
                ),
            });
            (text, false)
        }
        (_, LimitedBy::Galo) => (GALO_DID_NOT_KEEP_UP, true),
        (_, LimitedBy::Asked) => (
            Both::word("nothing higher was to be tried (--max)", "nada maior era para ser tentado (--max)"),
            false,
        ),
        (_, LimitedBy::Holds) => (
            Both::word(
                "it ended before a higher scale was tried",
                "terminou antes de tentar uma escala maior",
            ),
            true,
        ),
    };
    answer(Both::word("held up by", "o que segurou"), text, warns)
}

const GALO_DID_NOT_KEEP_UP: Both = Both::word(
    "galo itself or its machine did not keep up with a higher scale, the contender might: give galo a core of its own, or more \
     threads (--threads)",
    "o próprio galo ou a sua máquina não acompanhou uma escala maior, o competidor talvez acompanhe: dê ao galo um núcleo só \
     dele, ou mais threads (--threads)",
);

/// The lowest scale above the one that is held that was not met.
fn next_scale(limit: &JudgedLimit) -> Both {
    match limit.lowest_not_met() {
        None => Both::word("a higher scale", "uma escala maior"),
        Some(hold) => Both::word("scale ", "a escala ").then(&Both::figure(scale(hold.scale_milli))),
    }
}

/// That few answers were right, where they were: then its latency says how quickly it fails.
pub(super) fn few_right(hold: &Hold) -> Option<Both> {
    let Ledger { ok, intended, .. } = hold.ledger;
    words::too_few_right(ok, intended, Lang::En)?;
    Some(Both::each(|lang| words::few_right(ok, intended, lang)))
}
