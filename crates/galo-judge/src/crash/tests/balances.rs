//! Balances after a crash and after a restart.

use galo_plan::ledger::{listed, told};
use galo_plan::model::{Account as Ledger, Entry};

use super::*;

/// [`Rows`] with a ledger of one account, which begins with 7. Probes add 10 each; payloads of the second check must be refused.
struct OneAccount([Ledger; 1]);

impl ChallengeData for OneAccount {
    fn write_field(&self, feeder: usize, row: u64, field: usize, out: &mut Vec<u8>) {
        Rows.write_field(feeder, row, field, out);
    }

    fn ceiling(&self) -> Ceiling {
        Rows.ceiling()
    }

    fn examine(&self, question: &Question, answer: &Answer<'_>, seen: &mut Vec<Shown>) -> Examination {
        Rows.examine(question, answer, seen)
    }

    fn thing(&self, row: Row) -> Option<Thing> {
        Rows.thing(row)
    }

    fn lookup(&self, wanted: Wanted) -> Option<(&'static str, String)> {
        Rows.lookup(wanted)
    }

    fn accounts(&self) -> &[Ledger] {
        &self.0
    }

    fn entry(&self, check: usize, row: Row) -> Option<Entry> {
        let (delta, label) = [(10, Label::Accept), (2, Label::Refuse), (0, Label::Accept)][check];
        Some(Entry { account: 0, delta, digest: 1_000_000 + row.number, label })
    }
}

fn account() -> OneAccount {
    let row = Row { feeder: 0, number: 0 };
    OneAccount([Ledger { name: "client 1".to_owned(), start: 7, least: 0, row }])
}

/// Creations of the first scenario are `of_first`; of the others one reads the account, and probes move it.
fn plan_of_moves(of_first: Option<usize>) -> Plan {
    let mut plan = plan();
    plan.checks = vec![CheckKind::Move, CheckKind::Move, CheckKind::Statement { most: 10 }];
    for (scenario, feeder) in [(0, 0), (1, 2), (2, 1)] {
        plan.challenge.scenarios[scenario].feeder = Some(feeder);
    }
    plan.challenge.scenarios[0].steps[0].check = of_first;
    plan.challenge.scenarios[1].steps[0].check = Some(2);
    plan.challenge.scenarios[2].steps[0].check = Some(0);
    plan.challenge.scenarios[2].steps[1].check = Some(2);
    plan
}

/// Gives the answer of an operation these contents.
fn answer(round: &mut RoundBuilder, at: usize, contents: &[Shown]) {
    let seen = round.0.seen.len() as u32;
    round.0.seen.extend_from_slice(contents);
    let o = &mut round.0.history[at];
    (o.seen, o.kept, o.found, o.status) = (seen, contents.len() as u8, contents.len() as u32 - 1, 200);
}

/// Makes the probes of a round ten moves of an account that began with `start`, with a statement before and one after them. The last move has
/// no effect if `is_last_lost`. Tells the balance at rest.
fn move_ten_times(round: &mut RoundBuilder, start: i64, is_last_lost: bool) -> i64 {
    let of = |round: &RoundBuilder, step: u8| -> Vec<usize> {
        (0..round.0.history.len()).filter(|at| round.0.history[*at].step == step).collect()
    };
    let first = of(round, 2)[0];
    answer(round, first, &[told(start)]);
    let (mut balance, mut list) = (start, Vec::new());
    for (number, at) in (0..).zip(of(round, PROBE_CREATE)) {
        balance += if is_last_lost && number == 9 { 0 } else { 10 };
        list.insert(0, listed(1_000_000 + number, 0));
        answer(round, at, &[told(balance)]);
        round.0.history[at].user = number as u32;
    }
    let last = of(round, 4)[0];
    answer(round, last, &[&[told(balance)], &list[..]].concat());
    balance
}

fn names(judgement: &Judgement) -> Vec<&str> {
    judgement.findings.iter().map(Finding::name).collect()
}

