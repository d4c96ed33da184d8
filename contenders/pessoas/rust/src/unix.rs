//! Connections over Unix sockets that wake their task only when there is something to read.
//!
//! Tokio's own wait for both directions. Over TCP that costs nothing, but a Unix socket says that it can be written to
//! whenever the other side has read something: one more wake-up for every message.

use std::io::{self, ErrorKind, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream as StdUnixStream;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::unix::AsyncFd;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};

/// A connection.
#[derive(Debug)]
pub(crate) struct UnixStream {
    readable: AsyncFd<StdUnixStream>,
    /// Waits until there is room again, while there is none.
    writable: Option<AsyncFd<StdUnixStream>>,
}

impl UnixStream {
    pub(crate) fn new(stream: tokio::net::UnixStream) -> io::Result<Self> {
        let readable = watch(stream.into_std()?, Interest::READABLE)?;
        Ok(Self { readable, writable: None })
    }
}

/// Registers a stream for one direction alone.
#[allow(unsafe_code)]
fn watch(stream: StdUnixStream, interest: Interest) -> io::Result<AsyncFd<StdUnixStream>> {
    // SAFETY: a stream of the standard library owns its descriptor, always returns the same, and keeps it open until it
    // is dropped, which is after its registration.
    unsafe { AsyncFd::register_with_interest(stream, interest) }.map_err(Into::into)
}

impl AsyncRead for UnixStream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        loop {
            let mut ready = ready!(this.readable.poll_read_ready(context))?;
            let room = buffer.initialize_unfilled();
            match ready.get_inner().read(room) {
                Ok(count) => {
                    // Less than there is room for was all; whatever comes now wakes again.
                    if 0 < count && count < room.len() {
                        ready.clear_ready();
                    }
                    buffer.advance(count);
                    return Poll::Ready(Ok(()));
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => ready.clear_ready(),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }
}

impl AsyncWrite for UnixStream {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        loop {
            if let Some(writable) = &this.writable {
                drop(ready!(writable.poll_write_ready(context))?);
                this.writable = None;
            }
            let mut stream = this.readable.get_ref();
            match stream.write(buffer) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    this.writable = Some(watch(stream.try_clone()?, Interest::WRITABLE)?);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                done => return Poll::Ready(done),
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(self.readable.get_ref().shutdown(Shutdown::Write))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::UnixStream;

    /// More than the kernel holds, in both directions at once.
    #[tokio::test]
    async fn what_does_not_fit_is_written_when_there_is_room() {
        let (here, there) = tokio::net::UnixStream::pair().unwrap();
        let (mut here, mut there) = (UnixStream::new(here).unwrap(), UnixStream::new(there).unwrap());
        let sent: Vec<u8> = (0..3_000_000_u32).map(|at| (at % 251) as u8).collect();
        let expected = sent.clone();
        let echo = tokio::spawn(async move {
            let mut piece = vec![0; 100_000];
            while let count @ 1.. = there.read(&mut piece).await.unwrap() {
                there.write_all(&piece[..count]).await.unwrap();
            }
        });
        let (mut reading, mut writing) = tokio::io::split(&mut here);
        let mut back = vec![0; sent.len()];
        let write = async {
            writing.write_all(&sent).await.unwrap();
            writing.shutdown().await.unwrap();
        };
        tokio::join!(write, async { reading.read_exact(&mut back).await.unwrap() });
        assert!(back == expected);
        assert_eq!(reading.read(&mut [0; 1]).await.unwrap(), 0);
        echo.await.unwrap();
    }

    #[tokio::test]
    async fn pieces_that_come_one_by_one_are_all_read() {
        let (here, mut there) = tokio::net::UnixStream::pair().unwrap();
        let mut here = UnixStream::new(here).unwrap();
        let send = tokio::spawn(async move {
            for piece in 0..100 {
                there.write_all(&[piece]).await.unwrap();
                tokio::task::yield_now().await;
            }
        });
        let mut all = Vec::new();
        here.read_to_end(&mut all).await.unwrap();
        assert_eq!(all, (0..100).collect::<Vec<u8>>());
        send.await.unwrap();
        // Nobody is there any more.
        assert!(here.write_all(&[0; 10]).await.is_err());
    }
}
