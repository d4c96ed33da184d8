//! The challenge `tunnel`: proxies that leave alone what goes through them, and those that do not.

use serde_json::Value;

use crate::support::{assert_nothing_is_left, galo, ran_alone, run};

/// The report of a command on these contenders that ends with `code`.
fn report(arguments: &[&str], code: i32) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let report = run(galo(arguments).args(["--json", "-", "--quiet", "--out", out.to_str().unwrap()]));
    assert_nothing_is_left();
    report.expect(code).json()
}

/// Cases that a contender broke, with what came instead.
fn broken(report: &Value) -> Vec<String> {
    let rounds = report["rounds"].as_array().unwrap().iter();
    let findings = rounds.flat_map(|round| round["findings"].as_array().unwrap());
    let broken = findings.filter(|finding| finding["name"] == "answers-as-described");
    broken.map(|finding| format!("{} {}", finding["fact"], finding["evidence"])).collect()
}

#[test]
fn proxies_of_both_modes_keep_every_case() {
    if ran_alone() {
        return;
    }
    for contender in ["contenders/tunnel/c", "contenders/tunnel/rust-tunnel/connect.yaml"] {
        let report = report(&["check", contender], 0);
        assert_eq!(broken(&report), Vec::<String>::new());
        let ledger = &report["rounds"][0]["ledger"];
        assert_eq!((&ledger["ok"], &ledger["intended"]), (&Value::from(750), &Value::from(750)), "{ledger}");
    }
}

#[test]
fn who_changes_what_goes_through_is_named_by_what_came_instead() {
    if ran_alone() {
        return;
    }
    let ends = broken(&report(&["check", "fixtures/proxies/ends-both"], 1));
    assert!(ends.iter().any(|told| told.contains("a client that ends its own direction")), "{ends:?}");
    let changes = broken(&report(&["check", "fixtures/proxies/changes-a-byte"], 1));
    assert!(changes.iter().any(|told| told.contains("differs from byte")), "{changes:?}");
    assert!(changes.iter().any(|told| told.contains("a body comes as it was sent")), "{changes:?}");
}

#[test]
fn so_many_users_at_once_have_no_rate_to_scale_or_to_hold() {
    let refused = |arguments: &[&str]| run(&mut galo(arguments)).expect(2).stderr;
    let scaled = refused(&["fight", "contenders/tunnel/c", "--scale", "2"]);
    assert!(scaled.contains("no arrival rate") && scaled.contains("leave --scale out"), "{scaled}");
    let limit = refused(&["limit", "contenders/tunnel/c", "--profile", "quick"]);
    assert!(limit.contains("no rate to hold"), "{limit}");
}
