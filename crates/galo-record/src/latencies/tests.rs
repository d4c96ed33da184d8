use hdrhistogram::Histogram;
use proptest::prelude::*;

use super::file::{decode, encode};
use super::layout::{BUCKETS, HIGHEST_NS, LOWEST_NS, SIGNIFICANT_DIGITS, bucket_of, highest_in, lowest_in};
use super::*;

fn of(values: &[u64]) -> Latencies {
    let mut latencies = Latencies::new();
    values.iter().for_each(|&ns| latencies.record_ns(ns));
    latencies
}

#[test]
fn bucket_numbers_are_those_of_the_histogram_in_every_bucket() {
    let crates = Histogram::<u32>::new_with_bounds(LOWEST_NS, HIGHEST_NS, SIGNIFICANT_DIGITS).unwrap();
    let mut buckets = 0;
    for (number, bucket) in (0..BUCKETS).zip(crates.iter_all()) {
        let highest = bucket.value_iterated_to();
        assert_eq!(highest, highest_in(number));
        assert_eq!(crates.lowest_equivalent(highest), lowest_in(number));
        assert_eq!((bucket_of(lowest_in(number)), bucket_of(highest)), (number, number));
        buckets += 1;
    }
    assert_eq!(buckets, BUCKETS);
    assert_eq!(bucket_of(HIGHEST_NS), BUCKETS - 1);
}

#[test]
fn nothing_has_no_quantiles() {
    let none = Latencies::new();
    assert_eq!((none.count(), none.quantile_us(0.99), none.max_us(), none.mean_us()), (0, 0.0, 0.0, 0.0));
    assert_eq!((none.min_us(), none.standard_deviation_us(), none.trimmed_mean_us(0.95)), (0.0, 0.0, 0.0));
    assert_eq!(none.to_sparse(), SparseLatencies::default());
}

#[test]
fn latencies_beyond_either_end_are_counted_at_that_end() {
    let both = of(&[0, u64::MAX]);
    assert_eq!(both.count(), 2);
    assert_eq!(both.to_sparse().0, [(0, 1), (BUCKETS - 1, 1)]);
    assert_eq!(both.quantile_us(0.5), 0.063);
    assert!((both.max_us() / 3.6e9 - 1.0).abs() < 0.001);
}

#[test]
fn a_quantile_whose_rank_is_a_whole_number_is_not_pushed_up_by_floating_point() {
    let hundred: Vec<u64> = (1..=100).map(|ms| ms * 1_000_000).collect();
    // 0.07 * 100.0 is 7.000000000000001.
    assert!((of(&hundred).quantile_us(0.07) - 7000.0).abs() < 7.0);
    assert!((of(&hundred).quantile_us(0.071) - 8000.0).abs() < 8.0);
}

#[test]
fn a_full_bucket_stays_full_and_quantiles_remain_in_range() {
    let mut full = of(&[5_000_000]);
    let bucket = bucket_of(5_000_000);
    full.add_sparse(&SparseLatencies(vec![(bucket, u32::MAX)]));
    full.add_sparse(&SparseLatencies(vec![(bucket, u32::MAX)]));
    full.record_ns(5_000_000);
    assert_eq!(full.to_sparse().0, [(bucket, u32::MAX)]);
    for q in [0.0, 0.5, 0.99, 1.0] {
        assert!((full.quantile_us(q) - 5000.0).abs() < 5.0, "at {q}");
    }
}

#[test]
fn a_trimmed_mean_counts_the_latency_in_which_it_ends_in_part() {
    let mut ten = vec![1_000_000; 9];
    ten.push(20_000_000);
    // Nine of 1 ms and half of 20 ms: 19 ms over 9.5.
    assert!((of(&ten).trimmed_mean_us(0.95) - 2000.0).abs() < 2.0);
    assert!((of(&ten).trimmed_mean_us(0.9) - 1000.0).abs() < 1.0);
    assert_eq!(of(&[5_000_000]).trimmed_mean_us(0.95), of(&[5_000_000]).mean_us());
    assert_eq!(of(&ten).trimmed_mean_us(0.0), 0.0);
}

