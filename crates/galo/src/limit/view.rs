//! The live line: of a hold where it is in time, of a preload how far it is.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use galo_record::event::Progress;

use crate::live::{Where, where_it_is};

/// How many rows the preload that runs now is to send; shared with the live view.
#[derive(Debug, Clone, Default)]
pub(super) struct Rows(Arc<AtomicU64>);

impl Rows {
    /// A preload of so many rows begins.
    pub(super) fn set(&self, rows: u64) {
        self.0.store(rows, Ordering::Relaxed);
    }

    /// The view.
    pub(super) fn view(&self) -> impl FnMut(&Progress, Where) -> String + Send + 'static {
        let rows = self.clone();
        move |progress, _| rows.tell(progress)
    }

    fn tell(&self, progress: &Progress) -> String {
        // Only a hold has a length in time.
        if progress.duration_ns.is_some() {
            return where_it_is(progress);
        }
        let rows = self.0.load(Ordering::Relaxed);
        let per_s = progress.done as f64 * 1e9 / progress.elapsed_ns.max(1) as f64;
        format!(
            "preload: {} of {rows} rows  {per_s:.0}/s  {} failed  p99 {:.1} ms",
            progress.done,
            progress.failed + progress.wrong,
            progress.latency_us_p99 as f64 / 1000.0,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preload_is_told_by_its_rows_and_a_hold_by_its_time() {
        let rows = Rows::default();
        rows.set(54_635);
        let mut tell = rows.view();
        let progress = Progress {
            elapsed_ns: 2_000_000_000,
            done: 16_000,
            failed: 3,
            latency_us_p99: 12_340,
            ..Progress::default()
        };
        insta::assert_snapshot!(tell(&progress, Where::Redrawn), @"preload: 16000 of 54635 rows  8000/s  3 failed  p99 12.3 ms");
        let hold = Progress {
            duration_ns: Some(30_000_000_000),
            arrival_rate: Some(7_401.0),
            in_flight: 40,
            ..progress
        };
        insta::assert_snapshot!(tell(&hold, Where::Redrawn), @"  2 of 30 s   7401/s    40 in flight  0 wrong  3 failed  p99 12.3 ms");
    }
}
