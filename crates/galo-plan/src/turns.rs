//! Who goes first: drawn by the seed, and everybody equally often.

use crate::seed::Seed;

/// The order of so many in one block of turns. Each even block has an order of its own, that only the seed tells (the order of
/// digests), and the odd one after it has the reverse, so that what drifts meanwhile favours nobody: A B B A or B A A B. What comes
/// back every so many turns on the machine meets one of them as often as the other.
pub fn block(seed: Seed, number: u32, of: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..of).collect();
    order.sort_by_cached_key(|&one| seed.key("turns", &[u64::from(number / 2), one as u64]));
    if !number.is_multiple_of(2) {
        order.reverse();
    }
    order
}

/// Turns of so many, in so many blocks.
pub fn turns(seed: Seed, blocks: u32, of: usize) -> Vec<usize> {
    (0..blocks).flat_map(|number| block(seed, number, of)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_goes_first_equally_often_and_nobody_can_know_when() {
        for seed in 0..50 {
            let firsts = (0..10).filter(|&number| block(Seed::of_number(seed), number, 2)[0] == 0).count();
            assert_eq!(firsts, 5);
        }
        let of_seeds =
            |number| (0..200).filter(|&seed| block(Seed::of_number(seed), number, 2)[0] == 0).count();
        assert!([of_seeds(0), of_seeds(2), of_seeds(18)].iter().all(|firsts| (70..130).contains(firsts)));
        assert_ne!(turns(Seed::of_number(1), 40, 2), turns(Seed::of_number(2), 40, 2));
        assert_eq!(turns(Seed::of_number(1), 40, 2), turns(Seed::of_number(1), 40, 2));
    }

    #[test]
    fn every_block_has_everybody_once_and_every_second_one_is_the_reverse() {
        for of in 0..6 {
            for number in [0, 2, 4] {
                let (mut first, second) =
                    (block(Seed::of_number(7), number, of), block(Seed::of_number(7), number + 1, of));
                first.reverse();
                assert_eq!(first, second);
                first.sort_unstable();
                assert_eq!(first, (0..of).collect::<Vec<_>>());
            }
        }
    }
}
