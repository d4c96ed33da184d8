//! What may be asserted of a load: its figures by the names that people write, never rounded.

use galo_record::load::EngineRecord;
use galo_record::{Latencies, Ledger, StepLatencies};

use super::amount::Unit;

/// The figures of a load. By default those of a load in which nothing happened.
#[derive(Debug, Clone, Default)]
pub struct Figures {
    elapsed_ns: u64,
    ledger: Ledger,
    latency: Latencies,
    service_time: Latencies,
    /// p50, p99, p99.9 and the most, in microseconds.
    lag_us: [f64; 4],
}

impl Figures {
    /// Those of operations with these totals, in a load that took so long.
    pub fn of(elapsed_ns: u64, ledger: &Ledger, latencies: &StepLatencies, engine: &EngineRecord) -> Self {
        Self {
            elapsed_ns,
            ledger: *ledger,
            latency: latencies.all(),
            service_time: latencies.ok_service.clone(),
            lag_us: [engine.lag_us_p50, engine.lag_us_p99, engine.lag_us_p99_9, engine.lag_us_max],
        }
    }

    /// One figure: microseconds, a count, a share, or a rate. `None` where there was nothing to take it of, so that
    /// a load in which nothing happened meets no bound.
    pub(super) fn get(&self, figure: Figure, unit: Unit) -> Option<f64> {
        let intended = self.ledger.intended;
        let of =
            |latency: &Latencies, get: fn(&Latencies) -> f64| (!latency.is_empty()).then(|| get(latency));
        match figure {
            Figure::Latency(index) => of(&self.latency, STATISTICS[index].1),
            Figure::ServiceTime(index) => of(&self.service_time, STATISTICS[index].1),
            Figure::Lag(index) => (intended > 0).then(|| self.lag_us[index]),
            Figure::Rate => (intended > 0 && self.elapsed_ns > 0)
                .then(|| self.ledger.ok as f64 * 1e9 / self.elapsed_ns as f64),
            Figure::Count(index) => {
                let number = COUNTS[index].1(&self.ledger) as f64;
                let whole = if unit == Unit::Share { intended as f64 } else { 1.0 };
                (intended > 0).then(|| number / whole)
            }
        }
    }
}

/// Which figure; an index is one into the table of the names that it may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Figure {
    Latency(usize),
    ServiceTime(usize),
    Lag(usize),
    Rate,
    Count(usize),
}

type Statistic = (&'static str, fn(&Latencies) -> f64);
type Count = (&'static str, fn(&Ledger) -> u64);

/// What is taken of latencies.
const STATISTICS: [Statistic; 14] = [
    ("min", Latencies::min_us),
    ("p50", |l| l.quantile_us(0.5)),
    ("p75", |l| l.quantile_us(0.75)),
    ("p90", |l| l.quantile_us(0.9)),
    ("p95", |l| l.quantile_us(0.95)),
    ("p99", |l| l.quantile_us(0.99)),
    ("p99.9", |l| l.quantile_us(0.999)),
    ("p99.99", |l| l.quantile_us(0.9999)),
    ("max", Latencies::max_us),
    ("mean", Latencies::mean_us),
    ("deviation", Latencies::standard_deviation_us),
    ("tm95", |l| l.trimmed_mean_us(0.95)),
    ("tm99", |l| l.trimmed_mean_us(0.99)),
    ("tm99.9", |l| l.trimmed_mean_us(0.999)),
];

/// What is counted.
const COUNTS: [Count; 7] = [
    ("intended", |l| l.intended),
    ("ok", |l| l.ok),
    ("wrong", |l| l.wrong),
    ("failed", |l| l.failed),
    ("timed_out", |l| l.timed_out),
    ("unfinished", |l| l.unfinished),
    ("errors", |l| l.intended - l.ok.min(l.intended)),
];

/// What is known of lag, as in [`Figures::lag_us`].
const LAGS: [&str; 4] = ["p50", "p99", "p99.9", "max"];

/// What stands before a statistic of service time, and of lag. Of latency nothing need.
const SERVICE: &str = "service.";
const LAG: &str = "lag.";
const RATE: &str = "rate";

impl Figure {
    /// The figure of this name.
    pub(super) fn named(name: &str) -> Option<Self> {
        let statistic = |name| STATISTICS.iter().position(|(known, _)| *known == name);
        if let Some(name) = name.strip_prefix(SERVICE) {
            return statistic(name).map(Self::ServiceTime);
        }
        if let Some(name) = name.strip_prefix(LAG) {
            return LAGS.iter().position(|known| *known == name).map(Self::Lag);
        }
        if name == RATE {
            return Some(Self::Rate);
        }
        let count = || COUNTS.iter().position(|(known, _)| *known == name).map(Self::Count);
        statistic(name).map(Self::Latency).or_else(count)
    }

    /// What it is counted in; a count also as a share.
    pub(super) const fn unit(self) -> Unit {
        match self {
            Self::Latency(_) | Self::ServiceTime(_) | Self::Lag(_) => Unit::Time,
            Self::Rate => Unit::Rate,
            Self::Count(_) => Unit::Count,
        }
    }

    /// Its name.
    pub(super) fn name(self) -> String {
        match self {
            Self::Latency(index) => STATISTICS[index].0.to_owned(),
            Self::ServiceTime(index) => format!("{SERVICE}{}", STATISTICS[index].0),
            Self::Lag(index) => format!("{LAG}{}", LAGS[index]),
            Self::Rate => RATE.to_owned(),
            Self::Count(index) => COUNTS[index].0.to_owned(),
        }
    }

    /// All figures.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        let latency = (0..STATISTICS.len()).map(Self::Latency);
        let service = (0..STATISTICS.len()).map(Self::ServiceTime);
        let rest = (0..LAGS.len()).map(Self::Lag).chain([Self::Rate]);
        latency.chain(service).chain(rest).chain((0..COUNTS.len()).map(Self::Count))
    }
}
