use std::path::PathBuf;

use sha2::{Digest, Sha256};

use super::*;
use crate::conformance::{Case, CaseRequest, Content, Expect, Expectation, Form, Way};
use crate::digest::hex;
use crate::fake::FakeModel;

const PESSOAS: &str = include_str!("../../../../challenges/pessoas/challenge.toml");

fn challenge() -> Challenge {
    Challenge::parse("challenge.toml", PESSOAS, &FakeModel).unwrap()
}

fn options() -> Options {
    let profile = "official".to_owned();
    Options {
        profile,
        scale_milli: 1000,
        rounds: 3,
        seed: Seed::of_number(7),
        limited: true,
        noise_floor: None,
    }
}

fn contender(file: &str) -> Contender {
    let file = PathBuf::from(file);
    Contender {
        name: file.parent().unwrap().file_name().unwrap().to_string_lossy().into_owned(),
        title: String::new(),
        language: None,
        challenge: "pessoas".to_owned(),
        file,
        file_sha256: String::new(),
        services: Vec::new(),
        runner: crate::Runner::Process,
        own_names: crate::OwnNames::default(),
        connects: false,
        setting: None,
        null_of: None,
    }
}

fn plan(contenders: &[&str], options: &Options) -> Result<Plan, PlanError> {
    Plan::new(challenge(), &FakeModel, contenders.iter().map(|file| contender(file)).collect(), options)
}

fn names(contenders: &[&str]) -> Vec<String> {
    plan(contenders, &options()).unwrap().contenders.into_iter().map(|c| c.name).collect()
}

#[test]
fn one_seed_makes_one_plan_byte_for_byte_and_another_seed_another() {
    let plan = |seed| plan(&["/c/a/compose.yaml"], &Options { seed, ..options() }).unwrap();
    let json = |seed| serde_json::to_string(&plan(seed)).unwrap();
    assert_eq!(json(Seed::of_number(7)), json(Seed::of_number(7)));
    assert_ne!(json(Seed::of_number(7)), json(Seed::of_number(8)));
}

#[test]
fn a_plan_reads_back_from_its_json() {
    let plan = plan(&["/c/a/compose.yaml", "/c/b/compose.yaml"], &options()).unwrap();
    assert_eq!(serde_json::from_str::<Plan>(&serde_json::to_string(&plan).unwrap()).unwrap(), plan);
}

#[test]
fn the_plan_knows_its_users_and_its_ceiling() {
    let plan = plan(&[], &options()).unwrap();
    let users: Vec<u64> = plan.scenarios().map(|(_, _, traffic)| traffic.users).collect();
    assert_eq!(users, [54_635, 9_590, 4_190, 205, 200, 190, 205, 205]);
    assert_eq!(plan.ceiling, Ceiling { min: 27_317, max: 54_635 });
    assert_eq!(plan.duration_ns(), 205_000_000_000);
    assert!(plan.order.is_empty());
}

#[test]
fn a_scale_multiplies_the_users() {
    let plan = plan(&[], &Options { scale_milli: 3000, ..options() }).unwrap();
    assert_eq!(plan.traffic[0].as_ref().unwrap().users, 163_905);
    assert_eq!(plan.duration_ns(), 205_000_000_000);
}

#[test]
fn the_digest_covers_every_row_of_every_used_feeder() {
    let digest = |options: &Options| plan(&[], options).unwrap().data_sha256;
    let first = digest(&options());
    assert_eq!(first, digest(&options()));
    assert_ne!(first, digest(&Options { seed: Seed::of_number(8), ..options() }));
    assert_ne!(first, digest(&Options { profile: "quick".to_owned(), ..options() }));
    // By hand, for two feeders of which one is not used.
    let fields: Vec<usize> = FakeModel.feeders()[..2].iter().map(|feeder| feeder.fields.len()).collect();
    let data = FakeModel.prepare(Seed::of_number(7), &[2, 0]);
    let expected = Sha256::digest(b"\x07\0\0\0\0\0\0\x007-0-0-0\x07\0\0\0\0\0\0\x007-0-1-0");
    assert_eq!(data_sha256(|f, r, c, out| data.write_field(f, r, c, out), &fields, &[2, 0]), hex(&expected));
}

#[test]
fn contenders_of_one_name_are_told_apart() {
    assert_eq!(names(&["/c/a/compose.yaml", "/c/b/compose.yaml"]), ["a", "b"]);
    assert_eq!(names(&["/c/a/compose.yaml", "/c/a/compose.yaml"]), ["a", "a (2)"]);
    assert_eq!(names(&["/c/a/compose.yaml", "/d/a/compose.yaml"]), ["a (c)", "a (d)"]);
    assert_eq!(
        names(&["/c/a/compose.yaml", "/d/a/compose.yaml", "/d/a/compose.yaml"]),
        ["a (c)", "a (d)", "a (d) (2)"]
    );
    assert_eq!(names(&["/x/c/a/compose.yaml", "/y/c/a/compose.yaml"]), ["a", "a (2)"]);
}

#[test]
fn one_file_that_is_started_in_two_ways_has_two_names() {
    let started = |runner| Contender { runner, ..contender("/c/a/compose.yaml") };
    let (docker, process) = (started(crate::Runner::Docker), started(crate::Runner::Process));
    let names = |contenders: &[&Contender]| -> Vec<String> {
        let contenders = contenders.iter().map(|contender| (*contender).clone()).collect();
        let plan = Plan::new(challenge(), &FakeModel, contenders, &options()).unwrap();
        plan.contenders.into_iter().map(|contender| contender.name).collect()
    };
    assert_eq!(names(&[&docker, &process]), ["a-docker", "a-process"]);
    assert_eq!(names(&[&docker, &process, &docker]), ["a-docker", "a-process", "a-docker (2)"]);
    assert_eq!(names(&[&docker, &docker]), ["a", "a (2)"]);
    assert_eq!(names(&[&docker, &contender("/c/b/compose.yaml")]), ["a", "b"]);
}

