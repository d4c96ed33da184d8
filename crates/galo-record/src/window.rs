//! What services, host and galo used while the load ran: the one place that says which samples those are, and what
//! grew and peaked in them. Judge and report both ask here, so that no figure has two values.

use std::ops::Range;

use galo_plan::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::sample::{HostSample, Sample, ServiceSample};

/// The samples from the last before the load to the first after it, at least two. Where there is none before or
/// after, it begins or ends with the nearest. So it is up to two sampling intervals longer than the load.
#[derive(Debug, Clone, Copy)]
pub struct Window<'a> {
    samples: &'a [Sample],
}

/// What a window tells, where its samples are not kept.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct LoadUsage {
    /// From its first sample to its last: longer than the load, by up to two sampling intervals.
    pub watched_ns: u64,
    /// By the order of the services.
    pub services: Vec<ServiceUsage>,
    /// Most memory of all services at one moment ([`Window::memory_peak_bytes`]).
    pub memory_peak_bytes: Option<u64>,
    /// Most anonymous memory of all services at one moment.
    pub anonymous_peak_bytes: Option<u64>,
    /// CPU that all of galo used.
    pub galo_cpu_ns: Option<u64>,
    /// By how much the machine's counters grew.
    pub host: HostSample,
}

/// What one service used. `None` where the kernel did not tell: a program that runs has always used some.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ServiceUsage {
    /// CPU, user and system.
    pub cpu_ns: Option<u64>,
    /// CPU quota periods.
    pub periods: u64,
    /// ... of these throttled.
    pub throttled_periods: u64,
    /// Time throttled.
    pub throttled_ns: u64,
    /// Most memory in use, page cache included. The kernel's own peak sees what falls between two samples, but it also
    /// remembers what was before the load: so it counts where it rose during the load, and else the samples do.
    pub memory_peak_bytes: Option<u64>,
    /// Most anonymous memory that a sample saw; the kernel keeps no peak of it.
    pub anonymous_peak_bytes: Option<u64>,
    /// Processes that the kernel killed for want of memory.
    pub oom_kills: u64,
    /// How long its tasks were ready to run and had no core, added up; while it is throttled that counts as well.
    pub run_queue_ns: Option<u64>,
    /// CPU of its busiest task, at least: of the one that has used the most since it began, which need not be the busiest now.
    pub busiest_task_ns: Option<u64>,
    /// Times that its memory was at its limit, and something had to be reclaimed or killed first.
    pub memory_limit_hits: u64,
    /// Page faults that had to read from a disk.
    pub major_faults: u64,
}

impl LoadUsage {
    /// Adds what was used in another part of the same load: counters add up, the highest peak stays.
    pub fn add(&mut self, part: &Self) {
        self.watched_ns += part.watched_ns;
        self.services.iter_mut().zip(&part.services).for_each(|(sum, part)| sum.add(part));
        self.memory_peak_bytes = self.memory_peak_bytes.max(part.memory_peak_bytes);
        self.anonymous_peak_bytes = self.anonymous_peak_bytes.max(part.anonymous_peak_bytes);
        self.galo_cpu_ns = sum_of(self.galo_cpu_ns, part.galo_cpu_ns);
        self.host.add(&part.host);
    }

    /// CPU that all services used. `None` where there is no service, or where the kernel did not tell of one.
    pub fn cpu_ns(&self) -> Option<u64> {
        let each = self.services.iter().map(|usage| usage.cpu_ns);
        each.sum::<Option<u64>>().filter(|_| !self.services.is_empty())
    }
}

impl ServiceUsage {
    fn add(&mut self, part: &Self) {
        self.cpu_ns = sum_of(self.cpu_ns, part.cpu_ns);
        self.periods += part.periods;
        self.throttled_periods += part.throttled_periods;
        self.throttled_ns += part.throttled_ns;
        self.memory_peak_bytes = self.memory_peak_bytes.max(part.memory_peak_bytes);
        self.anonymous_peak_bytes = self.anonymous_peak_bytes.max(part.anonymous_peak_bytes);
        self.oom_kills += part.oom_kills;
        self.run_queue_ns = sum_of(self.run_queue_ns, part.run_queue_ns);
        self.busiest_task_ns = sum_of(self.busiest_task_ns, part.busiest_task_ns);
        self.memory_limit_hits += part.memory_limit_hits;
        self.major_faults += part.major_faults;
    }
}

/// Sum of two parts; known where both are.
fn sum_of(sum: Option<u64>, part: Option<u64>) -> Option<u64> {
    Some(sum?.saturating_add(part?))
}

