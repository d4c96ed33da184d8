//! A duel.

use galo_judge::duel::Compared;
use galo_judge::verdict::Difference;
use galo_record::RunHeader;

use super::{Origin, block, details, join, table, text, warning};
use crate::duel::{DuelReport, bound_words};
use crate::terminal::{duel_figure, duel_ratio, held_back_head, level_words};
use crate::words::UNSEEN;

impl DuelReport {
    /// The report as Markdown; `header` says how and where it was driven. Ends with a newline.
    pub fn markdown(&self, header: &RunHeader) -> String {
        join(&[self.markdown_body(), Origin::from(header).told()])
    }

    /// All but how and where.
    pub(super) fn markdown_body(&self) -> String {
        let assertions = self.assertions.iter().map(|outcome| {
            let mark = if outcome.met { "met" } else { "**not met**" };
            format!("- {mark}: {}\n", text(&bound_words(outcome)))
        });
        join(&[
            format!("### {}", text(&self.sentence)),
            self.warnings().iter().map(|told| warning(told)).collect::<Vec<_>>().join("\n"),
            text(&self.notes.join("; ")),
            text(&self.subject()),
            assertions.collect(),
            self.figures(),
            self.ratio_note(),
            self.remarks().iter().map(|told| format!("- {}\n", text(told))).collect(),
            self.held_back_list(),
            details("evidence", &self.evidence()),
        ])
    }

    fn figures(&self) -> String {
        let mut head = vec![String::new()];
        head.extend(self.sides.iter().map(|side| text(&side.name)));
        head.extend(["ratio".to_owned(), String::new()]);
        let mut rows = Vec::new();
        for level in &self.levels {
            let mut of_level = self.compared.iter().filter(|c| c.level == level.level).map(row).peekable();
            if of_level.peek().is_some() {
                let mut name = vec![format!("*{}*", text(&level_words(level)))];
                name.resize(head.len(), String::new());
                rows.push(name);
            }
            rows.extend(of_level);
        }
        if rows.is_empty() { String::new() } else { table(&head, &rows) }
    }

    fn ratio_note(&self) -> String {
        let [first, second] = self.sides.each_ref().map(|side| text(&side.name));
        format!("Ratio: {first} divided by {second}, pair by pair; what is in bold decides.")
    }

    /// Its heading also parts it from the list before it.
    fn held_back_list(&self) -> String {
        self.held_back().map_or_else(String::new, |(level, told)| {
            let told = told.iter().map(|told| format!("- {}\n", text(&told.text)));
            format!("{}:\n\n{}", text(&held_back_head(level)), told.collect::<String>())
        })
    }

    /// What shows the findings, such as the ends of logs.
    fn evidence(&self) -> String {
        let told = self.findings.iter().filter(|finding| !finding.evidence.is_empty());
        let told = told.map(|finding| {
            let head = format!("{}: {}", finding.side, finding.text);
            format!("{}\n\n{}", text(&head), block("", &finding.evidence.join("\n")))
        });
        join(&told.collect::<Vec<_>>())
    }
}

fn row(compared: &Compared) -> Vec<String> {
    let name = compared.figure.label();
    let name = if compared.decides { format!("**{name}**") } else { name.to_owned() };
    let ratio = compared.ratio.map_or_else(|| UNSEEN.to_owned(), |r| duel_ratio(r, compared.interval));
    let answer = match compared.difference {
        _ if !compared.decides => "told only",
        Difference::Better => "better",
        Difference::Worse => "worse",
        Difference::NoDifference => "no difference",
        Difference::TooFewRounds => "too few pairs",
    };
    let [first, second] = compared.values.map(|value| duel_figure(compared.figure, value));
    let ratio = if compared.decides { format!("**{ratio}**") } else { ratio };
    vec![name, first, second, ratio, answer.to_owned()]
}
