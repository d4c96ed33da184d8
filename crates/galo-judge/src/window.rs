//! The samples of a round's load: what services and host used between its start and its end.

use galo_record::sample::{HostSample, ServiceSample};
use galo_record::{RoundData, Sample};

/// The samples from the last before the load to the first after it. Where there is none before or after, it begins
/// or ends with the nearest.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window<'a> {
    samples: &'a [Sample],
}

impl<'a> Window<'a> {
    /// `None` where fewer than two samples are left, so that nothing can be said.
    pub(crate) fn of(round: &'a RoundData) -> Option<Self> {
        let (started, ended) = (round.record.load_started_ns, round.record.load_ended_ns);
        let samples = &round.samples;
        let first = samples.iter().rposition(|s| s.at_ns <= started).unwrap_or(0);
        let end = samples.iter().position(|s| s.at_ns >= ended).map_or(samples.len(), |last| last + 1);
        let samples = samples.get(first..end)?;
        (samples.len() >= 2).then_some(Self { samples })
    }

    pub(crate) fn samples(self) -> &'a [Sample] {
        self.samples
    }

    /// Services seen throughout.
    pub(crate) fn services(self) -> usize {
        self.samples.iter().map(|s| s.services.len()).min().unwrap_or(0)
    }

    /// One service's first and last look.
    pub(crate) fn ends_of(self, service: usize) -> Option<(&'a ServiceSample, &'a ServiceSample)> {
        let (first, last) = (self.samples.first()?, self.samples.last()?);
        Some((first.services.get(service)?, last.services.get(service)?))
    }

    /// The host's first and last look.
    pub(crate) fn host_ends(self) -> Option<(&'a HostSample, &'a HostSample)> {
        Some((&self.samples.first()?.host, &self.samples.last()?.host))
    }

    /// CPU that all services used, in nanoseconds. `None` where there is no service, or where the kernel did not
    /// tell of one: a program that started has always used some.
    pub(crate) fn cpu_ns(self) -> Option<u64> {
        let services = self.services();
        (services > 0).then_some(())?;
        (0..services).try_fold(0, |sum: u64, service| {
            let (first, last) = self.ends_of(service)?;
            (last.cpu_ns > 0).then(|| sum + last.cpu_ns.saturating_sub(first.cpu_ns))
        })
    }

    /// Most memory of all services at one moment. `None` where the kernel did not tell of one.
    pub(crate) fn memory_peak(self, of: impl Fn(&ServiceSample) -> u64) -> Option<u64> {
        let services = self.services();
        let told = |service: usize| self.samples.iter().any(|s| of(&s.services[service]) > 0);
        (services > 0 && (0..services).all(told)).then_some(())?;
        self.samples.iter().map(|s| s.services.iter().map(&of).sum()).max()
    }
}
