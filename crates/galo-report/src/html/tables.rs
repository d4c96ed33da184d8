//! Tables of the page: what happened in numbers, so that nothing is told by charts alone.

use crate::report::{LatencyReport, LedgerReport, Report, RoundReport, StepReport};
use crate::terminal::{class_name, standing};
use crate::text::clean;
use crate::words::{self, LATENCY, SERVICE_TIME, UNSEEN, count, ms, percent};

/// A table: heads and rows of text, the first column of which names the row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Table {
    /// Style class.
    pub(crate) class: &'static str,
    /// What it is.
    pub(crate) caption: String,
    /// Heads of the columns.
    pub(crate) heads: Vec<&'static str>,
    /// Rows, as wide as `heads`.
    pub(crate) rows: Vec<Vec<String>>,
}

/// Operations by result and what was stored, by round.
pub(crate) fn ledgers(report: &Report) -> Table {
    let rows = report.rounds.iter().map(|round| {
        let mut row =
            vec![round.number.to_string(), clean(&round.contender), clean(&standing(&round.standing))];
        row.extend(ledger(&round.ledger));
        let created = [count(round.created), ceiling(round), count(round.probes), count(round.unknown)];
        row.extend(if round.creates() { created } else { [UNSEEN; 4].map(str::to_owned) });
        row.extend([
            round.counted.map_or_else(|| UNSEEN.to_owned(), count),
            round.settled_after_s.map_or_else(|| UNSEEN.to_owned(), words::seconds),
        ]);
        row
    });
    Table {
        class: "ledgers",
        caption: "Operations of the compared scenarios, and what was stored, by round".to_owned(),
        heads: vec![
            "round",
            "contender",
            "standing",
            "intended",
            "ok",
            "wrong",
            "failed",
            "timed out",
            "unfinished",
            "created",
            "ceiling",
            "probes",
            "unknown",
            "counted",
            "settled after",
        ],
        rows: rows.collect(),
    }
}

fn ceiling(round: &RoundReport) -> String {
    if round.ceiling.min == round.ceiling.max {
        return count(round.ceiling.max);
    }
    format!("{} to {}", count(round.ceiling.min), count(round.ceiling.max))
}

fn ledger(ledger: &LedgerReport) -> [String; 6] {
    [ledger.intended, ledger.ok, ledger.wrong, ledger.failed, ledger.timed_out, ledger.unfinished].map(count)
}

/// galo's own part and the machine's, by round.
pub(crate) fn engine(report: &Report) -> Table {
    let rows = report.rounds.iter().map(|round| {
        let (engine, host) = (&round.engine, &round.host);
        vec![
            round.number.to_string(),
            ms(engine.lag_us_p50),
            ms(engine.lag_us_p99),
            ms(engine.lag_us_max),
            words::seconds(engine.cpu_s),
            engine.process_cpu_s.map_or_else(|| UNSEEN.to_owned(), words::seconds),
            engine.threads.to_string(),
            engine.priority.clone(),
            count(engine.connections),
            format!("{} s", host.steal_s),
            count(host.listen_overflows),
            count(host.listen_drops),
            count(host.retransmissions),
        ]
    });
    Table {
        class: "engine",
        caption: "galo's own part, and what the machine saw during the load, by round".to_owned(),
        heads: vec![
            "round",
            "lag p50",
            "lag p99",
            "lag max",
            "CPU of engine threads",
            "CPU of all of galo",
            "threads",
            "priority",
            "connections",
            "steal",
            "accept queue full",
            "connections dropped",
            "segments sent again",
        ],
        rows: rows.collect(),
    }
}

/// Percentiles of the rounds that the charts show.
pub(crate) fn percentiles(rounds: &[&RoundReport]) -> Table {
    let mut rows = Vec::new();
    for round in rounds {
        for (what, latency) in [(LATENCY, &round.latency), (SERVICE_TIME, &round.service_time)] {
            let mut row = vec![format!("{} {what}", clean(&round.contender))];
            row.extend(quantiles(latency));
            rows.push(row);
        }
    }
    Table {
        class: "percentiles",
        caption:
            "Latency of everything that ended, from the intended start, and service time of right answers only, \
             from the actual send"
                .to_owned(),
        heads: vec!["", "p50", "p75", "p90", "p95", "p99", "p99.9", "p99.99", "max", "mean"],
        rows,
    }
}

fn quantiles(l: &LatencyReport) -> Vec<String> {
    if l.count == 0 {
        return vec![UNSEEN.to_owned(); 9];
    }
    [l.p50, l.p75, l.p90, l.p95, l.p99, l.p99_9, l.p99_99, l.max, l.mean].map(ms).to_vec()
}

/// CPU and memory by service, for the rounds that the charts show.
pub(crate) fn services(rounds: &[&RoundReport]) -> Table {
    let mut rows = Vec::new();
    for round in rounds {
        for service in &round.services {
            rows.push(vec![
                format!("{} {}", clean(&round.contender), clean(&service.name)),
                words::seconds(service.cpu_s),
                words::cpu_limit(service.cpus),
                percent(crate::digits::share(service.throttled_periods, service.periods)),
                words::seconds(service.throttled_s),
                memory(service.memory_peak_bytes),
                memory(service.anonymous_peak_bytes),
                words::memory_limit(service.memory_bytes),
                service.oom_kills.to_string(),
            ]);
        }
    }
    Table {
        class: "services",
        caption: "CPU and memory of each service during the load, each by itself: their peaks need not fall into one \
                  moment, as the score's does"
            .to_owned(),
        heads: vec![
            "service",
            "CPU used",
            "CPU limit",
            "throttled periods",
            "throttled for",
            "memory peak",
            "anonymous peak",
            "memory limit",
            "killed for memory",
        ],
        rows,
    }
}

