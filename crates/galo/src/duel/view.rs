//! Tells of a duel as it is driven: whose turn it is, and what came of each pair.

use std::net::SocketAddr;

use galo_drive::Watch;
use galo_host::{Contact, look_up};
use galo_judge::duel::{PairFacts, compare, loads_of, seen_of};
use galo_judge::void::VoidReason;
use galo_plan::DuelPlan;
use galo_plan::address::Url;
use galo_plan::duel::DuelSide;
use galo_record::act::{Act, Acted, LoadTerms, Outcome, Unit, UnitKind, UnitTerms, Workload};
use galo_record::duel::{Level, Purpose};
use galo_words::Lang;

use crate::live::Live;

/// Who is told of a duel.
pub(super) struct Follow<'a> {
    plan: &'a DuelPlan,
    live: &'a Live,
    /// What each side reached in its warm-up.
    reached_per_s: [Option<f64>; 2],
    /// The pair that is under way.
    pair: Option<u32>,
    /// All that were driven to their end.
    pairs: Vec<PairFacts>,
    /// Which of a command's addresses are used, as it was told.
    contacts: Vec<String>,
    /// Levels of which it was told that a load of theirs was spoiled.
    told_spoiled: Vec<Level>,
}

impl<'a> Follow<'a> {
    /// Follows a duel of which these pairs were driven before.
    pub(super) fn new(plan: &'a DuelPlan, live: &'a Live, pairs: &[PairFacts]) -> Self {
        let (contacts, told_spoiled) = (Vec::new(), Vec::new());
        let (pair, pairs) = (pairs.last().map(|facts| facts.pair), pairs.to_vec());
        Self { plan, live, reached_per_s: [None, None], pair, pairs, contacts, told_spoiled }
    }

    fn name(&self, side: usize) -> &str {
        self.plan.sides.get(side).map_or("", |side| &side.name)
    }

    /// Tells once at which address a command listens, where its name has several. Of servers that galo does not start this is
    /// told before.
    fn tell_contact(&mut self, side: usize, target: SocketAddr) {
        let Some(DuelSide { url, command: Some(_), .. }) = self.plan.sides.get(side) else { return };
        let Ok(url) = Url::parse(url) else { return };
        let among = look_up(&url.host, url.port).unwrap_or_default();
        let Some(text) = Contact::seen(target, among).sentence(&url.host) else { return };
        if !self.contacts.contains(&text) {
            self.live.line(&text);
            self.contacts.push(text);
        }
    }

    /// Tells what the warm-up has shown, by which the loads of a turn are chosen.
    fn tell_reached(&mut self) {
        if let ([Some(first), Some(second)], None) = (self.reached_per_s, &self.plan.asked) {
            let told = [first, second].into_iter().zip(&self.plan.sides);
            let told: Vec<String> = told.map(|(rate, side)| format!("{} {rate:.0}/s", side.name)).collect();
            self.live.line(&format!("{} at once: {}", self.plan.connections, told.join(", ")));
        }
        self.reached_per_s = [None, None];
    }
}

impl Watch<PairFacts> for Follow<'_> {
    fn begins(&mut self, act: &Act) {
        match act {
            Act::Begin(UnitTerms { kind: UnitKind::Pair { pair, .. }, .. }) => {
                self.tell_reached();
                self.pair = Some(*pair);
            }
            Act::Load(LoadTerms { contender, traffic: Workload::Level(traffic), .. }) => {
                let name = self.name(*contender);
                match (self.pair, traffic.purpose) {
                    (Some(pair), _) => {
                        self.live.turn(format!("{}: {name}", pair_name(pair, self.plan.pace.pairs)));
                    }
                    (None, Purpose::WarmUp) => self.live.turn(format!("warm-up: {name}")),
                    (None, _) => self.live.turn(format!("first answers: {name}")),
                }
            }
            Act::Alternate(_) => {
                let pair = pair_name(self.pair.unwrap_or(0), self.plan.pace.pairs);
                self.live.turn(format!("{pair}: {} and {}", self.name(0), self.name(1)));
            }
            _ => {}
        }
    }

    fn ended(&mut self, acted: &Acted) {
        if let (Act::Start { contender }, Outcome::Started(started)) = (&acted.act, &acted.outcome) {
            self.tell_contact(*contender, started.placement.target);
        }
        for (side, finding) in seen_of(acted) {
            let told = galo_judge::findings::host_sentence(finding, Lang::En);
            self.live.line(&format!("  {}: {told}", self.name(side)));
        }
        let Some((side, traffic, loaded)) = loads_of(acted).next() else { return };
        match traffic.purpose {
            Purpose::Answers => {
                for difference in loaded.answers.iter().flat_map(|answers| &answers.differences) {
                    let [mine, its] = &difference.values;
                    self.live.line(&format!("answers differ at {}: {mine} and {its}", difference.at));
                }
            }
            Purpose::WarmUp if self.pair.is_none() => {
                let ok = loaded.load.total().ledger.ok as f64;
                self.reached_per_s[side] = Some(ok * 1e9 / loaded.load.elapsed_ns().max(1) as f64);
            }
            _ => {}
        }
    }

    fn judged(&mut self, _: Unit<'_>, facts: &PairFacts) {
        self.live.line(&pair_line(self.plan, facts));
        self.pairs.push(facts.clone());
        if self.plan.pace.is_look(self.pairs.len() as u32) {
            let of = [1, 0].map(|side| self.name(side));
            if let Some(told) = galo_report::so_far(&compare(self.plan, &self.pairs), of) {
                self.live.line(&format!("  {}", told.en));
            }
        }
        for (level, reason) in spoiled_later(facts) {
            if !self.told_spoiled.contains(&level) {
                let why = galo_judge::findings::void_sentence(&[reason], Lang::En);
                self.live.line(&format!(
                    "  {}: spoiled in this pair ({why}); how often is told in the end",
                    galo_report::level(level).en
                ));
                self.told_spoiled.push(level);
            }
        }
    }
}

