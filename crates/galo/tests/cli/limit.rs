//! The highest scale that a contender holds, with holds of seconds.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use insta::assert_snapshot;
use serde_json::Value;

use crate::shop;
use crate::support::{
    CLOSE, assert_goes_on, assert_nothing_is_left, closed, compose, contender, free_port, galo, groups_left,
    kill, ran_alone, root, run, within_a_minute,
};

/// A service level that a machine full of other tests meets as well.
const SLO: &str = "p99<30s,errors==0";

fn limit(out: &Path, confirm: &str, more: &[&str]) -> Command {
    let mut command =
        galo(&["limit", "contenders/pessoas/rust-sqlite", "--hold", "2s", "--confirm", confirm]);
    command.args(["--slo", SLO]).args(more).arg("--out").arg(out);
    command
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value}"))
}

/// The holds that count; what the machine spoiled is driven again.
fn valid(report: &Value) -> impl Iterator<Item = &Value> {
    report["holds"].as_array().unwrap().iter().filter(|hold| hold["valid"] == true)
}

/// The scale of a hold.
fn scale(hold: &Value) -> f64 {
    hold["scale_milli"].as_f64().unwrap() / 1e3
}

#[test]
fn a_scale_is_held_with_the_people_it_would_have_and_confirmed() {
    if ran_alone() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let ended =
        run(&mut limit(&out, "3s", &["--start", "0.05", "--max", "0.1", "--at-least", "0.1", "--json", "-"]));
    let report = ended.expect(0).json();
    assert_nothing_is_left();

    assert_eq!((report["scale_milli"].as_u64(), &report["confirmed"]), (Some(100), &Value::Bool(true)));
    assert_eq!((&report["limited_by"], &report["end"]), (&Value::from("asked"), &Value::from("done")));
    let all = report["holds"].as_array().unwrap();
    let holds: Vec<&Value> = valid(&report).collect();
    let scales: Vec<f64> = holds.iter().map(|hold| scale(hold)).collect();
    assert_eq!(scales, [0.05, 0.1, 0.1], "{report}");
    for hold in &holds {
        let [before, after] = ["stored_before", "stored_after"].map(|key| number(&hold[key]));
        assert_eq!(after - before, number(&hold["acknowledged"]), "{hold}");
        // The whole official profile makes some 46,500 people.
        assert!(before as f64 >= 46_000.0 * scale(hold), "{hold}");
        assert_eq!(hold["ledger"]["intended"], hold["ledger"]["ok"], "{hold}");
        for service in hold["services"].as_array().unwrap() {
            assert!(service["cpu_ns"].as_u64() > Some(0), "{service}");
        }
    }
    assert!(all[0]["preload"]["created"].as_u64().unwrap() > 2_000, "{}", all[0]);
    let before_last = all.iter().position(|hold| hold == holds[1]).unwrap();
    rebuilding_changes_nothing(&out, &report, before_last);
}

/// Also where galo died right after the hold of this number, from 0: the last but one of those that nothing spoiled.
fn rebuilding_changes_nothing(out: &Path, report: &Value, before_last: usize) {
    let again = out.with_file_name("again");
    let rebuilt = run(galo(&["report", "--json", "-", "--out"]).arg(&again).arg(out)).expect(0);
    assert_eq!(&rebuilt.json(), report);
    for form in ["report.json", "report.html"] {
        assert!(std::fs::read(again.join(form)).unwrap() == std::fs::read(out.join(form)).unwrap(), "{form}");
    }
    let path = out.join("acts.jsonl");
    let acts = std::fs::read_to_string(&path).unwrap();
    let close = acts.match_indices(CLOSE).nth(before_last).unwrap().0;
    let end = close + acts[close..].find('\n').unwrap() + 1;
    // The last act tells the seed.
    let mut seed: Value = serde_json::from_str(acts.lines().last().unwrap()).unwrap();
    seed["number"] = acts[..end].lines().count().into();
    std::fs::write(&path, format!("{}{seed}\n", &acts[..end])).unwrap();
    let told = run(galo(&["report"]).arg(out)).expect(0).stdout;
    assert!(told.contains("rust-sqlite holds scale 0.1 or more of profile official under p99<30s"), "{told}");
    assert!(told.contains("broken off: what follows is what was known then"), "{told}");
}

