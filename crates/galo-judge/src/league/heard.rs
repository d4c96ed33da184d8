//! What the children of a league say of each entry.

use std::collections::{BTreeMap, BTreeSet};

use galo_plan::league::LeaguePlan;

use super::{RoundOfBlock, VoidRounds};
use crate::child::{CameTo, Child};
use crate::fight::{FightKind, JudgedContender, JudgedFight};
use crate::judgement::{Judgement, Standing};
use crate::measure::{Measure, Measures};
use crate::pairing::log_figure;
use crate::stats::blocks::Seen;
use crate::stats::mean;
use crate::verdict::{is_spoiled, is_too_often};

/// What is known of the entries.
pub(super) struct Heard<'a> {
    /// By entry: the child, from 1, in which it broke a rule or did not start, and how that is judged.
    pub(super) out: Vec<Option<(u32, Standing)>>,
    /// Rounds that count, each with its block and its entry.
    pub(super) rounds: Vec<(usize, usize, &'a Judgement)>,
    /// By entry: rounds of blocks that were spoiled, those in whose place others were driven included, and how many there were in all.
    spoiled: Vec<[u64; 2]>,
    /// By entry: the highest scale that it held, where that was searched for.
    pub(super) scales: Vec<Option<f64>>,
    /// By entry, of each service: the images that a registry gave, by digest. Those that are built may differ from machine to machine.
    pub(super) images: Vec<BTreeMap<String, BTreeSet<String>>>,
    /// The children, from 1, that are blocks.
    pub(super) blocks: Vec<u32>,
    /// The longest latency of a good answer, in microseconds; infinite as long as no child says.
    pub(super) service_level_us: f64,
}

impl<'a> Heard<'a> {
    /// Hears children, in the order of their numbers.
    pub(super) fn of(plan: &LeaguePlan, children: &[Child<'a>]) -> Self {
        let fight = children.iter().find_map(Child::fight);
        let mut heard = Self {
            out: vec![None; plan.entries.len()],
            rounds: Vec::new(),
            spoiled: vec![[0; 2]; plan.entries.len()],
            scales: vec![None; plan.entries.len()],
            images: vec![BTreeMap::new(); plan.entries.len()],
            blocks: Vec::new(),
            service_level_us: fight.map_or(f64::INFINITY, |fight| fight.service_level_ms * 1e3),
        };
        let mut children = children.to_vec();
        children.sort_by_key(|child| child.number);
        for Child { number, came_to } in children {
            match came_to {
                CameTo::Fight(fight) => heard.hears(plan, number, fight),
                CameTo::Limit(limit) => {
                    if let Some(entry) = plan.entries.iter().position(|of| of.name == limit.contender) {
                        heard.scales[entry] = limit.scale_milli.map(|milli| milli as f64 / 1e3);
                    }
                }
                // The first children check entries in their order, and no other child may fail.
                CameTo::Nothing(reason) => {
                    if let Some(&entry) = plan.checks().get(number as usize - 1) {
                        heard.sees_out(entry, number, &Standing::NotReady { reason: reason.to_owned() });
                    }
                }
            }
        }
        heard
    }

    fn hears(&mut self, plan: &LeaguePlan, number: u32, fight: &'a JudgedFight) {
        let is_block = fight.kind == FightKind::Fight;
        let entries = entries_of(plan, fight);
        let mut last_of_each: Vec<Option<&'a Judgement>> = vec![None; entries.len()];
        for round in &fight.rounds {
            let judgement = &round.judgement;
            let Some(&Some(entry)) = entries.get(judgement.contender) else { continue };
            for service in &round.services {
                let pulled = service.image.iter().filter(|image| image.contains('@'));
                self.images[entry].entry(service.name.clone()).or_default().extend(pulled.cloned());
            }
            if is_block && !judgement.apart {
                let [spoiled, all] = &mut self.spoiled[entry];
                *spoiled += u64::from(is_spoiled(judgement));
                *all += 1;
            }
            match &judgement.standing {
                out @ (Standing::Disqualified { .. } | Standing::NotReady { .. }) => {
                    self.sees_out(entry, number, out);
                }
                Standing::Valid if is_block => last_of_each[judgement.contender] = Some(judgement),
                Standing::Valid | Standing::Void { .. } => {}
            }
        }
        for (entry, round) in entries.iter().zip(last_of_each) {
            self.rounds.extend(entry.zip(round).map(|(entry, round)| (self.blocks.len(), entry, round)));
        }
        self.blocks.extend(is_block.then_some(number));
    }

    fn sees_out(&mut self, entry: usize, child: u32, standing: &Standing) {
        if let Some(out @ None) = self.out.get_mut(entry) {
            *out = Some((child, standing.clone()));
        }
    }

    /// The void rounds of an entry, and of all others, where it has more than chance explains.
    pub(super) fn void_too_often(&self, entry: usize) -> Option<VoidRounds> {
        let sum = |part: usize| self.spoiled.iter().map(|of| of[part]).sum::<u64>();
        let [own_void, own] = self.spoiled[entry];
        let (void, rounds) = ([own_void, sum(0) - own_void], [own, sum(1) - own]);
        is_too_often(void, rounds, self.spoiled.len()).then_some(VoidRounds { void, rounds })
    }

    /// The entries that may be ranked.
    pub(super) fn members(&self) -> Vec<usize> {
        (0..self.out.len()).filter(|&entry| self.out[entry].is_none()).collect()
    }

    /// The figures of one measure.
    pub(super) fn seen(&self, measure: Measure) -> Vec<Seen> {
        let seen = |&(block, entry, round): &(usize, usize, &Judgement)| {
            Some(Seen { block, entry, log: log_figure(measure, round)? })
        };
        self.rounds.iter().filter_map(seen).collect()
    }

    /// Services of an entry whose image was another one in other rounds.
    pub(super) fn moved(&self, entry: usize) -> Vec<String> {
        let moved = self.images[entry].iter().filter(|(_, images)| images.len() > 1);
        moved.map(|(service, _)| service.clone()).collect()
    }

    /// An entry's rounds that count.
    pub(super) fn of_entry(&self, entry: usize) -> impl Iterator<Item = &'a Judgement> {
        self.rounds.iter().filter(move |(_, of, _)| *of == entry).map(|(_, _, round)| *round)
    }

