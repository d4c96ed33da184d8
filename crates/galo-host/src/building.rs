//! Runs a contender's builds, before the first round and outside of its limits.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::process::{Child, ExitStatus};
use std::time::Duration;

use galo_plan::{Contender, Service};
use galo_record::Event;

use crate::enclosure::Enclosure;
use crate::error::HostError;
use crate::host::Inner;
use crate::log;
use crate::process::{self, Launch};

/// Lines of a failed build's output that are told, and the bytes that they may have.
const TOLD: (usize, u64) = (30, 16 << 10);
const LOOK: Duration = Duration::from_millis(20);

/// Runs each build that this galo has not run yet.
pub(crate) fn build(inner: &Inner, contender: &Contender) -> Result<(), HostError> {
    for service in &contender.services {
        let Some(command) = &service.build else { continue };
        let key = (service.workdir.clone(), command.clone());
        if inner.built().contains(&key) {
            continue;
        }
        inner.go_on()?;
        inner
            .options
            .events
            .send(Event::Building { contender: contender.name.clone(), command: command.clone() });
        let enclosure = inner.groups.for_builds().planned(&inner.new_name("build"));
        inner.state.add(&enclosure)?;
        let result = run(inner, service, command, &enclosure);
        result.map_err(|e| e.about(&format!("service `{}`: ", service.name)))?;
        inner.built().insert(key);
    }
    Ok(())
}

fn run(inner: &Inner, service: &Service, command: &str, planned: &Enclosure) -> Result<(), HostError> {
    let groups = inner.groups.for_builds();
    let output = inner.state.path().join("build.log");
    let _ = std::fs::remove_file(&output);
    let mut enclosure = planned.clone();
    let started = groups.make(&enclosure, None).and_then(|()| {
        let launch = Launch {
            program: "/bin/sh".as_ref(),
            arguments: &["-c".to_owned(), command.to_owned()],
            environment: &environment(),
            workdir: &service.workdir,
            account: None,
            ulimits: &BTreeMap::new(),
            cpuset: &[],
            limits: None,
            shelter: None,
            output: &log::open(&output)?,
        };
        launch.start(&groups, &mut enclosure)
    });
    inner.state.replace(planned, &enclosure)?;
    let ended = started.and_then(|mut child| wait(inner, &mut child, &enclosure));
    let discarded = inner.discard(&enclosure);
    let status = ended?;
    discarded?;
    if status.success() {
        return Ok(());
    }
    let lines = log::quoted(&log::tail_of(&output, TOLD.0, TOLD.1));
    Err(HostError::contender(format!(
        "its build failed ({}): `{command}`{lines}\nhint: run it by hand in {}",
        log::status_words(status),
        service.workdir.display()
    )))
}

fn wait(inner: &Inner, child: &mut Child, enclosure: &Enclosure) -> Result<ExitStatus, HostError> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status),
            Ok(None) => {}
            Err(e) => {
                return Err(HostError::client(format!(
                    "cannot wait for the build: {e}\nhint: start galo again"
                )));
            }
        }
        if let Err(interrupted) = inner.go_on() {
            enclosure.kill()?;
            process::end(child)?;
            return Err(interrupted);
        }
        std::thread::sleep(LOOK);
    }
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
