//! `kept-without-answer` and `count-slow`: what the count at rest tells beside its number.

use galo_plan::Plan;
use galo_record::RoundData;

use crate::account::Account;
use crate::findings::{CountSlow, Finding, KeptWithoutAnswer};

/// An answer to the count that took longer is slow ...
const SLOW_NS: u64 = 1_000_000_000;
/// ... where half of all operations took less than this: else everything is slow.
const USUAL_US: f64 = 100_000.0;

/// Finds creations that are stored although their client never got an answer.
///
/// Proves how many of those of unknown effect were kept. No rule is broken: the client cannot know, and must ask. It
/// cannot tell which ones.
pub(super) fn kept_without_answer(round: &RoundData, account: &Account) -> Option<Finding> {
    let started_with = round.record.count_before.as_ref()?.value?;
    let at_rest = round.record.count_at_rest()?.value?;
    let acknowledged = account.created + account.probes;
    let kept = at_rest.checked_sub(acknowledged).filter(|&kept| kept > 0)?;
    (started_with == 0 && kept <= account.unknown).then(|| {
        let fact = KeptWithoutAnswer { kept, unknown: account.unknown };
        Finding::new(fact)
    })
}

/// Finds a count that is slow to answer while everything else is not.
///
/// Proves that an answer to it, with nothing else asked, took over a second, and half of the operations under load took
/// less than a tenth of that. It cannot tell a full scan from a flush that the count waits for.
pub(super) fn slow(plan: &Plan, round: &RoundData) -> Option<Finding> {
    let answered = round.record.counts_after.iter().filter(|reading| reading.is_answered());
    let took_ns = answered.map(|reading| reading.took_ns).max().filter(|&ns| ns > SLOW_NS)?;
    let latencies = round.compared_latencies(plan).all();
    let usual_us = (!latencies.is_empty()).then(|| latencies.quantile_us(0.5))?;
    (usual_us < USUAL_US)
        .then(|| Finding::new(CountSlow { took_ns, operations: latencies.count(), usual_us }))
}

#[cfg(test)]
mod tests {
    use galo_plan::model::Effect;
    use galo_record::OperationResult::{Ok as Right, TimedOut};

    use crate::testing::*;
    use crate::{Standing, judge_round};

    fn told(round: &RoundBuilder, name: &str) -> Option<String> {
        let judgement = judge_round(&plan(), &Counted(CEILING), &round.0);
        judgement.findings.into_iter().find(|f| f.name() == name).map(|f| figures(&f))
    }

    fn unknown(counted: &str) -> RoundBuilder {
        let mut round = RoundBuilder::clean().counts_after(&[(1, counted)]);
        round.change(CREATE, 2, |o| (o.result, o.effect) = (TimedOut, Effect::Unknown));
        round
    }

    #[test]
    fn creations_that_are_kept_without_an_answer_are_noted_and_break_nothing() {
        let kept = |counted: &str| told(&unknown(counted), "kept-without-answer");
        assert_eq!(kept("108"), None);
        insta::assert_snapshot!(kept("109").expect("told"), @r#"{"kind":"kept-without-answer","kept":1,"unknown":2}"#);
        insta::assert_snapshot!(kept("110").expect("told"), @r#"{"kind":"kept-without-answer","kept":2,"unknown":2}"#);
        assert_eq!(judge_round(&plan(), &Counted(CEILING), &unknown("110").0).standing, Standing::Valid);
    }

    #[test]
    fn what_the_count_has_too_many_is_not_said_to_be_kept() {
        assert_eq!(told(&unknown("111"), "kept-without-answer"), None, "more than can be");
        let mut dirty = unknown("109");
        dirty.0.record.count_before = Some(reading(1, "1"));
        assert_eq!(told(&dirty, "kept-without-answer"), None);
    }

    fn count_of_ms(ms: u64) -> RoundBuilder {
        let mut round = RoundBuilder::clean();
        round.0.record.counts_after[0].took_ns = ms * 1_000_000;
        round
    }

    #[test]
    fn a_count_of_over_a_second_is_slow_where_operations_are_not() {
        insta::assert_snapshot!(told(&count_of_ms(2_300), "count-slow").expect("told"), @r#"{"kind":"count-slow","took_ns":2300000000,"operations":250,"usual_us":10002.431}"#);
        assert_eq!(told(&count_of_ms(900), "count-slow"), None);
    }

    #[test]
    fn a_slow_count_of_a_slow_contender_or_one_without_an_answer_is_not_told() {
        let mut slow = count_of_ms(2_300);
        slow.operations_of_ms(READ, 600, Right, 150);
        assert_eq!(told(&slow, "count-slow"), None);
        let mut silent = count_of_ms(5_000);
        silent.0.record.counts_after[0].status = 0;
        assert_eq!(told(&silent, "count-slow"), None);
    }
}
