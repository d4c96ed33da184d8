//! What tests of several modules need.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use galo_plan::{Contender, OwnNames, Runner, Service};

use crate::engine::Engine;

/// Makes a program of this text, which begins with `#!`.
pub(crate) fn program(path: &Path, text: &str) {
    let script = path.with_extension("script");
    fs::write(&script, text).unwrap();
    // By another process: a program that any thread has open for writing when another forks is "busy".
    assert!(Command::new("cp").arg(&script).arg(path).status().unwrap().success());
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// An engine whose client is this script of the shell, in this folder.
pub(crate) fn engine(folder: &Path, script: &str) -> Engine {
    program(&folder.join("docker"), &format!("#!/bin/sh\n{script}\n"));
    let path = format!("{}:/usr/bin:/bin", folder.display());
    serde_json::from_value(serde_json::json!({ "variables": { "PATH": path } })).unwrap()
}

/// A contender of these services.
pub(crate) fn contender(services: Vec<Service>, runner: Runner) -> Contender {
    Contender {
        name: "subject".to_owned(),
        title: "Subject".to_owned(),
        language: None,
        challenge: "none".to_owned(),
        file: PathBuf::from("/subject/compose.yaml"),
        file_sha256: String::new(),
        services,
        runner,
        own_names: OwnNames::default(),
        connects: false,
        setting: None,
        null_of: None,
    }
}
