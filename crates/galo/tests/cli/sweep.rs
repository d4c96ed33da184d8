//! Sweeps and searches for the best setting, of processes that are what their setting makes of them.

use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::challenge_file::shops;
use crate::support::{assert_no_group_is_left, driven_until, galo, groups_left, kill, run, within_a_minute};

/// A challenge with the contender `strict`, which declares the knob `share`.
fn folder() -> TempDir {
    let folder = shops("40/s for 1s");
    declare(&folder, "x-galo: {", "x-galo: { knobs: { share: { to: '*.cpus', values: [0.2, 0.4] } },");
    folder
}

/// Changes what the file of `strict` says.
fn declare(folder: &TempDir, from: &str, to: &str) {
    let file = folder.path().join("strict/compose.yaml");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains(from), "{text}");
    std::fs::write(&file, text.replacen(from, to, 1)).unwrap();
}

fn report(out: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(out.join("report.json")).unwrap()).unwrap()
}

#[test]
fn every_contender_is_driven_at_every_setting_and_the_page_has_each() {
    let folder = folder();
    std::fs::create_dir(folder.path().join("twin")).unwrap();
    let strict = std::fs::read_to_string(folder.path().join("strict/compose.yaml")).unwrap();
    std::fs::write(folder.path().join("twin/compose.yaml"), strict).unwrap();
    let words = "fight strict twin --sweep share=0.2,0.4 --rounds 1 --out run";
    let ended = run(galo(&words.split(' ').collect::<Vec<_>>()).current_dir(folder.path())).expect(0);
    assert_no_group_is_left();
    let out = folder.path().join("run");
    let report = report(&out);
    assert_eq!((&report["kind"], &report["is_over"]), (&"sweep".into(), &true.into()));
    assert_eq!(report["contenders"], serde_json::json!(["strict", "twin"]));
    for (index, value) in ["0.2", "0.4"].iter().enumerate() {
        let cell = &report["cells"][index];
        assert_eq!(cell["values"], serde_json::json!([value]));
        for contender in cell["contenders"].as_array().unwrap() {
            assert!(contender["out"].is_null(), "{contender}");
        }
    }
    // What the kernel was told is what the setting says.
    let limits: Vec<f64> = (3..=3)
        .flat_map(|child| {
            let text =
                std::fs::read_to_string(out.join(format!("children/{child:03}/attempt-1/report.json")));
            let block: Value = serde_json::from_str(&text.unwrap()).unwrap();
            let rounds = block["rounds"].as_array().unwrap().clone();
            rounds.into_iter().map(|round| round["services"][0]["cpus"].as_f64().unwrap())
        })
        .collect();
    assert!(limits.contains(&0.2) && limits.contains(&0.4), "{limits:?}");
    assert!(
        ended.stderr.contains("4 entries (0 refused): 2 checks, then 1 pass of 1 block"),
        "{}",
        ended.stderr
    );
    assert!(ended.stdout.contains("share=0.2") && ended.stdout.contains("share=0.4"), "{}", ended.stdout);
    assert!(ended.stdout.lines().all(|line| line.chars().count() <= 80), "{}", ended.stdout);
    // Resumed, it is over; and its folder tells the same.
    let again = folder.path().join("again");
    run(galo(&["report", "--quiet"]).arg(&out).arg("--out").arg(&again)).expect(0);
    assert_eq!(self::report(&again), report);
}

#[test]
fn a_knob_that_is_none_and_a_sweep_that_is_too_large_are_told_before_anything_starts() {
    let folder = folder();
    let told = |words: &str| {
        let words: Vec<&str> = words.split(' ').collect();
        let ended = run(galo(&words).current_dir(folder.path())).expect(2);
        assert!(!folder.path().join("galo-runs").exists(), "{words:?}");
        ended.stderr
    };
    for (words, wanted) in [
        ("fight strict --sweep shar=0.2", "did you mean `share`?"),
        ("fight strict --sweep api.cpus=0.2..0.4", "names no values of its own"),
        ("fight strict --sweep share=0.2 --sweep share=0.4", "knob `share` is named twice"),
        ("fight strict --sweep share=0.2..", "has no end"),
        ("fight strict --sweep scale=0", "write a number from 0.001 to 1000"),
        ("fight strict --sweep profile=nothing", "nothing"),
        ("fight strict --sweep share=0.10..0.50/0.01 --sweep scale=1..50/1", "to drive all the same: --yes"),
        ("limit strict --sweep scale=1,2", "the highest scale is what is searched for"),
        ("tune strict --knob share=0.2..0.1", "ends below its beginning"),
        ("tune strict --knob shop.env.SCANS=9..5", "ends where it begins, or below"),
        ("tune strict --knob shop.env.SCANS=5..9 --knob shop.env.SCANS=5..8", "is named twice"),
        ("tune strict --knob shop.env.SCANS=5..9 --slo q90<1s --objective cpu", "there is no figure `q90`"),
        ("tune strict --knob pool=1..2", "there is no knob `pool`"),
        ("tune strict --knob shop.memory=128MB,none", "`none` is not a memory size"),
        ("tune strict --knob shop.env.SCANS=5", "it has one value, `5`"),
        ("tune strict --knob profile=check,quick", "it is of the traffic"),
        ("tune strict --no-shares --knob shop.cpus=0.1..0.4", "leave --no-shares out"),
        ("fight strict --sweep shop.env.SCANS=1..9999/1", "that is 9,999 entries"),
        ("fight strict --yes", "--sweep"),
    ] {
        let told = told(words);
        assert!(told.contains(wanted), "{words}: {told}");
    }
}

