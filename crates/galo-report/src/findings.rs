//! The same finding of several rounds told once.

use galo_judge::Finding;
use galo_judge::fight::{JudgedFight, JudgedRound};
use galo_judge::ordering::{Placed, order};
use galo_plan::Blame;

/// A finding and the rounds in which it was made.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FindingGroup<'a> {
    /// Of the first of these rounds.
    pub(crate) finding: &'a Finding,
    /// Name of the contender in whose round it was first made.
    pub(crate) contender: &'a str,
    /// Numbers of the rounds.
    pub(crate) rounds: Vec<u32>,
    /// How many rounds there were in which it could have been made: the contender's, or all where it is not to blame.
    pub(crate) of: usize,
    /// What it explains, added up over these rounds; `None` of what is no cause.
    explains: Option<f64>,
}

impl FindingGroup<'_> {
    /// The share of the trouble that it explains, on average over the rounds in which it could have been made.
    pub(crate) fn explained(&self) -> Option<f64> {
        self.explains.map(|sum| sum / self.of.max(1) as f64)
    }
}

/// The share of the trouble of its round that it explains.
fn share(finding: &Finding) -> Option<f64> {
    finding.explains_milli.map(|milli| f64::from(milli) / 1e3)
}

/// Whether a finding of one round could have been made in another too.
fn could_be_made(finding: &Finding, of: &JudgedRound, other: &JudgedRound) -> bool {
    finding.blame != Blame::Contender || of.contender == other.contender
}

/// All findings: what disqualifies first, then what held rounds back by how much it explains, then by weight and in the
/// order of the rounds, each cause before its symptoms.
pub(crate) fn groups(report: &JudgedFight) -> Vec<FindingGroup<'_>> {
    let mut groups: Vec<FindingGroup<'_>> = Vec::new();
    for round in &report.rounds {
        for finding in &round.judgement.findings {
            let same = |group: &&mut FindingGroup<'_>| {
                let known = group.finding;
                known.name == finding.name
                    && known.weight == finding.weight
                    && known.blame == finding.blame
                    && (known.blame != Blame::Contender || group.contender == round.contender)
            };
            match groups.iter_mut().find(same) {
                Some(group) => {
                    if group.rounds.last() != Some(&round.judgement.number) {
                        group.rounds.push(round.judgement.number);
                        group.explains =
                            group.explains.map(|before| before + share(finding).unwrap_or_default());
                    }
                }
                None => groups.push(FindingGroup {
                    finding,
                    contender: &round.contender,
                    rounds: vec![round.judgement.number],
                    of: report.rounds.iter().filter(|r| could_be_made(finding, round, r)).count(),
                    explains: share(finding),
                }),
            }
        }
    }
    order(&mut groups, |group| Placed {
        kind: group.finding.fact.kind(),
        of: (group.finding.blame == Blame::Contender).then_some(group.contender),
        weight: group.finding.weight,
        explains_milli: group.explained().map(|share| (share * 1000.0) as u16),
    });
    groups
}
