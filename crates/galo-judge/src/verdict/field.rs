//! Three or more contenders at once: each by one of them, and between which of them no difference is proven.
//!
//! Every comparison is a chance to be wrong. So those of all pairs of contenders share their measure's level (Bonferroni's correction):
//! all of them together are as seldom wrong as the one of a fight between two.

use galo_plan::JsonSchema;
use galo_plan::Plan;
use serde::{Deserialize, Serialize};

use super::ranking::{eligible, is_baseline, mean_of};
use super::{Comparison, DECIDING, Difference, in_order, last_of_each_slot, name_of, settled};
use crate::judgement::Judgement;
use crate::measure::Measure;
use crate::pairing::{alpha_of, compare_at};
use crate::stats;

/// All contenders that may be ranked, where they are more than two.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Field {
    /// Name of the one that all others are compared with: the challenge's baseline, or else the best by the primary measure.
    pub reference: String,
    /// Whether that is the challenge's baseline.
    pub is_baseline: bool,
    /// Each of the others, in the order of the plan, by it: every measure, the primary one first. Intervals and answers are at the
    /// measure's level divided by the number of pairs of contenders.
    pub against: Vec<Comparison>,
    /// What is proven of any two of them, by measure.
    pub groups: Vec<Grouped>,
}

/// Contenders by one measure, in groups within which no difference is proven.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Grouped {
    /// Which figure.
    pub measure: Measure,
    /// Names, the best geometric mean first.
    pub order: Vec<String>,
    /// Places in `order`, from 0, of each group within which no two are told apart, and which is part of no larger one; a contender may
    /// be in several. Two that are in none together are told apart, at the measure's level divided by the number of pairs of contenders.
    pub groups: Vec<Vec<usize>>,
    /// Pairs of rounds that it takes to tell two apart, where some have fewer; null: none has.
    pub pairs_needed: Option<usize>,
}

/// Judges all contenders of a fight at once, from its rounds in any order; `None`: fewer than three may be ranked.
pub fn judge_field(plan: &Plan, rounds: &[Judgement]) -> Option<Field> {
    let rounds = settled(rounds);
    let all = in_order(&rounds);
    let rounds = last_of_each_slot(&all);
    let ranked = eligible(plan, &all, &rounds);
    if ranked.len() < 3 {
        return None;
    }
    let reference = reference(plan, &rounds, &ranked)?;
    let share = pairs_of(ranked.len());
    let by_reference = |contender: usize| {
        let rounds = &rounds;
        let by = move |measure| compare_at(plan, rounds, [contender, reference], measure, share);
        Measure::of_rounds().map(by)
    };
    Some(Field {
        reference: name_of(plan, reference),
        is_baseline: is_baseline(plan, reference),
        against: ranked.iter().filter(|one| **one != reference).flat_map(|one| by_reference(*one)).collect(),
        groups: DECIDING.into_iter().map(|measure| grouped(plan, &rounds, &ranked, measure)).collect(),
    })
}

/// How many pairs there are of so many.
const fn pairs_of(contenders: usize) -> usize {
    contenders * (contenders - 1) / 2
}

fn reference(plan: &Plan, rounds: &[&Judgement], ranked: &[usize]) -> Option<usize> {
    let best = || {
        let mean = |contender: usize| mean_of(rounds, contender, Measure::PRIMARY);
        ranked.iter().copied().min_by(|&a, &b| mean(a).total_cmp(&mean(b)))
    };
    ranked.iter().copied().find(|&contender| is_baseline(plan, contender)).or_else(best)
}

fn grouped(plan: &Plan, rounds: &[&Judgement], ranked: &[usize], measure: Measure) -> Grouped {
    let mut order = ranked.to_vec();
    let mean = |contender: &usize| match mean_of(rounds, *contender, measure) {
        seen if seen.is_finite() && !measure.lower_is_better() => -seen,
        mean => mean,
    };
    order.sort_by(|a, b| mean(a).total_cmp(&mean(b)));
    let share = pairs_of(order.len());
    let (mut apart, mut is_short) = (Vec::new(), false);
    for second in 1..order.len() {
        for first in 0..second {
            let both = [order[first], order[second]];
            match compare_at(plan, rounds, both, measure, share).ratios.difference {
                Difference::Better | Difference::Worse => apart.push([first, second]),
                Difference::TooFewRounds => is_short = true,
                Difference::NoDifference => {}
            }
        }
    }
    Grouped {
        measure,
        groups: groups(order.len(), &apart),
        order: order.iter().map(|&contender| name_of(plan, contender)).collect(),
        pairs_needed: is_short.then(|| stats::pairs_needed(alpha_of(measure) / share as f64)),
    }
}

