//! `delayed-ack`: the rest of an answer came when its first part was acknowledged.

use galo_record::RoundData;

use super::quantile;
use crate::findings::{DelayedAck, Finding};

/// Linux delays an acknowledgement by 40 ms at least (`TCP_DELACK_MIN`), and its timers may be 8 ms late.
const DELAYED_NS: std::ops::Range<u64> = 38_000_000..52_000_000;
/// Delays next to it, which a spread of any other cause has as well.
const BESIDE_NS: std::ops::Range<u64> = 20_000_000..80_000_000;
/// There are so many times more of the former than of the latter.
const PEAK: usize = 4;
/// Fewer are chance.
const LEAST: usize = 20;
/// Share of all answers that is worth a word.
const LEAST_SHARE: f64 = 0.01;

/// Finds answers whose last byte came 38 to 52 ms after their first.
///
/// Proves that so many answers came in two parts, and that hardly any took a little less or more between them. A contender that does something else
/// for just so long between two writes would look the same.
pub(super) fn finding(round: &RoundData) -> Option<Finding> {
    let between: Vec<u64> = round
        .history
        .iter()
        .filter(|operation| operation.status != 0)
        .filter_map(|operation| operation.done_ns.checked_sub(operation.first_byte_ns?))
        .collect();
    let mut held: Vec<u64> = between.iter().copied().filter(|ns| DELAYED_NS.contains(ns)).collect();
    let beside = between.iter().filter(|ns| BESIDE_NS.contains(ns)).count() - held.len();
    let is_much = held.len() >= LEAST && held.len() as f64 >= LEAST_SHARE * between.len() as f64;
    if !is_much || held.len() < PEAK * beside {
        return None;
    }
    held.sort_unstable();
    let held_ns = quantile(&held, 0.5)?;
    Some(Finding::new(DelayedAck { answers: held.len() as u64, all: between.len() as u64, held_ns }))
}

#[cfg(test)]
mod tests {
    use galo_record::Operation;

    use super::*;
    use crate::testing::RoundBuilder;

    const MS: u64 = 1_000_000;

    /// Answers whose last byte came so many milliseconds after their first.
    fn told(between_ms: impl IntoIterator<Item = u64>) -> Option<String> {
        let mut round = RoundBuilder::clean().0;
        let like = round.history[0];
        let answer =
            |ms: u64| Operation { first_byte_ns: Some(MS), done_ns: MS + ms * MS, status: 200, ..like };
        round.history = between_ms.into_iter().map(answer).collect();
        finding(&round).map(|found| found.fact.sentence(galo_words::Lang::En))
    }

    #[test]
    fn answers_that_waited_for_an_acknowledgement_are_told_with_their_delay() {
        let quick = std::iter::repeat_n(0, 60);
        let sentence = told(quick.chain((0..40).map(|n| 42 + n % 3))).unwrap();
        insta::assert_snapshot!(sentence, @"40 of 100 answers came in two parts, the second 43.0 ms after the first: as late as the other side's delayed acknowledgement");
    }

    #[test]
    fn a_few_are_chance_and_a_wide_spread_has_another_cause() {
        assert_eq!(told(std::iter::repeat_n(0, 60).chain([43; 19])), None);
        assert_eq!(told((0..200).map(|n| n % 100)), None);
        assert_eq!(told(std::iter::repeat_n(0, 6_000).chain([43; 30])), None);
        assert_eq!(told([]), None);
    }
}
