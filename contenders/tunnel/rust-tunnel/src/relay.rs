//! Both directions of a tunnel.

use std::cell::Cell;
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use crate::bulk::{Mover, NotMoved};
use crate::net::{Chunk, Stream, deadline_in, now_ns, sleep};
use crate::options::Tunnels;
use crate::side::Side;

/// Bytes that may wait for a side which does not take them; then the other side has to wait.
const WAITING_BYTES_MAX: usize = 64 * 1024;
/// How much faster than the highest rate a tunnel may be for a moment.
const BURST_NS: u64 = 100_000_000;
/// Over which time the least rate is looked at.
const WINDOW: Duration = Duration::from_secs(10);

/// What became of a tunnel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Relayed {
    pub(crate) up: u64,
    pub(crate) down: u64,
    pub(crate) end: End,
}

/// Why a tunnel ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// Both sides said so.
    Closed,
    /// One broke, and the other was told.
    Broken,
    /// Nothing came for too long.
    Idle,
    /// Its life was over.
    Lifetime,
    /// Slower than the least rate.
    TooSlow,
}

impl End {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Broken => "broken",
            Self::Idle => "idle",
            Self::Lifetime => "lifetime",
            Self::TooSlow => "too-slow",
        }
    }
}

/// Bytes of one direction, and when the last came.
#[derive(Default)]
struct Flow {
    bytes: Cell<u64>,
    last_ns: Cell<u64>,
}

/// Why a direction ended.
enum Stopped {
    /// In order.
    Ended,
    /// Nobody takes its bytes any more; what the other direction still brings may matter.
    NotTaken,
    /// Where they came from broke.
    Broken,
}

/// Passes bytes on, both ways, until both sides have ended or something is wrong.
pub(crate) async fn relay(client: Side, target: Side, limits: &Tunnels) -> Relayed {
    let (up, down) = (Flow::default(), Flow::default());
    let end = {
        let way = |from, to, flow| Direction { from, to, flow, limits, paid_ns: 0 };
        let mut upward = pin!(way(&client, &target, &up).run());
        let mut downward = pin!(way(&target, &client, &down).run());
        let mut watch = pin!(watch(&up, &down, limits));
        let (mut up_ended, mut down_ended) = (None, None);
        poll_fn(|context| {
            if up_ended.is_none()
                && let Poll::Ready(stopped) = upward.as_mut().poll(context)
            {
                up_ended = Some(stopped);
            }
            if down_ended.is_none()
                && let Poll::Ready(stopped) = downward.as_mut().poll(context)
            {
                down_ended = Some(stopped);
            }
            match (&up_ended, &down_ended) {
                (Some(Stopped::Broken), _) | (_, Some(Stopped::Broken)) => Poll::Ready(End::Broken),
                (Some(Stopped::Ended), Some(Stopped::Ended)) => Poll::Ready(End::Closed),
                (Some(_), Some(_)) => Poll::Ready(End::Broken),
                _ => watch.as_mut().poll(context),
            }
        })
        .await
    };
    if end != End::Closed {
        client.reset();
        target.reset();
    }
    Relayed { up: up.bytes.get(), down: down.bytes.get(), end }
}

/// After so many large pieces, one right after the other, more of them are expected, and none is copied any more; until so many small
/// ones have come.
const RUN: usize = 8;
/// What is large: all that one read brings.
const LARGE_BYTES: usize = 16 * 1024;

/// One direction.
struct Direction<'a> {
    from: &'a Side,
    to: &'a Side,
    flow: &'a Flow,
    limits: &'a Tunnels,
    /// Until when the highest rate is used up.
    paid_ns: u64,
}

