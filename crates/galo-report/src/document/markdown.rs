//! A document as Markdown, for a pull request: what decides first, then the sections, then how to do it again.

use galo_record::finding::Weight;

use super::{Block, Document, Found, Table};
use crate::markdown::{Origin, block, join, table, text, warning};
use crate::words::{Both, Lang};

impl Document {
    /// The report as Markdown. Ends with a newline.
    pub fn markdown(&self, lang: Lang) -> String {
        let told = |both: &Both| text(both.of(lang));
        let warnings: Vec<String> = self.warnings.iter().map(|told| warning(told.of(lang))).collect();
        let answers = self.answers.iter().map(|answer| {
            let answered = told(&answer.text);
            let answered = if answer.warns { format!("**{answered}**") } else { answered };
            format!("- {}: {answered}\n", told(&answer.question))
        });
        let mut parts = vec![
            format!("### {}", told(&self.verdict)),
            warnings.join("\n"),
            answers.collect(),
            told(&self.subject),
        ];
        for section in &self.sections {
            parts.push(format!("#### {}", told(&section.name)));
            parts.extend(section.blocks.iter().filter_map(|block| told_block(block, lang)));
        }
        parts.push(Origin::from(&self.origin).told());
        join(&parts)
    }
}

fn told_block(block: &Block, lang: Lang) -> Option<String> {
    match block {
        Block::Finding(found) => Some(finding(found, lang)),
        Block::Table(table) => Some(rows(table, lang)),
        Block::Curve(_) => None,
        Block::Note(note) => Some(text(note.of(lang))),
    }
}

fn finding(found: &Found, lang: Lang) -> String {
    let name = text(&found.name);
    let name = if found.weight == Weight::Note { name } else { format!("**{name}**") };
    let evidence = found.told.evidence.iter().map(|piece| piece.of(lang)).collect::<Vec<_>>().join("\n");
    join(&[
        format!("{name}: {}", text(found.told.text.of(lang))),
        if evidence.trim().is_empty() { String::new() } else { block("", &evidence) },
        found.told.remedy.as_ref().map_or_else(String::new, |remedy| format!("→ {}", text(remedy.of(lang)))),
    ])
}

/// What warns stands behind the row, in a column of its own, where any does.
fn rows(of: &Table, lang: Lang) -> String {
    let cells = |cells: &[Both]| cells.iter().map(|cell| text(cell.of(lang))).collect::<Vec<_>>();
    let warns = of.rows.iter().any(|row| row.warning.is_some());
    let mut heads = cells(&of.heads);
    heads.extend(warns.then(String::new));
    let row = |row: &super::Row| {
        let mut told = cells(&row.cells);
        let warning = row.warning.as_ref().map_or_else(String::new, |told| text(told.of(lang)));
        told.extend(warns.then_some(warning));
        told
    };
    let rows: Vec<Vec<String>> = of.rows.iter().map(row).collect();
    format!("{}\n\n{}", text(of.caption.of(lang)), table(&heads, &rows))
}
