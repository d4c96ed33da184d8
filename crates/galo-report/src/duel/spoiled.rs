//! Loads of a duel that do not count.

use galo_judge::duel::void_reasons;
use galo_judge::void::VoidReason;
use galo_record::DuelRecord;
use galo_record::duel::Level;
use galo_words::Both;
use schemars::JsonSchema;
use serde::Serialize;

use crate::words::{labels, void_load_sentence};

/// Loads that say nothing, by galo's own doing or its machine's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SpoiledLoads {
    /// The first reason of its kind, with what to do.
    pub reason: String,
    /// At which level: `asked`, `half`, `near` or `highest`.
    pub level: String,
    /// How many.
    pub loads: u32,
    /// The level and the reason in both languages.
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) told: Both,
}

impl SpoiledLoads {
    /// By level and kind of reason; the figures told are those of the first.
    pub(super) fn of(record: &DuelRecord) -> Vec<Self> {
        let loads = record.turns.iter().flat_map(|turn| &turn.loads);
        let mut spoiled: Vec<(Level, VoidReason, u32)> = Vec::new();
        for load in loads {
            let Some(reason) = void_reasons(&record.terms.levels, load).into_iter().next() else { continue };
            let is_same = |(level, known, _): &&mut (Level, VoidReason, u32)| {
                *level == load.level && known.name() == reason.name()
            };
            match spoiled.iter_mut().find(is_same) {
                Some((_, _, loads)) => *loads += 1,
                None => spoiled.push((load.level, reason, 1)),
            }
        }
        spoiled
            .into_iter()
            .map(|(level, reason, loads)| {
                let why = Both::told(|lang| void_load_sentence(&reason, lang));
                let told = labels::level(level).then(&Both::same(": ")).then(&why);
                Self { reason: why.en.to_string(), level: level.name().to_owned(), loads, told }
            })
            .collect()
    }
}
