//! `tunnel tcp`: the bytes of each connection go to a target.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::dial::dial_any;
use crate::net::Wake;
use crate::options::{Mode, Tcp};
use crate::relay::relay;
use crate::resolve::Resolver;
use crate::shared::{Shared, Told};
use crate::side::Side;

/// Made once for all threads.
#[derive(Clone)]
pub(crate) struct Parts {
    resolver: Arc<Resolver>,
    /// Whose turn it is.
    next: Arc<AtomicUsize>,
}

impl Parts {
    pub(crate) fn new(tcp: &Tcp) -> Self {
        Self { resolver: Resolver::new(tcp.tunnels.dns_lifetime), next: Arc::default() }
    }
}

/// One thread's.
pub(crate) struct TcpProxy {
    parts: Parts,
    shared: Arc<Shared>,
    wake: Arc<Wake>,
}

impl TcpProxy {
    pub(crate) fn new(parts: Parts, shared: &Arc<Shared>, wake: Arc<Wake>) -> Self {
        Self { parts, shared: Arc::clone(shared), wake }
    }

    /// Tries each target once, from the next in turn on.
    pub(crate) async fn serve(&self, client: Side) -> Told {
        let Mode::Tcp(tcp) = &self.shared.mode else { return Told::default() };
        let first = self.parts.next.fetch_add(1, Ordering::Relaxed);
        for turn in 0..tcp.to.len() {
            let target = &tcp.to[first.wrapping_add(turn) % tcp.to.len()];
            match dial_any(target, tcp.common.connect_timeout, Some(&self.parts.resolver), &self.wake).await {
                Ok(stream) => {
                    let relayed = relay(client, Side::Plain(stream), &tcp.tunnels).await;
                    let (up, down, end) = (relayed.up, relayed.down, relayed.end.name());
                    return Told { target: Some(target.to_string()), up, down, end, ..Told::default() };
                }
                Err(_) => self.shared.metrics.connect_errors_total.add(1),
            }
        }
        // As the target itself would tell it.
        client.reset();
        Told { end: "not-connected", ..Told::default() }
    }
}
