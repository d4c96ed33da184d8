//! The live line of a load: rate, latency, errors, and how the latency went.

use galo_record::event::Progress;

use super::{Where, time};
use crate::load::{Glyphs, Scale, Sparkline};

const SECOND_NS: u64 = 1_000_000_000;
/// Seconds that the sparkline shows.
const COLUMNS: usize = 20;

/// Makes the line from one piece of news after another.
#[derive(Debug)]
pub struct LoadLine {
    glyphs: Glyphs,
    /// p99 of each of the last seconds.
    history: Sparkline,
    /// The longest p99 since the last second began; `None`: nothing ended.
    p99_us: Option<u64>,
    /// When the second began, and how many operations had ended by then.
    since: (u64, u64),
    per_s: f64,
}

impl LoadLine {
    /// One that has seen nothing. `unicode`: whether the terminal knows more than ASCII.
    pub fn new(unicode: bool) -> Self {
        let glyphs = if unicode { Glyphs::Blocks } else { Glyphs::Ascii };
        Self { glyphs, history: Sparkline::new(COLUMNS), p99_us: None, since: (0, 0), per_s: 0.0 }
    }

    /// The line about where a load is now.
    pub fn tell(&mut self, progress: &Progress, place: Where) -> String {
        self.take(progress);
        let Progress { latency_us_p50, latency_us_p99, wrong, failed, .. } = *progress;
        let seconds = progress.elapsed_ns / SECOND_NS;
        let length =
            progress.duration_ns.map_or(String::new(), |ns| format!(" of {}", ns.div_ceil(SECOND_NS)));
        let asked = progress.arrival_rate.map_or(String::new(), |rate| format!(" of {rate:.0}"));
        let line = format!(
            "{seconds:>2}{length} s {:>6.0}{asked}/s  p50 {}  p99 {}  {} errors",
            self.per_s,
            time(latency_us_p50),
            time(latency_us_p99),
            wrong + failed,
        );
        match place {
            Where::Line => line,
            Where::Redrawn => format!("{line}  {}", self.history.draw(Scale::Logarithmic, self.glyphs)),
        }
    }

    fn take(&mut self, progress: &Progress) {
        let (since_ns, done) = self.since;
        if progress.elapsed_ns < since_ns {
            // Another load began.
            (self.since, self.per_s) = ((progress.elapsed_ns, progress.done), 0.0);
            return;
        }
        if progress.latency_us_p99 > 0 {
            self.p99_us = Some(self.p99_us.unwrap_or(0).max(progress.latency_us_p99));
        }
        let passed_ns = progress.elapsed_ns - since_ns;
        if passed_ns >= SECOND_NS {
            self.per_s = progress.done.saturating_sub(done) as f64 * 1e9 / passed_ns as f64;
            self.history.push(self.p99_us.take().map(|us| us as f64));
            self.since = (progress.elapsed_ns, progress.done);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(tenths: u64, done: u64, p99_us: u64) -> Progress {
        Progress {
            elapsed_ns: tenths * SECOND_NS / 10,
            duration_ns: Some(10 * SECOND_NS),
            arrival_rate: Some(50_000.0),
            in_flight: 3,
            done,
            wrong: 1,
            failed: 2,
            latency_us_p50: p99_us / 2,
            latency_us_p99: p99_us,
            ..Progress::default()
        }
    }

    #[test]
    fn the_line_has_the_last_seconds_rate_and_the_longest_latency_of_each_second() {
        let mut view = LoadLine::new(true);
        for (tenths, p99_us) in [(5, 400), (10, 300), (15, 90_000), (20, 200), (25, 300)] {
            view.tell(&progress(tenths, tenths * 5_000, p99_us), Where::Redrawn);
        }
        let last = progress(30, 140_000, 1_250);
        insta::assert_snapshot!(view.tell(&last, Where::Redrawn), @" 3 of 10 s  40000 of 50000/s  p50 625 us  p99 1.2 ms  3 errors  ▁█▂");
        insta::assert_snapshot!(view.tell(&last, Where::Line), @" 3 of 10 s  40000 of 50000/s  p50 625 us  p99 1.2 ms  3 errors");
    }

    #[test]
    fn another_load_begins_anew() {
        let mut view = LoadLine::new(false);
        view.tell(&progress(90, 900_000, 300), Where::Line);
        view.tell(&progress(2, 10, 300), Where::Line);
        let line = view.tell(&progress(12, 1_010, 300), Where::Line);
        assert!(line.contains(" 1000 of 50000/s"), "{line}");
    }

    #[test]
    fn no_line_is_wider_than_a_terminal() {
        let mut view = LoadLine::new(true);
        let big = Progress { wrong: 9_999_999, ..progress(3_000, 999_999_999, 99_999) };
        for _ in 0..30 {
            view.tell(&big, Where::Redrawn);
        }
        let line = view.tell(&Progress { elapsed_ns: 9_999 * SECOND_NS, ..big }, Where::Line);
        assert!(line.chars().count() <= 78, "{line}");
    }
}
