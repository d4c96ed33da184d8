use galo_plan::Kind;
use galo_record::act::{Act, LoadTerms, Reading, UnitTerms};
use galo_record::round::CountReading;
use galo_record::{OperationResult, RunEnd};

use super::*;
use crate::bottleneck::Bottleneck;
use crate::capacity::Limit;
use crate::findings::{GaloLate, JudgeFailed, VoidReason};
use crate::testing::*;

/// A search whose holds are as long as the clean round, under a criterion that it meets.
fn terms(criterion: &str) -> LimitTerms {
    LimitTerms {
        criterion: criterion.to_owned(),
        search: SearchTerms::new(1_000, 100_000, 1.1),
        hold_ns: END_NS - START_NS,
        confirm_ns: END_NS - START_NS,
        preloads: true,
        at_least_milli: None,
    }
}

const MET: &str = "p99<30s";

/// The acts of a hold in which the count grew from 1,000 to `after`.
fn acts(plan: &Plan, round: &RoundBuilder, after: Option<u64>) -> Vec<Acted> {
    let load = Loaded {
        load: round.0.record.load.clone(),
        findings: round.0.record.findings.clone(),
        creations: Creations::from_history(&plan.challenge, &round.0.history),
        ..Loaded::default()
    };
    let count = |people: Option<u64>| {
        let text = people.map_or_else(|| "many".to_owned(), |people| people.to_string());
        let act = Act::Count { path: "/".to_owned(), reading: Reading::Once };
        (act, Outcome::Counted(vec![CountReading::new(1, 200, text)]))
    };
    let kind = UnitKind::Hold { scale_milli: 2_000, confirms: false };
    let traffic = Workload::Hold { scale_milli: 2_000, length_ns: END_NS - START_NS };
    let acts = vec![
        (Act::Begin(UnitTerms { number: 1, kind }), Outcome::Done),
        count(Some(1_000)),
        (Act::Load(LoadTerms { contender: 0, traffic, kill: None }), Outcome::Loaded(Box::new(load))),
        count(after),
        (Act::Close, Outcome::Done),
    ];
    let acted = |(number, (act, outcome))| Acted { number, began_ns: 0, ended_ns: 0, act, outcome };
    (0..).zip(acts).map(acted).collect()
}

/// The judgement of a hold of the clean round's length, in which the count grew from 1,000 to `after`.
fn judged(round: &RoundBuilder, criterion: &str, after: Option<u64>) -> Hold {
    judged_by(round, criterion, after, judge)
}

