//! Leagues that are made up: what their children say, and what that comes to.

use std::collections::BTreeMap;
use std::path::PathBuf;

use galo_plan::league::{Block, ChildTerms, FORMAT, LeaguePlan};
use galo_plan::{Contender, Knob, LimitTerms, Runner, Seed, Setting, Turn};
use galo_record::{RunEnd, RunHeader, StartFailure};

use super::plays::{due_by, open_at};
use super::*;
use crate::child::CameTo;
use crate::fight::{FightKind, JudgedContender, JudgedFight, JudgedRound, ServiceSeen, Summary};
use crate::findings::GaloLate;
use crate::judgement::{Judgement, Standing};
use crate::limit::{JudgedLimit, LimitedBy};
use crate::measure::Measure;
use crate::verdict::Verdict;
use crate::verdict::tests::round;

/// Entries `a`, `b`, `c` and so on.
pub(super) fn plan(entries: usize, passes: u32) -> LeaguePlan {
    let entry = |index: usize| Contender {
        name: name(index),
        title: String::new(),
        language: None,
        challenge: "fake".to_owned(),
        file: PathBuf::from(format!("/entries/{index}/compose.yaml")),
        file_sha256: String::new(),
        services: Vec::new(),
        runner: Runner::Process,
        own_names: Default::default(),
        connects: false,
        setting: None,
        null_of: None,
    };
    LeaguePlan {
        format: FORMAT,
        challenge: "fake".to_owned(),
        profile: "quick".to_owned(),
        scale_milli: 1000,
        seed: Seed::of_number(entries as u64),
        passes,
        limits: None,
        crashes: false,
        detect_percent: 5.0,
        knobs: Vec::new(),
        entries: (0..entries).map(entry).collect(),
        refused: Vec::new(),
    }
}

fn name(index: usize) -> String {
    let letter = char::from(b'a' + (index % 26) as u8);
    if index < 26 { letter.to_string() } else { format!("{letter}{}", index / 26) }
}

/// A child of these entries, each with its round.
pub(super) fn fight(plan: &LeaguePlan, kind: FightKind, rounds: Vec<(usize, Judgement)>) -> JudgedFight {
    let again = |index: usize, entry: usize| match rounds[..index].iter().any(|(other, _)| *other == entry) {
        true => format!("{} (2)", plan.entries[entry].name),
        false => plan.entries[entry].name.clone(),
    };
    let names: Vec<String> =
        rounds.iter().enumerate().map(|(index, (entry, _))| again(index, *entry)).collect();
    let contender = |name: &String| JudgedContender {
        name: name.clone(),
        title: String::new(),
        language: None,
        file_sha256: String::new(),
        runner: Runner::Process,
        takes: Demand::default(),
        services: Vec::new(),
        summary: Summary::default(),
        null_of: None,
    };
    let judged = |(index, (_, judgement)): (usize, (usize, Judgement))| JudgedRound {
        contender: names[index].clone(),
        judgement: Judgement { contender: index, slot: index, number: index as u32 + 1, ..judgement },
        load_ns: 0,
        engine: Default::default(),
        galo_cpu_ns: None,
        limits_enforced: true,
        services: Vec::new(),
        container_engine_ns: None,
        host: Default::default(),
        latency: Default::default(),
        service_time: Default::default(),
        classes: Vec::new(),
        steps: Vec::new(),
    };
    JudgedFight {
        kind,
        header: header(),
        challenge: plan.challenge.clone(),
        profile: plan.profile.clone(),
        scale: 1.0,
        planned: rounds.len(),
        seed: String::new(),
        data_sha256: String::new(),
        limits_enforced: true,
        limits_note: None,
        walls_note: None,
        restarts: None,
        budget: Demand::default(),
        service_level_ms: 1200.0,
        noise_floor: None,
        verdict: Verdict::Void { round: None },
        comparisons: Vec::new(),
        field: None,
        medians: Vec::new(),
        contenders: names.iter().map(contender).collect(),
        rounds: rounds.into_iter().enumerate().map(judged).collect(),
    }
}

fn header() -> RunHeader {
    RunHeader {
        format: 1,
        galo: String::new(),
        command: Vec::new(),
        started: String::new(),
        machine: Default::default(),
    }
}

