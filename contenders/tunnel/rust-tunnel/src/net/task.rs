//! Tasks of one thread.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Waker};

/// Which task: its place, and the how many-th there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TaskId {
    index: u32,
    generation: u32,
}

impl TaskId {
    /// No task.
    pub(super) const NONE: Self = Self { index: u32::MAX, generation: 0 };
}

type Task = Pin<Box<dyn Future<Output = ()>>>;

#[derive(Default)]
struct Tasks {
    places: Vec<Place>,
    free: Vec<u32>,
    /// To be asked, since they have just begun or something happened that no socket tells.
    ready: Vec<TaskId>,
}

struct Place {
    generation: u32,
    /// Nothing: it is free, or the task is being asked.
    task: Option<Task>,
}

thread_local! {
    static TASKS: RefCell<Tasks> = RefCell::default();
    static CURRENT: Cell<TaskId> = const { Cell::new(TaskId::NONE) };
}

/// Begins a task on this thread.
pub(crate) fn spawn(future: impl Future<Output = ()> + 'static) {
    let task: Task = Box::pin(future);
    TASKS.with_borrow_mut(|tasks| {
        let index = tasks.free.pop().unwrap_or_else(|| {
            tasks.places.push(Place { generation: 0, task: None });
            tasks.places.len() as u32 - 1
        });
        let place = &mut tasks.places[index as usize];
        place.task = Some(task);
        let id = TaskId { index, generation: place.generation };
        tasks.ready.push(id);
    });
}

/// The task that is being asked.
pub(crate) fn this_task() -> TaskId {
    CURRENT.get()
}

/// Asks a task soon.
pub(crate) fn wake(id: TaskId) {
    if id != TaskId::NONE {
        TASKS.with_borrow_mut(|tasks| tasks.ready.push(id));
    }
}

/// Asks all that are to be asked. Whether there are more by now: they have their turn after whatever the kernel tells.
pub(super) fn run_ready() -> bool {
    let ready = TASKS.with_borrow_mut(|tasks| std::mem::take(&mut tasks.ready));
    ready.iter().for_each(|&id| poll(id));
    TASKS.with_borrow(|tasks| !tasks.ready.is_empty())
}

/// Asks a task whether it can go on; nothing if it has ended.
pub(super) fn poll(id: TaskId) {
    let taken = TASKS.with_borrow_mut(|tasks| {
        let place = tasks.places.get_mut(id.index as usize)?;
        (place.generation == id.generation).then(|| place.task.take())?
    });
    let Some(mut task) = taken else { return };
    let before = CURRENT.replace(id);
    let ended = task.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready();
    // What the task owns says goodbye as that task.
    let left = if ended {
        drop(task);
        None
    } else {
        Some(task)
    };
    CURRENT.set(before);
    TASKS.with_borrow_mut(|tasks| {
        let place = &mut tasks.places[id.index as usize];
        if left.is_none() {
            place.generation = place.generation.wrapping_add(1);
            tasks.free.push(id.index);
        }
        tasks.places[id.index as usize].task = left;
    });
}

/// Drops all tasks, and with them what they own.
pub(super) fn drop_all() {
    while let Some(task) =
        TASKS.with_borrow_mut(|tasks| tasks.places.iter_mut().find_map(|place| place.task.take()))
    {
        drop(task);
    }
    TASKS.take();
}

/// Asks all tasks soon: something changed that concerns each of them.
pub(crate) fn wake_all() {
    TASKS.with_borrow_mut(|tasks| {
        let Tasks { places, ready, .. } = tasks;
        ready
            .extend((0..).zip(&*places).map(|(index, place)| TaskId { index, generation: place.generation }));
    });
}

/// Lets others have their turn.
pub(crate) async fn later() {
    let mut asked = false;
    std::future::poll_fn(|_| {
        if std::mem::replace(&mut asked, true) {
            return std::task::Poll::Ready(());
        }
        wake(this_task());
        std::task::Poll::Pending
    })
    .await;
}
