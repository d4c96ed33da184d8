//! Who may be ranked.

use galo_plan::Plan;

use super::{MIN_PAIRS, Verdict, name_of};
use crate::judgement::{Judgement, Standing};
use crate::measure::Measure;
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
    let any = |contender: usize, is: fn(&Standing) -> bool| {
        all_rounds.iter().any(|r| r.contender == contender && is(&r.standing))
    };
    let is_disqualified = |&c: &usize| any(c, |standing| matches!(standing, Standing::Disqualified { .. }));
    let did_not_start = |&c: &usize| any(c, |standing| matches!(standing, Standing::NotReady { .. }));
    let has_valid = |&c: &usize| rounds.iter().any(|r| r.contender == c && r.standing == Standing::Valid);

    let all = 0..plan.contenders.len();
    let disqualified: Vec<usize> = all.clone().filter(is_disqualified).collect();
    let absent: Vec<usize> = all.clone().filter(|c| !is_disqualified(c) && did_not_start(c)).collect();
    let mut left: Vec<usize> =
        all.filter(|c| has_valid(c) && !is_disqualified(c) && !did_not_start(c)).collect();
    if left.len() > 2 {
        left.sort_by(|&a, &b| primary_mean(rounds, a).total_cmp(&primary_mean(rounds, b)));
        left.truncate(2);
        left.sort_unstable();
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
    } else if plan.contenders.len() < 2 {
        Verdict::Alone { contender: left.unwrap_or_else(|| name_of(plan, 0)) }
    } else {
        // Broken off before each had a round.
        Verdict::TooFewRounds { pairs: 0, needed: MIN_PAIRS }
    })
}

/// Geometric mean of the primary measure over a contender's valid rounds, as a logarithm; infinite where there is
/// none, so that it is ranked last.
pub(super) fn primary_mean(rounds: &[&Judgement], contender: usize) -> f64 {
    let valid = rounds.iter().filter(|r| r.contender == contender && r.standing == Standing::Valid);
    let logs: Vec<f64> = valid.filter_map(|r| r.measures.get(Measure::PRIMARY)).map(f64::ln).collect();
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
