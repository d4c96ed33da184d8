//! Listening, serving and stopping.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::signal::unix::{SignalKind, signal};

use crate::config::{Config, Error};
use crate::proxy::Proxy;

/// Connections that the kernel may hold until they are accepted (capped by `net.core.somaxconn`).
const BACKLOG: u32 = 4096;

/// How long requests may go on after the signal to stop.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a client may take to send the head of a request.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);

/// How long to wait when a connection cannot be accepted (mostly: no file descriptor is left).
const ACCEPT_PAUSE: Duration = Duration::from_millis(10);

/// Serves until SIGTERM or SIGINT.
///
/// One thread serves all connections: a request takes some tens of microseconds, and a second thread under a
/// CPU limit would only use up the same quota sooner.
pub(crate) fn run(config: &Config) -> Result<(), Error> {
    let proxy = Arc::new(Proxy::new(config));
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
        let listener = listen(config.listen)?;
        eprintln!("listening on {}", listener.local_addr()?);
        serve(&listener, &proxy).await
    })
}

fn listen(address: SocketAddr) -> Result<TcpListener, Error> {
    let bound = || {
        let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        socket.listen(BACKLOG)
    };
    bound().map_err(|error| Error::Listen { address, error })
}

async fn serve(listener: &TcpListener, proxy: &Arc<Proxy>) -> Result<(), Error> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let connections = GracefulShutdown::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => serve_connection(stream, &connections, Arc::clone(proxy)),
                Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
            },
            _ = terminate.recv() => break,
            _ = interrupt.recv() => break,
        }
    }
    // Whoever has no answer by then sees a closed connection.
    let _ = tokio::time::timeout(STOP_TIMEOUT, connections.shutdown()).await;
    Ok(())
}

fn serve_connection(stream: TcpStream, connections: &GracefulShutdown, proxy: Arc<Proxy>) {
    // Without it the end of a streamed answer could wait for the acknowledgement of its beginning.
    // It fails only on a closed socket.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        let proxy = Arc::clone(&proxy);
        async move { Ok::<_, Infallible>(proxy.handle(request).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .serve_connection(TokioIo::new(stream), service);
    let connection = connections.watch(connection);
    tokio::spawn(async move {
        // A client that went away in the middle is its own affair.
        let _ = connection.await;
    });
}
