//! Modules of a crate do not use each other in a circle.
//!
//! At each level of a crate's tree, the children of one module are the nodes; one uses another if anything below the
//! first names anything below the second, by a `use`, by a path within the code or within a macro. Names are followed
//! through re-exports, so a circle does not hide behind `use super::Thing`. A parent and its children may use each
//! other, and code under `#[cfg(test)]` may use anything.

#![allow(
    clippy::unwrap_used,
    reason = "what a test sets up itself; clippy takes only the test functions for tests"
)]

#[path = "circles/modules.rs"]
mod modules;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use cargo_metadata::{MetadataCommand, TargetKind};

use modules::{Tree, read};

/// Where one module names another.
type Sites = BTreeSet<String>;

/// Children of one module that can all reach one another.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Circle {
    parent: String,
    members: Vec<String>,
    /// A line for each pair of them of which one uses the other.
    edges: Vec<String>,
}

/// Which child of a module names which other, by the path of their parent.
fn edges(tree: &Tree) -> BTreeMap<Vec<String>, BTreeMap<(String, String), Sites>> {
    let mut edges: BTreeMap<_, BTreeMap<_, Sites>> = BTreeMap::new();
    for (user, site, used) in tree.uses() {
        let common = user.iter().zip(&used).take_while(|(a, b)| a == b).count();
        if let (Some(from), Some(to)) = (user.get(common), used.get(common)) {
            let level = edges.entry(user[..common].to_vec()).or_default();
            level.entry((from.clone(), to.clone())).or_default().insert(site);
        }
    }
    edges
}

fn circles(tree: &Tree) -> Vec<Circle> {
    let mut found = Vec::new();
    for (parent, level) in edges(tree) {
        let nodes: BTreeSet<&String> = level.keys().flat_map(|(from, to)| [from, to]).collect();
        let reach: BTreeMap<&String, BTreeSet<&String>> =
            nodes.iter().map(|node| (*node, reachable(node, &level))).collect();
        let mut placed = BTreeSet::new();
        for node in nodes {
            let members: Vec<&String> =
                reach[node].iter().copied().filter(|other| reach[other].contains(node)).collect();
            if members.is_empty() || !placed.insert(members.clone()) {
                continue;
            }
            let within =
                level.iter().filter(|((from, to), _)| members.contains(&from) && members.contains(&to));
            found.push(Circle {
                parent: ["crate"]
                    .into_iter()
                    .chain(parent.iter().map(String::as_str))
                    .collect::<Vec<_>>()
                    .join("::"),
                edges: within.map(|((from, to), sites)| edge(from, to, sites)).collect(),
                members: members.into_iter().cloned().collect(),
            });
        }
    }
    found
}

/// What can be reached from a node by one step or more.
fn reachable<'l>(from: &'l str, level: &'l BTreeMap<(String, String), Sites>) -> BTreeSet<&'l String> {
    let mut reached = BTreeSet::new();
    let mut left = vec![from];
    while let Some(node) = left.pop() {
        let next = level.keys().filter(|(a, _)| a == node).map(|(_, b)| b);
        left.extend(next.filter(|b| reached.insert(*b)).map(String::as_str));
    }
    reached
}

fn edge(from: &str, to: &str, sites: &Sites) -> String {
    const NAMED: usize = 4;
    let named: Vec<&str> = sites.iter().take(NAMED).map(String::as_str).collect();
    let more = if sites.len() > NAMED { format!(" and {} more", sites.len() - NAMED) } else { String::new() };
    format!("{from} -> {to}: {}{more}", named.join(", "))
}

/// The circles of all crates of the workspace, by package.
fn of_the_workspace() -> Vec<(String, Circle)> {
    let metadata = MetadataCommand::new()
        .manifest_path(concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml"))
        .exec()
        .expect("cargo metadata runs");
    let root = metadata.workspace_root.as_std_path();
    let mut found = Vec::new();
    for package in metadata.workspace_packages() {
        let is_code = |kind: &TargetKind| matches!(kind, TargetKind::Lib | TargetKind::Bin);
        for target in package.targets.iter().filter(|target| target.kind.iter().any(is_code)) {
            let tree = read(target.src_path.as_std_path(), root);
            found.extend(circles(&tree).into_iter().map(|circle| (package.name.to_string(), circle)));
        }
    }
    found
}

#[test]
fn modules_do_not_use_each_other_in_a_circle() {
    let mut wrong = String::new();
    for (name, circle) in of_the_workspace() {
        wrong += &format!("{name}, {}: {:?} use each other in a circle:\n", circle.parent, circle.members);
        circle.edges.iter().for_each(|edge| wrong += &format!("    {edge}\n"));
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// A crate of these files.
fn crate_of(files: &[(&str, &str)]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let root = folder.path().join("lib.rs");
    (folder, root)
}

fn circles_of(files: &[(&str, &str)]) -> Vec<(String, Vec<String>, Vec<String>)> {
    let (folder, root) = crate_of(files);
    let tree = read(&root, Path::new(folder.path()));
    circles(&tree).into_iter().map(|circle| (circle.parent, circle.members, circle.edges)).collect()
}

fn told(parent: &str, members: &[&str], edges: &[&str]) -> (String, Vec<String>, Vec<String>) {
    let owned = |texts: &[&str]| texts.iter().map(ToString::to_string).collect();
    (parent.to_owned(), owned(members), owned(edges))
}

#[test]
fn two_modules_that_name_each_other_are_a_circle_told_by_its_lines() {
    let found = circles_of(&[
        ("lib.rs", "mod a;\nmod b;\nmod c;"),
        ("a.rs", "use crate::b::{B, Other};\n\npub struct A(B);"),
        ("b.rs", "mod inner;\npub struct B;\npub use crate::c::C as Other;"),
        ("b/inner.rs", "fn f() {\n    println!(\"{}\", crate::a::A::text());\n}"),
        ("c.rs", "pub struct C;"),
    ]);
    let edges = ["a -> b: a.rs:1", "b -> a: b/inner.rs:2"];
    assert_eq!(found, [told("crate", &["a", "b"], &edges)]);
}

#[test]
fn a_circle_of_children_is_told_at_their_level_and_by_the_re_export_that_hides_it() {
    let found = circles_of(&[
        ("lib.rs", "mod room { mod a; mod b; use self::b::B; pub use a::*; }\nfn f(_: room::A) {}"),
        ("room/a.rs", "use super::B;\npub struct A(B);"),
        ("room/b.rs", "pub struct B(Vec<super::A>);"),
    ]);
    assert_eq!(found, [told("crate::room", &["a", "b"], &["a -> b: room/a.rs:1", "b -> a: room/b.rs:1"])]);
}

#[test]
fn parents_tests_and_other_crates_make_no_circle() {
    let found = circles_of(&[
        ("lib.rs", "mod a;\nmod b;\npub struct Root;\nfn f() { a::g() }"),
        ("a.rs", "mod low;\nuse crate::{Root, b};\npub struct A(low::Low, Root);\npub fn g() { b::h() }"),
        ("a/low.rs", "use super::A;\npub struct Low(Box<A>);"),
        (
            "b.rs",
            "use a::Other;\npub fn h() {}\n#[cfg(test)]\nmod tests { use crate::a::A; }\n#[cfg(test)]\nuse crate::a::g;",
        ),
    ]);
    assert_eq!(found, []);
}
