//! A contender that runs: its placement, its deaths, its end.

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, ExitStatus};
use std::sync::Arc;

use galo_plan::contender::Stop;
use galo_plan::units::format_bytes;
use galo_plan::{Contender, Service};
use galo_record::finding::{Ended, MemoryLimit};
use galo_record::{Event, HostFact, Placement};

use crate::account::Account;
use crate::cgroup::Limits;
use crate::enclosure::Enclosure;
use crate::error::HostError;
use crate::inner::Inner;
use crate::keeper::Keeper;
use crate::log;
use crate::port;
use crate::volumes::Volumes;

/// A running contender. Dropping it ends it.
#[derive(Debug)]
pub struct Running {
    pub(crate) inner: Arc<Inner>,
    pub(crate) placement: Placement,
    pub(crate) services: Vec<Live>,
    pub(crate) keeper: Keeper,
    /// What setups and readiness checks ran in, where that is not the service's own.
    pub(crate) asides: Vec<Enclosure>,
    pub(crate) origin: Arc<Origin>,
    /// The link to the folder of volumes, and that folder, if there are any.
    pub(crate) volumes: Vec<PathBuf>,
    pub(crate) ports: Vec<u16>,
    /// No other galo gets these ports until this one is gone.
    pub(crate) _held: port::Held,
    pub(crate) ended: bool,
}

/// What a contender was started from, and what a service of it is started from again.
#[derive(Debug)]
pub(crate) struct Origin {
    pub(crate) contender: Contender,
    /// Where logs go.
    pub(crate) logs: PathBuf,
    pub(crate) volumes: Volumes,
    /// By the names of services; nobody: galo's own user.
    pub(crate) accounts: BTreeMap<String, Account>,
}

/// A service that was started, or is about to be.
#[derive(Debug)]
pub(crate) struct Live {
    pub(crate) name: String,
    pub(crate) enclosure: Enclosure,
    pub(crate) child: Option<Child>,
    pub(crate) log: PathBuf,
    /// As set; `None`: not limited.
    pub(crate) limits: Option<Limits>,
    /// How it is asked to end; `None`: it is killed.
    pub(crate) stop: Option<Stop>,
    /// Its first process has ended and that was told.
    pub(crate) told: bool,
    /// Kills for want of memory that were told.
    pub(crate) oom_told: u64,
}

impl Live {
    /// How its first process ended, if it has.
    pub(crate) fn status(&mut self) -> Option<ExitStatus> {
        self.child.as_mut()?.try_wait().ok().flatten()
    }

    /// An ending in words, e.g. `exit status 1`, with whether the kernel killed something of it for want of memory.
    pub(crate) fn status_words(&mut self, status: ExitStatus) -> String {
        let was_killed = self.new_oom_kills().is_some();
        self.ending_words(status, was_killed)
    }

    fn ending_words(&self, status: ExitStatus, was_killed: bool) -> String {
        let words = log::status_words(status);
        match was_killed {
            true => format!("{words}; killed by the kernel: out of {}", self.memory_words()),
            false => words,
        }
    }

    fn memory_words(&self) -> String {
        self.limits.map_or_else(|| "memory".to_owned(), |l| format!("its {}", format_bytes(l.memory_bytes)))
    }

    /// Kills for want of memory that were not told yet; `None`: there are none.
    pub(crate) fn new_oom_kills(&mut self) -> Option<u64> {
        let kills = self.enclosure.oom_kills();
        let new = kills.saturating_sub(self.oom_told);
        self.oom_told = kills;
        (new > 0).then_some(new)
    }

    pub(crate) fn memory_limit(&self) -> MemoryLimit {
        MemoryLimit { bytes: self.limits.map(|limits| limits.memory_bytes) }
    }
}

impl Running {
    /// Where it is.
    pub fn placement(&self) -> &Placement {
        &self.placement
    }

    /// The services as they were started: in their environment each volume is the round's folder for it.
    pub fn services(&self) -> Vec<Service> {
        let mut services = self.origin.contender.services.clone();
        for value in services.iter_mut().flat_map(|service| service.environment.values_mut()) {
            // What cannot be expanded has kept its service from being started.
            if let Ok(expanded) = self.origin.volumes.expand(value) {
                *value = expanded;
            }
        }
        services
    }

    /// Services that died since the last call, each as a finding with exit status and last log lines.
    pub fn deaths(&mut self) -> Vec<HostFact> {
        let mut findings = Vec::new();
        for live in self.services.iter_mut().filter(|live| !live.told) {
            let Some(status) = live.status() else { continue };
            live.told = true;
            let out_of_memory = live.new_oom_kills().map(|_| live.memory_limit());
            let words = live.ending_words(status, out_of_memory.is_some());
            self.inner.options.events.send(Event::ServiceDied { service: live.name.clone(), status: words });
            findings.push(HostFact::ServiceDied {
                service: live.name.clone(),
                ended: ended(status),
                out_of_memory,
                log: log::tail(&live.log),
                log_path: live.log.display().to_string(),
            });
        }
        findings
    }

    /// What was found of services since the last call: logs that had to be cut, processes that left their group, limits that
    /// somebody wrote to, the limit of processes reached. Each is told once of a service.
    pub fn faults(&mut self) -> Vec<HostFact> {
        self.keeper.look()
    }

    /// [`Self::deaths`], then [`Self::faults`].
    pub fn trouble(&mut self) -> Vec<HostFact> {
        let mut findings = self.deaths();
        findings.extend(self.faults());
        findings
    }

    /// Asks services that have a stop signal to end and waits for them, kills all, waits until no process, group or port
    /// is left, removes the volumes, and tells what was remarkable (deaths and faults not yet told, kills for want of memory, a service that did not end when it was asked, a group that did not die at once).
    ///
    /// # Errors
    /// Something could not be killed or removed; the rest is gone all the same.
    pub fn stop(mut self) -> Result<Vec<HostFact>, HostError> {
        let mut findings = self.deaths();
        for live in &mut self.services {
            findings.extend(out_of_memory(live));
        }
        findings.extend(self.end()?);
        Ok(findings)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Whoever drops instead of stopping has another error to tell; what is left over is listed for the supervisor.
        let _ = self.end();
    }
}

/// How a process ended.
fn ended(status: ExitStatus) -> Ended {
    match (status.code(), status.signal()) {
        (Some(code), _) => Ended::Status(code),
        // A process that is reaped has ended in one of the two ways.
        (None, signal) => Ended::Signal(signal.unwrap_or_default()),
    }
}

/// The kernel killed something of a service that went on all the same.
fn out_of_memory(live: &mut Live) -> Option<HostFact> {
    let killed = live.new_oom_kills()?;
    let (service, limit) = (live.name.clone(), live.memory_limit());
    Some(HostFact::ServiceOutOfMemory { service, killed, limit, log: log::tail(&live.log) })
}
