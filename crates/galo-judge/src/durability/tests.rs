use std::collections::BTreeMap;

use galo_plan::conformance::{Case, CaseRequest, Content, Expectation, Form, Way};
use galo_record::ServiceFlushes;

use galo_record::finding::Weight;

use super::*;
use crate::judgement::{Judgement, Standing, judge_round};
use crate::testing::{CEILING, Counted, RoundBuilder, START_NS, figures, plan, reading, shown};

fn judged(round: &RoundBuilder) -> Judgement {
    judge_round(&plan(), &Counted(CEILING), &round.0)
}

fn disqualified(rule: &str) -> Standing {
    Standing::Disqualified { rules: vec![rule.to_owned()] }
}

fn flushes(calls: &[Option<u64>]) -> Vec<ServiceFlushes> {
    let one = |calls: &Option<u64>| ServiceFlushes {
        service: "db".to_owned(),
        calls: *calls,
        synchronous_files: 0,
        written_files: None,
        doubt: None,
    };
    calls.iter().map(one).collect()
}

#[test]
fn acknowledging_without_a_single_flush_disqualifies() {
    let mut round = RoundBuilder::clean();
    round.0.record.flushes = flushes(&[Some(0), Some(0)]);
    let judgement = judged(&round);
    assert_eq!(judgement.standing, disqualified("nothing-flushed"));
    insta::assert_snapshot!(figures(&judgement.findings[0]), @r#"{"kind":"nothing-flushed","acknowledged":110}"#);
}

#[test]
fn one_flush_of_one_service_is_enough() {
    let mut round = RoundBuilder::clean();
    round.0.record.flushes = flushes(&[Some(0), Some(1)]);
    assert_eq!(judged(&round).findings, []);
}

#[test]
fn where_a_service_could_not_be_counted_nothing_is_said() {
    let mut round = RoundBuilder::clean();
    round.0.record.flushes = flushes(&[Some(0), None]);
    assert_eq!(judged(&round).findings, []);
    round.0.record.flushes = Vec::new();
    assert_eq!(judged(&round).findings, []);
}

/// Names and weights of a round's findings.
fn told(round: &RoundBuilder) -> Vec<(String, Weight)> {
    judged(round).findings.iter().map(|finding| (finding.name().to_owned(), finding.weight)).collect()
}

#[test]
fn a_service_that_may_write_through_unseen_is_not_accused_and_told() {
    let mut round = RoundBuilder::clean();
    round.0.record.flushes = flushes(&[Some(0), Some(0)]);
    round.0.record.flushes[1].doubt = Some("it used the kernel's AIO".to_owned());
    round.0.record.flushes[1].written_files = Some(1);
    assert_eq!(told(&round), [("flushes-unseen".to_owned(), Weight::Note)]);
    insta::assert_snapshot!(figures(&judged(&round).findings[0]), @r#"{"kind":"flushes-unseen","service":"db","why":"it used the kernel's AIO"}"#);
}

#[test]
fn a_doubt_about_a_service_that_wrote_nothing_into_its_volumes_shields_nobody() {
    let mut round = RoundBuilder::clean();
    for calls in [Some(0), None] {
        round.0.record.flushes = flushes(&[Some(0), calls]);
        round.0.record.flushes[0].written_files = Some(2);
        round.0.record.flushes[1].written_files = Some(0);
        round.0.record.flushes[1].doubt = Some("it used the kernel's AIO".to_owned());
        let names = [("nothing-flushed", Weight::Must), ("flushes-unseen", Weight::Note)];
        assert_eq!(told(&round), names.map(|(name, weight)| (name.to_owned(), weight)));
    }
}

#[test]
fn a_file_that_flushes_itself_is_enough_however_seldom_it_is_seen() {
    let mut round = RoundBuilder::clean();
    round.0.record.flushes = flushes(&[Some(0)]);
    round.0.record.flushes[0].synchronous_files = 1;
    assert_eq!(judged(&round).findings, []);
    assert_eq!(flushed(&round.0, 1_000_000), None);
}

#[test]
fn rare_flushes_are_only_told() {
    let mut round = RoundBuilder::clean();
    round.0.record.flushes = flushes(&[Some(1)]);
    let note = flushed(&round.0, 2500).unwrap();
    assert_eq!((note.name(), note.weight), ("seldom-flushed", Weight::Note));
    insta::assert_snapshot!(figures(&note), @r#"{"kind":"seldom-flushed","acknowledged":2500,"flushes":1}"#);
    assert_eq!(flushed(&round.0, 1999), None);
}

/// Cases on an instance in which a creation was acknowledged while so much was flushed, one each.
fn lone(flushes: &[Option<u64>]) -> Vec<CaseRecord> {
    let creation = |name: &str, status: u16, flushes: Option<u64>| {
        let exchange = Exchange {
            target: "127.0.0.1:8081".parse().unwrap(),
            through: None,
            reused: false,
            status,
            head: Content::from(""),
            body: Content::from(""),
            body_bytes: 0,
            failure: None,
        };
        let request = CaseRequest {
            before: None,
            method: "POST".to_owned(),
            target: Content::from("/pessoas"),
            headers: Vec::new(),
            body: None,
            form: Form::Plain,
            way: Way::Fresh,
            elsewhere: false,
            expect: vec![Expectation { rule: 0, that: Expect::Status(vec![201]) }],
        };
        let run = CaseRun {
            instance: "api1".to_owned(),
            direct: true,
            mark: "a1".to_owned(),
            exchanges: vec![Some(exchange)],
            flushes,
            gone: None,
        };
        let case = Case { name: name.to_owned(), requests: vec![request], front: false };
        CaseRecord { case, runs: vec![run], missing: None }
    };
    let of_one =
        flushes.iter().enumerate().map(|(at, flushes)| creation(&format!("case {at}"), 201, *flushes));
    of_one.chain([creation("refused", 422, Some(0))]).collect()
}

#[test]
fn a_lone_creation_acknowledged_before_any_flush_is_told() {
    let mut round = RoundBuilder::clean();
    round.0.record.flushes = flushes(&[Some(3)]);
    round.0.conformance = lone(&[Some(1), Some(0), None, Some(0)]);
    let told = acknowledged_before(&round.0).unwrap();
    assert_eq!((told.name(), told.weight), ("acknowledged-before-flush", Weight::Should));
    insta::assert_snapshot!(figures(&told), @r#"{"kind":"acknowledged-before-flush","unflushed":2,"alone":3,"case":"case 1"}"#);
}

#[test]
fn a_lone_creation_is_not_told_where_it_was_flushed_or_nobody_can_know() {
    let mut round = RoundBuilder::clean();
    round.0.record.flushes = flushes(&[Some(3)]);
    round.0.conformance = lone(&[Some(1), None]);
    assert_eq!(acknowledged_before(&round.0), None);
    round.0.conformance = lone(&[Some(0)]);
    round.0.record.flushes[0].doubt = Some("it used the kernel's AIO".to_owned());
    assert_eq!(acknowledged_before(&round.0), None);
    round.0.record.flushes = Vec::new();
    assert_eq!(acknowledged_before(&round.0), None);
}

fn database(settings: &[(&str, &str)]) -> DatabaseSettings {
    let settings: BTreeMap<String, String> =
        settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    DatabaseSettings {
        service: "api1".to_owned(),
        system: "PostgreSQL".to_owned(),
        address: "127.0.0.1:5432".to_owned(),
        settings,
        error: None,
    }
}

#[test]
fn a_database_that_does_not_wait_for_the_disk_is_told_by_its_own_word() {
    let mut round = RoundBuilder::clean();
    round.0.record.databases = vec![database(&[("fsync", "on"), ("synchronous_commit", "off")])];
    let judgement = judged(&round);
    assert_eq!(judgement.standing, Standing::Valid);
    insta::assert_snapshot!(figures(&judgement.findings[0]), @r#"{"kind":"commit-not-synchronous","system":"PostgreSQL","service":"api1","off":["synchronous_commit"]}"#);
    insta::assert_snapshot!(shown(&judgement.findings[0])[0], @r#"{"kind":"settings","address":"127.0.0.1:5432","settings":{"fsync":"on","synchronous_commit":"off"}}"#);
}

#[test]
fn a_database_that_waits_or_does_not_say_is_left_alone() {
    for settings in
        [&[("fsync", "on"), ("synchronous_commit", "remote_apply"), ("full_page_writes", "off")][..], &[]]
    {
        let mut round = RoundBuilder::clean();
        round.0.record.databases = vec![database(settings)];
        assert_eq!(judged(&round).findings, []);
    }
}

#[test]
fn a_count_that_moves_with_nobody_asking_disqualifies() {
    let mut round = RoundBuilder::clean();
    round.0.record.count_before = Some(reading(START_NS - 9, "0"));
    round.0.record.counts_before = ["0", "0", "", "0"].map(|text| reading(START_NS - 1, text)).to_vec();
    assert_eq!(judged(&round).findings, []);
    round.0.record.counts_before.push(reading(START_NS - 1, "12"));
    let judgement = judged(&round);
    assert_eq!(judgement.standing, disqualified("count-moves-unasked"));
    insta::assert_snapshot!(figures(&judgement.findings[0]), @r#"{"kind":"count-moves-unasked","least":0,"most":12}"#);
}

#[test]
fn a_count_may_move_on_a_server_that_galo_did_not_start() {
    let mut round = RoundBuilder::clean();
    round.0.record.counts_before = vec![reading(START_NS - 1, "12")];
    if let Some(placement) = &mut round.0.record.placement {
        placement.services.clear();
    }
    let judgement = judged(&round);
    assert_eq!(judgement.standing, Standing::Valid);
    insta::assert_snapshot!(figures(&judgement.findings[0]), @r#"{"kind":"count-moves-unasked","least":0,"most":12}, excused: UsedByOthers"#);
}

#[test]
fn data_that_is_there_on_fresh_volumes_disqualifies() {
    let mut round = RoundBuilder::clean();
    round.0.record.count_renewed = Some(reading(START_NS, "0"));
    assert_eq!(judged(&round).findings, []);
    round.0.record.count_renewed = Some(reading(START_NS, ""));
    assert_eq!(judged(&round).findings, []);
    round.0.record.count_renewed = Some(reading(START_NS, "110"));
    let judgement = judged(&round);
    assert_eq!(judgement.standing, disqualified("outlives-its-volume"));
    insta::assert_snapshot!(figures(&judgement.findings[0]), @r#"{"kind":"outlives-its-volume","counted":110}"#);
}
