//! A setting, laid over a file.

use serde_json::json;

use super::*;
use crate::knob::{Turn, Values};

const KNOBS: &str = "x-galo:
  challenge: pessoas
  knobs:
    pool: { to: 'api*.env.POOL', values: [1, 5] }
    share: { to: [api1.cpus, api2.cpus], range: 0.1..0.5 }
";

/// The example, with knobs.
fn example() -> String {
    COMPOSE.replacen("x-galo: { challenge: pessoas, title: \"Rust on SQLite\", language: Rust }\n", KNOBS, 1)
}

/// Services of a text at a setting, and the setting.
fn at(text: &str, turns: &[&str], runner: Runner) -> Result<(Vec<Service>, Setting), String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("compose.yaml");
    let file = File { shown: "compose.yaml".to_owned(), path, text: text.to_owned(), named_at: None };
    let turn = |text: &&str| {
        let (knob, value) = text.split_once('=').unwrap();
        Turn { knob: knob.to_owned(), value: value.to_owned() }
    };
    let turns: Vec<Turn> = turns.iter().map(turn).collect();
    let read = || {
        let mut document = Document::read(file, Some(runner))?;
        let setting = setting::lay_over(&mut document, &turns)?;
        let reader = document.reader();
        Ok((resolve::services(reader, RawCompose::read(reader, &document.root)?)?, setting))
    };
    read().map_err(|error: PlanError| error.to_string())
}

fn process(turns: &[&str]) -> (Vec<Service>, Setting) {
    at(&example(), turns, Runner::Process).unwrap()
}

fn named<'s>(services: &'s [Service], name: &str) -> &'s Service {
    services.iter().find(|service| service.name == name).unwrap()
}

#[test]
fn a_knob_reaches_all_that_it_is_declared_for_and_nothing_else() {
    let (services, setting) = process(&["pool=5", "share=0.3"]);
    let plain = resolve(&example()).unwrap();
    for name in ["api1", "api2"] {
        let turned = named(&services, name);
        assert_eq!((turned.environment["POOL"].as_str(), turned.cpus_milli), ("5", 300));
        let mut back = turned.clone();
        back.cpus_milli = named(&plain, name).cpus_milli;
        back.environment.insert("POOL".to_owned(), named(&plain, name).environment["POOL"].clone());
        assert_eq!(back, *named(&plain, name));
    }
    assert_eq!(named(&services, "db"), named(&plain, "db"));
    assert_eq!(setting.unseen, [""; 0]);
    let api = json!({
        "environment": { "POOL": "5" },
        "deploy": { "resources": { "limits": { "cpus": "0.3" } } },
    });
    assert_eq!(setting.over, json!({ "services": { "api1": api, "api2": api } }));
}

#[test]
fn a_place_is_turned_without_a_word_in_the_file() {
    let (services, setting) = process(&["nginx.memory=128MB", "db.arg.fsync=off", "api1.env.DB_HOST=::1"]);
    assert_eq!(named(&services, "nginx").memory_bytes, 128 << 20);
    assert_eq!(named(&services, "db").command, words("postgres|-D|${volume:data}|-c|fsync=off"));
    // The process has a value of its own, which counts for it.
    assert_eq!(named(&services, "api1").environment["DB_HOST"], "::1");
    assert_eq!(setting.unseen, [""; 0]);
    let command = json!(["postgres", "-D", "$${volume:data}", "-c", "fsync=off"]);
    assert_eq!(setting.over["services"]["db"]["command"], command);
}

#[test]
fn several_arguments_of_one_command_are_all_turned() {
    let text = "services:
  a:
    image: i
    cpus: 1
    mem_limit: 1g
    command: app --pool 5 max=3 --name=x --fast --last
";
    let (services, setting) =
        at(text, &["a.arg.pool=7", "a.arg.max=$x", "a.arg.name=z"], Runner::Docker).unwrap();
    assert_eq!(named(&services, "a").command, words("app|--pool|7|max=$x|--name=z|--fast|--last"));
    let command = json!(["app", "--pool", "7", "max=$$x", "--name=z", "--fast", "--last"]);
    assert_eq!(setting.over, json!({ "services": { "a": { "command": command } } }));
    // A flag has no value, and the next argument is none.
    let error = at(text, &["a.arg.fast=3"], Runner::Docker).unwrap_err();
    assert!(error.contains("`a.arg.fast` reaches nothing"), "{error}");
}

