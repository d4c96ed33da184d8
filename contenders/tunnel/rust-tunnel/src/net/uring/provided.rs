//! The ring of buffers that the kernel takes from when bytes come.

use std::sync::atomic::{AtomicU16, Ordering};

use io_uring::IoUring;
use io_uring::types::BufRingEntry;

use crate::net::buffers::{BUFFER_BYTES, BUFFERS, Chunk, Memory};

/// Number of the one group of buffers.
pub(super) const GROUP: u16 = 0;

/// The ring itself; a page, aligned as the kernel wants.
#[repr(C, align(4096))]
struct Page([u8; size_of::<BufRingEntry>() * BUFFERS as usize]);

/// Buffers that the kernel was given, and where they lie.
pub(super) struct Provided {
    memory: Memory,
    page: &'static mut Page,
    tail: u16,
}

impl Provided {
    /// Gives the kernel all buffers of this thread.
    ///
    /// # Errors
    /// Where the kernel knows no such ring.
    #[allow(unsafe_code)]
    pub(super) fn new(ring: &IoUring) -> std::io::Result<Self> {
        let page = Box::leak(Box::new(Page([0; size_of::<BufRingEntry>() * BUFFERS as usize])));
        let address = std::ptr::from_mut(page) as u64;
        // SAFETY: the memory is never given back.
        unsafe { ring.submitter().register_buf_ring_with_flags(address, BUFFERS, GROUP, 0)? };
        let mut provided = Self { memory: Memory::new(), page, tail: 0 };
        (0..BUFFERS).for_each(|buffer| provided.give_back(buffer));
        Ok(provided)
    }

    /// The first bytes of a buffer that the kernel has filled.
    pub(super) fn chunk(&self, buffer: u16, length: usize) -> Chunk {
        self.memory.chunk(buffer, length)
    }

    /// Lets the kernel fill a buffer again.
    #[allow(unsafe_code)]
    pub(super) fn give_back(&mut self, buffer: u16) {
        let base = std::ptr::from_mut(self.page).cast::<BufRingEntry>();
        let index = usize::from(self.tail & (BUFFERS - 1));
        self.tail = self.tail.wrapping_add(1);
        // SAFETY: the index is below the number of buffers, for which there is room; the kernel reads the entry only once the tail
        // has passed it. The tail lies in the first entry where nothing else is written.
        unsafe {
            let entry = &mut *base.add(index);
            entry.set_addr(self.memory.start(buffer) as u64);
            entry.set_len(BUFFER_BYTES as u32);
            entry.set_bid(buffer);
            let tail = BufRingEntry::tail(base).cast::<AtomicU16>();
            (*tail).store(self.tail, Ordering::Release);
        }
    }
}
