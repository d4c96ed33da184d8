//! `galo duel`: commands, addresses and revisions; real processes and sockets, few turns.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;

use galo_null::{Options, Server};
use serde_json::Value;
use tempfile::TempDir;

use crate::servers::{Recorder, json, null_url};
use crate::support::{Ended, assert_no_group_is_left, free_port, galo, run};

/// No test, but the server that the tests' commands are: this very program, started again to run this function alone.
#[test]
#[ignore = "it serves until it is killed"]
fn serve() {
    let port: u16 = std::env::var("PORT").unwrap().parse().unwrap();
    let address = ([127, 0, 0, 1], port).into();
    let server = Server::bind(Options { address, ..Options::default() }).unwrap();
    server.run(&AtomicBool::new(false)).unwrap();
}

/// A profile of half a second.
pub(crate) const SHORT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/short.profile");

/// The command that runs it.
pub(crate) fn server() -> String {
    format!("{} --exact duel::serve --ignored", std::env::current_exe().unwrap().display())
}

pub(crate) fn duel(out: &Path, url: &str, sides: [&str; 2], more: &[&str]) -> Command {
    let mut command = galo(&["duel", "--quick", "--url", url]);
    command.args(sides).args(["--name", "old", "--name", "new"]).args(more).arg("--out").arg(out);
    command
}

/// A duel that goes to its end. Whether its loads count is the machine's to say and is judged on records, so its exit code is not
/// looked at: what is sent, recorded and told of that is the same.
pub(crate) fn driven(command: impl FnOnce(&Path) -> Command) -> (TempDir, Ended) {
    let folder = tempfile::tempdir().unwrap();
    let ended = run(&mut command(&folder.path().join("run")));
    let recorded = run(galo(&["report", "--json", "-"]).arg(folder.path().join("run"))).expect(0).json();
    assert_eq!(recorded["end"], "done", "{}", ended.stderr);
    (folder, ended)
}

pub(crate) fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value}"))
}

#[test]
fn commands_that_share_a_port_are_started_for_each_turn() {
    let (server, url) = (server(), format!("http://127.0.0.1:{}/", free_port()));
    let more = ["--rounds", "2", "--profile", SHORT, "--before", "echo before", "--json", "-"];
    let (folder, ended) = driven(|out| duel(out, &url, [&server, &server], &more));
    let (out, report) = (folder.path().join("run"), ended.json());
    assert_no_group_is_left();
    assert_eq!(report["starts"], 2);
    assert_eq!(report["levels"][0]["injection"]["phases"][0]["from_micro"], 100_000_000);
    let logs = std::fs::read_dir(out.join("logs")).unwrap().count();
    // The first answers, the warm-up, and two turns of each.
    assert_eq!(logs, 8);
    let log = std::fs::read_to_string(out.join("logs/first-01/command.log")).unwrap();
    assert!(log.starts_with("before\n"), "{log}");
}

