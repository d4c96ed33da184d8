//! What could not be sent at once.

/// Bytes that wait until the peer takes them, in order.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    /// With the kernel; not touched until it says how much it took.
    sending: Vec<u8>,
    sent: usize,
    /// What follows.
    next: Vec<u8>,
}

impl Outbox {
    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn len(&self) -> usize {
        self.sending.len() - self.sent + self.next.len()
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.next.extend_from_slice(bytes);
    }

    /// What the kernel is to send now.
    pub(super) fn take_up(&mut self) -> &[u8] {
        if self.sent == self.sending.len() {
            self.sending.clear();
            self.sent = 0;
            std::mem::swap(&mut self.sending, &mut self.next);
        }
        &self.sending[self.sent..]
    }

    /// So many were taken. Memory that a stuck peer made grow goes back when nothing waits any more.
    pub(super) fn advance(&mut self, by: usize) {
        self.sent += by;
        if self.is_empty() {
            *self = Self::default();
        }
    }
}
