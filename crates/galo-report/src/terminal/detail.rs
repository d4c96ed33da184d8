//! One round of one contender in detail.

use super::{Look, standing};
use crate::report::{EngineReport, LatencyReport, LedgerReport, RoundReport, ServiceReport};
use crate::text::{clean, left, right, wrap};
use crate::words::{self, count, ms_bare, percent};

/// Columns of the labels.
const LABEL: usize = 14;

/// Appends all of a round.
pub(super) fn lines(round: &RoundReport, look: Look, lines: &mut Vec<String>) {
    let head = format!("{}, round {}: {}", round.contender, round.number, standing(round));
    lines.extend(wrap(&clean(&head), look.width, "  ").iter().map(|line| look.bold(line)));
    ledgers(&[("compared", &round.ledger), ("probes", &round.probe_ledger)], look, lines);
    lines.extend(creations(round).iter().flat_map(|text| wrap(text, look.width, "  ")));
    lines.push(String::new());
    latencies(&round.latency, &round.service_time, look, lines);
    lines.extend(wrap(&classes(round), look.width, "  "));
    lines.push(String::new());
    services(&round.services, look, lines);
    lines.extend(wrap(&engine(&round.engine), look.width, "  "));
    lines.push(String::new());
    if let Some(conformance) = &round.conformance {
        super::conformance::lines(conformance, look, lines);
    }
}

/// Operations by result, a row each.
pub(super) fn ledgers(rows: &[(&str, &LedgerReport)], look: Look, lines: &mut Vec<String>) {
    let columns = ["intended", "ok", "wrong", "failed", "timed out", "unfinished"];
    lines.push(look.dim(&row("operations", &columns.map(str::to_owned), 11)));
    for (name, ledger) in rows {
        let values =
            [ledger.intended, ledger.ok, ledger.wrong, ledger.failed, ledger.timed_out, ledger.unfinished];
        lines.push(row(name, &values.map(count), 11));
    }
}

/// Percentiles in milliseconds: of latency and of service time, with what each is taken of.
fn latencies(latency: &LatencyReport, service_time: &LatencyReport, look: Look, lines: &mut Vec<String>) {
    let columns = ["p50", "p90", "p95", "p99", "p99.9", "p99.99", "max", "mean"];
    lines.push(look.dim(&row("milliseconds", &columns.map(str::to_owned), 8)));
    for (name, l) in [("latency", latency), ("service time", service_time)] {
        let values = [l.p50, l.p90, l.p95, l.p99, l.p99_9, l.p99_99, l.max, l.mean];
        lines.push(row(name, &values.map(narrow_ms), 8));
    }
    let of = "latency is of everything that ended, service time of right answers only";
    lines.extend(wrap(of, look.width, "  ").iter().map(|line| look.dim(line)));
}

/// Milliseconds for a narrow column: from a second on, decimals say nothing.
pub(super) fn narrow_ms(us: f64) -> String {
    if us >= 999_950.0 { words::number(us / 1e3, 0) } else { ms_bare(us) }
}

fn row(name: &str, cells: &[String], column: usize) -> String {
    let cells: String = cells.iter().map(|cell| right(cell, column)).collect();
    format!("{}{cells}", left(name, LABEL))
}

/// Created, ceiling and count in one sentence; `None` where the challenge creates nothing, and has no count.
fn creations(round: &RoundReport) -> Option<String> {
    let ceiling = if round.ceiling.min == round.ceiling.max {
        count(round.ceiling.max)
    } else {
        format!("{} to {}", count(round.ceiling.min), count(round.ceiling.max))
    };
    let counted = round.counted.map_or_else(|| "nothing readable".to_owned(), count);
    let settled =
        round.settled_after_s.map_or_else(String::new, |s| format!(" {} after the load", words::seconds(s)));
    if !round.creates() {
        return round.counted.map(|counted| format!("counted {} at rest{settled}", count(counted)));
    }
    let unknown = if round.unknown == 0 {
        String::new()
    } else {
        format!(" (and up to {} of unknown effect)", count(round.unknown))
    };
    Some(format!(
        "created {} of {ceiling} possible, and {} by probes{unknown}; counted {counted} at rest{settled}",
        count(round.created),
        count(round.probes),
    ))
}

fn classes(round: &RoundReport) -> String {
    let classes = round.classes.iter().map(|class| {
        format!(
            "{} {} ({})",
            class_name(class.above_ms, class.up_to_ms),
            count(class.count),
            percent(class.share)
        )
    });
    format!("right answers: {}", classes.collect::<Vec<_>>().join(", "))
}

/// A class of the distribution in words.
fn class_name(above_ms: f64, up_to_ms: Option<f64>) -> String {
    match up_to_ms {
        Some(bound) if above_ms == 0.0 => format!("up to {} ms", words::number(bound, 0)),
        Some(bound) => format!("{} to {} ms", words::number(above_ms, 0), words::number(bound, 0)),
        None => format!("above {} ms", words::number(above_ms, 0)),
    }
}

fn services(services: &[ServiceReport], look: Look, lines: &mut Vec<String>) {
    if services.is_empty() {
        return;
    }
    let head = ["CPU used", "limit", "throttled", "memory peak", "limit"];
    let widths = [10, 11, 11, 14, 12];
    let cells = |cells: [String; 5]| -> String {
        cells.iter().zip(widths).map(|(cell, columns)| right(cell, columns)).collect()
    };
    lines.push(look.dim(&format!("{}{}", left("service", LABEL), cells(head.map(str::to_owned)))));
    for service in services {
        let throttled = crate::digits::share(service.throttled_periods, service.periods);
        let values = cells([
            words::seconds(service.cpu_s),
            words::cpu_limit(service.cpus),
            percent(throttled),
            service.memory_peak_bytes.map_or_else(|| words::UNSEEN.to_owned(), |b| words::mib(b as f64)),
            words::memory_limit(service.memory_bytes),
        ]);
        lines.push(format!("{}{values}", left(&clean(&service.name), LABEL)));
    }
}

/// galo's own part in one sentence.
fn engine(engine: &EngineReport) -> String {
    let process =
        engine.process_cpu_s.map_or_else(String::new, |s| format!(", {} with all else", words::seconds(s)));
    format!(
        "galo: lag p50 {}, p99 {}, most {}; {} of CPU on {}{process}; {} connections",
        words::ms(engine.lag_us_p50),
        words::ms(engine.lag_us_p99),
        words::ms(engine.lag_us_max),
        words::seconds(engine.cpu_s),
        words::counted(engine.threads as usize, "engine thread"),
        count(engine.connections),
    )
}
