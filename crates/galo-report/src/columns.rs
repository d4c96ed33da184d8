//! Columns and statistics that several kinds of runs tell.

use galo_record::{Ledger, Percentiles};
use galo_words::{Both, Figure};

use crate::document::{Cell, Column};
use crate::words::labels;

/// A statistic of response times, in microseconds, and what it is called.
pub(crate) struct Statistic {
    pub(crate) name: Both,
    of: fn(&Percentiles) -> f64,
}

const fn statistic(name: Both, of: fn(&Percentiles) -> f64) -> Statistic {
    Statistic { name, of }
}

pub(crate) const MIN: Statistic = statistic(Both::word("min", "mín."), |l| l.min);
pub(crate) const P50: Statistic = statistic(Both::word("p50", "p50"), |l| l.p50);
pub(crate) const P75: Statistic = statistic(Both::word("p75", "p75"), |l| l.p75);
pub(crate) const P90: Statistic = statistic(Both::word("p90", "p90"), |l| l.p90);
pub(crate) const P95: Statistic = statistic(Both::word("p95", "p95"), |l| l.p95);
pub(crate) const P99: Statistic = statistic(Both::word("p99", "p99"), |l| l.p99);
pub(crate) const P999: Statistic = statistic(Both::word("p99.9", "p99,9"), |l| l.p99_9);
pub(crate) const P9999: Statistic = statistic(Both::word("p99.99", "p99,99"), |l| l.p99_99);
pub(crate) const MAX: Statistic = statistic(labels::MAX, |l| l.max);
pub(crate) const MEAN: Statistic = statistic(labels::MEAN, |l| l.mean);
pub(crate) const DEVIATION: Statistic = statistic(labels::DEVIATION, |l| l.standard_deviation);
pub(crate) const TM95: Statistic = statistic(Both::word("tm95", "tm95"), |l| l.tm95);
pub(crate) const TM99: Statistic = statistic(Both::word("tm99", "tm99"), |l| l.tm99);
pub(crate) const TM99_9: Statistic = statistic(Both::word("tm99.9", "tm99,9"), |l| l.tm99_9);

impl Statistic {
    /// Its figure, as `write` makes it of microseconds; `None`: there is no response time.
    pub(crate) fn figure(&self, times: &Percentiles, write: impl Fn(f64) -> Figure) -> Option<Figure> {
        (times.count > 0).then(|| write((self.of)(times)))
    }

    /// Its cell in milliseconds.
    pub(crate) fn cell(&self, times: &Percentiles) -> Cell {
        self.figure(times, Figure::Ms).into()
    }

    /// Its column, under its own name, of the response times that `times` finds in a subject.
    pub(crate) fn column<'a, S>(self, times: impl Fn(&S) -> &Percentiles + 'a) -> Column<'a, S> {
        Column::new(self.name.clone(), move |subject| self.cell(times(subject)))
    }
}

/// Operations by result.
pub(crate) fn ledger<'a, S>(of: impl Fn(&S) -> &Ledger + Copy + 'a) -> [Column<'a, S>; 6] {
    type Result = fn(&Ledger) -> u64;
    let results: [(Both, Result); 6] = [
        (labels::INTENDED, |ledger| ledger.intended),
        (labels::OK, |ledger| ledger.ok),
        (labels::WRONG, |ledger| ledger.wrong),
        (labels::FAILED, |ledger| ledger.failed),
        (labels::TIMED_OUT, |ledger| ledger.timed_out),
        (labels::UNFINISHED, |ledger| ledger.unfinished),
    ];
    results.map(|(name, result)| Column::new(name, move |subject| result(of(subject))))
}
