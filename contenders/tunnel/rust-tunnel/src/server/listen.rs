//! Sockets that listen.

use std::io;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrAny, SocketAddrUnix, SocketFlags, SocketType, sockopt};

use crate::address::Address;

use super::Error;

/// Connections that the kernel may hold until they are accepted (capped by `net.core.somaxconn`).
const BACKLOG: i32 = 4096;

/// A socket for each thread, between which the kernel shares who comes. A socket file has one for all.
pub(super) fn listen(
    address: &Address,
    threads: usize,
) -> Result<(Vec<OwnedFd>, Address, Option<SocketFile>), Error> {
    let failed = |error: io::Error| Error::Listen { address: address.clone(), error };
    match address {
        Address::Name(..) => Err(Error::ListenName { address: address.clone() }),
        Address::Unix(path) => {
            let (first, file) = SocketFile::listen(path).map_err(failed)?;
            let mut sockets = vec![first];
            for _ in 1..threads {
                sockets.push(sockets[0].try_clone().map_err(failed)?);
            }
            Ok((sockets, address.clone(), Some(file)))
        }
        Address::Ip(address_ip) => {
            let mut wanted = *address_ip;
            let mut sockets = Vec::new();
            for _ in 0..threads {
                let fd = listen_ip(wanted).map_err(|errno| failed(errno.into()))?;
                // The port that the system chose, where any free one was asked for, is the others' too.
                wanted = rustix::net::getsockname(&fd)
                    .and_then(SocketAddr::try_from)
                    .map_err(|errno| failed(errno.into()))?;
                sockets.push(fd);
            }
            Ok((sockets, Address::Ip(wanted), None))
        }
    }
}

fn socket(family: AddressFamily) -> rustix::io::Result<OwnedFd> {
    rustix::net::socket_with(family, SocketType::STREAM, SocketFlags::CLOEXEC | SocketFlags::NONBLOCK, None)
}

fn listen_ip(address: SocketAddr) -> rustix::io::Result<OwnedFd> {
    let fd = socket(if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 })?;
    sockopt::set_socket_reuseaddr(&fd, true)?;
    sockopt::set_socket_reuseport(&fd, true)?;
    // Those that are accepted have it from here.
    sockopt::set_tcp_nodelay(&fd, true)?;
    rustix::net::bind(&fd, &SocketAddrAny::from(address))?;
    rustix::net::listen(&fd, BACKLOG)?;
    Ok(fd)
}

/// A socket's file, taken away at the end unless somebody else listens there by then.
pub(super) struct SocketFile(PathBuf);

impl SocketFile {
    /// Listens at a path. What a killed process left is taken away; what somebody listens at, or is no socket, stays.
    ///
    /// # Errors
    /// What the system says; `AddrInUse` where something stays.
    fn listen(path: &Path) -> io::Result<(OwnedFd, Self)> {
        let unix = SocketAddrUnix::new(path)?;
        let _turn = Turn::take(path);
        remove_if_left(path, &unix)?;
        let fd = socket(AddressFamily::UNIX)?;
        rustix::net::bind(&fd, &unix)?;
        rustix::net::listen(&fd, BACKLOG)?;
        Ok((fd, Self(path.to_owned())))
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        let Ok(unix) = SocketAddrUnix::new(&self.0) else { return };
        let _turn = Turn::take(&self.0);
        // An error has no reader here, and the next instance removes the file.
        let _ = remove_if_left(&self.0, &unix);
    }
}

/// Removes a socket's file at which nobody listens any more.
fn remove_if_left(path: &Path, unix: &SocketAddrUnix) -> io::Result<()> {
    let is_left = rustix::net::connect(socket(AddressFamily::UNIX)?, unix) == Err(Errno::CONNREFUSED)
        && std::fs::symlink_metadata(path).is_ok_and(|meta| meta.file_type().is_socket());
    if is_left { std::fs::remove_file(path) } else { Ok(()) }
}

/// Turn among the instances that use files of one folder: no other looks, removes or listens there as long as this is there.
struct Turn(Option<OwnedFd>);

impl Turn {
    /// Where the folder cannot be opened or locked there is no turn, and two that begin in the same moment may disturb each other.
    fn take(path: &Path) -> Self {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let opened = rustix::fs::open(folder, OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty());
        Self(opened.ok().filter(|fd| rustix::fs::flock(fd, FlockOperation::LockExclusive).is_ok()))
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        // Closing gives it up.
        self.0.take();
    }
}
