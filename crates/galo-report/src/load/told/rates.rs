//! Steps of the rate, and the highest rate.

use galo_judge::Capacity;
use galo_judge::capacity::Limit;
use galo_judge::findings::failure;
use galo_judge::load::{HighestRate, JudgedLoad, RateStep, Trial};
use galo_words::{Both, Lang, say};

use super::parts::section;
use super::{ms, per_second, rate_figure};
use crate::columns::{self, Statistic};
use crate::document::{Column, Section, Table};
use crate::words::{self, labels};

/// A rate that was driven, and the trial that it was.
type Driven<'a> = (&'a RateStep, Option<&'a Trial>);

/// What there is of them: nothing where there was one rate.
pub(super) fn rates(load: &JudgedLoad) -> Section {
    type OfDriven<'a> = Column<'a, Driven<'a>>;
    let in_ms = |statistic: Statistic| {
        let head = statistic.name.clone().then(&Both::same(" ms"));
        OfDriven::new(head, move |(step, _)| statistic.figure(&step.latency, ms))
    };
    let columns = [
        OfDriven::text(Both::word("asked/s", "pedidas/s"), |(step, _)| rate_figure(step.asked_per_s)),
        OfDriven::new(Both::word("right/s", "corretas/s"), |(step, _)| rate_figure(step.ok_per_s)),
        OfDriven::new(Both::word("right", "corretas"), |(step, _)| step.ledger.ok),
        OfDriven::new(labels::ERRORS, |(step, _)| step.ledger.not_ok()),
        in_ms(columns::P50),
        in_ms(columns::P99),
        in_ms(columns::P999),
    ];
    let (name, driven): (_, Vec<Driven<'_>>) = match &load.highest_rate {
        Some(highest) => {
            let driven = highest.trials.iter().map(|trial| (&trial.step, Some(trial)));
            (Both::word("Rates tried", "Taxas tentadas"), driven.collect())
        }
        None => {
            let driven = load.steps_of_rate.iter().map(|step| (step, None));
            (Both::word("Steps of the rate", "Degraus da taxa"), driven.collect())
        }
    };
    let caption =
        Both::word("Each, in the order in which it was driven", "Cada uma, na ordem em que foi executada");
    let warning = |(_, trial): &Driven<'_>| trial.and_then(warning);
    section("rates", name, Table::warning("rates-table", caption, columns, driven, warning))
}

/// Whether a longer run at the rate met the criterion too.
pub(super) const fn is_held(highest: &HighestRate) -> bool {
    matches!(highest.capacity, Capacity::Highest { held: true, .. })
}

/// What a search came to, in one sentence.
pub(super) fn highest(highest: &HighestRate, lang: Lang) -> String {
    let criterion = &highest.criterion;
    let per_s = |milli: u64| per_second(milli as f64 / 1e3, lang);
    let (rate_milli, low_milli, high_milli, held, limit) = match highest.capacity {
        Capacity::Nothing { limit, .. } => {
            let limit = limit_in_words(limit, lang);
            return say!(
                lang,
                "no rate that was tried met {criterion}{limit}",
                "nenhuma taxa tentada cumpriu {criterion}{limit}"
            );
        }
        Capacity::Highest { rate_milli, low_milli, high_milli, held, limit, .. } => {
            (rate_milli, low_milli, high_milli, held, limit_in_words(limit, lang))
        }
    };
    let low = per_s(low_milli);
    let interval = match high_milli.map(per_s) {
        Some(high) => say!(lang, "95 % interval {low} to {high}", "intervalo de 95 %: {low} a {high}"),
        None => say!(lang, "{low} or more", "{low} ou mais"),
    };
    let held = match held {
        true => lang.pick("held", "sustentada"),
        false => lang.pick(
            "NOT held: no longer run at it met that",
            "NÃO sustentada: nenhuma execução mais longa nela cumpriu isso",
        ),
    };
    let (rate, right) = (per_s(rate_milli), few_right_at(highest, rate_milli, lang));
    let right = right.map_or_else(String::new, |few| format!("; {few}"));
    say!(
        lang,
        "highest rate: {rate} ({interval}) under {criterion}; {held}{right}{limit}",
        "maior taxa: {rate} ({interval}) sob {criterion}; {held}{right}{limit}"
    )
}

/// That galo ran into a limit of its own, so that nothing above was tried.
pub(super) fn stopped_at(highest: &HighestRate) -> Option<Both> {
    let stopped = highest.stopped_at.as_ref()?;
    let what = failure(&stopped.ran_out_of);
    Some(Both::each(|lang| {
        let (rate, what) = (lang.decimals(stopped.rate_milli as f64 / 1e3, 0), what.get(lang));
        say!(
            lang,
            "nothing above {rate}/s was tried: galo ran into a limit there ({what})",
            "nada acima de {rate}/s foi tentado: ali o galo bateu num limite ({what})"
        )
    }))
}

/// That few answers were right at the rate, in the last trial of it that met the criterion.
fn few_right_at(highest: &HighestRate, rate_milli: u64, lang: Lang) -> Option<String> {
    let is_at = |trial: &Trial| (trial.step.asked_per_s * 1e3).round() as u64 == rate_milli;
    let met = |trial: &&Trial| trial.met && trial.step.void.is_empty() && is_at(trial);
    few_right(highest.trials.iter().rev().find(met)?, lang)
}

/// What else than the criterion kept the rate from being higher.
fn limit_in_words(limit: Limit, lang: Lang) -> String {
    match limit {
        Limit::Criterion => String::new(),
        Limit::Client { rate_milli } => {
            let rate = per_second(rate_milli as f64 / 1e3, lang);
            say!(
                lang,
                "; galo itself did not keep up with {rate}, the server might",
                "; o próprio galo não acompanhou {rate}, o servidor talvez acompanhe"
            )
        }
        Limit::Asked => {
            lang.pick("; nothing higher was to be tried", "; nada maior era para ser tentado").to_owned()
        }
        Limit::Trials => lang
            .pick("; it ended before a higher one was tried", "; terminou antes de tentar uma maior")
            .to_owned(),
    }
}

/// That few answers were right, where they were.
fn few_right(trial: &Trial, lang: Lang) -> Option<String> {
    let ledger = &trial.step.ledger;
    words::too_few_right(ledger.ok, ledger.ok + ledger.not_ok(), lang)
}

/// What stands at a trial that did not count for its rate.
fn warning(trial: &Trial) -> Option<Both> {
    match (trial.met, trial.step.void.is_empty()) {
        (_, false) => Some(Both::word(
            "says nothing: galo itself did not keep up",
            "não diz nada: o próprio galo não acompanhou",
        )),
        (true, true) => {
            let [en, pt] = [Lang::En, Lang::Pt].map(|lang| few_right(trial, lang));
            en.zip(pt).map(|(en, pt)| Both::new(format!("met, but {en}"), format!("cumprido, mas {pt}")))
        }
        (false, true) => Some(Both::word("not met", "não cumprido")),
    }
}
