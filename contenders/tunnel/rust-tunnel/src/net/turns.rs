//! The loop of one thread.

use std::cell::Cell;
use std::future::Future;
use std::rc::Rc;
use std::sync::Arc;

use super::clock::{now_ns, wake_up};
use super::kernel::{Backend, Kernel};
use super::sockets::Sockets;
use super::task;
use super::timers;
use super::waker::{self, Wake};
use super::worker::{self, Worker, with};

/// Things that happened and are told between two looks at the clock, so that timers and new tasks have their turn under any flood.
const TOLD_MAX: usize = 1024;

/// Runs this thread's tasks until the given one ends.
///
/// # Errors
/// Where the kernel refuses what the loop itself needs.
pub(crate) fn run(
    backend: Backend,
    wake: &Arc<Wake>,
    main: impl Future<Output = ()> + 'static,
) -> std::io::Result<()> {
    let kernel = Kernel::new(backend)?;
    wake_up();
    worker::set(Some(Worker { kernel, sockets: Sockets::default() }));
    task::spawn(waker::serve(Arc::clone(wake)));
    let ended = Rc::new(Cell::new(false));
    let told = Rc::clone(&ended);
    task::spawn(async move {
        main.await;
        told.set(true);
    });
    let done = turn_until(&ended);
    task::drop_all();
    if let Some(worker) = worker::set(None) {
        worker.finish();
    }
    done
}

fn turn_until(ended: &Cell<bool>) -> std::io::Result<()> {
    loop {
        let has_more = task::run_ready();
        if ended.get() {
            return Ok(());
        }
        let until_ns = if has_more { Some(0) } else { timers::next_ns() };
        with(|worker| worker.kernel.wait(until_ns, &mut worker.sockets)).transpose()?;
        wake_up();
        for _ in 0..TOLD_MAX {
            let Some((index, whom)) = with(Worker::next).flatten() else { break };
            task::poll(whom);
            with(|worker| worker.put_away(index));
        }
        while let Some(task) = timers::pop(now_ns()) {
            task::poll(task);
        }
    }
}
