//! Facts worth telling.

use galo_plan::Blame;
use serde::{Deserialize, Serialize};

/// What a finding means for the contender.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Weight {
    /// It disqualifies.
    Must,
    /// It is a defect, but does not disqualify.
    Should,
    /// It is good to know.
    Note,
}

/// One fact about a contender, the machine or galo itself, with its evidence and who is to blame.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Stable, in kebab case: a rule's name, or e.g. `service-died`.
    pub name: String,
    /// What it means.
    pub weight: Weight,
    /// Who is to blame.
    pub blame: Blame,
    /// One sentence with the numbers in it.
    pub text: String,
    /// Requests, answers, log lines: each one text of at most a few lines, already bounded.
    pub evidence: Vec<String>,
    /// What to do about it, if anything.
    pub hint: Option<String>,
    /// Of a cause: its share of the trouble of slow and failed operations, in thousandths. `None`: it is no cause.
    pub explains_milli: Option<u16>,
}
