//! A load as it is told: what it comes to, then latency, operations, rates, addresses, and galo's own part.

mod own;
mod rates;
mod users;

use galo_record::finding::Weight;
use galo_record::{Percentiles, RunHeader};
use galo_words::{Both, Lang, count, number, percent, say};

use super::{AssertionReport, Example, LoadReport, StepReport};
use crate::digits::significant;
use crate::document::{Block, Document, Emphasis, Exchange, Line, Narrow, Row, Section, Table, Tone};
use crate::words::{self, labels};
use galo_record::Ledger;

/// A figure of latency, and what it is called.
type LatencyRow = (Both, fn(&Percentiles) -> f64);

const LATENCIES: [LatencyRow; 14] = [
    (Both::word("min", "mín."), |l| l.min),
    (Both::word("p50", "p50"), |l| l.p50),
    (Both::word("p75", "p75"), |l| l.p75),
    (Both::word("p90", "p90"), |l| l.p90),
    (Both::word("p95", "p95"), |l| l.p95),
    (Both::word("p99", "p99"), |l| l.p99),
    (Both::word("p99.9", "p99,9"), |l| l.p99_9),
    (Both::word("p99.99", "p99,99"), |l| l.p99_99),
    (labels::MAX, |l| l.max),
    (labels::MEAN, |l| l.mean),
    (Both::word("deviation", "desvio"), |l| l.standard_deviation),
    (Both::word("tm95", "tm95"), |l| l.tm95),
    (Both::word("tm99", "tm99"), |l| l.tm99),
    (Both::word("tm99.9", "tm99,9"), |l| l.tm99_9),
];

const LATENCIES_ARE: Both = Both::word(
    "Latency of operations, and how much of it was service",
    "Latência das operações, e quanto dela foi serviço",
);

impl LoadReport {
    /// The whole of it; `header` says how and where it was driven.
    pub fn document(&self, header: &RunHeader) -> Document {
        let outcome = Both::told(|lang| self.outcome(lang));
        let (verdict, outcome) = match &self.highest_rate {
            Some(highest) => (Both::told(|lang| highest.sentence(lang)), Some(line(outcome, false))),
            None => (outcome, None),
        };
        let is_open = self.interrupted || self.highest_rate.as_ref().is_some_and(|highest| !highest.held);
        let subject = Both::told(|lang| self.addresses(lang));
        let sections = [self.latencies(), self.operations(), self.rates(), self.by_part(), self.own_part()];
        Document {
            title: subject.en.to_string(),
            warnings: self.void.iter().map(|reason| self.voided(reason)).collect(),
            verdict,
            tone: match () {
                () if !self.void.is_empty() => Tone::Void,
                () if !self.assertions.iter().all(|assertion| assertion.met) => Tone::Broken,
                () if is_open => Tone::Open,
                () => Tone::Decided,
            },
            answers: Vec::new(),
            lines: outcome.into_iter().chain(self.lines()).collect(),
            next: None,
            subject,
            sections: sections.into_iter().filter(|section| !section.blocks.is_empty()).collect(),
            terms: Vec::new(),
            origin: Some(header.clone()),
        }
    }

    fn voided(&self, reason: &Both) -> Both {
        let forced = if self.forced { Both::word(" (and forced)", " (e forçada)") } else { Both::same("") };
        Both::word("VOID", "NULA").then(&forced).then(&Both::same(": ")).then(reason)
    }

    /// All of it in one line.
    fn outcome(&self, lang: Lang) -> String {
        let per_s = |rate| per_second(rate, lang);
        let asked = self.asked_per_s.map_or_else(String::new, |rate| {
            let asked = per_s(rate);
            say!(lang, " of {asked} asked", " de {asked} pedidas")
        });
        let rest = match (self.ledger.not_ok(), self.ledger.intended) {
            (0, 0) => lang.pick("; no request fell due", "; nenhuma requisição venceu").to_owned(),
            (0, _) => String::new(),
            (n, of) => {
                let (n, share) = (lang.whole(n), lang.figure(percent(n as f64 / of as f64)));
                say!(lang, "; {n} not right ({share})", "; {n} não corretas ({share})")
            }
        };
        let (ok, over) = (per_s(self.ok_per_s), lang.figure(galo_words::seconds(self.rate_over_s)));
        say!(lang, "{ok} right{asked} for {over}{rest}", "{ok} corretas{asked} por {over}{rest}")
    }

    fn addresses(&self, lang: Lang) -> String {
        let url = &self.url;
        match self.urls.len().saturating_sub(1) {
            0 => url.clone(),
            more => say!(lang, "{url} and {more} more", "{url} e mais {more}"),
        }
    }

