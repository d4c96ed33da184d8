//! A thread that serves connections of any kind until it is dropped, for servers that somebody else wrote.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;

use galo_plan::load::Address;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpSocket, TcpStream, UnixListener, UnixStream};
use tokio::sync::oneshot;

/// Whatever carries bytes both ways.
pub(crate) trait Wire: AsyncRead + AsyncWrite + Unpin + Send {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send> Wire for T {}

/// One connection.
pub(crate) type Stream = Box<dyn Wire>;

/// Where to listen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    V4,
    V6,
    Unix(PathBuf),
}

/// An address of 127.0.0.1 that refuses connections, and what keeps everybody else from listening there meanwhile: a
/// socket that has the port, and does not listen.
pub(crate) fn nobody_listens() -> (TcpSocket, SocketAddr) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
    let address = socket.local_addr().unwrap();
    (socket, address)
}

enum Listener {
    Tcp(TcpListener),
    Unix(UnixListener),
}

/// Serves until it is dropped, and counts the connections that it accepted.
pub(crate) struct Serving {
    pub(crate) address: Address,
    connections: Arc<AtomicUsize>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Serving {
    /// Hands every connection to `serve`, which must not wait itself.
    pub(crate) fn start(place: &Place, serve: impl Fn(Stream) + Send + 'static) -> Self {
        let (told, address) = std::sync::mpsc::channel();
        let (stop, mut stopped) = oneshot::channel();
        let connections = Arc::<AtomicUsize>::default();
        let (place, counted) = (place.clone(), connections.clone());
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let (listener, address) = Listener::bind(&place).await;
                told.send(address).unwrap();
                loop {
                    tokio::select! {
                        stream = listener.accept() => {
                            counted.fetch_add(1, Ordering::Relaxed);
                            serve(stream);
                        }
                        _ = &mut stopped => return,
                    }
                }
            });
        });
        Self { address: address.recv().unwrap(), connections, stop: Some(stop), thread: Some(thread) }
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Listener {
    async fn bind(place: &Place) -> (Self, Address) {
        let ip: SocketAddr = match place {
            Place::V4 => (Ipv4Addr::LOCALHOST, 0).into(),
            Place::V6 => (Ipv6Addr::LOCALHOST, 0).into(),
            Place::Unix(path) => {
                let listener = UnixListener::bind(path).unwrap();
                return (Self::Unix(listener), Address::Unix(path.clone()));
            }
        };
        let listener = TcpListener::bind(ip).await.unwrap();
        let address = listener.local_addr().unwrap();
        (Self::Tcp(listener), Address::Ip(address))
    }

    async fn accept(&self) -> Stream {
        match self {
            Self::Tcp(listener) => {
                let (stream, _) = listener.accept().await.unwrap();
                stream.set_nodelay(true).unwrap();
                Box::new(stream)
            }
            Self::Unix(listener) => Box::new(listener.accept().await.unwrap().0),
        }
    }
}

/// Connects to a server.
pub(crate) async fn connect(address: &Address) -> std::io::Result<Stream> {
    Ok(match address {
        Address::Ip(ip) => Box::new(TcpStream::connect(ip).await?),
        Address::Unix(path) => Box::new(UnixStream::connect(path).await?),
    })
}
