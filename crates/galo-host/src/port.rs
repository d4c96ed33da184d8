//! Ports: whether one is free, and who has it if not.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use galo_plan::contender::Service;
use rustix::io::Errno;
use rustix::net::sockopt::set_socket_reuseaddr;
use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, socket_with};

use crate::error::HostError;
use crate::system::System;

/// State `LISTEN` in `/proc/net/tcp`.
const LISTEN: &str = "0A";

/// The port that was asked for and every loopback port that a readiness check names, each once. Port 0 is none.
pub(crate) fn of(services: &[Service], port: u16) -> Vec<u16> {
    let mut ports = vec![port];
    for service in services {
        let Some((host, port)) = service.ready.place() else { continue };
        if host.starts_with("127.") || matches!(host.as_str(), "localhost" | "::1" | "0.0.0.0" | "::") {
            ports.push(port);
        }
    }
    ports.retain(|&port| port != 0);
    ports.sort_unstable();
    ports.dedup();
    ports
}

/// Ports that are this galo's as long as it lives, for all galos of this user. A look at the port itself tells only
/// what is there at that moment: two galos that look at once would both start, and one would drive the other's
/// contender.
#[derive(Debug, Default)]
pub(crate) struct Held {
    locks: Vec<File>,
}

impl Held {
    /// Takes a lock for each of the ports, in a state root. The files stay there: to remove one while another galo
    /// is about to lock it would give that galo a lock that nobody else sees.
    pub(crate) fn take(root: &Path, ports: &[u16]) -> Result<Self, HostError> {
        let mut held = Self::default();
        for port in ports {
            let path = root.join(format!("port-{port}.lock"));
            let fail = |e: std::io::Error| HostError::io("lock", &path, &e);
            let lock = OpenOptions::new().create(true).append(true).mode(0o600).open(&path).map_err(fail)?;
            match lock.try_lock() {
                Ok(()) => held.locks.push(lock),
                Err(TryLockError::WouldBlock) => {
                    let hint = "wait for its end, or end it";
                    return Err(HostError::host(format!("another galo uses port {port}\nhint: {hint}")));
                }
                Err(TryLockError::Error(e)) => return Err(fail(e)),
            }
        }
        Ok(held)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // Closing alone would leave it locked while a process that is just being forked has a copy.
        for lock in &self.locks {
            let _ = lock.unlock();
        }
    }
}

/// Whether a server could listen there now. What this galo may not try (a port below 1024) counts as free.
pub(crate) fn is_free(port: u16) -> bool {
    let addresses: [SocketAddr; 4] = [
        (Ipv4Addr::LOCALHOST, port).into(),
        (Ipv4Addr::UNSPECIFIED, port).into(),
        (Ipv6Addr::LOCALHOST, port).into(),
        (Ipv6Addr::UNSPECIFIED, port).into(),
    ];
    addresses.iter().all(|address| !matches!(try_bind(address), Err(Errno::ADDRINUSE)))
}

