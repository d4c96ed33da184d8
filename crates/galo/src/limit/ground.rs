//! The contender over the whole search: started, kept up, started afresh where its tables are of no use any more, ended.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use galo_drive::stage::{Counter, LOGS, LOOK, Means, keep, options, run_beside};
use galo_host::{Host, Running};
use galo_judge::assertion::Assertions;
use galo_judge::limit::figures;
use galo_plan::{Holds, LoadPlan};
use galo_record::limit::LimitRecord;
use galo_record::{RoundData, RoundRecord};
use galo_report::Lang;
use galo_watch::{Logs, Witness};

use super::view::Rows;
use crate::live::Live;
use crate::session::stopped;

/// After the last arrival, how long to wait for answers. Less than the challenge's timeouts, so that a hold far beyond
/// what is held does not take minutes; what has no answer then is unfinished, which is an error.
const DRAIN: Duration = Duration::from_secs(10);
/// How long a contender may take to come to rest after a hold that it did not meet.
const REST: Duration = Duration::from_secs(30);
/// The light traffic that must meet the service level again after it: so long, and at this scale in thousandths, or at
/// this part of the scale that was not met.
const LIGHT: Duration = Duration::from_secs(2);
const LIGHT_MILLI: u64 = 50;
const LIGHT_PART: u64 = 20;

/// See the module.
pub(super) struct Ground<'a> {
    pub(super) means: Means<'a>,
    host: &'a Host,
    pub(super) live: &'a Live,
    pub(super) rows: &'a Rows,
    pub(super) holds: Holds<'a>,
    running: Option<Running>,
    starts: u32,
    /// Whether a service of the one that runs has died.
    died: bool,
    /// Whether something may still be under way in it of which nobody knows whether it is done.
    pub(super) unsettled: bool,
    /// The scale of the last hold, if that was not met: the contender has not shown since that it is at rest.
    pub(super) not_met_milli: Option<u64>,
}

impl<'a> Ground<'a> {
    /// Nothing is started yet.
    pub(super) fn new(means: Means<'a>, host: &'a Host, live: &'a Live, rows: &'a Rows) -> Self {
        let holds = Holds::new(means.plan, means.model);
        Self {
            means,
            host,
            live,
            rows,
            holds,
            running: None,
            starts: 0,
            died: false,
            unsettled: false,
            not_met_milli: None,
        }
    }

    /// How often the contender was started.
    pub(super) const fn starts(&self) -> u32 {
        self.starts
    }

    /// Tells something that stays.
    pub(super) fn say(&self, text: &str) {
        self.live.line(text);
    }

    /// Writes down what is known.
    pub(super) fn keep(&self, record: &LimitRecord) -> Result<()> {
        Ok(self.means.writer.write_limit(record)?)
    }

    /// Whether the caller wants to stop.
    pub(super) fn is_stopped(&self) -> bool {
        stopped(self.means.stop)
    }

    /// Where the contender is; it is started if it is not up, or a service of it died.
    ///
    /// # Errors
    /// It did not start, or never answered the count.
    pub(super) fn target(&mut self) -> Result<SocketAddr> {
        self.look();
        match &self.running {
            Some(running) if !self.died => Ok(running.placement().target),
            _ => self.start(),
        }
    }

    /// Starts it afresh, on fresh volumes, after ending the one that runs.
    ///
    /// # Errors
    /// As [`Self::target`], and that what runs could not be ended.
    pub(super) fn start(&mut self) -> Result<SocketAddr> {
        self.end()?;
        self.starts += 1;
        let contender = &self.means.plan.contenders[0];
        let folder = self.means.writer.open_round(self.starts, &contender.name)?;
        if self.starts > 1 {
            self.say("starting it afresh");
        }
        let running =
            self.host.start(contender, self.means.plan.challenge.policy.port, &folder.join(LOGS))?;
        let target = running.placement().target;
        self.running = Some(running);
        (self.died, self.unsettled, self.not_met_milli) = (false, false, None);
        let Some(counter) = self.counter(target) else { return Ok(target) };
        let counted = counter.first()?;
        if counted.value.is_none() && !self.is_stopped() {
            let path = &counter.count.path;
            bail!(
                "it never answered the count at {path} by a number (last: {})\nhint: see its logs",
                counted.text
            );
        }
        Ok(target)
    }

