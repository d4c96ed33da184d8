//! What the judge says of a round: facts, as types with figures and names. Sentences about them are made in galo-report,
//! in every language that it has.
//!
//! Its one key decision: a fact holds all that its sentence needs, and nothing that is already a sentence. What others wrote
//! (an answer, a line of a log, the message of an error) is quoted as it came.

mod account;
mod behaviour;
mod case;
mod cause;
mod crash;
mod durability;
mod evidence;
mod history;
mod stress;
mod void;

use galo_plan::{Blame, Plan};
use galo_record::HostFact;
use galo_record::finding::Weight;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ordering::Placed;

pub use account::{AccountFact, Contradiction, CountDifference, FirstErrors, HistoryFault, Number, When};
pub use behaviour::{BehaviourFact, HoldCost, Pause, ServiceCpu};
pub use case::{Came, Expected, Ids, People};
pub use cause::{Cause, CauseFact, CpuUse, Explained, Part, Said, Split, Waiting};
pub use crash::{AllThere, CrashFact, Loss, NotRecovered, NotUp, OutageFigures};
pub use durability::DurabilityFact;
pub use evidence::{
    Denied, Evidence, Given, KeyEvent, KnownBy, Later, LookedUp, OperationTold, SeenAt, Strange, Waits, Who,
};
pub use history::{HistoryFact, SearchLacks, Unjudged};
pub use stress::{Near, Stress, Stressed};
pub use void::{Spoils, VoidReason};

/// One fact about a contender, the machine or galo itself, with its evidence and who is to blame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// Stable, in kebab case: a rule's name, or e.g. `service-died`.
    pub name: String,
    /// What was found.
    pub fact: Fact,
    /// What it means for the contender.
    pub weight: Weight,
    /// Who is to blame.
    pub blame: Blame,
    /// Why it is held against nobody, where it else would be.
    pub excuse: Option<Excuse>,
    /// What shows it: each piece can be checked by hand.
    pub evidence: Vec<Evidence>,
    /// Of a cause: its share of the trouble of slow and failed operations, in thousandths. `None`: it is no cause.
    pub explains_milli: Option<u16>,
}

/// Why a fact is held against nobody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Excuse {
    /// galo did not start the server, so it may have held things before.
    HeldBefore,
    /// galo did not start the server, so somebody else may use it.
    UsedByOthers,
}

/// What was found, by area and kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "area")]
pub enum Fact {
    /// Of the count, the ledger and the limits.
    Account(AccountFact),
    /// Of how it behaved over time.
    Behaviour(BehaviourFact),
    /// Of the whole history.
    History(HistoryFact),
    /// Of the way to the disk.
    Durability(DurabilityFact),
    /// Of a crash or an outage.
    Crash(CrashFact),
    /// A rule of the challenge was broken.
    Rule(BrokenRule),
    /// Of cases that could not be asked.
    CasesMissing(CasesMissing),
    /// Of a service, as the host saw it.
    Host(HostFact),
    /// What held a round back.
    Cause(CauseFact),
    /// Why a round is void.
    Void(VoidReason),
    /// That a round was near a limit.
    Stressed(Stressed),
}

/// A rule of the challenge that operations or cases broke.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BrokenRule {
    /// Name of the rule.
    pub rule: String,
    /// What it says, as the challenge writes it.
    pub text: String,
    /// Cases of conformance that found it broken.
    pub cases: u64,
    /// Operations of the load that broke it, by step.
    pub steps: Vec<BrokenAt>,
}

/// How many operations of a step broke a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BrokenAt {
    /// The step.
    pub step: StepName,
    /// Operations that broke it.
    pub broken: u64,
    /// Operations of the step.
    pub operations: u64,
}

/// A step as people find it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct StepName {
    /// Name of its scenario; null where the challenge has no step of this number.
    pub scenario: Option<String>,
    /// Its name, or its flat number.
    pub step: String,
}

impl StepName {
    /// Of the step with this flat number.
    pub(crate) fn of(plan: &Plan, number: usize) -> Self {
        match plan.challenge.steps().nth(number) {
            Some((scenario, step)) => Self { scenario: Some(scenario.name.clone()), step: step.name.clone() },
            None => Self { scenario: None, step: number.to_string() },
        }
    }
}

/// Cases of conformance that could not be asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CasesMissing {
    /// How many.
    pub missing: u64,
    /// Of so many.
    pub cases: u64,
    /// Why not, in the words of what failed.
    pub because: String,
}

impl Finding {
    /// What its place among others is taken from.
    pub(crate) fn placed(&self) -> Placed<'_> {
        Placed { name: self.name(), of: None, weight: self.weight, explains_milli: self.explains_milli }
    }

    /// What is good to know, without evidence.
    pub(crate) fn note(fact: impl Into<Fact>, blame: Blame) -> Self {
        Self::weighing(Weight::Note, fact, blame)
    }

    /// A finding without evidence.
    pub fn weighing(weight: Weight, fact: impl Into<Fact>, blame: Blame) -> Self {
        let fact = fact.into();
        let name = fact.name().to_owned();
        Self { name, fact, weight, blame, excuse: None, evidence: Vec::new(), explains_milli: None }
    }

    /// The same with this evidence.
    pub(crate) fn shown_by(self, evidence: impl IntoIterator<Item = Evidence>) -> Self {
        Self { evidence: evidence.into_iter().collect(), ..self }
    }

    /// The same fact, held against nobody.
    pub(crate) fn excused(self, excuse: Excuse) -> Self {
        Self { weight: Weight::Note, excuse: Some(excuse), ..self }
    }

    /// Stable, in kebab case: a rule's name, or e.g. `service-died`.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl From<&HostFact> for Finding {
    fn from(fact: &HostFact) -> Self {
        Self::weighing(fact.weight(), Fact::Host(fact.clone()), fact.blame())
    }
}

impl Fact {
    /// Stable, in kebab case: a rule's name, or e.g. `service-died`.
    pub fn name(&self) -> &str {
        match self {
            Self::Account(fact) => fact.name(),
            Self::Behaviour(fact) => fact.name(),
            Self::History(fact) => fact.name(),
            Self::Durability(fact) => fact.name(),
            Self::Crash(fact) => fact.name(),
            Self::Rule(fact) => &fact.rule,
            Self::CasesMissing(_) => "cases-missing",
            Self::Host(fact) => fact.name(),
            Self::Cause(fact) => fact.cause.name(),
            Self::Void(reason) => reason.name(),
            Self::Stressed(_) => "stressed",
        }
    }
}

/// Facts of one area as facts.
macro_rules! areas {
    ($($area:ident($fact:ty)),* $(,)?) => {
        $(impl From<$fact> for Fact {
            fn from(fact: $fact) -> Self {
                Self::$area(fact)
            }
        })*
    };
}

areas! {
    Account(AccountFact),
    Behaviour(BehaviourFact),
    History(HistoryFact),
    Durability(DurabilityFact),
    Crash(CrashFact),
    Rule(BrokenRule),
    CasesMissing(CasesMissing),
    Cause(CauseFact),
    Void(VoidReason),
    Stressed(Stressed),
}