/// What is found of a crash after which the statement of an account with a balance of 7 was answered so.
fn balance_after_crash(status: u16, total: &[i64]) -> Judgement {
    let mut round = crashed();
    let digests: Vec<u64> = total.iter().map(|total| total.cast_unsigned()).collect();
    crash_of(&mut round).lookups.push(lookup(0, LookupBy::Account, status, &digests));
    let mut plan = plan();
    plan.challenge.scenarios[0].feeder = Some(0);
    plan.challenge.scenarios[2].feeder = Some(1);
    judge_round(&plan, &account(), &round.0)
}

#[test]
fn a_balance_after_a_crash_is_held_to_what_was_acknowledged() {
    assert_eq!(names(&balance_after_crash(200, &[7])), ["crash"]);
    let lost = balance_after_crash(200, &[5, 9]);
    assert_eq!(names(&lost), ["lost-after-crash"]);
    let evidence: Vec<String> = lost.findings.iter().flat_map(shown).collect();
    insta::assert_snapshot!(evidence.join("\n"), @r#"{"kind":"balance","account":"client 1","total":5,"expected":7}"#);
    assert_eq!(names(&balance_after_crash(404, &[])), ["lost-after-crash"]);
    assert_eq!(names(&balance_after_crash(0, &[])), ["crash"], "no answer proves no loss");
}

#[test]
fn what_an_account_began_with_was_not_lost() {
    let total = |round: &mut RoundBuilder| move_ten_times(round, 500, false).cast_unsigned();
    let mut round = crashed();
    let after = total(&mut round);
    crash_of(&mut round).lookups.push(lookup(0, LookupBy::Account, 200, &[after]));
    assert_eq!(names(&judge_round(&plan_of_moves(None), &account(), &round.0)), ["crash"]);
    let mut round = restarted();
    let after = total(&mut round);
    round.0.record.restart.as_mut().unwrap().lookups.push(lookup(0, LookupBy::Account, 200, &[after]));
    let judgement = judge_round(&plan_of_moves(None), &account(), &round.0);
    assert!(names(&judgement).contains(&"start-differs"), "{:?}", names(&judgement));
    assert!(!names(&judgement).contains(&"lost-after-restart"), "{:?}", names(&judgement));
}

#[test]
fn what_was_lost_before_a_restart_was_not_lost_in_it() {
    for (after, is_lost) in [(97, false), (87, true)] {
        let mut round = restarted();
        assert_eq!(move_ten_times(&mut round, 7, true), 97);
        round.0.record.restart.as_mut().unwrap().lookups.push(lookup(0, LookupBy::Account, 200, &[after]));
        let judgement = judge_round(&plan_of_moves(None), &account(), &round.0);
        let names = names(&judgement);
        assert!(names.contains(&"lost-update") && names.contains(&"balance-not-conserved"), "{names:?}");
        assert_eq!(names.contains(&"lost-after-restart"), is_lost, "{names:?}");
    }
}

#[test]
fn a_5xx_to_a_payload_that_must_be_refused_hides_no_lost_update() {
    let plan = plan_of_moves(Some(1));
    let names = |result: (Effect, u16, _), is_last_lost: bool| {
        let mut round = restarted();
        round.0.record.restart = None;
        move_ten_times(&mut round, 7, is_last_lost);
        for o in round.0.history.iter_mut().filter(|o| o.step == CREATE) {
            (o.effect, o.status) = (Effect::No, 422);
        }
        let last = round.0.history.iter_mut().rev().find(|o| o.step == CREATE).unwrap();
        (last.effect, last.status, last.result) = result;
        let judged = crate::history::judge(&plan, &account(), &round.0, true);
        judged.findings.iter().map(|finding| finding.name().to_owned()).collect::<Vec<_>>()
    };
    let refused = (Effect::No, 422, galo_record::OperationResult::Ok);
    let broken = (Effect::Unknown, 500, Failed);
    for result in [refused, broken] {
        assert_eq!(names(result, false), [""; 0]);
        assert!(names(result, true).contains(&"lost-update".to_owned()), "{:?}", names(result, true));
    }
}
