//! Holds the invariants of ARCHITECTURE.md that can be read from `cargo metadata`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand};

fn metadata() -> Metadata {
    MetadataCommand::new().exec().expect("cargo metadata runs")
}

/// Direct dependencies inside of the workspace (tests' own apart), by package name.
fn inner_dependencies(metadata: &Metadata) -> BTreeMap<String, BTreeSet<String>> {
    let packages = metadata.workspace_packages();
    let names: BTreeSet<String> = packages.iter().map(|p| p.name.to_string()).collect();
    packages
        .iter()
        .map(|package| {
            let inner = package
                .dependencies
                .iter()
                .filter(|d| d.kind != DependencyKind::Development && names.contains(&d.name))
                .map(|d| d.name.clone())
                .collect();
            (package.name.to_string(), inner)
        })
        .collect()
}

/// What each crate of galo may depend on: the data flows definition, run, observe, judge, report.
const ALLOWED: &[(&str, &[&str])] = &[
    ("galo-words", &[]),
    ("galo-no-schema", &[]),
    ("galo-plan", &["galo-no-schema"]),
    ("galo-record", &["galo-plan"]),
    ("galo-host", &["galo-plan", "galo-record"]),
    ("galo-load", &["galo-plan", "galo-record"]),
    ("galo-null", &[]),
    ("galo-watch", &["galo-plan", "galo-record"]),
    ("galo-judge", &["galo-words", "galo-plan", "galo-record"]),
    ("galo-report", &["galo-words", "galo-plan", "galo-record", "galo-judge"]),
    ("galo-drive", &["galo-plan", "galo-record", "galo-host", "galo-load", "galo-watch", "galo-judge"]),
    ("galo-init", &["galo-plan"]),
    ("galo-challenge-crebitos", &["galo-plan"]),
    ("galo-challenge-pessoas", &["galo-plan"]),
];

#[test]
fn data_flows_one_way() {
    let inner = inner_dependencies(&metadata());
    for (name, allowed) in ALLOWED {
        let found = &inner[*name];
        let allowed: BTreeSet<String> = allowed.iter().map(ToString::to_string).collect();
        assert!(found.is_subset(&allowed), "{name} depends on {found:?}, allowed are {allowed:?}");
    }
}

#[test]
fn every_crate_of_galo_has_its_place_in_the_flow() {
    let inner = inner_dependencies(&metadata());
    let placed: BTreeSet<&str> = ALLOWED.iter().map(|(name, _)| *name).chain(["galo"]).collect();
    for name in inner.keys().filter(|name| name.starts_with("galo")) {
        assert!(placed.contains(name.as_str()), "{name} is new: give it its place in ALLOWED");
    }
}

#[test]
fn contenders_and_galo_never_depend_on_each_other() {
    for (name, found) in inner_dependencies(&metadata()) {
        for other in found {
            assert_eq!(
                name.starts_with("galo"),
                other.starts_with("galo"),
                "{name} depends on {other}: one shared parser bug would cancel itself out"
            );
        }
    }
}

#[test]
fn judging_and_telling_need_no_network_and_no_clock() {
    let metadata = metadata();
    let direct: BTreeMap<String, Vec<String>> = metadata
        .workspace_packages()
        .iter()
        .map(|p| {
            let normal = p.dependencies.iter().filter(|d| d.kind == DependencyKind::Normal);
            (p.name.to_string(), normal.map(|d| d.name.clone()).collect())
        })
        .collect();
    for name in [
        "galo-words",
        "galo-plan",
        "galo-judge",
        "galo-report",
        "galo-init",
        "galo-challenge-crebitos",
        "galo-challenge-pessoas",
    ] {
        for reach in ["rustix", "libc", "ureq", "hyper", "tokio", "signal-hook"] {
            assert!(!direct[name].iter().any(|d| d == reach), "{name} must not reach for {reach}");
        }
    }
}

#[test]
fn every_dependency_of_galo_has_its_reason_in_the_docs() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/dependencies.md");
    let text = std::fs::read_to_string(page).expect("docs/reference/dependencies.md is there");
    let metadata = metadata();
    let workspace: BTreeSet<String> =
        metadata.workspace_packages().iter().map(|p| p.name.to_string()).collect();
    for package in metadata.workspace_packages() {
        for dependency in package.dependencies.iter().filter(|d| !workspace.contains(&d.name)) {
            assert!(
                text.contains(&format!("`{}`", dependency.name)),
                "`{}` (of {}) has no reason in docs/reference/dependencies.md",
                dependency.name,
                package.name
            );
        }
    }
}

/// Crates that know of no challenge: what one needs beside its data, its model brings.
const GENERIC: &[&str] = &[
    "galo-words",
    "galo-plan",
    "galo-record",
    "galo-host",
    "galo-load",
    "galo-null",
    "galo-watch",
    "galo-judge",
    "galo-drive",
    "galo-report",
];