/// A folder in which `strict` does most work for each request by its own setting: any other needs less CPU.
fn folder_of_a_slow_one() -> TempDir {
    let folder = folder();
    let file = folder.path().join("strict/compose.yaml");
    let text = std::fs::read_to_string(&file).unwrap();
    let slow = text.replacen("environment: { ", "environment: { SCANS: \"200000\", ", 1);
    assert_ne!(slow, text);
    std::fs::write(&file, slow).unwrap();
    folder
}

#[test]
fn a_search_for_the_best_setting_finds_it_fights_the_start_and_says_what_to_paste() {
    let folder = folder_of_a_slow_one();
    let words = "tune strict --profile check --objective cpu --tries 5 --no-shares --out run --knob shop.env.SCANS=1..200000";
    let ended = run(galo(&words.split(' ').collect::<Vec<_>>()).current_dir(folder.path())).expect(0);
    assert_no_group_is_left();
    let report = report(&folder.path().join("run"));
    let tries = report["tries"].as_array().unwrap();
    assert_eq!((&report["kind"], tries.len()), (&"tune".into(), 5));
    assert_eq!(tries[0]["turns"], serde_json::json!([]), "the first is the contender's own setting");
    let best = &tries[report["best"].as_u64().unwrap() as usize];
    let of_best = best["turns"].as_array().unwrap().iter().find(|turn| turn["knob"] == "shop.env.SCANS");
    let scans: u64 = of_best.unwrap()["value"].as_str().unwrap().parse().unwrap();
    assert!(scans < 200_000 && best["value"].as_f64() < tries[0]["value"].as_f64(), "{report}");
    assert_eq!(report["fight"]["contenders"].as_array().map(Vec::len), Some(2), "{report}");
    let fragment = report["fragment"].as_str().unwrap();
    assert!(fragment.contains(&format!("    environment:\n      SCANS: \"{scans}\"\n")), "{fragment}");
    assert!(ended.stderr.contains("try 1 of at most 5: as its file says"), "{}", ended.stderr);
    assert!(ended.stdout.lines().all(|line| line.chars().count() <= 80), "{}", ended.stdout);
}

#[test]
fn a_setting_that_cannot_be_read_is_a_result_and_the_search_goes_on() {
    let folder = folder();
    // The second value of the only knob is no size of memory.
    declare(&folder, "knobs: {", "knobs: { memory: { to: shop.memory, values: [128MB, none] },");
    let words = "tune strict --profile check --objective cpu --tries 4 --no-shares --quiet --out run";
    run(galo(&words.split(' ').collect::<Vec<_>>()).current_dir(folder.path())).expect(0);
    assert_no_group_is_left();
    let report = report(&folder.path().join("run"));
    let tries = report["tries"].as_array().unwrap();
    assert_eq!(tries.len(), 4, "{report}");
    let failed = tries.iter().filter(|one| one["failed"].as_str().is_some_and(|why| why.contains("none")));
    assert!(failed.count() >= 1, "{report}");
    assert!(tries[0]["value"].as_f64() > Some(0.0), "{report}");
}

#[test]
fn a_setting_at_which_it_hangs_is_a_result_and_the_search_goes_on() {
    let folder = folder();
    let file = folder.path().join("strict/compose.yaml");
    let text = std::fs::read_to_string(&file).unwrap();
    let patient = text.replacen("x-galo: { command:", "x-galo: { ready_timeout: 2s, command:", 1);
    assert_ne!(patient, text);
    std::fs::write(&file, patient).unwrap();
    // With the second value the first request takes hours.
    let words = "tune strict --profile check --objective cpu --tries 4 --no-shares --quiet --out run --knob shop.env.SCANS=1,1000000000000";
    run(galo(&words.split(' ').collect::<Vec<_>>()).current_dir(folder.path())).expect(0);
    assert_no_group_is_left();
    let report = report(&folder.path().join("run"));
    let tries = report["tries"].as_array().unwrap();
    assert_eq!(tries.len(), 4, "{report}");
    let hung =
        |one: &&Value| one["turns"].as_array().unwrap().iter().any(|turn| turn["value"] == "1000000000000");
    assert!(tries.iter().any(|one| hung(&one)), "{report}");
    assert!(tries.iter().filter(hung).all(|one| one["failed"].is_string()), "{report}");
    assert!(tries[0]["value"].as_f64() > Some(0.0), "{report}");
}

