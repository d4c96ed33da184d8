use std::collections::BTreeMap;

use galo_plan::{Contender, Reading};
use proptest::prelude::*;

use super::draft::{Case, Draft, Entrant, Request, Scenario};
use super::*;

/// The options of a line, written as on the command line: each word that begins with `-` takes the next one.
fn options(line: &[&str]) -> Options {
    let mut options = Options::default();
    let mut words = line.iter().map(ToString::to_string);
    while let Some(word) = words.next() {
        if !word.starts_with('-') {
            options.operands.push(word);
            continue;
        }
        let value = words.next().unwrap();
        match word.as_str() {
            "--url" => options.url = Some(value),
            "--port" => options.port = value.parse().ok(),
            "--requests" => options.requests = Some(value.into()),
            "--rate" => options.rate = value,
            "-X" => options.request.method = Some(value),
            "-H" => options.request.headers.push(value),
            "--data" => options.request.body = Some(value),
            "--status" => options.request.statuses = Some(value),
            "--timeout" => options.request.timeout = Some(value),
            "--cpus" => options.cpus = value,
            "--memory" => options.memory = value,
            "--cwd" => options.cwd = value.into(),
            "--env" => options.env.push(value),
            "--build" => options.build = Some(value),
            other => panic!("{other} is no option"),
        }
    }
    options
}

/// What the options of a line mean.
fn resolved(line: &[&str]) -> Result<Resolved, InitError> {
    Resolved::new(&options(line))
}

const NODES: [&str; 4] = ["--url", "http://127.0.0.1:{port}/", "node a.js {port}", "node b.js {port}"];

/// The challenge of the options, as text.
fn challenge(line: &[&str]) -> String {
    let resolved = resolved(line).unwrap();
    files(&resolved, Path::new("galo-fight")).unwrap().remove(0).1
}

#[test]
fn the_line_of_a_duel_becomes_a_challenge() {
    insta::assert_snapshot!(challenge(&NODES));
}

#[test]
fn a_command_becomes_a_contender() {
    let more = ["--env", "A=$b", "--build", "npm i", "--cpus", "0.5", "--memory", "64MB", "--cwd", "/"];
    let mut resolved = resolved(&[&NODES[..], &more].concat()).unwrap();
    resolved.entrants[0].workdir = "../..".to_owned();
    let files = files(&resolved, Path::new("galo-fight")).unwrap();
    assert_eq!(files[1].0, Path::new("galo-fight/a/compose.yaml"));
    insta::assert_snapshot!(files[1].1);
}

#[test]
fn a_connection_that_is_to_close_is_one_for_each_request_of_the_challenge() {
    let text = challenge(&[&NODES[..], &["-H", "connection: Close", "-H", "X-A: 1"]].concat());
    assert!(text.contains("connection = \"per-request\"") && !text.contains("Close"), "{text}");
    assert!(text.contains("headers = { X-A = \"1\" }"), "{text}");
    let text = challenge(&[&NODES[..], &["-H", "Connection: keep-alive"]].concat());
    assert!(text.contains("connection = \"shared\"") && !text.contains("keep-alive"), "{text}");
}