impl Direction<'_> {
    /// Until it ends, or something is wrong.
    async fn run(mut self) -> Stopped {
        let mut large = 0;
        loop {
            let Ok(chunk) = self.from.recv().await else { return Stopped::Broken };
            if chunk.is_empty() {
                return self.end().await;
            }
            large = if chunk.len() >= LARGE_BYTES { large + 1 } else { 0 };
            if let Err(stopped) = self.send(chunk).await {
                return stopped;
            }
            if large >= RUN
                && let (Side::Plain(from), Side::Plain(to)) = (self.from, self.to)
                && let Some(mover) = Mover::new()
            {
                large = 0;
                if let Err(stopped) = self.move_in_bulk(from, to, mover).await {
                    return stopped;
                }
            }
        }
    }

    async fn send(&mut self, chunk: Chunk) -> Result<(), Stopped> {
        let length = chunk.len();
        self.to.send(chunk);
        if self.to.flushed(WAITING_BYTES_MAX).await.is_err() {
            return Err(Stopped::NotTaken);
        }
        self.count(length).await;
        Ok(())
    }

    /// Without copying, as long as large pieces come.
    async fn move_in_bulk(&mut self, from: &Stream, to: &Stream, mut mover: Mover) -> Result<(), Stopped> {
        // What the kernel has taken from the socket already goes first.
        from.pause();
        while let Some(chunk) = from.recv_paused().await.map_err(|_| Stopped::Broken)? {
            if chunk.is_empty() {
                return Err(self.end().await);
            }
            self.send(chunk).await?;
        }
        to.sent().await.map_err(|_| Stopped::NotTaken)?;
        let mut small = 0;
        while small < RUN {
            match mover.pass(from, to).await {
                Ok(0) => return Err(self.end().await),
                Ok(length) => {
                    small = if length < LARGE_BYTES { small + 1 } else { 0 };
                    self.count(length).await;
                }
                Err(NotMoved::Broken) => return Err(Stopped::Broken),
                Err(NotMoved::NotTaken) => return Err(Stopped::NotTaken),
            }
        }
        Ok(())
    }

    /// Notes what went, and waits where it was too much.
    async fn count(&mut self, length: usize) {
        self.flow.bytes.set(self.flow.bytes.get() + length as u64);
        self.flow.last_ns.set(now_ns());
        let Some(rate) = self.limits.rate_max else { return };
        self.paid_ns = now_ns().max(self.paid_ns) + (length as u64).saturating_mul(1_000_000_000) / rate.0;
        if self.paid_ns > now_ns() + BURST_NS {
            sleep(self.paid_ns - BURST_NS).await;
        }
    }

    /// Passes the end on.
    async fn end(&self) -> Stopped {
        self.to.finish();
        if self.to.flushed(0).await.is_ok() { Stopped::Ended } else { Stopped::NotTaken }
    }
}

/// Ends when a limit is passed.
async fn watch(up: &Flow, down: &Flow, limits: &Tunnels) -> End {
    let begun_ns = now_ns();
    up.last_ns.set(begun_ns);
    let idle_ns = limits.idle_timeout.as_nanos() as u64;
    let dies_ns = limits.lifetime.map_or(u64::MAX, deadline_in);
    let (mut window_ns, mut before) = (deadline_in(WINDOW), 0);
    loop {
        let idles_ns = up.last_ns.get().max(down.last_ns.get()).saturating_add(idle_ns);
        let least = limits.rate_min.map(|rate| rate.0 * WINDOW.as_secs());
        sleep(idles_ns.min(dies_ns).min(least.map_or(u64::MAX, |_| window_ns))).await;
        if now_ns() >= dies_ns {
            return End::Lifetime;
        }
        if now_ns() >= up.last_ns.get().max(down.last_ns.get()).saturating_add(idle_ns) {
            return End::Idle;
        }
        if let Some(least) = least
            && now_ns() >= window_ns
        {
            let bytes = up.bytes.get() + down.bytes.get();
            if bytes - before < least {
                return End::TooSlow;
            }
            (window_ns, before) = (deadline_in(WINDOW), bytes);
        }
    }
}
