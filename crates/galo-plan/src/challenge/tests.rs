mod data_only;

use proptest::prelude::*;

use super::*;
use crate::capture;
use crate::fake::FakeModel;
use crate::template::Part;

const FILE: &str = "challenges/pessoas/challenge.toml";
const PESSOAS: &str = include_str!("../../../../challenges/pessoas/challenge.toml");

fn pessoas() -> Challenge {
    Challenge::parse(FILE, PESSOAS, &FakeModel).unwrap()
}

/// The message for the real file with one piece of text replaced.
fn error(from: &str, to: &str) -> String {
    assert!(PESSOAS.contains(from), "{from}");
    let text = PESSOAS.replacen(from, to, 1);
    Challenge::parse(FILE, &text, &FakeModel).unwrap_err().to_string()
}

#[test]
fn the_official_profile_has_the_contests_users() {
    let challenge = pessoas();
    let official = challenge.profiles.iter().find(|p| p.name == "official").unwrap();
    let users: Vec<u64> = official.flows.iter().map(|i| i.as_ref().unwrap().users()).collect();
    assert_eq!(users, [54_635, 9_590, 4_190, 205, 200, 190, 205, 205]);
    assert!(official.flows.iter().flatten().all(|i| i.duration_ns() == 205_000_000_000));
}

#[test]
fn the_quick_profile_ends_with_the_rates_of_the_official_one() {
    let challenge = pessoas();
    let last_rates = |name: &str| -> Vec<u64> {
        let profile = challenge.profiles.iter().find(|p| p.name == name).unwrap();
        profile.flows[..3].iter().flatten().map(|i| i.injection().unwrap().final_rate_micro()).collect()
    };
    assert_eq!(last_rates("quick"), [600_000_000, 100_000_000, 40_000_000]);
    assert_eq!(last_rates("quick"), last_rates("official"));
}

