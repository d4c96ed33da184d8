use galo_plan::model::{Answer, Ceiling, Examination, Id, Question, Seen as Shown};
use galo_record::OperationResult::{Failed, TimedOut, Wrong};
use galo_record::{Halt, RestartRecord, Restarted};

use galo_record::finding::Weight;

mod balances;

use super::*;
use crate::findings::{Contradiction, Kind, RecordsContradict};
use crate::judgement::{Judgement, Standing, judge_round};
use crate::testing::{
    CEILING, CREATE, END_NS, PROBE_CREATE, READ, RoundBuilder, START_NS, figures, plan, reading, shown,
};

/// Rows whose digest is 1,000 times the feeder and the number; row 3 should have been refused.
struct Rows;

impl ChallengeData for Rows {
    fn write_field(&self, _: usize, _: u64, _: usize, _: &mut Vec<u8>) {}

    fn ceiling(&self) -> Ceiling {
        CEILING
    }

    fn examine(&self, _: &Question, _: &Answer<'_>, _: &mut Vec<Shown>) -> Examination {
        Examination::RIGHT
    }

    fn thing(&self, row: Row) -> Option<Thing> {
        let label = if row.number == 3 { Label::Refuse } else { Label::Accept };
        Some(Thing { key: row.number, digest: digest(row), label })
    }

    fn lookup(&self, wanted: Wanted) -> Option<(&'static str, String)> {
        Some(match wanted {
            Wanted::Id(Id(id)) => ("/by-id/", id.to_string()),
            Wanted::KeyOf(row) => ("/by-key/", row.number.to_string()),
            Wanted::Account(_) => return None,
        })
    }
}

const fn digest(row: Row) -> u64 {
    row.feeder as u64 * 1000 + row.number
}

/// A crash 10 s into a load of 20 s with 100 + 10 acknowledged creations, each found again; ready after 0.4 s.
fn crashed() -> RoundBuilder {
    let mut round = RoundBuilder::clean();
    for (number, o) in (0_u32..).zip(round.0.history.iter_mut().filter(|o| o.effect == Effect::Yes)) {
        (o.user, o.id, o.status) = (number % 100, Some(Id(u128::from(number))), 201);
    }
    let mut crash = CrashRecord::new(CrashKind::Crash, vec!["api".to_owned(), "db".to_owned()]);
    crash.killed_at_ns = Some(START_NS + 10_000_000_000);
    crash.restarted_at_ns = Some(END_NS + 1_000_000_000);
    crash.ready_at_ns = Some(END_NS + 1_400_000_000);
    crash.lookups = (0_u32..)
        .zip(&round.0.history)
        .filter(|(_, o)| o.effect == Effect::Yes)
        .map(|(creation, o)| lookup(creation, LookupBy::Id, 200, &[digest_of(o)]))
        .collect();
    round.0.record.crash = Some(crash);
    round
}

fn digest_of(o: &Operation) -> u64 {
    digest(Row { feeder: usize::from(o.step == PROBE_CREATE), number: u64::from(o.user) })
}

fn lookup(creation: u32, by: LookupBy, status: u16, digests: &[u64]) -> Lookup {
    Lookup { creation, by, service: None, status, digests: digests.to_vec() }
}

fn crash_of(round: &mut RoundBuilder) -> &mut CrashRecord {
    round.0.record.crash.as_mut().unwrap()
}

fn judged(round: &RoundBuilder) -> Judgement {
    let mut plan = plan();
    plan.challenge.scenarios[0].feeder = Some(0);
    plan.challenge.scenarios[2].feeder = Some(1);
    judge_round(&plan, &Rows, &round.0)
}

fn told(judgement: &Judgement, name: &str) -> String {
    let finding = judgement.findings.iter().find(|f| f.name() == name);
    figures(finding.unwrap_or_else(|| panic!("{judgement:#?}")))
}

fn disqualified(rule: &str) -> Standing {
    Standing::Disqualified { rules: vec![rule.to_owned()] }
}

