//! One case on one instance.

use std::io;
use std::net::SocketAddr;
use std::sync::RwLock;
use std::sync::atomic::AtomicBool;
use std::thread::{self, ScopedJoinHandle};
use std::time::Duration;

use galo_load::{Connection, Exchanged, Outgoing};
use galo_plan::conformance::{Case, CaseRequest, Content, Filling, Form, Given, Way};
use galo_record::conformance::{BODY_KEPT, Failure, FailureKind, HEAD_KEPT};
use galo_record::{CaseRun, Exchange};
use galo_watch::FlushCounter;

use super::wire::{self, Wire};
use super::{Asker, Bounds, Patience, Server, failures, timeouts_in};

/// How long a shell may take for what is to be done before a request.
const BEFORE_WITHIN: Duration = Duration::from_secs(10);

impl Asker<'_> {
    /// Asks a case of the server at `place`. What belongs elsewhere goes to the next instance; at the contender's own port it goes
    /// there as well, since only what the port shows is held against a contender. Requests for which there is no time any more
    /// are left out.
    pub(super) fn run(
        &self,
        case: &Case,
        servers: &[Server],
        place: usize,
        mark: String,
        bounds: Bounds,
    ) -> CaseRun {
        let here = &servers[place];
        let there = if here.direct { &servers[(place + 1) % servers.len()] } else { here };
        let (given, exchanges) = (Vec::new(), Vec::new());
        let mut asking =
            Asking { asker: self, here, there, mark: &mark, bounds, given, exchanges, open: None };
        let flushed = || self.flushes.and_then(FlushCounter::mark);
        let before = flushed();
        let mut rest = case.requests.as_slice();
        while let Some(first) = rest.first().filter(|_| !asking.is_over()) {
            let joined = |request: &&CaseRequest| matches!(request.way, Way::AtOnce | Way::Pipelined);
            let (group, after) = rest.split_at(1 + rest[1..].iter().take_while(joined).count());
            match group.get(1) {
                Some(second) if second.way == Way::AtOnce => asking.at_once(group),
                Some(_) => asking.pipelined(group),
                None => asking.one(first),
            }
            rest = after;
        }
        let exchanges = asking.exchanges;
        let flushes = before.zip(flushed()).map(|(before, after)| after.since(&before));
        let failed = failures(&exchanges).any(|failure| failure.kind != FailureKind::Own);
        let mut asked = [here].into_iter().chain((there.address != here.address).then_some(there));
        let gone = failed.then(|| asked.find_map(|server| self.gone(server))).flatten();
        CaseRun { instance: here.name.clone(), direct: here.direct, mark, exchanges, flushes, gone }
    }
}

struct Asking<'a> {
    asker: &'a Asker<'a>,
    here: &'a Server,
    there: &'a Server,
    mark: &'a str,
    bounds: Bounds,
    given: Vec<Option<Given>>,
    exchanges: Vec<Option<Exchange>>,
    /// The connection of the request before, if it may carry another.
    open: Option<Connection>,
}

impl<'a> Asking<'a> {
    fn is_over(&self) -> bool {
        let timeouts = self.bounds.timeouts + timeouts_in(&self.exchanges);
        self.asker.is_over(Bounds { timeouts, ..self.bounds }).is_some()
    }

    fn open(&self, request: &CaseRequest) -> Result<Connection, Failure> {
        let (address, within) = (self.server(request).address, self.asker.patience.within);
        match self.asker.origin {
            Some(origin) => Connection::open_through(address, origin, within),
            None => Connection::open(address, within),
        }
    }

    fn is_count(&self, request: &CaseRequest) -> bool {
        self.asker.count_path.is_some_and(|path| request.target == Content::from(path))
    }

    /// A count may take as long as any answer may, and some take seconds by design.
    fn within(&self, request: &CaseRequest) -> Duration {
        let Patience { within, count_within, .. } = self.asker.patience;
        if self.is_count(request) { count_within } else { within }
    }