    /// The same by the child of each, from 1, with p99.
    pub(super) fn in_blocks(&self, entry: usize) -> Vec<RoundOfBlock> {
        let own = self.rounds.iter().filter(|(_, of, _)| *of == entry);
        let round = |&(block, _, round): &(usize, usize, &Judgement)| RoundOfBlock {
            child: self.blocks[block],
            latency_us_p99: round.measures.get(Measure::LatencyUsP99),
        };
        own.map(round).collect()
    }

    /// Geometric means over them.
    pub(super) fn means(&self, entry: usize) -> Measures {
        Measures::of_each(|measure| self.mean(measure, entry))
    }

    /// Mean of the count at rest over them.
    pub(super) fn counted(&self, entry: usize) -> Option<f64> {
        let counts: Vec<f64> = self.of_entry(entry).filter_map(|round| Some(round.counted? as f64)).collect();
        mean(&counts)
    }

    /// The same of one measure.
    pub(super) fn mean(&self, measure: Measure, entry: usize) -> Option<f64> {
        let logs: Vec<f64> = self.of_entry(entry).filter_map(|round| log_figure(measure, round)).collect();
        mean(&logs).map(f64::exp)
    }
}

/// By contender of a child: which entry it is. The control of a block is its last contender once more, under a number.
fn entries_of(plan: &LeaguePlan, fight: &JudgedFight) -> Vec<Option<usize>> {
    let of = |name: &str| plan.entries.iter().position(|entry| entry.name == name);
    let named = |contender: &JudgedContender| of(&contender.name);
    match fight.contenders.as_slice() {
        [members @ .., control] if fight.kind == FightKind::Fight => {
            let control = control.name.rsplit_once(" (").and_then(|(name, _)| of(name));
            members.iter().map(named).chain([control]).collect()
        }
        checked => checked.iter().map(named).collect(),
    }
}
