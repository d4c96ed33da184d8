//! Turns of a duel, and what was seen beside them.

use galo_plan::JsonSchema;
use galo_record::duel::{Level, Slice};
use galo_record::load::EngineRecord;
use galo_record::{Ledger, LoadUsage, Percentiles};
use serde::{Deserialize, Serialize};

use crate::findings::Finding;
use crate::void::{self, VoidReason};

/// A short closed loop before the first turn. None of it counts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WarmUp {
    /// How long it lasted.
    pub elapsed_ns: u64,
    /// Right answers per second.
    pub ok_per_s: f64,
}

/// A death, or the like, of a side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SideFinding {
    /// Which side.
    pub side: usize,
    /// In which pair, from 0; null: before the first one.
    pub pair: Option<u32>,
    /// What, with its evidence.
    pub finding: Finding,
}

/// One side's turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Turn {
    /// Which side.
    pub side: usize,
    /// Which pair, from 0.
    pub pair: u32,
    /// Which start of the two, from 0.
    pub start: u32,
    /// One for each level.
    pub loads: Vec<TurnLoad>,
}

/// How the turns of a duel were cut into slices, which alternate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Sliced {
    /// How long a slice of the first level was.
    pub length_ns: u64,
    /// Pairs of slices that were driven.
    pub slices: u64,
    /// Operations of each side that had not ended when it was frozen, and went on in its next slice.
    pub under_way: [u64; 2],
    /// How long each side's slices in which users arrive were to take, in all.
    #[serde(default)]
    pub arrivals_ns: u64,
    /// How long each side then took to end what was under way, in which nobody arrived.
    #[serde(default)]
    pub drained_ns: [u64; 2],
    /// Slices of each side after which it was told to stand still, and was not seen to.
    pub restless: [u64; 2],
    /// Whether that was often, so that whole turns followed.
    pub gave_way_to_turns: bool,
}

impl Sliced {
    /// Where a side took more than this share of its slices' time to end what was under way, it was asked for less than the rate.
    const DRAINED_SHARE_MAX: f64 = 0.1;

    /// Sides that were asked for less than the rate, each with what share of its slices' time it took to end what was under way.
    pub fn drained(&self) -> Vec<(usize, f64)> {
        let share = |side: usize| self.drained_ns[side] as f64 / self.arrivals_ns.max(1) as f64;
        let shares = [0, 1].map(|side| (side, share(side)));
        shares.into_iter().filter(|(_, share)| *share > Self::DRAINED_SHARE_MAX).collect()
    }
}

/// One load of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TurnLoad {
    /// How hard it is.
    pub level: Level,
    /// From the first arrival to the end of the last operation.
    pub elapsed_ns: u64,
    /// Its operations.
    pub ledger: Ledger,
    /// Latency from the intended start, of everything that ended.
    pub latency: Percentiles,
    /// What its processes and the machine did meanwhile; null: nobody watched.
    pub usage: Option<LoadUsage>,
    /// galo's own part, by which it is said whether the load counts.
    pub engine: EngineRecord,
    /// What it did in each of its slices; empty: it was not driven in slices.
    pub slices: Vec<Slice>,
    /// Why it says nothing, by galo's own doing; empty: it counts.
    pub void: Vec<VoidReason>,
}

impl Turn {
    /// The load of a level, unless galo spoiled it.
    pub fn counting(&self, level: Level) -> Option<&TurnLoad> {
        self.loads.iter().find(|load| load.level == level && load.void.is_empty())
    }
}

impl TurnLoad {
    /// Says whether it counts. `is_open`: users arrive whatever the side does.
    pub(super) fn judge(&mut self, is_open: bool) {
        let latency_us = [self.latency.p50, self.latency.p99];
        self.void =
            void::of_engine(&self.engine, (self.elapsed_ns, self.ledger.intended), latency_us, is_open);
    }

    /// CPU that its processes used; `None`: not seen.
    pub fn cpu_ns(&self) -> Option<u64> {
        self.usage.as_ref()?.cpu_ns()
    }
}
