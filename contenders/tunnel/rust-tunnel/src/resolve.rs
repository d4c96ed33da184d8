//! Addresses of names: asked for on threads of their own, as the system resolves them, and kept for a while.

use std::collections::HashMap;
use std::future::poll_fn;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use crate::net::{self, Wake};

/// Names that are resolved at once.
const THREADS: usize = 4;
/// How long it is remembered that a name has no address.
const NOTHING_LIFETIME: Duration = Duration::from_secs(1);
/// Names remembered; beyond them those that are no longer true are forgotten, and if there are none, all.
const NAMES_MAX: usize = 10_000;

type Addresses = Arc<[SocketAddr]>;

/// All threads' resolver.
#[derive(Debug)]
pub(crate) struct Resolver {
    lifetime: Duration,
    known: Mutex<HashMap<(String, u16), (Instant, Addresses)>>,
    jobs: Sender<Job>,
}

struct Job {
    name: String,
    port: u16,
    answer: Arc<Mutex<Option<Addresses>>>,
    /// Tells who asked that the answer is there.
    tell: Box<dyn FnOnce() + Send>,
}

impl Resolver {
    /// Keeps addresses for this long.
    pub(crate) fn new(lifetime: Duration) -> std::io::Result<Arc<Self>> {
        let (jobs, todo) = channel();
        let todo = Arc::new(Mutex::new(todo));
        for _ in 0..THREADS {
            let todo = Arc::clone(&todo);
            std::thread::Builder::new().name("resolver".to_owned()).spawn(move || work(&todo))?;
        }
        Ok(Arc::new(Self { lifetime, known: Mutex::default(), jobs }))
    }

    /// The addresses of a name; none where it has none, or nobody could tell.
    pub(crate) async fn resolve(&self, name: &str, port: u16, wake: &Arc<Wake>) -> Addresses {
        let key = (name.to_owned(), port);
        if let Some((until, addresses)) = self.known().get(&key)
            && *until > Instant::now()
        {
            return Arc::clone(addresses);
        }
        let answer = Arc::new(Mutex::new(None));
        let (task, wake) = (net::this_task(), Arc::clone(wake));
        let tell = Box::new(move || wake.run(move || net::wake(task)));
        // Fails only when the resolver's threads are gone, with the process.
        let _ = self.jobs.send(Job { name: name.to_owned(), port, answer: Arc::clone(&answer), tell });
        let addresses = poll_fn(|_| match answer.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(addresses) => Poll::Ready(addresses),
            None => Poll::Pending,
        })
        .await;
        let lifetime = if addresses.is_empty() { NOTHING_LIFETIME } else { self.lifetime };
        let mut known = self.known();
        if known.len() >= NAMES_MAX {
            let now = Instant::now();
            known.retain(|_, (until, _)| *until > now);
            if known.len() >= NAMES_MAX {
                known.clear();
            }
        }
        known.insert(key, (Instant::now() + lifetime, Arc::clone(&addresses)));
        addresses
    }

    fn known(&self) -> std::sync::MutexGuard<'_, HashMap<(String, u16), (Instant, Addresses)>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn work(todo: &Mutex<Receiver<Job>>) {
    loop {
        let job = todo.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Job { name, port, answer, tell }) = job else { return };
        let addresses = (name.as_str(), port).to_socket_addrs().map(Iterator::collect).unwrap_or_default();
        *answer.lock().unwrap_or_else(PoisonError::into_inner) = Some(addresses);
        tell();
    }
}
