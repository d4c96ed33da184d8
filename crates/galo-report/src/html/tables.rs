//! Tables of a fight's page: what happened in numbers, so that nothing is told by charts alone.

use galo_judge::Standing;
use galo_record::Machine;

use super::bar::{Part, stacked};
use super::data;
use super::lang::{self, Both};
use crate::report::{LatencyReport, Report, RoundReport, StepReport};
use crate::text::clean;
use crate::words::{self, Lang, UNSEEN, count, ms, percent};

/// A table: heads and rows of text, the first column of which names the row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Table {
    /// Identifier in the page.
    pub(crate) id: String,
    /// Style class.
    pub(crate) class: &'static str,
    /// What it is.
    pub(crate) caption: Both,
    /// Heads of the columns.
    pub(crate) heads: Vec<Both>,
    /// Rows, as wide as `heads`.
    pub(crate) rows: Vec<Vec<Both>>,
}

fn number(n: u64) -> Both {
    Both::figure(count(n))
}

/// A figure; a dash where nothing was seen.
fn seen(figure: Option<String>) -> Both {
    Both::figure(figure.unwrap_or_else(|| UNSEEN.to_owned()))
}

/// Operations by result and what was stored, by round.
pub(crate) fn ledgers(report: &Report) -> Table {
    let rows = report.rounds.iter().map(|round| {
        let mut row = vec![number(round.number.into()), Both::same(clean(&round.contender)), standing(round)];
        row.extend(words::ledger(&round.ledger));
        let created = [count(round.created), ceiling(round), count(round.probes), count(round.unknown)];
        row.extend(created.map(|cell| seen(round.creates().then_some(cell))));
        row.extend([seen(round.counted.map(count)), seen(round.settled_after_s.map(words::seconds))]);
        row
    });
    let rows = rows.collect();
    let mut heads = vec![lang::ROUND, lang::CONTENDER, lang::STANDING];
    heads.extend(lang::LEDGER_HEADS);
    heads.extend([lang::CREATED, lang::CEILING, lang::PROBES, lang::UNKNOWN]);
    heads.extend([lang::COUNTED, lang::SETTLED_AFTER]);
    Table { id: "ledgers".to_owned(), class: "ledgers", caption: lang::LEDGER_CAPTION, heads, rows }
}

/// A round's standing, with the rules or the reason.
fn standing(round: &RoundReport) -> Both {
    let why = match &round.standing {
        Standing::Valid => return lang::VALID,
        Standing::Disqualified { rules } => Both::same(rules.join(", ")),
        Standing::Void { .. } | Standing::NotReady { .. } => round.told_why(),
    };
    data::standing(&round.standing).then(&Both::same(": ")).then(&why.map(clean))
}

fn ceiling(round: &RoundReport) -> String {
    if round.ceiling.min == round.ceiling.max {
        return count(round.ceiling.max);
    }
    format!("{}–{}", count(round.ceiling.min), count(round.ceiling.max))
}

/// galo's own part and the machine's, by round.
pub(crate) fn engine(report: &Report) -> Table {
    let rows = report.rounds.iter().map(|round| {
        let (engine, host) = (&round.engine, &round.host);
        vec![
            number(round.number.into()),
            Both::figure(ms(engine.lag_us_p50)),
            Both::figure(ms(engine.lag_us_p99)),
            Both::figure(ms(engine.lag_us_max)),
            Both::figure(words::seconds(engine.cpu_s)),
            seen(engine.process_cpu_s.map(words::seconds)),
            number(engine.threads.into()),
            Both::same(engine.priority.clone()),
            number(engine.connections),
            Both::figure(format!("{} s", host.steal_s)),
            number(host.listen_overflows),
            number(host.listen_drops),
            number(host.retransmissions),
        ]
    });
    Table {
        id: "engine".to_owned(),
        class: "engine",
        caption: lang::ENGINE_CAPTION,
        heads: vec![
            lang::ROUND,
            lang::LAG_P50,
            lang::LAG_P99,
            lang::LAG_MAX,
            lang::CPU_OF_ENGINE,
            lang::CPU_OF_GALO,
            lang::THREADS,
            lang::PRIORITY,
            lang::CONNECTIONS,
            lang::STEAL,
            lang::ACCEPT_QUEUE_FULL,
            lang::CONNECTIONS_DROPPED,
            lang::SENT_AGAIN,
        ],
        rows: rows.collect(),
    }
}

