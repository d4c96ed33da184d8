//! Listening, serving and stopping.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::JoinSet;

use crate::config::{ConfigError, Limits};
use crate::connection::Connection;
use crate::http::Answer;
use crate::listen::{Address, Listener, Stream};
use crate::log::{self, Level};
use crate::service::Service;
use crate::store::{Store, StoreError};

/// How long to wait when a connection cannot be accepted (mostly: no file descriptor is left).
const ACCEPT_PAUSE: Duration = Duration::from_millis(10);

/// How long requests that are on their way when the signal to stop comes may take to arrive, up to the ends of their
/// heads.
const STOP_GRACE: Duration = Duration::from_millis(20);

/// Time between two looks at whether all connections have ended.
const STOP_PAUSE: Duration = Duration::from_millis(5);

/// Why the server cannot run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The environment is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The store cannot be opened.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An address cannot be listened on.
    #[error("address `{address}`: {error}\nhint: choose another with LISTEN or HTTP_PORT")]
    Listen {
        /// What was asked for.
        address: Address,
        /// What the system says.
        error: io::Error,
    },
    /// Anything else that the system refuses.
    #[error("runtime: {0}")]
    Io(#[from] io::Error),
}

/// Serves the API over `store` on all addresses until SIGTERM or SIGINT. One line of the log tells each address.
///
/// One thread serves all connections: a store does its long work elsewhere, and what is left takes some tens
/// of microseconds.
///
/// # Errors
/// The store does not become ready, or an address cannot be listened on.
pub fn run<S: Store>(addresses: &[Address], limits: &Limits, store: S) -> Result<(), Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async move {
        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        let service = Arc::new(Service::new(store, limits.clone()));
        tokio::select! {
            ready = service.ready() => ready?,
            () = told_to_stop(&mut terminate, &mut interrupt) => return Ok(()),
        }
        let mut tasks = JoinSet::new();
        for listener in listen(addresses)? {
            log::announce("listening", &[("address", &listener.address()?)]);
            tasks.spawn(accept(listener, Arc::clone(&service)));
        }
        let watching = Arc::clone(&service);
        tasks.spawn(async move { watching.watchdog.run(log::tell_suppressed).await });
        told_to_stop(&mut terminate, &mut interrupt).await;
        stop(&service, tasks, limits.stop_timeout).await;
        Ok(())
    })
}

async fn told_to_stop(terminate: &mut Signal, interrupt: &mut Signal) {
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
}

/// All or none.
fn listen(addresses: &[Address]) -> Result<Vec<Listener>, Error> {
    let bind = |address: &Address| {
        Listener::bind(address).map_err(|error| Error::Listen { address: address.clone(), error })
    };
    addresses.iter().map(bind).collect()
}

async fn accept<S: Store>(listener: Listener, service: Arc<Service<S>>) {
    loop {
        match listener.accept().await {
            Ok(Stream::Tcp(stream)) => serve(stream, &service),
            Ok(Stream::Unix(stream)) => serve(stream, &service),
            Err(error) => {
                log::write(Level::Error, "accept", &[("error", &error)]);
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

fn serve<IO, S>(stream: IO, service: &Arc<Service<S>>)
where
    IO: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    S: Store,
{
    let (watched, shared) = (service.watchdog.begin(), Arc::clone(service));
    let task = {
        let watched = Arc::clone(&watched);
        tokio::spawn(async move {
            let Some(_place) = shared.connect() else {
                shared.metrics.count_refused_connection();
                return Connection::new(stream, Arc::clone(&shared), watched).refuse(Answer::SHED).await;
            };
            Connection::new(stream, Arc::clone(&shared), watched).serve().await;
        })
    };
    service.watchdog.watch(watched, task.abort_handle());
}

/// Lets requests under way come to their end, for so long. What is not done by then was never acknowledged.
async fn stop<S: Store>(service: &Service<S>, mut tasks: JoinSet<()>, timeout: Duration) {
    log::write(Level::Info, "stopping", &[("connections", &service.connections())]);
    service.stop();
    // Nobody listens from here on, and bounds of time do not matter any more.
    tasks.shutdown().await;
    let ended = tokio::time::timeout(timeout, async {
        tokio::time::sleep(STOP_GRACE).await;
        while service.connections() > 0 {
            // What has arrived meanwhile is no longer idle once its task has run.
            tokio::task::yield_now().await;
            service.watchdog.end_idle();
            tokio::time::sleep(STOP_PAUSE).await;
        }
    });
    if ended.await.is_err() {
        log::write(Level::Warn, "cut", &[("connections", &service.connections())]);
    }
}
