//! The plan of a league: who takes part, and how passes over all of them are cut into blocks of rounds.
//!
//! A block is some entries, each once, in one go on one machine; effects are estimated within blocks alone. Each pass is cut anew, so
//! that over the passes entries meet different others.
//!
//! A sweep is a league whose entries are contenders at settings: each at every one. Those of one setting are in one block.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::JsonSchema;
use crate::contender::Contender;
use crate::kind::LimitTerms;
use crate::knob::{Knob, PROFILE, SCALE, Turn};
use crate::seed::{PairId, Seed};
use crate::units::parse_scale_milli;

/// Version of the plan's written form.
pub const FORMAT: u32 = 1;

/// The most entries of a block: more would take so long that the machine changes meanwhile.
pub const LARGEST_BLOCK: usize = 12;

/// The first pass after which it is looked at who is told apart.
pub const FIRST_LOOK: u32 = 3;

/// After which passes it is looked at, before the last.
const LOOKS: [u32; 6] = [FIRST_LOOK, 4, 6, 8, 12, 16];

/// A league.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename = "league")]
pub struct LeaguePlan {
    /// [`FORMAT`].
    pub format: u32,
    /// Name of the challenge that all entries are for.
    pub challenge: String,
    /// Name of its profile that rounds are driven with.
    pub profile: String,
    /// Factor on every arrival rate, in thousandths.
    pub scale_milli: u32,
    /// Seed that the children's seeds and all blocks are drawn by.
    pub seed: Seed,
    /// At most so many passes; fewer where every place is decided before.
    pub passes: u32,
    /// How the highest scale of whoever is still in after the passes is searched for; `None`: it is not.
    #[serde(default)]
    pub limits: Option<LimitTerms>,
    /// Whether whoever is still in at the end is killed under load.
    pub crashes: bool,
    /// A difference within this is as good as none, in percent: two of which that much is known are driven no more for each other's sake.
    pub detect_percent: f64,
    /// Knobs of a sweep, whose combinations are the settings; empty: it is a league.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub knobs: Vec<Knob>,
    /// Who takes part, by name; of a sweep, each contender at each setting.
    pub entries: Vec<Contender>,
    /// Whose file was not accepted, so that nothing of it was started.
    pub refused: Vec<Refused>,
}

/// An entry that does not take part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Refused {
    /// The Compose file.
    pub file: PathBuf,
    /// Why, as `galo check` says it.
    pub reason: String,
}

/// Some entries that are driven in one go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// Indices into the league's entries.
    pub entries: Vec<usize>,
    /// The one of them that is driven twice: what it shows against itself is noise.
    pub control: usize,
}

/// What a child of a league is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChildTerms {
    /// One entry: does it start, and is it right?
    Check {
        /// Index into the entries.
        entry: usize,
    },
    /// A block of rounds.
    Block {
        /// In which pass, from 1.
        pass: u32,
        /// Which of its blocks, from 1, and how many it has.
        number: [usize; 2],
        /// Who takes part.
        block: Block,
    },
    /// One entry: which scale does it hold at most?
    Limit {
        /// Index into the entries.
        entry: usize,
    },
    /// One entry: what does it keep when it is killed?
    Crash {
        /// Index into the entries.
        entry: usize,
    },
}

impl LeaguePlan {
    /// The plan as it is recorded: without secrets in its entries' files.
    #[must_use]
    pub fn without_secrets(&self) -> Self {
        let mut plan = self.clone();
        plan.entries.iter_mut().for_each(Contender::hide_secrets);
        plan
    }

    /// The seed of a child, from 1: it is told at the child's end, while others are still to be driven.
    pub fn seed_of(&self, child: u32) -> Seed {
        self.seed.of_pair(PairId { pair: child.saturating_sub(1), attempt: 0 })
    }

    /// After which passes it is looked at who is told apart, the last one included.
    pub fn looks(&self) -> Vec<u32> {
        let before = LOOKS.into_iter().filter(|look| *look < self.passes);
        before.chain([self.passes]).collect()
    }

    /// The entries that are started and checked before all: of a sweep, each contender at its first setting.
    pub fn checks(&self) -> Vec<usize> {
        let is_first = |&entry: &usize| {
            self.knobs.is_empty() || !(0..entry).any(|other| self.of(other) == self.of(entry))
        };
        (0..self.entries.len()).filter(is_first).collect()
    }

    /// The name of an entry's contender, whatever its setting is.
    pub fn of(&self, entry: usize) -> &str {
        let entry = &self.entries[entry];
        entry.setting.as_ref().map_or(&entry.name, |setting| &setting.of)
    }

    /// Profile and scale of an entry's rounds, in thousandths.
    ///
    /// # Errors
    /// A setting's scale is none, in words.
    pub fn traffic_of(&self, entry: usize) -> Result<(String, u32), String> {
        let turned = |knob| self.entries[entry].turns().iter().find(|turn| turn.knob == knob);
        let profile = turned(PROFILE).map_or_else(|| self.profile.clone(), |turn| turn.value.clone());
        let scale = turned(SCALE).map(|turn| parse_scale_milli(&turn.value)).transpose()?;
        Ok((profile, scale.unwrap_or(self.scale_milli)))
    }

