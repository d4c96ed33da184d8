//! The model of the challenge `crebitos`: its five clients, what each request moves, and what one answer must be.
//!
//! It is not the definition: traffic, budget, profiles and cases are data in `challenge.toml` ([`CHALLENGE_TOML`]). It judges
//! no balance either: it says what each request moves and what each answer told, and the judge of ledgers does the rest.
//!
//! Its one key decision: a row is a function of seed, feeder and row number, as all data of a plan.

mod answer;
mod data;
mod examine;
mod rows;
mod rules;

use galo_plan::model::{ChallengeData, ChallengeModel, CheckKind, CheckSpec, FeederSpec};
use galo_plan::{Rule, Seed};

/// The definition that belongs to this model, as text.
pub const CHALLENGE_TOML: &str = include_str!("../challenge.toml");

/// Entries of a statement at most.
const MOST_LISTED: u32 = 10;

/// The model, to be registered.
pub fn model() -> &'static dyn ChallengeModel {
    &Crebitos
}

/// Number of a feeder or check in the lists below.
pub(crate) mod index {
    /// Feeder of debits of 1 from client 1.
    pub(crate) const FIRST_DEBITS: usize = 0;
    /// Feeder of credits of 1 to client 1.
    pub(crate) const FIRST_CREDITS: usize = 1;
    /// Feeder of the users that visit each client once.
    pub(crate) const VISITS: usize = 2;
    /// Feeder of debits.
    pub(crate) const DEBITS: usize = 3;
    /// Feeder of credits.
    pub(crate) const CREDITS: usize = 4;
    /// Feeder of debits that empty any account soon.
    pub(crate) const LARGE_DEBITS: usize = 5;
    /// Feeder of amounts beyond 32 bits, to each client once.
    pub(crate) const WIDE_AMOUNTS: usize = 7;

    /// Check of the move of a row.
    pub(crate) const MOVE: usize = 0;
    /// Checks of the three moves of a visit.
    pub(crate) const TOMA: usize = 1;
    pub(crate) const DEVOLVE: usize = 2;
    pub(crate) const DANADA: usize = 3;
    /// Checks of statements.
    #[cfg(test)]
    pub(crate) const STATEMENT: usize = 4;
    pub(crate) const AFTER_DEBITS: usize = 5;
    pub(crate) const AFTER_CREDITS: usize = 6;
    pub(crate) const DEVOLVE_THEN_TOMA: usize = 7;
    pub(crate) const DANADA_FIRST: usize = 8;
    /// Checks of payloads that must be refused.
    pub(crate) const REFUSED_AMOUNT: usize = 9;
    pub(crate) const REFUSED_KIND: usize = 10;
    pub(crate) const REFUSED_DESCRIPTION: usize = 11;
    /// Check of the statement of a client that there is not.
    pub(crate) const NO_CLIENT: usize = 12;
    /// Checks of the two moves of amounts beyond 32 bits.
    pub(crate) const WIDE_CREDIT: usize = 13;
    pub(crate) const WIDE_DEBIT: usize = 14;

    /// Fields of visits, and of moves.
    pub(crate) const CLIENT: usize = 0;
    pub(crate) const BODY: usize = 1;
    pub(crate) const BODY_DEVOLVE: usize = 2;
    pub(crate) const BODY_DANADA: usize = 3;
}

const FEEDERS: &[FeederSpec] = &[
    FeederSpec { name: "first debits", fields: &["client", "body"] },
    FeederSpec { name: "first credits", fields: &["client", "body"] },
    FeederSpec { name: "visits", fields: &["client", "toma", "devolve", "danada"] },
    FeederSpec { name: "debits", fields: &["client", "body"] },
    FeederSpec { name: "credits", fields: &["client", "body"] },
    FeederSpec { name: "large debits", fields: &["client", "body"] },
    FeederSpec { name: "statements", fields: &["client"] },
    FeederSpec { name: "wide amounts", fields: &["client", "credit", "debit"] },
];

const fn check(name: &'static str, kind: CheckKind) -> CheckSpec {
    CheckSpec { name, kind }
}

const STATEMENT: CheckKind = CheckKind::Statement { most: MOST_LISTED };

const CHECKS: &[CheckSpec] = &[
    check("move", CheckKind::Move),
    check("toma", CheckKind::Move),
    check("devolve", CheckKind::Move),
    check("danada", CheckKind::Move),
    check("statement", STATEMENT),
    check("statement after debits", STATEMENT),
    check("statement after credits", STATEMENT),
    check("devolve, then toma", STATEMENT),
    check("danada first", STATEMENT),
    check("amount refused", CheckKind::Move),
    check("kind refused", CheckKind::Move),
    check("description refused", CheckKind::Move),
    check("no client", CheckKind::Alone),
    check("wide credit", CheckKind::Move),
    check("wide debit", CheckKind::Move),
];

struct Crebitos;

impl ChallengeModel for Crebitos {
    fn name(&self) -> &'static str {
        "crebitos"
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
        Box::new(rows::Ledger::new(seed, rows))
    }
}

#[cfg(test)]
mod tests;
