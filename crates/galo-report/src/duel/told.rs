//! A duel as it is told: who is better, both sides figure by figure, what held each back, then all that says so.

mod glance;

use galo_judge::duel::{Compared, DuelVerdict, Figure, counting};
use galo_record::RunHeader;
use galo_record::duel::{DuelRecord, Level, LevelTerms};
use galo_words::{Both, count, counted, mib, ms, number, say};

use super::{DuelFinding, DuelLevel, DuelReport, DuelSide};
use crate::document::{
    Apart, Block, Card, CardRow, Document, Emphasis, Found, Head, Line, Narrow, PairLevel, Pairs, Row,
    Section, Table, Tone, Weighs,
};
use crate::words::labels::{self, LEDGER_HEADS};
use crate::words::{self, cpu_limit, memory_limit};

/// Reasons for which loads do not count that are told.
const TOLD: usize = 3;

impl DuelReport {
    /// The whole of it, of what was recorded; `header` says how and where it was driven.
    pub fn document(&self, record: &DuelRecord, header: &RunHeader) -> Document {
        let names = self.sides.each_ref().map(|side| side.name.clone());
        let mut sections = self.sections();
        let after_why = sections.iter().position(|section| section.id == "answers").unwrap_or(0);
        sections.splice(after_why..after_why, self.turns(record));
        Document {
            title: names.join(" × "),
            warnings: self.told_differ.iter().cloned().chain(self.warnings()).collect(),
            verdict: self.told.clone(),
            tone: match self.verdict {
                DuelVerdict::Better { .. } if self.told_differ.is_none() => Tone::Decided,
                DuelVerdict::Disqualified { .. }
                | DuelVerdict::Fails { .. }
                | DuelVerdict::DifferentStatuses => Tone::Broken,
                DuelVerdict::Void { .. } => Tone::Void,
                _ => Tone::Open,
            },
            answers: self.at_a_glance(),
            subject: self.subject(),
            lines: self.lines(),
            next: None,
            sections,
            terms: self.terms(),
            origin: Some(header.clone()),
        }
    }

    /// All but what is drawn of each pair.
    pub(crate) fn sections(&self) -> Vec<Section> {
        let all = [
            Some(self.score()),
            self.each_held_back(),
            Some(self.why()),
            Some(self.compared_answers()),
            Some(self.ledgers()),
        ];
        all.into_iter().flatten().collect()
    }

    /// What must be known before the verdict, but for answers that differ, which come before it all.
    pub(crate) fn warnings(&self) -> Vec<Both> {
        let commands = self.sides.iter().any(|side| side.command.is_some());
        let unlimited = commands && self.cpus.is_some() && !self.limits_enforced;
        let unlimited =
            unlimited.then(|| words::not_enforced(self.limits_note.as_deref().unwrap_or_default()));
        let walls = words::no_walls(self.walls_note.as_deref());
        let left_out = words::left_uncommitted(self.uncommitted_files);
        unlimited
            .into_iter()
            .chain(walls)
            .chain(left_out)
            .chain(self.end.told(self.error.as_deref()))
            .collect()
    }

    /// What was asked, how often, and under which limits.
    pub(crate) fn subject(&self) -> Both {
        let pairs = self.compared.first().map_or(0, |compared| compared.pairs);
        let (unit, unidade) = match self.starts > 1 && pairs <= self.starts as usize {
            true => ("starts", "inícios"),
            false => ("turns", "turnos"),
        };
        let limits = match (self.sides.iter().any(|side| side.command.is_some()), self.cpus) {
            (false, _) => Both::word(
                "servers that ran before, without limits of galo's",
                "servidores que já rodavam, sem limites do galo",
            ),
            (true, None) => Both::word("no limits", "sem limites"),
            (true, cpus) => {
                let cpus = Both::told(|lang| cpu_limit(cpus, lang));
                let memory =
                    self.memory_bytes.map(|bytes| Both::told(|lang| memory_limit(Some(bytes), lang)));
                let (and, e) = memory.map_or_else(Default::default, |memory| {
                    (format!(" and {}", memory.en), format!(" e {}", memory.pt))
                });
                Both::new(
                    format!("{}{and} for each command", cpus.en),
                    format!("{}{e} para cada comando", cpus.pt),
                )
            }
        };
        let (request, par) = (&self.request, if pairs == 1 { "par" } else { "pares" });
        Both::new(
            format!("{request}; {} of {unit}; {}", counted(pairs, "pair"), limits.en),
            format!("{request}; {pairs} {par} de {unidade}; {}", limits.pt),
        )
    }

