//! Challenges from files: fought, checked, reported, and told apart.

use std::path::Path;

use insta::assert_snapshot;
use serde_json::Value;
use tempfile::TempDir;

use crate::shop;
use crate::support::{Ended, assert_no_group_is_left, free_port, galo, run};

/// The arrivals of most tests.
pub(crate) const QUICK: &str = "50/s for 1s";

/// The challenge on a port.
fn challenge(port: u16, quick: &str) -> String {
    let traffic = format!(
        r#"
[[scenario]]
name = "look"
connection = "shared"

  [[scenario.step]]
  name = "look"
  request = "GET /items/1"
  statuses = [200]

[profile.quick]
"look" = ["{quick}"]

[profile.check]
"look" = ["20/s for 1s"]

[[case]]
name = "an item needs a price"

  [[case.request]]
  request = "POST /items"
  headers = {{ Content-Type = "application/json" }}
  body = '{{"name": "{{mark}}"}}'
  statuses = [400, 422]

[[case]]
name = "the first item is a cup"

  [[case.request]]
  request = "GET /items/1"
  statuses = [200]
  media-type = "application/json"
  shows = '{{"name": "cup"}}'
"#
    );
    shop::challenge("shop", port) + &traffic
}

/// A folder with the challenge, by whose profile `quick` arrivals come so, and its contenders `strict` and `lenient`.
pub(crate) fn shops(quick: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let port = free_port();
    std::fs::write(folder.path().join("challenge.toml"), challenge(port, quick)).unwrap();
    for (name, variable) in [("strict", ""), ("lenient", ", LENIENT: \"1\"")] {
        let compose = shop::contender("../challenge.toml", port, variable);
        std::fs::create_dir(folder.path().join(name)).unwrap();
        std::fs::write(folder.path().join(name).join("compose.yaml"), compose).unwrap();
    }
    folder
}

/// What a command ends with; its run folder is `run`.
pub(crate) fn ended(folder: &Path, arguments: &[&str]) -> Ended {
    let out = folder.join("run");
    let _ = std::fs::remove_dir_all(&out);
    run(galo(arguments).current_dir(folder).args(["--json", "-", "--quiet", "--out", "run"]))
}

#[test]
fn contenders_fight_by_the_file_that_they_name_and_the_count_is_no_word() {
    let folder = shops(QUICK);
    let report =
        ended(folder.path(), &["fight", "strict", "lenient", "--rounds", "1", "--no-restart"]).json();
    assert_no_group_is_left();

    assert_eq!(report["challenge"], "shop", "{report}");
    for round in report["rounds"].as_array().unwrap() {
        assert_eq!((&round["ledger"]["ok"], &round["counted"]), (&Value::from(50), &Value::Null), "{round}");
        let mut findings =
            round["findings"].as_array().unwrap().iter().filter_map(|one| one["name"].as_str());
        assert!(!findings.any(|name| name.starts_with("count-") || name.contains("ceiling")), "{round}");
    }
    let out = folder.path().join("run");
    let again = folder.path().join("again");
    let told = run(galo(&["report"]).arg(&out).arg("--out").arg(&again)).expect(0).stdout;
    let read = |folder: &Path| std::fs::read(folder.join("report.json")).unwrap();
    assert_eq!(read(&again), read(&out));
    assert!(!told.contains("counted") && !told.contains("created"), "{told}");
}

#[test]
fn a_check_goes_through_the_files_cases_and_names_the_one_that_fails() {
    let folder = shops(QUICK);
    let strict = ended(folder.path(), &["check", "strict"]).expect(0).json();
    assert_no_group_is_left();
    let conformance = &strict["rounds"][0]["conformance"];
    assert_eq!((&conformance["cases"], &conformance["held"]), (&2.into(), &2.into()), "{conformance}");

    let lenient = ended(folder.path(), &["check", "lenient"]).expect(1).json();
    let broken = &lenient["rounds"][0]["conformance"]["broken"];
    assert_eq!(broken.as_array().map(Vec::len), Some(1), "{broken}");
    let of = |key: &str| broken[0][key].as_str().unwrap_or_default().to_owned();
    assert_eq!((of("case"), of("rule")), ("an item needs a price".into(), "answers-as-described".into()));
    let expected = serde_json::json!({"kind": "status", "statuses": ["400", "422"]});
    assert_eq!((&broken[0]["expected"], &broken[0]["came"]["status"]), (&expected, &201.into()), "{broken}");
}

