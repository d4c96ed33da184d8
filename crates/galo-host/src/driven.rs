//! What whoever drives a contender may ask of one that runs as processes.

use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::ExitStatus;

use galo_plan::Service;
use galo_record::finding::{Ended, ServiceDied, ServiceOutOfMemory};
use galo_record::{Event, Halt, HostFact, Placement};

use crate::enclosure::Enclosure;
use crate::end::ask_alone;
use crate::error::HostError;
use crate::processes::{Live, Processes};
use crate::running::{Running, require_known};
use crate::session::Leader;
use crate::{building, log, reap, start};

impl Running for Processes {
    fn placement(&self) -> &Placement {
        &self.placement
    }

    /// In their environment each volume is the round's folder for it.
    fn services(&self) -> Vec<Service> {
        let mut services = self.origin.contender.services.clone();
        for value in services.iter_mut().flat_map(|service| service.environment.values_mut()) {
            // What cannot be expanded has kept its service from being started.
            if let Ok(expanded) = self.origin.volumes.expand(value) {
                *value = expanded;
            }
        }
        services
    }

    fn service_names(&self) -> Vec<String> {
        self.services.iter().map(|live| live.name.clone()).collect()
    }

    fn volumes(&self) -> Vec<PathBuf> {
        vec![self.origin.volumes.folder.clone()]
    }

    fn kept_by(&self, service: &str) -> Vec<PathBuf> {
        let services = self.origin.contender.services.iter().filter(|one| one.name == service);
        let names = services.flat_map(|service| &service.volumes);
        names.map(|name| self.origin.volumes.folder.join(name)).collect()
    }

    fn deaths(&mut self) -> Vec<HostFact> {
        let mut findings = Vec::new();
        for live in self.services.iter_mut().filter(|live| !live.told) {
            let Some(status) = live.status() else { continue };
            live.told = true;
            let out_of_memory = live.new_oom_kills().map(|_| live.memory_limit());
            let words = live.ending_words(status, out_of_memory.is_some());
            self.inner.options.events.send(Event::ServiceDied { service: live.name.clone(), status: words });
            findings.push(HostFact::ServiceDied(ServiceDied {
                service: live.name.clone(),
                ended: ended(status),
                out_of_memory,
                log: log::tail(&live.log),
                log_path: live.log.display().to_string(),
            }));
        }
        findings
    }

    fn faults(&mut self) -> Vec<HostFact> {
        self.keeper.look()
    }

    fn kill_services(&mut self, names: &[String]) -> Result<u64, HostError> {
        require_known(names, &self.service_names())?;
        let doomed: Vec<usize> =
            (0..self.services.len()).rev().filter(|&i| names.contains(&self.services[i].name)).collect();
        let left = self.keeper.release(|name| names.iter().any(|doomed| doomed == name));
        let killed_ns =
            Enclosure::strike_together(doomed.iter().map(|&index| &self.services[index].enclosure));
        left.iter().for_each(Leader::kill);
        for &index in &doomed {
            let live = &mut self.services[index];
            live.told = true;
            let killed = live.enclosure.kill()?;
            self.keeper.found_outside(&live.name, killed.outside);
            if let Some(mut child) = live.child.take() {
                reap::end(&mut child)?;
            }
            self.inner.discard(&live.enclosure)?;
        }
        Ok(killed_ns)
    }

    fn halt(&mut self, halt: Halt) -> Result<Vec<HostFact>, HostError> {
        // Nobody looks after limits any more: who is asked to end may do it as fast as it can.
        let left = self.keeper.release(|_| true);
        let late = match halt {
            Halt::Killed => Vec::new(),
            Halt::Asked => self.services.iter_mut().rev().flat_map(ask_alone).collect(),
        };
        self.kill_services(&self.service_names())?;
        left.iter().for_each(Leader::kill);
        Ok(late)
    }

    fn restart(&mut self, names: &[String]) -> Result<(), HostError> {
        let unchanged = building::require_built(&self.inner, &self.origin.contender);
        unchanged
            .and_then(|()| start::restart(self, names))
            .map_err(|e| e.about("contender", &self.placement.contender))
    }

    fn pause(&self) -> bool {
        self.services.iter().rev().for_each(|live| live.enclosure.freeze());
        self.services.iter().all(|live| live.enclosure.stands_still())
    }

    fn resume(&self) {
        self.services.iter().for_each(|live| live.enclosure.thaw());
    }

    fn stop(mut self: Box<Self>) -> Result<Vec<HostFact>, HostError> {
        let mut findings = self.deaths();
        // A scope that is gone tells what others' kills were as its own, and its end was told with what it died of.
        let is_there = |live: &&mut Live| !live.told || live.enclosure.exists();
        findings.extend(self.services.iter_mut().filter(is_there).filter_map(out_of_memory));
        findings.extend(self.end()?);
        Ok(findings)
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
    Some(HostFact::ServiceOutOfMemory(ServiceOutOfMemory {
        service,
        killed,
        limit,
        log: log::tail(&live.log),
    }))
}
