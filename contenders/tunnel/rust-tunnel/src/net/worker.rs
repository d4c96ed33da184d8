//! What a thread's tasks share: the way to the kernel, and sockets.

use std::cell::RefCell;

use super::clock::clock_ns;
use super::happened::Happened;
use super::kernel::Kernel;
use super::sockets::{Index, Sockets};
use super::task::TaskId;

/// How long the kernel may take to end what it has under way.
const FINISH_NS: u64 = 1_000_000_000;

/// What the handles of this thread's sockets work with.
pub(super) struct Worker {
    pub(super) kernel: Kernel,
    pub(super) sockets: Sockets,
}

thread_local! {
    static WORKER: RefCell<Option<Worker>> = const { RefCell::new(None) };
}

/// Gives a thread its worker, or takes it away.
pub(super) fn set(worker: Option<Worker>) -> Option<Worker> {
    WORKER.replace(worker)
}

/// Within a task of a thread that runs; nothing where the thread is ending.
pub(super) fn with<T>(call: impl FnOnce(&mut Worker) -> T) -> Option<T> {
    WORKER.try_with(|worker| worker.borrow_mut().as_mut().map(call)).ok().flatten()
}

impl Worker {
    /// Lets the kernel end what it has under way, which it does at once; if it does not, the memory that it works with is nobody's any more.
    pub(super) fn finish(mut self) {
        let until_ns = clock_ns() + FINISH_NS;
        while !self.sockets.is_empty() && clock_ns() < until_ns {
            if self.kernel.wait(Some(clock_ns() + FINISH_NS / 100), &mut self.sockets).is_err() {
                break;
            }
            while self.kernel.next(&mut self.sockets).is_some() {}
        }
        if !self.sockets.is_empty() {
            std::mem::forget(self.sockets);
        }
    }

    /// Notes the next thing that happened. On which socket, and whom to ask then.
    pub(super) fn next(&mut self) -> Option<(Index, TaskId)> {
        let (index, happened) = self.kernel.next(&mut self.sockets)?;
        let socket = self.sockets.get(index);
        match happened {
            Happened::Accepted(fd) => socket.accepted.push_back(fd),
            Happened::Received(chunk) => socket.inbox.push_back(chunk),
            Happened::Ended => socket.ended = true,
            Happened::Failed(errno) => socket.error = Some(errno),
            Happened::Ready(what) => socket.is_ready[what as usize] = true,
            Happened::Sent | Happened::Paused => {}
            Happened::NotSent(errno) => socket.send_error = Some(errno),
        }
        Some((index, socket.task))
    }

    /// What nobody asked for yet is kept, and gives its buffer back; if it is much, the peer has to wait.
    pub(super) fn put_away(&mut self, index: Index) {
        let socket = self.sockets.get(index);
        if let Some(chunk) = socket.inbox.pop_back() {
            socket.inbox.push_back(chunk.kept());
            if socket.wanted && !socket.has_room() {
                self.kernel.pause(index, &mut self.sockets);
            }
        }
    }
}
