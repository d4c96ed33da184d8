//! Findings in a terminal: one line each, the first evidence shortened, what to do about it.

use galo_record::finding::Weight;

use super::Look;
use crate::findings::{FindingGroup, groups};
use crate::report::{FindingReport, Report};
use crate::text::{clean, shorten, wrap};

/// Appends the findings, as many as fit into `budget` lines.
pub(super) fn lines(report: &Report, look: Look, budget: usize, lines: &mut Vec<String>) {
    let groups = groups(report);
    let mut untold = 0;
    for (index, group) in groups.iter().enumerate() {
        let told = group_lines(group, look);
        // The first one is always told: a disqualification without its reason would be worth nothing.
        if index > 0 && lines.len() + told.len() >= budget {
            untold += 1;
        } else {
            lines.extend(told);
        }
    }
    if untold > 0 {
        lines.push(format!("{untold} more in the report"));
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

fn group_lines(group: &FindingGroup<'_>, look: Look) -> Vec<String> {
    let FindingGroup { finding, .. } = group;
    let head = format!("{}: {}: {} ({})", group.weight(), group.who(), finding.name, group.how_often());
    finding_lines(finding, &head, look)
}

/// A finding below its head.
pub(super) fn finding_lines(finding: &FindingReport, head: &str, look: Look) -> Vec<String> {
    let mut lines: Vec<_> = wrap(&clean(head), look.width, "  ")
        .iter()
        .map(|line| if finding.weight == Weight::Must { look.warning(line) } else { look.bold(line) })
        .collect();
    let mut text = wrap_in(&clean(&finding.text), look.width);
    if finding.weight == Weight::Note && text.len() > NOTE_LINES {
        text.truncate(NOTE_LINES);
        if let Some(last) = text.last_mut() {
            *last = shorten(&format!("{last} ..."), look.width);
        }
    }
    lines.extend(text);
    lines.extend(finding.evidence.first().into_iter().flat_map(|text| evidence(text, look)));
    if let Some(hint) = &finding.hint {
        lines.extend(wrap_in(&clean(&format!("hint: {}", hint.trim_start_matches("hint: "))), look.width));
    }
    lines
}

/// The request and what differs, a line each, cut to the width. What was not asked for by a request has one line.
fn evidence(text: &str, look: Look) -> impl Iterator<Item = String> + '_ {
    let told = text.lines().filter(|line| !line.trim().is_empty()).take(EVIDENCE_LINES);
    told.map(move |line| look.dim(&format!("  {}", shorten(&clean(line), look.width.saturating_sub(2)))))
}

fn wrap_in(text: &str, limit: usize) -> Vec<String> {
    wrap(text, limit.saturating_sub(2), "").into_iter().map(|line| format!("  {line}")).collect()
}
