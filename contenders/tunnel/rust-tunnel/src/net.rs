//! A thread's sockets and its tasks, above io_uring or, where the kernel has or allows none, epoll.
//!
//! A task is a future that is asked again whenever something happened on one of its sockets or at a time that it waits for. Each socket has one
//! task at a time: the one that asked it last. So nothing is allocated to wake a task, and no other thread ever wakes one, but by
//! [`Wake`].
//!
//! Received bytes stay where the kernel put them: a [`Chunk`] is such a buffer, is sent from there, and goes back to
//! the kernel when it is dropped. What cannot be sent at once is copied, so few buffers serve any number of connections.

mod buffers;
mod clock;
mod epoll;
mod happened;
mod kernel;
mod outbox;
mod sockets;
mod stream;
mod task;
mod timers;
mod turns;
mod uring;
mod waker;
mod worker;

pub(crate) use buffers::Chunk;
pub(crate) use clock::now_ns;
pub(crate) use kernel::Backend;
pub(crate) use stream::{Listener, Stream};
pub(crate) use task::{later, spawn, this_task, wake, wake_all};
pub(crate) use timers::{Alarm, deadline_in, sleep, timeout};
pub(crate) use turns::run;
pub(crate) use waker::Wake;
