//! Noise of rounds that were driven, for leagues that were not.
//!
//! `recorded.csv` holds a line for each of 265 rounds of one challenge, in the order of time within each run: how far the logarithms of p99,
//! of CPU for each answer and of the share of right answers lie from their contender's mean. A contender with `n` rounds has them times
//! the root of `n / (n - 1)`, since its mean is of the same rounds. All were driven on two cores of shared virtual machines:
//!
//! | run | profile | rounds | contenders | when | deviation of p99, CPU |
//! |---|---|---|---|---|---|
//! | `quick-20` | quick | 40 | rust-sqlite, the faulty queued | 2026-11-20 | 28 %, 15 % |
//! | `one-core` | quick | 20 | rust-postgres, rust-axum-sqlx | 2026-11-24 | 10 %, 8 % |
//! | `all-cores` | quick | 20 | the same | 2026-11-24 | 11 %, 9 % |
//! | `one-core-again` | quick | 20 | the same | 2026-11-25 | 7 %, 4 % |
//! | `official` | official | 20 | the same | 2026-11-26 | 45 %, 7 % |
//! | `sweep` | quick | 115 | 23 of this repository, each five times in a row | 2026-11-26 | 67 %, 9 % |
//! | `league` | quick | 30 | 13 in four blocks of a league, beside builds | 2026-11-29 | 94 %, 9 % |
//!
//! The rounds of a stretch of 13 have some 40 % of the variance of p99 in common in `quick-20` and `all-cores`, and nothing in the others.
//! All but the league are in `docs/benchmarks`. What is not in here: rounds of minutes on a machine of one's own, and which noise belongs
//! to which contender.

use crate::testing::Noise;

/// The runs that vary least.
const CALM: [&str; 3] = ["one-core", "all-cores", "one-core-again"];

/// Rounds, run by run.
pub(super) struct Trace(Vec<Vec<[f64; 3]>>);

impl Trace {
    /// Every run.
    pub(super) fn all() -> Self {
        Self::of(|_| true)
    }

    /// The calmest ones.
    pub(super) fn calm() -> Self {
        Self::of(|run| CALM.contains(&run))
    }

    fn of(is_wanted: impl Fn(&str) -> bool) -> Self {
        let lines = include_str!("recorded.csv").lines().skip(1).map(|line| line.split_once(',').unwrap());
        let lines: Vec<_> = lines.filter(|(run, _)| is_wanted(run)).collect();
        let round = |(_, figures): &(&str, &str)| {
            let figures: Vec<f64> = figures.split(',').map(|figure| figure.parse().unwrap()).collect();
            <[f64; 3]>::try_from(figures).unwrap()
        };
        Self(lines.chunk_by(|a, b| a.0 == b.0).map(|run| run.iter().map(round).collect()).collect())
    }

    /// So many rounds that followed one another, from anywhere: p99, CPU and right answers of each.
    ///
    /// A block's noise is one stretch, so that its drift and its bursts stay as they were; blocks are drawn independently (the moving
    /// blocks of H. R. Künsch, "The jackknife and the bootstrap for general stationary observations", Annals of Statistics 17, 1989).
    pub(super) fn stretch(&self, rounds: usize, random: &mut Noise) -> &[[f64; 3]] {
        let starts = |run: &Vec<[f64; 3]>| (run.len() + 1).saturating_sub(rounds);
        let all: usize = self.0.iter().map(starts).sum();
        let mut start = ((1.0 - random.even()) * all as f64) as usize;
        for run in &self.0 {
            if start < starts(run) {
                return &run[start..start + rounds];
            }
            start -= starts(run);
        }
        unreachable!("no run has {rounds} rounds")
    }
}
