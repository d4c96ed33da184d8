//! What the pages for people must be: short enough to be read, and in the book.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A page, and how many words it may have.
const LIMITS: &[(&str, usize)] = &[("README.md", 1300), ("ARCHITECTURE.md", 1800)];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(page: &str) -> String {
    fs::read_to_string(root().join(page)).unwrap_or_else(|error| panic!("{page}: {error}"))
}

#[test]
fn pages_that_a_newcomer_reads_first_stay_short() {
    for (page, most) in LIMITS {
        let words = read(page).split_whitespace().count();
        assert!(
            words <= *most,
            "{page} has {words} words, at most {most}\nhint: move what is detail into docs/"
        );
    }
}

#[test]
fn a_change_is_one_line_of_the_changelog() {
    for (at, line) in read("CHANGELOG.md").lines().enumerate() {
        let is_entry = line.is_empty()
            || line.starts_with("# ")
            || ["## ", "### ", "- "].iter().any(|mark| line.starts_with(mark));
        assert!(is_entry, "CHANGELOG.md:{}: `{line}` goes on from the line before", at + 1);
        let words = line.split_whitespace().count();
        assert!(words <= 45, "CHANGELOG.md:{}: {words} words, at most 45", at + 1);
    }
}

/// Pages below a folder of `docs`, by name from `docs`.
fn pages(folder: &Path, from: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("docs are there").flatten() {
        let path = entry.path();
        if path.is_dir() {
            pages(&path, from, found);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.insert(path.strip_prefix(from).expect("it lies below docs").display().to_string());
        }
    }
}

#[test]
fn every_page_of_docs_is_in_the_book() {
    let docs = root().join("docs");
    let mut there = BTreeSet::new();
    pages(&docs, &docs, &mut there);
    there.remove("SUMMARY.md");
    let summary = read("docs/SUMMARY.md");
    let named: BTreeSet<String> =
        summary.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0.to_owned())).collect();
    let missing: Vec<_> = there.difference(&named).collect();
    let gone: Vec<_> = named.difference(&there).collect();
    assert!(there.len() > 50, "{there:?}");
    assert!(missing.is_empty() && gone.is_empty(), "docs/SUMMARY.md lacks {missing:?}, and names {gone:?}");
}
