//! What a reader of a duel's page asks first.

use galo_judge::Difference;
use galo_judge::duel::{Compared, DuelVerdict, Figure};
use galo_words::Both;

use super::super::DuelReport;
use super::apart;
use crate::document::Answer;
use crate::words::{by_how_much, it_is_real, labels};

impl DuelReport {
    pub(super) fn at_a_glance(&self) -> Vec<Answer> {
        let [first, second] = self.sides.each_ref().map(|side| side.name.as_str());
        let told_of = self.compared.iter().find(|c| c.decides && c.ratio.is_some());
        let decided = || {
            let differs = |c: &&Compared| matches!(c.difference, Difference::Better | Difference::Worse);
            self.compared.iter().filter(|c| c.decides).find(differs)
        };
        let who = match &self.verdict {
            DuelVerdict::Better { winner } => Both::same(self.sides[*winner].name.clone()),
            _ => labels::NOBODY,
        };
        let told = decided().or(told_of);
        let how_much =
            told.and_then(|c| Some((c, c.ratio?))).map_or(labels::NOTHING_TO_COMPARE, |(c, ratio)| {
                let factor = |ratio| by_how_much(c.figure != Figure::Rate, ratio);
                let far = match &self.verdict {
                    DuelVerdict::Better { winner: 0 } => factor(1.0 / ratio),
                    DuelVerdict::Better { .. } => factor(ratio),
                    _ => apart(c).map_or(labels::NOTHING_TO_COMPARE, |apart| {
                        Both::same(format!("{} = ", self.ratio_of)).then(&apart.told())
                    }),
                };
                labels::duel_figure(c.figure).then(&Both::same(": ")).then(&far)
            });
        let real = match &self.verdict {
            DuelVerdict::Better { .. } | DuelVerdict::Mixed => decided()
                .and_then(|c| Some(it_is_real(c.pairs, [second, first], c.interval?, c.p_value)))
                .unwrap_or(labels::NOTHING_TO_COMPARE),
            DuelVerdict::NoDifference => labels::IT_MAY_BE_NOISE,
            DuelVerdict::Inconclusive => labels::INCONCLUSIVE,
            DuelVerdict::Void { .. } => labels::SAYS_NOTHING,
            DuelVerdict::Disqualified { .. } => labels::IT_BROKE_A_RULE,
            DuelVerdict::TooFewPairs { .. } => labels::NOT_WITH_SO_FEW,
            DuelVerdict::DifferentStatuses | DuelVerdict::Fails { .. } => labels::NOTHING_TO_COMPARE,
        };
        // Never by itself: it may be the difference between two things that were done.
        let real = match self.told_differ {
            Some(_) => labels::OF_DIFFERENT_WORK.then(&Both::same("; ")).then(&real),
            None => real,
        };
        let mut answers = vec![
            Answer::tile(labels::WHO_WON, who),
            Answer::tile(labels::BY_HOW_MUCH, how_much),
            Answer::tile(labels::IS_IT_REAL, real),
        ];
        answers.extend(self.held_the_other_back());
        answers
    }

    /// What held the loser back, if it lost by a figure of that very load.
    fn held_the_other_back(&self) -> Option<Answer> {
        let DuelVerdict::Better { winner } = self.verdict else { return None };
        let told = self.sides.get(1 - winner)?.held_back.as_ref()?;
        let lost = |c: &&Compared| matches!(c.difference, Difference::Better | Difference::Worse);
        self.compared.iter().filter(|c| c.decides && c.level == told.fact.level).find(lost)?;
        let answer = Answer::tile(labels::WHAT_HELD_BACK, labels::bottleneck(told.fact.by));
        Some(Answer { link: Some("held-back".to_owned()), ..answer })
    }
}
