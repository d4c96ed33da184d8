//! `ci/may-skip` names what there is, and names all that is never run.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Crate and the test's own name of each line.
fn may_skip() -> Vec<(String, String)> {
    let text = fs::read_to_string(repository().join("ci/may-skip")).expect("ci/may-skip is there");
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let read = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        assert!(words.len() >= 4, "`{line}`\nhint: crate, test, and why");
        let name = words[1].rsplit("::").next().unwrap_or_default();
        (words[0].to_owned(), name.to_owned())
    };
    lines.map(read).collect()
}

/// All Rust that is kept by git.
fn sources() -> Vec<String> {
    let listed = Command::new("git").current_dir(repository()).args(["ls-files", "--", "*.rs"]).output();
    let names = String::from_utf8(listed.expect("git runs").stdout).expect("names are UTF-8");
    names.lines().filter_map(|name| fs::read_to_string(repository().join(name)).ok()).collect()
}

#[test]
fn what_may_be_skipped_is_there() {
    let sources = sources();
    for (name, test) in may_skip() {
        let function = format!("fn {test}()");
        assert!(sources.iter().any(|text| text.contains(&function)), "{name}: there is no test `{test}`");
    }
}

#[test]
fn what_is_never_run_by_itself_is_named() {
    let named: BTreeSet<String> = may_skip().into_iter().map(|(_, test)| test).collect();
    for text in sources() {
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        for pair in lines.windows(2).filter(|pair| pair[0].starts_with("#[ignore")) {
            let name = pair[1].split_once("fn ").and_then(|(_, rest)| rest.split_once('('));
            let name = name.expect("the function follows at once").0;
            assert!(
                named.contains(name),
                "`{name}` is ignored\nhint: name it in ci/may-skip, with its reason"
            );
        }
    }
}
