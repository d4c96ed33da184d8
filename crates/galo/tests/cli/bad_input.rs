//! Bad files, options and contenders: a clear error, nothing lost, nothing left behind.

use std::ffi::OsStr;
use std::io::Write;
use std::net::TcpListener;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Stdio};

use insta::assert_snapshot;

use crate::strange_servers::serve;
use crate::support::{
    Ended, PORT, assert_nothing_is_left, compose, contender, galo, ran_alone, run, within_a_minute,
};

/// An answer that is right for nothing that galo asks.
const EMPTY_ARRAY: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]";

/// Fights this one contender, and returns what galo said with the folder's name left out.
fn fight(folder: &Path) -> (Option<i32>, String) {
    let out = tempfile::tempdir().unwrap();
    let run_folder = out.path().join("run");
    let Ended { code, stderr, .. } = run(galo(&["fight", "--rounds", "1", "--profile", "check", "--quiet"])
        .arg("--json")
        .arg(out.path().join("report.json"))
        .arg("--out")
        .arg(&run_folder)
        .arg(folder));
    let told =
        std::fs::read_to_string(out.path().join("report.json")).map(|json| reason(&json)).unwrap_or_default();
    let text = (stderr + &told)
        .replace(&*run_folder.to_string_lossy(), "RUN")
        .replace(&*folder.to_string_lossy(), "DIR");
    (code, text)
}

/// Why the first round of a report did not start.
fn reason(json: &str) -> String {
    let report: serde_json::Value = serde_json::from_str(json).unwrap();
    report["rounds"][0]["standing"]["reason"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn broken_yaml_is_told_with_its_line() {
    let (code, text) = fight(compose("services:\n  api: [\n").path());
    assert_eq!(code, Some(2));
    assert!(text.contains("compose.yaml:"), "{text}");
}

#[test]
fn an_unknown_key_is_told_with_the_nearest_right_one() {
    let (code, text) = fight(
        compose("x-galo: { challenge: pessoas }\nservices:\n  api:\n    x-galo:\n      comand: ./api\n")
            .path(),
    );
    assert_eq!(code, Some(2));
    assert!(text.contains("`comand`") && text.contains("`command`"), "{text}");
}

#[test]
fn limits_above_the_budget_are_refused() {
    let (code, text) = fight(compose(
        "x-galo: { challenge: pessoas }\nservices:\n  api:\n    deploy: { resources: { limits: { cpus: \"1.6\", memory: 64MB } } }\n    x-galo: { command: ./api }\n",
    ).path());
    assert_eq!(code, Some(2));
    assert!(text.contains("1.6") && text.contains("1.5"), "{text}");
}

#[test]
fn a_service_without_a_limit_is_refused() {
    let (code, text) = fight(
        compose("x-galo: { challenge: pessoas }\nservices:\n  api:\n    x-galo: { command: ./api }\n").path(),
    );
    assert_eq!(code, Some(2));
    assert!(text.contains("`api`"), "{text}");
}

#[test]
fn a_command_that_does_not_exist_is_named() {
    if ran_alone() {
        return;
    }
    let folder = compose(
        "x-galo: { challenge: pessoas }\nservices:\n  api:\n    deploy: { resources: { limits: { cpus: \"0.5\", memory: 64MB } } }\n    x-galo: { command: ./no-such-program }\n",
    );
    let (code, text) = fight(folder.path());
    assert_eq!(code, Some(4));
    assert!(text.contains("no-such-program"), "{text}");
    assert_nothing_is_left();
}

#[test]
fn a_command_that_exits_at_once_is_told_with_its_last_words() {
    if ran_alone() {
        return;
    }
    let folder = contender("echo I cannot go on; exit 3", "      ready: http://127.0.0.1:9999/\n");
    let (code, text) = fight(folder.path());
    assert_eq!(code, Some(4));
    assert!(text.contains("I cannot go on") && text.contains('3'), "{text}");
    assert_nothing_is_left();
}

#[test]
fn a_command_that_never_listens_is_told_with_the_last_answer() {
    if ran_alone() {
        return;
    }
    let folder = contender("sleep 60", "      ready: http://127.0.0.1:9999/\n      ready_timeout: 2s\n");
    let (code, text) = fight(folder.path());
    assert_eq!(code, Some(4));
    assert!(text.contains("was not ready after 2 s") && text.contains("connection refused"), "{text}");
    assert_nothing_is_left();
}

#[test]
fn a_port_that_is_taken_is_told_with_its_owner() {
    if ran_alone() {
        return;
    }
    let listener = TcpListener::bind(("127.0.0.1", PORT)).unwrap();
    let (code, text) = fight(contender("sleep 60", "").path());
    assert_eq!(code, Some(4));
    assert!(text.contains("9999") && text.contains(&std::process::id().to_string()), "{text}");
    drop(listener);
    assert_nothing_is_left();
}

#[test]
fn a_command_line_that_is_not_utf8_is_refused_before_anything_starts() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join(OsStr::from_bytes(b"caf\xe9"));
    let ended = run(galo(&["duel", "http://127.0.0.1:1/", "http://127.0.0.1:2/", "--out"]).arg(&out));
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("is not UTF-8") && !out.exists(), "{}", ended.stderr);
}

