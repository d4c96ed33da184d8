//! A document in a terminal: plain enough for a pipe.

use std::ops::Range;

use galo_record::finding::Weight;
use galo_words::{Both, Lang, say};

use super::grid::{Grid, Laid};
use super::table::{Align, Row};
use super::{
    Block, Card, CardRow, Document, Emphasis, Exchange, Next, Section, ShownFinding, Table, Weighs, found,
};
use crate::text::{Look, clean, clean_lines, shorten, wrap};
use crate::words::UNSEEN;

/// How many lines a summary should not pass: findings that do not fit are only counted, but for the first.
const LINES: usize = 40;
/// Lines of a piece of evidence: the request, and what differs.
const EVIDENCE_LINES: usize = 2;
/// Most lines of a note's sentence. What disqualifies or is a defect is told whole.
const NOTE_LINES: usize = 3;
/// So many requests are told, and so many characters of each: it is to be pasted, so it may pass the width.
const EXCHANGES: usize = 10;
const REQUEST: usize = 1000;
/// Columns before what stands below something.
const GAP: usize = 2;
/// How many heads of a card there are side by side, and the widest bar.
const HEADS: usize = 3;
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
        if let Some(Next { why, command }) = &self.next {
            page.tell(why, plain);
            page.lines.push(format!("  {}", clean(command)));
        }
        page.tell(&self.subject, Look::dim);
        for section in self.sections.iter().filter(|section| section.emphasis != Emphasis::Later) {
            page.section(section);
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
        let lines = wrap(&clean(told.get(self.lang)), self.look.width, "  ");
        self.lines.extend(lines.iter().map(|line| paint(self.look, line)));
    }

    /// The same below something, so much to the right.
    fn below(&mut self, text: &str, indent: usize, paint: Paint) {
        for line in wrap(&clean(text), self.look.width.saturating_sub(indent), "") {
            self.lines.push(format!("{}{}", " ".repeat(indent), paint(self.look, &line)));
        }
    }

    /// The name of a section stands in the corner of a table that begins it, where that is free.
    fn section(&mut self, section: &Section) {
        self.lines.push(String::new());
        let mut blocks = section.blocks.iter();
        let corner = |table: &&Table| table.heads.first().is_some_and(|head| head.text.en.is_empty());
        match section.blocks.first() {
            Some(Block::Table(table)) if corner(&table) => {
                let mut named = table.clone();
                named.heads[0].text = section.name.clone();
                self.table(&named);
                blocks.next();
            }
            _ => self.tell(&section.name, Look::dim),
        }
        let (mut findings, mut exchanges, mut untold) = (0, 0, 0);
        for block in blocks {
            let before = self.lines.len();
            self.block(block);
            findings += usize::from(matches!(block, Block::Finding(_)));
            exchanges += usize::from(matches!(block, Block::Exchange(of) if of.id.is_none()));
            // The first finding is always told: a disqualification without its reason would be worth nothing.
            let is_too_much = match block {
                Block::Finding(_) => findings > 1 && self.lines.len() > LINES,
                Block::Exchange(_) => exchanges > EXCHANGES,
                _ => false,
            };
            if is_too_much {
                self.lines.truncate(before);
                untold += 1;
            }
        }
        if untold > 0 {
            self.lines.push(say!(self.lang, "{untold} more in the report", "mais {untold} no relatório"));
        }
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Finding(found) => self.finding(found),
            Block::Table(table) => self.table(table),
            Block::Card(card) => {
                for first in (0..card.heads.len().max(1)).step_by(HEADS) {
                    self.card(card, first..(first + HEADS).min(card.heads.len()));
                }
            }
            Block::Bar(bar) if bar.in_terminal => self.tell(&bar.sentence(), plain),
            // That of a finding stands below it.
            Block::Exchange(exchange) if exchange.id.is_some() => {}
            Block::Exchange(exchange) => self.exchange(exchange),
            // One with sections of its own is told by them.
            Block::Link(link) if link.sections.is_empty() => {
                let name = link.name.clone().then(&Both::same(": "));
                self.tell(&name.then(&link.sentence), plain);
            }
            Block::Bar(_)
            | Block::Curve(_)
            | Block::Pairs(_)
            | Block::Timeline(_)
            | Block::Percentiles
            | Block::Link(_) => {}
            Block::Text(text) => self.tell(text, plain),
            Block::Lines(lines) => {
                self.lines.extend(clean_lines(lines).lines().map(|line| format!("  {line}")));
            }
            Block::Note(note) => self.tell(note, Look::dim),
        }
    }

    fn finding(&mut self, found: &ShownFinding) {
        let paint = if found.weight == Weight::Must { Look::warning } else { Look::bold };
        let lang = self.lang;
        let times = found.how_often.as_ref().map_or_else(String::new, |n| format!(", {}", n.get(lang)));
        let (weight, blamed) = (found::word(&found.weight), found.blamed());
        let head = format!("{}: {}, {}{times}", weight.get(lang), found.name, blamed.get(lang));
        self.tell(&Both::same(head), paint);
        let before = self.lines.len();
        self.below(found.told.text.get(self.lang), GAP, plain);
        if found.weight == Weight::Note && self.lines.len() > before + NOTE_LINES {
            self.lines.truncate(before + NOTE_LINES);
            if let Some(last) = self.lines.last_mut() {
                *last = shorten(&format!("{last}…"), self.look.width);
            }
        }
        let evidence = found.told.evidence.first().map(|first| clean_lines(first.get(self.lang)));
        let lines = evidence.iter().flat_map(|text| text.lines()).filter(|line| !line.trim().is_empty());
        for line in lines.take(EVIDENCE_LINES) {
            let line = shorten(&clean(line), self.look.width.saturating_sub(GAP));
            self.lines.push(format!("  {}", self.look.dim(&line)));
        }
        if let Some(remedy) = &found.told.remedy {
            self.below(&format!("-> {}", remedy.get(self.lang)), GAP, plain);
        }
    }

    /// A request is told whole, so that it can be pasted.
    fn exchange(&mut self, exchange: &Exchange) {
        let paint = if exchange.weight == Weight::Must { Look::warning } else { Look::bold };
        let weight = found::word(&exchange.weight);
        self.tell(&weight.then(&Both::same(": ")).then(&exchange.head), paint);
        let request = exchange.texts.first().map(|text| clean(text.get(self.lang)));
        self.lines.extend(request.map(|text| format!("  {}", self.look.dim(&shorten(&text, REQUEST)))));
        if let Some(difference) = &exchange.difference {
            self.below(difference.get(self.lang), GAP, plain);
        }
    }

    fn table(&mut self, table: &Table) {
        if table.is_wide {
            return;
        }
        let table = table.narrowed();
        let cells = |row: &Row| row.cells.iter().map(|cell| clean(&cell.write(self.lang))).collect();
        let grid = Grid {
            heads: table.heads.iter().map(|head| clean(head.text.get(self.lang))).collect(),
            aligns: table.heads.iter().map(|head| head.align).collect(),
            rows: table.rows.iter().map(cells).collect(),
        };
        let laid = grid.lay(self.look.width);
        self.heads(&laid);
        for (lines, row) in laid.rows.iter().zip(&table.rows) {
            let paint = if row.warning.is_some() { Look::warning } else { plain };
            self.lines.extend(lines.iter().map(|line| paint(self.look, line.trim_end())));
            if let Some(warning) = &row.warning {
                self.below(warning.get(self.lang), GAP, Look::dim);
            }
        }
    }

    fn heads(&mut self, laid: &Laid) {
        self.lines.extend(laid.heads.iter().map(|line| self.look.dim(line.trim_end())));
    }

    /// Rows that have a group in common stand below it; `*` is what the verdict tells apart, `?` what it cannot say yet. These columns; ratios stand
    /// beside the first ones.
    fn card(&mut self, card: &Card, columns: Range<usize>) {
        let has_ratios = card.against.is_some() && columns.start == 0;
        let mut heads = vec![String::new()];
        heads.extend(card.heads[columns.clone()].iter().map(|head| clean(&head.name)));
        heads.extend(has_ratios.then(|| self.lang.pick("ratio ", "razão ").to_owned()));
        let rows =
            card.rows.iter().map(|row| self.card_cells(card, row, columns.clone(), has_ratios)).collect();
        let laid = Grid { heads, aligns: vec![Align::Left], rows }.lay(self.look.width);
        let room = laid.room.unwrap_or(0).saturating_sub(1).min(BAR_MOST);
        let largest =
            card.rows.iter().filter_map(|row| row.ratio).map(|apart| apart.ratio).fold(1.0, f64::max);
        if columns.start == 0 {
            self.tell(&card.caption, Look::dim);
        }
        self.heads(&laid);
        let mut group = None;
        for (lines, row) in laid.rows.iter().zip(&card.rows) {
            if let Some(new) = row.group.as_ref().filter(|new| group != Some(*new)) {
                self.tell(new, Look::dim);
                group = Some(new);
            }
            let share = row.ratio.filter(|_| card.has_bars).map_or(0.0, |apart| apart.ratio / largest);
            let mut told = lines.join("\n");
            if let Some(first) = lines.first() {
                told.insert_str(first.len(), &format!(" {}", bar(share, room)));
            }
            for column in columns.clone().filter(|column| self.look.colour && card.is_struck(row, *column)) {
                // Only what is between brackets, which colour takes the place of.
                let bracketed = format!("[{}]", clean(&row.cells[column].write(self.lang)));
                let struck = format!(" {} ", self.look.struck(&bracketed[1..bracketed.len() - 1]));
                told = told.replacen(&bracketed, &struck, 1);
            }
            self.lines.extend(told.lines().map(|line| line.trim_end().to_owned()));
        }
    }

    /// One row of a card. A figure that is out stands in brackets.
    fn card_cells(&self, card: &Card, row: &CardRow, columns: Range<usize>, has_ratios: bool) -> Vec<String> {
        let only = if row.is_told_only() { self.lang.pick(" (told only)", " (só informado)") } else { "" };
        let mut cells = vec![format!("{}{only}", clean(row.name.get(self.lang)))];
        cells.extend(columns.map(|column| {
            let told = row.cells.get(column).map_or_else(String::new, |cell| clean(&cell.write(self.lang)));
            if card.is_struck(row, column) { format!("[{told}]") } else { told }
        }));
        cells.extend(has_ratios.then(|| {
            let ratio = match (row.ratio, row.weighs) {
                (Some(apart), _) => apart.told().get(self.lang).to_owned(),
                (None, Weighs::Count | Weighs::ToldOnly) => String::new(),
                (None, _) => UNSEEN.to_owned(),
            };
            format!("{ratio}{}", row.mark())
        }));
        cells
    }
}

/// A share of so many columns, in eighths of one.
fn bar(share: f64, columns: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (share.clamp(0.0, 1.0) * (columns * 8) as f64).round() as usize;
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}
