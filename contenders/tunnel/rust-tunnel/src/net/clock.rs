//! What time it is.

use std::cell::Cell;

thread_local! {
    static NOW_NS: Cell<u64> = const { Cell::new(0) };
}

/// Nanoseconds on the machine's monotonic clock, as of the last time that this thread woke.
pub(crate) fn now_ns() -> u64 {
    NOW_NS.get()
}

/// Looks at the clock.
pub(super) fn wake_up() {
    NOW_NS.set(clock_ns());
}

/// The same clock, read now.
pub(super) fn clock_ns() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}
