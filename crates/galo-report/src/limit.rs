//! `galo limit`: the highest scale that a contender holds, and all holds that say so.

mod hold;
mod reason;
mod told;

use galo_judge::Capacity;
use galo_judge::capacity::Limit;
use galo_judge::limit::{HeldUp, Searched, capacity, held_up_by, lowest_not_met};
use galo_plan::Plan;
use galo_words::{Both, Lang, number};
use schemars::JsonSchema;
use serde::Serialize;

pub use hold::{HoldReport, HoldServiceReport, PreloadReport, ScenarioRateReport};

use crate::FORMAT;
use crate::digits::{decimals, seconds};
use crate::end::End;
use crate::words::over_budget;
use galo_judge::json::pretty;

/// What one search found. A scale is a factor on the rates with which the profile ends.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LimitReport {
    /// Version of this form: 1.
    pub format: u32,
    /// All of it in one sentence.
    pub sentence: String,
    /// Contender's name.
    pub contender: String,
    /// Challenge's name.
    pub challenge: String,
    /// Profile's name.
    pub profile: String,
    /// Seed of all that was drawn; of a run that is not over `sha256:` and its commitment.
    pub seed: String,
    /// What a hold must meet.
    pub criterion: String,
    /// The highest scale at which that was met; null: there was none.
    pub scale: Option<f64>,
    /// Lower end of the 95 % interval of the scale that is met in half of all holds.
    pub low: Option<f64>,
    /// Its upper end; null where no scale failed.
    pub high: Option<f64>,
    /// Whether a longer hold at that scale met it too.
    pub confirmed: bool,
    /// What kept the scale from being higher.
    pub limited_by: LimitedBy,
    /// Which service was short of what at the lowest scale above it that was not met; null: none, or there is no such scale.
    pub held_up_by: Option<String>,
    /// The same as figures.
    pub held_up: Option<HeldUp>,
    /// The scale that was to be held at least; null: none.
    pub at_least: Option<f64>,
    /// Whether it was: by a hold that confirmed it. Null as above.
    pub at_least_met: Option<bool>,
    /// How it ended.
    pub end: End,
    /// The error that ended it.
    pub error: Option<String>,
    /// Whether limits were in force.
    pub limits_enforced: bool,
    /// Why not.
    pub limits_note: Option<String>,
    /// Why services were not kept apart from one another and from galo; null where they were.
    pub walls_note: Option<String>,
    /// Length of a hold.
    pub hold_s: f64,
    /// Length of a hold that confirms.
    pub confirm_s: f64,
    /// The bracket was narrow enough at this ratio of its ends.
    pub ratio: f64,
    /// Whether tables were filled to the size that a scale would give them, before it was held.
    pub preloads: bool,
    /// How often the contender was started, each time with fresh volumes.
    pub starts: u32,
    /// All holds, in the order in which they were driven.
    pub holds: Vec<HoldReport>,
    /// That the contender takes more than the budget.
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) over_budget: Vec<Both>,
}

/// What kept a scale from being higher.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LimitedBy {
    /// A higher one did not meet the criterion.
    Contender,
    /// galo itself, or its machine, did not keep up with a higher one; the contender might.
    Galo,
    /// Nothing higher was to be tried.
    Asked,
    /// It ended before a higher one was tried.
    Holds,
}

