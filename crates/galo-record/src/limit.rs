//! What `galo limit` did: `limit.json`, written again after every hold, so that whatever ends it loses nothing.
//!
//! Scales are in thousandths. What they add up to is not kept: the outcomes in their order are, and the search that
//! heard them says the same again.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::end::RunEnd;
use crate::ledger::Ledger;
use crate::run::{Folder, RecordError, files};

/// Version of the file's form. A reader refuses a newer one.
pub const FORMAT: u32 = 1;

const FILE: &str = "limit.json";

/// The terms of the search, and its holds so far. Contender, profile and seed are in the plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LimitRecord {
    /// [`FORMAT`].
    pub format: u32,
    /// What a hold must meet, as it was written.
    pub criterion: String,
    /// Where to search.
    pub terms: SearchTerms,
    /// Length of a hold.
    pub hold_ns: u64,
    /// Length of a hold that confirms.
    pub confirm_ns: u64,
    /// Whether tables are filled to the size that a scale would give them, before it is held.
    pub preloads: bool,
    /// The scale that was to be held at least.
    pub at_least_milli: Option<u64>,
    /// Whether limits were in force.
    pub limits_enforced: bool,
    /// Why not.
    pub limits_note: Option<String>,
    /// How often the contender was started, each time with fresh volumes.
    pub starts: u32,
    /// In the order in which they were driven.
    pub holds: Vec<HoldRecord>,
    /// How it ended, so far.
    pub end: RunEnd,
}

/// Where to search.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SearchTerms {
    /// The first scale to be tried.
    pub start_milli: u64,
    /// Nothing below this is tried.
    pub min_milli: u64,
    /// Nothing above this is tried.
    pub max_milli: u64,
    /// The bracket is narrow enough when its upper end divided by its lower is at most this.
    pub ratio: f64,
    /// At most so many holds.
    pub max_holds: u32,
    /// A hold is not met if less than this share of what fell due was answered while it lasted.
    pub min_answered: f64,
}

impl SearchTerms {
    /// Nothing below this scale is tried, unless the search begins there.
    const LEAST_MILLI: u64 = 10;
    /// A search that goes well takes 10 to 14.
    const HOLDS_MAX: u32 = 24;
    /// A queue that grows leaves more unanswered.
    const MIN_ANSWERED: f64 = 0.99;

    /// A search that begins at a scale, goes no higher than another, and ends with a bracket of this ratio.
    pub fn new(start_milli: u64, max_milli: u64, ratio: f64) -> Self {
        Self {
            start_milli: start_milli.min(max_milli),
            min_milli: Self::LEAST_MILLI.min(start_milli),
            max_milli,
            ratio,
            max_holds: Self::HOLDS_MAX,
            min_answered: Self::MIN_ANSWERED,
        }
    }
}

impl LimitRecord {
    /// A search that begins, with limits, tables to be filled and nothing to reach.
    pub fn begun(criterion: String, terms: SearchTerms, hold_ns: u64, confirm_ns: u64) -> Self {
        Self {
            format: FORMAT,
            criterion,
            terms,
            hold_ns,
            confirm_ns,
            preloads: true,
            at_least_milli: None,
            limits_enforced: true,
            limits_note: None,
            starts: 0,
            holds: Vec::new(),
            end: RunEnd::Running,
        }
    }
}

/// One hold: constant traffic at one scale.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HoldRecord {
    /// The scale.
    pub scale_milli: u64,
    /// Whether it is a long one, that confirms.
    pub confirms: bool,
    /// How long users arrived.
    pub length_ns: u64,
    /// At which rate, by scenario.
    pub rates: Vec<ScenarioRate>,
    /// What was done to give the tables their size; `None`: nothing was needed.
    pub preload: Option<PreloadRecord>,
    /// The count before.
    pub people_before: Option<u64>,
    /// The count after.
    pub people_after: Option<u64>,
    /// Creations acknowledged, in all scenarios.
    pub acknowledged: u64,
    /// Creations of unknown effect, in all scenarios.
    pub unknown: u64,
    /// Operations of the compared scenarios.
    pub ledger: Ledger,
    /// Operations of the others.
    pub probe_ledger: Ledger,
    /// Failures by kind, in all scenarios.
    pub errors: BTreeMap<String, u64>,
    /// What was wrong with the first few wrong answers, advice included.
    pub wrong: Vec<String>,
    /// Latency from the intended start, of everything that ended in the compared scenarios.
    pub latency: HoldLatency,
    /// From the first arrival to the end of the last operation.
    pub elapsed_ns: u64,
    /// In the order of the placement.
    pub services: Vec<HoldService>,
    /// CPU of galo's own process, all threads; `None`: not seen.
    pub galo_cpu_ns: Option<u64>,
    /// CPU of the engine's threads.
    pub engine_cpu_ns: u64,
    /// Lag of the engine, 99 %.
    pub lag_us_p99: f64,
    /// What held it back, the most telling first, where it was not met: findings in the judge's own form.
    pub causes: Vec<serde_json::Value>,
    /// What came of it.
    pub outcome: HoldOutcome,
}

