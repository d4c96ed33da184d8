//! Conformance in a terminal: how many cases hold, the first of those that do not, then advice.

use super::Look;
use crate::conformance::{BrokenCaseReport, ConformanceReport};
use crate::text::{clean, shorten, wrap};
use crate::words::Lang;
use crate::words::lang::say;

/// So many broken cases are told, and so many rules of advice.
const TOLD: usize = 10;
/// A request is told whole so that it can be pasted, even where it passes the width, unless it has more characters.
const REQUEST: usize = 1000;

/// Appends what came of the cases.
pub(super) fn lines(conformance: &ConformanceReport, look: Look, lang: Lang, lines: &mut Vec<String>) {
    let told = conformance.told.of(lang);
    let told = say!(lang, "conformance: {told}", "conformidade: {told}");
    lines.extend(wrap(&clean(&told), look.width, "  ").iter().map(|line| look.bold(line)));
    for broken in conformance.broken.iter().take(TOLD) {
        case(&broken.head(conformance, lang), broken, look, lang, |line| look.warning(line), lines);
    }
    for advice in conformance.advice.iter().take(TOLD) {
        case(&advice.head(conformance, lang), &advice.example, look, lang, |line| look.bold(line), lines);
    }
    let more = [conformance.broken.len(), conformance.advice.len()].map(|told| told.saturating_sub(TOLD));
    if more != [0, 0] {
        let more = more[0] + more[1];
        lines.push(say!(lang, "  {more} more in the report", "  mais {more} no relatório"));
    }
    lines.push(String::new());
}

/// Appends a head, a request and what came of it.
fn case(
    head: &str,
    broken: &BrokenCaseReport,
    look: Look,
    lang: Lang,
    paint: impl Fn(&str) -> String,
    lines: &mut Vec<String>,
) {
    let head = wrap(&clean(head), look.width.saturating_sub(2), "  ");
    lines.extend(head.iter().map(|line| format!("  {}", paint(line))));
    lines.push(format!("    {}", look.dim(&shorten(&clean(&broken.request), REQUEST))));
    let difference = wrap(&clean(&broken.difference(lang)), look.width.saturating_sub(4), "  ");
    lines.extend(difference.iter().map(|line| format!("    {line}")));
}
