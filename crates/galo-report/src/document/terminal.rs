//! A document in a terminal: plain enough for a pipe.

use galo_record::finding::Weight;

use super::{Block, Document, Found, Row, Table};
use crate::terminal::Look;
use crate::text::{clean, clean_lines, left, right, shorten, width, wrap};
use crate::words::{Both, Lang};

/// Lines of a piece of evidence.
const EVIDENCE_LINES: usize = 3;
/// Columns between two of a table, where there is room.
const GAP: usize = 2;

impl Document {
    /// The summary in a terminal. Ends with a newline.
    pub fn terminal(&self, look: Look, lang: Lang) -> String {
        let mut page = Page { look, lang, lines: Vec::new() };
        for warning in &self.warnings {
            page.tell(warning, Look::warning);
        }
        page.tell(&self.verdict, Look::bold);
        for answer in &self.answers {
            let told = answer.question.clone().then(&Both::same(": ")).then(&answer.text);
            page.tell(&told, if answer.warns { Look::warning } else { plain });
        }
        page.tell(&self.subject, Look::dim);
        for section in &self.sections {
            page.lines.push(String::new());
            page.tell(&section.name, Look::dim);
            section.blocks.iter().for_each(|block| page.block(block));
        }
        page.lines.push(String::new());
        page.lines.join("\n")
    }
}

type Paint = fn(Look, &str) -> String;

fn plain(_: Look, text: &str) -> String {
    text.to_owned()
}

struct Page {
    look: Look,
    lang: Lang,
    lines: Vec<String>,
}

impl Page {
    fn tell(&mut self, told: &Both, paint: Paint) {
        let lines = wrap(&clean(told.of(self.lang)), self.look.width, "  ");
        self.lines.extend(lines.iter().map(|line| paint(self.look, line)));
    }

    /// The same below something, so much to the right.
    fn below(&mut self, text: &str, indent: usize, paint: Paint) {
        for line in wrap(&clean(text), self.look.width.saturating_sub(indent), "") {
            self.lines.push(format!("{}{}", " ".repeat(indent), paint(self.look, &line)));
        }
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Finding(found) => self.finding(found),
            Block::Table(table) => self.table(table),
            Block::Curve(_) => {}
            Block::Note(note) => self.tell(note, Look::dim),
        }
    }

    fn finding(&mut self, found: &Found) {
        let paint = if found.weight == Weight::Must { Look::warning } else { Look::bold };
        self.tell(&Both::same(found.name.clone()), paint);
        self.below(found.told.text.of(self.lang), GAP, plain);
        let evidence = found.told.evidence.first().map(|first| clean_lines(first.of(self.lang)));
        let lines = evidence.iter().flat_map(|text| text.lines()).filter(|line| !line.trim().is_empty());
        for line in lines.take(EVIDENCE_LINES) {
            let line = shorten(&clean(line), self.look.width.saturating_sub(GAP));
            self.lines.push(format!("  {}", self.look.dim(&line)));
        }
        if let Some(remedy) = &found.told.remedy {
            self.below(&format!("-> {}", remedy.of(self.lang)), GAP, plain);
        }
    }

    fn table(&mut self, table: &Table) {
        let cells = |cells: &[Both]| cells.iter().map(|cell| clean(cell.of(self.lang))).collect::<Vec<_>>();
        let heads = cells(&table.heads);
        let rows: Vec<(Vec<String>, &Row)> = table.rows.iter().map(|row| (cells(&row.cells), row)).collect();
        let widest = |column: usize| {
            let all = std::iter::once(&heads).chain(rows.iter().map(|(cells, _)| cells));
            all.filter_map(|cells| cells.get(column)).map(|cell| width(cell)).max().unwrap_or(0)
        };
        let widths = fitted((0..heads.len()).map(widest).collect(), self.look.width);
        self.lines.push(self.look.dim(&line(&heads, &widths)));
        for (cells, row) in rows {
            let told = line(&cells, &widths);
            let Some(warning) = &row.warning else {
                self.lines.push(told);
                continue;
            };
            self.lines.push(self.look.warning(&told));
            self.below(warning.of(self.lang), GAP, Look::dim);
        }
    }
}

/// Widths of columns with what stands before each, so that all of them fit: first the gaps give way, then the first column.
fn fitted(mut widths: Vec<usize>, limit: usize) -> Vec<usize> {
    let columns = widths.len().saturating_sub(1);
    let rest: usize = widths.iter().skip(1).sum();
    let first = widths.first().copied().unwrap_or(0);
    let gap = if first + rest + columns * GAP <= limit { GAP } else { 1 };
    if let Some(first) = widths.first_mut() {
        *first = (*first).min(limit.saturating_sub(rest + columns * gap));
    }
    widths.iter_mut().skip(1).for_each(|width| *width += gap);
    widths
}

/// The first column to the left, figures to the right.
fn line(cells: &[String], widths: &[usize]) -> String {
    let mut told = String::new();
    for (column, (cell, columns)) in cells.iter().zip(widths).enumerate() {
        told += &if column == 0 { left(cell, *columns) } else { right(cell, *columns) };
    }
    told.trim_end().to_owned()
}
