//! The plan of a scan: one child for each value of a parameter.

use serde::{Deserialize, Serialize};

use crate::seed::{PairId, Seed};

/// Version of the plan's written form.
pub const FORMAT: u32 = 3;

/// A scan of one parameter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename = "scan")]
pub struct ScanPlan {
    /// [`FORMAT`].
    pub format: u32,
    /// The parameter's name.
    pub parameter: String,
    /// The value that all others are compared with; `None`: two commands fight at each value.
    pub baseline: Option<String>,
    /// Seed that the children's seeds are drawn by.
    pub seed: Seed,
    /// Value of each child, in the order in which they are driven.
    pub values: Vec<String>,
}

impl ScanPlan {
    /// The seed of a child, from 1: it is told at the child's end, while others are still to be driven.
    pub fn seed_of(&self, child: u32) -> Seed {
        self.seed.of_pair(PairId { pair: child.saturating_sub(1), attempt: 0 })
    }
}
