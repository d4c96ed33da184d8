//! Where the CPU went: by service, and for 1,000 right answers.

use std::collections::BTreeMap;

use galo_judge::Standing;

use super::bar::{Part, stacked};
use super::lang::{self, Both};
use super::tables::Table;
use crate::digits::share;
use crate::report::{Report, RoundReport};
use crate::text::clean;
use crate::words::{self, UNSEEN, number, percent};

/// A contender's CPU as a bar of its services.
pub(crate) struct CpuBar {
    pub(crate) name: String,
    pub(crate) bar: Vec<Part>,
}

/// CPU of one service over several rounds.
struct Spent<'a> {
    service: &'a str,
    cpu_s: f64,
}

/// A contender's services in the order in which they start, and its right answers, over the rounds that count; those of a
/// disqualified contender are told too.
fn spent<'a>(report: &'a Report, contender: &str) -> (Vec<Spent<'a>>, u64) {
    let told = |round: &&RoundReport| {
        round.contender == contender
            && matches!(round.standing, Standing::Valid | Standing::Disqualified { .. })
    };
    let rounds = || report.rounds.iter().filter(told);
    let mut by_service: BTreeMap<&str, f64> = BTreeMap::new();
    for service in rounds().flat_map(|round| &round.services) {
        *by_service.entry(&service.name).or_default() += service.cpu_s;
    }
    let order = rounds().next().into_iter().flat_map(|round| &round.services);
    let spent = order.map(|service| Spent {
        service: &service.name,
        cpu_s: by_service.get(service.name.as_str()).copied().unwrap_or(0.0),
    });
    (spent.collect(), rounds().map(|round| round.ledger.ok).sum())
}

/// A bar for each contender of which anything was seen, all on one scale: milliseconds for 1,000 right answers.
pub(crate) fn bars(report: &Report) -> Vec<CpuBar> {
    let all: Vec<_> = report.contenders.iter().map(|c| (&c.name, spent(report, &c.name))).collect();
    let per_answer = |spent: &[Spent<'_>], ok: u64| {
        if ok == 0 { 0.0 } else { spent.iter().map(|s| s.cpu_s).sum::<f64>() / ok as f64 }
    };
    let most = all.iter().map(|(_, (spent, ok))| per_answer(spent, *ok)).fold(0.0, f64::max);
    let bar = |(name, (spent, ok)): &(&String, (Vec<Spent<'_>>, u64))| {
        let parts = spent.iter().enumerate().map(|(index, service)| {
            let each = service.cpu_s / *ok as f64;
            let told = Both::figure(format!("{} ms", number(each * 1e6, 1)));
            (format!("s{}", index % 4), Both::same(clean(service.service)), each / most, told)
        });
        CpuBar { name: clean(name), bar: stacked(parts) }
    };
    all.iter().filter(|(_, (spent, ok))| per_answer(spent, *ok) > 0.0).map(bar).collect()
}

/// The same in figures.
pub(crate) fn table(report: &Report) -> Table {
    let mut rows = Vec::new();
    for contender in &report.contenders {
        let (spent, ok) = spent(report, &contender.name);
        let all: f64 = spent.iter().map(|s| s.cpu_s).sum();
        let row = |name: Both, cpu_s: f64| {
            let per_1000 = (ok > 0).then(|| format!("{} ms", number(cpu_s * 1e6 / ok as f64, 1)));
            let part = if all > 0.0 { cpu_s / all } else { 0.0 };
            let cells = [words::seconds(cpu_s), percent(part), per_1000.unwrap_or_else(|| UNSEEN.to_owned())];
            [name].into_iter().chain(cells.map(Both::figure)).collect::<Vec<_>>()
        };
        let name = clean(&contender.name);
        rows.extend(spent.iter().map(|s| row(Both::same(format!("{name}: {}", clean(s.service))), s.cpu_s)));
        if !spent.is_empty() {
            rows.push(row(Both::same(format!("{name}: ")).then(&lang::ALL_SERVICES), all));
        }
    }
    Table {
        id: "cpu-table".to_owned(),
        class: "cpu",
        caption: lang::CPU_CAPTION,
        heads: vec![lang::SERVICE, lang::CPU_USED, lang::SHARE_OF_ALL, lang::CPU_PER_1000],
        rows,
    }
}

/// CPU and memory by service, of one round of each contender.
pub(crate) fn services(rounds: &[&RoundReport]) -> Table {
    let memory = |bytes: Option<u64>| {
        Both::figure(bytes.map_or_else(|| UNSEEN.to_owned(), |bytes| words::mib(bytes as f64)))
    };
    let mut rows = Vec::new();
    for round in rounds {
        for service in &round.services {
            let throttled = percent(share(service.throttled_periods, service.periods));
            rows.push(vec![
                Both::same(format!("{}: {}", clean(&round.contender), clean(&service.name))),
                Both::figure(words::seconds(service.cpu_s)),
                Both::told(|lang| words::cpu_limit(service.cpus, lang)),
                Both::figure(throttled),
                Both::figure(words::seconds(service.throttled_s)),
                memory(service.memory_peak_bytes),
                memory(service.anonymous_peak_bytes),
                Both::told(|lang| words::memory_limit(service.memory_bytes, lang)),
                Both::same(service.oom_kills.to_string()),
            ]);
        }
    }
    Table {
        id: "service-table".to_owned(),
        class: "services",
        caption: lang::SERVICES_CAPTION,
        heads: vec![
            lang::SERVICE,
            lang::CPU_USED,
            lang::CPU_LIMIT,
            lang::THROTTLED_PERIODS,
            lang::THROTTLED_FOR,
            lang::SERVICE_MEMORY_PEAK,
            lang::SERVICE_ANONYMOUS_PEAK,
            lang::MEMORY_LIMIT,
            lang::KILLED_FOR_MEMORY,
        ],
        rows,
    }
}
