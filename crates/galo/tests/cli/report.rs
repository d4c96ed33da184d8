//! Reports of what is there already: duels, and a log of Gatling's. Nothing is started.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use galo_judge::duel::{JudgedDuel, JudgedSide, TurnLoad};
use galo_plan::duel::{DuelCommand, DuelSide, FORMAT, Pace, Rest};
use galo_plan::{Contender, DuelPlan, ScanPlan};
use galo_record::act::{Act, LoadTerms, Loaded, Outcome, UnitKind, UnitTerms, Workload};
use galo_record::duel::{LevelTraffic, Purpose};
use galo_record::load::{LoadFigures, StepRecord};
use galo_record::run::Planned;
use galo_record::{Latencies, LoadRecord, Machine, RunHeader, RunWriter, Seeds};
use insta::assert_snapshot;
use tempfile::TempDir;

use crate::support::{Ended, galo, root, run};

/// A run folder that holds the duel of the report's own tests, driven by so many cores.
pub(crate) fn duel(root: &Path, name: &str, cores: u32) -> PathBuf {
    let path = root.join(name);
    let duel = seen();
    let writer = create(&path, cores, &plan_of(&duel));
    let act = |act, outcome| drop(writer.act([0, 0], act, outcome).unwrap());
    for (number, pair) in duel.turns.chunks(2).enumerate() {
        let kind = UnitKind::Pair { pair: pair[0].pair, start: pair[0].start };
        act(Act::Begin(UnitTerms { number: number as u32 + 1, kind }), Outcome::Done);
        for turn in pair {
            for (load, terms) in turn.loads.iter().zip(&duel.levels) {
                let traffic = LevelTraffic {
                    purpose: Purpose::Turn,
                    terms: terms.clone(),
                    total: None,
                    first_user: 0,
                    kept: 0,
                };
                let traffic = Workload::Level(Box::new(traffic));
                let terms = LoadTerms { contender: turn.side, traffic, kill: None };
                act(Act::Load(terms), Outcome::Loaded(Box::new(loaded(load))));
            }
        }
        act(Act::Close, Outcome::Done);
    }
    writer.tell_seed().unwrap();
    path
}

fn seen() -> JudgedDuel {
    serde_json::from_str(include_str!("../../../galo-report/tests/report/duel.json")).unwrap()
}

/// The plan of that duel.
pub(crate) fn duel_plan() -> DuelPlan {
    plan_of(&seen())
}

/// A run folder, whose seed is kept beside it.
pub(crate) fn create(path: &Path, cores: u32, plan: &impl Planned) -> RunWriter {
    RunWriter::create(path, &header(cores), plan, &Seeds::at(&path.with_extension("seeds"))).unwrap()
}

fn plan_of(duel: &JudgedDuel) -> DuelPlan {
    let side = |side: usize| {
        let JudgedSide { name, url, command, .. } = &duel.sides[side];
        let contender = Contender {
            name: name.clone(),
            title: command.clone().unwrap(),
            language: None,
            challenge: String::new(),
            file: PathBuf::new(),
            file_sha256: String::new(),
            services: Vec::new(),
            runner: galo_plan::Runner::Process,
            own_names: galo_plan::OwnNames::default(),
            connects: false,
            setting: None,
            null_of: None,
        };
        let command = Some(Box::new(DuelCommand { contender, port: 1, commit: None, after: None }));
        DuelSide { name: name.clone(), url: url.clone(), command }
    };
    DuelPlan {
        format: FORMAT,
        sides: [side(0), side(1)],
        request: duel.request.clone(),
        requests_sha256: None,
        sent_sha256: None,
        requests_per_user: 1.0,
        timeout_ns: 1,
        asked: None,
        connections: 16,
        seed: galo_plan::Seed::of_number(1),
        pace: Pace { pairs: duel.pairs, ..Pace::QUICK },
        rest: Rest::StandsStill,
        cpus_milli: duel.cpus_milli,
        memory_bytes: None,
        cores: duel.cores,
        assertions: duel.assertions.iter().map(|bound| bound.assertion.clone()).collect(),
        ignored: Vec::new(),
        detect_percent: None,
        uncommitted_files: 0,
    }
}

