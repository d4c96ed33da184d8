//! The main job, from files to verdict.

use std::path::Path;
use std::process::Stdio;

use galo_plan::{PairId, Plan, Seed};
use galo_record::Run;
use serde_json::Value;

use crate::support::{
    assert_nothing_is_left, closed, contender, galo, groups_left, kill, ran_alone, run, seeds,
    within_a_minute,
};

/// A fight's report.
fn fight(out: &Path, more: &[&str]) -> Value {
    let mut arguments = vec!["fight", "--json", "-", "--out", out.to_str().unwrap()];
    arguments.extend(more);
    run(&mut galo(&arguments)).expect(0).json()
}

fn standing(round: &Value) -> &str {
    round["standing"]["kind"].as_str().unwrap()
}

#[test]
fn the_built_in_fight_disqualifies_the_one_that_lies() {
    if ran_alone() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let report = fight(&out, &["--profile", "check", "--rounds", "1"]);
    assert_nothing_is_left();

    assert_eq!(report["verdict"]["kind"], "disqualified", "{}", report["verdict"]);
    for round in report["rounds"].as_array().unwrap() {
        let ledger = &round["ledger"];
        let sum: u64 = ["ok", "wrong", "failed", "timed_out", "unfinished"]
            .iter()
            .map(|result| ledger[*result].as_u64().unwrap())
            .sum();
        assert_eq!(ledger["intended"].as_u64().unwrap(), sum);
        match round["contender"].as_str().unwrap() {
            "queued" => {
                assert_eq!(standing(round), "disqualified");
                assert!(round["standing"]["rules"].to_string().contains("search-misses-acknowledged"));
            }
            "rust-sqlite" => honest(round),
            other => panic!("nobody named {other} was asked to fight"),
        }
    }
    rebuilding_changes_nothing(&out);
}

/// What must hold of a round of the honest contender.
fn honest(round: &Value) {
    assert_ne!(standing(round), "disqualified", "{}", round["findings"]);
    let number = |key: &str| round[key].as_u64().unwrap();
    assert_eq!(round["ledger"]["ok"], round["ledger"]["intended"]);
    // It was ended at rest, and held everybody when it was started again; the cases were asked in the same round.
    assert!(round["findings"].as_array().unwrap().iter().any(|f| f["name"] == "restart"), "{round}");
    assert_eq!(round["conformance"]["missing"], 0);
    assert_eq!(number("counted"), number("created") + number("probes"));
    let ceiling = &round["ceiling"];
    assert!((ceiling["min"].as_u64()..=ceiling["max"].as_u64()).contains(&round["created"].as_u64()));
    for service in round["services"].as_array().unwrap() {
        assert!(service["cpu_ns"].as_u64() > Some(0), "{service}");
        assert!(service["memory_peak_bytes"].as_u64().unwrap() > 0, "{service}");
    }
}

fn rebuilding_changes_nothing(out: &Path) {
    let again = out.with_file_name("again");
    let mut report = galo(&["report", out.to_str().unwrap(), "--quiet", "--out"]);
    run(report.arg(&again)).expect(0);
    for name in ["report.json", "report.html"] {
        assert!(std::fs::read(out.join(name)).unwrap() == std::fs::read(again.join(name)).unwrap(), "{name}");
    }
}

#[test]
fn two_plans_from_one_seed_are_the_same_but_for_what_hides_the_seed() {
    if ran_alone() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let plan = |name: &str, seed: &str| {
        let out = folder.path().join(name);
        let mut fight =
            galo(&["fight", "contenders/pessoas/rust-sqlite", "--quiet", "--seed", seed, "--out"]);
        let mut fight = fight.arg(&out).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let file = out.join("plan.json");
        // Building it may take longer than a minute.
        assert!((0..5).any(|_| within_a_minute(|| file.exists())), "there is no plan");
        kill(2, fight.id());
        assert_eq!(fight.wait().unwrap().code(), Some(130));
        let mut recorded: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        let commitment = recorded.as_object_mut().unwrap().remove("commitment").unwrap();
        (recorded, commitment, Run::<Plan>::open(&out, &seeds()).unwrap().plan)
    };
    let (first, other) = (plan("a", "7"), plan("b", "7"));
    assert_eq!((&first.0, &first.2), (&other.0, &other.2));
    assert_ne!(first.1, other.1, "who knows one commitment would know the seed of another run");
    let other = plan("c", "8");
    assert_eq!(first.0, other.0, "what is recorded before the end says nothing of the seed");
    assert_ne!(first.2, other.2);
}

