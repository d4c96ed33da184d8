//! Runs side by side as they are told: which, what differs, then each figure.

use galo_judge::unpaired::LEAST_ROUNDS;
use galo_words::nouns::RUN;
use galo_words::{Both, say};

use super::{Cell, CompareReport, ComparedFigure, ComparedRun, Entry, Kind};
use crate::document::Cell as Told;
use crate::document::{Block, Column, Document, Emphasis, Section, Table, Tone};
use crate::fight::SHORT;
use crate::words::ratio_in_words;

impl CompareReport {
    /// The whole of it.
    pub fn document(&self) -> Document {
        let subject = Both::told(|lang| {
            let runs = lang.counted(self.runs.len() as u64, RUN);
            say!(lang, "{runs} side by side", "{runs} lado a lado")
        });
        let figures = self.figures.iter().enumerate();
        let mut sections = vec![self.which()];
        sections.extend(figures.filter_map(|(number, figure)| self.section(number, figure)));
        sections.extend([self.remarks(), self.places()].into_iter().filter(|of| !of.blocks.is_empty()));
        Document {
            title: subject.en.to_string(),
            warnings: self.differences.iter().map(|differs| differs.text.clone()).collect(),
            verdict: self.note.clone(),
            tone: Tone::Open,
            answers: Vec::new(),
            subject,
            lines: Vec::new(),
            next: None,
            sections,
            terms: Vec::new(),
            origin: None,
        }
    }

    /// Each run with its own verdict.
    fn which(&self) -> Section {
        let blocks = self.runs.iter().enumerate().flat_map(|(index, run)| {
            let ComparedRun { folder, started, .. } = run;
            let head = Both::same(format!("{}: {folder}, {started}", index + 1));
            [Block::Text(head), Block::Text(run.verdict.clone()), Block::Note(run.subject.clone())]
        });
        Section {
            id: "runs".into(),
            name: Both::word("Runs", "Execuções"),
            emphasis: Emphasis::First,
            blocks: blocks.collect(),
        }
    }

    fn section(&self, number: usize, figure: &ComparedFigure) -> Option<Section> {
        let is_seen = figure.cells.iter().any(|cell| cell.value.is_some());
        let in_card = |name: &str| SHORT.iter().any(|measure| measure.id() == name);
        let is_first = self.kind == Kind::Duels || in_card(&figure.figure);
        type OfEntry<'a> = Column<'a, (&'a Entry, &'a Cell)>;
        let columns = [
            OfEntry::text(Both::same(""), |(entry, _)| format!("{} {}", entry.run, entry.name)),
            OfEntry::new(Both::word("measured", "medições"), |(entry, _)| measured(entry)),
            OfEntry::new(Both::word("figure", "medida"), |(entry, cell)| value(entry, cell)),
            OfEntry::new(Both::word("ratio", "razão"), |(_, cell)| ratio(cell)),
        ];
        let rows = self.entries.iter().zip(&figure.cells);
        let number = number + 1;
        let table = Table::new(format!("compared-{number}"), self.reference_in_words(), columns, rows);
        is_seen.then(|| Section {
            id: format!("figure-{number}").into(),
            name: figure.label.clone(),
            emphasis: if is_first { Emphasis::First } else { Emphasis::Later },
            blocks: vec![Block::Table(table)],
        })
    }

    /// What ratios are to.
    fn reference_in_words(&self) -> Both {
        let Some(Entry { run, name, .. }) = self.reference.and_then(|index| self.entries.get(index)) else {
            return Both::word("nobody may be ranked", "ninguém pode ser classificado");
        };
        Both::told(|lang| {
            say!(lang, "ratios are to {name} of run {run}", "as razões são para {name} da execução {run}")
        })
    }

    /// What to know of the entries and of the ratios.
    fn remarks(&self) -> Section {
        let noted = self.entries.iter().filter_map(|Entry { name, run, note, .. }| {
            let who = Both::told(|lang| say!(lang, "{name} of run {run}: ", "{name} da execução {run}: "));
            Some(who.then(note.as_ref()?))
        });
        let mut told: Vec<Both> = noted.collect();
        if self.entries.iter().any(|entry| !entry.ranked && entry.rounds > 0) {
            told.push(Both::word(
                "figures in [brackets] may not be ranked, and have no ratio",
                "medidas entre [colchetes] não podem ser classificadas e não têm razão",
            ));
        }
        if self.reference.is_some() {
            told.push(self.reference_in_words().then(&Both::same(", ")).then(&self.intervals()));
        }
        Section {
            id: "ratios".into(),
            name: Both::word("Ratios", "Razões"),
            emphasis: Emphasis::First,
            blocks: told.into_iter().map(Block::Note).collect(),
        }
    }

    fn intervals(&self) -> Both {
        let mut cells = self.figures.iter().flat_map(|figure| &figure.cells);
        if !cells.any(|cell| cell.interval.is_some()) {
            return Both::told(|lang| {
                say!(
                    lang,
                    "without intervals, which need {LEAST_ROUNDS} rounds of each",
                    "sem intervalos, que precisam de {LEAST_ROUNDS} rodadas de cada um"
                )
            });
        }
        let unit = match self.kind {
            Kind::Fights => Both::word("rounds", "rodadas"),
            Kind::Duels => Both::word(
                "turns, which hold no luck of a start where there was one",
                "turnos, que não contêm a sorte de um início onde houve só um",
            ),
        };
        Both::told(|lang| {
            let unit = unit.of(lang);
            say!(
                lang,
                "with unpaired 95 % intervals over {unit} (Welch); of two in one run its own report has the paired ones",
                "com intervalos de 95 % não pareados sobre {unit} (Welch); de dois da mesma execução o relatório dela tem os pareados"
            )
        })
    }

    /// Where each was, and how to do it again.
    fn places(&self) -> Section {
        type OfRun<'a> = Column<'a, (usize, &'a ComparedRun)>;
        let place = |run: &ComparedRun| {
            Both::told(|lang| {
                let (galo, machine) = (&run.galo, run.machine.of(lang));
                say!(lang, "galo {galo}, on {machine}", "galo {galo}, em {machine}")
            })
        };
        let columns = [
            OfRun::text(Both::word("run", "execução"), |(index, _)| (index + 1).to_string()),
            OfRun::text(Both::word("command", "comando"), |(_, run)| shell_words::join(&run.command)),
            OfRun::text(Both::word("where", "onde"), |(_, run)| place(run)),
        ];
        let caption = Both::word("How to do each again", "Como repetir cada uma");
        let table = Table::new("again", caption, columns, self.runs.iter().enumerate());
        Section {
            id: "commands-and-machines".into(),
            name: Both::word("Commands and machines", "Comandos e máquinas"),
            emphasis: Emphasis::Later,
            blocks: vec![Block::Table(table)],
        }
    }
}

fn measured(entry: &Entry) -> Told {
    match entry.rounds {
        0 => Told::Nothing,
        rounds => Both::told(|lang| lang.counted(rounds as u64, entry.unit.noun())).into(),
    }
}

fn value(entry: &Entry, cell: &Cell) -> Both {
    match entry.ranked || cell.value.is_none() {
        true => cell.text.clone(),
        false => Both::same("[").then(&cell.text).then(&Both::same("]")),
    }
}

/// A ratio with its interval, or why there is none.
fn ratio(cell: &Cell) -> Told {
    match (cell.ratio, &cell.incomparable) {
        (Some(ratio), _) => ratio_in_words(ratio, cell.interval).into(),
        (None, Some(what)) => Both::same("(").then(what).then(&Both::same(")")).into(),
        (None, None) => Told::Nothing,
    }
}
