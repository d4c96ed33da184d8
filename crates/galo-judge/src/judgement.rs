//! What one round was worth.

use galo_plan::Plan;
use galo_plan::model::Ceiling;
use galo_record::{Finding, Ledger, RoundData};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::measure::Measures;

/// Whether a round counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Standing {
    /// It counts.
    Valid,
    /// The contender broke a rule.
    Disqualified {
        /// Names of the broken `must` rules, worst first.
        rules: Vec<String>,
    },
    /// galo or the host spoiled it: it says nothing about the contender.
    Void {
        /// Why, in a sentence.
        reason: String,
    },
    /// The contender did not start.
    NotReady {
        /// Why, in a sentence.
        reason: String,
    },
}

/// What one round was worth.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// As recorded.
    pub number: u32,
    /// Index into the plan's contenders.
    pub contender: usize,
    /// Index into the plan's order.
    pub slot: usize,
    /// Whether it counts.
    pub standing: Standing,
    /// Of the compared scenarios.
    pub ledger: Ledger,
    /// Of the probes.
    pub probe_ledger: Ledger,
    /// Creations acknowledged in the compared scenarios.
    pub created: u64,
    /// Creations acknowledged by probes.
    pub probes: u64,
    /// Creations whose effect is unknown, probes included.
    pub unknown: u64,
    /// As planned.
    pub ceiling: Ceiling,
    /// The count at rest: the last reading.
    pub counted: Option<u64>,
    /// From the end of the load until the count had its last value, in seconds.
    pub settled_after_s: Option<f64>,
    /// The figures that are compared.
    pub measures: Measures,
    /// Whether it was anywhere near a limit.
    pub stressed: bool,
    /// Everything worth telling, worst first.
    pub findings: Vec<Finding>,
}

/// Judges one round.
pub fn judge_round(_plan: &Plan, _round: &RoundData) -> Judgement {
    todo!()
}
