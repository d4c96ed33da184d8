//! Threads, and ending in order.

mod listen;

use std::cell::Cell;
use std::future::poll_fn;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::OwnedFd;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::address::Address;
use crate::admission::{Admission, Ticket};
use crate::balance::Balancer;
use crate::connect::ConnectProxy;
use crate::log::{Line, Log};
use crate::metrics::{self, Metrics};
use crate::net::{self, Listener, Stream, Wake, deadline_in, sleep, spawn, timeout};
use crate::options::{Common, Mode};
use crate::shared::{self, Shared, is_draining, unless_draining};
use crate::side::Side;
use crate::tcp::TcpProxy;
use crate::tls::{Identity, TlsError, TlsStream};

use listen::listen;

/// How long to wait when a connection cannot be accepted (mostly: no file descriptor is left).
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// Descriptors for everything but clients and their targets.
const DESCRIPTORS_APART: usize = 128;

/// Why it cannot run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("address `{address}`: {error}\nhint: choose a free one with --bind")]
    Listen { address: Address, error: io::Error },
    #[error("address `{address}`: a name cannot be listened on\nhint: --bind 127.0.0.1:8080")]
    ListenName { address: Address },
    #[error("address `{address}`: {error}\nhint: choose a free one with --metrics")]
    Metrics { address: SocketAddr, error: io::Error },
    #[error("{0}")]
    Tls(#[from] TlsError),
    #[error("--threads 0: at least one is needed")]
    NoThreads,
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// What is done with clients.
#[derive(Clone)]
enum Proxy {
    Tcp(Rc<TcpProxy>),
    Connect(Rc<ConnectProxy>),
    Balance(Rc<Balancer>),
}

/// Serves until SIGTERM or SIGINT.
///
/// # Errors
/// Where it cannot begin.
pub(crate) fn run(mode: Mode) -> Result<(), Error> {
    let common = mode.common().clone();
    let threads = common.threads.unwrap_or_else(|| thread::available_parallelism().map_or(1, Into::into));
    if threads == 0 {
        return Err(Error::NoThreads);
    }
    let metrics = Arc::new(Metrics::default());
    let admission =
        Admission::new(most_clients(&common), common.client_connections_max, Arc::clone(&metrics));
    let identity = match (&common.cert, &common.key) {
        (Some(cert), Some(key)) => Some(Identity::load(cert, key)?),
        _ => None,
    };
    // Before any thread begins, since these signals are for this one.
    let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP])?;
    let log = Log::new(common.log, Arc::clone(&metrics))?;
    let (listeners, bound, _file) = listen(&common.bind, threads)?;
    if let Some(address) = common.metrics {
        let told = metrics::serve(address, Arc::clone(&metrics))
            .map_err(|error| Error::Metrics { address, error })?;
        eprintln!("metrics on {told}");
    }
    let shared = Arc::new(Shared {
        mode,
        metrics,
        log,
        admission,
        identity,
        bound: bound.clone(),
        cut_off: AtomicUsize::new(0),
    });
    let common_parts = Parts::new(&shared);
    let mut workers = Vec::new();
    for listener in listeners {
        let wake = Wake::new()?;
        let (shared, parts, for_thread) = (Arc::clone(&shared), common_parts.clone(), Arc::clone(&wake));
        let thread = thread::Builder::new().name("worker".to_owned()).spawn(move || {
            let main = serve(listener, Arc::clone(&shared), parts, Arc::clone(&for_thread));
            net::run(shared.mode.common().backend, &for_thread, main)
        })?;
        workers.push((wake, thread));
    }
    eprintln!("listening on {bound}");
    until_told_to_end(&mut signals, &shared);
    let told = Instant::now();
    for (wake, _) in &workers {
        wake.run(shared::drain);
    }
    // A second signal ends it at once.
    let _ = thread::Builder::new().spawn(move || {
        if signals.forever().any(|signal| signal != SIGHUP) {
            std::process::exit(1);
        }
    });
    for (_, thread) in workers {
        match thread.join() {
            Ok(ended) => ended?,
            Err(_) => return Err(io::Error::other("a thread panicked").into()),
        }
    }
    let left = shared.cut_off.load(Ordering::Relaxed);
    eprintln!("ended after {:.1} s, {left} clients cut off", told.elapsed().as_secs_f64());
    Ok(())
}

/// Reads certificate and key anew at SIGHUP; any other signal ends it.
fn until_told_to_end(signals: &mut Signals, shared: &Shared) {
    for signal in signals.forever() {
        if signal != SIGHUP {
            return;
        }
        match shared.identity.as_ref().map(Identity::reload) {
            Some(Ok(())) => eprintln!("certificate and key read anew"),
            Some(Err(error)) => eprintln!("tunnel: {error}\nthose from before stay in use"),
            None => eprintln!("nothing to read anew"),
        }
    }
}