/// Why the load of a level does not count in a pair, of either side.
fn spoiled_at(facts: &PairFacts, level: Level) -> Option<VoidReason> {
    let mut loads = facts.turns.iter().flat_map(|turn| &turn.loads).filter(|load| load.level == level);
    loads.find_map(|load| load.void.first()).cloned()
}

/// The levels beside the one that a pair's line tells of whose loads do not count in it.
fn spoiled_later(facts: &PairFacts) -> Vec<(Level, VoidReason)> {
    let levels = facts.levels.iter().skip(1).map(|terms| terms.level);
    levels.filter_map(|level| Some((level, spoiled_at(facts, level)?))).collect()
}

/// One line on a pair, by the first load of its turns.
fn pair_line(plan: &DuelPlan, facts: &PairFacts) -> String {
    let told = [0, 1].map(|side| {
        let load = facts.turns.iter().find(|turn| turn.side == side).and_then(|turn| turn.loads.first());
        let p99_ms = load.map_or(0.0, |load| load.latency.p99 / 1e3);
        format!("{} {p99_ms:.2} ms", plan.sides[side].name)
    });
    // What to do about it is told in the end.
    let spoiled = facts.levels.first().and_then(|first| spoiled_at(facts, first.level));
    let spoiled = spoiled.map_or_else(String::new, |reason| {
        format!(" (spoiled: {})", galo_judge::findings::void_sentence(&[reason], Lang::En))
    });
    format!("{}: p99 {}{spoiled}", pair_name(facts.pair, plan.pace.pairs), told.join(", "))
}

/// Which pair of how many; one that is driven in place of a spoiled one comes after all that were planned.
fn pair_name(pair: u32, pairs: u32) -> String {
    match pair.checked_sub(pairs) {
        None => format!("pair {} of {pairs}", pair + 1),
        Some(before) => format!("replacement {} of a spoiled pair", before + 1),
    }
}

#[cfg(test)]
mod tests {
    use galo_judge::duel::{JudgedDuel, Turn};

    use super::*;

    #[test]
    fn only_the_line_of_a_load_that_was_spoiled_says_so() {
        let json = include_str!("../../../galo-report/tests/report/duel.json");
        let recorded: JudgedDuel = serde_json::from_str(json).unwrap();
        let facts = |spoiled: usize| {
            let mut duel = recorded.clone();
            let load = &mut duel.turns[1].loads[spoiled];
            load.engine.run_queue_ns = vec![load.elapsed_ns];
            let JudgedDuel { levels, turns, .. } = duel.judged();
            let turns: Vec<Turn> = turns.into_iter().filter(|turn| turn.pair == 0).collect();
            let spoiled = turns[1].loads[spoiled].void.first().cloned();
            PairFacts { pair: 0, turns, levels, spoiled }
        };
        let levels = &recorded.levels;
        let [first, last] = [facts(0), facts(levels.len() - 1)];
        assert!(first.spoiled.is_some() && last.spoiled.is_some() && levels.len() > 1);
        assert!(spoiled_at(&first, levels[0].level).is_some() && spoiled_later(&first).is_empty());
        assert!(spoiled_at(&last, levels[0].level).is_none());
        let later: Vec<Level> = spoiled_later(&last).into_iter().map(|(level, _)| level).collect();
        assert_eq!(later, [Level::Highest]);
    }

    #[test]
    fn a_pair_in_place_of_a_spoiled_one_is_none_of_those_that_were_planned() {
        assert_eq!(pair_name(0, 10), "pair 1 of 10");
        assert_eq!(pair_name(9, 10), "pair 10 of 10");
        assert_eq!(pair_name(10, 10), "replacement 1 of a spoiled pair");
    }
}
