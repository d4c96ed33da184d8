use proptest::prelude::*;

use super::*;
use crate::testing::Noise;

/// Drives a search against `target`, which is told each trial, and hands back all trials and the result.
fn searched(options: SearchOptions, mut target: impl FnMut(Trial) -> TrialOutcome) -> (Vec<Trial>, Capacity) {
    let mut search = Search::new(options);
    let mut trials = Vec::new();
    while let Some(trial) = search.next() {
        assert!(trials.len() < options.sane().max_trials as usize, "{trials:?}");
        trials.push(trial);
        search.tell(target(trial));
    }
    (trials, search.result())
}

fn outcome(trial: Trial, met: bool) -> TrialOutcome {
    let rate = trial.rate_milli as f64 / 1000.0;
    TrialOutcome { met, valid: true, exhausted: false, offered_per_s: rate, achieved_per_s: rate }
}

/// A target that meets the criterion up to `capacity` and never above.
fn sharp(capacity: u64) -> impl FnMut(Trial) -> TrialOutcome {
    move |trial| outcome(trial, trial.rate_milli <= capacity)
}

/// Rate, interval, whether it was held, and the limit of a search that found something.
fn highest(capacity: &Capacity) -> (u64, u64, Option<u64>, bool, Limit) {
    match *capacity {
        Capacity::Highest { rate_milli, low_milli, high_milli, held, limit, .. } => {
            (rate_milli, low_milli, high_milli, held, limit)
        }
        Capacity::Nothing { .. } => panic!("nothing was found: {capacity:?}"),
    }
}

#[test]
fn a_sharp_limit_is_found_within_the_ratio_and_held() {
    let (trials, found) = searched(SearchOptions::default(), sharp(37_300_000));
    let (rate, low, high, held, limit) = highest(&found);
    assert!(held);
    assert_eq!(limit, Limit::Criterion);
    assert!(rate <= 37_300_000 && rate as f64 * 1.05 >= 37_300_000.0, "{found:?}");
    assert!(low <= 37_300_000 && high.is_some_and(|high| high > 37_300_000), "{found:?}");
    assert!(high.is_some_and(|high| high as f64 <= low as f64 * 1.12), "{found:?}");
    assert!(trials.len() <= 25, "{trials:?}");
}

#[test]
fn only_the_last_trial_of_a_smooth_search_is_a_hold_and_it_is_of_the_result() {
    let (trials, found) = searched(SearchOptions::default(), sharp(5_000_000));
    let holds: Vec<_> = trials.iter().filter(|trial| trial.length == Length::Hold).collect();
    assert_eq!(holds.len(), 1);
    assert_eq!(holds[0].rate_milli, highest(&found).0);
    assert_eq!(trials.last(), holds.first().copied());
}

#[test]
fn rest_is_asked_for_after_a_trial_that_was_not_met_and_only_then() {
    let (trials, _) = searched(SearchOptions::default(), sharp(5_000_000));
    for pair in trials.windows(2) {
        assert_eq!(pair[1].rest_before, pair[0].rate_milli > 5_000_000, "{pair:?}");
    }
}

#[test]
fn a_limit_far_below_the_start_is_found() {
    let (_, found) = searched(SearchOptions::default(), sharp(1_700));
    let (rate, .., held, _) = highest(&found);
    assert!(held && rate <= 1_700 && rate as f64 * 1.06 >= 1_700.0, "{found:?}");
}

#[test]
fn a_target_that_meets_nothing_has_no_highest_rate() {
    let (trials, found) = searched(SearchOptions::default(), sharp(0));
    let expected =
        Capacity::Nothing { lowest_milli: 1_000, limit: Limit::Criterion, trials: trials.len() as u32 };
    assert_eq!(found, expected);
}

#[test]
fn a_target_without_limit_is_held_at_the_highest_rate_that_was_to_be_tried() {
    let options = SearchOptions { max_milli: 90_000_000, ..SearchOptions::default() };
    let (_, found) = searched(options, |trial| outcome(trial, true));
    let (rate, _, high, held, limit) = highest(&found);
    assert_eq!((rate, high, held, limit), (90_000_000, None, true, Limit::Asked));
}

#[test]
fn a_search_that_runs_out_of_trials_says_so_and_keeps_some_for_the_hold() {
    let options = SearchOptions { max_trials: 12, ..SearchOptions::default() };
    let (_, found) = searched(options, |trial| outcome(trial, true));
    let (rate, _, high, held, limit) = highest(&found);
    assert_eq!((rate, high, held, limit), (32_000_000, None, true, Limit::Trials));
}

