//! What was seen of services and host every 100 ms. Counters are cumulative since the group's or machine's start.

use galo_plan::JsonSchema;
use serde::{Deserialize, Serialize};

/// One look at everything.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Sample {
    /// When.
    pub at_ns: u64,
    /// In the order of the placement.
    pub services: Vec<ServiceSample>,
    /// The machine.
    pub host: HostSample,
    /// CPU used by galo's own process, all threads, user and system.
    pub galo_cpu_ns: u64,
    /// CPU time of each core that was neither idle, nor waiting for a disk, nor taken away; empty: not told.
    pub cores_busy_ns: Vec<u64>,
}

/// One look at a service. A value that the kernel does not tell is 0 ([`Self::is_seen`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ServiceSample {
    /// CPU used, user and system.
    pub cpu_ns: u64,
    /// CPU quota periods that have passed while the group wanted to run.
    pub periods: u64,
    /// ... of these throttled.
    pub throttled_periods: u64,
    /// Time throttled.
    pub throttled_ns: u64,
    /// Memory in use, page cache included.
    pub memory_bytes: u64,
    /// Anonymous memory alone.
    pub anonymous_bytes: u64,
    /// Most memory in use so far, page cache included, by the kernel's own count; where it keeps none (v2 before
    /// Linux 5.19), the most that a sample saw.
    pub memory_peak_bytes: u64,
    /// Times that the kernel killed a process of the group for want of memory.
    pub oom_kills: u64,
    /// Processes and threads.
    pub tasks: u32,
    /// How long the tasks that are there were ready to run and had no core, added up; while the service is throttled that
    /// counts as well.
    pub run_queue_ns: u64,
    /// CPU that one of the tasks that are there has used since it began, the most of any.
    pub busiest_task_ns: u64,
    /// Times that the group's memory was at its limit, and something had to be reclaimed or killed first.
    pub memory_limit_hits: u64,
    /// Page faults that had to read from a disk.
    pub major_faults: u64,
}

impl ServiceSample {
    /// Whether the kernel tells of it: whatever runs has used some CPU.
    pub const fn is_seen(&self) -> bool {
        self.cpu_ns > 0
    }
}

/// One look at the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct HostSample {
    /// CPU time that a hypervisor took away, all cores.
    pub steal_ns: u64,
    /// CPU time neither idle, nor waiting for a disk, nor taken away, all cores.
    pub busy_ns: u64,
    /// ... of this for processes that give way to others (a nice value above 0).
    pub niced_ns: u64,
    /// Connections dropped because an accept queue was full (`ListenOverflows`).
    pub listen_overflows: u64,
    /// Connections dropped at listening sockets for any reason (`ListenDrops`).
    pub listen_drops: u64,
    /// TCP segments sent again (`RetransSegs`).
    pub retransmissions: u64,
    /// Connections that wait in the longest accept queue at this moment: no counter. Looked at only when
    /// [`Self::listen_overflows`] has grown.
    pub accept_queue: u32,
    /// Port of that queue; 0: nobody waits.
    pub accept_queue_port: u16,
}

impl HostSample {
    /// Adds by how much counters grew at another time, and keeps the longer accept queue.
    pub(crate) fn add(&mut self, part: &Self) {
        self.steal_ns += part.steal_ns;
        self.busy_ns += part.busy_ns;
        self.niced_ns += part.niced_ns;
        self.listen_overflows += part.listen_overflows;
        self.listen_drops += part.listen_drops;
        self.retransmissions += part.retransmissions;
        if part.accept_queue > self.accept_queue {
            (self.accept_queue, self.accept_queue_port) = (part.accept_queue, part.accept_queue_port);
        }
    }

    /// CPU time that takes a core from somebody: what gives way to everybody else (a nice value above 0) harms nobody.
    pub const fn taken_ns(&self) -> u64 {
        self.busy_ns.saturating_sub(self.niced_ns)
    }
}
