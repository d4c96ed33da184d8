//! Where Prometheus asks: one thread for all who ask, so that nobody who says nothing keeps it from the others.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{DupFlags, dup3};

use super::Metrics;

/// How long somebody may take to ask.
const PATIENCE: Duration = Duration::from_secs(2);
/// Until the next try where nobody could be let in.
const PAUSE: Duration = Duration::from_millis(100);
/// Connections that have not asked yet; beyond them the oldest goes for a new one.
const SILENT_MAX: usize = 16;
/// Descriptors that are kept for scrapes.
const SPARES: usize = 4;

/// Answers on a thread of its own, also when no descriptor is left.
///
/// # Errors
/// Where the address cannot be listened on.
pub(crate) fn serve(address: SocketAddr, metrics: Arc<Metrics>) -> std::io::Result<SocketAddr> {
    let listener = TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    let bound = listener.local_addr()?;
    let mut endpoint = Endpoint { listener, metrics, silent: VecDeque::new(), spare: Vec::new() };
    endpoint.save();
    std::thread::Builder::new().name("metrics".to_owned()).spawn(move || {
        loop {
            endpoint.turn();
        }
    })?;
    Ok(bound)
}

struct Endpoint {
    listener: TcpListener,
    metrics: Arc<Metrics>,
    /// Who has not asked yet, with the time of coming, the oldest first.
    silent: VecDeque<(Instant, TcpStream)>,
    /// Descriptors that are kept for scrapes: one is given up where no other is left. A client may be quicker to take it, so there
    /// are several.
    spare: Vec<OwnedFd>,
}

impl Endpoint {
    /// Waits until somebody comes, asks, or has taken too long.
    fn turn(&mut self) {
        self.save();
        let left = self.silent.front().map(|(since, _)| PATIENCE.saturating_sub(since.elapsed()));
        let left =
            left.map(|left| Timespec { tv_sec: left.as_secs() as i64, tv_nsec: left.subsec_nanos().into() });
        let mut all: Vec<PollFd<'_>> = vec![PollFd::new(&self.listener, PollFlags::IN)];
        all.extend(self.silent.iter().map(|(_, stream)| PollFd::new(stream, PollFlags::IN)));
        if poll(&mut all, left.as_ref()).is_err() {
            return; // interrupted
        }
        // Without a descriptor accepting fails whether somebody comes or not.
        let comes = !all[0].revents().is_empty();
        // Who has asked comes before who has just come.
        for (since, stream) in std::mem::take(&mut self.silent) {
            self.look(since, stream);
        }
        if comes && let Some(stream) = self.accept() {
            if self.silent.len() >= SILENT_MAX
                && let Some((_, oldest)) = self.silent.pop_front()
            {
                self.end(oldest);
            }
            self.look(Instant::now(), stream);
        }
    }

    /// Who has come; nobody where that one has gone, or cannot be let in now.
    fn accept(&mut self) -> Option<TcpStream> {
        let mut has_cut = false;
        loop {
            match self.listener.accept() {
                Ok((stream, _)) => return Some(stream),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return None,
                // Mostly: no descriptor is left.
                Err(_) if self.spare.pop().is_some() => {}
                Err(_) if !std::mem::replace(&mut has_cut, true) && self.silent.pop_front().is_some() => {}
                Err(_) => break,
            }
        }
        std::thread::sleep(PAUSE);
        None
    }

    /// Answers a connection that has asked, keeps one that may still ask, and closes any other.
    fn look(&mut self, since: Instant, mut stream: TcpStream) {
        let read = stream.set_nonblocking(true).and_then(|()| stream.read(&mut [0; 4096]));
        match read {
            Ok(1..) => {
                // It all fits into what the kernel keeps for a new connection; who has gone gets nothing.
                let _ = stream.write_all(&self.answer());
                self.end(stream);
            }
            Err(error) if is_pending(&error) && since.elapsed() < PATIENCE => {
                self.silent.push_back((since, stream));
            }
            Ok(0) | Err(_) => self.end(stream),
        }
    }

    fn answer(&self) -> Vec<u8> {
        let text = self.metrics.text();
        let length = text.len();
        format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{text}"
        )
        .into_bytes()
    }

    /// Closes a connection; its descriptor becomes a spare one, where one was given up.
    fn end(&mut self, stream: TcpStream) {
        if self.spare.len() < SPARES {
            // In one step, or a client would have the descriptor in between.
            let mut ended = OwnedFd::from(stream);
            self.spare.extend(dup3(&self.listener, &mut ended, DupFlags::CLOEXEC).is_ok().then_some(ended));
        }
    }

    /// Takes spare descriptors, as far as there are any.
    fn save(&mut self) {
        while self.spare.len() < SPARES {
            let Ok(spare) = self.listener.try_clone() else { return };
            self.spare.push(OwnedFd::from(spare));
        }
    }
}

fn is_pending(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}