    /// What else is to be known of the verdict, and what came of bounds.
    fn lines(&self) -> Vec<Line> {
        let notes = self.told_notes.iter().map(|note| Line { text: note.clone(), warns: false });
        let names = self.sides.each_ref().map(|side| side.name.as_str());
        let bounds = self
            .assertions
            .iter()
            .map(|bound| Line { text: words::bound(bound, names, &self.verdict), warns: !bound.met });
        notes.chain(bounds).collect()
    }

    fn score(&self) -> Section {
        let row = |compared: &Compared| CardRow {
            group: self.levels.iter().find(|level| level.level == compared.level).map(DuelLevel::told),
            name: labels::duel_figure(compared.figure),
            weighs: match compared.decides {
                true if compared.figure == Figure::P99 => Weighs::First,
                true => Weighs::Decides,
                false => Weighs::ToldOnly,
            },
            cells: compared.values.map(|value| Both::figure(figure(compared.figure, value))).into(),
            ratio: apart(compared),
        };
        // Load by load; what is of none that is known comes last.
        let place = |compared: &Compared| self.levels.iter().position(|level| level.level == compared.level);
        let mut compared: Vec<&Compared> = self.compared.iter().collect();
        compared.sort_by_key(|compared| place(compared).unwrap_or(usize::MAX));
        let compared = compared.into_iter();
        let about = |side: &DuelSide| Both::same(side.command.clone().unwrap_or_else(|| side.url.clone()));
        let [first, second] = self.sides.each_ref().map(|side| side.name.as_str());
        let card = Card {
            id: "score",
            caption: Both::told(|lang| {
                let of = &self.ratio_of;
                say!(
                    lang,
                    "geometric means over the turns that count; ratio: {of}; 5:1: {second} better in 5 pairs, {first} in 1",
                    "médias geométricas dos turnos que contam; razão: {of}; 5:1: {second} melhor em 5 pares, {first} em 1"
                )
            }),
            heads: self.sides.iter().map(|side| Head::new((side.name.clone(), about(side)))).collect(),
            against: Some(Both::same(self.ratio_of.clone())),
            rows: compared.map(row).collect(),
            has_bars: false,
        };
        let notes = self.sides.iter().flat_map(|side| [warmth(side), errors(side)]).flatten();
        Section {
            id: "score".into(),
            name: labels::SCORE,
            emphasis: Emphasis::First,
            blocks: [Block::Card(card)].into_iter().chain(notes.map(Block::Note)).collect(),
        }
    }

    fn each_held_back(&self) -> Option<Section> {
        let (level, told) = self.held_back()?;
        Some(Section {
            id: "held-back".into(),
            name: held_back_at(level),
            emphasis: Emphasis::First,
            blocks: told.iter().map(|told| Block::Text(told.told.clone())).collect(),
        })
    }

    /// What was found, and what does not count.
    fn why(&self) -> Section {
        let mut blocks = Vec::new();
        blocks.extend(self.each_finding().map(|found| Block::Finding(Box::new(found))));
        blocks.extend(self.void.iter().take(TOLD).map(|spoiled| {
            let (loads, reason) = (spoiled.loads, &spoiled.told);
            Block::Note(Both::new(
                format!("loads that do not count: {loads}: {}", reason.en),
                format!("cargas que não contam: {loads}: {}", reason.pt),
            ))
        }));
        let emphasis = if blocks.is_empty() { Emphasis::Later } else { Emphasis::First };
        if blocks.is_empty() {
            blocks.push(Block::Text(labels::NO_FINDING));
        }
        Section { id: "why".into(), name: labels::WHY, emphasis, blocks }
    }

