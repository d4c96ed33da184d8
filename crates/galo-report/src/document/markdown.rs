//! A document as Markdown, for a pull request: what must be known first, what decides, the sections, how to do it again.

use galo_record::RunHeader;
use galo_record::finding::Weight;
use galo_words::{Both, Lang, say};

use super::table::Row;
use super::{
    Block, Card, CardRow, Cell, Document, Emphasis, Exchange, Section, ShownFinding, Table, Weighs, found,
};
use crate::markdown::{block, details, join, table, text, warning};
use crate::text::clean;
use crate::words::{self, UNSEEN, labels};

impl Document {
    /// The report as Markdown. Ends with a newline.
    pub fn markdown(&self, lang: Lang) -> String {
        let told = |both: &Both| text(both.get(lang));
        let warnings: Vec<String> = self.warnings.iter().map(|told| warning(told.get(lang))).collect();
        let marked = |told: String, warns: bool| if warns { format!("**{told}**") } else { told };
        let lines = self.lines.iter().map(|line| format!("- {}\n", marked(told(&line.text), line.warns)));
        let answers = self.answers.iter().filter(|answer| !answer.is_tile).map(|answer| {
            format!("- {}: {}\n", told(&answer.question), marked(told(&answer.text), answer.warns))
        });
        let mut parts = vec![
            warnings.join("\n"),
            format!("### {}", told(&self.verdict)),
            lines.chain(answers).collect(),
            self.next.as_ref().map_or_else(String::new, |next| {
                format!("{}\n\n{}", told(&next.why), block("sh", &clean(&next.command)))
            }),
            told(&self.subject),
        ];
        parts.extend(self.sections.iter().map(|of| section(of, lang)));
        let terms = self.terms.iter().map(|(name, what)| vec![told(name), told(what)]);
        let heads = [String::new(), String::new()];
        let terms = if self.terms.is_empty() {
            String::new()
        } else {
            table(&heads, &[0], &terms.collect::<Vec<_>>())
        };
        let again = self.origin.as_ref().map_or_else(String::new, |origin| done_again(origin, lang));
        parts.push(details(labels::PLAN.get(lang), &join(&[terms, again])));
        join(&parts)
    }
}

/// What it takes to do it again, and where it was.
fn done_again(RunHeader { command, galo, started, machine, .. }: &RunHeader, lang: Lang) -> String {
    let command = block("sh", &clean(&shell_words::join(command)));
    let machine = words::machine(machine, lang);
    let place = say!(lang, "galo {galo}, {started}, on {machine}", "galo {galo}, {started}, em {machine}");
    format!("{command}\n{}\n", text(&place))
}

fn section(of: &Section, lang: Lang) -> String {
    // Mere notes are for whoever asks, but for what held back most.
    let first_cause =
        of.blocks.iter().position(|block| matches!(block, Block::Finding(found) if found.explains.is_some()));
    let is_aside = |(index, block): &(usize, &Block)| {
        matches!(block, Block::Finding(found) if found.weight == Weight::Note) && Some(*index) != first_cause
    };
    let (aside, blocks): (Vec<_>, Vec<_>) = of.blocks.iter().enumerate().partition(is_aside);
    let told = |(_, block): (usize, &Block)| told_block(block, lang);
    let aside: Vec<String> = aside.into_iter().filter_map(told).collect();
    let mut blocks: Vec<String> = blocks.into_iter().filter_map(told).collect();
    blocks.extend((!aside.is_empty()).then(|| details(lang.pick("notes", "notas"), &join(&aside))));
    let name = of.name.get(lang);
    match of.emphasis {
        _ if blocks.is_empty() => String::new(),
        Emphasis::First => format!("#### {}\n\n{}", text(name), join(&blocks)),
        Emphasis::Second | Emphasis::Later => details(name, &join(&blocks)),
    }
}

fn told_block(block: &Block, lang: Lang) -> Option<String> {
    match block {
        Block::Finding(found) => Some(finding(found, lang)),
        Block::Table(table) => Some(rows(table, lang)),
        Block::Card(of) => Some(card(of, lang)),
        Block::Bar(bar) => Some(text(bar.sentence().get(lang))),
        // That of a finding stands below it.
        Block::Exchange(of) => of.id.is_none().then(|| exchange(of, lang)),
        Block::Curve(_) | Block::Pairs(_) | Block::Timeline(_) | Block::Percentiles => None,
        Block::Link(link) if link.sections.is_empty() => {
            Some(format!("**{}**: {}", text(link.name.get(lang)), text(link.sentence.get(lang))))
        }
        Block::Link(link) => {
            let sections: Vec<String> = link.sections.iter().map(|of| section(of, lang)).collect();
            let summary = format!("{}: {}", link.name.get(lang), link.sentence.get(lang));
            Some(details(&summary, &join(&sections)))
        }
        Block::Text(told) => Some(text(told.get(lang))),
        Block::Lines(lines) => Some(crate::markdown::block("yaml", lines)),
        Block::Note(note) => Some(text(note.get(lang))),
    }
}