/// Whether any file of a run holds these bytes.
fn holds(folder: &Path, bytes: &str) -> bool {
    std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).any(|path| {
        if path.is_dir() {
            return holds(&path, bytes);
        }
        // Volumes end with their contender.
        let file = std::fs::read(&path).unwrap_or_default();
        file.windows(bytes.len()).any(|window| window == bytes.as_bytes())
    })
}

#[test]
fn a_fight_that_was_killed_goes_on_where_it_was() {
    if ran_alone() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    const SEED: &str = "fedcba98765432100123456789abcdef";
    let mut fight =
        galo(&["fight", "contenders/pessoas/rust-sqlite", "--quiet", "--no-restart", "--rounds", "2"]);
    fight.args(["--profile", "check", "--seed", SEED, "--out"]).arg(&out);
    let mut fight = fight.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    // Building it may take longer than a round.
    assert!((0..5).any(|_| within_a_minute(|| closed(&out) == 1)), "no round was closed");
    kill(9, fight.id());
    fight.wait().unwrap();
    assert!(within_a_minute(|| groups_left().is_empty()), "the supervisor left something");
    let of_pair = |pair| SEED.parse::<Seed>().unwrap().of_pair(PairId { pair, attempt: 0 }).to_string();
    for seed in [SEED.to_owned(), of_pair(0), of_pair(1)] {
        assert!(!holds(&out, &seed), "{seed} is told before the run is over");
    }
    let unfinished = run(galo(&["report"]).arg(&out)).expect(0);
    let line = unfinished.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(line.contains("seed sha256:") && !line.contains(SEED), "{line}");
    assert!(unfinished.stderr.contains("is unfinished: its seed is not told yet"), "{}", unfinished.stderr);
    let line = format!("hint: go on with it: galo fight --resume {} --quiet\n", out.display());
    assert!(unfinished.stderr.contains(&line), "{}", unfinished.stderr);

    run(galo(&["fight", "--quiet", "--resume"]).arg(&out));
    assert_nothing_is_left();
    let acts = std::fs::read_to_string(out.join("acts.jsonl")).unwrap();
    assert!(closed(&out) >= 2, "{acts}");
    assert!(acts.lines().last().unwrap().contains(SEED), "{acts}");
    let told = run(galo(&["report"]).env("GALO_STATE", folder.path()).arg(&out)).expect(0);
    assert!(told.stdout.contains(SEED) && told.stderr.is_empty(), "{}{}", told.stdout, told.stderr);
    rebuilding_changes_nothing(&out);
}

#[test]
fn a_fight_whose_files_have_changed_is_not_resumed() {
    if ran_alone() {
        return;
    }
    let (contender, folder) = (contender("exit 1", ""), tempfile::tempdir().unwrap());
    let out = folder.path().join("run");
    let mut fight = galo(&["fight", "--quiet", "--rounds", "1", "--out"]);
    run(fight.arg(&out).arg(contender.path())).expect(4);
    let resume = || run(galo(&["fight", "--quiet", "--resume"]).arg(&out));
    resume().expect(4);
    assert_eq!(closed(&out), 1, "it was over");
    let file = contender.path().join("compose.yaml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text + "# changed\n").unwrap();
    let told = resume().expect(2).stderr;
    assert!(told.contains("cannot be resumed: since it began, contender `"), "{told}");
}
