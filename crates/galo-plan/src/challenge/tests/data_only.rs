//! A challenge that is data alone: no model, perhaps no count, and cases of its own.

use crate::challenge::Challenge;
use crate::conformance::{Expect, Form, Way};
use crate::described::{Described, NoModel};
use crate::flow::Flow;
use crate::load::LoadPlan;
use crate::model::{Answer, ChallengeData, ChallengeModel, Examination, Question};
use crate::plan::{Options, Plan};
use crate::seed::Seed;

const FILE: &str = "challenge.toml";
const TEXT: &str = r#"name = "shop"
title = "A shop"

[policy]
port = 8099
cpus = "1"
memory = "512MB"

[timeouts]
connect = "1s"
answer = "5s"

[service-level]
latency = "100ms"
classes = ["100ms"]

[[scenario]]
name = "list"
connection = "shared"

  [[scenario.step]]
  name = "list"
  request = "GET /items"
  statuses = [200]

[profile.quick]
"list" = ["10/s for 1s"]

[[case]]
name = "an item is created and read"

  [[case.request]]
  request = "POST /items"
  headers = { Content-Type = "application/json" }
  body = '{"name": "{mark}"}'
  statuses = [201]

  [[case.request]]
  request = "GET {0.location}"
  statuses = [200]
  media-type = "application/json"
  shows = '{"name": "{mark}"}'
"#;

fn parse(text: &str) -> Result<Challenge, String> {
    Challenge::parse(FILE, text, &NoModel).map_err(|error| error.to_string())
}

/// The message for the file with one piece of text replaced.
fn error(from: &str, to: &str) -> String {
    assert!(TEXT.contains(from), "{from}");
    parse(&TEXT.replacen(from, to, 1)).unwrap_err()
}

#[test]
fn without_model_and_count_a_challenge_is_whole() {
    let challenge = parse(TEXT).unwrap();
    assert_eq!((challenge.model.as_str(), challenge.count.as_ref()), ("none", None));
    let json = serde_json::to_string(&challenge).unwrap();
    assert!(!json.contains("\"count\""), "{json}");
    assert_eq!(serde_json::from_str::<Challenge>(&json).unwrap(), challenge);
    assert_eq!(parse(&format!("model = \"none\"\n{TEXT}")).unwrap(), challenge);
}

