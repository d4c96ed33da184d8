//! Effects of many entries that were measured a few at a time: only differences within a block count.
//!
//! What was measured is the sum of its block's mood, its entry's effect and noise. Least squares with both takes the moods out, however
//! they lie: F. Yates, "Incomplete randomized blocks", Annals of Eugenics 7, 1936; for blocks of any kind A. Dean, D. Voss, D. Draguljić,
//! "Design and Analysis of Experiments", 2nd edition, 2017, section 11.2. Each entry has noise of its own; so a difference has the
//! variance of H. White, "A heteroskedasticity-consistent covariance matrix estimator", Econometrica 48, 1980, with each entry's own
//! variance in it, as J. G. MacKinnon and H. White take it (HC3, Journal of Econometrics 29, 1985). Few rounds say little of that, so it is pooled with what the field's other entries have, the more the more alike they
//! are: G. K. Smyth, "Linear models and empirical Bayes methods for assessing differential expression in microarray experiments", Stat.
//! Appl. Genet. Mol. Biol. 3, 2004, section 6.2.

use statrs::distribution::{ContinuousCDF, StudentsT};
use statrs::function::gamma::digamma;

use super::matrix::Matrix;
use super::{deviation, mean};

/// The most degrees of freedom that the field has in what is known of one entry's noise, however alike all seem: of so many more, rounds
/// with a burst of the machine in them would be taken for a difference.
const MOST_SHARED: f64 = 20.0;
/// The least, however different they are.
const LEAST_SHARED: f64 = 1.0;
/// Degrees of freedom below which nothing is known of an entry's noise: a round for each entry leaves none, but for what rounding makes.
const LEAST_FREEDOM: f64 = 0.5;
/// An entry whose rounds are all alike has so small a share of the field's noise at least.
const LEAST_SHARE: f64 = 0.01;

/// One round of an entry, in a block.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seen {
    /// Which block.
    pub block: usize,
    /// Which entry.
    pub entry: usize,
    /// Logarithm of the figure.
    pub log: f64,
}

/// The effects of entries.
#[derive(Debug, Clone)]
pub struct Effects {
    logs: Vec<f64>,
    /// Covariance of the effects; only differences of two that are linked have a meaning.
    covariance: Matrix,
    /// Quantile of Student's t for the degrees of freedom of each entry's noise.
    quantiles: Vec<f64>,
    /// Entries of one number are linked by blocks; `None`: never seen.
    part: Vec<Option<usize>>,
}

/// How far two entries are apart, as logarithms of the ratio, first by second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Apart {
    /// The estimate.
    pub log: f64,
    /// Its interval is so far on either side.
    pub half: f64,
}

impl Apart {
    /// The interval.
    pub fn interval(&self) -> [f64; 2] {
        [self.log - self.half, self.log + self.half]
    }

    /// Whether the interval is on one side of 0.
    pub fn is_surely(&self) -> bool {
        self.log.abs() > self.half
    }
}

impl Effects {
    /// Estimates the effects of so many entries. The interval of a difference holds it with probability `1 - alpha`.
    pub fn of(seen: &[Seen], entries: usize, alpha: f64) -> Self {
        let blocks = by_block(seen);
        let part = parts(&blocks, entries);
        let inverse = information(&blocks, &part).inverse();
        let mut sums = vec![0.0; entries];
        for block in &blocks {
            let mean = block.iter().map(|one| one.log).sum::<f64>() / block.len() as f64;
            block.iter().for_each(|one| sums[one.entry] += one.log - mean);
        }
        let logs = inverse.times(&sums);
        let (noise, freedom) = noise(&blocks, &logs, &inverse);
        let middle = spread(&blocks, &noise);
        // The one in the middle is nearly empty, since few entries meet: it goes first.
        let covariance = inverse.product(&middle.product(&inverse));
        let quantile = |freedom: f64| {
            // So few rounds say nothing of the noise.
            if freedom < LEAST_FREEDOM {
                return f64::INFINITY;
            }
            StudentsT::new(0.0, 1.0, freedom).map_or(f64::INFINITY, |t| t.inverse_cdf(1.0 - alpha / 2.0))
        };
        Self { logs, covariance, quantiles: freedom.into_iter().map(quantile).collect(), part }
    }

