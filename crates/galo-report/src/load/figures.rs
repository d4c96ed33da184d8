//! What may be asserted of a load: its figures by the names that people write.

use galo_record::{Latencies, Ledger, StepLatencies};

use super::amount::Unit;
use super::{LoadLatency, LoadReport, errors, per_second};
use crate::report::LedgerReport;

/// The figures of a load, or of an interval of one.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    ok_per_s: f64,
    ledger: LedgerReport,
    latency: LoadLatency,
    service_time: LoadLatency,
    /// p50, p99, p99.9 and the most, in microseconds.
    lag_us: [f64; 4],
}

impl From<&LoadReport> for Figures {
    fn from(report: &LoadReport) -> Self {
        let engine = &report.engine.all;
        Self {
            ok_per_s: report.ok_per_s,
            ledger: report.ledger,
            latency: report.latency,
            service_time: report.service_time,
            lag_us: [engine.lag_us_p50, engine.lag_us_p99, engine.lag_us_p99_9, engine.lag_us_max],
        }
    }
}

impl Figures {
    /// Those of an interval of `elapsed_ns`, of what ended in it.
    pub fn of_interval(elapsed_ns: u64, ledger: &Ledger, latencies: &StepLatencies, lag: &Latencies) -> Self {
        Self {
            ok_per_s: per_second(ledger.ok, elapsed_ns),
            ledger: ledger.into(),
            latency: (&latencies.all()).into(),
            service_time: (&latencies.ok_service).into(),
            lag_us: [lag.quantile_us(0.5), lag.quantile_us(0.99), lag.quantile_us(0.999), lag.max_us()],
        }
    }

    /// One figure: microseconds, a count, a share, or a rate. `None` where there was nothing to take it of, so that
    /// a load in which nothing happened meets no bound.
    pub(super) fn get(&self, figure: Figure, unit: Unit) -> Option<f64> {
        let intended = self.ledger.intended;
        let of = |latency: &LoadLatency, get: fn(&LoadLatency) -> f64| {
            (latency.percentiles.count > 0).then(|| get(latency))
        };
        match figure {
            Figure::Latency(index) => of(&self.latency, STATISTICS[index].1),
            Figure::ServiceTime(index) => of(&self.service_time, STATISTICS[index].1),
            Figure::Lag(index) => (intended > 0).then(|| self.lag_us[index]),
            Figure::Rate => (intended > 0).then_some(self.ok_per_s),
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

type Statistic = (&'static str, fn(&LoadLatency) -> f64);
type Count = (&'static str, fn(&LedgerReport) -> u64);

/// What is taken of latencies.
const STATISTICS: [Statistic; 14] = [
    ("min", |l| l.min),
    ("p50", |l| l.percentiles.p50),
    ("p75", |l| l.percentiles.p75),
    ("p90", |l| l.percentiles.p90),
    ("p95", |l| l.percentiles.p95),
    ("p99", |l| l.percentiles.p99),
    ("p99.9", |l| l.percentiles.p99_9),
    ("p99.99", |l| l.percentiles.p99_99),
    ("max", |l| l.percentiles.max),
    ("mean", |l| l.percentiles.mean),
    ("deviation", |l| l.standard_deviation),
    ("tm95", |l| l.tm95),
    ("tm99", |l| l.tm99),
    ("tm99.9", |l| l.tm99_9),
];

/// What is counted.
const COUNTS: [Count; 7] = [
    ("intended", |l| l.intended),
    ("ok", |l| l.ok),
    ("wrong", |l| l.wrong),
    ("failed", |l| l.failed),
    ("timed_out", |l| l.timed_out),
    ("unfinished", |l| l.unfinished),
    ("errors", errors),
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
