//! The pairs that one run compares.

use galo_record::RunEnd;
use galo_record::duel::Level;

use super::terms::TrendTerms;
use super::{TrendFigure, Version, WhyLeftOut};
use crate::duel::{Compared, DuelVerdict, JudgedDuel};
use crate::fight::{FightKind, JudgedContender, JudgedFight};
use crate::judged::Judged;
use crate::verdict::{Comparison, DECIDING, Verdict};

/// What a run says of two.
pub(super) struct ComparedPair {
    pub(super) subject: String,
    /// Head and base.
    pub(super) names: [String; 2],
    /// Their versions.
    pub(super) versions: [Option<Version>; 2],
    pub(super) terms: TrendTerms,
    pub(super) figures: Vec<TrendFigure>,
}

/// The pairs of a run, of which there is one at least.
pub(super) fn compared_pairs(judged: &Judged) -> Result<Vec<ComparedPair>, WhyLeftOut> {
    let pairs = match judged {
        Judged::Duel(duel) => vec![of_duel(duel)?],
        Judged::Fight(fight) => of_fight(fight)?,
        Judged::Scan(_)
        | Judged::Load(_)
        | Judged::Limit(_)
        | Judged::Soak(_)
        | Judged::League(_)
        | Judged::Sweep(_)
        | Judged::Tune(_) => {
            return Err(WhyLeftOut::ComparesNone);
        }
    };
    let pairs: Vec<_> = pairs.into_iter().filter(|pair| !pair.figures.is_empty()).collect();
    if pairs.is_empty() { Err(WhyLeftOut::NoFigure) } else { Ok(pairs) }
}

fn of_duel(duel: &JudgedDuel) -> Result<ComparedPair, WhyLeftOut> {
    match (&duel.verdict, &duel.end) {
        (DuelVerdict::Void { .. }, _) => return Err(WhyLeftOut::Void),
        (verdict, _) if verdict.has_no_ground() => return Err(WhyLeftOut::NoGround),
        // The pairs before it look as good as any.
        (_, RunEnd::Failed(_) | RunEnd::Refused(_)) => return Err(WhyLeftOut::NoGround),
        _ => {}
    }
    let [base, head] = &duel.sides;
    let figure =
        |Compared { measure, level, decides, values: [base, head], ratios }: &Compared| TrendFigure {
            measure: *measure,
            level: Some(*level),
            decides: *decides,
            head: *head,
            base: *base,
            ratios: *ratios,
        };
    let compared = duel.compared.iter().filter(|compared| compared.ratios.ratio.is_some());
    Ok(ComparedPair {
        subject: duel.request.clone(),
        names: [head.name.clone(), base.name.clone()],
        versions: [head, base].map(|side| side.commit.clone().map(Version::Commit)),
        terms: TrendTerms::of_duel(duel),
        figures: compared.map(figure).collect(),
    })
}

/// Each contender by the one that all are compared with, or the two of a fight.
fn of_fight(fight: &JudgedFight) -> Result<Vec<ComparedPair>, WhyLeftOut> {
    match &fight.verdict {
        Verdict::Void { .. } | Verdict::VoidTooOften { .. } => return Err(WhyLeftOut::Void),
        Verdict::Disqualified { .. } | Verdict::NotReady { .. } => return Err(WhyLeftOut::NoGround),
        Verdict::Alone { .. } => return Err(WhyLeftOut::ComparesNone),
        _ if fight.kind == FightKind::Check => return Err(WhyLeftOut::ComparesNone),
        _ => {}
    }
    let all = fight.field.as_ref().map_or(&fight.comparisons, |field| &field.against);
    let pairs = all.chunk_by(|a, b| a.contenders == b.contenders);
    Ok(pairs.filter_map(|of_pair| fought_pair(fight, of_pair)).collect())
}

fn fought_pair(fight: &JudgedFight, comparisons: &[Comparison]) -> Option<ComparedPair> {
    let names = comparisons.first()?.contenders.clone();
    let contender = |name: &String| fight.contenders.iter().find(|contender| contender.name == *name);
    let [head, base] = names.each_ref().map(contender);
    let (head, base) = (head?, base?);
    let value = |contender: &JudgedContender, measure| contender.summary.measures.get(measure);
    let figure = |&Comparison { measure, ratios, .. }: &Comparison| TrendFigure {
        measure,
        level: None::<Level>,
        decides: DECIDING.contains(&measure),
        head: value(head, measure),
        base: value(base, measure),
        ratios,
    };
    let version = |contender: &JudgedContender| {
        Some(contender.file_sha256.clone()).filter(|digest| !digest.is_empty()).map(Version::FileSha256)
    };
    Some(ComparedPair {
        subject: fight.challenge.clone(),
        versions: [version(head), version(base)],
        terms: TrendTerms::of_fight(fight, [head.runner, base.runner]),
        figures: comparisons.iter().filter(|it| it.ratios.ratio.is_some()).map(figure).collect(),
        names,
    })
}
