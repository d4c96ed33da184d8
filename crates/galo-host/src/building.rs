//! Runs a contender's builds, before the first round and outside of its limits.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, PipeReader, Read};
use std::os::fd::OwnedFd;
use std::process::{Child, ExitStatus};
use std::time::Duration;

use galo_plan::{Contender, Service};
use galo_record::Event;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::enclosure::Enclosure;
use crate::error::HostError;
use crate::inner::Inner;
use crate::log;
use crate::process::Launch;
use crate::reap;

/// Lines of a failed build's output that are told, and the bytes that they may have.
const TOLD: (usize, usize) = (30, 16 << 10);
const LOOK: Duration = Duration::from_millis(20);
/// Reads of a build's output in a row.
const READS: usize = 64;

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
    let (reader, writer) = io::pipe().map_err(|error| {
        HostError::host(format!(
            "cannot read the build's output: {error}\nhint: raise the limit of open files"
        ))
    })?;
    let mut output = Tail::new(reader);
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
            output: &File::from(OwnedFd::from(writer)),
        };
        launch.start(&groups, &mut enclosure)
    });
    inner.state.replace(planned, &enclosure)?;
    let ended = started.and_then(|mut child| wait(inner, &mut child, &enclosure, &mut output));
    let discarded = inner.discard(&enclosure);
    let status = ended?;
    discarded?;
    if status.success() {
        return Ok(());
    }
    let lines = log::quoted(&output.lines());
    Err(HostError::contender(format!(
        "its build failed ({}): `{command}`{lines}\nhint: run it by hand in {}",
        log::status_words(status),
        service.workdir.display()
    )))
}

fn wait(
    inner: &Inner,
    child: &mut Child,
    enclosure: &Enclosure,
    output: &mut Tail,
) -> Result<ExitStatus, HostError> {
    loop {
        output.read(LOOK);
        match child.try_wait() {
            Ok(Some(status)) => {
                output.read(Duration::ZERO);
                return Ok(status);
            }
            Ok(None) => {}
            Err(e) => {
                return Err(HostError::client(format!(
                    "cannot wait for the build: {e}\nhint: start galo again"
                )));
            }
        }
        if let Err(interrupted) = inner.go_on() {
            enclosure.kill()?;
            reap::end(child)?;
            return Err(interrupted);
        }
    }
}

/// The end of what a build writes, which is kept nowhere else: it may write without end, and is told of only where it fails.
struct Tail {
    /// `None`: nobody writes any more.
    reader: Option<PipeReader>,
    kept: Vec<u8>,
    is_cut: bool,
}

impl Tail {
    fn new(reader: PipeReader) -> Self {
        Self { reader: Some(reader), kept: Vec::new(), is_cut: false }
    }

    /// Waits for output, at most so long, and takes what there is then.
    fn read(&mut self, within: Duration) {
        let Some(reader) = &mut self.reader else { return std::thread::sleep(within) };
        let mut wait = Timespec { tv_sec: 0, tv_nsec: within.subsec_nanos().into() };
        let mut buffer = [0; 16 << 10];
        // A build that never stops writing must not keep galo from looking at anything else.
        for _ in 0..READS {
            let mut readable = [PollFd::new(reader, PollFlags::IN)];
            if !matches!(poll(&mut readable, Some(&wait)), Ok(1..)) {
                return;
            }
            wait = Timespec::default();
            match reader.read(&mut buffer) {
                Ok(0) | Err(_) => {
                    self.reader = None;
                    return;
                }
                Ok(length) => self.kept.extend_from_slice(&buffer[..length]),
            }
            let surplus = self.kept.len().saturating_sub(TOLD.1);
            self.is_cut |= surplus > 0;
            self.kept.drain(..surplus);
        }
    }

    fn lines(&self) -> Vec<String> {
        log::last_lines(&self.kept, self.is_cut, TOLD.0)
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
    use std::io::Write;

    #[test]
    fn of_what_a_build_writes_only_the_end_is_kept() {
        let (reader, mut writer) = io::pipe().unwrap();
        let mut tail = Tail::new(reader);
        let writing = std::thread::spawn(move || {
            (0..20_000).for_each(|n| writeln!(writer, "line {n}").unwrap());
        });
        while tail.reader.is_some() {
            tail.read(LOOK);
            assert!(tail.kept.len() <= TOLD.1);
        }
        writing.join().unwrap();
        let lines = tail.lines();
        assert_eq!((lines.len(), lines[0].as_str(), lines[29].as_str()), (30, "line 19970", "line 19999"));
    }

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
