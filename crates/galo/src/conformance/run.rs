//! One case on one instance.

use std::sync::Barrier;
use std::time::Duration;

use galo_load::{Connection, Exchanged, Outgoing};
use galo_plan::conformance::{Case, CaseRequest, Content, Filling, Form, Given, Way};
use galo_record::conformance::{BODY_KEPT, FailureKind, HEAD_KEPT};
use galo_record::{CaseRun, Exchange};

use super::wire::{self, Wire};
use super::{Asker, Server};

impl Asker<'_> {
    /// Asks a case of the server at `place`; what belongs elsewhere goes to the next one.
    pub(super) fn run(&self, case: &Case, servers: &[Server], place: usize, mark: String) -> CaseRun {
        let (here, there) = (&servers[place], &servers[(place + 1) % servers.len()]);
        let within = self.patience.within;
        let mut asking =
            Asking { here, there, mark: &mark, within, given: Vec::new(), exchanges: Vec::new(), open: None };
        let mut rest = case.requests.as_slice();
        while let Some(first) = rest.first() {
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
        let failed = exchanges.iter().flatten().any(|exchange| exchange.failure.is_some());
        let gone = failed.then(|| [here, there].into_iter().find_map(|server| self.gone(server))).flatten();
        CaseRun { instance: here.name.clone(), direct: here.direct, mark, exchanges, gone }
    }
}

struct Asking<'a> {
    here: &'a Server,
    there: &'a Server,
    mark: &'a str,
    within: Duration,
    given: Vec<Option<Given>>,
    exchanges: Vec<Option<Exchange>>,
    /// The connection of the request before, if it may carry another.
    open: Option<Connection>,
}

impl Asking<'_> {
    fn server(&self, request: &CaseRequest) -> &Server {
        if request.elsewhere { self.there } else { self.here }
    }

    fn wire(&self, request: &CaseRequest) -> Option<Wire> {
        let filling = Filling { mark: self.mark, given: &self.given };
        wire::write(request, filling, self.server(request).address)
    }

    /// Keeps what came of a request, `None` if it was not sent, and whether that was on the connection before it.
    fn keep(&mut self, request: &CaseRequest, came: Option<(Exchanged, bool)>) {
        let server = self.server(request).address;
        let exchange = came.map(|(came, reused)| Exchange {
            target: server,
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
            if request.is_cut() {
                return (self.cut(request, &wire), false);
            }
            let outgoing = outgoing(request, &wire);
            if let Some(mut connection) = before {
                let came = connection.exchange(&outgoing, self.within);
                let closed = came.failure.as_ref().is_some_and(|failure| failure.kind == FailureKind::Cut);
                if !closed || came.status != 0 {
                    self.open = Some(connection).filter(Connection::is_open);
                    return (came, true);
                }
            }
            (self.afresh(request, &outgoing), false)
        });
        self.keep(request, came);
    }

    /// On a connection of its own, which stays open for the next.
    fn afresh(&mut self, request: &CaseRequest, outgoing: &Outgoing<'_>) -> Exchanged {
        match Connection::open(self.server(request).address, self.within) {
            Ok(mut connection) => {
                let came = connection.exchange(outgoing, self.within);
                self.open = Some(connection).filter(Connection::is_open);
                came
            }
            Err(failure) => Exchanged::failed(failure),
        }
    }

    /// Sends, and goes away.
    fn cut(&self, request: &CaseRequest, wire: &Wire) -> Exchanged {
        let connection = Connection::open(self.server(request).address, self.within);
        let sent = connection.and_then(|mut connection| connection.send(&wire.bytes, self.within));
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
        let mut connection = Connection::open(self.server(&group[0]).address, self.within);
        for (place, (request, wire)) in group.iter().zip(&wires).enumerate() {
            let outgoing = Outgoing {
                bytes: if place == 0 { &bytes } else { &[] },
                pause_at: None,
                is_head: wire.is_head,
                more: place + 1 < group.len(),
            };
            let came = match &mut connection {
                Ok(connection) => connection.exchange(&outgoing, self.within),
                Err(failure) => Exchanged::failed(failure.clone()),
            };
            self.keep(request, Some((came, place > 0)));
        }
    }

    /// All at the same time, each on a connection of its own.
    fn at_once(&mut self, group: &[CaseRequest]) {
        self.open = None;
        let wires: Vec<Option<Wire>> = group.iter().map(|request| self.wire(request)).collect();
        let barrier = Barrier::new(group.len());
        let asking = &*self;
        let came: Vec<Option<Exchanged>> = std::thread::scope(|scope| {
            let threads: Vec<_> = group
                .iter()
                .zip(&wires)
                .map(|(request, wire)| {
                    scope.spawn(|| asking.at_the_barrier(request, wire.as_ref(), &barrier))
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().ok().flatten()).collect()
        });
        for (request, came) in group.iter().zip(came) {
            self.keep(request, came.map(|came| (came, false)));
        }
    }

    fn at_the_barrier(
        &self,
        request: &CaseRequest,
        wire: Option<&Wire>,
        barrier: &Barrier,
    ) -> Option<Exchanged> {
        let connection = Connection::open(self.server(request).address, self.within);
        barrier.wait();
        let wire = wire?;
        Some(match connection {
            Ok(mut connection) => connection.exchange(&outgoing(request, wire), self.within),
            Err(failure) => Exchanged::failed(failure),
        })
    }
}

fn outgoing<'w>(request: &CaseRequest, wire: &'w Wire) -> Outgoing<'w> {
    Outgoing {
        bytes: &wire.bytes,
        pause_at: (request.form == Form::Continue).then_some(wire.body_at),
        is_head: wire.is_head,
        more: false,
    }
}
