//! Runs a contender's builds, before the first round and outside of its limits.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use galo_plan::{Contender, secret};
use galo_record::Event;

use crate::errand::Errand;
use crate::error::HostError;
use crate::inner::Inner;
use crate::log;

/// Runs each build that this galo has not run yet.
pub(crate) fn build(inner: &Inner, contender: &Contender) -> Result<(), HostError> {
    for service in &contender.services {
        let Some(command) = &service.build else { continue };
        let key = (service.workdir.clone(), command.clone());
        if inner.built().contains(&key) {
            continue;
        }
        inner
            .options
            .events
            .send(Event::Building { contender: contender.name.clone(), command: command.clone() });
        run(inner, &service.workdir, command)
            .map_err(|e| e.about(&format!("service `{}`: ", service.name)))?;
        inner.built().insert(key);
    }
    Ok(())
}

fn run(inner: &Inner, workdir: &Path, command: &str) -> Result<(), HostError> {
    let errand = Errand {
        what: "build",
        program: "/bin/sh".as_ref(),
        arguments: &["-c".to_owned(), command.to_owned()],
        environment: &environment(),
        workdir,
        within: None,
    };
    let done = errand.run(inner)?;
    if done.is_good() {
        return Ok(());
    }
    Err(HostError::contender(format!(
        "its build failed ({}): `{}`{}\nhint: run it by hand in {}",
        done.words(),
        secret::in_line(command),
        log::quoted(&done.lines),
        workdir.display()
    )))
}

/// galo's own environment, without what would make the build depend on how galo itself was built or started.
fn environment() -> Vec<(OsString, OsString)> {
    std::env::vars_os().filter(|(name, _)| !is_left_over(name)).collect()
}

/// What `cargo run` sets for the program that it runs, and where its build went: a contender's build must put its
/// result where its Compose file looks for it.
fn is_left_over(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    let names = [
        "CARGO",
        "CARGO_BIN_NAME",
        "CARGO_BUILD_TARGET_DIR",
        "CARGO_CRATE_NAME",
        "CARGO_MAKEFLAGS",
        "CARGO_PRIMARY_PACKAGE",
        "CARGO_TARGET_DIR",
        "CARGO_TARGET_TMPDIR",
        "OUT_DIR",
    ];
    let prefixes = ["CARGO_BIN_EXE_", "CARGO_MANIFEST_", "CARGO_PKG_"];
    names.contains(&&*name) || prefixes.iter().any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cargo_run_leaves_is_dropped_and_what_the_user_set_is_kept() {
        for name in ["CARGO", "CARGO_PKG_NAME", "CARGO_MANIFEST_DIR", "CARGO_TARGET_DIR", "CARGO_BIN_EXE_x"] {
            assert!(is_left_over(OsStr::new(name)), "{name}");
        }
        for name in ["CARGO_HOME", "CARGO_NET_OFFLINE", "PATH", "RUSTFLAGS", "CC", "CARGO_BUILD_JOBS"] {
            assert!(!is_left_over(OsStr::new(name)), "{name}");
        }
    }
}
