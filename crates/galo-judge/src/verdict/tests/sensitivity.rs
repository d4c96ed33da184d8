use super::*;

/// Six pairs of which the p99 of each differs by about so many percent, up and down in turn.
fn noisy(percent: f64) -> Vec<Judgement> {
    let by = |pair: i32| 1.0 + [percent, -percent, percent / 2.0][pair as usize % 3] / 100.0;
    fight(&[0, 1, 2, 3, 4, 5].map(|pair| [10.0 * by(pair), 10.0]))
}

#[test]
fn the_report_says_which_difference_so_many_pairs_find_and_how_many_find_the_wanted_one() {
    let told = |percent: f64, plan: &Plan| {
        let comparisons = judge_fight(plan, &noisy(percent)).1;
        comparisons[0].ratios.sensitivity.expect("six pairs")
    };
    let seen = told(3.0, &plan());
    assert!((seen.noise - 0.0280).abs() < 0.0001, "{}", seen.noise);
    // By Guenther's formula 1.47 standard deviations, and a fifth more for the signs.
    assert!((seen.smallest_ratio.expect("enough") - 1.0507).abs() < 0.0005, "{seen:?}");
    assert_eq!((seen.detect_percent, seen.pairs_needed), (5.0, Some(7)));
    let one = Plan { detect_percent: 1.0, ..plan() };
    assert_eq!(told(3.0, &one).pairs_needed, Some(69));
    assert_eq!(told(20.0, &one).pairs_needed, None, "more than a thousand");
    assert_eq!(verdict(&noisy(3.0)), Verdict::NoDifference);
}

#[test]
fn a_difference_within_the_noise_floor_is_found_by_no_number_of_pairs_and_one_beyond_it_by_more() {
    let floor = |ratio| NoiseFloor {
        ratio,
        cpu_ratio: 1.0,
        from_run: PathBuf::from("earlier"),
        contender: String::new(),
        measured: String::new(),
    };
    let needed = |ratio| {
        let plan = Plan { noise_floor: Some(floor(ratio)), ..plan() };
        let [p99, ..] = &judge_fight(&plan, &noisy(3.0)).1[..] else { panic!("no comparison") };
        p99.ratios.sensitivity.expect("six pairs").pairs_needed
    };
    assert_eq!([needed(1.01), needed(1.04), needed(1.06)], [Some(7), Some(7), None]);
}

#[test]
fn two_pairs_say_nothing_about_further_ones_and_three_to_five_how_many_would_do() {
    let told = |pairs: usize| judge_fight(&plan(), &noisy(3.0)[..2 * pairs]).1[0].ratios.sensitivity;
    assert_eq!(told(2), None);
    let few = told(4).expect("four pairs");
    assert_eq!(few.smallest_ratio, None);
    assert!(few.pairs_needed >= Some(6), "{few:?}");
    let noisy = noisy(9.0);
    assert_eq!(verdict(&noisy[..8]), Verdict::TooFewRounds { pairs: 4, needed: 6 });
    let told = judge_fight(&plan(), &noisy[..8]).1[0].ratios.sensitivity.expect("four pairs");
    assert_eq!((told.detect_percent, told.pairs_needed), (5.0, Some(29)));
}
