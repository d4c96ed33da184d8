//! A scan of one parameter: how each value compares with the first one, or two commands with each other at each.

mod told;

use galo_plan::ScanPlan;
use schemars::JsonSchema;
use serde::Serialize;

use crate::FORMAT;
use crate::duel::DuelReport;
use galo_judge::json::pretty;

/// What a scan came to.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ScanReport {
    /// Version of this form: 1.
    pub format: u32,
    /// The parameter's name.
    pub parameter: String,
    /// The value that all others are compared with, as the first side; null: two commands fight at each value.
    pub baseline: Option<String>,
    /// In the order in which they were driven.
    pub duels: Vec<ScanDuelReport>,
}

/// One duel of a scan.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ScanDuelReport {
    /// The value.
    pub value: String,
    /// The duel, as it is told by itself.
    pub report: DuelReport,
}

impl ScanReport {
    /// Joins a scan and its duels, in their order.
    pub fn new(scan: &ScanPlan, duels: Vec<ScanDuelReport>) -> Self {
        let ScanPlan { parameter, baseline, .. } = scan.clone();
        Self { format: FORMAT, parameter, baseline, duels }
    }

    /// Pretty JSON with a newline at the end.
    pub fn to_json(&self) -> String {
        pretty(self)
    }
}

/// The JSON schema of [`ScanReport`], pretty, with a newline at the end.
pub fn scan_schema() -> String {
    pretty(&schemars::schema_for!(ScanReport))
}
