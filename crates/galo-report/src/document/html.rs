//! A document as one page.

use askama::Template;

use super::{Block, Document, Section, Tone, Weighs, found, identifier};
use crate::html::{ChartData, Frame, HtmlError, Language};
use crate::text;
use crate::words::{Both, counted, labels as lang, mib};

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
    fn facts(&self) -> Vec<(Both, Both)> {
        let (origin, machine) = (&self.document.origin, &self.document.origin.machine);
        let same = |text: &str| Both::same(text.to_owned());
        let (kind, tipo) = match machine.virtual_machine {
            true => ("virtual machine", "máquina virtual"),
            false => ("no hypervisor seen", "nenhum hipervisor visto"),
        };
        let (cpu, cores) = (&machine.cpu, machine.cores);
        let nucleos = if cores == 1 { "núcleo" } else { "núcleos" };
        let processor = Both::new(
            format!("{cpu}, {} ({kind})", counted(cores as usize, "core")),
            format!("{cpu}, {cores} {nucleos} ({tipo})"),
        );
        let mut facts = vec![(lang::STARTED, same(&origin.started)), (same("galo"), same(&origin.galo))];
        facts.extend(self.document.terms.iter().cloned());
        facts.extend([
            (lang::PROCESSOR, processor),
            (lang::MEMORY, Both::figure(mib(machine.memory_bytes as f64))),
            (lang::SYSTEM, same(&format!("{}, {}", machine.system, machine.kernel))),
            (lang::CONTROL_GROUPS, same(&machine.cgroups)),
            (lang::CLOCK_SOURCE, same(&machine.clock_source)),
        ]);
        facts.extend(machine.settings.iter().map(|(name, value)| (same(name), same(value))));
        facts
    }

    fn command(&self) -> String {
        text::clean(&shell_words::join(&self.document.origin.command))
    }
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
