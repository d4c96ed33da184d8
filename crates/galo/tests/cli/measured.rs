//! Duels and fights that must count: by name, so that they can have the machine to themselves.
//!
//! `ci/validate` runs them after all others, one at a time: what other tests spoil is void, and proves nothing.

use std::path::Path;

use serde_json::Value;

use crate::action::{COMMAND, git, repository};
use crate::challenge_file::{QUICK, ended, shops};
use crate::duel::{SHORT, driven, duel, number, server};
use crate::runner::{Job, Ran};
use crate::support::{assert_no_group_is_left, assert_nothing_is_left, driven_until, galo, ran_alone, run};

#[test]
fn two_commands_fight_each_on_a_port_of_its_own() {
    let (server, url) = (server(), "http://127.0.0.1:{port}/");
    let (folder, ended) = driven(|out| duel(out, url, [&server, &server], &["--rounds", "1", "--json", "-"]));
    let (out, report) = (folder.path().join("run"), ended.json());
    assert_no_group_is_left();

    assert_eq!((&report["end"], &report["starts"]), (&Value::from("done"), &Value::from(1)));
    assert_eq!(report["answers"]["equal"], report["answers"]["compared"]);
    assert!(number(&report["answers"]["compared"]) >= 20, "{}", report["answers"]);
    let levels: Vec<&str> =
        report["levels"].as_array().unwrap().iter().map(|level| level["level"].as_str().unwrap()).collect();
    assert_eq!(levels, ["half", "highest"]);
    for side in report["sides"].as_array().unwrap() {
        assert_eq!(side["ledger"]["intended"], side["ledger"]["ok"], "{side}");
        assert!(side["warm_up"][0]["ok_per_s"].as_f64().unwrap() > 0.0, "{side}");
    }
    let told: Vec<&str> =
        report["compared"].as_array().unwrap().iter().map(|c| c["measure"].as_str().unwrap()).collect();
    assert_eq!(
        told,
        ["latency_us_p99", "latency_us_p50", "answers_per_s", "cpu_ms_per_1000", "anonymous_peak_bytes"]
    );
    let rebuilt = run(galo(&["report", "--json", "-"]).arg(&out)).expect(0);
    assert_eq!(rebuilt.json(), report);
    let told = run(galo(&["report"]).arg(&out)).expect(0).stdout;
    assert_eq!(report["verdict"]["kind"], "too_few_pairs");
    assert!(told.starts_with("too short: 1 pair, "), "{told}");
    assert!(told.lines().all(|line| line.chars().count() <= 80), "{told}");
}

/// Runs a job whose duel is short.
fn job_driven(job: &Job) -> Ran {
    let counts = |ran: &Ran| match ran.outputs["verdict"].as_str() {
        "void" => {
            assert_eq!(ran.code, 0, "a run that is void fails nothing: {}", ran.log);
            false
        }
        verdict => verdict != "too-few-pairs",
    };
    driven_until(counts, || job.run())
}

/// Inputs of a duel of short turns, twice as many as are needed: on a slow machine every third may not count.
fn short(assert: &str) -> [(&str, &str); 4] {
    const OPTIONS: &str =
        concat!("--rounds=20\n--profile=", env!("CARGO_MANIFEST_DIR"), "/tests/cli/short.profile");
    assert!(OPTIONS.ends_with(SHORT));
    [COMMAND, ("assert", assert), ("quick", "true"), ("options", OPTIONS)]
}

#[test]
fn a_slower_head_is_told_in_summary_and_comment_and_fails_nothing() {
    let repository = repository(&["1", "60"]);
    let job = Job::new(repository.path(), &short(""));
    let ran = job_driven(&job);
    assert_eq!((ran.code, ran.outputs["verdict"].as_str()), (0, "worse"), "{}\n{}", ran.log, ran.summary);
    let ratios: Vec<Value> = serde_json::from_str(&ran.outputs["ratios"]).unwrap();
    let p99 = ratios.iter().find(|ratio| ratio["measure"] == "latency_us_p99").unwrap();
    assert!(p99["ratio"].as_f64().unwrap() > 2.0 && p99["interval"][0].as_f64().unwrap() > 1.0, "{p99}");
    assert!(Path::new(&ran.outputs["run"]).join("report.html").exists());

    let comments = job.comments();
    let [comment] = &comments[..] else { panic!("{comments:?}") };
    let told = comment.strip_prefix("<!-- galo duel: galo -->\n").unwrap();
    assert_eq!(told, ran.summary);
    assert!(told.starts_with("### base is better"), "{told}");
    let [base, head] =
        ["HEAD^", "HEAD"].map(|name| git(repository.path(), &["rev-parse", "--short=12", name]));
    assert!(told.contains(&format!("head `{head}` against base `{base}`")), "{told}");
    assert_fits_a_screen(told);
}

