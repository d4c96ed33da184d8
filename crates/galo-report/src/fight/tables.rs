//! What happened in numbers, so that nothing is told by charts alone.

use galo_judge::fight::{JudgedFight, JudgedRound, JudgedStep};
use std::collections::BTreeMap;

use galo_judge::Standing;
use galo_words::{Both, count, ms, number, percent};

use super::round::classes_of;
use super::standing;
use crate::digits::{decimals, share};
use crate::document::{Bar, Narrow, Part, Row, Table, seen};
use crate::words::{self, UNSEEN, labels};
use galo_record::Percentiles;

fn whole(n: u64) -> Both {
    Both::figure(count(n))
}

fn seconds(ns: u64) -> Both {
    Both::figure(galo_words::seconds(ns as f64 / 1e9))
}

fn in_ms(us: f64) -> Both {
    Both::figure(ms(us))
}

/// Operations by result and what was stored, by round.
pub(super) fn ledgers(report: &JudgedFight) -> Table {
    let rows = report.rounds.iter().map(|round| {
        let mut cells = vec![
            whole(round.judgement.number.into()),
            Both::same(round.contender.clone()),
            with_reason(round),
        ];
        cells.extend(labels::ledger_cells(&round.judgement.ledger));
        let created = [
            count(round.judgement.created),
            ceiling(round),
            count(round.judgement.probes),
            count(round.judgement.unknown),
        ];
        cells.extend(created.map(|cell| seen(round.creates().then_some(cell))));
        cells.extend([
            seen(round.judgement.counted.map(count)),
            seen(round.judgement.settled_after_s.map(galo_words::seconds)),
        ]);
        let latency = &round.latency;
        cells.extend([latency.p50, latency.p99].map(|us| seen((latency.count > 0).then(|| ms(us)))));
        Row::plain(cells)
    });
    let caption = labels::LEDGER_CAPTION.then(&Both::same(". ")).then(&labels::LEDGER_ADDS_UP);
    let mut heads = vec![labels::ROUND, labels::CONTENDER, labels::STANDING];
    heads.extend(labels::LEDGER_HEADS);
    heads.extend([labels::CREATED, labels::CEILING, labels::PROBES, labels::UNKNOWN]);
    heads.extend([labels::COUNTED, labels::SETTLED_AFTER, labels::P50, labels::P99]);
    Table {
        narrow: Narrow::Columns(&[0, 3, 4, 5, 6, 7, 8]),
        ..Table::new("ledgers", caption, heads, rows.collect())
    }
}

/// A round's standing, with the rules or the reason.
fn with_reason(round: &JudgedRound) -> Both {
    let why = match &round.judgement.standing {
        Standing::Valid => return labels::VALID,
        Standing::Disqualified { rules } => Both::same(rules.join(", ")),
        Standing::Void { .. } | Standing::NotReady { .. } => words::why(&round.judgement.standing),
    };
    standing(&round.judgement.standing).then(&Both::same(": ")).then(&why)
}

fn ceiling(round: &JudgedRound) -> String {
    if round.judgement.ceiling.min == round.judgement.ceiling.max {
        return count(round.judgement.ceiling.max);
    }
    format!("{}–{}", count(round.judgement.ceiling.min), count(round.judgement.ceiling.max))
}

/// galo's own part and the machine's, by round.
pub(super) fn engine(report: &JudgedFight) -> Table {
    let rows = report.rounds.iter().map(|round| {
        let (engine, host) = (&round.engine, &round.host);
        Row::plain([
            whole(round.judgement.number.into()),
            in_ms(engine.lag_us_p50),
            in_ms(engine.lag_us_p99),
            in_ms(engine.lag_us_max),
            seconds(engine.cpu_ns),
            seen(round.galo_cpu_ns.map(|ns| galo_words::seconds(ns as f64 / 1e9))),
            whole(engine.threads.into()),
            Both::same(engine.priority.to_string()),
            whole(engine.connections),
            Both::figure(format!("{} s", decimals(host.steal_ns as f64 / 1e9, 3))),
            whole(host.listen_overflows),
            whole(host.listen_drops),
            whole(host.retransmissions),
        ])
    });
    let heads = vec![
        labels::ROUND,
        labels::LAG_P50,
        labels::LAG_P99,
        labels::LAG_MAX,
        labels::CPU_OF_ENGINE,
        labels::CPU_OF_GALO,
        labels::THREADS,
        labels::PRIORITY,
        labels::CONNECTIONS,
        labels::STEAL,
        labels::ACCEPT_QUEUE_FULL,
        labels::CONNECTIONS_DROPPED,
        labels::SENT_AGAIN,
    ];
    let table = Table::new("engine", labels::ENGINE_CAPTION, heads, rows.collect());
    Table { narrow: Narrow::Nothing, ..table }
}

