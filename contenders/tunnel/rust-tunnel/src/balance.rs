//! `tunnel balance`: each request goes to the next upstream in turn.
//!
//! A request is tried again only where that is safe: where no upstream can have seen it (no connection could be made), or where asking twice
//! does no more than asking once, nothing of an answer has come, and all of the request is still here.

mod exchange;
mod health;
mod upstream;

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::address::Address;
use crate::http::request::{self, Request};
use crate::http::{Refusal, TOO_SLOW, bad};
use crate::net::{Alarm, Chunk, Wake, deadline_in, now_ns, spawn};
use crate::options::{Balance, Mode};
use crate::resolve::Resolver;
use crate::shared::{Shared, is_draining, unless_draining};
use crate::side::Side;

use exchange::Exchange;
use upstream::{Link, Upstream};

/// Bytes that one read of a client brings where the next request is expected: what is behind it waits with the client.
const HEAD_READ_BYTES: u32 = 2 * 1024;

/// Made once for all threads.
pub(crate) struct Parts {
    upstreams: Vec<Arc<Upstream>>,
    /// Whose turn it is.
    next: AtomicUsize,
    /// Nothing: no upstream has a name.
    resolver: Option<Arc<Resolver>>,
    /// The first thread to come asks upstreams how they are.
    threads: AtomicUsize,
}

impl Parts {
    pub(crate) fn new(balance: &Balance) -> Arc<Self> {
        let has_names = balance.to.iter().any(|address| matches!(address, Address::Name(..)));
        Arc::new(Self {
            upstreams: balance.to.iter().map(|address| Arc::new(Upstream::new(address.clone()))).collect(),
            next: AtomicUsize::new(0),
            resolver: has_names.then(|| Resolver::new(Duration::from_secs(30))),
            threads: AtomicUsize::new(0),
        })
    }
}

/// One thread's.
pub(crate) struct Balancer {
    parts: Arc<Parts>,
    /// This thread's connections, by upstream.
    links: Vec<Link>,
    shared: Arc<Shared>,
}

impl Balancer {
    pub(crate) fn new(parts: &Arc<Parts>, shared: &Arc<Shared>, wake: &Arc<Wake>) -> Rc<Self> {
        let links = parts
            .upstreams
            .iter()
            .map(|upstream| Link::new(Arc::clone(upstream), parts.resolver.clone(), Arc::clone(wake)));
        let balancer = Self { links: links.collect(), shared: Arc::clone(shared), parts: Arc::clone(parts) };
        let balancer = Rc::new(balancer);
        if parts.threads.fetch_add(1, Ordering::Relaxed) == 0 && balancer.options().health.is_some() {
            for at in 0..balancer.links.len() {
                spawn(health::watch(Rc::clone(&balancer), at));
            }
        }
        balancer
    }

    fn options(&self) -> &Balance {
        let Mode::Balance(balance) = &self.shared.mode else { unreachable!("a balancer balances") };
        balance
    }

    /// Upstreams in the order in which they are to be tried, each once: who is ill by now comes last.
    fn order(&self) -> impl Iterator<Item = &Link> {
        let (first, count) = (self.parts.next.fetch_add(1, Ordering::Relaxed), self.links.len());
        let now = now_ns();
        let turns = (0..count).map(|turn| &self.links[first.wrapping_add(turn) % count]);
        let (well, ill): (Vec<_>, Vec<_>) = turns.partition(|link| link.upstream.is_well(now));
        well.into_iter().chain(ill)
    }

    /// One client's requests, one after another.
    pub(crate) async fn serve(self: &Rc<Self>, client: Side) {
        let mut rest = Chunk::default();
        let mut alarm = Alarm::default();
        let mut is_first = true;
        client.read_at_most(HEAD_READ_BYTES);
        loop {
            let asked = match self.next_request(&client, &mut rest, &mut alarm, is_first).await {
                Ok(Some(asked)) => asked,
                Ok(None) => return,
                Err(refusal) => return self.refuse(client, &refusal).await,
            };
            is_first = false;
            let exchange = Exchange { balancer: self, client: &client, rest: &mut rest, alarm: &mut alarm };
            let answered = exchange.run(asked).await;
            if answered.is_ok() && !self.is_taken(&client, &mut alarm, !rest.is_empty()).await {
                return client.reset();
            }
            match answered {
                Ok(true) if !is_draining() => {}
                Ok(_) => return client.end_with(Vec::new()).await,
                Err(Some(refusal)) => return self.refuse(client, &refusal).await,
                // Whoever waits for the rest of an answer must learn that it will not come.
                Err(None) => return client.reset(),
            }
        }
    }

    /// Whether the client took its answer in time: until then its further requests wait, with the client and not here.
    async fn is_taken(&self, client: &Side, alarm: &mut Alarm, asks_on: bool) -> bool {
        let idle = deadline_in(self.options().idle_timeout);
        let taken = async { if asks_on { client.takes_more().await } else { client.flushed(0).await } };
        matches!(alarm.timeout(idle, taken).await, Some(Ok(())))
    }

    /// The next request; nothing if the client has gone, or asked for nothing for too long.
    async fn next_request(
        &self,
        client: &Side,
        rest: &mut Chunk,
        alarm: &mut Alarm,
        is_first: bool,
    ) -> Result<Option<Request>, Refusal> {
        let common = &self.options().common;
        let begun = |rest: &Chunk| !rest.is_empty();
        let idle = if is_first { common.handshake_timeout } else { self.options().idle_timeout };
        let mut until_ns = deadline_in(if begun(rest) { common.handshake_timeout } else { idle });
        loop {
            if begun(rest) {
                if let Some(request) = request::parse(rest)? {
                    rest.advance(request.end);
                    *rest = std::mem::take(rest).kept();
                    return Ok(Some(request));
                }
                *rest = std::mem::take(rest).kept();
            }
            let receive = alarm.timeout(until_ns, client.recv());
            let received = if begun(rest) { Some(receive.await) } else { unless_draining(receive).await };
            match received {
                Some(Some(Ok(chunk))) if !chunk.is_empty() => {
                    if begun(rest) {
                        *rest = [&**rest, &chunk].concat().into();
                    } else {
                        until_ns = deadline_in(common.handshake_timeout);
                        *rest = chunk;
                    }
                }
                Some(None) if begun(rest) => return Err(TOO_SLOW),
                Some(Some(Ok(_))) if begun(rest) => return Err(bad("the request did not end")),
                _ => return Ok(None),
            }
        }
    }

    async fn refuse(&self, client: Side, refusal: &Refusal) {
        self.shared.metrics.requests_refused_total.add(1);
        client.end_with(refusal.answer(true)).await;
    }
}
