//! The search for the highest rate under a criterion, by its loads.

use galo_plan::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{JudgedLoad, LoadFacts, RateStep};
use crate::assertion::Assertions;
use crate::capacity::{Capacity, Limit, Search, SearchOptions};

/// The highest rate under a criterion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HighestRate {
    /// The rate, or that there is none.
    pub capacity: Capacity,
    /// What was to hold.
    pub criterion: String,
    /// All rates tried, in that order.
    pub trials: Vec<Trial>,
    /// The lowest rate at which galo ran into a limit of its own, so that nothing above it was tried.
    pub stopped_at: Option<StoppedAt>,
}

/// One rate that was tried.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Trial {
    /// What it found. Where it is void it says nothing about the server.
    #[serde(flatten)]
    pub step: RateStep,
    /// How long requests fell due.
    pub length_s: f64,
    /// Whether it was a hold.
    pub hold: bool,
    /// Whether the criterion was met, and the server kept up with the rate.
    pub met: bool,
}

/// Where galo ran into a limit of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StoppedAt {
    /// Requests per 1,000 seconds.
    pub rate_milli: u64,
    /// What there was too little of, e.g. `no free local port`.
    pub ran_out_of: String,
}

/// Where the highest rate is looked for, in requests per 1,000 seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Range {
    /// Where the search begins; `None`: near what a closed loop reaches, which is then the first load.
    pub start_milli: Option<u64>,
    /// Nothing above it is tried.
    pub max_milli: Option<u64>,
}

/// The search for the highest rate, by its loads so far; `None`: where it begins is not known yet.
pub fn search(range: Range, loads: &[LoadFacts]) -> Option<Search> {
    let mut options = SearchOptions::default();
    options.max_milli = range.max_milli.unwrap_or(options.max_milli);
    match (range.start_milli, loads.first()) {
        (Some(start_milli), _) => options.start_milli = start_milli,
        (None, None) => return None,
        (None, Some(closed)) if closed.judged.ok_per_s > 0.0 => {
            options = options.near(closed.judged.ok_per_s);
        }
        (None, Some(_)) => {}
    }
    let mut search = Search::new(options);
    // What was broken off says nothing about its rate.
    let trials = loads.iter().filter(|load| !load.judged.interrupted).filter_map(|load| load.trial.as_ref());
    trials.for_each(|trial| search.tell(trial.outcome));
    Some(search)
}

/// What a search came to, whether it is over or was broken off. Its figures are those of the load that stands for the rate:
/// its hold, if there was one, or else the last trial. Trials that galo spoiled do not spoil it, unless it found nothing
/// because of them.
pub fn highest(criterion: &Assertions, range: Range, loads: &[LoadFacts]) -> JudgedLoad {
    let search = search(range, loads).unwrap_or_else(|| Search::new(SearchOptions::default()));
    let capacity = search.result();
    let last = loads.iter().rfind(|load| load.trial.is_some());
    let stands = match capacity {
        Capacity::Highest { rate_milli, .. } => loads.iter().rfind(|load| {
            let trial = load.trial.as_ref();
            trial.is_some_and(|trial| trial.rate_milli == rate_milli && trial.is_met() && trial.outcome.valid)
        }),
        Capacity::Nothing { .. } => None,
    };
    let mut judged = stands.or(last).map(|load| load.judged.clone()).unwrap_or_default();
    if !matches!(capacity, Capacity::Nothing { limit: Limit::Client { .. }, .. }) {
        judged.void.clear();
    }
    judged.stopped_by = last.and_then(|load| load.judged.stopped_by);
    let trials = loads.iter().filter_map(|load| {
        let trial = load.trial.as_ref()?;
        let (length_s, hold, met) = (trial.length.as_secs_f64(), trial.hold, trial.is_met());
        Some(Trial { step: load.step(), length_s, hold, met })
    });
    let stopped_at = loads.iter().filter_map(|load| {
        let trial = load.trial.as_ref()?;
        Some(StoppedAt { rate_milli: trial.rate_milli, ran_out_of: trial.ran_out_of.clone()? })
    });
    judged.highest_rate = Some(HighestRate {
        capacity,
        criterion: criterion.to_string(),
        trials: trials.collect(),
        stopped_at: stopped_at.min_by_key(|stopped| stopped.rate_milli),
    });
    judged
}