#[test]
fn a_search_that_was_killed_goes_on_and_drives_each_try_once() {
    let folder = folder_of_a_slow_one();
    let out = folder.path().join("run");
    let words = "tune strict --profile check --objective cpu --tries 4 --no-shares --quiet --out run --knob shop.env.SCANS=1..200000";
    let mut child = galo(&words.split(' ').collect::<Vec<_>>()).current_dir(folder.path()).spawn().unwrap();
    assert!(within_a_minute(|| out.join("children/002/attempt-1").exists()), "no second try was begun");
    kill(9, child.id());
    child.wait().unwrap();
    assert!(within_a_minute(|| groups_left().is_empty()), "the supervisor left something");

    run(galo(&["tune", "--quiet", "--resume"]).arg(&out)).expect(0);
    assert_no_group_is_left();
    let report = report(&out);
    let tries = report["tries"].as_array().unwrap();
    assert_eq!(tries.len(), 4, "{report}");
    assert!(tries.iter().all(|one| one["value"].as_f64() > Some(0.0)), "{report}");
    assert_eq!(report["fight"]["contenders"].as_array().map(Vec::len), Some(2), "{report}");
    let attempts = |child: u32| std::fs::read_dir(out.join(format!("children/{child:03}"))).unwrap().count();
    assert_eq!([1, 2, 3, 4, 5].map(attempts), [1, 2, 1, 1, 1], "the try that was under way is driven anew");
}

#[test]
fn a_ceiling_is_one_more_row_and_ranked_with_nobody() {
    let words = "fight strict --ceiling --rounds 1 --out run";
    let is_void = |folder: &TempDir| report(&folder.path().join("run"))["verdict"]["kind"] == "void";
    let (folder, ended) = driven_until(
        |(folder, _)| !is_void(folder),
        || {
            let folder = folder();
            let ended = run(galo(&words.split(' ').collect::<Vec<_>>()).current_dir(folder.path()));
            (folder, ended)
        },
    );
    let ended = ended.expect(0);
    let report = report(&folder.path().join("run"));
    assert_eq!(report["verdict"]["kind"], "alone", "{report}");
    let contenders = report["contenders"].as_array().unwrap();
    let of = |key: &str| contenders.iter().map(|one| one[key].clone()).collect::<Vec<_>>();
    assert_eq!(of("name"), ["strict", "strict (null servers)"]);
    assert_eq!(of("null_of"), [Value::Null, "strict".into()]);
    let rounds = report["rounds"].as_array().unwrap();
    let null = rounds.iter().find(|round| round["contender"] == "strict (null servers)").unwrap();
    assert_eq!((&null["ledger"]["ok"], &null["ledger"]["intended"]), (&40.into(), &40.into()), "{null}");
    let rules =
        null["findings"].as_array().unwrap().iter().filter(|finding| finding["weight"] == "must").count();
    assert_eq!((rules, &null["conformance"]), (0, &Value::Null), "it is asked for no rule: {null}");
    let medians: Vec<&Value> =
        report["medians"].as_array().unwrap().iter().map(|row| &row["contender"]).collect();
    assert_eq!(medians, ["strict", "strict (null servers)"]);
    assert!(
        ended.stdout.contains("strict (null servers) is strict with null servers in the place of its"),
        "{}",
        ended.stdout
    );
    assert!(ended.stdout.lines().all(|line| line.chars().count() <= 80), "{}", ended.stdout);

    let words = "fight strict --ceiling --sweep share=0.2 --out refused";
    let told = run(galo(&words.split(' ').collect::<Vec<_>>()).current_dir(folder.path())).expect(2).stderr;
    assert!(told.contains("--sweep"), "{told}");
}

#[test]
fn the_only_setting_that_is_left_is_measured_all_the_same() {
    let folder = folder();
    // The second value is over the budget of the challenge.
    let words = "fight strict --sweep share=0.2,0.9 --rounds 1 --out run";
    let ended = run(galo(&words.split(' ').collect::<Vec<_>>()).current_dir(folder.path())).expect(0);
    assert_no_group_is_left();
    let report = report(&folder.path().join("run"));
    let at = &report["cells"][0]["contenders"][0];
    assert!(at["answers_per_s"].as_f64() > Some(1.0), "{report}");
    assert_eq!(report["refused"].as_array().map(Vec::len), Some(1), "{report}");
    assert!(
        ended.stdout.contains("strict at one setting, with nothing to compare it with"),
        "{}",
        ended.stdout
    );
}
