//! A contender whose services are containers. Compose brings it up, as its file says; galo asks the engine where everything
//! is, and from there on works as with processes: a service is its control group, which is read, frozen and killed.
//!
//! What is galo's own: names of what is built, fresh copies of what a container may write to, bounds for logs and processes
//! ([`overrides`]), and the removal of all that carries the project's label ([`Project`]).

mod anew;
mod driven;
mod inspect;
mod logs;
mod overrides;
mod prepare;
mod pull;
mod room;
mod start;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use galo_plan::Contender;
use galo_record::finding::MemoryLimit;
use galo_record::{HostFact, Placement};

use crate::cgroup::Limits;
use crate::enclosure::Enclosure;
use crate::engine::{Compose, Engine};
use crate::error::HostError;
use crate::inner::Inner;
use crate::keeper::Keeper;
use crate::log;
use crate::port;
use crate::project::Project;
use crate::session::Leader;
use crate::sweep;
use inspect::Seen;
use logs::Follower;

pub(crate) use prepare::prepare;
pub(crate) use start::start;

/// How many last lines of a log are quoted where those of all containers are.
const QUOTED_BRIEFLY: usize = 3;

/// A contender that runs in containers. Dropping it ends it.
#[derive(Debug)]
pub(crate) struct Containers {
    inner: Arc<Inner>,
    contender: Contender,
    placement: Placement,
    /// In starting order.
    services: Vec<Contained>,
    keeper: Keeper,
    project: Project,
    compose: Compose,
    /// What Compose reads: the contender's file, and what is laid over it.
    files: Vec<PathBuf>,
    /// Copies of what containers may write to.
    copies: Vec<PathBuf>,
    ports: Vec<u16>,
    /// Whether Compose has ended by itself: else the engine may still be making what it asked for.
    is_made: bool,
    /// No other galo gets these ports until this one is gone.
    _held: port::Held,
    ended: bool,
    /// When the engine was asked last whether containers live.
    asked: Option<Instant>,
}

/// One of its containers.
#[derive(Debug)]
struct Contained {
    name: String,
    /// The engine's.
    id: String,
    /// Its control group, and its first process.
    enclosure: Enclosure,
    /// Where it listens by itself, if it does and can be reached.
    listens: Option<SocketAddr>,
    log: PathBuf,
    follower: Follower,
    /// As they hold; `None`: it is not limited.
    limits: Option<Limits>,
    /// As the engine last said.
    seen: Seen,
    /// Its end is galo's doing, or was told.
    told: bool,
    /// Kills for want of memory that were told.
    oom_told: u64,
}

impl Contained {
    /// Takes over what the engine says of it after another start: another first process, another address, more of its log; or
    /// of a container that was made in its place.
    fn refresh(&mut self, engine: &Engine, seen: Seen) -> Result<(), HostError> {
        self.enclosure = start::enclosure(&seen);
        self.oom_told = self.enclosure.oom_kills();
        self.told = false;
        self.follower.finish();
        let since = (seen.id == self.id).then_some(seen.state.finished_at.as_str());
        self.follower = Follower::start(engine, &seen.id, &self.log, since)?;
        self.id.clone_from(&seen.id);
        self.seen = seen;
        Ok(())
    }

    /// Whether its first process still runs; `None`: galo does not see it, and only the engine knows.
    fn runs(&self) -> Option<bool> {
        self.enclosure.leader().map(Leader::lives)
    }

    /// Whether it goes on as it was when it was last looked at.
    fn goes_on(&self, seen: &Seen) -> bool {
        seen.state.running && seen.state.pid == self.seen.state.pid
    }

    /// Kills for want of memory that were not told yet; `None`: there are none.
    fn new_oom_kills(&mut self) -> Option<u64> {
        let kills = self.enclosure.oom_kills();
        let new = kills.saturating_sub(self.oom_told);
        self.oom_told = self.oom_told.max(kills);
        (new > 0).then_some(new)
    }

    fn memory_limit(&self) -> MemoryLimit {
        MemoryLimit { bytes: self.limits.map(|limits| limits.memory_bytes) }
    }
}

impl Containers {
    /// What the engine says of all of them now, in their order.
    fn look(&self) -> Result<Vec<Seen>, HostError> {
        let ids = self.services.iter().map(|service| service.id.as_str());
        inspect::inspect(&self.project.engine, ids)
    }

    fn names(&self) -> Vec<String> {
        self.services.iter().map(|service| service.name.clone()).collect()
    }

    /// Ends and removes everything. The first error is told, after all else was done.
    fn end(&mut self) -> Result<Vec<HostFact>, HostError> {
        if std::mem::replace(&mut self.ended, true) {
            return Ok(Vec::new());
        }
        let left = self.keeper.release(|_| true);
        let mut findings = self.keeper.look();
        // At once, or a container that ignores its signal, or is throttled, keeps the engine waiting.
        Enclosure::strike_together(self.services.iter().rev().map(|service| &service.enclosure));
        left.iter().for_each(Leader::kill);
        let removed = match self.is_made {
            true => self.project.remove(),
            false => self.project.remove_unfinished(),
        };
        let removed = removed.map(drop);
        let mut result = removed.and_then(|()| self.inner.forget(&self.project));
        for service in &mut self.services {
            service.follower.end();
            // The engine has removed the group; whoever is left of it is somewhere else.
            let killed = service.enclosure.kill();
            result =
                result.and(killed.map(|killed| self.keeper.found_outside(&service.name, killed.outside)));
        }
        findings.extend(self.keeper.look());
        for copy in &self.copies {
            let removed = sweep::remove(copy)
                .and_then(|_| self.inner.state.change(|list| list.volumes.retain(|listed| listed != copy)));
            result = result.and(removed);
        }
        result = result.and(port::require_let_go(&self.ports));
        result.map(|()| findings).map_err(|e| e.about("contender", &self.contender.name))
    }
}

impl Drop for Containers {
    fn drop(&mut self) {
        // Whoever drops instead of stopping has another error to tell; what is left over is listed for the supervisor.
        let _ = self.end();
    }
}

/// The end of a container's log as it stands below a message.
fn quoted(service: &Contained) -> String {
    log::quoted(&log::tail(&service.log))
}

/// Its last lines, each told once: who is started again and again writes the same each time.
fn quoted_briefly(service: &Contained) -> String {
    let mut lines = log::tail(&service.log);
    lines.dedup();
    log::quoted(&lines[lines.len().saturating_sub(QUOTED_BRIEFLY)..])
}
