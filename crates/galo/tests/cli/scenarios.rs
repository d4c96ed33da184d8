//! Users who do several things one after another: the examples, on a small server that holds them to what they say.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::load::load;
use crate::servers::{Asked, next_request};
use crate::support::{galo, run};

/// What the server keeps.
#[derive(Default)]
struct State {
    /// Members by their token, and expected headers by their session.
    known: BTreeMap<String, String>,
    crocodiles: Vec<Value>,
    computers: u32,
    searched: BTreeSet<String>,
}

/// A server of both examples, until the test process ends; what it keeps can be looked at.
fn server() -> (String, Arc<Mutex<State>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address: SocketAddr = listener.local_addr().unwrap();
    let state = Arc::new(Mutex::new(State::default()));
    let shared = Arc::clone(&state);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let state = Arc::clone(&shared);
            std::thread::spawn(move || {
                let mut input = Vec::new();
                while let Some(asked) = next_request(&mut stream, &mut input) {
                    let answer = state.lock().unwrap().answer(&asked);
                    if stream.write_all(answer.as_bytes()).is_err() {
                        return;
                    }
                }
            });
        }
    });
    (format!("http://{address}/"), state)
}

fn told(status: u16, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status} X\r\n{headers}Content-Length: {}\r\n\r\n{body}", body.len())
}

fn as_json(status: u16, headers: &str, body: &Value) -> String {
    told(status, &format!("Content-Type: application/json\r\n{headers}"), &body.to_string())
}

impl State {
    fn answer(&mut self, asked: &Asked) -> String {
        let (method, target) = asked.line.split_once(' ').unwrap_or_default();
        match target {
            "/auth/token/login/" => self.log_in(asked),
            _ if target.starts_with("/my/") => self.crocodiles(method, target, asked),
            _ => self.computers(method, target, asked),
        }
    }

    fn log_in(&mut self, asked: &Asked) -> String {
        let body: Value = serde_json::from_str(&asked.body).unwrap_or_default();
        let (name, word) = (body["username"].as_str(), body["password"].as_str());
        let Some(name) = name
            .filter(|name| matches!((*name, word), ("ann", Some("one \"two\"")) | ("bob", Some("three"))))
        else {
            return as_json(401, "", &json!({}));
        };
        let token = format!("t/{} +{name}", self.known.len());
        self.known.insert(token.clone(), name.to_owned());
        as_json(200, "", &json!({"access": token}))
    }

    fn crocodiles(&mut self, method: &str, target: &str, asked: &Asked) -> String {
        let token = asked.header("authorization").and_then(|value| value.strip_prefix("Bearer "));
        let Some(owner) = token.and_then(|token| self.known.get(token)) else {
            return as_json(401, "", &json!({}));
        };
        let rest = target.trim_start_matches("/my/crocodiles/").trim_end_matches('/');
        match (method, rest) {
            ("POST", "") => {
                let mut croc: Value = serde_json::from_str(&asked.body).unwrap();
                croc["owner"] = json!(owner);
                self.crocodiles.push(croc.clone());
                let location = format!("Location: /my/crocodiles/{}/\r\n", self.crocodiles.len());
                as_json(201, &location, &croc)
            }
            ("GET", "") => as_json(200, "", &json!([{"id": 0, "name": "first"}])),
            ("GET", "0") => as_json(200, "", &json!({"id": 0, "owner": owner})),
            ("GET", id) => match id.parse::<usize>().ok().and_then(|id| self.crocodiles.get(id - 1)) {
                Some(croc) if croc["owner"] == json!(owner) => as_json(200, "", croc),
                _ => as_json(404, "", &json!({})),
            },
            _ => as_json(405, "", &json!({})),
        }
    }

