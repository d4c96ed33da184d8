//! One round of one contender in detail.

use super::{Look, standing};
use crate::report::{EngineReport, LatencyReport, LedgerReport, RoundReport, ServiceReport};
use crate::text::{clean, left, right, wrap};
use crate::words::lang::{ENGINE_THREAD, say};
use crate::words::{self, Both, Lang, labels, ms_bare, percent};

/// Columns of the labels.
const LABEL: usize = 14;

/// Appends all of a round.
pub(super) fn lines(round: &RoundReport, look: Look, lang: Lang, lines: &mut Vec<String>) {
    let (RoundReport { contender, number, .. }, standing) = (round, standing(round, lang));
    let head =
        say!(lang, "{contender}, round {number}: {standing}", "{contender}, rodada {number}: {standing}");
    lines.extend(wrap(&clean(&head), look.width, "  ").iter().map(|line| look.bold(line)));
    let probes = labels::PROBES;
    let rows = [(lang.pick("compared", "comparadas"), &round.ledger), (probes.of(lang), &round.probe_ledger)];
    ledgers(&rows, look, lang, lines);
    lines.extend(creations(round, lang).iter().flat_map(|text| wrap(text, look.width, "  ")));
    lines.push(String::new());
    latencies(&round.latency, &round.service_time, look, lang, lines);
    lines.extend(wrap(&classes(round, lang), look.width, "  "));
    lines.push(String::new());
    services(&round.services, look, lang, lines);
    lines.extend(wrap(&engine(&round.engine, lang), look.width, "  "));
    lines.push(String::new());
    if let Some(conformance) = &round.conformance {
        super::conformance::lines(conformance, look, lang, lines);
    }
}

/// Operations by result, a row each.
pub(super) fn ledgers(rows: &[(&str, &LedgerReport)], look: Look, lang: Lang, lines: &mut Vec<String>) {
    let columns =
        [labels::INTENDED, labels::OK, labels::WRONG, labels::FAILED, labels::TIMED_OUT, labels::UNFINISHED];
    let columns = columns.map(|name| name.of(lang).to_owned());
    lines.push(look.dim(&row(labels::NUMBER.of(lang), &columns, 11)));
    for (name, ledger) in rows {
        let values =
            [ledger.intended, ledger.ok, ledger.wrong, ledger.failed, ledger.timed_out, ledger.unfinished];
        lines.push(row(name, &values.map(|n| lang.whole(n)), 11));
    }
}