/// Verdict, bounds and one table stand open; all else is folded.
#[track_caller]
fn assert_fits_a_screen(told: &str) {
    let mut depth = 0;
    let open = told.lines().filter(|line| {
        depth += line.matches("<details>").count();
        let is_open = depth == 0;
        depth -= line.matches("</details>").count();
        is_open && !line.is_empty()
    });
    let open: Vec<&str> = open.collect();
    assert!(open.len() <= 20, "{} lines stand open:\n{}", open.len(), open.join("\n"));
}

#[test]
fn an_equal_head_is_no_difference_and_fails_a_bound_that_cannot_hold() {
    let repository = repository(&["5", "5"]);
    let job = Job::new(repository.path(), &short("p99 ratio < 9\n\np99 ratio < 0.01\n"));
    let ran = job_driven(&job);
    let verdict = ran.outputs["verdict"].as_str();
    assert!(["no-difference", "inconclusive"].contains(&verdict), "{verdict}\n{}", ran.summary);
    assert_eq!(ran.code, 1, "{}", ran.log);
    assert!(ran.log.contains("::error title=galo::a bound is not met: p99 ratio < 0.01\n"), "{}", ran.log);
    assert!(job.comments()[0].contains("FAIL"), "{:?}", job.comments());
}

#[test]
fn a_faster_head_meets_its_bound() {
    let repository = repository(&["60", "1"]);
    let ran = job_driven(&Job::new(repository.path(), &short("p99 ratio < 1.1")));
    assert_eq!((ran.code, ran.outputs["verdict"].as_str()), (0, "better"), "{}\n{}", ran.log, ran.summary);
    assert!(ran.summary.contains("PASS"), "{}", ran.summary);
}

#[test]
fn a_fight_that_is_too_light_ends_after_a_pair_and_gives_the_line_with_a_scale_that_will_do() {
    let folder = shops(QUICK);
    let fight = || ended(folder.path(), &["fight", "strict", "lenient", "--no-restart"]).json();
    let report = driven_until(|report: &Value| report["verdict"]["kind"] != "void", fight);
    let verdict = &report["verdict"];
    assert_eq!(verdict["kind"], "neither_was_stressed", "{verdict}");
    // A void round is driven again, with the other one of its pair.
    assert!(report["rounds"].as_array().unwrap().len() <= 4, "{report}");
    let scale = verdict["raised"]["scale"].as_f64().unwrap();
    assert!(scale > 1.0, "{verdict}");
    let told = run(galo(&["report"]).arg(folder.path().join("run"))).expect(0).stdout;
    let line = format!("galo fight strict lenient --no-restart --json - --quiet --scale {scale}\n");
    assert!(told.contains(&line), "{told}");
}

#[test]
fn of_three_each_is_told_by_the_baseline() {
    if ran_alone() {
        return;
    }
    let contenders = ["baseline", "c", "rust-tunnel"].map(|name| format!("contenders/tunnel/{name}"));
    let mut arguments = vec!["fight"];
    arguments.extend(contenders.iter().map(String::as_str));
    arguments.extend(["--profile", "check", "--rounds", "1", "--json", "-", "--quiet", "--out"]);
    let report = driven_until(
        |report: &Value| report["verdict"]["kind"] != "void",
        || {
            let folder = tempfile::tempdir().unwrap();
            run(galo(&arguments).arg(folder.path().join("run"))).json()
        },
    );
    assert_nothing_is_left();
    let field = &report["field"];
    assert_eq!(field["reference"], "baseline", "{report}");
    let others: Vec<_> = field["against"].as_array().unwrap().iter().map(|c| &c["contenders"][0]).collect();
    assert!(others.contains(&&Value::from("c")) && others.contains(&&Value::from("rust-tunnel")), "{field}");
    let needed: Vec<_> =
        field["groups"].as_array().unwrap().iter().map(|grouped| &grouped["pairs_needed"]).collect();
    assert_eq!(needed, [&Value::from(8), &Value::from(11), &Value::from(11)], "{field}");
}
