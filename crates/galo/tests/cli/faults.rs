//! Some of `fixtures/faulty`, each named by its own rule. All of them: `benches/judge/matrix`.

use serde_json::Value;

use crate::support::{assert_nothing_is_left, galo, ran_alone, run};

/// Names of all findings of a check of this contender that ends with `code`.
fn findings(contender: &str, code: i32) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let arguments = ["check", contender, "--json", "-", "--quiet", "--out", out.to_str().unwrap()];
    let report = run(&mut galo(&arguments)).expect(code).json();
    let rounds = report["rounds"].as_array().unwrap().iter();
    let findings = rounds.flat_map(|round| round["findings"].as_array().unwrap());
    let name = |finding: &Value| finding["name"].as_str().unwrap().to_owned();
    findings.map(name).collect()
}

/// By processes, the count and the history. The test of containers has one from each part of the judge.
#[test]
fn a_fault_is_named_by_its_own_rule() {
    if ran_alone() {
        return;
    }
    for (fault, rule) in [
        ("faulty/loses-500th", "count-differs"),
        ("faulty/error-kept", "failed-but-kept"),
        ("ledgers/faulty/lost-update", "lost-update"),
    ] {
        let findings = findings(&format!("fixtures/{fault}"), 1);
        assert!(findings.iter().any(|name| name == rule), "{fault}: {findings:?}");
        assert_nothing_is_left();
    }
}
