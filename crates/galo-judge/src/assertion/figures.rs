//! What may be asserted of a load: its figures by the names that people write, never rounded.

use galo_plan::JsonSchema;
use galo_record::load::EngineRecord;
use galo_record::{Latencies, Ledger, StepLatencies};
use serde::{Deserialize, Serialize};

use super::amount::Unit;

/// The figures of a load. By default those of a load in which nothing happened.
#[derive(Debug, Clone, Default)]
pub struct Figures {
    rate_ns: u64,
    ledger: Ledger,
    latency: Latencies,
    service_time: Latencies,
    /// p50, p99, p99.9 and the most, in microseconds.
    lag_us: [f64; 4],
}

impl Figures {
    /// Figures of a load with these totals. Rates are over `rate_ns` ([`galo_record::LoadRecord::rate_ns`]).
    pub fn from_load(
        rate_ns: u64,
        ledger: &Ledger,
        latencies: &StepLatencies,
        engine: &EngineRecord,
    ) -> Self {
        Self {
            rate_ns,
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
            |latency: &Latencies, statistic: Statistic| (!latency.is_empty()).then(|| statistic.of(latency));
        match figure {
            Figure::Latency(statistic) => of(&self.latency, statistic),
            Figure::ServiceTime(statistic) => of(&self.service_time, statistic),
            Figure::Lag(index) => (intended > 0).then(|| self.lag_us[index]),
            Figure::Rate => {
                (intended > 0 && self.rate_ns > 0).then(|| self.ledger.ok as f64 * 1e9 / self.rate_ns as f64)
            }
            Figure::Count(index) => {
                let number = COUNTS[index].1(&self.ledger) as f64;
                let whole = if unit == Unit::Share { intended as f64 } else { 1.0 };
                (intended > 0).then(|| number / whole)
            }
        }
    }

    /// On what a latency stands; of all else there is nothing to say.
    pub(super) fn ground(&self, figure: Figure) -> Ground {
        let (latency, statistic) = match figure {
            Figure::Latency(statistic) => (&self.latency, statistic),
            Figure::ServiceTime(statistic) => (&self.service_time, statistic),
            Figure::Lag(_) | Figure::Rate | Figure::Count(_) => return Ground::default(),
        };
        let Ledger { ok, intended, .. } = self.ledger;
        let few = intended > 0 && (ok as f64) < RIGHT_SHARE_MIN * intended as f64;
        let right = few.then_some(Right { answers: ok, requests: intended });
        Ground { right, slowest_of: statistic.slowest_of(latency.count()) }
    }
}

/// On what a latency stands, where that is to be known beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Ground {
    /// Right answers, where the figure is a latency and under 99 % of the requests got one: then it says how quickly requests
    /// failed. null: enough were right, or the figure is no latency.
    pub right: Option<Right>,
    /// Number of operations, where so few ended that the percentile is their slowest.
    pub slowest_of: Option<u64>,
}

/// How many requests were answered rightly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Right {
    /// Right answers.
    pub answers: u64,
    /// Requests that fell due.
    pub requests: u64,
}

/// With a smaller share of right answers than this, latencies say how quickly somebody fails.
pub const RIGHT_SHARE_MIN: f64 = 0.99;

/// Which figure; an index is one into the table of the names that it may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Figure {
    Latency(Statistic),
    ServiceTime(Statistic),
    Lag(usize),
    Rate,
    Count(usize),
}

/// What is taken of latencies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Statistic {
    /// In millionths of a percent: above 0, and 100 % at most.
    Percentile(u32),
    /// One of [`STATISTICS`].
    Named(usize),
}