    /// What was to hold, how it ended where that was before its time, and what is good to know.
    fn lines(&self) -> impl Iterator<Item = Line> {
        let users = self.users.map(|users| line(users.told(), false));
        let left_out = self.left_out().map(|text| line(text, true));
        let asserted = self.assertions.iter().map(|outcome| line(outcome.line(), outcome.warns()));
        let broken_off = self.interrupted.then_some(Both::word(
            "broken off: the figures are of what was done until then",
            "interrompida: os números são do que foi feito até então",
        ));
        let stopped = self.stopped_by.map(|status| {
            Both::told(|lang| {
                say!(
                    lang,
                    "ended by an answer with status {status}",
                    "encerrada por uma resposta com status {status}"
                )
            })
        });
        let notes = self.notes.iter().map(|note| Both::word("note: ", "nota: ").then(note));
        let told = broken_off.into_iter().chain(stopped).chain(notes).map(|text| line(text, false));
        users.into_iter().chain(asserted).chain(left_out).chain(told)
    }

    fn latencies(&self) -> Section {
        let row = |(name, of): &LatencyRow| Row {
            cells: vec![name.clone(), ms(of(&self.latency)), ms(of(&self.service_time))],
            warning: None,
        };
        let heads =
            vec![Both::same(""), Both::word("intended", "previsto"), Both::word("service", "serviço")];
        let rows = LATENCIES.iter().map(row).collect();
        let note = Both::word(
            "intended: from intended start, all that ended; service: from sending, right only",
            "previsto: desde o início previsto, tudo que terminou; serviço: desde o envio, só as corretas",
        );
        Section {
            id: "latency".into(),
            name: Both::word("Latency, ms", "Latência, ms"),
            emphasis: Emphasis::First,
            blocks: vec![
                Block::Table(Table {
                    id: "latencies".into(),
                    caption: LATENCIES_ARE,
                    heads,
                    rows,
                    narrow: Narrow::All,
                }),
                Block::Note(note),
            ],
        }
    }

    /// By result; statuses, failures and what galo itself could not do, where there are any; the first wrong answers.
    fn operations(&self) -> Section {
        let table = Table {
            id: "ledger".into(),
            caption: Both::word("Operations by result", "Operações por resultado"),
            heads: [Both::same("")].into_iter().chain(labels::LEDGER_HEADS).collect(),
            rows: vec![Row {
                cells: [Both::word("all", "todas")]
                    .into_iter()
                    .chain(labels::ledger_cells(&self.ledger))
                    .collect(),
                warning: None,
            }],
            narrow: Narrow::All,
        };
        let statuses = self.statuses.iter().map(|(status, n)| (Both::same(status.to_string()), *n)).collect();
        let failures = |kinds: &std::collections::BTreeMap<String, u64>| {
            kinds.iter().map(|(kind, n)| (words::failure(kind), *n)).collect()
        };
        let kinds: [(Both, Vec<(Both, u64)>); 3] = [
            (Both::word("statuses", "status"), statuses),
            (Both::word("failures", "falhas"), failures(&self.errors)),
            (
                Both::word("not even tried by galo", "nem tentadas pelo galo"),
                failures(&self.engine.all.own_errors),
            ),
        ];
        let kinds = kinds.into_iter().filter(|(_, counts)| !counts.is_empty()).map(|(kind, counts)| {
            Both::told(|lang| {
                let counts = counts.iter().map(|(what, n)| format!("{}: {}", what.of(lang), lang.whole(*n)));
                format!("{}: {}", kind.of(lang), counts.collect::<Vec<_>>().join(", "))
            })
        });
        let [sent, received] = [self.engine.all.sent_bytes, self.engine.all.received_bytes]
            .map(|bytes| Both::figure(galo_words::mib(bytes as f64)));
        let bytes = Both::told(|lang| {
            let [sent, received] = [&sent, &received].map(|bytes| bytes.of(lang));
            say!(
                lang,
                "bytes: {sent} sent, {received} received",
                "bytes: {sent} enviados, {received} recebidos"
            )
        });
        let wrong = self.examples.iter().filter_map(wrong).map(|of| Block::Exchange(Box::new(of)));
        let texts = kinds.chain([bytes]).map(Block::Text);
        Section {
            id: "operations".into(),
            name: Both::word("Operations", "Operações"),
            emphasis: Emphasis::First,
            blocks: [Block::Table(table)].into_iter().chain(texts).chain(wrong).collect(),
        }
    }

