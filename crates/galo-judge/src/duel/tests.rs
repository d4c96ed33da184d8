use galo_record::HostFact;
use galo_record::duel::{AnswersRecord, LevelTerms, Slice};
use galo_record::finding::{LimitsLost, ServiceLeftItsGroup};
use galo_record::load::EngineRecord;
use galo_record::{LoadUsage, Percentiles, ServiceUsage};
use proptest::prelude::*;

use super::*;
use crate::assertion::Said;
use crate::findings::{GaloBusy, UnequalTerms};
use crate::json::pretty;
use crate::testing::Noise;

const LEVELS: [Level; 2] = [Level::Half, Level::Highest];

fn load(level: Level, latency_us: f64, work_us: f64) -> TurnLoad {
    let ok = if level == Level::Highest { (1e6 / work_us) as u64 } else { 1_000 };
    let cpu_ns = Some((ok as f64 * work_us * 1e3) as u64);
    TurnLoad {
        slices: Vec::new(),
        level,
        elapsed_ns: 1_000_000_000,
        ledger: Ledger { intended: ok, ok, ..Ledger::default() },
        latency: Percentiles {
            count: ok,
            p50: latency_us / 2.0,
            p99: latency_us,
            max: latency_us,
            ..Percentiles::default()
        },
        usage: Some(LoadUsage {
            services: vec![ServiceUsage { cpu_ns, ..ServiceUsage::default() }],
            anonymous_peak_bytes: Some(64 << 20),
            ..LoadUsage::default()
        }),
        engine: EngineRecord { lag_us_p99: 50.0, ..EngineRecord::default() },
        void: Vec::new(),
    }
}

/// What was seen of the side's only service.
pub(super) fn service(load: &mut TurnLoad) -> &mut ServiceUsage {
    &mut load.usage.as_mut().unwrap().services[0]
}

/// A duel of two sides whose second is so many times as slow, with noise of so much in the logarithm of each figure.
pub(super) fn duel(pairs: u32, pairs_per_start: u32, slower: f64, noise: f64, seed: u64) -> JudgedDuel {
    let mut random = Noise::seeded(seed);
    let level = |level| LevelTerms { level, length_ns: 1_000_000_000, injection: None, connections: 16 };
    let side = |name: &str| JudgedSide {
        name: name.to_owned(),
        commit: None,
        command: Some(name.to_owned()),
        url: "http://127.0.0.1:3000/".to_owned(),
        warm_up: Vec::new(),
        ledger: Ledger::default(),
        held_back: None,
    };
    let mut turns = Vec::new();
    for pair in 0..pairs {
        for (number, factor) in [1.0, slower].into_iter().enumerate() {
            let loads = LEVELS.map(|level| {
                let [latency, work] =
                    [2_000.0, 100.0].map(|us| us * factor * (noise * random.normal()).exp());
                load(level, latency, work)
            });
            let start = pair.checked_div(pairs_per_start).unwrap_or(0);
            turns.push(Turn { side: number, pair, start, loads: loads.to_vec() });
        }
    }
    JudgedDuel {
        header: RunHeader::default(),
        verdict: DuelVerdict::Mixed,
        sides: [side("a"), side("b")],
        request: "GET /".to_owned(),
        seed: "1".to_owned(),
        ratio_of: "b / a".to_owned(),
        compared: Vec::new(),
        sliced: None,
        levels: LEVELS.map(level).to_vec(),
        pairs,
        starts: 0,
        looks: 1,
        cpus_milli: Some(500),
        memory_bytes: None,
        cores: Some(2),
        detect_percent: None,
        limits_enforced: true,
        limits_note: None,
        walls_note: None,
        uncommitted_files: 0,
        answers: AnswersRecord { compared: 2_000, equal: 2_000, ..AnswersRecord::default() },
        ignored: Vec::new(),
        assertions: Vec::new(),
        end: RunEnd::Done,
        findings: Vec::new(),
        turns,
    }
}

