//! What happened: the run folder's types, its writer and its reader.
//!
//! Every stage that makes something happen writes here, every stage that judges or tells reads here, and nothing
//! else passes between them. It also holds the two types that stages share while a round runs: [`Event`] (for the
//! live view, which may drop) and [`Placement`] (which control group, port and log belongs to which service).
//!
//! Its one key decision: a run is its acts, and grows at its end alone. An act's line is written when it has ended, and a
//! unit counts once the line that closes it is there; nothing is changed after that, so a report can be rebuilt at any time.
//!
//! All times named `*_ns` are nanoseconds of `CLOCK_MONOTONIC` ([`clock::now_ns`]) unless their documentation says
//! "from the start of the load".

pub mod act;
pub mod clock;
mod codec;
pub mod conformance;
mod count;
pub mod crash;
pub mod database;
mod disk;
pub mod duel;
pub mod durability;
pub mod end;
pub mod event;
pub mod finding;
pub mod foreign;
pub mod gatling;
pub mod group;
pub mod history;
pub mod latencies;
pub mod ledger;
pub mod load;
pub mod machine;
pub mod noise;
pub mod placement;
pub mod round;
pub mod run;
pub mod sample;
mod sealed;
mod seeds;
mod start_failure;
mod state;
pub mod window;

pub use act::{Act, Acted, Outcome};
pub use conformance::{CaseRecord, CaseRun, Exchange, Missing};
pub use crash::{CrashKind, CrashRecord, Halt, Lookup, LookupBy, RestartRecord, Restarted};
pub use database::DatabaseSample;
pub use disk::RecordError;
pub use durability::{DatabaseSettings, ServiceFlushes};
pub use end::RunEnd;
pub use event::{Event, Events};
pub use finding::HostFact;
pub use history::{Evidence, Operation, OperationResult};
pub use latencies::{Latencies, Percentiles, SecondLatencies, SparseLatencies, StepLatencies};
pub use ledger::Ledger;
pub use load::{CpuQuota, EngineRecord, LoadFigures, LoadRecord, Priority, StepRecord};
pub use machine::Machine;
pub use placement::{Placement, ServicePlacement};
pub use round::{RoundData, RoundRecord};
pub use run::{AnyRun, Run, RunHeader, RunWriter};
pub use sample::Sample;
pub use sealed::Sealed;
pub use seeds::Seeds;
pub use start_failure::StartFailure;
pub use window::{LoadUsage, ServiceUsage, Window};
