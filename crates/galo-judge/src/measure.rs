//! The figures of a round that are compared between contenders.

use galo_plan::Plan;
use galo_record::{Ledger, RoundData, Window};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was not answered rightly counts as an answer that took so long, in microseconds: nobody gains by failing fast.
pub const FAILED_US: f64 = 60e6;

/// One kind of figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Correct answers within the service level.
    CorrectWithinServiceLevel,
    /// Median latency from the intended start, in microseconds, of everything that fell due; what was not answered rightly
    /// counts as [`FAILED_US`].
    LatencyUsP50,
    /// Same, 99 %.
    LatencyUsP99,
    /// Same, 99.9 %.
    #[serde(rename = "latency_us_p99_9", alias = "latency_us_p999")]
    LatencyUsP999,
    /// CPU of all services per 1,000 correct answers, in milliseconds.
    #[serde(rename = "cpu_ms_per_1000", alias = "cpu_ms_per1000")]
    CpuMsPer1000,
    /// Most memory of all services at one moment, page cache included: the largest sum that a sample saw, but never
    /// less than one service had alone by the kernel's own count.
    MemoryPeakBytes,
    /// Most anonymous memory of all services at one moment that a sample saw.
    AnonymousPeakBytes,
    /// From the start of the load to the end of its last operation, in seconds.
    ElapsedS,
    /// Right answers per second, of a side of a duel.
    AnswersPerS,
}

/// The figures of one round; `None` where something was not seen.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Measures {
    /// See [`Measure::CorrectWithinServiceLevel`].
    pub correct_within_service_level: Option<f64>,
    /// See [`Measure::LatencyUsP50`].
    pub latency_us_p50: Option<f64>,
    /// See [`Measure::LatencyUsP99`].
    pub latency_us_p99: Option<f64>,
    /// See [`Measure::LatencyUsP999`].
    pub latency_us_p99_9: Option<f64>,
    /// See [`Measure::CpuMsPer1000`].
    pub cpu_ms_per_1000: Option<f64>,
    /// See [`Measure::MemoryPeakBytes`].
    pub memory_peak_bytes: Option<f64>,
    /// See [`Measure::AnonymousPeakBytes`].
    pub anonymous_peak_bytes: Option<f64>,
    /// See [`Measure::ElapsedS`].
    pub elapsed_s: Option<f64>,
}

impl Measure {
    /// All that a round has, the primary one first.
    pub const ALL: [Self; 8] = [
        Self::LatencyUsP99,
        Self::CorrectWithinServiceLevel,
        Self::LatencyUsP50,
        Self::LatencyUsP999,
        Self::CpuMsPer1000,
        Self::MemoryPeakBytes,
        Self::AnonymousPeakBytes,
        Self::ElapsedS,
    ];

    /// The measure that decides.
    pub const PRIMARY: Self = Self::LatencyUsP99;

    /// Whether a lower figure is the better one.
    pub const fn lower_is_better(self) -> bool {
        !matches!(self, Self::CorrectWithinServiceLevel | Self::AnswersPerS)
    }

    /// For people.
    pub const fn label(self) -> &'static str {
        match self {
            Self::CorrectWithinServiceLevel => "correct answers within the service level",
            Self::LatencyUsP50 => "p50",
            Self::LatencyUsP99 => "p99",
            Self::LatencyUsP999 => "p99.9",
            Self::CpuMsPer1000 => "CPU time per 1,000 correct answers",
            Self::MemoryPeakBytes => "peak memory",
            Self::AnonymousPeakBytes => "peak anonymous memory",
            Self::ElapsedS => "elapsed time",
            Self::AnswersPerS => "answers/s",
        }
    }
}

impl Measures {
    /// The figures of one round. `ledger` is that of its compared scenarios.
    pub(crate) fn of(plan: &Plan, round: &RoundData, ledger: &Ledger) -> Self {
        let compared: Vec<bool> = plan.challenge.steps().map(|(scenario, _)| scenario.compared).collect();
        let is_compared = |step: usize| compared.get(step).copied().unwrap_or(false);
        let latencies = round.compared_latencies(plan);
        let within = latencies.ok.count_up_to_ns(plan.challenge.service_level.latency_ns);
        let due = ledger.intended.max(latencies.ok.count() + latencies.not_ok.count());
        // A right answer may have come even later.
        let failed_us = FAILED_US.max(latencies.ok.quantile_us(1.0));
        let quantile = |q| (due > 0).then(|| latencies.ok.quantile_us_among(q, due).unwrap_or(failed_us));

        let window = round.window();
        let cpu_ms = window.and_then(Window::cpu_ns).map(|ns| ns as f64 / 1e6);
        let bytes = |peak: Option<u64>| peak.map(|bytes| bytes as f64);
        Self {
            correct_within_service_level: (due > 0).then_some(within as f64),
            latency_us_p50: quantile(0.5),
            latency_us_p99: quantile(0.99),
            latency_us_p99_9: quantile(0.999),
            cpu_ms_per_1000: cpu_ms.filter(|_| ledger.ok > 0).map(|ms| ms * 1000.0 / ledger.ok as f64),
            memory_peak_bytes: bytes(window.and_then(Window::memory_peak_bytes)),
            anonymous_peak_bytes: bytes(window.and_then(Window::anonymous_peak_bytes)),
            elapsed_s: elapsed_ns(round, is_compared).map(|ns| ns as f64 / 1e9),
        }
    }

    /// One of them.
    pub const fn get(&self, measure: Measure) -> Option<f64> {
        match measure {
            Measure::CorrectWithinServiceLevel => self.correct_within_service_level,
            Measure::LatencyUsP50 => self.latency_us_p50,
            Measure::LatencyUsP99 => self.latency_us_p99,
            Measure::LatencyUsP999 => self.latency_us_p99_9,
            Measure::CpuMsPer1000 => self.cpu_ms_per_1000,
            Measure::MemoryPeakBytes => self.memory_peak_bytes,
            Measure::AnonymousPeakBytes => self.anonymous_peak_bytes,
            Measure::ElapsedS => self.elapsed_s,
            Measure::AnswersPerS => None,
        }
    }
}

/// The p99 in microseconds of everything that ended, rightly or not, where it is beyond the plan's service level.
pub(crate) fn slow_us(plan: &Plan, round: &RoundData) -> Option<f64> {
    let p99_us = round.compared_latencies(plan).all().quantile_us(0.99);
    (p99_us > plan.challenge.service_level.latency_ns as f64 / 1e3).then_some(p99_us)
}

/// From the start of the load to the end of its last compared operation; to the end of the load where no history
/// was kept.
fn elapsed_ns(round: &RoundData, is_compared: impl Fn(usize) -> bool) -> Option<u64> {
    let last = round.history.iter().filter(|o| is_compared(usize::from(o.step))).map(|o| o.done_ns).max();
    last.or_else(|| round.record.load.ended_ns.checked_sub(round.record.load.started_ns).filter(|&ns| ns > 0))
}
