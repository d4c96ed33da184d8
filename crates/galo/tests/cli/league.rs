//! Leagues: from a folder of entries to a ranking, whatever the entries are, and whatever becomes of galo meanwhile.

use std::path::Path;
use std::process::Stdio;

use insta::assert_snapshot;
use serde_json::Value;
use tempfile::TempDir;

use crate::challenge_file::shops;
use crate::support::{assert_no_group_is_left, galo, groups_left, kill, run, within_a_minute};

/// `lenient` breaks a rule, `strict` and `twin` are one program under two names; with others that cannot be started.
fn entries() -> TempDir {
    let folder = shops("40/s for 1s");
    let at = |name: &str| folder.path().join(name).join("compose.yaml");
    let strict = std::fs::read_to_string(at("strict")).unwrap();
    let write = |name: &str, text: &str| {
        std::fs::create_dir(folder.path().join(name)).unwrap();
        std::fs::write(at(name), text).unwrap();
    };
    write("twin", &strict);
    let command = strict.split("command: ").nth(1).unwrap().split(',').next().unwrap();
    write("gone", &strict.replace(command, "/nowhere/server"));
    write("unbuilt", &strict.replace("command: ", "build: 'echo no compiler; exit 3', command: "));
    write("greedy", &strict.replace("cpus: \"0.5\"", "cpus: \"4\""));
    write("garbled", "services: [");
    folder
}

fn names(list: &Value) -> Vec<&str> {
    let mut names: Vec<&str> =
        list.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    names
}

/// The report of a league, which its folder gives again.
fn told(folder: &Path, out: &Path) -> Value {
    let told = std::fs::read_to_string(out.join("report.json")).unwrap();
    let again = folder.join("again");
    run(galo(&["report", "--quiet"]).arg(out).arg("--out").arg(&again)).expect(0);
    assert_eq!(std::fs::read_to_string(again.join("report.json")).unwrap(), told);
    serde_json::from_str(&told).unwrap()
}

#[test]
fn a_folder_of_entries_of_all_kinds_comes_to_one_ranking_with_a_reason_for_each_that_is_not_in_it() {
    let folder = entries();
    let out = folder.path().join("run");
    let mut league = galo(&["league", ".", "--passes", "3", "--progress", "lines", "--out", "run"]);
    let ended = run(league.current_dir(folder.path())).expect(0);
    assert_no_group_is_left();
    let report = told(folder.path(), &out);
    assert_eq!(names(&report["ranking"]), ["strict", "twin"], "{report}");
    // One program under two names may be told apart in one league of twenty; then there are two groups.
    assert_eq!(report["groups"].as_array().unwrap().last().unwrap()[1], 1, "{report}");
    assert_eq!((&report["is_over"], &report["blocks"]), (&true.into(), &3.into()));
    assert_eq!(
        (names(&report["out"]), names(&report["not_started"])),
        (vec!["lenient"], vec!["gone", "unbuilt"])
    );
    assert_eq!(report["out"][0]["standing"]["rules"], serde_json::json!(["answers-as-described"]));
    let why = |index: usize| report["not_started"][index]["standing"]["reason"].as_str().unwrap_or_default();
    assert!(why(0).contains("/nowhere/server") && why(1).contains("no compiler"), "{}\n{}", why(0), why(1));
    let refused = report["refused"].as_array().unwrap();
    let refused: Vec<&str> = refused.iter().map(|one| one["file"].as_str().unwrap()).collect();
    assert_eq!(refused, ["garbled/compose.yaml", "greedy/compose.yaml"]);

    for wanted in [
        "5 entries (2 refused)",
        "check 2 of 5: lenient\n",
        "  out: answers-as-described\n",
        "pass 3 of at most 3",
    ] {
        assert!(ended.stderr.contains(wanted), "{wanted}: {}", ended.stderr);
    }
    assert!(ended.stdout.lines().all(|line| line.chars().count() <= 80), "{}", ended.stdout);
    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    let child = "children/002/attempt-1/report.html";
    assert!(page.contains(child) && out.join(child).is_file());
    let markdown = run(galo(&["report", "--markdown", "-", "--lang", "pt"]).arg(&out)).expect(0).stdout;
    assert!(markdown.contains("Quebraram uma regra"), "{markdown}");
}

#[test]
fn a_league_that_is_killed_again_and_again_goes_on_and_each_child_counts_once() {
    let folder = entries();
    let out = folder.path().join("run");
    let only = ["league", ".", "--only", "strict,twin", "--passes", "2", "--quiet", "--out", "run"];
    let mut command = galo(&only);
    command.current_dir(folder.path());
    for children in 1..=3 {
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        assert!(within_a_minute(|| begun(&out) > children), "child {children} did not begin");
        kill(9, child.id());
        child.wait().unwrap();
        assert!(within_a_minute(|| groups_left().is_empty()), "the supervisor left something");
        command = galo(&["league", "--quiet", "--resume"]);
        command.arg(&out);
    }
    run(&mut command).expect(0);
    assert_no_group_is_left();
    let report = told(folder.path(), &out);
    assert_eq!((names(&report["ranking"]), &report["blocks"]), (vec!["strict", "twin"], &2.into()));
    let attempts = |child: &str| std::fs::read_dir(out.join("children").join(child)).unwrap().count();
    assert!(["001", "002", "003", "004"].iter().map(|child| attempts(child)).sum::<usize>() >= 6);
    assert!(!out.join("children/005").exists());
}

/// How many children of a league have begun, each attempt counted.
fn begun(out: &Path) -> usize {
    let children = std::fs::read_dir(out.join("children")).into_iter().flatten().flatten();
    let attempts = children.flat_map(|child| std::fs::read_dir(child.path()).into_iter().flatten());
    attempts.flatten().filter(|attempt| attempt.path().join("acts.jsonl").exists()).count()
}

#[test]
fn what_is_no_league_is_told_before_anything_is_started() {
    let folder = entries();
    let refused = |arguments: &[&str]| {
        let ended = run(galo(&["league"]).args(arguments).current_dir(folder.path())).expect(2);
        assert!(!folder.path().join("galo-runs").exists(), "{arguments:?}");
        ended.stderr
    };
    assert_snapshot!(refused(&["nowhere"]), @r"
    error: `nowhere` is not there
    hint: name a folder in which each entry has a folder with a Compose file
    ");
    assert_snapshot!(refused(&[".", "--only", "strikt"]), @r"
    error: there is no entry `strikt`
    hint: did you mean `strict`?
    ");
    let nobody = refused(&["garbled"]);
    assert!(nobody.contains("there is no entry to drive"), "{nobody}");
    let unknown = refused(&[".", "--profile", "quik"]);
    assert!(unknown.contains("did you mean `quick`?"), "{unknown}");
}