#[test]
fn generic_crates_name_no_challenge() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let challenges = std::fs::read_dir(root.join("challenges")).expect("there are challenges");
    let names: Vec<String> = challenges
        .map(|folder| folder.expect("it can be read").file_name().to_string_lossy().into_owned())
        .collect();
    for name in GENERIC {
        for file in sources(&root.join("crates").join(name).join("src")) {
            let text = std::fs::read_to_string(&file).expect("it can be read");
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            for name in &names {
                let forms = [
                    format!("`{name}`"),
                    format!("/{name}"),
                    format!("{name}/"),
                    format!("galo_challenge_{name}"),
                ];
                let named = forms.iter().find(|form| code.contains(form.as_str()));
                assert_eq!(named, None, "{} names a challenge", file.display());
            }
        }
    }
}

/// What challenges count, by the `noun` of their files.
fn nouns(root: &Path) -> BTreeSet<String> {
    let challenges = std::fs::read_dir(root.join("challenges")).expect("there are challenges");
    let mut nouns = BTreeSet::new();
    for folder in challenges {
        let file = folder.expect("it can be read").path().join("challenge.toml");
        let text = std::fs::read_to_string(&file).expect("a challenge has its file");
        let said = text.lines().filter(|line| line.starts_with("noun = "));
        nouns.extend(said.flat_map(|line| line.split('"').skip(1).step_by(2)).map(str::to_owned));
    }
    nouns
}

#[test]
fn generic_crates_say_no_noun_of_a_challenge() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let nouns = nouns(&root);
    assert!(nouns.contains("people"), "{nouns:?}");
    for name in GENERIC {
        for file in sources(&root.join("crates").join(name).join("src")) {
            let text = std::fs::read_to_string(&file).expect("it can be read");
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            let without_comments = code.lines().map(|line| line.split("//").next().unwrap_or_default());
            // A rule may be called by one: `search-unknown-person` is a name, no sentence.
            let is_between = |c: char| !c.is_alphanumeric() && c != '-' && c != '_';
            let mut words = without_comments.flat_map(|line| line.split(is_between));
            let said = words.find(|word| nouns.contains(*word));
            assert_eq!(said, None, "{}: what a challenge counts is its own to say", file.display());
        }
    }
}

/// Structs that a text declares, each with the names of its fields.
fn structs(text: &str) -> Vec<(String, BTreeSet<String>)> {
    let mut found: Vec<(String, BTreeSet<String>)> = Vec::new();
    let mut is_inside = false;
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().filter(|word| !word.starts_with("pub")).collect();
        match words.as_slice() {
            ["struct", name, .., "{"] if !line.starts_with(' ') => {
                found.push(((*name).to_owned(), BTreeSet::new()));
                is_inside = true;
            }
            ["}"] if !line.starts_with(' ') => is_inside = false,
            [first, ..] if is_inside => {
                let field = first.strip_suffix(':').map(str::to_owned);
                found.last_mut().into_iter().for_each(|(_, fields)| fields.extend(field.clone()));
            }
            _ => {}
        }
    }
    found
}

/// As many fields make a copy; fewer may be alike by chance.
const COPY: usize = 3;

#[test]
fn report_judges_nothing_and_no_type_of_it_mirrors_one_of_judge_or_record() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let code = |name: &str| {
        let root = crates.join(name).join("src");
        let read = |file: PathBuf| {
            let text = std::fs::read_to_string(&file).expect("it can be read");
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().to_owned();
            (file.strip_prefix(&root).expect("it lies below").display().to_string(), code)
        };
        sources(&root).into_iter().map(read).collect::<Vec<_>>()
    };
    let judged = ["galo-judge", "galo-record"].map(code).concat();
    let known: Vec<_> = judged.iter().flat_map(|(_, code)| structs(code)).collect();
    assert!(known.iter().any(|(name, fields)| name == "JudgedRound" && fields.contains("load_ns")));
    for (file, code) in code("galo-report") {
        for (name, fields) in structs(&code).into_iter().filter(|(_, fields)| fields.len() >= COPY) {
            let original = known.iter().find(|(_, of)| fields.is_subset(of));
            assert_eq!(original.map(|(of, _)| of), None, "{file}: `{name}` mirrors it");
        }
        let judges = [
            "judge_",
            ".judged()",
            "summed_up(",
            "JudgedFight::judge",
            "JudgedDuel::judge",
            "JudgedScan::new",
            "JudgedComparison::of",
            "unpaired(",
            "impl Serialize",
        ];
        assert_eq!(judges.iter().find(|call| code.contains(*call)), None, "{file} judges");
        // What is written as JSON is judge's. Charts have data of their own, and other tools their own forms.
        let may_be_json = ["document/html/data.rs", "trend/export.rs"].contains(&file.as_str());
        assert!(may_be_json || !code.contains("derive(Serialize"), "{file} writes JSON");
        assert!(may_be_json || !code.contains(", Serialize"), "{file} writes JSON");
    }
}

/// Sources below a folder, without modules of tests.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let is_of_tests = |path: &Path| {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        ["tests", "testing", "fake"].contains(&stem.as_str())
    };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("it can be read").path();
        match path.extension() {
            _ if is_of_tests(&path) => {}
            _ if path.is_dir() => found.extend(sources(&path)),
            Some(extension) if extension == "rs" => found.push(path),
            _ => {}
        }
    }
    found
}
