//! A load as it is told: what it comes to, then latency, operations, rates, addresses, and galo's own part.

mod asserted;
mod log;
mod operations;
mod own;
mod parts;
mod rates;
mod settings;
mod users;
mod worth;

use galo_judge::load::JudgedLoad;
use galo_words::{Both, Figure, Lang, say, significant};

pub(crate) use asserted::asserted;

use crate::columns::{self, Statistic};
use crate::digits::decimals;
use crate::document::{Block, Column, Document, Emphasis, Line, Section, Table, Tone};
use crate::words::labels;
use worth::worth;

/// Statistics of response times, in the order in which they are told.
const LATENCIES: [Statistic; 14] = [
    columns::MIN,
    columns::P50,
    columns::P75,
    columns::P90,
    columns::P95,
    columns::P99,
    columns::P999,
    columns::P9999,
    columns::MAX,
    columns::MEAN,
    columns::DEVIATION,
    columns::TM95,
    columns::TM99,
    columns::TM99_9,
];

/// The whole of it.
pub fn load(load: &JudgedLoad) -> Document {
    let outcome = Both::each(|lang| outcome(load, lang));
    let (verdict, outcome) = match (&load.highest_rate, settings::verdict(load)) {
        (Some(highest), _) => (Both::each(|lang| rates::highest(highest, lang)), Some(line(outcome, false))),
        (None, Some(verdict)) => (verdict, None),
        (None, None) if !load.knobs.is_empty() => {
            (Both::word("no load was over", "nenhuma carga terminou"), None)
        }
        (None, None) => (outcome, None),
    };
    let subject = Both::each(|lang| subject(load, lang));
    let last = match &load.log {
        Some(log) => log::groups(log),
        None => own::own_part(load),
    };
    // What settings have in common says nothing of any of them.
    let sections = match settings::settings(load) {
        settings if settings.is_empty() && load.knobs.is_empty() => {
            vec![
                latencies(load),
                operations::operations(load),
                rates::rates(load),
                parts::by_part(load),
                last,
            ]
        }
        settings => settings,
    };
    Document {
        title: subject.en.to_string(),
        warnings: worth(load).iter().flat_map(|worth| worth.warnings(load.forced)).collect(),
        verdict,
        tone: tone(load),
        answers: Vec::new(),
        lines: outcome.into_iter().chain(lines(load)).collect(),
        next: None,
        subject,
        sections: sections.into_iter().filter(|section| !section.blocks.is_empty()).collect(),
        terms: Vec::new(),
        origin: load.header.clone(),
    }
}

fn tone(load: &JudgedLoad) -> Tone {
    if !load.void.is_empty() {
        Tone::Void
    } else if !load.is_met() {
        Tone::Broken
    } else if load.interrupted || load.highest_rate.as_ref().is_some_and(|highest| !rates::is_held(highest)) {
        Tone::Open
    } else {
        Tone::Decided
    }
}

/// All of it in one line.
fn outcome(load: &JudgedLoad, lang: Lang) -> String {
    let per_s = |rate| per_second(rate, lang);
    let asked = load.asked_per_s.map_or_else(String::new, |rate| {
        let asked = per_s(rate);
        say!(lang, " of {asked} asked", " de {asked} pedidas")
    });
    let ledger = &load.answered.ledger;
    let rest = match (ledger.not_ok(), ledger.intended) {
        (0, 0) => lang.pick("; no request fell due", "; nenhuma requisição venceu").to_owned(),
        (0, _) => String::new(),
        (n, of) => {
            let (n, share) = (lang.whole(n), lang.figure(Figure::Share(n as f64 / of as f64)));
            say!(lang, "; {n} not right ({share})", "; {n} não corretas ({share})")
        }
    };
    let (ok, over) = (per_s(load.ok_per_s), lang.figure(Figure::Seconds(load.rate_over_s)));
    say!(lang, "{ok} right{asked} for {over}{rest}", "{ok} corretas{asked} por {over}{rest}")
}

