//! What happened in numbers, so that nothing is told by charts alone.

use galo_judge::Standing;
use galo_judge::fight::{JudgedContender, JudgedFight, JudgedRound, JudgedStep, ServiceSeen};
use galo_record::{Percentiles, ServiceUsage};
use galo_words::{Both, Figure, say};

use super::round::{classes_of, money};
use super::standing;
use crate::columns;
use crate::digits::{decimals, share};
use crate::document::{Bar, Cell, Column, Part, Table};
use crate::words::{self, labels};

/// A column of rounds.
type OfRound<'a> = Column<'a, JudgedRound>;

fn number<'a>() -> OfRound<'a> {
    OfRound::text(labels::ROUND, |round| u64::from(round.judgement.number))
}

/// Operations by result and what was stored, by round.
pub(super) fn ledgers(fight: &JudgedFight) -> Table {
    let created = |head: Both, of: fn(&JudgedRound) -> Cell| {
        OfRound::new(head, move |round| if round.creates() { of(round) } else { Cell::Unseen }).wide()
    };
    let first = [
        number(),
        OfRound::text(labels::CONTENDER, |round| round.contender.clone()).wide(),
        OfRound::text(labels::STANDING, with_reason).wide(),
    ];
    let last = [
        created(labels::CREATED, |round| round.judgement.created.into()),
        created(labels::CEILING, ceiling),
        created(labels::PROBES, |round| round.judgement.probes.into()),
        created(labels::UNKNOWN, |round| round.judgement.unknown.into()),
        OfRound::new(labels::COUNTED, |round| round.judgement.counted).wide(),
        OfRound::new(labels::SETTLED_AFTER, |round| round.judgement.settled_after_s.map(Figure::Seconds))
            .wide(),
        columns::P50.column(|round: &JudgedRound| &round.latency).wide(),
        columns::P99.column(|round: &JudgedRound| &round.latency).wide(),
    ];
    let results = columns::ledger(|round: &JudgedRound| &round.judgement.ledger);
    let has_score = fight.rounds.iter().any(|round| round.judgement.score.is_some());
    let score = OfRound::new(labels::CONTEST_SCORE, |round| round.judgement.score.as_ref().map(money)).wide();
    let last = last.into_iter().chain(has_score.then_some(score));
    let caption = labels::LEDGER_CAPTION.then(&Both::same(". ")).then(&labels::LEDGER_ADDS_UP);
    Table::new("ledgers", caption, first.into_iter().chain(results).chain(last), &fight.rounds)
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

fn ceiling(round: &JudgedRound) -> Cell {
    let ceiling = &round.judgement.ceiling;
    if ceiling.min == ceiling.max {
        return ceiling.max.into();
    }
    Both::each(|lang| format!("{}–{}", lang.whole(ceiling.min), lang.whole(ceiling.max))).into()
}

/// galo's own part and the machine's, by round.
pub(super) fn engine(fight: &JudgedFight) -> Table {
    let columns = [
        number(),
        OfRound::new(labels::LAG_P50, |round| Figure::Ms(round.engine.lag_us_p50)),
        OfRound::new(labels::LAG_P99, |round| Figure::Ms(round.engine.lag_us_p99)),
        OfRound::new(labels::LAG_MAX, |round| Figure::Ms(round.engine.lag_us_max)),
        OfRound::new(labels::CPU_OF_ENGINE, |round| Figure::seconds_of(round.engine.cpu_ns)),
        OfRound::new(labels::CPU_OF_GALO, |round| round.galo_cpu_ns.map(Figure::seconds_of)),
        OfRound::new(labels::THREADS, |round| u64::from(round.engine.threads)),
        OfRound::new(labels::PRIORITY, |round| round.engine.priority.to_string()),
        OfRound::new(labels::CONNECTIONS, |round| round.engine.connections),
        OfRound::new(labels::STEAL, |round| Figure::Of(decimals(round.host.steal_ns as f64 / 1e9, 3), "s")),
        OfRound::new(labels::ACCEPT_QUEUE_FULL, |round| round.host.listen_overflows),
        OfRound::new(labels::CONNECTIONS_DROPPED, |round| round.host.listen_drops),
        OfRound::new(labels::SENT_AGAIN, |round| round.host.retransmissions),
    ];
    Table::new("engine", labels::ENGINE_CAPTION, columns, &fight.rounds).wide()
}

/// Percentiles of one round of each contender.
pub(super) fn percentiles(rounds: &[&JudgedRound]) -> Table {
    let is_alone = rounds.len() == 1;
    let rows = rounds.iter().flat_map(|round| {
        let of = |what: Both| of_whom(round, is_alone).then(&what);
        [
            (of(labels::LATENCY_OF_ALL), &round.latency),
            (of(labels::SERVICE_TIME_OF_RIGHT), &round.service_time),
        ]
    });
    type Times<'a> = (Both, &'a Percentiles);
    let columns = [
        Column::text(Both::same(""), |(name, _): &Times<'_>| name.clone()),
        columns::P50.column(|(_, times): &Times<'_>| times),
        columns::P75.column(|(_, times): &Times<'_>| times).wide(),
        columns::P90.column(|(_, times): &Times<'_>| times),
        columns::P95.column(|(_, times): &Times<'_>| times).wide(),
        columns::P99.column(|(_, times): &Times<'_>| times),
        columns::P999.column(|(_, times): &Times<'_>| times),
        columns::P9999.column(|(_, times): &Times<'_>| times).wide(),
        columns::MAX.column(|(_, times): &Times<'_>| times),
        columns::MEAN.column(|(_, times): &Times<'_>| times).wide(),
    ];
    Table::new("percentile-table", labels::PERCENTILES_CAPTION, columns, rows)
}

/// What tells the rows of several contenders apart.
fn of_whom(round: &JudgedRound, is_alone: bool) -> Both {
    Both::same(if is_alone { String::new() } else { format!("{}: ", round.contender) })
}

/// Steps of a round.
pub(super) fn steps(round: &JudgedRound) -> Table {
    type OfStep<'a> = Column<'a, JudgedStep>;
    let name = |step: &JudgedStep| {
        let name = Both::same(format!("{}: {}", step.scenario, step.step));
        let probe = Both::same(" (").then(&labels::PROBE).then(&Both::same(")"));
        if step.compared { name } else { name.then(&probe) }
    };
    let results = columns::ledger(|step: &JudgedStep| &step.ledger);
    let times = [
        OfStep::text(labels::CAME_BACK, answers),
        OfStep::new(labels::LATENCY_P50, |step| columns::P50.cell(&step.latency)),
        OfStep::new(labels::LATENCY_P99, |step| columns::P99.cell(&step.latency)),
        OfStep::new(labels::LATENCY_P999, |step| columns::P999.cell(&step.latency)),
        OfStep::new(labels::LATENCY_MAX, |step| columns::MAX.cell(&step.latency)),
        OfStep::new(labels::SERVICE_TIME_P50, |step| columns::P50.cell(&step.service_time)),
        OfStep::new(labels::SERVICE_TIME_P99, |step| columns::P99.cell(&step.service_time)),
    ];
    let columns = [OfStep::text(labels::STEP, name)].into_iter().chain(results).chain(times);
    let (number, name) = (round.judgement.number, &round.contender);
    let caption = Both::each(|lang| {
        say!(
            lang,
            "Steps of round {number}, {name}: latency of everything that ended, service time of right answers only",
            "Passos da rodada {number}, {name}: latência de tudo que terminou, tempo de serviço só das respostas corretas"
        )
    });
    Table::new(format!("steps-{number}"), caption, columns, &round.steps).wide()
}

fn answers(step: &JudgedStep) -> Both {
    Both::each(|lang| {
        let statuses = step.statuses.iter().map(|(status, n)| format!("{status}: {}", lang.whole(*n)));
        let errors = step.errors.iter().map(|(error, n)| format!("{error}: {}", lang.whole(*n)));
        statuses.chain(errors).collect::<Vec<_>>().join(", ")
    })
}

/// The classes of a round's response times: a bar beside it says the same.
pub(super) fn classes(round: &JudgedRound) -> Table {
    type OfClass<'a> = Column<'a, (&'static str, Both, u64)>;
    let all = round.judgement.ledger.intended;
    let columns = [
        OfClass::text(labels::CLASS, |(_, name, _)| name.clone()),
        OfClass::new(labels::NUMBER, |(_, _, n)| *n),
        OfClass::new(labels::SHARE, |(_, _, n)| Figure::Share(share(*n, all))),
    ];
    let caption = Both::same(format!("{}: ", round.contender)).then(&labels::CLASSES_CAPTION);
    Table::new(format!("classes-{}", round.judgement.number), caption, columns, classes_of(round)).wide()
}

/// Milliseconds for 1,000 right answers.
fn ms_per_1000(cpu_ns: Option<u64>, ok: u64) -> Option<f64> {
    cpu_ns.filter(|_| ok > 0).map(|ns| ns as f64 / 1e3 / ok as f64)
}

/// A bar for each contender of which anything was seen, all on one scale: milliseconds for 1,000 right answers.
pub(super) fn cpu_bars(fight: &JudgedFight) -> Vec<Bar> {
    const COLOURS: [&str; 4] = ["s0", "s1", "s2", "s3"];
    let each =
        |contender: &JudgedContender, cpu_ns| ms_per_1000(cpu_ns, contender.summary.ok).unwrap_or_default();
    let all = |contender: &JudgedContender| each(contender, contender.summary.cpu_ns());
    let most = fight.contenders.iter().map(all).fold(0.0, f64::max);
    let bar = |contender: &JudgedContender| {
        let parts = contender.summary.cpu.iter().enumerate().map(|(index, service)| {
            let ms = each(contender, service.cpu_ns);
            Part {
                class: COLOURS[index % COLOURS.len()],
                name: Both::same(service.service.clone()),
                share: ms / most,
                told: Both::figure(Figure::With(ms, 1, "ms")),
            }
        });
        Bar { name: Both::same(contender.name.clone()), parts: parts.collect(), in_terminal: false }
    };
    fight.contenders.iter().filter(|contender| all(contender) > 0.0).map(bar).collect()
}

/// CPU of a service, of all services, or of what is no part of them; `None`: not seen.
struct Cpu<'a> {
    contender: &'a JudgedContender,
    name: Both,
    cpu_ns: Option<u64>,
    is_part: bool,
}

/// The same in figures.
pub(super) fn cpu(fight: &JudgedFight) -> Table {
    let rows = fight.contenders.iter().flat_map(|contender| {
        let cpu = move |name, cpu_ns, is_part| Cpu { contender, name, cpu_ns, is_part };
        let summary = &contender.summary;
        let services = summary.cpu.iter();
        let services = services.map(move |of| cpu(Both::same(of.service.clone()), of.cpu_ns, true));
        let all = (!summary.cpu.is_empty()).then(|| cpu(labels::ALL_SERVICES, summary.cpu_ns(), true));
        let beside = summary.container_engine_ns.map(|ns| cpu(labels::CONTAINER_ENGINE, Some(ns), false));
        services.chain(all).chain(beside)
    });
    type OfCpu<'a> = Column<'a, Cpu<'a>>;
    let columns = [
        OfCpu::text(labels::SERVICE, |cpu| Both::same(format!("{}: ", cpu.contender.name)).then(&cpu.name)),
        OfCpu::new(labels::CPU_USED, |cpu| cpu.cpu_ns.map(Figure::seconds_of)),
        OfCpu::new(labels::SHARE_OF_ALL, |cpu| {
            let both = cpu.cpu_ns.zip(cpu.contender.summary.cpu_ns()).filter(|_| cpu.is_part);
            both.map(|(own, all)| Figure::Share(own as f64 / all.max(1) as f64))
        }),
        OfCpu::new(labels::CPU_PER_1000, |cpu| {
            ms_per_1000(cpu.cpu_ns, cpu.contender.summary.ok).map(|ms| Figure::With(ms, 1, "ms"))
        }),
    ];
    Table::new("cpu-table", labels::CPU_CAPTION, columns, rows).wide()
}

/// A service, or the container engine beside them, of which only its CPU is known.
struct Used<'a> {
    name: Both,
    /// `None`: nothing of it was seen.
    cpu_ns: Option<u64>,
    service: Option<&'a ServiceSeen>,
}

/// CPU and memory by service, of one round of each contender.
pub(super) fn services(rounds: &[&JudgedRound]) -> Table {
    let is_alone = rounds.len() == 1;
    let rows = rounds.iter().flat_map(|round| {
        let services = round.services.iter().map(move |service| Used {
            name: of_whom(round, is_alone).then(&Both::same(service.name.clone())),
            cpu_ns: service.usage.cpu_ns,
            service: Some(service),
        });
        let beside = round.container_engine_ns.map(|cpu_ns| Used {
            name: of_whom(round, is_alone).then(&labels::CONTAINER_ENGINE),
            cpu_ns: Some(cpu_ns),
            service: None,
        });
        services.chain(beside)
    });
    type OfUsed<'a> = Column<'a, Used<'a>>;
    let of_service =
        |head: Both, cell: fn(&ServiceSeen) -> Cell| OfUsed::new(head, move |used| used.service.map(cell));
    // Counters are 0 as well where nothing was seen.
    let counted = |head: Both, cell: fn(&ServiceUsage) -> Cell| {
        OfUsed::new(head, move |used| used.cpu_ns.and(used.service).map(|seen| cell(&seen.usage)))
    };
    let columns = [
        OfUsed::text(labels::SERVICE, |used| used.name.clone()),
        OfUsed::new(labels::CPU_USED, |used| used.cpu_ns.map(Figure::seconds_of)),
        of_service(labels::CPU_LIMIT, |s| Both::each(|lang| words::cpu_limit(s.cpus, lang)).into()),
        counted(labels::THROTTLED_PERIODS, |usage| {
            Figure::Share(share(usage.throttled_periods, usage.periods)).into()
        })
        .wide(),
        counted(labels::THROTTLED_FOR, |usage| Figure::seconds_of(usage.throttled_ns).into()),
        of_service(labels::SERVICE_MEMORY_PEAK, |s| mib(s.usage.memory_peak_bytes)),
        of_service(labels::SERVICE_ANONYMOUS_PEAK, |s| mib(s.usage.anonymous_peak_bytes)).wide(),
        of_service(labels::MEMORY_LIMIT, |s| {
            Both::each(|lang| words::memory_limit(s.memory_bytes, lang)).into()
        }),
        counted(labels::KILLED_FOR_MEMORY, |usage| usage.oom_kills.into()).wide(),
    ];
    Table::new("service-table", labels::SERVICES_CAPTION, columns, rows)
}

fn mib(bytes: Option<u64>) -> Cell {
    bytes.map(|bytes| Figure::Mib(bytes as f64)).into()
}
