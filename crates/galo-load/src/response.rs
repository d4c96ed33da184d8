//! One HTTP/1.1 answer, read as it arrives: bytes in, in pieces of any size, until it is complete or unreadable.
//!
//! Where the pieces are cut never changes the result, and nothing that arrives makes it hold more than the limits
//! below. Framing follows RFC 9112, section 6, and where that leaves a choice this is strict: an ambiguous answer
//! is unreadable, never guessed.

mod chunked;
mod error;
mod head;
#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::mem;

use galo_plan::model::Answer;

use chunked::{Chunks, Piece};
pub(crate) use error::{AnswerError, CutError};
use head::{Framing, Head};

/// Status line and headers together, interim (1xx) ones before them included.
pub(crate) const HEAD_LIMIT: usize = 64 * 1024;
/// Number of headers.
pub(crate) const HEADER_LIMIT: usize = 128;
/// Decoded body. An answer is examined on the thread that sends the requests, which may run before all others, so it
/// must not keep that thread for long: a model takes 4 to 25 ms for 4 MiB (measured on one core). The
/// longest right answer of a built-in challenge, 50 rows with all that they may hold, has 28 KB.
pub(crate) const BODY_LIMIT: u64 = 4 * 1024 * 1024;
/// Buffers that grew beyond this are given back after the answer that needed them.
const KEPT_CAPACITY: usize = 64 * 1024;
/// What an answer holds beyond this counts as long.
const LONG: usize = 16 * 1024;
/// All long answers of a thread together, beyond [`LONG`] of each. Who never ends its answers must not fill the machine's memory: a user waits for a
/// minute, and others come.
const LONG_LIMIT: usize = 512 << 20;

thread_local! {
    /// What all answers of this thread hold beyond [`LONG`].
    static HELD: Cell<usize> = const { Cell::new(0) };
}

/// What is expected next.
#[derive(Debug, Clone, PartialEq, Eq)]
enum State {
    Head,
    /// This many bytes of body.
    Length(u64),
    Chunked(Chunks),
    UntilClose,
    /// By other means than its text, until [`Response::complete`].
    Framed,
    Complete,
}

/// An answer that is being read. Reused from answer to answer for its buffers.
#[derive(Debug)]
pub(crate) struct Response {
    state: State,
    /// Bytes of the head as received; of the final one when it is complete.
    raw: Vec<u8>,
    /// How far `raw` was searched for the end of the head.
    searched: usize,
    /// Bytes of interim heads before the final one.
    interim: usize,
    head: Head,
    body: Vec<u8>,
    /// Length of the body so far; `body` may hold less of it.
    body_len: u64,
    /// How much of the body is worth keeping.
    keep: usize,
    /// Whether the request was a HEAD, whose answer has no body.
    head_request: bool,
    first_byte_ns: Option<u64>,
    /// Its part of [`HELD`].
    held: usize,
}

impl Drop for Response {
    fn drop(&mut self) {
        self.release();
    }
}

impl Response {
    /// One that waits for nothing yet; [`Self::begin`] comes first.
    pub(crate) fn new() -> Self {
        Self {
            state: State::Complete,
            raw: Vec::new(),
            searched: 0,
            interim: 0,
            head: Head::default(),
            body: Vec::new(),
            body_len: 0,
            keep: 0,
            head_request: false,
            first_byte_ns: None,
            held: 0,
        }
    }

    /// Forgets the last answer and expects the next. At most `keep` bytes of its body are kept (all are counted).
    pub(crate) fn begin(&mut self, head_request: bool, keep: usize) {
        self.state = State::Head;
        self.release();
        self.searched = 0;
        self.interim = 0;
        self.head = Head::default();
        self.body_len = 0;
        self.keep = keep;
        self.head_request = head_request;
        self.first_byte_ns = None;
    }

