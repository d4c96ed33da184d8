//! A scan of one parameter, judged: how each value compares with the first one, or two commands with each other at each.

use galo_plan::JsonSchema;
use galo_plan::ScanPlan;
use galo_record::RunHeader;
use serde::{Deserialize, Serialize};

use crate::duel::JudgedDuel;

/// A scan, as far as its duels were driven to their end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename = "scan")]
#[schemars(transform = crate::schema::tell_kind)]
pub struct JudgedScan {
    /// How and where it was driven.
    #[serde(flatten)]
    pub header: RunHeader,
    /// The parameter's name.
    pub parameter: String,
    /// The value that all others are compared with, as the first side; null: two commands fight at each value.
    pub baseline: Option<String>,
    /// In the order in which they were driven.
    pub duels: Vec<ScannedDuel>,
}

/// One duel of a scan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScannedDuel {
    /// The value.
    pub value: String,
    /// The duel, as it is judged by itself.
    pub duel: JudgedDuel,
}

impl JudgedScan {
    /// Joins a scan and its duels, in their order.
    pub fn new(header: RunHeader, plan: &ScanPlan, duels: Vec<ScannedDuel>) -> Self {
        let ScanPlan { parameter, baseline, .. } = plan.clone();
        Self { header, parameter, baseline, duels }
    }
}
