//! On which terms each run was fought, and which figures cannot be compared where these differ.

use std::collections::BTreeMap;

use galo_plan::JsonSchema;
use galo_record::Machine;
use galo_record::duel::Level;
use serde::{Deserialize, Serialize};

use super::ComparedRun;
use crate::measure::{Measure, Quantity};
use crate::trend::Hardware;

/// Something that should be the same in all runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Term {
    /// What was fought over.
    Challenge,
    /// Profile and scale, and what they send.
    Traffic,
    /// CPU and memory that a contender may take, and whether that was enforced.
    Budget,
    /// The rows that were sent.
    Data,
    /// What a good answer is.
    ServiceLevel,
    /// What a duel sends.
    Request,
    /// CPU and memory of each command of a duel, and whether that was enforced.
    Limits,
    /// The load of a duel at a level.
    Load(Level),
    /// CPU, cores and memory.
    Machine,
    /// Distribution, kernel and control groups.
    System,
    /// What the kernel was told, and its clock.
    KernelSettings,
    /// galo's version.
    Galo,
}

/// A term that differs between runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TermDifference {
    /// Which.
    pub term: Term,
    /// By run: the first run on the same terms, from 0.
    pub same_as: Vec<usize>,
    /// Which figures cannot be compared for it.
    pub spoils: Spoils,
}

/// Which figures cannot be compared between runs that differ in something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Spoils {
    /// All.
    Everything,
    /// All but memory: how fast the machine is decides them.
    Times,
    /// The number of correct answers within the service level.
    Counts,
    /// Those at one level of a duel.
    Level(Level),
    /// None for sure, but it may move all.
    Nothing,
}

impl Term {
    const fn spoils(self) -> Spoils {
        match self {
            Self::Challenge | Self::Traffic | Self::Budget | Self::Request | Self::Limits => {
                Spoils::Everything
            }
            Self::Data | Self::ServiceLevel => Spoils::Counts,
            Self::Load(level) => Spoils::Level(level),
            Self::Machine => Spoils::Times,
            Self::System | Self::KernelSettings | Self::Galo => Spoils::Nothing,
        }
    }
}

impl TermDifference {
    /// A term of so many runs, of which `is_same` says whether two have the same; `None`: all have.
    pub(super) fn of(term: Term, runs: usize, is_same: impl Fn(usize, usize) -> bool) -> Option<Self> {
        let first = |run: usize| (0..run).find(|&earlier| is_same(earlier, run)).unwrap_or(run);
        let same_as: Vec<usize> = (0..runs).map(first).collect();
        let differs = same_as.iter().any(|first| *first != 0);
        differs.then(|| Self { term, same_as, spoils: term.spoils() })
    }

    /// Whether a figure of two runs, by their numbers from 1, cannot be compared for it.
    pub(super) fn spoils(&self, measure: Measure, level: Option<Level>, runs: [usize; 2]) -> bool {
        let [first, second] = runs.map(|run| self.same_as.get(run - 1));
        let can_be_spoilt = match self.spoils {
            Spoils::Everything => true,
            Spoils::Times => measure.quantity() != Quantity::Bytes,
            Spoils::Counts => measure.quantity() == Quantity::Answers,
            Spoils::Level(of) => level == Some(of),
            Spoils::Nothing => false,
        };
        first != second && can_be_spoilt
    }
}

/// What machines and galos differ in.
pub(super) fn of_places(runs: &[ComparedRun]) -> impl Iterator<Item = TermDifference> {
    let header = |run: usize| runs[run].run.header();
    let hardware = |run: usize| Hardware::of_machine(&header(run).machine);
    let system = |run: usize| {
        let Machine { system, kernel, cgroups, .. } = &header(run).machine;
        (system, kernel, cgroups)
    };
    let settings = |run: usize| settings(&header(run).machine);
    let of = |term, is_same: &dyn Fn(usize, usize) -> bool| TermDifference::of(term, runs.len(), is_same);
    let all = [
        of(Term::Machine, &|a, b| hardware(a).is_same(&hardware(b))),
        of(Term::System, &|a, b| system(a) == system(b)),
        of(Term::KernelSettings, &|a, b| settings(a) == settings(b)),
        of(Term::Galo, &|a, b| header(a).galo == header(b).galo),
    ];
    all.into_iter().flatten()
}

/// What a machine's kernel was told, by name, with its clock.
pub fn settings(machine: &Machine) -> BTreeMap<&str, &str> {
    let settings = machine.settings.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    settings.chain([("clock source", machine.clock_source.as_str())]).collect()
}