fn memory(bytes: Option<u64>) -> String {
    bytes.map_or_else(|| UNSEEN.to_owned(), |bytes| words::mib(bytes as f64))
}

/// Steps of the rounds that the charts show.
pub(crate) fn steps(round: &RoundReport) -> Table {
    let rows = round.steps.iter().map(|step| {
        let name = if step.compared { "" } else { " (probe)" };
        let mut row = vec![clean(&format!("{}: {}{name}", step.scenario, step.step))];
        row.extend(ledger(&step.ledger));
        row.push(answers(step));
        let (l, s) = (&step.latency, &step.service_time);
        row.extend([l.p50, l.p99, l.p99_9, l.max, s.p50, s.p99].map(ms));
        row
    });
    Table {
        class: "steps",
        caption: format!(
            "Steps of round {}, {}: latency of everything that ended, service time of right answers only",
            round.number,
            clean(&round.contender)
        ),
        heads: vec![
            "step",
            "intended",
            "ok",
            "wrong",
            "failed",
            "timed out",
            "unfinished",
            "answers",
            "latency p50",
            "latency p99",
            "latency p99.9",
            "latency max",
            "service time p50 (right)",
            "service time p99 (right)",
        ],
        rows: rows.collect(),
    }
}

fn answers(step: &StepReport) -> String {
    let statuses = step.statuses.iter().map(|(status, n)| format!("{status}: {}", count(*n)));
    let errors = step.errors.iter().map(|(error, n)| format!("{}: {}", clean(error), count(*n)));
    statuses.chain(errors).collect::<Vec<_>>().join(", ")
}

/// The machine and the plan, as pairs of words.
pub(crate) fn facts(report: &Report) -> Vec<(String, String)> {
    let machine = &report.machine;
    let kind = if machine.virtual_machine { "virtual machine" } else { "no hypervisor seen" };
    let budget = &report.budget;
    let mut facts: Vec<(String, String)> = [
        ("started", report.started.clone()),
        ("galo", report.galo.clone()),
        ("challenge", format!("{}, profile {}, scale {}", report.challenge, report.profile, report.scale)),
        ("seed", report.seed.to_string()),
        ("data (SHA-256)", report.data_sha256.clone()),
        ("budget", format!("{} CPU, {}", budget.cpus, words::memory_limit(Some(budget.memory_bytes)))),
        (
            "processor",
            format!("{}, {} ({kind})", machine.cpu, words::counted(machine.cores as usize, "core")),
        ),
        ("memory", words::mib(machine.memory_bytes as f64)),
        ("system", format!("{}, {}", machine.system, machine.kernel)),
        ("control groups", machine.cgroups.clone()),
        ("clock source", machine.clock_source.clone()),
    ]
    .map(|(name, value)| (name.to_owned(), clean(&value)))
    .to_vec();
    let floor = report.noise_floor.iter().map(words::noise_floor);
    facts.extend(floor.map(|told| ("noise floor".to_owned(), clean(&told))));
    facts.extend(machine.settings.iter().map(|(name, value)| (clean(name), clean(value))));
    for contender in &report.contenders {
        let limits = contender
            .services
            .iter()
            .map(|s| format!("{} {} CPU, {}", s.name, s.cpus, words::memory_limit(Some(s.memory_bytes))));
        facts.push((clean(&contender.name), clean(&limits.collect::<Vec<_>>().join("; "))));
        facts.push((clean(&format!("{} (SHA-256)", contender.name)), clean(&contender.file_sha256)));
    }
    facts
}

/// A contender's distribution over the classes: a bar of parts, and what they say.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Distribution {
    /// Contender's name.
    pub(crate) name: String,
    /// Classes ascending, then what was not answered rightly.
    pub(crate) parts: Vec<Part>,
}

/// One class.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Part {
    /// Style class.
    pub(crate) class: String,
    /// What it is.
    pub(crate) name: String,
    /// How many.
    pub(crate) count: String,
    /// Their share in words.
    pub(crate) share: String,
    /// Their share as a width in percent.
    pub(crate) width: String,
}

/// The distributions of the rounds that the charts show.
pub(crate) fn distributions(rounds: &[&RoundReport]) -> Vec<Distribution> {
    rounds.iter().map(|round| distribution(round)).collect()
}

fn distribution(round: &RoundReport) -> Distribution {
    let intended = round.ledger.intended;
    let last = round.classes.len().saturating_sub(1);
    let mut parts: Vec<_> = round
        .classes
        .iter()
        .enumerate()
        .map(|(i, c)| {
            let class = if i == last { "slow".to_owned() } else { format!("k{}", i.min(2)) };
            part(class, class_name(c.above_ms, c.up_to_ms), c.count, intended)
        })
        .collect();
    let not_right = intended.saturating_sub(round.ledger.ok);
    parts.push(part("bad".to_owned(), "not right".to_owned(), not_right, intended));
    Distribution { name: clean(&round.contender), parts }
}

fn part(class: String, name: String, number: u64, of: u64) -> Part {
    let share = if of == 0 { 0.0 } else { number as f64 / of as f64 };
    Part { class, name, count: count(number), share: percent(share), width: format!("{:.2}", share * 100.0) }
}
