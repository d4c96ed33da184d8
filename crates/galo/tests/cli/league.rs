//! Leagues: from a folder of entries to a ranking, whatever the entries are, and whatever becomes of galo meanwhile.

use std::path::Path;
use std::process::{Command, Stdio};

use insta::assert_snapshot;
use serde_json::Value;
use tempfile::TempDir;

use crate::challenge_file::shops;
use crate::support::{Ended, assert_no_group_is_left, galo, groups_left, kill, run, within_a_minute};

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
    std::os::unix::fs::symlink("strict", folder.path().join("linked")).unwrap();
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
    let cause = |index: usize| report["not_started"][index]["cause"].as_str();
    assert_eq!((cause(0), cause(1)), (Some("other"), Some("not_built")));
    let refused = report["refused"].as_array().unwrap();
    let refused: Vec<&str> = refused.iter().map(|one| one["file"].as_str().unwrap()).collect();
    assert_eq!(refused, ["linked", "garbled/compose.yaml", "greedy/compose.yaml"]);

    for wanted in [
        "5 entries (3 refused)",
        "check 2 of 5: lenient\n",
        "  out: answers-as-described\n",
        "  did not start: not built: the build failed (exit status 3",
        "pass 3 of at most 3",
    ] {
        assert!(ended.stderr.contains(wanted), "{wanted}: {}", ended.stderr);
    }
    assert!(ended.stdout.lines().all(|line| line.chars().count() <= 80), "{}", ended.stdout);
    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    let child = "children/002/attempt-1/report.html";
    assert!(page.contains(child) && out.join(child).is_file());
    // Each entry has a page, which leads to that of its check, and a badge.
    for (name, says) in [("strict", " of 2<"), ("lenient", ">broke a rule<"), ("gone", ">did not start<")] {
        let own = out.join("entries").join(name);
        let badge = std::fs::read_to_string(own.join("badge.svg")).unwrap();
        assert!(badge.contains(says), "{badge}");
        let own_page = std::fs::read_to_string(own.join("report.html")).unwrap();
        assert!(
            own_page.contains("<h1") && (name == "gone" || own_page.contains("../../children/00")),
            "{name}"
        );
    }
    assert!(page.contains("entries/strict/report.html"));
    assert!(page.contains("| no compiler"), "the last lines of one that has no page of its own");
    let markdown = run(galo(&["report", "--markdown", "-", "--lang", "pt"]).arg(&out)).expect(0).stdout;
    assert!(
        markdown.contains("Quebraram uma regra") && markdown.contains("não foi construída: "),
        "{markdown}"
    );
}

