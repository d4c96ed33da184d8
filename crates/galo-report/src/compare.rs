//! Runs side by side as they are told: which, what differs, then each figure.

mod terms;

use galo_judge::comparison::{Compared, ComparedFigure, ComparedRun, ComparedValue, Entry, EntryNote, Unit};
use galo_judge::comparison::{JudgedComparison, TermDifference};
use galo_judge::unpaired::LEAST_ROUNDS;
use galo_words::nouns::{ROUND, RUN, START, TURN};
use galo_words::{Both, Noun, say};

use crate::document::{Block, Cell, Column, Document, Emphasis, Section, Table, Tone};
use crate::duel;
use crate::fight::{self, SHORT};
use crate::words::{self, labels, ratio_in_words};

/// What comparing runs is worth, in one sentence.
const NOTE: Both = Both::word(
    "these runs did not alternate: whatever else changed between them is in the ratios, so no winner is named",
    "estas execuções não se alternaram: o que mais mudou entre elas está nas razões, portanto não há vencedor",
);

/// Runs side by side.
pub fn comparison(of: &JudgedComparison) -> Document {
    let subject = Both::each(|lang| {
        let runs = lang.counted(of.runs.len() as u64, RUN);
        say!(lang, "{runs} side by side", "{runs} lado a lado")
    });
    let differs = |differs: &TermDifference| terms::sentence(differs, &of.runs);
    let figures = of.figures.iter().enumerate();
    let mut sections = vec![which(of)];
    sections.extend(figures.filter_map(|(number, figure)| section(of, number + 1, figure)));
    sections.extend([remarks(of), places(of)].into_iter().filter(|of| !of.blocks.is_empty()));
    Document {
        title: subject.en.to_string(),
        warnings: of.differences.iter().map(differs).collect(),
        verdict: NOTE,
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
fn which(of: &JudgedComparison) -> Section {
    let blocks = of.runs.iter().enumerate().flat_map(|(index, ComparedRun { folder, run })| {
        let head = Both::same(format!("{}: {folder}, {}", index + 1, run.header().started));
        let (verdict, subject) = match run {
            Compared::Fight(fight) => {
                (words::fight_verdict(fight), Both::each(|lang| fight::subject(fight, lang)))
            }
            Compared::Duel(duel) => (duel::verdict(duel), duel::subject(duel)),
        };
        [Block::Text(head), Block::Text(verdict), Block::Note(subject)]
    });
    Section {
        id: "runs".into(),
        name: Both::word("Runs", "Execuções"),
        emphasis: Emphasis::First,
        blocks: blocks.collect(),
    }
}

/// One figure of all entries; `None`: no entry has it.
fn section(of: &JudgedComparison, number: usize, figure: &ComparedFigure) -> Option<Section> {
    type OfEntry<'a> = Column<'a, (&'a Entry, &'a ComparedValue)>;
    figure.values.iter().find(|value| value.value.is_some())?;
    let columns = [
        OfEntry::text(Both::same(""), |(entry, _)| format!("{} {}", entry.run, entry.name)),
        OfEntry::new(Both::word("measured", "medições"), |(entry, _)| measured(entry)),
        OfEntry::new(Both::word("figure", "medida"), |(entry, value)| value_of(figure, entry, value)),
        OfEntry::new(Both::word("ratio", "razão"), |(_, value)| ratio(value)),
    ];
    let rows = of.entries.iter().zip(&figure.values);
    let table = Table::new(format!("compared-{number}"), reference_in_words(of), columns, rows);
    let is_first = figure.level.is_some() || SHORT.contains(&figure.measure);
    Some(Section {
        id: format!("figure-{number}").into(),
        name: name(of, figure),
        emphasis: if is_first { Emphasis::First } else { Emphasis::Later },
        blocks: vec![Block::Table(table)],
    })
}

/// What a figure is called: of fights as in their score cards, of duels with its load.
fn name(of: &JudgedComparison, figure: &ComparedFigure) -> Both {
    match (figure.level, of.runs.first().map(|first| &first.run)) {
        (Some(level), _) => {
            labels::duel_measure(figure.measure).then(&Both::same(", ")).then(&labels::level(level))
        }
        (None, Some(Compared::Fight(fight))) => labels::measure(figure.measure, fight.service_level_ms),
        (None, _) => labels::in_sentence(figure.measure),
    }
}

fn measured(entry: &Entry) -> Cell {
    match entry.rounds {
        0 => Cell::Nothing,
        rounds => Both::each(|lang| lang.counted(rounds as u64, noun(entry.unit))).into(),
    }
}

const fn noun(unit: Unit) -> Noun<'static> {
    match unit {
        Unit::Round => ROUND,
        Unit::Turn => TURN,
        Unit::Start => START,
    }
}

/// The figure; in brackets where it may not be ranked.
fn value_of(figure: &ComparedFigure, entry: &Entry, value: &ComparedValue) -> Cell {
    let cell = match figure.level {
        Some(_) => duel::figure(figure.measure, value.value),
        None => words::figure(figure.measure, value.value),
    };
    if entry.ranked { cell } else { cell.bracketed() }
}

/// A ratio with its interval, or why there is none.
fn ratio(value: &ComparedValue) -> Cell {
    if let Some(ratio) = value.ratio {
        return ratio_in_words(ratio, value.interval).into();
    }
    if value.incomparable.is_empty() {
        return Cell::Nothing;
    }
    Both::each(|lang| {
        let terms: Vec<String> =
            value.incomparable.iter().map(|term| terms::name(*term).get(lang).to_owned()).collect();
        format!("({})", terms.join(", "))
    })
    .into()
}

/// What ratios are to.
fn reference_in_words(of: &JudgedComparison) -> Both {
    let Some(Entry { run, name, .. }) = of.reference.and_then(|index| of.entries.get(index)) else {
        return Both::word("nobody may be ranked", "ninguém pode ser classificado");
    };
    Both::each(|lang| {
        say!(lang, "ratios are to {name} of run {run}", "as razões são para {name} da execução {run}")
    })
}

/// What to know of the entries and of the ratios.
fn remarks(of: &JudgedComparison) -> Section {
    let noted = of.entries.iter().filter_map(|Entry { name, run, note, .. }| {
        let who = Both::each(|lang| say!(lang, "{name} of run {run}: ", "{name} da execução {run}: "));
        Some(who.then(&note_in_words((*note)?)))
    });
    let mut told: Vec<Both> = noted.collect();
    if of.entries.iter().any(|entry| !entry.ranked && entry.rounds > 0) {
        told.push(Both::word(
            "figures in [brackets] may not be ranked, and have no ratio",
            "medidas entre [colchetes] não podem ser classificadas e não têm razão",
        ));
    }
    if of.reference.is_some() {
        told.push(reference_in_words(of).then(&Both::same(", ")).then(&intervals(of)));
    }
    Section {
        id: "ratios".into(),
        name: Both::word("Ratios", "Razões"),
        emphasis: Emphasis::First,
        blocks: told.into_iter().map(Block::Note).collect(),
    }
}

fn note_in_words(note: EntryNote) -> Both {
    match note {
        EntryNote::Disqualified => labels::DISQUALIFIED,
        EntryNote::DidNotStart => Both::word("did not start", "não subiu"),
        EntryNote::Fails => Both::word("does not answer rightly", "não responde corretamente"),
        EntryNote::OtherFileThanInRun(first) => Both::each(|lang| {
            say!(
                lang,
                "its Compose file is another one than in run {first}",
                "seu arquivo do Compose é outro que o da execução {first}"
            )
        }),
    }
}

fn intervals(of: &JudgedComparison) -> Both {
    let mut values = of.figures.iter().flat_map(|figure| &figure.values);
    if !values.any(|value| value.interval.is_some()) {
        return Both::each(|lang| {
            say!(
                lang,
                "without intervals, which need {LEAST_ROUNDS} rounds of each",
                "sem intervalos, que precisam de {LEAST_ROUNDS} rodadas de cada um"
            )
        });
    }
    let unit = match of.runs.first().map(|first| &first.run) {
        Some(Compared::Duel(_)) => Both::word(
            "turns, which hold no luck of a start where there was one",
            "turnos, que não contêm a sorte de um início onde houve só um",
        ),
        _ => Both::word("rounds", "rodadas"),
    };
    Both::each(|lang| {
        let unit = unit.get(lang);
        say!(
            lang,
            "with unpaired 95 % intervals over {unit} (Welch); of two in one run its own report has the paired ones",
            "com intervalos de 95 % não pareados sobre {unit} (Welch); de dois da mesma execução o relatório dela tem os pareados"
        )
    })
}

/// Where each was, and how to do it again.
fn places(of: &JudgedComparison) -> Section {
    type OfRun<'a> = Column<'a, (usize, &'a ComparedRun)>;
    let place = |run: &ComparedRun| {
        let header = run.run.header();
        Both::each(|lang| {
            let (galo, machine) = (&header.galo, words::machine(&header.machine, lang));
            say!(lang, "galo {galo}, on {machine}", "galo {galo}, em {machine}")
        })
    };
    let columns = [
        OfRun::text(Both::word("run", "execução"), |(index, _)| (index + 1).to_string()),
        OfRun::text(Both::word("command", "comando"), |(_, of)| shell_words::join(&of.run.header().command)),
        OfRun::text(Both::word("where", "onde"), |(_, run)| place(run)),
    ];
    let caption = Both::word("How to do each again", "Como repetir cada uma");
    let table = Table::new("again", caption, columns, of.runs.iter().enumerate());
    Section {
        id: "commands-and-machines".into(),
        name: Both::word("Commands and machines", "Comandos e máquinas"),
        emphasis: Emphasis::Later,
        blocks: vec![Block::Table(table)],
    }
}
