//! Buffers that the kernel fills in turn (a provided buffer ring).

use std::sync::atomic::{AtomicU16, Ordering};

use io_uring::{IoUring, types::BufRingEntry};

/// Number of the one group of buffers.
pub(super) const GROUP: u16 = 0;
/// Powers of two. Few, so that those in use stay in the cache: the kernel takes them in turn. But where many connections
/// answer at once and it finds none, it stops receiving on all the others, each of which must then be asked for anew.
const FEWEST: usize = 256;
const MOST: usize = 4096;
const LENGTH: usize = 4 * 1024;

/// One entry, and aligned as the kernel wants the whole ring to be.
#[repr(C, align(4096))]
struct Page([u8; 4096]);

/// The ring that the kernel shares, and the memory that its entries point to.
pub(super) struct Buffers {
    ring: Box<[Page]>,
    bytes: Box<[u8]>,
    count: u16,
    tail: u16,
}

impl Buffers {
    /// Gives all buffers to the kernel, for about so many connections.
    #[allow(unsafe_code)]
    pub(super) fn register(uring: &IoUring, connections: usize) -> std::io::Result<Self> {
        let count = connections.clamp(FEWEST, MOST).next_power_of_two() as u16;
        let pages = (usize::from(count) * size_of::<BufRingEntry>()).div_ceil(size_of::<Page>());
        let ring: Box<[Page]> = (0..pages).map(|_| Page([0; 4096])).collect();
        let bytes = vec![0; usize::from(count) * LENGTH].into_boxed_slice();
        let mut buffers = Self { ring, bytes, count, tail: 0 };
        let address = buffers.ring.as_ptr() as u64;
        // SAFETY: both allocations live as long as `Self`, which its owner drops only after the ring is gone or
        // nothing is under way any more, and nobody else writes to them.
        unsafe { uring.submitter().register_buf_ring_with_flags(address, count, GROUP, 0)? };
        for buffer in 0..count {
            buffers.give_back(buffer);
        }
        Ok(buffers)
    }

    /// Lets the kernel fill a buffer again.
    #[allow(unsafe_code)]
    pub(super) fn give_back(&mut self, buffer: u16) {
        let start = self.bytes.as_mut_ptr().wrapping_add(usize::from(buffer) * LENGTH);
        let base = self.ring.as_mut_ptr().cast::<BufRingEntry>();
        let index = usize::from(self.tail & (self.count - 1));
        self.tail = self.tail.wrapping_add(1);
        // SAFETY: the index is below `count`, for which there is room; the kernel reads the entry only once the tail
        // has passed it. The tail lies in the first entry where nothing else is written.
        unsafe {
            let entry = &mut *base.add(index);
            entry.set_addr(start as u64);
            entry.set_len(LENGTH as u32);
            entry.set_bid(buffer);
            let tail = BufRingEntry::tail(base).cast::<AtomicU16>();
            (*tail).store(self.tail, Ordering::Release);
        }
    }

    /// The same, to be changed in place.
    pub(super) fn bytes_mut(&mut self, buffer: u16, length: usize) -> &mut [u8] {
        let start = usize::from(buffer) * LENGTH;
        &mut self.bytes[start..start + length.min(LENGTH)]
    }

    /// Gives up the memory that the kernel may still write to.
    pub(super) fn leak(&mut self) {
        std::mem::forget(std::mem::take(&mut self.ring));
        std::mem::forget(std::mem::take(&mut self.bytes));
    }

    /// The first bytes of a buffer.
    pub(super) fn bytes(&self, buffer: u16, length: usize) -> &[u8] {
        let start = usize::from(buffer) * LENGTH;
        &self.bytes[start..start + length.min(LENGTH)]
    }
}