#[test]
fn a_league_that_is_killed_again_and_again_goes_on_and_each_child_counts_once() {
    let folder = entries();
    let out = folder.path().join("run");
    let only = ["league", ".", "--only", "strict,twin", "--passes", "2", "--quiet", "--out", "run"];
    let mut command = galo(&only);
    command.current_dir(folder.path());
    for children in 1..=3 {
        if children == 2 {
            let mut shared = galo(&["league", "--slurm", "", "--resume"]);
            let told = run(shared.arg(&out)).expect(2).stderr;
            assert!(told.contains("was begun for one machine"), "{told}");
        }
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
pub(crate) fn begun(out: &Path) -> usize {
    let children = std::fs::read_dir(out.join("children")).into_iter().flatten().flatten();
    let attempts = children.flat_map(|child| std::fs::read_dir(child.path()).into_iter().flatten());
    attempts.flatten().filter(|attempt| attempt.path().join("acts.jsonl").exists()).count()
}

#[test]
fn a_league_whose_time_is_over_is_gone_on_with_and_finds_what_each_holds() {
    let folder = entries();
    let at = folder.path();
    let first = ["league", ".", "--only", "strict", "--limit=2s", "--for", "1ms", "--out", "run"];
    let said = run(galo(&first).current_dir(at)).expect(0).stderr;
    let hint = "hint: go on with it: galo league --resume run --for 1ms\n";
    assert!(said.contains("its time is over; nothing is left running\n") && said.contains(hint), "{said}");
    assert_eq!(begun(&at.join("run")), 0);
    run(galo(&["league", "--resume", "run", "--quiet"]).current_dir(at)).expect(0);
    let report = told(at, &at.join("run"));
    // Alone it is in no block.
    assert_eq!((&report["is_over"], &report["blocks"]), (&true.into(), &0.into()));
    assert!(report["ranking"][0]["highest_scale"].as_f64().is_some_and(|scale| scale > 1.0), "{report}");
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

/// A part of a planned league.
fn part(folder: &Path, arguments: &[&str], code: i32) -> Ended {
    run(galo(&["league"]).args(arguments).current_dir(folder)).expect(code)
}

/// What may be driven now.
fn due(folder: &Path) -> Vec<String> {
    let due = part(folder, &["gather", "run", "--due"], 0).stdout;
    due.lines().map(str::to_owned).collect()
}

#[test]
fn a_planned_league_is_driven_by_numbers_in_any_order_and_each_counts_once() {
    let folder = entries();
    let at = folder.path();
    let planned = part(at, &["plan", ".", "--skip", "lenient", "--passes", "1", "--out", "run"], 0);
    assert!(
        planned.stderr.contains("due are numbers 1 to 4: galo league run run --index 1"),
        "{}",
        planned.stderr
    );
    assert_eq!(due(at), ["1", "2", "3", "4"]);
    // The seed is with the league, for all that share it, until it is over.
    assert_eq!(std::fs::read_dir(at.join("run/seeds")).unwrap().count(), 1);
    // That one cannot even be built counts once one machine has said so three times.
    let (unsure, over) = ("did not start here: ", "4 is over: did not start: ");
    for (index, said, code) in [
        ("4", unsure, 4),
        ("2", "2 is over: right\n", 0),
        ("2", "2 is over already", 0),
        ("4", unsure, 4),
        ("1", "1 is over: did not start: ", 0),
        ("4", over, 0),
        ("4", "4 is over already", 0),
    ] {
        let ended = part(at, &["run", "run", "--index", index, "--progress", "lines"], code);
        assert!(ended.stderr.contains(said), "{said}: {}", ended.stderr);
    }
    // A gather that is ended between a rename and its act loses nothing.
    part(at, &["gather", "run", "--quiet"], 0);
    let acts = std::fs::read_to_string(at.join("run/acts.jsonl")).unwrap();
    std::fs::write(at.join("run/acts.jsonl"), format!("{}\n", acts.lines().next().unwrap())).unwrap();
    assert_eq!(due(at), ["3"]);
    part(at, &["run", "run", "--index", "4", "--quiet"], 0);
    let so_far = part(at, &["gather", "run", "--json", "-"], 0);
    let heard: Value = serde_json::from_str(&so_far.stdout).unwrap();
    assert_eq!((names(&heard["not_started"]), &heard["is_over"]), (vec!["gone", "unbuilt"], &false.into()));
    assert!(heard["seed"].as_str().unwrap().starts_with("sha256:"), "{heard}");
    assert!(so_far.stderr.contains("due is number 3: galo league run run --index 3"), "{}", so_far.stderr);
    // What cannot be read is driven anew, and so is what names nobody.
    std::fs::write(at.join("run/children/003/terms.json"), r#"{"check":{"entry":9}}"#).unwrap();
    let damaged = part(at, &["run", "run", "--index", "3"], 5).stderr;
    assert!(damaged.contains("names an entry that the league does not have"), "{damaged}");
    std::fs::create_dir(at.join("run/children/003/over")).unwrap();
    std::fs::write(at.join("run/children/003/over/acts.jsonl"), "").unwrap();
    assert_eq!(due(at), ["3"]);
    // Nor does a run count that this child's seed was not drawn for: one of another league, here of another child.
    std::fs::remove_dir_all(at.join("run/children/003/over")).unwrap();
    let stranger = ["-r", "run/children/002/attempt-1", "run/children/003/over"];
    run(Command::new("cp").args(stranger).current_dir(at)).expect(0);
    assert_eq!(due(at), ["3"]);
    let said = part(at, &["run", "run", "--index", "3", "--progress", "lines"], 0).stderr;
    assert!(
        said.contains("cannot be read or is another league's, and is driven anew")
            && said.contains("3 is over: right"),
        "{said}"
    );
    // A pass is planned once all checks are over; two that drive its block at once are told which of them counts.
    assert_eq!(due(at), ["5"]);
    let both: Vec<_> = (0..2)
        .map(|_| {
            let mut one = galo(&["league", "run", "run", "--index", "5", "--progress", "lines"]);
            one.current_dir(at).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let said: Vec<String> = both
        .into_iter()
        .map(|one| String::from_utf8(one.wait_with_output().unwrap().stderr).unwrap())
        .collect();
    let counted = said.iter().filter(|said| said.contains("5 is over\n")).count();
    assert_eq!(counted, 1, "{said:?}");
    // What is told at the end has the seed, at once.
    let last: Value = serde_json::from_str(&part(at, &["gather", "run", "--json", "-"], 0).stdout).unwrap();
    assert!(!last["seed"].as_str().unwrap().contains(':') && last["is_over"] == true, "{last}");
    assert_eq!(due(at), [""; 0]);
    assert_no_group_is_left();
    let report = told(at, &at.join("run"));
    assert_eq!((names(&report["ranking"]), &report["is_over"]), (vec!["strict", "twin"], &true.into()));
    assert_eq!(std::fs::read_dir(at.join("run/seeds")).unwrap().count(), 0);
}

#[test]
fn what_cannot_be_driven_of_a_planned_league_is_told() {
    let folder = entries();
    let at = folder.path();
    part(at, &["plan", ".", "--only", "strict,twin,greedy", "--out", "run", "--quiet"], 0);
    assert_snapshot!(part(at, &["run", "run", "--index", "3"], 2).stderr, @r"
    error: 3 is not due in `run`
    hint: see what is: galo league gather run --due
    ");
    let again = part(at, &["plan", ".", "--out", "run"], 2).stderr;
    assert!(again.contains("`run` is not empty"), "{again}");
    let none = part(at, &["gather", "strict"], 2).stderr;
    assert!(none.contains("`strict`"), "{none}");
    // Gone on with here, it is driven like any other; and an entry that changed meanwhile ends it, told by name.
    let file = at.join("twin/compose.yaml");
    let changed = std::fs::read_to_string(&file).unwrap().replace("128MB", "127MB");
    std::fs::write(&file, changed).unwrap();
    for line in [["run", "run", "--index", "1"].as_slice(), &["--resume", "run"]] {
        let told = part(at, line, 2).stderr;
        assert!(told.contains("entry `twin`") && told.contains("has changed"), "{told}");
    }
    // Another galo's plan.
    let header = std::fs::read_to_string(at.join("run/run.json")).unwrap();
    std::fs::write(at.join("run/run.json"), header.replace(env!("CARGO_PKG_VERSION"), "0.0.1")).unwrap();
    for line in [["run", "run", "--index", "1"].as_slice(), &["gather", "run"]] {
        let told = part(at, line, 2).stderr;
        assert!(told.contains("0.0.1"), "{told}");
    }
}
