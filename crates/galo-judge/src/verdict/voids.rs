//! What void rounds mean for a fight.

use galo_plan::Plan;

use super::{Comparison, Verdict, VoidRound, name_of};
use crate::findings::{Spoils, VoidReason};
use crate::judgement::{Judgement, Standing};
use crate::stats;

/// Chance that one of several equal contenders is said to have had too many void rounds. A contender can make galo late and the
/// machine busy on purpose, in the rounds that it would lose.
pub const ALPHA_VOID: f64 = 0.01;

/// Somebody who had too many void rounds.
pub(super) struct TooOften {
    pub(super) contender: usize,
    name: String,
    /// Its own, and those of all others.
    void: [u64; 2],
    rounds: [u64; 2],
}

/// Looks for the contender with more void rounds than chance explains, of all that were driven, those in whose place others were
/// driven included.
pub(super) fn too_often(plan: &Plan, all: &[&Judgement]) -> Option<TooOften> {
    let contenders: Vec<usize> = (0..plan.contenders.len()).filter(|&c| !plan.is_null(c)).collect();
    let counted = |is_its: &dyn Fn(usize) -> bool| {
        let its = all.iter().filter(|round| !round.apart && is_its(round.contender));
        its.fold([0, 0], |[void, rounds], round| [void + u64::from(is_spoiled(round)), rounds + 1])
    };
    let of_each = contenders.iter().map(|&contender| {
        let ([void, rounds], [void_else, rounds_else]) =
            (counted(&|of| of == contender), counted(&|of| of != contender));
        let (void, rounds) = ([void, void_else], [rounds, rounds_else]);
        let name = name_of(plan, contender);
        (stats::more_marked_p(void, rounds), TooOften { contender, name, void, rounds })
    });
    let (_, most) = of_each.min_by(|(a, _), (b, _)| a.total_cmp(b))?;
    is_too_often(most.void, most.rounds, contenders.len()).then_some(most)
}

/// Whether one of so many has more void rounds than chance explains; first its own, then those of all others.
pub(crate) fn is_too_often(void: [u64; 2], rounds: [u64; 2], contenders: usize) -> bool {
    stats::more_marked_p(void, rounds) <= ALPHA_VOID / contenders as f64
}

/// Whether its figures were spoiled while it was driven: that it was broken off, or that galo contradicts itself, is nobody's doing.
pub(crate) fn is_spoiled(round: &Judgement) -> bool {
    let of_figures = |reason: &VoidReason| reason.spoils() == Spoils::Figures;
    matches!(&round.standing, Standing::Void { reasons } if reasons.iter().all(of_figures))
}

impl TooOften {
    /// What a verdict of rounds of which some are a selection comes to: whoever had too many void ones cannot win, and what leaves it
    /// open who is better leaves it open for that reason.
    pub(super) fn judge(self, verdict: Verdict, comparisons: &[Comparison]) -> Verdict {
        let Self { name, void, rounds, .. } = self;
        match verdict {
            Verdict::Better { ref winner, .. } if *winner != name => verdict,
            Verdict::Disqualified { .. } | Verdict::NotReady { .. } | Verdict::Void { .. } => verdict,
            // Two others were compared.
            _ if comparisons.iter().any(|compared| !compared.contenders.contains(&name)) => verdict,
            _ => Verdict::VoidTooOften { contender: name, void, rounds },
        }
    }
}

/// The first void round among those that stand; also where there are none.
pub(super) fn void(plan: &Plan, rounds: &[&Judgement]) -> Option<Verdict> {
    if rounds.is_empty() {
        return Some(Verdict::Void { round: None });
    }
    let mut void = rounds.iter().filter_map(|round| match &round.standing {
        Standing::Void { reasons } => Some((round, reasons)),
        _ => None,
    });
    let (first, reasons) = void.next()?;
    let round = VoidRound {
        number: first.number,
        contender: name_of(plan, first.contender),
        reasons: reasons.clone(),
        others: void.count(),
    };
    Some(Verdict::Void { round: Some(round) })
}
