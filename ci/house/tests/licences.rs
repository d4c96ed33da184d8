//! What comes with galo may be used by everybody, and comes from crates.io or lies here.

use std::fs;
use std::path::{Path, PathBuf};

use cargo_metadata::{Metadata, MetadataCommand};
use sha2::{Digest, Sha256};
use spdx::{Expression, LicenseReq, ParseMode};
use toml::Table;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(name: &str) -> String {
    fs::read_to_string(repository().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn metadata() -> Metadata {
    MetadataCommand::new().manifest_path(repository().join("Cargo.toml")).exec().expect("cargo metadata runs")
}

/// The one list of licences, which `cargo deny` reads too.
fn allowed() -> Vec<String> {
    let deny: Table = read("deny.toml").parse().expect("deny.toml is TOML");
    let list = deny["licenses"]["allow"].as_array().expect("licenses.allow is a list");
    list.iter().map(|name| name.as_str().expect("a licence is a string").to_owned()).collect()
}

/// Whether one may use it under allowed licences alone.
fn is_allowed(expression: &str, allowed: &[String]) -> bool {
    let may = |needed: &LicenseReq| {
        // An exception (`WITH`) only ever allows more.
        needed.license.id().is_some_and(|id| allowed.iter().any(|name| name == id.name))
    };
    // Old manifests write `MIT/Apache-2.0`.
    Expression::parse_mode(expression, ParseMode::LAX).is_ok_and(|parsed| parsed.evaluate(may))
}

#[test]
fn every_dependency_has_an_allowed_licence() {
    let allowed = allowed();
    for package in metadata().packages {
        let licence = package.license.clone().unwrap_or_default();
        assert!(
            is_allowed(&licence, &allowed),
            "{} {} has licence `{licence}`\nhint: do without it, or allow the licence in deny.toml",
            package.name,
            package.version
        );
    }
}

#[test]
fn a_licence_is_read_as_its_expression_says() {
    let allowed = ["MIT".to_owned(), "Apache-2.0".to_owned()];
    for good in [
        "MIT",
        "GPL-3.0-only OR MIT",
        "MIT/Apache-2.0",
        "Apache-2.0 WITH LLVM-exception",
        "MIT AND Apache-2.0",
    ] {
        assert!(is_allowed(good, &allowed), "{good}");
    }
    for bad in ["", "GPL-3.0-only", "MIT AND GPL-3.0-only", "(MIT OR Apache-2.0) AND MPL-2.0", "no licence"] {
        assert!(!is_allowed(bad, &allowed), "{bad}");
    }
}

#[test]
fn every_dependency_comes_from_crates_io() {
    let root = repository().canonicalize().expect("it is there");
    for package in &metadata().packages {
        match &package.source {
            Some(source) => assert!(source.is_crates_io(), "{} comes from {source}", package.name),
            None => assert!(package.manifest_path.starts_with(&root), "{} lies elsewhere", package.name),
        }
    }
    // As locked: each with its checksum.
    for lock in ["Cargo.lock", "fuzz/Cargo.lock"] {
        let text = read(lock);
        let count = |start: &str| text.lines().filter(|line| line.starts_with(start)).count();
        let sources = count("source = ");
        assert_eq!(
            sources,
            count("source = \"registry+https://github.com/rust-lang/crates.io-index\""),
            "{lock}"
        );
        assert_eq!(sources, count("checksum = "), "{lock}");
    }
}

/// Code of others that lies here: where, its licence, and sums of its files as its README tells them.
const VENDORED: &[(&str, &str)] = &[("crates/galo-report/vendor/uplot", "MIT")];

#[test]
fn vendored_code_lies_here_with_its_licence_unchanged() {
    for (folder, licence) in VENDORED {
        let readme = read(&format!("{folder}/README.md"));
        assert!(allowed().iter().any(|allowed| allowed == licence) && readme.contains(licence), "{folder}");
        let text = read(&format!("{folder}/LICENSE"));
        assert!(
            text.contains("MIT License") || text.contains("Permission is hereby granted, free of charge"),
            "{folder}"
        );
        for entry in fs::read_dir(repository().join(folder)).expect("it is there") {
            let path = entry.expect("it is read").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name == "README.md" || name == "LICENSE" {
                continue;
            }
            let sum: String = Sha256::digest(fs::read(&path).expect("it is read"))
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect();
            assert!(readme.contains(&format!("`{name}` | `{sum}`")), "{folder}/{name} has sum {sum}");
        }
    }
}

#[test]
fn all_vendored_code_is_in_the_list() {
    let tracked = std::process::Command::new("git")
        .current_dir(repository())
        .args(["ls-files", "--", "*/vendor/*", "*/third_party/*", "*.min.js", "*.min.css", "*.woff2"])
        .output()
        .expect("git runs");
    let tracked = String::from_utf8(tracked.stdout).expect("names are UTF-8");
    assert!(!tracked.is_empty(), "git names none");
    for file in tracked.lines() {
        assert!(
            VENDORED.iter().any(|(folder, _)| file.starts_with(folder)),
            "{file} is of others, but not in VENDORED"
        );
    }
}