fn finding(found: &ShownFinding, lang: Lang) -> String {
    let name = text(&found.name);
    let name = if found.weight == Weight::Note { name } else { format!("**{name}**") };
    let evidence = found.told.evidence.iter().map(|piece| piece.get(lang)).collect::<Vec<_>>().join("\n");
    join(&[
        format!("{name}{}: {}", of_whom(found, lang), text(found.told.text.get(lang))),
        if evidence.trim().is_empty() { String::new() } else { block("", &evidence) },
        found.told.remedy.as_ref().map_or_else(String::new, |remedy| format!("→ {}", text(remedy.get(lang)))),
    ])
}

fn of_whom(found: &ShownFinding, lang: Lang) -> String {
    let times = found.how_often.as_ref().map_or_else(String::new, |n| format!(", {}", n.get(lang)));
    text(&format!(", {}{times}", found.blamed().get(lang)))
}

fn exchange(of: &Exchange, lang: Lang) -> String {
    let texts = of.texts.iter().map(|piece| piece.get(lang)).collect::<Vec<_>>().join("\n");
    let difference = of.difference.as_ref().map_or_else(String::new, |told| text(told.get(lang)));
    let head = format!("**{}**: {}", text(found::word(&of.weight).get(lang)), text(of.head.get(lang)));
    join(&[head, block("", &texts), difference])
}

/// What decides is in bold.
fn card(of: &Card, lang: Lang) -> String {
    let mut heads = vec![String::new()];
    heads.extend(of.heads.iter().map(|head| text(&head.name)));
    heads.extend(of.against.iter().flat_map(|against| [text(against.get(lang)), String::new()]));
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut group = None;
    for row in &of.rows {
        if let Some(new) = row.group.as_ref().filter(|new| group != Some(*new)) {
            let mut name = vec![format!("*{}*", text(new.get(lang)))];
            name.resize(heads.len(), String::new());
            rows.push(name);
            group = Some(new);
        }
        rows.push(card_row(of, row, lang));
    }
    format!("{}\n\n{}", text(of.caption.get(lang)), table(&heads, &[0], &rows))
}

fn card_row(card: &Card, row: &CardRow, lang: Lang) -> Vec<String> {
    let bold = |told: String| if row.decides() { format!("**{told}**") } else { told };
    let mut told = vec![bold(text(row.name.get(lang)))];
    told.extend(row.cells.iter().enumerate().map(|(column, cell)| {
        let cell = text(&cell.write(lang));
        if card.is_struck(row, column) { format!("~~{cell}~~") } else { cell }
    }));
    if card.against.is_some() {
        let (ratio, answer) = match (row.ratio, row.weighs) {
            (None, Weighs::Count | Weighs::ToldOnly) => (String::new(), Both::same("")),
            (Some(apart), Weighs::ToldOnly) => (text(apart.told().get(lang)), labels::TOLD_ONLY),
            (Some(apart), _) => (bold(text(apart.told().get(lang))), apart.answer()),
            (None, _) if row.cells.contains(&Cell::Unseen) => (String::new(), labels::NOT_MEASURED),
            (None, _) => (bold(text(UNSEEN)), labels::TOO_FEW_ROUNDS),
        };
        told.extend([ratio, text(answer.get(lang))]);
    }
    told
}

/// What warns stands behind the row, in a column of its own, where any does.
fn rows(of: &Table, lang: Lang) -> String {
    let warns = of.warns();
    let mut heads: Vec<String> = of.heads.iter().map(|head| text(head.text.get(lang))).collect();
    heads.extend(warns.then(String::new));
    let left: Vec<usize> = (0..of.heads.len()).filter(|column| of.heads[*column].is_text()).collect();
    let row = |row: &Row| {
        let mut told: Vec<String> = row.cells.iter().map(|cell| text(&cell.write(lang))).collect();
        let warning = row.warning.as_ref().map_or_else(String::new, |told| text(told.get(lang)));
        told.extend(warns.then_some(warning));
        told
    };
    let rows: Vec<Vec<String>> = of.rows.iter().map(row).collect();
    format!("{}\n\n{}", text(of.caption.get(lang)), table(&heads, &left, &rows))
}
