//! Constant traffic for a while: seconds here, hours else.

use galo_judge::json::pretty;
use galo_judge::soak::JudgedSoak;
use serde_json::Value;

use crate::support::{assert_nothing_is_left, contender, galo, ran_alone, run};

#[test]
fn a_soak_tells_how_latency_and_memory_moved_and_is_rebuilt_byte_for_byte() {
    if ran_alone() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let mut soak = galo(&["soak", "contenders/pessoas/rust-sqlite", "--for", "10s", "--scale", "0.05"]);
    let ended = run(soak.args(["--lang", "pt", "--out"]).arg(&out));
    assert_nothing_is_left();
    let written = std::fs::read_to_string(out.join("report.json")).unwrap();
    let report: Value = serde_json::from_str(&written).unwrap();
    // On a machine full of other tests galo may have been late, which it tells.
    let ended = ended.expect(if report["void"].as_array().unwrap().is_empty() { 0 } else { 3 });
    let seconds = format!("{:.1}", report["elapsed_ns"].as_f64().unwrap() / 1e9).replace('.', ",");
    let told = format!("rust-sqlite por {seconds} segundos: p99 de ");
    assert!(ended.stdout.contains(&told), "{told} {}", ended.stdout);
    assert_eq!(report["end"], "done");
    let ledger = &report["ledger"];
    assert!(ledger["intended"].as_u64() > Some(100) && ledger["intended"] == ledger["ok"], "{ledger}");
    assert!(report["latency_us_p50"]["last"].as_f64() > Some(10.0), "{report}");
    let memory = &report["memory"][0];
    assert!(memory["service"].is_string(), "{report}");
    assert!(memory["anonymous_bytes"]["first"].as_f64() > Some(1e5), "{memory}");
    let read: JudgedSoak = serde_json::from_str(&written).unwrap();
    assert!(pretty(&read) == written, "what was judged is read back: {written}");

    let again = folder.path().join("again");
    run(galo(&["report", "--quiet", "--lang", "pt", "--out"]).arg(&again).arg(&out)).expect(0);
    for form in ["report.json", "report.html"] {
        assert!(std::fs::read(again.join(form)).unwrap() == std::fs::read(out.join(form)).unwrap(), "{form}");
    }
    let told = run(galo(&["soak", "--json", "-", "--resume"]).arg(&out));
    assert!(told.stdout == written, "what is over is only told again: {}", told.stdout);
}

#[test]
fn who_does_not_start_and_what_is_no_length_are_told() {
    if ran_alone() {
        return;
    }
    let (folder, out) = (contender("exit 3", ""), tempfile::tempdir().unwrap());
    let soak = |length: &str| {
        run(galo(&["soak", "--for", length, "--out"]).arg(out.path().join("run")).arg(folder.path()))
    };
    let told = soak("5s").expect(2).stderr;
    assert!(told.contains("--for `5s` is no length for a soak\nhint: choose from 10s to 168h"), "{told}");
    let told = soak("10s").expect(4).stderr;
    assert!(told.contains("exit status 3"), "{told}");
    assert_nothing_is_left();
}