/// Percentiles of one round of each contender.
pub(crate) fn percentiles(rounds: &[&RoundReport]) -> Table {
    let mut rows = Vec::new();
    for round in rounds {
        let latencies =
            [(lang::LATENCY_OF_ALL, &round.latency), (lang::SERVICE_TIME_OF_RIGHT, &round.service_time)];
        for (what, latency) in latencies {
            let name = Both::same(format!("{}: ", clean(&round.contender)));
            rows.push([name.then(&what)].into_iter().chain(quantiles(latency)).collect());
        }
    }
    let p = |text| Both::figure(text);
    let heads = ["", "p50", "p75", "p90", "p95", "p99", "p99.9", "p99.99"].into_iter().map(p);
    Table {
        id: "percentile-table".to_owned(),
        class: "percentiles",
        caption: lang::PERCENTILES_CAPTION,
        heads: heads.chain([lang::MAX, lang::MEAN]).collect(),
        rows,
    }
}

fn quantiles(l: &LatencyReport) -> [Both; 9] {
    [l.p50, l.p75, l.p90, l.p95, l.p99, l.p99_9, l.p99_99, l.max, l.mean]
        .map(|us| seen((l.count > 0).then(|| ms(us))))
}

/// Steps of a round.
pub(crate) fn steps(round: &RoundReport) -> Table {
    let rows = round.steps.iter().map(|step| {
        let name = Both::same(clean(&format!("{}: {}", step.scenario, step.step)));
        let probe = Both::new(format!(" ({})", lang::PROBE.en), format!(" ({})", lang::PROBE.pt));
        let mut row = vec![if step.compared { name } else { name.then(&probe) }];
        row.extend(words::ledger(&step.ledger));
        row.push(answers(step));
        let (l, s) = (&step.latency, &step.service_time);
        row.extend([l.p50, l.p99, l.p99_9, l.max, s.p50, s.p99].map(|us| Both::figure(ms(us))));
        row
    });
    let rows = rows.collect();
    let mut heads = vec![lang::STEP];
    heads.extend(lang::LEDGER_HEADS);
    heads.extend([lang::CAME_BACK, lang::LATENCY_P50, lang::LATENCY_P99, lang::LATENCY_P999]);
    heads.extend([lang::LATENCY_MAX, lang::SERVICE_TIME_P50, lang::SERVICE_TIME_P99]);
    let (number, name) = (round.number, clean(&round.contender));
    let caption = Both::new(
        format!(
            "Steps of round {number}, {name}: latency of everything that ended, service time of right answers only"
        ),
        format!(
            "Passos da rodada {number}, {name}: latência de tudo que terminou, tempo de serviço só das respostas corretas"
        ),
    );
    Table { id: format!("steps-{number}"), class: "steps", caption, heads, rows }
}

fn answers(step: &StepReport) -> Both {
    let statuses = step.statuses.iter().map(|(status, n)| format!("{status}: {}", count(*n)));
    let errors = step.errors.iter().map(|(error, n)| format!("{}: {}", clean(error), count(*n)));
    Both::figure(statuses.chain(errors).collect::<Vec<_>>().join(", "))
}

/// A round's response times in the classes of the challenge: a bar, and the figures.
pub(crate) struct Distribution {
    /// Contender and round.
    pub(crate) name: Both,
    pub(crate) bar: Vec<Part>,
    pub(crate) table: Table,
}

pub(crate) fn distribution(round: &RoundReport) -> Distribution {
    let intended = round.ledger.intended;
    let share = |n: u64| if intended == 0 { 0.0 } else { n as f64 / intended as f64 };
    let last = round.classes.len().saturating_sub(1);
    let classes = round.classes.iter().enumerate().map(|(index, class)| {
        let style = if index == last { "slow".to_owned() } else { format!("k{}", index.min(1)) };
        (style, class_name(class.above_ms, class.up_to_ms), class.count)
    });
    let not_right = intended.saturating_sub(round.ledger.ok);
    let parts: Vec<_> = classes.chain([("bad".to_owned(), lang::NOT_RIGHT, not_right)]).collect();
    let told = |n| Both::figure(percent(share(n)));
    let bar =
        stacked(parts.iter().map(|(style, name, n)| (style.clone(), name.clone(), share(*n), told(*n))));
    let rows = parts.into_iter().map(|(_, name, n)| vec![name, number(n), told(n)]);
    Distribution {
        name: of_round(round),
        bar,
        table: Table {
            id: format!("classes-{}", round.number),
            class: "classes",
            caption: lang::CLASSES_CAPTION,
            heads: vec![lang::CLASS, lang::NUMBER, lang::SHARE],
            rows: rows.collect(),
        },
    }
}

/// Whose round, and which.
fn of_round(round: &RoundReport) -> Both {
    let (name, number) = (clean(&round.contender), round.number);
    Both::new(format!("{name}, round {number}"), format!("{name}, rodada {number}"))
}