    /// How far two are apart; `None` where no chain of blocks links them.
    pub fn apart(&self, [first, second]: [usize; 2]) -> Option<Apart> {
        if self.part[first]? != self.part[second]? {
            return None;
        }
        let of = |row, column| self.covariance.get(row, column);
        let variance = of(first, first) + of(second, second) - 2.0 * of(first, second);
        // The fewer degrees of freedom, the larger the quantile.
        let quantile = self.quantiles[first].max(self.quantiles[second]);
        let half = if quantile.is_finite() { quantile * variance.max(0.0).sqrt() } else { f64::INFINITY };
        Some(Apart { log: self.logs[first] - self.logs[second], half })
    }
}

/// What was seen, block by block; a block of one says nothing.
fn by_block(seen: &[Seen]) -> Vec<Vec<Seen>> {
    let mut sorted = seen.to_vec();
    sorted.sort_by_key(|one| one.block);
    sorted.chunk_by(|a, b| a.block == b.block).filter(|block| block.len() > 1).map(<[Seen]>::to_vec).collect()
}

/// Which entries are linked, by the least of them.
fn parts(blocks: &[Vec<Seen>], entries: usize) -> Vec<Option<usize>> {
    let mut part: Vec<Option<usize>> = vec![None; entries];
    for block in blocks {
        let joined: Vec<usize> = block.iter().filter_map(|one| part[one.entry]).collect();
        let least = joined.iter().copied().chain(block.iter().map(|one| one.entry)).min();
        part.iter_mut().filter(|of| of.is_some_and(|of| joined.contains(&of))).for_each(|of| *of = least);
        block.iter().for_each(|one| part[one.entry] = least);
    }
    part
}

/// What is known of the entries once the blocks' moods are taken out. So that it can be inverted, the mean of the effects of each part is
/// set to 0, and those that were never seen to 0.
fn information(blocks: &[Vec<Seen>], part: &[Option<usize>]) -> Matrix {
    let mut information = Matrix::zero(part.len());
    for block in blocks {
        let share = 1.0 / block.len() as f64;
        for one in block {
            information.add(one.entry, one.entry, 1.0);
            block.iter().for_each(|other| information.add(one.entry, other.entry, -share));
        }
    }
    for (row, of) in part.iter().enumerate() {
        match of {
            None => information.add(row, row, 1.0),
            Some(_) => {
                let together = part.iter().enumerate().filter(|(_, other)| *other == of);
                together.for_each(|(column, _)| information.add(row, column, 1.0));
            }
        }
    }
    information
}

/// Variance of each entry's noise, and its degrees of freedom.
fn noise(blocks: &[Vec<Seen>], logs: &[f64], inverse: &Matrix) -> (Vec<f64>, Vec<f64>) {
    let (mut squares, mut freedom) = (vec![0.0; logs.len()], vec![0.0; logs.len()]);
    for block in blocks {
        let count = block.len() as f64;
        let mood = block.iter().map(|one| one.log - logs[one.entry]).sum::<f64>() / count;
        // Which share of a residual is its own: 1 less the leverage.
        let with_all: Vec<f64> = block
            .iter()
            .map(|one| block.iter().map(|other| inverse.get(one.entry, other.entry)).sum::<f64>() / count)
            .collect();
        let mean = with_all.iter().sum::<f64>() / count;
        for (one, with_all) in block.iter().zip(&with_all) {
            let leverage = 1.0 / count + inverse.get(one.entry, one.entry) - 2.0 * with_all + mean;
            let own = (1.0 - leverage).max(0.0);
            // An entry that is noisier than its block draws the fit to itself, so that its residuals are too small by that share twice.
            squares[one.entry] +=
                if own > 0.0 { (one.log - logs[one.entry] - mood).powi(2) / own } else { 0.0 };
            freedom[one.entry] += own;
        }
    }
    let field = Field::of(&squares, &freedom);
    let pooled = squares.iter().zip(&freedom).map(|(squares, freedom)| {
        let known = (field.freedom + freedom).max(f64::MIN_POSITIVE);
        ((field.variance * field.freedom + squares) / known, known)
    });
    pooled.unzip()
}

/// The noise of a field, and how much it says of one entry's: degrees of freedom.
struct Field {
    variance: f64,
    freedom: f64,
}

