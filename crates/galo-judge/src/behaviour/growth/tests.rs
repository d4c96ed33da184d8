use galo_record::Operation;

use super::*;
use crate::testing::*;

const MS: u64 = 1_000_000;
const SECOND: u64 = 1_000_000_000;

/// Creations due at these times; `service` says how long one takes by its number and when it was due.
fn creations(due: impl Iterator<Item = u64>, service: impl Fn(u64, u64) -> u64) -> RoundData {
    let mut round = RoundBuilder::clean().0;
    let like = *round.history.iter().find(|o| o.step == CREATE).expect("a creation");
    round.history = due
        .enumerate()
        .map(|(number, intended_ns)| {
            let done_ns = intended_ns + service(number as u64, intended_ns);
            Operation { intended_ns, sent_ns: Some(intended_ns), done_ns, ..like }
        })
        .collect();
    round.history.sort_by_key(|o| o.done_ns);
    round
}

/// 50 a second for 20 s.
fn evenly() -> impl Iterator<Item = u64> {
    (0..1000).map(|number| number * 20 * MS)
}

/// A ramp from nothing to 100 a second in 20 s.
fn ramp() -> impl Iterator<Item = u64> {
    (0..1000).map(|number| ((number as f64 / 1000.0).sqrt() * 20e9) as u64)
}

/// Something between 0 and 1 that differs from number to number.
fn luck(number: u64) -> f64 {
    (number as f64 * 0.618_033_988_75).fract()
}

fn told(round: &RoundData) -> Option<String> {
    finding(&plan(), round).map(|finding| figures(&finding))
}

/// A full scan: 40 microseconds a row.
fn scan(number: u64, _: u64) -> u64 {
    MS + number * 40_000 + (luck(number) * 2e6) as u64
}

#[test]
fn a_scan_of_all_rows_is_told_with_both_times() {
    insta::assert_snapshot!(told(&creations(evenly(), scan)).expect("told"), @r#"{"kind":"slows-with-rows","step":{"scenario":"create and read","step":"create"},"rows":1000,"early_ns":8655488,"late_ns":35338993}"#);
    assert!(told(&creations(ramp(), scan)).is_some(), "also where the rate grows, with idle CPUs");
}

#[test]
fn what_takes_as_long_as_ever_or_grows_a_little_is_not_told() {
    let steady = |number, _| 2 * MS + (luck(number) * 30e6) as u64;
    assert_eq!(told(&creations(evenly(), steady)), None);
    let deeper = |number: u64, _| MS + (number as f64).ln_1p() as u64 * MS;
    assert_eq!(told(&creations(evenly(), deeper)), None);
    let in_microseconds = |number: u64, _| 100_000 + number * 4_000;
    assert_eq!(told(&creations(evenly(), in_microseconds)), None, "forty times, but 4 ms");
}

#[test]
fn a_queue_that_gets_longer_is_not_growth() {
    let overloaded = |_, due_ns: u64| MS + due_ns / 20;
    assert_eq!(told(&creations(evenly(), overloaded)), None);
    let ever_fuller = |number: u64, due_ns: u64| {
        let load = due_ns as f64 / 20e9;
        MS + (20e6 * load * luck(number)) as u64
    };
    assert_eq!(told(&creations(ramp(), ever_fuller)), None, "some still find nobody before them");
}

#[test]
fn a_contender_near_its_cpu_limit_is_not_judged_where_the_rate_grew() {
    let mut busy = creations(ramp(), scan);
    let mut used = 0;
    for sample in &mut busy.samples {
        used += 45_000_000;
        sample.services[0].cpu_ns = used;
    }
    assert_eq!(told(&busy), None, "0.45 of 0.5 CPU");
    let mut throttled = creations(ramp(), scan);
    for (number, sample) in throttled.samples.iter_mut().enumerate() {
        sample.services[1].periods = number as u64;
        sample.services[1].throttled_periods = number as u64 / 10;
    }
    assert_eq!(told(&throttled), None);
    let mut unwatched = creations(ramp(), scan);
    unwatched.samples.clear();
    assert_eq!(told(&unwatched), None);
}

#[test]
fn what_becomes_slow_at_some_moment_is_another_things_doing() {
    for moment in [10, 13, 15] {
        let disturbed = |number, due_ns: u64| {
            let usual = 2 * MS + (luck(number) * 2e6) as u64;
            if due_ns < moment * SECOND { usual } else { 8 * usual }
        };
        assert_eq!(told(&creations(evenly(), disturbed)), None, "the other core was busy from {moment} s on");
    }
    let stopped = |number: u64, due_ns: u64| {
        let stop = 15_000 * MS..15_300 * MS;
        if stop.contains(&due_ns) { stop.end - due_ns + MS } else { scan(0, 0) + number }
    };
    assert_eq!(told(&creations(evenly(), stopped)), None, "galo or the network, 300 ms");
}

#[test]
fn few_rows_and_wrong_answers_say_nothing() {
    assert_eq!(told(&creations(evenly().take(89), |number, _| number * MS)), None);
    assert_eq!(told(&RoundBuilder::clean().0), None, "nothing of it was ever sent");
    let mut wrong = creations(evenly(), scan);
    wrong.history.iter_mut().for_each(|o| o.result = OperationResult::Wrong);
    assert_eq!(told(&wrong), None);
}

#[test]
fn equal_values_share_their_rank() {
    assert_eq!(ranks(&[30, 10, 20, 10]), [4.0, 1.5, 3.0, 1.5]);
    assert_eq!(ranks(&[]), [0.0; 0]);
}
