//! What the children of a league say of each entry.

use galo_plan::Contender;
use galo_plan::league::LeaguePlan;

use super::{Child, Entry};
use crate::fight::{FightKind, JudgedFight};
use crate::judgement::{Judgement, Standing};
use crate::measure::{Measure, Measures};
use crate::pairing::log_figure;
use crate::stats::blocks::Seen;
use crate::stats::mean;

/// What is known of the entries.
pub(super) struct Heard<'a> {
    /// By entry: why it is out.
    pub(super) out: Vec<Option<OutOf>>,
    /// Rounds that count, each with its block and its entry.
    pub(super) rounds: Vec<(usize, usize, &'a Judgement)>,
    /// Blocks that were driven.
    pub(super) blocks: usize,
}

/// What an entry did that ended its part.
pub(super) struct OutOf {
    /// In which child, from 1.
    pub(super) child: usize,
    /// The rules that it broke, or why it did not start.
    pub(super) why: (Vec<String>, Option<String>),
}

impl<'a> Heard<'a> {
    /// Hears children in their order.
    pub(super) fn of(plan: &LeaguePlan, children: &[Child<'a>]) -> Self {
        let mut heard =
            Self { out: plan.entries.iter().map(|_| None).collect(), rounds: Vec::new(), blocks: 0 };
        for (child, number) in children.iter().zip(1..) {
            match child {
                // The first children check the entries in their order; nothing else can fail for an entry's sake.
                Err(reason) => heard.sees_out(number - 1, number, (Vec::new(), Some((*reason).to_owned()))),
                Ok(fight) => heard.hears(plan, number, fight),
            }
        }
        heard
    }

    fn hears(&mut self, plan: &LeaguePlan, number: usize, fight: &'a JudgedFight) {
        let is_block = fight.kind == FightKind::Fight;
        let entries = entries_of(plan, fight);
        let mut last_of_each: Vec<Option<&'a Judgement>> = vec![None; entries.len()];
        for round in &fight.rounds {
            let judgement = &round.judgement;
            let Some(&Some(entry)) = entries.get(judgement.contender) else { continue };
            match &judgement.standing {
                Standing::Disqualified { rules } => self.sees_out(entry, number, (rules.clone(), None)),
                Standing::NotReady { reason } => {
                    self.sees_out(entry, number, (Vec::new(), Some(reason.clone())));
                }
                Standing::Valid if is_block => last_of_each[judgement.contender] = Some(judgement),
                Standing::Valid | Standing::Void { .. } => {}
            }
        }
        for (entry, round) in entries.iter().zip(last_of_each) {
            self.rounds.extend(entry.zip(round).map(|(entry, round)| (self.blocks, entry, round)));
        }
        self.blocks += usize::from(is_block);
    }

    fn sees_out(&mut self, entry: usize, child: usize, why: (Vec<String>, Option<String>)) {
        if let Some(out @ None) = self.out.get_mut(entry) {
            *out = Some(OutOf { child, why });
        }
    }

    /// Whoever is in.
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

    /// An entry's rounds that count.
    pub(super) fn of_entry(&self, entry: usize) -> impl Iterator<Item = &'a Judgement> {
        self.rounds.iter().filter(move |(_, of, _)| *of == entry).map(|(_, _, round)| *round)
    }

    pub(super) fn means(&self, entry: usize) -> Measures {
        Measures::of_each(|measure| {
            let logs: Vec<f64> =
                self.of_entry(entry).filter_map(|round| log_figure(measure, round)).collect();
            mean(&logs).map(f64::exp)
        })
    }

    pub(super) fn entry(&self, contender: &Contender, index: usize) -> Entry {
        Entry::of(contender, self.of_entry(index).count())
    }
}

/// By contender of a child: which entry it is. The control of a block is its last contender once more, under a number.
fn entries_of(plan: &LeaguePlan, fight: &JudgedFight) -> Vec<Option<usize>> {
    let of = |name: &str| plan.entries.iter().position(|entry| entry.name == name);
    let last = fight.contenders.len().saturating_sub(1);
    let is_block = fight.kind == FightKind::Fight;
    let entry = |(index, contender): (usize, &crate::fight::JudgedContender)| match contender
        .name
        .rsplit_once(" (")
    {
        Some((name, _)) if is_block && index == last => of(name),
        _ => of(&contender.name),
    };
    fight.contenders.iter().enumerate().map(entry).collect()
}
