//! What a run came to: folded once from its folder, and the JSON of its report.
//!
//! Depends on nothing but a run and its challenge's model. Holds facts and figures, without a sentence.
//!
//! Its one key decision: what is judged *is* what is written. Documents are views of it, so no figure can differ between them.

use galo_plan::JsonSchema;
use galo_record::RunEnd;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::duel::JudgedDuel;
use crate::fight::JudgedFight;
use crate::league::{JudgedLeague, JudgedSweep};
use crate::limit::JudgedLimit;
use crate::load::JudgedLoad;
use crate::scan::JudgedScan;
use crate::soak::JudgedSoak;
use crate::tune::JudgedTune;

/// What a run of any kind came to. Each kind says in its JSON which it is, by `kind`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Judged {
    /// A fight, or a check.
    Fight(Box<JudgedFight>),
    /// A duel.
    Duel(Box<JudgedDuel>),
    /// Duels at several values of a parameter.
    Scan(Box<JudgedScan>),
    /// A load, or a log of one.
    Load(Box<JudgedLoad>),
    /// A search for the highest scale.
    Limit(Box<JudgedLimit>),
    /// A soak.
    Soak(Box<JudgedSoak>),
    /// Many entries, ranked.
    League(Box<JudgedLeague>),
    /// Contenders at each setting.
    Sweep(Box<JudgedSweep>),
    /// A search for the best setting.
    Tune(Box<JudgedTune>),
}

impl Judged {
    /// How the run ended, as far as that is judged.
    pub fn end(&self) -> RunEnd {
        match self {
            Self::Duel(duel) => duel.end.clone(),
            Self::Limit(limit) => limit.end.clone(),
            Self::Soak(soak) => soak.soaked.end.clone(),
            Self::Load(load) if load.interrupted => RunEnd::Interrupted,
            Self::Fight(_)
            | Self::Scan(_)
            | Self::Load(_)
            | Self::League(_)
            | Self::Sweep(_)
            | Self::Tune(_) => RunEnd::Done,
        }
    }
}

impl<'de> Deserialize<'de> for Judged {
    /// By `kind`, so that what is wrong is told of the one kind that it is.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let kind = value["kind"].as_str().unwrap_or_default().to_owned();
        let read = match kind.as_str() {
            "fight" | "check" => serde_json::from_value(value).map(Self::Fight),
            "duel" => serde_json::from_value(value).map(Self::Duel),
            "scan" => serde_json::from_value(value).map(Self::Scan),
            "load" => serde_json::from_value(value).map(Self::Load),
            "limit" => serde_json::from_value(value).map(Self::Limit),
            "soak" => serde_json::from_value(value).map(Self::Soak),
            "league" => serde_json::from_value(value).map(Self::League),
            "sweep" => serde_json::from_value(value).map(Self::Sweep),
            "tune" => serde_json::from_value(value).map(Self::Tune),
            _ => return Err(D::Error::custom(format!("`kind` is `{kind}`, which is no kind of run"))),
        };
        read.map_err(D::Error::custom)
    }
}
