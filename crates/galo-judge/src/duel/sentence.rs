//! A duel's verdict in words: one sentence, and what else should be known before it is repeated.

use galo_record::DuelRecord;

use super::{Compared, DuelJudgement, DuelVerdict, Figure};
use crate::sentence::{factor, percent_above};
use crate::verdict::Difference;
use crate::words::{counted, grouped, listed};

/// The verdict, then what is told beside it; each lower case where a name does not begin it, and without a full stop.
pub fn sentences(duel: &DuelRecord, judged: &DuelJudgement) -> Vec<String> {
    let names = [0, 1].map(|side| duel.sides[side].name.as_str());
    let mut told = vec![verdict(duel, judged, names)];
    told.extend(memory(judged, names));
    told.extend(answers(duel));
    told
}

fn verdict(duel: &DuelRecord, judged: &DuelJudgement, names: [&str; 2]) -> String {
    let [first, second] = names;
    match &judged.verdict {
        DuelVerdict::Void { reason: Some(reason) } => format!("void: {}", reason.of_load()),
        DuelVerdict::Void { reason: None } => "void: no turn was driven to its end".to_owned(),
        DuelVerdict::TooFewPairs { pairs, needed } => {
            format!("too short: {}, {needed} are needed", counted(*pairs as u64, "pair"))
        }
        DuelVerdict::DifferentStatuses => {
            format!("{first} and {second} answer the same request by different statuses: nothing to compare")
        }
        DuelVerdict::Fails { sides } => {
            let failing: Vec<String> = sides.iter().map(|&side| names[side].to_owned()).collect();
            let verb = if failing.len() == 1 { "does" } else { "do" };
            format!("nobody wins: {} {verb} not answer rightly", listed(&failing))
        }
        DuelVerdict::Better { winner } => {
            let claims: Vec<String> = claims(judged).filter_map(|c| claim(c, "it", names)).collect();
            let equal = if limited(duel) { " under equal limits" } else { "" };
            format!("{} is better{equal}: {}", names[*winner], claims.join(", "))
        }
        DuelVerdict::Mixed => {
            let claims: Vec<String> = claims(judged)
                .filter_map(|c| claim(c, names[usize::from(c.difference == Difference::Worse)], names))
                .collect();
            format!("each is better in its own way: {}", claims.join("; "))
        }
        DuelVerdict::NoDifference => no_difference(judged, names),
    }
}

fn limited(duel: &DuelRecord) -> bool {
    duel.limits_enforced
        && duel.terms.cpus_milli.is_some()
        && duel.sides.iter().all(|side| side.command.is_some())
}

/// Figures that decide and tell the two apart.
fn claims(judged: &DuelJudgement) -> impl Iterator<Item = &Compared> {
    judged
        .compared
        .iter()
        .filter(|c| c.decides && matches!(c.difference, Difference::Better | Difference::Worse))
}

/// What one figure says of the side that it favours, who is called `winner` here.
fn claim(compared: &Compared, winner: &str, names: [&str; 2]) -> Option<String> {
    let (ratio, [low, high]) = (compared.ratio?, compared.interval?);
    let side = usize::from(compared.difference == Difference::Worse);
    let loser = names[1 - side];
    let inverse = || (1.0 / ratio, [1.0 / high, 1.0 / low]);
    // Seen from the winner; as fast as means the other way round for a time.
    let of_winner = if side == 0 { (ratio, [low, high]) } else { inverse() };
    let of_loser = if side == 0 { inverse() } else { (ratio, [low, high]) };
    let told = |(ratio, [low, high]): (f64, [f64; 2])| {
        format!("{} times ({} to {})", factor(ratio), factor(low), factor(high))
    };
    Some(match compared.figure {
        Figure::P99 | Figure::P50 => {
            format!("{winner} is {} as fast as {loser} at {}", told(of_loser), compared.figure.label())
        }
        Figure::Rate => format!("{winner} gives {} {loser}'s answers per second", told(of_winner)),
        Figure::Cpu => format!("{winner} needs {} {loser}'s CPU for each answer", told(of_winner)),
        Figure::Memory => format!("{winner} takes {} {loser}'s memory", told(of_winner)),
    })
}

fn no_difference(judged: &DuelJudgement, [first, second]: [&str; 2]) -> String {
    let mut text = format!("no difference between {first} and {second}");
    let known: Vec<String> = judged
        .compared
        .iter()
        .filter(|c| c.decides && c.difference == Difference::NoDifference)
        .filter_map(|c| {
            let [low, high] = c.interval?;
            Some(format!("above {} in {}", percent_above(high.max(1.0 / low)), c.figure.label()))
        })
        .collect();
    if !known.is_empty() {
        text += &format!(" {}", listed(&known));
    }
    let primary = judged.compared.iter().find(|c| c.decides && c.difference == Difference::NoDifference);
    if let Some((primary, told)) = primary.and_then(|c| Some((c, c.sensitivity?)))
        && let Some(needed) = told.pairs_needed.filter(|needed| *needed > primary.pairs)
    {
        let more = counted((needed - primary.pairs) as u64, "more pair");
        text += &format!("; {more} would settle {} % in {}", told.detect_percent, primary.figure.label());
    }
    text
}

fn memory(judged: &DuelJudgement, [first, second]: [&str; 2]) -> Option<String> {
    let memory = judged.compared.iter().find(|c| c.figure == Figure::Memory)?;
    Some(format!("{first} takes {} times {second}'s memory", factor(memory.ratio?)))
}

fn answers(duel: &DuelRecord) -> Option<String> {
    let answers = &duel.answers;
    (answers.compared > 0).then(|| {
        let (equal, compared) = (grouped(answers.equal), counted(answers.compared, "sample"));
        format!("answers are equal in {equal} of {compared}")
    })
}
