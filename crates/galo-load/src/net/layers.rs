//! What lies between the bytes of a connection and the requests on it, where that is more than HTTP/1.1: the tunnel of
//! a proxy, then TLS, then HTTP/2, each of them optional.

mod tell;

use std::borrow::Cow;

use galo_plan::load::{Protocol, Target, Transport};
use rustix::io::Errno;

use super::{Outgoing, What};
use crate::h2::ResetKind::GoneAway;
use crate::h2::{H2, RequestParts, StreamId};
use crate::tls::{Tls, TlsClient, TlsError};
use crate::tunnel::{Tunnel, TunnelError, write_connect};
pub(super) use tell::Tell;

/// Why a connection ends, in words of a bounded set.
type Why = Cow<'static, str>;

/// The layers of one connection, and the requests that it was taken for.
pub(super) struct Layers {
    stage: Stage,
    tls: Option<Tls>,
    protocol: Protocol,
    /// HTTP/2 from the moment on at which requests may be sent.
    session: Option<H2>,
    max_streams: u32,
    requests: Vec<Request>,
    /// Whose connection it is between two requests, if it is not shared.
    owner: Option<u32>,
    /// Those whose request was given to the kernel, as far as is known not yet taken by it.
    unsent: Vec<u32>,
    /// Whether it came to an end, and all were told.
    is_over: bool,
    /// Only for reuse of their memory.
    plain: Vec<u8>,
    frames: Vec<u8>,
}

/// How far a connection came.
enum Stage {
    Tunnel(Tunnel),
    Handshake,
    Ready,
}

/// A request that a connection was taken for.
struct Request {
    slot: u32,
    state: State,
}

enum State {
    /// For the connection, or for room on it.
    Waiting,
    /// It may be sent, and its user was told.
    Allowed,
    Sent(Option<StreamId>),
}

impl Layers {
    /// What a new connection needs, and its first bytes; `None`: it needs nothing. Fails where it is to be encrypted and
    /// cannot be: nothing may then be sent on it.
    pub(super) fn new(
        target: &Target,
        transport: &Transport,
        client: Option<&TlsClient>,
        max_streams: u32,
    ) -> Result<Option<(Self, Vec<u8>)>, TlsError> {
        if transport.protocol == Protocol::Http1 && transport.proxy.is_none() && !target.tls {
            return Ok(None);
        }
        let tls = match (target.tls, client) {
            (false, _) => None,
            (true, Some(client)) => Some(client.connect(&target.host)?),
            (true, None) => return Err(TlsError::Setup("no settings for it".to_owned())),
        };
        let mut layers = Self {
            stage: Stage::Handshake,
            tls,
            protocol: transport.protocol,
            session: None,
            max_streams,
            requests: Vec::new(),
            owner: None,
            unsent: Vec::new(),
            is_over: false,
            plain: Vec::new(),
            frames: Vec::new(),
        };
        let mut hello = Vec::new();
        match &transport.proxy {
            Some(proxy) => {
                write_connect(target, proxy, &mut hello);
                layers.stage = Stage::Tunnel(Tunnel::default());
            }
            None => layers.begin(&mut hello)?,
        }
        Ok(Some((layers, hello)))
    }

    /// The bytes are the target's from now on.
    fn begin(&mut self, out: &mut Vec<u8>) -> Result<(), TlsError> {
        self.stage = Stage::Handshake;
        match &mut self.tls {
            Some(tls) => tls.start(out),
            None => self.become_ready(out),
        }
    }

    /// Requests may be sent from now on.
    fn become_ready(&mut self, out: &mut Vec<u8>) -> Result<(), TlsError> {
        self.stage = Stage::Ready;
        if self.protocol == Protocol::Http2 {
            self.session = Some(H2::start(self.max_streams, &mut self.frames));
        }
        self.pass_frames(out)
    }

    /// Adds a request. Whether it may be sent at once.
    pub(super) fn add(&mut self, slot: u32) -> bool {
        let allowed = matches!(self.stage, Stage::Ready) && self.room() > 0;
        self.owner = Some(slot);
        let state = if allowed { State::Allowed } else { State::Waiting };
        self.requests.push(Request { slot, state });
        allowed
    }

    /// A request is over. `kept`: the connection stays its user's.
    pub(super) fn remove(&mut self, slot: u32, kept: bool) {
        self.requests.retain(|request| request.slot != slot);
        self.unsent.retain(|other| *other != slot);
        self.owner = kept.then_some(slot);
    }