    /// What breaks off an exchange; `None`: it does not take long.
    fn stop(&self, request: &CaseRequest) -> Option<&'a AtomicBool> {
        self.is_count(request).then_some(self.asker.stop)
    }

    fn server(&self, request: &CaseRequest) -> &Server {
        if request.elsewhere { self.there } else { self.here }
    }

    /// Whom it is for in the end.
    fn target(&self, request: &CaseRequest) -> SocketAddr {
        self.asker.origin.unwrap_or(self.server(request).address)
    }

    fn wire(&self, request: &CaseRequest) -> Option<Wire> {
        let filling = Filling { mark: self.mark, given: &self.given };
        wire::write(request, filling, self.target(request))
    }

    /// Keeps what came of a request, `None` if it was not sent, and whether that was on the connection before it.
    fn keep(&mut self, request: &CaseRequest, came: Option<(Exchanged, bool)>) {
        let (target, server) = (self.target(request), self.server(request).address);
        let exchange = came.map(|(came, reused)| Exchange {
            target,
            through: (target != server).then_some(server),
            reused,
            status: came.status,
            head: Content::of_bytes(&came.head[..came.head.len().min(HEAD_KEPT)]),
            body: Content::of_bytes(&came.body[..came.body.len().min(BODY_KEPT)]),
            body_bytes: came.body.len() as u64,
            failure: came.failure,
        });
        let filling = Filling { mark: self.mark, given: &self.given };
        let target = filling.content(&request.target);
        let given = exchange.as_ref().zip(target).and_then(|(e, target)| e.given(&target.bytes()));
        self.given.push(given);
        self.exchanges.push(exchange);
    }

    fn one(&mut self, request: &CaseRequest) {
        let before = self.open.take().filter(|_| request.way == Way::Kept);
        let came = self.wire(request).map(|wire| {
            if let Err(text) = self.prepare(request) {
                return (Exchanged::failed(Failure { kind: FailureKind::Own, text }), false);
            }
            if request.is_cut() {
                return (self.cut(request, &wire), false);
            }
            let outgoing = outgoing(request, &wire, self.stop(request));
            let address = self.server(request).address;
            if let Some(mut connection) = before.filter(|connection| connection.may_carry_on(address)) {
                let came = connection.exchange(&outgoing, self.within(request));
                let is_cut =
                    came.status == 0 && came.failure.as_ref().is_some_and(|f| f.kind == FailureKind::Cut);
                // A server may have done what it did not come to answer, so a creation is not sent twice.
                if !is_cut || !matches!(request.method.as_str(), "GET" | "HEAD") {
                    self.open = Some(connection);
                    return (came, true);
                }
            }
            (self.afresh(request, &outgoing), false)
        });
        self.keep(request, came);
    }

    /// Has a shell run what is to be done before a request.
    fn prepare(&self, request: &CaseRequest) -> Result<(), String> {
        let Some(before) = &request.before else { return Ok(()) };
        let line = Filling { mark: self.mark, given: &self.given }.content(before);
        let line = line.ok_or("what is to be done before the request names what no answer gave")?;
        galo_host::shell(&String::from_utf8_lossy(&line.bytes()), BEFORE_WITHIN)
    }

    /// On a connection of its own, which stays open for the next.
    fn afresh(&mut self, request: &CaseRequest, outgoing: &Outgoing<'_>) -> Exchanged {
        match self.open(request) {
            Ok(mut connection) => {
                let came = connection.exchange(outgoing, self.within(request));
                self.open = Some(connection);
                came
            }
            Err(failure) => Exchanged::failed(failure),
        }
    }

    /// Sends, and goes away: at once, or by a reset when the answer begins.
    fn cut(&self, request: &CaseRequest, wire: &Wire) -> Exchanged {
        let within = self.asker.patience.within;
        let sent = self.open(request).and_then(|mut connection| match request.form {
            Form::Reset => connection.reset(&wire.bytes, within),
            _ => connection.send(&wire.bytes, within),
        });
        Exchanged { status: 0, head: Vec::new(), body: Vec::new(), failure: sent.err() }
    }

    /// All requests first, then all answers, on one connection.
    fn pipelined(&mut self, group: &[CaseRequest]) {
        self.open = None;
        let wires: Option<Vec<Wire>> = group.iter().map(|request| self.wire(request)).collect();
        let Some(wires) = wires else {
            return group.iter().for_each(|request| self.keep(request, None));
        };
        let bytes: Vec<u8> = wires.iter().flat_map(|wire| wire.bytes.iter().copied()).collect();
        let mut connection = self.open(&group[0]);
        for (place, (request, wire)) in group.iter().zip(&wires).enumerate() {
            if self.is_over() {
                return;
            }
            let outgoing = Outgoing {
                bytes: if place == 0 { &bytes } else { &[] },
                pause_at: None,
                is_head: wire.is_head,
                more: place + 1 < group.len(),
                // One sends for all of them; whoever ends its direction is the last.
                ends: place == 0 && group.last().is_some_and(|last| last.form == Form::HalfClosed),
                stop: self.stop(request),
            };
            let came = match &mut connection {
                Ok(connection) => connection.exchange(&outgoing, self.within(request)),
                Err(failure) => Exchanged::failed(failure.clone()),
            };
            self.keep(request, Some((came, place > 0)));
        }
    }

    /// All at the same time, each on a connection of its own.
    fn at_once(&mut self, group: &[CaseRequest]) {
        self.open = None;
        let mut ready = Vec::with_capacity(group.len());
        for request in group {
            if self.is_over() {
                return;
            }
            ready.push((request, self.wire(request), self.open(request)));
        }
        // Nobody waits for whoever did not come: a thread more or less, the gate opens.
        let gate = RwLock::new(());
        let came: Vec<Option<Exchanged>> = thread::scope(|scope| {
            let closed = gate.write();
            let gate = &gate;
            let start =
                |(request, wire, connection): (&CaseRequest, Option<Wire>, Result<Connection, Failure>)| {
                    let (request, within, stop) = (request.clone(), self.within(request), self.stop(request));
                    let exchange = move || {
                        drop(gate.read());
                        let wire = wire?;
                        Some(match connection {
                            Ok(mut connection) => {
                                connection.exchange(&outgoing(&request, &wire, stop), within)
                            }
                            Err(failure) => Exchanged::failed(failure),
                        })
                    };
                    thread::Builder::new().spawn_scoped(scope, exchange)
                };
            let threads: Vec<_> = ready.into_iter().map(start).collect();
            drop(closed);
            threads.into_iter().map(joined).collect()
        });
        for (request, came) in group.iter().zip(came) {
            self.keep(request, came.map(|came| (came, false)));
        }
    }
}

/// What came on a thread, if the machine let it start.
fn joined(thread: io::Result<ScopedJoinHandle<'_, Option<Exchanged>>>) -> Option<Exchanged> {
    match thread {
        Ok(thread) => thread.join().ok().flatten(),
        Err(error) => {
            let text = format!("no thread for it: {error}");
            Some(Exchanged::failed(Failure { kind: FailureKind::Own, text }))
        }
    }
}

fn outgoing<'w>(request: &CaseRequest, wire: &'w Wire, stop: Option<&'w AtomicBool>) -> Outgoing<'w> {
    Outgoing {
        bytes: &wire.bytes,
        pause_at: (request.form == Form::Continue).then_some(wire.body_at),
        is_head: wire.is_head,
        more: false,
        ends: request.form == Form::HalfClosed,
        stop,
    }
}
