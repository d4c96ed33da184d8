//! What a duel did: `duel.json`, written again after every turn, so that whatever ends it loses nothing.
//!
//! Two sides (commands or addresses) are driven in turns, one after the other, over and over. A turn is one load for each
//! level; the k-th turn of one side and the k-th of the other are a pair. What they add up to is not kept: the judge says it
//! again of the turns.

mod usage;

use std::collections::BTreeMap;
use std::path::Path;

use galo_plan::Injection;
use serde::{Deserialize, Serialize};

use crate::end::RunEnd;
use crate::finding::HostFact;
use crate::ledger::Ledger;
use crate::load::EngineRecord;
use crate::run::{Folder, RecordError, files};

pub use usage::TurnUsage;

/// Version of the file's form. A reader refuses a newer one.
pub const FORMAT: u32 = 1;

const FILE: &str = "duel.json";
/// More pairs than any duel has.
const MOST_PAIRS: u32 = 1 << 16;

/// The terms of a duel, and its turns so far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DuelRecord {
    /// [`FORMAT`].
    pub format: u32,
    /// The two.
    pub sides: [SideRecord; 2],
    /// What is sent, in a few words, e.g. `GET /`.
    pub request: String,
    /// Bounds on ratios that were to hold, as they were written.
    pub assertions: Vec<String>,
    /// How it is driven.
    pub terms: DuelTerms,
    /// Whether limits were in force; of no meaning where neither side is a command.
    pub limits_enforced: bool,
    /// Why not.
    pub limits_note: Option<String>,
    /// How answers compared.
    pub answers: AnswersRecord,
    /// In the order in which they were driven.
    pub turns: Vec<Turn>,
    /// What was remarkable of how the sides ran.
    pub findings: Vec<SideFinding>,
    /// How it ended, so far.
    pub end: RunEnd,
}

/// One side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SideRecord {
    /// For people; the two differ.
    pub name: String,
    /// The command; `None`: a server that ran before, which galo neither starts nor limits.
    pub command: Option<String>,
    /// The address that is asked.
    pub url: String,
    /// How it came to its speed. Empty where it was not looked for.
    pub warm_up: Vec<WarmUp>,
}

/// A short closed loop before the first turn. None of it counts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct WarmUp {
    /// How long it lasted.
    pub elapsed_ns: u64,
    /// Right answers per second.
    pub ok_per_s: f64,
}

/// How a duel is driven.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DuelTerms {
    /// Pairs of turns that are to be driven.
    pub pairs: u32,
    /// Loads of each turn, in this order.
    pub levels: Vec<LevelTerms>,
    /// After so many pairs both sides are started afresh; 0: never. What differs by luck of a start differs again then.
    pub pairs_per_start: u32,
    /// CPU limit of each command, in thousandths; `None`: nothing is limited.
    pub cpus_milli: Option<u32>,
    /// Memory limit of each command; `None`: none was asked for.
    pub memory_bytes: Option<u64>,
    /// Cores of the machine that galo and the commands share; `None`: not known.
    pub cores: Option<u32>,
    /// The difference that the caller wants found, in percent; `None`: by how the duel is driven.
    pub detect_percent: Option<f64>,
    /// Whether one side stands still while the other one is driven.
    pub pauses: bool,
}

/// One load of every turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LevelTerms {
    /// What it is for.
    pub level: Level,
    /// How long users arrive.
    pub length_ns: u64,
    /// Who arrives when; `None`: a closed loop.
    pub injection: Option<Injection>,
    /// Connections at most; in a closed loop so many at once.
    pub connections: u32,
}

/// How hard a load is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// A rate, or a profile, that was asked for.
    Asked,
    /// Half of what the slower one reaches.
    Half,
    /// Nine tenths of what the slower one reaches.
    Near,
    /// As much as it gives, in a closed loop.
    Highest,
}

/// One side's turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// Which side.
    pub side: usize,
    /// Which pair, from 0.
    pub pair: u32,
    /// Which start of the two, from 0.
    pub start: u32,
    /// One for each level.
    pub loads: Vec<TurnLoad>,
}

/// A death, or the like, of a side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SideFinding {
    /// Which side.
    pub side: usize,
    /// In which pair; `None`: before the first one.
    pub pair: Option<u32>,
    /// What, with its evidence.
    pub finding: HostFact,
}

/// One load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TurnLoad {
    /// What it is for.
    pub level: Level,
    /// From the first arrival to the end of the last operation.
    pub elapsed_ns: u64,
    /// Its operations.
    pub ledger: Ledger,
    /// Answers by status.
    pub statuses: BTreeMap<u16, u64>,
    /// Failures by kind.
    pub errors: BTreeMap<String, u64>,
    /// Latency from the intended start, of everything that ended.
    pub latency: TurnLatency,
    /// CPU that its processes used; `None`: not seen.
    pub cpu_ns: Option<u64>,
    /// Most memory of its processes, page cache included.
    pub memory_peak_bytes: Option<u64>,
    /// Most anonymous memory of its processes.
    pub anonymous_peak_bytes: Option<u64>,
    /// What else was seen of them, and of what was around them; `None`: nothing.
    pub usage: Option<TurnUsage>,
    /// galo's own part, by which the judge says whether it counts.
    pub engine: EngineRecord,
}

/// Microseconds; all 0 where nothing ended.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct TurnLatency {
    /// How many operations they are taken of.
    pub count: u64,
    /// Median.
    pub us_p50: f64,
    /// 90 %.
    pub us_p90: f64,
    /// 99 %.
    pub us_p99: f64,
    /// The longest.
    pub us_max: f64,
}

