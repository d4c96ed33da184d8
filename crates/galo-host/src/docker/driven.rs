//! What whoever drives a contender may ask of one that runs in containers.

use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use galo_plan::Service;
use galo_record::clock::now_ns;
use galo_record::finding::{Ended, ServiceDied, ServiceLateToStop, ServiceOutOfMemory};
use galo_record::{Event, Halt, HostFact, Placement};

use super::inspect::{Seen, inspect};
use super::{Contained, Containers, start};
use crate::enclosure::Enclosure;
use crate::engine::{DOING, SOON};
use crate::error::HostError;
use crate::running::{Running, require_known};
use crate::session::Leader;
use crate::{log, ready, system};

const LOOK: Duration = Duration::from_millis(20);
/// How often the engine is asked for containers whose first process galo does not see: each question costs a process.
const ASKED_EVERY: Duration = Duration::from_secs(1);
/// How long the engine may take to know of a death, while a load goes on.
const KNOWN_WITHIN: Duration = Duration::from_secs(1);
/// How the engine writes that it has killed a container.
const KILLED: i32 = 137;
/// How long the engine may take to see that a container has ended.
const SEEN_WITHIN: Duration = Duration::from_secs(20);
/// What the engine may take beyond a container's own time to end.
const BEYOND_GRACE: Duration = Duration::from_secs(20);

impl Running for Containers {
    fn placement(&self) -> &Placement {
        &self.placement
    }

    /// In their environment is nothing but what leads to their own PostgreSQL, through the socket in its container: other
    /// addresses of theirs mean something in their network alone.
    fn services(&self) -> Vec<Service> {
        let both = self.contender.services.iter().zip(&self.services);
        both.map(|(service, contained)| {
            let environment = contained.seen.postgres().map(|(folder, port)| {
                let variable = |name: &str| contained.seen.variable(name).map(str::to_owned);
                let user = variable("POSTGRES_USER").unwrap_or_else(|| "postgres".to_owned());
                let database = variable("POSTGRES_DB").unwrap_or_else(|| user.clone());
                let password = variable("POSTGRES_PASSWORD").unwrap_or_default();
                [
                    ("PGHOST", folder.display().to_string()),
                    ("PGPORT", port.to_string()),
                    ("PGUSER", user),
                    ("PGDATABASE", database),
                    ("PGPASSWORD", password),
                ]
                .map(|(name, value)| (name.to_owned(), value))
                .into()
            });
            Service { environment: environment.unwrap_or_default(), ..service.clone() }
        })
        .collect()
    }

    fn service_names(&self) -> Vec<String> {
        self.names()
    }

