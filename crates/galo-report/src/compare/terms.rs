//! On which terms each run was fought, and which figures cannot be compared where these differ.

use std::collections::{BTreeMap, BTreeSet};

use galo_record::Machine;
use galo_record::duel::Level;
use galo_words::nouns::CORE;
use galo_words::{Both, Lang, say};
use schemars::JsonSchema;
use serde::Serialize;

use crate::words::memory_limit;

/// What stands behind limits.
pub(super) const fn enforced(are_enforced: bool, lang: Lang) -> &'static str {
    if are_enforced { "" } else { lang.pick(", not enforced", ", não impostos") }
}

/// Something that differs between runs.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TermDifference {
    /// What.
    #[schemars(with = "String")]
    pub term: Both,
    /// What it was, by run.
    #[schemars(with = "Vec<String>")]
    pub values: Vec<Both>,
    /// Which figures cannot be compared for it.
    pub spoils: Spoils,
    /// All of it in one sentence.
    #[schemars(with = "String")]
    pub text: Both,
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
    Level(Level),
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
    AtLevel(Level, bool),
}

/// One term of all runs.
pub(super) struct Term {
    pub(super) name: Both,
    values: Vec<Both>,
    /// Equal numbers are equal terms.
    classes: Vec<usize>,
    spoils: Spoils,
}

impl Term {
    /// A term whose words say all of it.
    pub(super) fn new(name: Both, spoils: Spoils, values: Vec<Both>) -> Self {
        let same = |a: usize, b: usize| values[a] == values[b];
        let classes = classes(values.len(), same);
        Self { name, classes, values, spoils }
    }

    /// A term of which `same` knows better than its words whether two runs have the same.
    pub(super) fn judged(
        name: Both,
        spoils: Spoils,
        mut values: Vec<Both>,
        same: impl Fn(usize, usize) -> bool,
    ) -> Self {
        let classes = classes(values.len(), same);
        for run in 0..values.len() {
            if classes[run] == run && values[..run].contains(&values[run]) {
                values[run] =
                    values[run].clone().then(&Both::word(" of other content", " de outro conteúdo"));
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
        let text = Both::told(|lang| self.sentence(lang));
        let (term, values) = (self.name.clone(), self.values.clone());
        Some(TermDifference { term, values, spoils: self.spoils.clone(), text })
    }

    fn sentence(&self, lang: Lang) -> String {
        let of_class = |class: usize| {
            let runs = (0..self.classes.len()).filter(|run| self.classes[*run] == class);
            let runs: Vec<String> = runs.map(|run| (run + 1).to_string()).collect();
            let noun = match runs.len() {
                1 => lang.pick("run", "execução"),
                _ => lang.pick("runs", "execuções"),
            };
            format!("{} ({noun} {})", self.values[class].of(lang), runs.join(", "))
        };
        let all = (0..self.classes.len()).filter(|run| self.classes[*run] == *run);
        let values = all.map(of_class).collect::<Vec<_>>().join("; ");
        let consequence = match &self.spoils {
            Spoils::Everything => {
                lang.pick("no figure is comparable", "nenhuma medida é comparável").to_owned()
            }
            Spoils::Times => lang.pick("only memory is comparable", "só a memória é comparável").to_owned(),
            Spoils::Counts => lang
                .pick(
                    "numbers of correct answers are not comparable",
                    "números de respostas corretas não são comparáveis",
                )
                .to_owned(),
            Spoils::Level(level) => {
                let level = level.name();
                say!(
                    lang,
                    "figures at level `{level}` are not comparable",
                    "medidas no nível `{level}` não são comparáveis"
                )
            }
            Spoils::Nothing => {
                lang.pick("that may move every figure", "isso pode mover todas as medidas").to_owned()
            }
        };
        let name = self.name.of(lang);
        say!(lang, "{name} differs: {values}: {consequence}", "difere: {name}: {values}: {consequence}")
    }
}

/// Numbers the runs so that those that are the same have the same number: that of the first of them.
fn classes(runs: usize, same: impl Fn(usize, usize) -> bool) -> Vec<usize> {
    (0..runs).map(|run| (0..run).find(|&earlier| same(earlier, run)).unwrap_or(run)).collect()
}

/// What machines and galos differ in.
pub(super) fn places(machines: &[&Machine], galos: Vec<String>) -> Vec<Term> {
    let told = |of: fn(&Machine) -> Both| machines.iter().map(|machine| of(machine)).collect();
    let hardware = |machine: &Machine| {
        Both::told(|lang| {
            let cores = lang.counted(machine.cores.into(), CORE);
            let kind = if machine.virtual_machine { ", virtual" } else { "" };
            format!("{}, {cores}, {}{kind}", machine.cpu, memory_limit(Some(machine.memory_bytes), lang))
        })
    };
    let system = |Machine { system, kernel, cgroups, .. }: &Machine| {
        Both::told(|lang| {
            let groups = lang.pick("control groups", "grupos de controle");
            format!("{system}, {kernel}, {groups} {cgroups}")
        })
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
        Both::told(|lang| {
            let unknown = lang.pick("unknown", "desconhecida");
            let value =
                |name: &&String| format!("{name} {}", of_run.get(*name).map_or(unknown, |value| value));
            names.iter().map(value).collect::<Vec<_>>().join(", ")
        })
    });
    vec![
        Term::new(Both::word("machine", "máquina"), Spoils::Times, told(hardware)),
        Term::new(Both::word("system", "sistema"), Spoils::Nothing, told(system)),
        Term::new(
            Both::word("kernel setting", "configuração do kernel"),
            Spoils::Nothing,
            told_settings.collect(),
        ),
        Term::new(
            Both::word("galo's version", "versão do galo"),
            Spoils::Nothing,
            galos.into_iter().map(Both::same).collect(),
        ),
    ]
}
