//! A document as one page.

use askama::Template;

use super::{Block, Document, Found, Section, Table, Tone};
use crate::html::lang::{self, Both, Language};
use crate::html::{self, ChartData, FindingView, Frame, HtmlError, Opening};
use crate::text::clean;

/// The page as its template sees it.
#[derive(Template)]
#[template(path = "document.html")]
struct Page {
    frame: Frame,
    sections: Vec<SectionView>,
    facts: Vec<(Both, Both)>,
    command: String,
}

struct SectionView {
    id: &'static str,
    name: Both,
    blocks: Vec<View>,
}

/// A block ready to be written.
enum View {
    Finding(Box<FindingView>),
    Table(html::Table),
    /// Caption, what the axes show, drawing.
    Curve(Both, Both, String),
    Note(Both),
}

impl Document {
    /// The report as one HTML file.
    ///
    /// # Errors
    /// None that depends on the report's content; see [`HtmlError`].
    pub fn html(&self, language: Language) -> Result<String, HtmlError> {
        let opening = Opening {
            title: clean(&self.title),
            warnings: self.warnings.iter().map(safe).collect(),
            verdict: safe(&self.verdict),
            verdict_class: match self.tone {
                Tone::Decided => "decided",
                Tone::Open => "open",
                Tone::Void => "void",
            },
            glance: self
                .answers
                .iter()
                .map(|a| html::Answer::new(safe(&a.question), safe(&a.text)))
                .collect(),
            subject: safe(&self.subject),
            sections: self
                .sections
                .iter()
                .map(|section| (section.id, section.name.clone()))
                .chain([("again-title", lang::MACHINE_AND_PLAN)])
                .collect(),
        };
        let page = Page {
            frame: Frame::new(opening, &ChartData::none(), language)?,
            sections: self.sections.iter().map(section).collect(),
            facts: self.facts(),
            command: clean(&html::shell_line(&self.origin.command)),
        };
        Ok(page.render()?)
    }

    fn facts(&self) -> Vec<(Both, Both)> {
        let mut facts = vec![
            (lang::STARTED, Both::same(clean(&self.origin.started))),
            (Both::same("galo"), Both::same(clean(&self.origin.galo))),
        ];
        facts.extend(self.terms.iter().map(|(name, told)| (name.clone(), safe(told))));
        facts.extend(html::machine(&self.origin.machine));
        facts
    }
}

fn safe(told: &Both) -> Both {
    told.map(clean)
}

fn section(of: &Section) -> SectionView {
    let view = |(index, block): (usize, &Block)| match block {
        Block::Finding(found) => View::Finding(Box::new(finding(found, alike(&of.blocks[..index], found)))),
        Block::Table(of) => View::Table(table(of)),
        Block::Curve(curve) => {
            let [across, up] = curve.axes.each_ref().map(safe);
            let axes = Both::same("→ ").then(&across).then(&Both::same("; ↑ ")).then(&up);
            View::Curve(safe(&curve.caption), axes, curve.svg())
        }
        Block::Note(note) => View::Note(safe(note)),
    };
    let blocks = of.blocks.iter().enumerate().map(view).collect();
    SectionView { id: of.id, name: of.name.clone(), blocks }
}

/// How many findings of the same name are among these.
fn alike(blocks: &[Block], found: &Found) -> usize {
    let is_alike = |block: &&Block| matches!(block, Block::Finding(other) if other.name == found.name);
    blocks.iter().filter(is_alike).count()
}

fn finding(found: &Found, before: usize) -> FindingView {
    let of = html::Found {
        name: &found.name,
        weight: found.weight,
        blame: found.blame,
        told: &found.told,
        explains: found.explains,
    };
    FindingView::of(&of, found.contender.clone(), None, before)
}

/// What warns stands behind its row, in a column of its own, where any does.
fn table(of: &Table) -> html::Table {
    let warns = of.rows.iter().any(|row| row.warning.is_some());
    let mut heads = of.heads.clone();
    heads.extend(warns.then(|| Both::same("")));
    let row = |row: &super::Row| {
        let mut cells: Vec<Both> = row.cells.iter().map(safe).collect();
        cells.extend(warns.then(|| row.warning.as_ref().map_or_else(|| Both::same(""), safe)));
        cells
    };
    html::Table {
        id: of.id.to_owned(),
        class: if warns { "told" } else { "" },
        caption: safe(&of.caption),
        heads,
        rows: of.rows.iter().map(row).collect(),
    }
}
