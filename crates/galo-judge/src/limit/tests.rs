use galo_record::OperationResult;

use super::*;
use crate::capacity::Limit;
use crate::testing::*;

/// The judgement of a hold of the clean round's length, in which the count grew from 1,000 to `after`.
fn judged(round: &RoundBuilder, broken: &[&str], after: Option<u64>) -> HoldRecord {
    let plan = plan();
    let broken: Vec<String> = broken.iter().map(|clause| (*clause).to_owned()).collect();
    let held = Held {
        plan: &plan,
        round: &round.0,
        scale_milli: 2_000,
        confirms: false,
        length: Duration::from_nanos(round.0.record.load.ended_ns - round.0.record.load.started_ns),
        rates: &[HeldRate { scenario: 0, rate_micro: 5_000_000 }],
        preload: None,
        people: [Some(1_000), after],
        broken: &broken,
        min_answered: 0.99,
    };
    held.judge()
}

fn reasons(round: &RoundBuilder, broken: &[&str], after: Option<u64>) -> (bool, bool, String) {
    let outcome = judged(round, broken, after).outcome;
    (outcome.met, outcome.valid, outcome.reasons.join("; "))
}

#[test]
fn a_hold_in_which_all_is_well_is_met_and_its_figures_leave_probes_out() {
    let hold = judged(&RoundBuilder::clean(), &[], Some(1_110));
    assert_eq!((hold.outcome.met, hold.outcome.valid, hold.outcome.reasons.len()), (true, true, 0));
    assert_eq!((hold.ledger.intended, hold.probe_ledger.intended, hold.latency.count), (250, 20, 250));
    assert_eq!((hold.acknowledged, hold.unknown), (110, 0));
    assert_eq!(hold.rates[0].scenario, "create and read");
    assert!((hold.latency.us_p99 - 10_000.0).abs() < 20.0, "{:?}", hold.latency);
}

#[test]
fn a_service_level_that_was_not_met_decides() {
    let told = reasons(&RoundBuilder::clean(), &["p99 < 5 ms: 10 ms, not met"], Some(1_110));
    assert_eq!(told, (false, true, "p99 < 5 ms: 10 ms, not met".to_owned()));
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
    let causes = |round: &RoundBuilder, broken: &[&str]| -> Vec<String> {
        recorded_causes(&judged(round, broken, Some(1_110)))
            .iter()
            .map(|cause| cause.name().to_owned())
            .collect()
    };
    let broken = ["p99 < 100 ms: 410 ms"];
    assert_eq!(causes(&round, &broken), ["cpu-limit"]);
    assert_eq!(causes(&round, &[]), [""; 0], "it was met");
    round.0.record.load.engine.lag_us_p99 = 900_000.0;
    assert_eq!(causes(&round, &broken), [""; 0], "it says nothing");
}

#[test]
fn a_count_that_is_not_what_was_acknowledged_fails_the_hold() {
    let mut round = RoundBuilder::clean();
    let told = |round: &RoundBuilder, after| reasons(round, &[], after).2;
    assert_eq!(
        told(&round, Some(1_109)),
        "the count grew by 109, but 110 creations were acknowledged (0 unknown)"
    );
    assert_eq!(
        told(&round, Some(1_111)),
        "the count grew by 111, but 110 creations were acknowledged (0 unknown)"
    );
    assert_eq!(told(&round, Some(999)), "the count fell from 1,000 to 999");
    assert_eq!(told(&round, None), "the count was not answered");
    round.operations(CREATE, 2, OperationResult::TimedOut);
    for (after, met) in [(1_109, false), (1_110, true), (1_112, true), (1_113, false)] {
        assert_eq!(reasons(&round, &[], Some(after)).0, met, "{after}");
    }
}

#[test]
fn a_service_that_died_fails_the_hold() {
    let mut round = RoundBuilder::clean();
    round.0.record.findings.push(died("api"));
    let told = "service `api` died while it should have run (exit status 1)".to_owned();
    assert_eq!(reasons(&round, &[], Some(1_110)), (false, true, told));
}