impl Field {
    /// By the sums of squares of its entries, and their degrees of freedom.
    fn of(squares: &[f64], freedom: &[f64]) -> Self {
        let all_freedom: f64 = freedom.iter().sum();
        let all = squares.iter().sum::<f64>() / all_freedom.max(f64::MIN_POSITIVE);
        // An entry that was seen once has a residual of almost nothing.
        let known = squares.iter().zip(freedom).filter(|(_, freedom)| **freedom > 0.1 && all > 0.0);
        let (logs, of_chance): (Vec<f64>, Vec<f64>) = known
            .map(|(squares, freedom)| {
                let variance = (squares / freedom).max(LEAST_SHARE * all);
                (variance.ln() - digamma(freedom / 2.0) + (freedom / 2.0).ln(), trigamma(freedom / 2.0))
            })
            .unzip();
        let (Some(centre), Some(spread)) = (mean(&logs), deviation(&logs)) else {
            return Self { variance: all, freedom: 0.0 };
        };
        let unlike = spread.powi(2) - mean(&of_chance).unwrap_or(0.0);
        // What all entries together do not know, none can be told.
        let most = MOST_SHARED.min(all_freedom / 2.0).max(LEAST_SHARED);
        let freedom = shared(unlike, most);
        let variance = (centre + digamma(freedom / 2.0) - (freedom / 2.0).ln()).exp();
        Self { variance, freedom }
    }
}

/// The degrees of freedom at which variances differ by so much on a log scale: where trigamma(d / 2) is that.
fn shared(unlike: f64, most: f64) -> f64 {
    let (mut low, mut high) = (LEAST_SHARED, most);
    for _ in 0..50 {
        let middle = f64::midpoint(low, high);
        // It falls as d grows.
        *(if trigamma(middle / 2.0) > unlike { &mut low } else { &mut high }) = middle;
    }
    f64::midpoint(low, high)
}

