//! Duels and scans that are cut off, and go on.

use std::path::Path;
use std::process::{Command, Stdio};

use insta::assert_snapshot;
use serde_json::Value;

use crate::duel::{SHORT, duel, server};
use crate::support::{
    assert_goes_on, assert_no_group_is_left, galo, groups_left, kill, run, within_a_minute,
};

#[test]
fn after_ctrl_c_the_turns_are_kept_and_nothing_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let server = server();
    let mut child =
        duel(&out, "http://127.0.0.1:{port}/", [&server, &server], &["--quiet", "--rounds", "900"])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
    assert!(within_a_minute(|| closed(&out) >= 1));
    kill(2, child.id());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_no_group_is_left();
    assert_goes_on(child, "duel", &out, "--quiet");
    let told = run(galo(&["report"]).arg(&out)).expect(0).stdout;
    assert!(told.starts_with("broken off: what follows is what was known then\n"), "{told}");
}

/// How many pairs of a run were closed.
fn closed(out: &Path) -> usize {
    let acts = std::fs::read_to_string(out.join("acts.jsonl")).unwrap_or_default();
    acts.lines().filter(|line| line.contains(r#""act":"close""#)).count()
}

/// Kills galo once so many pairs of a run in this folder were closed.
fn killed_after(pairs: usize, out: &Path, command: &mut Command) {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    assert!(within_a_minute(|| closed(out) >= pairs), "no pair was closed");
    kill(9, child.id());
    child.wait().unwrap();
    assert!(within_a_minute(|| groups_left().is_empty()), "the supervisor left something");
}

/// The report of a run that was resumed, and is rebuilt from its folder.
fn resumed(out: &Path) -> Value {
    let ended = run(galo(&["duel", "--json", "-", "--resume"]).arg(out));
    assert_no_group_is_left();
    let rebuilt = run(galo(&["report", "--json", "-"]).arg(out)).expect(0);
    assert_eq!(rebuilt.json(), ended.json(), "{}", ended.stderr);
    rebuilt.json()
}

#[test]
fn a_duel_that_was_killed_goes_on_where_it_was_and_not_with_other_requests() {
    let (server, folder) = (server(), tempfile::tempdir().unwrap());
    let (out, requests) = (folder.path().join("run"), folder.path().join("requests.jsonl"));
    let write = |path: &str| std::fs::write(&requests, format!("{{\"url\": \"{path}\"}}\n")).unwrap();
    write("/a");
    let more = ["--rounds", "4", "--profile", SHORT, "--requests", requests.to_str().unwrap()];
    killed_after(2, &out, &mut duel(&out, "http://127.0.0.1:{port}/", [&server, &server], &more));

    write("/b");
    let told = run(galo(&["duel", "--resume"]).arg(&out)).expect(2).stderr;
    assert!(told.contains("cannot be resumed: since it began, the file of requests has changed"), "{told}");
    write("/a");
    let report = resumed(&out);
    assert_eq!((&report["end"], closed(&out)), (&Value::from("done"), 4));
    let acts = std::fs::read_to_string(out.join("acts.jsonl")).unwrap();
    assert!(acts.contains(r#""outcome":"lost""#), "{acts}");
}

#[test]
fn a_scan_that_was_killed_drives_the_duel_that_was_cut_off_anew_and_then_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let mut scan =
        galo(&["duel", "--quick", "--rounds", "2", "--profile", SHORT, "--url", "http://127.0.0.1:{port}/"]);
    let command = format!("echo at {{n}}; {}", server());
    scan.args(["--param", "n=1,2,3", &command, "--quiet"]).arg("--out").arg(&out);
    let child = |child: u32, attempt: u32| out.join(format!("children/00{child}/attempt-{attempt}"));
    killed_after(1, &child(1, 1), &mut scan);
    let told = run(galo(&["duel", "--resume"]).arg(child(1, 1))).expect(2).stderr;
    assert!(told.contains(&format!("is a part of `{}`", out.display())), "{told}");
    let report = resumed(&out);
    let ends: Vec<&Value> =
        report["duels"].as_array().unwrap().iter().map(|duel| &duel["duel"]["end"]).collect();
    assert_eq!(ends, ["done", "done"]);
    assert_eq!([child(1, 2), child(2, 1)].map(|child| closed(&child)), [2, 2]);
}

#[test]
fn what_cannot_be_resumed_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let mut begun = galo(&["duel", "http://127.0.0.1:1/", "http://127.0.0.1:2/", "-H", "Authorization: a"]);
    run(begun.arg("--out").arg(&out)).expect(2);
    let told = |arguments: &[&str]| {
        let ended = run(galo(&["duel", "--resume"]).arg(&out).args(arguments)).expect(2);
        ended.stderr.replace(&folder.path().display().to_string(), "OUT").trim().to_owned()
    };
    assert_snapshot!(told(&[]), @r#"
error: `OUT/run` cannot be resumed: its command line held what galo does not write down (a password, a header)
hint: begin it anew; what a command reads by itself, e.g. `--token "$(cat FILE)"`, can be gone on with
"#);
    assert!(told(&["--rate", "5"]).contains("cannot be used with"));
    let nowhere = run(&mut galo(&["duel", "--resume", "/nowhere"])).expect(2).stderr;
    assert!(nowhere.contains("is no run folder"), "{nowhere}");
}