/// Percentiles in milliseconds: of latency and of service time, with what each is taken of.
fn latencies(
    latency: &LatencyReport,
    service_time: &LatencyReport,
    look: Look,
    lang: Lang,
    lines: &mut Vec<String>,
) {
    let percentiles = ["p50", "p90", "p95", "p99", "p99.9", "p99.99"].map(|p| lang.figure(p.to_owned()));
    let others = [labels::MAX, labels::MEAN].map(|name| name.of(lang).to_owned());
    let columns = [&percentiles[..], &others[..]].concat();
    lines.push(look.dim(&row(lang.pick("milliseconds", "milissegundos"), &columns, 8)));
    let names = [lang.pick("latency", "latência"), lang.pick("service time", "tempo serviço")];
    for (name, l) in names.into_iter().zip([latency, service_time]) {
        let values = [l.p50, l.p90, l.p95, l.p99, l.p99_9, l.p99_99, l.max, l.mean];
        lines.push(row(name, &values.map(|us| lang.figure(narrow_ms(us))), 8));
    }
    let of = lang.pick(
        "latency is of everything that ended, service time of right answers only",
        "a latência é de tudo que terminou, o tempo de serviço só das respostas corretas",
    );
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
fn creations(round: &RoundReport, lang: Lang) -> Option<String> {
    let settled = round.settled_after_s.map_or_else(String::new, |s| {
        let after = lang.figure(words::seconds(s));
        say!(lang, " {after} after the load", " {after} depois da carga")
    });
    let counted = round.counted.map(|counted| lang.whole(counted));
    if !round.creates() {
        let counted = counted?;
        return Some(say!(
            lang,
            "counted {counted} at rest{settled}",
            "contados {counted} em repouso{settled}"
        ));
    }
    let counted =
        counted.unwrap_or_else(|| lang.pick("nothing readable", "nada que se pudesse ler").to_owned());
    let [low, high] = [round.ceiling.min, round.ceiling.max].map(|bound| lang.whole(bound));
    let ceiling = if low == high { high } else { say!(lang, "{low} to {high}", "{low} a {high}") };
    let unknown = match round.unknown {
        0 => String::new(),
        unknown => {
            let unknown = lang.whole(unknown);
            say!(
                lang,
                " (and up to {unknown} of unknown effect)",
                " (e até {unknown} de efeito desconhecido)"
            )
        }
    };
    let [created, probes] = [round.created, round.probes].map(|number| lang.whole(number));
    Some(say!(
        lang,
        "created {created} of {ceiling} possible, and {probes} by probes{unknown}; counted {counted} at rest{settled}",
        "criadas {created} de {ceiling} possíveis, e {probes} pelas sondas{unknown}; contadas {counted} em repouso{settled}"
    ))
}

fn classes(round: &RoundReport, lang: Lang) -> String {
    let classes = round.classes.iter().map(|class| {
        let name = class_name(class.above_ms, class.up_to_ms, lang);
        format!("{name} {} ({})", lang.whole(class.count), lang.figure(percent(class.share)))
    });
    let classes = classes.collect::<Vec<_>>().join(", ");
    say!(lang, "right answers: {classes}", "respostas corretas: {classes}")
}

/// A class of the distribution in words.
fn class_name(above_ms: f64, up_to_ms: Option<f64>, lang: Lang) -> String {
    let whole = |ms: f64| lang.figure(words::number(ms, 0));
    let above = whole(above_ms);
    match up_to_ms.map(whole) {
        Some(bound) if above_ms == 0.0 => say!(lang, "up to {bound} ms", "até {bound} ms"),
        Some(bound) => say!(lang, "{above} to {bound} ms", "{above} a {bound} ms"),
        None => say!(lang, "above {above} ms", "acima de {above} ms"),
    }
}

fn services(services: &[ServiceReport], look: Look, lang: Lang, lines: &mut Vec<String>) {
    if services.is_empty() {
        return;
    }
    let head = [
        labels::CPU_USED,
        labels::LIMIT,
        Both::word("throttled", "CPU cortada"),
        labels::SERVICE_MEMORY_PEAK,
        labels::LIMIT,
    ];
    let widths = [10, 11, 12, 16, 12];
    let cells = |cells: [String; 5]| -> String {
        cells.iter().zip(widths).map(|(cell, columns)| right(cell, columns)).collect()
    };
    let head = cells(head.map(|name| name.of(lang).to_owned()));
    lines.push(look.dim(&format!("{}{head}", left(labels::SERVICE.of(lang), LABEL))));
    for service in services {
        let throttled = crate::digits::share(service.throttled_periods, service.periods);
        let peak = service.memory_peak_bytes;
        let values = cells([
            lang.figure(words::seconds(service.cpu_s)),
            words::cpu_limit(service.cpus, lang),
            lang.figure(percent(throttled)),
            lang.figure(peak.map_or_else(|| words::UNSEEN.to_owned(), |b| words::mib(b as f64))),
            words::memory_limit(service.memory_bytes, lang),
        ]);
        lines.push(format!("{}{values}", left(&clean(&service.name), LABEL)));
    }
}

/// galo's own part in one sentence.
fn engine(engine: &EngineReport, lang: Lang) -> String {
    let [p50, p99, most] =
        [engine.lag_us_p50, engine.lag_us_p99, engine.lag_us_max].map(|us| lang.figure(words::ms(us)));
    let process = engine.process_cpu_s.map_or_else(String::new, |s| {
        let all = lang.figure(words::seconds(s));
        say!(lang, ", {all} with all else", ", {all} com todo o resto")
    });
    let cpu = lang.figure(words::seconds(engine.cpu_s));
    let threads = lang.counted(engine.threads.into(), ENGINE_THREAD);
    let connections = lang.whole(engine.connections);
    say!(
        lang,
        "galo: lag p50 {p50}, p99 {p99}, most {most}; {cpu} of CPU on {threads}{process}; {connections} connections",
        "galo: atraso p50 {p50}, p99 {p99}, máximo {most}; {cpu} de CPU em {threads}{process}; {connections} conexões"
    )
}