/// Which samples are those of a load. Empty where there was no load.
pub(crate) fn range(samples: &[Sample], load_started_ns: u64, load_ended_ns: u64) -> Range<usize> {
    if load_ended_ns <= load_started_ns {
        return 0..0;
    }
    let first = samples.iter().rposition(|s| s.at_ns <= load_started_ns).unwrap_or(0);
    let end = samples.iter().position(|s| s.at_ns >= load_ended_ns).map_or(samples.len(), |last| last + 1);
    first..end
}

impl<'a> Window<'a> {
    /// From one look to another.
    pub fn between(looks: &'a [Sample; 2]) -> Self {
        Self { samples: looks }
    }

    /// `None` where fewer than two samples are left, so that nothing can be said.
    pub(crate) fn of(samples: &'a [Sample], load_started_ns: u64, load_ended_ns: u64) -> Option<Self> {
        let samples = samples.get(range(samples, load_started_ns, load_ended_ns))?;
        (samples.len() >= 2).then_some(Self { samples })
    }

    /// Its samples, in order.
    pub const fn samples(self) -> &'a [Sample] {
        self.samples
    }

    /// From its first sample to its last.
    pub fn length_ns(self) -> u64 {
        let [first, .., last] = self.samples else { return 0 };
        last.at_ns.saturating_sub(first.at_ns)
    }

    /// Number of services seen throughout.
    pub fn services(self) -> usize {
        self.samples.iter().map(|s| s.services.len()).min().unwrap_or(0)
    }

    /// What one service used, by its number in the placement. `None` where it was not seen throughout.
    pub fn usage(self, service: usize) -> Option<ServiceUsage> {
        (service < self.services()).then_some(())?;
        let looks = || self.samples.iter().map(|s| &s.services[service]);
        let (first, last) = (looks().next()?, looks().next_back()?);
        let most = |of: fn(&ServiceSample) -> u64| looks().map(of).max().filter(|&most| most > 0);
        let kernels_peak = last.memory_peak_bytes;
        let risen = (kernels_peak > first.memory_peak_bytes).then_some(kernels_peak);
        Some(ServiceUsage {
            cpu_ns: grown(first.cpu_ns, last.cpu_ns),
            periods: last.periods.saturating_sub(first.periods),
            throttled_periods: last.throttled_periods.saturating_sub(first.throttled_periods),
            throttled_ns: last.throttled_ns.saturating_sub(first.throttled_ns),
            memory_peak_bytes: most(|s| s.memory_bytes).max(risen),
            anonymous_peak_bytes: most(|s| s.anonymous_bytes),
            oom_kills: last.oom_kills.saturating_sub(first.oom_kills),
            run_queue_ns: grown(first.run_queue_ns, last.run_queue_ns),
            busiest_task_ns: grown(first.busiest_task_ns, last.busiest_task_ns),
            memory_limit_hits: last.memory_limit_hits.saturating_sub(first.memory_limit_hits),
            major_faults: last.major_faults.saturating_sub(first.major_faults),
        })
    }

    /// All that it tells.
    pub fn all(self) -> LoadUsage {
        LoadUsage {
            watched_ns: self.length_ns(),
            services: (0..self.services()).filter_map(|service| self.usage(service)).collect(),
            memory_peak_bytes: self.memory_peak_bytes(),
            anonymous_peak_bytes: self.anonymous_peak_bytes(),
            galo_cpu_ns: self.galo_cpu_ns(),
            host: self.host(),
        }
    }

    /// CPU that all services used. `None` where there is no service, or where the kernel did not tell of one.
    pub fn cpu_ns(self) -> Option<u64> {
        Some(self.of_each(|usage| usage.cpu_ns)?.iter().sum())
    }

    /// Most memory of all services at one moment, page cache included: the largest sum that a sample saw, but never
    /// less than one service had alone ([`ServiceUsage::memory_peak_bytes`], which may fall between two samples). Of a
    /// contender with one service it is that service's peak. `None` as for the CPU.
    pub fn memory_peak_bytes(self) -> Option<u64> {
        let alone = self.of_each(|usage| usage.memory_peak_bytes)?.into_iter().max();
        self.largest_sum(|s| s.memory_bytes).max(alone)
    }

    /// Most anonymous memory of all services at one moment, by the samples. `None` as for the CPU.
    pub fn anonymous_peak_bytes(self) -> Option<u64> {
        self.of_each(|usage| usage.anonymous_peak_bytes)?;
        self.largest_sum(|s| s.anonymous_bytes)
    }

    /// By how much the machine's counters grew, and the longest accept queue.
    pub fn host(self) -> HostSample {
        let [first, .., last] = self.samples else { return HostSample::default() };
        let (first, last) = (&first.host, &last.host);
        HostSample {
            steal_ns: last.steal_ns.saturating_sub(first.steal_ns),
            busy_ns: last.busy_ns.saturating_sub(first.busy_ns),
            niced_ns: last.niced_ns.saturating_sub(first.niced_ns),
            listen_overflows: last.listen_overflows.saturating_sub(first.listen_overflows),
            listen_drops: last.listen_drops.saturating_sub(first.listen_drops),
            retransmissions: last.retransmissions.saturating_sub(first.retransmissions),
            ..self.longest_accept_queue()
        }
    }

    /// The longest accept queue that a sample saw, and nothing else.
    fn longest_accept_queue(self) -> HostSample {
        let longest = self.samples.iter().map(|s| s.host).max_by_key(|host| host.accept_queue);
        let HostSample { accept_queue, accept_queue_port, .. } = longest.unwrap_or_default();
        HostSample { accept_queue, accept_queue_port, ..HostSample::default() }
    }

    /// CPU that galo's own process used, all threads: engine, sampling, watching over the services.
    pub fn galo_cpu_ns(self) -> Option<u64> {
        let [first, .., last] = self.samples else { return None };
        grown(first.galo_cpu_ns, last.galo_cpu_ns)
    }

    /// One figure of every service; `None` where there is no service, or where it was not told of one.
    fn of_each(self, figure: impl Fn(ServiceUsage) -> Option<u64>) -> Option<Vec<u64>> {
        let figures: Option<Vec<_>> = (0..self.services()).map(|s| self.usage(s).and_then(&figure)).collect();
        figures.filter(|figures| !figures.is_empty())
    }

    fn largest_sum(self, of: impl Fn(&ServiceSample) -> u64) -> Option<u64> {
        self.samples.iter().map(|s| s.services.iter().map(&of).sum()).max()
    }
}

