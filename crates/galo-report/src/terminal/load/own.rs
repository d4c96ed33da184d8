//! galo's own part in a load: lag, CPU, connections, and what went against it.

use super::super::Look;
use crate::load::LoadReport;
use crate::text::{clean, wrap};
use crate::words::{self, count, counted, number};

/// What stands before it.
const HEAD: &str = "galo: ";

/// Appends it.
pub(super) fn lines(report: &LoadReport, look: Look, lines: &mut Vec<String>) {
    let texts = [lag(report), cpu(report), connections(report), troubles(report)];
    let told = texts.iter().filter(|text| !text.is_empty());
    let told = told.flat_map(|text| wrap(&clean(text), look.width.saturating_sub(HEAD.len()), "  "));
    lines.extend(told.enumerate().map(|(index, line)| match index {
        0 => format!("{HEAD}{line}"),
        _ => format!("{}{line}", " ".repeat(HEAD.len())),
    }));
}

fn lag(report: &LoadReport) -> String {
    let engine = &report.engine.all;
    let figures = [engine.lag_us_p50, engine.lag_us_p99, engine.lag_us_p99_9, engine.lag_us_max];
    let [p50, p99, p99_9, max] = figures.map(short);
    format!("lag p50 {p50}, p99 {p99}, p99.9 {p99_9}, most {max}")
}

fn cpu(report: &LoadReport) -> String {
    let engine = &report.engine;
    let each = engine
        .cpu_us_per_operation
        .map_or_else(String::new, |us| format!(" ({} us an operation)", number(us, 2)));
    let waited_us = engine.thread_run_queue_ms.iter().sum::<f64>() * 1e3;
    let waited =
        if waited_us > 0.0 { format!(", {} waiting for a core", short(waited_us)) } else { String::new() };
    format!("{} of CPU{each}{waited}", words::seconds(engine.all.cpu_s))
}

fn connections(report: &LoadReport) -> String {
    let (engine, connects) = (&report.engine.all, &report.connects.percentiles);
    let backend = match report.engine.backend.as_str() {
        "" => String::new(),
        backend => format!(" ({backend})"),
    };
    let latency = if connects.count == 0 {
        String::new()
    } else {
        format!(" in p50 {}, p99 {}", short(connects.p50), short(connects.p99))
    };
    format!(
        "{}{backend}, {} opened{latency}",
        counted(engine.threads as usize, "thread"),
        counted(engine.connections as usize, "connection"),
    )
}

/// What is only worth telling where it happened.
fn troubles(report: &LoadReport) -> String {
    let engine = &report.engine;
    let told = [
        (engine.waited, "waited for a free connection"),
        (engine.retries, "retried"),
        (engine.retransmitted_segments, "TCP segments retransmitted"),
    ];
    let told = told.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{} {what}", count(*n)));
    told.collect::<Vec<_>>().join(", ")
}

/// In microseconds where all is well, in milliseconds where it is not.
fn short(us: f64) -> String {
    if us < 1000.0 { format!("{} us", number(us, 0)) } else { words::ms(us) }
}
