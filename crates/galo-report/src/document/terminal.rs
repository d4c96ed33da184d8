//! A document in a terminal: plain enough for a pipe.

use galo_record::finding::Weight;

use super::{Block, Card, CardRow, Document, Emphasis, Found, Table};
use crate::terminal::Look;
use crate::text::{clean, clean_lines, left, right, shorten, width, wrap};
use crate::words::{Both, Lang, UNSEEN};

/// Lines of a piece of evidence.
const EVIDENCE_LINES: usize = 3;
/// Columns between two of a table, where there is room.
const GAP: usize = 2;
/// The widest head of a card, and the widest bar.
const NAME_MOST: usize = 14;
const BAR_MOST: usize = 18;

impl Document {
    /// The summary in a terminal. Ends with a newline.
    pub fn terminal(&self, look: Look, lang: Lang) -> String {
        let mut page = Page { look, lang, lines: Vec::new() };
        for warning in &self.warnings {
            page.tell(warning, Look::warning);
        }
        page.tell(&self.verdict, Look::bold);
        for line in &self.lines {
            page.tell(&line.text, if line.warns { Look::warning } else { plain });
        }
        for answer in self.answers.iter().filter(|answer| !answer.is_tile) {
            let told = answer.question.clone().then(&Both::same(": ")).then(&answer.text);
            page.tell(&told, if answer.warns { Look::warning } else { plain });
        }
        page.tell(&self.subject, Look::dim);
        for section in self.sections.iter().filter(|section| section.emphasis == Emphasis::First) {
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
            Block::Card(card) => self.card(card),
            Block::Curve(_) | Block::Pairs(_) | Block::Link(_) => {}
            Block::Text(text) => self.tell(text, plain),
            Block::Note(note) => self.tell(note, Look::dim),
        }
    }

    fn finding(&mut self, found: &Found) {
        let paint = if found.weight == Weight::Must { Look::warning } else { Look::bold };
        let of = found.contender.as_ref().map_or_else(String::new, |who| format!(", {who}"));
        let times = found.how_often.as_ref().map_or_else(String::new, |n| format!(", {}", n.of(self.lang)));
        self.tell(&Both::same(format!("{}{of}{times}", found.name)), paint);
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
        let heads = self.cells(&table.heads);
        let rows: Vec<Vec<String>> = table.rows.iter().map(|row| self.cells(&row.cells)).collect();
        let widths = fitted(&heads, &rows, self.look.width);
        self.lines.push(self.look.dim(line(&heads, &widths).trim_end()));
        for (cells, row) in rows.iter().zip(&table.rows) {
            let told = line(cells, &widths).trim_end().to_owned();
            let Some(warning) = &row.warning else {
                self.lines.push(told);
                continue;
            };
            self.lines.push(self.look.warning(&told));
            self.below(warning.of(self.lang), GAP, Look::dim);
        }
    }

    /// Rows that have a group in common stand below it; `*` is what the verdict tells apart.
    fn card(&mut self, card: &Card) {
        let ratio = Both::word("ratio ", "razão ");
        let names = card.heads.iter().map(|(name, _)| Both::same(shorten(name, NAME_MOST)));
        let heads = self.cells(&[Both::same("")].into_iter().chain(names).chain([ratio]).collect::<Vec<_>>());
        let told_only = Both::word(" (told only)", " (só informado)");
        let cells = |row: &CardRow| {
            let only = if row.decides { "" } else { told_only.of(self.lang) };
            let name = Both::same(format!("{}{only}", row.name.of(self.lang)));
            let ratio = row.ratio.map_or_else(|| Both::same(UNSEEN), |apart| apart.told());
            let mark = if row.is_told_apart() { "*" } else { " " };
            let last = ratio.then(&Both::same(mark));
            self.cells(&[name].into_iter().chain(row.cells.iter().cloned()).chain([last]).collect::<Vec<_>>())
        };
        let rows: Vec<Vec<String>> = card.rows.iter().map(cells).collect();
        let widths = fitted(&heads, &rows, self.look.width);
        let room = self.look.width.saturating_sub(widths.iter().sum::<usize>() + 1).min(BAR_MOST);
        let largest =
            card.rows.iter().filter_map(|row| row.ratio).map(|apart| apart.ratio).fold(1.0, f64::max);
        self.tell(&card.caption, Look::dim);
        self.lines.push(self.look.dim(line(&heads, &widths).trim_end()));
        let mut group = None;
        for (cells, row) in rows.iter().zip(&card.rows) {
            if let Some(new) = row.group.as_ref().filter(|new| group != Some(*new)) {
                self.tell(new, Look::dim);
                group = Some(new);
            }
            let share = row.ratio.filter(|_| card.has_bars).map_or(0.0, |apart| apart.ratio / largest);
            let told = format!("{} {}", line(cells, &widths), bar(share, room));
            self.lines.push(told.trim_end().to_owned());
        }
    }

    fn cells(&self, cells: &[Both]) -> Vec<String> {
        cells.iter().map(|cell| clean(cell.of(self.lang))).collect()
    }
}

/// A share of so many columns, in eighths of one.
fn bar(share: f64, columns: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (share.clamp(0.0, 1.0) * (columns * 8) as f64).round() as usize;
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

/// Widths of columns with what stands before each, so that all of them fit: first the gaps give way, then the first column.
fn fitted(heads: &[String], rows: &[Vec<String>], limit: usize) -> Vec<usize> {
    let widest = |column: usize| {
        let all = rows.iter().map(Vec::as_slice).chain([heads]);
        all.filter_map(|cells| cells.get(column)).map(|cell| width(cell)).max().unwrap_or(0)
    };
    let mut widths: Vec<usize> = (0..heads.len()).map(widest).collect();
    let columns = widths.len().saturating_sub(1);
    let rest: usize = widths.iter().skip(1).sum();
    let first = widths.first().copied().unwrap_or(0);
    let gap = if first + rest + columns * GAP <= limit { GAP } else { 1 };
    if let Some(first) = widths.first_mut() {
        *first = (*first).min(limit.saturating_sub(rest + columns * gap)).max(1);
    }
    widths.iter_mut().skip(1).for_each(|width| *width += gap);
    // What is still too wide gives up from the widest: cells are cut then.
    while widths.iter().sum::<usize>() > limit {
        let Some(widest) = widths.iter_mut().max() else { break };
        *widest -= 1;
    }
    widths
}

/// The first column to the left, figures to the right.
fn line(cells: &[String], widths: &[usize]) -> String {
    let mut told = String::new();
    for (column, (cell, columns)) in cells.iter().zip(widths).enumerate() {
        told += &if column == 0 { left(cell, *columns) } else { right(cell, *columns) };
    }
    told
}
