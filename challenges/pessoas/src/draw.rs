//! What is drawn for one row: ChaCha with 12 rounds (Bernstein, "ChaCha, a variant of Salsa20", 2008), from a point that depends on
//! key, feeder and row alone. A contender that has seen rows of a key cannot tell any other, of it or of another key.
//!
//! The bytes of every row follow from this file. It must never change its results: a seed stands for its data.

use chacha20::ChaCha12Rng;
use chacha20::rand_core::{Rng, SeedableRng};
use galo_plan::Seed;

/// What all rows of one seed are drawn by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key([u8; 32]);

impl Key {
    /// Of a seed.
    pub(crate) fn of(seed: Seed) -> Self {
        Self(seed.key("pessoas", &[]))
    }

    /// Of a seed that is a number.
    #[cfg(test)]
    pub(crate) fn numbered(seed: u64) -> Self {
        Self::of(Seed::of_number(seed))
    }
}

/// Draws for one row.
pub(crate) struct Draw {
    stream: ChaCha12Rng,
}

/// Blocks of 64 bytes between the beginnings of two rows. A row takes some ten.
const BLOCKS_PER_ROW: u64 = 64;

impl Draw {
    /// The draws of row `row` of feeder `feeder`.
    pub(crate) fn new(key: Key, feeder: usize, row: u64) -> Self {
        let mut stream = ChaCha12Rng::from_seed(key.0);
        stream.set_stream(feeder as u64);
        stream.set_block_pos(row.wrapping_mul(BLOCKS_PER_ROW));
        Self { stream }
    }

    /// 64 even bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.stream.next_u64()
    }

    /// A number from 0 to `bound - 1`, by multiplying and shifting. For the bounds used here (at most 1,000) the
    /// unevenness is below 1 in 10^16.
    pub(crate) fn below(&mut self, bound: u32) -> u32 {
        ((u128::from(self.bits()) * u128::from(bound)) >> 64) as u32
    }

    /// Fills `out` with letters of `alphabet`, four for each draw. With 16 bits for a letter no letter of 53 is
    /// preferred by more than 1 in 1,000.
    pub(crate) fn fill(&mut self, out: &mut [u8], alphabet: &[u8]) {
        for four in out.chunks_mut(4) {
            let mut bits = self.bits();
            for letter in four {
                *letter = alphabet[((bits & 0xffff) as usize * alphabet.len()) >> 16];
                bits >>= 16;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_chacha_with_12_rounds() {
        // The first bytes of the key stream of a key and a nonce of zeros: Strombergson, "Test vectors for the stream cipher
        // ChaCha", draft-strombergson-chacha-test-vectors-01, TC1, 256-bit key, 12 rounds.
        let mut draw = Draw::new(Key([0; 32]), 0, 0);
        let first = [draw.bits(), draw.bits()].map(u64::to_le_bytes).concat();
        assert_eq!(
            first,
            [0x9b, 0xf4, 0x9a, 0x6a, 0x07, 0x55, 0xf9, 0x53, 0x81, 0x1f, 0xce, 0x12, 0x5f, 0x26, 0x83, 0xd5]
        );
    }

    #[test]
    fn rows_feeders_and_seeds_have_draws_of_their_own() {
        let first = |seed, feeder, row| Draw::new(Key::numbered(seed), feeder, row).bits();
        let all: std::collections::HashSet<u64> = (0..20)
            .flat_map(|seed| (0..3).flat_map(move |feeder| (0..100).map(move |row| first(seed, feeder, row))))
            .collect();
        assert_eq!(all.len(), 20 * 3 * 100);
        let mut row_0 = Draw::new(Key::numbered(1), 0, 0);
        let stream: Vec<u64> = (0..500).map(|_| row_0.bits()).collect();
        assert!((1..100).all(|row| !stream.contains(&first(1, 0, row))));
    }

    #[test]
    fn a_number_below_a_bound_takes_every_value_and_not_the_bound() {
        let mut draw = Draw::new(Key::numbered(1), 0, 0);
        let mut seen = [0; 7];
        (0..7000).for_each(|_| seen[draw.below(7) as usize] += 1);
        assert!(seen.iter().all(|count| (850..1150).contains(count)), "{seen:?}");
    }
}