    fn by_part(&self) -> Section {
        let row = |name: String, ledger: &Ledger, latency: &Percentiles| {
            let l = &latency;
            let [ok, errors] = [ledger.ok, ledger.not_ok()].map(|n| Both::figure(count(n)));
            let cells = vec![Both::same(name), ok, errors, ms(l.p50), ms(l.p99), ms(l.max)];
            Row { cells, warning: None }
        };
        let milliseconds = Both::same(", ms");
        let heads = [
            Both::same(""),
            labels::OK,
            labels::ERRORS,
            Both::same("p50, ms"),
            Both::same("p99, ms"),
            labels::MAX.then(&milliseconds),
        ];
        if !self.steps.is_empty() {
            let one = self.steps.iter().all(|step| step.scenario == self.steps[0].scenario);
            let name = |step: &StepReport| match one {
                true => step.step.clone(),
                false => format!("{}: {}", step.scenario, step.step),
            };
            let rows = self.steps.iter().map(|step| row(name(step), &step.ledger, &step.latency));
            let caption = Both::word("What each step was answered", "O que cada passo recebeu de resposta");
            return section("steps", [Both::word("Steps", "Passos"), caption], heads.into(), rows.collect());
        }
        let rows = self.urls.iter().map(|url| row(url.url.clone(), &url.ledger, &url.latency));
        let caption = Both::word("What each address answered", "O que cada endereço respondeu");
        section("addresses", [Both::word("Addresses", "Endereços"), caption], heads.into(), rows.collect())
    }
}

/// One table; without rows nothing.
fn section(id: &'static str, [name, caption]: [Both; 2], heads: Vec<Both>, rows: Vec<Row>) -> Section {
    let table =
        (!rows.is_empty()).then_some(Table { id: id.into(), caption, heads, rows, narrow: Narrow::All });
    let blocks = table.into_iter().map(Block::Table).collect();
    Section { id: id.into(), name, emphasis: Emphasis::First, blocks }
}

const fn line(text: Both, warns: bool) -> Line {
    Line { text, warns }
}

/// The first of a kind of wrong answer. Failures are told by their kind.
fn wrong(example: &Example) -> Option<Exchange> {
    let Example { rule, difference, request, answer } = example;
    let rule = rule.as_ref()?;
    Some(Exchange {
        id: None,
        weight: Weight::Must,
        head: Both::told(|lang| say!(lang, "wrong ({rule})", "errada ({rule})")),
        about: None,
        difference: Some(Both::same(difference.clone())),
        texts: [request, answer].map(|text| Both::same(text.clone())).into(),
        more: Vec::new(),
    })
}

impl AssertionReport {
    /// What was to hold and what was, with the ground that it has: `p99 < 50 ms: 61.3 ms`.
    pub(crate) fn told(&self, lang: Lang) -> String {
        let figure = self.figure(lang);
        match self.few_right(lang) {
            None => figure,
            Some(few) => say!(lang, "{figure}, where {few}", "{figure}, e {few}"),
        }
    }

    fn few_right(&self, lang: Lang) -> Option<String> {
        self.right.map(|right| words::few_right(right.answers, right.requests, lang))
    }

    fn figure(&self, lang: Lang) -> String {
        let actual = match &self.actual {
            Some(actual) => lang.figure(actual.clone()),
            None => lang.pick("nothing to take it of", "nada de onde tirar").to_owned(),
        };
        let slowest = self.slowest_of.map_or_else(String::new, |of| {
            let of = lang.whole(of);
            say!(lang, " (the slowest of {of})", " (a mais lenta de {of})")
        });
        format!("{}: {actual}{slowest}", lang.figure(self.assertion.clone()))
    }

    /// The same, and whether it held.
    fn line(&self) -> Both {
        Both::told(|lang| {
            let met = match self.met {
                true => lang.pick("met", "cumprido"),
                false => lang.pick("not met", "NÃO cumprido"),
            };
            let few = self.few_right(lang).map_or_else(String::new, |few| format!("; {few}"));
            format!("{}, {met}{few}", self.figure(lang))
        })
    }

    /// Whether a reader is to be warned by it.
    const fn warns(&self) -> bool {
        !self.met || self.right.is_some()
    }
}

/// Microseconds as milliseconds to the microsecond, so that points stand below each other.
fn ms(us: f64) -> Both {
    Both::figure(number(us / 1e3, 3))
}

/// A rate per second.
fn per_second(rate: f64, lang: Lang) -> String {
    format!("{}/s", lang.figure(rate_words(rate)))
}

/// A rate: whole from a hundred on, where a decimal says nothing, and to three digits where one decimal says too little.
fn rate_words(rate: f64) -> String {
    match rate {
        0.0 => number(rate, 1),
        _ if rate < 10.0 => significant(rate, 3).to_string(),
        _ => number(rate, usize::from(rate < 100.0)),
    }
}
