//! The client's side of TLS without any I/O: encrypted bytes in, plain bytes out, and back.
//!
//! Where the bytes are cut never changes the result, and nothing that arrives makes a connection hold more than
//! [`HELD_LIMIT`]. Records are handled where the caller read them; only a piece that its record's end is missing from
//! is copied. (rustls' unbuffered interface: measured against its buffered one, the same for small records, a third
//! less CPU for 64 KiB. Within, it still allocates once a record.)

mod config;
mod error;
#[cfg(test)]
mod tests;
mod trust;

use std::sync::Arc;

use galo_plan::load::{Protocol, TlsSettings};
use rustls::ClientConfig;
use rustls::client::UnbufferedClientConnection;
use rustls::pki_types::ServerName;
use rustls::unbuffered::{
    ConnectionState, EncodeError, EncodeTlsData, EncryptError, InsufficientSizeError, UnbufferedStatus,
};

pub(crate) use error::TlsError;

/// Encrypted bytes that may wait for what is missing: a handshake message of 64 KiB in records of a sensible size.
const HELD_LIMIT: usize = 128 * 1024;
/// A buffer that grew beyond this is given back when it is empty.
const KEPT_CAPACITY: usize = 4 * 1024;
/// Content type, version and length, before every record (RFC 8446, section 5.1).
const RECORD_HEADER: usize = 5;
/// Plain bytes in a record at most.
const RECORD_PLAIN: usize = 16 * 1024;
/// What a record adds at most, by any cipher that is offered: header, explicit nonce, content type and tag.
const RECORD_OVERHEAD: usize = 32;

/// What all connections of an engine thread share: whom to trust, who galo is, sessions to resume.
#[derive(Debug, Clone)]
pub(crate) struct TlsClient {
    config: Arc<ClientConfig>,
    /// Whether the server must name the protocol: without ALPN there is no HTTP/2 (RFC 9113, section 3.3).
    protocol: Protocol,
}

impl TlsClient {
    /// Reads the files that the settings name, or the machine's trusted certificates.
    pub(crate) fn new(settings: &TlsSettings, protocol: Protocol) -> Result<Self, TlsError> {
        Ok(Self { config: Arc::new(config::client(settings, protocol)?), protocol })
    }

    /// A new connection to `host`: a DNS name or an IP address, which the certificate must have.
    pub(crate) fn connect(&self, host: &str) -> Result<Tls, TlsError> {
        let name = ServerName::try_from(host).map_err(|_| TlsError::Name(host.to_owned()))?.to_owned();
        let session = UnbufferedClientConnection::new(Arc::clone(&self.config), name)
            .map_err(|error| TlsError::of_session(error, host, false))?;
        Ok(Tls {
            session,
            host: host.into(),
            held: Vec::new(),
            peer_closed: false,
            needs_alpn: self.protocol != Protocol::Http1,
            failure: None,
        })
    }
}

/// One connection.
pub(crate) struct Tls {
    session: UnbufferedClientConnection,
    /// For messages.
    host: Box<str>,
    /// Encrypted bytes whose rest is still to come.
    held: Vec<u8>,
    peer_closed: bool,
    /// Whether the server has still to agree to the one protocol that was offered.
    needs_alpn: bool,
    /// Why nothing can be received any more.
    failure: Option<TlsError>,
}

impl Tls {
    /// Appends the first bytes to send to `out`. To be called once, before everything else.
    pub(crate) fn start(&mut self, out: &mut Vec<u8>) -> Result<(), TlsError> {
        let (_, begun) = advance(&mut self.session, &mut [], &mut Vec::new(), out);
        begun.map(drop).map_err(|error| TlsError::of_session(error, &self.host, false))
    }

