//! Names that take as long as a test wants.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::{Resolver, THREADS_MAX, UNKNOWN_MAX};
use crate::net::{Backend, Wake, deadline_in, run, spawn, timeout};

/// Answers each name at once, but those that begin with `slow` only once the sender is dropped. Tells each question.
fn resolver(lifetime: Duration) -> (Arc<Resolver>, Sender<()>, Receiver<String>) {
    let (release, held) = channel::<()>();
    let held = Arc::new(Mutex::new(held));
    let (tell, told) = channel();
    let lookup = move |name: &str, port| {
        tell.send(name.to_owned()).unwrap();
        if name.starts_with("slow") {
            // Ends for all once the sender is gone.
            let _ = held.lock().unwrap().recv();
        }
        vec![([127, 0, 0, 1], port).into()]
    };
    (Resolver::with(lifetime, Box::new(lookup)), release, told)
}

/// Runs a test's future as a task.
fn on_a_thread_of_its_own<F: Future<Output = ()> + 'static>(test: impl FnOnce(Arc<Wake>) -> F) {
    let wake = Wake::new().unwrap();
    run(Backend::Epoll, &wake, test(Arc::clone(&wake))).unwrap();
}

/// Asks for names that are never answered, each by a task of its own.
fn ask_slowly(resolver: &Arc<Resolver>, names: usize, wake: &Arc<Wake>) {
    for number in 0..names {
        let (resolver, wake) = (Arc::clone(resolver), Arc::clone(wake));
        spawn(async move {
            resolver.resolve(&format!("slow-{number}"), 1, &wake).await;
        });
    }
}

const PATIENCE: Duration = Duration::from_secs(20);

#[test]
fn slow_names_do_not_keep_another_from_being_resolved() {
    let (resolver, release, told) = resolver(PATIENCE);
    on_a_thread_of_its_own(|wake| async move {
        ask_slowly(&resolver, 20, &wake);
        crate::net::later().await;
        let quick = timeout(deadline_in(PATIENCE), resolver.resolve("quick", 80, &wake)).await;
        assert_eq!(quick.as_deref(), Some(&[([127, 0, 0, 1], 80).into()][..]));
        drop((release, told));
    });
}

#[test]
fn a_name_that_had_an_address_is_resolved_whatever_the_number_of_slow_ones() {
    // Nothing is remembered for long enough to count.
    let (resolver, release, told) = resolver(Duration::ZERO);
    on_a_thread_of_its_own(|wake| async move {
        resolver.resolve("quick", 80, &wake).await;
        ask_slowly(&resolver, 10 * THREADS_MAX, &wake);
        crate::net::later().await;
        // As many as may be are begun, beside the first.
        for _ in 0..=UNKNOWN_MAX {
            told.recv_timeout(PATIENCE).unwrap();
        }
        let quick = timeout(deadline_in(PATIENCE), resolver.resolve("quick", 80, &wake)).await;
        assert!(quick.is_some(), "it waits for the slow ones");
        assert!(resolver.questions().threads <= THREADS_MAX);
        drop((release, told));
    });
}

#[test]
fn a_name_is_asked_for_once_however_many_want_it_and_who_goes_is_forgotten() {
    let (resolver, release, told) = resolver(PATIENCE);
    on_a_thread_of_its_own(|wake| async move {
        ask_slowly(&resolver, 1, &wake);
        crate::net::later().await;
        assert_eq!(told.recv_timeout(PATIENCE).as_deref(), Ok("slow-0"));
        for _ in 0..100 {
            let asked = resolver.resolve("slow-0", 1, &wake);
            assert!(timeout(deadline_in(Duration::ZERO), asked).await.is_none());
        }
        assert!(told.try_recv().is_err(), "asked for again");
        assert_eq!(resolver.questions().asked_by_name(), [1], "who has gone is remembered");
        drop(release);
    });
}
