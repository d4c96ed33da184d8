//! The line about a load: where it is, rate, latency, errors, and how the latency went.

use super::{COLUMNS, Ongoing, Where, cut, time};
use crate::load::{Glyphs, Scale, Sparkline};

const SECOND_NS: u64 = 1_000_000_000;
/// Seconds that the sparkline shows where there is room.
const SECONDS: usize = 20;

impl Ongoing {
    /// The line about the load; empty: there is nothing to say. `unicode`: whether the terminal knows more than ASCII.
    pub fn line(&self, place: Where, unicode: bool) -> String {
        let Some(progress) = self.progress() else { return String::new() };
        // Where lines stay there is one for each pair of turns, told by its judge.
        if place == Where::Line && !self.turn.is_empty() {
            return String::new();
        }
        let seconds = progress.elapsed_ns / SECOND_NS;
        let head = match (self.rows(), progress.duration_ns) {
            _ if !self.turn.is_empty() => self.turn.clone(),
            (Some(rows), None) => format!("preload: {} of {rows} rows", progress.done),
            (_, None) => format!("{seconds:>2} s"),
            (_, Some(ns)) => format!("{seconds:>2} of {} s", ns.div_ceil(SECOND_NS)),
        };
        let asked = progress.arrival_rate.map_or(String::new(), |rate| format!(" ({rate:.0} users/s)"));
        let line = format!(
            "{head} {:>6.0}/s{asked}  p50 {}  p99 {}  {} errors",
            self.recent_per_s(),
            time(progress.latency_us_p50),
            time(progress.latency_us_p99),
            progress.wrong + progress.failed,
        );
        // Beside it: two columns for the spinner or the indentation, two between line and sparkline.
        let line = cut(&line, COLUMNS - 2);
        match place {
            Where::Line => line,
            Where::Redrawn => {
                let room = COLUMNS.saturating_sub(line.chars().count() + 4);
                let latencies = self.latencies(room.min(SECONDS), unicode);
                format!("{line}  {latencies}").trim_end().to_owned()
            }
        }
    }

    /// Operations that ended in each second: of the last second and a little more, or since the load began.
    fn recent_per_s(&self) -> f64 {
        let mut points = self.points.iter().rev().take_while(|point| point.at_s > self.before_s);
        let Some(last) = points.next() else { return 0.0 };
        let first = points.find(|point| last.at_s - point.at_s >= 1.0);
        let [from_s, from] = first.map_or([self.before_s, 0.0], |first| [first.at_s, first.done as f64]);
        (last.done as f64 - from) / (last.at_s - from_s)
    }

    /// The longest p99 of each of the last whole seconds, as a sparkline.
    fn latencies(&self, columns: usize, unicode: bool) -> String {
        let mut seconds = Sparkline::new(columns);
        let of_load = self.points.iter().filter(|point| point.at_s > self.before_s);
        let second = |at_s: f64| (at_s - self.before_s) as u64;
        let now = self.points.back().map_or(0, |last| second(last.at_s));
        let mut longest = vec![None; usize::try_from(now).unwrap_or(0).min(columns)];
        for point in of_load {
            let ago = now - second(point.at_s);
            let place = longest.len().checked_sub(usize::try_from(ago).unwrap_or(usize::MAX));
            if let Some(most) = place.and_then(|place| longest.get_mut(place)) {
                *most = (*most).max(point.p99_us);
            }
        }
        longest.into_iter().for_each(|us| seconds.push(us.map(|us| us as f64)));
        seconds.draw(Scale::Logarithmic, if unicode { Glyphs::Blocks } else { Glyphs::Ascii })
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use galo_record::Event;
    use galo_record::act::{Act, LoadTerms, Workload};
    use galo_record::event::Progress;

    use super::super::ongoing::tests::heard;
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
        let seconds = [(5, 400), (9, 300), (15, 90_000), (20, 200), (25, 300)];
        let news = seconds.map(|(tenths, p99_us)| progress(tenths, tenths * 5_000, p99_us));
        let run = heard(news.into_iter().chain([progress(30, 140_000, 1_250)]).map(Event::Progress));
        insta::assert_snapshot!(run.line(Where::Redrawn, true), @" 3 of 10 s  40000/s (50000 users/s)  p50 625 us  p99 1.2 ms  3 errors  ▁█▁");
        insta::assert_snapshot!(run.line(Where::Line, true), @" 3 of 10 s  40000/s (50000 users/s)  p50 625 us  p99 1.2 ms  3 errors");
    }

    #[test]
    fn another_load_begins_anew() {
        let news = [progress(90, 900_000, 300), progress(2, 10, 300), progress(12, 1_010, 300)];
        let line = heard(news.map(Event::Progress)).line(Where::Redrawn, false);
        assert!(line.contains(" 1000/s (50000 users/s)") && line.ends_with("errors  _"), "{line}");
    }

    #[test]
    fn a_second_in_which_nothing_ended_is_blank() {
        let news = [progress(5, 10, 300), progress(15, 10, 0), progress(25, 20, 300), progress(30, 20, 300)];
        let line = heard(news.map(Event::Progress)).line(Where::Redrawn, true);
        assert!(line.ends_with("▁ ▁"), "{line}");
    }

    #[test]
    fn no_line_is_wider_than_a_terminal() {
        let big = |tenths| Progress { wrong: 9_999_999, ..progress(tenths, 999_999_999, 99_999) };
        let news = (0..300).map(|tenths| Event::Progress(big(tenths)));
        let last = Progress { elapsed_ns: 9_999 * SECOND_NS, ..big(0) };
        let line = heard(news.chain([Event::Progress(last)])).line(Where::Redrawn, true);
        assert!(line.chars().count() <= 78, "{line}");
    }

    #[test]
    fn a_preload_is_told_by_its_rows() {
        let mut run = heard([]);
        let traffic = Workload::Fill { users: 8, rows: 54_635 };
        let begun = Instant::now();
        run.begins(&Act::Load(LoadTerms { contender: 0, traffic, kill: None }), begun);
        let news = Progress { duration_ns: None, arrival_rate: None, ..progress(20, 16_000, 12_340) };
        run.hears(&Event::Progress(news), begun + Duration::from_secs(3));
        insta::assert_snapshot!(run.line(Where::Line, true), @"preload: 16000 of 54635 rows   8000/s  p50 6.2 ms  p99 12.3 ms  3 errors");
    }

    #[test]
    fn turns_are_told_where_the_line_is_redrawn() {
        let mut run = heard([Event::Progress(progress(20, 2_000, 300))]);
        run.turn("pair 3 of 8: a.js".to_owned());
        assert!(run.line(Where::Redrawn, true).starts_with("pair 3 of 8: a.js   1000/s (50000 users/s)"));
        assert_eq!(run.line(Where::Line, true), "");
    }
}
