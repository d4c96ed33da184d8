//! What a reader of a duel's page asks first.

use galo_judge::duel::{Compared, DuelVerdict, JudgedDuel};
use galo_words::Both;

use super::names;
use crate::document::{Answer, Apart};
use crate::words::{answers_differ, by_how_much, it_is_real, labels};

pub(super) fn at_a_glance(duel: &JudgedDuel) -> Vec<Answer> {
    let [first, second] = names(duel);
    let told_of = duel.compared.iter().find(|c| c.decides && c.ratios.ratio.is_some());
    let decided = || duel.compared.iter().find(|c| c.decides && c.differs());
    let who = match &duel.verdict {
        DuelVerdict::Better { winner } => Both::same(duel.sides[*winner].name.clone()),
        _ => labels::NOBODY,
    };
    let told = decided().or(told_of);
    let how_much =
        told.and_then(|c| Some((c, c.ratios.ratio?))).map_or(labels::NOTHING_TO_COMPARE, |(c, ratio)| {
            let factor = |ratio| by_how_much(c.measure.lower_is_better(), ratio);
            let far = match &duel.verdict {
                DuelVerdict::Better { winner: 0 } => factor(1.0 / ratio),
                DuelVerdict::Better { .. } => factor(ratio),
                _ => Apart::of(&c.ratios).map_or(labels::NOTHING_TO_COMPARE, |apart| {
                    Both::same(format!("{} = ", duel.ratio_of)).then(&apart.told())
                }),
            };
            labels::duel_measure(c.measure).then(&Both::same(": ")).then(&far)
        });
    let real = match &duel.verdict {
        DuelVerdict::Better { .. } | DuelVerdict::Mixed => decided()
            .and_then(|c| {
                Some(it_is_real(c.ratios.pairs, [second, first], c.ratios.interval?, c.ratios.p_value))
            })
            .unwrap_or(labels::NOTHING_TO_COMPARE),
        DuelVerdict::NoDifference => labels::IT_MAY_BE_NOISE,
        DuelVerdict::Inconclusive => labels::INCONCLUSIVE,
        DuelVerdict::Void { .. } => labels::SAYS_NOTHING,
        DuelVerdict::Disqualified { .. } => labels::IT_BROKE_A_RULE,
        DuelVerdict::TooFewPairs { .. } => labels::NOT_WITH_SO_FEW,
        DuelVerdict::DifferentStatuses | DuelVerdict::Fails { .. } => labels::NOTHING_TO_COMPARE,
    };
    // Never by itself: it may be the difference between two things that were done.
    let real = match answers_differ(duel) {
        Some(_) => labels::OF_DIFFERENT_WORK.then(&Both::same("; ")).then(&real),
        None => real,
    };
    let mut answers = vec![
        Answer::tile(labels::WHO_WON, who),
        Answer::tile(labels::BY_HOW_MUCH, how_much),
        Answer::tile(labels::IS_IT_REAL, real),
    ];
    answers.extend(held_the_other_back(duel));
    answers
}

/// What held the loser back, if it lost by a figure of that very load.
fn held_the_other_back(duel: &JudgedDuel) -> Option<Answer> {
    let DuelVerdict::Better { winner } = duel.verdict else { return None };
    let told = duel.sides.get(1 - winner)?.held_back.as_ref()?;
    let lost = |c: &&Compared| c.decides && c.level == told.level && c.differs();
    duel.compared.iter().find(lost)?;
    let answer = Answer::tile(labels::WHAT_HELD_BACK, labels::bottleneck(told.by));
    Some(Answer { link: Some("held-back".to_owned()), ..answer })
}