    fn computers(&mut self, method: &str, target: &str, asked: &Asked) -> String {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        match (method, path) {
            ("GET", "/computers") => {
                self.searched.extend(query.strip_prefix("f=").map(str::to_owned));
                told(200, "", "Computers")
            }
            ("GET", "/computers/new") => {
                let session = format!("s{}", self.known.len());
                self.known.insert(format!("sid={session}"), format!("csrf-{session}"));
                let headers = format!(
                    "Set-Cookie: sid={session}; HttpOnly; Path=/\r\nX-Csrf-Token: csrf-{session}\r\n"
                );
                told(200, &headers, "form")
            }
            ("POST", "/computers") => {
                let expected = asked.header("cookie").and_then(|cookie| self.known.get(cookie));
                if expected.map(String::as_str) != asked.header("x-csrf-token") || expected.is_none() {
                    return told(403, "", "");
                }
                self.computers += 1;
                told(303, "Location: /computers?added\r\n", "")
            }
            _ => told(404, "", ""),
        }
    }
}

fn example(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/scenarios");
    folder.join(name).display().to_string()
}

/// Right answers by step, and all that were intended.
fn by_step(report: &Value) -> Vec<(String, u64, u64)> {
    let steps = report["parts"].as_array().unwrap().iter();
    let of = |step: &Value, key: &str| step["ledger"][key].as_u64().unwrap();
    steps
        .map(|step| (step["name"].as_str().unwrap().to_owned(), of(step, "ok"), of(step, "intended")))
        .collect()
}

#[test]
fn members_log_in_keep_their_token_and_read_what_they_wrote() {
    let (url, state) = server();
    let ended = load(&[&url, "--scenario", &example("crocodiles.toml"), "-c", "4", "-n", "40"]);
    let report = ended.expect(0).json();
    let names = ["log in", "list", "read", "write", "read back"];
    assert_eq!(by_step(&report), names.map(|name| (name.to_owned(), 40, 40)), "{report}");
    assert_eq!((&report["users"]["begun"], &report["ledger"]["ok"]), (&json!(40), &json!(200)));
    let state = state.lock().unwrap();
    let named: BTreeSet<_> = state.crocodiles.iter().map(|croc| croc["name"].as_str().unwrap()).collect();
    assert_eq!((state.crocodiles.len(), named.len()), (40, 40), "each user's number is in its name");
    let of_ann = state.crocodiles.iter().filter(|croc| croc["owner"] == "ann").count();
    assert_eq!(of_ann, 20, "rows are taken in turn");
}

#[test]
fn visitors_and_editors_come_by_their_weights_at_a_rate_of_users() {
    let (url, state) = server();
    let ended = load(&[&url, "--scenario", &example("computers.toml"), "--rate", "110", "-d", "1s"]);
    let report = ended.expect(0).json();
    let visitors = ["home", "search", "page 0", "page 1"].map(|name| (name.to_owned(), 100, 100));
    let editors = ["form", "post", "list"].map(|name| (name.to_owned(), 10, 10));
    assert_eq!(by_step(&report), [&visitors[..], &editors[..]].concat(), "{report}");
    assert_eq!(report["users"], json!({"begun": 110, "asked_per_s": 110.0}));
    assert_eq!(report["asked_per_s"], Value::Null, "it is a rate of users, not of requests");
    let state = state.lock().unwrap();
    assert_eq!(state.computers, 10, "cookies and captured headers are sent back");
    assert!(state.searched.iter().all(|term| ["Macbook", "eee%20pc", "C%26A"].contains(&term.as_str())));
}

#[test]
fn what_is_not_there_to_keep_is_a_wrong_answer_and_the_steps_behind_it_are_left_out() {
    let (url, _) = server();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("two.toml");
    let text = r#"
        [[scenario]]
        name = "two"
        [[scenario.step]]
        name = "get"
        request = "GET /computers"
        captures = { token = "json /token" }
        [[scenario.step]]
        name = "use"
        request = "GET /computers?t={token}"
    "#;
    std::fs::write(&file, text).unwrap();
    let path = file.display().to_string();
    let report = load(&[&url, "--scenario", &path, "-n", "10", "-c", "1"]).expect(0).json();
    assert_eq!(by_step(&report), [("get".to_owned(), 0, 10), ("use".to_owned(), 0, 0)], "{report}");
    assert_eq!((&report["parts"][1]["left_out"], &report["ledger"]["wrong"]), (&json!(10), &json!(10)));
    assert_eq!(report["examples"][0]["rule"], "nothing-to-keep");
    assert_eq!(report["examples"][0]["difference"], "there is no `json /token` to keep for later steps");
    let told = run(&mut galo(&["load", "--force", &url, "--scenario", &path, "-n", "10", "-c", "1"]))
        .expect(0)
        .stdout;
    assert!(told.contains("10 of 10 users did not come to `use`"), "{told}");
}