#[test]
fn addresses_whose_answers_differ_are_shown_where() {
    let (_, first) = Recorder::start(|_| json(200, r#"{"time": 1, "name": "joana"}"#));
    let (_, second) = Recorder::start(|n| json(200, &format!(r#"{{"time": {n}, "name": "maria"}}"#)));
    let urls = [first, second].map(|address| format!("http://{address}/"));
    let (folder, told) = driven(|out| {
        let mut command =
            galo(&["duel", "--profile", SHORT, "--rounds", "1", "--quick", "--ignore", "/time"]);
        command.args(&urls).args(["--name", "a", "--name", "b"]).arg("--out").arg(out);
        command
    });
    let out = folder.path().join("run");
    let again = folder.path().join("again");
    let page = |folder: &Path| std::fs::read_to_string(folder.join("report.html")).unwrap();
    let first = page(&out);
    assert!(first.contains("&#34;joana&#34;") && first.contains("<html lang=\"en\">"));
    run(galo(&["report", "--quiet", "--lang", "pt"]).arg(&out).arg("--out").arg(&again)).expect(0);
    assert!(page(&again).contains("<html lang=\"pt\" data-fixed>"));
    run(galo(&["report", "--quiet"]).arg(&out).arg("--out").arg(&again)).expect(0);
    assert!(page(&again) == first, "the same page again, byte for byte");
    assert!(told.stdout.contains(r#"/name  "joana"  "maria""#), "{}", told.stdout);
    assert!(told.stdout.contains("servers that ran before, without limits of galo's"), "{}", told.stdout);
    assert!(!told.stdout.contains("/time"), "{}", told.stdout);
}

#[test]
fn other_statuses_leave_nothing_to_compare() {
    let (_, first) = Recorder::start(|_| json(200, "{}"));
    let (_, second) = Recorder::start(|_| json(204, ""));
    let folder = tempfile::tempdir().unwrap();
    let urls = [first, second].map(|address| format!("http://{address}/"));
    let mut command = galo(&["duel", "--profile", SHORT, "--rounds", "1", "--quick", "--json", "-"]);
    let report = run(command.args(&urls).arg("--out").arg(folder.path().join("run"))).expect(0).json();
    assert_eq!(report["verdict"]["kind"], "different_statuses");
    assert_eq!(report["answers"]["differences"][0]["values"], serde_json::json!(["200", "204"]));
}

#[test]
fn one_address_may_be_asked_in_two_ways() {
    let (recorder, address) = Recorder::start(|_| json(200, "{}"));
    let url = format!("http://{address}/");
    driven(|out| {
        let mut command = galo(&["duel", "--profile", SHORT, "--rounds", "1", "--quick", "--quiet"]);
        command.args([&url, &url, "--header-a", "X-Way: one", "--header-b", "X-Way: two"]);
        command.arg("--out").arg(out);
        command
    });
    let asked = recorder.asked();
    // Twenty first answers, two seconds of warm-up and half a second of a turn for each side, and nothing beyond 100/s.
    assert!(asked.len() <= 2 * (20 + 200 + 50), "{}", asked.len());
    for way in ["one", "two"] {
        assert!(asked.iter().filter(|asked| asked.header("x-way") == Some(way)).count() >= 20, "{way}");
    }
}

#[test]
fn requests_come_from_a_file_and_each_as_often_as_it_stands_there() {
    let (recorder, address) = Recorder::start(|_| json(200, "{}"));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("requests.jsonl");
    std::fs::write(&file, "{\"url\": \"/a\", \"weight\": 9}\n{\"url\": \"/b\", \"body\": {\"x\": 1}}\n")
        .unwrap();
    let url = format!("http://{address}/ignored");
    let (_run, ended) = driven(|out| {
        let mut command = galo(&["duel", "--profile", SHORT, "--rounds", "1", "--quick", "--json", "-"]);
        command
            .args([&url, &url, "--name", "a", "--name", "b", "--requests"])
            .arg(&file)
            .arg("--out")
            .arg(out);
        command
    });
    let report = ended.json();
    assert_eq!(report["request"], format!("2 different requests of {}", file.display()));
    assert_eq!(report["answers"]["equal"], report["answers"]["compared"]);
    let asked = recorder.asked();
    let of = |line: &str| asked.iter().filter(|asked| asked.line.starts_with(line)).count();
    let (a, b) = (of("GET /a"), of("POST /b"));
    assert_eq!(a + b, asked.len());
    assert!(b >= 5 && a > 4 * b, "{a} and {b}");
    assert!(
        asked.iter().filter(|asked| asked.line.starts_with("POST")).all(|asked| asked.body == r#"{"x":1}"#)
    );
}

#[test]
fn what_a_recording_cannot_say_is_left_out_and_told() {
    let (recorder, address) = Recorder::start(|_| json(200, "{}"));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.har");
    let entry = |method: &str, url: &str, more: &str| {
        format!(r#"{{"request": {{"method": "{method}", "url": "{url}", "headers": []{more}}}}}"#)
    };
    let form = r#", "postData": {"mimeType": "application/x-www-form-urlencoded", "params": [{"name": "a", "value": "b c"}]}"#;
    let entries = [
        entry("POST", "http://a.test/a", form),
        entry("GET", "wss://a.test/b", ""),
        entry("GET", "http://b.test/c", ""),
        entry("GET", "http://a.test/d", ""),
    ];
    std::fs::write(&file, format!(r#"{{"log": {{"entries": [{}]}}}}"#, entries.join(","))).unwrap();
    let url = format!("http://{address}/");
    let (_run, ended) = driven(|out| {
        let mut command = galo(&["duel", "--profile", SHORT, "--rounds", "1", "--quick", "--json", "-"]);
        command.args([&url, &url, "--name", "a", "--name", "b", "--requests"]).arg(&file);
        command.arg("--out").arg(out);
        command
    });
    let name = file.display().to_string();
    let told =
        "2 of 4 left out: 1 is no HTTP (entry 2: `wss://a.test/b`), 1 is of another host (entry 3: `b.test`)";
    assert!(ended.stderr.contains(&format!("{name}: {told}\n")), "{}", ended.stderr);
    let request = format!("2 different requests of {name} (left out: 1 is no HTTP, 1 is of another host)");
    assert_eq!(ended.json()["request"], request);
    for asked in recorder.asked() {
        match asked.line.split(' ').next() {
            Some("POST") => {
                assert_eq!((asked.line.as_str(), asked.body.as_str()), ("POST /a", "a=b+c"));
            }
            _ => assert_eq!(asked.line, "GET /d"),
        }
    }
}

#[test]
fn an_access_log_is_replayed_in_its_own_order_and_at_its_own_pace() {
    let (recorder, address) = Recorder::start(|_| json(200, "{}"));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("access.log");
    let log: String = (0..30)
        .map(|n| format!("h - - [21/Nov/2026:22:00:{:02} +0000] \"GET /{n} HTTP/1.1\" 200 2\n", n / 10))
        .collect();
    std::fs::write(&file, log).unwrap();
    let url = format!("http://{address}/");
    let (_run, ended) = driven(|out| {
        let mut command = galo(&["duel", "--pace", "2", "-c", "1", "--rounds", "1", "--json", "-"]);
        command.args([&url, &url, "--name", "a", "--name", "b", "--requests"]).arg(&file);
        command.arg("--out").arg(out);
        command
    });
    let level = &ended.json()["levels"][0];
    assert_eq!(level["length_ns"], 1_500_000_000);
    assert!(level["injection"]["phases"].as_array().unwrap().len() > 1, "its rate varies: {level}");
    let asked = recorder.asked();
    // The last turns, slice by slice: all of the log, once for each side.
    let last = asked[asked.len() - 60..].iter().map(|asked| asked.line.split(' ').nth(1).unwrap());
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for path in last {
        if first.contains(&path) { second.push(path) } else { first.push(path) }
    }
    let wanted: Vec<String> = (0..30).map(|n| format!("/{n}")).collect();
    assert_eq!((&first, &second), (&wanted.iter().map(String::as_str).collect(), &first));
}

#[test]
fn two_revisions_of_a_repository_fight_and_bounds_on_their_ratios_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let repository = folder.path().join("repository");
    std::fs::create_dir(&repository).unwrap();
    let git = |arguments: &[&str]| {
        let identity = ["-c", "user.name=a", "-c", "user.email=a@b"];
        let ended =
            Command::new("git").current_dir(&repository).args(identity).args(arguments).output().unwrap();
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    };
    git(&["init", "--quiet"]);
    for version in ["one", "two"] {
        std::fs::write(repository.join("version"), version).unwrap();
        git(&["add", "."]);
        git(&["commit", "--quiet", "-m", version]);
        git(&["tag", version]);
    }
    let command = format!("cat version built; {}", server());
    let fight = |out: &Path| {
        let mut fight =
            galo(&["duel", "--git", "one", "--git", "two", "--quick", "--rounds", "1", "--profile", SHORT]);
        fight.args([
            "--url",
            "http://127.0.0.1:{port}/",
            "--build",
            "cat version > built; echo x >> ../../builds",
        ]);
        fight.args(["--assert", "p99 ratio < 1000", "--assert", "rate ratio > 0.9", &command]);
        fight
            .current_dir(&repository)
            .env("XDG_CACHE_HOME", folder.path().join("cache"))
            .arg("--out")
            .arg(out);
        fight
    };
    // With a profile there is no closed loop, so nothing is known of the highest rate.
    let (kept, told) = driven(fight);
    assert!(told.stdout.contains("p99 ratio < 1000"), "{}", told.stdout);
    assert!(told.stdout.contains("rate ratio > 0.9: not measured"), "{}", told.stdout);
    let rebuilt = run(galo(&["report"]).arg(kept.path().join("run"))).expect(0).stdout;
    assert!(rebuilt.contains("rate ratio > 0.9: not measured"), "{rebuilt}");
    assert_no_group_is_left();
    for (log, version) in [("first-01", "oneone"), ("second-01", "twotwo")] {
        let log =
            std::fs::read_to_string(kept.path().join("run/logs").join(log).join("command.log")).unwrap();
        assert!(log.starts_with(version), "{log}");
    }
    driven(fight);
    let builds = std::fs::read_to_string(folder.path().join("cache/galo/builds")).unwrap();
    assert_eq!(builds.lines().count(), 2, "each revision is built once");
}

#[test]
fn what_cannot_be_measured_fails_nobody_unless_that_is_asked_for() {
    let (first, second) = (null_url(), null_url());
    let code = |more: &[&str]| {
        let folder = tempfile::tempdir().unwrap();
        let mut duel = galo(&["duel", &first, &second, "--quick", "--rounds", "2", "--profile", SHORT]);
        duel.args(["--name", "old", "--name", "new"]).args(more).arg("--out").arg(folder.path().join("run"));
        let ended = run(&mut duel);
        // Whether its loads count is the machine's to say.
        if ended.code == Some(3) { (None, ended.stdout) } else { (ended.code, ended.stdout) }
    };
    let cpu = ["--assert", "cpu ratio < 1.1"];
    let (ended, told) = code(&cpu);
    assert!(told.contains("cpu ratio < 1.1: not measured"), "{told}");
    assert!(matches!(ended, None | Some(0)), "{ended:?}: {told}");
    let (ended, told) = code(&[&cpu[..], &["--assert-strict"]].concat());
    assert!(matches!(ended, None | Some(6)), "{ended:?}: {told}");
}

#[test]
fn a_side_that_dies_is_told_and_started_again() {
    let (server, dies) = (server(), format!("exec timeout 6 {}", server()));
    let more = ["--rounds", "2", "--rate", "100", "--json", "-"];
    let (_folder, ended) = driven(|out| duel(out, "http://127.0.0.1:{port}/", [&dies, &server], &more));
    let report = ended.json();
    assert_no_group_is_left();
    assert_eq!(report["end"], "done");
    let findings = report["findings"].as_array().unwrap();
    let found = &findings[0]["finding"]["fact"];
    assert_eq!((&found["kind"], &found["ended"]["status"]), (&"service-died".into(), &124.into()), "{found}");
    assert!(findings.iter().all(|finding| finding["side"] == 0), "{findings:?}");
    let [old, new] = [0, 1].map(|side| &report["sides"][side]["ledger"]);
    assert!(number(&old["ok"]) > 0, "{old}");
    assert_eq!(new["intended"], new["ok"]);
}

#[test]
fn a_command_fights_itself_at_each_value_of_a_parameter() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let command = format!("test {{n}} != 3 || exit 9; echo at {{n}}; {}", server());
    let mut scan =
        galo(&["duel", "--quick", "--rounds", "1", "--profile", SHORT, "--url", "http://127.0.0.1:{port}/"]);
    scan.args(["--param", "n=1,2,3", &command, "--json", "-"]).arg("--out").arg(&out);
    // Its last value does not start, which costs the others nothing.
    let ended = run(&mut scan).expect(4);
    assert!(
        ended.stderr.contains("of contender `n=3` ended before it was ready (exit status 9)"),
        "{}",
        ended.stderr
    );
    assert_no_group_is_left();
    let report = ended.json();
    let at = |value: &str| serde_json::json!([{ "knob": "n", "value": value }]);
    assert_eq!(report["baseline"], at("1"));
    let [second, third] = [0, 1].map(|at| &report["duels"][at]);
    assert_eq!((&second["setting"], &second["duel"]["end"]), (&at("2"), &"done".into()));
    assert_eq!(third["setting"], at("3"));
    assert!(third["duel"]["end"]["failed"].is_string(), "{}", third["duel"]["end"]);
    for (side, log) in ["at 1", "at 2"].into_iter().zip(["first-01", "second-01"]) {
        let log =
            std::fs::read_to_string(out.join("children/001/attempt-1/logs").join(log).join("command.log"))
                .unwrap();
        assert!(log.starts_with(side), "{log}");
    }
    let page = |folder: &Path| std::fs::read_to_string(folder.join("report.html")).unwrap();
    let told = page(&out);
    for child in ["children/001/attempt-1", "children/002/attempt-1"] {
        let link = format!("{child}/report.html");
        assert!(told.contains(&format!("<a href=\"{link}\">")) && out.join(&link).exists(), "{link}");
    }
    let (again, first) = (out.with_file_name("again"), "children/001/attempt-1");
    let rebuilt = run(galo(&["report", "--json", "-"]).arg(&out).arg("--out").arg(&again)).expect(0);
    assert_eq!(rebuilt.json(), report);
    assert!(page(&again) == told && page(&again.join(first)) == page(&out.join(first)));
}
