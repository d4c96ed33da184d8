//! Numbers drawn for one row: SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators",
//! OOPSLA 2014), started at a point that depends on seed, feeder and row alone.
//!
//! The bytes of every row follow from this file. It must never change its results: a seed stands for its data.

/// Draws for one row.
pub(crate) struct Draw {
    state: u64,
}

/// The increment of SplitMix64: 2^64 divided by the golden ratio, made odd.
const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// The output function of SplitMix64.
pub(crate) const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Draw {
    /// The draws of row `row` of feeder `feeder`. Seed, feeder and row are mixed one after the other: were the row only
    /// added to the state, the draws of row 1 would be those of row 0 without the first.
    pub(crate) const fn new(seed: u64, feeder: usize, row: u64) -> Self {
        let seed = mix(seed.wrapping_add(GAMMA));
        let feeder = mix(seed ^ (feeder as u64 + 1).wrapping_mul(GAMMA));
        Self { state: mix(feeder ^ row.wrapping_mul(GAMMA)) }
    }

    /// 64 even bits.
    pub(crate) const fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GAMMA);
        mix(self.state)
    }

    /// A number from 0 to `bound - 1`, by multiplying and shifting. For the bounds used here (at most 1,000) the
    /// unevenness is below 1 in 10^16.
    pub(crate) const fn below(&mut self, bound: u32) -> u32 {
        ((self.bits() as u128 * bound as u128) >> 64) as u32
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
    fn the_generator_is_splitmix64() {
        // The first results of the reference implementation (Vigna, splitmix64.c) from state 1234567.
        let mut draw = Draw { state: 1_234_567 };
        let first: Vec<u64> = (0..3).map(|_| draw.bits()).collect();
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn rows_feeders_and_seeds_have_draws_of_their_own() {
        let first = |seed, feeder, row| Draw::new(seed, feeder, row).bits();
        let all: std::collections::HashSet<u64> = (0..20)
            .flat_map(|seed| (0..3).flat_map(move |feeder| (0..100).map(move |row| first(seed, feeder, row))))
            .collect();
        assert_eq!(all.len(), 20 * 3 * 100);
        let mut row_0 = Draw::new(1, 0, 0);
        let stream: Vec<u64> = (0..1000).map(|_| row_0.bits()).collect();
        assert!((1..100).all(|row| !stream.contains(&first(1, 0, row))));
    }

    #[test]
    fn a_number_below_a_bound_takes_every_value_and_not_the_bound() {
        let mut draw = Draw::new(1, 0, 0);
        let mut seen = [0; 7];
        (0..7000).for_each(|_| seen[draw.below(7) as usize] += 1);
        assert!(seen.iter().all(|count| (850..1150).contains(count)), "{seen:?}");
    }
}
