//! What the page's script draws: columns of rounded numbers, one for each line of a chart.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::document::{PairLevel, Pairs, Timeline, TimelineRound};
use crate::series::{Percentile, Second, ServiceSecond, ServiceSeries};
use crate::text::clean;
use crate::words::labels::CHART_WORDS;
use galo_words::significant;

/// All of it.
#[derive(Debug, Default, Serialize)]
pub(crate) struct ChartData {
    words: BTreeMap<&'static str, [String; 2]>,
    contenders: Vec<String>,
    /// By contender: which of `rounds` is shown at first.
    shown: Vec<Option<usize>>,
    rounds: Vec<RoundColumns>,
    /// A duel's levels of load; empty for other runs.
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

/// One level of a duel.
#[derive(Debug, Serialize)]
struct LevelColumns {
    name: [String; 2],
    /// Milliseconds, by side, by pair; `null`: galo spoiled it.
    p99: [Vec<Option<f64>>; 2],
}

impl ChartData {
    /// Of what a page has to draw.
    pub(crate) fn of(timeline: Option<&Timeline>, pairs: Option<&Pairs>) -> Self {
        let words = CHART_WORDS.iter().map(|(name, word)| (*name, word.pair())).collect();
        let names = |names: &[String]| names.iter().map(|name| clean(name)).collect();
        let mut charts = Self { words, ..Self::default() };
        if let Some(timeline) = timeline {
            let place =
                |number: &u32| timeline.rounds.iter().position(|round| round.series.number == *number);
            charts.contenders = names(&timeline.contenders);
            charts.shown = timeline.shown.iter().map(|number| number.as_ref().and_then(place)).collect();
            charts.rounds = timeline.rounds.iter().map(RoundColumns::new).collect();
        }
        if let Some(pairs) = pairs {
            charts.contenders = names(&pairs.sides);
            charts.levels = pairs.levels.iter().map(LevelColumns::new).collect();
        }
        charts
    }
}

impl LevelColumns {
    fn new(level: &PairLevel) -> Self {
        let column = |values: &Vec<Option<f64>>| values.iter().map(|value| value.map(digits)).collect();
        Self { name: level.name.pair(), p99: level.p99_ms.each_ref().map(column) }
    }
}

impl RoundColumns {
    fn new(TimelineRound { contender, standing, series }: &TimelineRound) -> Self {
        let seconds = |value: fn(&Second) -> Option<f64>| {
            series.seconds.iter().map(|second| value(second).map(|us| digits(us / 1e3))).collect()
        };
        let count = |value: fn(&Second) -> u64| series.seconds.iter().map(value).collect();
        Self {
            number: series.number,
            contender: *contender,
            standing: standing.pair(),
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

fn curve(points: &[Percentile]) -> [Vec<f64>; 2] {
    let column = |value: fn(&Percentile) -> f64| points.iter().map(|p| significant(value(p), 5)).collect();
    [column(|p| p.one_in), column(|p| p.us / 1e3)]
}

/// As many digits as a chart can show.
fn digits(value: f64) -> f64 {
    significant(value, 4)
}

fn mib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}
