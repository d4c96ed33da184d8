use std::path::PathBuf;
use std::sync::LazyLock;

use galo_plan::Flow;
use galo_plan::flow::Closed;
use galo_plan::plan::{NoiseFloor, ScenarioTraffic};
use galo_record::Ledger;

use super::*;
use crate::findings::{GaloLate, Interrupted};
use crate::judgement::Standing;

use crate::judge_round;
use crate::measure::Measures;
use crate::testing::{CEILING, Counted, RoundBuilder, plan, plan_of};

mod sensitivity;

/// A valid and stressed round. Its slot says whose it is: 0, 2, 4 ... the first contender's, 1, 3, 5 ... the second's.
pub(crate) fn round(slot: usize, p99_ms: f64) -> Judgement {
    static CLEAN: LazyLock<Judgement> =
        LazyLock::new(|| judge_round(&plan(), &Counted(CEILING), &RoundBuilder::clean().0));
    let mut judgement = CLEAN.clone();
    assert_eq!(judgement.standing, Standing::Valid);
    (judgement.slot, judgement.number, judgement.contender) = (slot, slot as u32 + 1, slot % 2);
    judgement.pair.pair = slot as u32 / 2;
    judgement.stressed = true;
    judgement.measures = Measures::of_each(|measure| match measure {
        Measure::LatencyUsP99 => Some(p99_ms * 1000.0),
        Measure::CpuMsPer1000 => Some(300.0),
        Measure::CorrectWithinServiceLevel => Some(1000.0),
        _ => None,
    });
    judgement
}

/// Rounds in turn with these figures: first contender's, second contender's, and so on.
fn fight(p99_ms: &[[f64; 2]]) -> Vec<Judgement> {
    let figures = p99_ms.iter().flatten();
    figures.enumerate().map(|(slot, &ms)| round(slot, ms)).collect()
}

/// The verdict as JSON.
fn told(plan: &Plan, rounds: &[Judgement]) -> String {
    serde_json::to_string(&judge_fight(plan, rounds).0).expect("plain data")
}

/// The primary comparison as JSON.
fn primary(plan: &Plan, rounds: &[Judgement]) -> String {
    serde_json::to_string(&judge_fight(plan, rounds).1[0]).expect("plain data")
}

fn verdict(rounds: &[Judgement]) -> Verdict {
    judge_fight(&plan(), rounds).0
}

const CLEAR: [[f64; 2]; 6] = [[7.0, 10.0], [7.2, 10.1], [6.9, 9.8], [7.1, 10.3], [7.0, 9.9], [7.3, 10.2]];
const EQUAL: [[f64; 2]; 6] = [[9.9, 10.0], [10.2, 10.1], [9.7, 9.8], [10.3, 10.2], [10.0, 9.9], [10.1, 10.2]];

fn disqualify(round: &mut Judgement, rule: &str) {
    round.standing = Standing::Disqualified { rules: vec![rule.to_owned()] };
}

fn spoil(round: &mut Judgement) {
    round.standing = Standing::Void { reasons: vec![late()] };
}

fn late() -> VoidReason {
    GaloLate { percentile: 99, lag_us: 8_000.0, bound_us: 5_000.0 }.into()
}