/// What is made once and every thread needs.
#[derive(Clone)]
enum Parts {
    Tcp(crate::tcp::Parts),
    Connect(crate::connect::Parts),
    Balance(Arc<crate::balance::Parts>),
}

impl Parts {
    fn new(shared: &Shared) -> Self {
        match &shared.mode {
            Mode::Tcp(tcp) => Self::Tcp(crate::tcp::Parts::new(tcp)),
            Mode::Connect(connect) => Self::Connect(crate::connect::Parts::new(connect)),
            Mode::Balance(balance) => Self::Balance(crate::balance::Parts::new(balance)),
        }
    }
}

/// One thread's main task.
async fn serve(listener: OwnedFd, shared: Arc<Shared>, parts: Parts, wake: Arc<Wake>) {
    let proxy = match parts {
        Parts::Tcp(parts) => Proxy::Tcp(Rc::new(TcpProxy::new(parts, &shared, wake))),
        Parts::Connect(parts) => Proxy::Connect(Rc::new(ConnectProxy::new(parts, &shared, wake))),
        Parts::Balance(parts) => Proxy::Balance(Balancer::new(&parts, &shared, &wake)),
    };
    let clients = Rc::new(Cell::new(0_usize));
    let listener = Listener::new(listener);
    while let Some(accepted) = unless_draining(listener.accept()).await {
        match accepted {
            Ok(fd) => take(fd, &shared, &proxy, &clients),
            Err(_) => {
                shared.metrics.accept_errors_total.add(1);
                unless_draining(sleep(deadline_in(ACCEPT_PAUSE))).await;
            }
        }
    }
    // Closed, so that nobody comes any more.
    drop(listener);
    let ended = poll_fn(|_| if clients.get() == 0 { Poll::Ready(()) } else { Poll::Pending });
    timeout(deadline_in(shared.mode.common().drain_timeout), ended).await;
    shared.cut_off.fetch_add(clients.get(), Ordering::Relaxed);
}

/// Begins to serve a client.
fn take(fd: OwnedFd, shared: &Arc<Shared>, proxy: &Proxy, clients: &Rc<Cell<usize>>) {
    let wants_address = shared.admission.counts_clients() || shared.mode.common().log_clients;
    let address = wants_address.then(|| peer(&fd)).flatten();
    let Some(ticket) = shared.admission.admit(address) else {
        return; // closed at once
    };
    let (shared, proxy, clients, main) =
        (Arc::clone(shared), proxy.clone(), Rc::clone(clients), net::this_task());
    clients.set(clients.get() + 1);
    spawn(async move {
        serve_client(Stream::new(fd), address, &shared, &proxy).await;
        drop::<Ticket>(ticket);
        clients.set(clients.get() - 1);
        if is_draining() {
            net::wake(main);
        }
    });
}

async fn serve_client(stream: Stream, address: Option<IpAddr>, shared: &Arc<Shared>, proxy: &Proxy) {
    let common = shared.mode.common();
    let side = match &shared.identity {
        None => Side::Plain(stream),
        Some(identity) => {
            match timeout(deadline_in(common.handshake_timeout), TlsStream::accept(stream, identity)).await {
                Some(Ok(tls)) => Side::Tls(Box::new(tls)),
                _ => return shared.metrics.tls_errors_total.add(1),
            }
        }
    };
    let begun = Instant::now();
    let told = match proxy {
        Proxy::Tcp(tcp) => tcp.serve(side).await,
        Proxy::Connect(connect) => connect.serve(side).await,
        Proxy::Balance(balancer) => return balancer.serve(side).await,
    };
    shared.metrics.bytes_up_total.add(told.up);
    shared.metrics.bytes_down_total.add(told.down);
    if shared.log.is_wanted() {
        shared.log.tell(Line {
            mode: shared.mode.name(),
            client: address.filter(|_| common.log_clients),
            target: told.target,
            status: told.status,
            bytes_up: told.up,
            bytes_down: told.down,
            seconds: begun.elapsed().as_secs_f64(),
            end: told.end,
        });
    }
}

fn peer(fd: &OwnedFd) -> Option<IpAddr> {
    let address: SocketAddr = rustix::net::getpeername(fd).ok()??.try_into().ok()?;
    Some(address.ip().to_canonical())
}

/// As many as the descriptors suffice for, two of which each client needs; their limit is raised as far as it goes.
fn most_clients(common: &Common) -> usize {
    let Rlimit { maximum, .. } = rustix::process::getrlimit(Resource::Nofile);
    // Refused for no reason that matters: then the limit stays.
    let _ = rustix::process::setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
    let descriptors = rustix::process::getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let fit =
        (usize::try_from(descriptors).unwrap_or(usize::MAX).saturating_sub(DESCRIPTORS_APART) / 2).max(1);
    common.connections_max.unwrap_or(fit)
}
