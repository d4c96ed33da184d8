use galo_plan::Contender;
use galo_plan::model::Effect;
use galo_record::OperationResult::{Failed, Ok as Right, TimedOut, Wrong};
use galo_record::finding::LimitsLost;

use super::*;
use crate::evidence::Evidence;
use crate::findings::{Excuse, Interrupted, JudgeFailed};
use crate::testing::*;

mod figures;
mod strangers;

fn judged(round: &RoundBuilder) -> Judgement {
    judge_round(&plan(), &Counted(CEILING), &round.0)
}

fn names(judgement: &Judgement) -> Vec<&str> {
    judgement.findings.iter().map(crate::Finding::name).collect()
}

fn text_of(judgement: &Judgement, name: &str) -> String {
    figures(judgement.findings.iter().find(|f| f.name() == name).expect(name))
}

fn disqualified(rules: &[&str]) -> Standing {
    Standing::Disqualified { rules: rules.iter().map(|&rule| rule.to_owned()).collect() }
}

fn void_reason(judgement: &Judgement) -> String {
    match &judgement.standing {
        Standing::Void { reasons: why } => reasons(why),
        other => panic!("not void: {other:?}"),
    }
}

#[test]
fn a_round_that_is_right_in_everything_is_valid_and_light() {
    let judgement = judged(&RoundBuilder::clean());
    insta::assert_debug_snapshot!(judgement);
}