#[test]
fn a_clear_difference_in_six_pairs_has_a_winner() {
    let (verdict, comparisons) = judge_fight(&plan(), &fight(&CLEAR));
    insta::assert_debug_snapshot!(verdict, @r#"
Better {
    winner: "a",
    loser: "b",
    measure: LatencyUsP99,
    ratio: 0.7047847082276948,
    interval: [
        0.6941317417158608,
        0.7156011677606399,
    ],
}
"#);
    insta::assert_debug_snapshot!(comparisons[0], @r#"
    Comparison {
        measure: LatencyUsP99,
        primary: true,
        contenders: [
            "a",
            "b",
        ],
        ratios: Ratios {
            pairs: 6,
            ratio: Some(
                0.7047847082276948,
            ),
            favoured: [
                6,
                0,
            ],
            interval: Some(
                [
                    0.6941317417158608,
                    0.7156011677606399,
                ],
            ),
            p_value: Some(
                0.03125,
            ),
            difference: Better,
            sensitivity: Some(
                Sensitivity {
                    noise: 0.013534227155037387,
                    smallest_ratio: Some(
                        1.0241252478275575,
                    ),
                    detect_percent: 5.0,
                    pairs_needed: Some(
                        6,
                    ),
                },
            ),
        },
    }
    "#);
}

#[test]
fn the_second_contender_wins_by_the_inverse_ratio() {
    let swapped = CLEAR.map(|[a, b]| [b, a]);
    insta::assert_snapshot!(told(&plan(), &fight(&swapped)), @r#"{"kind":"better","winner":"b","loser":"a","measure":"latency_us_p99","ratio":0.7047847082276948,"interval":[0.6941317417158608,0.71560116776064]}"#);
}

#[test]
fn five_pairs_are_too_few_however_clear() {
    assert_eq!(verdict(&fight(&CLEAR[..5])), Verdict::TooFewRounds { pairs: 5, needed: 6 });
}

#[test]
fn equals_have_no_difference() {
    assert_eq!(verdict(&fight(&EQUAL)), Verdict::NoDifference);
    insta::assert_snapshot!(primary(&plan(), &fight(&EQUAL)), @r#"{"measure":"latency_us_p99","primary":true,"contenders":["a","b"],"pairs":6,"ratio":0.9999166159396733,"favoured":[3,3],"interval":[0.987701484474752,1.0122828147453353],"p_value":0.84375,"difference":"no_difference","sensitivity":{"noise":0.010922371686538528,"smallest_ratio":1.0194246280548542,"detect_percent":5.0,"pairs_needed":6}}"#);
}

#[test]
fn the_very_same_figures_have_no_difference_and_not_a_number_nowhere() {
    let (verdict, comparisons) = judge_fight(&plan(), &fight(&[[10.0, 10.0]; 6]));
    assert_eq!(verdict, Verdict::NoDifference);
    let primary = &comparisons[0];
    assert_eq!(
        (primary.ratios.ratio, primary.ratios.interval, primary.ratios.p_value),
        (Some(1.0), Some([1.0, 1.0]), Some(1.0))
    );
}

#[test]
fn a_constant_ratio_without_any_spread_is_a_difference() {
    let (verdict, _) = judge_fight(&plan(), &fight(&[[5.0, 10.0]; 6]));
    assert!(matches!(verdict, Verdict::Better { winner, .. } if winner == "a"));
}

#[test]
fn a_difference_within_the_noise_floor_is_none() {
    let floor = |ratio| NoiseFloor {
        ratio,
        cpu_ratio: 1.0,
        from_run: PathBuf::from("earlier"),
        contender: "a".to_owned(),
        measured: String::new(),
    };
    let rounds = fight(&CLEAR.map(|[_, b]| [b * 0.97, b]));
    let wide = Plan { noise_floor: Some(floor(1.05)), ..plan() };
    assert_eq!(judge_fight(&wide, &rounds).0, Verdict::NoDifference);
    insta::assert_snapshot!(primary(&wide, &rounds), @r#"{"measure":"latency_us_p99","primary":true,"contenders":["a","b"],"pairs":6,"ratio":0.97,"favoured":[6,0],"interval":[0.9699999999999999,0.97],"p_value":0.03125,"difference":"no_difference","sensitivity":{"noise":5.924531478223184e-17,"smallest_ratio":1.05,"detect_percent":5.0,"pairs_needed":null}}"#);
    let narrow = Plan { noise_floor: Some(floor(1.02)), ..plan() };
    assert!(matches!(judge_fight(&narrow, &rounds).0, Verdict::Better { .. }));
}

#[test]
fn rounds_in_which_nobody_came_near_a_limit_make_no_winner() {
    let mut rounds = fight(&CLEAR);
    rounds.iter_mut().for_each(|r| r.stressed = false);
    let told = verdict(&rounds);
    let Verdict::NeitherWasStressed { nearest, raised: None } = &told else { panic!("{told:?}") };
    let shares: Vec<(&str, f64)> = nearest.iter().map(|of| (of.contender.as_str(), of.used.share)).collect();
    assert_eq!(shares, [("b", 0.234), ("b", 0.2), ("b", 0.008_34)]);
    rounds[3].stressed = true;
    assert!(matches!(judge_fight(&plan(), &rounds).0, Verdict::Better { .. }));
}

#[test]
fn one_broken_rule_in_one_round_disqualifies_for_the_fight() {
    let mut rounds = fight(&CLEAR);
    disqualify(&mut rounds[0], "search-misses-acknowledged");
    let expected = Verdict::Disqualified {
        contenders: vec!["a".to_owned()],
        rules: vec!["search-misses-acknowledged".to_owned()],
        left: Some("b".to_owned()),
    };
    assert_eq!(verdict(&rounds), expected);
    assert_eq!(judge_fight(&plan(), &rounds).1, []);
}

#[test]
fn a_disqualification_is_not_undone_by_driving_the_slot_again() {
    let mut rounds = fight(&CLEAR);
    let mut again = rounds[0].clone();
    again.number = 100;
    rounds.push(again);
    disqualify(&mut rounds[0], "dirty-start");
    assert!(matches!(judge_fight(&plan(), &rounds).0, Verdict::Disqualified { .. }));
}

#[test]
fn when_both_are_disqualified_nobody_is_left() {
    let mut rounds = fight(&CLEAR);
    disqualify(&mut rounds[1], "dirty-start");
    disqualify(&mut rounds[2], "count-differs");
    insta::assert_snapshot!(told(&plan(), &rounds), @r#"{"kind":"disqualified","contenders":["a","b"],"rules":["dirty-start","count-differs"],"left":null}"#);
}

#[test]
fn whoever_is_left_without_a_valid_round_has_not_won() {
    let mut rounds = fight(&CLEAR[..1]);
    rounds.truncate(1);
    disqualify(&mut rounds[0], "dirty-start");
    insta::assert_snapshot!(told(&plan(), &rounds), @r#"{"kind":"disqualified","contenders":["a"],"rules":["dirty-start"],"left":null}"#);
}

#[test]
fn a_contender_that_did_not_start_is_out_and_the_other_has_not_won() {
    let mut rounds = fight(&CLEAR);
    rounds[1].standing = Standing::NotReady { reason: "connection refused".to_owned() };
    let expected = Verdict::NotReady { contenders: vec!["b".to_owned()], left: Some("a".to_owned()) };
    assert_eq!(verdict(&rounds), expected);
}

#[test]
fn a_slot_whose_last_round_is_void_voids_the_fight() {
    let mut rounds = fight(&CLEAR);
    spoil(&mut rounds[3]);
    let round =
        |others| Some(VoidRound { number: 4, contender: "b".to_owned(), reasons: vec![late()], others });
    assert_eq!(verdict(&rounds), Verdict::Void { round: round(0) });
    spoil(&mut rounds[5]);
    assert_eq!(verdict(&rounds), Verdict::Void { round: round(1) });
}

#[test]
fn a_void_round_brings_nobody_back_who_broke_a_rule_in_another() {
    let mut rounds = fight(&CLEAR);
    spoil(&mut rounds[3]);
    disqualify(&mut rounds[0], "dirty-start");
    insta::assert_snapshot!(told(&plan(), &rounds), @r#"{"kind":"disqualified","contenders":["a"],"rules":["dirty-start"],"left":"b"}"#);
}

#[test]
fn a_repeated_round_takes_the_place_of_the_void_one() {
    let mut rounds = fight(&CLEAR);
    let mut again = rounds[3].clone();
    again.number = 100;
    spoil(&mut rounds[3]);
    rounds[3].measures.set(Measure::LatencyUsP99, Some(1.0));
    rounds.push(again);
    assert_eq!(judge_fight(&plan(), &rounds), judge_fight(&plan(), &fight(&CLEAR)));
}

#[test]
fn a_fight_without_rounds_is_void() {
    assert_eq!(verdict(&[]), Verdict::Void { round: None });
}

#[test]
fn one_contender_fights_alone() {
    let alone = plan_of(&["a"], 1);
    let mut rounds = fight(&CLEAR[..1]);
    rounds.truncate(1);
    assert_eq!(judge_fight(&alone, &rounds).0, Verdict::Alone { contender: "a".to_owned() });
    disqualify(&mut rounds[0], "dirty-start");
    insta::assert_snapshot!(told(&alone, &rounds), @r#"{"kind":"disqualified","contenders":["a"],"rules":["dirty-start"],"left":null}"#);
}

#[test]
fn of_three_the_two_best_by_the_primary_measure_are_compared() {
    let three = plan_of(&["slow", "a", "b"], 6);
    let mut rounds = fight(&CLEAR);
    for (slot, round) in rounds.iter_mut().enumerate() {
        round.contender = slot % 2 + 1;
    }
    for slot in 12..18 {
        let mut slow = round(slot, 50.0);
        slow.contender = 0;
        rounds.push(slow);
    }
    let (verdict, comparisons) = judge_fight(&three, &rounds);
    assert_eq!(comparisons[0].contenders, ["a", "b"].map(str::to_owned));
    assert!(matches!(verdict, Verdict::Better { winner, .. } if winner == "a"));
}

#[test]
fn what_null_servers_come_to_decides_nothing() {
    let mut three = plan_of(&["a", "b", "null servers"], 6);
    three.contenders[2].null_of = Some("a".to_owned());
    let mut rounds = fight(&CLEAR);
    for slot in 12..18 {
        let mut null = round(slot, 1.0);
        null.contender = 2;
        spoil(&mut null);
        rounds.push(null);
    }
    assert_eq!(judge_fight(&three, &rounds), judge_fight(&plan(), &rounds[..12]));
    three.contenders.remove(1);
    three.contenders[1].null_of = Some("a".to_owned());
    rounds.retain(|round| round.contender != 1);
    rounds.iter_mut().for_each(|round| round.contender = round.contender.min(1));
    assert_eq!(judge_fight(&three, &rounds).0, Verdict::Alone { contender: "a".to_owned() });
}

#[test]
fn at_equal_p99_cpu_time_decides_at_its_stricter_level() {
    let on = |plan: &Plan, pairs: usize, p99_ms: f64| {
        let mut rounds = fight(&EQUAL.repeat(2)[..pairs]);
        for round in &mut rounds {
            let noise = 1.0 + 0.01 * (round.slot % 5) as f64;
            round
                .measures
                .set(Measure::CpuMsPer1000, Some(if round.contender == 0 { 200.0 } else { 300.0 } * noise));
            let p99 = round.measures.get(Measure::LatencyUsP99).expect("set");
            round.measures.set(Measure::LatencyUsP99, Some(p99 * p99_ms / 10.0));
        }
        told(plan, &rounds)
    };
    let cpu = |pairs, p99_ms| on(&plan(), pairs, p99_ms);
    insta::assert_snapshot!(cpu(8, 10.0), @r#"{"kind":"no_difference"}"#);
    insta::assert_snapshot!(cpu(9, 10.0), @r#"{"kind":"better","winner":"a","loser":"b","measure":"cpu_ms_per_1000","ratio":0.6673827480755093,"interval":[0.6491957632557493,0.6860792347059025]}"#);
    // Beyond the service level nobody is good enough for a tie-break.
    insta::assert_snapshot!(cpu(9, 2000.0), @r#"{"kind":"no_difference"}"#);
    // What a contender shows against itself is noise.
    let floor = NoiseFloor {
        ratio: 1.0,
        cpu_ratio: 1.6,
        from_run: PathBuf::from("earlier"),
        contender: "a".to_owned(),
        measured: String::new(),
    };
    let noisy = Plan { noise_floor: Some(floor), ..plan() };
    insta::assert_snapshot!(on(&noisy, 9, 10.0), @r#"{"kind":"no_difference"}"#);
}

#[test]
fn one_round_that_is_far_worse_yet_does_not_turn_a_loss_into_a_win_by_cpu_time() {
    let judged = |worst: f64| {
        let pairs: Vec<_> = (0..9).map(|pair| [10.0 * if pair == 4 { worst } else { 1.3 }, 10.0]).collect();
        let mut rounds = fight(&pairs);
        for round in rounds.iter_mut().filter(|round| round.contender == 0) {
            round.measures.set(Measure::CpuMsPer1000, Some(240.0 + (round.slot % 5) as f64));
        }
        let (verdict, comparisons) = judge_fight(&plan(), &rounds);
        (verdict, comparisons[0].ratios.difference)
    };
    let (verdict, difference) = judged(1.3);
    assert!(matches!(verdict, Verdict::Better { winner, .. } if winner == "b"));
    assert_eq!(difference, Difference::Worse);
    // The interval holds 1 now, though the second was better in all nine.
    assert_eq!(judged(8.0), (Verdict::NoDifference, Difference::NoDifference));
    // Where not even the order of the pairs says that one is worse, CPU time decides as before.
    let (verdict, _) = judged(0.1);
    assert!(matches!(&verdict, Verdict::Better { winner, .. } if winner == "a"), "{verdict:?}");
}

#[test]
fn a_contender_that_fails_fast_does_not_win_by_its_latency() {
    let fails = |pairs: usize| {
        let mut rounds = fight(&CLEAR.repeat(2)[..pairs]);
        for round in rounds.iter_mut().filter(|r| r.contender == 0) {
            round.measures.set(Measure::CorrectWithinServiceLevel, Some(500.0 + round.slot as f64));
        }
        verdict(&rounds)
    };
    assert_eq!(fails(6), Verdict::TooFewRounds { pairs: 6, needed: 9 });
    let Verdict::Better { winner, measure, ratio, .. } = fails(9) else { panic!("nobody won") };
    assert_eq!((winner.as_str(), measure), ("b", Measure::CorrectWithinServiceLevel));
    assert!((1.9..2.0).contains(&ratio), "{ratio}");
}

/// Of 1,000 that fell due to a contender in each round, so many are not answered rightly; its p99 stays what it was.
fn fail(rounds: &mut [Judgement], contender: usize, failed: u64) {
    for round in rounds.iter_mut().filter(|r| r.contender == contender) {
        round.ledger = Ledger { intended: 1_000, ok: 1_000 - failed, failed, ..Ledger::default() };
        round
            .measures
            .set(Measure::CorrectWithinServiceLevel, Some(1_000.0 - failed as f64 - round.slot as f64 % 3.0));
    }
}

#[test]
fn where_a_p99_is_a_failure_right_answers_decide() {
    let mut rounds = fight(&CLEAR.repeat(2)[..9]);
    fail(&mut rounds, 1, 0);
    fail(&mut rounds, 0, 11);
    let by = Measure::CorrectWithinServiceLevel;
    let Verdict::Better { winner, measure, .. } = verdict(&rounds) else { panic!("nobody won") };
    assert_eq!((winner.as_str(), measure), ("b", by), "though its p99 is longer");
    fail(&mut rounds, 0, 5);
    let Verdict::Better { winner, measure, .. } = verdict(&rounds) else { panic!("nobody won") };
    assert_eq!((winner.as_str(), measure), ("a", Measure::PRIMARY), "its p99 is an answer's");
    fail(&mut rounds, 0, 1_000);
    let Verdict::Better { winner, ratio, .. } = verdict(&rounds) else { panic!("nobody won") };
    assert!(winner == "b" && ratio > 1_000.0, "no pair is left out where nothing was right: {ratio}");
}

#[test]
fn a_round_whose_p99_is_a_failure_leaves_nothing_to_cpu_time() {
    let mut rounds = fight(&EQUAL.repeat(2)[..9]);
    for round in &mut rounds {
        let cpu = if round.contender == 0 { 200.0 } else { 300.0 };
        round.measures.set(Measure::CpuMsPer1000, Some(cpu + (round.slot % 5) as f64));
    }
    assert!(matches!(verdict(&rounds), Verdict::Better { winner, .. } if winner == "a"));
    rounds[4].measures.set(Measure::LatencyUsP99, Some(crate::measure::FAILED_US));
    assert_eq!(verdict(&rounds), Verdict::NoDifference);
}

#[test]
fn of_three_only_those_that_answer_as_rightly_are_ranked_by_anything_else() {
    let three = plan_of(&["fails", "a", "b"], 6);
    let mut rounds = fight(&CLEAR);
    rounds.iter_mut().for_each(|round| round.contender = round.slot % 2 + 1);
    for slot in 12..18 {
        let mut fast = round(slot, 1.0);
        fast.contender = 0;
        fast.measures.set(Measure::CorrectWithinServiceLevel, Some(980.0));
        rounds.push(fast);
    }
    let (verdict, comparisons) = judge_fight(&three, &rounds);
    assert_eq!(comparisons[0].contenders, ["a", "b"].map(str::to_owned));
    assert!(matches!(verdict, Verdict::Better { winner, .. } if winner == "a"));
    // Where nobody else answers as rightly as one, it and the next are compared.
    for round in rounds.iter_mut().filter(|r| r.contender == 1) {
        round.measures.set(Measure::CorrectWithinServiceLevel, Some(970.0));
    }
    assert_eq!(judge_fight(&three, &rounds).1[0].contenders, ["fails", "b"].map(str::to_owned));
}

/// Nine pairs of a load of always ten users at once: its plan, and rounds in which the first of these contenders has the better p99 and
/// gives so much of the others' right answers, up to a tenth more or less in each round.
fn closed(names: &[&str], share: f64) -> (Plan, Vec<Judgement>) {
    let mut plan = plan_of(names, 9);
    let flow = Flow::Closed(Closed { at_once: 10, duration_ns: 20_000_000_000 });
    plan.traffic = vec![Some(ScenarioTraffic { flow, users: 10 }); plan.traffic.len()];
    let mut rounds: Vec<_> = (0..9 * names.len()).map(|slot| round(slot, 10.0)).collect();
    for (slot, round) in rounds.iter_mut().enumerate() {
        round.contender = slot % names.len();
        round.pair.pair = (slot / names.len()) as u32;
        let noise = 0.02 * ((slot * 7) % 11) as f64 - 0.1;
        let (share, p99_ms) = if round.contender == 0 { (share, 7.0) } else { (1.0, 10.0) };
        round.measures.set(Measure::CorrectWithinServiceLevel, Some(1_000.0 * share * (1.0 + noise)));
        round.measures.set(Measure::LatencyUsP99, Some(1_000.0 * (p99_ms + noise)));
    }
    (plan, rounds)
}

#[test]
fn where_so_many_are_always_at_once_fewer_right_answers_count_once_they_are_proven() {
    let decided = |plan: &Plan, rounds: &[Judgement]| match judge_fight(plan, rounds).0 {
        Verdict::Better { winner, measure, .. } => Some((winner, measure)),
        _ => None,
    };
    let (closed_plan, rounds) = closed(&["a", "b"], 0.97);
    assert_eq!(
        decided(&closed_plan, &rounds),
        Some(("a".to_owned(), Measure::PRIMARY)),
        "3 % fewer by chance"
    );
    assert_eq!(decided(&plan(), &rounds), None, "at a rate as many fall due to both, and 3 % are no chance");
    let (closed_plan, rounds) = closed(&["a", "b"], 0.7);
    let by_answers = Some(("b".to_owned(), Measure::CorrectWithinServiceLevel));
    assert_eq!(decided(&closed_plan, &rounds), by_answers, "its latency is of fewer");
}

#[test]
fn of_three_that_always_have_so_many_at_once_those_not_proven_to_give_fewer_are_ranked_too() {
    let compared = |share| {
        let (plan, rounds) = closed(&["a", "b", "c"], share);
        judge_fight(&plan, &rounds).1[0].contenders.clone()
    };
    assert!(compared(0.97).contains(&"a".to_owned()), "3 % fewer by chance");
    assert!(!compared(0.7).contains(&"a".to_owned()), "30 % fewer");
}

/// Void rounds of a contender, beside those that stand: as if each had been driven again.
fn voided(rounds: &mut Vec<Judgement>, contender: usize, times: usize) {
    for time in 0..times {
        let mut again = round(contender, 9.0);
        again.number = 0;
        again.measures.set(Measure::ElapsedS, Some(time as f64));
        spoil(&mut again);
        rounds.push(again);
    }
}

#[test]
fn whoever_has_more_void_rounds_than_chance_explains_cannot_win_and_the_other_can() {
    // 12 of its 24 rounds and none of the other's 12: by chance in 0.2 % of fights; 8 of 20 in 1.1 %.
    let mut wins = fight(&CLEAR.repeat(2));
    voided(&mut wins, 0, 12);
    let expected = Verdict::VoidTooOften { contender: "a".to_owned(), void: [12, 0], rounds: [24, 12] };
    assert_eq!(verdict(&wins), expected);
    let mut few = fight(&CLEAR.repeat(2));
    voided(&mut few, 0, 8);
    assert!(matches!(verdict(&few), Verdict::Better { winner, .. } if winner == "a"), "chance explains it");
    let mut loses = fight(&CLEAR.repeat(2));
    voided(&mut loses, 1, 12);
    assert!(matches!(verdict(&loses), Verdict::Better { winner, .. } if winner == "a"));
}

#[test]
fn who_makes_its_rounds_void_takes_the_win_from_nobody() {
    let mut rounds = fight(&CLEAR.repeat(2));
    rounds.iter_mut().filter(|r| r.contender == 1 && r.slot > 12).for_each(spoil);
    assert_eq!(rounds.iter().filter(|r| matches!(r.standing, Standing::Void { .. })).count(), 6);
    voided(&mut rounds, 1, 4);
    let told = verdict(&rounds);
    assert!(matches!(&told, Verdict::Better { winner, .. } if winner == "a"), "{told:?}");
    rounds.iter_mut().filter(|r| r.contender == 1).for_each(spoil);
    let expected = Verdict::VoidTooOften { contender: "b".to_owned(), void: [16, 0], rounds: [16, 12] };
    assert_eq!(verdict(&rounds), expected, "nothing of it is left");
    // What was broken off is nobody's doing.
    for round in rounds.iter_mut().filter(|r| r.contender == 1) {
        round.standing = Standing::Void { reasons: vec![Interrupted {}.into()] };
    }
    assert!(matches!(verdict(&rounds), Verdict::Void { round: Some(_) }));
}

#[test]
fn half_a_percent_fewer_correct_answers_does_not_take_the_win_away() {
    let mut rounds = fight(&CLEAR);
    for round in rounds.iter_mut().filter(|r| r.contender == 0) {
        round.measures.set(Measure::CorrectWithinServiceLevel, Some(995.0));
    }
    assert!(matches!(judge_fight(&plan(), &rounds).0, Verdict::Better { winner, .. } if winner == "a"));
}

#[test]
fn secondary_measures_need_nine_pairs_and_have_wider_intervals() {
    let with_cpu = |pairs: usize| {
        let mut rounds = fight(&CLEAR.repeat(2)[..pairs]);
        for round in &mut rounds {
            round.measures.set(Measure::CpuMsPer1000, round.measures.get(Measure::LatencyUsP99));
        }
        let (_, comparisons) = judge_fight(&plan(), &rounds);
        let by = |measure| comparisons.iter().find(|c| c.measure == measure).expect("compared").clone();
        [by(Measure::LatencyUsP99), by(Measure::CpuMsPer1000)]
    };
    let [p99, cpu] = with_cpu(8);
    assert_eq!(
        (p99.ratios.difference, cpu.ratios.difference),
        (Difference::Better, Difference::TooFewRounds)
    );
    let [p99, cpu] = with_cpu(9);
    assert_eq!((p99.ratios.difference, cpu.ratios.difference), (Difference::Better, Difference::Better));
    let width = |c: &Comparison| c.ratios.interval.map(|[low, high]| high / low).expect("an interval");
    assert!(width(&cpu) > width(&p99));
    assert_eq!(p99.ratios.ratio, cpu.ratios.ratio);
}

#[test]
fn a_figure_that_was_not_seen_or_is_zero_makes_no_pair() {
    let mut rounds = fight(&CLEAR);
    rounds[0].measures.set(Measure::LatencyUsP99, None);
    rounds[3].measures.set(Measure::LatencyUsP99, Some(0.0));
    let (verdict, comparisons) = judge_fight(&plan(), &rounds);
    assert_eq!(verdict, Verdict::TooFewRounds { pairs: 4, needed: 6 });
    let memory = comparisons.iter().find(|c| c.measure == Measure::MemoryPeakBytes).expect("compared");
    assert_eq!(
        (memory.ratios.pairs, memory.ratios.ratio, memory.ratios.difference),
        (0, None, Difference::TooFewRounds)
    );
}

#[test]
fn the_noise_floor_is_the_farther_bound_of_a_contender_against_itself() {
    let mut itself = plan_of(&["a", "a (2)"], 6);
    let comparisons = judge_fight(&itself, &fight(&EQUAL)).1;
    assert_eq!(noise_floor(&itself, &comparisons), None, "two different files");
    itself.contenders[1].file = itself.contenders[0].file.clone();
    itself.contenders[1].file_sha256 = itself.contenders[0].file_sha256.clone();
    let [low, high] = comparisons[0].ratios.interval.expect("an interval");
    assert!(low < 1.0 && high > 1.0);
    let cpu = comparisons.iter().find(|c| c.measure == Measure::CpuMsPer1000).and_then(|c| c.ratios.interval);
    let cpu = cpu.map(|[low, high]| high.max(1.0 / low)).expect("an interval");
    assert_eq!(noise_floor(&itself, &comparisons), Some([high.max(1.0 / low), cpu]));
    let few = judge_fight(&itself, &fight(&EQUAL[..5])).1;
    assert_eq!(noise_floor(&itself, &few), None);
}
