//! `delayed-ack`: the rest of an answer came when its first part was acknowledged.

use std::ops::Range;

use galo_record::{RoundData, Sample};

use super::quantile;
use crate::findings::{DelayedAck, Finding};
use crate::strangers::started_by_galo;

/// Linux delays an acknowledgement by 40 ms at least (`TCP_DELACK_MIN`), and its timers may be 8 ms late.
const DELAYED_NS: Range<u64> = 38_000_000..52_000_000;
/// Delays next to it, which a spread of any other cause has as well.
const BESIDE_NS: Range<u64> = 20_000_000..80_000_000;
/// Least ratio of delayed answers to those beside them.
const PEAK: usize = 4;
/// Fewer are chance.
const LEAST: usize = 20;
/// Share of all answers that is worth a word.
const LEAST_SHARE: f64 = 0.01;

/// Finds answers whose last byte came 38 to 52 ms after their first.
///
/// Proves that so many ended so late, and that hardly any ended a little earlier or later. A contender that
/// works for just so long between two writes would look the same. A throttled service may stand still for
/// so long, and a server elsewhere may be just so far away: answers with throttling between their first and
/// last byte do not count, and only servers that galo started are judged.
pub(super) fn finding(round: &RoundData) -> Option<Finding> {
    if !started_by_galo(round) {
        return None;
    }
    let throttled = throttled(round);
    let answered = round.history.iter().filter(|operation| operation.status != 0);
    let between: Vec<u64> = answered
        .filter_map(|operation| {
            let first_ns = operation.first_byte_ns?;
            let ns = operation.done_ns.checked_sub(first_ns)?;
            let is_excused = BESIDE_NS.contains(&ns) && meets_any(&throttled, first_ns..operation.done_ns);
            (!is_excused).then_some(ns)
        })
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

/// Whether a time meets any of these stretches, which are in order and do not overlap.
fn meets_any(stretches: &[Range<u64>], time: Range<u64>) -> bool {
    let next = stretches.partition_point(|stretch| stretch.end <= time.start);
    stretches.get(next).is_some_and(|stretch| stretch.start < time.end)
}

/// When a service was throttled: stretches between two samples, in order, from the start of the load.
fn throttled(round: &RoundData) -> Vec<Range<u64>> {
    let started_ns = round.record.load.started_ns;
    let samples = round.window().map_or(&[][..], |window| window.samples());
    let grew = |pair: &&[Sample]| {
        pair[0].services.iter().zip(&pair[1].services).any(|(a, b)| b.throttled_periods > a.throttled_periods)
    };
    let stretch =
        |pair: &[Sample]| pair[0].at_ns.saturating_sub(started_ns)..pair[1].at_ns.saturating_sub(started_ns);
    samples.windows(2).filter(grew).map(stretch).collect()
}

#[cfg(test)]
mod tests {
    use galo_record::Operation;

    use super::*;
    use crate::testing::RoundBuilder;

    const MS: u64 = 1_000_000;

    /// Answers whose last byte came so many milliseconds after their first.
    fn told(between_ms: impl IntoIterator<Item = u64>) -> Option<String> {
        told_where(between_ms, |_| ())
    }

    fn told_where(
        between_ms: impl IntoIterator<Item = u64>,
        change: impl Fn(&mut RoundData),
    ) -> Option<String> {
        let mut round = RoundBuilder::clean().0;
        let like = round.history[0];
        let answer =
            |ms: u64| Operation { first_byte_ns: Some(MS), done_ns: MS + ms * MS, status: 200, ..like };
        round.history = between_ms.into_iter().map(answer).collect();
        change(&mut round);
        finding(&round).map(|found| found.fact.sentence(galo_words::Lang::En))
    }

    #[test]
    fn answers_that_waited_for_an_acknowledgement_are_told_with_their_delay() {
        let quick = std::iter::repeat_n(0, 60);
        let sentence = told(quick.chain((0..40).map(|n| 42 + n % 3))).unwrap();
        insta::assert_snapshot!(sentence, @"40 of 100 answers ended 43.0 ms after the first byte: as late as the other side's delayed acknowledgement of it");
    }

    #[test]
    fn a_few_are_chance_and_a_wide_spread_has_another_cause() {
        assert_eq!(told(std::iter::repeat_n(0, 60).chain([43; 19])), None);
        assert_eq!(told((0..200).map(|n| n % 100)), None);
        assert_eq!(told(std::iter::repeat_n(0, 6_000).chain([43; 30])), None);
        assert_eq!(told([]), None);
    }

    #[test]
    fn throttling_and_a_server_elsewhere_may_look_the_same() {
        let held = || std::iter::repeat_n(43, 40);
        assert!(told(held()).is_some());
        let throttled = |round: &mut RoundData| {
            for (sample, periods) in round.samples.iter_mut().zip(0..) {
                sample.services[0].throttled_periods = periods;
            }
        };
        assert_eq!(told_where(held(), throttled), None);
        let elsewhere = |round: &mut RoundData| {
            round.record.placement.iter_mut().for_each(|placement| placement.services.clear());
        };
        assert_eq!(told_where(held(), elsewhere), None);
    }

    #[test]
    fn a_time_meets_a_stretch_that_it_shares_more_than_an_end_with() {
        let stretches = [10..20, 20..30, 50..60];
        let met = [0..11, 15..16, 29..31, 0..100, 40..51, 59..70];
        let missed = [0..10, 30..50, 35..45, 60..70];
        assert!(met.into_iter().all(|time| meets_any(&stretches, time)));
        assert!(!missed.into_iter().any(|time| meets_any(&stretches, time)));
        assert!(!meets_any(&[], 0..100));
    }
}