#[test]
fn a_full_bucket_does_not_shift_a_trimmed_mean() {
    let mut full = of(&[5_000_000]);
    for _ in 0..3 {
        full.add_sparse(&SparseLatencies(vec![(bucket_of(5_000_000), u32::MAX)]));
    }
    assert!((full.trimmed_mean_us(0.999) - 5000.0).abs() < 5.0);
}

#[test]
fn counts_up_to_a_bound_include_the_bound_and_end_there() {
    let latencies = of(&[799_000_000, 800_000_000, 801_000_000, 1_200_000_000, 5_000_000_000_000]);
    assert_eq!(latencies.count_up_to_ns(800_000_000), 2);
    assert_eq!(latencies.count_up_to_ns(1_200_000_000), 4);
    assert_eq!(latencies.count_up_to_ns(0), 0);
    assert_eq!(latencies.count_up_to_ns(u64::MAX), 5);
}

#[test]
fn taking_empties_and_loses_nothing() {
    let mut latencies = of(&[0, 1, 100, 250_000, 250_010, 9_000_000, u64::MAX]);
    let before = latencies.clone();
    let taken = latencies.take_sparse();
    assert!(latencies.is_empty());
    assert_eq!(latencies, Latencies::new());
    latencies.add_sparse(&taken);
    assert_eq!(latencies, before);
}

#[test]
fn a_step_joins_threads_of_different_length_second_by_second() {
    let second = |intended, ns: &[u64]| SecondLatencies {
        intended,
        ok: of(ns).to_sparse(),
        wrong: 1,
        ..SecondLatencies::default()
    };
    let mut left = StepLatencies { ok: of(&[1000]), ..StepLatencies::default() };
    left.seconds = vec![second(1, &[1000])];
    let mut right = StepLatencies { ok: of(&[1000, 70_000]), not_ok: of(&[9]), ..StepLatencies::default() };
    right.seconds = vec![second(2, &[1000, 70_000]), second(3, &[])];
    left.add(&right);
    assert_eq!(left.ok, of(&[1000, 1000, 70_000]));
    assert_eq!(left.all().count(), 4);
    let mut first = second(3, &[1000, 1000, 70_000]);
    first.wrong = 2;
    assert_eq!(left.seconds, [first, second(3, &[])]);
}

#[test]
fn a_histogram_with_unordered_buckets_is_not_written() {
    let second = SecondLatencies { ok: SparseLatencies(vec![(5, 1), (4, 1)]), ..SecondLatencies::default() };
    let step = StepLatencies { seconds: vec![second], ..StepLatencies::default() };
    assert!(encode(&[step]).is_err());
}

/// Latencies of all magnitudes.
fn values(most: usize) -> impl Strategy<Value = Vec<u64>> {
    proptest::collection::vec((any::<u64>(), 0..64_u32).prop_map(|(n, shift)| n >> shift), 0..most)
}

