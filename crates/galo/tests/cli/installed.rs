//! galo away from its clone: its contenders come along.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use insta::assert_snapshot;

use crate::support::{Ended, galo, run};

/// `galo fight` in a folder of nothing, with a home of its own, and these folders in PATH.
fn fight(home: &Path, path: &str) -> Ended {
    let mut fight: Command = galo(&["fight", "--quiet", "--rounds", "1"]);
    run(fight.current_dir(home).env("HOME", home).env_remove("XDG_CACHE_HOME").env("PATH", path))
}

#[test]
fn without_cargo_somebody_is_told_how_to_have_contenders() {
    let home = tempfile::tempdir().unwrap();
    assert_snapshot!("fight without cargo", fight(home.path(), "/nowhere").expect(2).stderr);
}

#[test]
fn in_any_folder_cargo_builds_the_contenders_that_galo_brings_along() {
    let home = tempfile::tempdir().unwrap();
    let bin = home.path().join("bin");
    fs::create_dir(&bin).unwrap();
    fs::write(bin.join("cargo"), "#!/bin/sh\necho \"asked for: $*\"\nexit 7\n").unwrap();
    fs::set_permissions(bin.join("cargo"), Permissions::from_mode(0o755)).unwrap();
    let told = fight(home.path(), &format!("{}:/usr/bin:/bin", bin.display())).expect(4).stderr;
    assert!(told.contains("asked for: build --release --target-dir target -p pessoas-rust"), "{told}");
    let (_, folder) = told.split_once("hint: run it by hand in ").unwrap();
    let folder = Path::new(folder.trim());
    assert!(folder.starts_with(home.path().join(".cache/galo/contenders")), "{told}");
    for file in ["Cargo.toml", "contenders/pessoas/rust/src/main.rs", "fixtures/faulty/queued/compose.yaml"] {
        assert!(folder.join(file).is_file(), "{file}");
    }
    // What was changed there is put right.
    fs::write(folder.join("Cargo.toml"), "[workspace]\n").unwrap();
    fight(home.path(), &format!("{}:/usr/bin:/bin", bin.display())).expect(4);
    assert!(fs::read_to_string(folder.join("Cargo.toml")).unwrap().contains("contenders/pessoas/rust"));
}
