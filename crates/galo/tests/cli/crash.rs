//! Contenders that are killed under load, and what is left of what they acknowledged.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use galo_judge::Fact;
use galo_words::Lang;
use serde_json::Value;

use crate::support::{
    assert_nothing_is_left, closed, compose, galo, groups_left, kill, ran_alone, root, run, within_a_minute,
};

/// The report of `galo check`, which must end with `code`.
fn check(arguments: &[&str], code: i32) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let mut all = vec!["check", "--json", "-", "--out", out.to_str().unwrap()];
    all.extend(arguments);
    let report = run(&mut galo(&all)).expect(code).json();
    assert_nothing_is_left();
    let again = run(&mut galo(&["report", out.to_str().unwrap(), "--json", "-"])).expect(0).json();
    assert_eq!(again, report, "the folder alone tells something else");
    report
}

/// Names of all findings of a round, from 0.
fn findings(report: &Value, round: usize) -> Vec<&str> {
    let findings = report["rounds"][round]["findings"].as_array().unwrap();
    findings.iter().map(|finding| finding["name"].as_str().unwrap()).collect()
}

/// The sentence of a round's finding.
fn text(report: &Value, round: usize, name: &str) -> String {
    let findings = report["rounds"][round]["findings"].as_array().unwrap();
    let found = findings.iter().find(|finding| finding["name"] == name);
    let found = found.unwrap_or_else(|| panic!("{name}: {findings:#?}"));
    let fact: Fact = serde_json::from_value(found["fact"].clone()).unwrap();
    fact.sentence(Lang::En)
}

/// One check that is cut off three times: by Ctrl-C in its crash, by Ctrl-C in its outage, and by SIGKILL in that outage when it
/// is driven anew. Each time it goes on with the round that was under way, and ends as one that nobody disturbed.
#[test]
fn the_honest_contender_loses_nobody_in_a_crash_and_in_an_outage_however_often_the_check_is_cut_off() {
    if ran_alone() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let check = |arguments: &[&str]| {
        galo(arguments).arg(&out).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let told = |check: &mut Child| BufReader::new(check.stderr.take().unwrap()).lines().map(Result::unwrap);
    let acts = || std::fs::read_to_string(out.join("acts.jsonl")).unwrap();

    let new: &[&str] = &["check", "contenders/pessoas/rust-sqlite", "--crash", "--out"];
    let again: &[&str] = &["check", "--resume"];
    // A round that is driven anew is the next one while it goes on.
    for (arguments, round) in [(new, "round 2: crash"), (again, "round 4: outage")] {
        let mut check = check(arguments);
        let mut lines = told(&mut check);
        assert!(lines.any(|line| line == round), "{round} never began");
        assert!(lines.any(|line| line.starts_with("  killed: ")), "nobody was killed in {round}");
        kill(2, check.id());
        let rest: Vec<String> = lines.collect();
        assert_eq!(check.wait().unwrap().code(), Some(130), "{rest:#?}");
        let line = format!("hint: go on with it: galo check --resume {}", out.display());
        assert!(rest.contains(&line), "{rest:#?}");
        // It was broken off there: no other round began, and nothing was found.
        assert!(!rest.iter().any(|line| line.starts_with("round ")), "{rest:#?}");
        assert_nothing_is_left();
    }

    let before = acts();
    let mut killed = check(again);
    assert!(told(&mut killed).any(|line| line == "round 5: outage"), "the outage was not begun again");
    kill(9, killed.id());
    killed.wait().unwrap();
    assert!(within_a_minute(|| groups_left().is_empty()), "the supervisor left something");
    assert!(acts().len() > before.len(), "no act was begun");
    let before = acts();

    let report = run(galo(&["check", "--json", "-", "--resume"]).arg(&out)).expect(0).json();
    assert_nothing_is_left();
    let acts = acts();
    let whole = &before[..before.rfind('\n').map_or(0, |end| end + 1)];
    assert!(acts.starts_with(whole) && acts.contains(r#""outcome":"lost""#), "{acts}");
    // What was cut off has no number of its own in the end, and counts for nobody.
    assert_eq!((report["rounds"].as_array().unwrap().len(), closed(&out)), (3, 3), "{report}");
    assert!(run(galo(&["report", "--json", "-"]).arg(&out)).expect(0).json() == report);

    assert_eq!(findings(&report, 1), ["crash"]);
    let crash = text(&report, 1, "crash");
    assert!(crash.contains("all there after the restart (up again in"), "{crash}");
    assert_eq!(findings(&report, 2), ["outage"]);
    let outage = text(&report, 2, "outage");
    assert!(outage.starts_with("outage of `api") && outage.ends_with("all there"), "{outage}");
    // Somebody was there to lose, and something failed when all was down.
    for round in [1, 2] {
        assert!(report["rounds"][round]["created"].as_u64().unwrap() > 20);
    }
    assert!(report["rounds"][1]["ledger"]["failed"].as_u64().unwrap() > 0);
}

#[test]
fn a_queue_loses_whom_it_acknowledged_when_it_is_killed() {
    if ran_alone() {
        return;
    }
    let report = check(&["fixtures/faulty/queued", "--crash"], 1);
    assert_eq!(report["verdict"]["kind"], "disqualified");
    let lost = text(&report, 1, "lost-after-crash");
    assert!(lost.starts_with("crash at "), "{lost}");
    assert!(!findings(&report, 1).contains(&"crash"));
}

#[test]
fn data_outside_of_its_volume_does_not_outlast_a_crash() {
    if ran_alone() {
        return;
    }
    // Both instances share it, so nothing else is wrong.
    let honest = std::fs::read_to_string(root().join("contenders/pessoas/rust-sqlite/compose.yaml")).unwrap();
    let text = honest
        .replace("$${volume:data}/pessoas.db", "/dev/shm/galo-tests-pessoas.db")
        .replace("workdir: ../../..", &format!("workdir: {}", root().display()));
    let report = check(&[compose(&text).path().to_str().unwrap(), "--crash"], 1);
    let lost = self::text(&report, 1, "lost-after-crash");
    assert!(lost.starts_with("crash at "), "{lost}");
    assert!(!std::path::Path::new("/dev/shm/galo-tests-pessoas.db").exists());
}

#[test]
fn a_server_that_galo_did_not_start_cannot_be_killed() {
    let ended = run(&mut galo(&["check", "--crash", "http://127.0.0.1:9"])).expect(2);
    assert_eq!(
        ended.stderr,
        "error: --crash needs a contender that galo starts, not an address\n\
         hint: galo check --crash DIR, where DIR holds its Compose file\n"
    );
}