    /// Each finding once, with how often it was made.
    fn each_finding(&self) -> impl Iterator<Item = Found> {
        let mut seen: Vec<(&DuelFinding, u64)> = Vec::new();
        for found in &self.findings {
            let is_same = |known: &DuelFinding| known.side == found.side && known.text == found.text;
            match seen.iter_mut().find(|(known, _)| is_same(known)) {
                Some((_, times)) => *times += 1,
                None => seen.push((found, 1)),
            }
        }
        seen.into_iter().map(|(found, times)| Found {
            name: found.fact.name().to_owned(),
            weight: found.fact.weight(),
            blame: found.fact.blame(),
            contender: Some(found.side.clone()),
            how_often: (times > 1).then(|| Both::new(format!("{times} times"), format!("{times} vezes"))),
            told: found.told.clone(),
            explains: None,
            has_requests: false,
        })
    }

    /// p99 of both sides, pair by pair, at each level; `None`: there is nothing to draw.
    fn turns(&self, record: &DuelRecord) -> Option<Section> {
        let pairs = record.turns.iter().map(|turn| turn.pair + 1).max().unwrap_or(0);
        let level = |terms: &LevelTerms| {
            let p99_ms = |side: usize, pair: u32| {
                let turn = record.turns.iter().find(|turn| turn.side == side && turn.pair == pair)?;
                Some(counting(turn, terms)?.latency.p99 / 1e3)
            };
            let column = |side| (0..pairs).map(|pair| p99_ms(side, pair)).collect();
            PairLevel { name: labels::level(terms.level), p99_ms: [column(0), column(1)] }
        };
        let any = |level: &PairLevel| level.p99_ms.iter().flatten().any(Option::is_some);
        let levels: Vec<PairLevel> = record.terms.levels.iter().map(level).filter(any).collect();
        let sides = self.sides.each_ref().map(|side| side.name.clone());
        (!levels.is_empty()).then(|| Section {
            id: "turns".into(),
            name: labels::TURN_BY_TURN,
            emphasis: Emphasis::Later,
            blocks: vec![Block::Pairs(Pairs { sides, levels })],
        })
    }

    fn compared_answers(&self) -> Section {
        let answers = &self.answers;
        let [equal, compared] = [answers.equal, answers.compared].map(|n| Both::figure(count(n)));
        let told = match answers.compared {
            0 => labels::NOTHING_TO_COMPARE,
            _ => Both::new(
                format!("{} of {} answers to the same requests are equal by meaning", equal.en, compared.en),
                format!(
                    "{} de {} respostas às mesmas requisições têm o mesmo significado",
                    equal.pt, compared.pt
                ),
            ),
        };
        let row = |difference: &super::Difference| {
            let cells = [&difference.at, &difference.values[0], &difference.values[1]];
            Row { cells: cells.map(|text| Both::same(text.clone())).into(), warning: None }
        };
        let rows: Vec<Row> = answers.differences.iter().map(row).collect();
        let names = self.sides.each_ref().map(|side| Both::same(side.name.clone()));
        let differences = (!rows.is_empty()).then(|| {
            Block::Table(Table {
                id: "differences".into(),
                caption: labels::ANSWERS_DIFFER,
                heads: [labels::AT].into_iter().chain(names).collect(),
                rows,
                narrow: Narrow::All,
            })
        });
        Section {
            id: "answers".into(),
            name: labels::ANSWERS,
            emphasis: if differences.is_some() { Emphasis::First } else { Emphasis::Later },
            blocks: [Block::Text(told)].into_iter().chain(differences).collect(),
        }
    }

    fn ledgers(&self) -> Section {
        let row = |side: &DuelSide| {
            let cells = [Both::same(side.name.clone())].into_iter().chain(labels::ledger_cells(&side.ledger));
            Row { cells: cells.collect(), warning: None }
        };
        let table = Table {
            id: "ledgers".into(),
            caption: labels::DUEL_LEDGER_CAPTION,
            heads: [labels::SIDE].into_iter().chain(LEDGER_HEADS).collect(),
            rows: self.sides.iter().map(row).collect(),
            narrow: Narrow::All,
        };
        Section {
            id: "ledger".into(),
            name: labels::LEDGER,
            emphasis: Emphasis::Later,
            blocks: vec![Block::Note(labels::LEDGER_ADDS_UP), Block::Table(table)],
        }
    }

