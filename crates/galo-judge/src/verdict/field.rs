//! Three or more contenders at once: each by one of them, and between which of them no difference is proven.
//!
//! Every comparison is a chance to be wrong. So those by the reference share their measure's level (Bonferroni's correction), and so
//! do those for the groups.

use galo_plan::Plan;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ranking::{eligible, is_baseline, mean_of};
use super::{Comparison, Difference, in_order, last_of_each_slot, name_of, settled};
use crate::judgement::Judgement;
use crate::measure::Measure;
use crate::pairing::{alpha_of, compare_at};
use crate::stats;

/// By what contenders are grouped: the measures that may decide a fight.
const GROUPED_BY: [Measure; 3] =
    [Measure::PRIMARY, Measure::CorrectWithinServiceLevel, Measure::CpuMsPer1000];

/// All contenders that may be ranked, where they are more than two.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Field {
    /// Name of the one that all others are compared with: the challenge's baseline, or else the best by the primary measure.
    pub reference: String,
    /// Each of the others, in the order of the plan, by it: every measure, the primary one first. Intervals and answers are at the
    /// measure's level divided by the number of the others.
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
    /// First and last place in `order`, from 0, of each group that is part of no larger one; a contender may be in several. At
    /// the measure's level divided by the number of pairs of contenders.
    pub groups: Vec<[usize; 2]>,
    /// Pairs of rounds that it takes to tell any two apart; null: there are as many.
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
    let others = ranked.iter().copied().filter(|&contender| contender != reference);
    let share = ranked.len() - 1;
    let by_reference = |contender: usize| {
        let rounds = &rounds;
        Measure::ALL
            .into_iter()
            .map(move |measure| compare_at(plan, rounds, [contender, reference], measure, share))
    };
    Some(Field {
        reference: name_of(plan, reference),
        against: others.flat_map(by_reference).collect(),
        groups: GROUPED_BY.into_iter().map(|measure| grouped(plan, &rounds, &ranked, measure)).collect(),
    })
}

fn reference(plan: &Plan, rounds: &[&Judgement], ranked: &[usize]) -> Option<usize> {
    let best = || {
        let mean = |contender: usize| mean_of(rounds, contender, Measure::PRIMARY);
        ranked.iter().copied().min_by(|&a, &b| mean(a).total_cmp(&mean(b)))
    };
    ranked.iter().copied().find(|&contender| is_baseline(plan, contender)).or_else(best)
}

fn grouped(plan: &Plan, rounds: &[&Judgement], ranked: &[usize], measure: Measure) -> Grouped {
    let sign = if measure.lower_is_better() { 1.0 } else { -1.0 };
    let mut order = ranked.to_vec();
    order.sort_by(|&a, &b| {
        let mean = |contender| sign * mean_of(rounds, contender, measure);
        mean(a).total_cmp(&mean(b))
    });
    let pairs_of_contenders = order.len() * (order.len() - 1) / 2;
    let mut least_pairs = usize::MAX;
    let mut differ = |a: usize, b: usize| {
        let told = compare_at(plan, rounds, [order[a], order[b]], measure, pairs_of_contenders);
        least_pairs = least_pairs.min(told.pairs);
        matches!(told.difference, Difference::Better | Difference::Worse)
    };
    let mut groups: Vec<[usize; 2]> = Vec::new();
    for first in 0..order.len() {
        // As far as nobody in it differs from anybody else in it.
        let mut last = first;
        while last + 1 < order.len() && (first..=last).all(|other| !differ(other, last + 1)) {
            last += 1;
        }
        if groups.last().is_none_or(|[_, before]| last > *before) {
            groups.push([first, last]);
        }
    }
    let needed = stats::pairs_needed(alpha_of(measure) / pairs_of_contenders as f64);
    Grouped {
        measure,
        order: order.iter().map(|&contender| name_of(plan, contender)).collect(),
        groups,
        pairs_needed: (least_pairs < needed).then_some(needed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgement::Standing;
    use crate::testing::plan_of;
    use crate::verdict::judge_fight;
    use crate::verdict::tests::round;

    const NAMES: [&str; 4] = ["a", "b", "c", "d"];

    /// So many rounds of each, whose p99 is that of its contender and a little more or less each time.
    fn rounds(p99_ms: [f64; 4], of_each: usize) -> Vec<Judgement> {
        let each = (0..of_each).flat_map(|pair| p99_ms.iter().enumerate().map(move |one| (pair, one)));
        let of_one = |(pair, (contender, ms)): (usize, (usize, &f64))| {
            let own_luck = 1.0 + ((pair * 7 + contender * 3) % 5) as f64 / 200.0;
            let slot = pair * NAMES.len() + contender;
            let seed = galo_plan::Seed::of_number(pair as u64);
            Judgement { slot, contender, seed, number: slot as u32 + 1, ..round(0, ms * own_luck) }
        };
        each.map(of_one).collect()
    }

    fn field(p99_ms: [f64; 4], of_each: usize) -> Field {
        judge_field(&plan_of(&NAMES, of_each), &rounds(p99_ms, of_each)).expect("four may be ranked")
    }

    #[test]
    fn whoever_is_not_told_apart_shares_a_group() {
        let Field { reference, groups, against } = field([10.0, 10.0, 20.0, 5.0], 9);
        assert_eq!(reference, "d", "the best, where there is no baseline");
        let Grouped { order, groups, pairs_needed, .. } = &groups[0];
        assert_eq!((order[0].as_str(), order[3].as_str(), *pairs_needed), ("d", "c", None));
        assert_eq!(groups, &[[0, 0], [1, 2], [3, 3]]);
        let primary: Vec<_> = against.iter().filter(|told| told.primary).collect();
        assert!(primary.iter().all(|told| told.contenders[1] == "d" && told.difference == Difference::Worse));
        assert_eq!(primary.len(), 3);
    }

    #[test]
    fn few_rounds_tell_nobody_apart_and_say_how_many_do() {
        let grouped = &field([10.0, 10.0, 20.0, 5.0], 8).groups[0];
        assert_eq!((grouped.groups.as_slice(), grouped.pairs_needed), (&[[0, 3]][..], Some(9)));
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
    }
}
