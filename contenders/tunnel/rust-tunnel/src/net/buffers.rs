//! Buffers that the kernel fills, and what came in them.

use std::cell::RefCell;
use std::fmt;
use std::ops::Deref;

/// One buffer: as much as one read of a socket brings.
pub(super) const BUFFER_BYTES: usize = 16 * 1024;
/// Of each thread. All that came in one turn of its loop, and no more, is in them at a time.
pub(super) const BUFFERS: u16 = 128;

thread_local! {
    /// Buffers of this thread that nobody uses any more.
    static FREE: RefCell<Vec<u16>> = RefCell::new(Vec::with_capacity(BUFFERS as usize));
}

/// The memory of all buffers of a thread. It is never given back to the system: the kernel may write to it until the end.
#[derive(Clone, Copy)]
pub(super) struct Memory(*mut u8);

impl Memory {
    pub(super) fn new() -> Self {
        let memory: &'static mut [u8] =
            Box::leak(vec![0; BUFFER_BYTES * usize::from(BUFFERS)].into_boxed_slice());
        Self(memory.as_mut_ptr())
    }

    /// Where a buffer begins.
    pub(super) fn start(self, buffer: u16) -> *mut u8 {
        debug_assert!(buffer < BUFFERS, "no such buffer");
        self.0.wrapping_add(usize::from(buffer) * BUFFER_BYTES)
    }

    /// The first bytes of a buffer that is not the kernel's now.
    pub(super) fn chunk(self, buffer: u16, length: usize) -> Chunk {
        Chunk(Bytes::Buffer { buffer, start: self.start(buffer), length: length.min(BUFFER_BYTES) })
    }
}

/// Takes what has become free since the last call.
pub(super) fn take_free(mut each: impl FnMut(u16)) {
    FREE.with_borrow_mut(|free| free.drain(..).for_each(&mut each));
}

/// Bytes on their way. Empty: whoever sent them sends no more.
#[derive(Debug)]
pub(crate) struct Chunk(Bytes);

enum Bytes {
    /// In a buffer of this thread, which goes back to the kernel with this.
    Buffer { buffer: u16, start: *const u8, length: usize },
    /// In memory of their own.
    Heap { bytes: Vec<u8>, from: usize },
}

impl Default for Chunk {
    /// The end.
    fn default() -> Self {
        Vec::new().into()
    }
}

impl Chunk {
    /// Leaves out the first bytes. Once none is left its buffer is free.
    pub(crate) fn advance(&mut self, by: usize) {
        match &mut self.0 {
            Bytes::Buffer { start, length, .. } => {
                let by = by.min(*length);
                *start = start.wrapping_add(by);
                *length -= by;
            }
            Bytes::Heap { bytes, from } => *from = (*from + by).min(bytes.len()),
        }
        if self.is_empty() {
            *self = Self::default();
        }
    }

    /// Leaves out all but the first bytes.
    pub(crate) fn truncate(&mut self, to: usize) {
        match &mut self.0 {
            Bytes::Buffer { length, .. } => *length = to.min(*length),
            Bytes::Heap { bytes, from } => bytes.truncate(from.saturating_add(to)),
        }
    }

    /// In memory of its own, if it is not: whoever waits with a buffer in hand keeps it from all others, and there are few.
    pub(crate) fn kept(self) -> Self {
        match &self.0 {
            Bytes::Heap { .. } => self,
            Bytes::Buffer { .. } => self.to_vec().into(),
        }
    }
}

impl From<Vec<u8>> for Chunk {
    fn from(bytes: Vec<u8>) -> Self {
        Self(Bytes::Heap { bytes, from: 0 })
    }
}

impl Deref for Chunk {
    type Target = [u8];

    #[allow(unsafe_code)]
    fn deref(&self) -> &[u8] {
        match &self.0 {
            // SAFETY: the memory is never given back, `start` and `length` are within one buffer, and that is not the kernel's (nor in any
            // other chunk) until this is dropped. A chunk does not leave its thread, since it holds a pointer.
            Bytes::Buffer { start, length, .. } => unsafe { std::slice::from_raw_parts(*start, *length) },
            Bytes::Heap { bytes, from } => &bytes[*from..],
        }
    }
}

impl Drop for Bytes {
    fn drop(&mut self) {
        if let Self::Buffer { buffer, .. } = self {
            // At the end of its thread nobody needs it.
            let _ = FREE.try_with(|free| free.borrow_mut().push(*buffer));
        }
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Buffer { buffer, length, .. } => write!(f, "{length} bytes in buffer {buffer}"),
            Self::Heap { bytes, from } => write!(f, "{} bytes", bytes.len() - from),
        }
    }
}
