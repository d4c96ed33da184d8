//! A scan as it is told: each duel in a sentence, then each figure over the values of the parameter.

use galo_judge::duel::{Compared, DuelVerdict, Figure};
use galo_record::RunHeader;
use galo_words::Both;

use super::{ScanDuelReport, ScanReport};
use crate::document::{
    Answer, Block, Card, CardRow, Document, Emphasis, Head, Line, Link, Section, Tone, Weighs,
};
use crate::duel::{DuelLevel, apart, figure, held_back_at};
use crate::words::{labels, ratio_of};

/// What is told of each duel: by the first load that has the figure.
const FIGURES: [Figure; 4] = [Figure::P99, Figure::Rate, Figure::Cpu, Figure::Memory];

impl ScanReport {
    /// The whole of it. `page` says below which folder the page of a duel is, by its value.
    pub fn document(&self, header: &RunHeader, page: impl Fn(&str) -> Option<String>) -> Document {
        let mut warnings: Vec<Both> = Vec::new();
        let differ = self.duels.iter().filter_map(|duel| {
            let told = duel.report.told_differ.as_ref()?;
            Some(Both::same(format!("{}: ", self.name(duel))).then(told))
        });
        for warning in differ.chain(self.duels.iter().flat_map(|duel| duel.report.warnings())) {
            if !warnings.contains(&warning) {
                warnings.push(warning);
            }
        }
        let first = self.duels.first().map(|duel| &duel.report);
        let mut sections: Vec<Section> =
            FIGURES.into_iter().filter_map(|figure| self.figure(figure)).collect();
        let note = Block::Note(Both::word(
            "*: told apart, as 1 duel of 20 between equals is",
            "*: distintos, como 1 duelo em 20 entre iguais",
        ));
        if let Some(last) = sections.last_mut() {
            last.blocks.push(note);
        }
        sections.extend(self.held_back());
        sections.push(self.links(page));
        let verdict = self.verdict();
        Document {
            title: verdict.en.to_string(),
            warnings,
            verdict,
            tone: Tone::Open,
            answers: self.duels.iter().map(|duel| self.answer(duel)).collect(),
            subject: first.map_or(labels::NOTHING_TO_COMPARE, |first| Both::same(first.request.clone())),
            lines: self.duels.iter().map(|duel| Line { text: self.sentence(duel), warns: false }).collect(),
            next: None,
            sections,
            terms: first.map_or_else(Vec::new, |first| first.limits().into()),
            origin: Some(header.clone()),
        }
    }

    fn verdict(&self) -> Both {
        let values: Vec<&str> = self.duels.iter().map(|duel| duel.value.as_str()).collect();
        let (parameter, values, [first, second]) = (&self.parameter, values.join(", "), self.sides());
        match &self.baseline {
            Some(baseline) => Both::new(
                format!("{parameter}: {values} against {baseline}"),
                format!("{parameter}: {values} contra {baseline}"),
            ),
            None => Both::new(
                format!("{first} against {second} at {parameter}={values}"),
                format!("{first} contra {second} com {parameter}={values}"),
            ),
        }
    }

    /// `workers=4: what its duel came to`.
    fn sentence(&self, duel: &ScanDuelReport) -> Both {
        Both::same(format!("{}: ", self.name(duel))).then(&duel.report.told)
    }

    /// `workers=4`.
    fn name(&self, duel: &ScanDuelReport) -> String {
        format!("{}={}", self.parameter, duel.value)
    }

    /// What stands at the heads of the columns: the baseline and whatever is held against it, or the two commands.
    fn sides(&self) -> [String; 2] {
        match (&self.baseline, self.duels.first()) {
            (Some(baseline), _) => [format!("{}={baseline}", self.parameter), self.parameter.clone()],
            (None, Some(first)) => first.report.sides.each_ref().map(|side| side.name.clone()),
            (None, None) => [String::new(), String::new()],
        }
    }

