//! Asking upstreams how they are.

use std::rc::Rc;

use crate::http::response;
use crate::net::{Chunk, Stream, deadline_in, sleep, timeout};

use super::Balancer;

/// Asks the upstream at this place, again and again.
pub(super) async fn watch(balancer: Rc<Balancer>, at: usize) {
    let options = balancer.options();
    let link = &balancer.links[at];
    let host = &link.upstream.address;
    let path = options.health.as_deref().unwrap_or("/");
    let question =
        format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: tunnel\r\nConnection: close\r\n\r\n");
    loop {
        let within = options.health_interval.max(options.common.connect_timeout);
        let asked = async {
            let Ok(stream) = link.connect(options.common.connect_timeout).await else { return false };
            stream.send(question.clone().into_bytes());
            answers(&stream).await
        };
        link.upstream.note(timeout(deadline_in(within), asked).await.unwrap_or(false));
        sleep(deadline_in(options.health_interval)).await;
    }
}

/// Whether the answer is a good one.
async fn answers(stream: &Stream) -> bool {
    let mut bytes = Vec::new();
    loop {
        let chunk = stream.recv().await.unwrap_or_else(|_| Chunk::default());
        bytes.extend_from_slice(&chunk);
        match response::parse(&bytes, false) {
            Ok(None) if !chunk.is_empty() => {}
            Ok(Some(response)) if response.is_interim => drop(bytes.drain(..response.end)),
            Ok(Some(response)) => return response.out.starts_with(b"HTTP/1.1 2"),
            _ => return false,
        }
    }
}
