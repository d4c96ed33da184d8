//! One side over the whole duel: started, driven, standing still, ended.

use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use galo_host::{Host, Running};
use galo_plan::LoadPlan;
use galo_plan::load::Address;
use galo_plan::request::Url;
use galo_record::HostFact;
use galo_record::duel::TurnLoad;

use super::answers::Kept;
use super::load::{Engine, Load};
use super::revision::Revision;
use super::side::{Kind, Side};
use crate::exit::WrongUse;
use crate::load::addresses;

/// How long connecting may take when a server's address is looked for.
const CONNECT: Duration = Duration::from_secs(2);

/// What a side does when it is not its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rest {
    /// It goes on: it is not galo's to stop, or the other one is not.
    GoesOn,
    /// It stands still, so that it takes no core.
    StandsStill,
    /// It ends, since the other one needs its port.
    Ends,
}

/// See the module.
pub(super) struct Corner<'a> {
    pub(super) side: Side,
    rest: Rest,
    host: Option<&'a Host>,
    /// Where the logs of all starts go.
    logs: PathBuf,
    /// ... each in a folder of this name and the start's number.
    name: &'static str,
    /// What is sent; each load sets its arrivals, and each start where it goes.
    plan: LoadPlan,
    pub(super) kept: Kept,
    /// While it is up.
    running: Option<Running>,
    starts: u32,
    is_found: bool,
    /// What was remarkable and is not yet taken.
    findings: Vec<HostFact>,
}

impl<'a> Corner<'a> {
    /// Nothing is started yet. `run`: the run's folder; `name`: of the folder of its logs.
    pub(super) fn new(
        side: Side,
        mut plan: LoadPlan,
        rest: Rest,
        host: Option<&'a Host>,
        run: &Path,
        name: &'static str,
    ) -> Self {
        let kept = Kept::watching(&mut plan);
        Self {
            side,
            rest,
            host,
            logs: run.join("logs"),
            name,
            plan,
            kept,
            running: None,
            starts: 0,
            is_found: false,
            findings: Vec::new(),
        }
    }

    /// Builds it, if that was not done before.
    ///
    /// # Errors
    /// The build failed, or the caller broke it off.
    pub(super) fn build(&self) -> Result<()> {
        let (Kind::Command(started), Some(host)) = (&self.side.kind, self.host) else { return Ok(()) };
        host.build(&started.contender)?;
        started.revision.as_ref().map_or(Ok(()), Revision::keep_built)
    }

    /// Bound for an answer, in nanoseconds.
    pub(super) fn timeout_ns(&self) -> u64 {
        self.plan.timeouts.answer_ns
    }

    /// Has it running; whether it was started for that. One that died meanwhile is started again.
    ///
    /// # Errors
    /// It did not start, or nobody listens.
    pub(super) fn up(&mut self) -> Result<bool> {
        if self.has_died() {
            self.down()?;
        }
        if let Some(running) = &self.running {
            running.resume();
            return Ok(false);
        }
        let (Kind::Command(started), Some(host)) = (&self.side.kind, self.host) else {
            if !self.is_found {
                self.find()?;
            }
            return Ok(false);
        };
        self.starts += 1;
        let logs = self.logs.join(format!("{}-{:02}", self.name, self.starts));
        self.running = Some(host.start(&started.contender, started.port, &logs)?);
        self.find()?;
        Ok(true)
    }

    /// Drives one load; whether the caller broke it off stands beside it.
    ///
    /// # Errors
    /// What kept the engine from running.
    pub(super) fn drive(&mut self, load: &Load<'_>, engine: &Engine) -> Result<(TurnLoad, bool)> {
        let arrivals = load.arrivals();
        // Whoever takes requests in turn begins with the first one.
        let requests = self.plan.sources.first().map_or(1, |source| source.scenarios.len() as u64);
        let first_user = load.first_user.next_multiple_of(requests.max(1));
        self.kept.expect(first_user, arrivals.users(), load.kept);
        for source in &mut self.plan.sources {
            (source.arrivals, source.first_user) = (arrivals.clone(), first_user);
        }
        self.plan.pool.connections = load.terms.connections;
        engine.drive(&self.plan, load, self.running.as_ref())
    }

    /// Gives way to the other side.
    ///
    /// # Errors
    /// It could not be ended.
    pub(super) fn rest(&mut self) -> Result<()> {
        self.findings.extend(self.running.as_mut().map(Running::faults).unwrap_or_default());
        // Who died is started again by the next turn.
        if self.has_died() || self.rest == Rest::Ends {
            return self.down();
        }
        if self.rest == Rest::StandsStill {
            self.running.iter().for_each(Running::pause);
        }
        Ok(())
    }

    /// Ends it, if it is galo's to end and up.
    ///
    /// # Errors
    /// Something of it could not be removed, or `--after` failed.
    pub(super) fn down(&mut self) -> Result<()> {
        let Some(running) = self.running.take() else { return Ok(()) };
        running.resume();
        self.findings.extend(running.stop().context("what was started could not be removed")?);
        match &self.side.kind {
            Kind::Command(started) => started.after.as_deref().map_or(Ok(()), after),
            Kind::Address => Ok(()),
        }
    }

    /// What was remarkable since the last call.
    pub(super) fn take_findings(&mut self) -> Vec<HostFact> {
        std::mem::take(&mut self.findings)
    }

    fn has_died(&mut self) -> bool {
        let deaths = self.running.as_mut().map(Running::deaths).unwrap_or_default();
        let has_died = !deaths.is_empty();
        self.findings.extend(deaths);
        has_died
    }

    /// Has the plan go to the first address of each host at which somebody listens: `localhost` may be two.
    fn find(&mut self) -> Result<()> {
        let url = Url::parse(&self.side.url).map_err(WrongUse)?;
        let found = addresses(&url.host, url.port)?
            .into_iter()
            .find(|address| TcpStream::connect_timeout(address, CONNECT).is_ok());
        let address = found.ok_or_else(|| {
            let hint = "start the server, or give the address at which it listens";
            WrongUse(format!("nobody listens at {}\nhint: {hint}", url.authority))
        })?;
        self.plan.targets.iter_mut().for_each(|target| target.address = Address::Ip(address));
        self.is_found = true;
        Ok(())
    }
}

/// Runs what was to be run after each end.
fn after(command: &str) -> Result<()> {
    let status = Command::new("/bin/sh").args(["-c", command]).status().context("--after cannot be run")?;
    if status.success() {
        return Ok(());
    }
    bail!("--after `{command}` failed ({status})\nhint: try it by itself")
}
