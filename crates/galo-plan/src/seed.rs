//! What all draws of a run begin with.

use std::fmt;
use std::str::FromStr;

use crate::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};

use crate::digest::hex;

/// 128 bits that all draws of a run, or of a pair of rounds, come from. What is drawn for one purpose says nothing about what is
/// drawn for another: each has a SHA-256 of its own. So who knows all that was sent in one round knows nothing of the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Seed(u128);

/// Which pair of rounds: the k-th rounds of all contenders share a seed, and no other round has it.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub struct PairId {
    /// k, from 0.
    pub pair: u32,
    /// How many times the pair was begun anew before.
    pub attempt: u32,
}

/// A text that is no seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a seed is a whole number below 2^64, or 32 hex digits as a report tells them")]
pub struct NoSeed;

/// Length of a seed that nobody chose, as it is told.
const HEX_DIGITS: usize = 32;
/// Digits of the largest number that one may choose.
const U64_DIGITS: usize = 20;

impl Seed {
    /// A seed of random bytes. A run is fair only if nothing can guess them.
    pub const fn of_bytes(bytes: [u8; 16]) -> Self {
        Self(u128::from_be_bytes(bytes))
    }

    /// A seed of a number that a person chose.
    pub const fn of_number(number: u64) -> Self {
        Self(number as u128)
    }

    /// The seed of a pair of rounds.
    pub fn of_pair(self, PairId { pair, attempt }: PairId) -> Self {
        let digest = self.key("pair", &[u64::from(pair), u64::from(attempt)]);
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&digest[..16]);
        Self::of_bytes(bytes)
    }

    /// 64 bits for a purpose and some numbers.
    pub fn word(self, purpose: &str, numbers: &[u64]) -> u64 {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&self.key(purpose, numbers)[..8]);
        u64::from_le_bytes(bytes)
    }

    /// 256 bits for a purpose and some numbers: the key of a generator.
    pub fn key(self, purpose: &str, numbers: &[u64]) -> [u8; 32] {
        let mut digest = Sha256::new_with_prefix(b"galo");
        digest.update(self.0.to_be_bytes());
        digest.update((purpose.len() as u64).to_be_bytes());
        digest.update(purpose);
        for number in numbers {
            digest.update(number.to_be_bytes());
        }
        digest.finalize().into()
    }
}

/// As it is typed again: a chosen number, or else 32 hex digits.
impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match u64::try_from(self.0) {
            Ok(number) => write!(f, "{number}"),
            Err(_) => f.write_str(&hex(&self.0.to_be_bytes())),
        }
    }
}

impl FromStr for Seed {
    type Err = NoSeed;

    fn from_str(text: &str) -> Result<Self, NoSeed> {
        let is_plain = text.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_plain {
            return Err(NoSeed);
        }
        if text.len() == HEX_DIGITS {
            return u128::from_str_radix(text, 16).map(Self).map_err(|_| NoSeed);
        }
        match text.len() {
            1..=U64_DIGITS => text.parse().map(Self::of_number).map_err(|_| NoSeed),
            _ => Err(NoSeed),
        }
    }
}

impl Serialize for Seed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Seed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn pairs_purposes_and_numbers_have_draws_of_their_own() {
        let seed = Seed::of_number(7);
        let pairs =
            (0..10).flat_map(|pair| (0..3).map(move |attempt| seed.of_pair(PairId { pair, attempt })));
        assert_eq!(pairs.chain([seed]).collect::<BTreeSet<_>>().len(), 31);
        let words = [
            seed.word("a", &[]),
            seed.word("b", &[]),
            seed.word("a", &[0]),
            seed.word("a", &[1]),
            seed.word("a", &[0, 0]),
            Seed::of_number(8).word("a", &[]),
        ];
        assert_eq!(BTreeSet::from(words).len(), words.len());
    }

    #[test]
    fn what_is_no_seed_is_refused() {
        for text in ["", "-1", "+1", "0x7", "18446744073709551616", "é", &"g".repeat(32), &"0".repeat(33)] {
            assert_eq!(text.parse::<Seed>(), Err(NoSeed), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_seed_is_read_as_it_is_told(bits: u128, number: u64) {
            for seed in [Seed(bits), Seed::of_number(number)] {
                prop_assert_eq!(seed.to_string().parse(), Ok(seed));
                let json = serde_json::to_string(&seed).unwrap();
                prop_assert_eq!(serde_json::from_str::<Seed>(&json).unwrap(), seed);
            }
        }
    }
}
