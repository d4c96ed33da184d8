//! A scan of parameters, judged: how each setting compares with the first one, or two commands with each other at each.

use galo_plan::JsonSchema;
use galo_plan::{ScanPlan, Turn};
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
    /// The setting that all others are compared with, as the first side; null: two commands fight at each setting.
    pub baseline: Option<Vec<Turn>>,
    /// In the order in which they were driven.
    pub duels: Vec<ScannedDuel>,
}

/// One duel of a scan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScannedDuel {
    /// The setting.
    pub setting: Vec<Turn>,
    /// The duel, as it is judged by itself.
    pub duel: JudgedDuel,
}

impl JudgedScan {
    /// Joins a scan and its duels, in their order.
    pub fn new(header: RunHeader, plan: &ScanPlan, duels: Vec<ScannedDuel>) -> Self {
        Self { header, baseline: plan.baseline.clone(), duels }
    }
}
