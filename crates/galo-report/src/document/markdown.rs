//! A document as Markdown, for a pull request: what decides first, then the sections, then how to do it again.

use galo_judge::Difference;
use galo_record::finding::Weight;

use super::{Block, Card, CardRow, Document, Emphasis, Found, Section, Table};
use crate::markdown::{Origin, block, details, join, table, text, warning};
use crate::words::{Both, Lang, UNSEEN, labels};

impl Document {
    /// The report as Markdown. Ends with a newline.
    pub fn markdown(&self, lang: Lang) -> String {
        let told = |both: &Both| text(both.of(lang));
        let warnings: Vec<String> = self.warnings.iter().map(|told| warning(told.of(lang))).collect();
        let marked = |told: String, warns: bool| if warns { format!("**{told}**") } else { told };
        let lines = self.lines.iter().map(|line| format!("- {}\n", marked(told(&line.text), line.warns)));
        let answers = self.answers.iter().filter(|answer| !answer.is_tile).map(|answer| {
            format!("- {}: {}\n", told(&answer.question), marked(told(&answer.text), answer.warns))
        });
        let mut parts = vec![
            format!("### {}", told(&self.verdict)),
            warnings.join("\n"),
            lines.chain(answers).collect(),
            told(&self.subject),
        ];
        parts.extend(self.sections.iter().map(|of| section(of, lang)));
        parts.push(Origin::from(&self.origin).told(lang));
        join(&parts)
    }
}

fn section(of: &Section, lang: Lang) -> String {
    let blocks: Vec<String> = of.blocks.iter().filter_map(|block| told_block(block, lang)).collect();
    let name = text(of.name.of(lang));
    match of.emphasis {
        _ if blocks.is_empty() => String::new(),
        Emphasis::First => format!("#### {name}\n\n{}", join(&blocks)),
        Emphasis::Later => details(&name, &join(&blocks)),
    }
}

fn told_block(block: &Block, lang: Lang) -> Option<String> {
    match block {
        Block::Finding(found) => Some(finding(found, lang)),
        Block::Table(table) => Some(rows(table, lang)),
        Block::Card(of) => Some(card(of, lang)),
        Block::Curve(_) | Block::Pairs(_) => None,
        Block::Link(link) => {
            let sections: Vec<String> = link.sections.iter().map(|of| section(of, lang)).collect();
            Some(details(
                &format!("{}: {}", text(&link.name), text(link.sentence.of(lang))),
                &join(&sections),
            ))
        }
        Block::Text(told) => Some(text(told.of(lang))),
        Block::Note(note) => Some(text(note.of(lang))),
    }
}

fn finding(found: &Found, lang: Lang) -> String {
    let name = text(&found.name);
    let name = if found.weight == Weight::Note { name } else { format!("**{name}**") };
    let evidence = found.told.evidence.iter().map(|piece| piece.of(lang)).collect::<Vec<_>>().join("\n");
    join(&[
        format!("{name}{}: {}", of_whom(found, lang), text(found.told.text.of(lang))),
        if evidence.trim().is_empty() { String::new() } else { block("", &evidence) },
        found.told.remedy.as_ref().map_or_else(String::new, |remedy| format!("→ {}", text(remedy.of(lang)))),
    ])
}

fn of_whom(found: &Found, lang: Lang) -> String {
    let of = found.contender.as_ref().map_or_else(String::new, |who| format!(", {who}"));
    let times = found.how_often.as_ref().map_or_else(String::new, |n| format!(", {}", n.of(lang)));
    text(&format!("{of}{times}"))
}

/// What decides is in bold.
fn card(of: &Card, lang: Lang) -> String {
    let names = of.heads.iter().map(|(name, _)| text(name));
    let heads: Vec<String> =
        [String::new()].into_iter().chain(names).chain([text(of.against.of(lang)), String::new()]).collect();
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut group = None;
    for row in &of.rows {
        if let Some(new) = row.group.as_ref().filter(|new| group != Some(*new)) {
            let mut name = vec![format!("*{}*", text(new.of(lang)))];
            name.resize(heads.len(), String::new());
            rows.push(name);
            group = Some(new);
        }
        rows.push(card_row(row, lang));
    }
    format!("{}\n\n{}", text(of.caption.of(lang)), table(&heads, &rows))
}

fn card_row(row: &CardRow, lang: Lang) -> Vec<String> {
    let bold = |told: String| if row.decides { format!("**{told}**") } else { told };
    let ratio = row.ratio.map_or_else(|| UNSEEN.to_owned(), |apart| apart.told().of(lang).to_owned());
    let answer = match row.ratio.map(|apart| apart.difference) {
        _ if !row.decides => labels::TOLD_ONLY,
        Some(Difference::Better) => labels::BETTER,
        Some(Difference::Worse) => labels::WORSE,
        Some(Difference::NoDifference) => labels::NO_DIFFERENCE,
        Some(Difference::TooFewRounds) | None => labels::TOO_FEW_ROUNDS,
    };
    let cells = row.cells.iter().map(|cell| text(cell.of(lang)));
    let last = [bold(text(&ratio)), text(answer.of(lang))];
    [bold(text(row.name.of(lang)))].into_iter().chain(cells).chain(last).collect()
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
