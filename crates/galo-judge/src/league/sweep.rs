//! A sweep, judged: what each contender came to at each setting, and who is proven better there.

use std::collections::BTreeMap;

use galo_plan::JsonSchema;
use galo_plan::knob::Knob;
use galo_plan::league::{LeaguePlan, Refused};
use galo_record::RunHeader;
use serde::{Deserialize, Serialize};

use super::heard::Heard;
use super::order::{Facts, Order};
use super::{Head, Ratio, VoidRounds};
use crate::child::Child;
use crate::findings::Kind;
use crate::judgement::{Judgement, Standing};
use crate::measure::{Measure, Measures};
use crate::signs::CPU_SHARE;
use crate::terms::Demand;

/// What a sweep came to, as far as its children were driven.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename = "sweep")]
#[schemars(transform = crate::schema::tell_kind)]
pub struct JudgedSweep {
    /// How and where it was driven.
    #[serde(flatten)]
    pub header: RunHeader,
    /// On which terms, and how far.
    #[serde(flatten)]
    pub head: Head,
    /// What is turned.
    pub knobs: Vec<Knob>,
    /// Names of the contenders.
    pub contenders: Vec<String>,
    /// Settings, the last knob's value changing first.
    pub cells: Vec<Cell>,
    /// What could not be read at a setting, so that nothing of it was started.
    pub refused: Vec<Refused>,
}

/// A setting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cell {
    /// The value of each knob.
    pub values: Vec<String>,
    /// Contenders there; one that could not be read there is missing.
    pub contenders: Vec<AtSetting>,
}

/// A contender at a setting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AtSetting {
    /// Index into the contenders.
    pub contender: usize,
    /// What all services ask for there.
    pub takes: Demand,
    /// Rounds that count.
    pub rounds: usize,
    /// The best and the worst place, from 1, that it may have by what is proven: among the contenders there, or where there is only one
    /// among its settings of that traffic; null: it is out, or nothing was measured.
    pub places: Option<[usize; 2]>,
    /// How many it is compared with, itself included.
    pub among: usize,
    /// Geometric means over its rounds.
    pub measures: Measures,
    /// Right answers within the service level for each second of a round, geometric mean.
    pub answers_per_s: Option<f64>,
    /// p99 by that of the first place among those that it is compared with, within blocks, with its interval.
    pub by_first: Option<Ratio>,
    /// The highest scale that it held; null: nobody searched, or it held none.
    pub highest_scale: Option<f64>,
    /// What ran out; null: nothing that was seen.
    pub held_back: Option<HeldBack>,
    /// How a round there was judged in which it broke a rule or did not start; null: none.
    pub out: Option<Standing>,
    /// Its void rounds there, where they are more than chance explains: it is proven better than nobody. Null: they are not.
    #[serde(default)]
    pub void_too_often: Option<VoidRounds>,
    /// Variables that are turned and that its file sets nowhere, as places.
    #[serde(default)]
    pub unseen: Vec<String>,
}

/// What most rounds of a contender at a setting had no more of.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct HeldBack {
    /// The finding that names it, e.g. `cpu-limit`.
    pub finding: String,
    /// The service that had no more; null: the finding names none.
    pub service: Option<String>,
}

impl JudgedSweep {
    /// Folds a sweep. `children` are those that are over.
    pub fn judge(header: RunHeader, plan: &LeaguePlan, seed: String, children: &[Child<'_>]) -> Self {
        let heard = Heard::of(plan, children);
        let facts = Facts::of(plan, &heard);
        let orders: Vec<Order<'_>> =
            plan.fields(&heard.members()).iter().map(|field| facts.order(field)).collect();
        let mut contenders: Vec<String> = Vec::new();
        let mut cells: Vec<Cell> = Vec::new();
        for (index, entry) in plan.entries.iter().enumerate() {
            let name = plan.of(index);
            let contender = contenders.iter().position(|known| known == name).unwrap_or_else(|| {
                contenders.push(name.to_owned());
                contenders.len() - 1
            });
            let values: Vec<String> = entry.turns().iter().map(|turn| turn.value.clone()).collect();
            let order = orders.iter().find(|order| order.places.contains(&index));
            let at = AtSetting::of(plan, (&heard, order), contender, index);
            match cells.iter_mut().find(|cell| cell.values == values) {
                Some(cell) => cell.contenders.push(at),
                None => cells.push(Cell { values, contenders: vec![at] }),
            }
        }
        Self {
            header,
            head: Head::of(plan, &heard, seed, children),
            knobs: plan.knobs.clone(),
            contenders,
            cells,
            refused: plan.refused.clone(),
        }
    }
}

impl AtSetting {
    fn of(
        plan: &LeaguePlan,
        (heard, order): (&Heard<'_>, Option<&Order<'_>>),
        contender: usize,
        index: usize,
    ) -> Self {
        let rounds = heard.of_entry(index).count();
        let order = order.filter(|_| rounds > 0);
        let first = order.and_then(|order| order.places.first().copied());
        let measures = heard.means(index);
        let answers = measures.get(Measure::CorrectWithinServiceLevel).zip(measures.get(Measure::ElapsedS));
        Self {
            contender,
            takes: Demand::from_contender(&plan.entries[index]),
            rounds,
            places: order.map(|order| order.range(index)),
            among: order.map_or(0, |order| order.places.len()),
            answers_per_s: answers.map(|(answers, elapsed)| answers / elapsed),
            measures,
            by_first: order.zip(first).and_then(|(order, first)| order.ratio([index, first])),
            highest_scale: heard.scales[index],
            held_back: most_often(heard.of_entry(index).filter_map(held_back)),
            out: heard.out[index].as_ref().map(|(_, standing)| standing.clone()),
            void_too_often: heard.void_too_often(index),
            unseen: plan.entries[index]
                .setting
                .as_ref()
                .map_or_else(Vec::new, |setting| setting.unseen.clone()),
        }
    }
}

/// What a round had no more of: the cause that explains most of its trouble, else the limit of a service that it used up.
fn held_back(round: &Judgement) -> Option<HeldBack> {
    let cause = round.findings.iter().find(|finding| finding.explains_milli.is_some());
    if let Some(cause) = cause {
        return Some(HeldBack { finding: cause.name().to_owned(), service: None });
    }
    let used_up = |limit: usize, finding: Kind| {
        let used = round.nearness.used[limit].as_ref().filter(|used| used.share >= CPU_SHARE)?;
        Some(HeldBack { finding: finding.name().to_owned(), service: used.service().map(str::to_owned) })
    };
    used_up(0, Kind::CpuLimit).or_else(|| used_up(1, Kind::MemoryLimit))
}

/// What there is most of; of equals the first in order.
fn most_often(all: impl Iterator<Item = HeldBack>) -> Option<HeldBack> {
    let mut counts: BTreeMap<HeldBack, usize> = BTreeMap::new();
    all.for_each(|one| *counts.entry(one).or_default() += 1);
    counts.into_iter().rev().max_by_key(|(_, count)| *count).map(|(one, _)| one)
}
