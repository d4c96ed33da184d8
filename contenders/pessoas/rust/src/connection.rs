//! One connection: requests in, answers out, in order.

use std::ops::Range;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use crate::http::chunked::Decoder;
use crate::http::head::{self, Connection as After, Framing, HEAD_BYTES_MAX, Head};
use crate::http::watchdog::{Phase, Watched};
use crate::http::{Answer, BODY_BYTES_MAX, Method, Request, Status};
use crate::service::{Admission, Service};
use crate::store::Store;

/// Room for what comes and what goes at the beginning, enough for nearly all requests and answers.
const BUFFER_BYTES: usize = 4 * 1024;

/// Memory that an idle connection may keep in each of its buffers.
const BUFFER_KEPT_BYTES: usize = 16 * 1024;

/// Pipelined answers are sent once they have so many bytes.
const OUT_BYTES_MAX: usize = 64 * 1024;

/// What a refused client may still send, and have thrown away, so that it can read why: to close with bytes unread
/// would reset the connection, and the answer with it (RFC 9112, section 9.6).
const LINGER_BYTES_MAX: usize = 16 * 1024 * 1024;

const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

/// Why there is no next request on a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// The client has gone, or cannot be reached.
    Gone,
    /// The last answer said so.
    Closed,
    /// This is the last answer, to a request that was not read to its end.
    Refused(Answer),
}

impl From<Status> for End {
    fn from(status: Status) -> Self {
        Self::Refused(status.into())
    }
}

/// A connection that is served.
pub(crate) struct Connection<IO, S> {
    io: IO,
    service: Arc<Service<S>>,
    watched: Arc<Watched>,
    /// What has come and is not done with; the present request begins at `start`.
    input: Vec<u8>,
    start: usize,
    /// The body of the present answer.
    body: Vec<u8>,
    /// Answers to be sent.
    out: Vec<u8>,
    /// There was a request before.
    served: bool,
}

impl<IO: AsyncRead + AsyncWrite + Unpin, S: Store> Connection<IO, S> {
    pub(crate) fn new(io: IO, service: Arc<Service<S>>, watched: Arc<Watched>) -> Self {
        let input = Vec::with_capacity(BUFFER_BYTES);
        Self { io, service, watched, input, start: 0, body: Vec::new(), out: Vec::new(), served: false }
    }

    /// Serves requests until either side is done.
    pub(crate) async fn serve(mut self) {
        loop {
            match self.exchange().await {
                Ok(()) => {}
                Err(End::Gone) => return,
                Err(End::Closed) => {
                    // Whether the client takes its last answer is its own affair.
                    let _ = self.flush().await;
                    return;
                }
                Err(End::Refused(answer)) => {
                    self.service.metrics.count_refused(answer.status);
                    return self.refuse(answer).await;
                }
            }
        }
    }

    /// Sends a last answer to somebody who may still be sending.
    pub(crate) async fn refuse(mut self, answer: Answer) {
        self.body.clear();
        self.answer(answer, Method::Other, After::Close);
        if self.flush().await.is_ok() {
            self.linger().await;
        }
    }

    /// One request and its answer.
    async fn exchange(&mut self) -> Result<(), End> {
        let head = self.read_head().await?;
        if self.service.admission(self.target(&head)?) == Admission::Shed {
            return self.shed(&head);
        }
        let body = self.read_body(&head).await?;
        self.watch(Phase::Handler);
        let (input, next) = (&self.input[self.start..], body.next);
        let target = std::str::from_utf8(&input[head.target]).map_err(|_| Status::BadRequest)?;
        let request = Request::new(head.method, target, &input[body.range]);
        self.body.clear();
        let answer = self.service.answer(&request, &mut self.body).await;
        let after = if self.service.is_stopping() { After::Close } else { head.connection };
        self.answer(answer, head.method, after);
        self.start += next;
        self.served = true;
        if after == After::Close {
            return Err(End::Closed);
        }
        if self.out.len() >= OUT_BYTES_MAX { self.flush().await } else { Ok(()) }
    }

    /// Answers a request that there is no room for. Its body is not waited for: where it has not come with its head,
    /// the connection ends.
    fn shed(&mut self, head: &Head) -> Result<(), End> {
        self.service.metrics.count_shed();
        match head.framing {
            Framing::Length(length) if length <= self.input.len() - self.start - head.bytes => {
                self.service.metrics.count_refused(Answer::SHED.status);
                self.body.clear();
                self.answer(Answer::SHED, head.method, head.connection);
                self.start += head.bytes + length;
                self.served = true;
                if head.connection == After::Close { Err(End::Closed) } else { Ok(()) }
            }
            _ => Err(End::Refused(Answer::SHED)),
        }
    }

