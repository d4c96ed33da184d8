//! The score card: figures side by side, and how far apart the first two are.

use galo_judge::Difference;

use crate::words::{self, Both};

/// A score card.
#[derive(Debug, Clone)]
pub(crate) struct Card {
    /// Identifier in a page, of what a section has only one.
    pub(crate) id: &'static str,
    /// What the figures are.
    pub(crate) caption: Both,
    /// Whose they are: a name, and what else is to be known of it.
    pub(crate) heads: Vec<(String, Both)>,
    /// What is divided by what.
    pub(crate) against: Both,
    pub(crate) rows: Vec<CardRow>,
    /// Whether a terminal draws ratios as bars.
    pub(crate) has_bars: bool,
}

/// One figure of all.
#[derive(Debug, Clone)]
pub(crate) struct CardRow {
    /// What rows in a row have in common.
    pub(crate) group: Option<Both>,
    pub(crate) name: Both,
    /// Whether it is the figure that decides first.
    pub(crate) is_primary: bool,
    /// Whether the verdict speaks of it.
    pub(crate) decides: bool,
    /// By head.
    pub(crate) cells: Vec<Both>,
    pub(crate) ratio: Option<Apart>,
}

/// How far apart two figures are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Apart {
    pub(crate) ratio: f64,
    pub(crate) interval: Option<[f64; 2]>,
    pub(crate) difference: Difference,
}

impl CardRow {
    /// Whether the verdict says that they differ.
    pub(crate) fn is_told_apart(&self) -> bool {
        let differs = |apart: Apart| matches!(apart.difference, Difference::Better | Difference::Worse);
        self.decides && self.ratio.is_some_and(differs)
    }
}

impl Apart {
    /// The ratio with its interval.
    pub(crate) fn told(&self) -> Both {
        words::ratio_in_words(self.ratio, self.interval)
    }

    /// The other way round.
    pub(crate) fn inverted(self) -> Self {
        Self {
            ratio: 1.0 / self.ratio,
            interval: self.interval.map(|[low, high]| [1.0 / high, 1.0 / low]),
            difference: match self.difference {
                Difference::Better => Difference::Worse,
                Difference::Worse => Difference::Better,
                other @ (Difference::NoDifference | Difference::TooFewRounds) => other,
            },
        }
    }
}
