//! Connections as users see them: taken for a request, given back after its answer, opened where none is free; and
//! what happens on them, told to whose request it concerns.
//!
//! Below lies [`Io`], which moves bytes; above it the worker, which knows users and their operations by slot. A
//! connection belongs to one user, to one request, or to all (a pool), as the scenario says. Plain HTTP/1.1 goes
//! straight through; everything else has [`layers`] in between.

mod layers;
mod news;
mod outgoing;
mod pool;
mod within;

use std::collections::VecDeque;
use std::ops::Range;

use galo_plan::LoadPlan;
use galo_plan::challenge::Connection;
use galo_plan::load::{Address, Protocol, Target, Transport};

use crate::gate::OwnTime;
use crate::io::{Backend, Completion, Conn, Gather, Happened, Io, Waiting};
use crate::tls::{TlsClient, TlsError};
use layers::Layers;
pub(crate) use news::{News, NotTaken, Taken, What};
pub(crate) use outgoing::{HeaderName, Outgoing};
use pool::Pool;

/// Completions looked at for one piece of news: those of a handshake bring none.
const LOOKS_IN_A_ROW: usize = 64;

/// One connection.
#[derive(Default)]
struct Link {
    /// Index into the endpoints.
    endpoint: u16,
    shared: bool,
    /// Whose request is on it, or whose it is. With HTTP/2 the layers know.
    slot: Option<u32>,
    /// Requests that it was taken for.
    load: u32,
    /// When it was begun, then since when it has room for a request.
    since_ns: u64,
    number: u64,
    layers: Option<Box<Layers>>,
}

/// A server and the connections to it.
struct Endpoint {
    target: Target,
    pool: Pool,
}

/// One engine thread's connections.
pub(crate) struct Net {
    io: Io,
    transport: Transport,
    /// `None`: no target is encrypted.
    tls: Option<TlsClient>,
    streams: u32,
    links: Vec<Link>,
    endpoints: Vec<Endpoint>,
    /// By scenario, an index into the endpoints.
    endpoint_of: Vec<u16>,
    /// What was found out but not told yet.
    news: VecDeque<(News, Range<usize>)>,
    /// The bytes that the news are of.
    bytes: Vec<u8>,
    /// Which of them the last news were of; `None`: of what the kernel received.
    told: Option<Range<usize>>,
    /// Opened so far.
    pub(crate) opened: u64,
    /// All times here are the load's own.
    pub(crate) time: OwnTime,
}

impl Net {
    /// For one of so many threads, which share the bounds of the pools.
    pub(crate) fn new(
        plan: &LoadPlan,
        tls: Option<TlsClient>,
        (thread, threads): (usize, usize),
        in_turn: bool,
        (backend, waiting): (Backend, Waiting),
    ) -> std::io::Result<Self> {
        let bound = share(u64::from(plan.pool.connections), thread, threads).max(1) as usize;
        let mut endpoints: Vec<Endpoint> = Vec::new();
        let mut endpoint_of = Vec::with_capacity(plan.targets.len());
        for target in &plan.targets {
            let known = endpoints.iter().position(|endpoint| endpoint.target == *target);
            endpoint_of.push(known.unwrap_or(endpoints.len()) as u16);
            if known.is_none() {
                endpoints.push(Endpoint { target: target.clone(), pool: Pool::new(bound) });
            }
        }
        let through = plan.transport.proxy.as_ref().map(|proxy| &proxy.address);
        let address = |endpoint: &Endpoint| through.unwrap_or(&endpoint.target.address).clone();
        let addresses: Vec<Address> = endpoints.iter().map(address).collect();
        let streams = if plan.transport.protocol == Protocol::Http1 { 1 } else { plan.pool.streams };
        let io = Io::new(&addresses, bound * addresses.len(), in_turn, backend, waiting)?;
        Ok(Self {
            io,
            transport: plan.transport.clone(),
            tls,
            streams: streams.max(1),
            links: Vec::new(),
            endpoints,
            endpoint_of,
            news: VecDeque::new(),
            bytes: Vec::new(),
            told: None,
            opened: 0,
            time: OwnTime::default(),
        })
    }

