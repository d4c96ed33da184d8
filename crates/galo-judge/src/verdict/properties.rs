use proptest::prelude::*;

use super::tests::round;
use super::*;
use crate::findings::Interrupted;
use crate::judgement::Standing;
use crate::testing::{Noise, plan};

/// Six to nine pairs with figures that sometimes differ clearly.
fn figures() -> impl Strategy<Value = Vec<[f64; 2]>> {
    (0.5..2.0_f64, 6..10_usize).prop_flat_map(|(factor, pairs)| {
        let pair = (5.0..15.0_f64, 0.9..1.1_f64).prop_map(move |(ms, noise)| [ms, ms * factor * noise]);
        prop::collection::vec(pair, pairs)
    })
}

fn fight(figures: &[[f64; 2]], factor: f64) -> Vec<Judgement> {
    figures.iter().flatten().enumerate().map(|(slot, ms)| round(slot, ms * factor)).collect()
}

/// The winner and whether there is one, which is what scaling must not change.
fn outcome(rounds: &[Judgement]) -> String {
    match judge_fight(&plan(), rounds).0 {
        Verdict::Better { winner, .. } => winner,
        other => format!("{other:?}"),
    }
}

fn swapped(name: &str) -> String {
    match name {
        "a" => "b".to_owned(),
        "b" => "a".to_owned(),
        other => other.to_owned(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn swapping_the_contenders_swaps_the_verdict(figures in figures()) {
        let mirrored: Vec<_> = figures.iter().map(|[a, b]| [*b, *a]).collect();
        prop_assert_eq!(outcome(&fight(&figures, 1.0)), swapped(&outcome(&fight(&mirrored, 1.0))));
    }

    #[test]
    fn the_order_in_which_rounds_are_handed_in_does_not_matter(figures in figures(), turn in 0..18_usize) {
        let rounds = fight(&figures, 1.0);
        let mut turned = rounds.clone();
        turned.rotate_left(turn % rounds.len());
        turned.reverse();
        prop_assert_eq!(judge_fight(&plan(), &rounds), judge_fight(&plan(), &turned));
    }

    #[test]
    fn a_void_round_that_was_repeated_does_not_matter(figures in figures(), slot in 0..12_usize, ms in 1.0..100.0_f64) {
        let rounds = fight(&figures, 1.0);
        let mut with_void = rounds.clone();
        with_void[slot].number += 1000;
        let mut void = round(slot, ms);
        void.standing = Standing::Void { reasons: vec![Interrupted {}.into()] };
        with_void.push(void);
        prop_assert_eq!(judge_fight(&plan(), &rounds), judge_fight(&plan(), &with_void));
    }

    #[test]
    fn scaling_both_does_not_matter(figures in figures(), factor in 0.1..10.0_f64) {
        prop_assert_eq!(outcome(&fight(&figures, 1.0)), outcome(&fight(&figures, factor)));
    }
}

/// The whole verdict has several chances to be wrong about equals: p99 at 4 %, then CPU time or the correct answers at
/// 0.5 % each.
#[test]
fn equal_contenders_of_skewed_noise_get_a_winner_in_at_most_five_of_a_hundred_fights() {
    let mut noise = Noise::seeded(1);
    let plan = plan();
    let fights = 2000;
    let won = (0..fights).filter(|_| {
        let rounds: Vec<Judgement> = (0..18)
            .map(|slot| {
                let mut round = round(slot, 10.0 * noise.skewed());
                round.measures.set(Measure::CpuMsPer1000, Some(300.0 * (0.02 * noise.normal()).exp()));
                round.measures.set(Measure::CorrectWithinServiceLevel, Some(1000.0 + 30.0 * noise.normal()));
                round
            })
            .collect();
        matches!(judge_fight(&plan, &rounds).0, Verdict::Better { .. })
    });
    let share = won.count() as f64 / f64::from(fights);
    assert!((0.01..=0.05).contains(&share), "{share}");
}