/// A load whose figures are those of a turn, but for the shape of its latencies.
fn loaded(turn: &TurnLoad) -> Loaded {
    let step = StepRecord { ledger: turn.ledger, ..StepRecord::default() };
    let load = LoadRecord {
        ended_ns: turn.elapsed_ns,
        steps: vec![step],
        engine: turn.engine.clone(),
        ..LoadRecord::default()
    };
    let mut latencies = Latencies::new();
    let shares = [(turn.latency.p50, 50), (turn.latency.p90, 40), (turn.latency.p99, 10)];
    for (us, percent) in shares {
        (0..percent).for_each(|_| latencies.record_ns((us * 1e3) as u64));
    }
    let figures = LoadFigures { latencies: latencies.to_sparse(), usage: turn.usage.clone() };
    Loaded { load, figures: Some(Box::new(figures)), ..Loaded::default() }
}

fn scan() -> ScanPlan {
    let (format, seed) = (galo_plan::scan::FORMAT, galo_plan::Seed::of_number(7));
    ScanPlan { format, baseline: None, seed, settings: Vec::new() }
}

fn header(cores: u32) -> RunHeader {
    RunHeader {
        format: galo_record::run::FORMAT,
        galo: "0.1.0".to_owned(),
        command: ["galo", "duel", "--url", "http://127.0.0.1:{port}/", "old", "new"]
            .map(str::to_owned)
            .to_vec(),
        started: "2026-01-02T03:04:05Z".to_owned(),
        machine: Machine { cpu: "Example CPU".to_owned(), cores, ..Machine::default() },
    }
}

/// `galo report` with these arguments; in what it says the folder's name is left out.
pub(crate) fn report(folder: &TempDir, arguments: &[&str]) -> Ended {
    let mut command = galo(&["report"]);
    let Ended { code, stdout, stderr } = run(command.args(arguments));
    let plain = |text: String| text.replace(&*folder.path().to_string_lossy(), "DIR");
    Ended { code, stdout: plain(stdout), stderr: plain(stderr) }
}

fn log(version: &str) -> String {
    let file = format!("crates/galo-record/tests/gatling/simulation-{version}.log");
    root().join(file).to_string_lossy().into_owned()
}