/// Drives a league whose rounds are made up, one for each entry of a block and one more for its control. `check` says why an entry
/// cannot be driven; `None`: it is right.
pub(super) fn driven(
    plan: &LeaguePlan,
    mut check: impl FnMut(usize) -> Option<&'static str>,
    mut block: impl FnMut(&Block) -> Vec<(usize, Judgement)>,
) -> Vec<Result<JudgedFight, String>> {
    let mut all: Vec<Result<JudgedFight, String>> = Vec::new();
    // What was seen at a look, by the children before it, stays so.
    let mut looks: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    loop {
        let due = due_by(plan, &children(&all), |before| {
            looks.entry(before.len()).or_insert_with(|| open_at(plan, before)).clone()
        });
        if due.is_empty() {
            return all;
        }
        for (number, terms) in due {
            assert_eq!(number as usize, all.len() + 1);
            all.push(match terms {
                ChildTerms::Limit { .. } => unreachable!("nobody asked for it"),
                ChildTerms::Check { entry } | ChildTerms::Crash { entry } => match check(entry) {
                    None => Ok(fight(plan, FightKind::Check, vec![(entry, round(0, 10.0))])),
                    Some(reason) => Err(reason.to_owned()),
                },
                ChildTerms::Block { block: of, .. } => Ok(fight(plan, FightKind::Fight, block(&of))),
            });
        }
    }
}

/// A search for the highest scale of an entry, without its holds.
fn limit(entry: &str, scale_milli: Option<u64>) -> JudgedLimit {
    JudgedLimit {
        header: header(),
        contender: entry.to_owned(),
        challenge: String::new(),
        profile: String::new(),
        seed: String::new(),
        terms: LimitTerms::of_holds(1),
        noun: Default::default(),
        scale_milli,
        low_milli: None,
        high_milli: None,
        confirmed: false,
        limited_by: LimitedBy::Asked,
        held_up: None,
        knee_milli: None,
        law: None,
        at_least_met: None,
        takes: Demand::default(),
        budget: Demand::default(),
        limits_enforced: true,
        limits_note: None,
        walls_note: None,
        starts: 1,
        holds: Vec::new(),
        end: RunEnd::Done,
    }
}

/// What is heard of children that are over, in the order of their numbers.
pub(super) fn children(all: &[Result<JudgedFight, String>]) -> Vec<Child<'_>> {
    fn child((came_to, number): (&Result<JudgedFight, String>, u32)) -> Child<'_> {
        let came_to = match came_to {
            Ok(fight) => CameTo::Fight(fight),
            Err(reason) => CameTo::Nothing(reason),
        };
        Child { number, came_to }
    }
    all.iter().zip(1..).map(child).collect()
}

pub(super) fn judged(plan: &LeaguePlan, all: &[Result<JudgedFight, String>]) -> JudgedLeague {
    JudgedLeague::judge(header(), plan, String::new(), &children(all))
}

/// Everybody's p99 is that many ms, a little more or less each time.
fn rounds_of(ms: impl Fn(usize) -> f64, block: &Block) -> Vec<(usize, Judgement)> {
    let all = block.entries.iter().chain([&block.control]).enumerate();
    all.map(|(index, &entry)| (entry, round(0, ms(entry) * (1.0 + (index * 7 % 5) as f64 / 500.0)))).collect()
}

fn names(league: &JudgedLeague) -> Vec<&str> {
    league.ranking.iter().map(|one| one.entry.name.as_str()).collect()
}

#[test]
fn entries_far_apart_are_ranked_and_driven_no_more_than_it_takes() {
    let plan = plan(4, 8);
    let ms = [40.0, 10.0, 20.0, 10.0];
    let all = driven(&plan, |_| None, |block| rounds_of(|entry| ms[entry], block));
    let league = judged(&plan, &all);
    assert_eq!(names(&league)[2..], ["c", "a"]);
    assert_eq!(league.groups, [[0, 1], [2, 2], [3, 3]]);
    assert_eq!(
        league.ranking.iter().map(|one| one.places).collect::<Vec<_>>(),
        [[1, 2], [1, 2], [3, 3], [4, 4]]
    );
    let behind: Vec<_> = league.ranking.iter().map(|one| one.behind.concat()).collect();
    assert_eq!(behind, ["ca", "ca", "a", ""]);
    let by_first = league.ranking[3].by_first.unwrap();
    assert!((by_first.ratio - 4.0).abs() < 0.1 && by_first.interval[0] > 3.0, "{by_first:?}");
    assert!(league.head.is_over && league.head.blocks >= 3);
}