    fn volumes(&self) -> Vec<PathBuf> {
        let kept = self.services.iter().flat_map(|service| service.seen.kept_in());
        let mut places: Vec<_> = kept.chain(self.copies.iter().cloned()).collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    fn kept_by(&self, service: &str) -> Vec<PathBuf> {
        let services = self.services.iter().filter(|one| one.name == service);
        services.flat_map(|service| service.seen.kept_in()).chain(self.copies.iter().cloned()).collect()
    }

    fn deaths(&mut self) -> Vec<HostFact> {
        let may_ask = self.asked.is_none_or(|asked| asked.elapsed() > ASKED_EVERY);
        let is_doubtful = |service: &Contained| match service.runs() {
            Some(runs) => !runs,
            None => may_ask,
        };
        let doubtful: Vec<usize> = (0..self.services.len())
            .filter(|&i| !self.services[i].told && is_doubtful(&self.services[i]))
            .collect();
        if doubtful.is_empty() {
            return Vec::new();
        }
        self.asked = Some(Instant::now());
        // An engine that does not answer now is told by whoever must ask it next. Of a death that galo saw it is asked once.
        let Ok(seen) = self.after_death(&doubtful) else {
            let gone = |service: &&mut Contained| service.runs() == Some(false);
            self.services.iter_mut().filter(gone).for_each(|service| service.told = true);
            return Vec::new();
        };
        let mut findings = Vec::new();
        for (&index, seen) in doubtful.iter().zip(seen) {
            let service = &mut self.services[index];
            // Only the engine knows of one that galo does not see.
            if service.runs().is_none() && service.goes_on(&seen) {
                continue;
            }
            service.told = true;
            let out_of_memory = service.new_oom_kills().is_some() || seen.state.oom_killed;
            let (ended, lives) = (ended(seen.state.exit_code), seen.lives());
            service.follower.finish();
            match lives {
                // It is told once, but its log goes on.
                true => {
                    let _ = service.refresh(&self.project.engine, seen);
                    service.told = true;
                }
                false => service.seen = seen,
            }
            let status = words(ended, out_of_memory, lives);
            self.inner.options.events.send(Event::ServiceDied { service: service.name.clone(), status });
            findings.push(HostFact::ServiceDied(ServiceDied {
                service: service.name.clone(),
                ended,
                out_of_memory: out_of_memory.then(|| service.memory_limit()),
                log: log::tail(&service.log),
                log_path: service.log.display().to_string(),
            }));
        }
        findings
    }

    fn faults(&mut self) -> Vec<HostFact> {
        self.keeper.look()
    }

    fn kill_services(&mut self, names: &[String]) -> Result<u64, HostError> {
        require_known(names, &self.names())?;
        let left = self.keeper.release(|name| names.iter().any(|doomed| doomed == name));
        // Whoever is killed stays so until galo starts it again, whatever the file says of restarts.
        self.keep_down(names)?;
        let is_doomed = |service: &&Contained| names.contains(&service.name);
        let doomed = self.services.iter().rev().filter(is_doomed);
        let (near, far): (Vec<_>, Vec<_>) = doomed.partition(|service| is_in_reach(&service.enclosure));
        let mut killed_ns = Enclosure::strike_together(near.into_iter().map(|service| &service.enclosure));
        if !far.is_empty() {
            self.have_killed(far.into_iter().map(|service| service.id.as_str()))?;
            killed_ns = now_ns();
        }
        left.iter().for_each(Leader::kill);
        for service in self.services.iter_mut().filter(|service| names.contains(&service.name)) {
            service.told = true;
            if is_in_reach(&service.enclosure) {
                let killed = service.enclosure.kill()?;
                self.keeper.found_outside(&service.name, killed.outside);
            }
        }
        self.require_ended(names)?;
        Ok(killed_ns)
    }

    fn halt(&mut self, halt: Halt) -> Result<Vec<HostFact>, HostError> {
        let left = self.keeper.release(|_| true);
        let names = self.names();
        let mut late = Vec::new();
        if halt == Halt::Asked {
            self.keep_down(&names)?;
            for service in self.services.iter_mut().rev() {
                service.told = true;
                // Nobody looks after limits any more: who is asked to end may do it as fast as it can.
                service.enclosure.hurry();
                let grace_ns = service.seen.grace_ns();
                let within = Duration::from_nanos(grace_ns) + BEYOND_GRACE;
                self.project.engine.ask(&["stop", &service.id], within)?;
                let ended = inspect(&self.project.engine, [service.id.as_str()].into_iter())?;
                // The engine has killed it.
                if ended.first().is_some_and(|seen| seen.state.exit_code == KILLED) {
                    late.push(HostFact::ServiceLateToStop(ServiceLateToStop {
                        service: service.name.clone(),
                        grace_ns,
                    }));
                }
            }
        }
        self.kill_services(&names)?;
        left.iter().for_each(Leader::kill);
        Ok(late)
    }

    fn restart(&mut self, names: &[String]) -> Result<(), HostError> {
        self.start_again(names).map_err(|e| e.about("contender", &self.contender.name))
    }

    fn pause(&self) -> bool {
        self.services.iter().rev().for_each(|service| service.enclosure.freeze());
        self.services.iter().all(|service| service.enclosure.stands_still())
    }

    fn resume(&self) {
        self.services.iter().for_each(|service| service.enclosure.thaw());
    }

    fn stop(mut self: Box<Self>) -> Result<Vec<HostFact>, HostError> {
        self.asked = None;
        let mut findings = self.deaths();
        findings.extend(self.services.iter_mut().filter_map(out_of_memory));
        findings.extend(self.end()?);
        Ok(findings)
    }
}

impl Containers {
    /// What the engine says of these containers. Where galo has seen the first process go it is asked until it knows that too: that
    /// the container has ended, or has been started again.
    fn after_death(&self, doubtful: &[usize]) -> Result<Vec<Seen>, HostError> {
        let begun = Instant::now();
        loop {
            let services = || doubtful.iter().map(|&index| &self.services[index]);
            let seen = inspect(&self.project.engine, services().map(|service| service.id.as_str()))?;
            let is_old =
                |(service, seen): (&Contained, &Seen)| service.runs().is_some() && service.goes_on(seen);
            if begun.elapsed() > KNOWN_WITHIN || !services().zip(&seen).any(is_old) {
                return Ok(seen);
            }
            thread::sleep(LOOK);
        }
    }

