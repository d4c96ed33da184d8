//! What a load engine asks of the kernel for itself: room for sockets, priority, exact timers, its own CPU time.

use std::num::NonZeroU64;

use galo_record::load::Priority;
use rustix::process::{Resource, Rlimit, getpriority_process, getrlimit, setpriority_process, setrlimit};
use rustix::thread::{CpuSet, gettid, sched_getaffinity, sched_setaffinity, set_current_timer_slack};
use rustix::time::{ClockId, clock_gettime};

/// Asked for engine threads that are not, or must not be, real-time.
const NICE: i32 = -10;
/// The lowest real-time priority: before all ordinary threads, after the kernel's own.
const REAL_TIME_PRIORITY: i32 = 1;

/// See [`crate::raise_open_files`].
pub(crate) fn raise_open_files() {
    let limit = getrlimit(Resource::Nofile);
    // A refusal leaves the limit as it was, and that shows as own errors if it matters.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
}

/// Makes the calling thread, one of so many, as punctual as the kernel allows, and returns the priority that it then
/// runs with.
pub(crate) fn prepare_thread(real_time: bool, thread: usize, threads: usize) -> Priority {
    // Timers may otherwise fire 50 us late, to save energy.
    let _ = set_current_timer_slack(NonZeroU64::new(1));
    if real_time && make_real_time().is_ok() {
        stay_on_a_core(thread, threads);
        return Priority::RealTime;
    }
    // On Linux a nice value belongs to a thread, not to its process.
    let thread = Some(gettid());
    // Refused to ordinary users, who then run with what they have.
    let _ = setpriority_process(thread, NICE);
    Priority::Nice(getpriority_process(thread).unwrap_or(0))
}

/// Needs `CAP_SYS_NICE` or `RLIMIT_RTPRIO`, and a control group with real-time bandwidth. A nice value would not do:
/// with autogroups or control groups it counts only within galo's own.
#[allow(unsafe_code)]
fn make_real_time() -> std::io::Result<()> {
    let parameters = libc::sched_param { sched_priority: REAL_TIME_PRIORITY };
    // Nothing that the thread might start inherits it.
    let policy = libc::SCHED_RR | libc::SCHED_RESET_ON_FORK;
    // SAFETY: the pointer is to a live local that the call only reads; 0 names the calling thread.
    match unsafe { libc::sched_setscheduler(0, policy, &raw const parameters) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()),
    }
}

/// Keeps the calling thread on a core of its own, the last ones for all. The kernel leaves a real-time thread where it
/// happens to be, and a contender pays for that: waking a thread on another core costs it several times what one on its
/// own core does, so rounds would differ by where the engine stands.
fn stay_on_a_core(thread: usize, threads: usize) {
    let Ok(allowed) = sched_getaffinity(None) else { return };
    let cores: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|&core| allowed.is_set(core)).collect();
    let Some(core) = own_core(&cores, thread, threads) else { return };
    let mut own = CpuSet::new();
    own.set(core);
    // Where it is refused the thread runs anywhere.
    let _ = sched_setaffinity(None, &own);
}

/// The core of one of so many threads; none where no other core would be left.
fn own_core(cores: &[usize], thread: usize, threads: usize) -> Option<usize> {
    let first = cores.len().checked_sub(threads).filter(|&first| first > 0)?;
    cores.get(first + thread).copied()
}

/// Whether the kernel reuses a port in TIME_WAIT for a new connection on loopback, by the content of
/// `/proc/sys/net/ipv4/tcp_tw_reuse`. Unreadable counts as yes, which is the kernel's default.
pub(crate) fn reuses_ports(tcp_tw_reuse: &str) -> bool {
    tcp_tw_reuse.trim() != "0"
}

/// TCP segments that were sent again by anybody in this network namespace; 0 where the kernel does not tell.
pub(crate) fn retransmitted_segments() -> u64 {
    retransmitted(&std::fs::read_to_string("/proc/net/snmp").unwrap_or_default()).unwrap_or(0)
}

/// The table holds a line of names and a line of values for each protocol.
fn retransmitted(snmp: &str) -> Option<u64> {
    let mut lines = snmp.lines().filter_map(|line| line.strip_prefix("Tcp:"));
    let (names, values) = (lines.next()?, lines.next()?);
    let place = names.split_whitespace().position(|name| name == "RetransSegs")?;
    values.split_whitespace().nth(place)?.parse().ok()
}

/// How long the calling thread was ready to run but had no core, since it began; 0 where the kernel does not tell.
pub(crate) fn thread_run_queue_ns() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split_whitespace().nth(1).and_then(|word| word.parse().ok()).unwrap_or(0)
}

/// CPU used by the calling thread, user and system.
pub(crate) fn thread_cpu_ns() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retransmissions_are_found_by_their_name() {
        let snmp = "Ip: Forwarding\nIp: 1\nTcp: RtoMin InErrs RetransSegs OutRsts\nTcp: 200 3 17 9\n";
        assert_eq!(retransmitted(snmp), Some(17));
        assert_eq!(retransmitted("Tcp: RetransSegs\n"), None);
    }

    #[test]
    fn threads_take_the_last_cores_and_leave_one_at_least() {
        assert_eq!(own_core(&[0, 1], 0, 1), Some(1));
        assert_eq!((own_core(&[0, 2, 4, 6], 0, 2), own_core(&[0, 2, 4, 6], 1, 2)), (Some(4), Some(6)));
        assert_eq!(
            (own_core(&[3], 0, 1), own_core(&[0, 1], 1, 2), own_core(&[0, 1], 0, 3)),
            (None, None, None)
        );
    }

    #[test]
    fn ports_are_reused_unless_the_kernel_is_told_not_to() {
        assert!(reuses_ports("2\n") && reuses_ports("1\n") && reuses_ports(""));
        assert!(!reuses_ports("0\n"));
    }
}