#[test]
fn a_crash_that_lost_nobody_is_told_in_one_sentence_and_compared_with_nothing() {
    let judgement = judged(&crashed());
    assert_eq!(judgement.standing, Standing::Valid);
    assert!(judgement.apart && judgement.measures == crate::Measures::default());
    assert_eq!(judgement.findings.len(), 1);
    insta::assert_snapshot!(told(&judgement, "crash"), @r#"{"kind":"crash","at_ns":10000000000,"there":{"sought":110,"untold":0},"up_ns":400000000}"#);
}

#[test]
fn somebody_who_is_not_there_any_more_is_lost() {
    let mut round = crashed();
    let lost = &mut crash_of(&mut round).lookups[7];
    (lost.status, lost.digests) = (404, Vec::new());
    let judgement = judged(&round);
    assert_eq!(judgement.standing, disqualified("lost-after-crash"));
    insta::assert_snapshot!(told(&judgement, "lost-after-crash"), @r#"{"kind":"lost-after-crash","at_ns":10000000000,"loss":{"by":"lookups","sought":110,"lost":1,"unreadable":0}}"#);
    insta::assert_snapshot!(shown(&judgement.findings[0])[0], @r#"{"kind":"lookup","row":"row 7","status":201,"answered_ns":80000000,"target":"/by-id/7","service":null,"came":{"came":"status","status":404}}"#);
}

#[test]
fn somebody_who_came_back_as_another_is_lost() {
    let mut round = crashed();
    crash_of(&mut round).lookups[7].digests = vec![999];
    assert_eq!(judged(&round).standing, disqualified("lost-after-crash"));
}

/// Gives the lookups of creations from the first of these numbers up to the second this status, and no answer.
fn unread(round: &mut RoundBuilder, lookups: std::ops::Range<usize>, status: u16) {
    for lookup in &mut crash_of(round).lookups[lookups] {
        (lookup.status, lookup.digests) = (status, Vec::new());
    }
}

#[test]
fn somebody_whom_only_errors_show_is_lost_after_a_crash_and_told_apart() {
    let mut round = crashed();
    unread(&mut round, 1..3, 500);
    unread(&mut round, 3..4, 404);
    let judgement = judged(&round);
    assert_eq!(judgement.standing, disqualified("lost-after-crash"));
    insta::assert_snapshot!(told(&judgement, "lost-after-crash"), @r#"{"kind":"lost-after-crash","at_ns":10000000000,"loss":{"by":"lookups","sought":110,"lost":1,"unreadable":2}}"#);
}

#[test]
fn lookups_that_were_given_up_prove_no_loss() {
    let mut round = crashed();
    unread(&mut round, 55..110, 0);
    let judgement = judged(&round);
    assert_eq!(judgement.standing, Standing::Valid);
    insta::assert_snapshot!(told(&judgement, "crash"), @r#"{"kind":"crash","at_ns":10000000000,"there":{"sought":110,"untold":55},"up_ns":400000000}"#);
}

#[test]
fn whoever_answers_no_reads_after_the_restart_is_not_up_and_lost_nobody() {
    let mut round = crashed();
    unread(&mut round, 54..110, 0);
    let judgement = judged(&round);
    assert_eq!(judgement.standing, disqualified("not-up-after-crash"));
    insta::assert_snapshot!(told(&judgement, "not-up-after-crash"), @r#"{"kind":"not-up-after-crash","at_ns":10000000000,"why":{"seen":"silent","sought":110,"untold":56}}"#);
}

#[test]
fn an_invalid_row_that_was_accepted_need_only_be_there() {
    let mut round = crashed();
    crash_of(&mut round).lookups[3].digests = vec![12345];
    assert_eq!(judged(&round).standing, Standing::Valid);
    crash_of(&mut round).lookups[3].digests = Vec::new();
    assert_eq!(judged(&round).standing, disqualified("lost-after-crash"));
}

#[test]
fn a_creation_of_unknown_effect_may_be_there_or_not() {
    for (counted, standing) in [
        ("109", disqualified("lost-after-crash")),
        ("110", Standing::Valid),
        ("112", Standing::Valid),
        ("113", disqualified("count-differs")),
    ] {
        let mut round = crashed();
        round.operations(CREATE, 2, TimedOut);
        round.0.record.counts_after = vec![reading(END_NS, counted)];
        assert_eq!(judged(&round).standing, standing, "{counted}");
    }
}

#[test]
fn somebody_refused_must_not_be_found_and_somebody_else_of_that_name_may() {
    let mut round = crashed();
    round.operations(CREATE, 1, Wrong);
    let last = round.0.history.len() - 1;
    let refused = &mut round.0.history[last];
    (refused.user, refused.status, refused.broken) = (150, 422, Some(crate::testing::PHANTOM));
    let index = u32::try_from(last).unwrap();
    crash_of(&mut round).lookups.push(lookup(index, LookupBy::Key, 200, &[1, 2]));
    assert_eq!(judged(&round).standing, Standing::Valid);
    crash_of(&mut round).lookups.push(lookup(index, LookupBy::Key, 200, &[1, 150]));
    let judgement = judged(&round);
    assert_eq!(judgement.standing, disqualified("refused-after-crash"));
    insta::assert_snapshot!(told(&judgement, "refused-after-crash"), @r#"{"kind":"refused-after-crash","at_ns":10000000000,"refused":2,"there":1}"#);
    insta::assert_snapshot!(shown(&judgement.findings[0])[0], @r#"{"kind":"lookup","row":"row 150","status":422,"answered_ns":2710000000,"target":"/by-key/150","service":null,"came":{"came":"listed"}}"#);
}

#[test]
fn a_search_that_fails_after_the_restart_proves_nothing_of_the_refused() {
    let mut round = crashed();
    round.operations(CREATE, 1, Wrong);
    let last = round.0.history.len() - 1;
    (round.0.history[last].user, round.0.history[last].status) = (150, 422);
    let index = u32::try_from(last).unwrap();
    crash_of(&mut round).lookups.push(lookup(index, LookupBy::Key, 503, &[]));
    assert_eq!(judged(&round).standing, Standing::Valid);
}

#[test]
fn whoever_does_not_come_up_again_is_named_with_the_reason() {
    let mut round = crashed();
    round.0.record.counts_after.clear();
    let crash = crash_of(&mut round);
    (crash.ready_at_ns, crash.lookups) = (None, Vec::new());
    crash.not_up = Some("service `db`: it was not ready after 30 s\nhint: see db.log".to_owned());
    let judgement = judged(&round);
    assert_eq!(judgement.standing, disqualified("not-up-after-crash"));
    insta::assert_snapshot!(told(&judgement, "not-up-after-crash"), @r#"{"kind":"not-up-after-crash","at_ns":10000000000,"why":{"seen":"not-started","error":"service `db`: it was not ready after 30 s","hint":"see db.log"}}"#);
}

#[test]
fn a_record_without_a_kill_or_with_lookups_missing_is_void_and_accuses_nobody() {
    let mut round = crashed();
    crash_of(&mut round).lookups.pop();
    crash_of(&mut round).lookups[0].status = 404;
    let contradiction = Contradiction::NotLookedUp { creations: 1 };
    let reasons = vec![RecordsContradict { contradiction }.into()];
    assert_eq!(judged(&round).standing, Standing::Void { reasons });
    let mut round = crashed();
    crash_of(&mut round).killed_at_ns = None;
    assert!(matches!(judged(&round).standing, Standing::Void { .. }));
    let mut round = crashed();
    crash_of(&mut round).lookups.push(lookup(9999, LookupBy::Id, 404, &[]));
    assert!(matches!(judged(&round).standing, Standing::Void { .. }));
}

#[test]
fn galos_own_lateness_and_a_killed_target_do_not_make_a_crash_void() {
    let mut round = crashed();
    round.0.record.load.engine.lag_us_p99 = 50_000.0;
    round.0.record.load.engine.own_errors.insert("no free local port".to_owned(), 3);
    round.operations(READ, 40, Failed);
    assert_eq!(judged(&round).standing, Standing::Valid);
}

#[test]
fn a_crash_that_the_caller_broke_off_says_nothing() {
    let mut round = crashed();
    round.0.record.end = RoundEnd::Interrupted;
    crash_of(&mut round).lookups.clear();
    let judgement = judged(&round);
    assert!(matches!(judgement.standing, Standing::Void { .. }));
    assert!(judgement.findings.iter().all(|f| f.weight == Weight::Note));
}

/// `api1` gone from 10 s to 12.5 s of a load of 20 s.
fn outage() -> RoundBuilder {
    let mut round = crashed();
    let crash = crash_of(&mut round);
    (crash.kind, crash.services) = (CrashKind::Outage, vec!["api1".to_owned()]);
    crash.restarted_at_ns = Some(START_NS + 12_000_000_000);
    crash.ready_at_ns = Some(START_NS + 12_500_000_000);
    round
}

/// Adds reads that fell due at these times and took 10 ms.
fn reads_at(round: &mut RoundBuilder, due_ms: &[u64], result: galo_record::OperationResult) {
    let start = round.0.history.len();
    round.operations(READ, due_ms.len(), result);
    for (o, ms) in round.0.history[start..].iter_mut().zip(due_ms) {
        (o.intended_ns, o.done_ns) = (ms * 1_000_000, ms * 1_000_000 + 10_000_000);
        (o.sent_ns, o.first_byte_ns) = (Some(o.intended_ns), None);
    }
    round.0.history.sort_by_key(|o| o.done_ns);
}

#[test]
fn an_outage_tells_what_clients_saw() {
    let mut round = outage();
    reads_at(&mut round, &[9_995, 10_000, 10_200], Failed);
    reads_at(&mut round, &[10_300, 11_000, 12_600], galo_record::OperationResult::Ok);
    round.0.record.load.steps[usize::from(READ)].errors.insert("status 502".to_owned(), 3);
    let judgement = judged(&round);
    assert_eq!(judgement.standing, Standing::Valid);
    insta::assert_snapshot!(told(&judgement, "outage"), @r#"{"kind":"outage","services":["api1"],"figures":{"from_ns":10000000000,"restarted_ns":12000000000,"up_ns":500000000,"meanwhile":4,"meanwhile_failed":2,"failing_ns":[5000000,210000000],"kinds":[{"of":"status 502","number":3}],"after":1,"after_failed":0},"there":{"sought":110,"untold":0}}"#);
    assert_eq!(judgement.findings.len(), 1);
}

#[test]
fn failures_that_go_on_after_the_restart_are_a_defect() {
    let mut round = outage();
    reads_at(&mut round, &[14_400], Failed);
    assert_eq!(judged(&round).findings.len(), 1);
    reads_at(&mut round, &[14_500, 15_000], Failed);
    let judgement = judged(&round);
    assert_eq!(judgement.standing, Standing::Valid);
    assert_eq!(judgement.findings[0].weight, Weight::Should);
    insta::assert_snapshot!(told(&judgement, "outage-not-recovered"), @r#"{"kind":"outage-not-recovered","services":["api1"],"why":{"seen":"still-failing","operations":2}}"#);
}

#[test]
fn who_sheds_load_does_so_after_an_outage_as_well() {
    for (before, after, is_told) in [(503, 503, false), (503, 502, true), (0, 0, true)] {
        let mut round = outage();
        reads_at(&mut round, &[5_000, 15_000], Failed);
        for (o, status) in round.0.history.iter_mut().filter(|o| o.result == Failed).zip([before, after]) {
            o.status = status;
        }
        let told = judged(&round).findings.iter().any(|finding| finding.name() == "outage-not-recovered");
        assert_eq!(told, is_told, "{before} and {after}");
    }
}

#[test]
fn an_instance_that_answers_nothing_after_its_restart_is_a_defect_and_no_loss() {
    let mut round = outage();
    let silent = Lookup { service: Some("api1".to_owned()), ..lookup(0, LookupBy::Id, 0, &[]) };
    crash_of(&mut round).lookups.push(silent);
    let judgement = judged(&round);
    assert_eq!(judgement.standing, Standing::Valid);
    insta::assert_snapshot!(told(&judgement, "outage-not-recovered"), @r#"{"kind":"outage-not-recovered","services":["api1"],"why":{"seen":"silent-at-one","lookups":1}}"#);
}

#[test]
fn an_instance_that_stays_down_is_a_defect() {
    let mut round = outage();
    crash_of(&mut round).not_up = Some("it ended before it was ready\nhint: see api1.log".to_owned());
    crash_of(&mut round).ready_at_ns = None;
    let judgement = judged(&round);
    assert_eq!(judgement.standing, Standing::Valid);
    insta::assert_snapshot!(told(&judgement, "outage-not-recovered"), @r#"{"kind":"outage-not-recovered","services":["api1"],"why":{"seen":"not-started","error":"it ended before it was ready"}}"#);
}

#[test]
fn an_instance_that_stays_down_behind_a_balancer_without_failover_is_a_defect_and_no_loss() {
    let mut round = outage();
    unread(&mut round, 0..30, 502);
    unread(&mut round, 30..70, 0);
    let judgement = judged(&round);
    assert_eq!(judgement.standing, Standing::Valid);
    insta::assert_snapshot!(told(&judgement, "outage-not-recovered"), @r#"{"kind":"outage-not-recovered","services":["api1"],"why":{"seen":"silent","sought":110,"untold":70}}"#);
    crash_of(&mut round).not_up = Some("it ended before it was ready".to_owned());
    let judgement = judged(&round);
    assert_eq!(judgement.standing, Standing::Valid);
    insta::assert_snapshot!(told(&judgement, "outage-not-recovered"), @r#"{"kind":"outage-not-recovered","services":["api1"],"why":{"seen":"not-started","error":"it ended before it was ready"}}"#);
    insta::assert_snapshot!(told(&judgement, "outage"), @r#"{"kind":"outage","services":["api1"],"figures":{"from_ns":10000000000,"restarted_ns":12000000000,"up_ns":500000000,"meanwhile":0,"meanwhile_failed":0,"failing_ns":null,"kinds":[],"after":0,"after_failed":0},"there":{"sought":110,"untold":70}}"#);
}

#[test]
fn a_creation_that_a_balancer_sent_again_may_be_there_though_it_was_refused() {
    // From due to answered, in a load whose instance is away from 10 to 12.5 s.
    for (due_ms, done_ms, status, counted, standing) in [
        (9_900, 10_100, 422, "111", Standing::Valid),
        (12_400, 13_000, 409, "111", Standing::Valid),
        (9_900, 10_100, 422, "112", disqualified("count-differs")),
        (9_900, 9_999, 422, "111", disqualified("count-differs")),
        (12_500, 12_600, 422, "111", disqualified("count-differs")),
        (9_900, 10_100, 400, "111", disqualified("count-differs")),
    ] {
        let mut round = outage();
        round.operations(CREATE, 1, Wrong);
        let refused = round.0.history.last_mut().unwrap();
        refused.status = status;
        (refused.intended_ns, refused.done_ns) = (due_ms * 1_000_000, done_ms * 1_000_000);
        (refused.sent_ns, refused.first_byte_ns) = (Some(refused.intended_ns), None);
        round.0.history.sort_by_key(|o| o.done_ns);
        round.0.record.counts_after = vec![reading(END_NS, counted)];
        assert_eq!(judged(&round).standing, standing, "{due_ms} to {done_ms} ms: {status}, {counted}");
    }
}

#[test]
fn what_an_outage_lost_is_seen_at_the_contenders_own_port_and_not_at_an_instance() {
    for (service, standing) in
        [(Some("api1".to_owned()), Standing::Valid), (None, disqualified("lost-in-outage"))]
    {
        let mut round = outage();
        let gone = Lookup { service, ..lookup(0, LookupBy::Id, 404, &[]) };
        crash_of(&mut round).lookups.push(gone);
        assert_eq!(judged(&round).standing, standing);
    }
}

/// The same 110 people, found again after a restart at rest on volumes that had grown with them.
fn restarted() -> RoundBuilder {
    let mut round = crashed();
    let lookups = round.0.record.crash.take().unwrap().lookups;
    let restarted = Restarted {
        halted_at_ns: END_NS + 20_000_000_000,
        restarted_at_ns: END_NS + 21_000_000_000,
        ready_at_ns: Some(END_NS + 22_000_000_000),
        not_up: None,
        volumes_bytes: [1_000, 1_000_000],
        traced: Some([50, 50]),
        flushes: Vec::new(),
        findings: Vec::new(),
    };
    let count = Some(reading(END_NS + 19_000_000_000, "110"));
    round.0.record.restart =
        Some(RestartRecord { halt: Halt::Killed, restarted, count_before: count.clone(), count, lookups });
    round
}

/// Findings about crashes, outages, and restarts at rest.
const OF_RESTARTS: [Kind; 13] = [
    Kind::Crash,
    Kind::LostAfterCrash,
    Kind::RefusedAfterCrash,
    Kind::NotUpAfterCrash,
    Kind::Outage,
    Kind::OutageNotRecovered,
    Kind::LostInOutage,
    Kind::LostAfterRestart,
    Kind::RefusedAfterRestart,
    Kind::NotUpAfterRestart,
    Kind::EmptiedAtStart,
    Kind::NotInItsVolumes,
    Kind::Restart,
];

/// What is said where this is changed of the restart.
fn after_restart(change: impl FnOnce(&mut RestartRecord)) -> (Standing, Vec<String>) {
    let mut round = restarted();
    change(round.0.record.restart.as_mut().unwrap());
    let judgement = judged(&round);
    let names = judgement.findings.iter().filter(|finding| OF_RESTARTS.contains(&finding.fact.kind()));
    (judgement.standing.clone(), names.map(|finding| finding.name().to_owned()).collect())
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn who_is_silent_at_rest_of_more_than_one_in_twenty_is_not_up() {
    let silent = |number: usize| {
        after_restart(|restart| {
            for lookup in &mut restart.lookups[..number] {
                (lookup.status, lookup.digests) = (0, Vec::new());
            }
        })
    };
    assert_eq!(silent(0), (Standing::Valid, names(&["restart"])));
    assert_eq!(silent(5), (Standing::Valid, names(&["restart"])));
    assert_eq!(silent(6), (disqualified("not-up-after-restart"), names(&["not-up-after-restart"])));
}

#[test]
fn a_count_in_words_of_which_all_numbers_are_too_low_lost_people() {
    let counted =
        |text: &str| after_restart(|restart| restart.count = Some(reading(END_NS + 23_000_000_000, text))).0;
    assert_eq!(counted("110 of 999"), Standing::Valid);
    assert_eq!(counted("9 of 70"), disqualified("lost-after-restart"));
}

#[test]
fn who_says_again_and_again_that_it_is_too_busy_to_look_is_as_who_lost_them() {
    let busy = |status: u16| after_restart(|restart| restart.lookups[0].status = status);
    for status in [408, 429, 500, 503] {
        assert_eq!(busy(status), (disqualified("lost-after-restart"), names(&["lost-after-restart"])));
    }
}

#[test]
fn a_volume_that_grew_excuses_nobody_unless_the_people_stood_in_it() {
    let nobody = |traced: Option<[u32; 2]>, grown: u64| {
        after_restart(|restart| {
            for lookup in &mut restart.lookups {
                (lookup.status, lookup.digests) = (404, Vec::new());
            }
            restart.count = Some(reading(END_NS + 23_000_000_000, "0"));
            restart.restarted.traced = traced;
            restart.restarted.volumes_bytes[1] = 1_000 + grown;
        })
    };
    let emptied = (Standing::Valid, names(&["emptied-at-start"]));
    let lost = (disqualified("lost-after-restart"), names(&["lost-after-restart"]));
    assert_eq!(nobody(Some([50, 50]), 1 << 20), emptied);
    assert_eq!(nobody(Some([26, 50]), 1 << 20), emptied);
    // Of a challenge whose rows hold nothing to look for, and in older records.
    assert_eq!(nobody(None, 1 << 20), emptied);
    assert_eq!(nobody(Some([25, 50]), 1 << 20), lost);
    assert_eq!(nobody(Some([0, 50]), 1 << 30), lost);
    assert_eq!(nobody(Some([50, 50]), 100), lost);
}

#[test]
fn who_is_found_again_and_stood_in_no_volume_was_elsewhere() {
    let found = |traced: Option<[u32; 2]>, grown: u64| {
        after_restart(|restart| {
            restart.restarted.traced = traced;
            restart.restarted.volumes_bytes[1] = 1_000 + grown;
        })
    };
    let elsewhere = (disqualified("not-in-its-volumes"), names(&["not-in-its-volumes"]));
    assert_eq!(found(Some([0, 50]), 879), elsewhere);
    // Its files may be compressed or encrypted.
    assert_eq!(found(Some([0, 50]), 880), (Standing::Valid, names(&["not-in-its-volumes", "restart"])));
    for traced in [Some([1, 50]), Some([0, 9]), None] {
        assert_eq!(found(traced, 0), (Standing::Valid, names(&["restart"])), "{traced:?}");
    }
}

#[test]
fn after_a_crash_as_well_who_stood_in_no_volume_was_elsewhere() {
    let standing = |traced: Option<[u32; 2]>| {
        let mut round = crashed();
        crash_of(&mut round).traced = traced;
        judged(&round).standing
    };
    assert_eq!(standing(Some([0, 50])), disqualified("not-in-its-volumes"));
    assert_eq!(standing(Some([50, 50])), Standing::Valid);
    assert_eq!(standing(None), Standing::Valid);
}