    /// Whether a request of this scenario would find a connection, or may open one.
    pub(crate) fn has_room(&self, scenario: usize, policy: Connection) -> bool {
        let endpoint = usize::from(self.endpoint_of[scenario]);
        policy != Connection::Shared || self.endpoints[endpoint].pool.has_room()
    }

    /// Finds a connection for a request. `own`: the user's own one; `anew`: rather a new one, which it is in any case
    /// unless the bound of shared ones forbids it.
    pub(crate) fn take(
        &mut self,
        slot: u32,
        scenario: usize,
        policy: Connection,
        own: Option<Conn>,
        anew: bool,
    ) -> Result<Taken, NotTaken> {
        let shared = policy == Connection::Shared;
        let endpoint = self.endpoint_of[scenario];
        let may_open = self.endpoints[usize::from(endpoint)].pool.may_open();
        let found = match (anew && (!shared || may_open), shared) {
            // With several requests on each, one that ended is not in the pool any more.
            (true, true) if self.streams > 1 => self.pooled(endpoint),
            (true, _) => None,
            (false, true) => self.pooled(endpoint),
            (false, false) => own.filter(|conn| !self.close_if_draining(*conn)),
        };
        let (conn, fresh) = match found {
            Some(conn) => (conn, false),
            None => (self.open(endpoint, shared)?, true),
        };
        let link = &mut self.links[conn as usize];
        link.load += 1;
        let ready = match &mut link.layers {
            None => {
                link.slot = Some(slot);
                true
            }
            Some(layers) => layers.add(slot),
        };
        let has_room = link.layers.as_ref().is_some_and(|layers| layers.has_room(link.load));
        if shared && has_room {
            self.endpoints[usize::from(endpoint)].pool.give_back(conn, self.streams > 1);
        }
        let Link { since_ns, number, .. } = self.links[conn as usize];
        Ok(Taken { conn, fresh, ready, since_ns, number })
    }

    /// A connection of the pool with room; rather a new one than one that is at work.
    fn pooled(&mut self, endpoint: u16) -> Option<Conn> {
        let pool = &mut self.endpoints[usize::from(endpoint)].pool;
        let first = pool.first()?;
        if self.links[first as usize].load > 0 && pool.may_open() {
            return None;
        }
        pool.take()
    }

    /// Whether the connection takes no more requests, and is closed for that.
    fn close_if_draining(&mut self, conn: Conn) -> bool {
        let draining = self.links[conn as usize].layers.as_ref().is_some_and(|layers| layers.is_draining());
        if draining {
            self.close(conn);
        }
        draining
    }

    fn open(&mut self, endpoint: u16, shared: bool) -> Result<Conn, NotTaken> {
        let since_ns = self.time.now_ns();
        let (conn, layers) = self.connect(endpoint)?;
        self.opened += 1;
        if shared {
            self.endpoints[usize::from(endpoint)].pool.opened();
        }
        let index = conn as usize;
        if index >= self.links.len() {
            self.links.resize_with(index + 1, Link::default);
        }
        let says_hello = layers.is_some();
        let number = self.opened - 1;
        self.links[index] = Link { endpoint, shared, since_ns, number, layers, ..Link::default() };
        if says_hello {
            self.io.send(conn);
        }
        Ok(conn)
    }

    /// A socket that is connecting, and what lies above it.
    fn connect(&mut self, endpoint: u16) -> Result<(Conn, Option<Box<Layers>>), NotTaken> {
        let target = &self.endpoints[usize::from(endpoint)].target;
        let layers = Layers::new(target, &self.transport, self.tls.as_ref(), self.streams)
            .map_err(|error| NotTaken::NotEncrypted(error.text().into()))?;
        let conn = self.io.open(usize::from(endpoint)).map_err(NotTaken::Refused)?;
        let layers = layers.map(|(layers, hello)| {
            self.io.out(conn).extend_from_slice(&hello);
            Box::new(layers)
        });
        Ok((conn, layers))
    }

