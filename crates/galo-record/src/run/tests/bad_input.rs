//! Run folders that are not as galo left them.

use super::*;

/// A run of so many rounds.
fn run_of(rounds: u32) -> (tempfile::TempDir, PathBuf, Vec<PathBuf>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let writer = RunWriter::create(&path, &header(), &plan(), &seeds(&path)).unwrap();
    let rounds = (1..=rounds).map(|number| write_round(&writer, &round(number, 0.1)).unwrap()).collect();
    (folder, path, rounds)
}

/// The error of opening a run and reading its first round, without its place.
fn error_of(path: &Path) -> String {
    let read = Run::<Plan>::open(path, &seeds(path)).and_then(|run| run.round(0));
    read.map(drop).unwrap_err().to_string().replace(&*path.to_string_lossy(), "RUN")
}

#[test]
fn a_round_whose_folder_was_taken_away_is_missed() {
    let (_folder, path, rounds) = run_of(3);
    fs::rename(&rounds[1], path.join("taken")).unwrap();
    insta::assert_snapshot!(error_of(&path), @r#"
`RUN/rounds` is damaged: the folder of round 2 is missing
hint: copy the run folder again from where it was made, or fight again
"#);
    fs::rename(path.join("taken"), path.join("rounds/01-other")).unwrap();
    insta::assert_snapshot!(error_of(&path), @r#"
`RUN/rounds` is damaged: there are several rounds 1
hint: copy the run folder again from where it was made, or fight again
"#);
}

/// Puts other lines in the place of a run's acts.
fn rewrite_acts(path: &Path, rewrite: impl Fn(Vec<&str>) -> Vec<&str>) {
    let file = path.join(ACTS);
    let text = fs::read_to_string(&file).unwrap();
    let lines = rewrite(text.lines().collect());
    fs::write(&file, lines.join("\n") + "\n").unwrap();
}

#[test]
fn acts_that_were_taken_out_or_put_in_another_order_are_told() {
    let (_folder, path, _) = run_of(2);
    rewrite_acts(&path, |mut lines| {
        lines.remove(1);
        lines
    });
    insta::assert_snapshot!(error_of(&path), @r#"
`RUN/acts.jsonl` is damaged: line 2: it is act 2, where act 1 belongs
hint: copy the run folder again from where it was made, or fight again
"#);
    let (_folder, path, _) = run_of(2);
    rewrite_acts(&path, |mut lines| {
        lines.swap(1, 2);
        lines
    });
    assert!(error_of(&path).contains("is damaged: line 2"));
}

#[test]
fn a_run_that_was_cut_off_in_the_middle_of_an_act_has_the_rounds_before_it() {
    let (_folder, path, _) = run_of(2);
    let text = fs::read_to_string(path.join(ACTS)).unwrap();
    fs::write(path.join(ACTS), &text[..text.len() - 1]).unwrap();
    let run = Run::<Plan>::open(&path, &seeds(&path)).unwrap();
    assert_eq!((run.len(), run.round(0).unwrap()), (1, round(1, 0.1)));
}

#[test]
fn files_of_a_newer_galo_say_so_instead_of_being_called_damaged() {
    let (_folder, path, rounds) = run_of(1);
    let plan = fs::read_to_string(path.join(PLAN)).unwrap();
    fs::write(path.join(PLAN), plan.replacen("\"format\": 3", "\"format\": 9", 1)).unwrap();
    insta::assert_snapshot!(error_of(&path), @r#"
`RUN/plan.json` has format 9, this galo reads up to 3
hint: use a newer galo
"#);
    fs::write(path.join(PLAN), plan).unwrap();
    let mut history = fs::read(rounds[0].join(HISTORY)).unwrap();
    history[8] = 200;
    fs::write(rounds[0].join(HISTORY), history).unwrap();
    insta::assert_snapshot!(error_of(&path), @r#"
`RUN/rounds/01-rust-sqlite/history.bin.zst` has format 200, this galo reads up to 2
hint: use a newer galo
"#);
}

#[test]
fn what_is_no_file_or_larger_than_any_record_is_not_even_read() {
    let (_folder, path, rounds) = run_of(1);
    let file = fs::OpenOptions::new().write(true).open(rounds[0].join(HISTORY)).unwrap();
    // Nothing of it takes room on the disk.
    file.set_len(1 << 40).unwrap();
    insta::assert_snapshot!(error_of(&path), @r#"
`RUN/rounds/01-rust-sqlite/history.bin.zst` is no record: it has 1099511627776 bytes, and galo reads 4294967296 at most
hint: give the folder that galo named at its end, or copy it again from where it was made
"#);
    fs::remove_file(path.join(PLAN)).unwrap();
    insta::assert_snapshot!(error_of(&path), @r#"
`RUN/plan.json` is damaged: it is not there
hint: copy the run folder again from where it was made, or fight again
"#);
    fs::create_dir(path.join(PLAN)).unwrap();
    insta::assert_snapshot!(error_of(&path), @r#"
`RUN/plan.json` is damaged: it is not there
hint: copy the run folder again from where it was made, or fight again
"#);
    let no_folder = path.join("run.json");
    assert!(matches!(Run::<Plan>::open(&no_folder, &seeds(&no_folder)), Err(RecordError::NoRun(_))));
}

#[test]
fn what_is_no_run_or_too_new_is_told() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(Run::<Plan>::open(folder.path(), &seeds(folder.path())), Err(RecordError::NoRun(_))));
    // A newer format may have other fields; only `format` is looked at.
    std::fs::write(folder.path().join("run.json"), r#"{"format": 4, "new": true}"#).unwrap();
    assert!(matches!(
        Run::<Plan>::open(folder.path(), &seeds(folder.path())),
        Err(RecordError::Newer { found: 4, .. })
    ));
    std::fs::write(folder.path().join("run.json"), "{").unwrap();
    assert!(matches!(
        Run::<Plan>::open(folder.path(), &seeds(folder.path())),
        Err(RecordError::Damaged { .. })
    ));
}

#[test]
fn damage_to_any_file_of_a_round_names_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let writer = RunWriter::create(&path, &header(), &plan(), &seeds(&path)).unwrap();
    let round = write_round(&writer, &round(1, 0.1)).unwrap();
    let run = Run::<Plan>::open(&path, &seeds(&path)).unwrap();
    for name in [HISTORY, LATENCIES, SAMPLES, EVIDENCE, CONFORMANCE] {
        let file = round.join(name);
        let whole = std::fs::read(&file).unwrap();
        for cut in [whole.len() - 2, 1] {
            std::fs::write(&file, &whole[..cut]).unwrap();
            let error = run.round(0).unwrap_err();
            assert!(matches!(&error, RecordError::Damaged { path, .. } if *path == file), "{error}");
        }
        std::fs::write(&file, &whole).unwrap();
        run.round(0).unwrap();
    }
    std::fs::remove_file(round.join(HISTORY)).unwrap();
    assert!(matches!(run.round(0), Err(RecordError::Io { action: "read", .. })));
}