/// Answers of the two sides to the same request.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct AnswersRecord {
    /// Requests of which both answers were compared.
    pub compared: u64,
    /// ... and were the same by meaning.
    pub equal: u64,
    /// ... and had different statuses.
    pub other_status: u64,
    /// JSON pointers of what does not count.
    pub ignored: Vec<String>,
    /// The first few differences.
    pub differences: Vec<AnswerDifference>,
}

/// Two answers that differ.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnswerDifference {
    /// Where: `status`, `content-type`, `body` or a JSON pointer.
    pub at: String,
    /// What the sides had there, in their order.
    pub values: [String; 2],
}

impl LevelTerms {
    /// Whether its rate changes over a load.
    pub fn varies(&self) -> bool {
        let phases = self.injection.iter().flat_map(Injection::phases);
        let mut rates = phases.flat_map(|phase| [phase.from_micro, phase.to_micro]);
        let first = rates.next();
        rates.any(|rate| Some(rate) != first)
    }
}

impl Level {
    /// As it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Asked => "asked",
            Self::Half => "half",
            Self::Near => "near",
            Self::Highest => "highest",
        }
    }

    /// For people.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Asked => "as asked for",
            Self::Half => "half of what the slower reaches",
            Self::Near => "90 % of what the slower reaches",
            Self::Highest => "as much as it gives",
        }
    }
}

impl SideRecord {
    /// The rate that the last warm-up reached; `None`: there was none.
    pub fn reached_per_s(&self) -> Option<f64> {
        self.warm_up.last().map(|last| last.ok_per_s)
    }
}

/// Writes it into the run folder, over what was there.
pub(crate) fn write(folder: &Folder, duel: &DuelRecord) -> Result<(), RecordError> {
    files::write_json(folder, FILE, duel)?;
    folder.sync()
}

/// Reads it from the run folder; `None` where there is none.
pub(crate) fn read(folder: &Path) -> Result<Option<DuelRecord>, RecordError> {
    let path = folder.join(FILE);
    let record: Option<DuelRecord> = files::read_versioned(&path, FORMAT)?;
    match record.as_ref().and_then(DuelRecord::impossible) {
        Some(reason) => Err(RecordError::Damaged { path, reason }),
        None => Ok(record),
    }
}

impl DuelRecord {
    /// What cannot be in it, if anything: galo never wrote it so.
    fn impossible(&self) -> Option<String> {
        // Spoiled turns are driven again, a quarter of all at most.
        let pairs = self.terms.pairs.saturating_mul(2);
        let told = |(number, turn): (usize, &Turn)| {
            let Turn { side, pair, loads, .. } = turn;
            let is_possible = *side < 2
                && *pair < pairs.min(MOST_PAIRS)
                && loads.iter().all(|load| load.ledger.is_possible());
            (!is_possible).then(|| format!("turn {} is none that a duel can have", number + 1))
        };
        self.turns.iter().enumerate().find_map(told)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> DuelRecord {
        let side = |name: &str| SideRecord {
            name: name.into(),
            command: None,
            url: "http://127.0.0.1:1/".into(),
            warm_up: vec![WarmUp { elapsed_ns: 500_000_000, ok_per_s: 1_000.0 }],
        };
        let level = LevelTerms { level: Level::Highest, length_ns: 1, injection: None, connections: 16 };
        let terms = DuelTerms {
            pairs: 8,
            levels: vec![level],
            pairs_per_start: 0,
            cpus_milli: None,
            memory_bytes: None,
            cores: Some(2),
            detect_percent: None,
            pauses: false,
        };
        DuelRecord {
            format: FORMAT,
            sides: [side("a"), side("b")],
            request: "GET /".into(),
            assertions: Vec::new(),
            terms,
            limits_enforced: true,
            limits_note: None,
            answers: AnswersRecord::default(),
            turns: Vec::new(),
            findings: Vec::new(),
            end: RunEnd::Failed("the disk is full".into()),
        }
    }

    #[test]
    fn a_duel_comes_back_as_it_was_written_last() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read(folder.path()).unwrap(), None);
        write(&Folder::open(folder.path()).unwrap(), &DuelRecord { end: RunEnd::Running, ..record() })
            .unwrap();
        write(&Folder::open(folder.path()).unwrap(), &record()).unwrap();
        assert_eq!(read(folder.path()).unwrap(), Some(record()));
    }

    #[test]
    fn a_rate_varies_where_its_phases_differ() {
        let level = |injection| LevelTerms { level: Level::Asked, length_ns: 1, injection, connections: 1 };
        let of = |phases: &[&str]| level(Some(Injection::parse(phases).unwrap()));
        assert!(!level(None).varies());
        assert!(!of(&["5/s for 2s", "5/s for 1s"]).varies());
        assert!(of(&["5/s for 2s", "6/s for 1s"]).varies() && of(&["ramp 1/s to 2/s over 1s"]).varies());
    }

    #[test]
    fn a_turn_that_no_duel_has_is_damage() {
        let folder = tempfile::tempdir().unwrap();
        let turn = |side, pair| Turn { side, pair, start: 0, loads: Vec::new() };
        for (turn, possible) in [(turn(1, 9), true), (turn(2, 0), false), (turn(0, u32::MAX), false)] {
            write(&Folder::open(folder.path()).unwrap(), &DuelRecord { turns: vec![turn], ..record() })
                .unwrap();
            let read = read(folder.path());
            assert_eq!(read.is_ok(), possible, "{read:?}");
            assert!(possible || matches!(read, Err(RecordError::Damaged { .. })));
        }
    }

    #[test]
    fn what_a_side_reached_is_what_it_reached_last() {
        let mut side = record().sides[0].clone();
        side.warm_up.push(WarmUp { elapsed_ns: 500_000_000, ok_per_s: 3_000.0 });
        assert_eq!(side.reached_per_s(), Some(3_000.0));
    }
}
