//! A document as one page.

use askama::Template;

use super::{Answer, Block, Card, CardRow, Document, Found, Section, Table, Tone};
use crate::html::lang::{self, Both, Language};
use crate::html::{self, ChartData, FindingView, Frame, HtmlError, LevelColumns, Opening, RatioAxis};
use crate::text::clean;

/// The page as its template sees it.
#[derive(Template)]
#[template(path = "document.html")]
struct Page {
    frame: Frame,
    lines: Vec<Both>,
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
    Card(&'static str, html::Card),
    Pairs,
    Link(LinkView),
    Text(Both),
    Note(Both),
}

/// A child run.
struct LinkView {
    name: String,
    page: Option<String>,
    sentence: Both,
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
                Tone::Broken => "broken",
                Tone::Void => "void",
            },
            glance: self.answers.iter().map(tile).collect(),
            subject: safe(&self.subject),
            sections: self
                .sections
                .iter()
                .map(|section| (section.id, safe(&section.name)))
                .chain([("again-title", lang::MACHINE_AND_PLAN)])
                .collect(),
        };
        let page = Page {
            frame: Frame::new(opening, &self.charts(), language)?,
            lines: self.lines.iter().map(|line| safe(&line.text)).collect(),
            sections: self.sections.iter().map(section).collect(),
            facts: self.facts(),
            command: clean(&html::shell_line(&self.origin.command)),
        };
        Ok(page.render()?)
    }

    fn charts(&self) -> ChartData {
        let blocks = self.sections.iter().flat_map(|section| &section.blocks);
        let mut pairs =
            blocks.filter_map(|block| if let Block::Pairs(pairs) = block { Some(pairs) } else { None });
        pairs.next_back().map_or_else(ChartData::none, |pairs| {
            let columns = |level: &super::PairLevel| LevelColumns::new(&level.name, &level.p99_ms);
            ChartData::of_duel(
                pairs.sides.each_ref().map(|side| clean(side)),
                pairs.levels.iter().map(columns).collect(),
            )
        })
    }

    fn facts(&self) -> Vec<(Both, Both)> {
        let mut facts = vec![
            (lang::STARTED, Both::same(clean(&self.origin.started))),
            (Both::same("galo"), Both::same(clean(&self.origin.galo))),
        ];
        facts.extend(self.terms.iter().map(|(name, told)| (safe(name), safe(told))));
        facts.extend(html::machine(&self.origin.machine));
        facts
    }
}

fn safe(told: &Both) -> Both {
    told.map(clean)
}

fn tile(answer: &Answer) -> html::Answer {
    let link = answer.link.clone();
    html::Answer { link, ..html::Answer::new(safe(&answer.question), safe(&answer.text)) }
}

fn card(of: &Card) -> html::Card {
    let axis = RatioAxis::around(of.rows.iter().filter_map(|row| row.ratio?.interval));
    let row = |row: &CardRow| {
        let told_only = (!row.decides).then_some(lang::TOLD_ONLY);
        let note = match (&row.group, told_only) {
            (Some(group), Some(only)) => Some(group.clone().then(&Both::same(" – ")).then(&only)),
            (group, only) => group.clone().or(only),
        };
        html::Row {
            name: safe(&row.name),
            note: note.as_ref().map(safe),
            primary: row.is_primary,
            cells: row.cells.iter().map(|text| html::Cell { text: safe(text), struck: false }).collect(),
            ratio: row.ratio.map(|apart| {
                let svg =
                    axis.map(|axis| axis.interval(Some(apart.ratio), apart.interval)).unwrap_or_default();
                html::Ratio::new(apart.told(), apart.difference, svg)
            }),
        }
    };
    let head = |(colour, (name, about)): (usize, &(String, Both))| html::Head {
        name: clean(name),
        about: safe(about),
        colour: colour % 4,
    };
    html::Card {
        caption: safe(&of.caption),
        heads: of.heads.iter().enumerate().map(head).collect(),
        against: Some(safe(&of.against)),
        rows: of.rows.iter().map(row).collect(),
    }
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
        Block::Card(of) => View::Card(of.id, card(of)),
        Block::Pairs(_) => View::Pairs,
        Block::Link(link) => View::Link(LinkView {
            name: clean(&link.name),
            page: link.page.as_deref().map(clean),
            sentence: safe(&link.sentence),
        }),
        Block::Text(text) => View::Text(safe(text)),
        Block::Note(note) => View::Note(safe(note)),
    };
    let blocks = of.blocks.iter().enumerate().map(view).collect();
    SectionView { id: of.id, name: safe(&of.name), blocks }
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
    FindingView::of(&of, found.contender.clone(), found.how_often.clone(), before)
}

/// What warns stands behind its row, in a column of its own, where any does.
fn table(of: &Table) -> html::Table {
    let warns = of.rows.iter().any(|row| row.warning.is_some());
    let mut heads: Vec<Both> = of.heads.iter().map(safe).collect();
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