fn judged_by(
    round: &RoundBuilder,
    criterion: &str,
    after: Option<u64>,
    judge: impl Fn(&Held<'_>) -> Hold,
) -> Hold {
    let plan = Plan { kind: Kind::Limit(terms(criterion)), ..plan() };
    let acts = acts(&plan, round, after);
    let unit = galo_record::act::units(&acts).unwrap()[0];
    guarded(&plan, unit, &round.0, judge).unwrap()
}

fn reasons(round: &RoundBuilder, criterion: &str, after: Option<u64>) -> (bool, bool, Vec<NotMet>) {
    let HoldOutcome { met, valid, reasons, .. } = judged(round, criterion, after).outcome;
    (met, valid, reasons)
}

#[test]
fn a_judge_that_crashes_says_that_the_hold_says_nothing() {
    let hold = judged_by(&RoundBuilder::clean(), MET, Some(1_110), |_| panic!("a bug"));
    assert_eq!((hold.outcome.met, hold.outcome.valid, hold.length_ns), (false, false, END_NS - START_NS));
    let said = Some("a bug".to_owned());
    assert_eq!(hold.outcome.reasons, [NotMet::Void(JudgeFailed { said }.into())]);
}

#[test]
fn a_hold_in_which_all_is_well_is_met_and_its_figures_leave_probes_out() {
    let hold = judged(&RoundBuilder::clean(), MET, Some(1_110));
    assert_eq!((hold.outcome.met, hold.outcome.valid, hold.outcome.reasons.len()), (true, true, 0));
    assert_eq!((hold.ledger.intended, hold.probe_ledger.intended, hold.latency.count), (250, 20, 250));
    assert_eq!((hold.acknowledged, hold.unknown), (110, 0));
    assert_eq!(hold.rates[0].scenario, "create and read");
    assert!((hold.latency.p99 - 10_000.0).abs() < 20.0, "{:?}", hold.latency);
}

#[test]
fn a_service_level_that_was_not_met_decides() {
    let (met, valid, reasons) = reasons(&RoundBuilder::clean(), "p99<5ms,errors==0", Some(1_110));
    let [NotMet::Broken(outcome)] = reasons[..] else { panic!("{reasons:?}") };
    assert_eq!((met, valid, outcome.assertion.to_string()), (false, true, "p99 < 5 ms".to_owned()));
}

#[test]
fn what_held_it_back_is_told_of_a_hold_that_was_not_met() {
    let mut round = RoundBuilder::clean();
    // Three seconds from the first on; the first sample is from a second before the load.
    for (number, sample) in round.0.samples.iter_mut().enumerate() {
        let number = number as u64;
        let throttled = number.clamp(20, 50) - 20;
        (sample.services[1].periods, sample.services[1].throttled_periods) = (number, throttled);
    }
    for operation in round.0.history.iter_mut().filter(|operation| operation.intended_ns > 1_000_000_000) {
        operation.done_ns += 1_000_000_000;
    }
    let causes = |round: &RoundBuilder, criterion: &str| -> Vec<String> {
        let hold = judged(round, criterion, Some(1_110));
        hold.causes.iter().map(|cause| cause.name().to_owned()).collect()
    };
    let broken = "p99<5ms";
    assert_eq!(causes(&round, broken), ["cpu-limit"]);
    assert_eq!(causes(&round, MET), [""; 0], "it was met");
    round.0.record.load.engine.lag_us_p99 = 900_000.0;
    assert_eq!(causes(&round, broken), [""; 0], "it says nothing");
}

#[test]
fn a_count_that_is_not_what_was_acknowledged_fails_the_hold() {
    let mut round = RoundBuilder::clean();
    let told = |round: &RoundBuilder, after| reasons(round, MET, after).2;
    let grown = |grown| NotMet::CountGrew { grown, acknowledged: 110, unknown: 0 };
    assert_eq!(told(&round, Some(1_109)), [grown(109)]);
    assert_eq!(told(&round, Some(1_111)), [grown(111)]);
    assert_eq!(told(&round, Some(999)), [NotMet::CountFell { before: 1_000, after: 999 }]);
    assert_eq!(told(&round, None), [NotMet::NoCount]);
    round.operations(CREATE, 2, OperationResult::TimedOut);
    for (after, met) in [(1_109, false), (1_110, true), (1_112, true), (1_113, false)] {
        assert_eq!(reasons(&round, MET, Some(after)).0, met, "{after}");
    }
}

#[test]
fn a_service_that_died_fails_the_hold() {
    let mut round = RoundBuilder::clean();
    round.0.record.findings.push(died("api"));
    assert_eq!(reasons(&round, MET, Some(1_110)), (false, true, vec![NotMet::Host(died("api"))]));
}

#[test]
fn galos_lateness_spoils_only_what_was_not_met() {
    let mut round = RoundBuilder::clean();
    round.0.record.load.engine.lag_us_p99 = 50_000.0;
    assert_eq!(reasons(&round, MET, Some(1_110)), (true, true, Vec::new()));
    let (met, valid, told) = reasons(&round, "p99<5ms", Some(1_110));
    let late = VoidReason::from(GaloLate { percentile: 99, lag_us: 50_000.0, bound_us: 5_000.0 });
    assert_eq!((met, valid, told), (false, false, vec![NotMet::Void(late)]));
}

#[test]
fn galos_lateness_is_nothing_beside_answers_that_take_far_longer() {
    let mut round = RoundBuilder::clean();
    round.0.record.load.engine.lag_us_p99 = 50_000.0;
    round.operations_of_ms(READ, 300, OperationResult::Ok, 700);
    let (met, valid, told) = reasons(&round, "p99<100ms", Some(1_110));
    assert!(!met && valid && matches!(told[..], [NotMet::Broken(_)]), "{told:?}");
}

#[test]
fn what_galo_could_not_try_is_never_met() {
    let mut round = RoundBuilder::clean();
    round.0.record.load.engine.own_errors = [("no free local port".to_owned(), 1)].into();
    let (met, valid, told) = reasons(&round, MET, Some(1_110));
    assert!(
        !met && !valid && matches!(told[..], [NotMet::Void(VoidReason::GaloCouldNotSend(_))]),
        "{told:?}"
    );
}

#[test]
fn a_queue_that_grows_is_not_met_whatever_the_service_level_says() {
    let mut round = RoundBuilder::clean();
    // The clean round lasts 20 s; here 100 fall due in each, and half of them are answered.
    let second = || galo_record::SecondLatencies { intended: 100, wrong: 50, ..Default::default() };
    round.0.latencies[0].seconds = std::iter::repeat_with(second).take(20).collect();
    let (met, valid, told) = reasons(&round, MET, Some(1_110));
    assert!(!met && valid && matches!(told[..], [NotMet::QueueGrew { .. }]), "{told:?}");
}

#[test]
fn the_service_that_used_most_of_its_cpu_is_named() {
    let mut round = RoundBuilder::clean();
    // `db` may use one CPU: 98 ms in each 100 ms.
    for (number, sample) in round.0.samples.iter_mut().enumerate() {
        sample.services[1].cpu_ns = 1 + 98_000_000 * number as u64;
        (sample.services[1].periods, sample.services[1].throttled_periods) =
            (number as u64, number as u64 / 2);
    }
    let hold = judged(&round, MET, Some(1_110));
    let HeldUp::Service { service, by, usage } = held_up_by(&hold) else { panic!("a service was short") };
    assert_eq!((service.as_str(), by, usage.limit_share()), ("db", Bottleneck::CpuLimit, Some(0.98)));
    // Nobody saw threads, so it is not known whether they waited.
    assert_eq!(held_up_by(&judged(&RoundBuilder::clean(), MET, Some(1_110))), HeldUp::Unknown);
}

#[test]
fn a_service_that_ran_out_of_memory_is_named_first() {
    let mut round = RoundBuilder::clean();
    for (number, sample) in round.0.samples.iter_mut().enumerate() {
        sample.services[1].cpu_ns = 1 + 98_000_000 * number as u64;
        sample.services[0].anonymous_bytes = 256 << 20;
        sample.services[0].oom_kills = u64::from(number > 20);
    }
    let HeldUp::Service { service, by, .. } = held_up_by(&judged(&round, MET, Some(1_110))) else {
        panic!("a service was short")
    };
    assert_eq!((service.as_str(), by), ("api", Bottleneck::OutOfMemory));
}

#[test]
fn what_gives_way_to_everybody_is_none_of_the_cpu_that_others_used() {
    let others = |niced_share: u64| {
        let mut round = RoundBuilder::clean();
        for sample in &mut round.0.samples {
            sample.galo_cpu_ns = 1 + sample.at_ns / 10;
            sample.host.busy_ns = sample.at_ns * 3 / 2;
            sample.host.niced_ns = sample.at_ns * niced_share / 10;
        }
        judged(&round, MET, Some(1_110)).services[1].usage.as_ref().and_then(|usage| usage.other_cpus)
    };
    let (all, without) = (others(0).unwrap(), others(10).unwrap());
    assert!((all - without - 1.0).abs() < 0.01, "{all} {without}");
}

/// What holds of a contender say that holds up to `capacity`.
fn driven(capacity_milli: u64) -> Vec<Hold> {
    let mut holds: Vec<Hold> = Vec::new();
    let clean = judged(&RoundBuilder::clean(), MET, Some(1_110));
    while let Some(asked) = search(&terms(MET).search, &holds).next() {
        let met = asked.rate_milli <= capacity_milli;
        let outcome = HoldOutcome { met, ..clean.outcome.clone() };
        holds.push(Hold { scale_milli: asked.rate_milli, outcome, ..clean.clone() });
    }
    holds
}

#[test]
fn the_same_holds_say_the_same_again_and_few_are_needed() {
    let holds = driven(11_700);
    let Capacity::Highest { rate_milli, low_milli, high_milli, held, limit, trials } =
        capacity(&terms(MET).search, &holds)
    else {
        panic!("nothing was found");
    };
    assert!(held && limit == Limit::Criterion && trials <= 14, "{trials}");
    assert!((10_600..=11_700).contains(&rate_milli), "{rate_milli}");
    assert!(
        low_milli <= 11_700 && high_milli.is_some_and(|high| high > 11_700),
        "{low_milli} {high_milli:?}"
    );
    let not_met = lowest_not_met(&holds, rate_milli).unwrap().scale_milli;
    assert!(not_met > 11_700 && not_met <= rate_milli * 11 / 10 + 1, "{not_met}");
}

#[test]
fn a_search_is_over_when_nothing_more_is_asked_and_else_it_was_broken_off() {
    let plan = Plan { kind: Kind::Limit(terms(MET)), ..plan() };
    let header = galo_record::RunHeader {
        format: 0,
        galo: String::new(),
        command: Vec::new(),
        started: String::new(),
        machine: galo_record::Machine::default(),
    };
    let end = |acts: &[Acted], holds: &[Hold]| {
        JudgedLimit::of_acts(&plan, &header, acts, holds.to_vec()).unwrap().end
    };
    let holds = driven(11_700);
    assert_eq!(end(&[], &holds), RunEnd::Done);
    assert_eq!(end(&[], &holds[..3]), RunEnd::Interrupted);
    let not_ready = Acted {
        number: 0,
        began_ns: 0,
        ended_ns: 0,
        act: Act::Start { contender: 0 },
        outcome: Outcome::NotReady("no".to_owned()),
    };
    assert_eq!(end(&[not_ready], &[]), RunEnd::Failed("no".to_owned()));
}
