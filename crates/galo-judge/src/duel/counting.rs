//! Which loads of a duel count, and why the others do not: judged again from the record whenever it is asked.

use galo_record::duel::{LevelTerms, Turn, TurnLoad};

use crate::void::{self, VoidReason};

/// Why a load of these levels says nothing, by galo's own doing; empty: it counts.
pub fn void_reasons(levels: &[LevelTerms], load: &TurnLoad) -> Vec<VoidReason> {
    let is_open = levels.iter().any(|terms| terms.level == load.level && terms.injection.is_some());
    void::of_engine(&load.engine, load.elapsed_ns, [load.latency.p50, load.latency.p99], is_open)
}

/// The load of a level, unless galo spoiled it.
pub fn counting<'a>(turn: &'a Turn, terms: &LevelTerms) -> Option<&'a TurnLoad> {
    let load = turn.loads.iter().find(|load| load.level == terms.level)?;
    void_reasons(std::slice::from_ref(terms), load).is_empty().then_some(load)
}
