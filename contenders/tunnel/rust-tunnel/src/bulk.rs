//! Bytes that go from one socket to another without ever being copied into the process: by a pipe (`splice`).

use std::cell::RefCell;
use std::os::fd::OwnedFd;

use rustix::io::Errno;
use rustix::pipe::{PipeFlags, SpliceFlags, fcntl_setpipe_size, pipe_with, splice};

use crate::net::{self, Stream};

/// Bytes that a pipe may hold; what the system allows to everybody.
const PIPE_BYTES: usize = 1024 * 1024;
/// Pipes that each thread keeps for the next who needs one.
const KEPT_MAX: usize = 16;

thread_local! {
    static KEPT: RefCell<Vec<Pipe>> = const { RefCell::new(Vec::new()) };
}

/// An empty pipe; its ends, and how much fits in.
struct Pipe {
    reader: OwnedFd,
    writer: OwnedFd,
    bytes: usize,
}

/// Moves bytes.
pub(crate) struct Mover {
    /// Nothing after a failure: what is in it is lost with it.
    pipe: Option<Pipe>,
}

/// Why nothing was moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotMoved {
    /// Where they come from broke.
    Broken,
    /// Nobody takes them.
    NotTaken,
}

impl Mover {
    /// Nothing where no descriptor is left.
    pub(crate) fn new() -> Option<Self> {
        let kept = KEPT.with_borrow_mut(Vec::pop);
        let made = || {
            let (reader, writer) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK).ok()?;
            // Where less is allowed, less goes at once.
            let bytes = fcntl_setpipe_size(&writer, PIPE_BYTES).unwrap_or(64 * 1024);
            Some(Pipe { reader, writer, bytes })
        };
        kept.or_else(made).map(|pipe| Self { pipe: Some(pipe) })
    }

    /// Moves what is there, at most a pipe full, as soon as something is. How many bytes; none: the end.
    pub(crate) async fn pass(&mut self, from: &Stream, to: &Stream) -> Result<usize, NotMoved> {
        let Some(pipe) = self.pipe.take() else { return Err(NotMoved::Broken) };
        let flags = SpliceFlags::MOVE | SpliceFlags::NONBLOCK;
        let taken = loop {
            match splice(from.fd(), None, &pipe.writer, None, pipe.bytes, flags) {
                Ok(taken) => break taken,
                Err(Errno::AGAIN) => from.readable().await,
                Err(Errno::INTR) => {}
                Err(_) => return Err(NotMoved::Broken),
            }
        };
        let mut left = taken;
        while left > 0 {
            match splice(&pipe.reader, None, to.fd(), None, left, flags) {
                Ok(given @ 1..) => left -= given,
                Err(Errno::AGAIN) => to.room().await,
                Err(Errno::INTR) => {}
                Ok(0) | Err(_) => return Err(NotMoved::NotTaken),
            }
        }
        self.pipe = Some(pipe);
        // Others have their turn.
        net::later().await;
        Ok(taken)
    }
}

impl Drop for Mover {
    fn drop(&mut self) {
        let Some(pipe) = self.pipe.take() else { return };
        // At the end of its thread nobody needs it.
        let _ = KEPT.try_with(|kept| {
            let mut kept = kept.borrow_mut();
            if kept.len() < KEPT_MAX {
                kept.push(pipe);
            }
        });
    }
}
