//! How other threads reach a worker.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use rustix::event::EventfdFlags;
use rustix::fd::OwnedFd;

use super::stream::Stream;

/// What is to be done on a worker's thread.
pub(crate) type Errand = Box<dyn FnOnce() + Send>;

/// One worker's door.
pub(crate) struct Wake {
    event: OwnedFd,
    errands: Mutex<Vec<Errand>>,
}

impl Wake {
    /// Fails where no descriptor is left.
    pub(crate) fn new() -> io::Result<Arc<Self>> {
        let event = rustix::event::eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Arc::new(Self { event, errands: Mutex::default() }))
    }

    /// Has something done by the worker, soon; never, once it has ended.
    pub(crate) fn run(&self, errand: impl FnOnce() + Send + 'static) {
        self.errands.lock().unwrap_or_else(PoisonError::into_inner).push(Box::new(errand));
        // Fails only if the counter is full, and then the worker wakes anyway.
        let _ = rustix::io::write(&self.event, &1_u64.to_ne_bytes());
    }
}

/// Does on this thread what others want done.
pub(super) async fn serve(wake: Arc<Wake>) {
    let Ok(event) = wake.event.try_clone() else { return };
    let stream = Stream::new(event);
    loop {
        let mut count = [0; 8];
        let _ = rustix::io::read(&wake.event, &mut count);
        let errands = std::mem::take(&mut *wake.errands.lock().unwrap_or_else(PoisonError::into_inner));
        errands.into_iter().for_each(|errand| errand());
        stream.readable().await;
    }
}
