//! What a reader gets in ten seconds: who won, by how much, whether that is real, and what held the other back.

use galo_judge::fight::{JudgedFight, JudgedRound};
use galo_judge::{Standing, Verdict};
use galo_plan::Blame;
use galo_record::finding::Weight;
use galo_words::Both;

use super::why::{found, place};
use crate::document::{Answer, Apart};
use crate::findings::{FindingGroup, groups};
use crate::words::{self, labels};

/// The answers of a fight; of a contender alone nobody asks who won.
pub(super) fn of(report: &JudgedFight) -> Vec<Answer> {
    if let [_] = report.contenders.as_slice() {
        return Vec::new();
    }
    let outcome = &report.verdict;
    let mut answers = vec![
        Answer::tile(labels::WHO_WON, who(outcome)),
        Answer::tile(labels::BY_HOW_MUCH, how_much(outcome, report)),
        Answer::tile(labels::IS_IT_REAL, real(outcome, report)),
    ];
    answers.extend(held_back(outcome, report));
    answers
}

fn who(outcome: &Verdict) -> Both {
    left(outcome).map_or(labels::NOBODY, |name| Both::same(name.clone()))
}

/// Who won, or is left alone.
fn left(outcome: &Verdict) -> Option<&String> {
    match outcome {
        Verdict::Better { winner, .. } => Some(winner),
        Verdict::Disqualified { left, .. } | Verdict::NotReady { left, .. } => left.as_ref(),
        _ => None,
    }
}

fn how_much(outcome: &Verdict, report: &JudgedFight) -> Both {
    let figure = |measure| labels::in_sentence(measure).then(&Both::same(": "));
    let primary = report.comparisons.first().and_then(|primary| Some((primary, Apart::of(&primary.ratios)?)));
    match (outcome, primary) {
        (Verdict::Better { measure, ratio, .. }, _) => {
            figure(*measure).then(&words::by_how_much(measure.lower_is_better(), *ratio))
        }
        (
            Verdict::NoDifference | Verdict::TooFewRounds { .. } | Verdict::NeitherWasStressed { .. },
            Some((primary, apart)),
        ) => {
            let of = words::ratio_of(primary.contenders.each_ref().map(String::as_str));
            figure(primary.measure).then(&Both::same(format!("{of} = "))).then(&apart.told())
        }
        _ => labels::NOTHING_TO_COMPARE,
    }
}

fn real(outcome: &Verdict, report: &JudgedFight) -> Both {
    match outcome {
        Verdict::Better { winner, loser, measure, interval, .. } => {
            let decided = report.comparisons.iter().find(|compared| compared.measure == *measure);
            words::it_is_real(
                decided.map_or(0, |compared| compared.ratios.pairs),
                [winner, loser],
                *interval,
                decided.and_then(|compared| compared.ratios.p_value),
            )
        }
        Verdict::NoDifference => labels::IT_MAY_BE_NOISE,
        Verdict::Disqualified { .. } => labels::IT_BROKE_A_RULE,
        Verdict::NotReady { .. } => labels::IT_DID_NOT_START,
        Verdict::Void { .. } => labels::SAYS_NOTHING,
        Verdict::VoidTooOften { .. } => labels::VOID_TOO_OFTEN,
        Verdict::NeitherWasStressed { .. } => labels::TOO_LIGHT,
        Verdict::TooFewRounds { pairs, needed } => labels::NOT_WITH_SO_FEW.then(&Both::new(
            format!(": {pairs} of {needed} pairs of rounds"),
            format!(": {pairs} de {needed} pares de rodadas"),
        )),
        Verdict::Alone { .. } => labels::NOTHING_TO_COMPARE,
    }
}

/// The first finding that another contender than the winner is to be blamed for, notes aside that are no cause; where
/// there is none, the first cause that nobody who fights is to blame for, but which was there in its rounds.
fn held_back(outcome: &Verdict, report: &JudgedFight) -> Option<Answer> {
    let winner = left(outcome)?;
    let groups = groups(report);
    let is_others = |group: &FindingGroup<'_>| {
        group.finding.blame == Blame::Contender
            && group.contender != winner
            && (group.finding.weight != Weight::Note || group.explained().is_some())
    };
    let was_there = |round: &JudgedRound, group: &FindingGroup<'_>| {
        group.rounds.contains(&round.judgement.number)
            && !matches!(round.judgement.standing, Standing::Void { .. })
            && round.contender != *winner
    };
    let is_nobodys = |group: &FindingGroup<'_>| {
        group.finding.blame != Blame::Contender
            && group.explained().is_some()
            && report.rounds.iter().any(|round| was_there(round, group))
    };
    let index = groups.iter().position(is_others).or_else(|| groups.iter().position(is_nobodys));
    let Some(index) = index else {
        return Some(Answer::tile(labels::WHAT_HELD_BACK, labels::NO_FINDING_SAYS));
    };
    let told = found(&groups[index], report);
    let text = match told.blame {
        Blame::Contender => told.title(),
        Blame::Client | Blame::Host => told.title().then(&Both::same(": ")).then(&told.blamed()),
    };
    Some(Answer { link: Some(place(&groups, index)), ..Answer::tile(labels::WHAT_HELD_BACK, text) })
}