#[test]
fn a_file_that_cannot_be_followed_is_told_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("s.toml");
    let refused = |text: &str, options: &[&str]| {
        std::fs::write(&file, text).unwrap();
        let path = file.display().to_string();
        let all = [&["load", "http://127.0.0.1:1/", "--scenario", &path], options].concat();
        let told = run(&mut galo(&all)).expect(2).stderr;
        told.replace(&path, "s.toml").trim_end().to_owned()
    };
    let step = |rest: &str| format!("[[scenario]]\nname = \"a\"\n[[scenario.step]]\nname = \"b\"\n{rest}\n");
    insta::assert_snapshot!(
        [
            refused(&step("request = \"GET /{token}\""), &[]),
            refused(&step("request = \"GET /\"\ncaptures = { token = \"cookie x\" }"), &[]),
            refused(&step("request = \"GET /\"\nneeds = [\"token\"]"), &[]),
            refused(&step("request = \"GET /\"\nrepeat = 3"), &[]),
            refused(&step("request = \"GET /\"\npause = \"2h\""), &[]),
            refused(&step("request = \"GET /\"\nexpect-json = \"a\""), &[]),
            refused(&step("request = \"GET /\"\njson = 1\nbody = \"1\""), &[]),
            refused(&step("request = \"GET {seq}\""), &[]),
            refused(&step("request = \"GET /\""), &["--only", "c"]),
            refused(&step("request = \"GET /\""), &["--rate-step", "1", "--rate-max", "2"]),
            refused("name = \"a\"\n", &[]),
            refused("a \u{0} b", &[]),
        ]
        .join("\n---\n")
    );
}

#[test]
fn a_challenges_scenario_is_driven_by_its_name_and_one_of_a_model_is_refused() {
    let challenges = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../challenges");
    let of = |name: &str| challenges.join(name).join("challenge.toml").display().to_string();
    let (url, _) = server();
    let (posts, pessoas) = (of("posts"), of("pessoas"));
    let report = load(&[&url, "--scenario", &posts, "--only", "read", "-n", "5", "-c", "1"]).expect(0).json();
    assert_eq!(by_step(&report), [("read".to_owned(), 0, 5)]);
    let told = run(&mut galo(&["load", &url, "--scenario", &pessoas])).expect(2).stderr;
    assert!(
        told.contains("its requests are made by the model `pessoas`\nhint: drive it by `galo fight`"),
        "{told}"
    );
}

#[test]
fn both_sides_of_a_duel_are_sent_the_same_users() {
    let ((one, first), (two, second)) = (server(), server());
    let folder = tempfile::tempdir().unwrap();
    let run_folder = folder.path().join("run").display().to_string();
    let path = example("crocodiles.toml");
    let all = [
        "duel",
        "--rounds",
        "1",
        "--quick",
        "--rate",
        "20",
        "--ignore",
        "/access",
        "--json",
        "-",
        "--out",
        &run_folder,
    ];
    let report = run(&mut galo(&[&all[..], &[&one, &two, "--scenario", &path]].concat())).json();
    assert_eq!(report["request"], format!("the scenarios of {path}"), "{report}");
    let (first, second) = (first.lock().unwrap(), second.lock().unwrap());
    let written =
        |state: &State| -> BTreeSet<String> { state.crocodiles.iter().map(Value::to_string).collect() };
    assert!(first.crocodiles.len() > 40, "{}", first.crocodiles.len());
    assert_eq!(written(&first), written(&second), "same users, same rows, same numbers");
    assert!(report["answers"]["compared"].as_u64() > Some(0), "{report}");
    assert_eq!(report["answers"]["compared"], report["answers"]["equal"], "{report}");
}
