//! galo's own part in a load: lag, CPU, connections, and what went against it.

use galo_judge::load::JudgedLoad;
use galo_words::nouns::{OPENED_CONNECTION, RETRIED, SEGMENT, THREAD, WAITED};
use galo_words::{Both, Figure, Lang, say};

use crate::document::{Block, Emphasis, Section};

pub(super) fn own_part(load: &JudgedLoad) -> Section {
    let texts = [lag, cpu, connections, troubles];
    let texts = texts.map(|tell: fn(&JudgedLoad, Lang) -> String| Both::each(|lang| tell(load, lang)));
    Section {
        id: "galo".into(),
        name: Both::word("galo itself", "O próprio galo"),
        emphasis: Emphasis::First,
        blocks: texts.into_iter().filter(|text| !text.en.is_empty()).map(Block::Text).collect(),
    }
}

fn lag(load: &JudgedLoad, lang: Lang) -> String {
    let engine = &load.engine;
    let figures = [engine.lag_us_p50, engine.lag_us_p99, engine.lag_us_p99_9, engine.lag_us_max];
    let [p50, p99, p99_9, max] = figures.map(|us| short(us, lang));
    say!(
        lang,
        "lag p50 {p50}, p99 {p99}, p99.9 {p99_9}, most {max}",
        "atraso p50 {p50}, p99 {p99}, p99,9 {p99_9}, máximo {max}"
    )
}

fn cpu(load: &JudgedLoad, lang: Lang) -> String {
    let engine = &load.engine;
    let ended = load.answered.ledger.ended();
    let cpu_us = (ended > 0).then(|| engine.cpu_ns as f64 / 1e3 / ended as f64);
    let each = cpu_us.map_or_else(String::new, |us| {
        let us = lang.figure(Figure::With(us, 2, "us"));
        say!(lang, " ({us} an operation)", " ({us} por operação)")
    });
    let waited_us = engine.run_queue_ns.iter().sum::<u64>() as f64 / 1e3;
    let waited = short(waited_us, lang);
    let waited = match waited_us > 0.0 {
        true => say!(lang, ", {waited} waiting for a core", ", {waited} à espera de um núcleo"),
        false => String::new(),
    };
    let cpu = lang.figure(Figure::seconds_of(engine.cpu_ns));
    say!(lang, "{cpu} of CPU{each}{waited}", "{cpu} de CPU{each}{waited}")
}

fn connections(load: &JudgedLoad, lang: Lang) -> String {
    let (engine, connects) = (&load.engine, &load.connects);
    let backend = match load.engine.backend.as_str() {
        "" => String::new(),
        backend => format!(" ({backend})"),
    };
    let [p50, p99] = [connects.p50, connects.p99].map(|us| short(us, lang));
    let latency = match connects.count {
        0 => String::new(),
        _ => say!(lang, " in p50 {p50}, p99 {p99}", " em p50 {p50}, p99 {p99}"),
    };
    let threads = lang.counted(engine.threads.into(), THREAD);
    let connections = lang.counted(engine.connections, OPENED_CONNECTION);
    format!("{threads}{backend}, {connections}{latency}")
}

/// What is only worth telling where it happened.
fn troubles(load: &JudgedLoad, lang: Lang) -> String {
    let engine = &load.engine;
    let told = [(engine.waited, WAITED), (engine.retries, RETRIED), (engine.retransmitted_segments, SEGMENT)];
    let told = told.into_iter().filter(|(n, _)| *n > 0);
    told.map(|(n, what)| lang.counted(n, what)).collect::<Vec<_>>().join(", ")
}

/// In microseconds where all is well, in milliseconds where it is not.
fn short(us: f64, lang: Lang) -> String {
    lang.figure(if us < 1000.0 { Figure::With(us, 0, "us") } else { Figure::Ms(us) })
}