    /// Gives back what is large, once nobody reads the answer any more.
    pub(crate) fn release(&mut self) {
        for buffer in [&mut self.raw, &mut self.body] {
            buffer.clear();
            if buffer.capacity() > KEPT_CAPACITY {
                buffer.shrink_to(0);
            }
        }
        HELD.set(HELD.get().saturating_sub(mem::take(&mut self.held)));
    }

    /// Counts what the answer holds by now.
    fn hold(&mut self) -> Result<(), AnswerError> {
        let grown = (self.raw.len() + self.body.len()).saturating_sub(LONG + self.held);
        if grown == 0 {
            return Ok(());
        }
        self.held += grown;
        HELD.set(HELD.get() + grown);
        if HELD.get() > LONG_LIMIT { Err(AnswerError::TooMuchAtOnce) } else { Ok(()) }
    }

    /// Takes what was read at `at_ns`. `true`: the answer is complete.
    pub(crate) fn feed(&mut self, bytes: &[u8], at_ns: u64) -> Result<bool, AnswerError> {
        let is_complete = self.take(bytes, at_ns)?;
        self.hold()?;
        Ok(is_complete)
    }

    fn take(&mut self, bytes: &[u8], at_ns: u64) -> Result<bool, AnswerError> {
        let mut rest = bytes;
        while self.state == State::Head {
            if rest.is_empty() {
                return Ok(false);
            }
            rest = self.feed_head(rest, at_ns)?;
        }
        self.feed_body(rest)
    }