    fn terms(&self) -> Vec<(Both, Both)> {
        let mut facts = vec![(labels::REQUEST, Both::same(self.request.clone()))];
        for side in &self.sides {
            let run = side.command.as_ref().map_or_else(|| labels::RAN_BEFORE, |c| Both::same(c.clone()));
            facts.push((Both::same(side.name.clone()), run.then(&Both::same(format!(", {}", side.url)))));
            if let Some(rate) = side.reached_per_s {
                let name = Both::same(format!("{}: ", side.name)).then(&labels::WARM_AT);
                facts.push((name, Both::figure(format!("{}/s", number(rate, 0)))));
            }
        }
        for level in &self.levels {
            let length = Both::figure(format!(", {}", galo_words::seconds(level.length_s)));
            facts.push((labels::LOADS, level.told().then(&length)));
        }
        facts.push((labels::SEED, Both::same(self.seed.clone())));
        facts.extend(self.limits());
        facts
    }

    /// The limits of each command.
    pub(crate) fn limits(&self) -> [(Both, Both); 2] {
        [
            (labels::CPU_LIMIT, Both::told(|lang| cpu_limit(self.cpus, lang))),
            (labels::MEMORY_LIMIT, Both::told(|lang| memory_limit(self.memory_bytes, lang))),
        ]
    }
}

impl DuelLevel {
    /// The load in words.
    pub(crate) fn told(&self) -> Both {
        let known = [Level::Asked, Level::Half, Level::Near, Level::Highest];
        let level = known.into_iter().find(|known| known.name() == self.level);
        let label = level.map_or_else(|| Both::same(self.label.clone()), labels::level);
        let Some(rate) = self.rate_per_s else {
            let at_once = self.connections;
            return label
                .then(&Both::new(format!(", {at_once} at once"), format!(", {at_once} de cada vez")));
        };
        let rate = Both::figure(format!("{}/s", number(rate, if rate < 100.0 { 1 } else { 0 })));
        let mean = if self.varies { Both::word(" on average", " em média") } else { Both::same("") };
        rate.then(&mean).then(&Both::same(": ")).then(&label)
    }
}

/// What stands above what held each side back.
pub(crate) fn held_back_at(level: &DuelLevel) -> Both {
    labels::HELD_EACH_BACK.then(&Both::same(" (")).then(&level.told()).then(&Both::same(")"))
}

/// How far apart the sides are, the second by the first; `None`: not known.
pub(crate) fn apart(compared: &Compared) -> Option<Apart> {
    let Compared { ratio, interval, favoured, difference, .. } = compared;
    Some(Apart { ratio: (*ratio)?, interval: *interval, favoured: *favoured, difference: *difference })
}

/// A figure with its unit.
pub(crate) fn figure(figure: Figure, value: Option<f64>) -> String {
    match (figure, value) {
        (_, None) => words::UNSEEN.to_owned(),
        (Figure::P99 | Figure::P50, Some(us)) => ms(us),
        (Figure::Rate, Some(rate)) => number(rate, if rate < 100.0 { 1 } else { 0 }),
        (Figure::Cpu, Some(us)) => format!("{} us", number(us, 1)),
        (Figure::Memory, Some(bytes)) => mib(bytes),
    }
}

/// How long a side needed to come to its speed.
fn warmth(side: &DuelSide) -> Option<Both> {
    let (name, after) = (&side.name, Both::figure(side.warm_after_s?.to_string()));
    Some(Both::new(
        format!("{name} needed {} s of load to come to its speed", after.en),
        format!("{name} precisou de {} s de carga para chegar à sua velocidade", after.pt),
    ))
}

fn errors(side: &DuelSide) -> Option<Both> {
    let (name, ledger) = (&side.name, &side.ledger);
    let kinds = [
        (ledger.wrong, Both::word("wrong", "erradas")),
        (ledger.failed, Both::word("failed", "falharam")),
        (ledger.timed_out, Both::word("timed out", "expiraram")),
        (ledger.unfinished, Both::word("never ended", "nunca terminaram")),
    ];
    let kinds = kinds
        .iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, what)| Both::figure(count(*n)).then(&Both::same(" ")).then(what));
    let kinds = kinds.reduce(|all, kind| all.then(&Both::same(", ")).then(&kind))?;
    let all = Both::figure(count(ledger.intended));
    Some(Both::new(
        format!("{name}: of {} requests {}", all.en, kinds.en),
        format!("{name}: de {} requisições {}", all.pt, kinds.pt),
    ))
}