    /// Ends the contender that runs, and removes all of it.
    ///
    /// # Errors
    /// Something could not be removed.
    pub(super) fn end(&mut self) -> Result<()> {
        let Some(running) = self.running.take() else { return Ok(()) };
        for finding in running.stop().context("what was started could not be removed")? {
            self.say(&format!("  {}", galo_report::host_sentence(&finding, Lang::En)));
        }
        Ok(())
    }

    /// Sends what a plan says and hands back what came, with what services used and which died; whether the caller broke
    /// it off stands beside it.
    pub(super) fn load(&mut self, plan: &LoadPlan) -> Result<(RoundData, bool)> {
        let mut data = RoundData::new(RoundRecord::new(1, 0, 0));
        let Some(running) = &mut self.running else { return Ok((data, true)) };
        let placement = running.placement().clone();
        data.record.placement = Some(placement.clone());
        let logs = Logs::from_now(&placement);
        let witness = Witness::start(placement, &running.services(), logs, self.means.events)?;
        let findings = &mut data.record.findings;
        let options = options(&self.means, DRAIN);
        let outcome = run_beside(plan, &options, LOOK, || findings.extend(running.trouble()))?;
        let is_interrupted = keep(outcome, &mut data);
        witness.end(&mut data);
        data.record.findings.extend(running.trouble());
        self.died |= !data.record.findings.is_empty();
        Ok((data, is_interrupted))
    }

    fn counter(&self, target: SocketAddr) -> Option<Counter<'a>> {
        let Means { plan, stop, events, .. } = self.means;
        Some(Counter { count: plan.challenge.count.as_ref()?, target, stop, events })
    }

    /// The count while nothing is sent, at rest if it might move; `None`: there is no number.
    pub(super) fn people(&mut self, target: SocketAddr) -> Option<u64> {
        match std::mem::take(&mut self.unsettled) {
            true => self.count_at_rest(target),
            false => self.count(target),
        }
    }

    /// The count now; `None`: there is no number.
    pub(super) fn count(&self, target: SocketAddr) -> Option<u64> {
        self.counter(target)?.read().value
    }

    /// The count, once it is at rest; `None`: there is no number.
    pub(super) fn count_at_rest(&self, target: SocketAddr) -> Option<u64> {
        self.counter(target)?.until_rest().iter().rev().find_map(|reading| reading.value)
    }

    /// After a hold that was not met: waits until the count, if there is one, is at rest and light traffic meets the service
    /// level, for a while, and starts it afresh if that does not come.
    ///
    /// # Errors
    /// As [`Self::target`].
    pub(super) fn rest(&mut self, criterion: &Assertions) -> Result<()> {
        let Some(not_met_milli) = self.not_met_milli.take() else { return Ok(()) };
        let light_milli = (not_met_milli / LIGHT_PART).clamp(1, LIGHT_MILLI);
        let begun = Instant::now();
        while begun.elapsed() < REST && !self.is_stopped() {
            self.look();
            let Some(target) = self.running.as_ref().map(|running| running.placement().target) else { break };
            if self.died {
                break;
            }
            if self.means.plan.challenge.count.is_some() && self.count_at_rest(target).is_none() {
                continue;
            }
            let plan = self.holds.hold(light_milli, LIGHT, target)?;
            let (data, is_interrupted) = self.load(&plan)?;
            if is_interrupted || criterion.met(&figures(self.means.plan, &data)) {
                return Ok(());
            }
        }
        if !self.is_stopped() {
            self.start()?;
        }
        Ok(())
    }

    /// Looks after the services, while nothing is sent.
    fn look(&mut self) {
        let deaths = self.running.as_mut().map(Running::deaths).unwrap_or_default();
        self.died |= !deaths.is_empty();
    }
}
