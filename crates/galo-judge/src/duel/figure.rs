//! What is compared in a duel.

use galo_record::duel::TurnLoad;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// By how much two starts of one program may differ in latency, answers per second, CPU for each answer and memory: chosen below what
/// `benches/duel/starts` saw of a Node server, which holds the noise of its loads as well, and above what two starts of one differed by.
pub(super) const FLOOR_LATENCY: f64 = 1.2;
const FLOOR_RATE: f64 = 1.1;
pub(super) const FLOOR_CPU: f64 = 1.1;
const FLOOR_MEMORY: f64 = 1.05;

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Figure {
    /// p99 of the latency.
    P99,
    /// Right answers per second.
    Rate,
    /// CPU for each right answer.
    Cpu,
    /// Median of the latency.
    P50,
    /// Most anonymous memory: the page cache is nobody's own, and who reads a file first pays for it.
    Memory,
}

impl Figure {
    /// For people.
    pub const fn label(self) -> &'static str {
        match self {
            Self::P99 => "p99",
            Self::Rate => "answers/s",
            Self::Cpu => "CPU for each answer",
            Self::P50 => "p50",
            Self::Memory => "memory",
        }
    }

    /// As it is asserted of: one of [`crate::assertion::RATIOS`].
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::P99 => "p99",
            Self::Rate => "rate",
            Self::Cpu => "cpu",
            Self::P50 => "p50",
            Self::Memory => "memory",
        }
    }

    /// By so much two starts of one program differ: a difference within this factor may be the luck of a start.
    pub const fn one_start_floor(self) -> f64 {
        match self {
            Self::P99 | Self::P50 => FLOOR_LATENCY,
            Self::Rate => FLOOR_RATE,
            Self::Cpu => FLOOR_CPU,
            Self::Memory => FLOOR_MEMORY,
        }
    }

    pub(super) const fn lower_is_better(self) -> bool {
        !matches!(self, Self::Rate)
    }

    /// What a load came to; `None` where it was not seen, or is 0.
    pub(super) fn of(self, load: &TurnLoad) -> Option<f64> {
        let ok = load.ledger.ok as f64;
        let value = match self {
            Self::P99 => load.latency.p99,
            Self::P50 => load.latency.p50,
            Self::Rate => ok * 1e9 / load.elapsed_ns.max(1) as f64,
            Self::Cpu => load.cpu_ns? as f64 / 1e3 / ok,
            Self::Memory => load.anonymous_peak_bytes? as f64,
        };
        (value.is_finite() && value > 0.0).then_some(value)
    }
}
