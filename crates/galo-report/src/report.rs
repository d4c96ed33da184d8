//! The report as data: what `report.json` holds.
//!
//! Times are in the unit that their name ends with; latencies are in microseconds, counted from the intended start
//! unless they are called service time. Floats are rounded, so the same run makes the same bytes.

use std::collections::BTreeMap;

use galo_judge::fact::{Excuse, Fact};
use galo_judge::json::pretty;
use galo_judge::{Comparison, Field, Measures, Standing, Verdict};
use galo_plan::Blame;
use galo_record::finding::Weight;
use galo_record::{Ledger, Machine, Percentiles};
use galo_words::Both;
use schemars::JsonSchema;
use serde::Serialize;

use crate::conformance::ConformanceReport;
use crate::words::{self, Told};

mod terms;

pub use terms::{BudgetReport, NoiseFloorReport};

/// Version of the report's written form.
pub const FORMAT: u32 = 1;

/// The report of one run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Report {
    /// Version of this form: 1.
    pub format: u32,
    /// Version of galo that drove the run.
    pub galo: String,
    /// Short name of the challenge.
    pub challenge: String,
    /// Name of the profile.
    pub profile: String,
    /// Factor on every arrival rate.
    pub scale: f64,
    /// Seed of all that was drawn; of a run that is not over `sha256:` and its commitment.
    pub seed: String,
    /// SHA-256 over all rows that the plan sends, in hex; of a run that is not over `-`.
    pub data_sha256: String,
    /// The command line, for doing it again.
    pub command: Vec<String>,
    /// UTC, RFC 3339, to the second.
    pub started: String,
    /// Where it ran.
    pub machine: Machine,
    /// Whether limits were asked for, and every one was set and read back in every round whose contender came up, of
    /// which there must be one at least.
    pub limits_enforced: bool,
    /// Why not, in one sentence.
    pub limits_note: Option<String>,
    /// Why services were not kept apart from one another and from galo; null where they were.
    pub walls_note: Option<String>,
    /// Whether contenders were ended at rest in some rounds and started again on what they left; null where there is nothing to lose.
    pub restarts: Option<bool>,
    /// What all services of a contender share.
    pub budget: BudgetReport,
    /// What a good answer is: the longest latency that it may have.
    pub service_level_ms: f64,
    /// What a contender showed against itself in an earlier run; a smaller difference in the primary measure is none.
    pub noise_floor: Option<NoiseFloorReport>,
    /// The outcome.
    pub verdict: VerdictReport,
    /// Measures of the first two contenders that may be ranked, primary first.
    pub comparisons: Vec<Comparison>,
    /// All that may be ranked, where they are more than two; null: they are not.
    pub field: Option<Field>,
    /// Who fought.
    pub contenders: Vec<ContenderReport>,
    /// Every round, in the order in which they were driven, void ones included.
    pub rounds: Vec<RoundReport>,
    /// Why limits are not enforced, in both languages.
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) limits_told: Option<Both>,
    /// Who takes more than the budget, in both languages. The figures of it are `budget`, and those of each contender.
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) over_budget: Vec<Both>,
}

/// The outcome with its sentence.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct VerdictReport {
    /// The outcome, told by its `kind`.
    #[serde(flatten)]
    pub outcome: Verdict,
    /// The outcome in one sentence.
    pub text: String,
    /// The same in both languages.
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) told: Both,
}

impl VerdictReport {
    /// An outcome and its sentence.
    pub(crate) fn new(outcome: Verdict, told: Both) -> Self {
        Self { outcome, text: told.en.to_string(), told }
    }
}

/// One contender over all of its rounds.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ContenderReport {
    /// Name.
    pub name: String,
    /// For people.
    pub title: String,
    /// Programming language, if the file tells.
    pub language: Option<String>,
    /// SHA-256 of the Compose file, in hex.
    pub file_sha256: String,
    /// How its services were started: `process` or `docker`.
    pub runner: &'static str,
    /// In starting order, with the limits that the file asks for.
    pub services: Vec<PlannedService>,
    /// Its rounds, summed up.
    pub summary: Summary,
}

/// One service as planned.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PlannedService {
    /// Name in the Compose file.
    pub name: String,
    /// CPU limit.
    pub cpus: f64,
    /// Memory limit.
    pub memory_bytes: u64,
}

