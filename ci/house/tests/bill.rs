//! What programs are made of is named, with licences, and without a word of the machine.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use cargo_metadata::{Metadata, MetadataCommand};
use house::bill::{Made, checksums};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn metadata() -> Metadata {
    MetadataCommand::new().manifest_path(repository().join("Cargo.toml")).exec().expect("cargo metadata runs")
}

#[test]
fn a_bill_names_what_is_built_in_with_sum_and_licence_and_no_path_of_the_machine() {
    let metadata = metadata();
    let lock = std::fs::read_to_string(repository().join("Cargo.lock")).expect("it is there");
    let made = Made::of(&metadata, &["galo".to_owned()]).expect("galo is in the workspace");
    let bill = made.bill(&checksums(&lock));
    assert_eq!(bill["metadata"]["component"]["name"], "galo");
    let components = bill["components"].as_array().expect("a list");
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let names: BTreeSet<String> = components.iter().map(|component| text(&component["name"])).collect();
    assert!(names.contains("rustls") && names.contains("galo-load"), "{names:?}");
    assert!(!names.contains("proptest") && !names.contains("rusqlite"), "of tests, or of contenders");
    for component in components {
        let is_own = text(&component["name"]).starts_with("galo-");
        assert!(is_own || text(&component["hashes"][0]["content"]).len() == 64, "{component}");
        assert!(component["licenses"][0]["expression"].is_string(), "{component}");
    }
    let whole = bill.to_string();
    assert!(!whole.contains("file:") && !whole.contains(env!("CARGO_MANIFEST_DIR")));
    // Each reference leads to one component.
    let refs: BTreeSet<String> = components.iter().map(|component| text(&component["bom-ref"])).collect();
    assert_eq!(refs.len(), components.len());
    for dependency in bill["dependencies"].as_array().expect("a list") {
        let on = dependency["dependsOn"].as_array().expect("a list");
        assert_eq!(on.iter().map(text).find(|on| !refs.contains(on)), None, "{dependency}");
    }
}

#[test]
fn licences_of_others_come_along_each_text_once() {
    let metadata = metadata();
    let made = Made::of(&metadata, &["tunnel".to_owned()]).expect("tunnel is in the workspace");
    let licences = made.licences().expect("they can be read");
    let each: Vec<(&str, &str)> =
        licences.split("\n==== ").skip(1).filter_map(|part| part.split_once("\n\n")).collect();
    assert!(each.iter().any(|(names, _)| names.contains("ring 0.")), "{licences}");
    assert!(each.iter().all(|(names, _)| !names.contains("tunnel")), "{licences}");
    assert_eq!(each.iter().map(|(_, text)| text).collect::<BTreeSet<_>>().len(), each.len());
}

#[test]
fn a_package_that_is_not_there_is_told() {
    let metadata = metadata();
    let made = Made::of(&metadata, &["gallo".to_owned()]);
    assert_eq!(made.err().as_deref(), Some("the workspace has no package `gallo`"));
}
