//! What a load engine asks of the kernel for itself: room for sockets, priority, exact timers, its own CPU time.

use std::num::NonZeroU64;

use rustix::process::{Resource, Rlimit, getpriority_process, getrlimit, setpriority_process, setrlimit};
use rustix::thread::{gettid, set_current_timer_slack};
use rustix::time::{ClockId, clock_gettime};

/// Asked for every engine thread. On a machine whose cores are all taken by the contender's budget, galo would
/// otherwise be late by the contender's doing, and overload would read as a void round.
const NICE: i32 = -10;

/// Raises the number of files that this process may open to what it is allowed to. Sockets that do not fit all the
/// same are galo's own errors.
pub(crate) fn raise_open_files() {
    let limit = getrlimit(Resource::Nofile);
    // A refusal leaves the limit as it was, and that shows as own errors if it matters.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
}

/// Makes the calling thread as punctual as the kernel allows, and returns the nice value that it then runs with.
pub(crate) fn prepare_thread() -> i32 {
    // Timers may otherwise fire 50 us late, to save energy.
    let _ = set_current_timer_slack(NonZeroU64::new(1));
    // On Linux a nice value belongs to a thread, not to its process.
    let thread = Some(gettid());
    // Refused to ordinary users, who then run with what they have.
    let _ = setpriority_process(thread, NICE);
    getpriority_process(thread).unwrap_or(0)
}

/// Whether the kernel reuses a port in TIME_WAIT for a new connection on loopback, by the content of
/// `/proc/sys/net/ipv4/tcp_tw_reuse`. Unreadable counts as yes, which is the kernel's default.
pub(crate) fn reuses_ports(tcp_tw_reuse: &str) -> bool {
    tcp_tw_reuse.trim() != "0"
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
    fn ports_are_reused_unless_the_kernel_is_told_not_to() {
        assert!(reuses_ports("2\n") && reuses_ports("1\n") && reuses_ports(""));
        assert!(!reuses_ports("0\n"));
    }
}
