//! A document as one page.
//!
//! A page is one file without any outside reference: style, script and data are in it. Words stand in it in both languages,
//! figures in tables; the charts are drawn by a script from columns of numbers
//! ([ADR 25](../../../docs/adr/025-the-pages-charts-are-drawn-by-uplot.md)). A policy in the page lets no other script run.

mod data;
mod frame;
mod lang;

use askama::Template;
use askama::filters::Safe;
use galo_record::RunHeader;
use galo_words::nouns::CORE;
use galo_words::{Both, Figure};

use super::{Block, Cell, Document, Section, Tone, Weighs, found, identifier};
use crate::text;
use crate::words::labels;
use data::ChartData;
use frame::Frame;
pub use lang::Language;
use lang::both;

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HtmlError {
    /// The template refused.
    #[error(
        "cannot write the report as HTML: {0}\nhint: this is a bug in galo; report.json holds the same figures"
    )]
    Template(#[from] askama::Error),
    /// The charts' values cannot be written.
    #[error(
        "cannot write the charts' values: {0}\nhint: this is a bug in galo; report.json holds the same figures"
    )]
    Values(#[from] serde_json::Error),
}

/// The page as its template sees it.
#[derive(Template)]
#[template(path = "document.html")]
struct Page<'a> {
    frame: Frame,
    document: &'a Document,
}

impl Document {
    /// The report as one HTML file.
    ///
    /// # Errors
    /// None that depends on the report's content; see [`HtmlError`].
    pub fn html(&self, language: Language) -> Result<String, HtmlError> {
        let blocks = || self.sections.iter().flat_map(|section| &section.blocks);
        let timeline =
            blocks().find_map(|block| if let Block::Timeline(told) = block { Some(told) } else { None });
        let pairs = blocks().find_map(|block| if let Block::Pairs(told) = block { Some(told) } else { None });
        let charts = ChartData::of(timeline, pairs);
        Ok(Page { frame: Frame::new(&charts, language)?, document: self }.render()?)
    }
}

/// Text of unknown origin in one line: the template escapes what it returns.
fn name(raw: &str) -> String {
    text::clean(raw)
}

/// The same in several.
fn lines(raw: &str) -> String {
    text::clean_lines(raw)
}

impl Page<'_> {
    /// How and where it was driven.
    fn facts(&self, origin: &RunHeader) -> Vec<(Both, Both)> {
        let machine = &origin.machine;
        let same = |text: &str| Both::same(text.to_owned());
        let (kind, tipo) = match machine.virtual_machine {
            true => ("virtual machine", "máquina virtual"),
            false => ("no hypervisor seen", "nenhum hipervisor visto"),
        };
        let processor = Both::each(|lang| {
            let (cpu, cores) = (&machine.cpu, lang.counted(machine.cores.into(), CORE));
            format!("{cpu}, {cores} ({})", lang.pick(kind, tipo))
        });
        let mut facts = vec![(labels::STARTED, same(&origin.started)), (same("galo"), same(&origin.galo))];
        facts.extend(self.document.terms.iter().cloned());
        facts.extend([
            (labels::PROCESSOR, processor),
            (labels::MEMORY, Both::figure(Figure::Mib(machine.memory_bytes as f64))),
            (labels::SYSTEM, same(&format!("{}, {}", machine.system, machine.kernel))),
            (labels::CONTROL_GROUPS, same(&machine.cgroups)),
            (labels::CLOCK_SOURCE, same(&machine.clock_source)),
        ]);
        facts.extend(machine.settings.iter().map(|(name, value)| (same(name), same(value))));
        facts
    }
}

fn cell(cell: &Cell) -> Safe<String> {
    both(&cell.both())
}

fn command(origin: &RunHeader) -> String {
    text::clean(&shell_words::join(&origin.command))
}

impl Tone {
    /// Style class.
    const fn class(self) -> &'static str {
        match self {
            Self::Decided => "decided",
            Self::Open => "open",
            Self::Broken => "broken",
            Self::Void => "void",
        }
    }
}

impl Section {
    /// Blocks with what links to them, where anything does; those that stand side by side are together.
    fn groups(&self) -> Vec<Vec<(&Block, String)>> {
        let mut names: Vec<&str> = Vec::new();
        let mut groups: Vec<Vec<(&Block, String)>> = Vec::new();
        for block in &self.blocks {
            let mut id = String::new();
            if let Block::Finding(found) = block {
                id = identifier(&found.name, names.iter().filter(|name| **name == found.name).count());
                names.push(&found.name);
            }
            let is_bar = |block: &Block| matches!(block, Block::Bar(_));
            match groups.last_mut() {
                Some(group) if is_bar(block) && group.iter().all(|(other, _)| is_bar(other)) => {
                    group.push((block, id));
                }
                _ => groups.push(vec![(block, id)]),
            }
        }
        groups
    }
}