/// Binds without listening, as a server does before it listens: this neither accepts a connection by mistake nor
/// stands in the way of another bind, also if a copy of the socket lives on in a process that is just being forked.
fn try_bind(address: &SocketAddr) -> Result<(), Errno> {
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let socket = socket_with(family, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
    // Connections that only wait for their end do not count, as for every server.
    set_socket_reuseaddr(&socket, true)?;
    bind(&socket, address)
}

/// Grace period for a dead galo's leftovers, which its supervisor ends while the next galo begins.
const LEFT_WITHIN: Duration = Duration::from_secs(2);

/// An error for the first port that stays taken.
pub(crate) fn require_free(ports: &[u16]) -> Result<(), HostError> {
    require_free_within(ports, LEFT_WITHIN)
}

/// How long a port may stay taken after all who could hold it were killed.
const LET_GO_WITHIN: Duration = Duration::from_secs(5);

/// An error for the first port that whoever was killed has not let go of.
pub(crate) fn require_let_go(ports: &[u16]) -> Result<(), HostError> {
    require_free_within(ports, LET_GO_WITHIN)
}

fn require_free_within(ports: &[u16], within: Duration) -> Result<(), HostError> {
    match wait_free(ports, within).first() {
        Some(&port) => Err(HostError::host(taken(&System::real(), port))),
        None => Ok(()),
    }
}

/// Waits until all are free; the ones that are not by then.
fn wait_free(ports: &[u16], within: Duration) -> Vec<u16> {
    let give_up = Instant::now() + within;
    loop {
        let taken: Vec<u16> = ports.iter().copied().filter(|&port| !is_free(port)).collect();
        if taken.is_empty() || Instant::now() > give_up {
            return taken;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// What listens for a container that publishes a port.
const PROXY: &str = "docker-proxy";

/// Who has the port, and how to end it.
pub(crate) fn taken(system: &System, port: u16) -> String {
    match owner(system, port) {
        Some((_, program)) if program == PROXY => {
            format!(
                "port {port} is taken by a container\nhint: see whose it is: docker ps --filter publish={port}"
            )
        }
        Some((pid, program)) => {
            format!("port {port} is taken by process {pid} (`{program}`)\nhint: end it: kill {pid}")
        }
        None => format!("port {port} is taken\nhint: find who has it as root: ss -ltnp 'sport = :{port}'"),
    }
}

/// The process that listens on a port, where galo may see it.
fn owner(system: &System, port: u16) -> Option<(u32, String)> {
    let inodes: Vec<String> = ["/proc/net/tcp", "/proc/net/tcp6"]
        .iter()
        .flat_map(|table| listeners(&system.read(table).unwrap_or_default(), port))
        .map(|inode| format!("socket:[{inode}]"))
        .collect();
    fs::read_dir(system.path("/proc")).ok()?.flatten().find_map(|entry| {
        let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
        let mut files = fs::read_dir(entry.path().join("fd")).ok()?.flatten();
        files.any(|file| is_one_of(&file.path(), &inodes)).then(|| (pid, program(&entry.path())))
    })
}

fn is_one_of(file: &Path, names: &[String]) -> bool {
    fs::read_link(file).is_ok_and(|target| names.iter().any(|name| target.as_os_str() == name.as_str()))
}

fn program(process: &Path) -> String {
    let name = fs::read(process.join("comm"));
    name.map_or_else(|_| "?".to_owned(), |name| String::from_utf8_lossy(&name).trim().to_owned())
}

/// Where any of these processes listen, in ascending order.
pub(crate) fn heard_at(system: &System, pids: &[i32]) -> Vec<SocketAddr> {
    heard_in(system, "self", pids)
}

/// The same in the network of the process `whose`, by its id.
pub(crate) fn heard_in(system: &System, whose: &str, pids: &[i32]) -> Vec<SocketAddr> {
    let mut found: Vec<SocketAddr> = ["tcp", "tcp6"]
        .iter()
        .flat_map(|table| listening(&system.read(format!("/proc/{whose}/net/{table}")).unwrap_or_default()))
        .filter(|(_, inode)| {
            let name = [format!("socket:[{inode}]")];
            pids.iter().any(|pid| {
                let files = fs::read_dir(system.path(format!("/proc/{pid}/fd")));
                files.is_ok_and(|files| files.flatten().any(|file| is_one_of(&file.path(), &name)))
            })
        })
        .map(|(address, _)| address)
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Addresses and inodes of all sockets that listen, from the text of `/proc/net/tcp` or `tcp6`.
fn listening(table: &str) -> Vec<(SocketAddr, String)> {
    let entry = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        (*fields.get(3)? == LISTEN).then_some(())?;
        Some((socket_address(fields.get(1)?)?, (*fields.get(9)?).to_owned()))
    };
    table.lines().skip(1).filter_map(entry).collect()
}

/// `0100007F:1F90`: the kernel writes an address as words of four bytes, each in the machine's own order.
fn socket_address(text: &str) -> Option<SocketAddr> {
    let (ip, port) = text.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    let mut bytes = Vec::with_capacity(16);
    for word in ip.as_bytes().chunks(8) {
        let word = u32::from_str_radix(std::str::from_utf8(word).ok()?, 16).ok()?;
        bytes.extend_from_slice(&word.to_ne_bytes());
    }
    match bytes.len() {
        4 => Some((Ipv4Addr::from(<[u8; 4]>::try_from(bytes).ok()?), port).into()),
        16 => Some((Ipv6Addr::from(<[u8; 16]>::try_from(bytes).ok()?), port).into()),
        _ => None,
    }
}

/// Inodes of the sockets that listen on a port, from the text of `/proc/net/tcp` or `tcp6`.
fn listeners(table: &str, port: u16) -> Vec<String> {
    let on_port = |(address, inode): (SocketAddr, String)| (address.port() == port).then_some(inode);
    listening(table).into_iter().filter_map(on_port).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn only_the_listening_socket_of_the_very_port_is_found() {
        let table = "\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:270F 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0 100 0 0 10 0
   1: 0100007F:1F90 0100007F:270F 01 00000000:00000000 00:00000000 00000000     0        0 4712 1 0 100 0 0 10 0
   2: 0100007F:270F 0100007F:1F90 01 00000000:00000000 00:00000000 00000000     0        0 4713 1 0 100 0 0 10 0
";
        assert_eq!(listeners(table, 9999), ["4711"]);
    }

    #[test]
    fn a_port_is_one_galos_until_it_lets_go() {
        let root = tempfile::tempdir().unwrap();
        let first = Held::take(root.path(), &[8081, 9999]).unwrap();
        let error = Held::take(root.path(), &[8080, 9999]).unwrap_err();
        assert_eq!(error.blame, galo_plan::Blame::Host);
        assert_eq!(error.message, "another galo uses port 9999\nhint: wait for its end, or end it");
        // The attempt that failed has kept nothing.
        let other = Held::take(root.path(), &[8080]).unwrap();
        drop(first);
        Held::take(root.path(), &[8081, 9999]).unwrap();
        drop(other);
        let mode = root.path().join("port-9999.lock").metadata().unwrap().permissions();
        assert_eq!(std::os::unix::fs::PermissionsExt::mode(&mode) & 0o777, 0o600);
    }

    #[test]
    fn what_is_just_ending_lets_go_of_its_port() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let ending = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            drop(listener);
        });
        require_free(&[port]).unwrap();
        ending.join().unwrap();
    }

    #[test]
    fn the_owner_of_a_port_is_named() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        assert!(!is_free(port));
        let message = taken(&System::real(), port);
        assert!(message.contains(&format!("is taken by process {} (`", std::process::id())), "{message}");
    }

    #[test]
    fn what_a_process_listens_on_is_found() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let pid = i32::try_from(std::process::id()).unwrap();
        let found = heard_at(&System::real(), &[pid]);
        assert!(found.contains(&listener.local_addr().unwrap()), "{found:?}");
        assert!(heard_at(&System::real(), &[]).is_empty());
    }

    #[test]
    fn an_address_is_read_as_the_kernel_writes_it() {
        let v6 = socket_address("00000000000000000000000001000000:0050").unwrap();
        assert_eq!(v6, "[::1]:80".parse().unwrap());
        assert_eq!(socket_address("0100007F:270F").unwrap(), "127.0.0.1:9999".parse().unwrap());
        assert_eq!(socket_address("xyz"), None);
    }

    #[test]
    fn a_listener_on_all_addresses_or_on_ipv6_alone_takes_the_port_too() {
        for address in ["0.0.0.0:0", "[::]:0", "[::1]:0"] {
            // Not every machine has IPv6; one without it has nobody listening there.
            let Ok(listener) = TcpListener::bind(address) else { continue };
            assert!(!is_free(listener.local_addr().unwrap().port()), "{address}");
        }
    }
}
