//! Runs side by side: which, what differs, then a block for each figure.

use super::{Cell, CompareReport, ComparedFigure, Entry, Kind};
use crate::fight::SHORT;
use crate::text::{Look, clean, left, right, shorten, wrap};
use crate::words::counted;

/// Columns of an entry, of its rounds, of its figure, and of its ratio.
const NAME: usize = 30;
const ROUNDS: usize = 10;
const VALUE: usize = 13;
const RATIO: usize = 26;
/// Columns before what is told of a run.
const INDENT: usize = 2;

impl CompareReport {
    /// The summary in a terminal. Ends with a newline.
    pub fn terminal(&self, look: Look) -> String {
        let mut lines = Vec::new();
        let mut tell = |text: &str, paint: &dyn Fn(&str) -> String| {
            lines.extend(wrap(&clean(text), look.width - INDENT, "  ").iter().map(|line| paint(line)));
        };
        for difference in &self.differences {
            tell(&difference.text, &|line| look.warning(line));
        }
        tell(&self.note, &|line| look.bold(line));
        for (number, run) in self.runs.iter().enumerate() {
            tell(&format!("{}: {} ({})", number + 1, run.folder, run.started), &|line| line.to_owned());
            tell(&run.subject, &|line| look.dim(&format!("  {line}")));
            tell(&run.verdict, &|line| format!("  {line}"));
        }
        lines.push(String::new());
        for figure in self.told() {
            self.block(figure, look, &mut lines);
        }
        lines.extend(self.remarks().iter().flat_map(|told| wrap(&clean(told), look.width, "  ")));
        lines.push(String::new());
        lines.join("\n")
    }

    /// The figures that summaries tell; the JSON has all.
    pub(crate) fn told(&self) -> impl Iterator<Item = &ComparedFigure> {
        let in_card = |figure: &str| {
            SHORT.iter().any(|measure| serde_json::to_value(measure).is_ok_and(|name| name == figure))
        };
        self.figures.iter().filter(move |row| self.kind == Kind::Duels || in_card(&row.figure))
    }

    fn block(&self, figure: &ComparedFigure, look: Look, lines: &mut Vec<String>) {
        if figure.cells.iter().all(|cell| cell.value.is_none()) {
            return;
        }
        lines.push(look.bold(&figure.label));
        let rows = self.entries.iter().zip(&figure.cells).map(|(entry, cell)| row(entry, cell));
        lines.extend(rows.map(|row| shorten(row.trim_end(), look.width)));
        lines.push(String::new());
    }

    /// What to know of the entries and of the ratios.
    pub(crate) fn remarks(&self) -> Vec<String> {
        let noted = self.entries.iter().filter_map(|entry| {
            Some(format!("{} of run {}: {}", entry.name, entry.run, entry.note.as_deref()?))
        });
        let mut told: Vec<String> = noted.collect();
        if self.entries.iter().any(|entry| !entry.ranked && entry.rounds > 0) {
            told.push("figures in [brackets] may not be ranked, and have no ratio".to_owned());
        }
        told.extend(self.legend());
        told
    }
}

fn row(entry: &Entry, cell: &Cell) -> String {
    let name = format!("  {} {}", entry.run, clean(&entry.name));
    let value =
        if entry.ranked || cell.value.is_none() { cell.text.clone() } else { format!("[{}]", cell.text) };
    let rounds = counted(entry.rounds, &entry.unit);
    let rounds = if entry.rounds == 0 { String::new() } else { rounds };
    format!(
        "{}{}{}{}",
        left(&shorten(&name, NAME - 1), NAME),
        right(&rounds, ROUNDS),
        right(&value, VALUE),
        right(&ratio(cell), RATIO)
    )
}

/// A ratio with its interval, or why there is none.
pub(crate) fn ratio(cell: &Cell) -> String {
    match (cell.ratio, &cell.incomparable) {
        (Some(ratio), _) => crate::words::ratio_in_words(ratio, cell.interval).en.into_owned(),
        (None, Some(what)) => format!("({what})"),
        (None, None) => String::new(),
    }
}
