//! What tests of several modules need.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use galo_plan::{Contender, Runner, Service};

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
    let nobody = Contender::at_address(([127, 0, 0, 1], 1).into(), "none");
    Contender { name: "subject".to_owned(), file: "/subject/compose.yaml".into(), services, runner, ..nobody }
}
