//! An allocator that counts what the engine's threads take and give back; they are known by their name.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
static LIVE_BYTES: AtomicI64 = AtomicI64::new(0);

thread_local! {
    /// Whether this thread was found to be the engine's.
    static IS_ENGINE: Cell<bool> = const { Cell::new(false) };
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

struct Counting;

/// Pieces of memory taken, or taken anew for more room, so far.
pub(crate) fn allocations() -> u64 {
    ALLOCATIONS.load(Relaxed)
}

/// Taken and not given back.
pub(crate) fn live_bytes() -> i64 {
    LIVE_BYTES.load(Relaxed)
}

/// A thread is named only after its first allocations, so only a yes is final.
#[allow(unsafe_code)]
fn is_engine() -> bool {
    IS_ENGINE.with(|known| {
        if !known.get() {
            let mut name = [0u8; 16];
            // SAFETY: the kernel writes at most 16 bytes, the last of them zero.
            unsafe { libc::prctl(libc::PR_GET_NAME, name.as_mut_ptr()) };
            known.set(name.starts_with(b"galo-load-"));
        }
        known.get()
    })
}

fn count(taken: usize, given_back: usize) {
    if is_engine() {
        ALLOCATIONS.fetch_add(u64::from(taken > 0), Relaxed);
        LIVE_BYTES.fetch_add(taken as i64 - given_back as i64, Relaxed);
    }
}

// SAFETY: all is done by the system's allocator; the counts take no memory.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 0);
        // SAFETY: as promised by the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 0);
        // SAFETY: as promised by the caller.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size, layout.size());
        // SAFETY: as promised by the caller.
        unsafe { System.realloc(memory, layout, size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        count(0, layout.size());
        // SAFETY: as promised by the caller.
        unsafe { System.dealloc(memory, layout) }
    }
}