/// By how much a counter grew that is never 0 where it is told.
fn grown(first: u64, last: u64) -> Option<u64> {
    (last > 0).then(|| last.saturating_sub(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All samples lie in the window: one each nanosecond of a load of so many.
    fn window(samples: &[Sample]) -> Window<'_> {
        Window::of(samples, 1, samples.len() as u64).expect("two samples")
    }

    /// Services with so much memory in use and so high a peak by the kernel's count.
    fn sample(at_ns: u64, memory_and_peak: &[(u64, u64)]) -> Sample {
        let services = memory_and_peak.iter().map(|&(memory_bytes, memory_peak_bytes)| ServiceSample {
            memory_bytes,
            memory_peak_bytes,
            anonymous_bytes: memory_bytes / 2,
            cpu_ns: 1000 * at_ns,
            ..ServiceSample::default()
        });
        Sample { at_ns, services: services.collect(), ..Sample::default() }
    }

    fn window_of(times: &[u64]) -> Vec<u64> {
        let at = |&at_ns: &u64| Sample { at_ns, ..Sample::default() };
        let samples: Vec<Sample> = times.iter().map(at).collect();
        samples[range(&samples, 100, 200)].iter().map(|s| s.at_ns).collect()
    }

    #[test]
    fn the_window_holds_the_samples_around_the_load() {
        assert_eq!(window_of(&[10, 90, 110, 190, 210, 300]), [90, 110, 190, 210]);
        assert_eq!(window_of(&[90, 100, 150, 200, 250]), [100, 150, 200]);
        assert_eq!(window_of(&[120, 180]), [120, 180]);
        assert_eq!(window_of(&[90, 210]), [90, 210]);
        assert_eq!(window_of(&[]), [0; 0]);
    }

    #[test]
    fn a_load_that_never_began_has_no_samples_and_one_sample_says_nothing() {
        let samples = [sample(1, &[(1, 1)]), sample(2, &[(1, 1)])];
        assert_eq!(range(&samples, 0, 0), 0..0);
        assert!(Window::of(&samples, 0, 0).is_none());
        assert!(Window::of(&samples[..1], 1, 2).is_none());
        assert!(Window::of(&samples, 5, 9).is_none(), "both were before the load");
    }

    #[test]
    fn a_peak_from_before_the_load_is_not_the_loads() {
        let samples = [sample(1, &[(10, 500)]), sample(2, &[(20, 500)]), sample(3, &[(15, 500)])];
        assert_eq!(window(&samples).usage(0).and_then(|u| u.memory_peak_bytes), Some(20));
    }

    #[test]
    fn the_peak_of_a_contender_with_one_service_is_that_services_peak() {
        let between_samples = [sample(1, &[(10, 10)]), sample(2, &[(20, 90)])];
        let window = window(&between_samples);
        let usage = window.usage(0).expect("seen");
        assert_eq!(usage.memory_peak_bytes, Some(90));
        assert_eq!(window.memory_peak_bytes(), usage.memory_peak_bytes);
        assert_eq!(window.anonymous_peak_bytes(), usage.anonymous_peak_bytes);
    }

    #[test]
    fn the_peak_of_several_services_is_their_sum_at_one_moment() {
        // The peaks of the kernel, 45 and 40, were at two moments.
        let samples = [sample(1, &[(40, 40), (10, 10)]), sample(2, &[(10, 45), (35, 40)])];
        assert_eq!(window(&samples).memory_peak_bytes(), Some(50));
    }

    #[test]
    fn the_peak_of_several_services_is_never_below_that_of_one() {
        let samples = [sample(1, &[(40, 40), (10, 10)]), sample(2, &[(10, 70), (35, 40)])];
        assert_eq!(window(&samples).memory_peak_bytes(), Some(70));
    }

    #[test]
    fn what_the_kernel_did_not_tell_of_one_service_is_told_of_none_together() {
        let mut samples = [sample(1, &[(10, 10), (10, 10)]), sample(2, &[(10, 10), (10, 10)])];
        assert_eq!(window(&samples).cpu_ns(), Some(2000));
        samples.iter_mut().for_each(|s| s.services[1] = ServiceSample::default());
        let window = window(&samples);
        assert_eq!(window.usage(1), Some(ServiceUsage::default()));
        assert_eq!(
            [
                window.cpu_ns(),
                window.memory_peak_bytes(),
                window.anonymous_peak_bytes(),
                window.galo_cpu_ns()
            ],
            [None; 4]
        );
    }

    #[test]
    fn a_service_that_was_not_seen_throughout_has_no_figures() {
        let samples = [sample(1, &[(10, 10), (10, 10)]), sample(2, &[(10, 10)])];
        assert_eq!(window(&samples).services(), 1);
        assert_eq!(window(&samples).usage(1), None);
    }

    #[test]
    fn counters_tell_by_how_much_they_grew_and_never_fall() {
        let mut samples = [sample(1, &[(1, 1)]), sample(2, &[(1, 1)]), sample(3, &[(1, 1)])];
        for (number, sample) in samples.iter_mut().enumerate() {
            let n = number as u64;
            sample.galo_cpu_ns = 50 + 7 * n;
            sample.host.steal_ns = 10 * n;
            sample.host.retransmissions = 9 - n;
            sample.services[0].throttled_periods = 5 + n;
        }
        let window = window(&samples);
        assert_eq!(window.galo_cpu_ns(), Some(14));
        assert_eq!((window.host().steal_ns, window.host().retransmissions), (20, 0));
        assert_eq!(window.usage(0).map(|u| (u.cpu_ns, u.throttled_periods)), Some((Some(2000), 2)));
    }

    #[test]
    fn all_that_a_window_tells_grew_or_peaked_between_its_first_sample_and_its_last() {
        let first =
            ServiceSample { busiest_task_ns: 50, run_queue_ns: 20, periods: 3, ..ServiceSample::default() };
        let last = ServiceSample {
            busiest_task_ns: 90,
            run_queue_ns: 25,
            periods: 5,
            throttled_periods: 1,
            memory_limit_hits: 4,
            major_faults: 2,
            oom_kills: 1,
            ..first
        };
        let sample = |at_ns: u64, service, busy_ns| {
            let host =
                HostSample { busy_ns, niced_ns: busy_ns / 4, steal_ns: at_ns / 10, ..HostSample::default() };
            Sample { at_ns, services: vec![service], host, galo_cpu_ns: 7 * at_ns, ..Sample::default() }
        };
        let samples = [sample(100, first, 400), sample(200, last, 560)];
        let seen = Window::of(&samples, 120, 180).unwrap().all();
        let service = ServiceUsage {
            busiest_task_ns: Some(40),
            run_queue_ns: Some(5),
            periods: 2,
            throttled_periods: 1,
            memory_limit_hits: 4,
            major_faults: 2,
            oom_kills: 1,
            ..ServiceUsage::default()
        };
        assert_eq!(seen.services, [service]);
        let host = (seen.host.taken_ns(), seen.host.steal_ns);
        assert_eq!((seen.watched_ns, seen.galo_cpu_ns, host), (100, Some(700), (120, 10)));
    }
}