#[test]
fn a_request_is_written_with_all_that_it_has() {
    let line = ["--url", "http://127.0.0.1:9000/a?b={c}", "app", "-X", "PUT", "--data", "{\"it's\": 1}"];
    let more =
        ["-H", "X-A: 1", "-H", "x-a: 2", "--status", "200,204,4xx", "--rate", "7.5", "--timeout", "2s"];
    let text = challenge(&[&line[..], &more].concat());
    let lines = |from: &str, many: usize| -> String {
        text.lines().skip_while(|line| !line.contains(from)).take(many).collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(lines("[[scenario]]", 9), @r#"
[[scenario]]
name = "PUT /a?b={c}"
connection = "shared"

  [[scenario.step]]
  name = "PUT /a?b={c}"
  request = "PUT /a?b={{c}}"
  headers = { X-A = "1, 2" }
  body = "{{\"it's\": 1}}"
"#);
    insta::assert_snapshot!(lines("[profile.quick]", 8), @r#"
[profile.quick] # what `galo fight` drives
"PUT /a?b={c}" = ["ramp 0.75/s to 7.5/s over 3s", "7.5/s for 17s"]

[profile.official] # the same, longer: --profile official
"PUT /a?b={c}" = ["ramp 0.75/s to 7.5/s over 10s", "7.5/s for 110s"]

[profile.check] # what `galo check` drives: some of everything
"PUT /a?b={c}" = ["7.5/s for 5s"]
"#);
    assert!(text.contains("port = 9000") && text.contains("answer = \"2s\""), "{text}");
}

#[test]
fn each_recorded_request_is_a_scenario_with_its_share() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.http");
    std::fs::write(
        &file,
        "GET /a\n\n###\nGET /a\n\n###\nGET /b\n\n###\nPOST /b\n\n{}\n\n###\nPOST /b\n\n[]\n",
    )
    .unwrap();
    let text = challenge(&[&NODES[..], &["--requests", file.to_str().unwrap()]].concat());
    let quick = text.lines().skip_while(|line| !line.contains("[profile.quick]")).skip(1).take(4);
    insta::assert_snapshot!(quick.collect::<Vec<_>>().join("\n"), @r#"
"GET /a" = ["ramp 4/s to 40/s over 3s", "40/s for 17s"]
"GET /b" = ["ramp 2/s to 20/s over 3s", "20/s for 17s"]
"POST /b" = ["ramp 2/s to 20/s over 3s", "20/s for 17s"]
"POST /b (2)" = ["ramp 2/s to 20/s over 3s", "20/s for 17s"]
"#);
}

#[test]
fn a_recorded_request_that_no_challenge_can_ask_for_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.jsonl");
    let lines = r#"{"url": "/a"}
{"url": "/é?q={b}"}
{"method": "M-SEARCH", "url": "/b"}
{"method": "PUT", "url": "/c", "body-base64": "/wA="}
{"url": "wss://h/"}
"#;
    std::fs::write(&file, lines).unwrap();
    let resolved = resolved(&[&NODES[..], &["--requests", file.to_str().unwrap()]].concat()).unwrap();
    assert_eq!(resolved.draft.scenarios.len(), 2);
    let told = resolved.told.join("\n").replace(&file.display().to_string(), "a.jsonl");
    insta::assert_snapshot!(told, @r#"
a.jsonl: 1 of 5 left out: 1 is no HTTP (line 5: `wss://h/`)
a.jsonl: 1 is sent with its address percent-encoded (line 2)
left out: M-SEARCH /b, because a challenge's file takes methods of capital letters
left out: PUT /c, because its body is no text, and a challenge's file holds text alone
"#);
}

#[test]
fn secrets_in_the_files_are_told_by_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.jsonl");
    let lines = r#"{"url": "/a?token=t1&page=2", "headers": {"Authorization": "Bearer t2", "Accept": "*/*"}}
{"url": "/b", "body": {"user": {"name": "ann", "password": "t3"}}, "headers": {"Cookie": "sid=t4"}}
{"url": "/c", "body": "a=b&secret=t5"}
{"url": "/d", "body": [{"passwords": ["t8"], "tokens": 9}]}
"#;
    std::fs::write(&file, lines).unwrap();
    let line = ["--requests", file.to_str().unwrap(), "--env", "API_KEY=t6", "-H", "X-Api-Key: t7"];
    let files = Files::new(&options(&[&NODES[..], &line].concat())).unwrap();
    let told = files.told.join("\n");
    insta::assert_snapshot!(told, @r#"
galo-fight/challenge.toml holds secrets as they were given: Authorization, Cookie, X-Api-Key, password, passwords, secret, token (do not share the file as it is)
galo-fight/a/compose.yaml holds secrets as they were given: API_KEY (do not share the file as it is)
galo-fight/b/compose.yaml holds secrets as they were given: API_KEY (do not share the file as it is)
"#);
    let texts: String = files.files.iter().map(|(_, text)| text.as_str()).collect();
    assert!((1..=8).all(|n| texts.contains(&format!("t{n}")) && !told.contains(&format!("t{n}"))));
    assert_eq!(Files::new(&options(&NODES)).unwrap().told, [""; 0]);
}

#[test]
fn secrets_of_commands_are_in_no_title_and_told_by_their_names() {
    let commands =
        ["app --token=t1 {port}", "DB_PASSWORD='t 2' sh -c \"app --key t3 http://u:t4@h/?sig=t5\""];
    let line = [&NODES[..2], &commands, &["--build", "get --header 'Authorization: t6'"]].concat();
    let Files { files, told, .. } = Files::new(&options(&line)).unwrap();
    let titles: Vec<&str> =
        files.iter().filter_map(|(_, text)| text.lines().find(|l| l.contains("title"))).collect();
    insta::assert_snapshot!(titles.join("\n"), @r#"
title = 'app --token=*** {port} and DB_PASSWORD=*** sh -c "app --key *** http://***@h/?sig=***"' # for people
  title: "app --token=*** 8080" # for people
  title: "DB_PASSWORD=*** sh -c \"app --key *** http://***@h/?sig=***\"" # for people
"#);
    insta::assert_snapshot!(told.join("\n"), @r#"
galo-fight/app/compose.yaml holds secrets as they were given: --token, Authorization (do not share the file as it is)
galo-fight/sh-c-app-key/compose.yaml holds secrets as they were given: --key, Authorization, DB_PASSWORD, http://, sig (do not share the file as it is)
"#);
}

#[test]
fn what_comes_next_is_told() {
    let told = |line: &[&str]| next(&resolved(line).unwrap(), Path::new("my fight")).join("\n");
    insta::assert_snapshot!(told(&NODES), @r#"
galo fight 'my fight/a' 'my fight/b'
galo check 'my fight/a'
"#);
    insta::assert_snapshot!(told(&NODES[..3]), @"galo check 'my fight/a'");
    insta::assert_snapshot!(told(&["http://127.0.0.1:3000/a?b"]), @"galo check http://127.0.0.1:3000 --challenge 'my fight/challenge.toml'");
    insta::assert_snapshot!(told(&["--url", "http://127.0.0.1:3000/", "app", "http://127.0.0.1:3000/"]), @r#"
galo check 'my fight/app'
galo check http://127.0.0.1:3000 --challenge 'my fight/challenge.toml'
"#);
}

#[test]
fn wrong_options_are_told() {
    let told = |line: &[&str]| resolved(line).err().map(|error| error.to_string()).unwrap_or_default();
    insta::assert_snapshot!(told(&[]), @r#"
nothing is given to fight
hint: give commands with --url, an address, or --from-openapi FILE
"#);
    insta::assert_snapshot!(told(&["node a.js"]), @r#"
what is to serve are commands
hint: say where they listen: --url 'http://127.0.0.1:{port}/'
"#);
    insta::assert_snapshot!(told(&["https://127.0.0.1/"]), @r#"
`https://127.0.0.1/` asks for TLS
hint: contenders are driven by plain HTTP: write http://
"#);
    insta::assert_snapshot!(told(&["--url", "http://example.org/", "app"]), @r#"
`example.org` is not where a command listens
hint: contenders are driven on this machine: write http://127.0.0.1:{port}/
"#);
    insta::assert_snapshot!(told(&["--url", "http://127.0.0.1:80/", "app", "--port", "8"]), @r#"
--port says what {port} stands for, but `http://127.0.0.1:80/` has none
hint: write {port} into --url, or leave --port out
"#);
    insta::assert_snapshot!(told(&[&NODES[..], &["--cpus", "many"]].concat()), @"--cpus: `many` is not a number of CPUs; write for example `0.45`");
    insta::assert_snapshot!(told(&[&NODES[..], &["--memory", "much"]].concat()), @"--memory: `much` is not a memory size; write for example `512MB` or `1.5GB`");
    assert_eq!(
        told(&[&NODES[..], &["--memory", "0"]].concat()).lines().next(),
        Some("--memory 0 is no limit")
    );
    insta::assert_snapshot!(told(&[&NODES[..], &["--rate", "0"]].concat()), @"--rate: the rate `0` is nothing; write at least `0.000001/s`");
    insta::assert_snapshot!(told(&[&NODES[..], &["--env", "=1"]].concat()), @r#"
--env `=1` has no name and `=`
hint: write NAME=VALUE
"#);
    insta::assert_snapshot!(told(&[&NODES[..], &["--cwd", "/nowhere"]].concat()), @r#"
--cwd `/nowhere` is no folder
hint: name one that is there
"#);
    insta::assert_snapshot!(told(&[&NODES[..], &["-H", "Host: a"]].concat()), @r#"
`Host: a` cannot be sent in a fight
hint: leave it out: Host is the contender's address
"#);
    insta::assert_snapshot!(told(&[&NODES[..], &["--data", "base64:/w=="]].concat()), @r#"
the body is no text
hint: a challenge's file holds text alone
"#);
    insta::assert_snapshot!(told(&[&NODES[..], &["--requests", "/nowhere.har"]].concat()), @"cannot read `/nowhere.har`: No such file or directory (os error 2)");
}

#[test]
fn options_of_commands_are_refused_where_there_is_none() {
    for option in [["--cwd", "/tmp"], ["--env", "A=1"], ["--build", "make"]] {
        let told = resolved(&[&["http://127.0.0.1:3000/"], &option[..]].concat()).err().unwrap().to_string();
        assert_eq!(told, format!("{} is for commands, and none is given\nhint: leave it out", option[0]));
    }
}

#[test]
fn a_timeout_that_is_none_is_told_before_anything_is_written() {
    let told = resolved(&[&NODES[..], &["--timeout", "soon"]].concat()).err().unwrap().to_string();
    insta::assert_snapshot!(told, @"timeout: `soon` is not a duration; write for example `30s`, `1m30s` or `100ms`");
}

/// A draft of which a person wrote the texts.
fn draft(texts: [String; 5]) -> Draft {
    let [name, title, header, body, media] = texts;
    let request = Request {
        method: "POST".to_owned(),
        target: "/{a}".to_owned(),
        headers: vec![("X-A".to_owned(), header)],
        body: Some(body),
        statuses: (200..300).chain([404]).collect(),
    };
    Draft {
        name: format!("n{name}"),
        title,
        port: 8080,
        cpus: "1".to_owned(),
        memory: "64MB".to_owned(),
        timeout: "1s".to_owned(),
        rate_micro: 1,
        scenarios: vec![Scenario { name: format!("s{name}"), weight: 3, request: request.clone() }],
        cases: vec![Case { name: format!("c{name}{media}"), request, media_type: Some("a/b".to_owned()) }],
    }
}

proptest! {
    #[test]
    fn whatever_is_written_into_a_challenge_is_read_again(texts in [".*", ".*", "[^\\p{Cc}]*", "(?s).*", ".*"]) {
        let draft = draft(texts);
        let text = challenge_text::text(&draft, "galo limit 'a\nb'");
        let challenge = Challenge::parse("challenge.toml", &text, &NoModel).unwrap();
        let step = &challenge.scenarios[0].steps[0];
        let request = &draft.scenarios[0].request;
        prop_assert_eq!((&challenge.name, &challenge.title), (&draft.name, &draft.title));
        prop_assert_eq!(step.body.as_ref().unwrap().constant().unwrap(), request.body.as_ref().unwrap().as_bytes());
        prop_assert_eq!(step.target.constant().unwrap(), b"/{a}");
        prop_assert_eq!(step.headers[0].values[0].constant().unwrap(), request.headers[0].1.as_bytes());
        prop_assert_eq!(&step.statuses, &request.statuses);
        let case = &challenge.cases[0].requests[0];
        prop_assert_eq!(&challenge.cases[0].name, &draft.cases[0].name);
        prop_assert_eq!(case.body.as_ref().unwrap().bytes(), request.body.as_ref().unwrap().as_bytes());
    }

    #[test]
    fn whatever_is_written_into_a_contender_is_read_again(
        command in "(?s)[^\\x00]+", build in "(?s)[^\\x00]*", key in "[A-Za-z_$ :#-][A-Za-z0-9_$ :#-]*", value in "(?s)[^\\x00]*"
    ) {
        let folder = tempfile::tempdir().unwrap();
        let environment = BTreeMap::from([(key, value)]);
        let entrant = Entrant {
            name: "a".to_owned(),
            command: command.clone(),
            build: Some(build.clone()),
            environment: environment.clone(),
            workdir: ".".to_owned(),
            port: 8080,
            cpus: "0.5".to_owned(),
            memory: "64MB".to_owned(),
        };
        let file = folder.path().join("compose.yaml");
        std::fs::write(&file, compose_text::text(&entrant)).unwrap();
        let policy = galo_plan::challenge::Policy::of_budget(8080, 500, 64 << 20);
        let contender = Contender::load(&file, &Reading::untrusted(&policy)).unwrap();
        let service = &contender.services[0];
        prop_assert_eq!(&service.command[2], &command);
        prop_assert_eq!(service.build.as_ref(), Some(&build));
        prop_assert_eq!(&service.environment, &environment);
        prop_assert_eq!(&contender.title, &galo_plan::secret::in_text(&command));
    }
}
