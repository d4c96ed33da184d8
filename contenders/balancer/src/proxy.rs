//! What happens to one request.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use http_body_util::{Either, Empty};
use hyper::body::{Bytes, Incoming};
use hyper::header::{HOST, HeaderValue};
use hyper::{Method, Request, Response, StatusCode, Uri, Version};
use tokio::time::timeout;

use crate::config::Config;
use crate::headers::drop_hop_by_hop;
use crate::upstream::{Failure, Upstream};

/// An answer: an upstream's, streamed, or an empty one of our own.
pub(crate) type Answer = Response<Either<Incoming, Empty<Bytes>>>;

/// Sends requests to upstreams in turn.
pub(crate) struct Proxy {
    upstreams: Vec<Arc<Upstream>>,
    next: AtomicUsize,
    timeout: Duration,
}

impl Proxy {
    pub(crate) fn new(config: &Config) -> Self {
        let upstreams = config.upstreams.iter().map(|address| Upstream::new(*address)).collect();
        Self { upstreams, next: AtomicUsize::new(0), timeout: config.timeout }
    }

    /// Passes a request on and its answer back. 502 if no upstream can be reached, or one broke off after it
    /// was sent the request; 504 if none answered in time.
    pub(crate) async fn handle(&self, request: Request<Incoming>) -> Answer {
        if request.method() == Method::CONNECT {
            return empty(StatusCode::NOT_IMPLEMENTED);
        }
        match timeout(self.timeout, self.forward(for_upstream(request))).await {
            Ok(Some(answer)) => for_client(answer),
            Ok(None) => empty(StatusCode::BAD_GATEWAY),
            Err(_) => empty(StatusCode::GATEWAY_TIMEOUT),
        }
    }

    /// Tries each upstream once, from the next in turn on, as long as none has seen the request.
    async fn forward(&self, mut request: Request<Incoming>) -> Option<Response<Incoming>> {
        let first = self.next.fetch_add(1, Ordering::Relaxed);
        for turn in 0..self.upstreams.len() {
            let upstream = &self.upstreams[first.wrapping_add(turn) % self.upstreams.len()];
            match upstream.send(request).await {
                Ok(answer) => return Some(answer),
                Err(Failure::NotSent(unsent)) => request = *unsent,
                Err(Failure::Broken) => return None,
            }
        }
        None
    }
}

/// Makes a request of ours from a client's, whose connection may be of another version.
fn for_upstream(mut request: Request<Incoming>) -> Request<Incoming> {
    drop_hop_by_hop(request.headers_mut());
    *request.version_mut() = Version::HTTP_11;
    if !request.headers().contains_key(HOST) {
        // HTTP/1.0 may come without one, HTTP/1.1 may not be sent without.
        request.headers_mut().insert(HOST, HeaderValue::from_static("localhost"));
    }
    if request.uri().scheme().is_some() {
        // A request for a proxy names the whole address; a server is asked for the path.
        let path = request.uri().path_and_query().cloned();
        *request.uri_mut() = path.map_or_else(Uri::default, Uri::from);
    }
    request
}

fn for_client(mut answer: Response<Incoming>) -> Answer {
    drop_hop_by_hop(answer.headers_mut());
    *answer.version_mut() = Version::HTTP_11;
    answer.map(Either::Left)
}

fn empty(status: StatusCode) -> Answer {
    let mut answer = Response::new(Either::Right(Empty::new()));
    *answer.status_mut() = status;
    answer
}