#[test]
fn wrong_options_are_told_with_what_to_do() {
    let error = |options: &Options| plan(&["/c/a/compose.yaml"], options).unwrap_err().to_string();
    insta::assert_snapshot!(error(&Options { profile: "quik".to_owned(), ..options() }), @"challenge `pessoas`: unknown profile `quik`; did you mean `quick`?");
    insta::assert_snapshot!(error(&Options { profile: "full".to_owned(), ..options() }), @"challenge `pessoas`: unknown profile `full`; known: `official`, `quick`, `check`");
    insta::assert_snapshot!(error(&Options { rounds: 0, ..options() }), @r"
    there are no rounds to drive
    hint: ask for at least one, e.g. `--rounds 2`
    ");
    insta::assert_snapshot!(error(&Options { scale_milli: 0, ..options() }), @r"
    the scale is out of range
    hint: choose one from 0.001 to 1000
    ");
}

#[test]
fn a_contender_for_another_challenge_is_refused() {
    let stranger = Contender { challenge: "posts".to_owned(), ..contender("/c/a/compose.yaml") };
    let error = Plan::new(challenge(), &FakeModel, vec![stranger], &options()).unwrap_err().to_string();
    insta::assert_snapshot!(error, @r"
    contender `a` is for challenge `posts`, not for `pessoas`
    hint: see `x-galo` in /c/a/compose.yaml
    ");
}

#[test]
fn more_users_than_a_history_can_number_are_refused() {
    let text = PESSOAS.replacen("\"2/s for 10s\"", "\"20000000/s for 10s\"", 1);
    let challenge = Challenge::parse("challenge.toml", &text, &FakeModel).unwrap();
    let error = |scale_milli| {
        let options = Options { scale_milli, ..options() };
        Plan::new(challenge.clone(), &FakeModel, Vec::new(), &options).unwrap_err().to_string()
    };
    insta::assert_snapshot!(error(30_000), @r"
    scenario `create and read` at scale 30: 6001638450 users are more than a history can number
    hint: choose a smaller scale
    ");
    insta::assert_snapshot!(error(100_000), @r"
    scenario `create and read` at scale 100: `2000000000/s for 10s` is too long or too fast: a rate may be 1000000000/s at most
    hint: choose a smaller scale
    ");
}

#[test]
fn a_forward_proxy_is_asked_for_tunnels_to_the_origin_and_refused_where_there_is_none() {
    let proxy = || Contender { connects: true, ..contender("/c/a/compose.yaml") };
    let error = Plan::new(challenge(), &FakeModel, vec![proxy()], &options()).unwrap_err().to_string();
    insta::assert_snapshot!(error, @r"
    contender `a` is to be asked for tunnels, and challenge `pessoas` has no `origin` to which they would lead
    hint: see `connect` in /c/a/compose.yaml
    ");
    let origin = Some(std::net::SocketAddr::from(([127, 0, 0, 1], 18080)));
    let both = vec![proxy(), contender("/c/b/compose.yaml")];
    let counted = Challenge { origin, ..challenge() };
    let error = Plan::new(counted.clone(), &FakeModel, both.clone(), &options()).unwrap_err().to_string();
    insta::assert_snapshot!(error, @"contender `a` is to be asked for tunnels, and challenge `pessoas` has a count, which is asked without one");
    let plan = Plan::new(Challenge { count: None, ..counted }, &FakeModel, both, &options()).unwrap();
    assert_eq!([0, 1, 2].map(|contender| plan.tunnels_to(contender)), [origin, None, None]);
}

#[test]
fn a_load_through_a_proxy_goes_to_the_origin_by_it() {
    let plan = plan(&["/c/a/compose.yaml"], &options()).unwrap();
    let (proxy, origin) = (([127, 0, 0, 1], 9999).into(), ([127, 0, 0, 1], 18080).into());
    let load = crate::LoadPlan::of_round(&plan, plan.seed, &FakeModel, proxy).tunnelled(origin);
    assert!(load.targets.iter().all(|target| *target == crate::load::Target::plain(origin)));
    assert_eq!(load.transport.proxy.map(|proxy| proxy.authority).as_deref(), Some("127.0.0.1:9999"));
}

#[test]
fn a_case_by_a_rule_that_there_is_not_is_refused() {
    let with_case = |rule| {
        let request = CaseRequest {
            before: None,
            method: "GET".to_owned(),
            target: Content::from("/"),
            headers: Vec::new(),
            body: None,
            form: Form::default(),
            way: Way::default(),
            elsewhere: false,
            expect: vec![Expectation { rule, that: Expect::Alive }],
        };
        let case = Case { name: "asks".to_owned(), requests: vec![request], front: false };
        let challenge = Challenge { cases: vec![case], ..challenge() };
        Plan::new(challenge, &FakeModel, vec![contender("/c/a/compose.yaml")], &options()).map(drop)
    };
    assert!(with_case(0).is_ok());
    insta::assert_snapshot!(with_case(1).unwrap_err(), @r"
    case `asks`: there is no rule 1 in the model `pessoas`, which has 1
    hint: name one of its rules
    ");
}
