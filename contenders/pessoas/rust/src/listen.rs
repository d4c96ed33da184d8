//! Addresses, and listening on them.

use std::fmt;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixStream as StdUnixStream;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use tokio::net::{TcpListener, TcpSocket, TcpStream, UnixListener, UnixSocket};

use crate::unix::UnixStream;

/// Connections that the kernel may hold until they are accepted (capped by `net.core.somaxconn`).
const BACKLOG: u32 = 4096;

/// Where to listen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// A port of an address of this machine.
    Tcp(SocketAddr),
    /// A socket file, for everybody of this machine.
    Unix(PathBuf),
}

impl Address {
    /// A port on 127.0.0.1.
    pub fn loopback(port: u16) -> Self {
        Self::Tcp((Ipv4Addr::LOCALHOST, port).into())
    }
}

impl FromStr for Address {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text.strip_prefix("unix:") {
            Some("") => Err(()),
            Some(path) => Ok(Self::Unix(path.into())),
            None => text.parse().map(Self::Tcp).map_err(drop),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(f),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

/// A socket that listens.
#[derive(Debug)]
pub(crate) enum Listener {
    Tcp(TcpListener),
    Unix(UnixListener, SocketFile),
}

/// An accepted connection.
#[derive(Debug)]
pub(crate) enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Listener {
    pub(crate) fn bind(address: &Address) -> io::Result<Self> {
        match address {
            Address::Tcp(address) => bind_tcp(*address).map(Self::Tcp),
            Address::Unix(path) => bind_unix(path).map(|(listener, file)| Self::Unix(listener, file)),
        }
    }

    /// With the port that the system chose where any free one was asked for.
    pub(crate) fn address(&self) -> io::Result<Address> {
        match self {
            Self::Tcp(listener) => listener.local_addr().map(Address::Tcp),
            Self::Unix(_, file) => Ok(Address::Unix(file.path.clone())),
        }
    }

    pub(crate) async fn accept(&self) -> io::Result<Stream> {
        match self {
            Self::Tcp(listener) => listener.accept().await.map(|(stream, _)| Stream::Tcp(stream)),
            Self::Unix(listener, _) => UnixStream::new(listener.accept().await?.0).map(Stream::Unix),
        }
    }
}

fn bind_tcp(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    // Connections inherit it. Without it a second answer could wait for the acknowledgement of the first.
    socket.set_nodelay(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

fn bind_unix(path: &Path) -> io::Result<(UnixListener, SocketFile)> {
    remove_stale(path)?;
    let socket = UnixSocket::new_stream()?;
    socket.bind(path)?;
    let file = SocketFile::of(path)?;
    // The balancer runs as another user.
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o666))?;
    Ok((socket.listen(BACKLOG)?, file))
}

/// Removes the socket file of an instance that has died. One on which somebody listens stays, and so does what is no
/// socket: binding then fails.
fn remove_stale(path: &Path) -> io::Result<()> {
    let is_socket = std::fs::symlink_metadata(path).is_ok_and(|file| file.file_type().is_socket());
    if is_socket && StdUnixStream::connect(path).is_err_and(|e| e.kind() == io::ErrorKind::ConnectionRefused)
    {
        std::fs::remove_file(path)?;
    }
    Ok(())
}

/// The file of a socket, removed with it.
#[derive(Debug)]
pub(crate) struct SocketFile {
    path: PathBuf,
    identity: (u64, u64),
}

impl SocketFile {
    fn of(path: &Path) -> io::Result<Self> {
        Ok(Self { path: path.to_owned(), identity: identity(path)? })
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        // Unless it is somebody else's by now. What cannot be removed is stale for the next instance.
        if identity(&self.path).is_ok_and(|identity| identity == self.identity) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Device and number of a file.
fn identity(path: &Path) -> io::Result<(u64, u64)> {
    std::fs::symlink_metadata(path).map(|file| (file.dev(), file.ino()))
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::net::UnixListener as StdUnixListener;

    use super::{Address, Listener};

    #[tokio::test]
    async fn a_dead_instances_socket_file_is_replaced_a_live_ones_and_other_files_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("api.sock");
        let address = Address::Unix(path.clone());
        let live = StdUnixListener::bind(&path).unwrap();
        assert_eq!(Listener::bind(&address).unwrap_err().kind(), ErrorKind::AddrInUse);
        drop(live);
        let listener = Listener::bind(&address).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o666);
        drop(listener);
        assert!(!path.exists());
        std::fs::write(&path, "kept").unwrap();
        assert_eq!(Listener::bind(&address).unwrap_err().kind(), ErrorKind::AddrInUse);
        assert_eq!(std::fs::read(&path).unwrap(), b"kept");
    }

    #[tokio::test]
    async fn a_socket_file_that_somebody_else_has_made_anew_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("api.sock");
        let listener = Listener::bind(&Address::Unix(path.clone())).unwrap();
        std::fs::remove_file(&path).unwrap();
        let _other = StdUnixListener::bind(&path).unwrap();
        drop(listener);
        assert!(path.exists());
    }
}
