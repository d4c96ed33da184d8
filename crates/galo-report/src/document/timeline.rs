//! Rounds over time.

use galo_words::Both;

use crate::series::RoundSeries;

/// Rounds second by second, of which a reader chooses those that are drawn.
#[derive(Debug, Clone)]
pub(crate) struct Timeline {
    /// By name.
    pub(crate) contenders: Vec<String>,
    /// By contender: the number of the round that is drawn at first.
    pub(crate) shown: Vec<Option<u32>>,
    pub(crate) rounds: Vec<TimelineRound>,
}

/// One of them.
#[derive(Debug, Clone)]
pub(crate) struct TimelineRound {
    /// Place of its contender.
    pub(crate) contender: usize,
    /// Whether it counts, in a word.
    pub(crate) standing: Both,
    pub(crate) series: RoundSeries,
}
