//! One request, and its answer.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;

use crate::http::body::{self, Framing, Reader};
use crate::http::request::Request;
use crate::http::response::{self, Response};
use crate::http::{BROKEN, NO_ANSWER, NO_UPSTREAM, NONSENSE, Refusal, TOO_SLOW, bad};
use crate::net::{Alarm, Chunk, Stream, deadline_in};
use crate::shared::is_draining;
use crate::side::Side;

use super::upstream::{BODY_READ_BYTES, Link};
use super::{Balancer, HEAD_READ_BYTES};

/// As much of a body goes out together with its head.
const TOGETHER_BYTES: usize = 32 * 1024;

/// What an exchange works with.
pub(super) struct Exchange<'a> {
    pub(super) balancer: &'a Rc<Balancer>,
    pub(super) client: &'a Side,
    /// What came behind the head.
    pub(super) rest: &'a mut Chunk,
    pub(super) alarm: &'a mut Alarm,
}

/// Why an upstream gave no answer.
enum Failure {
    /// It cannot have seen the request.
    NotSeen,
    /// Nothing of an answer came.
    NoAnswer(Refusal),
    /// The client is at fault, or has gone.
    Client(Option<Refusal>),
    /// Some of the answer is with the client already.
    Half,
}

impl Exchange<'_> {
    /// Whether the client's connection is for further requests.
    ///
    /// # Errors
    /// What the client is answered instead; nothing if some of an answer has gone out.
    pub(super) async fn run(mut self, request: Request) -> Result<bool, Option<Refusal>> {
        let metrics = &self.balancer.shared.metrics;
        let mut reader = Reader::new(request.framing);
        if request.expects_continue && self.rest.is_empty() && !reader.is_done() {
            self.client.send(b"HTTP/1.1 100 Continue\r\n\r\n".to_vec());
        }
        let mut first = request.out.clone();
        self.add_body(request.framing, &mut reader, &mut first).map_err(Some)?;
        // All of it is here: it can be sent again.
        let is_whole = reader.is_done();
        let balancer = Rc::clone(self.balancer);
        let mut failed = NO_UPSTREAM;
        let mut tries = 0;
        'upstreams: for link in balancer.order() {
            // A kept connection may have been closed meanwhile; a new one has not.
            for may_be_kept in [true, false] {
                let kept = if may_be_kept { link.take_kept() } else { None };
                if may_be_kept && kept.is_none() {
                    continue;
                }
                if tries > 0 {
                    metrics.requests_retried_total.add(1);
                }
                tries += 1;
                metrics.requests_total.add(1);
                match self.ask(link, kept, &request, &first, &mut reader).await {
                    Ok(goes_on) => return Ok(goes_on),
                    Err(Failure::NotSeen) => metrics.connect_errors_total.add(1),
                    Err(Failure::NoAnswer(why)) => {
                        failed = why;
                        if !is_whole || !request.is_idempotent || why == NO_ANSWER {
                            break 'upstreams;
                        }
                    }
                    Err(Failure::Client(refusal)) => return Err(refusal),
                    Err(Failure::Half) => {
                        metrics.requests_failed_total.add(1);
                        return Err(None);
                    }
                }
            }
        }
        metrics.requests_failed_total.add(1);
        // The client's connection is as good as before, if it is known where its next request begins. (HEAD has no body to say why.)
        if is_whole && !request.close && !request.is_head {
            self.client.send(failed.answer(false));
            return Ok(true);
        }
        Err(Some(failed))
    }

    /// As much of the body as is here, in the upstream's framing.
    fn add_body(&mut self, framing: Framing, reader: &mut Reader, out: &mut Vec<u8>) -> Result<(), Refusal> {
        while !self.rest.is_empty() && !reader.is_done() {
            let (read, data) = reader.read(self.rest).map_err(|_| bad("this is no chunk"))?;
            body::write(framing, &self.rest[read - data..read], out);
            self.rest.advance(read);
        }
        if reader.is_done() {
            body::write_end(framing, out);
        }
        Ok(())
    }

    /// Sends a request to an upstream and its answer to the client.
    async fn ask(
        &mut self,
        link: &Link,
        kept: Option<Stream>,
        request: &Request,
        first: &[u8],
        reader: &mut Reader,
    ) -> Result<bool, Failure> {
        let options = self.balancer.options();
        let stream = match kept {
            Some(stream) => stream,
            None => link.connect(options.common.connect_timeout).await.map_err(|_| Failure::NotSeen)?,
        };
        stream.send(first.to_vec());
        let until_ns = deadline_in(options.answer_timeout);
        let (head, came) = if reader.is_done() {
            match self.alarm.timeout(until_ns, answer_head(&stream, request.is_head)).await {
                Some(answered) => answered.map_err(Failure::NoAnswer)?,
                None => return Err(Failure::NoAnswer(NO_ANSWER)),
            }
        } else {
            self.upload(&stream, request, reader).await?
        };
        let is_sent = reader.is_done();
        let tells_end = head.framing.for_client(request.is_old) != Framing::UntilClose;
        let goes_on = !request.close && !is_draining() && is_sent && tells_end;
        let reusable = !head.close && is_sent;
        let is_exact = self.answer(&stream, head, came, request.is_old, !goes_on).await?;
        // What comes behind an answer belongs to nobody: the next client must not take it for its own.
        if reusable && is_exact {
            link.keep(stream, options.keep);
        }
        Ok(goes_on)
    }

    /// Sends the rest of a body, until all is sent or the answer begins: who refuses a body need not take it.
    ///
    /// The client has its time for each piece, and the upstream its own from each piece that is sent.
    async fn upload(
        &mut self,
        stream: &Stream,
        request: &Request,
        reader: &mut Reader,
    ) -> Result<(Response, Chunk), Failure> {
        let options = self.balancer.options();
        let until_ns = Cell::new(deadline_in(options.answer_timeout));
        let is_clients_turn = Cell::new(false);
        let rest = RefCell::new(std::mem::take(self.rest));
        let client = self.client;
        client.read_at_most(BODY_READ_BYTES);
        let send = async {
            // What cannot be sent is no matter while an answer may come.
            while stream.flushed(0).await.is_ok() && !reader.is_done() {
                is_clients_turn.set(true);
                until_ns.set(deadline_in(options.idle_timeout));
                let mut chunk = client.recv().await.map_err(|_| Failure::Client(None))?;
                if chunk.is_empty() {
                    return Err(Failure::Client(None));
                }
                let mut out = Vec::new();
                while !chunk.is_empty() && !reader.is_done() {
                    let (read, data) =
                        reader.read(&chunk).map_err(|_| Failure::Client(Some(bad("this is no chunk"))))?;
                    body::write(request.framing, &chunk[read - data..read], &mut out);
                    chunk.advance(read);
                }
                if reader.is_done() {
                    body::write_end(request.framing, &mut out);
                    rest.replace(chunk.kept());
                }
                stream.send(out);
                is_clients_turn.set(false);
                until_ns.set(deadline_in(options.answer_timeout));
            }
            // It answers once it has all.
            until_ns.set(deadline_in(options.answer_timeout));
            Ok(())
        };
        let (mut send, mut sent) = (pin!(send), false);
        let mut head = pin!(answer_head(stream, request.is_head));
        let both = poll_fn(|context| {
            if !sent && let Poll::Ready(ended) = send.as_mut().poll(context) {
                sent = true;
                if let Err(failure) = ended {
                    return Poll::Ready(Err(failure));
                }
            }
            head.as_mut().poll(context).map(|answered| answered.map_err(Failure::NoAnswer))
        });
        let answered = self.alarm.timeout_at(&until_ns, both).await.unwrap_or_else(|| {
            Err(if is_clients_turn.get() {
                Failure::Client(Some(TOO_SLOW))
            } else {
                Failure::NoAnswer(NO_ANSWER)
            })
        });
        *self.rest = rest.take();
        client.read_at_most(HEAD_READ_BYTES);
        answered
    }

    /// Passes an answer on. Whether nothing came behind it.
    async fn answer(
        &mut self,
        stream: &Stream,
        head: Response,
        came: Chunk,
        is_old: bool,
        close: bool,
    ) -> Result<bool, Failure> {
        let Response { framing, mut out, .. } = head;
        let to_client = response::finish(&mut out, framing, is_old, close);
        let mut reader = Reader::new(framing);
        let (mut chunk, mut has_more) = (came, false);
        let idle = self.balancer.options().idle_timeout;
        loop {
            while !chunk.is_empty() && !reader.is_done() {
                // A large piece of known length goes on as it is, from where it came.
                if to_client == framing
                    && framing != Framing::Chunked
                    && out.is_empty()
                    && chunk.len() > TOGETHER_BYTES / 4
                {
                    let (read, _) = reader.read(&chunk).map_err(|_| Failure::Half)?;
                    has_more |= read < chunk.len();
                    let mut piece = std::mem::take(&mut chunk);
                    piece.truncate(read);
                    self.client.send(piece);
                    break;
                }
                let (read, data) = reader.read(&chunk).map_err(|_| Failure::Half)?;
                body::write(to_client, &chunk[read - data..read], &mut out);
                chunk.advance(read);
            }
            if reader.is_done() {
                body::write_end(to_client, &mut out);
                self.client.send(out);
                return Ok(!has_more && chunk.is_empty());
            }
            self.client.send(std::mem::take(&mut out));
            match self.alarm.timeout(deadline_in(idle), self.client.takes_more()).await {
                Some(Ok(())) => {}
                // The client has gone, or takes nothing: the upstream need not go on.
                _ => return Err(Failure::Half),
            }
            match self.alarm.timeout(deadline_in(idle), stream.recv()).await {
                Some(Ok(more)) if !more.is_empty() => chunk = more,
                Some(Ok(_)) if reader.may_end() => {
                    body::write_end(to_client, &mut out);
                    self.client.send(out);
                    return Ok(true);
                }
                _ => return Err(Failure::Half),
            }
        }
    }
}

/// The head of the answer, and what came behind it.
async fn answer_head(stream: &Stream, to_head: bool) -> Result<(Response, Chunk), Refusal> {
    let mut bytes = Chunk::default();
    loop {
        let chunk = stream.recv().await.map_err(|_| BROKEN)?;
        if chunk.is_empty() {
            return Err(if bytes.is_empty() { BROKEN } else { NONSENSE });
        }
        bytes = if bytes.is_empty() { chunk } else { [&*bytes, &chunk].concat().into() };
        while let Some(response) = response::parse(&bytes, to_head)? {
            bytes.advance(response.end);
            if !response.is_interim {
                return Ok((response, bytes));
            }
            if bytes.is_empty() {
                break;
            }
        }
        bytes = bytes.kept();
    }
}