#[test]
fn a_report_that_cannot_be_written_is_told_before_anything_starts() {
    let folder = compose("services: {}\n");
    for command in
        ["check .", "fight .", "limit .", "soak .", "tune .", "league .", "duel http://a/ http://b/"]
    {
        for option in ["--json", "--markdown"] {
            let mut told = galo(&command.split(' ').collect::<Vec<_>>());
            let ended = run(told.args([option, "no/such"]).current_dir(folder.path())).expect(5);
            assert!(ended.stderr.contains("cannot write `no/such`"), "{command}: {}", ended.stderr);
        }
    }
    assert!(!folder.path().join("galo-runs").exists());
}

#[test]
fn a_full_disk_is_told_with_the_file_that_could_not_be_written() {
    let disk = tempfile::tempdir().unwrap();
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=128k", "tmpfs"])
        .arg(disk.path())
        .status()
        .is_ok_and(|s| s.success());
    if !mounted {
        needs::lacked("a small tmpfs cannot be mounted (only root may)");
        return;
    }
    let out = disk.path().join("run");
    let url = format!("http://{}", serve(|s| drop(s.write_all(EMPTY_ARRAY))));
    let child = galo(&["check", &url, "--out"])
        .arg(&out)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let acts = || std::fs::read_to_string(out.join("acts.jsonl")).unwrap_or_default();
    assert!(within_a_minute(|| acts().contains("begin")), "the round never began");
    let _ = std::fs::write(disk.path().join("filler"), vec![0; 1 << 20]);
    let ended = child.wait_with_output().unwrap();
    let unmounted = Command::new("umount").arg(disk.path()).status().unwrap();
    assert!(unmounted.success());
    let said = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(5), "{said}");
    // What comes first: an act, or the bulk of the round.
    let is_named = ["acts.jsonl", "rounds/01-"].iter().any(|file| said.contains(file));
    assert!(said.contains("No space left on device") && is_named, "{said}");
}

#[test]
fn wrong_words_on_the_command_line_are_told() {
    let profile = run(&mut galo(&["fight", "--profile", "oficial"])).expect(2);
    assert_snapshot!(profile.stderr.trim(), @"error: challenge `pessoas`: unknown profile `oficial`; did you mean `official`?");
    let scale = run(&mut galo(&["fight", "--scale", "0"])).expect(2);
    assert!(scale.stderr.contains("from 0.001 to 1000"), "{}", scale.stderr);
    let no_run = run(&mut galo(&["report", "/nowhere"])).expect(2);
    assert!(no_run.stderr.contains("no run folder"), "{}", no_run.stderr);
}
