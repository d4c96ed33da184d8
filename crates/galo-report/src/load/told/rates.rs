//! Steps of the rate, and the highest rate.

use galo_judge::capacity::Limit;
use galo_words::{Both, Lang, count, say};

use super::super::{HighestRate, LoadReport, RateStep, Trial};
use super::{ms, per_second, rate_words, section};
use crate::document::{Row, Section};
use crate::words::{self, labels};

impl LoadReport {
    /// What there is of them: nothing where there was one rate.
    pub(super) fn rates(&self) -> Section {
        let heads = [
            Both::word("asked/s", "pedidas/s"),
            Both::word("right/s", "corretas/s"),
            Both::word("right", "corretas"),
            labels::ERRORS,
            Both::same("p50 ms"),
            Both::same("p99 ms"),
            Both::figure("p99.9 ms"),
        ];
        let (name, rows) = match &self.highest_rate {
            Some(highest) => {
                let row = |trial: &Trial| row(&trial.step, trial.warning());
                (Both::word("Rates tried", "Taxas tentadas"), highest.trials.iter().map(row).collect())
            }
            None => {
                let rows = self.steps_of_rate.iter().map(|step| row(step, None)).collect();
                (Both::word("Steps of the rate", "Degraus da taxa"), rows)
            }
        };
        let caption = Both::word(
            "Each, in the order in which it was driven",
            "Cada uma, na ordem em que foi executada",
        );
        section("rates", [name, caption], heads.into(), rows)
    }
}

impl HighestRate {
    pub(super) fn sentence(&self, lang: Lang) -> String {
        let (criterion, limit) = (lang.figure(self.criterion.clone()), self.limit_in_words(lang));
        let (Some(rate), Some(low)) = (self.rate_per_s, self.low_per_s) else {
            return say!(
                lang,
                "no rate that was tried met {criterion}{limit}",
                "nenhuma taxa tentada cumpriu {criterion}{limit}"
            );
        };
        let [rate, low] = [rate, low].map(|rate| per_second(rate, lang));
        let interval = match self.high_per_s.map(|high| per_second(high, lang)) {
            Some(high) => {
                say!(lang, "95 % interval {low} to {high}", "intervalo de 95 %: {low} a {high}")
            }
            None => say!(lang, "{low} or more", "{low} ou mais"),
        };
        let held = match self.held {
            true => lang.pick("held", "sustentada"),
            false => lang.pick(
                "NOT held: no longer run at it met that",
                "NÃO sustentada: nenhuma execução mais longa nela cumpriu isso",
            ),
        };
        let right = self.few_right(lang).map_or_else(String::new, |few| format!("; {few}"));
        say!(
            lang,
            "highest rate: {rate} ({interval}) under {criterion}; {held}{right}{limit}",
            "maior taxa: {rate} ({interval}) sob {criterion}; {held}{right}{limit}"
        )
    }

    /// That few answers were right at the rate, in the last trial of it that met the criterion.
    fn few_right(&self, lang: Lang) -> Option<String> {
        let met =
            |trial: &&Trial| trial.met && trial.valid && Some(trial.step.asked_per_s) == self.rate_per_s;
        self.trials.iter().rev().find(met)?.few_right(lang)
    }

    /// What else than the criterion kept the rate from being higher.
    fn limit_in_words(&self, lang: Lang) -> String {
        match self.limit {
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
}

impl Trial {
    /// That few answers were right, where they were.
    fn few_right(&self, lang: Lang) -> Option<String> {
        words::too_few_right(self.step.ok, self.step.ok + self.step.errors, lang)
    }

    /// What stands at a trial that did not count for its rate.
    fn warning(&self) -> Option<Both> {
        match (self.met, self.valid) {
            (_, false) => Some(Both::word(
                "says nothing: galo itself did not keep up",
                "não diz nada: o próprio galo não acompanhou",
            )),
            (true, true) => {
                let [en, pt] = [Lang::En, Lang::Pt].map(|lang| self.few_right(lang));
                en.zip(pt).map(|(en, pt)| Both::new(format!("met, but {en}"), format!("cumprido, mas {pt}")))
            }
            (false, true) => Some(Both::word("not met", "não cumprido")),
        }
    }
}

fn row(step: &RateStep, warning: Option<Both>) -> Row {
    let [asked, ok] = [step.asked_per_s, step.ok_per_s].map(rate_words);
    let [right, errors] = [step.ok, step.errors].map(count);
    let counted = [asked, ok, right, errors].map(Both::figure);
    let latencies = [step.latency_us_p50, step.latency_us_p99, step.latency_us_p99_9].map(ms);
    Row { cells: counted.into_iter().chain(latencies).collect(), warning }
}