/// The second derivative of ln Γ: upwards by its recurrence, then its asymptotic series (M. Abramowitz, I. A. Stegun, "Handbook of
/// Mathematical Functions", 1964, 6.4.6 and 6.4.12).
fn trigamma(mut x: f64) -> f64 {
    let mut sum = 0.0;
    while x < 8.0 {
        sum += 1.0 / (x * x);
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    sum + 1.0 / x + square / 2.0 + square / x * (1.0 / 6.0 - square * (1.0 / 30.0 - square / 42.0))
}

/// What the noise of all rounds makes of the sums that the effects are estimated by.
fn spread(blocks: &[Vec<Seen>], noise: &[f64]) -> Matrix {
    let mut spread = Matrix::zero(noise.len());
    for block in blocks {
        let share = 1.0 / block.len() as f64;
        let all: f64 = block.iter().map(|one| noise[one.entry]).sum::<f64>() * share * share;
        for one in block {
            spread.add(one.entry, one.entry, noise[one.entry]);
            for other in block {
                let both = noise[one.entry] + noise[other.entry];
                spread.add(one.entry, other.entry, all - both * share);
            }
        }
    }
    spread
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Noise;

    fn seen(block: usize, entry: usize, log: f64) -> Seen {
        Seen { block, entry, log }
    }

    #[test]
    fn one_round_of_each_says_nothing() {
        let all: Vec<Seen> = (0..5).map(|entry| seen(0, entry, f64::from(entry as u32))).collect();
        let told = Effects::of(&all, 5, 0.05);
        let apart = told.apart([0, 4]).unwrap();
        assert!(!apart.is_surely() && apart.half.is_infinite(), "{apart:?}");
        let two_blocks = [&all[..], &[seen(1, 5, 0.0), seen(1, 6, 9.0), seen(1, 0, 1.0)]].concat();
        assert!(!Effects::of(&two_blocks, 7, 0.05).apart([5, 6]).unwrap().is_surely());
    }

    #[test]
    fn in_complete_blocks_it_is_the_difference_of_the_means() {
        let mut random = Noise::seeded(1);
        let logs: Vec<[f64; 3]> = (0..5).map(|_| [(); 3].map(|()| random.normal())).collect();
        let all: Vec<Seen> =
            (0..5).flat_map(|b| (0..3).map(move |e| (b, e))).map(|(b, e)| seen(b, e, logs[b][e])).collect();
        let effects = Effects::of(&all, 3, 0.05);
        let of = |entry: usize| mean(&logs.iter().map(|block| block[entry]).collect::<Vec<_>>()).unwrap();
        assert!((effects.apart([0, 2]).unwrap().log - (of(0) - of(2))).abs() < 1e-9);
    }

    #[test]
    fn the_mood_of_a_block_moves_nothing() {
        // Each meets only some others; the blocks differ by far more than the entries do.
        let effects = [0.0, 0.1, -0.2, 0.3];
        let blocks = [[0, 1], [1, 2], [2, 3], [3, 0]];
        let all = blocks
            .iter()
            .enumerate()
            .flat_map(|(b, two)| two.map(|e| seen(b, e, 10.0 * b as f64 + effects[e])));
        let told = Effects::of(&all.collect::<Vec<_>>(), 4, 0.05);
        for (a, b) in [(0, 1), (0, 2), (3, 1)] {
            let apart = told.apart([a, b]).unwrap();
            assert!((apart.log - (effects[a] - effects[b])).abs() < 1e-9 && apart.half < 1e-6, "{apart:?}");
        }
    }

    #[test]
    fn those_that_no_chain_of_blocks_links_are_not_compared() {
        let all = [seen(0, 0, 1.0), seen(0, 1, 2.0), seen(1, 2, 1.0), seen(1, 3, 5.0), seen(2, 4, 1.0)];
        let told = Effects::of(&all, 6, 0.05);
        assert_eq!(told.apart([0, 1]).map(|apart| apart.log), Some(-1.0));
        assert_eq!([told.apart([0, 2]), told.apart([0, 4]), told.apart([4, 5])], [None; 3]);
        let linked = Effects::of(&[&all[..], &[seen(3, 1, 0.0), seen(3, 2, 0.0)]].concat(), 6, 0.05);
        assert!(linked.apart([0, 3]).is_some());
    }

    #[test]
    fn trigamma_is_that_of_the_tables() {
        for (x, expected) in [(1.0, 1.644_934_066_8), (0.5, 4.934_802_200_5), (10.0, 0.105_166_335_7)] {
            assert!((trigamma(x) - expected).abs() < 1e-9, "{x}: {}", trigamma(x));
        }
    }

    #[test]
    fn entries_that_are_alike_tell_of_one_another_and_others_do_not() {
        let alike = Field::of(&[2.0; 12], &[2.0; 12]);
        assert!(alike.freedom > 10.0 && (0.5..3.0).contains(&alike.variance), "{}", alike.variance);
        let unlike: Vec<f64> = (0..12).map(|index| 10.0_f64.powi(index % 4 * 2)).collect();
        assert!(Field::of(&unlike, &[6.0; 12]).freedom < 2.0);
        assert!(Field::of(&[1.0, 1.0], &[2.0, 2.0]).freedom <= 2.0);
        assert_eq!(Field::of(&[0.0; 3], &[0.0; 3]).freedom, 0.0);
    }

    /// In how many of a hundred runs two equal entries are told apart at a level of 5 %: two of those with `noise`, and two others.
    fn missed(noise: f64) -> [f64; 2] {
        const RUNS: usize = 300;
        let mut random = Noise::seeded(2);
        let mut missed = [0.0; 2];
        for _ in 0..RUNS {
            let mut all = Vec::new();
            for pass in 0..6 {
                for entry in 0..8 {
                    // Two blocks a pass, of other members each time.
                    let block = 2 * pass + usize::from((entry * 5 + pass * entry * entry) % 8 < 4);
                    let noise = if entry.is_multiple_of(3) { noise } else { 0.03 };
                    all.push(seen(block, entry, block as f64 + noise * random.normal()));
                }
            }
            let told = Effects::of(&all, 8, 0.05);
            for (missed, two) in missed.iter_mut().zip([[0, 3], [1, 2]]) {
                *missed += f64::from(u8::from(told.apart(two).unwrap().is_surely())) * 100.0 / RUNS as f64;
            }
        }
        missed
    }

    #[test]
    fn equals_are_told_apart_no_more_often_than_is_said_whether_entries_are_alike_in_their_noise_or_not() {
        let alike = missed(0.03);
        assert!(alike.iter().all(|percent| (0.5..=6.0).contains(percent)), "{alike:?}");
        let unlike = missed(0.09);
        assert!(unlike.iter().all(|percent| *percent <= 8.0), "{unlike:?}");
    }
}