#[test]
fn who_has_more_void_rounds_than_chance_explains_is_proven_better_than_nobody() {
    let plan = plan(3, 8);
    let ms = [10.0, 20.0, 40.0];
    let late = GaloLate { percentile: 99, lag_us: 8_000.0, bound_us: 5_000.0 };
    let mut all = driven(&plan, |_| None, |block| rounds_of(|entry| ms[entry], block));
    let named = |league: &JudgedLeague, of: &str| {
        league.ranking.iter().find(|one| one.entry.name == of).cloned().expect("it is in")
    };
    assert_eq!(named(&judged(&plan, &all), "a").behind, ["b", "c"]);
    for fight in all.iter_mut().flatten().filter(|fight| fight.kind == FightKind::Fight) {
        let Some(mut spoiled) = fight.rounds.iter().find(|round| round.contender == "a").cloned() else {
            continue;
        };
        spoiled.judgement.standing = Standing::Void { reasons: vec![late.clone().into()] };
        // Each is driven a fourth time, which counts.
        fight.rounds.splice(0..0, std::iter::repeat_n(spoiled, 3));
    }
    let league = judged(&plan, &all);
    let first = named(&league, "a");
    assert!(first.void_too_often.is_some() && first.behind.is_empty(), "{first:?}");
    assert!(!first.is_open, "more rounds of it would prove nothing");
    assert_eq!(named(&league, "b").behind, ["c"]);
}

#[test]
fn who_is_told_apart_from_all_others_takes_part_no_more() {
    let plan = plan(3, 8);
    // Two that are noisy and alike, and one far off.
    let mut random = crate::testing::Noise::seeded(5);
    let mut taken = Vec::new();
    let all = driven(
        &plan,
        |_| None,
        |block| {
            taken.push(block.entries.clone());
            let noisy =
                |entry: usize, noise: f64| if entry == 2 { 1000.0 } else { 10.0 * (0.1 * noise).exp() };
            block
                .entries
                .iter()
                .chain([&block.control])
                .map(|&entry| (entry, round(0, noisy(entry, random.normal()))))
                .collect()
        },
    );
    assert_eq!(judged(&plan, &all).ranking[2].places, [3, 3]);
    assert_eq!(taken.len(), 8);
    assert!(
        taken[..3].iter().all(|block| block.len() == 3) && taken[3..].iter().all(|block| !block.contains(&2))
    );
}

#[test]
fn whoever_breaks_a_rule_or_does_not_start_is_out_with_the_reason_and_driven_no_more() {
    let mut plan = plan(4, 3);
    plan.crashes = true;
    let mut checks = Vec::new();
    let mut blocks = 0;
    let all = driven(
        &plan,
        |entry| {
            checks.push(entry);
            (entry == 3).then_some("no such image\nhint: build it")
        },
        |block| {
            blocks += 1;
            let mut rounds = rounds_of(|_| 10.0, block);
            for (entry, round) in &mut rounds {
                if *entry == 1 && blocks == 2 {
                    round.standing = Standing::Disqualified { rules: vec!["count-differs".to_owned()] };
                }
            }
            rounds
        },
    );
    let league = judged(&plan, &all);
    assert_eq!(checks, [0, 1, 2, 3, 0, 2], "those that are still in are killed at the end");
    assert_eq!(names(&league).len(), 2);
    let [out] = league.out.as_slice() else { panic!("{:?}", league.out) };
    let broken = Standing::Disqualified { rules: vec!["count-differs".to_owned()] };
    assert_eq!((out.entry.name.as_str(), out.child, &out.standing), ("b", 6, &broken));
    let [gone] = league.not_started.as_slice() else { panic!("{:?}", league.not_started) };
    let unbuilt = Standing::NotReady { reason: "no such image\nhint: build it".to_owned() };
    assert_eq!((gone.entry.name.as_str(), gone.child, &gone.standing), ("d", 4, &unbuilt));
    assert_eq!((out.cause, gone.cause), (None, Some(StartFailure::ImageGone)));
}

#[test]
fn one_that_is_alone_is_first_without_a_round() {
    let plan = plan(2, 3);
    let all = driven(&plan, |entry| (entry == 0).then_some("gone"), |_| panic!("nobody to compare with"));
    let league = judged(&plan, &all);
    assert_eq!((names(&league), league.head.is_over, league.head.blocks), (vec!["b"], true, 0));
    assert_eq!(due(&plan, &[])[0], (1, ChildTerms::Check { entry: 0 }));
}