/// The rounds of a contender, summed up.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
pub struct Summary {
    /// Rounds driven, repeated ones included.
    pub rounds: usize,
    /// ... of these valid.
    pub valid: usize,
    /// ... disqualified.
    pub disqualified: usize,
    /// ... void.
    pub void: usize,
    /// ... in which it did not start.
    pub not_ready: usize,
    /// Whether it may be ranked: at least one valid round, and no other kind but void ones.
    pub ranked: bool,
    /// Geometric means over its valid rounds; where it may not be ranked, over its valid and disqualified ones.
    pub measures: Measures,
    /// Share of the quota periods in which the most throttled service was throttled, over the same rounds.
    pub throttled_share: Option<f64>,
    /// That service.
    pub throttled_service: Option<String>,
}

/// One round.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RoundReport {
    /// From 1, in the order in which rounds were driven.
    pub number: u32,
    /// Contender's name.
    pub contender: String,
    /// Whether it counts, told by its `kind`.
    pub standing: Standing,
    /// Why it is void, or did not start, in one sentence; null: neither.
    pub why: Option<String>,
    /// Operations of the compared scenarios.
    pub ledger: Ledger,
    /// Operations of the probes.
    pub probe_ledger: Ledger,
    /// Creations acknowledged in the compared scenarios.
    pub created: u64,
    /// Creations acknowledged by probes.
    pub probes: u64,
    /// Creations whose effect is unknown, probes included.
    pub unknown: u64,
    /// How many creations a correct contender acknowledges in the compared scenarios.
    pub ceiling: CeilingReport,
    /// The count at rest.
    pub counted: Option<u64>,
    /// From the end of the load until the count had its last value.
    pub settled_after_s: Option<f64>,
    /// From the start to the end of the load.
    pub load_s: f64,
    /// galo's own part.
    pub engine: EngineReport,
    /// Whether every limit was set and read back.
    pub limits_enforced: bool,
    /// What each service used between the start and the end of the load.
    pub services: Vec<ServiceReport>,
    /// CPU of the machine's container engines, and of what they run beside containers, such as docker-proxy, in the same time: it
    /// is in no figure of the contender. null: it does not run in containers, or no engine was seen.
    pub container_engine_cpu_s: Option<f64>,
    /// What the machine saw between the start and the end of the load.
    pub host: HostReport,
    /// Latency from the intended start, of everything that ended in the compared scenarios.
    pub latency: Percentiles,
    /// Latency from the actual send, of the right answers of the compared scenarios.
    pub service_time: Percentiles,
    /// Right answers of the compared scenarios by latency from the intended start.
    pub classes: Vec<ClassReport>,
    /// By step, in the challenge's order.
    pub steps: Vec<StepReport>,
    /// The figures that are compared.
    pub measures: Measures,
    /// Whether it was anywhere near a limit.
    pub stressed: bool,
    /// What came of the cases of conformance; null: none were asked.
    pub conformance: Option<ConformanceReport>,
    /// Everything worth telling, worst first.
    pub findings: Vec<FindingReport>,
}

/// An interval of creations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CeilingReport {
    /// Without any of the rows that may be accepted or refused.
    pub min: u64,
    /// With all of them.
    pub max: u64,
}

/// galo's own part in a round.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct EngineReport {
    /// How late requests were sent after their intended start, by galo's own doing: median.
    pub lag_us_p50: f64,
    /// Same, 99 %.
    pub lag_us_p99: f64,
    /// Same, 99.9 %.
    pub lag_us_p99_9: f64,
    /// Same, the most.
    pub lag_us_max: f64,
    /// CPU of the engine's threads alone, user and system: what the load itself cost.
    pub cpu_s: f64,
    /// CPU of galo's whole process, user and system, from the last sample before the load to the first one after it:
    /// with the engine's threads also sampling and watching over the services. null: nothing was sampled.
    pub process_cpu_s: Option<f64>,
    /// Engine threads.
    pub threads: u32,
    /// How the kernel scheduled the engine's threads: `real-time`, or `nice` and the value.
    pub priority: String,
    /// Connections opened.
    pub connections: u64,
    /// Bytes written to sockets.
    pub sent_bytes: u64,
    /// Bytes read from sockets.
    pub received_bytes: u64,
    /// Operations that galo could not even try, by reason.
    pub own_errors: BTreeMap<String, u64>,
}

