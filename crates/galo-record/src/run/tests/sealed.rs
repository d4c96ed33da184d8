//! What a run folder tells of its seed, and when.

use std::os::unix::fs::PermissionsExt;

use super::*;
use crate::act::{UnitKind, UnitTerms};

const TEXT: &str = "0123456789abcdef0123456789abcdef";

/// A run of a seed that no file holds by chance; its folder and where its seed is kept.
fn begun(root: &Path) -> (PathBuf, Seeds, RunWriter) {
    let (path, kept) = (root.join("run"), Seeds::at(&root.join("state/seeds")));
    let plan = Plan { seed: TEXT.parse().unwrap(), data_sha256: "5ea1ed".into(), ..plan() };
    let command = ["galo", "fight", "--seed", TEXT, "--quiet"].map(str::to_owned).into();
    let writer = RunWriter::create(&path, &RunHeader { command, ..header() }, &plan, &kept).unwrap();
    let pair = galo_plan::PairId { pair: 3, attempt: 1 };
    let kind = UnitKind::Round { contender: 0, slot: 0, pair, crash: None };
    writer.act([1, 2], Act::Begin(UnitTerms { number: 1, kind }), Outcome::Done).unwrap();
    (path, kept, writer)
}

/// Everything in a folder, as text.
fn texts(folder: &Path) -> String {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let text = |path: PathBuf| if path.is_dir() { texts(&path) } else { fs::read_to_string(path).unwrap() };
    entries.map(text).collect()
}

fn kept_files(seeds: &Seeds) -> Vec<PathBuf> {
    fs::read_dir(seeds.path().unwrap()).unwrap().map(|entry| entry.unwrap().path()).collect()
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn no_file_of_a_run_that_is_not_over_tells_its_seed_or_what_is_drawn_by_it() {
    let root = tempfile::tempdir().unwrap();
    let (path, seeds, writer) = begun(root.path());
    let pair_seed =
        TEXT.parse::<galo_plan::Seed>().unwrap().of_pair(galo_plan::PairId { pair: 3, attempt: 1 });
    let written = texts(&path);
    for secret in [TEXT, &pair_seed.to_string(), "5ea1ed", "ceiling", "order"] {
        assert!(!written.contains(secret), "{secret} in {written}");
    }
    let [kept] = &kept_files(&seeds)[..] else { panic!("one seed is kept") };
    assert_eq!((mode(kept.parent().unwrap()), mode(kept), mode(&path)), (0o700, 0o600, 0o700));
    // It can be opened and gone on with all the same.
    let run = Run::<Plan>::open(&path, &seeds).unwrap();
    assert_eq!((run.plan.seed.to_string(), run.plan.data_sha256.as_str()), (TEXT.to_owned(), "5ea1ed"));
    assert_eq!(run.header.command, ["galo", "fight", "--quiet"]);
    assert!(!run.is_over);
    drop(writer);
    let (_, resumed) = RunWriter::resume::<Plan>(&path, &seeds).unwrap();
    assert_eq!((resumed.plan, resumed.acts), (run.plan, run.acts));
}

#[test]
fn a_run_that_is_over_tells_its_seed_in_its_last_act_and_nothing_is_kept_elsewhere() {
    let root = tempfile::tempdir().unwrap();
    let (path, seeds, writer) = begun(root.path());
    let before = Run::<Plan>::open(&path, &seeds).unwrap();
    writer.tell_seed().unwrap();
    writer.tell_seed().unwrap();
    drop(writer);
    assert_eq!(kept_files(&seeds), [] as [PathBuf; 0]);
    let acts = fs::read_to_string(path.join(ACTS)).unwrap();
    assert!(acts.lines().last().unwrap().contains(TEXT) && acts.matches("tell_seed").count() == 1, "{acts}");
    let nowhere = Seeds::at(&root.path().join("nowhere"));
    let run = Run::<Plan>::open(&path, &nowhere).unwrap();
    assert_eq!((run.plan, run.acts, run.is_over), (before.plan, before.acts, true));
    // Who goes on with it finds it over, and it stays as it is.
    RunWriter::resume::<Plan>(&path, &nowhere).unwrap().0.tell_seed().unwrap();
    assert_eq!(fs::read_to_string(path.join(ACTS)).unwrap(), acts);
}

#[test]
fn a_seed_that_was_changed_after_the_run_is_told() {
    let root = tempfile::tempdir().unwrap();
    let (path, seeds, writer) = begun(root.path());
    writer.tell_seed().unwrap();
    let acts = fs::read_to_string(path.join(ACTS)).unwrap();
    fs::write(path.join(ACTS), acts.replace(TEXT, "7")).unwrap();
    let error = Run::<Plan>::open(&path, &seeds).unwrap_err();
    assert!(error.to_string().contains("the seed was changed after the run"), "{error}");
}

#[test]
fn a_run_that_is_not_over_says_so_where_its_seed_is_gone() {
    let root = tempfile::tempdir().unwrap();
    let (path, seeds, writer) = begun(root.path());
    drop(writer);
    fs::remove_dir_all(seeds.path().unwrap()).unwrap();
    for error in [Run::<Plan>::open(&path, &seeds).err(), RunWriter::resume::<Plan>(&path, &seeds).err()] {
        let error = error.unwrap().to_string();
        assert!(
            error.contains("is unfinished, and its seed is not told yet") && error.contains("hint: "),
            "{error}"
        );
    }
}

#[test]
fn a_commitment_to_a_small_seed_is_another_each_time() {
    let root = tempfile::tempdir().unwrap();
    let commitment = |name: &str| {
        let path = root.path().join(name);
        RunWriter::create(&path, &header(), &plan(), &seeds(&path)).unwrap();
        let plan: serde_json::Value = files::read_json(&path.join(PLAN)).unwrap();
        plan["commitment"].as_str().unwrap().to_owned()
    };
    let [one, other] = ["a", "b"].map(commitment);
    assert!(one.len() == 64 && one != other, "{one} {other}");
}

#[test]
fn whoever_knows_salt_and_seed_can_hold_them_against_the_commitment() {
    let sealed: Sealed = serde_json::from_str(r#"{"salt":"00","seed":"7"}"#).unwrap();
    // By another program: printf 'galo 00 7' | sha256sum
    assert_eq!(sealed.commitment(), "bee1befb1e49a5101053747b9b807549b8a84b15bcf4e07982e5f91c75ed1dcd");
}

#[test]
fn a_folder_of_an_older_form_names_the_galo_that_made_it() {
    let root = tempfile::tempdir().unwrap();
    let (path, seeds, _) = begun(root.path());
    let text = fs::read_to_string(path.join(HEADER)).unwrap().replace("\"format\": 3", "\"format\": 1");
    fs::write(path.join(HEADER), text).unwrap();
    let error = Run::<Plan>::open(&path, &seeds).unwrap_err().to_string();
    assert!(error.contains("format 1") && error.contains("made by galo 0.1.0"), "{error}");
}