#[test]
fn fewer_right_answers_are_worse_however_quick_they_are() {
    let plan = plan(2, 3);
    let all = driven(
        &plan,
        |_| None,
        |block| {
            let of = |&entry: &usize| {
                let mut one = round(0, if entry == 0 { 1.0 } else { 10.0 });
                one.measures
                    .set(Measure::CorrectWithinServiceLevel, Some(if entry == 0 { 500.0 } else { 1000.0 }));
                (entry, one)
            };
            block.entries.iter().chain([&block.control]).map(of).collect()
        },
    );
    let league = judged(&plan, &all);
    assert_eq!((names(&league), league.groups.len()), (vec!["b", "a"], 2));
}

#[test]
fn a_league_that_was_cut_off_anywhere_goes_on_to_the_same() {
    let plan = plan(14, 4);
    let rounds = |block: &Block| rounds_of(|entry| 10.0 + entry as f64, block);
    let all = driven(&plan, |_| None, rounds);
    let heard = children(&all);
    let next = |count| due(&plan, &heard[..count]).into_iter().next();
    let terms: Vec<_> = (0..=heard.len()).map(next).collect();
    assert_eq!(terms.iter().filter(|terms| terms.is_none()).count(), 1);
    for (index, (number, terms)) in terms.iter().flatten().enumerate() {
        assert_eq!(*number as usize, index + 1);
        match terms {
            ChildTerms::Check { entry } => assert_eq!(*entry, index),
            ChildTerms::Block { pass, number: [number, of], block } => {
                assert!(*pass >= 1 && number <= of && block.entries.len() >= 2);
                let fight = all[index].as_ref().unwrap();
                assert_eq!(fight.contenders.len(), block.entries.len() + 1);
            }
            ChildTerms::Limit { .. } | ChildTerms::Crash { .. } => panic!("nobody asked for it"),
        }
    }
}

#[test]
fn after_the_passes_the_highest_scale_of_each_that_is_in_is_searched_for_and_then_each_is_killed() {
    let mut plan = plan(3, 1);
    plan.crashes = true;
    let all = driven(&plan, |entry| (entry == 0).then_some("gone"), |block| rounds_of(|_| 10.0, block));
    let mut heard = children(&all[..4]);
    let crashes =
        |first| [(first, ChildTerms::Crash { entry: 1 }), (first + 1, ChildTerms::Crash { entry: 2 })];
    assert_eq!(due(&plan, &heard), crashes(5));
    plan.limits = Some(LimitTerms::of_holds(1));
    let limits = [(5, ChildTerms::Limit { entry: 1 }), (6, ChildTerms::Limit { entry: 2 })];
    assert_eq!(due(&plan, &heard), limits);
    let held = [("b", Some(2_500)), ("c", None)].map(|(entry, scale_milli)| limit(entry, scale_milli));
    heard.extend(held.iter().zip(5..).map(|(limit, number)| Child { number, came_to: CameTo::Limit(limit) }));
    assert_eq!(due(&plan, &heard), crashes(7));
    let league = JudgedLeague::judge(header(), &plan, String::new(), &heard);
    let scale = |name: &str| league.ranking.iter().find(|one| one.entry.name == name).unwrap().highest_scale;
    assert_eq!((scale("b"), scale("c"), league.head.blocks), (Some(2.5), None, 1));
}

#[test]
fn an_image_that_a_registry_gave_under_the_same_tag_and_is_another_one_later_is_told() {
    let plan = plan(2, 2);
    let mut all = driven(&plan, |_| None, |block| rounds_of(|_| 10.0, block));
    let seen = |name: &str, image: String| ServiceSeen {
        name: name.to_owned(),
        cpus: None,
        memory_bytes: None,
        image: Some(image),
        usage: Default::default(),
    };
    for (number, fight) in all.iter_mut().flatten().enumerate() {
        for round in fight.rounds.iter_mut().filter(|round| round.contender.starts_with('a')) {
            let [moved, built] = [format!("db@sha256:{}", number / 3), format!("sha256:{number}")];
            round.services =
                vec![seen("db", moved), seen("api", built), seen("lb", "lb@sha256:1".to_owned())];
        }
    }
    let league = judged(&plan, &all);
    let moved = |name: &str| &league.ranking.iter().find(|one| one.entry.name == name).unwrap().moved;
    assert_eq!((moved("a").as_slice(), moved("b").len()), (["db".to_owned()].as_slice(), 0));
}

