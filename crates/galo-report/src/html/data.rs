//! What the page's script draws: columns of rounded numbers, one for each line of a chart.

use std::collections::BTreeMap;

use galo_judge::Standing;
use serde::Serialize;

use super::lang::{Both, CHART_WORDS, DISQUALIFIED, NOT_READY, VALID, VOID};
use crate::digits::significant;
use crate::report::{Report, RoundReport};
use crate::series::{Percentile, RoundSeries, Second, ServiceSecond, ServiceSeries};
use crate::text::clean;

/// All of it.
#[derive(Debug, Serialize)]
pub(crate) struct ChartData {
    words: BTreeMap<&'static str, [String; 2]>,
    contenders: Vec<String>,
    /// By contender: which of `rounds` is shown at first.
    shown: Vec<Option<usize>>,
    rounds: Vec<RoundColumns>,
    /// Of a duel.
    levels: Vec<LevelColumns>,
}

/// One round; columns over time are by second, and `null` stands for what was not seen.
#[derive(Debug, Serialize)]
struct RoundColumns {
    number: u32,
    contender: usize,
    standing: [String; 2],
    /// Milliseconds.
    p50: Vec<Option<f64>>,
    p99: Vec<Option<f64>>,
    arrivals: Vec<u64>,
    done: Vec<u64>,
    not_ok: Vec<u64>,
    services: Vec<ServiceColumns>,
    /// One in how many took longer, and milliseconds.
    latency: [Vec<f64>; 2],
    service_time: [Vec<f64>; 2],
}

#[derive(Debug, Serialize)]
struct ServiceColumns {
    name: String,
    cpus: Option<f64>,
    memory_mib: Option<f64>,
    cpu: Vec<Option<f64>>,
    /// Percent of the periods.
    throttled: Vec<Option<f64>>,
    /// MiB.
    memory: Vec<Option<f64>>,
}

impl LevelColumns {
    /// Of a load by its name; milliseconds by side, by pair.
    pub(crate) fn new(name: &Both, p99_ms: &[Vec<Option<f64>>; 2]) -> Self {
        let column = |values: &Vec<Option<f64>>| values.iter().map(|value| value.map(digits)).collect();
        Self { name: name.pair(), p99: p99_ms.each_ref().map(column) }
    }
}

/// One level of a duel.
#[derive(Debug, Serialize)]
pub(crate) struct LevelColumns {
    pub(crate) name: [String; 2],
    /// Milliseconds, by side, by pair; `null`: galo spoiled it.
    pub(crate) p99: [Vec<Option<f64>>; 2],
}

impl ChartData {
    /// Of a fight. `shown` are numbers of rounds, by contender.
    pub(crate) fn of_fight(report: &Report, series: &[RoundSeries], shown: &[Option<u32>]) -> Self {
        let drawn: Vec<_> = series
            .iter()
            .filter(|series| !series.is_empty())
            .filter_map(|series| {
                Some((series, report.rounds.iter().find(|round| round.number == series.number)?))
            })
            .collect();
        let place = |number: &u32| drawn.iter().position(|(series, _)| series.number == *number);
        Self {
            words: words(),
            contenders: report.contenders.iter().map(|c| clean(&c.name)).collect(),
            shown: shown.iter().map(|number| number.as_ref().and_then(place)).collect(),
            rounds: drawn.iter().map(|(series, round)| RoundColumns::new(report, series, round)).collect(),
            levels: Vec::new(),
        }
    }

    /// Of a duel.
    pub(crate) fn of_duel(sides: [String; 2], levels: Vec<LevelColumns>) -> Self {
        Self { words: words(), contenders: sides.into(), shown: Vec::new(), rounds: Vec::new(), levels }
    }

    /// Of what has no charts.
    pub(crate) fn none() -> Self {
        Self {
            words: words(),
            contenders: Vec::new(),
            shown: Vec::new(),
            rounds: Vec::new(),
            levels: Vec::new(),
        }
    }

    /// Whether there is nothing to draw.
    pub(crate) fn is_empty(&self) -> bool {
        self.rounds.is_empty() && self.levels.is_empty()
    }
}

fn words() -> BTreeMap<&'static str, [String; 2]> {
    CHART_WORDS.iter().map(|(name, word)| (*name, word.pair())).collect()
}

impl RoundColumns {
    fn new(report: &Report, series: &RoundSeries, round: &RoundReport) -> Self {
        let seconds = |value: fn(&Second) -> Option<f64>| {
            series.seconds.iter().map(|second| value(second).map(|us| digits(us / 1e3))).collect()
        };
        let count = |value: fn(&Second) -> u64| series.seconds.iter().map(value).collect();
        Self {
            number: round.number,
            contender: report.contenders.iter().position(|c| c.name == round.contender).unwrap_or(0),
            standing: standing(&round.standing).pair(),
            p50: seconds(|s| s.ok_latency_us_p50),
            p99: seconds(|s| s.ok_latency_us_p99),
            arrivals: count(|s| s.arrivals),
            done: count(|s| s.ok + s.not_ok),
            not_ok: count(|s| s.not_ok),
            services: series.services.iter().map(ServiceColumns::new).collect(),
            latency: curve(&series.latency),
            service_time: curve(&series.service_time),
        }
    }
}

impl ServiceColumns {
    fn new(service: &ServiceSeries) -> Self {
        let seconds = |value: fn(&ServiceSecond) -> Option<f64>| {
            service.seconds.iter().map(|second| value(second).map(digits)).collect()
        };
        Self {
            name: clean(&service.name),
            cpus: service.cpus,
            memory_mib: service.memory_bytes.map(mib),
            cpu: seconds(|s| s.cpus),
            throttled: seconds(|s| s.throttled_share.map(|share| share * 100.0)),
            memory: seconds(|s| s.memory_bytes.map(mib)),
        }
    }
}

/// Whether a round counts, in a word.
pub(crate) const fn standing(standing: &Standing) -> Both {
    match standing {
        Standing::Valid => VALID,
        Standing::Disqualified { .. } => DISQUALIFIED,
        Standing::Void { .. } => VOID,
        Standing::NotReady { .. } => NOT_READY,
    }
}

fn curve(points: &[Percentile]) -> [Vec<f64>; 2] {
    let column = |value: fn(&Percentile) -> f64| points.iter().map(|p| significant(value(p), 5)).collect();
    [column(|p| p.one_in), column(|p| p.us / 1e3)]
}

/// As many digits as a chart can show.
pub(crate) fn digits(value: f64) -> f64 {
    significant(value, 4)
}

fn mib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}
