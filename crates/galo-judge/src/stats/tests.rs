use super::*;

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-3
}

/// Half the width of an interval in standard errors is the quantile of t.
fn t_quantile(n: usize, alpha: f64) -> f64 {
    let differences: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
    let centre = mean(&differences).expect("not empty");
    let variance = differences.iter().map(|d| (d - centre).powi(2)).sum::<f64>() / (n - 1) as f64;
    let [low, high] = t_interval(&differences, alpha).expect("an interval");
    assert!(close((low + high) / 2.0, centre));
    (high - low) / 2.0 / (variance / n as f64).sqrt()
}

#[test]
fn interval_widths_agree_with_tables_of_students_t() {
    // Two-sided 5 % and 1 % columns of the usual tables, for n - 1 degrees of freedom.
    for (n, five_percent, one_percent) in
        [(2, 12.706, 63.657), (6, 2.571, 4.032), (7, 2.447, 3.707), (10, 2.262, 3.250), (21, 2.086, 2.845)]
    {
        assert!(close(t_quantile(n, 0.05), five_percent), "{n}");
        assert!(close(t_quantile(n, 0.01), one_percent), "{n}");
    }
}

#[test]
fn the_interval_of_a_worked_example() {
    // Mean 3, s = sqrt(2.5), n = 5: 3 ± 2.7764 · 0.70711.
    let [low, high] = t_interval(&[1.0, 2.0, 3.0, 4.0, 5.0], 0.05).expect("an interval");
    assert!(close(low, 1.0368) && close(high, 4.9632));
}

#[test]
fn one_value_or_a_senseless_level_has_no_interval() {
    assert_eq!(t_interval(&[1.0], 0.05), None);
    assert_eq!(t_interval(&[1.0, 2.0], 0.0), None);
    assert_eq!(t_interval(&[1.0, 2.0], 1.0), None);
    assert_eq!(sign_flip_p(&[]), None);
}

#[test]
fn permutation_p_values_by_hand() {
    // 1 + 2 + 3 = 6 is reached by +++ and --- alone: 2 of 8.
    assert_eq!(sign_flip_p(&[1.0, 2.0, 3.0]), Some(0.25));
    // |-1 + 2 + 3| = 4 is reached by +++, -++ and their opposites: 4 of 8.
    assert_eq!(sign_flip_p(&[-1.0, 2.0, 3.0]), Some(0.5));
    // |1 - 1| = 0 is reached by all.
    assert_eq!(sign_flip_p(&[1.0, -1.0]), Some(1.0));
    assert_eq!(sign_flip_p(&[0.0; 6]), Some(1.0));
    assert_eq!(sign_flip_p(&[0.3; 6]), Some(2.0 / 64.0));
}

#[test]
fn rounding_does_not_tell_equal_sums_apart() {
    // By hand 0.1 + 0.2 - 0.3 is 0, in binary it is not: 0.6 is reached by 10 of 16 patterns, some of them only just.
    assert_ne!(0.1 + 0.2 - 0.3, 0.0);
    assert_eq!(sign_flip_p(&[0.1, 0.2, -0.3, 0.6]), Some(10.0 / 16.0));
    let reversed = [0.6, -0.3, 0.2, 0.1];
    assert_eq!(sign_flip_p(&reversed), sign_flip_p(&[0.1, 0.2, -0.3, 0.6]));
}

#[test]
fn the_sampled_test_agrees_with_the_exact_one() {
    let differences: Vec<f64> = (0..16).map(|i| (f64::from(i) * 1.7).sin() + 0.3).collect();
    let exact = sign_flip_p(&differences).expect("sixteen pairs");
    let bound = differences.iter().sum::<f64>().abs();
    let sampled = sampled_p(&differences, bound);
    // Standard error at 20,000 draws is at most 0.0036.
    assert!((exact - sampled).abs() < 0.011, "{exact} and {sampled}");
    assert!(exact > 0.01 && exact < 0.9, "{exact}");
}

#[test]
fn seventeen_pairs_that_agree_reach_the_smallest_p() {
    assert_eq!(sign_flip_p(&[0.5; 17]), Some(smallest_p(17)));
    assert_eq!(sign_flip_p(&[0.5; 100]), Some(smallest_p(100)));
}

#[test]
fn six_pairs_reach_four_percent_and_nine_half_a_percent() {
    assert_eq!(smallest_p(6), 2.0 / 64.0);
    assert_eq!(pairs_needed(0.04), 6);
    assert_eq!(pairs_needed(0.005), 9);
}

mod simulated {
    //! Fights of two equal contenders, and of unequal ones: seeded, so their outcome never changes.

    use super::*;
    use crate::pairing::ALPHA_PRIMARY;
    use crate::testing::Noise;

    const FIGHTS: usize = 20_000;

    /// Share of fights that are called different by interval and permutation test together.
    fn called_different(pairs: usize, mut log_ratio: impl FnMut(&mut Noise) -> f64) -> f64 {
        let mut noise = Noise::seeded(pairs as u64);
        let different = (0..FIGHTS).filter(|_| {
            let ratios: Vec<f64> = (0..pairs).map(|_| log_ratio(&mut noise)).collect();
            let [low, high] = t_interval(&ratios, ALPHA_PRIMARY).expect("an interval");
            (low > 0.0 || high < 0.0) && sign_flip_p(&ratios).expect("a p value") <= ALPHA_PRIMARY
        });
        different.count() as f64 / FIGHTS as f64
    }

    #[test]
    fn equals_are_called_different_in_at_most_four_and_a_half_of_a_hundred_fights() {
        for pairs in 6..=10 {
            let normal = called_different(pairs, |noise| 0.05 * noise.normal());
            let skewed = called_different(pairs, |noise| (noise.skewed() / noise.skewed()).ln());
            assert!((0.01..=0.045).contains(&normal), "{pairs} pairs, normal noise: {normal}");
            assert!((0.01..=0.045).contains(&skewed), "{pairs} pairs, skewed noise: {skewed}");
        }
    }

    #[test]
    fn a_ratio_of_twice_the_noise_is_nearly_always_found_and_more_pairs_find_more() {
        let found = |pairs, shift: f64| called_different(pairs, |noise| 0.05 * (noise.normal() + shift));
        assert!(found(6, 2.0) > 0.8, "{}", found(6, 2.0));
        assert!(found(10, 1.0) > found(6, 1.0));
        assert!(found(10, 2.0) > 0.99, "{}", found(10, 2.0));
    }
}

#[test]
fn more_marked_is_what_fisher_has_of_the_lady_who_tasted_tea() {
    // The Design of Experiments, section 5: three of four cups right, 17 of 70.
    assert!((more_marked_p([3, 1], [4, 4]) - 17.0 / 70.0).abs() < 1e-12);
    assert!((more_marked_p([4, 0], [4, 4]) - 1.0 / 70.0).abs() < 1e-12);
    assert_eq!(more_marked_p([0, 3], [6, 6]), 1.0);
    assert_eq!(more_marked_p([0, 0], [0, 0]), 1.0);
    assert!((more_marked_p([2, 0], [2, 0]) - 1.0).abs() < 1e-12, "there is nobody else");
}
