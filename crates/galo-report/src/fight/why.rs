//! Findings, and the rules that were broken, with the requests that show it.

use galo_judge::Conformance;
use galo_judge::Standing;
use galo_judge::fight::{JudgedFight, JudgedRound};
use galo_plan::Blame;
use galo_record::finding::Weight;
use galo_words::Both;

use super::cases::exchanges;
use crate::document::{Block, Emphasis, Exchange, Section, ShownFinding, identifier};
use crate::findings::{FindingGroup, groups};
use crate::words::{self, labels};

/// Why a contender did not start, then all findings, ranked.
pub(super) fn findings(report: &JudgedFight) -> Vec<Block> {
    let mut blocks = not_started(report);
    blocks.extend(groups(report).iter().map(|group| Block::Finding(Box::new(found(group, report)))));
    if blocks.is_empty() {
        blocks.push(Block::Text(labels::NO_FINDING));
    }
    blocks
}

/// What each contender said, or was seen to do, in the first of its rounds in which it did not start.
fn not_started(report: &JudgedFight) -> Vec<Block> {
    let mut told: Vec<&str> = Vec::new();
    let mut blocks = Vec::new();
    for round in &report.rounds {
        let Standing::NotReady { reason } = &round.judgement.standing else { continue };
        if told.contains(&round.contender.as_str()) {
            continue;
        }
        told.push(&round.contender);
        let (contender, number) = (&round.contender, round.judgement.number);
        let mut lines = reason.lines();
        let first = lines.next().unwrap_or_default();
        blocks.push(Block::Text(Both::new(
            format!("{contender}, round {number}: {first}"),
            format!("{contender}, rodada {number}: {first}"),
        )));
        blocks.extend(lines.map(|line| Block::Text(Both::same(line.to_owned()))));
    }
    blocks
}

/// One finding with how often it was made.
pub(super) fn found(group: &FindingGroup<'_>, report: &JudgedFight) -> ShownFinding {
    let finding = group.finding;
    ShownFinding {
        explains: group.explained(),
        contender: (finding.blame == Blame::Contender).then(|| group.contender.to_owned()),
        how_often: (report.rounds.len() > 1).then(|| how_often(group)),
        has_requests: is_shown_below(group),
        ..ShownFinding::of(finding, group.contender)
    }
}

/// What links to one of these findings.
pub(super) fn place(groups: &[FindingGroup<'_>], index: usize) -> String {
    let name = &groups[index].finding.name;
    identifier(name, groups[..index].iter().filter(|group| group.finding.name == *name).count())
}

fn how_often(group: &FindingGroup<'_>) -> Both {
    let (made, of) = (group.rounds.len(), group.of);
    if of == 1 {
        return labels::IN_ITS_ROUND;
    }
    Both::new(format!("in {made} of {of} rounds"), format!("em {made} de {of} rodadas"))
}

/// Whether its requests stand among the broken rules.
fn is_shown_below(group: &FindingGroup<'_>) -> bool {
    group.finding.weight == Weight::Must && !group.finding.wording().evidence.is_empty()
}

/// The very requests that broke a rule, by findings and by cases of conformance. Where all holds, `emphasis` does not.
pub(super) fn broken_rules(report: &JudgedFight, emphasis: Emphasis) -> Section {
    let groups = groups(report);
    let of_findings = groups.iter().enumerate().filter(|(_, group)| is_shown_below(group));
    let of_findings = of_findings.map(|(index, group)| {
        let told = found(group, report);
        let about = Both::same(format!(" ({}, {})", told.name, told.blamed().en));
        Exchange {
            id: Some(place(&groups, index)),
            weight: Weight::Must,
            head: told.title().then(&about),
            about: None,
            difference: None,
            texts: told.told.evidence,
            more: Vec::new(),
        }
    });
    let mut blocks: Vec<Block> = of_findings.map(|exchange| Block::Exchange(Box::new(exchange))).collect();
    for round in &report.rounds {
        if let Some(conformance) = &round.judgement.conformance {
            blocks.push(Block::Text(cases(round, conformance)));
            let exchanges = exchanges(conformance);
            blocks.extend(exchanges.map(|exchange| Block::Exchange(Box::new(exchange))));
        }
    }
    let breaks = |group: &FindingGroup<'_>| group.finding.weight == Weight::Must;
    let broken =
        |round: &JudgedRound| round.judgement.conformance.as_ref().is_some_and(|c| !c.broken.is_empty());
    if !groups.iter().any(breaks) && !report.rounds.iter().any(broken) {
        blocks.insert(0, Block::Text(labels::NO_RULE_BROKEN));
    }
    let emphasis = if blocks.len() == 1 { Emphasis::Later } else { emphasis };
    Section { id: "rules".into(), name: labels::BROKEN_RULES, emphasis, blocks }
}

/// What came of the cases of one round.
fn cases(round: &JudgedRound, conformance: &Conformance) -> Both {
    let (contender, number) = (&round.contender, round.judgement.number);
    labels::CONFORMANCE
        .then(&Both::new(
            format!(": {contender}, round {number}: "),
            format!(": {contender}, rodada {number}: "),
        ))
        .then(&Both::each(|lang| words::conformance(conformance, lang)))
}
