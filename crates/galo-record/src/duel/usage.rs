//! What a side, galo and the machine did while a load was driven: by this the judge says what held the side back.

use serde::{Deserialize, Serialize};

use crate::load::EngineRecord;
use crate::window::LoadUsage;

/// By how much the kernel's counters grew over one load. `None`, and 0 of what may well be 0: not told, or nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TurnUsage {
    /// From the sample before the load to the one after it: longer than the load, by some 50 ms in which galo gets ready.
    pub watched_ns: u64,
    /// CPU of the side's busiest thread, at least.
    pub busiest_thread_ns: Option<u64>,
    /// How long its threads were ready to run and had no core, added up; while it is throttled that counts as well.
    pub run_queue_ns: Option<u64>,
    /// CPU quota periods in which it wanted to run.
    pub periods: u64,
    /// ... of these throttled.
    pub throttled_periods: u64,
    /// Times that its memory was at its limit, and something had to be reclaimed or killed first.
    pub memory_limit_hits: u64,
    /// Page faults that had to read from a disk.
    pub major_faults: u64,
    /// Processes of it that the kernel killed for want of memory.
    pub oom_kills: u64,
    /// CPU that all of galo used.
    pub galo_cpu_ns: Option<u64>,
    /// CPU of the busiest thread of galo's engine.
    pub engine_thread_ns: u64,
    /// CPU in use on the whole machine, but for what gives way to others (a nice value above 0).
    pub machine_busy_ns: u64,
    /// CPU that a hypervisor took away.
    pub stolen_ns: u64,
}

impl TurnUsage {
    /// Of a command, which is one service. `None` where nothing was watched.
    pub fn of(seen: &LoadUsage, engine: &EngineRecord) -> Option<Self> {
        let (usage, host) = (seen.services.first()?, &seen.host);
        Some(Self {
            watched_ns: seen.watched_ns,
            busiest_thread_ns: usage.busiest_task_ns,
            run_queue_ns: usage.run_queue_ns,
            periods: usage.periods,
            throttled_periods: usage.throttled_periods,
            memory_limit_hits: usage.memory_limit_hits,
            major_faults: usage.major_faults,
            oom_kills: usage.oom_kills,
            galo_cpu_ns: seen.galo_cpu_ns,
            engine_thread_ns: engine.thread_cpu_ns.iter().copied().max().unwrap_or(0),
            machine_busy_ns: host.taken_ns(),
            stolen_ns: host.steal_ns,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{HostSample, Sample, ServiceSample};
    use crate::window::Window;

    fn sample(at_ns: u64, service: ServiceSample, busy_ns: u64) -> Sample {
        let host =
            HostSample { busy_ns, niced_ns: busy_ns / 4, steal_ns: at_ns / 10, ..HostSample::default() };
        Sample { at_ns, services: vec![service], host, galo_cpu_ns: 7 * at_ns, ..Sample::default() }
    }

    #[test]
    fn a_load_keeps_by_how_much_each_counter_grew_over_it() {
        let first = ServiceSample {
            busiest_task_ns: 50,
            run_queue_ns: 20,
            periods: 3,
            major_faults: 9,
            ..ServiceSample::default()
        };
        let last = ServiceSample {
            busiest_task_ns: 90,
            run_queue_ns: 25,
            periods: 5,
            throttled_periods: 1,
            memory_limit_hits: 4,
            major_faults: 11,
            oom_kills: 1,
            ..first
        };
        let samples = [sample(100, first, 400), sample(200, last, 560)];
        let window = Window::of(&samples, 120, 180).unwrap();
        let engine = EngineRecord { thread_cpu_ns: vec![3, 8], ..EngineRecord::default() };
        let expected = TurnUsage {
            watched_ns: 100,
            busiest_thread_ns: Some(40),
            run_queue_ns: Some(5),
            periods: 2,
            throttled_periods: 1,
            memory_limit_hits: 4,
            major_faults: 2,
            oom_kills: 1,
            galo_cpu_ns: Some(700),
            engine_thread_ns: 8,
            machine_busy_ns: 120,
            stolen_ns: 10,
        };
        assert_eq!(TurnUsage::of(&window.all(), &engine), Some(expected));
    }

    #[test]
    fn what_the_kernel_does_not_tell_stays_unknown_and_without_a_service_nothing_was_watched() {
        let samples = [100, 200].map(|at_ns| sample(at_ns, ServiceSample::default(), 0));
        let of = |samples: &[Sample]| {
            TurnUsage::of(&Window::of(samples, 120, 180).unwrap().all(), &EngineRecord::default())
        };
        let told = of(&samples).unwrap();
        assert_eq!((told.busiest_thread_ns, told.run_queue_ns), (None, None));
        assert_eq!(of(&samples.map(|sample| Sample { services: Vec::new(), ..sample })), None);
    }
}
