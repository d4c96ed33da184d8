use galo_record::Operation;
use galo_record::OperationResult::{Failed, Ok as Right, TimedOut};

use super::*;
use crate::testing::*;

const MS: u64 = 1_000_000;
const SECOND: u64 = 1_000_000_000;

/// So many operations a second for 20 s; `done` says when one ends by when it fell due.
fn load(per_second: u64, done: impl Fn(u64) -> u64) -> RoundData {
    let mut round = RoundBuilder::clean().0;
    let like = round.history[0];
    round.history = (0..20 * per_second)
        .map(|number| {
            let intended_ns = number * SECOND / per_second;
            Operation { intended_ns, sent_ns: Some(intended_ns), done_ns: done(intended_ns), ..like }
        })
        .collect();
    round.history.sort_by_key(|o| o.done_ns);
    round.record.load.engine.lag_us_max = 800.0;
    round
}

/// 200 a second, answered in 5 ms but for these stretches, in milliseconds: what falls due there ends 5 ms after them.
fn stops(stretches: &'static [[u64; 2]]) -> RoundData {
    load(200, move |due_ns| {
        let stop = stretches.iter().find(|stop| (stop[0] * MS..stop[1] * MS).contains(&due_ns));
        stop.map_or(due_ns, |stop| stop[1] * MS) + 5 * MS
    })
}

fn told(round: &RoundData) -> Option<String> {
    finding(round).map(|finding| figures(&finding))
}

#[test]
fn a_contender_that_stops_again_and_again_is_told_with_its_period() {
    let every_six = stops(&[[2000, 4000], [8000, 10_000], [14_000, 16_000]]);
    insta::assert_snapshot!(told(&every_six).expect("told"), @r#"{"kind":"pauses","pauses":[{"from_ns":2000000000,"length_ns":2005000000},{"from_ns":8000000000,"length_ns":2005000000},{"from_ns":14000000000,"length_ns":2005000000}],"more":0,"period_ns":6000000000,"due":1203}"#);
    let at_odd_times = stops(&[[2000, 3200], [4000, 5200], [9000, 10_200], [18_000, 19_200]]);
    insta::assert_snapshot!(told(&at_odd_times).expect("told"), @r#"{"kind":"pauses","pauses":[{"from_ns":2000000000,"length_ns":1205000000},{"from_ns":4000000000,"length_ns":1205000000},{"from_ns":9000000000,"length_ns":1205000000}],"more":1,"period_ns":null,"due":964}"#);
}

#[test]
fn one_pause_must_be_longer_than_one_of_two() {
    assert!(told(&stops(&[[5000, 6700]])).is_some());
    assert_eq!(told(&stops(&[[5000, 6200]])), None);
    assert!(told(&stops(&[[5000, 6200], [9000, 10_200]])).is_some());
    assert_eq!(told(&stops(&[[5000, 5900], [9000, 9900], [12_000, 12_900]])), None);
}

#[test]
fn a_contender_that_hangs_for_good_is_told_although_no_answer_ends_its_pause() {
    let mut hung = load(200, |due| if due < 15 * SECOND { due + 5 * MS } else { due + 60 * SECOND });
    for operation in hung.history.iter_mut().filter(|o| o.intended_ns >= 15 * SECOND) {
        operation.result = TimedOut;
    }
    insta::assert_snapshot!(told(&hung).expect("told"), @r#"{"kind":"pauses","pauses":[{"from_ns":15000000000,"length_ns":64995000000}],"more":0,"period_ns":null,"due":1000}"#);
}

#[test]
fn a_fast_contender_and_a_slow_one_do_not_pause() {
    assert_eq!(told(&load(200, |due| due + MS)), None);
    assert_eq!(told(&load(200, |due| due + 3 * SECOND)), None, "the first answer comes late, as all do");
    assert_eq!(told(&load(200, |due| due * 2 + MS)), None, "overloaded: later and later, but without a stop");
}

#[test]
fn refusals_are_answers_too() {
    let mut down = load(200, |due| due + MS);
    let stretch = 5 * SECOND..9 * SECOND;
    down.history.iter_mut().filter(|o| stretch.contains(&o.intended_ns)).for_each(|o| o.result = Failed);
    assert_eq!(told(&down), None);
}

#[test]
fn few_requests_make_no_pause() {
    assert_eq!(told(&load(2, |due| due + 700 * MS)), None);
    let slow_one = |due: u64| if due == 6 * SECOND { due + 3 * SECOND } else { due + MS };
    assert_eq!(told(&load(1, slow_one)), None);
    assert_eq!(told(&RoundBuilder::clean().0), None);
    assert_eq!(told(&RoundData::new(galo_record::RoundRecord::new(1, 0, 0))), None);
}

#[test]
fn galo_that_stood_still_and_a_short_outage_of_the_network_are_nobodys_pause() {
    assert_eq!(told(&stops(&[[5000, 5500], [9000, 9500], [12_000, 12_500]])), None, "the network, 500 ms");
    let mut stopped = stops(&[[5000, 5300]]);
    stopped.record.load.engine.lag_us_max = 300_000.0;
    assert_eq!(told(&stopped), None);
    let mut stopped = stops(&[[5000, 7000], [9000, 11_000]]);
    stopped.record.load.engine.lag_us_max = 2_000_000.0;
    assert_eq!(told(&stopped), None, "galo was late by as much");
    stopped.record.load.engine.lag_us_max = f64::NAN;
    assert_eq!(told(&stopped), None);
}

#[test]
fn a_machine_that_was_taken_away_or_stood_still_is_to_blame_itself() {
    let pauses = || stops(&[[5000, 7000], [9000, 11_000]]);
    assert!(told(&pauses()).is_some());
    let mut stolen = pauses();
    for sample in &mut stolen.samples {
        sample.host.steal_ns = sample.at_ns / 4;
    }
    assert_eq!(told(&stolen), None);
    let mut still = pauses();
    let stretches = [5..7, 9..11].map(|s| START_NS + s.start * SECOND + 1..START_NS + s.end * SECOND);
    still.samples.retain(|s| !stretches.iter().any(|stretch| stretch.contains(&s.at_ns)));
    assert_eq!(told(&still), None);
    let mut unseen = pauses();
    unseen.samples.clear();
    assert!(told(&unseen).is_some(), "a server that nobody watches is judged by galo's lag alone");
}

#[test]
fn a_long_history_with_a_gap_after_each_answer_is_judged_in_one_pass() {
    let mut round = load(200, |due| due + MS);
    let like = round.history[0];
    let late =
        |number: u64| Operation { intended_ns: number * SECOND, done_ns: (number + 1) * SECOND, ..like };
    round.history = (0..100_000).map(late).collect();
    assert_eq!(told(&round), None, "each gap has one who waits: too few");
}

#[test]
fn wrong_answers_are_answers_and_a_pause_breaks_no_must() {
    let mut round = stops(&[[5000, 7000]]);
    round.history.iter_mut().for_each(|o| o.result = galo_record::OperationResult::Wrong);
    let finding = finding(&round).expect("told");
    assert_eq!(finding.weight, galo_record::finding::Weight::Should);
    round.history.iter_mut().for_each(|o| o.result = Right);
    assert_eq!(super::finding(&round).expect("told"), finding);
}
