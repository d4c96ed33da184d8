//! Whether a target kept up with what was offered, whatever its latency.

use std::time::Duration;

use galo_record::{SecondLatencies, StepLatencies};

/// What fell due in a load of constant rate.
#[derive(Clone, Copy)]
pub struct Due<'a> {
    /// Per second, on average.
    pub per_s: f64,
    /// How many until the end of so many seconds.
    pub until: &'a dyn Fn(usize) -> f64,
    /// How many of all were drawn at random; 0 where arrivals are evenly spaced.
    pub drawn: f64,
}

/// What was answered per second while requests fell due: all that was offered, less what the number of those due but not
/// answered grew by from the end of the first second to the end of the last. At a rate that is kept up with, that number
/// is the rate times the latency all along, however long the latency is; where a queue grows, it grows, be it on
/// connections or before them. It moves by a request or so without meaning anything, and by its square root where
/// answers come at random, or by that of all arrivals where these do. A load of less than two seconds shows nothing.
pub fn achieved_per_s(latencies: &StepLatencies, length: Duration, due: Due<'_>) -> f64 {
    let seconds = length.as_secs() as usize;
    if seconds < 2 {
        return due.per_s;
    }
    let ended = |second: &SecondLatencies| {
        second.ok.count() as f64
            + f64::from(second.wrong)
            + f64::from(second.failed)
            + f64::from(second.timed_out)
    };
    let open =
        |until: usize| (due.until)(until) - latencies.seconds.iter().take(until).map(ended).sum::<f64>();
    let first = open(1);
    let by_chance = 1.0 + 2.0 * (first.max(0.0) + due.drawn).sqrt();
    let growth = (open(seconds) - first - by_chance).max(0.0);
    due.per_s - growth / (seconds - 1) as f64
}

#[cfg(test)]
mod tests {
    use galo_record::Latencies;

    use super::*;

    /// Seconds in which so many fell due, and so many were answered.
    fn seconds(each: &[(u32, u32)]) -> StepLatencies {
        let second = |&(intended, ok): &(u32, u32)| {
            let mut latencies = Latencies::new();
            (0..ok).for_each(|_| latencies.record_ns(1_000_000));
            SecondLatencies { intended, ok: latencies.to_sparse(), ..SecondLatencies::default() }
        };
        StepLatencies { seconds: each.iter().map(second).collect(), ..StepLatencies::default() }
    }

    fn even(latencies: &StepLatencies, length_s: u64, per_s: f64) -> f64 {
        let due = Due { per_s, until: &|seconds| per_s * seconds as f64, drawn: 0.0 };
        achieved_per_s(latencies, Duration::from_secs(length_s), due)
    }

    fn achieved(each: &[(u32, u32)], offered_per_s: f64) -> f64 {
        even(&seconds(each), 3, offered_per_s)
    }

    #[test]
    fn a_long_latency_is_no_growing_queue() {
        // 500 ms at 1,000/s: half a second's requests are under way at the end of every second.
        assert_eq!(achieved(&[(1000, 500), (1000, 1000), (1000, 1000), (0, 500)], 1000.0), 1000.0);
        assert_eq!(achieved(&[(10, 9), (10, 10), (10, 9), (0, 2)], 10.0), 10.0);
    }

    #[test]
    fn a_server_that_falls_behind_shows_by_how_much() {
        let per_s = achieved(&[(1000, 900), (1000, 900), (1000, 900), (0, 300)], 1000.0);
        assert!((900.0..=912.0).contains(&per_s), "{per_s}");
        let nothing = achieved(&[(1000, 0), (1000, 0), (1000, 0)], 1000.0);
        assert!(nothing < 100.0, "{nothing}");
    }

    #[test]
    fn what_waits_for_a_connection_is_a_growing_queue_too() {
        // Only what was begun is counted as intended.
        let per_s = achieved(&[(900, 880), (900, 900), (900, 900), (300, 320)], 1000.0);
        assert!((900.0..=915.0).contains(&per_s), "{per_s}");
    }

    #[test]
    fn answers_that_are_wrong_or_fail_are_answers() {
        let mut latencies = seconds(&[(100, 90), (100, 80), (100, 80)]);
        latencies
            .seconds
            .iter_mut()
            .for_each(|second| (second.wrong, second.failed, second.timed_out) = (5, 4, 1));
        assert!(even(&latencies, 3, 100.0) > 89.0);
        assert_eq!(even(&latencies, 1, 100.0), 100.0);
    }
}