impl LimitReport {
    /// Sums up what was found of a plan's only contender.
    pub fn of(plan: &Plan, searched: &Searched) -> Self {
        let Searched { terms, holds, .. } = searched;
        let found = Found::of(&capacity(&terms.search, holds));
        let not_met = lowest_not_met(holds, found.scale_milli.unwrap_or(0));
        let at_least_met = terms
            .at_least_milli
            .map(|least| found.held && found.scale_milli.is_some_and(|milli| milli >= least));
        let (end, error) = End::of(&searched.end);
        let held_up = not_met.map(held_up_by);
        let mut report = Self {
            format: FORMAT,
            sentence: String::new(),
            contender: plan.contenders.first().map_or_else(String::new, |contender| contender.name.clone()),
            challenge: plan.challenge.name.clone(),
            profile: plan.profile.clone(),
            seed: plan.seed.to_string(),
            criterion: terms.criterion.clone(),
            scale: found.scale_milli.map(in_scale),
            low: found.low_milli.map(in_scale),
            high: found.high_milli.map(in_scale),
            confirmed: found.held,
            limited_by: found.limited_by,
            held_up_by: held_up.as_ref().and_then(|by| told::short_service(by, Lang::En)),
            held_up,
            at_least: terms.at_least_milli.map(in_scale),
            at_least_met,
            end,
            error,
            limits_enforced: searched.limits_enforced,
            limits_note: searched.limits_note.clone(),
            walls_note: searched.walls_note.clone(),
            hold_s: seconds(terms.hold_ns),
            confirm_s: seconds(terms.confirm_ns),
            ratio: terms.search.ratio,
            preloads: terms.preloads,
            starts: searched.starts,
            holds: holds.iter().map(Into::into).collect(),
            over_budget: plan
                .contenders
                .iter()
                .filter_map(|c| over_budget(c, &plan.challenge.policy))
                .collect(),
        };
        report.sentence = report.in_words().en.into_owned();
        report
    }

    /// Pretty JSON with a newline at the end.
    pub fn to_json(&self) -> String {
        pretty(self)
    }

    /// The hold that stands for the scale found: the last one there that was met.
    pub fn standing(&self) -> Option<&HoldReport> {
        let at_scale = |hold: &&HoldReport| hold.met && Some(hold.scale) == self.scale;
        self.holds.iter().rev().find(at_scale)
    }

    /// The first hold of the lowest scale that was not met, of those above what is held.
    pub fn lowest_not_met(&self) -> Option<&HoldReport> {
        let held = self.scale.unwrap_or(0.0);
        let above = self.holds.iter().filter(|hold| hold.valid && !hold.met && hold.scale > held);
        above.min_by(|a, b| a.scale.total_cmp(&b.scale))
    }
}

/// The JSON schema of [`LimitReport`], pretty, with a newline at the end.
pub fn limit_schema() -> String {
    pretty(&schemars::schema_for!(LimitReport))
}

/// What a search of rates found, read as scales.
struct Found {
    scale_milli: Option<u64>,
    low_milli: Option<u64>,
    high_milli: Option<u64>,
    held: bool,
    limited_by: LimitedBy,
}

impl Found {
    fn of(capacity: &Capacity) -> Self {
        match *capacity {
            Capacity::Nothing { limit, .. } => Self {
                scale_milli: None,
                low_milli: None,
                high_milli: None,
                held: false,
                limited_by: limit.into(),
            },
            Capacity::Highest { rate_milli, low_milli, high_milli, held, limit, .. } => Self {
                scale_milli: Some(rate_milli),
                low_milli: Some(low_milli),
                high_milli,
                held,
                limited_by: limit.into(),
            },
        }
    }
}

impl From<Limit> for LimitedBy {
    fn from(limit: Limit) -> Self {
        match limit {
            Limit::Criterion => Self::Contender,
            Limit::Client { .. } => Self::Galo,
            Limit::Asked => Self::Asked,
            Limit::Trials => Self::Holds,
        }
    }
}

/// Thousandths as a scale.
pub(crate) fn in_scale(milli: u64) -> f64 {
    decimals(milli as f64 / 1e3, 3)
}

/// A scale to three digits or so: `11.3`, `1.25`, `0.125`; without a fraction where it has none.
pub fn scale_words(scale: f64) -> String {
    let places = if scale < 1.0 { 3 } else { usize::from(scale < 10.0) + 1 };
    let text = number(scale, places);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_is_told_to_three_digits_or_so() {
        let told: Vec<String> =
            [0.0, 0.125, 0.5, 1.0, 1.254, 2.5, 10.0, 11.313, 100.0].map(scale_words).into();
        assert_eq!(told, ["0", "0.125", "0.5", "1", "1.25", "2.5", "10", "11.3", "100"]);
    }
}