#[test]
fn children_of_a_step_may_be_over_in_any_order_and_none_of_the_next_is_due_before_all_are() {
    let plan = plan(14, 4);
    let rounds = |block: &Block| rounds_of(|entry| 10.0 + entry as f64, block);
    let all = driven(&plan, |_| None, rounds);
    let in_order = judged(&plan, &all);
    let mut heard = children(&all);
    heard.reverse();
    assert_eq!(JudgedLeague::judge(header(), &plan, String::new(), &heard), in_order);
    // Children 1 to 14 are the checks, 15 and 16 the blocks of the first pass.
    let without = |left: &[u32], most: u32| -> Vec<u32> {
        let heard: Vec<_> = heard
            .iter()
            .filter(|child| child.number <= most && !left.contains(&child.number))
            .copied()
            .collect();
        due(&plan, &heard).iter().map(|(number, _)| *number).collect()
    };
    assert_eq!(without(&[3, 9], 14), [3, 9]);
    assert_eq!(without(&[], 14), [15, 16]);
    assert_eq!(without(&[15], 16), [15]);
    assert_eq!(without(&[3, 15], 16), [3]);
}

/// Contenders `a` and `b` at each value of a knob.
fn swept(values: &[&str], contenders: usize, passes: u32) -> LeaguePlan {
    let base = plan(contenders, passes);
    let at = |value: &&str| {
        let turn = Turn { knob: "pool".to_owned(), value: (*value).to_owned() };
        let entries = base.entries.clone().into_iter();
        entries
            .map(move |entry| Contender {
                name: format!("{} {turn}", entry.name),
                setting: Some(Setting { of: entry.name, turns: vec![turn.clone()], ..Setting::default() }),
                ..entry
            })
            .collect::<Vec<_>>()
    };
    LeaguePlan {
        knobs: vec![Knob::parse(&format!("pool={}", values.join(","))).unwrap()],
        entries: values.iter().flat_map(at).collect(),
        ..base
    }
}

fn judged_sweep(plan: &LeaguePlan, all: &[Result<JudgedFight, String>]) -> JudgedSweep {
    JudgedSweep::judge(header(), plan, String::new(), &children(all))
}

#[test]
fn contenders_at_one_setting_are_always_in_one_block_and_compared_there_alone() {
    let plan = swept(&["1", "5", "25", "100"], 2, 4);
    // `b` is twice as fast where the pool is 25, and as fast as `a` elsewhere.
    let ms = |entry: usize| if entry == 5 { 10.0 } else { 20.0 };
    let mut checked = Vec::new();
    let check = |entry| {
        checked.push(entry);
        None
    };
    let all = driven(&plan, check, |block| {
        for cell in 0..4 {
            let members = block.entries.iter().filter(|entry| *entry / 2 == cell).count();
            assert!([0, 2].contains(&members), "{block:?}");
        }
        rounds_of(ms, block)
    });
    let sweep = judged_sweep(&plan, &all);
    assert_eq!(sweep.contenders, ["a", "b"]);
    let places: Vec<Vec<Option<[usize; 2]>>> =
        sweep.cells.iter().map(|cell| cell.contenders.iter().map(|at| at.places).collect()).collect();
    let open = vec![Some([1, 2]); 2];
    assert_eq!(places, [open.clone(), open.clone(), vec![Some([2, 2]), Some([1, 1])], open]);
    assert_eq!(sweep.cells[2].values, ["25"]);
    assert_eq!(checked, [0, 1], "each contender is checked at its first setting alone");
}

#[test]
fn settings_of_one_contender_are_compared_with_each_other() {
    let plan = swept(&["1", "5", "25"], 1, 4);
    let all = driven(&plan, |_| None, |block| rounds_of(|entry| [40.0, 10.0, 20.0][entry], block));
    let sweep = judged_sweep(&plan, &all);
    let places: Vec<_> = sweep.cells.iter().map(|cell| cell.contenders[0].places).collect();
    assert_eq!(places, [Some([3, 3]), Some([1, 1]), Some([2, 2])]);
    assert!(sweep.cells.iter().all(|cell| cell.contenders[0].among == 3));
}

#[test]
fn a_setting_at_which_a_contender_does_not_start_is_out_and_the_others_go_on() {
    let plan = swept(&["0", "5"], 1, 3);
    let all = driven(
        &plan,
        |entry| (entry == 0).then_some("it needs a connection"),
        |block| {
            assert!(!block.entries.contains(&0));
            rounds_of(|_| 10.0, block)
        },
    );
    let sweep = judged_sweep(&plan, &all);
    let reason = "it needs a connection".to_owned();
    assert_eq!(sweep.cells[0].contenders[0].out, Some(Standing::NotReady { reason }));
    assert_eq!(sweep.cells[1].contenders[0].out, None);
}