fn step() -> impl Strategy<Value = StepLatencies> {
    let second =
        (any::<[u32; 4]>(), values(5), values(5), values(5)).prop_map(|(counts, ok, service, not_ok)| {
            SecondLatencies {
                intended: counts[0],
                ok: of(&ok).to_sparse(),
                ok_service: of(&service).to_sparse(),
                not_ok: of(&not_ok).to_sparse(),
                wrong: counts[1],
                failed: counts[2],
                timed_out: counts[3],
            }
        });
    (values(50), values(50), values(50), proptest::collection::vec(second, 0..4)).prop_map(
        |(ok, service, not_ok, seconds)| StepLatencies {
            ok: of(&ok),
            ok_service: of(&service),
            not_ok: of(&not_ok),
            seconds,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_quantile_is_the_top_of_the_bucket_that_holds_its_rank(mut all in values(300), q in 0.0..=1.0_f64) {
        prop_assume!(!all.is_empty());
        all.sort_unstable();
        let rank = ((q * all.len() as f64).ceil() as usize).max(1);
        let expected = highest_in(bucket_of(all[rank - 1].min(HIGHEST_NS))) as f64 / 1e3;
        prop_assert_eq!(of(&all).quantile_us(q), expected);
    }

    #[test]
    fn ends_means_and_deviation_are_those_of_the_list_within_a_bucket(
        mut all in values(300),
        share in 0.001..=1.0_f64,
    ) {
        prop_assume!(!all.is_empty());
        all.iter_mut().for_each(|ns| *ns = (*ns).min(HIGHEST_NS));
        all.sort_unstable();
        let latencies = of(&all);
        prop_assert_eq!(latencies.min_us(), lowest_in(bucket_of(all[0])) as f64 / 1e3);
        let us: Vec<f64> = all.iter().map(|&ns| ns as f64 / 1e3).collect();
        // Half a bucket: the middle of a bucket stands for all of it. (And what adding up in floating point costs.)
        let near = |found: f64, exact: f64| (found - exact).abs() <= 0.033 + exact * 0.0006;
        let mean = us.iter().sum::<f64>() / us.len() as f64;
        prop_assert!(near(latencies.mean_us(), mean), "{} is not {mean}", latencies.mean_us());
        let variance = us.iter().map(|us| (us - mean).powi(2)).sum::<f64>() / us.len() as f64;
        // A bucket's half moves every latency by up to 0.05 % of itself, so the deviation by that of their root mean
        // square.
        let off = 0.033 + 0.001 * us.iter().map(|us| us * us).sum::<f64>().sqrt() / (us.len() as f64).sqrt();
        prop_assert!((latencies.standard_deviation_us() - variance.sqrt()).abs() <= off);
        let fastest = share * us.len() as f64;
        let (whole, part) = (fastest.floor() as usize, fastest.fract());
        let sum = us[..whole].iter().sum::<f64>() + us.get(whole).map_or(0.0, |us| us * part);
        let found = latencies.trimmed_mean_us(share);
        prop_assert!(near(found, sum / fastest), "{found} is not {}", sum / fastest);
    }

    #[test]
    fn a_trimmed_mean_rises_with_its_share_up_to_the_mean(all in values(100), a in 0.0..=1.0_f64, b in 0.0..=1.0_f64) {
        let latencies = of(&all);
        let [less, more] = [a.min(b), a.max(b)].map(|share| latencies.trimmed_mean_us(share));
        prop_assert!(less <= more * (1.0 + 1e-9) && more <= latencies.mean_us() * (1.0 + 1e-9));
    }

    #[test]
    fn merging_in_any_way_is_the_same_as_recording_in_one(a in values(50), b in values(50)) {
        let together = of(&[a.clone(), b.clone()].concat());
        let mut dense = of(&a);
        dense.add(&of(&b));
        prop_assert_eq!(&dense, &together);
        let mut mixed = of(&a);
        mixed.add_sparse(&of(&b).to_sparse());
        prop_assert_eq!(&mixed, &together);
        let mut sparse = of(&a).to_sparse();
        sparse.add(&of(&b).to_sparse());
        prop_assert_eq!(sparse, together.to_sparse());
    }

    #[test]
    fn what_is_written_is_read_back_equal(steps in proptest::collection::vec(step(), 0..4)) {
        prop_assert_eq!(decode(&encode(&steps).unwrap()).unwrap(), steps);
    }

    #[test]
    fn a_file_cut_anywhere_is_an_error(step in step(), at in any::<proptest::sample::Index>()) {
        let whole = encode(&[step]).unwrap();
        prop_assert!(decode(&whole[..at.index(whole.len())]).is_err());
    }

    #[test]
    fn a_changed_byte_is_an_error_or_changes_nothing(
        step in step(),
        at in any::<proptest::sample::Index>(),
        change in 1..=255_u8,
    ) {
        let mut bytes = encode(std::slice::from_ref(&step)).unwrap();
        let at = at.index(bytes.len());
        bytes[at] ^= change;
        // zstd has bits that mean nothing; its checksum covers all that do.
        if let Ok(read) = decode(&bytes) {
            prop_assert_eq!(read, [step]);
        }
    }

    #[test]
    fn a_frame_of_any_content_is_read_or_refused(count in any::<u8>(), body in any::<Vec<u8>>()) {
        let bytes =
            crate::codec::encode(b"galoLATE", 1, u64::from(count % 4), |out| out.write_all(&body)).unwrap();
        if let Ok(steps) = decode(&bytes) {
            prop_assert_eq!(steps.len(), usize::from(count % 4));
        }
    }
}