type Named = (&'static str, fn(&Latencies) -> f64);
type Count = (&'static str, fn(&Ledger) -> u64);

/// What is taken of latencies, but for percentiles.
const STATISTICS: [Named; 7] = [
    ("min", Latencies::min_us),
    ("max", Latencies::max_us),
    ("mean", Latencies::mean_us),
    ("deviation", Latencies::standard_deviation_us),
    ("tm95", |l| l.trimmed_mean_us(0.95)),
    ("tm99", |l| l.trimmed_mean_us(0.99)),
    ("tm99.9", |l| l.trimmed_mean_us(0.999)),
];

/// Percentiles that are named to people, in millionths of a percent.
const PERCENTILES: [u32; 7] =
    [50_000_000, 75_000_000, 90_000_000, 95_000_000, 99_000_000, 99_900_000, 99_990_000];

/// One percent, in millionths.
const PERCENT: u32 = 1_000_000;

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
pub(super) const LAGS: [&str; 4] = ["p50", "p99", "p99.9", "max"];

/// What stands before a statistic of service time, and of lag. Of latency nothing need.
pub(super) const SERVICE: &str = "service.";
pub(super) const LAG: &str = "lag.";
const RATE: &str = "rate";

impl Statistic {
    fn of(self, latencies: &Latencies) -> f64 {
        match self {
            Self::Percentile(millionths) => {
                latencies.quantile_us(f64::from(millionths) / f64::from(100 * PERCENT))
            }
            Self::Named(index) => STATISTICS[index].1(latencies),
        }
    }

    /// Where a percentile of so many is the slowest of them.
    fn slowest_of(self, count: u64) -> Option<u64> {
        let Self::Percentile(millionths) = self else { return None };
        let beyond = u128::from(100 * PERCENT - millionths) * u128::from(count);
        (millionths < 100 * PERCENT && count > 0 && beyond < u128::from(100 * PERCENT)).then_some(count)
    }

    fn named(name: &str) -> Option<Self> {
        let known = STATISTICS.iter().position(|(known, _)| *known == name).map(Self::Named);
        known.or_else(|| Some(Self::Percentile(percentile(name)?.ok()?)))
    }

    fn name(self) -> String {
        match self {
            Self::Named(index) => STATISTICS[index].0.to_owned(),
            Self::Percentile(millionths) => {
                let (whole, rest) = (millionths / PERCENT, millionths % PERCENT);
                let digits = format!("{rest:06}");
                let digits = digits.trim_end_matches('0');
                format!("p{whole}{}{digits}", if digits.is_empty() { "" } else { "." })
            }
        }
    }

    /// Figures that hints name to people.
    fn all() -> impl Iterator<Item = Self> {
        PERCENTILES.into_iter().map(Self::Percentile).chain((0..STATISTICS.len()).map(Self::Named))
    }
}

/// What `p99.5` asks for, in millionths of a percent; `None`: it asks for no percentile.
pub(super) fn percentile(name: &str) -> Option<Result<u32, NoPercentile>> {
    let digits = name.strip_prefix('p').filter(|digits| digits.starts_with(|c: char| c.is_ascii_digit()))?;
    let (whole, rest) = digits.split_once('.').unwrap_or((digits, "0"));
    if rest.is_empty() || !whole.bytes().chain(rest.bytes()).all(|b| b.is_ascii_digit()) {
        return None;
    }
    let rest = rest.trim_end_matches('0');
    if rest.len() > 6 {
        return Some(Err(NoPercentile::TooFine));
    }
    let millionths = format!("{whole}{rest:0<6}").parse::<u32>().ok();
    Some(
        millionths.filter(|millionths| (1..=100 * PERCENT).contains(millionths)).ok_or(NoPercentile::Outside),
    )
}

/// Why there is no such percentile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoPercentile {
    /// It is 0 %, or over 100 %.
    Outside,
    /// It has more than six decimals.
    TooFine,
}

impl Figure {
    /// The figure of this name.
    pub(super) fn named(name: &str) -> Option<Self> {
        if let Some(name) = name.strip_prefix(SERVICE) {
            return Statistic::named(name).map(Self::ServiceTime);
        }
        if let Some(name) = name.strip_prefix(LAG) {
            return LAGS.iter().position(|known| *known == name).map(Self::Lag);
        }
        if name == RATE {
            return Some(Self::Rate);
        }
        let count = || COUNTS.iter().position(|(known, _)| *known == name).map(Self::Count);
        Statistic::named(name).map(Self::Latency).or_else(count)
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
            Self::Latency(statistic) => statistic.name(),
            Self::ServiceTime(statistic) => format!("{SERVICE}{}", statistic.name()),
            Self::Lag(index) => format!("{LAG}{}", LAGS[index]),
            Self::Rate => RATE.to_owned(),
            Self::Count(index) => COUNTS[index].0.to_owned(),
        }
    }

    /// All figures, of any percentiles the usual ones.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        let latency = Statistic::all().map(Self::Latency);
        let service = Statistic::all().map(Self::ServiceTime);
        let rest = (0..LAGS.len()).map(Self::Lag).chain([Self::Rate]);
        latency.chain(service).chain(rest).chain((0..COUNTS.len()).map(Self::Count))
    }
}
