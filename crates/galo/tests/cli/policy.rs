//! Entries of a contest, held against its policy and refused: nothing is started, so no engine and no port is needed.

use std::path::Path;
use std::time::{Duration, Instant};

use insta::assert_snapshot;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Ended, compose, free_port, galo, run};

/// An entry as participants write them, with its load balancer at the contest's port.
const GOOD: &str = r#"version: "3.5"
services:
  api1: &api
    image: somebody/api:1.2
    depends_on: [db]
    environment: [DB_HOST=db]
    deploy: { resources: { limits: { cpus: '0.3333', memory: '0.5GB' } } }
  api2: *api
  nginx:
    image: nginx:1.25
    volumes: ["./nginx.conf:/etc/nginx/nginx.conf:ro"]
    ports: ["9999:80"]
    depends_on: [api1, api2]
    deploy: { resources: { limits: { cpus: '0.0834', memory: '300M' } } }
  db:
    image: postgres:15
    deploy: { resources: { limits: { cpus: '0.75', memory: '1.5gb' } } }
"#;

/// A contest's folder: entries by name, each with what replaces something in the good one.
fn contest(entries: &[(&str, &[(&str, &str)])]) -> TempDir {
    let contest = tempfile::tempdir().unwrap();
    for (name, replaced) in entries {
        let folder = contest.path().join(name);
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("nginx.conf"), "").unwrap();
        let text = replaced.iter().fold(GOOD.to_owned(), |text, (from, to)| {
            assert!(text.contains(from), "{from}");
            text.replace(from, to)
        });
        std::fs::write(folder.join("docker-compose.yml"), text).unwrap();
    }
    contest
}

/// Five of them, of which one is within the policy.
fn entries() -> TempDir {
    contest(&[
        ("ana", &[]),
        ("bia", &[("'0.75'", "'0.751'"), ("1.5gb", "2GiB"), ("nginx:1.25", "nginx")]),
        ("caio", &[("    deploy: { resources: { limits: { cpus: '0.75', memory: '1.5gb' } } }\n", "")]),
        (
            "davi",
            &[
                ("9999:80", "8080:80"),
                (
                    "    image: postgres:15\n",
                    "    image: postgres:15\n    privileged: true\n    platform: linux/arm64\n",
                ),
                ("./nginx.conf:", "./conf/nginx.conf:"),
            ],
        ),
        ("eva", &[("depends_on: [db]", "depends_on: [bd]")]),
    ])
}

fn held(contest: &Path, more: &[&str]) -> Ended {
    let arguments = [&["check", "--policy", "."], more].concat();
    run(galo(&arguments).current_dir(contest))
}