#[test]
fn a_server_that_runs_is_checked_by_a_file() {
    let folder = shops(QUICK);
    for (is_lenient, code) in [(false, 0), (true, 1)] {
        let url = format!("http://{}", shop::start(is_lenient));
        let arguments = ["check", &url, "--challenge", "./challenge.toml"];
        let report = ended(folder.path(), &arguments).expect(code).json();
        let held = &report["rounds"][0]["conformance"]["held"];
        assert_eq!(*held, Value::from(2 - code), "{report}");
    }
}

#[test]
fn the_scale_that_a_contender_holds_is_found_without_a_count() {
    let folder = shops(QUICK);
    let arguments =
        ["limit", "strict", "--profile", "quick", "--max", "2", "--hold", "2s", "--confirm", "2s"];
    let report = ended(folder.path(), &arguments).json();
    assert_no_group_is_left();
    let holds = report["holds"].as_array().unwrap();
    assert!(!holds.is_empty(), "{report}");
    for hold in holds {
        assert_eq!((&hold["stored_before"], &hold["preload"]), (&Value::Null, &Value::Null), "{hold}");
    }
}

#[test]
fn what_is_wrong_with_a_challenge_is_told_with_its_file() {
    let folder = shops(QUICK);
    let told = |arguments: &[&str]| {
        let ended = run(galo(arguments).current_dir(folder.path())).expect(2);
        let real = folder.path().canonicalize().unwrap();
        ended.stderr.replace(&*real.to_string_lossy(), "DIR").trim().to_owned()
    };
    let rewrite = |file: &str, from: &str, to: &str| {
        let path = folder.path().join(file);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{text}");
        std::fs::write(path, text.replace(from, to)).unwrap();
    };
    assert_snapshot!(told(&["check", "strict", "--crash"]), @r#"
error: --crash looks for what was acknowledged, and challenge `shop` does not say what creates
hint: leave --crash out
"#);
    assert_snapshot!(told(&["fight", "strict", "--profile", "quik"]), @"error: challenge `shop`: unknown profile `quik`; did you mean `quick`?");
    std::fs::copy(folder.path().join("challenge.toml"), folder.path().join("other.toml")).unwrap();
    rewrite("other.toml", "100ms", "200ms");
    assert_snapshot!(told(&["check", "strict", "--challenge", "./other.toml"]), @r#"
error: `strict` names another challenge than --challenge ./other.toml
hint: leave --challenge out: it is for addresses, and for files that name none
"#);
    rewrite("lenient/compose.yaml", "../challenge.toml", "../other.toml");
    assert_snapshot!(told(&["fight", "strict", "lenient"]), @r#"
error: contenders for different challenges cannot fight:
  DIR/strict/compose.yaml names `shop`
  DIR/lenient/compose.yaml names another `shop`
hint: let both name one file, or files that say the same
"#);
    rewrite("lenient/compose.yaml", "../other.toml", "pesoas");
    assert_snapshot!(told(&["up", "lenient"]), @r#"
error: DIR/lenient/compose.yaml: unknown challenge `pesoas`
hint: there are `pessoas` and `crebitos`; a file is named by its path, e.g. ./challenge.toml
"#);
    rewrite("lenient/compose.yaml", "pesoas", "none.toml");
    assert_snapshot!(told(&["up", "lenient"]), @r#"
error: cannot read the challenge `DIR/lenient/none.toml`: No such file or directory (os error 2)
hint: in a Compose file its path is relative to that file, after --challenge to here
"#);
    rewrite("challenge.toml", "profile.check", "profile.light");
    assert_snapshot!(told(&["check", "strict"]), @r#"
error: challenge `shop` has no profile `check`, which is what `galo check` drives
hint: write `[profile.check]` into its file, with light traffic of each scenario
"#);
    rewrite("challenge.toml", "[[case.request]]", "[[case.requests]]");
    assert_snapshot!(told(&["limit", "strict"]), @"error: DIR/challenge.toml:35: unknown key `requests`; did you mean `request`?");
}
