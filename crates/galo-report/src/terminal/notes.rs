//! Findings in a terminal: one line each, the first evidence shortened, what to do about it.

use galo_record::finding::Weight;

use super::Look;
use crate::findings::{FindingGroup, groups};
use crate::report::Report;
use crate::text::{clean, shorten, wrap};
use crate::words::lang::say;
use crate::words::{Both, Lang};

/// Appends the findings, as many as fit into `budget` lines.
pub(super) fn lines(report: &Report, look: Look, lang: Lang, budget: usize, lines: &mut Vec<String>) {
    let groups = groups(report);
    let mut untold = 0;
    for (index, group) in groups.iter().enumerate() {
        let told = group_lines(group, look, lang);
        // The first one is always told: a disqualification without its reason would be worth nothing.
        if index > 0 && lines.len() + told.len() >= budget {
            untold += 1;
        } else {
            lines.extend(told);
        }
    }
    if untold > 0 {
        lines.push(say!(lang, "{untold} more in the report", "mais {untold} no relatório"));
    }
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
}

/// Most lines of a note. What disqualifies or is a defect is told whole.
const NOTE_LINES: usize = 3;
/// Lines of the first evidence: the judge writes the request in the first and what differs in the second. The answer
/// is in the report.
const EVIDENCE_LINES: usize = 2;

/// A finding below its head.
fn group_lines(group: &FindingGroup<'_>, look: Look, lang: Lang) -> Vec<String> {
    let FindingGroup { finding, .. } = group;
    let head = format!("{} ({})", group.head(lang), group.how_often(lang));
    let mut lines: Vec<_> = wrap(&clean(&head), look.width, "  ")
        .iter()
        .map(|line| if finding.weight == Weight::Must { look.warning(line) } else { look.bold(line) })
        .collect();
    let mut text = wrap_in(&clean(finding.told.text.of(lang)), look.width);
    if finding.weight == Weight::Note && text.len() > NOTE_LINES {
        text.truncate(NOTE_LINES);
        if let Some(last) = text.last_mut() {
            *last = shorten(&format!("{last} ..."), look.width);
        }
    }
    lines.extend(text);
    let first = finding.told.evidence.first();
    lines.extend(first.into_iter().flat_map(|piece| evidence(piece.of(lang), look)));
    if let Some(remedy) = &finding.told.remedy {
        lines.extend(wrap_in(&clean(&hint(remedy, lang)), look.width));
    }
    lines
}

/// What to do, behind the word for it.
pub(crate) fn hint(remedy: &Both, lang: Lang) -> String {
    let remedy = remedy.of(lang).trim_start_matches("hint: ");
    say!(lang, "hint: {remedy}", "dica: {remedy}")
}

/// The request and what differs, a line each, cut to the width. What was not asked for by a request has one line.
fn evidence(text: &str, look: Look) -> impl Iterator<Item = String> + '_ {
    let told = text.lines().filter(|line| !line.trim().is_empty()).take(EVIDENCE_LINES);
    told.map(move |line| look.dim(&format!("  {}", shorten(&clean(line), look.width.saturating_sub(2)))))
}

fn wrap_in(text: &str, limit: usize) -> Vec<String> {
    wrap(text, limit.saturating_sub(2), "").into_iter().map(|line| format!("  {line}")).collect()
}