#[test]
fn scenarios_profiles_and_steps_keep_the_order_of_the_file() {
    let challenge = pessoas();
    let profiles: Vec<&str> = challenge.profiles.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(profiles, ["official", "quick", "check"]);
    let steps: Vec<String> =
        challenge.steps().map(|(scenario, step)| format!("{}: {}", scenario.name, step.name)).collect();
    insta::assert_debug_snapshot!(steps, @r#"
    [
        "create and read: create",
        "create and read: read",
        "search: search",
        "search without term: search without term",
        "probe: search before",
        "probe: create",
        "probe: read",
        "probe: search",
        "probe soon: create",
        "probe soon: read",
        "probe soon: search",
        "probe late: create",
        "probe late: read",
        "probe late: read again",
        "twin: create",
        "twin: read",
        "other twin: create",
        "other twin: read",
    ]
    "#);
}

#[test]
fn a_step_is_resolved_against_the_models_feeders_and_checks() {
    let challenge = pessoas();
    let [create, read] = &challenge.scenarios[0].steps[..] else { panic!("two steps") };
    assert_eq!(create.body.as_ref().unwrap().parts(), [Part::Field(0)]);
    assert_eq!(create.headers, [Header::new("Content-Type", "application/json")]);
    assert!(create.creates && create.needs.is_empty());
    assert_eq!(create.captures, [Capture { slot: 0, of: capture::Part::Location }]);
    assert_eq!((create.check, read.check), (Some(0), Some(1)));
    assert_eq!(read.target.parts(), [Part::Location(0)]);
    assert_eq!(read.pause_ns, Some((1_000_000, 30_000_000)));
    assert_eq!(read.needs, [0]);
    let probe = &challenge.scenarios[3];
    assert_eq!((probe.feeder, probe.compared, probe.connection), (Some(2), false, Connection::PerUser));
    let fresh: Vec<bool> = probe.steps.iter().map(|step| step.fresh).collect();
    assert_eq!(fresh, [false, true, true, true]);
    assert_eq!(probe.steps[3].target.parts(), [Part::Text("/pessoas?t=".to_owned()), Part::Field(1)]);
    assert_eq!(challenge.policy.cpus_milli, 1500);
    assert_eq!(challenge.policy.memory_bytes, 3072 << 20);
}

#[test]
fn a_step_needs_what_it_inserts_whether_it_says_so_or_not() {
    let text = PESSOAS.replacen("needs = \"location\"", "", 1);
    assert_eq!(Challenge::parse(FILE, &text, &FakeModel).unwrap(), pessoas());
}

#[test]
fn cpus_may_be_written_as_a_number() {
    let text = PESSOAS.replacen("cpus = \"1.5\"", "cpus = 1.5", 1);
    assert_eq!(Challenge::parse(FILE, &text, &FakeModel).unwrap(), pessoas());
}

#[test]
fn a_resolved_challenge_reads_back_from_its_json() {
    let json = serde_json::to_string(&pessoas()).unwrap();
    assert_eq!(serde_json::from_str::<Challenge>(&json).unwrap(), pessoas());
}

#[test]
fn a_wrong_key_is_told_with_its_line_and_the_nearest_right_word() {
    insta::assert_snapshot!(error("statuses = [201, 400, 422]", "statusses = [201]"), @"challenges/pessoas/challenge.toml:54: unknown key `statusses`; did you mean `statuses`?");
    insta::assert_snapshot!(error("settle-max", "settle_max"), @"challenges/pessoas/challenge.toml:24: unknown key `settle_max`; did you mean `settle-max`?");
    let forbids = "instances = 2\nforbidden-keys = [\"privileged\", \"network_mod\"]";
    insta::assert_snapshot!(error("instances = 2", forbids), @"challenges/pessoas/challenge.toml:18: `network_mod` is no key of a service; did you mean `network_mode`?");
    insta::assert_snapshot!(error("[policy]", "[polices]"), @"challenges/pessoas/challenge.toml:13: unknown key `polices`; did you mean `policy`?");
    insta::assert_snapshot!(error("compared = false", "colour = 1"), @"challenges/pessoas/challenge.toml:98: unknown key `colour`; known: `name`, `feeder`, `connection`, `compared`, `cookies`, `after`, `weight`, `step`");
}

#[test]
fn a_missing_key_is_named() {
    insta::assert_snapshot!(error("memory = \"3072MB\"", ""), @"challenges/pessoas/challenge.toml:13: the key `memory` is missing");
    insta::assert_snapshot!(error("title = ", "# "), @"challenges/pessoas/challenge.toml:1: the key `title` is missing");
}

#[test]
fn what_is_no_toml_is_told_with_its_line() {
    insta::assert_snapshot!(error("port = 9999", "port = = 9999"), @"challenges/pessoas/challenge.toml:14: extra `=`, expected nothing");
    insta::assert_snapshot!(error("cpus = \"1.5\"", "cpus = \"1.5"), @r#"challenges/pessoas/challenge.toml:15: invalid basic string, expected `"`"#);
    insta::assert_snapshot!(error("memory = \"3072MB\"", "cpus = 2"), @"challenges/pessoas/challenge.toml:16: duplicate key");
    insta::assert_snapshot!(error("port = 9999", "port = \"9999\""), @r#"challenges/pessoas/challenge.toml:14: invalid type: string "9999", expected a whole number up to 65535"#);
    insta::assert_snapshot!(error("port = 9999", "port = 99999"), @"challenges/pessoas/challenge.toml:14: invalid value: integer `99999`, expected a whole number up to 65535");
}

#[test]
fn unknown_names_are_told_with_the_nearest_right_one() {
    insta::assert_snapshot!(error("model = \"pessoas\"", "model = \"pesoas\""), @"challenges/pessoas/challenge.toml:10: unknown model `pesoas`; did you mean `pessoas`?");
    insta::assert_snapshot!(error("feeder = \"people\"", "feeder = \"poeple\""), @"challenges/pessoas/challenge.toml:46: unknown feeder `poeple`; did you mean `people`?");
    insta::assert_snapshot!(error("check = \"read\"", "check = \"red\""), @"challenges/pessoas/challenge.toml:65: unknown check `red`; did you mean `read`?");
    insta::assert_snapshot!(error("\"search\" = [\"2/s", "\"serch\" = [\"2/s"), @"challenges/pessoas/challenge.toml:258: unknown scenario `serch`; did you mean `search`?");
    insta::assert_snapshot!(error("t={term}", "t={terms}"), @"challenges/pessoas/challenge.toml:74: unknown name `{terms}` (known: term); did you mean `{term}`?");
    insta::assert_snapshot!(error("per-user", "per_user"), @"challenges/pessoas/challenge.toml:47: unknown word `per_user`; did you mean `per-user`?");
    insta::assert_snapshot!(error("captures = \"location\"", "captures = \"cookie\""), @"challenges/pessoas/challenge.toml:57: `cookie` is no part of an answer; write `json /token`, `header X-Token`, `location`, or `link /next` for an address in JSON");
}

#[test]
fn wrong_values_are_told_with_their_line() {
    insta::assert_snapshot!(error("port = 9999", "port = 0"), @"challenges/pessoas/challenge.toml:14: the port may not be 0");
    insta::assert_snapshot!(error("3072MB", "3072MiBs"), @"challenges/pessoas/challenge.toml:16: `3072MiBs` is not a memory size; write for example `512MB` or `1.5GB`");
    insta::assert_snapshot!(error("\"1.5\"", "\"one\""), @"challenges/pessoas/challenge.toml:15: `one` is not a number of CPUs; write for example `0.45`");
    insta::assert_snapshot!(error("settle = \"3s\"", "settle = \"3\""), @"challenges/pessoas/challenge.toml:23: `3` is not a duration; write for example `30s`, `1m30s` or `100ms`");
    insta::assert_snapshot!(error("settle-max = \"30s\"", "settle-max = \"1s\""), @"challenges/pessoas/challenge.toml:24: `settle-max` is shorter than `settle`");
    insta::assert_snapshot!(error("connect = \"10s\"", "connect = \"0s\""), @"challenges/pessoas/challenge.toml:27: this duration may not be 0");
    insta::assert_snapshot!(error("[\"800ms\", \"1200ms\"]", "[\"800ms\", \"800ms\"]"), @"challenges/pessoas/challenge.toml:32: each class must be longer than the one before it");
    insta::assert_snapshot!(error("\"/contagem-pessoas\"", "\"contagem\""), @"challenges/pessoas/challenge.toml:21: `contagem` is not a path; it must begin with `/` and hold no spaces (write `%20` for one)");
    insta::assert_snapshot!(error("ramp 6/s to 600/s over 180s", "ramp 6/s to 600/s for 180s"), @"challenges/pessoas/challenge.toml:257: cannot read `ramp 6/s to 600/s for 180s`: it has neither of the two forms; write `5/s for 10s` or `ramp 6/s to 600/s over 3m`");
    insta::assert_snapshot!(error("[\"1/s for 205s\"]", "[]"), @"challenges/pessoas/challenge.toml:260: cannot read ``: there is no phase; write `5/s for 10s` or `ramp 6/s to 600/s over 3m`");
    insta::assert_snapshot!(error("name = \"pessoas\"", "name = \"\""), @"challenges/pessoas/challenge.toml:8: a name may not be empty");
}

#[test]
fn wrong_steps_are_told_with_their_line() {
    insta::assert_snapshot!(error("[201, 400, 422]", "[201, 503]"), @"challenges/pessoas/challenge.toml:54: status 503 cannot be right, since every 5xx counts as failed");
    insta::assert_snapshot!(error("[201, 400, 422]", "[100]"), @"challenges/pessoas/challenge.toml:54: status 100 is not the status of a whole answer; write one from 200 to 499");
    insta::assert_snapshot!(error("[201, 400, 422]", "[]"), @r"
    challenges/pessoas/challenge.toml:50: this step accepts no status
    hint: write for example `statuses = [200]`
    ");
    insta::assert_snapshot!(error("POST /pessoas", "/pessoas"), @"challenges/pessoas/challenge.toml:51: `/pessoas` is not a request; write for example `GET /path` or `POST /path`");
    insta::assert_snapshot!(error("POST /pessoas", "POST pessoas"), @"challenges/pessoas/challenge.toml:51: `pessoas` is not a path; it must begin with `/` and hold no spaces (write `%20` for one)");
    insta::assert_snapshot!(error("pause = \"1ms to 30ms\"", "pause = \"30ms to 1ms\""), @"challenges/pessoas/challenge.toml:61: the pause `30ms to 1ms` ends before it begins");
    insta::assert_snapshot!(error("captures = \"location\"", ""), @r#"
    challenges/pessoas/challenge.toml:62: unknown name `{location}` (known: body)
    hint: write `captures` in an earlier step if it is of an answer, for example `captures = { token = "json /token" }`
    "#);
    insta::assert_snapshot!(error("name = \"read\"", "name = \"create\""), @"challenges/pessoas/challenge.toml:60: there is already a step `create` in this scenario");
    insta::assert_snapshot!(error("name = \"search\"", "name = \"create and read\""), @"challenges/pessoas/challenge.toml:68: there is already a scenario `create and read`");
    insta::assert_snapshot!(error("Content-Type = ", "Content-Length = "), @"challenges/pessoas/challenge.toml:52: the header `Content-Length` is set by the load engine");
    insta::assert_snapshot!(error("Content-Type = ", "\"Content Type\" = "), @"challenges/pessoas/challenge.toml:52: `Content Type` is not a header name");
    insta::assert_snapshot!(error("User-Agent = \"galo\"", "User-Agent = \"a\\r\\nb\""), @"challenges/pessoas/challenge.toml:36: a header's value may not hold control characters");
}

#[test]
fn what_is_empty_is_refused() {
    let scenarios = PESSOAS.find("[[scenario]]").unwrap();
    let profiles = PESSOAS.find("[profile.official]").unwrap();
    let parse = |text: &str| Challenge::parse(FILE, text, &FakeModel).unwrap_err().to_string();
    let top = &PESSOAS[..scenarios];
    let without_scenarios = top.replacen("[policy]", "scenario = []\nprofile = {}\n[policy]", 1);
    insta::assert_snapshot!(parse(&without_scenarios), @r"
    challenges/pessoas/challenge.toml: there is no scenario
    hint: write `[[scenario]]` with at least one step
    ");
    let without_profiles = PESSOAS[..profiles].replacen("[policy]", "profile = {}\n[policy]", 1);
    insta::assert_snapshot!(parse(&without_profiles), @r"
    challenges/pessoas/challenge.toml: there is no profile
    hint: write for example `[profile.quick]`
    ");
    insta::assert_snapshot!(parse(&format!("{PESSOAS}[profile.none]\n")), @"challenges/pessoas/challenge.toml:287: the profile `none` has no traffic");
    let without_steps =
        format!("{top}[[scenario]]\nname = \"idle\"\nconnection = \"per-user\"\nstep = []\n[profile]\n");
    insta::assert_snapshot!(parse(&without_steps), @r"
    challenges/pessoas/challenge.toml:45: this scenario has no steps
    hint: write `[[scenario.step]]` below it
    ");
}

proptest! {
    #[test]
    fn arbitrary_text_never_panics(text in ".*") {
        let _ = Challenge::parse(FILE, &text, &FakeModel);
    }

    #[test]
    fn a_file_damaged_anywhere_never_panics(at in 0..PESSOAS.len(), cut in 0..40usize, text in ".{0,10}") {
        let damaged = [&PESSOAS.as_bytes()[..at], text.as_bytes(), &PESSOAS.as_bytes()[(at + cut).min(PESSOAS.len())..]];
        let damaged = String::from_utf8_lossy(&damaged.concat()).into_owned();
        let _ = Challenge::parse(FILE, &damaged, &FakeModel);
    }
}

#[test]
fn cases_of_a_challenge_with_a_model_name_the_rule_that_they_are_held_to() {
    let with = |rule: &str| {
        let case = format!(
            "{PESSOAS}\n[[case]]\nname = \"nobody is there\"\n[[case.request]]\n{rule}request = \"GET /pessoas/1\"\nstatuses = [404]\n"
        );
        Challenge::parse(FILE, &case, &FakeModel)
    };
    let cases = with("rule = \"read-differs\"\n").unwrap().cases;
    assert!(cases[0].requests[0].expect.iter().all(|expectation| expectation.rule == 0));
    let told = |rule: &str| with(rule).unwrap_err().to_string().split_once(": ").unwrap().1.to_owned();
    insta::assert_snapshot!(told("rule = \"read-difers\"\n"), @"unknown rule `read-difers`; did you mean `read-differs`?");
    insta::assert_snapshot!(told(""), @r#"
    which rule of the model `pessoas` is this about?
    hint: write `rule = "NAME"` with the rule that its answer is held to
    "#);
}
