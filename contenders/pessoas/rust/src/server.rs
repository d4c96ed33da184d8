//! Listening, serving and stopping.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use hyper::body::{Body, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::signal::unix::{SignalKind, signal};

use crate::api;
use crate::config::ConfigError;
use crate::store::{Store, StoreError};

/// Connections that the kernel may hold until they are accepted (capped by `net.core.somaxconn`).
const BACKLOG: u32 = 4096;

/// How long requests may go on after the signal to stop.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

/// How long to wait when a connection cannot be accepted (mostly: no file descriptor is left).
const ACCEPT_PAUSE: Duration = Duration::from_millis(10);

/// Why the server cannot run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The environment is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The store cannot be opened.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The port cannot be listened on.
    #[error("address `{address}`: {error}\nhint: choose a free port with HTTP_PORT")]
    Listen {
        /// What was asked for.
        address: SocketAddr,
        /// What the system says.
        error: io::Error,
    },
    /// Anything else that the system refuses.
    #[error("runtime: {0}")]
    Io(#[from] io::Error),
}

/// Serves the API over `store` until SIGTERM or SIGINT.
///
/// # Errors
/// The store does not become ready, or the port cannot be listened on.
pub fn run<S: Store>(port: u16, store: S) -> Result<(), Error> {
    let store = Arc::new(store);
    run_with(port, Arc::clone(&store), move |request| {
        let store = Arc::clone(&store);
        async move { api::handle(&*store, request).await }
    })
}

/// Like [`run`] with a handler of the caller's, for a contender that changes requests or answers, or streams them.
///
/// One thread serves all connections: a store does its long work elsewhere, and what is left takes some tens
/// of microseconds.
///
/// # Errors
/// As [`run`].
pub fn run_with<S, H, F, B>(port: u16, store: Arc<S>, handle: H) -> Result<(), Error>
where
    S: Store,
    H: Fn(Request<Incoming>) -> F + Clone + Send + 'static,
    F: Future<Output = Response<B>> + Send + 'static,
    B: Body<Data: Send, Error: Into<Box<dyn std::error::Error + Send + Sync>>> + Send + 'static,
{
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async move {
        store.ready().await?;
        let listener = listen(port)?;
        eprintln!("listening on {}", listener.local_addr()?);
        serve(&listener, handle).await
    })
}

fn listen(port: u16) -> Result<TcpListener, Error> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let bound = || {
        let socket = TcpSocket::new_v4()?;
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        socket.listen(BACKLOG)
    };
    bound().map_err(|error| Error::Listen { address, error })
}

async fn serve<H, F, B>(listener: &TcpListener, handle: H) -> Result<(), Error>
where
    H: Fn(Request<Incoming>) -> F + Clone + Send + 'static,
    F: Future<Output = Response<B>> + Send + 'static,
    B: Body<Data: Send, Error: Into<Box<dyn std::error::Error + Send + Sync>>> + Send + 'static,
{
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let connections = GracefulShutdown::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => serve_connection(stream, &connections, handle.clone()),
                Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
            },
            _ = terminate.recv() => break,
            _ = interrupt.recv() => break,
        }
    }
    // What is not done by then was never acknowledged.
    let _ = tokio::time::timeout(STOP_TIMEOUT, connections.shutdown()).await;
    Ok(())
}

fn serve_connection<H, F, B>(stream: TcpStream, connections: &GracefulShutdown, handle: H)
where
    H: Fn(Request<Incoming>) -> F + Send + 'static,
    F: Future<Output = Response<B>> + Send + 'static,
    B: Body<Data: Send, Error: Into<Box<dyn std::error::Error + Send + Sync>>> + Send + 'static,
{
    // Without it a second answer could wait for the acknowledgement of the first. It fails only on a closed
    // socket.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        let answer = handle(request);
        async move { Ok::<_, Infallible>(answer.await) }
    });
    let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    let connection = connections.watch(connection);
    tokio::spawn(async move {
        // A client that went away in the middle is its own affair.
        let _ = connection.await;
    });
}