#[test]
fn a_database_that_kept_rows_starts_dirty_and_counts_more_than_it_acknowledged() {
    let mut round = RoundBuilder::clean().counts_after(&[(1, "623")]);
    round.0.record.count_before = Some(reading(START_NS - 1, "513"));
    let judgement = judged(&round);
    assert_eq!(judgement.standing, disqualified(&["dirty-start", "count-differs"]));
    insta::assert_snapshot!(text_of(&judgement, "dirty-start"), @r#"{"kind":"dirty-start","counted":513}"#);
    insta::assert_snapshot!(text_of(&judgement, "count-differs"), @r#"{"kind":"count-differs","counted":623,"created":100,"probes":10,"unknown":0,"started_with":513}"#);
}

#[test]
fn lost_creations_disqualify_and_are_numbered() {
    let judgement = judged(&RoundBuilder::clean().counts_after(&[(1, "98")]));
    assert_eq!(judgement.standing, disqualified(&["count-differs"]));
    assert_eq!(judgement.counted, Some(98));
    insta::assert_snapshot!(text_of(&judgement, "count-differs"), @r#"{"kind":"count-differs","counted":98,"created":100,"probes":10,"unknown":0,"started_with":0}"#);
}

#[test]
fn a_timed_out_creation_is_indeterminate() {
    for (counted, fits) in [("107", false), ("108", true), ("109", true), ("110", true), ("111", false)] {
        let mut round = RoundBuilder::clean().counts_after(&[(1, counted)]);
        round.change(CREATE, 2, |o| (o.result, o.effect) = (TimedOut, Effect::Unknown));
        let judgement = judged(&round);
        assert_eq!((judgement.created, judgement.probes, judgement.unknown), (98, 10, 2));
        assert_eq!(judgement.standing == Standing::Valid, fits, "{counted}");
    }
}

#[test]
fn a_creation_whose_answer_is_wrong_still_counts_as_created() {
    let mut round = RoundBuilder::clean();
    round.change(CREATE, 1, |o| (o.result, o.broken) = (Wrong, Some(PHANTOM)));
    let judgement = judged(&round);
    assert_eq!(judgement.created, 100);
    assert_eq!(judgement.standing, disqualified(&["search-phantom"]));
}

#[test]
fn a_count_without_a_number_disqualifies_before_and_after() {
    let mut round = RoundBuilder::clean().counts_after(&[(1, "many")]);
    round.0.record.count_before = Some(reading(1, "some"));
    let judgement = judged(&round);
    assert_eq!(judgement.standing, disqualified(&["count-unreadable"]));
    let evidence: Vec<_> = judgement.findings.iter().flat_map(|f| &f.evidence).collect();
    let counts = ["some", "many"].map(|text| Evidence::Count { status: 200, text: text.to_owned() });
    assert_eq!(evidence, counts.iter().collect::<Vec<_>>());
    round.0.record.count_before = Some(reading(1, "0"));
    round.0.record.counts_after.push(reading(END_NS + 2, ""));
    assert_eq!(judged(&round).standing, disqualified(&["count-unreadable"]), "it was answered once");
}

#[test]
fn a_count_that_is_never_answered_after_the_load_is_told_and_judges_nothing() {
    let judgement = judged(&RoundBuilder::clean().counts_after(&[(1, "")]));
    assert_eq!(judgement.standing, Standing::Valid);
    let names: Vec<_> = judgement.findings.iter().map(|f| (f.name(), f.weight)).collect();
    assert_eq!(names, [("count-unanswered", Weight::Should), ("count-unjudged", Weight::Note)]);
    insta::assert_snapshot!(figures(&judgement.findings[1]), @r#"{"kind":"count-unjudged"}"#);
    let judgement = judged(&RoundBuilder::clean().counts_after(&[(1, ""), (9_000_000_000, "110")]));
    assert!(judgement.findings.iter().all(|f| f.name() != "count-unanswered"), "{:#?}", judgement.findings);
}

#[test]
fn two_acknowledgements_of_one_nickname_pass_the_ceiling() {
    let mut round = RoundBuilder::clean().counts_after(&[(1, "111")]);
    round.operations(CREATE, 1, Right);
    let judgement = judged(&round);
    assert_eq!(judgement.standing, disqualified(&["above-ceiling"]));
    insta::assert_snapshot!(text_of(&judgement, "above-ceiling"), @r#"{"kind":"above-ceiling","created":101,"ceiling_min":98,"ceiling_max":100}"#);
}

#[test]
fn valid_people_that_were_refused_fall_below_the_ceiling() {
    let mut round = RoundBuilder::clean().counts_after(&[(1, "107")]);
    round.change(CREATE, 3, |o| o.effect = Effect::No);
    let judgement = judged(&round);
    assert_eq!(judgement.standing, disqualified(&["below-ceiling"]));
    insta::assert_snapshot!(text_of(&judgement, "below-ceiling"), @r#"{"kind":"below-ceiling","created":97,"unanswered":0,"ceiling_min":98,"ceiling_max":100}"#);
}

#[test]
fn creations_that_failed_excuse_a_number_below_the_ceiling() {
    let mut round = RoundBuilder::clean().counts_after(&[(1, "107")]);
    round.change(CREATE, 1, |o| (o.result, o.effect) = (Failed, Effect::No));
    round.change(CREATE, 2, |o| o.effect = Effect::No);
    round.0.record.load.steps[0].errors.insert("connection reset".to_owned(), 1);
    let judgement = judged(&round);
    assert_eq!(judgement.standing, Standing::Valid);
    insta::assert_snapshot!(text_of(&judgement, "operations-failed"), @r#"{"kind":"operations-failed","operations":270,"failed":1,"timed_out":0,"unfinished":0,"kinds":[{"of":"connection reset","number":1}],"first":null}"#);
}

#[test]
fn a_rule_that_many_break_is_one_finding_with_three_pieces_of_evidence() {
    let mut round = RoundBuilder::clean();
    round.change(PROBE_SEARCH, 8, |o| (o.result, o.broken) = (Wrong, Some(PHANTOM)));
    for number in 0..5 {
        round.evidence(Some(PHANTOM), PROBE_SEARCH, &format!("person {number} has no such letter"));
    }
    round.evidence(None, READ, "connection reset");
    let judgement = judged(&round);
    assert_eq!(judgement.standing, disqualified(&["search-phantom"]));
    assert_eq!(judgement.findings.len(), 1);
    assert_eq!(judgement.findings[0].evidence.len(), 3);
    insta::assert_snapshot!(figures(&judgement.findings[0]), @r#"{"kind":"broken-rule","rule":"search-phantom","text":"a search finds only who matches it","text_pt":null,"headline":null,"cases":0,"steps":[{"step":{"scenario":"probe","step":"search"},"broken":8,"operations":10}]}"#);
}

#[test]
fn a_broken_should_is_reported_and_does_not_disqualify() {
    let mut round = RoundBuilder::clean();
    round.change(CREATE, 4, |o| o.broken = Some(EXACT));
    let judgement = judged(&round);
    assert_eq!(judgement.standing, Standing::Valid);
    assert_eq!(judgement.ledger.ok, 250);
    insta::assert_snapshot!(text_of(&judgement, "exact-refusal"), @r#"{"kind":"broken-rule","rule":"exact-refusal","text":"a refusal has the status that the rules name","text_pt":null,"headline":null,"cases":0,"steps":[{"step":{"scenario":"create and read","step":"create"},"broken":4,"operations":100}]}"#);
}

#[test]
fn a_rule_that_presumes_to_know_all_is_excused_where_an_earlier_creation_was_left_open() {
    let mut plan = plan();
    plan.rules[usize::from(PHANTOM.0)].fresh = true;
    let excuse = |is_open: bool, step: u8| {
        let mut round = RoundBuilder::clean();
        round.change(step, 1, |o| (o.result, o.broken) = (Wrong, Some(PHANTOM)));
        if is_open {
            // Later than the first creation, and earlier than all searches.
            round.change(CREATE, 1, |o| o.effect = Effect::Unknown);
        }
        let judgement = judge_round(&plan, &Counted(CEILING), &round.0);
        judgement.findings.iter().find(|found| found.name() == "search-phantom").unwrap().excuse
    };
    assert_eq!(excuse(true, PROBE_SEARCH), Some(Excuse::LeftOpen));
    assert_eq!(excuse(true, CREATE), None, "it was answered before");
    assert_eq!(excuse(false, PROBE_SEARCH), None);
}

#[test]
fn musts_come_before_shoulds_and_more_operations_before_fewer() {
    let mut round = RoundBuilder::clean().counts_after(&[(1, "109")]);
    round.change(CREATE, 9, |o| o.broken = Some(EXACT));
    round.change(READ, 1, |o| (o.result, o.broken) = (Wrong, Some(PHANTOM)));
    round.change(READ, 3, |o| (o.result, o.broken) = (Wrong, Some(galo_plan::rules::UNEXPECTED_STATUS)));
    let judgement = judged(&round);
    assert_eq!(judgement.standing, disqualified(&["count-differs", "unexpected-status", "search-phantom"]));
    assert_eq!(names(&judgement), ["count-differs", "unexpected-status", "search-phantom", "exact-refusal"]);
}

#[test]
fn a_count_that_hid_acknowledged_people_for_two_seconds_settled_late() {
    let round = RoundBuilder::clean().counts_after(&[
        (5_000_000, "70"),
        (1_000_000_000, "90"),
        (2_100_000_000, "110"),
    ]);
    let judgement = judged(&round);
    assert_eq!(judgement.standing, Standing::Valid);
    assert_eq!(judgement.settled_after_s, Some(2.1));
    assert_eq!(judgement.findings[0].weight, Weight::Should);
    insta::assert_snapshot!(text_of(&judgement, "settled-late"), @r#"{"kind":"settled-late","after_ns":2100000000,"lacked":20}"#);
}

#[test]
fn a_count_that_moved_by_unknown_creations_alone_is_only_noted() {
    let mut round = RoundBuilder::clean().counts_after(&[(5_000_000, "109"), (2_100_000_000, "110")]);
    round.change(CREATE, 1, |o| (o.result, o.effect) = (TimedOut, Effect::Unknown));
    let judgement = judged(&round);
    let late = judgement.findings.iter().find(|f| f.name() == "settled-late").expect("told");
    assert_eq!(late.weight, Weight::Note);
}

#[test]
fn repeated_readings_of_the_last_value_do_not_make_it_late() {
    let round = RoundBuilder::clean().counts_after(&[(5_000_000, "110"), (3_000_000_000, "110")]);
    let judgement = judged(&round);
    assert_eq!(judgement.settled_after_s, Some(0.005));
    assert_eq!(names(&judgement), Vec::<&str>::new());
}

#[test]
fn galo_being_late_voids_the_figures_but_makes_no_wrong_answer_right() {
    let mut round = RoundBuilder::clean();
    round.0.record.load.engine.lag_us_p99 = 5_100.0;
    insta::assert_snapshot!(void_reason(&judged(&round)), @r#"{"kind":"galo-late","percentile":99,"lag_us":5100.0,"bound_us":5000.0}"#);
    round.change(PROBE_SEARCH, 1, |o| (o.result, o.broken) = (Wrong, Some(PHANTOM)));
    let judgement = judged(&round);
    assert_eq!(judgement.standing, disqualified(&["search-phantom"]));
    assert!(names(&judgement).contains(&"galo-late"));
}

#[test]
fn limits_that_were_lost_void_the_figures() {
    let mut round = RoundBuilder::clean();
    round.0.record.findings.push(galo_record::HostFact::LimitsLost(LimitsLost {
        service: "api1".to_owned(),
        written: Vec::new(),
        difference: Some("cpu.max is max".to_owned()),
    }));
    insta::assert_snapshot!(void_reason(&judged(&round)), @r#"{"kind":"unequal-terms","by":"found","found":{"kind":"limits-lost","service":"api1","written":[],"difference":"cpu.max is max"}}"#);
}

#[test]
fn a_lag_above_the_goal_is_noted() {
    let mut round = RoundBuilder::clean();
    round.0.record.load.engine.lag_us_p99 = 2_400.0;
    let judgement = judged(&round);
    assert_eq!((judgement.standing.clone(), names(&judgement)), (Standing::Valid, vec!["galo-lag"]));
}

#[test]
fn every_cause_of_a_void_round_names_its_numbers_and_who_is_to_blame() {
    let mut round = RoundBuilder::clean();
    round.0.record.load.engine.own_errors.insert("no free local port".to_owned(), 1234);
    round.0.record.load.engine.cpu_ns = 18_200_000_000;
    let stolen_from = START_NS + 1;
    for sample in &mut round.0.samples {
        sample.host.steal_ns = sample.at_ns.saturating_sub(stolen_from) / 8;
    }
    let judgement = judged(&round);
    insta::assert_snapshot!(void_reason(&judgement), @r#"
{"kind":"galo-could-not-send","operations":{"no free local port":1234}}
{"kind":"host-steal","share":0.2,"bound":0.1}
{"kind":"galo-busy","by":"busy","threads":1,"share":0.91,"bound":0.9}
"#);
    let blamed: Vec<_> = judgement.findings.iter().map(|f| (f.name(), f.blame)).collect();
    let expected =
        [("galo-could-not-send", Blame::Client), ("host-steal", Blame::Host), ("galo-busy", Blame::Client)];
    assert_eq!(blamed, expected);
}

#[test]
fn stolen_time_that_is_much_of_the_little_that_was_wanted_voids_nothing() {
    // Of 20 s, 180 ms are stolen while 900 ms are wanted: 17 %, but under 1 % of the time.
    let mut round = RoundBuilder::clean();
    for sample in &mut round.0.samples {
        let elapsed_ns = sample.at_ns.saturating_sub(START_NS);
        (sample.host.busy_ns, sample.host.steal_ns) = (elapsed_ns / 22, elapsed_ns / 111);
    }
    assert_eq!(judged(&round).standing, Standing::Valid);
}

#[test]
fn an_interrupted_round_is_void_and_accuses_nobody_of_missing_rows() {
    let mut round = RoundBuilder::clean();
    round.0.record.end = RoundEnd::Interrupted;
    round.0.record.counts_after.clear();
    round.change(CREATE, 50, |o| o.effect = Effect::No);
    let judgement = judged(&round);
    assert_eq!(judgement.standing, Standing::Void { reasons: vec![Interrupted {}.into()] });
    assert_eq!(names(&judgement), ["interrupted"]);
}

#[test]
fn a_contender_that_did_not_start_is_not_ready_with_the_reason() {
    let mut data = galo_record::RoundData::new(galo_record::RoundRecord::new(3, 1, 2));
    data.record.end = RoundEnd::NotReady("service `api` was not ready after 30 s".to_owned());
    let judgement = judge_round(&plan(), &Counted(CEILING), &data);
    let reason = "service `api` was not ready after 30 s".to_owned();
    assert_eq!(judgement.standing, Standing::NotReady { reason });
    assert_eq!((judgement.number, judgement.contender, judgement.slot), (3, 1, 2));
}

#[test]
fn a_ledger_that_does_not_add_up_voids_the_round() {
    let mut round = RoundBuilder::clean();
    round.0.record.load.steps[0].ledger.intended += 1;
    insta::assert_snapshot!(void_reason(&judged(&round)), @r#"{"kind":"records-contradict","contradiction":{"what":"ledger-does-not-add-up","step":{"scenario":"create and read","step":"create"},"ledger":{"intended":101,"ok":100,"wrong":0,"failed":0,"timed_out":0,"unfinished":0}}}"#);
}

#[test]
fn a_history_that_lost_an_operation_voids_the_round() {
    let mut round = RoundBuilder::clean();
    let lost = round.0.history.iter().position(|o| o.step == READ).expect("a read");
    round.0.history.remove(lost);
    insta::assert_snapshot!(void_reason(&judged(&round)), @r#"{"kind":"records-contradict","contradiction":{"what":"history-differs","step":{"scenario":"create and read","step":"read"},"ledger":{"intended":100,"ok":100,"wrong":0,"failed":0,"timed_out":0,"unfinished":0},"history":{"intended":99,"ok":99,"wrong":0,"failed":0,"timed_out":0,"unfinished":0}}}"#);
}

#[test]
fn a_lost_history_is_never_valid() {
    let mut round = RoundBuilder::clean();
    round.0.history.clear();
    insta::assert_snapshot!(void_reason(&judged(&round)), @r#"{"kind":"records-contradict","contradiction":{"what":"empty-history","operations":270}}"#);
}

#[test]
fn a_latency_that_was_not_counted_voids_the_round() {
    let mut round = RoundBuilder::clean();
    round.0.latencies[1].ok.record_ns(1_000_000);
    insta::assert_snapshot!(void_reason(&judged(&round)), @r#"{"kind":"records-contradict","contradiction":{"what":"latencies-differ","step":{"scenario":"create and read","step":"read"},"right":100,"other":0,"right_latencies":101,"other_latencies":0}}"#);
}

#[test]
fn an_operation_that_breaks_an_unknown_rule_or_none_voids_the_round() {
    let mut round = RoundBuilder::clean();
    round.change(READ, 1, |o| (o.result, o.broken) = (Wrong, Some(galo_plan::RuleCode(9))));
    round.change(READ, 2, |o| (o.result, o.broken) = (Wrong, None));
    insta::assert_snapshot!(void_reason(&judged(&round)), @r#"
{"kind":"records-contradict","contradiction":{"what":"history","fault":"no-such-rule","operations":1}}
{"kind":"records-contradict","contradiction":{"what":"history","fault":"no-rule","operations":2}}
"#);
}

#[test]
fn a_count_that_galo_did_not_read_voids_the_round() {
    let mut round = RoundBuilder::clean();
    round.0.record.counts_after.clear();
    insta::assert_snapshot!(void_reason(&judged(&round)), @r#"{"kind":"records-contradict","contradiction":{"what":"count-not-read"}}"#);
}

#[test]
fn a_judge_that_panics_says_unknown_and_never_valid() {
    let round = RoundBuilder::clean();
    let judgement = guarded(&Counted(CEILING), &round.0, |_, _| panic!("index {} out of range", 7));
    let said = Some("index 7 out of range".to_owned());
    assert_eq!(
        judgement.standing,
        Standing::Void { reasons: vec![VoidReason::JudgeFailed(JudgeFailed { said })] }
    );
    assert_eq!(names(&judgement), ["judge-failed"]);
}

#[test]
fn limits_that_are_not_enforced_are_the_hosts_and_unlimited_is_the_callers() {
    let mut round = RoundBuilder::clean();
    let placement = round.0.record.placement.as_mut().expect("placed");
    placement.limits_enforced = false;
    placement.limits_note = Some("no control groups can be made".to_owned());
    let judgement = judged(&round);
    assert_eq!(names(&judgement), ["limits-not-enforced"]);
    assert_eq!((judgement.findings[0].blame, judgement.standing), (Blame::Host, Standing::Valid));
    let unlimited = judge_round(&Plan { limited: false, ..plan() }, &Counted(CEILING), &round.0);
    assert_eq!(names(&unlimited), ["unlimited"]);
    assert_eq!(unlimited.findings[0].blame, Blame::Client);
}

#[test]
fn of_a_server_that_galo_did_not_start_no_limit_was_switched_off() {
    let mut there = Plan { limited: false, ..plan() };
    there.contenders[0] = Contender::at_address(([127, 0, 0, 1], 1).into(), "pessoas");
    let judgement = judge_round(&there, &Counted(CEILING), &RoundBuilder::clean().0);
    assert_eq!(names(&judgement), ["started-by-others"]);
    assert_eq!((judgement.findings[0].blame, judgement.standing), (Blame::Client, Standing::Valid));
}

#[test]
fn what_the_host_saw_is_passed_on_in_its_place() {
    let mut round = RoundBuilder::clean().counts_after(&[(1, "98")]);
    let died = died("db");
    round.0.record.findings.push(died.clone());
    round.0.record.load.engine.lag_us_p99 = 3_000.0;
    let judgement = judged(&round);
    assert_eq!(names(&judgement), ["count-differs", "service-died", "galo-lag"]);
    assert_eq!(judgement.findings[1], Finding::from(&died));
}

#[test]
fn without_a_count_in_the_challenge_nobody_is_judged_by_it() {
    let mut round = RoundBuilder::clean();
    let mut plan = plan();
    plan.challenge.count = None;
    round.0.record.count_before = None;
    round.0.record.counts_after.clear();
    let judgement = judge_round(&plan, &Counted(CEILING), &round.0);
    assert_eq!((judgement.standing, judgement.counted), (Standing::Valid, None));
    assert!(judgement.findings.iter().all(|f| !f.name().contains("count")), "{:?}", judgement.findings);
}

#[test]
fn a_plan_that_creates_nothing_has_no_count_to_judge() {
    let mut round = RoundBuilder::clean();
    let mut plan = plan();
    for scenario in &mut plan.challenge.scenarios {
        scenario.steps.iter_mut().for_each(|step| step.creates = false);
    }
    round.0.record.count_before = None;
    round.0.record.counts_after.clear();
    round.0.history.clear();
    assert_eq!(judge_round(&plan, &Counted(CEILING), &round.0).standing, Standing::Valid);
}