    /// Keeps the engine from starting these again by itself, whatever the file says.
    fn keep_down(&self, names: &[String]) -> Result<(), HostError> {
        let meant = self.services.iter().filter(|service| names.contains(&service.name));
        for service in meant.filter(|service| service.seen.is_started_again()) {
            self.project.engine.ask(&["update", "--restart=no", &service.id], SOON)?;
        }
        Ok(())
    }

    /// Has the engine kill these containers. It refuses those that have ended, and [`Self::require_ended`] finds the others.
    fn have_killed<'a>(&self, ids: impl Iterator<Item = &'a str>) -> Result<(), HostError> {
        let words: Vec<&str> = std::iter::once("kill").chain(ids).collect();
        self.project.engine.attempt(&words, DOING).map(drop)
    }

    /// Waits until the engine has seen that these have ended.
    fn require_ended(&mut self, names: &[String]) -> Result<(), HostError> {
        let begun = Instant::now();
        loop {
            let seen = self.look()?;
            let both = self.services.iter().zip(&seen);
            let alive: Vec<_> =
                both.filter(|(service, seen)| names.contains(&service.name) && seen.lives()).collect();
            let Some((service, _)) = alive.first() else { return Ok(()) };
            // One that was about to be started again when it was killed.
            for (_, seen) in &alive {
                match start::enclosure(seen) {
                    enclosure if is_in_reach(&enclosure) => drop(enclosure.kill()?),
                    _ => self.have_killed(std::iter::once(seen.id.as_str()))?,
                }
            }
            if begun.elapsed() > SEEN_WITHIN {
                return Err(HostError::host(format!(
                    "the container engine has not seen the end of service `{}` after {} s\nhint: docker inspect {}",
                    service.name,
                    SEEN_WITHIN.as_secs(),
                    service.id
                )));
            }
            thread::sleep(LOOK);
        }
    }

    /// Makes these anew in their order, each once those that it needs are back.
    fn start_again(&mut self, names: &[String]) -> Result<(), HostError> {
        start::require_unchanged(&self.contender)?;
        let begun = Instant::now();
        let mut unready: Vec<usize> = Vec::new();
        for index in 0..self.services.len() {
            let name = self.services[index].name.clone();
            if !names.contains(&name) {
                continue;
            }
            let needed = &self.contender.services[index].depends_on;
            let (awaited, others): (Vec<usize>, _) =
                unready.into_iter().partition(|&other| needed.contains(&self.services[other].name));
            unready = others;
            for other in awaited {
                self.wait_for_service(other)?;
            }
            self.make_anew(index)?;
            unready.push(index);
        }
        let target = self.placement.target;
        let path = self.inner.ready_path.get().cloned();
        self.wait_for(&self.names(), Instant::now(), move || ready::answers(target, path.as_deref()))?;
        self.take_over(begun, names)
    }

    /// Waits until one that was started again listens where it did, and its health check is content.
    fn wait_for_service(&mut self, index: usize) -> Result<(), HostError> {
        let service = &self.services[index];
        let address = service.seen.address().zip(service.listens).map(|(address, old)| (address, old.port()));
        let ask = move || address.map_or(Ok(()), |(address, port)| ready::tcp(&format!("{address}:{port}")));
        let name = service.name.clone();
        self.wait_for(std::slice::from_ref(&name), Instant::now(), ask)
    }
}

/// Whether galo can kill what is in it: it sees its first process, and may. An ordinary user sees the containers of the machine's
/// engine, and may not.
fn is_in_reach(enclosure: &Enclosure) -> bool {
    system::is_root() && enclosure.leader().is_some()
}

/// How a container's first process ended: the engine writes a signal as shells do.
fn ended(exit_code: i32) -> Ended {
    match exit_code {
        129..=192 => Ended::Signal(exit_code - 128),
        code => Ended::Status(code),
    }
}

fn words(ended: Ended, out_of_memory: bool, lives: bool) -> String {
    let how = match ended {
        Ended::Status(code) => format!("exit status {code}"),
        Ended::Signal(signal) => format!("killed by signal {signal}"),
    };
    let memory = if out_of_memory { "; killed by the kernel: out of memory" } else { "" };
    let again = if lives { "; the engine starts it again" } else { "" };
    format!("{how}{memory}{again}")
}

/// The kernel killed something of a service that went on all the same.
fn out_of_memory(service: &mut Contained) -> Option<HostFact> {
    let killed = service.new_oom_kills()?;
    let (name, limit) = (service.name.clone(), service.memory_limit());
    Some(HostFact::ServiceOutOfMemory(ServiceOutOfMemory {
        service: name,
        killed,
        limit,
        log: log::tail(&service.log),
    }))
}

#[cfg(test)]
mod tests;