/// Percentiles of one round of each contender.
pub(super) fn percentiles(rounds: &[&JudgedRound]) -> Table {
    let is_alone = rounds.len() == 1;
    let rows = rounds.iter().flat_map(|round| {
        [(labels::LATENCY_OF_ALL, &round.latency), (labels::SERVICE_TIME_OF_RIGHT, &round.service_time)].map(
            |(what, latency)| {
                let name = of_whom(round, is_alone).then(&what);
                Row::plain([name].into_iter().chain(quantiles(latency)))
            },
        )
    });
    let heads = ["", "p50", "p75", "p90", "p95", "p99", "p99.9", "p99.99"].map(Both::figure);
    let heads = heads.into_iter().chain([labels::MAX, labels::MEAN]).collect();
    Table {
        narrow: Narrow::Columns(&[0, 1, 3, 5, 6, 8]),
        ..Table::new("percentile-table", labels::PERCENTILES_CAPTION, heads, rows.collect())
    }
}

/// What tells the rows of several contenders apart.
fn of_whom(round: &JudgedRound, is_alone: bool) -> Both {
    Both::same(if is_alone { String::new() } else { format!("{}: ", round.contender) })
}

fn quantiles(l: &Percentiles) -> [Both; 9] {
    [l.p50, l.p75, l.p90, l.p95, l.p99, l.p99_9, l.p99_99, l.max, l.mean]
        .map(|us| seen((l.count > 0).then(|| ms(us))))
}

/// Steps of a round.
pub(super) fn steps(round: &JudgedRound) -> Table {
    let rows = round.steps.iter().map(|step| {
        let name = Both::same(format!("{}: {}", step.scenario, step.step));
        let probe = Both::new(format!(" ({})", labels::PROBE.en), format!(" ({})", labels::PROBE.pt));
        let mut cells = vec![if step.compared { name } else { name.then(&probe) }];
        cells.extend(labels::ledger_cells(&step.ledger));
        cells.push(answers(step));
        let (l, s) = (&step.latency, &step.service_time);
        cells.extend([l.p50, l.p99, l.p99_9, l.max, s.p50, s.p99].map(in_ms));
        Row::plain(cells)
    });
    let mut heads = vec![labels::STEP];
    heads.extend(labels::LEDGER_HEADS);
    heads.extend([labels::CAME_BACK, labels::LATENCY_P50, labels::LATENCY_P99, labels::LATENCY_P999]);
    heads.extend([labels::LATENCY_MAX, labels::SERVICE_TIME_P50, labels::SERVICE_TIME_P99]);
    let (number, name) = (round.judgement.number, &round.contender);
    let caption = Both::new(
        format!(
            "Steps of round {number}, {name}: latency of everything that ended, service time of right answers only"
        ),
        format!(
            "Passos da rodada {number}, {name}: latência de tudo que terminou, tempo de serviço só das respostas corretas"
        ),
    );
    let table = Table::new(format!("steps-{number}"), caption, heads, rows.collect());
    Table { narrow: Narrow::Nothing, ..table }
}

fn answers(step: &JudgedStep) -> Both {
    let statuses = step.statuses.iter().map(|(status, n)| format!("{status}: {}", count(*n)));
    let errors = step.errors.iter().map(|(error, n)| format!("{error}: {}", count(*n)));
    Both::figure(statuses.chain(errors).collect::<Vec<_>>().join(", "))
}

/// The classes of a round's response times: a bar beside it says the same.
pub(super) fn classes(round: &JudgedRound) -> Table {
    let all = round.judgement.ledger.intended;
    let row =
        |(_, name, n): (&str, Both, u64)| Row::plain([name, whole(n), Both::figure(percent(share(n, all)))]);
    let (id, name) =
        (format!("classes-{}", round.judgement.number), Both::same(format!("{}: ", round.contender)));
    let heads = vec![labels::CLASS, labels::NUMBER, labels::SHARE];
    let rows = classes_of(round).into_iter().map(row).collect();
    Table { narrow: Narrow::Nothing, ..Table::new(id, name.then(&labels::CLASSES_CAPTION), heads, rows) }
}

/// CPU of one service over several rounds.
struct Spent<'a> {
    service: &'a str,
    cpu_s: f64,
}

/// A contender's rounds that count; those of a disqualified contender are told too.
fn told<'a>(report: &'a JudgedFight, contender: &str) -> impl Iterator<Item = &'a JudgedRound> {
    report.rounds.iter().filter(move |round| {
        round.contender == contender
            && matches!(round.judgement.standing, Standing::Valid | Standing::Disqualified { .. })
    })
}

/// A contender's services in the order in which they start, and its right answers, over the rounds that count.
fn spent<'a>(report: &'a JudgedFight, contender: &str) -> (Vec<Spent<'a>>, u64) {
    let rounds = || told(report, contender);
    let mut by_service: BTreeMap<&str, f64> = BTreeMap::new();
    for service in rounds().flat_map(|round| &round.services) {
        *by_service.entry(&service.name).or_default() += service.cpu_s();
    }
    let order = rounds().next().into_iter().flat_map(|round| &round.services);
    let spent = order.map(|service| Spent {
        service: &service.name,
        cpu_s: by_service.get(service.name.as_str()).copied().unwrap_or(0.0),
    });
    (spent.collect(), rounds().map(|round| round.judgement.ledger.ok).sum())
}

