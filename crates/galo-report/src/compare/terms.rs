//! On which terms each run was fought, and which figures cannot be compared where these differ.

use std::collections::{BTreeMap, BTreeSet};

use galo_record::Machine;
use schemars::JsonSchema;
use serde::Serialize;

use crate::words::{Lang, counted, memory_limit};

/// Something that differs between runs.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TermDifference {
    /// What.
    pub term: String,
    /// What it was, by run.
    pub values: Vec<String>,
    /// Which figures cannot be compared for it.
    pub spoils: Spoils,
    /// All of it in one sentence.
    pub text: String,
}

/// Which figures cannot be compared between runs that differ in something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Spoils {
    /// All.
    Everything,
    /// All but memory: how fast the machine is decides them.
    Times,
    /// The number of correct answers within the service level.
    Counts,
    /// Those at one level of a duel.
    Level(String),
    /// None for sure, but it may move all.
    Nothing,
}

/// What kind of figure it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FigureKind {
    /// Latency, CPU, rates: the machine decides.
    Time,
    /// Answers within the service level, which the machine decides too.
    Count,
    /// Memory.
    Memory,
    /// A figure of a duel at a level; whether the machine decides it.
    AtLevel(String, bool),
}

/// One term of all runs.
pub(super) struct Term {
    pub(super) name: &'static str,
    values: Vec<String>,
    /// Equal numbers are equal terms.
    classes: Vec<usize>,
    spoils: Spoils,
}

impl Term {
    /// A term whose words say all of it.
    pub(super) fn new(name: &'static str, spoils: Spoils, values: Vec<String>) -> Self {
        let same = |a: usize, b: usize| values[a] == values[b];
        let classes = classes(values.len(), same);
        Self { name, classes, values, spoils }
    }

    /// A term of which `same` knows better than its words whether two runs have the same.
    pub(super) fn judged(
        name: &'static str,
        spoils: Spoils,
        mut values: Vec<String>,
        same: impl Fn(usize, usize) -> bool,
    ) -> Self {
        let classes = classes(values.len(), same);
        for run in 0..values.len() {
            if classes[run] == run && values[..run].contains(&values[run]) {
                values[run].push_str(" of other content");
            }
        }
        Self { name, classes, values, spoils }
    }

    /// Whether a figure of two runs, by their numbers from 1, cannot be compared.
    pub(super) fn spoils(&self, kind: &FigureKind, [first, second]: [usize; 2]) -> bool {
        let differs = self.classes.get(first - 1) != self.classes.get(second - 1);
        differs
            && match (&self.spoils, kind) {
                (Spoils::Everything, _) => true,
                (Spoils::Times, FigureKind::Time | FigureKind::Count | FigureKind::AtLevel(_, true)) => true,
                (Spoils::Counts, FigureKind::Count) => true,
                (Spoils::Level(level), FigureKind::AtLevel(of, _)) => level == of,
                _ => false,
            }
    }

    /// The term as it is told; `None` where all runs have the same.
    pub(super) fn told(&self) -> Option<TermDifference> {
        if self.classes.iter().all(|class| *class == 0) {
            return None;
        }
        let of_class = |class: usize| {
            let runs = (0..self.classes.len()).filter(|run| self.classes[*run] == class);
            let runs: Vec<String> = runs.map(|run| (run + 1).to_string()).collect();
            let noun = if runs.len() == 1 { "run" } else { "runs" };
            format!("{} ({noun} {})", self.values[class], runs.join(", "))
        };
        let all = (0..self.classes.len()).filter(|run| self.classes[*run] == *run);
        let values = all.map(of_class).collect::<Vec<_>>().join("; ");
        let consequence = match &self.spoils {
            Spoils::Everything => "no figure is comparable".to_owned(),
            Spoils::Times => "only memory is comparable".to_owned(),
            Spoils::Counts => "numbers of correct answers are not comparable".to_owned(),
            Spoils::Level(level) => format!("figures at level `{level}` are not comparable"),
            Spoils::Nothing => "that may move every figure".to_owned(),
        };
        let text = format!("{} differs: {values}: {consequence}", self.name);
        let (term, values) = (self.name.to_owned(), self.values.clone());
        Some(TermDifference { term, values, spoils: self.spoils.clone(), text })
    }
}

/// Numbers the runs so that those that are the same have the same number: that of the first of them.
fn classes(runs: usize, same: impl Fn(usize, usize) -> bool) -> Vec<usize> {
    (0..runs).map(|run| (0..run).find(|&earlier| same(earlier, run)).unwrap_or(run)).collect()
}

/// What machines and galos differ in.
pub(super) fn places(machines: &[&Machine], galos: Vec<String>) -> Vec<Term> {
    let told = |of: fn(&Machine) -> String| machines.iter().map(|machine| of(machine)).collect();
    let hardware = |machine: &Machine| {
        let cores = counted(machine.cores as usize, "core");
        let kind = if machine.virtual_machine { ", virtual" } else { "" };
        format!("{}, {cores}, {}{kind}", machine.cpu, memory_limit(Some(machine.memory_bytes), Lang::En))
    };
    let system = |machine: &Machine| {
        format!("{}, {}, control groups {}", machine.system, machine.kernel, machine.cgroups)
    };
    let clock = |machine: &Machine| ("clock source".to_owned(), machine.clock_source.clone());
    let settings: Vec<BTreeMap<String, String>> = machines
        .iter()
        .map(|machine| machine.settings.clone().into_iter().chain([clock(machine)]).collect())
        .collect();
    let all = |name: &str| settings.iter().all(|of_run| of_run.get(name) == settings[0].get(name));
    let names: BTreeSet<&String> =
        settings.iter().flat_map(BTreeMap::keys).filter(|name| !all(name)).collect();
    let told_settings = settings.iter().map(|of_run| {
        let value = |name: &&String| format!("{name} {}", of_run.get(*name).map_or("unknown", |value| value));
        names.iter().map(value).collect::<Vec<_>>().join(", ")
    });
    vec![
        Term::new("machine", Spoils::Times, told(hardware)),
        Term::new("system", Spoils::Nothing, told(system)),
        Term::new("kernel setting", Spoils::Nothing, told_settings.collect()),
        Term::new("galo's version", Spoils::Nothing, galos),
    ]
}