#[test]
fn values_that_a_file_lists_are_taken_as_they_are() {
    let knob = |values: &str| {
        let text = example().replacen("values: [1, 5]", values, 1);
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("compose.yaml");
        let file = File { shown: "compose.yaml".to_owned(), path, text, named_at: None };
        let document = Document::read(file, Some(Runner::Process)).unwrap();
        let declared =
            setting::declared(document.reader(), &document.root).map_err(|error| error.to_string());
        declared.map(|declared| declared[0].knob.values.clone())
    };
    let each = |values: &[&str]| Ok(Values::Each(values.iter().map(|value| (*value).to_owned()).collect()));
    assert_eq!(knob(r#"values: ["a,b", "1..3", " x"]"#), each(&["a,b", "1..3", " x"]));
    insta::assert_snapshot!(knob(r#"range: "1,2""#).unwrap_err(), @r"
    compose.yaml:7: knob `pool`: `1,2` is no range
    hint: write for example `range: 0.2..1.1`
    ");
}

#[test]
fn what_is_a_variable_for_compose_comes_out_as_it_was_meant() {
    let (services, setting) = process(&["db.env.PASSWORD=a$b"]);
    assert_eq!(named(&services, "db").environment["PASSWORD"], "a$b");
    assert_eq!(setting.over["services"]["db"]["environment"]["PASSWORD"], "a$$b");
    assert_eq!(setting.unseen, ["db.env.PASSWORD"]);
}

#[test]
fn a_limit_is_turned_in_the_words_in_which_the_file_says_it() {
    let text = "services: { a: { image: i, cpus: 1, mem_limit: 1g }, b: { image: i, cpus: 1, mem_limit: 1g, deploy: { resources: { limits: { cpus: '1' } } } } }";
    let (services, setting) = at(text, &["*.cpus=0.5"], Runner::Docker).unwrap();
    assert!(services.iter().all(|service| service.cpus_milli == 500 && service.memory_bytes == 1 << 30));
    let new = json!({ "resources": { "limits": { "cpus": "0.5" } } });
    let over = json!({ "services": { "a": { "cpus": "0.5" }, "b": { "cpus": "0.5", "deploy": new } } });
    assert_eq!(setting.over, over);
}

#[test]
fn knobs_of_the_traffic_turn_nothing_of_a_file() {
    let (services, setting) = process(&["profile=official", "scale=2"]);
    assert_eq!((services, setting.over.is_null()), (resolve(&example()).unwrap(), true));
}

#[test]
fn a_knob_that_reaches_nothing_is_told() {
    let error = |turns: &[&str]| at(&example(), turns, Runner::Process).unwrap_err();
    insta::assert_snapshot!(error(&["pol=5"]), @r"
    compose.yaml: there is no knob `pol` here
    hint: did you mean `pool`?
    ");
    insta::assert_snapshot!(error(&["connections=5"]), @r"
    compose.yaml: there is no knob `connections` here
    hint: the file declares knobs under `x-galo.knobs`; or name the place: SERVICE.cpus, SERVICE.memory, SERVICE.env.NAME, SERVICE.arg.NAME
    ");
    insta::assert_snapshot!(error(&["ap1.cpus=0.5"]), @"compose.yaml: knob `ap1.cpus`: unknown service `ap1`; did you mean `api1`?");
    insta::assert_snapshot!(error(&["db.cpu=0.5"]), @r"
    compose.yaml: `db.cpu` is no place of a Compose file
    hint: did you mean `db.cpus`?
    ");
    insta::assert_snapshot!(error(&["db.cpus=half"]), @"compose.yaml:58: `cpus`: `half` is not a number of CPUs; write for example `0.45`");
    insta::assert_snapshot!(error(&["nginx.arg.workers=2"]), @r"
    compose.yaml:28: `nginx.arg.workers` reaches nothing: no command of `nginx` has that argument
    hint: its command has to say `workers=...`, `--workers=...` or `--workers ...`
    ");
    insta::assert_snapshot!(error(&["share=0.3", "api1.cpus=0.4"]), @r"
    compose.yaml: knobs `share` and `api1.cpus` both turn `api1.cpus`
    hint: leave one of them out
    ");
}

#[test]
fn a_knob_that_is_declared_wrongly_is_told() {
    let error = |from: &str, to: &str| {
        let text = example();
        assert!(text.contains(from), "{from}");
        at(&text.replacen(from, to, 1), &["db.cpus=0.5"], Runner::Process).unwrap_err()
    };
    insta::assert_snapshot!(error("pool: { to:", "scale: { to:"), @r"
    compose.yaml:7: `scale` is not a name for a knob
    hint: use letters, digits, `_` and `-`; `profile` and `scale` are of the traffic
    ");
    insta::assert_snapshot!(error("pool: { to: 'api*.env.POOL', ", "pool: { "), @r"
    compose.yaml:7: knob `pool` goes nowhere
    hint: write `to:` with one of SERVICE.cpus, SERVICE.memory, SERVICE.env.NAME, SERVICE.arg.NAME
    ");
    insta::assert_snapshot!(error("'api*.env.POOL'", "pool"), @r"
    compose.yaml:7: `pool` is no place of a Compose file
    hint: write one of SERVICE.cpus, SERVICE.memory, SERVICE.env.NAME, SERVICE.arg.NAME
    ");
    insta::assert_snapshot!(error("'api*.env.POOL'", "[]"), @r"
    compose.yaml:7: knob `pool` goes nowhere
    hint: write one of SERVICE.cpus, SERVICE.memory, SERVICE.env.NAME, SERVICE.arg.NAME
    ");
    insta::assert_snapshot!(error("values: [1, 5]", "values: [1, 1]"), @"compose.yaml:7: knob `pool`: it names `1` twice");
    insta::assert_snapshot!(error(", values: [1, 5]", ""), @r"
    compose.yaml:7: knob `pool` needs either `values` or a `range`
    hint: write `values: [1, 2, 4]` or `range: 0.2..1.1`
    ");
    insta::assert_snapshot!(error("range: 0.1..0.5", "range: 0.1.."), @"compose.yaml:8: knob `share`: `0.1..` has no end");
    insta::assert_snapshot!(error("values: [1, 5]", "value: [1, 5]"), @"compose.yaml:7: unknown key `value`; did you mean `values`?");
}