    /// Takes bytes of a head and returns those after its end.
    fn feed_head<'b>(&mut self, bytes: &'b [u8], at_ns: u64) -> Result<&'b [u8], AnswerError> {
        self.first_byte_ns.get_or_insert(at_ns);
        let before = self.raw.len();
        // One byte more than the limit is enough to know that it is passed.
        let room = (HEAD_LIMIT + 1).saturating_sub(self.interim + before);
        self.raw.extend_from_slice(&bytes[..bytes.len().min(room)]);
        if !head::may_begin(&self.raw) {
            return Err(AnswerError::NotHttp);
        }
        let Some(end) = head::end(&self.raw, &mut self.searched) else {
            return if self.interim + self.raw.len() > HEAD_LIMIT {
                Err(AnswerError::HeadTooLarge)
            } else {
                Ok(&[])
            };
        };
        if self.interim + end > HEAD_LIMIT {
            return Err(AnswerError::HeadTooLarge);
        }
        self.raw.truncate(end);
        self.head = Head::parse(&self.raw)?;
        if self.head.is_interim() {
            // Not the answer yet: the next head is, and its first byte is the answer's first.
            self.interim += end;
            self.head = Head::default();
            self.raw.clear();
            self.searched = 0;
            self.first_byte_ns = None;
        } else {
            self.state = self.body_state()?;
        }
        Ok(&bytes[end - before..])
    }

    fn body_state(&self) -> Result<State, AnswerError> {
        if self.head_request || matches!(self.head.status, 204 | 304) {
            return Ok(State::Complete);
        }
        Ok(match self.head.framing {
            Framing::Length(0) => State::Complete,
            Framing::Length(length) if length > BODY_LIMIT => return Err(AnswerError::BodyTooLarge),
            Framing::Length(length) => State::Length(length),
            Framing::Chunked => State::Chunked(Chunks::new()),
            Framing::UntilClose => State::UntilClose,
        })
    }

    fn feed_body(&mut self, bytes: &[u8]) -> Result<bool, AnswerError> {
        match &mut self.state {
            State::Head => Ok(false),
            State::Complete if bytes.is_empty() => Ok(true),
            State::Complete => Err(AnswerError::UnexpectedBytes),
            State::UntilClose | State::Framed => self.append(bytes).map(|()| false),
            State::Length(left) => {
                let (now, beyond) =
                    bytes.split_at(bytes.len().min(usize::try_from(*left).unwrap_or(usize::MAX)));
                *left -= now.len() as u64;
                let complete = *left == 0;
                self.append(now)?;
                self.complete_if(complete, beyond)
            }
            State::Chunked(_) => self.feed_chunks(bytes),
        }
    }

    fn feed_chunks(&mut self, bytes: &[u8]) -> Result<bool, AnswerError> {
        let mut rest = bytes;
        while let State::Chunked(chunks) = &mut self.state {
            let (piece, after) = chunks.next(rest)?;
            rest = after;
            match piece {
                Piece::Data(data) => self.append(data)?,
                Piece::More => return Ok(false),
                Piece::End => return self.complete_if(true, rest),
            }
        }
        Ok(false)
    }

    fn append(&mut self, data: &[u8]) -> Result<(), AnswerError> {
        self.body_len += data.len() as u64;
        if self.body_len > BODY_LIMIT {
            return Err(AnswerError::BodyTooLarge);
        }
        let room = self.keep - self.body.len();
        self.body.extend_from_slice(&data[..data.len().min(room)]);
        Ok(())
    }

    fn complete_if(&mut self, complete: bool, beyond: &[u8]) -> Result<bool, AnswerError> {
        if complete {
            self.state = State::Complete;
            if !beyond.is_empty() {
                return Err(AnswerError::UnexpectedBytes);
            }
        }
        Ok(complete)
    }

    /// Takes the final head of an answer that other means than its text delimit (HTTP/2), as text.
    pub(crate) fn take_head(&mut self, status: u16, text: &[u8], at_ns: u64) {
        self.first_byte_ns.get_or_insert(at_ns);
        self.raw.clear();
        self.raw.extend_from_slice(text);
        self.head = Head::of_text(status, text);
        self.state = State::Framed;
    }

    /// Takes a piece of the body of such an answer.
    pub(crate) fn take_data(&mut self, data: &[u8]) -> Result<(), AnswerError> {
        self.append(data)?;
        self.hold()
    }

    /// Such an answer is complete.
    pub(crate) fn complete(&mut self) {
        self.state = State::Complete;
    }

    /// The peer closed: complete if only that was missing.
    pub(crate) fn end(&mut self) -> Result<(), CutError> {
        match self.state {
            State::UntilClose => {
                self.state = State::Complete;
                Ok(())
            }
            State::Complete => Ok(()),
            State::Head if self.raw.is_empty() => Err(CutError::BeforeAnswer),
            State::Head => Err(CutError::WithinHead),
            State::Length(_) | State::Chunked(_) | State::Framed => Err(CutError::WithinBody),
        }
    }

    /// Whether nothing of it came yet.
    pub(crate) fn is_untouched(&self) -> bool {
        self.state == State::Head && self.raw.is_empty() && self.interim == 0
    }

    /// When the first byte of the final answer was read.
    pub(crate) fn first_byte_ns(&self) -> Option<u64> {
        self.first_byte_ns
    }

    /// HTTP status; 0 while the final head is not complete.
    pub(crate) fn status(&self) -> u16 {
        if self.state == State::Head { 0 } else { self.head.status }
    }

    /// Whether the connection may carry another request after this answer.
    pub(crate) fn keeps_connection(&self) -> bool {
        self.head.keeps_connection
    }

    /// Value of `Location`, as received.
    pub(crate) fn location(&self) -> Option<&[u8]> {
        self.head.location.clone().map(|range| &self.raw[range])
    }

    /// The status line as received, empty where it did not arrive whole.
    pub(crate) fn status_line(&self) -> &[u8] {
        let line = memchr::memchr(b'\n', &self.raw).map_or(&[][..], |end| &self.raw[..end]);
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    /// As much of the decoded body as was kept.
    pub(crate) fn body(&self) -> &[u8] {
        &self.body
    }

    /// The answer for the challenge's model.
    pub(crate) fn answer(&self) -> Answer<'_> {
        Answer {
            status: self.head.status,
            head: &self.raw,
            location: self.location(),
            content_type: self.head.content_type.clone().map(|range| &self.raw[range]),
            body: &self.body,
        }
    }
}
