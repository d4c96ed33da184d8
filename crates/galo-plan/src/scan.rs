//! The plan of a scan: one duel for each setting of its parameters.

use serde::{Deserialize, Serialize};

use crate::knob::Turn;
use crate::seed::{PairId, Seed};

/// Version of the plan's written form.
pub const FORMAT: u32 = 4;

/// A scan of parameters, which stand in commands between braces.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename = "scan")]
pub struct ScanPlan {
    /// [`FORMAT`].
    pub format: u32,
    /// The setting that all others are compared with; `None`: two commands fight at each setting.
    pub baseline: Option<Vec<Turn>>,
    /// Seed that the children's seeds are drawn by.
    pub seed: Seed,
    /// Setting of each child, in the order in which they are driven.
    pub settings: Vec<Vec<Turn>>,
}

impl ScanPlan {
    /// The seed of a child, from 1: it is told at the child's end, while others are still to be driven.
    pub fn seed_of(&self, child: u32) -> Seed {
        self.seed.of_pair(PairId { pair: child.saturating_sub(1), attempt: 0 })
    }
}