#[test]
fn a_rate_that_galo_cannot_keep_up_with_bounds_the_search_and_is_named() {
    let (_, found) = searched(SearchOptions::default(), |trial| TrialOutcome {
        valid: trial.rate_milli <= 60_000_000,
        ..outcome(trial, true)
    });
    let (rate, _, high, held, limit) = highest(&found);
    assert!(held && rate <= 60_000_000 && rate as f64 * 1.05 >= 60_000_000.0, "{found:?}");
    assert_eq!(high, None, "what the target could do above is not known");
    assert!(matches!(limit, Limit::Client { rate_milli } if rate_milli > 60_000_000), "{found:?}");
}

#[test]
fn a_search_does_not_go_on_above_the_rate_at_which_galo_ran_out_of_something() {
    let (mut ran_out_at, mut times) = (None, 0);
    let (_, found) = searched(SearchOptions::default(), |trial| {
        assert!(ran_out_at.is_none_or(|rate| trial.rate_milli <= rate), "{trial:?} above {ran_out_at:?}");
        // Twice there are no ports; then they are free again, and everything is met.
        if trial.rate_milli <= 60_000_000 || times == 2 {
            return outcome(trial, true);
        }
        times += 1;
        ran_out_at = Some(trial.rate_milli);
        TrialOutcome { valid: false, exhausted: true, ..outcome(trial, true) }
    });
    let (rate, _, high, held, limit) = highest(&found);
    assert_eq!((Some(rate), high, held), (ran_out_at, None, true), "{found:?}");
    assert_eq!(limit, Limit::Client { rate_milli: rate });
}

#[test]
fn galo_is_named_where_it_cannot_keep_up_with_anything() {
    let never = |trial| TrialOutcome { valid: false, ..outcome(trial, true) };
    let (_, found) = searched(SearchOptions::default(), never);
    assert!(
        matches!(
            found,
            Capacity::Nothing { lowest_milli: 1_000, limit: Limit::Client { rate_milli: 1_000 }, .. }
        ),
        "{found:?}"
    );
}

#[test]
fn the_criterion_is_the_limit_where_it_fails_before_galo_does() {
    let (_, found) = searched(SearchOptions::default(), |trial| TrialOutcome {
        valid: trial.rate_milli <= 60_000_000,
        ..outcome(trial, trial.rate_milli <= 20_000_000)
    });
    assert_eq!(highest(&found).4, Limit::Criterion);
}

#[test]
fn answers_that_fall_behind_are_not_met_whatever_the_criterion_says() {
    let (_, found) = searched(SearchOptions::default(), |trial| {
        let rate = trial.rate_milli as f64 / 1000.0;
        TrialOutcome { achieved_per_s: rate.min(5_000.0), ..outcome(trial, true) }
    });
    let rate = highest(&found).0;
    assert!((4_750_000..=5_051_000).contains(&rate), "{found:?}");
}

#[test]
fn one_unlucky_trial_changes_nothing() {
    let (smooth, _) = searched(SearchOptions::default(), sharp(20_000_000));
    for unlucky in 0..smooth.len() {
        let mut count = 0;
        let (_, found) = searched(SearchOptions::default(), |trial| {
            count += 1;
            outcome(trial, trial.rate_milli <= 20_000_000 && count != unlucky + 1)
        });
        let (rate, .., held, _) = highest(&found);
        assert!(held && rate as f64 * 1.06 >= 20_000_000.0 && rate <= 20_000_000, "{unlucky}: {found:?}");
    }
}

#[test]
fn a_rate_that_failed_by_bad_luck_twice_is_tried_again_and_left_behind() {
    let mut unlucky = 2;
    let (_, found) = searched(SearchOptions::default(), |trial| {
        let spoiled = trial.rate_milli == 4_000_000 && unlucky > 0;
        unlucky -= u32::from(spoiled);
        outcome(trial, !spoiled && trial.rate_milli <= 20_000_000)
    });
    let (rate, .., held, _) = highest(&found);
    assert!(held && rate as f64 * 1.06 >= 20_000_000.0, "{found:?}");
}

#[test]
fn the_queue_that_an_overload_leaves_for_the_next_trial_changes_nothing() {
    let mut overloaded = false;
    let (_, found) = searched(SearchOptions::default(), |trial| {
        let met = trial.rate_milli <= 20_000_000 && !overloaded;
        overloaded = trial.rate_milli > 20_000_000;
        outcome(trial, met)
    });
    let (rate, .., held, _) = highest(&found);
    assert!(held && rate as f64 * 1.06 >= 20_000_000.0 && rate <= 20_000_000, "{found:?}");
}

