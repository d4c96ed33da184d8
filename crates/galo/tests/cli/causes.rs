//! One staged bottleneck with a real database. All of them: `benches/findings/staged`.

use crate::support::{assert_nothing_is_left, galo, ran_alone, run};

#[test]
fn a_lock_in_the_database_is_the_first_finding_with_the_statement_that_holds_it() {
    let _ = [needs::program("postgres", "postgresql"), needs::program("nginx", "nginx")];
    if ran_alone() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let locked = [
        "fight",
        "fixtures/bottlenecks/locked",
        "--profile",
        "check",
        "--rounds",
        "1",
        "--no-restart",
        "--quiet",
    ];
    let report = run(galo(&locked).arg("--out").arg(&out).args(["--json", "-"])).json();
    assert_nothing_is_left();
    let findings = report["rounds"][0]["findings"].as_array().unwrap();
    // What made galo itself late may stand before it.
    let first = findings.iter().find(|finding| finding["blame"] == "contender").unwrap();
    assert_eq!(first["name"], "database-lock", "{findings:#?}");
    assert!(first["explains_milli"].as_u64() > Some(300), "{first:#}");
    assert!(first["evidence"][0].to_string().contains("pg_sleep"), "{first:#}");
}