#[test]
fn entries_of_a_contest_are_held_against_the_budget_as_they_are() {
    let contest = entries();
    // Else a line would hold the folder's own path, and be wrapped elsewhere with every other one.
    std::fs::create_dir(contest.path().join("davi/conf")).unwrap();
    std::fs::write(contest.path().join("davi/conf/nginx.conf"), "").unwrap();
    let ended = held(contest.path(), &[]).expect(1);
    assert!(ended.stdout.lines().all(|line| line.chars().count() <= 80), "{}", ended.stdout);
    assert_snapshot!(ended.stdout, @r"
    file                                               CPU     memory
    ana/docker-compose.yml                             1.5    2.8 GiB  within
    bia/docker-compose.yml                           1.501    3.3 GiB  2 breaches
      services take 1.501 CPU of 1.5
      services take 3.3 GiB memory of 3 GiB
      advice: service `nginx`: image `nginx` has neither a tag nor a digest
    caio/docker-compose.yml                           0.75    1.3 GiB  2 breaches
      service `db` has no CPU limit
      service `db` has no memory limit
    davi/docker-compose.yml                            1.5    2.8 GiB  2 breaches
      no service publishes port 9999, where the traffic goes
      service `db`: `privileged: true` lifts all that keeps it in
      advice: service `db` is for `linux/arm64`, not for `linux/amd64`
    eva/docker-compose.yml                               -          -  1 breach
      eva/docker-compose.yml:5: `api1` depends on an unknown service `bd`; did you
        mean `db`?
    5 files: 1 within the policy, 4 not
    ");
    assert_eq!(ended.stderr, "");
}

#[test]
fn an_entry_within_the_policy_is_told_as_that() {
    let contest = contest(&[("ana", &[])]);
    assert_snapshot!(held(contest.path(), &[]).expect(0).stdout, @r"
    file                                               CPU     memory
    ana/docker-compose.yml                             1.5    2.8 GiB  within
    1 file: 1 within the policy, 0 not
    ");
    assert_eq!(held(contest.path(), &["--quiet"]).expect(0).stdout, "");
}

#[test]
fn advice_alone_leaves_a_file_within_the_policy() {
    let contest = contest(&[("ana", &[("nginx:1.25", "nginx"), ("somebody/api:1.2", "somebody/api")])]);
    assert_snapshot!(held(contest.path(), &[]).expect(0).stdout, @r"
    file                                               CPU     memory
    ana/docker-compose.yml                             1.5    2.8 GiB  within
      advice: service `api1`: image `somebody/api` has neither a tag nor a digest
      advice: service `api2`: image `somebody/api` has neither a tag nor a digest
      advice: service `nginx`: image `nginx` has neither a tag nor a digest
    1 file: 1 within the policy, 0 not
    ");
    let report = held(contest.path(), &["--json", "-"]).expect(0).json();
    assert_eq!((&report["breached"], &report["files"][0]["breaches"]), (&json!(0), &json!([])));
}

#[test]
fn services_of_one_image_are_instances_whatever_their_names() {
    let contest = contest(&[("ana", &[("api1", "api-blue"), ("api2", "api-green")])]);
    std::fs::write(
        contest.path().join("two.toml"),
        small(9999).replace("port = 9999", "instances = 2, port = 9999"),
    )
    .unwrap();
    let told =
        |more: &str| held(contest.path(), &["--challenge", "./two.toml"]).expect(1).stdout.contains(more);
    assert!(told("services take 1.5 CPU of 0.5\n") && !told("instances must be"));
    std::fs::write(
        contest.path().join("two.toml"),
        small(9999).replace("port = 9999", "instances = 3, port = 9999"),
    )
    .unwrap();
    assert!(told("2 services are of one image or one build: 3 instances must be\n"));
}

#[test]
fn the_json_holds_every_breach_with_its_figures() {
    let contest = entries();
    let report = held(contest.path(), &["--json", "-"]).expect(1).json();
    assert_eq!((&report["format"], &report["breached"]), (&json!(1), &json!(4)));
    let of = |name: &str| {
        let files = report["files"].as_array().unwrap();
        files.iter().find(|file| file["file"].as_str().unwrap().contains(name)).unwrap().clone()
    };
    let ana = of("ana");
    assert_eq!(ana["sum"], json!({ "cpus": 1.5, "memory_bytes": (512 + 512 + 300 + 1536_u64) << 20 }));
    assert_eq!(ana["budget"], json!({ "cpus": 1.5, "memory_bytes": 3072_u64 << 20 }));
    assert_eq!((&ana["instances"], &ana["name"]), (&json!(2), &json!("ana")));
    assert_eq!(
        ana["services"][0],
        json!({ "name": "api1", "cpus": 0.3333, "memory_bytes": 512 << 20, "replicas": 1 })
    );
    let listed = |name: &str, list: &str| -> Vec<Value> {
        let listed = of(name)[list].as_array().unwrap().clone();
        listed.iter().map(|breach| json!([breach["code"], breach["service"], breach["figures"]])).collect()
    };
    let breaches = |name: &str| listed(name, "breaches");
    let advice = |name: &str| listed(name, "advice");
    assert_eq!(
        breaches("bia"),
        [
            json!(["cpu-over-budget", null, { "taken": 1.501, "budget": 1.5 }]),
            json!(["memory-over-budget", null, { "taken": (512 + 512 + 300 + 2048_u64) << 20, "budget": 3072_u64 << 20 }]),
        ]
    );
    assert_eq!(advice("bia"), [json!(["image-without-tag", "nginx", { "image": "nginx" }])]);
    assert_eq!(breaches("caio"), [json!(["no-cpu-limit", "db", {}]), json!(["no-memory-limit", "db", {}])]);
    assert_eq!(
        of("caio")["services"][3],
        json!({ "name": "db", "cpus": null, "memory_bytes": null, "replicas": 1 })
    );
    let missing = contest.path().canonicalize().unwrap().join("davi/conf/nginx.conf");
    assert_eq!(
        breaches("davi"),
        [
            json!(["port-not-published", null, { "port": 9999 }]),
            json!(["needs-trust", "db", { "asked": "`privileged: true`", "why": "lifts all that keeps it in" }]),
        ]
    );
    assert_eq!(
        advice("davi"),
        [
            json!(["mount-missing", "nginx", { "source": missing }]),
            json!(["foreign-platform", "db", { "platform": "linux/arm64" }]),
        ]
    );
    assert_eq!(breaches("eva"), [json!(["unreadable", null, {}])]);
    assert!(of("eva")["breaches"][0]["words"].as_str().unwrap().contains("unknown service `bd`"));
}

#[test]
fn nothing_to_hold_is_wrong_use() {
    let empty = tempfile::tempdir().unwrap();
    assert_snapshot!(held(empty.path(), &[]).expect(2).stderr, @r"
    `.` holds no Compose file
    error: there is nothing to hold against the policy
    hint: name Compose files, or folders with some in them, at most four deep
    ");
    let told = run(&mut galo(&["check", "--policy"])).expect(2);
    assert!(told.stderr.contains("--policy <FILE|DIR>"), "{}", told.stderr);
    // What is not there is one file that cannot be read.
    assert!(
        run(&mut galo(&["check", "--policy", "/nowhere"]))
            .expect(1)
            .stdout
            .contains("cannot read `/nowhere`")
    );
}

#[test]
fn another_challenge_has_another_budget() {
    let contest = contest(&[("ana", &[])]);
    let challenge =
        std::fs::read_to_string(crate::support::root().join("challenges/pessoas/challenge.toml")).unwrap();
    assert!(challenge.contains("pessoas"));
    let told = held(contest.path(), &["--challenge", "./none.toml"]).expect(2).stderr;
    assert!(told.contains("cannot read the challenge `./none.toml`"), "{told}");
    std::fs::write(contest.path().join("small.toml"), small(9999)).unwrap();
    let told = held(contest.path(), &["--challenge", "./small.toml"]).expect(1).stdout;
    assert!(told.contains("services take 1.5 CPU of 0.5\n"), "{told}");
}

#[test]
fn a_hundred_entries_take_hardly_any_time() {
    let names: Vec<String> = (0..100).map(|n| format!("entry{n}")).collect();
    let all: Vec<(&str, &[(&str, &str)])> = names.iter().map(|name| (name.as_str(), &[][..])).collect();
    let contest = contest(&all);
    let started = Instant::now();
    let told = held(contest.path(), &[]).expect(0).stdout;
    // Below a second as released; this one is built for tests, beside others that run.
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    assert!(told.ends_with("100 files: 100 within the policy, 0 not\n"), "{told}");
}

/// A challenge with half a CPU, whose contenders listen at this port.
fn small(port: u16) -> String {
    format!(
        r#"
name = "small"
title = "Small"
policy = {{ port = {port}, cpus = "0.5", memory = "512MB" }}
timeouts = {{ connect = "1s", answer = "1s" }}

[service-level]
latency = "100ms"
classes = ["50ms"]

[[scenario]]
name = "look"
connection = "per-user"
[[scenario.step]]
name = "look"
request = "GET /"
statuses = [200]

[profile.quick]
look = ["1/s for 1s"]
[profile.check]
look = ["1/s for 1s"]
[profile.official]
look = ["1/s for 1s"]
"#
    )
}

/// A contender of processes that takes twice the budget of its challenge, and never listens.
fn over_budget() -> TempDir {
    let folder = compose(
        "x-galo: { challenge: ./small.toml }\nservices:\n  api:\n    \
         deploy: { resources: { limits: { cpus: \"1\", memory: 64MB } } }\n    x-galo: { command: [\"false\"] }\n",
    );
    std::fs::write(folder.path().join("small.toml"), small(free_port())).unwrap();
    folder
}

#[test]
fn a_contender_over_the_budget_fights_only_where_that_is_known() {
    let folder = over_budget();
    let path = folder.path().to_str().unwrap();
    for command in ["fight", "check", "limit", "soak", "up"] {
        let told = run(&mut galo(&[command, path])).expect(2).stderr.replace(path, "DIR");
        assert_eq!(
            told,
            "error: DIR/compose.yaml: services take 1 CPU of 0.5\nhint: lower `deploy.resources.limits.cpus` of its \
             services, or say that it is known: --over-budget\n",
            "galo {command}"
        );
    }
    let out = folder.path().join("out");
    let known = ["up", path, "--over-budget", "--unlimited", "--out", out.to_str().unwrap()];
    let told = run(&mut galo(&known)).expect(4).stderr;
    let first = told.lines().next().unwrap_or_default();
    assert!(
        first.contains(
            " is over the budget, and it was known (--over-budget): it takes 1 CPU and 64 MiB of 0.5 CPU"
        ),
        "{told}"
    );
}

/// What is told of arguments in a folder, which is wrong use.
fn wrong(folder: &Path, arguments: &[&str]) -> String {
    let ended = run(galo(arguments).current_dir(folder)).expect(2);
    let real = folder.canonicalize().unwrap();
    ended.stderr.replace(real.to_str().unwrap(), "DIR").trim().to_owned()
}

#[test]
fn a_file_without_a_challenge_is_for_the_one_that_is_named_or_whose_port_it_publishes() {
    let contest = contest(&[
        ("davi", &[("9999:80", "8080:80")]),
        ("host", &[("    ports: [\"9999:80\"]\n", "    network_mode: host\n")]),
    ]);
    let told = |arguments: &[&str]| wrong(contest.path(), arguments);
    assert_snapshot!(told(&["check", "davi"]), @r#"
    error: davi/docker-compose.yml: no service publishes port 9999, where the traffic goes (it publishes `8080`)
    hint: write `ports: ["9999:80"]` at the load balancer, with the port that it listens at
    "#);
    // What has the machine's own network may be at its port; processes are at none that a file tells.
    let nameless = compose("services: { api: { cpus: 1, mem_limit: 1g, x-galo: { command: a } } }\n");
    assert_snapshot!(wrong(nameless.path(), &["check", "."]), @r"
    error: DIR/compose.yaml: the file does not say which challenge it is for
    hint: name it: --challenge pessoas, or a file: --challenge ./challenge.toml; or write `x-galo: { challenge: pessoas }` at the top
    ");
    assert_snapshot!(told(&["check", "host", "--runner", "process"]), @r"
    error: host/docker-compose.yml:15: service `db` has no command
    hint: write `x-galo: { command: ... }` in it, since an image's own command is not known here
    ");
    assert_snapshot!(told(&["check", "host", "--challenge", "pesoas"]), @r"
    error: unknown challenge `pesoas`
    hint: there are `pessoas` and `crebitos`; a file is named by its path, e.g. ./challenge.toml
    ");
    let named = compose(
        "x-galo: { challenge: pessoas }\nservices: { api: { command: a, cpus: 1, mem_limit: 1g } }\n",
    );
    std::fs::write(named.path().join("small.toml"), small(9999)).unwrap();
    assert_snapshot!(wrong(named.path(), &["check", ".", "--challenge", "./small.toml"]), @r"
    error: `.` names another challenge than --challenge ./small.toml
    hint: leave --challenge out: it is for addresses, and for files that name none
    ");
}

#[test]
fn how_contenders_are_started_is_said_for_all_or_for_each_and_not_for_addresses() {
    let contest = contest(&[("ana", &[]), ("bia", &[])]);
    let told = |arguments: &[&str]| wrong(contest.path(), arguments);
    assert_snapshot!(told(&["fight", "ana", "bia", "ana", "--runner", "docker,process"]), @r"
    error: --runner names 2 for 3 contenders
    hint: name one for all, or one for each, in their order
    ");
    assert_snapshot!(told(&["up", "ana", "--runner", "docker,process"]), @r"
    error: --runner names 2 for 1 contender
    hint: name one for all, or one for each, in their order
    ");
    assert_snapshot!(told(&["fight", "ana", "bia", "--runner", "podman"]), @r"
    error: invalid value 'podman' for '--runner <RUNNER>'
      [possible values: auto, process, docker]

    For more information, try '--help'.
    ");
    assert_snapshot!(told(&["check", "http://127.0.0.1:1", "--runner", "docker"]), @r"
    error: --runner is for a contender that galo starts, not for an address
    hint: leave it out
    ");
    assert_snapshot!(told(&["check", "http://127.0.0.1:1", "--trust"]), @r"
    error: --trust is for a contender that galo starts, not for an address
    hint: leave it out
    ");
    // The second is to be processes, and says no word of how.
    let told = told(&["fight", "ana", "bia", "--runner", "docker,process"]);
    assert!(told.contains("DIR/bia/docker-compose.yml") || told.contains("bia/docker-compose.yml"), "{told}");
    assert!(told.contains("has no command"), "{told}");
}

#[test]
fn what_only_a_trusted_file_may_ask_for_is_refused_at_once() {
    let contest = contest(&[("davi", &[("image: postgres:15", "image: postgres:15\n    pid: host")])]);
    assert_snapshot!(wrong(contest.path(), &["check", "davi"]), @r"
    error: davi/docker-compose.yml:17: service `db`: `pid: host` shows it the processes of others
    hint: leave it out, or say that the file is trusted: --trust
    ");
}
