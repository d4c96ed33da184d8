//! All that is kept of one round.

use galo_plan::model::Seen;
use galo_plan::{PairId, Plan};
use serde::{Deserialize, Serialize};

use crate::conformance::CaseRecord;
pub use crate::count::CountReading;
use crate::crash::{CrashRecord, RestartRecord};
use crate::database::DatabaseSample;
use crate::durability::{DatabaseSettings, ServiceFlushes};
use crate::finding::HostFact;
use crate::history::{Evidence, Operation};
use crate::latencies::StepLatencies;
use crate::load::LoadRecord;
use crate::placement::Placement;
use crate::sample::Sample;
use crate::window::{self, Window};

/// A round's facts, folded from its acts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RoundRecord {
    /// From 1, in the order in which rounds were driven, repeated ones included.
    pub number: u32,
    /// Index into the plan's contenders.
    pub contender: usize,
    /// Index into the plan's order; a round that is driven anew has the same.
    pub slot: usize,
    /// Whose seed drew all that was drawn in it; of a hold, whose rows are those of the run's own seed, the default.
    pub pair: PairId,
    /// How far it came.
    pub end: RoundEnd,
    /// Where it ran; `None` where it did not start.
    pub placement: Option<Placement>,
    /// The count before the first request.
    pub count_before: Option<CountReading>,
    /// The count while nobody asked for anything else: between [`Self::count_before`] and the load.
    pub counts_before: Vec<CountReading>,
    /// The count after the last, until it came to rest.
    pub counts_after: Vec<CountReading>,
    /// Its load; without an operation where none was driven.
    pub load: LoadRecord,
    /// What the host saw: a service that died, something that had to be killed.
    pub findings: Vec<HostFact>,
    /// The count when the contender was started once more after the round, on fresh volumes; `None`: it was not.
    pub count_renewed: Option<CountReading>,
    /// Where galo killed services: what came of it.
    pub crash: Option<CrashRecord>,
    /// Where galo started it again at rest: what came of it.
    pub restart: Option<RestartRecord>,
    /// Flushes of each service from before the load on, to its end (or its first end, where it was started again) where that was seen;
    /// empty: nobody counted.
    pub flushes: Vec<ServiceFlushes>,
    /// Databases that could be asked.
    pub databases: Vec<DatabaseSettings>,
    /// Cases of conformance that there were to ask: as many lines has `conformance.jsonl`.
    pub cases: usize,
    /// What was seen of the contender and of the machine around it.
    pub beside: Beside,
}

/// A trouble that a program tells of in its log in words of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogSign {
    /// The service whose log it is.
    pub service: String,
    /// What ran out.
    pub lack: Lack,
    /// How many lines say so.
    pub lines: u64,
    /// The first of them, shortened.
    pub first: String,
}

/// What a program says it has too little of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lack {
    /// Connections that a load balancer may have.
    BalancerConnections,
    /// Connections that a database takes.
    DatabaseConnections,
    /// Connections in a pool, within the time that one waits for them.
    PoolConnections,
    /// File descriptors.
    Descriptors,
    /// Local ports.
    Ports,
    /// Memory of a runtime's own heap.
    Heap,
}

/// A process that is neither the contender's nor galo's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Neighbour {
    /// Name of its program, as the kernel knows it.
    pub name: String,
    /// Process id.
    pub pid: u32,
    /// CPU that it used while the load ran, user and system.
    pub cpu_ns: u64,
}

/// What was seen of a contender and of the machine around it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Beside {
    /// Troubles that services wrote into their logs.
    pub log_signs: Vec<LogSign>,
    /// Processes that are neither the contender's nor galo's and used the most CPU meanwhile, busiest first.
    pub neighbours: Vec<Neighbour>,
    /// CPU of container engines and of what they run for containers (their proxies of ports, their shims) meanwhile, user and system:
    /// nobody's limits hold for it. `None`: no engine ran.
    pub container_engine_ns: Option<u64>,
    /// Looks at the database, which are bulk: as many lines has `database.jsonl.zst`.
    pub database_looks: usize,
}

impl RoundRecord {
    /// A round that was driven, with nothing in it yet.
    pub fn new(number: u32, contender: usize, slot: usize) -> Self {
        Self {
            number,
            contender,
            slot,
            pair: PairId::default(),
            end: RoundEnd::Driven,
            placement: None,
            count_before: None,
            counts_before: Vec::new(),
            counts_after: Vec::new(),
            load: LoadRecord::default(),
            findings: Vec::new(),
            count_renewed: None,
            crash: None,
            restart: None,
            flushes: Vec::new(),
            databases: Vec::new(),
            cases: 0,
            beside: Beside::default(),
        }
    }