#[test]
fn after_ctrl_c_the_holds_are_kept_and_nothing_is_left() {
    if ran_alone() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let mut child = limit(&out, "10m", &["--start", "0.02", "--max", "0.1", "--quiet"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    stop_after_a_hold(&mut child, &out);
    assert_goes_on(child, "limit", &out, "--quiet");
    let report = run(galo(&["report", "--json", "-"]).arg(&out)).expect(0).json();
    assert_eq!((&report["end"], &report["confirmed"]), (&Value::from("interrupted"), &Value::Bool(false)));
    assert_ne!(report["holds"].as_array().unwrap().len(), 0);
}

#[test]
fn a_search_that_was_killed_goes_on_where_it_was() {
    if ran_alone() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let options = ["--start", "0.02", "--max", "0.04", "--no-preload", "--quiet"];
    let mut search = limit(&out, "2s", &options).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    assert!((0..5).any(|_| within_a_minute(|| closed(&out) == 1)), "no hold was closed");
    kill(9, search.id());
    search.wait().unwrap();
    assert!(within_a_minute(|| groups_left().is_empty()), "the supervisor left something");
    let before = std::fs::read_to_string(out.join("acts.jsonl")).unwrap();

    let ended = run(galo(&["limit", "--json", "-", "--resume"]).arg(&out));
    assert_nothing_is_left();
    let report = ended.expect(0).json();
    assert_eq!((report["scale_milli"].as_u64(), &report["confirmed"]), (Some(40), &Value::Bool(true)));
    assert_eq!(report["starts"], 2, "{report}");
    let scales: Vec<f64> = valid(&report).map(scale).collect();
    assert_eq!(scales, [0.02, 0.04, 0.04], "{report}");
    let acts = std::fs::read_to_string(out.join("acts.jsonl")).unwrap();
    let whole = &before[..before.rfind('\n').map_or(0, |end| end + 1)];
    assert!(acts.starts_with(whole) && acts.contains(r#""outcome":"lost""#), "{acts}");
    let told = run(galo(&["check", "--resume"]).arg(&out)).expect(2).stderr;
    assert!(told.contains("was begun by `galo limit`"), "{told}");
    assert!(run(galo(&["report", "--json", "-"]).arg(&out)).expect(0).json() == report);
}

/// Ends a search as Ctrl-C does, once a hold of it is written down.
fn stop_after_a_hold(search: &mut Child, out: &Path) {
    assert!((0..5).any(|_| within_a_minute(|| closed(out) > 0)), "no hold was closed");
    kill(2, search.id());
    assert_eq!(search.wait().unwrap().code(), Some(130));
    assert_nothing_is_left();
}

#[test]
fn a_scale_that_a_cpu_limit_holds_back_is_not_held_and_the_throttling_is_recorded() {
    if ran_alone() {
        return;
    }
    let text = std::fs::read_to_string(root().join("contenders/pessoas/rust-sqlite/compose.yaml")).unwrap();
    let workdir = format!("workdir: {}", root().display());
    let slow = compose(&text.replace("workdir: ../../..", &workdir).replace("0.55", "0.05"));
    let out = slow.path().join("run");
    let mut search = galo(&["limit", "--hold", "4s", "--confirm", "4s", "--no-preload", "--quiet", "--out"]);
    search.arg(&out).arg(slow.path()).stdout(Stdio::null()).stderr(Stdio::null());
    stop_after_a_hold(&mut search.spawn().unwrap(), &out);
    let report = run(galo(&["report", "--json", "-"]).arg(&out)).expect(0).json();
    let hold = &report["holds"][0];
    assert_eq!(hold["met"], false, "{hold}");
    // What follows from that is judged on records: `galo_judge::limit`.
    let services = hold["services"].as_array().unwrap();
    assert!(services.iter().any(|service| service["throttled_share"].as_f64() > Some(0.5)), "{hold}");
}

#[test]
fn a_contender_that_does_not_start_is_told_as_everywhere() {
    if ran_alone() {
        return;
    }
    let folder = contender("exit 3", "");
    let out = tempfile::tempdir().unwrap();
    let ended = run(galo(&["limit", "--quiet", "--out"]).arg(out.path().join("run")).arg(folder.path()));
    assert!(ended.stderr.contains("exit status 3"), "{}", ended.stderr);
    ended.expect(4);
    assert_nothing_is_left();
}

#[test]
fn wrong_options_are_told_with_what_to_do() {
    let of = |contender: &str, more: &[&str]| run(galo(&["limit", contender]).args(more)).expect(2).stderr;
    let told = |more: &[&str]| of("contenders/pessoas/rust-sqlite", more);
    assert_snapshot!(told(&["--slo", "q90<1s"]), @"
    error: `q90<1s`: there is no figure `q90`
    hint: did you mean `p90`?
    ");
    assert_snapshot!(told(&["--hold", "1s"]), @"
    error: --hold `1s` is no length for a hold
    hint: choose from 2s to 1h, e.g. `30s`
    ");
    assert_snapshot!(told(&["--confirm", "10s"]), @"
    error: --confirm is shorter than --hold, so it would confirm nothing
    hint: make it several times as long
    ");
    assert_snapshot!(told(&["--at-least", "200"]), @"
    error: --at-least 200 is above --max 100, so it could never be met
    hint: raise --max
    ");
    assert_snapshot!(of("http://127.0.0.1:9999", &[]), @"
    error: `galo limit` needs a contender that it can start and fill, not an address
    hint: for an address, galo load --max-under
    ");
}

/// A challenge of nothing but creations, which no count tells of, and a contender that looks at all of them at each request.
fn diary() -> tempfile::TempDir {
    let (folder, port) = (tempfile::tempdir().unwrap(), free_port());
    let write = r#"
[[scenario]]
name = "write"
connection = "shared"

  [[scenario.step]]
  name = "write"
  request = "POST /items"
  body = '{{"name": "cup", "price": 1}}'
  statuses = [201]

[profile.official]
"write" = ["50/s for 1s"]
"#;
    let challenge = format!("{}{write}", shop::challenge("diary", port));
    std::fs::write(folder.path().join("challenge.toml"), challenge).unwrap();
    let contender = shop::contender("challenge.toml", port, ", SCANS: \"4000\"");
    std::fs::write(folder.path().join("compose.yaml"), contender).unwrap();
    folder
}

#[test]
fn a_server_that_looks_at_all_that_it_holds_is_told_so_and_no_other_program_is_blamed() {
    if ran_alone() {
        return;
    }
    let folder = diary();
    let mut search = galo(&[
        "limit",
        "--hold",
        "3s",
        "--confirm",
        "3s",
        "--slo",
        "p99<200ms",
        "--quiet",
        "--out",
        "run",
        ".",
    ]);
    let mut search = search.current_dir(folder.path()).stdout(Stdio::null()).spawn().unwrap();
    let out = folder.path().join("run");
    let grows = || {
        let report = run(galo(&["report", "--json", "-"]).arg(&out)).json();
        report["held_up"]["kind"] == "cost-grows"
    };
    let is_told = (0..2).any(|_| within_a_minute(|| closed(&out) > 3 && grows()));
    kill(2, search.id());
    search.wait().unwrap();
    assert_nothing_is_left();
    let report = run(galo(&["report", "--json", "-"]).arg(&out)).json();
    assert!(is_told, "{report}");
    let last = valid(&report).filter(|hold| hold["met"] == false).last().unwrap();
    assert_eq!(last["causes"][0]["name"], "cost-grows-with-stored", "{last}");
    assert!(!last["causes"].to_string().contains("busy-neighbour"), "{last}");
    let told = run(galo(&["report"]).arg(&out)).expect(0).stdout;
    assert!(told.contains("held up by: the cost of a request grows with what is stored"), "{told}");
}