/// A bar for each contender of which anything was seen, all on one scale: milliseconds for 1,000 right answers.
pub(super) fn cpu_bars(report: &JudgedFight) -> Vec<Bar> {
    const COLOURS: [&str; 4] = ["s0", "s1", "s2", "s3"];
    let all: Vec<_> = report.contenders.iter().map(|c| (&c.name, spent(report, &c.name))).collect();
    let per_answer = |spent: &[Spent<'_>], ok: u64| {
        if ok == 0 { 0.0 } else { spent.iter().map(|s| s.cpu_s).sum::<f64>() / ok as f64 }
    };
    let most = all.iter().map(|(_, (spent, ok))| per_answer(spent, *ok)).fold(0.0, f64::max);
    let bar = |(name, (spent, ok)): &(&String, (Vec<Spent<'_>>, u64))| {
        let parts = spent.iter().enumerate().map(|(index, service)| {
            let each = service.cpu_s / *ok as f64;
            Part {
                class: COLOURS[index % COLOURS.len()],
                name: Both::same(service.service.to_owned()),
                share: each / most,
                told: Both::figure(format!("{} ms", number(each * 1e6, 1))),
            }
        });
        Bar { name: Both::same(name.to_string()), parts: parts.collect(), in_terminal: false }
    };
    all.iter().filter(|(_, (spent, ok))| per_answer(spent, *ok) > 0.0).map(bar).collect()
}

/// The same in figures.
pub(super) fn cpu(report: &JudgedFight) -> Table {
    let mut rows = Vec::new();
    for contender in &report.contenders {
        let (spent, ok) = spent(report, &contender.name);
        let all: f64 = spent.iter().map(|s| s.cpu_s).sum();
        let part = |cpu_s: f64| percent(if all > 0.0 { cpu_s / all } else { 0.0 });
        let row = |name: Both, cpu_s: f64, part: String| {
            let per_1000 = (ok > 0).then(|| format!("{} ms", number(cpu_s * 1e6 / ok as f64, 1)));
            let cells = [galo_words::seconds(cpu_s), part, per_1000.unwrap_or_else(|| UNSEEN.to_owned())];
            Row::plain([name].into_iter().chain(cells.map(Both::figure)))
        };
        let of = |name: Both| Both::same(format!("{}: ", contender.name)).then(&name);
        rows.extend(spent.iter().map(|s| row(of(Both::same(s.service.to_owned())), s.cpu_s, part(s.cpu_s))));
        if !spent.is_empty() {
            rows.push(row(of(labels::ALL_SERVICES), all, part(all)));
        }
        let beside: Vec<f64> = told(report, &contender.name)
            .filter_map(|round| round.container_engine_ns)
            .map(|ns| ns as f64 / 1e9)
            .collect();
        if !beside.is_empty() {
            rows.push(row(of(labels::CONTAINER_ENGINE), beside.iter().sum(), UNSEEN.to_owned()));
        }
    }
    let heads = vec![labels::SERVICE, labels::CPU_USED, labels::SHARE_OF_ALL, labels::CPU_PER_1000];
    Table { narrow: Narrow::Nothing, ..Table::new("cpu-table", labels::CPU_CAPTION, heads, rows) }
}

/// CPU and memory by service, of one round of each contender.
pub(super) fn services(rounds: &[&JudgedRound]) -> Table {
    let memory = |bytes: Option<u64>| seen(bytes.map(|bytes| galo_words::mib(bytes as f64)));
    let is_alone = rounds.len() == 1;
    let rows = rounds.iter().flat_map(|round| {
        let services = round.services.iter().map(move |service| {
            let usage = &service.usage;
            let throttled = percent(share(usage.throttled_periods, usage.periods));
            Row::plain([
                of_whom(round, is_alone).then(&Both::same(service.name.clone())),
                seconds(usage.cpu_ns.unwrap_or(0)),
                Both::told(|lang| words::cpu_limit(service.cpus, lang)),
                Both::figure(throttled),
                seconds(usage.throttled_ns),
                memory(usage.memory_peak_bytes),
                memory(usage.anonymous_peak_bytes),
                Both::told(|lang| words::memory_limit(service.memory_bytes, lang)),
                Both::same(usage.oom_kills.to_string()),
            ])
        });
        let beside = round.container_engine_ns.map(|cpu_ns| {
            let name = of_whom(round, is_alone).then(&labels::CONTAINER_ENGINE);
            let unseen = std::iter::repeat_with(|| Both::same(UNSEEN)).take(7);
            Row::plain([name, seconds(cpu_ns)].into_iter().chain(unseen))
        });
        services.chain(beside)
    });
    let heads = vec![
        labels::SERVICE,
        labels::CPU_USED,
        labels::CPU_LIMIT,
        labels::THROTTLED_PERIODS,
        labels::THROTTLED_FOR,
        labels::SERVICE_MEMORY_PEAK,
        labels::SERVICE_ANONYMOUS_PEAK,
        labels::MEMORY_LIMIT,
        labels::KILLED_FOR_MEMORY,
    ];
    Table {
        narrow: Narrow::Columns(&[0, 1, 2, 4, 5, 7]),
        ..Table::new("service-table", labels::SERVICES_CAPTION, heads, rows.collect())
    }
}