    /// The count at rest: the last reading that holds a number. A balancer may answer for an instance that died.
    pub fn count_at_rest(&self) -> Option<&CountReading> {
        self.counts_after.iter().rev().find(|reading| reading.value.is_some())
    }
}

/// How far a round came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoundEnd {
    /// All of its traffic was driven (which says nothing about the answers).
    Driven,
    /// The contender did not start, or was not ready in time; why, in a sentence with a hint.
    NotReady(String),
    /// The caller broke it off.
    Interrupted,
}

/// A whole round: its facts and its bulk.
#[derive(Debug, Clone, PartialEq)]
pub struct RoundData {
    /// Its facts.
    pub record: RoundRecord,
    /// `history.bin.zst`, in the order of `done_ns`.
    pub history: Vec<Operation>,
    /// What their answers showed ([`Operation::seen`]); also in `history.bin.zst`.
    pub seen: Vec<Seen>,
    /// `latencies.bin.zst`, by flat step number.
    pub latencies: Vec<StepLatencies>,
    /// `samples.jsonl.zst`, in order.
    pub samples: Vec<Sample>,
    /// `database.jsonl.zst`, in order; no file where no database could be asked.
    pub database: Vec<DatabaseSample>,
    /// `evidence.jsonl`.
    pub evidence: Vec<Evidence>,
    /// `conformance.jsonl`; no file where no case was asked.
    pub conformance: Vec<CaseRecord>,
}

impl RoundData {
    /// A round's facts, without any bulk yet.
    pub const fn new(record: RoundRecord) -> Self {
        Self {
            record,
            history: Vec::new(),
            seen: Vec::new(),
            latencies: Vec::new(),
            samples: Vec::new(),
            database: Vec::new(),
            evidence: Vec::new(),
            conformance: Vec::new(),
        }
    }

    /// The samples of the load, and what they say; `None` where there are fewer than two.
    pub fn window(&self) -> Option<Window<'_>> {
        Window::of(&self.samples, self.record.load.started_ns, self.record.load.ended_ns)
    }

    /// The same until an earlier moment: while users still arrived.
    pub fn window_until(&self, end_ns: u64) -> Option<Window<'_>> {
        Window::of(&self.samples, self.record.load.started_ns, end_ns)
    }

    /// Drops the samples that are not the load's: what the services did while they came up and were counted is no
    /// part of the round.
    pub fn keep_window(&mut self) {
        let (started_ns, ended_ns) = (self.record.load.started_ns, self.record.load.ended_ns);
        self.database.retain(|look| (started_ns..=ended_ns).contains(&look.at_ns));
        self.record.beside.database_looks = self.database.len();
        let range = window::range(&self.samples, started_ns, ended_ns);
        self.samples.truncate(range.end);
        self.samples.drain(..range.start);
    }

    /// All latencies of the compared scenarios as those of one step. Whatever is said of a round's latency, by the
    /// judge or in the report, is said of these.
    pub fn compared_latencies(&self, plan: &Plan) -> StepLatencies {
        let mut sum = StepLatencies::default();
        for ((scenario, _), latencies) in plan.challenge.steps().zip(&self.latencies) {
            if scenario.compared {
                sum.add(latencies);
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_keeps_the_samples_of_its_load_and_its_window_stays_the_same() {
        let mut data = RoundData::new(RoundRecord::new(1, 0, 0));
        (data.record.load.started_ns, data.record.load.ended_ns) = (100, 200);
        data.samples = [80, 90, 110, 190, 210, 220].map(|at_ns| Sample { at_ns, ..Sample::default() }).into();
        let before = data.window().map(|w| w.samples().to_vec());
        data.keep_window();
        assert_eq!(data.samples.iter().map(|s| s.at_ns).collect::<Vec<_>>(), [90, 110, 190, 210]);
        assert_eq!(data.window().map(|w| w.samples().to_vec()), before);
    }

    #[test]
    fn a_round_without_a_load_keeps_no_sample() {
        let mut data = RoundData::new(RoundRecord::new(1, 0, 0));
        data.samples = vec![Sample { at_ns: 5, ..Sample::default() }];
        data.keep_window();
        assert_eq!(data.samples, []);
    }
}
