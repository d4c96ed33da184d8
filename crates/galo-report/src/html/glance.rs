//! What a reader gets in ten seconds: who won, by how much, whether that is real, and what held the other back.

use galo_judge::Verdict;
use galo_record::finding::Weight;

use super::lang::{self, Both};
use super::why::FindingView;
use crate::report::Report;
use crate::text::clean;
use crate::words;

/// One question and its answer.
pub(crate) struct Answer {
    pub(crate) question: Both,
    pub(crate) text: Both,
    /// Identifier of what tells more.
    pub(crate) link: Option<String>,
}

impl Answer {
    pub(crate) fn new(question: Both, text: Both) -> Self {
        Self { question, text, link: None }
    }
}

/// The answers of a fight.
pub(crate) fn of_fight(report: &Report, findings: &[FindingView]) -> Vec<Answer> {
    let outcome = &report.verdict.outcome;
    let mut answers = vec![
        Answer::new(lang::WHO_WON, who(outcome)),
        Answer::new(lang::BY_HOW_MUCH, how_much(outcome, report)),
        Answer::new(lang::IS_IT_REAL, real(outcome, report)),
    ];
    answers.extend(held_back(outcome, findings));
    answers
}

fn who(outcome: &Verdict) -> Both {
    match outcome {
        Verdict::Better { winner, .. } => Both::same(clean(winner)),
        Verdict::Disqualified { left: Some(left), .. } | Verdict::NotReady { left: Some(left), .. } => {
            Both::same(clean(left))
        }
        _ => lang::NOBODY,
    }
}

fn how_much(outcome: &Verdict, report: &Report) -> Both {
    match outcome {
        Verdict::Better { measure, ratio, .. } => lang::in_sentence(*measure)
            .then(&Both::same(": "))
            .then(&words::by_how_much(measure.lower_is_better(), *ratio)),
        Verdict::NoDifference | Verdict::TooFewRounds { .. } | Verdict::NeitherWasStressed => {
            match report.comparisons.first() {
                Some(primary) => {
                    let ratio = Both::told(|lang| words::ratio(primary, lang));
                    lang::in_sentence(primary.measure).then(&Both::same(": ")).then(&ratio)
                }
                None => lang::NOTHING_TO_COMPARE,
            }
        }
        _ => lang::NOTHING_TO_COMPARE,
    }
}

fn real(outcome: &Verdict, report: &Report) -> Both {
    match outcome {
        Verdict::Better { interval, .. } => {
            let primary = report.comparisons.first();
            words::it_is_real(primary.map_or(0, |c| c.pairs), *interval, primary.and_then(|c| c.p_value))
        }
        Verdict::NoDifference => lang::IT_MAY_BE_NOISE,
        Verdict::Disqualified { .. } => lang::IT_BROKE_A_RULE,
        Verdict::NotReady { .. } => lang::IT_DID_NOT_START,
        Verdict::Void { .. } => lang::SAYS_NOTHING,
        Verdict::NeitherWasStressed => lang::TOO_LIGHT,
        Verdict::TooFewRounds { pairs, needed } => {
            let told = Both::new(
                format!(": {pairs} of {needed} pairs of rounds"),
                format!(": {pairs} de {needed} pares de rodadas"),
            );
            lang::NOT_WITH_SO_FEW.then(&told)
        }
        Verdict::Alone { .. } => lang::NOTHING_TO_COMPARE,
    }
}

/// The first finding that another contender than the winner is to be blamed for, notes aside that are no cause; where
/// there is none, the first cause that nobody who fights is to blame for, but which was there in its rounds.
fn held_back(outcome: &Verdict, findings: &[FindingView]) -> Option<Answer> {
    let winner = match outcome {
        Verdict::Better { winner, .. } => winner,
        Verdict::Disqualified { left: Some(left), .. } | Verdict::NotReady { left: Some(left), .. } => left,
        _ => return None,
    };
    let is_other = |name: &String| name != winner;
    let mut told = findings.iter().filter(|f| f.weight != Weight::Note || f.explains.is_some());
    let own = told.find(|finding| finding.contender.as_ref().is_some_and(is_other));
    let of_nobody = || {
        let mut causes = findings.iter().filter(|f| f.contender.is_none() && f.explains.is_some());
        causes.find(|cause| cause.held_back.iter().any(is_other))
    };
    Some(match own.or_else(of_nobody) {
        Some(finding) => {
            let text = match finding.contender {
                Some(_) => finding.title(),
                None => finding.title().then(&Both::same(": ")).then(&finding.blame),
            };
            Answer { question: lang::WHAT_HELD_BACK, text, link: Some(finding.id.clone()) }
        }
        None => Answer::new(lang::WHAT_HELD_BACK, lang::NO_FINDING_SAYS),
    })
}