    /// How a value does against the baseline, or who is better at it.
    fn answer(&self, duel: &ScanDuelReport) -> Answer {
        let told = match &duel.report.verdict {
            DuelVerdict::Better { winner } if self.baseline.is_none() => {
                Both::same(duel.report.sides[*winner].name.clone())
            }
            DuelVerdict::Better { winner: 0 } => labels::WORSE,
            DuelVerdict::Better { .. } => labels::BETTER,
            DuelVerdict::Mixed => labels::EACH_IN_ITS_WAY,
            DuelVerdict::NoDifference => labels::NO_DIFFERENCE,
            DuelVerdict::Inconclusive => labels::INCONCLUSIVE,
            DuelVerdict::Void { .. } => labels::SAYS_NOTHING,
            DuelVerdict::Disqualified { .. } => labels::DISQUALIFIED,
            DuelVerdict::TooFewPairs { .. } => labels::NOT_WITH_SO_FEW,
            DuelVerdict::DifferentStatuses | DuelVerdict::Fails { .. } => labels::NOTHING_TO_COMPARE,
        };
        Answer::tile(Both::same(self.name(duel)), told)
    }

    /// One figure at all values; `None` where nothing of it can be compared. Ratios are of the second side by the first.
    fn figure(&self, of_what: Figure) -> Option<Section> {
        let of =
            |duel: &'_ ScanDuelReport| duel.report.compared.iter().find(|c| c.figure == of_what).cloned();
        let seen: Vec<(&ScanDuelReport, Compared)> =
            self.duels.iter().filter_map(|duel| Some((duel, of(duel)?))).collect();
        let (told, first) = seen.iter().find(|(_, compared)| compared.ratio.is_some())?;
        let level = told.report.levels.iter().find(|level| level.level == first.level);
        let row = |(duel, compared): &(&ScanDuelReport, Compared)| CardRow {
            group: None,
            name: Both::same(self.name(duel)),
            weighs: Weighs::Decides,
            cells: compared.values.map(|value| Both::figure(figure(of_what, value))).into(),
            ratio: apart(compared),
        };
        let names = self.sides();
        let (abouts, against) = match &self.baseline {
            Some(baseline) => (
                [labels::HELD_AGAINST, labels::VALUE_OF_THE_ROW],
                Both::same(ratio_of([&self.parameter, baseline])),
            ),
            None => {
                let [first, second] = &names;
                let against = Both::same(ratio_of([second, first]));
                ([Both::same(""), Both::same("")], against)
            }
        };
        let card = Card {
            id: identifier(of_what),
            caption: level.map_or_else(|| Both::same(""), DuelLevel::told),
            heads: names.into_iter().zip(abouts).map(Head::new).collect(),
            against: Some(against),
            rows: seen.iter().map(row).collect(),
            has_bars: true,
        };
        Some(Section {
            id: identifier(of_what).into(),
            name: labels::duel_figure(of_what),
            emphasis: Emphasis::First,
            blocks: vec![Block::Card(card)],
        })
    }

    /// What held each side back; of what all are compared with, in the first duel that tells it.
    fn held_back(&self) -> Option<Section> {
        let (level, _) = self.duels.iter().find_map(|duel| duel.report.held_back())?;
        let text = |duel: &ScanDuelReport, side: usize| {
            let told = &duel.report.sides[side].held_back.as_ref()?.told;
            // The sides of one command are called by their values.
            let at = if self.baseline.is_none() { format!("{}: ", self.name(duel)) } else { String::new() };
            Some(Block::Text(Both::same(at).then(told)))
        };
        let of_baseline =
            self.baseline.as_ref().and_then(|_| self.duels.iter().find_map(|duel| text(duel, 0)));
        let first = usize::from(self.baseline.is_some());
        let each = self.duels.iter().flat_map(|duel| (first..2).filter_map(move |side| text(duel, side)));
        Some(Section {
            id: "held-back".into(),
            name: held_back_at(level),
            emphasis: Emphasis::First,
            blocks: of_baseline.into_iter().chain(each).collect(),
        })
    }

    fn links(&self, page: impl Fn(&str) -> Option<String>) -> Section {
        let link = |duel: &ScanDuelReport| {
            Block::Link(Link {
                name: self.name(duel),
                page: page(&duel.value),
                sentence: duel.report.told.clone(),
                sections: duel.report.sections(),
            })
        };
        Section {
            id: "duels".into(),
            name: labels::DUELS,
            emphasis: Emphasis::Later,
            blocks: self.duels.iter().map(link).collect(),
        }
    }
}

const fn identifier(figure: Figure) -> &'static str {
    match figure {
        Figure::P99 => "p99",
        Figure::P50 => "p50",
        Figure::Rate => "rate",
        Figure::Cpu => "cpu",
        Figure::Memory => "memory",
    }
}