/// The largest groups of so many within which no two are apart, in order of their members: all in one, and for each two that are apart
/// each group with both becomes one without either (H.-P. Piepho, *An algorithm for a letter-based representation of all-pairwise
/// comparisons*, Journal of Computational and Graphical Statistics 13, 2004).
fn groups(members: usize, apart: &[[usize; 2]]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = vec![(0..members).collect()];
    for two in apart {
        let (parted, mut left): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|group| two.iter().all(|one| group.contains(one)));
        for group in parted {
            for out in two {
                let rest: Vec<usize> = group.iter().copied().filter(|one| one != out).collect();
                if !left.iter().any(|other| rest.iter().all(|one| other.contains(one))) {
                    left.push(rest);
                }
            }
        }
        groups = left;
    }
    groups.sort_unstable();
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgement::Standing;
    use crate::testing::plan_of;
    use crate::verdict::tests::round;
    use crate::verdict::{Verdict, judge_fight};

    const NAMES: [&str; 4] = ["a", "b", "c", "d"];

    /// So many rounds of each, whose p99 is that of its contender and a little more or less each time.
    fn rounds(p99_ms: [f64; 4], of_each: usize) -> Vec<Judgement> {
        let each = (0..of_each).flat_map(|pair| p99_ms.iter().enumerate().map(move |one| (pair, one)));
        let of_one = |(pair, (contender, ms)): (usize, (usize, &f64))| {
            let own_luck = 1.0 + ((pair * 7 + contender * 3) % 5) as f64 / 200.0;
            let slot = pair * NAMES.len() + contender;
            let pair = galo_plan::PairId { pair: pair as u32, attempt: 0 };
            Judgement { slot, contender, pair, number: slot as u32 + 1, ..round(0, ms * own_luck) }
        };
        each.map(of_one).collect()
    }

    fn field(p99_ms: [f64; 4], of_each: usize) -> Field {
        judge_field(&plan_of(&NAMES, of_each), &rounds(p99_ms, of_each)).expect("four may be ranked")
    }

    #[test]
    fn whoever_is_not_told_apart_shares_a_group() {
        let Field { reference, groups, against, is_baseline } = field([10.0, 10.0, 20.0, 5.0], 9);
        assert_eq!((reference.as_str(), is_baseline), ("d", false), "the best, where there is no baseline");
        let Grouped { order, groups, pairs_needed, .. } = &groups[0];
        assert_eq!((order[0].as_str(), order[3].as_str(), *pairs_needed), ("d", "c", None));
        assert_eq!(groups, &[vec![0], vec![1, 2], vec![3]]);
        let primary: Vec<_> = against.iter().filter(|told| told.primary).collect();
        assert!(
            primary
                .iter()
                .all(|told| told.contenders[1] == "d" && told.ratios.difference == Difference::Worse)
        );
        assert_eq!(primary.len(), 3);
    }

    #[test]
    fn two_that_share_no_group_are_told_apart_and_all_others_share_one() {
        assert_eq!(groups(4, &[]), [vec![0, 1, 2, 3]]);
        // The first and the third are not told apart, though the second is from the first.
        assert_eq!(groups(3, &[[0, 1]]), [vec![0, 2], vec![1, 2]]);
        for set in 0..1 << 10 {
            let all = (0..5).flat_map(|second| (0..second).map(move |first| [first, second]));
            let apart: Vec<_> =
                all.clone().enumerate().filter(|(bit, _)| set >> bit & 1 == 1).map(|(_, two)| two).collect();
            let groups = groups(5, &apart);
            for two in all {
                let together = groups.iter().any(|group| two.iter().all(|one| group.contains(one)));
                assert_eq!(together, !apart.contains(&two), "{apart:?}: {groups:?}");
            }
            let is_in_another = |group: &Vec<usize>| {
                groups.iter().any(|other| other != group && group.iter().all(|one| other.contains(one)))
            };
            assert!(!groups.iter().any(is_in_another), "{apart:?}: {groups:?}");
        }
    }

    #[test]
    fn few_rounds_tell_nobody_apart_and_say_how_many_do() {
        let grouped = &field([10.0, 10.0, 20.0, 5.0], 8).groups[0];
        assert_eq!((grouped.groups.as_slice(), grouped.pairs_needed), (&[vec![0, 1, 2, 3]][..], Some(9)));
    }

    #[test]
    fn a_baseline_is_what_all_are_compared_with_and_whoever_is_out_is_not_among_them() {
        let mut plan = plan_of(&NAMES, 9);
        plan.challenge.baseline = Some("b".to_owned());
        let mut all = rounds([10.0, 10.0, 20.0, 5.0], 9);
        all[2].standing = Standing::Disqualified { rules: vec!["count-differs".to_owned()] };
        let told = judge_field(&plan, &all).expect("three are left");
        assert_eq!((told.reference.as_str(), told.groups[0].order.len()), ("b", 3));
        assert!(told.against.iter().all(|told| told.contenders[0] != "c"));
        let two = judge_fight(&plan, &all).1[0].contenders.clone();
        assert_eq!(two, ["a", "d"], "the baseline is there to be compared with");
        all[3].standing = Standing::Disqualified { rules: vec!["count-differs".to_owned()] };
        assert_eq!(judge_field(&plan, &all), None);
        // Of those that it is there for one alone is left: the baseline beats nobody.
        let Verdict::Disqualified { left, .. } = judge_fight(&plan, &all).0 else { panic!("two are out") };
        assert_eq!(left.as_deref(), Some("a"));
    }
}