/// What a service used.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ServiceReport {
    /// Name in the Compose file.
    pub name: String,
    /// CPU used, user and system; 0 where nothing was seen.
    pub cpu_s: f64,
    /// Time throttled.
    pub throttled_s: f64,
    /// Quota periods throttled.
    pub throttled_periods: u64,
    /// Quota periods.
    pub periods: u64,
    /// Most memory in use, page cache included: the kernel's own peak where it rose during the load, or else the most
    /// that a sample saw. null: nothing was seen. `measures` tells the most of all services at one moment, which for
    /// a contender with one service is this.
    pub memory_peak_bytes: Option<u64>,
    /// Most anonymous memory in use that a sample saw; null: nothing was seen.
    pub anonymous_peak_bytes: Option<u64>,
    /// Processes killed by the kernel for want of memory.
    pub oom_kills: u64,
    /// CPU limit as read back; null: no limit was set.
    pub cpus: Option<f64>,
    /// Memory limit as read back; null: no limit was set.
    pub memory_bytes: Option<u64>,
}

/// What the machine saw.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, JsonSchema)]
pub struct HostReport {
    /// CPU time that anything at all ran for, all cores.
    pub busy_s: f64,
    /// CPU time that a hypervisor took away, all cores.
    pub steal_s: f64,
    /// Connections dropped because an accept queue was full.
    pub listen_overflows: u64,
    /// Connections dropped at listening sockets for any reason.
    pub listen_drops: u64,
    /// TCP segments sent again.
    pub retransmissions: u64,
}

/// One class of the distribution of latency.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct ClassReport {
    /// Latencies above this ...
    pub above_ms: f64,
    /// ... and up to this; null: without end.
    pub up_to_ms: Option<f64>,
    /// Right answers in it.
    pub count: u64,
    /// Their share of all intended operations. What is missing to 1 over all classes was not answered rightly.
    pub share: f64,
}

/// One step of a scenario in one round.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct StepReport {
    /// Scenario's name.
    pub scenario: String,
    /// Step's name.
    pub step: String,
    /// Whether it belongs to the compared figures; a probe's does not.
    pub compared: bool,
    /// Operations by result.
    pub ledger: Ledger,
    /// Answers by status.
    pub statuses: BTreeMap<u16, u64>,
    /// Failures by kind.
    pub errors: BTreeMap<String, u64>,
    /// Latency from the intended start, of everything that ended.
    pub latency: Percentiles,
    /// Latency from the actual send, of right answers.
    pub service_time: Percentiles,
}

/// One fact with its evidence.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FindingReport {
    /// Stable: a rule's name, or e.g. `service-died`.
    pub name: String,
    /// `must` disqualifies, `should` is a defect, `note` is good to know.
    #[schemars(with = "String", extend("enum" = ["must", "should", "note"]))]
    pub weight: Weight,
    /// Who is to blame: the contender, galo (`client`) or the machine (`host`).
    #[schemars(with = "String", extend("enum" = ["contender", "client", "host"]))]
    pub blame: Blame,
    /// One sentence with the numbers in it.
    pub text: String,
    /// Requests, answers, log lines.
    pub evidence: Vec<String>,
    /// What to do about it, if anything.
    pub hint: Option<String>,
    /// Of what held a round back: the share of the waiting of slow and failed operations that it covers. Such a name is a
    /// page of galo's `docs/findings`. null: it is no cause.
    pub explains: Option<f64>,
    /// The same fact as figures: what it is by `area` and `kind`.
    pub fact: Fact,
    /// Why it is held against nobody, where it else would be.
    pub excuse: Option<Excuse>,
    /// In words, in both languages. Those above are the English ones.
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) told: Told,
}

impl RoundReport {
    /// Why it is void, or did not start; empty: neither.
    pub(crate) fn told_why(&self) -> Both {
        match &self.standing {
            Standing::Void { reasons } => Both::told(|lang| words::void_sentence(reasons, lang)),
            Standing::NotReady { reason } => Both::same(reason.clone()),
            Standing::Valid | Standing::Disqualified { .. } => Both::same(""),
        }
    }

    /// Whether there was anything to create, so that creations and their ceiling tell something.
    pub(crate) fn creates(&self) -> bool {
        self.ceiling.max > 0 || self.created + self.probes + self.unknown > 0
    }
}

impl Report {
    /// The report as `report.json` holds it: pretty JSON with a newline at the end, the same for the same run.
    pub fn to_json(&self) -> String {
        pretty(self)
    }
}

/// The JSON schema of [`Report`], pretty, with a newline at the end.
pub fn schema() -> String {
    pretty(&schemars::schema_for!(Report))
}
