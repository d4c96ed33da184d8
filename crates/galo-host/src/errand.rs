//! A command that galo runs to its end on a contender's behalf: its build, or what Compose is asked to do. It is listed while
//! it runs, so that it ends with galo.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, PipeReader, Read};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::cgroup::Limits;
use crate::enclosure::Enclosure;
use crate::error::HostError;
use crate::groups::Groups;
use crate::inner::Inner;
use crate::log;
use crate::process::Launch;
use crate::reap;

/// Lines of output that are told, and the bytes that they may have.
const TOLD: (usize, usize) = (30, 16 << 10);
const LOOK: Duration = Duration::from_millis(20);
/// Reads of output in a row.
const READS: usize = 64;

/// See the module.
#[derive(Debug)]
pub(crate) struct Errand<'a> {
    /// For messages, and part of the name of its group.
    pub(crate) what: &'a str,
    /// Absolute.
    pub(crate) program: &'a Path,
    pub(crate) arguments: &'a [String],
    /// The whole environment.
    pub(crate) environment: &'a [(OsString, OsString)],
    pub(crate) workdir: &'a Path,
    /// How long it may take; `None`: until the caller breaks it off.
    pub(crate) within: Option<Duration>,
    /// What it may use, where the machine can limit that; `None`: whatever there is.
    pub(crate) limits: Option<Limits>,
}

/// How it went.
#[derive(Debug)]
pub(crate) struct Done {
    /// `None`: it took too long, and was killed.
    pub(crate) status: Option<ExitStatus>,
    /// The last that it wrote.
    pub(crate) lines: Vec<String>,
}

impl Done {
    /// Whether it ended well.
    pub(crate) fn is_good(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }

    /// How it ended, in words.
    pub(crate) fn words(&self) -> String {
        self.status.map_or_else(|| "not done in time".to_owned(), log::status_words)
    }
}

impl Errand<'_> {
    /// Runs it to its end.
    ///
    /// # Errors
    /// It cannot be started or killed, or the caller broke it off.
    pub(crate) fn run(&self, inner: &Inner) -> Result<Done, HostError> {
        inner.go_on()?;
        let groups = inner.groups.for_builds();
        let planned = groups.planned(&inner.new_name(self.what));
        inner.state.add(&planned)?;
        let (reader, writer) = io::pipe().map_err(|error| {
            let hint = "raise the limit of open files";
            HostError::host(format!("cannot read the output of the {}: {error}\nhint: {hint}", self.what))
        })?;
        let mut output = Tail::new(reader);
        let mut enclosure = planned.clone();
        let started = self.make(&groups, &enclosure).and_then(|()| {
            let launch = Launch {
                program: self.program,
                arguments: self.arguments,
                environment: self.environment,
                workdir: self.workdir,
                account: None,
                ulimits: &BTreeMap::new(),
                cpuset: &[],
                limits: None,
                inside: None,
                output: &File::from(OwnedFd::from(writer)),
            };
            launch.start(&groups, &mut enclosure)
        });
        inner.state.replace(&planned, &enclosure)?;
        let ended = started.and_then(|mut child| self.wait(inner, &mut child, &enclosure, &mut output));
        let discarded = inner.discard(&enclosure);
        let status = ended?;
        discarded?;
        Ok(Done { status, lines: output.lines() })
    }

    /// Makes its group. Where the group around it allows less than the limits do, the kernel refuses them: then that one holds.
    fn make(&self, groups: &Groups, enclosure: &Enclosure) -> Result<(), HostError> {
        let limited = self.limits.as_ref().map(|limits| groups.make(enclosure, Some(limits)));
        match limited {
            Some(Ok(())) => Ok(()),
            Some(Err(_)) => enclosure.remove().and_then(|()| groups.make(enclosure, None)),
            None => groups.make(enclosure, None),
        }
    }

    fn wait(
        &self,
        inner: &Inner,
        child: &mut Child,
        enclosure: &Enclosure,
        output: &mut Tail,
    ) -> Result<Option<ExitStatus>, HostError> {
        let begun = Instant::now();
        loop {
            output.read(LOOK);
            match child.try_wait() {
                Ok(Some(status)) => {
                    output.read(Duration::ZERO);
                    return Ok(Some(status));
                }
                Ok(None) => {}
                Err(e) => {
                    let what = self.what;
                    return Err(HostError::client(format!(
                        "cannot wait for the {what}: {e}\nhint: start galo again"
                    )));
                }
            }
            let broken_off = inner.go_on();
            let is_late = self.within.is_some_and(|within| begun.elapsed() > within);
            if broken_off.is_err() || is_late {
                enclosure.kill()?;
                reap::end(child)?;
                return broken_off.map(|()| None);
            }
        }
    }
}

/// The end of what is written, which is kept nowhere else: it may be without end, and is told only where something fails.
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
        // Whoever never stops writing must not keep galo from looking at anything else.
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn of_what_is_written_only_the_end_is_kept() {
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
}