/// The rate of one scenario.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScenarioRate {
    /// Scenario's name.
    pub scenario: String,
    /// In millionths of a user per second.
    pub rate_micro: u64,
    /// Whether it belongs to the compared figures.
    pub compared: bool,
}

/// How tables were given their size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreloadRecord {
    /// Whether the contender was started anew for it.
    pub fresh: bool,
    /// What the count grew by.
    pub created: u64,
    /// How long it took, without the start.
    pub took_ns: u64,
}

/// Microseconds; all 0 where nothing ended.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct HoldLatency {
    /// How many operations they are taken of.
    pub count: u64,
    /// Median.
    pub us_p50: f64,
    /// 99 %.
    pub us_p99: f64,
    /// 99.9 %.
    pub us_p99_9: f64,
    /// The longest.
    pub us_max: f64,
}

/// What one service used in a hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HoldService {
    /// Its name.
    pub name: String,
    /// Its CPU limit, in thousandths of a CPU.
    pub cpus_milli: Option<u32>,
    /// Its memory limit.
    pub memory_limit_bytes: Option<u64>,
    /// CPU, user and system, to the end of the last operation; `None`: not seen.
    pub cpu_ns: Option<u64>,
    /// CPU while users arrived as a share of what its limit gives in that time.
    pub cpu_share: Option<f64>,
    /// Share of its CPU periods that were throttled while users arrived; 0 where there were none.
    pub throttled_share: f64,
    /// Most memory, page cache included.
    pub memory_peak_bytes: Option<u64>,
    /// Most anonymous memory.
    pub anonymous_peak_bytes: Option<u64>,
    /// Processes that the kernel killed for want of memory.
    pub oom_kills: u64,
}

/// What came of a hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HoldOutcome {
    /// Whether the criterion was met, everybody was still alive, and the count was right.
    pub met: bool,
    /// Whether galo itself kept up. If not, the hold says nothing about the contender.
    pub valid: bool,
    /// Operations that were due, per second.
    pub offered_per_s: f64,
    /// Operations that ended while users arrived, per second.
    pub achieved_per_s: f64,
    /// Why it was not met, or says nothing.
    pub reasons: Vec<String>,
}

/// Writes it into the run folder, over what was there.
pub(crate) fn write(folder: &Folder, limit: &LimitRecord) -> Result<(), RecordError> {
    files::write_json(folder, FILE, limit)?;
    folder.sync()
}

/// Reads it from the run folder; `None` where there is none.
pub(crate) fn read(folder: &Path) -> Result<Option<LimitRecord>, RecordError> {
    let path = folder.join(FILE);
    let record: Option<LimitRecord> = files::read_versioned(&path, FORMAT)?;
    let holds = record.iter().flat_map(|record| &record.holds);
    if holds.flat_map(|hold| [&hold.ledger, &hold.probe_ledger]).all(Ledger::is_possible) {
        return Ok(record);
    }
    let reason = "it tells of more operations than there can be".to_owned();
    Err(RecordError::Damaged { path, reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> LimitRecord {
        let terms = SearchTerms::new(1_000, 100_000, 1.1);
        LimitRecord {
            limits_enforced: false,
            limits_note: Some("no control groups".into()),
            end: RunEnd::Failed("the disk is full".into()),
            ..LimitRecord::begun("p99<100ms".into(), terms, 30_000_000_000, 90_000_000_000)
        }
    }

    #[test]
    fn a_limit_comes_back_as_it_was_written_last() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read(folder.path()).unwrap(), None);
        write(&Folder::open(folder.path()).unwrap(), &LimitRecord { end: RunEnd::Running, ..record() })
            .unwrap();
        write(&Folder::open(folder.path()).unwrap(), &record()).unwrap();
        assert_eq!(read(folder.path()).unwrap(), Some(record()));
    }

    #[test]
    fn a_limit_of_a_newer_galo_is_told_and_so_is_one_that_is_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        std::fs::write(&path, r#"{ "format": 2, "other": true }"#).unwrap();
        assert!(matches!(read(folder.path()), Err(RecordError::Newer { found: 2, .. })));
        std::fs::write(&path, r#"{ "format": 1, "cri"#).unwrap();
        assert!(matches!(read(folder.path()), Err(RecordError::Damaged { .. })));
    }
}
