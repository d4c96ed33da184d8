//! What the rules look at: a round with its trouble, and its services moment by moment.

use galo_plan::Plan;
use galo_record::sample::{HostSample, ServiceSample};
use galo_record::{DatabaseSample, RoundData, Sample};

use super::trouble::Trouble;
use crate::findings::Explained;
use crate::signs::throttled_share;

/// With fewer looks at the database than this nothing is said of it.
const LEAST_LOOKS: usize = 8;
/// A look stands for so many moments before and after it at most.
const LOOK_MOMENTS: usize = 10;

/// A round with its trouble, and its services moment by moment.
pub(crate) struct Scene<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) round: &'a RoundData,
    pub(crate) trouble: Trouble,
    pub(crate) services: Vec<Service<'a>>,
    samples: &'a [Sample],
}

/// One service, with its limits as read back or else as written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Service<'a> {
    /// Its number in the placement.
    pub(crate) index: usize,
    pub(crate) name: &'a str,
    pub(crate) cpus: Option<f64>,
    pub(crate) memory_bytes: Option<u64>,
}

/// A look at the database, and the moment in which it was taken.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look<'a> {
    pub(crate) moment: usize,
    pub(crate) seen: &'a DatabaseSample,
}

impl<'a> Scene<'a> {
    /// `None` where nothing was sampled.
    pub(crate) fn of(plan: &'a Plan, round: &'a RoundData, trouble: Trouble) -> Option<Self> {
        let window = round.window()?;
        let placed = round.record.placement.as_ref().map_or(&[][..], |placement| &placement.services);
        let written = plan.contenders.get(round.record.contender).map_or(&[][..], |c| &c.services);
        let services = placed.iter().enumerate().take(window.services()).map(|(index, service)| {
            let as_written = written.iter().find(|s| s.name == service.name);
            let cpus_milli = service.cpus_milli.or(as_written.map(|s| s.cpus_milli)).filter(|&c| c > 0);
            Service {
                index,
                name: &service.name,
                cpus: cpus_milli.map(|milli| f64::from(milli) / 1e3),
                memory_bytes: service.memory_bytes.or(as_written.map(|s| s.memory_bytes)).filter(|&b| b > 0),
            }
        });
        Some(Self { plan, round, trouble, services: services.collect(), samples: window.samples() })
    }

    /// All moments with a sign of each.
    pub(crate) fn signs<S: Into<f64>>(
        &self,
        sign: impl Fn(usize) -> S,
    ) -> impl Iterator<Item = (usize, f64)> {
        (0..self.trouble.moments()).map(move |moment| (moment, sign(moment).into()))
    }

    /// By how much a service's counter grew in a moment.
    pub(crate) fn grown(
        &self,
        service: Service<'_>,
        moment: usize,
        counter: fn(&ServiceSample) -> u64,
    ) -> u64 {
        let of = |sample: &Sample| counter(&sample.services[service.index]);
        of(&self.samples[moment + 1]).saturating_sub(of(&self.samples[moment]))
    }

    /// What a service had at the end of a moment.
    pub(crate) fn at(&self, service: Service<'_>, moment: usize, level: fn(&ServiceSample) -> u64) -> u64 {
        level(&self.samples[moment + 1].services[service.index])
    }

    /// By how much a counter of the machine grew in a moment.
    pub(crate) fn host_grown(&self, moment: usize, counter: fn(&HostSample) -> u64) -> u64 {
        counter(&self.samples[moment + 1].host).saturating_sub(counter(&self.samples[moment].host))
    }

    /// The machine at the end of a moment.
    pub(crate) fn host(&self, moment: usize) -> &HostSample {
        &self.samples[moment + 1].host
    }

    /// The samples between the beginnings of two moments.
    pub(crate) fn samples(&self, from: usize, to: usize) -> [&Sample; 2] {
        [&self.samples[from], &self.samples[to]]
    }

    /// CPUs that a service used in a moment, on average.
    pub(crate) fn cpus(&self, service: Service<'_>, moment: usize) -> f64 {
        self.grown(service, moment, |s| s.cpu_ns) as f64 / self.trouble.length_ns(moment).max(1) as f64
    }

    /// Share of its quota periods in which a service was throttled in a moment.
    pub(crate) fn throttled(&self, service: Service<'_>, moment: usize) -> f64 {
        let periods = self.grown(service, moment, |s| s.periods);
        let throttled = self.grown(service, moment, |s| s.throttled_periods);
        throttled_share(throttled, periods).min(1.0)
    }

    /// The same of the service that was throttled most.
    pub(crate) fn most_throttled(&self, moment: usize) -> f64 {
        self.services.iter().map(|service| self.throttled(*service, moment)).fold(0.0, f64::max)
    }

    /// Share of the time in which services wanted a core in a moment, in which they had none, throttled or not.
    pub(crate) fn waited_for_core(&self, moment: usize) -> f64 {
        let sum = |counter: fn(&ServiceSample) -> u64| -> u64 {
            self.services.iter().map(|service| self.grown(*service, moment, counter)).sum()
        };
        let (waiting, running) = (sum(|s| s.run_queue_ns), sum(|s| s.cpu_ns));
        if waiting > 0 { waiting as f64 / (waiting + running) as f64 } else { 0.0 }
    }

    /// Whether no service was throttled in a moment.
    pub(crate) fn nobody_is_throttled(&self, moment: usize) -> bool {
        self.most_throttled(moment) == 0.0
    }

    /// The share of the trouble that a sign of looks explains: of moments without a look that of those with one is
    /// taken, but only as long as there were looks at all. `None` where there were too few.
    pub(crate) fn explained_by_looks(&self, sign: impl Fn(Look<'_>) -> f64) -> Option<Explained> {
        let (first, last) = (self.looks().next()?.moment, self.looks().last()?.moment);
        let explained = self.trouble.explained_by(self.looks().map(|look| (look.moment, sign(look))));
        let between = first.saturating_sub(LOOK_MOMENTS)..=last + LOOK_MOMENTS;
        let covered = self.trouble.mean(self.signs(|moment| u8::from(between.contains(&moment))));
        let is_enough = self.looks().count() >= LEAST_LOOKS;
        is_enough.then_some(Explained { in_trouble: explained.in_trouble * covered, ..explained })
    }

    /// Looks at the database while the load ran.
    pub(crate) fn looks(&self) -> impl Iterator<Item = Look<'a>> + '_ {
        let started_ns = self.round.record.load.started_ns;
        self.round.database.iter().filter_map(move |seen| {
            let moment = self.trouble.moment_at(seen.at_ns.checked_sub(started_ns)?)?;
            Some(Look { moment, seen })
        })
    }
}
