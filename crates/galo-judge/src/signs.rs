//! By what it is told that something was short: one set of thresholds for rounds, holds and duels.
//!
//! What differs does so on purpose. A round is looked at moment by moment, so a sign may come and go, and what it explains is
//! weighed ([`crate::causes`]). A side of a duel, or a service in a hold, is looked at over all of its load at once
//! ([`crate::bottleneck`]): there a limit is used up ([`USED_UP`]), or it is not. A service is *near* a limit of CPU from
//! [`CPU_SHARE`] on, which says that a round was no light load, not that the limit held it back.

/// Share of its CPU limit that a service must use over a whole second to be near it. Below it, queueing at the limit is rare.
pub const CPU_SHARE: f64 = 0.80;
/// Share of a limit, of a core, or of the machine's cores from which on they are used up. Not all of it: at both ends of a load,
/// when connections are opened and the last answers come, less is used, and the shortest load has half a second.
pub const USED_UP: f64 = 0.9;
/// Share of a core that must be in use over half a second for it to be full.
pub const CORE_FULL: f64 = 0.95;
/// Share of its quota periods in which a service must be throttled to be near its limit.
pub const THROTTLED_SHARE: f64 = 0.10;
/// Throttled in so many of its quota periods a service stood still for want of quota more often than not, whatever it used in
/// all.
pub const THROTTLED_MOSTLY: f64 = 0.5;
/// Throttled in more of its quota periods than this, a service may have waited for its quota where the kernel says that it
/// waited for a core: it counts both as one.
pub const THROTTLED_HARDLY: f64 = 0.02;
/// Threads that had no core, on average, and their share of all that wanted one: below a tenth of either, a program's threads
/// also wait for one another and for the kernel's.
pub const WAITING: f64 = 0.1;
/// Share of its memory limit that a service's anonymous memory must fill. Page cache does not count: the kernel
/// fills any limit with it.
pub const ANONYMOUS_SHARE: f64 = 0.90;
/// Share of the limit that is in use, page cache included, where memory is at it: the kernel takes pages by the dozen.
pub const MEMORY_FULL_SHARE: f64 = 0.97;
/// Page faults per second that had to read from a disk, with which a service at its limit is no longer merely full of page
/// cache: who also reads so much again has lost what it needed.
pub const FAULTS_PER_S: f64 = 20.0;
/// The same in a moment of a round, which is a tenth of a second.
pub(crate) const FAULTS_PER_MOMENT: u64 = 2;
/// CPUs of strangers below which they are no trouble.
pub const STRANGERS_CPUS: f64 = 0.25;

/// Whether anonymous memory fills a limit; not where there is none.
pub(crate) fn is_full_of_anonymous(most_bytes: u64, limit_bytes: u64) -> bool {
    limit_bytes > 0 && most_bytes as f64 >= ANONYMOUS_SHARE * limit_bytes as f64
}

/// Whether memory, page cache included, is at a limit.
pub(crate) fn is_at_memory_limit(most_bytes: u64, limit_bytes: u64) -> bool {
    limit_bytes > 0 && most_bytes as f64 >= MEMORY_FULL_SHARE * limit_bytes as f64
}

/// Share of quota periods that were throttled; 0 where there were none.
pub(crate) fn throttled_share(throttled_periods: u64, periods: u64) -> f64 {
    if periods == 0 { 0.0 } else { throttled_periods as f64 / periods as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_and_turns_have_one_bound_of_page_faults() {
        assert_eq!(FAULTS_PER_MOMENT as f64 * 10.0, FAULTS_PER_S);
    }

    #[test]
    fn without_a_limit_nothing_is_full_and_without_periods_nothing_is_throttled() {
        assert!(!is_full_of_anonymous(u64::MAX, 0) && !is_at_memory_limit(u64::MAX, 0));
        assert!(is_full_of_anonymous(90, 100) && !is_full_of_anonymous(89, 100));
        assert!(is_at_memory_limit(97, 100) && !is_at_memory_limit(96, 100));
        assert_eq!([throttled_share(1, 4), throttled_share(0, 0)], [0.25, 0.0]);
    }
}