    /// Takes what arrived, however it is cut; `encrypted` is used up in place. Appends what it says to `plain`, and
    /// what is to be sent because of it (handshake, alerts, key updates) to `out`, also on an error.
    pub(crate) fn receive(
        &mut self,
        encrypted: &mut [u8],
        plain: &mut Vec<u8>,
        out: &mut Vec<u8>,
    ) -> Result<(), TlsError> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        let result = self.take(encrypted, plain, out).and_then(|()| self.agreed());
        if let Err(failure) = &result {
            self.failure = Some(failure.clone());
            self.held = Vec::new();
        }
        result
    }

    fn take(
        &mut self,
        mut encrypted: &mut [u8],
        plain: &mut Vec<u8>,
        out: &mut Vec<u8>,
    ) -> Result<(), TlsError> {
        while !encrypted.is_empty() && !self.peer_closed {
            if self.held.is_empty() {
                let used = self.process(encrypted, plain, out)?;
                self.held.extend_from_slice(&encrypted[used..]);
                break;
            }
            let taken = missing(&self.held).min(encrypted.len());
            let (first, rest) = encrypted.split_at_mut(taken);
            self.held.extend_from_slice(first);
            encrypted = rest;
            let mut held = std::mem::take(&mut self.held);
            let used = self.process(&mut held, plain, out)?;
            held.drain(..used);
            self.held = held;
            if self.held.len() > HELD_LIMIT {
                return Err(TlsError::Broken("a handshake message in too many pieces".to_owned()));
            }
        }
        // Nothing may follow the end; what does is not even looked at.
        if self.peer_closed {
            self.held.clear();
        }
        if self.held.is_empty() && self.held.capacity() > KEPT_CAPACITY {
            self.held = Vec::new();
        }
        Ok(())
    }

    /// Returns how many of the bytes are done with.
    fn process(
        &mut self,
        encrypted: &mut [u8],
        plain: &mut Vec<u8>,
        out: &mut Vec<u8>,
    ) -> Result<usize, TlsError> {
        let (used, end) = advance(&mut self.session, encrypted, plain, out);
        match end {
            Ok(closed) => {
                self.peer_closed |= closed;
                Ok(used)
            }
            Err(error) => {
                // An alert that tells the server why may be waiting.
                drain(&mut self.session, out);
                let greeted = self.session.protocol_version().is_some();
                Err(TlsError::of_session(error, &self.host, greeted))
            }
        }
    }

    /// Whether the protocol is the one that was asked for, once that is known.
    fn agreed(&mut self) -> Result<(), TlsError> {
        if self.needs_alpn && self.is_ready() {
            // rustls refuses a protocol that was not offered, and one alone is.
            if self.alpn().is_none() {
                return Err(TlsError::ProtocolRefused);
            }
            self.needs_alpn = false;
        }
        Ok(())
    }

    /// Whether the handshake is done, so that [`Self::send`] may be called.
    pub(crate) fn is_ready(&self) -> bool {
        !self.session.is_handshaking()
    }

    /// The protocol that the server agreed to (RFC 7301).
    pub(crate) fn alpn(&self) -> Option<&[u8]> {
        self.session.alpn_protocol()
    }

    /// Encrypts `plain` and appends it to `out`.
    pub(crate) fn send(&mut self, plain: &[u8], out: &mut Vec<u8>) -> Result<(), TlsError> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        // What is held was looked at already: it leads to nothing new, but rustls remembers how far it came in it.
        let UnbufferedStatus { state, .. } = self.session.process_tls_records(&mut self.held);
        let Ok(ConnectionState::WriteTraffic(mut traffic)) = state else { return Err(TlsError::NotReady) };
        let start = out.len();
        let mut room = plain.len() + (plain.len() / RECORD_PLAIN + 1) * RECORD_OVERHEAD;
        loop {
            out.resize(start + room, 0);
            match traffic.encrypt(plain, &mut out[start..]) {
                Ok(written) => {
                    out.truncate(start + written);
                    return Ok(());
                }
                // A key update goes first now and then.
                Err(EncryptError::InsufficientSize(InsufficientSizeError { required_size }))
                    if required_size > room =>
                {
                    room = required_size;
                }
                Err(_) => {
                    out.truncate(start);
                    return Err(TlsError::Exhausted);
                }
            }
        }
    }

    /// Whether the server said that it sends nothing more (`close_notify`).
    pub(crate) fn peer_closed(&self) -> bool {
        self.peer_closed
    }

    /// The transport ended. An error unless the server had said so before: then an answer that only the end delimits
    /// may have been cut.
    pub(crate) fn end(&self) -> Result<(), TlsError> {
        match (&self.failure, self.is_ready()) {
            (Some(failure), _) => Err(failure.clone()),
            (None, false) => Err(TlsError::CutHandshake),
            (None, true) if self.peer_closed => Ok(()),
            (None, true) => Err(TlsError::Truncated),
        }
    }
}

/// How many bytes the record at the beginning of `held` lacks; all that there are, where it lacks none and waits for
/// another one.
fn missing(held: &[u8]) -> usize {
    let Some(header) = held.first_chunk::<RECORD_HEADER>() else { return RECORD_HEADER - held.len() };
    let whole = RECORD_HEADER + usize::from(u16::from_be_bytes([header[3], header[4]]));
    if whole > held.len() { whole - held.len() } else { usize::MAX }
}

/// Goes on until more bytes are needed. Returns how many are done with, and whether the server ended its side.
fn advance(
    session: &mut UnbufferedClientConnection,
    encrypted: &mut [u8],
    plain: &mut Vec<u8>,
    out: &mut Vec<u8>,
) -> (usize, Result<bool, rustls::Error>) {
    let mut used = 0;
    let mut closed = false;
    loop {
        let UnbufferedStatus { mut discard, state } = session.process_tls_records(&mut encrypted[used..]);
        let mut waits = false;
        match state {
            Ok(ConnectionState::ReadTraffic(mut traffic)) => {
                while let Some(record) = traffic.next_record() {
                    match record {
                        Ok(record) => {
                            discard += record.discard;
                            plain.extend_from_slice(record.payload);
                        }
                        Err(error) => return (used + discard, Err(error)),
                    }
                }
            }
            Ok(ConnectionState::EncodeTlsData(data)) => encode(data, out),
            Ok(ConnectionState::TransmitTlsData(data)) => data.done(),
            Ok(ConnectionState::PeerClosed) => closed = true,
            // The remaining states wait for more bytes, or for something to send.
            Ok(_) => waits = true,
            Err(error) => return (used + discard, Err(error)),
        }
        used += discard;
        if waits {
            return (used, Ok(closed));
        }
    }
}

/// Appends what waits to be sent, after an error: nothing may be read any more.
fn drain(session: &mut UnbufferedClientConnection, out: &mut Vec<u8>) {
    while session.wants_write() {
        match session.process_tls_records(&mut []).state {
            Ok(ConnectionState::EncodeTlsData(data)) => encode(data, out),
            _ => return,
        }
    }
}

fn encode<Data>(mut data: EncodeTlsData<'_, Data>, out: &mut Vec<u8>) {
    let start = out.len();
    // The first try tells the length.
    let mut room = 0;
    loop {
        out.resize(start + room, 0);
        match data.encode(&mut out[start..]) {
            Err(EncodeError::InsufficientSize(InsufficientSizeError { required_size }))
                if required_size > room =>
            {
                room = required_size;
            }
            _ => return,
        }
    }
}
