//! One HTTP/3 connection, the client's side, without sockets and clocks: datagrams in, datagrams out. RFC 9114, over
//! QUIC by `quinn-proto`.
//!
//! What breaks the rules of a stream fails its exchange alone; what breaks those of the connection ends it. There is no
//! dynamic table for headers, on neither side: so no answer ever waits for another stream (RFC 9204, section 2.1.2).

mod control;
mod error;
mod exchange;
mod frame;
mod qpack;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use bytes::{Bytes, BytesMut};
use quinn_proto::crypto::rustls::QuicClientConfig;
use quinn_proto::{
    ClientConfig, Connection, ConnectionHandle, DatagramEvent, Dir, Endpoint, EndpointConfig, Event,
    RandomConnectionIdGenerator, StreamEvent, StreamId, TransportConfig, VarInt,
};

use crate::h2::{Field, HeadText, NoRoom, RequestParts};
use crate::tls::TlsClient;
use control::PeerStreams;
use error::Fault;
pub(crate) use error::{FailureKind, H3Error};
use exchange::Exchange;

/// What galo lets a peer send on a stream, and on the connection, without asking: the caller limits bodies, not this.
const RECEIVE_WINDOW: u32 = 1 << 30;
/// Streams that a server may open: control, two for headers that it has no use for, and some of kinds to be ignored.
const PEER_STREAMS: u32 = 16;

/// What all connections of an engine thread share.
#[derive(Debug, Clone)]
pub(crate) struct H3Client {
    endpoint: Arc<EndpointConfig>,
    client: ClientConfig,
    max_requests: usize,
}

/// What comes of the exchanges of a connection, in the order of what arrives.
///
/// Each exchange ends by exactly one of: `data` with `end`, `failed`, [`H3::abandon`], an error of the connection.
pub(crate) trait Sink {
    /// The final head, as text: `HTTP/3 200\r\n`, a line `name: value\r\n` for each header, `\r\n`. Interim ones are
    /// swallowed.
    fn head(&mut self, exchange: u32, status: u16, head: &[u8]);
    /// A piece of the body; empty only where nothing but the end is told. Trailers are swallowed.
    fn data(&mut self, exchange: u32, data: &[u8], end: bool);
    /// There will be no whole answer.
    fn failed(&mut self, exchange: u32, why: FailureKind);
}

/// One connection, on a UDP socket of its own.
pub(crate) struct H3 {
    endpoint: Endpoint,
    handle: ConnectionHandle,
    connection: Connection,
    remote: SocketAddr,
    host: Box<str>,
    max_requests: usize,
    exchanges: HashMap<StreamId, Exchange>,
    peer_streams: PeerStreams,
    is_ready: bool,
    /// Whether the peer takes no stream more for now.
    is_blocked: bool,
    is_draining: bool,
    broken: Option<H3Error>,
    head: HeadText,
    /// A request as it is written.
    written: Vec<u8>,
}

impl H3Client {
    /// `tls` is one for HTTP/3. At most `max_requests` will be under way on a connection.
    pub(crate) fn new(tls: &TlsClient, max_requests: u32) -> Result<Self, H3Error> {
        let crypto = QuicClientConfig::try_from(tls.config()).map_err(|e| H3Error::Setup(e.to_string()))?;
        let mut transport = TransportConfig::default();
        transport
            .max_concurrent_bidi_streams(VarInt::from_u32(0))
            .max_concurrent_uni_streams(VarInt::from_u32(PEER_STREAMS))
            .stream_receive_window(VarInt::from_u32(RECEIVE_WINDOW))
            .receive_window(VarInt::from_u32(RECEIVE_WINDOW));
        let mut client = ClientConfig::new(Arc::new(crypto));
        client.transport_config(Arc::new(transport));
        let mut endpoint = EndpointConfig::default();
        // A socket has one connection, so that nothing needs to tell connections apart.
        endpoint.cid_generator(|| Box::new(RandomConnectionIdGenerator::new(0)));
        Ok(Self { endpoint: Arc::new(endpoint), client, max_requests: max_requests as usize })
    }