#[test]
fn a_case_is_held_to_its_statuses_to_a_whole_answer_and_to_what_it_shows() {
    let challenge = parse(TEXT).unwrap();
    let [create, read] = &challenge.cases[0].requests[..] else { panic!("two requests") };
    let that = |request: &crate::conformance::CaseRequest| -> Vec<Expect> {
        assert!(request.expect.iter().all(|e| e.rule < NoModel.rules().len()));
        request.expect.iter().map(|e| e.that.clone()).collect()
    };
    let answer = Expect::Answer { server_errors: vec![], cut: false };
    let location = Expect::CreatedWith("Location".to_owned());
    assert_eq!(that(create), [Expect::Status(vec![201]), answer.clone(), location]);
    let [json, shows] =
        [Expect::MediaType("application/json".to_owned()), Expect::Shows(r#"{"name": "{mark}"}"#.to_owned())];
    assert_eq!(that(read), [Expect::Status(vec![200]), answer, json, shows]);
}

#[test]
fn a_5xx_that_a_case_accepts_is_no_failure() {
    let challenge = parse(&TEXT.replacen("statuses = [200]\n  media", "statuses = [200, 503]\n  media", 1));
    let expect = &challenge.unwrap().cases[0].requests[1].expect;
    assert_eq!(expect[1].that, Expect::Answer { server_errors: vec![503], cut: false });
}

#[test]
fn statuses_may_be_written_by_the_hundred() {
    let challenge =
        parse(&TEXT.replacen("statuses = [201]", "statuses = [200, \"4xx\", \"510-511\"]", 1).replacen(
            "GET {0.location}",
            "GET /",
            1,
        ))
        .unwrap();
    let Expect::Status(statuses) = &challenge.cases[0].requests[0].expect[0].that else { panic!("statuses") };
    assert_eq!((statuses.len(), statuses[0], statuses[102]), (103, 200, 511));
    let challenge = parse(&TEXT.replacen("statuses = [200]", "statuses = [\"2xx\"]", 1)).unwrap();
    assert_eq!(challenge.scenarios[0].steps[0].statuses, (200..300).collect::<Vec<u16>>());
}

#[test]
fn what_could_not_be_a_request_line_is_told_wherever_it_stands() {
    let get = "GET /items\"";
    for behind in ["GET {location} \"", "GET {location}?a=1 HTTP/1.1\"", "GET {{x\""] {
        let told = error(get, behind);
        assert!(told.starts_with("challenge.toml:23: "), "{behind}: {told}");
    }
    insta::assert_snapshot!(error("{0.location}\"", "{0.location} \""), @"challenge.toml:39: `{0.location} ` is not a target; it must hold no spaces (write `%20` for one)");
    insta::assert_snapshot!(error(get, "POST /items\"\n  json = { a = [1.5, nan] }"), @r"
    challenge.toml:24: JSON has neither `nan` nor `inf`
    hint: write it as a text, or leave it out
    ");
}

#[test]
fn what_is_recorded_of_headers_and_of_what_cases_run_holds_no_secret() {
    let text = TEXT
        .replacen("title = \"A shop\"", "title = \"app --password hunter2\"", 1)
        .replacen(
            "request = \"GET /items\"",
            "request = \"GET /items\"\n  headers = { Authorization = \"Bearer hunter2\", Accept = \"a/b\" }",
            1,
        )
        .replacen(
            "headers = { Content-Type",
            "before = \"PGPASSWORD=hunter2 psql\"\n  headers = { X-Api-Key = \"hunter2\", Content-Type",
            1,
        );
    let mut challenge = parse(&text).unwrap();
    assert_eq!(serde_json::to_string(&challenge).unwrap().matches("hunter2").count(), 4);
    challenge.hide_secrets();
    let json = serde_json::to_string(&challenge).unwrap();
    assert!(!json.contains("hunter2") && json.contains("a/b") && json.contains("application/json"), "{json}");
}

#[test]
fn wrong_cases_are_told_with_their_line() {
    let post = "request = \"POST /items\"";
    insta::assert_snapshot!(error(post, "request = \"/items\""), @"challenge.toml:33: `/items` is not a request; write for example `GET /path` or `POST /path`");
    insta::assert_snapshot!(error("POST /items", "POST items"), @"challenge.toml:33: `items` is not a path; it must begin with `/` and hold no spaces (write `%20` for one)");
    insta::assert_snapshot!(error("statuses = [201]", "statuses = []"), @r#"
challenge.toml:36: this request accepts no status
hint: write for example `statuses = [200]`
"#);
    insta::assert_snapshot!(error("statuses = [201]", "statuses = [199]"), @"challenge.toml:36: status 199 is not the status of a whole answer; write one from 200 to 599");
    insta::assert_snapshot!(error("statuses = [201]", "statuses = [200, 201]"), @r#"
challenge.toml:39: this request needs the Location of request 0, which may be answered without
hint: let that accept 201 alone: `statuses = [201]`
"#);
    insta::assert_snapshot!(error("GET {0.location}", "GET {1.location}"), @"challenge.toml:39: no request 1 comes before this one, which needs its Location (the first is 0)");
    insta::assert_snapshot!(error("\"application/json\"\n", "\"json\"\n"), @"challenge.toml:41: `json` is not a media type; write for example `application/json`");
    insta::assert_snapshot!(error("shows = '{\"name\": \"{mark}\"}'", "shows = '[1]'"), @r#"
challenge.toml:42: `shows` is not a JSON object: not an object
hint: write for example `shows = '{"name": "ana"}'`
"#);
    insta::assert_snapshot!(error("  body =", "  bodi ="), @"challenge.toml:35: unknown key `bodi`; did you mean `body`?");
    insta::assert_snapshot!(error("Content-Type =", "Content-Length ="), @"challenge.toml:34: the header `Content-Length` is set by the load engine");
    insta::assert_snapshot!(error("name = \"an item is created and read\"", "name = \"\""), @"challenge.toml:30: a name may not be empty");
    insta::assert_snapshot!(parse(&format!("{TEXT}[[case]]\nname = \"x\"\n")).unwrap_err(), @r#"
challenge.toml:44: this case has no request
hint: write `[[case.request]]` below it
"#);
    let twice = format!("{TEXT}{}", &TEXT[TEXT.find("[[case]]").unwrap()..]);
    insta::assert_snapshot!(parse(&twice).unwrap_err(), @"challenge.toml:44: there is already a case `an item is created and read`");
}

#[test]
fn what_only_a_model_can_say_is_refused() {
    insta::assert_snapshot!(error("title =", "model = \"pessoas\"\ntitle ="), @"challenge.toml:2: unknown model `pessoas`; known: `none`");
    insta::assert_snapshot!(error("connection = \"shared\"", "connection = \"shared\"\nfeeder = \"people\""), @"challenge.toml:20: unknown feeder `people`; there are none");
    insta::assert_snapshot!(error("  request = \"GET /items\"", "  check = \"read\"\n  request = \"GET /items\""), @"challenge.toml:23: unknown check `read`; there are none");
    insta::assert_snapshot!(error("  request = \"GET /items\"", "  creates = true\n  request = \"GET /items\""), @r#"
challenge.toml:22: this step creates, but has no `check` that tells what
hint: leave `creates` out: without a model nobody knows what an answer created
"#);
}

#[test]
fn a_model_keeps_its_cases_to_itself() {
    let text = TEXT.replacen("title =", "model = \"pessoas\"\ntitle =", 1);
    let error = Challenge::parse(FILE, &text, &crate::fake::FakeModel).unwrap_err();
    insta::assert_snapshot!(error, @r#"
    challenge.toml:34: which rule of the model `pessoas` is this about?
    hint: write `rule = "NAME"` with the rule that its answer is held to
    "#);
    let error = Challenge::parse(FILE, TEXT, &crate::fake::FakeModel).unwrap_err();
    insta::assert_snapshot!(error, @"challenge.toml: the key `model` is missing");
}

/// The file with a body that the answers of its step must be.
fn with_body(body: &str) -> String {
    TEXT.replacen(
        "statuses = [200]\n\n[profile",
        &format!("statuses = [200]\n  body-is = \"{body}\"\n\n[profile"),
        1,
    )
}

#[test]
fn an_answer_is_held_byte_by_byte_to_what_the_file_says() {
    let challenge = parse(&with_body("a cup")).unwrap();
    assert_eq!((challenge.scenarios[0].steps[0].check, challenge.data.answers.len()), (Some(0), 1));
    let data = Described::new(challenge.data.clone(), 1);
    let question = Question { check: 0, step: 0, feeder: 0, row: 0, created: None };
    let examined = |body: &[u8]| {
        let answer = Answer { status: 200, head: b"", location: None, content_type: None, body };
        data.examine(&question, &answer, &mut Vec::new())
    };
    assert_eq!(examined(b"a cup"), Examination::RIGHT);
    let wrong = examined(b"a cap");
    assert_eq!(wrong.broken, Some(NoModel::ANSWERS_AS_DESCRIBED));
    insta::assert_snapshot!(wrong.difference.unwrap(), @"the body has 5 bytes, as it should, and differs from byte 3 on: 6170 instead of 7570");
    let missing = parse(&with_body("@bodies/none")).unwrap_err();
    insta::assert_snapshot!(missing, @"challenge.toml:25: cannot read `bodies/none`: No such file or directory (os error 2)");
}

#[test]
fn so_many_users_at_once_are_a_profile_too() {
    let challenge = parse(&TEXT.replacen("10/s for 1s", "8 users for 1s", 1)).unwrap();
    assert_eq!(challenge.profiles[0].flows[0].as_ref().and_then(Flow::at_once), Some(8));
    insta::assert_snapshot!(error("10/s for 1s", "0 users for 1s"), @"challenge.toml:27: `0 users for 1s`: from 1 to 100000 users may be there at once");
    insta::assert_snapshot!(error("title = \"A shop\"", "title = \"A shop\"\norigin = \"localhost\""), @"challenge.toml:3: `localhost` is not an address and a port; write for example `127.0.0.1:18080`");
}

#[test]
fn requests_of_a_case_have_a_form_and_a_way() {
    let text = TEXT.replacen(
        "  media-type = \"application/json\"\n",
        "  form = \"half-closed\"\n  way = \"kept\"\n",
        1,
    );
    let request = parse(&text).unwrap().cases[0].requests[1].clone();
    assert_eq!((request.form, request.way), (Form::HalfClosed, Way::Kept));
    let wrong = error("media-type = \"application/json\"", "way = \"later\"");
    insta::assert_snapshot!(wrong, @"challenge.toml:41: unknown word `later`; known: `fresh`, `kept`, `pipelined`, `at-once`");
}

#[test]
fn what_means_nothing_where_it_stands_is_refused_with_its_line() {
    let case = |to: &str| error("  media-type = \"application/json\"", to);
    insta::assert_snapshot!(case("  form = \"chunked\""), @r#"
challenge.toml:39: this form is for a body, and there is none
hint: leave its `form` or `way` out
"#);
    insta::assert_snapshot!(error("[[case.request]]\n  request = \"POST", "[[case.request]]\n  way = \"kept\"\n  request = \"POST"), @r#"
challenge.toml:34: no request comes before this one
hint: leave its `form` or `way` out
"#);
    let ended = TEXT
        .replacen("  request = \"POST /items\"", "  request = \"POST /items\"\n  form = \"half-closed\"", 1)
        .replacen("  media-type = \"application/json\"", "  way = \"kept\"", 1);
    insta::assert_snapshot!(parse(&ended).unwrap_err(), @r#"
challenge.toml:40: the client ended its direction with the request before this one
hint: leave its `form` or `way` out
"#);
    let long = "x".repeat(33 << 10);
    let long = case(&format!("  body-is = \"{long}\""));
    insta::assert_snapshot!(long, @"challenge.toml:41: a case's body may have 32 KiB at most: so much is recorded");
    insta::assert_snapshot!(case("  way = \"at-once\"\n  before = \"true\""), @r#"
challenge.toml:39: nothing can be run before a request that is sent together with another
hint: leave its `form`, `way` or `before` out
"#);
    let both = with_body("a cup").replacen("body-is", "check = \"read\"\n  body-is", 1);
    insta::assert_snapshot!(parse(&both).unwrap_err(), @r#"
challenge.toml:25: an answer is held to a check or to a body
hint: leave one of them out
"#);
}

#[test]
fn a_client_that_resets_its_connection_reads_no_answer() {
    let with = |requests: &str| format!("{TEXT}\n  [[case.request]]\n{requests}");
    let get = "  request = \"GET /items\"\n";
    let reset = format!("{get}  form = \"reset\"\n");
    let request = parse(&with(&reset)).unwrap().cases[0].requests[2].clone();
    assert_eq!((request.form, request.is_cut()), (Form::Reset, true));
    assert_eq!(request.expect.len(), 1);
    let held = parse(&with(&format!("{reset}  statuses = [200]\n"))).unwrap_err();
    insta::assert_snapshot!(held, @r#"
challenge.toml:45: nobody reads the answer to a request that is reset
hint: leave out what its answer is held to
"#);
    let kept = format!("{reset}\n  [[case.request]]\n{get}  statuses = [200]\n  way = \"kept\"\n");
    insta::assert_snapshot!(parse(&with(&kept)).unwrap_err(), @r#"
challenge.toml:49: the client reset the connection of the request before this one
hint: leave its `form` or `way` out
"#);
    insta::assert_snapshot!(parse(&with(&format!("{reset}  way = \"kept\"\n"))).unwrap_err(), @r#"
challenge.toml:45: who resets a connection has one of its own
hint: leave its `form` or `way` out
"#);
    insta::assert_snapshot!(parse(&with(get)).unwrap_err(), @r#"
challenge.toml:45: this request accepts no status
hint: write for example `statuses = [200]`
"#);
}

#[test]
fn whoever_is_to_be_kept_is_held_to_it() {
    let text = TEXT.replacen("  media-type = \"application/json\"\n", "  way = \"kept\"\n", 1);
    let expect = &parse(&text).unwrap().cases[0].requests[1].expect;
    assert!(expect.iter().any(|expectation| expectation.that == Expect::SameConnection));
}

#[test]
fn rows_of_a_file_are_sent_and_what_must_come_of_each_is_one_of_their_cells() {
    let folder = tempfile::tempdir().unwrap();
    let rows = "{\"id\": 1, \"item\": {\"name\": \"cup\"}}\n{\"id\": 2, \"item\": {\"name\": \"mug\"}}\n";
    std::fs::write(folder.path().join("items.jsonl"), rows).unwrap();
    let file = folder.path().join("challenge.toml").display().to_string();
    let text = TEXT
        .replacen(
            "[[scenario]]\n",
            "[[feeder]]\nname = \"items\"\nfile = \"items.jsonl\"\n\n[[scenario]]\nfeeder = \"items\"\n",
            1,
        )
        .replacen("GET /items\"", "GET /items/{id}\"\n  json-is = '{item}'", 1)
        .replacen("10/s for 1s", "8 users for 1s", 1);
    let challenge = Challenge::parse(&file, &text, &NoModel).unwrap();
    let step = &challenge.scenarios[0].steps[0];
    let data = Described::new(challenge.data.clone(), 1);
    let mut target = Vec::new();
    step.target.write(&data, 0, 3, &[], crate::template::Encoding::Percent, &mut target);
    assert_eq!(String::from_utf8(target).unwrap(), "/items/2");
    let error = |from: &str, to: &str| {
        let told = Challenge::parse(&file, &text.replacen(from, to, 1), &NoModel).unwrap_err().to_string();
        told.replace(&folder.path().display().to_string(), "FOLDER")
    };
    insta::assert_snapshot!(error("items.jsonl", "none.jsonl"), @"FOLDER/challenge.toml:19: cannot read `FOLDER/none.jsonl`: No such file or directory (os error 2)");
    insta::assert_snapshot!(error("'{item}'", "'{\"id\": {id}}'"), @r#"
FOLDER/challenge.toml:29: unknown name `{"id": {id}` (known: id, item)
hint: write `{{` and `}}` for braces of the JSON itself
"#);
    insta::assert_snapshot!(error("'{item}'", "'{id'"), @r#"
FOLDER/challenge.toml:29: `{` is never closed in `{id`
hint: write `{{` and `}}` for braces of the JSON itself
"#);
    insta::assert_snapshot!(error("'{item}'", "'{id},'"), @"FOLDER/challenge.toml:29: `json-is` is no JSON with row 1 (the first is 1): trailing characters at line 1 column 2");
    insta::assert_snapshot!(error("file = \"items.jsonl\"", "file = \"/dev/zero\""), @"FOLDER/challenge.toml:19: `/dev/zero` is no file");
    insta::assert_snapshot!(error("feeder = \"items\"", "feeder = \"item\""), @"FOLDER/challenge.toml:22: unknown feeder `item`; did you mean `items`?");
}

#[test]
fn a_scenario_may_begin_when_another_has_ended() {
    let text = TEXT.replacen(
        "[profile.quick]\n",
        r#"[[scenario]]
name = "then"
after = "list"

  [[scenario.step]]
  name = "look"
  request = "GET /items/1"

[profile.late]
"then" = ["10/s for 2s"]

[profile.both]
"list" = ["25 users once"]
"then" = ["10/s for 2s"]

[profile.quick]
"#,
        1,
    );
    let challenge = parse(&text).unwrap();
    assert_eq!(
        challenge.scenarios.iter().map(|scenario| scenario.after.clone()).collect::<Vec<_>>(),
        [vec![], vec![0]]
    );
    let plan = |profile: &str| {
        let options = Options {
            profile: profile.to_owned(),
            scale_milli: 2000,
            rounds: 1,
            seed: Seed::of_number(1),
            limited: true,
            noise_floor: None,
        };
        Plan::new(challenge.clone(), &NoModel, Vec::new(), &options).unwrap()
    };
    let sources = |plan: &Plan| {
        let load = LoadPlan::of_round(plan, plan.seed, &NoModel, ([127, 0, 0, 1], 1).into());
        let told = load
            .sources
            .iter()
            .map(|source| (source.scenarios[0], source.arrivals.users(), source.after.clone()));
        (told.collect::<Vec<_>>(), load.latest_ns())
    };
    let both = plan("both");
    // One request of those that are waited for may take 1 s to connect and 5 s to be answered.
    let expected = (vec![(0, Some(25), vec![]), (1, Some(40), vec![0])], Some(8_000_000_000));
    assert_eq!(sources(&both), expected, "a scale is a factor on rates");
    assert_eq!(both.duration_ns(), 2_000_000_000);
    assert_eq!(
        sources(&plan("late")),
        (vec![(1, Some(40), vec![])], Some(2_000_000_000)),
        "nobody is waited for"
    );

    let wrong = text.replacen("after = \"list\"", "after = \"then\"", 1);
    insta::assert_snapshot!(parse(&wrong).unwrap_err(), @r"
    challenge.toml:28: unknown scenario `then`; known: `list`
    hint: `after` names scenarios that stand before this one
    ");
    let both = text.replacen("after = \"list\"", "after = [\"list\", \"list\"]", 1);
    assert_eq!(parse(&both).unwrap().scenarios[1].after, [0, 0]);
}

#[test]
fn a_step_may_be_sent_several_times_at_the_same_moment() {
    let own = TEXT.replacen("connection = \"shared\"", "connection = \"per-user\"", 1);
    let with = |text: &str, times: &str| {
        let line = format!("request = \"GET /items\"\n  at-once = {times}");
        parse(&text.replacen("request = \"GET /items\"", &line, 1))
    };
    let challenge = with(&own, "4").unwrap();
    assert_eq!(challenge.scenarios[0].requests(), challenge.scenarios[0].steps.len() as u64 + 3);
    insta::assert_snapshot!(with(&own, "0").unwrap_err(), @"challenge.toml:24: a step is sent from 1 to 1000 times at the same moment");
    insta::assert_snapshot!(with(TEXT, "4").unwrap_err(), @r#"
    challenge.toml:24: `at-once` needs connections that users do not share
    hint: write `connection = "per-user"` in its scenario
    "#);
}