#[test]
fn galos_lateness_spoils_only_what_was_not_met() {
    let mut round = RoundBuilder::clean();
    round.0.record.load.engine.lag_us_p99 = 50_000.0;
    assert_eq!(reasons(&round, &[], Some(1_110)), (true, true, String::new()));
    let told = reasons(&round, &["p99 < 5 ms: 60 ms, not met"], Some(1_110));
    assert_eq!(told, (false, false, "galo itself was late: p99 of its lag is 50.0 ms, over 5 ms".to_owned()));
}

#[test]
fn galos_lateness_is_nothing_beside_answers_that_take_far_longer() {
    let mut round = RoundBuilder::clean();
    round.0.record.load.engine.lag_us_p99 = 50_000.0;
    round.operations_of_ms(READ, 300, OperationResult::Ok, 700);
    let told = reasons(&round, &["p99 < 100 ms: 700 ms, not met"], Some(1_110));
    assert_eq!(told, (false, true, "p99 < 100 ms: 700 ms, not met".to_owned()));
}

#[test]
fn what_galo_could_not_try_is_never_met() {
    let mut round = RoundBuilder::clean();
    round.0.record.load.engine.own_errors = [("no free local port".to_owned(), 1)].into();
    let (met, valid, text) = reasons(&round, &[], Some(1_110));
    assert!(!met && !valid && text.contains("no free local port"), "{text}");
}

#[test]
fn a_queue_that_grows_is_not_met_whatever_the_service_level_says() {
    let mut round = RoundBuilder::clean();
    // The clean round lasts 20 s; here 100 fall due in each, and half of them are answered.
    let second = || galo_record::SecondLatencies { intended: 100, wrong: 50, ..Default::default() };
    round.0.latencies[0].seconds = std::iter::repeat_with(second).take(20).collect();
    let (met, valid, text) = reasons(&round, &[], Some(1_110));
    assert!(!met && valid && text.contains("its queue grew"), "{text}");
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
    let hold = judged(&round, &[], Some(1_110));
    assert_eq!(
        held_up_by(&hold).as_deref(),
        Some("db used 98 % of its 1 CPU and was throttled in 50 % of periods")
    );
    assert_eq!(held_up_by(&judged(&RoundBuilder::clean(), &[], Some(1_110))), None);
}

#[test]
fn a_service_that_ran_out_of_memory_is_named_first() {
    let mut round = RoundBuilder::clean();
    for (number, sample) in round.0.samples.iter_mut().enumerate() {
        sample.services[1].cpu_ns = 1 + 98_000_000 * number as u64;
        sample.services[0].anonymous_bytes = 256 << 20;
        sample.services[0].oom_kills = u64::from(number > 20);
    }
    let told = held_up_by(&judged(&round, &[], Some(1_110))).unwrap();
    assert!(told.starts_with("api ran out of memory and filled 256 MiB of its 256 MiB"), "{told}");
}

/// What holds of a contender say that holds up to `capacity`.
fn driven(capacity_milli: u64) -> LimitRecord {
    let terms = SearchTerms::new(1_000, 100_000, 1.1);
    let mut record = LimitRecord::begun("p99<100ms".to_owned(), terms, 30_000_000_000, 90_000_000_000);
    let clean = judged(&RoundBuilder::clean(), &[], Some(1_110));
    while let Some(asked) = search(&record).next() {
        let met = asked.rate_milli <= capacity_milli;
        let outcome = HoldOutcome { met, ..clean.outcome.clone() };
        record.holds.push(HoldRecord { scale_milli: asked.rate_milli, outcome, ..clean.clone() });
    }
    record
}

#[test]
fn the_same_holds_say_the_same_again_and_few_are_needed() {
    let record = driven(11_700);
    let Capacity::Highest { rate_milli, low_milli, high_milli, held, limit, probes } = capacity(&record)
    else {
        panic!("nothing was found");
    };
    assert!(held && limit == Limit::Criterion && probes <= 14, "{probes}");
    assert!((10_600..=11_700).contains(&rate_milli), "{rate_milli}");
    assert!(
        low_milli <= 11_700 && high_milli.is_some_and(|high| high > 11_700),
        "{low_milli} {high_milli:?}"
    );
    let not_met = lowest_not_met(&record.holds, rate_milli).unwrap().scale_milli;
    assert!(not_met > 11_700 && not_met <= rate_milli * 11 / 10 + 1, "{not_met}");
}