    /// A new connection to `host` at `remote`.
    pub(crate) fn connect(&self, host: &str, remote: SocketAddr, now: Instant) -> Result<H3, H3Error> {
        let mut endpoint = Endpoint::new(Arc::clone(&self.endpoint), None, false, None);
        let (handle, connection) = endpoint
            .connect(now, self.client.clone(), remote, host)
            .map_err(|error| H3Error::Connect(error.to_string()))?;
        Ok(H3 {
            endpoint,
            handle,
            connection,
            remote,
            host: host.into(),
            max_requests: self.max_requests,
            exchanges: HashMap::new(),
            peer_streams: PeerStreams::default(),
            is_ready: false,
            is_blocked: false,
            is_draining: false,
            broken: None,
            head: HeadText::new(b"HTTP/3 "),
            written: Vec::new(),
        })
    }
}

impl H3 {
    /// Takes a datagram that arrived.
    pub(crate) fn datagram(
        &mut self,
        bytes: &[u8],
        now: Instant,
        sink: &mut impl Sink,
    ) -> Result<(), H3Error> {
        let data = BytesMut::from(bytes);
        // Answers of the endpoint itself are a server's.
        let event = self.endpoint.handle(now, self.remote, None, None, data, &mut Vec::new());
        if let Some(DatagramEvent::ConnectionEvent(_, event)) = event {
            self.connection.handle_event(event);
        }
        self.turn(now, sink)
    }

    /// When [`Self::timeout`] is to be called, unless something else happens before.
    pub(crate) fn next_timeout(&mut self) -> Option<Instant> {
        self.connection.poll_timeout()
    }

    /// The time of [`Self::next_timeout`] has come.
    pub(crate) fn timeout(&mut self, now: Instant, sink: &mut impl Sink) -> Result<(), H3Error> {
        self.connection.handle_timeout(now);
        self.turn(now, sink)
    }

    /// Appends up to `most` datagrams to the empty `out`; returns the length of each, but for the last, which may be
    /// shorter. To be called after every other call until it returns `None`.
    pub(crate) fn poll_transmit(&mut self, now: Instant, most: usize, out: &mut Vec<u8>) -> Option<usize> {
        let transmit = self.connection.poll_transmit(now, most.max(1), out)?;
        Some(transmit.segment_size.unwrap_or(transmit.size))
    }

    /// Whether the handshake is done.
    pub(crate) const fn is_ready(&self) -> bool {
        self.is_ready
    }

    /// Whether the peer ends the connection (GOAWAY): no more requests, but answers to those that did not fail.
    pub(crate) const fn is_draining(&self) -> bool {
        self.is_draining
    }

    /// How many more requests may be begun now, as far as is known.
    pub(crate) fn room(&self) -> usize {
        let may = self.is_ready && !self.is_blocked && !self.is_draining && self.broken.is_none();
        if may { self.max_requests.saturating_sub(self.exchanges.len()) } else { 0 }
    }