/// A class of the distribution in words.
fn class_name(above_ms: f64, up_to_ms: Option<f64>) -> Both {
    let ms = |bound: f64| Both::figure(words::number(bound, 0));
    let above = ms(above_ms);
    match up_to_ms.map(ms) {
        Some(bound) if above_ms == 0.0 => {
            Both::new(format!("up to {} ms", bound.en), format!("até {} ms", bound.pt))
        }
        Some(bound) => {
            Both::new(format!("{} to {} ms", above.en, bound.en), format!("{} a {} ms", above.pt, bound.pt))
        }
        None => Both::new(format!("above {} ms", above.en), format!("acima de {} ms", above.pt)),
    }
}

/// The machine and the plan, as pairs of words.
pub(crate) fn facts(report: &Report) -> Vec<(Both, Both)> {
    let budget = &report.budget;
    let mut facts = vec![
        (lang::STARTED, Both::same(clean(&report.started))),
        (Both::same("galo"), Both::same(clean(&report.galo))),
        (lang::CHALLENGE, plan(report)),
        (lang::SEED, Both::same(report.seed.to_string())),
        (lang::DATA, Both::same(clean(&report.data_sha256))),
        (lang::BUDGET, Both::told(|lang| limits(budget.cpus, budget.memory_bytes, lang))),
    ];
    let machine = &report.machine;
    let of_machine =
        [&machine.cpu, &machine.system, &machine.kernel, &machine.cgroups, &machine.clock_source];
    facts.extend(machine_facts(of_machine, machine.cores, machine.memory_bytes, machine.virtual_machine));
    facts.extend(
        report
            .noise_floor
            .iter()
            .map(|floor| (lang::NOISE_FLOOR, Both::told(|lang| clean(&words::noise_floor(floor, lang))))),
    );
    facts.extend(
        machine.settings.iter().map(|(name, value)| (Both::same(clean(name)), Both::same(clean(value)))),
    );
    for contender in &report.contenders {
        let told = Both::told(|lang| {
            let each = contender.services.iter();
            let each = each.map(|s| format!("{} {}", s.name, limits(s.cpus, s.memory_bytes, lang)));
            clean(&each.collect::<Vec<_>>().join("; "))
        });
        let name = clean(&contender.name);
        facts.push((Both::same(name.clone()), told));
        facts.push((Both::same(format!("{name} (SHA-256)")), Both::same(clean(&contender.file_sha256))));
    }
    facts
}

fn plan(report: &Report) -> Both {
    let (challenge, profile) = (clean(&report.challenge), clean(&report.profile));
    let scale = Both::figure(report.scale.to_string());
    Both::new(
        format!("{challenge}, profile {profile}, scale {}", scale.en),
        format!("{challenge}, perfil {profile}, escala {}", scale.pt),
    )
}

fn limits(cpus: f64, memory_bytes: u64, lang: Lang) -> String {
    format!("{}, {}", words::cpu_limit(Some(cpus), lang), words::memory_limit(Some(memory_bytes), lang))
}

/// What there is to know of a machine: `of` are processor, system, kernel, control groups and clock source.
pub(crate) fn machine_facts(
    of: [&String; 5],
    cores: u32,
    memory_bytes: u64,
    is_virtual: bool,
) -> Vec<(Both, Both)> {
    let [cpu, system, kernel, cgroups, clock] = of.map(|text| clean(text));
    let (en, pt) = if is_virtual {
        ("virtual machine", "máquina virtual")
    } else {
        ("no hypervisor seen", "nenhum hipervisor visto")
    };
    let processor = Both::new(
        format!("{cpu}, {} ({en})", words::counted(cores as usize, "core")),
        format!("{cpu}, {cores} {} ({pt})", if cores == 1 { "núcleo" } else { "núcleos" }),
    );
    vec![
        (lang::PROCESSOR, processor),
        (lang::MEMORY, Both::figure(words::mib(memory_bytes as f64))),
        (lang::SYSTEM, Both::same(format!("{system}, {kernel}"))),
        (lang::CONTROL_GROUPS, Both::same(cgroups)),
        (lang::CLOCK_SOURCE, Both::same(clock)),
    ]
}

/// The machine as it was recorded.
pub(crate) fn machine(machine: &Machine) -> Vec<(Both, Both)> {
    let of_machine =
        [&machine.cpu, &machine.system, &machine.kernel, &machine.cgroups, &machine.clock_source];
    let facts = machine_facts(of_machine, machine.cores, machine.memory_bytes, machine.virtual_machine);
    let settings = machine.settings.iter().map(|(n, v)| (Both::same(clean(n)), Both::same(clean(v))));
    facts.into_iter().chain(settings).collect()
}
