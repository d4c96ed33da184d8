//! One upstream and the connections to it that wait for a request.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use hyper::body::Incoming;
use hyper::client::conn::http1::{self, SendRequest};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

/// Connections kept while they have nothing to do. More than that are only left over from a burst.
const IDLE_MAX: usize = 128;

type Connection = SendRequest<Incoming>;

/// A server that requests go to.
pub(crate) struct Upstream {
    address: SocketAddr,
    // The last one used is the next: it is the least likely to have been closed meanwhile.
    idle: Mutex<Vec<Connection>>,
}

/// Why an upstream gave no answer.
pub(crate) enum Failure {
    /// It has not seen the request, which is given back.
    NotSent(Box<Request<Incoming>>),
    /// It may have acted on it.
    Broken,
}

impl Upstream {
    pub(crate) fn new(address: SocketAddr) -> Arc<Self> {
        Arc::new(Self { address, idle: Mutex::default() })
    }

    /// Sends a request and returns when the head of the answer is there.
    pub(crate) async fn send(
        self: &Arc<Self>,
        mut request: Request<Incoming>,
    ) -> Result<Response<Incoming>, Failure> {
        // A kept connection that was closed meanwhile is no failure of the upstream: take the next.
        while let Some(connection) = self.take_idle() {
            match self.send_on(connection, request).await {
                Err(Failure::NotSent(unsent)) => request = *unsent,
                answered_or_broken => return answered_or_broken,
            }
        }
        match self.connect().await {
            Ok(connection) => self.send_on(connection, request).await,
            Err(_) => Err(Failure::NotSent(Box::new(request))),
        }
    }

    async fn send_on(
        self: &Arc<Self>,
        mut connection: Connection,
        request: Request<Incoming>,
    ) -> Result<Response<Incoming>, Failure> {
        match connection.try_send_request(request).await {
            Ok(answer) => {
                self.keep(connection);
                Ok(answer)
            }
            Err(mut error) => {
                let unsent = error.take_message();
                Err(unsent.map_or(Failure::Broken, |request| Failure::NotSent(Box::new(request))))
            }
        }
    }

    /// Opens a connection; a task of its own moves its bytes.
    async fn connect(&self) -> io::Result<Connection> {
        let stream = TcpStream::connect(self.address).await?;
        stream.set_nodelay(true)?;
        let (connection, io) = http1::handshake(TokioIo::new(stream)).await.map_err(io::Error::other)?;
        tokio::spawn(async move {
            // Its end is seen by whoever uses the connection.
            let _ = io.await;
        });
        Ok(connection)
    }

    fn take_idle(&self) -> Option<Connection> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        std::iter::from_fn(|| idle.pop()).find(Connection::is_ready)
    }

    /// Keeps a connection for the next request as soon as its answer has been passed on.
    fn keep(self: &Arc<Self>, mut connection: Connection) {
        let upstream = Arc::clone(self);
        tokio::spawn(async move {
            if connection.ready().await.is_ok() {
                let mut idle = upstream.idle.lock().unwrap_or_else(PoisonError::into_inner);
                if idle.len() < IDLE_MAX {
                    idle.push(connection);
                }
            }
        });
    }
}