    /// Begins a request. `exchange` is how the [`Sink`] will hear of it. What the peer's windows do not allow yet is
    /// kept. No room may be left though there seemed to be some: the peer tells its bound only by refusing.
    pub(crate) fn request<'f>(
        &mut self,
        exchange: u32,
        parts: &RequestParts<'_>,
        fields: impl IntoIterator<Item = Field<'f>>,
    ) -> Result<StreamId, NoRoom> {
        if self.room() == 0 {
            return Err(NoRoom);
        }
        let Some(id) = self.connection.streams().open(Dir::Bi) else {
            self.is_blocked = true;
            return Err(NoRoom);
        };
        self.written.clear();
        exchange::write_request(parts, fields, &mut self.written);
        let mut begun = Exchange::new(exchange, parts.method == "HEAD");
        begun.send(&mut self.connection.send_stream(id), &self.written);
        self.exchanges.insert(id, begun);
        Ok(id)
    }

    /// Gives up an exchange that has not ended. The [`Sink`] will not hear of it again.
    pub(crate) fn abandon(&mut self, stream: StreamId) {
        if self.exchanges.remove(&stream).is_some() {
            self.cancel(stream, error::REQUEST_CANCELLED);
        }
    }

    /// Whether the whole request, its body included, was handed over. An exchange that is over counts as sent.
    pub(crate) fn is_sent(&self, stream: StreamId) -> bool {
        self.exchanges.get(&stream).is_none_or(Exchange::is_sent)
    }

    /// Ends the connection; what is under way is forgotten. The peer is told by the next [`Self::poll_transmit`].
    pub(crate) fn close(&mut self, now: Instant) {
        self.exchanges.clear();
        self.connection.close(now, error::NO_ERROR, Bytes::new());
        self.broken.get_or_insert(H3Error::Closed);
    }

    /// Both directions of a stream. One of them may be over already.
    fn cancel(&mut self, stream: StreamId, code: VarInt) {
        let _ = self.connection.recv_stream(stream).stop(code);
        let _ = self.connection.send_stream(stream).reset(code);
    }

    /// Carries what happened between QUIC's parts, and from them to the exchanges.
    fn turn(&mut self, now: Instant, sink: &mut impl Sink) -> Result<(), H3Error> {
        loop {
            while let Some(event) = self.connection.poll_endpoint_events() {
                if let Some(event) = self.endpoint.handle_event(self.handle, event) {
                    self.connection.handle_event(event);
                }
            }
            let Some(event) = self.connection.poll() else { break };
            if self.broken.is_some() {
                continue;
            }
            if let Err(fault) = self.take(event, sink) {
                if let Some(code) = fault.code() {
                    self.connection.close(now, code, Bytes::new());
                }
                self.broken = Some(fault);
                self.exchanges.clear();
            }
        }
        self.broken.clone().map_or(Ok(()), Err)
    }

    fn take(&mut self, event: Event, sink: &mut impl Sink) -> Result<(), H3Error> {
        match event {
            Event::Connected => self.begin(),
            Event::ConnectionLost { reason } => Err(H3Error::of_connection(reason, &self.host)),
            Event::Stream(event) => self.take_stream(&event, sink),
            Event::HandshakeDataReady | Event::DatagramReceived | Event::DatagramsUnblocked => Ok(()),
        }
    }

    /// Says what a client says first: RFC 9114, section 6.2.1.
    fn begin(&mut self) -> Result<(), H3Error> {
        let id = self.connection.streams().open(Dir::Uni).ok_or(H3Error::NoControl)?;
        let first = control::first_bytes();
        match self.connection.send_stream(id).write(&first) {
            Ok(written) if written == first.len() => {
                self.is_ready = true;
                Ok(())
            }
            _ => Err(H3Error::NoControl),
        }
    }

    fn take_stream(&mut self, event: &StreamEvent, sink: &mut impl Sink) -> Result<(), H3Error> {
        match *event {
            StreamEvent::Opened { dir: Dir::Uni } => {
                while let Some(id) = self.connection.streams().accept(Dir::Uni) {
                    self.peer_streams.open(id);
                    self.read_peer_stream(id, sink)?;
                }
            }
            StreamEvent::Readable { id } if id.dir() == Dir::Uni => self.read_peer_stream(id, sink)?,
            StreamEvent::Readable { id } => self.read(id, sink)?,
            StreamEvent::Writable { id } => {
                if let Some(exchange) = self.exchanges.get_mut(&id) {
                    exchange.send_more(&mut self.connection.send_stream(id));
                }
            }
            StreamEvent::Stopped { id, .. } => {
                // An answer may come all the same: RFC 9114, section 4.1.1.
                if let Some(exchange) = self.exchanges.get_mut(&id) {
                    exchange.stop_sending();
                }
            }
            StreamEvent::Available { dir: Dir::Bi } => self.is_blocked = false,
            StreamEvent::Opened { .. } | StreamEvent::Available { .. } | StreamEvent::Finished { .. } => {}
        }
        Ok(())
    }

    fn read_peer_stream(&mut self, id: StreamId, sink: &mut impl Sink) -> Result<(), H3Error> {
        let Some(first_refused) = self.peer_streams.read(id, &mut self.connection)? else { return Ok(()) };
        self.is_draining = true;
        self.exchanges.retain(|stream, exchange| {
            let kept = u64::from(VarInt::from(*stream)) < first_refused;
            if !kept {
                sink.failed(exchange.number(), FailureKind::GoneAway);
            }
            kept
        });
        Ok(())
    }

    /// Reads all that there is of an answer.
    fn read(&mut self, id: StreamId, sink: &mut impl Sink) -> Result<(), H3Error> {
        let Some(exchange) = self.exchanges.get_mut(&id) else { return Ok(()) };
        let number = exchange.number();
        match exchange.read(&mut self.connection.recv_stream(id), &mut self.head, sink) {
            Ok(false) => return Ok(()),
            Ok(true) => {
                // An answer before the whole request: the rest of it is of no use.
                if !exchange.is_sent() {
                    let _ = self.connection.send_stream(id).reset(error::NO_ERROR);
                }
            }
            Err(Fault::Connection(error)) => return Err(error),
            Err(Fault::Stream(why)) => {
                self.cancel(id, why.code());
                sink.failed(number, why);
            }
        }
        self.exchanges.remove(&id);
        Ok(())
    }
}
