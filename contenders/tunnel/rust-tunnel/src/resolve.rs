//! Addresses of names: asked for on threads of their own, as the system resolves them, and kept for a while.
//!
//! A name that takes long keeps a thread, but no other name from its own: threads are begun as names come, each name is asked for
//! once however many want it, and some threads are for names that had an address before.

mod questions;

use std::future::poll_fn;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use crate::net::{self, Wake};

use questions::{Asker, Key, Questions};

/// Names that are resolved at once,
const THREADS_MAX: usize = 48;
/// ... and of these, names that never had an address.
const UNKNOWN_MAX: usize = 40;
/// How long a thread waits for the next name; then it ends.
const IDLE: Duration = Duration::from_secs(10);
/// How long it is remembered that a name has no address.
const NOTHING_LIFETIME: Duration = Duration::from_secs(1);

type Addresses = Arc<[SocketAddr]>;
/// How the system is asked.
type Lookup = Box<dyn Fn(&str, u16) -> Vec<SocketAddr> + Send + Sync>;

/// All threads' resolver.
pub(crate) struct Resolver {
    lifetime: Duration,
    lookup: Lookup,
    questions: Mutex<Questions>,
    /// Told of each new question.
    more: Condvar,
}

impl Resolver {
    /// Keeps addresses for this long.
    pub(crate) fn new(lifetime: Duration) -> Arc<Self> {
        let lookup = |name: &str, port| (name, port).to_socket_addrs().map(Iterator::collect);
        Self::with(lifetime, Box::new(move |name, port| lookup(name, port).unwrap_or_default()))
    }

    fn with(lifetime: Duration, lookup: Lookup) -> Arc<Self> {
        Arc::new(Self { lifetime, lookup, questions: Mutex::default(), more: Condvar::new() })
    }

    /// The addresses of a name; none where it has none, or nobody could tell.
    pub(crate) async fn resolve(self: &Arc<Self>, name: &str, port: u16, wake: &Arc<Wake>) -> Addresses {
        let key = (name.to_owned(), port);
        let (task, wake) = (net::this_task(), Arc::clone(wake));
        let asker = Asker::new(move || wake.run(move || net::wake(task)));
        let answer = asker.answer();
        {
            let mut questions = self.questions();
            if let Some(addresses) = questions.known(&key) {
                return addresses;
            }
            questions.ask(key.clone(), asker);
            self.begin_thread(&mut questions);
        }
        let _asked = Asked { resolver: self, key, answer: &answer };
        poll_fn(|_| match answer.take() {
            Some(addresses) => Poll::Ready(addresses),
            None => Poll::Pending,
        })
        .await
    }

    /// Begins a thread where none is free, as long as they are not too many.
    fn begin_thread(self: &Arc<Self>, questions: &mut Questions) {
        if questions.idle >= questions.waiting() {
            return self.more.notify_one();
        }
        if questions.threads >= THREADS_MAX {
            return;
        }
        let resolver = Arc::clone(self);
        let begun =
            std::thread::Builder::new().name("resolver".to_owned()).spawn(move || resolver.work()).is_ok();
        questions.threads += usize::from(begun);
        if questions.threads == 0 {
            // No thread can be had: nobody can tell.
            questions.give_up();
        }
    }

    fn questions(&self) -> MutexGuard<'_, Questions> {
        self.questions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
        let mut questions = self.questions();
        loop {
            let Some((key, was_known)) = questions.next(UNKNOWN_MAX) else {
                questions.idle += 1;
                let (waited, timeout) =
                    self.more.wait_timeout(questions, IDLE).unwrap_or_else(PoisonError::into_inner);
                questions = waited;
                questions.idle -= 1;
                if timeout.timed_out() && questions.waiting() == 0 {
                    questions.threads -= 1;
                    return;
                }
                continue;
            };
            drop(questions);
            let addresses: Addresses = (self.lookup)(&key.0, key.1).into();
            questions = self.questions();
            let lifetime = if addresses.is_empty() { NOTHING_LIFETIME } else { self.lifetime };
            questions.answer(key, was_known, addresses, Instant::now() + lifetime);
        }
    }
}

/// A question whose asker waits; taken back where the asker goes first.
struct Asked<'a> {
    resolver: &'a Resolver,
    key: Key,
    answer: &'a questions::Answer,
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        self.resolver.questions().take_back(&self.key, self.answer);
    }
}

#[cfg(test)]
mod tests;
