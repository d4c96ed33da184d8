//! What will happen: files and options in, one validated and immutable [`Plan`] out.
//!
//! This crate is the vocabulary of the workspace: a [`Challenge`] (rules, traffic and data), a
//! [`Contender`] (services and their limits), and the [`Plan`] that joins them. It starts nothing, opens no socket
//! and reads no clock.
//!
//! Its one key decision: what was *written* (`RawChallenge`, `RawCompose`) and what was *resolved* are different
//! types. Only the validating constructors make the second from the first, so whoever holds a [`Plan`] need not
//! check it again. The same files, options and seed make the same plan, byte for byte.

pub mod address;
pub mod blame;
pub mod bytes;
pub mod capture;
pub mod challenge;
mod checks;
mod compose;
mod compose_keys;
pub mod conformance;
pub mod contender;
pub mod contender_names;
pub mod described;
pub mod digest;
pub mod draw;
pub mod duel;
pub mod error;
#[cfg(test)]
mod fake;
pub mod flow;
mod generated;
pub mod hold;
mod http;
pub mod injection;
pub mod instances;
mod json;
pub mod kind;
pub mod knob;
pub mod league;
pub mod ledger;
pub mod load;
pub mod location;
pub mod model;
pub mod null;
pub mod operands;
pub mod paths;
mod places;
pub mod plan;
pub mod policy;
pub mod request;
pub mod rules;
pub mod scan;
pub mod secret;
mod seed;
mod source;
mod statuses;
pub mod suggest;
mod table;
pub mod template;
pub mod tune;
pub mod turns;
pub mod units;
pub mod words;
mod written;
pub mod yaml;

/// What derives the schema of a type, or nothing in a galo that is built without the feature `schema`.
#[cfg(not(feature = "schema"))]
pub use galo_no_schema::JsonSchema;
#[cfg(feature = "schema")]
pub use schemars::JsonSchema;

pub use blame::Blame;
pub use challenge::{Challenge, Noun, Scenario, Step};
pub use compose::Reading;
pub use contender::{Bind, Container, Contender, NeedsTrust, OwnNames, Ready, Runner, Service};
pub use described::NoModel;
pub use duel::DuelPlan;
pub use error::PlanError;
pub use flow::Flow;
pub use hold::Holds;
pub use http::{escaped, is_token};
pub use injection::Injection;
pub use kind::{Kind, LimitTerms, SearchTerms, SoakTerms};
pub use knob::{Knob, Setting, Turn};
pub use league::LeaguePlan;
pub use load::LoadPlan;
pub use model::{ChallengeData, ChallengeModel};
pub use plan::{Options, Plan};
pub use request::{RequestOptions, Requests};
pub use rules::{Rule, RuleCode, RuleWords, Severity};
pub use scan::ScanPlan;
pub use seed::{NoSeed, PairId, Seed};
pub use source::read_text;
pub use tune::TunePlan;
