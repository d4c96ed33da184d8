//! The plan: everything about to happen, validated and immutable.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::challenge::{Challenge, Scenario};
use crate::contender::Contender;
use crate::error::PlanError;
use crate::injection::Injection;
use crate::model::{Ceiling, ChallengeData, ChallengeModel};
use crate::rules::Rule;

/// Version of the plan's written form.
pub const FORMAT: u32 = 1;

/// What the caller chose.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Name of a profile.
    pub profile: String,
    /// Factor on every arrival rate, in thousandths.
    pub scale_milli: u32,
    /// Rounds for each contender.
    pub rounds: u32,
    /// Seed of all that is drawn.
    pub seed: u64,
    /// Whether the files' limits are to be set (`false`: `--unlimited`, the control).
    pub limited: bool,
    /// A noise floor measured earlier.
    pub noise_floor: Option<NoiseFloor>,
}

/// The ratio that a contender shows against itself, measured in an earlier run and copied here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NoiseFloor {
    /// At least 1: ratios from `1 / ratio` to `ratio` are noise.
    pub ratio: f64,
    /// The run that measured it.
    pub from_run: PathBuf,
}

/// Everything about to happen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// [`FORMAT`].
    pub format: u32,
    /// The definition that it follows.
    pub challenge: Challenge,
    /// Generic rules, then those of the challenge's model; [`crate::RuleCode`] indexes it.
    pub rules: Vec<Rule>,
    /// Name of the chosen profile.
    pub profile: String,
    /// Factor on every arrival rate, in thousandths.
    pub scale_milli: u32,
    /// Seed of all that is drawn.
    pub seed: u64,
    /// Whether limits are to be set.
    pub limited: bool,
    /// Who fights.
    pub contenders: Vec<Contender>,
    /// Rounds in turn, as indices into `contenders`: A B B A A B ...
    pub order: Vec<usize>,
    /// By scenario of the challenge: who arrives when (`None`: nobody in this profile).
    pub traffic: Vec<Option<Traffic>>,
    /// How many creations a correct contender acknowledges.
    pub ceiling: Ceiling,
    /// SHA-256 over all rows that the plan sends, in hex: same seed, same bytes.
    pub data_sha256: String,
    /// A noise floor measured earlier.
    pub noise_floor: Option<NoiseFloor>,
}

/// The users of one scenario.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traffic {
    /// When they arrive, scale applied.
    pub injection: Injection,
    /// How many.
    pub users: u64,
}

impl Plan {
    /// Joins a challenge, contenders and options, and makes the data once to know its ceiling and its digest.
    /// With no contender the order is empty (for `check URL` and tests).
    ///
    /// # Errors
    /// An unknown profile (with the nearest right word), a contender for another challenge, two contenders of one
    /// name, no rounds, a scale out of range.
    pub fn new(
        _challenge: Challenge,
        _model: &dyn ChallengeModel,
        _contenders: Vec<Contender>,
        _options: &Options,
    ) -> Result<Self, PlanError> {
        todo!()
    }

    /// Makes the data that the plan sends.
    pub fn prepare(&self, _model: &dyn ChallengeModel) -> Box<dyn ChallengeData> {
        todo!()
    }

    /// Scenarios of the profile with their traffic, by scenario index.
    pub fn scenarios(&self) -> impl Iterator<Item = (usize, &Scenario, &Traffic)> {
        self.challenge
            .scenarios
            .iter()
            .zip(&self.traffic)
            .enumerate()
            .filter_map(|(i, (s, t))| t.as_ref().map(|t| (i, s, t)))
    }

    /// Length of the traffic in nanoseconds (the last arrival may still be under way then).
    pub fn duration_ns(&self) -> u64 {
        self.scenarios().map(|(_, _, t)| t.injection.duration_ns()).max().unwrap_or(0)
    }

    /// The pause before a step for one user, drawn by seed, scenario, step and user alone.
    pub fn pause_ns(&self, _scenario: usize, _step: usize, _user: u64) -> u64 {
        todo!()
    }

    /// The plan as stored in the run folder: pretty JSON with a newline at the end.
    pub fn to_json(&self) -> String {
        todo!()
    }
}

/// Rounds in turn so that neither contender always goes first: A B B A A B B A ... (for more than two, the order is
/// reversed every other time).
pub fn alternate(_contenders: usize, _rounds: u32) -> Vec<usize> {
    todo!()
}
