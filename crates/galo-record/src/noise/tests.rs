use super::*;
use std::ffi::OsString;

fn terms(profile: &str) -> Terms {
    Terms {
        challenge: "pessoas".to_owned(),
        profile: profile.to_owned(),
        scale_milli: 1000,
        limited: true,
        cpu: "Example CPU".to_owned(),
        cores: 2,
        kernel: "Linux 6.1.0".to_owned(),
        system: "debian 12".to_owned(),
        cgroups: "v2".to_owned(),
        clock_source: "tsc".to_owned(),
        runners: Vec::new(),
    }
}

fn floor(file: &str, profile: &str, ratio: f64) -> Floor {
    Floor {
        contender: format!("contender {file}"),
        file_sha256: file.to_owned(),
        terms: terms(profile),
        ratio,
        cpu_ratio: 1.0,
        pairs: 8,
        measured: "2026-01-02T03:04:05Z".to_owned(),
        galo: "0.1.0".to_owned(),
        from_run: PathBuf::from("/runs/1"),
    }
}

fn ratios(store: &Store) -> Vec<f64> {
    store.read().unwrap().iter().map(|floor| floor.ratio).collect()
}

#[test]
fn what_is_kept_is_read_again_and_replaced_only_by_the_same_contender_on_the_same_terms() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(&folder.path().join("not/there/yet"));
    assert_eq!(ratios(&store), [0.0; 0]);
    for (file, profile, ratio) in
        [("a", "quick", 1.02), ("b", "quick", 1.03), ("a", "official", 1.04), ("a", "quick", 1.05)]
    {
        assert!(store.keep(floor(file, profile, ratio)).unwrap().aside.is_none());
    }
    assert_eq!(ratios(&store), [1.03, 1.04, 1.05]);
    assert_eq!(store.read().unwrap()[2], floor("a", "quick", 1.05));
}

#[test]
fn every_term_must_be_the_same() {
    let known = floor("a", "quick", 1.02);
    let written = serde_json::to_value(&known.terms).unwrap();
    let mut contender = Contender::at_address(([127, 0, 0, 1], 1).into(), "pessoas");
    contender.file_sha256 = "a".to_owned();
    assert!(known.is_of(&contender, &terms("quick")));
    for key in written.as_object().unwrap().keys() {
        let mut other = written.clone();
        other[key] = match &other[key] {
            serde_json::Value::Bool(value) => (!value).into(),
            serde_json::Value::Number(_) => 7.into(),
            _ => "other".into(),
        };
        let other: Terms = serde_json::from_value(other).unwrap();
        assert!(!known.is_of(&contender, &other), "{key}");
    }
    contender.file_sha256 = "b".to_owned();
    assert!(!known.is_of(&contender, &terms("quick")));
}

#[test]
fn a_store_that_is_damaged_or_of_another_version_is_told_and_never_lost() {
    let cases: [(&[u8], &str); 5] = [
        (b"{\"format\": 2, \"floors\": [{", "is damaged"),
        (b"\xff\xfe", "is damaged"),
        (b"{\"format\": 2, \"floors\": [{\"ratio\": 1.1}]}", "is damaged"),
        (b"", "is damaged"),
        (b"{\"format\": 1, \"floors\": []}", "has format 1, this galo reads 2"),
    ];
    let folder = tempfile::tempdir().unwrap();
    let (store, file) = (Store::at(folder.path()), folder.path().join(FILE));
    for (number, (bytes, told)) in cases.into_iter().enumerate() {
        fs::write(&file, bytes).unwrap();
        let problem = store.read().unwrap_err().to_string();
        assert!(problem.contains(told) && problem.contains("\nhint: "), "{problem}");
        assert_eq!(fs::read(&file).unwrap(), bytes, "reading changes nothing");
        let (aside, _) = store.keep(floor("a", "quick", 1.02)).unwrap().aside.unwrap();
        assert_eq!(aside, folder.path().join(format!("noise-floors.json.aside-{}", number + 1)));
        assert_eq!(fs::read(aside).unwrap(), bytes);
        assert_eq!(ratios(&store), [1.02]);
    }
}

#[test]
fn a_floor_that_cannot_be_one_is_damage() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    store.keep(floor("a", "quick", 0.5)).unwrap();
    assert!(matches!(store.read(), Err(Problem::Damaged(..))));
}

#[test]
fn several_that_keep_at_the_same_time_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let store = &store;
            scope.spawn(move || {
                for number in 0..5 {
                    store.keep(floor(&format!("{writer} {number}"), "quick", 1.1)).unwrap();
                }
            });
        }
    });
    assert_eq!(ratios(&store).len(), 40);
}

#[test]
fn a_folder_that_cannot_be_made_is_an_error_with_its_path() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let store = Store::at(&file.path().join("below a file"));
    let problem = store.keep(floor("a", "quick", 1.1)).unwrap_err().to_string();
    assert!(problem.contains("below a file") && problem.contains("GALO_STATE"), "{problem}");
}

#[test]
fn the_environment_says_where_and_relative_folders_of_xdg_do_not_count() {
    let found = |own: &str, xdg: &str, home: &str| {
        let [own, xdg, home] = [own, xdg, home].map(|value| Some(OsString::from(value)));
        state_folder(own, xdg, home)
    };
    let at = |path: &str| Some(PathBuf::from(path));
    assert_eq!(found("mine", "/x", "/h"), at("mine"));
    assert_eq!(found("", "/x", "/h"), at("/x/galo"));
    assert_eq!(found("", "x", "/h"), at("/h/.local/state/galo"));
    assert_eq!(found("", "", ""), None);
    assert_eq!(state_folder(None, None, None), None);
    assert!(matches!(Store(None).keep(floor("a", "quick", 1.1)), Err(Problem::NoFolder)));
    assert_eq!(Store(None).read().unwrap(), []);
}