    /// How many more requests may be sent now.
    fn room(&self) -> usize {
        let allowed = self.requests.iter().filter(|r| matches!(r.state, State::Allowed)).count();
        self.session.as_ref().map_or(1, |session| session.room().saturating_sub(allowed))
    }

    /// Whether another request may be added to so many.
    pub(super) fn has_room(&self, load: u32) -> bool {
        match &self.session {
            _ if self.is_draining() || load >= self.max_streams => false,
            Some(_) => self.room() > 0,
            // Others may wait for it too, while somebody looks after its becoming ready.
            None => load > 0 || self.is_usable(),
        }
    }

    /// Whether it carries several requests at once.
    pub(super) fn is_multiplexed(&self) -> bool {
        self.protocol != Protocol::Http1
    }

    /// Whether a request could be sent now, were there room.
    pub(super) fn is_usable(&self) -> bool {
        matches!(self.stage, Stage::Ready) && !self.is_draining()
    }

    /// Whether it takes no more requests.
    pub(super) fn is_draining(&self) -> bool {
        self.is_over || self.session.as_ref().is_some_and(H2::is_draining)
    }

    /// Appends a request to `out`, as it travels.
    pub(super) fn send(
        &mut self,
        slot: u32,
        target: &Target,
        request: &Outgoing<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Why> {
        let Some(entry) = self.requests.iter_mut().find(|entry| entry.slot == slot) else { return Ok(()) };
        let Some(session) = &mut self.session else {
            entry.state = State::Sent(None);
            self.unsent.push(slot);
            return match &mut self.tls {
                Some(tls) => tls.send(request.text, out).map_err(told),
                None => {
                    out.extend_from_slice(request.text);
                    Ok(())
                }
            };
        };
        let parts = request.parts();
        let request = RequestParts {
            method: request.method,
            scheme: if target.tls { "https" } else { "http" },
            authority: std::str::from_utf8(parts.authority).unwrap_or(&target.authority),
            path: parts.path,
            path_constant: request.target_is_constant,
            body: parts.body,
        };
        match session.request(slot, &request, parts.fields(), &mut self.frames) {
            Ok(stream) => {
                entry.state = State::Sent(Some(stream));
                self.unsent.push(slot);
            }
            // The server takes fewer than it seemed: it waits.
            Err(_) => entry.state = State::Waiting,
        }
        self.pass_frames(out).map_err(told)
    }

    /// Frames that were written go to `out`, encrypted where need be.
    fn pass_frames(&mut self, out: &mut Vec<u8>) -> Result<(), TlsError> {
        let passed = match &mut self.tls {
            _ if self.frames.is_empty() => Ok(()),
            Some(tls) => tls.send(&self.frames, out),
            None => {
                out.extend_from_slice(&self.frames);
                Ok(())
            }
        };
        self.frames.clear();
        passed
    }

    /// Gives up a request; what tells the server is appended to `out`.
    pub(super) fn abandon(&mut self, slot: u32, out: &mut Vec<u8>) {
        let entry = self.requests.iter().find(|entry| entry.slot == slot);
        let Some(Request { state: State::Sent(Some(stream)), .. }) = entry else { return };
        if let (Some(session), false) = (&mut self.session, self.is_over) {
            session.abandon(*stream, &mut self.frames);
            // If that cannot be sent any more, its end will be told.
            let _ = self.pass_frames(out);
        }
    }

    /// Whether the whole request was handed over.
    pub(super) fn is_sent(&self, slot: u32) -> bool {
        match (self.requests.iter().find(|entry| entry.slot == slot), &self.session) {
            (Some(Request { state: State::Sent(Some(stream)), .. }), Some(session)) => {
                session.is_sent(*stream)
            }
            _ => true,
        }
    }

    /// Whether the request was given to the kernel, which has not taken it yet.
    pub(super) fn is_handed_over(&self, slot: u32) -> bool {
        self.unsent.contains(&slot)
    }

    /// The kernel took what was given to it.
    pub(super) fn sent(&mut self, tell: &mut Tell<'_>) {
        for slot in self.unsent.drain(..) {
            tell.say(slot, What::Sent, &[]);
        }
    }

    /// So many bytes of the connection wait to be sent before what arrives next is taken.
    pub(super) fn waits_to_be_sent(&mut self, bytes: usize) {
        if let Some(session) = &mut self.session {
            session.waits_to_be_sent(bytes);
        }
    }

    /// Takes what arrived; `last`: the peer is known to send nothing after it. `false`: the connection is of no more use, and
    /// all were told.
    pub(super) fn receive(
        &mut self,
        bytes: &mut [u8],
        last: bool,
        reply: &mut Vec<u8>,
        tell: &mut Tell<'_>,
    ) -> bool {
        if !self.is_over
            && let Err(why) = self.take(bytes, last, reply, tell)
        {
            self.end(&What::Failed(why), tell);
        }
        !self.is_over
    }

    fn take(
        &mut self,
        mut bytes: &mut [u8],
        last: bool,
        reply: &mut Vec<u8>,
        tell: &mut Tell<'_>,
    ) -> Result<(), Why> {
        if let Stage::Tunnel(tunnel) = &mut self.stage {
            let Some(used) = tunnel.receive(bytes).map_err(TunnelError::text)? else { return Ok(()) };
            bytes = &mut bytes[used..];
            self.begin(reply).map_err(told)?;
        }
        let mut plain = std::mem::take(&mut self.plain);
        plain.clear();
        let taken = match &mut self.tls {
            None => self.deliver(bytes, last, tell),
            Some(tls) => {
                let mut received = tls.receive(bytes, &mut plain, reply);
                if matches!(self.stage, Stage::Handshake) && tls.is_ready() && received.is_ok() {
                    received = self.become_ready(reply);
                }
                received.map_err(told).and_then(|()| self.deliver(&plain, last, tell))
            }
        };
        self.plain = plain;
        taken?;
        self.pass_frames(reply).map_err(told)?;
        self.allow(tell);
        if self.tls.as_ref().is_some_and(Tls::peer_closed) {
            self.end(&What::Closed, tell);
        }
        Ok(())
    }

    /// Takes what arrived, decrypted.
    fn deliver(&mut self, bytes: &[u8], last: bool, tell: &mut Tell<'_>) -> Result<(), Why> {
        if bytes.is_empty() {
            return Ok(());
        }
        if let Some(h2) = &mut self.session {
            return h2.receive(bytes, &mut self.frames, tell).map_err(|error| error.text().into());
        }
        match self.requests.first().map(|request| request.slot).or(self.owner) {
            Some(slot) => tell.say(slot, What::Bytes { last }, bytes),
            // Nobody's: the server ends it, and may say so before (408) without having been asked.
            None => self.is_over = true,
        }
        Ok(())
    }

    /// Tells those who wait, as far as there is room for them now, or that there will be none.
    fn allow(&mut self, tell: &mut Tell<'_>) {
        if !matches!(self.stage, Stage::Ready) {
            return;
        }
        let (mut room, draining) = (self.room(), self.is_draining());
        for request in self.requests.iter_mut().filter(|request| matches!(request.state, State::Waiting)) {
            if draining {
                request.state = State::Allowed;
                tell.say(request.slot, What::Unprocessed(GoneAway.text().into()), &[]);
            } else if room > 0 {
                request.state = State::Allowed;
                tell.say(request.slot, What::Ready, &[]);
                room -= 1;
            }
        }
    }

    /// The peer closed its end. `false`, as it is of no more use.
    pub(super) fn closed(&mut self, tell: &mut Tell<'_>) -> bool {
        let why = match (&self.stage, &self.tls) {
            (Stage::Tunnel(_), _) => Some(TunnelError::Cut.text()),
            (_, Some(tls)) => tls.end().err().map(|error| error.text()),
            (_, None) => None,
        };
        self.end(&why.map_or(What::Closed, |why| What::Cut(why.into())), tell);
        false
    }

    /// The connection failed. `false`, as it is of no more use.
    pub(super) fn broken(&mut self, errno: Errno, tell: &mut Tell<'_>) -> bool {
        self.end(&What::Broken(errno), tell);
        false
    }

    /// The peer does not read what it asks for. `false`, as it is of no more use.
    pub(super) fn give_up_on_reader(&mut self, tell: &mut Tell<'_>) -> bool {
        self.end(&What::Failed("the server does not read what is sent to it".into()), tell);
        false
    }

    fn end(&mut self, what: &What, tell: &mut Tell<'_>) {
        if std::mem::replace(&mut self.is_over, true) {
            return;
        }
        for request in &self.requests {
            tell.say(request.slot, what.clone(), &[]);
        }
        if let (true, Some(owner)) = (self.requests.is_empty(), self.owner) {
            tell.say(owner, what.clone(), &[]);
        }
    }
}

/// In words of a bounded set.
#[allow(clippy::needless_pass_by_value, reason = "as `map_err` hands it over")]
fn told(error: TlsError) -> Why {
    error.text().into()
}