#[test]
fn a_target_that_never_recovers_what_an_overload_took_is_found_at_what_it_has_left() {
    let mut capacity = 20_000_000;
    let (_, found) = searched(SearchOptions::default(), |trial| {
        let met = trial.rate_milli <= capacity;
        capacity = if met { capacity } else { 12_000_000 };
        outcome(trial, met)
    });
    let (rate, low, high, held, _) = highest(&found);
    assert!(held && rate <= 12_000_000 && low <= 12_000_000, "{found:?}");
    assert!(high.is_some_and(|high| high >= 12_000_000), "{found:?}");
}

#[test]
fn a_hold_that_is_not_met_steps_down_and_the_rate_that_holds_is_found() {
    let (trials, found) = searched(SearchOptions::default(), |trial| {
        let capacity = if trial.length == Length::Hold { 17_000_000 } else { 20_000_000 };
        outcome(trial, trial.rate_milli <= capacity)
    });
    let (rate, low, high, held, _) = highest(&found);
    assert!(held && rate <= 17_000_000 && rate as f64 * 1.06 >= 17_000_000.0, "{found:?}");
    assert!(low <= 17_000_000 && high.is_some_and(|high| high >= 20_000_000), "{found:?}");
    let first = trials.iter().position(|trial| trial.length == Length::Hold).expect("something is held");
    assert!(trials[first..].iter().all(|trial| trial.length == Length::Hold), "{trials:?}");
}

#[test]
fn a_rate_that_no_hold_confirms_is_not_called_held() {
    let options = SearchOptions { min_milli: 1_000_000, ..SearchOptions::default() };
    let (_, found) = searched(options, |trial| {
        outcome(trial, trial.length == Length::Short && trial.rate_milli <= 20_000_000)
    });
    assert!(
        matches!(found, Capacity::Highest { held: false, .. } | Capacity::Nothing { .. }),
        "never held, never said to be: {found:?}"
    );
}

#[test]
fn what_is_known_can_be_asked_before_the_end() {
    let mut search = Search::new(SearchOptions::default());
    assert!(matches!(search.result(), Capacity::Nothing { trials: 0, .. }));
    let first = search.next().expect("a search begins with a trial");
    assert_eq!(search.next(), Some(first), "asking does not move it");
    search.tell(outcome(first, true));
    let (rate, _, high, held, limit) = highest(&search.result());
    assert_eq!((rate, high, held, limit), (first.rate_milli, None, false, Limit::Trials));
}

#[test]
fn an_estimate_of_a_closed_loop_spares_the_doublings() {
    let (plain, _) = searched(SearchOptions::default(), sharp(300_000_000));
    let (near, _) = searched(SearchOptions::default().near(310_000.0), sharp(300_000_000));
    assert!(near.len() + 5 <= plain.len(), "{} and {}", near.len(), plain.len());
}

/// A target whose capacity is another in each trial, and that now and then fails for reasons of its own.
struct Noisy {
    capacity: f64,
    /// Standard deviation of the logarithm of a trial's capacity.
    sigma: f64,
    /// Share of trials that fail whatever their rate.
    lapses: f64,
    noise: Noise,
}

impl Noisy {
    fn of_seed(seed: u64, sigma: f64, lapses: f64) -> Self {
        let mut noise = Noise::seeded(seed);
        // Anywhere between 20 and 400,000 a second.
        let capacity = 20_000.0 * (20_000.0_f64).powf((0.5 + 0.2 * noise.normal()).clamp(0.0, 1.0));
        Self { capacity, sigma, lapses, noise }
    }

    fn met(&mut self, trial: Trial) -> TrialOutcome {
        let capacity = self.capacity * (self.sigma * self.noise.normal()).exp();
        // A normal draw below its lower quantile, which for these shares is -1.645 and -2.054.
        let lapsed = match self.lapses {
            0.05 => self.noise.normal() < -1.645,
            0.02 => self.noise.normal() < -2.054,
            _ => false,
        };
        outcome(trial, !lapsed && trial.rate_milli as f64 <= capacity)
    }
}

/// Shares of seeds in which the interval holds the capacity, and in which the held rate is within 10 % of it.
fn covered(sigma: f64, lapses: f64, seeds: u64) -> (f64, f64) {
    let (mut inside, mut close) = (0, 0);
    for seed in 0..seeds {
        let mut target = Noisy::of_seed(seed, sigma, lapses);
        let capacity = target.capacity;
        let (_, found) = searched(SearchOptions::default(), |trial| target.met(trial));
        let (rate, low, high, held, _) = highest(&found);
        let high = high.unwrap_or(u64::MAX);
        inside += u64::from(low as f64 <= capacity && capacity <= high as f64);
        close += u64::from(held && (rate as f64 / capacity).ln().abs() < 0.1);
    }
    (inside as f64 / seeds as f64, close as f64 / seeds as f64)
}

