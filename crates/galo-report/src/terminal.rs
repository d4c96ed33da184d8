//! The summary in a terminal: the verdict first, at most about 40 lines, plain enough for a pipe.

mod conformance;
mod detail;
mod fight;
mod gatling;
mod load;
mod notes;
mod requests;

pub(crate) use fight::{MEASURES as CARD_MEASURES, throttled};
use galo_judge::Standing;
pub(crate) use notes::hint;

use crate::report::{Report, RoundReport};
use crate::text::{clean, wrap};
use crate::words::lang::{ROUND, say};
use crate::words::{Both, Lang, labels};

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
pub fn terminal(report: &Report, look: Look, lang: Lang) -> String {
    let mut lines = opening(report, look, lang);
    match detailed_round(report) {
        Some(round) => detail::lines(round, look, lang, &mut lines),
        None => fight::lines(report, look, lang, &mut lines),
    }
    notes::lines(report, look, lang, LINES, &mut lines);
    lines.push(String::new());
    lines.join("\n")
}

/// Warning, verdict, and what was fought.
fn opening(report: &Report, look: Look, lang: Lang) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(warning) = limits_warning(report, lang) {
        lines.extend(wrap(&warning, look.width, "  ").iter().map(|line| look.warning(line)));
    }
    lines.extend(
        wrap(&clean(report.verdict.told.of(lang)), look.width, "  ").iter().map(|line| look.bold(line)),
    );
    let what = clean(&subject(report, lang));
    lines.extend(wrap(&what, look.width, "  ").iter().map(|line| look.dim(line)));
    lines.push(String::new());
    lines
}

/// What comes before everything else where limits are not enforced.
pub(crate) fn limits_warning(report: &Report, lang: Lang) -> Option<String> {
    let note = clean(report.limits_told.as_ref().map(|note| note.of(lang)).unwrap_or_default());
    (!report.limits_enforced)
        .then(|| say!(lang, "limits are not enforced: {note}", "os limites não estão sendo impostos: {note}"))
}

/// Challenge, profile, scale, seed and rounds in one line.
pub(crate) fn subject(report: &Report, lang: Lang) -> String {
    let void = report.rounds.iter().filter(|r| matches!(r.standing, Standing::Void { .. })).count();
    let void = match void {
        0 => String::new(),
        1 => lang.pick(", 1 of them void", ", 1 delas nula").to_owned(),
        void => say!(lang, ", {void} of them void", ", {void} delas nulas"),
    };
    let Report { challenge, profile, seed, rounds, .. } = report;
    let (scale, rounds) = (lang.figure(report.scale.to_string()), lang.counted(rounds.len() as u64, ROUND));
    say!(
        lang,
        "{challenge}, profile {profile}, scale {scale}, seed {seed}, {rounds}{void}",
        "{challenge}, perfil {profile}, escala {scale}, semente {seed}, {rounds}{void}"
    )
}

/// The round to tell in detail: the last one of a contender that is alone and had one round (and void ones before).
pub(crate) fn detailed_round(report: &Report) -> Option<&RoundReport> {
    let [contender] = report.contenders.as_slice() else { return None };
    let summary = &contender.summary;
    (summary.rounds - summary.void <= 1).then(|| report.rounds.last()).flatten()
}

/// A round's standing in words.
pub(crate) fn standing(round: &RoundReport, lang: Lang) -> String {
    let (is, why) = match &round.standing {
        Standing::Valid => return labels::VALID.of(lang).to_owned(),
        Standing::Disqualified { rules } => (labels::DISQUALIFIED, Both::same(rules.join(", "))),
        Standing::Void { .. } => (labels::VOID, round.told_why()),
        Standing::NotReady { .. } => (labels::NOT_READY, round.told_why()),
    };
    format!("{}: {}", is.of(lang), why.of(lang))
}