/// galo waited for a core for a tenth of a load of a second.
pub(super) fn spoil(load: &mut TurnLoad) {
    load.engine.run_queue_ns = vec![load.elapsed_ns / 10];
}

/// The figures that decide and tell the two apart, with their ratios.
fn claims(judged: &JudgedDuel) -> String {
    let claims = judged.compared.iter().filter(|c| c.decides && c.differs()).map(|c| {
        let Ratios { ratio: Some(ratio), interval: Some([low, high]), difference, .. } = c.ratios else {
            panic!("no ratio of {:?}", c.measure);
        };
        format!("{:?} {difference:?} {ratio:.2} ({low:.2} to {high:.2})", c.measure)
    });
    claims.collect::<Vec<_>>().join("\n")
}

#[test]
fn the_faster_one_wins_with_figures_and_intervals() {
    let duel = duel(8, 2, 1.42, 0.02, 1);
    let judged = duel.clone().judged();
    assert_eq!(judged.verdict, DuelVerdict::Better { winner: 0 });
    insta::assert_snapshot!(claims(&judged), @r"
LatencyUsP99 Worse 1.44 (1.21 to 1.70)
AnswersPerS Worse 0.70 (0.67 to 0.74)
CpuMsPer1000 Worse 1.40 (1.34 to 1.46)
");
    let memory = judged.compared.iter().find(|c| c.measure == Measure::AnonymousPeakBytes).expect("compared");
    assert_eq!((memory.ratios.ratio, memory.decides), (Some(1.0), false));
}

#[test]
fn the_order_of_the_sides_changes_nothing_but_the_names() {
    let mut duel = duel(8, 2, 1.0 / 1.42, 0.02, 1);
    assert_eq!(duel.clone().judged().verdict, DuelVerdict::Better { winner: 1 });
    duel.turns.iter_mut().for_each(|turn| turn.side = 1 - turn.side);
    assert_eq!(duel.clone().judged().verdict, DuelVerdict::Better { winner: 0 });
}

#[test]
fn equal_ones_are_told_apart_in_at_most_one_of_twenty_simulated_duels() {
    let claimed = (0..1_000).filter(|&seed| {
        let judged = duel(8, 2, 1.0, 0.03, seed).judged();
        judged.verdict != DuelVerdict::NoDifference
    });
    assert!(claimed.count() <= 50);
}

/// Pairs of turns of a real duel between two servers of Node, 20 starts of each with other programs beside them: p99 and
/// CPU for each answer at half the rate, answers per second at the highest; of each the first side's, then the second's,
/// divided by the mean ratio of all.
const RECORDED: &str = include_str!("tests/recorded.csv");

/// A duel of equal ones with recorded noise: pairs drawn by the seed, and which side is which in each.
fn recorded_duel(pairs: &[[f64; 6]], seed: u64) -> JudgedDuel {
    let mut random = Noise::seeded(seed);
    let mut duel = duel(8, 2, 1.0, 0.0, seed);
    for turns in duel.turns.chunks_mut(2) {
        let pair = pairs[(random.even() * pairs.len() as f64) as usize];
        let swapped = usize::from(random.even() < 0.5);
        for turn in turns {
            let [p99_us, cpu_us, per_s] = [0, 2, 4].map(|figure| pair[figure + (turn.side ^ swapped)]);
            turn.loads = vec![load(Level::Half, p99_us, cpu_us), load(Level::Highest, p99_us, 1e6 / per_s)];
        }
    }
    duel
}

#[test]
fn equal_ones_are_told_apart_in_at_most_one_of_twenty_duels_with_recorded_noise() {
    let pair = |line: &str| {
        let figures: Vec<f64> = line.split(',').map(|figure| figure.parse().unwrap()).collect();
        <[f64; 6]>::try_from(figures).unwrap()
    };
    let pairs: Vec<[f64; 6]> = RECORDED.lines().skip(1).map(pair).collect();
    let claimed = (0..1_000)
        .filter(|&seed| recorded_duel(&pairs, seed).judged().verdict != DuelVerdict::NoDifference)
        .count();
    assert!(claimed <= 50, "{claimed}");
}

#[test]
fn three_percent_are_found_in_most_duels_of_many_starts_and_the_luck_of_one_start_is_not_called_a_difference()
{
    let found = (0..50)
        .filter(|&seed| duel(40, 4, 1.03, 0.02, seed).judged().verdict == DuelVerdict::Better { winner: 0 });
    assert!(found.count() >= 45);
    for (slower, is_claimed) in [(1.01, false), (1.05, false), (1.5, true)] {
        let is_better = duel(12, 0, slower, 0.000_1, 1).judged().verdict == DuelVerdict::Better { winner: 0 };
        assert_eq!(is_better, is_claimed, "{slower}");
    }
}

/// A duel of starts that each have a luck of their own, cut off after so many pairs; driven in slices, as noisy as pairs are.
fn lucky(looks: u32, slower: f64, luck: [f64; 2], seed: u64) -> JudgedDuel {
    const SLICES: usize = 10;
    let mut random = Noise::seeded(seed);
    let mut duel = duel(24, 2, slower, 0.02, seed);
    for turn in duel.turns.iter_mut().filter(|turn| turn.side == 1) {
        let mut of_start = Noise::seeded(seed * 1_000 + u64::from(turn.start));
        let [latency, work] = luck.map(|luck| (luck * of_start.normal()).exp());
        for load in &mut turn.loads {
            load.latency.p99 *= latency;
            let cpu_ns = service(load).cpu_ns.unwrap() as f64 * work / SLICES as f64;
            let ok = load.ledger.ok / SLICES as u64;
            let mut slice = || {
                // Its mean is 1.
                let noise = |random: &mut Noise| (0.1 * random.normal() - 0.005).exp();
                let (cpu_ns, elapsed_ns) = (cpu_ns * noise(&mut random), 1e8 * work * noise(&mut random));
                Slice { cpu_ns: Some(cpu_ns as u64), elapsed_ns: elapsed_ns as u64, ok, under_way: 0 }
            };
            load.slices = (0..SLICES).map(|_| slice()).collect();
        }
    }
    for turn in duel.turns.iter_mut().filter(|turn| turn.side == 0) {
        for load in &mut turn.loads {
            let (cpu_ns, ok) = (service(load).cpu_ns.unwrap(), load.ledger.ok);
            let slices = SLICES as u64;
            let slice = Slice {
                cpu_ns: Some(cpu_ns / slices),
                elapsed_ns: 100_000_000,
                ok: ok / slices,
                under_way: 0,
            };
            load.slices = vec![slice; SLICES];
        }
    }
    JudgedDuel { looks, ..duel }
}

#[test]
fn who_needs_long_after_its_slices_was_asked_for_less_than_the_rate() {
    let sliced = |drained_ns| Sliced { arrivals_ns: 1_000, drained_ns, ..Sliced::default() };
    assert_eq!(sliced([99, 0]).drained(), []);
    assert_eq!(sliced([0, 270]).drained(), [(1, 0.27)]);
    assert_eq!(sliced([400, 270]).drained(), [(0, 0.4), (1, 0.27)]);
    assert_eq!(Sliced::default().drained(), []);
}

#[test]
fn what_comes_in_bursts_counts_in_full() {
    let mut duel = lucky(1, 1.0, [0.0, 0.0], 1);
    for turn in &mut duel.turns {
        let is_bursty = turn.side == 1;
        for load in &mut turn.loads {
            for (number, slice) in load.slices.iter_mut().enumerate() {
                // Once in ten slices six times as much as else, and the same in all.
                let factor = [1.0, if number == 3 { 4.0 } else { 2.0 / 3.0 }][usize::from(is_bursty)];
                let [cpu_ns, elapsed_ns] = [1e7, 1e8].map(|ns| (ns * factor) as u64);
                *slice = Slice { cpu_ns: Some(cpu_ns), elapsed_ns, ok: 100, under_way: 0 };
            }
        }
    }
    let judged = duel.judged();
    assert_eq!(judged.verdict, DuelVerdict::NoDifference);
    for measure in [Measure::CpuMsPer1000, Measure::AnswersPerS] {
        let compared = judged.compared.iter().find(|c| c.measure == measure).expect("compared");
        assert!((compared.ratios.ratio.unwrap() - 1.0).abs() < 1e-3, "{compared:?}");
    }
}

/// The number of pairs after which a duel that is looked at every four pairs is settled, and what it says then.
fn settled(duel: &JudgedDuel) -> (usize, DuelVerdict) {
    let settles = |&pairs: &usize| {
        let starts = Starts::of(&duel.turns[..2 * pairs], &duel.levels, duel.looks, None);
        is_settled(&starts.compare_all(&duel.levels), &[])
    };
    let pairs = (4..=24).step_by(4).find(settles).unwrap_or(24);
    let turns = duel.turns[..2 * pairs].to_vec();
    (pairs, JudgedDuel { turns, ..duel.clone() }.judged().verdict)
}

#[test]
fn equal_ones_are_told_apart_in_at_most_one_of_twenty_duels_over_all_looks_whatever_the_luck_of_starts() {
    // The last one is twice what is taken for granted of starts: a bound that the docs admit.
    let cases = [([0.0, 0.0], 0.05), ([0.1, 0.01], 0.05), ([0.2, 0.025], 0.05), ([0.3, 0.05], 0.20)];
    for (luck, most) in cases {
        let verdicts = (0..150).map(|seed| settled(&lucky(6, 1.0, luck, seed)).1);
        let claimed =
            verdicts.filter(|verdict| matches!(verdict, DuelVerdict::Better { .. } | DuelVerdict::Mixed));
        let share = claimed.count() as f64 / 150.0;
        assert!(share <= most, "{luck:?}: {share}");
    }
}

#[test]
fn a_large_difference_is_settled_early_and_a_small_one_later() {
    let found = |slower| {
        let mut pairs: Vec<usize> = (0..20)
            .filter_map(|seed| match settled(&lucky(6, slower, [0.05, 0.01], seed)) {
                (pairs, DuelVerdict::Better { winner: 0 }) => Some(pairs),
                _ => None,
            })
            .collect();
        pairs.sort_unstable();
        (pairs.len(), pairs[pairs.len() / 2])
    };
    let ((large, early), (small, late)) = (found(1.2), found(1.04));
    assert!(large == 20 && early <= 8, "{large} after {early}");
    assert!(small >= 16 && late > early, "{small} after {late}");
}

#[test]
fn without_a_difference_it_says_how_many_pairs_would_settle_it() {
    let judged = duel(8, 2, 1.0, 0.1, 3).judged();
    assert_eq!(judged.verdict, DuelVerdict::NoDifference);
    let bound =
        |name| format!("{name} ratio<2").parse::<crate::assertion::RatioAssertion>().unwrap().measure();
    let can_be_bounded = ["p99", "p50", "rate", "cpu", "memory"].map(bound);
    assert!(judged.compared.iter().all(|compared| can_be_bounded.contains(&compared.measure)));
    let primary = &judged.compared[0];
    let told = primary.ratios.sensitivity.expect("told");
    assert_eq!((primary.measure, primary.ratios.pairs, told.detect_percent), (Measure::LatencyUsP99, 8, 5.0));
    assert!(told.pairs_needed > Some(8) && told.smallest_ratio > Some(1.05), "{told:?}");
    let enough = duel(told.pairs_needed.unwrap() as u32, 2, 1.0, 0.1, 4).judged();
    assert!(enough.compared[0].ratios.sensitivity.unwrap().smallest_ratio < Some(1.06));
}

#[test]
fn who_fails_or_answers_otherwise_does_not_win() {
    let mut failing = duel(8, 2, 1.42, 0.02, 1);
    for turn in failing.turns.iter_mut().filter(|turn| turn.side == 0) {
        let ledger = &mut turn.loads[0].ledger;
        (ledger.ok, ledger.failed) = (ledger.ok - 20, 20);
    }
    assert_eq!(failing.clone().judged().verdict, DuelVerdict::Fails { sides: vec![0] });
    let mut other = duel(8, 2, 1.42, 0.02, 1);
    other.answers.other_status = 1;
    assert_eq!(other.clone().judged().verdict, DuelVerdict::DifferentStatuses);
    for without_ground in [failing, other] {
        let asked =
            JudgedDuel { assertions: vec![RatioOutcome::unreadable("p99 ratio < 99")], ..without_ground };
        let bound = asked.clone().judged().assertions.swap_remove(0);
        assert_eq!(
            (bound.said, bound.fails()),
            (Said::NothingToCompare, true),
            "failing fast meets no bound"
        );
    }
}

#[test]
fn where_a_difference_of_more_than_100_percent_is_possible_nothing_is_known() {
    let verdict = |noise| duel(8, 2, 1.0, noise, 3).judged().verdict;
    assert_eq!(verdict(0.1), DuelVerdict::NoDifference);
    assert_eq!(verdict(3.0), DuelVerdict::Inconclusive);
}

#[test]
fn spoiled_loads_do_not_count_and_too_many_of_them_make_it_void() {
    let mut some = duel(8, 2, 1.42, 0.02, 1);
    spoil(&mut some.turns[3].loads[0]);
    let judged = some.clone().judged();
    assert_eq!(judged.compared[0].ratios.pairs, 7);
    let mut most = some;
    most.turns.iter_mut().skip(4).for_each(|turn| spoil(&mut turn.loads[0]));
    let reason = Some(GaloBusy::Waited { share: 0.1, bound: 0.05 }.into());
    assert_eq!(most.clone().judged().verdict, DuelVerdict::Void { reason, side: None });
    let mut closed_loops = duel(8, 2, 1.42, 0.02, 1);
    for turn in closed_loops.turns.iter_mut().skip(4) {
        spoil(&mut turn.loads[1]);
    }
    let judged = closed_loops.clone().judged();
    let pairs: Vec<usize> = judged.compared.iter().map(|c| c.ratios.pairs).collect();
    assert_eq!((pairs, judged.verdict), (vec![8, 8, 2, 8, 8], DuelVerdict::Better { winner: 0 }));
}

#[test]
fn what_was_broken_off_says_how_much_is_missing() {
    let mut short = duel(3, 0, 2.0, 0.01, 1);
    short.end = RunEnd::Interrupted;
    assert_eq!(short.clone().judged().verdict, DuelVerdict::TooFewPairs { pairs: 3, needed: 7 });
    short.turns.clear();
    assert_eq!(short.clone().judged().verdict, DuelVerdict::TooFewPairs { pairs: 0, needed: 7 });
}

#[test]
fn a_side_may_be_faster_and_still_cost_more() {
    let mut mixed = duel(8, 2, 1.42, 0.01, 1);
    for turn in mixed.turns.iter_mut().filter(|turn| turn.side == 0) {
        let used = service(&mut turn.loads[0]);
        used.cpu_ns = used.cpu_ns.map(|ns| ns * 3);
    }
    let judged = mixed.clone().judged();
    assert_eq!(judged.verdict, DuelVerdict::Mixed);
    insta::assert_snapshot!(claims(&judged), @r"
LatencyUsP99 Worse 1.43 (1.20 to 1.69)
AnswersPerS Worse 0.70 (0.68 to 0.73)
CpuMsPer1000 Better 0.47 (0.45 to 0.49)
");
}

#[test]
fn a_bound_fails_only_where_the_whole_interval_is_beyond_it() {
    let outcome = |duel: &JudgedDuel, text: &str| {
        let asked = JudgedDuel { assertions: vec![RatioOutcome::unreadable(text)], ..duel.clone() };
        asked.clone().judged().assertions.swap_remove(0)
    };
    let slower = duel(8, 2, 1.42, 0.02, 1);
    assert!(!outcome(&slower, "p99 ratio < 1.05").met);
    assert!(outcome(&slower, "p99 ratio<1.5").met && !outcome(&slower, "rate ratio > 0.95").met);
    let told = outcome(&slower, "p99 ratio < 1.05");
    assert_eq!((told.assertion.as_str(), told.said), ("p99 ratio < 1.05", Said::DoesNotHold));
    assert_eq!(told.ratio.map(|ratio| format!("{ratio:.3}")).as_deref(), Some("1.435"));
    assert_eq!(
        told.interval.map(|ends| ends.map(|end| format!("{end:.3}"))),
        Some(["1.210", "1.702"].map(str::to_owned))
    );
    let noisy = duel(8, 2, 1.06, 0.2, 5);
    assert!(outcome(&noisy, "p99 ratio < 1.05").met, "nobody can say that of so much noise");
    let none = JudgedDuel { turns: Vec::new(), ..slower };
    let told = outcome(&none, "cpu ratio < 2");
    assert_eq!(
        (told.met, told.said, told.fails()),
        (false, Said::NotMeasured, false),
        "no job is red for that"
    );
}

#[test]
fn a_bound_is_no_surer_than_the_luck_of_starts() {
    // Sure to be 5 % slower, which one start of each cannot tell from luck.
    let mut one_start = duel(12, 0, 1.05, 0.000_1, 1);
    one_start.assertions = vec![RatioOutcome::unreadable("p99 ratio < 1.005")];
    let judged = one_start.clone().judged();
    assert_eq!((judged.verdict, judged.assertions[0].said), (DuelVerdict::NoDifference, Said::MayHold));
    let mut many_starts = duel(80, 2, 1.05, 0.000_1, 1);
    many_starts.assertions = one_start.assertions;
    assert_eq!(many_starts.clone().judged().assertions[0].said, Said::DoesNotHold);
}

#[test]
fn a_side_without_a_right_answer_in_a_load_cannot_win() {
    let mut duel = duel(8, 2, 1.0 / 1.42, 0.02, 1);
    assert_eq!(duel.clone().judged().verdict, DuelVerdict::Better { winner: 1 });
    let ledger = &mut duel.turns.iter_mut().rfind(|turn| turn.side == 1).unwrap().loads[1].ledger;
    (ledger.failed, ledger.ok) = (ledger.ok, 0);
    assert_eq!(duel.judged().verdict, DuelVerdict::Fails { sides: vec![1] });
}

#[test]
fn pairs_too_few_for_a_winner_decide_no_bound() {
    let mut few = duel(4, 2, 1.42, 0.001, 1);
    few.assertions = vec![RatioOutcome::unreadable("cpu ratio < 1.05")];
    let judged = few.judged();
    assert!(matches!(judged.verdict, DuelVerdict::TooFewPairs { .. }), "{:?}", judged.verdict);
    assert_eq!((judged.assertions[0].said, judged.assertions[0].fails()), (Said::MayHold, false));
    assert!(!is_settled(&judged.compared, &["cpu ratio < 1.05".to_owned()]));
}

/// What came of a duel that the first side wins, with these findings of the host.
fn with(findings: &[(usize, HostFact)]) -> DuelVerdict {
    let mut duel = duel(8, 2, 1.42, 0.02, 1);
    let found = |(side, finding): &(usize, HostFact)| SideFinding {
        side: *side,
        pair: None,
        finding: finding.into(),
    };
    duel.findings = findings.iter().map(found).collect();
    duel.clone().judged().verdict
}

#[test]
fn a_side_that_left_its_group_is_disqualified_and_nobody_wins() {
    let left = HostFact::ServiceLeftItsGroup(ServiceLeftItsGroup {
        service: "command".to_owned(),
        pid: 7,
        command: "sh".to_owned(),
        groups: Vec::new(),
    });
    let rules = vec!["service-left-its-group".to_owned()];
    for side in [0, 1] {
        let found = [(side, left.clone()), (side, left.clone())];
        assert_eq!(with(&found), DuelVerdict::Disqualified { sides: vec![side], rules: rules.clone() });
    }
    let both = [(1, left.clone()), (0, left)];
    assert_eq!(with(&both), DuelVerdict::Disqualified { sides: vec![0, 1], rules });
}

#[test]
fn a_duel_in_which_a_side_lost_its_limits_is_void() {
    let lost = HostFact::LimitsLost(LimitsLost {
        service: "command".to_owned(),
        written: vec!["cpu.max".to_owned()],
        difference: None,
    });
    let reason = Some(UnequalTerms::Found { found: lost.clone() }.into());
    assert_eq!(with(&[(1, lost)]), DuelVerdict::Void { reason, side: Some(1) });
}

/// What came of a duel whose second side used so much CPU in each load of a second, watched for 1.1 s, by its number.
fn using(cpu_s: impl Fn(usize) -> f64) -> DuelVerdict {
    let mut duel = duel(8, 2, 1.42, 0.02, 1);
    let turns = duel.turns.iter_mut().filter(|turn| turn.side == 1);
    for (number, load) in turns.flat_map(|turn| &mut turn.loads).enumerate() {
        service(load).cpu_ns = Some((cpu_s(number) * 1e9) as u64);
        load.usage.as_mut().unwrap().watched_ns = 1_100_000_000;
    }
    duel.clone().judged().verdict
}

#[test]
fn a_side_that_used_more_than_its_quota_for_a_second_makes_a_duel_void() {
    // 0.5 CPU allow 0.6275 s here: 1.05 of the limit, and a period's quota more.
    assert!(matches!(using(|_| 0.6), DuelVerdict::Better { .. }));
    let DuelVerdict::Void { reason: Some(reason), side: Some(1) } =
        using(|n| if n == 3 { 0.9 } else { 0.55 })
    else {
        panic!("not void");
    };
    let json = serde_json::to_string(&reason).unwrap();
    insta::assert_snapshot!(json, @r#"{"kind":"unequal-terms","by":"over-quota","service":"b","over_s":0.2725,"limit_cpus":0.5,"factor":1.05}"#);
}

#[test]
fn a_side_is_warm_when_it_first_comes_near_the_rate_that_it_reached_last() {
    let side = |rates: &[f64]| JudgedSide {
        name: "a".to_owned(),
        commit: None,
        command: None,
        url: String::new(),
        warm_up: rates.iter().map(|&ok_per_s| WarmUp { elapsed_ns: 500_000_000, ok_per_s }).collect(),
        ledger: Ledger::default(),
        held_back: None,
    };
    let slow = side(&[500.0, 700.0, 950.0, 800.0, 1_000.0]);
    assert_eq!((slow.reached_per_s(), slow.warm_after_ns()), (Some(1_000.0), Some(1_000_000_000)));
    assert_eq!(side(&[950.0, 1_000.0]).warm_after_ns(), None);
    assert_eq!((side(&[]).reached_per_s(), side(&[]).warm_after_ns()), (None, None));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn a_judged_duel_reads_back_as_it_was_written_and_judging_it_again_changes_nothing(
        pairs in 0_u32..12, slower in 0.5_f64..2.0, noise in 0.0_f64..0.5, seed: u64, spoiled in 0_usize..24,
    ) {
        let mut duel = duel(pairs, 4, slower, noise, seed);
        duel.assertions = vec![RatioOutcome::unreadable("p99 ratio < 1.05"), RatioOutcome::unreadable("p99")];
        duel.turns.iter_mut().skip(spoiled).take(1).for_each(|turn| spoil(&mut turn.loads[1]));
        let judged = duel.judged();
        prop_assert_eq!(&judged.clone().judged(), &judged);
        let written = pretty(&judged);
        let read: JudgedDuel = serde_json::from_str(&written).unwrap();
        prop_assert_eq!(pretty(&read), written);
    }
}
