//! Runs side by side.

use super::terminal::ratio;
use super::{Cell, CompareReport, Entry};
use crate::markdown::{block, details, join, table, text, warning};

impl CompareReport {
    /// The report as Markdown. Ends with a newline.
    pub fn markdown(&self) -> String {
        let runs = self.runs.iter().enumerate().map(|(number, run)| {
            let head = format!("{}: {}, {}", number + 1, run.folder, run.started);
            format!("- **{}**: {}<br>{}\n", text(&head), text(&run.verdict), text(&run.subject))
        });
        let places = self.runs.iter().map(|run| {
            let place = format!("galo {}, on {}", run.galo, run.machine);
            format!("{}\n{}\n\n", block("sh", &shell_words::join(&run.command)), text(&place))
        });
        join(&[
            format!("### {} runs side by side", self.runs.len()),
            self.differences.iter().map(|d| warning(&d.text)).collect::<Vec<_>>().join("\n"),
            text(&self.note),
            runs.collect(),
            self.figures_table(),
            self.remarks().iter().map(|told| format!("- {}\n", text(told))).collect(),
            details("commands and machines", &places.collect::<String>()),
        ])
    }

    fn figures_table(&self) -> String {
        let name = |entry: &Entry| text(&format!("{} {}", entry.run, entry.name));
        let head: Vec<String> = std::iter::once(String::new()).chain(self.entries.iter().map(name)).collect();
        let rows: Vec<Vec<String>> = self
            .told()
            .map(|figure| {
                let label = text(&figure.label);
                let label = if figure.primary { format!("**{label}**") } else { label };
                let cells = self.entries.iter().zip(&figure.cells).map(|(entry, told)| cell(entry, told));
                std::iter::once(label).chain(cells).collect()
            })
            .collect();
        table(&head, &rows)
    }
}

/// A figure with its ratio below it.
fn cell(entry: &Entry, cell: &Cell) -> String {
    let value = text(&cell.text);
    let value = if entry.ranked || cell.value.is_none() { value } else { format!("[{value}]") };
    match ratio(cell) {
        ratio if ratio.is_empty() => value,
        ratio => format!("{value}<br>{}", text(&ratio)),
    }
}
