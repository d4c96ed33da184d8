//! When requests of a recording came, and the arrival rates that say the same.

use std::time::Duration;

use jiff::Timestamp;

use super::{Arrival, Recording};
use crate::error::PlanError;
use crate::injection::{Injection, Phase};

/// Arrivals are counted over pieces of this length; where all times are whole seconds, over seconds. No piece of the replay
/// is shorter, so that its number does not grow with the length of a recording.
const PIECE_NS: u64 = 100_000_000;
const SECOND_NS: u64 = 1_000_000_000;

/// What of all arrivals is kept, from the first one on, in the order of time. `kept`: numbers of the requests that are kept,
/// ascending. Nothing where a time is not known.
pub(super) fn arrivals(all: &[(Option<Timestamp>, usize)], kept: &[usize]) -> Vec<Arrival> {
    let place = |(at, request): &(Option<Timestamp>, usize)| Some((*at, kept.binary_search(request).ok()?));
    let timed: Option<Vec<(i128, usize)>> =
        all.iter().filter_map(place).map(|(at, request)| Some((at?.as_nanosecond(), request))).collect();
    let mut timed = timed.unwrap_or_default();
    // Servers log a request when it ends, so that lines may be out of order.
    timed.sort_by_key(|(at, _)| *at);
    let first = timed.first().map_or(0, |(at, _)| *at);
    let after_first = |at: i128| u64::try_from(at - first).unwrap_or(u64::MAX);
    timed.into_iter().map(|(at, request)| Arrival { at_ns: after_first(at), request }).collect()
}

impl Recording {
    /// The arrival rates of the recording, `factor` times as fast: as many in each piece of time as came in it.
    ///
    /// # Errors
    /// The file says nothing of times; it would last longer than `longest`.
    pub fn injection(&self, factor: f64, longest: Duration) -> Result<Injection, PlanError> {
        let Some(last) = self.arrivals.last() else {
            let hint = "a pace is known of access logs and HAR files of up to 8 million requests alone; give a rate in its place";
            return Err(PlanError::Invalid(format!(
                "the recording does not say when requests came\nhint: {hint}"
            )));
        };
        let is_whole = self.arrivals.iter().all(|arrival| arrival.at_ns.is_multiple_of(SECOND_NS));
        let lasts = Duration::from_nanos(last.at_ns).div_f64(factor);
        if lasts > longest {
            let (lasts, longest) = (lasts.as_secs(), longest.as_secs());
            let enough = (factor * lasts as f64 / longest as f64).ceil();
            return Err(PlanError::Invalid(format!(
                "at this pace the recording lasts {lasts} s, over {longest} s\nhint: replay it {enough} times as fast"
            )));
        }
        let own_ns = if is_whole { SECOND_NS } else { PIECE_NS };
        let piece_ns = own_ns.max((PIECE_NS as f64 * factor) as u64);
        let mut counts = vec![0.0; (last.at_ns / piece_ns + 1) as usize];
        self.arrivals.iter().for_each(|arrival| counts[(arrival.at_ns / piece_ns) as usize] += 1.0);
        // User n starts when the integral reaches n. Half a user less from the first one on, and all others lie within their
        // piece, not on its edge.
        counts[0] -= 0.5;
        let duration_ns = (piece_ns as f64 / factor) as u64;
        let phase = |count: f64| {
            let micro = (count * 1e15 / duration_ns.max(1) as f64).round() as u64;
            Phase { from_micro: micro, to_micro: micro, duration_ns }
        };
        Injection::of_phases(counts.into_iter().map(phase).collect())
            .map_err(|error| PlanError::Invalid(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recording(at_ms: &[u64]) -> Recording {
        let arrivals = at_ms.iter().map(|ms| Arrival { at_ns: ms * 1_000_000, request: 0 });
        Recording { arrivals: arrivals.collect(), ..Recording::default() }
    }

    fn offsets(recording: &Recording, factor: f64) -> Vec<u64> {
        let injection = recording.injection(factor, Duration::from_secs(60)).unwrap();
        (0..injection.users()).map(|n| injection.offset_ns(n).unwrap() / 1_000_000).collect()
    }

    #[test]
    fn as_many_arrive_in_each_second_as_came_in_it() {
        let log = recording(&[0, 0, 0, 2_000, 3_000, 3_000]);
        assert_eq!(offsets(&log, 1.0), [0, 400, 800, 2_500, 3_250, 3_750]);
        assert_eq!(offsets(&log, 10.0), [0, 40, 80, 250, 325, 375]);
        assert_eq!(offsets(&recording(&[0, 150, 160]), 1.0), [0, 125, 175], "finer where times are");
    }

    #[test]
    fn a_long_recording_that_is_replayed_fast_takes_no_more_pieces() {
        let year_ms = 365 * 24 * 3_600 * 1_000;
        let fast = recording(&[0, 1, year_ms]).injection(1e6, Duration::from_secs(60)).unwrap();
        assert_eq!((fast.phases().len(), fast.users()), (316, 3));
    }

    #[test]
    fn what_lasts_too_long_is_told_with_the_pace_that_would_do() {
        let told = |recording: &Recording| {
            recording.injection(2.0, Duration::from_secs(60)).unwrap_err().to_string()
        };
        assert_eq!(
            told(&recording(&[0, 3_600_000])),
            "at this pace the recording lasts 1800 s, over 60 s\nhint: replay it 60 times as fast"
        );
        assert!(told(&recording(&[])).starts_with("the recording does not say when"));
    }

    #[test]
    fn times_come_in_order_from_the_first_one_on_and_only_of_what_is_kept() {
        let at = |second: i64, request: usize| (Timestamp::from_second(second).ok(), request);
        let told = |all: &[(Option<Timestamp>, usize)]| {
            let arrivals = arrivals(all, &[0, 2]);
            arrivals.iter().map(|a| (a.at_ns / SECOND_NS, a.request)).collect::<Vec<_>>()
        };
        assert_eq!(told(&[at(9, 2), at(5, 1), at(7, 0)]), [(0, 0), (2, 1)]);
        assert_eq!(told(&[at(9, 2), (None, 0)]), []);
        assert_eq!(told(&[at(9, 2), (None, 1)]), [(0, 1)], "what is left out may have none");
    }
}
