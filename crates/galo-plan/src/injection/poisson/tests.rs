use std::time::Duration;

use proptest::prelude::*;

use super::*;

const SECOND: u64 = 1_000_000_000;

/// Mean and variance of a list.
fn moments(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    (mean, values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (count - 1.0))
}

/// Arrivals in each of `windows` windows of equal length.
fn counts(offsets: impl Iterator<Item = u64>, window_ns: u64, windows: usize) -> Vec<f64> {
    let mut counts = vec![0.0; windows];
    offsets.for_each(|offset| counts[(offset / window_ns) as usize] += 1.0);
    counts
}

#[test]
fn numbers_in_windows_have_the_rate_as_mean_and_as_variance() {
    let injection = Injection::constant(1_000_000_000, Duration::from_secs(1000));
    let counts = counts(injection.poisson(7), SECOND / 100, 100_000);
    let (mean, variance) = moments(&counts);
    // Standard errors: the mean's sqrt(10 / 100,000) = 0.01, the index of dispersion's sqrt(2 / 100,000) = 0.0045.
    assert!((mean - 10.0).abs() < 0.04, "{mean}");
    assert!((variance / mean - 1.0).abs() < 0.018, "{}", variance / mean);
}

#[test]
fn gaps_are_exponential_and_do_not_remember_the_one_before() {
    let injection = Injection::constant(1_000_000_000, Duration::from_secs(200));
    let offsets: Vec<u64> = injection.poisson(3).collect();
    let gaps: Vec<f64> = offsets.windows(2).map(|pair| (pair[1] - pair[0]) as f64 / 1e6).collect();
    // Kolmogorov and Smirnov's distance from 1 - exp(-x); 1.95 / sqrt(n) is passed once in a thousand seeds.
    let mut sorted = gaps.clone();
    sorted.sort_by(f64::total_cmp);
    let count = gaps.len() as f64;
    let distance =
        sorted.iter().enumerate().map(|(i, gap)| ((i as f64 + 0.5) / count - (1.0 - (-gap).exp())).abs());
    let distance = distance.fold(0.0, f64::max);
    assert!(distance < 1.95 / count.sqrt(), "{distance}");
    let (mean, variance) = moments(&gaps);
    let together = gaps.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum::<f64>() / count;
    assert!((together / variance).abs() < 4.0 / count.sqrt(), "{}", together / variance);
}

#[test]
fn arrivals_follow_a_ramp_a_pause_and_a_fall() {
    let phases = ["ramp 0/s to 1000/s over 100s", "0/s for 50s", "ramp 1000/s to 0/s over 100s"];
    let injection = Injection::parse(&phases).unwrap();
    let counts = counts(injection.poisson(11), 10 * SECOND, 25);
    for (window, count) in counts.iter().enumerate() {
        let middle = (window as u64 * 10 + 5) * SECOND;
        // Over a straight line the integral is the rate in the middle times the length.
        let expected = injection.rate_at(middle) * 10.0;
        assert!(
            (count - expected).abs() <= 4.0 * expected.sqrt(),
            "window {window}: {count}, not {expected}"
        );
    }
}

#[test]
fn the_number_of_arrivals_is_poisson_too() {
    let injection = Injection::parse(&["ramp 0/s to 20/s over 8s", "5/s for 4s"]).unwrap();
    let numbers: Vec<f64> = (0..20_000).map(|seed| injection.poisson(seed).count() as f64).collect();
    let (mean, variance) = moments(&numbers);
    // 100 on average; standard errors 0.07 and 0.01.
    assert!((mean - 100.0).abs() < 0.3, "{mean}");
    assert!((variance / mean - 1.0).abs() < 0.04, "{}", variance / mean);
}

#[test]
fn a_seed_makes_one_sequence_the_same_on_every_machine() {
    let injection = Injection::parse(&["5/s for 1s", "ramp 5/s to 10/s over 1s"]).unwrap();
    let offsets: Vec<u64> = injection.poisson(1).collect();
    let expected = [
        676_210_131,
        694_190_157,
        720_513_803,
        736_530_313,
        800_711_288,
        826_098_592,
        1_112_135_998,
        1_344_948_826,
        1_816_881_802,
        1_919_035_711,
        1_940_944_855,
    ];
    assert_eq!(offsets, expected);
    assert_ne!(offsets, injection.poisson(2).collect::<Vec<_>>());
}

#[test]
fn nobody_arrives_where_the_rate_is_nothing() {
    assert_eq!(Injection::parse(&["0/s for 1h"]).unwrap().poisson(1).next(), None);
    assert_eq!(Injection::constant(5_000_000, Duration::ZERO).poisson(1).next(), None);
    let mut short = Injection::parse(&["0.1/s for 10s"]).unwrap().poisson(5);
    assert!(short.by_ref().count() < 10);
    assert_eq!((short.next(), short.next()), (None, None));
}

#[test]
fn logarithms_are_those_of_the_standard_library() {
    for i in 0..200_000 {
        let bits = draw(5, &[i]);
        // Over all magnitudes that are drawn, and close to 1.
        for x in [f64::from_bits((bits >> 2) % (0x3ff0 << 48)).max(1e-300), 1.0 - (bits >> 12) as f64 * 1e-20]
        {
            let (own, theirs) = (ln(x), x.ln());
            assert!((own - theirs).abs() <= 1e-15 * theirs.abs(), "ln {x}: {own}, not {theirs}");
        }
    }
    assert_eq!(increment(0), (53.0 * std::f64::consts::LN_2 * USER as f64) as u64);
    assert!(increment(u64::MAX) < 1);
}

fn phases() -> impl Strategy<Value = Vec<Phase>> {
    let phase = (0..50_000_000u64, 0..50_000_000u64, 1..5_000_000_000u64)
        .prop_map(|(from_micro, to_micro, duration_ns)| Phase { from_micro, to_micro, duration_ns });
    prop::collection::vec(phase, 1..5)
}

proptest! {
    #[test]
    fn threads_that_take_every_kth_take_each_arrival_once(phases in phases(), seed: u64, threads in 1..6usize) {
        let all = Injection { phases };
        let whole: Vec<u64> = all.poisson(seed).collect();
        prop_assert!(whole.is_sorted());
        prop_assert!(whole.iter().all(|offset| *offset <= all.duration_ns()));
        prop_assert_eq!(all.poisson(seed).count(), whole.len());
        let mut shared = vec![0; whole.len()];
        for thread in 0..threads {
            for (i, offset) in all.poisson(seed).skip(thread).step_by(threads).enumerate() {
                shared[thread + i * threads] = offset;
            }
        }
        prop_assert_eq!(shared, whole);
    }
}
