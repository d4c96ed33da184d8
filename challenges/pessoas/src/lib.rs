//! The model of the challenge `pessoas`: its people, search terms and probes, what each row must get, and what to make
//! of an answer.
//!
//! It is not the definition: traffic, budget and profiles are data in `challenge.toml` ([`CHALLENGE_TOML`]). It holds
//! no contender's state either: it knows what one answer must be, judges who see the whole history know the rest.
//!
//! Its one key decision: a row is a function of seed, feeder and row number, computed again wherever it is needed (to
//! send it, to compare an answer with it) instead of being stored. Only one bit per person is kept: whether another
//! row may take the same nickname (`census.rs`).

mod answer;
mod cases;
mod census;
mod data;
mod digest;
mod draw;
mod examine;
mod matching;
mod person;
mod probe;
mod rules;
mod term;
mod text;

use galo_plan::conformance::Case;
use galo_plan::model::{ChallengeData, ChallengeModel, CheckKind, CheckSpec, FeederSpec};
use galo_plan::{Rule, Seed};

use crate::data::PessoasData;
use crate::draw::Key;

/// The definition that belongs to this model, as text.
pub const CHALLENGE_TOML: &str = include_str!("../challenge.toml");

/// The model, for whoever registers it.
pub fn model() -> &'static dyn ChallengeModel {
    &Pessoas
}

/// Number of a feeder or check in the lists below.
pub(crate) mod index {
    /// Feeder of the people to create.
    pub(crate) const PEOPLE: usize = 0;
    /// Feeder of the search terms.
    pub(crate) const TERMS: usize = 1;
    /// Feeder of the people who are searched for as soon as they are created.
    pub(crate) const PROBES: usize = 2;
    /// Feeder of the people who are searched for some seconds later.
    pub(crate) const SOON: usize = 3;
    /// Feeder of the people who are read again after more than 10 s.
    pub(crate) const LATE: usize = 4;
    /// Feeder of people of whom each has a namesake.
    pub(crate) const TWINS: usize = 5;
    /// Feeder of their namesakes.
    pub(crate) const OTHER_TWINS: usize = 6;

    /// Check of a creation.
    pub(crate) const CREATE: usize = 0;
    /// Check of a read of what was created.
    pub(crate) const READ: usize = 1;
    /// Check of a search.
    pub(crate) const SEARCH: usize = 2;

    /// Field `body`, of people and of probes.
    pub(crate) const BODY: usize = 0;
    /// Field `term`, of terms.
    pub(crate) const TERM: usize = 0;
    /// Field `piece`, of probes.
    pub(crate) const PIECE: usize = 1;
}

const FEEDERS: &[FeederSpec] = &[
    FeederSpec { name: "people", fields: &["body"] },
    FeederSpec { name: "terms", fields: &["term"] },
    FeederSpec { name: "probes", fields: &["body", "piece"] },
    FeederSpec { name: "soon", fields: &["body", "piece"] },
    FeederSpec { name: "late", fields: &["body", "piece"] },
    FeederSpec { name: "twins", fields: &["body"] },
    FeederSpec { name: "other twins", fields: &["body"] },
];

const CHECKS: &[CheckSpec] = &[
    CheckSpec { name: "create", kind: CheckKind::Create },
    CheckSpec { name: "read", kind: CheckKind::Read },
    CheckSpec { name: "search", kind: CheckKind::Search { full_at: examine::MAY_STOP_AT as u32 } },
];

struct Pessoas;

impl ChallengeModel for Pessoas {
    fn name(&self) -> &'static str {
        "pessoas"
    }

    fn feeders(&self) -> &'static [FeederSpec] {
        FEEDERS
    }

    fn checks(&self) -> &'static [CheckSpec] {
        CHECKS
    }

    fn rules(&self) -> &'static [Rule] {
        rules::RULES
    }

    fn prepare(&self, seed: Seed, rows: &[u64]) -> Box<dyn ChallengeData> {
        let people = rows.get(index::PEOPLE).copied().unwrap_or(0);
        Box::new(PessoasData::new(Key::of(seed), people))
    }

    fn cases(&self, seed: Seed) -> Vec<Case> {
        cases::all(Key::of(seed))
    }
}

#[cfg(test)]
mod tests;
