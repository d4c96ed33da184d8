//! The score card: figures side by side, and how far apart the first two are.

use galo_judge::{Difference, Ratios};
use galo_words::Both;

use super::Cell;
use crate::words::{self, labels};

/// A score card.
#[derive(Debug, Clone)]
pub(crate) struct Card {
    /// Identifier in a page, of what a section has only one.
    pub(crate) id: &'static str,
    /// What the figures are.
    pub(crate) caption: Both,
    pub(crate) heads: Vec<Head>,
    /// What is divided by what; `None`: there is nothing to compare.
    pub(crate) against: Option<Both>,
    pub(crate) rows: Vec<CardRow>,
    /// Whether a terminal draws ratios as bars.
    pub(crate) has_bars: bool,
}

/// Whose figures they are.
#[derive(Debug, Clone)]
pub(crate) struct Head {
    pub(crate) name: String,
    /// What else is to be known of it.
    pub(crate) about: Both,
    /// Whether it is out, so that its figures are struck through.
    pub(crate) is_out: bool,
}

/// What a row has to do with the verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Weighs {
    /// It decides first.
    First,
    /// It may decide.
    Decides,
    /// It decides nothing.
    ToldOnly,
    /// It is no figure that could decide, but says what there was; it is never struck through.
    Count,
}

/// One figure of all.
#[derive(Debug, Clone)]
pub(crate) struct CardRow {
    /// What rows in a row have in common.
    pub(crate) group: Option<Both>,
    pub(crate) name: Both,
    pub(crate) weighs: Weighs,
    /// By head.
    pub(crate) cells: Vec<Cell>,
    pub(crate) ratio: Option<Apart>,
}

/// How far apart two figures are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Apart {
    pub(super) ratio: f64,
    /// What pairs say of it.
    pairs: Ratios,
}

impl Apart {
    /// What pairs say; `None`: there is no ratio.
    pub(crate) fn of(ratios: &Ratios) -> Option<Self> {
        Some(Self { ratio: ratios.ratio?, pairs: *ratios })
    }
}

impl Head {
    /// A head that is not struck through.
    pub(crate) fn new((name, about): (String, Both)) -> Self {
        Self { name, about, is_out: false }
    }
}

impl Card {
    /// Whether a figure is struck through.
    pub(super) fn is_struck(&self, row: &CardRow, column: usize) -> bool {
        let is_out = self.heads.get(column).is_some_and(|head| head.is_out);
        is_out
            && row.weighs != Weighs::Count
            && row.cells.get(column).is_some_and(|cell| *cell != Cell::Unseen)
    }

    /// One axis for all of its ratios.
    pub(super) fn axis(&self) -> Option<RatioAxis> {
        RatioAxis::around(self.rows.iter().filter_map(|row| row.ratio?.pairs.interval))
    }
}

impl CardRow {
    /// Whether it decides nothing where others do.
    pub(super) fn is_told_only(&self) -> bool {
        self.weighs == Weighs::ToldOnly && self.ratio.is_some()
    }

    /// Whether the verdict may speak of it.
    pub(super) fn decides(&self) -> bool {
        matches!(self.weighs, Weighs::First | Weighs::Decides)
    }

    /// What a page tells of it beside its name.
    pub(super) fn note(&self) -> Option<Both> {
        let weighs = match self.weighs {
            Weighs::First if self.group.is_none() => Some(labels::PRIMARY),
            Weighs::ToldOnly if self.ratio.is_some() => Some(labels::TOLD_ONLY),
            _ => None,
        };
        match (&self.group, weighs) {
            (Some(group), Some(weighs)) => Some(group.clone().then(&Both::same(" – ")).then(&weighs)),
            (group, weighs) => group.clone().or(weighs),
        }
    }

    /// The interval as a drawing, safe by construction; empty where there is none.
    pub(super) fn drawing(&self, axis: Option<RatioAxis>) -> String {
        let drawn = self.ratio.and_then(|apart| Some(axis?.interval(apart.ratio, apart.pairs.interval)));
        drawn.unwrap_or_default()
    }

    /// What the verdict says of the two, as one character.
    pub(super) fn mark(&self) -> char {
        match self.ratio.map(|apart| apart.pairs.difference) {
            Some(Difference::TooFewRounds) => '?',
            Some(Difference::Better | Difference::Worse) if self.decides() => '*',
            _ => ' ',
        }
    }
}

impl Apart {
    /// The ratio with its interval, and how many pairs favoured either.
    pub(crate) fn told(&self) -> Both {
        let [first, second] = self.pairs.favoured;
        words::ratio_in_words(self.ratio, self.pairs.interval)
            .then(&Both::same(format!(", {first}:{second}")))
    }

    /// The answer in a word.
    pub(super) const fn answer(&self) -> Both {
        words::difference(self.pairs.difference)
    }

    /// Style class of the answer.
    pub(super) const fn class(&self) -> &'static str {
        match self.pairs.difference {
            Difference::Better => "better",
            Difference::Worse => "worse",
            Difference::NoDifference | Difference::TooFewRounds => "open",
        }
    }
}

/// Intervals of ratios on one log axis around 1, so that they can be held against one another.
#[derive(Debug, Clone, Copy)]
pub(super) struct RatioAxis {
    /// The factor at its ends.
    most: f64,
}

impl RatioAxis {
    /// An axis that shows all of these; `None` where there are none.
    pub(super) fn around(intervals: impl Iterator<Item = [f64; 2]>) -> Option<Self> {
        let far = intervals
            .flatten()
            .filter(|bound| *bound > 0.0)
            .map(|bound| bound.max(1.0 / bound))
            .fold(0.0, f64::max);
        // Beyond a factor of ten it does not matter how far, and the others could no longer be seen.
        (far > 0.0).then(|| Self { most: far.clamp(1.2, 10.0) * 1.05 })
    }

    /// One interval; empty where it is not known.
    pub(super) fn interval(self, ratio: f64, bounds: Option<[f64; 2]>) -> String {
        let Some([low, high]) = bounds else { return String::new() };
        let x = |value: f64| 60.0 + 56.0 * (value.ln() / self.most.ln()).clamp(-1.0, 1.0);
        format!(
            r#"<svg class="interval" viewBox="0 0 120 16" aria-hidden="true"><path class="one" d="M60 1V15"/><path class="range" d="M{:.1} 8H{:.1}"/><circle cx="{:.1}" cy="8" r="3.5"/></svg>"#,
            x(low),
            x(high),
            x(ratio)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_stays_in_its_drawing_however_far_it_goes() {
        let axis = RatioAxis::around([[0.001, 900.0]].into_iter()).unwrap();
        let svg = axis.interval(1.0, Some([0.001, 900.0]));
        assert!(svg.contains("M4.0 8H116.0") && svg.contains(r#"cx="60.0""#), "{svg}");
        assert_eq!(axis.interval(1.0, None), "");
        assert!(RatioAxis::around(std::iter::empty()).is_none());
    }
}
