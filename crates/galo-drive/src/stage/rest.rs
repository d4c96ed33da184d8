//! When the count is at rest after the load.

use galo_plan::challenge::Count;
use galo_record::round::CountReading;

/// Reads the count, from `start_ns` on, until it has not moved for the challenge's settling time, or its bound is over.
/// Until a first number was read nothing can have settled: a slow answer or none goes on to the bound. Later on, a
/// reading without a number is kept, but is no movement. `read` tells `None` to break off.
pub(super) fn until_rest(
    rest: &Count,
    start_ns: u64,
    mut read: impl FnMut() -> Option<CountReading>,
) -> Vec<CountReading> {
    let bound_ns = start_ns + rest.settle_max_ns;
    let (mut number, mut end_ns) = (None, bound_ns);
    let mut readings: Vec<CountReading> = Vec::new();
    while let Some(reading) = read() {
        let at_ns = reading.at_ns;
        if reading.value.is_some() && reading.value != number {
            number = reading.value;
            end_ns = bound_ns.min(at_ns + rest.settle_ns);
        }
        if readings.last().is_none_or(|last| last.value != reading.value) {
            readings.push(reading);
        }
        if at_ns >= end_ns {
            break;
        }
    }
    readings
}

#[cfg(test)]
mod tests {
    use galo_plan::Noun;

    use super::*;

    const SECOND: u64 = 1_000_000_000;

    /// What is kept of these readings (seconds, text; an empty one is no answer) that settle in 3 s and end in 30 s,
    /// and how many were taken.
    fn rest(texts: &[(u64, &str)]) -> (Vec<Option<u64>>, usize) {
        let (settle_ns, settle_max_ns, noun) = (3 * SECOND, 30 * SECOND, Noun::default());
        let count = Count { path: "/".to_owned(), settle_ns, settle_max_ns, noun };
        let mut taken = 0;
        let readings = until_rest(&count, 0, || {
            let (seconds, text) = texts.get(taken)?;
            taken += 1;
            let status = if text.is_empty() { 0 } else { 200 };
            Some(CountReading::new(seconds * SECOND, status, (*text).to_owned()))
        });
        (readings.iter().map(|reading| reading.value).collect(), taken)
    }

    #[test]
    fn a_first_answer_that_is_slower_than_settling_is_asked_again() {
        assert_eq!(rest(&[(5, ""), (6, "9"), (8, "9"), (9, "9"), (10, "1")]), (vec![None, Some(9)], 4));
        assert_eq!(rest(&[(4, "7"), (5, "9"), (7, "9"), (8, "9")]), (vec![Some(7), Some(9)], 4));
    }

    #[test]
    fn a_count_without_any_number_is_asked_until_the_bound() {
        assert_eq!(rest(&[(5, ""), (15, "none"), (29, ""), (34, ""), (35, "9")]), (vec![None], 4));
    }

    #[test]
    fn what_is_no_number_is_kept_but_moves_nothing() {
        assert_eq!(
            rest(&[(0, "9"), (1, ""), (2, "9"), (3, "9"), (4, "9")]),
            (vec![Some(9), None, Some(9)], 4)
        );
    }

    #[test]
    fn a_count_that_never_rests_ends_at_the_bound_and_what_was_broken_off_ends_at_once() {
        let moving: Vec<(u64, String)> = (0..40).map(|second| (second, second.to_string())).collect();
        let moving: Vec<(u64, &str)> = moving.iter().map(|(second, text)| (*second, text.as_str())).collect();
        assert_eq!(rest(&moving).1, 31);
        assert_eq!(rest(&moving[..2]), (vec![Some(0), Some(1)], 2));
    }
}
