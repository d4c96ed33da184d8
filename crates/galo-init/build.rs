//! Lists the files that galo brings along, each by name: so cargo builds galo again where one of them has changed.
//!
//! A folder cannot be named, as cargo would look at all below it: what a contender's build leaves there would build galo again.

use std::fs;
use std::path::{Path, PathBuf};

/// Files and folders, from the root of the repository.
const BROUGHT: [&str; 9] = [
    "Cargo.lock",
    "Cargo.toml",
    "challenges",
    "ci/needs",
    "contenders",
    "fixtures/faulty/Cargo.toml",
    "fixtures/faulty/base.yaml",
    "fixtures/faulty/queued",
    "fixtures/faulty/src",
];

/// Folders of what was fetched, built or run.
const LEFT: [&str; 6] = ["__pycache__", "build", "dist", "galo-runs", "node_modules", "target"];

fn main() {
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../..");
    let root = root.canonicalize().unwrap_or(root);
    let mut files = Vec::new();
    for path in BROUGHT {
        find(&root.join(path), &mut files);
    }
    files.sort();
    let mut list = String::from("&[\n");
    for file in &files {
        println!("cargo:rerun-if-changed={}", file.display());
        let name = file.strip_prefix(&root).unwrap_or(file);
        list += &format!("({name:?}, include_bytes!({file:?})),\n");
    }
    println!("cargo:rerun-if-changed=build.rs");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("files.rs"), list + "]").unwrap_or_else(|error| panic!("{}: {error}", out.display()));
}

/// Adds a file, or all files of a folder. Links are left out: git keeps none there.
fn find(path: &Path, files: &mut Vec<PathBuf>) {
    let meta = path.symlink_metadata().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let is_left = path.file_name().is_some_and(|name| LEFT.iter().any(|left| name == *left));
    if meta.is_file() {
        files.push(path.to_owned());
    } else if meta.is_dir() && !is_left {
        let entries = fs::read_dir(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        entries.flatten().for_each(|entry| find(&entry.path(), files));
    }
}
