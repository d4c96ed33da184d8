//! Who may be ranked.

use galo_plan::Plan;

use super::{CORRECT_SHARE_MIN, Comparison, Difference, MIN_PAIRS, Verdict, name_of};
use crate::judgement::{Judgement, Standing};
use crate::measure::Measure;
use crate::pairing::{compare_at, valid};
use crate::stats;

/// Who may be ranked.
pub(super) enum Ranked {
    /// The two that are compared, in the order of the plan.
    Two([usize; 2]),
    /// There are no two, and this is what it means.
    Fewer(Verdict),
}

/// Finds the two that are compared. Whoever broke a rule or did not start in any of `all_rounds` is out, even if the
/// slot was driven again; whoever has no valid one among the `rounds` that stand cannot be ranked either.
pub(super) fn ranked(plan: &Plan, all_rounds: &[&Judgement], rounds: &[&Judgement]) -> Ranked {
    let is_disqualified = |&c: &usize| is_disqualified(all_rounds, c);
    let did_not_start = |&c: &usize| did_not_start(all_rounds, c);
    let all = (0..plan.contenders.len()).filter(|&c| !plan.is_null(c));
    let contenders = all.clone().count();
    let disqualified: Vec<usize> = all.clone().filter(is_disqualified).collect();
    let absent: Vec<usize> = all.filter(|c| !is_disqualified(c) && did_not_start(c)).collect();
    let mut left = eligible(plan, all_rounds, rounds);
    if contenders > 2 {
        // It is there for the others to be compared with, whoever is left of them.
        left.retain(|&contender| !is_baseline(plan, contender));
    }
    if left.len() > 2 {
        left = best_two(plan, rounds, left);
    }
    if let [first, second] = left[..] {
        return Ranked::Two([first, second]);
    }
    let names = |contenders: &[usize]| contenders.iter().map(|&c| name_of(plan, c)).collect::<Vec<_>>();
    let left = left.first().map(|&c| name_of(plan, c));
    Ranked::Fewer(if !disqualified.is_empty() {
        Verdict::Disqualified { contenders: names(&disqualified), rules: broken_rules(all_rounds), left }
    } else if !absent.is_empty() {
        Verdict::NotReady { contenders: names(&absent), left }
    } else if contenders < 2 {
        Verdict::Alone { contender: left.unwrap_or_else(|| name_of(plan, 0)) }
    } else {
        // Broken off before each had a round.
        Verdict::TooFewRounds { pairs: 0, needed: MIN_PAIRS }
    })
}

/// Whether it is the one that the challenge has all others of a larger fight compared with.
pub(super) fn is_baseline(plan: &Plan, contender: usize) -> bool {
    plan.challenge.baseline.as_ref().is_some_and(|name| name_of(plan, contender) == *name)
}

/// Whoever may be ranked, in the order of the plan.
pub(super) fn eligible(plan: &Plan, all_rounds: &[&Judgement], rounds: &[&Judgement]) -> Vec<usize> {
    let is_out = |c: usize| is_disqualified(all_rounds, c) || did_not_start(all_rounds, c);
    let has_valid = |c: usize| valid(rounds, c).next().is_some();
    (0..plan.contenders.len()).filter(|&c| !plan.is_null(c) && has_valid(c) && !is_out(c)).collect()
}

fn is_disqualified(rounds: &[&Judgement], contender: usize) -> bool {
    any(rounds, contender, |standing| matches!(standing, Standing::Disqualified { .. }))
}

fn did_not_start(rounds: &[&Judgement], contender: usize) -> bool {
    any(rounds, contender, |standing| matches!(standing, Standing::NotReady { .. }))
}

fn any(rounds: &[&Judgement], contender: usize, is: fn(&Standing) -> bool) -> bool {
    rounds.iter().any(|r| r.contender == contender && is(&r.standing))
}

/// Whether a difference in right answers may be chance: all users are always at once, so that it is up to the contender how many
/// requests fall due, and no difference is proven.
pub(super) fn may_be_chance(plan: &Plan, right_answers: &Comparison) -> bool {
    !plan.is_open() && right_answers.ratios.difference == Difference::NoDifference
}

/// Of those that gave within 1 % as many right answers as the one with the most, or fewer by what may be chance, the two that are best by
/// the primary measure; where it is alone, it and the next.
fn best_two(plan: &Plan, rounds: &[&Judgement], mut left: Vec<usize>) -> Vec<usize> {
    let right = |contender: usize| {
        let right =
            valid(rounds, contender).filter_map(|r| r.measures.get(Measure::CorrectWithinServiceLevel));
        let right: Vec<f64> = right.collect();
        stats::mean(&right).unwrap_or(0.0)
    };
    left.sort_by(|&a, &b| right(b).total_cmp(&right(a)));
    let most = left[0];
    let by_most =
        |contender| compare_at(plan, rounds, [contender, most], Measure::CorrectWithinServiceLevel, 1);
    let is_as_right = |&contender: &usize| {
        right(contender) >= CORRECT_SHARE_MIN * right(most) || may_be_chance(plan, &by_most(contender))
    };
    let (mut as_right, others): (Vec<_>, Vec<_>) = left.into_iter().partition(is_as_right);
    if as_right.len() < 2 {
        as_right.extend(others.first());
    }
    let mut left = as_right;
    left.sort_by(|&a, &b| primary_mean(rounds, a).total_cmp(&primary_mean(rounds, b)));
    left.truncate(2);
    left.sort_unstable();
    left
}

/// Geometric mean of the primary measure over a contender's valid rounds, as a logarithm; infinite where there is
/// none, so that it is ranked last.
pub(super) fn primary_mean(rounds: &[&Judgement], contender: usize) -> f64 {
    mean_of(rounds, contender, Measure::PRIMARY)
}

/// The same of any measure.
pub(super) fn mean_of(rounds: &[&Judgement], contender: usize, measure: Measure) -> f64 {
    let figures = valid(rounds, contender).filter_map(|r| r.measures.get(measure));
    let logs: Vec<f64> = figures.map(f64::ln).collect();
    stats::mean(&logs).unwrap_or(f64::INFINITY)
}

/// Names of all rules that disqualified somebody, each once, in the order of the rounds.
fn broken_rules(rounds: &[&Judgement]) -> Vec<String> {
    let mut names = Vec::new();
    for round in rounds {
        if let Standing::Disqualified { rules } = &round.standing {
            for rule in rules {
                if !names.contains(rule) {
                    names.push(rule.clone());
                }
            }
        }
    }
    names
}
