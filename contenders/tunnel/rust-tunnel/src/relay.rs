//! Both directions of a tunnel.

use std::cell::Cell;
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use crate::net::{deadline_in, now_ns, sleep};
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
        let mut upward = pin!(copy(&client, &target, &up, limits));
        let mut downward = pin!(copy(&target, &client, &down, limits));
        let mut watch = pin!(watch(&up, &down, limits));
        let (mut up_ended, mut down_ended) = (None, None);
        poll_fn(|context| {
            for (ended, direction) in [
                (&mut up_ended, upward.as_mut() as std::pin::Pin<&mut dyn Future<Output = Stopped>>),
                (&mut down_ended, downward.as_mut()),
            ] {
                if ended.is_none()
                    && let Poll::Ready(stopped) = direction.poll(context)
                {
                    *ended = Some(stopped);
                }
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

/// One direction.
async fn copy(from: &Side, to: &Side, flow: &Flow, limits: &Tunnels) -> Stopped {
    let mut paid_ns = 0;
    loop {
        let Ok(chunk) = from.recv().await else { return Stopped::Broken };
        if chunk.is_empty() {
            to.finish();
            return if to.flushed(0).await.is_ok() { Stopped::Ended } else { Stopped::NotTaken };
        }
        let length = chunk.len() as u64;
        flow.bytes.set(flow.bytes.get() + length);
        flow.last_ns.set(now_ns());
        to.send(chunk);
        if to.flushed(WAITING_BYTES_MAX).await.is_err() {
            return Stopped::NotTaken;
        }
        if let Some(rate) = limits.rate_max {
            paid_ns = now_ns().max(paid_ns) + length.saturating_mul(1_000_000_000) / rate.0;
            if paid_ns > now_ns() + BURST_NS {
                sleep(paid_ns - BURST_NS).await;
            }
        }
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
