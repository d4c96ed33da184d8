//! Conformance in a terminal: how many cases hold, and the first of those that do not.

use galo_record::finding::Weight;

use super::Look;
use crate::conformance::ConformanceReport;
use crate::text::{clean, shorten, wrap};

/// So many broken cases are told.
const TOLD: usize = 10;
/// A request is told whole so that it can be pasted, even where it passes the width, unless it has more characters.
const REQUEST: usize = 1000;

/// Appends what came of the cases.
pub(super) fn lines(conformance: &ConformanceReport, look: Look, lines: &mut Vec<String>) {
    let told = format!("conformance: {}", conformance.text);
    lines.extend(wrap(&clean(&told), look.width, "  ").iter().map(|line| look.bold(line)));
    for broken in conformance.broken.iter().take(TOLD) {
        let head = wrap(&clean(&broken.head(conformance)), look.width.saturating_sub(2), "  ");
        let paint = |line: &String| match broken.weight {
            Weight::Must => look.warning(line),
            Weight::Should | Weight::Note => look.bold(line),
        };
        lines.extend(head.iter().map(|line| format!("  {}", paint(line))));
        lines.push(format!("    {}", look.dim(&shorten(&clean(&broken.request), REQUEST))));
        let difference = wrap(&clean(&broken.difference()), look.width.saturating_sub(4), "  ");
        lines.extend(difference.iter().map(|line| format!("    {line}")));
    }
    let more = conformance.broken.len().saturating_sub(TOLD);
    if more > 0 {
        lines.push(format!("  {more} more in the report"));
    }
    lines.push(String::new());
}