    /// Sends a request on a connection that is ready.
    pub(crate) fn send(&mut self, conn: Conn, slot: u32, request: &Outgoing<'_>) {
        let link = &mut self.links[conn as usize];
        match &mut link.layers {
            None => self.io.out(conn).extend_from_slice(request.text),
            Some(layers) => {
                let target = &self.endpoints[usize::from(link.endpoint)].target;
                if let Err(why) = layers.send(slot, target, request, self.io.out(conn)) {
                    let news = News { slot, conn, at_ns: self.time.now_ns(), what: What::Failed(why) };
                    return self.news.push_back((news, 0..0));
                }
            }
        }
        self.io.send(conn);
    }

    /// Whether the whole request was handed to the kernel.
    pub(crate) fn is_sent(&mut self, conn: Conn, slot: u32) -> bool {
        match &self.links[conn as usize].layers {
            Some(layers) if layers.is_multiplexed() => layers.is_sent(slot),
            _ => self.io.is_sent(conn),
        }
    }

    /// Since when the user's request, of which nothing was heard, may reach the server all the same; `None`: it cannot.
    pub(crate) fn may_go_out_since_ns(&mut self, conn: Conn, slot: u32) -> Option<u64> {
        let handed_over = match &self.links[conn as usize].layers {
            Some(layers) => layers.is_handed_over(slot),
            None => true,
        };
        let since_ns = if handed_over { self.io.may_go_out_since_ns(conn) } else { None };
        since_ns.map(|since_ns| self.time.own(since_ns))
    }

    /// The request on it is over at `at_ns`, and the connection may carry another one. `true`: the user keeps it.
    pub(crate) fn give_back(&mut self, conn: Conn, slot: u32, at_ns: u64) -> bool {
        let streams = self.streams;
        let link = &mut self.links[conn as usize];
        link.load -= 1;
        let retired = match &mut link.layers {
            None => false,
            Some(layers) => {
                layers.remove(slot, !link.shared);
                link.load == 0 && !layers.is_usable()
            }
        };
        if retired {
            self.close(conn);
            return false;
        }
        if link.shared {
            link.slot = None;
            let has_room = link.layers.as_ref().is_none_or(|layers| layers.has_room(link.load));
            if has_room && self.endpoints[usize::from(link.endpoint)].pool.give_back(conn, streams > 1) {
                link.since_ns = at_ns;
            }
        }
        !link.shared
    }

    /// The request is given up: its stream is reset, or its connection closed.
    pub(crate) fn give_up(&mut self, conn: Conn, slot: u32, at_ns: u64) {
        let link = &mut self.links[conn as usize];
        match &mut link.layers {
            Some(layers) if layers.is_multiplexed() && link.load > 0 => {
                layers.abandon(slot, self.io.out(conn));
                self.news.retain(|(news, _)| (news.conn, news.slot) != (conn, slot));
                self.io.send(conn);
                if self.give_back(conn, slot, at_ns) {
                    self.close(conn);
                }
            }
            _ => self.close(conn),
        }
    }

    /// Closes a connection. Nothing more is heard of it.
    fn close(&mut self, conn: Conn) {
        let link = std::mem::take(&mut self.links[conn as usize]);
        if link.shared {
            self.endpoints[usize::from(link.endpoint)].pool.closed(conn);
        }
        self.news.retain(|(news, _)| news.conn != conn);
        self.io.close(conn);
    }

    /// Waits until something happens, at most until `until_ns`; see [`Io::wait`].
    pub(crate) fn wait(&mut self, until_ns: u64, gather: Gather) -> rustix::io::Result<()> {
        let until_ns = if self.news.is_empty() { self.time.machine(until_ns) } else { 0 };
        self.io.wait(until_ns, gather)
    }

