//! The summary in a terminal: the verdict first, at most about 40 lines, plain enough for a pipe.

mod compare;
mod conformance;
mod detail;
mod fight;
mod gatling;
mod load;
mod notes;
mod requests;

pub(crate) use compare::ratio as compared_ratio;
pub(crate) use fight::{MEASURES as CARD_MEASURES, throttled};
use galo_judge::Standing;

use crate::report::{Report, RoundReport};
use crate::text::{clean, wrap};
use crate::words::counted;

/// How many lines a summary should not pass; findings that do not fit are only counted.
const LINES: usize = 40;

/// How to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Columns that no line passes.
    pub width: usize,
    /// Whether ANSI sequences may be used. Without them everything is told by text alone.
    pub colour: bool,
}

impl Look {
    fn paint(self, code: &str, text: &str) -> String {
        if self.colour && !text.is_empty() { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    pub(crate) fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    pub(crate) fn dim(self, text: &str) -> String {
        self.paint("2", text)
    }

    pub(crate) fn warning(self, text: &str) -> String {
        self.paint("1;31", text)
    }

    fn struck(self, text: &str) -> String {
        self.paint("9", text)
    }
}

/// The summary of a report. Ends with a newline.
pub fn terminal(report: &Report, look: Look) -> String {
    let mut lines = opening(report, look);
    match detailed_round(report) {
        Some(round) => detail::lines(round, look, &mut lines),
        None => fight::lines(report, look, &mut lines),
    }
    notes::lines(report, look, LINES, &mut lines);
    lines.push(String::new());
    lines.join("\n")
}

/// Warning, verdict, and what was fought.
fn opening(report: &Report, look: Look) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(warning) = limits_warning(report) {
        lines.extend(wrap(&warning, look.width, "  ").iter().map(|line| look.warning(line)));
    }
    lines.extend(wrap(&clean(&report.verdict.text), look.width, "  ").iter().map(|line| look.bold(line)));
    let what = clean(&subject(report));
    lines.extend(wrap(&what, look.width, "  ").iter().map(|line| look.dim(line)));
    lines.push(String::new());
    lines
}

/// What comes before everything else where limits are not enforced.
pub(crate) fn limits_warning(report: &Report) -> Option<String> {
    let note = report.limits_note.as_deref().unwrap_or_default();
    (!report.limits_enforced).then(|| format!("limits are not enforced: {}", clean(note)))
}

/// Challenge, profile, scale, seed and rounds in one line.
pub(crate) fn subject(report: &Report) -> String {
    let void = report.rounds.iter().filter(|r| matches!(r.standing, Standing::Void { .. })).count();
    let void = if void == 0 { String::new() } else { format!(", {void} of them void") };
    format!(
        "{}, profile {}, scale {}, seed {}, {}{void}",
        report.challenge,
        report.profile,
        report.scale,
        report.seed,
        counted(report.rounds.len(), "round"),
    )
}

/// The round to tell in detail: the last one of a contender that is alone and had one round (and void ones before).
pub(crate) fn detailed_round(report: &Report) -> Option<&RoundReport> {
    let [contender] = report.contenders.as_slice() else { return None };
    let summary = &contender.summary;
    (summary.rounds - summary.void <= 1).then(|| report.rounds.last()).flatten()
}

/// A round's standing in words.
pub(crate) fn standing(round: &RoundReport) -> String {
    match &round.standing {
        Standing::Valid => "valid".to_owned(),
        Standing::Disqualified { rules } => format!("disqualified: {}", rules.join(", ")),
        Standing::Void { .. } => format!("void: {}", round.told_why().en),
        Standing::NotReady { .. } => format!("not ready: {}", round.told_why().en),
    }
}
