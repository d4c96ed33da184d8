//! All that is drawn in a plan: from its seed and some words, without a state, so that what is drawn here does not
//! depend on what was drawn before.

use serde::{Deserialize, Serialize};

/// How one of several is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pick {
    /// Number `n mod count`.
    InTurn,
    /// Drawn evenly by seed and `n`.
    Random,
}

/// Maps 64 random bits evenly onto the numbers below `choices`, which is at most 2^64: by the high half of a product,
/// without a division. Each number is drawn as often as the others but for one part in `2^64 / choices`.
pub(crate) fn below(drawn: u64, choices: u128) -> u64 {
    ((u128::from(drawn) * choices) >> 64) as u64
}

/// 64 bits drawn by a seed and some words.
pub fn draw(seed: u64, words: &[u64]) -> u64 {
    words.iter().fold(seed, |drawn, word| mix(drawn ^ mix(*word)))
}

/// One step of splitmix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014, figure 17).
fn mix(word: u64) -> u64 {
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}