    /// The next thing that happened, without waiting.
    pub(crate) fn next(&mut self) -> Option<News> {
        for _ in 0..LOOKS_IN_A_ROW {
            if let Some((news, bytes)) = self.news.pop_front() {
                self.told = Some(bytes);
                return Some(news);
            }
            self.bytes.clear();
            let heard = self.io.next()?;
            let completion = Completion { at_ns: self.time.own(heard.at_ns), ..heard };
            let link = &self.links[completion.conn as usize];
            if link.layers.is_some() {
                self.look_within(completion);
                continue;
            }
            self.told = None;
            let Completion { conn, at_ns, what } = completion;
            let what = match what {
                Happened::Sent => What::Sent,
                Happened::Received { last } => What::Bytes { last },
                Happened::Closed => What::Closed,
                Happened::Broken(errno) => What::Broken(errno),
            };
            match link.slot {
                Some(slot) => return Some(News { slot, conn, at_ns, what }),
                // Nobody's: the server ends it, and may say so before (408) without having been asked.
                None if what == What::Sent => {}
                None => self.close(conn),
            }
        }
        None
    }

    /// The bytes of the last news.
    pub(crate) fn received(&self) -> &[u8] {
        match &self.told {
            Some(range) => &self.bytes[range.clone()],
            None => self.io.received(),
        }
    }

    /// Name of the kernel's interface in use.
    pub(crate) fn backend(&self) -> &'static str {
        self.io.name()
    }

    /// Bytes sent and received so far.
    pub(crate) fn bytes(&self) -> (u64, u64) {
        (self.io.sent_bytes(), self.io.received_bytes())
    }
}

/// What the connections of a plan need to know of TLS; `None`: nothing is encrypted.
pub(crate) fn tls_client(plan: &LoadPlan) -> Result<Option<TlsClient>, TlsError> {
    let encrypted = plan.targets.iter().any(|target| target.tls);
    encrypted.then(|| TlsClient::new(&plan.transport.tls, plan.transport.protocol)).transpose()
}

/// The share of one thread in a whole: all together make it up.
pub(crate) fn share(whole: u64, thread: usize, threads: usize) -> u64 {
    let (thread, threads) = (thread as u64, threads as u64);
    whole / threads + u64::from(thread < whole % threads)
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn a_shared_connection_could_be_taken_since_it_has_room_not_since_a_request_on_it_was_over() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut plan = crate::testing::plan_of_one("/", 1_000_000, 1);
        plan.targets[0] = Target::plain(listener.local_addr().unwrap());
        plan.transport.protocol = Protocol::Http2;
        (plan.pool.connections, plan.pool.streams) = (1, 2);
        let how = (Backend::Epoll, Waiting::Asleep);
        let mut net = Net::new(&plan, None, (0, 1), false, how).unwrap();
        let take = |net: &mut Net, slot| net.take(slot, 0, Connection::Shared, None, false).unwrap();
        let Taken { conn, since_ns: begun_ns, .. } = take(&mut net, 0);
        // One of two is under way: there was room all along.
        net.give_back(conn, 0, begun_ns + 10);
        assert_eq!(take(&mut net, 1).since_ns, begun_ns);
        assert_eq!(take(&mut net, 2).since_ns, begun_ns);
        assert!(!net.has_room(0, Connection::Shared));
        net.give_back(conn, 1, begun_ns + 20);
        assert_eq!(take(&mut net, 3).since_ns, begun_ns + 20);
    }

    #[test]
    fn a_connection_that_cannot_be_encrypted_is_not_opened_and_nothing_goes_out_plain() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let mut plan = crate::testing::plan_of_one("/", 1_000_000, 1);
        plan.transport.tls.insecure = true;
        plan.targets[0] = Target { host: "no name".to_owned(), tls: true, ..Target::plain(address) };
        for protocol in [Protocol::Http1, Protocol::Http2] {
            plan.transport.protocol = protocol;
            for client in [tls_client(&plan).unwrap(), None] {
                let how = (Backend::Epoll, Waiting::Asleep);
                let mut net = Net::new(&plan, client, (0, 1), false, how).unwrap();
                for policy in [Connection::Shared, Connection::PerRequest] {
                    let taken = net.take(0, 0, policy, None, false);
                    assert!(matches!(&taken, Err(NotTaken::NotEncrypted(_))), "{taken:?}");
                }
                assert_eq!(net.opened, 0);
            }
        }
        assert_eq!(listener.accept().map(drop).map_err(|e| e.kind()), Err(std::io::ErrorKind::WouldBlock));
    }
}