fn subject(load: &JudgedLoad, lang: Lang) -> String {
    let url = &load.url;
    match (&load.log, load.users, load.parts.len().saturating_sub(1)) {
        (Some(log), ..) => log::subject(log, lang),
        (None, Some(_), _) | (None, None, 0) => url.clone(),
        (None, None, more) => say!(lang, "{url} and {more} more", "{url} e mais {more}"),
    }
}

/// What was to hold, how it ended where that was before its time, and what is good to know.
fn lines(load: &JudgedLoad) -> impl Iterator<Item = Line> {
    let users = load.users.map(|users| line(users::begun(users), false));
    let left_out = users::left_out(load).map(|text| line(text, true));
    let asserted = load.assertions.iter();
    let asserted = asserted.map(|outcome| line(asserted::met(outcome), asserted::warns(outcome)));
    let broken_off = load.interrupted.then_some(Both::word(
        "broken off: the figures are of what was done until then",
        "interrompida: os números são do que foi feito até então",
    ));
    let stopped = load.stopped_by.map(|status| {
        Both::each(|lang| {
            say!(
                lang,
                "ended by an answer with status {status}",
                "encerrada por uma resposta com status {status}"
            )
        })
    });
    let busy = worth(load).into_iter().filter_map(|worth| worth.busy(load.is_open));
    let notes = busy.chain(load.highest_rate.as_ref().and_then(rates::stopped_at));
    let notes = notes.map(|note| Both::word("note: ", "nota: ").then(&note));
    let told = broken_off.into_iter().chain(stopped).chain(notes).map(|text| line(text, false));
    let log = load.log.iter().flat_map(log::lines);
    users.into_iter().chain(asserted).chain(left_out).chain(told).chain(log)
}

fn latencies(load: &JudgedLoad) -> Section {
    let ([first, second], caption, note) = match &load.log {
        None => (
            [Both::word("intended", "previsto"), Both::word("service", "serviço")],
            Both::word(
                "Latency of operations, and how much of it was service",
                "Latência das operações, e quanto dela foi serviço",
            ),
            Both::word(
                "intended: from intended start, all that ended; service: from sending, right only",
                "previsto: desde o início previsto, tudo que terminou; serviço: desde o envio, só as corretas",
            ),
        ),
        Some(_) => (
            [Both::word("all", "todas"), labels::OK],
            Both::word("Response times, as Gatling took them", "Tempos de resposta, como o Gatling os mediu"),
            Both::word("from sending, within 0.1 %", "desde o envio, com erro de até 0,1 %"),
        ),
    };
    type OfStatistic<'a> = Column<'a, Statistic>;
    let columns = [
        OfStatistic::text(Both::same(""), |statistic| statistic.name.clone()),
        OfStatistic::new(first, |statistic| statistic.figure(&load.answered.latency, ms)),
        OfStatistic::new(second, |statistic| statistic.figure(&load.answered.service_time, ms)),
    ];
    Section {
        id: "latency".into(),
        name: Both::word("Latency, ms", "Latência, ms"),
        emphasis: Emphasis::First,
        blocks: vec![Block::Table(Table::new("latencies", caption, columns, LATENCIES)), Block::Note(note)],
    }
}

const fn line(text: Both, warns: bool) -> Line {
    Line { text, warns }
}

/// Microseconds as milliseconds to the microsecond, so that points stand below each other.
const fn ms(us: f64) -> Figure {
    Figure::Number(us / 1e3, 3)
}

/// A rate per second.
fn per_second(rate: f64, lang: Lang) -> String {
    format!("{}/s", lang.figure(rate_figure(rate)))
}

/// A rate: whole from a hundred on, where a decimal says nothing, and to three digits where one decimal says too little.
fn rate_figure(rate: f64) -> Figure {
    let rate = if rate < 10.0 { significant(rate, 3) } else { decimals(rate, 1) };
    match rate {
        _ if rate > 0.0 && rate < 10.0 => Figure::Plain(rate),
        _ => Figure::Number(rate, usize::from(rate < 100.0)),
    }
}