#[test]
fn the_interval_holds_the_capacity_in_at_least_95_of_100_noisy_searches() {
    for sigma in [0.0, 0.01, 0.03, 0.05] {
        for lapses in [0.0, 0.02, 0.05] {
            let (inside, close) = covered(sigma, lapses, 200);
            assert!(inside >= 0.95, "sigma {sigma}, lapses {lapses}: {inside}");
            assert!(close >= 0.9, "sigma {sigma}, lapses {lapses}: {close}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_sharp_limit_is_inside_of_a_narrow_interval(capacity in 1_000..9_000_000_000_u64, start in 1_000..100_000_000_u64) {
        let options = SearchOptions { start_milli: start, ..SearchOptions::default() };
        let (_, found) = searched(options, sharp(capacity));
        let (rate, low, high, held, limit) = highest(&found);
        prop_assert!(held && limit == Limit::Criterion);
        prop_assert!(rate <= capacity && low <= rate);
        prop_assert!(high.is_some_and(|high| high >= capacity && high as f64 <= rate as f64 * 1.15), "{:?}", found);
    }

    #[test]
    fn small_steps_near_the_end_find_the_same_in_fewer_trials(capacity in 1_250_000..1_500_000_u64) {
        let near = SearchOptions { start_milli: 1_200_000, ..SearchOptions::default() };
        let (doubled, found) = searched(near, sharp(capacity));
        let (small, same) = searched(SearchOptions { step: 1.1, ..near }, sharp(capacity));
        prop_assert!(small.len() < doubled.len(), "{} of {}", small.len(), doubled.len());
        let [found, same] = [highest(&found).0, highest(&same).0];
        prop_assert!(found.abs_diff(same) as f64 <= 0.05 * found as f64, "{found} and {same}");
    }

    #[test]
    fn a_target_that_can_do_more_is_never_found_to_do_less(capacity in 1_000..1_000_000_000_u64, more in 1.0..10.0_f64) {
        let (_, less) = searched(SearchOptions::default(), sharp(capacity));
        let (_, more) = searched(SearchOptions::default(), sharp((capacity as f64 * more) as u64));
        prop_assert!(highest(&less).0 <= highest(&more).0, "{:?} and {:?}", less, more);
    }

    /// Whatever comes, the search ends in time, stays within its bounds, and says nothing that does not fit together.
    #[test]
    fn a_target_without_sense_does_no_harm(
        answers in prop::collection::vec((any::<bool>(), any::<bool>(), any::<f64>(), any::<f64>()), 60),
        start in any::<u64>(), min in any::<u64>(), max in any::<u64>(), ratio in any::<f64>(), step in any::<f64>(), max_trials in 0..60_u32,
    ) {
        let options = SearchOptions {
            start_milli: start, min_milli: min, max_milli: max, ratio, step, max_trials, min_answered: 0.99,
        };
        let mut answers = answers.into_iter();
        let (trials, found) = searched(options, |_| {
            let (met, valid, offered_per_s, achieved_per_s) = answers.next().unwrap();
            TrialOutcome { met, valid, exhausted: false, offered_per_s, achieved_per_s }
        });
        let bounds = options.sane();
        prop_assert!(trials.iter().all(|p| (bounds.min_milli..=bounds.max_milli).contains(&p.rate_milli)));
        if let Capacity::Highest { rate_milli, low_milli, high_milli, .. } = found {
            prop_assert!(low_milli <= rate_milli && high_milli.is_none_or(|high| high >= rate_milli), "{:?}", found);
            prop_assert!(trials.iter().any(|p| p.rate_milli == rate_milli));
        }
    }
}

#[test]
fn under_three_percent_of_noise_the_capacity_is_within_five_percent_of_the_intervals_middle_in_19_of_20() {
    let options = SearchOptions { ratio: 1.03, ..SearchOptions::default() };
    let is_near = |seed: &u64| {
        let mut target = Noisy::of_seed(*seed, 0.03, 0.0);
        let capacity = target.capacity;
        let (_, found) = searched(options, |trial| target.met(trial));
        let (_, low, high, ..) = highest(&found);
        let middle = (low as f64 * high.unwrap_or(low) as f64).sqrt();
        (middle / capacity).ln().abs() < 1.05_f64.ln()
    };
    let near = (0..200).filter(is_near).count();
    assert!(near >= 190, "{near} of 200");
}