    /// Entries that are compared with each other, out of these. A league compares all; a sweep the contenders at one setting, or the
    /// settings of one traffic where it has a single contender.
    pub fn fields(&self, members: &[usize]) -> Vec<Vec<usize>> {
        let is_of_one = self.entries.iter().enumerate().all(|(entry, _)| self.of(entry) == self.of(0));
        if is_of_one { self.parted(members, Turn::is_of_traffic) } else { self.parted(members, |_| true) }
    }

    /// These entries, parted by those of their turns that count; those of a league are not.
    fn parted(&self, members: &[usize], counts: impl Fn(&Turn) -> bool) -> Vec<Vec<usize>> {
        if self.knobs.is_empty() {
            return vec![members.to_vec()];
        }
        let mut parts: BTreeMap<Vec<&Turn>, Vec<usize>> = BTreeMap::new();
        for &entry in members {
            let turns = self.entries[entry].turns().iter().filter(|turn| counts(turn)).collect();
            parts.entry(turns).or_default().push(entry);
        }
        let mut parts: Vec<Vec<usize>> = parts.into_values().collect();
        parts.sort_unstable();
        parts
    }

    /// Cuts a pass over these entries into blocks as equal as can be, by the seed. All of a block have one traffic, and those of one
    /// setting are in one block.
    pub fn blocks(&self, pass: u32, members: &[usize]) -> Vec<Block> {
        let mut blocks: Vec<Vec<usize>> = Vec::new();
        for part in self.parted(members, Turn::is_of_traffic) {
            let mut drawn = match self.knobs.is_empty() {
                true => part.iter().map(|&entry| vec![entry]).collect(),
                false => self.parted(&part, |_| true),
            };
            let largest = drawn.iter().map(Vec::len).max().unwrap_or(1);
            drawn.sort_by_cached_key(|one| self.seed.key("block", &[u64::from(pass), one[0] as u64]));
            let count = drawn.len().div_ceil((LARGEST_BLOCK / largest).max(1));
            let first = blocks.len();
            blocks.resize(first + count, Vec::new());
            for (index, entries) in drawn.into_iter().enumerate() {
                blocks[first + index % count].extend(entries);
            }
        }
        if !self.knobs.is_empty() {
            blocks.sort_by_cached_key(|one| self.seed.key("order", &[u64::from(pass), one[0] as u64]));
        }
        let drawn = |(number, entries): (usize, Vec<usize>)| {
            let word = self.seed.word("control", &[u64::from(pass), number as u64]);
            Block { control: entries[(word % entries.len() as u64) as usize], entries }
        };
        blocks.into_iter().enumerate().map(drawn).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(passes: u32) -> LeaguePlan {
        LeaguePlan {
            format: FORMAT,
            challenge: "pessoas".to_owned(),
            profile: "quick".to_owned(),
            scale_milli: 1000,
            seed: Seed::of_number(7),
            passes,
            limits: None,
            crashes: false,
            detect_percent: 5.0,
            knobs: Vec::new(),
            entries: Vec::new(),
            refused: Vec::new(),
        }
    }

    #[test]
    fn every_pass_has_everybody_once_in_blocks_of_nearly_one_size() {
        for count in [1, 2, 12, 13, 25, 100] {
            let members: Vec<usize> = (0..count).map(|index| index * 3).collect();
            for pass in 1..5 {
                let blocks = plan(8).blocks(pass, &members);
                let sizes: Vec<usize> = blocks.iter().map(|block| block.entries.len()).collect();
                let (least, most) = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
                assert!(*most <= LARGEST_BLOCK && most - least <= 1, "{sizes:?}");
                assert!(blocks.iter().all(|block| block.entries.contains(&block.control)));
                let mut all: Vec<usize> = blocks.into_iter().flat_map(|block| block.entries).collect();
                all.sort_unstable();
                assert_eq!(all, members);
            }
        }
        assert_eq!(plan(8).blocks(1, &[]), []);
    }

    #[test]
    fn passes_are_cut_anew_and_by_the_seed_alone() {
        let members: Vec<usize> = (0..30).collect();
        assert_ne!(plan(8).blocks(1, &members), plan(8).blocks(2, &members));
        assert_eq!(plan(8).blocks(1, &members), plan(4).blocks(1, &members));
        let met = |pass| {
            plan(8).blocks(pass, &members).into_iter().find(|block| block.entries.contains(&0)).unwrap()
        };
        assert_ne!(met(1).entries.len(), 0);
        assert_ne!(met(1), met(2));
    }

    #[test]
    fn the_last_pass_is_looked_at() {
        assert_eq!(plan(8).looks(), [3, 4, 6, 8]);
        assert_eq!(plan(1).looks(), [1]);
        assert_eq!(plan(20).looks(), [3, 4, 6, 8, 12, 16, 20]);
    }
}