    fn target(&self, head: &Head) -> Result<&str, Status> {
        let bytes = &self.input[self.start..][head.target.clone()];
        std::str::from_utf8(bytes).map_err(|_| Status::BadRequest)
    }

    async fn read_head(&mut self) -> Result<Head, End> {
        let mut seen = 0;
        loop {
            let waiting = &self.input[self.start..];
            // A head can only be whole when a line ends: who sends single bytes must not have all of it read anew
            // each time.
            if seen == 0 && !waiting.is_empty() || waiting[seen..].contains(&b'\n') {
                if let Some(head) = head::parse(waiting)? {
                    return Ok(head);
                }
            } else if waiting.len() >= HEAD_BYTES_MAX {
                return Err(Status::HeadTooLarge.into());
            }
            seen = waiting.len();
            let phase = match (seen, self.served) {
                (0, true) => Phase::Idle,
                (0, false) => Phase::First,
                _ => Phase::Head,
            };
            self.fill(phase).await?;
        }
    }

    async fn read_body(&mut self, head: &Head) -> Result<Body, End> {
        let start = head.bytes;
        match head.framing {
            Framing::Length(length) if length > BODY_BYTES_MAX => Err(Status::ContentTooLarge.into()),
            Framing::Length(length) => {
                let end = start + length;
                self.send_continue(head, end);
                self.input.reserve((self.start + end).saturating_sub(self.input.len()));
                while self.input.len() - self.start < end {
                    self.fill(Phase::Body).await?;
                }
                Ok(Body { range: start..end, next: end })
            }
            Framing::Chunked => {
                self.send_continue(head, start + 1);
                // From here on the request is at the beginning, where the decoder counts from.
                self.compact();
                let mut decoder = Decoder::new(start);
                while !decoder.advance(&mut self.input, start)? {
                    decoder.compact(&mut self.input);
                    self.fill(Phase::Body).await?;
                }
                Ok(Body { range: start..decoder.written(), next: decoder.read() })
            }
        }
    }

    /// Gives leave to send a body, unless it is here up to `end`.
    fn send_continue(&mut self, head: &Head, end: usize) {
        if head.expects_continue && self.input.len() - self.start < end {
            self.out.extend_from_slice(CONTINUE);
        }
    }

    /// Writes an answer with the body in `self.body`.
    fn answer(&mut self, answer: Answer, method: Method, after: After) {
        let connection = match after {
            After::Kept => None,
            After::KeptForOld => Some("keep-alive"),
            After::Close => Some("close"),
        };
        let (out, bytes) = (&mut self.out, self.body.len());
        self.service.watchdog.with_date(|date| answer.write_head(out, date, connection, bytes));
        if method != Method::Head {
            self.out.extend_from_slice(&self.body);
        }
    }

    /// Sends what is to be sent and waits for bytes, for which the connection is in this phase.
    async fn fill(&mut self, phase: Phase) -> Result<(), End> {
        self.flush().await?;
        self.compact();
        if phase == Phase::Idle {
            for buffer in [&mut self.input, &mut self.body, &mut self.out] {
                buffer.shrink_to(BUFFER_KEPT_BYTES);
            }
        }
        self.watch(phase);
        match self.io.read_buf(&mut self.input).await {
            Ok(0) | Err(_) => Err(End::Gone),
            Ok(_) => Ok(()),
        }
    }

    /// Removes the requests that are done with.
    fn compact(&mut self) {
        if self.start > 0 {
            self.input.drain(..self.start);
            self.start = 0;
        }
    }

    async fn flush(&mut self) -> Result<(), End> {
        if !self.out.is_empty() {
            self.watch(Phase::Send);
            self.io.write_all(&self.out).await.map_err(|_| End::Gone)?;
            self.out.clear();
        }
        Ok(())
    }

    /// Lets a refused client read its answer.
    async fn linger(mut self) {
        self.watch(Phase::Linger);
        if self.io.shutdown().await.is_err() {
            return;
        }
        let mut left = LINGER_BYTES_MAX;
        while left > 0 {
            self.input.clear();
            match self.io.read_buf(&mut self.input).await {
                Ok(0) | Err(_) => return,
                Ok(read) => left = left.saturating_sub(read),
            }
        }
    }

    fn watch(&self, phase: Phase) {
        self.service.watchdog.enter(&self.watched, phase);
    }
}

/// Where a body is, counted from the beginning of its request.
struct Body {
    range: Range<usize>,
    /// Where the next request begins.
    next: usize,
}

#[cfg(test)]
mod tests;