#[test]
fn two_duels_are_put_side_by_side_in_each_form() {
    let folder = tempfile::tempdir().unwrap();
    let runs = [duel(folder.path(), "before", 2), duel(folder.path(), "after", 64)];
    let runs = runs.each_ref().map(|path| path.to_str().unwrap());
    let terminal = report(&folder, &runs).expect(0).stdout;
    let head: Vec<&str> = terminal.lines().take_while(|line| !line.starts_with("p99")).collect();
    assert_snapshot!(head.join("\n"), @r#"
machine differs: Example CPU, 2 cores, 0 MiB (run 1); Example CPU, 64 cores, 0
  MiB (run 2): only memory is comparable
these runs did not alternate: whatever else changed between them is in the
  ratios, so no winner is named
2 runs side by side

Runs
1: DIR/before, 2026-01-02T03:04:05Z
old is better under equal limits: it gives 1.25 times (1.12 to 1.39) new's
  answers per second, it needs 0.89 times (0.85 to 0.94) new's CPU for each
  answer
GET /; 8 pairs of turns in 4 starts of each; 1 CPU for each command
2: DIR/after, 2026-01-02T03:04:05Z
old is better under equal limits: it gives 1.25 times (1.12 to 1.39) new's
  answers per second, it needs 0.89 times (0.85 to 0.94) new's CPU for each
  answer
GET /; 8 pairs of turns in 4 starts of each; 1 CPU for each command
"#);
    let json = report(&folder, &[runs[0], runs[1], "--json", "-"]).expect(0).json();
    assert_eq!(
        (&json["kind"], &json["figures"][0]["values"][2]["incomparable"]),
        (&"comparison".into(), &serde_json::json!(["machine"]))
    );
    let file = folder.path().join("both.md");
    let both = report(&folder, &[runs[0], runs[1], "--markdown", file.to_str().unwrap()]).expect(0);
    assert_eq!(both.stdout, terminal, "a file does not take the place of the summary");
    let markdown = std::fs::read_to_string(file).unwrap();
    assert!(
        markdown.starts_with("> [!WARNING]\n> machine differs")
            && markdown.contains("\n### these runs did not alternate: ")
            && markdown.contains("\n2 runs side by side\n"),
        "{markdown}"
    );
    let page = folder.path().join("page");
    let told = report(&folder, &[runs[0], runs[1], "--lang", "pt", "--out", page.to_str().unwrap()])
        .expect(0)
        .stdout;
    assert!(told.contains("2 execuções lado a lado") && told.ends_with("DIR/page/report.html\n"), "{told}");
    assert!(std::fs::read_to_string(page.join("report.html")).unwrap().contains("<html lang=\"pt\""));
}

#[test]
fn nothing_is_written_into_a_run_folder_that_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = duel(folder.path(), "speed", 2);
    let (precious, told) = (folder.path().join("precious"), folder.path().join("told"));
    std::fs::write(&precious, "precious").unwrap();
    std::fs::create_dir(&told).unwrap();
    for name in ["report.json", "report.json.tmp", "report.html.tmp"] {
        symlink(&precious, path.join(name)).unwrap();
        symlink(&precious, told.join(name)).unwrap();
    }
    let names = || {
        let entries = std::fs::read_dir(&path).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let before = names();
    let run = path.to_str().unwrap();
    let plain = report(&folder, &[run]).expect(0).stdout;
    assert!(plain.ends_with("report: --out DIR writes report.json and report.html\n"), "{plain}");
    let placed = report(&folder, &[run, "--out", told.to_str().unwrap()]).expect(0).stdout;
    assert!(placed.ends_with("report: DIR/told/report.html\n"), "{placed}");
    assert_eq!(names(), before);
    assert_eq!(std::fs::read_to_string(&precious).unwrap(), "precious");
    assert!(std::fs::read_to_string(told.join("report.html")).unwrap().starts_with("<!"));
}

#[test]
fn markdown_on_standard_output_takes_the_place_of_the_summary() {
    let folder = tempfile::tempdir().unwrap();
    let path = duel(folder.path(), "speed", 2);
    let told = report(&folder, &[path.to_str().unwrap(), "--markdown", "-"]).expect(0).stdout;
    assert!(told.starts_with("### old is better under equal limits: "), "{told}");
    // How and where it was driven is folded at the end.
    assert!(told.contains("control groups )") && told.trim_end().ends_with("</details>"), "{told}");
    assert!(!told.contains("report: "), "{told}");
}

#[test]
fn what_cannot_be_told_together_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = duel(folder.path(), "speed", 2);
    let one = path.to_str().unwrap();
    let several = folder.path().join("scan");
    create(&several, 2, &scan()).tell_seed().unwrap();
    let told = |arguments: &[&str]| report(&folder, arguments).expect(2).stderr.trim().to_owned();
    assert_snapshot!(told(&[one, one]), @r#"
error: `DIR/speed` is given twice
hint: give each run once; for the noise of a machine: galo fight A A
"#);
    assert_snapshot!(told(&[one, several.to_str().unwrap()]), @r#"
error: `DIR/scan` is a scan, which cannot be put beside another run
hint: give the folders of its duels, children/001/attempt-1 and so on
"#);
    assert_snapshot!(told(&[one, "/nowhere"]), @r#"
error: `/nowhere` is no run folder: it holds no run.json
hint: give the folder that `galo fight` named at its end
"#);
    assert_snapshot!(told(&[one, "--style", "gatling"]), @r#"
error: a duel cannot be told in another tool's style
hint: leave --style out; it is for one fight of contenders, and for `galo load`
"#);
    assert_snapshot!(told(&[one, "--json", "-", "--markdown", "-"]), @r#"
error: --json and --markdown cannot both go to standard output
hint: name a file for one of them
"#);
    assert_snapshot!(told(&["--gatling", path.join("plan.json").to_str().unwrap()]), @r#"
error: `DIR/speed/plan.json` is no log of Gatling's: it begins with `{`
hint: give the simulation.log in the folder that Gatling named at its end
"#);
}

#[test]
fn a_log_of_gatlings_is_told_as_a_load_in_each_form() {
    let folder = tempfile::tempdir().unwrap();
    let told =
        |more: &[&str]| report(&folder, &[&["--gatling", &log("3.9")], more].concat()).expect(0).stdout;
    let plain = told(&[]);
    assert!(plain.starts_with("22.8/s right for 3.2 s; 4 not right (5.3 %)\n"), "{plain}");
    assert!(told(&["--lang", "pt"]).starts_with("22,8/s corretas por 3,2 s; 4 não corretas (5,3 %)\n"));
    assert!(told(&["--markdown", "-"]).starts_with("### 22.8/s right for 3.2 s; 4 not right"));
    let styled = told(&["--style", "gatling"]);
    let count = "> request count                                         76 (OK=72     KO=4     )";
    assert!(styled.starts_with(&plain) && styled.contains(count), "{styled}");
    let json = report(&folder, &["--gatling", &log("3.10"), "--json", "-"]).expect(0).json();
    assert_eq!(
        (&json["log"]["simulation"]["gatling"], &json["ledger"]["ok"]),
        (&"3.10.3".into(), &11.into())
    );
}
